//! The simulated machine: hosts, links, and the route between any two hosts.
//!
//! A [`Platform`] is immutable data, read from a TOML file ([`Platform::load`]) or made by a [`PlatformBuilder`]. It
//! answers which hosts and links there are, and which links a message crosses on its way from one host to another
//! ([`Platform::route`]). Everything a user can get wrong in a file is refused with a [`PlatformError`]: where, what
//! was expected, and one next step.
//!
//! Nothing here knows time or MPI: what crossing a link costs, and how flows share it, is computed by `smpi-engine`.
//!
//! *Invariants.* Every two hosts have a route: a description without one is refused. Routes inside and between clusters
//! are computed when they are asked for, so that a platform takes memory in proportion to its hosts, never to their
//! pairs.
//!
//! | file | what |
//! |---|---|
//! | `model.rs` | [`Platform`], [`Host`], [`Link`], and [`Channel`]: what flows compete for |
//! | `routing.rs` | [`Route`]: the channels on the way |
//! | `build.rs` | [`PlatformBuilder`], [`Cluster`]: the checks that do not depend on a file format |
//! | `read/` | TOML |
//! | `settings.rs` | constants of the simulation that a file may override |
//! | `error.rs` | refusals, and the nearest word to a misspelt one |
//!
//! Begin with `model.rs` and `routing.rs`. The file format is described in `docs/platforms.md`; ready-made platforms
//! are in `platforms/`.
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
pub use settings::{Setting, is_without_meaning, known_settings};
