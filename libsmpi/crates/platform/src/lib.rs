//! The simulated machine: hosts, links, and the route between any two hosts.
//!
//! A [`Platform`] is immutable data. It is read from TOML ([`Platform::load`]) or put together by a
//! [`PlatformBuilder`]. Routes inside and between clusters are computed when asked for, so that a
//! platform takes memory in proportion to its hosts, never to their pairs.
//! What a route costs is the engine's business; nothing here knows time, sharing or MPI.
//!
//! The file format is described in `docs/platforms.md`.
#![forbid(unsafe_code)]

mod build;
mod error;
mod model;
mod read;
mod routing;
mod settings;

pub use build::{Cluster, PlatformBuilder, RouteLink};
pub use error::PlatformError;
pub use model::{Channel, Direction, Endpoint, Host, Link, LinkId, Platform, Sharing};
pub use routing::Route;
pub use settings::{Setting, known_settings};
