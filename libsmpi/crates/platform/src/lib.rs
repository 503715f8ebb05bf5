//! The simulated machine: hosts, links, and the route between any two hosts.
//!
//! A [`Platform`] is immutable data, read from a TOML file or one of SimGrid's ([`Platform::load`]) or made by a
//! [`PlatformBuilder`]. It answers which hosts and links there are, and which links a message crosses on its way from
//! one host to another ([`Platform::route`]). Everything a user can get wrong in a file is refused with a
//! [`PlatformError`]: where, what was expected, and one next step.
//!
//! Nothing here knows time or MPI: what crossing a link costs, and how flows share it, is computed by `smpi-engine`.
//!
//! *Invariants.* Every two hosts have a route: a TOML file without one is refused, and so is a run on a platform of
//! SimGrid whose hosts in use lack one. Routes inside and between clusters
//! are computed when they are asked for, so that a platform takes memory in proportion to its hosts, never to their
//! pairs.
//!
//! | file | what |
//! |---|---|
//! | `model.rs` | [`Host`], [`Link`], [`Channel`]: what flows compete for, [`Point`]: where ways lead |
//! | `platform.rs` | [`Platform`] |
//! | `zones.rs` | zones in zones: what finds ways where |
//! | `routing.rs` | [`Route`]: the channels on the way |
//! | `topology/` | torus, fat tree, dragonfly: ways by a rule |
//! | `graph.rs` | shortest ways |
//! | `index.rs` | hosts by name |
//! | `names.rs` | [`HostNames`]: patterns of names |
//! | `build.rs` | [`PlatformBuilder`], [`Cluster`]: the checks that do not depend on a file format |
//! | `profile.rs`, `watts.rs` | what changes over time; what hosts and links draw |
//! | `storage.rs` | disks, and file systems on them |
//! | `check.rs` | whether there is a way between every two hosts |
//! | `read/` | TOML, and SimGrid's XML |
//! | `outline.rs` | the structure, for pictures |
//! | `write.rs` | a platform as TOML |
//! | `error.rs` | refusals |
//!
//! Begin with `platform.rs`, `zones.rs` and `routing.rs`. The file format is described in `docs/platforms.md`;
//! ready-made platforms are in `platforms/`.
#![forbid(unsafe_code)]

mod build;
mod check;
mod error;
mod graph;
mod index;
mod model;
mod names;
mod outline;
mod platform;
mod profile;
mod read;
mod routing;
mod storage;
mod topology;
mod watts;
mod write;
mod zones;

pub use build::{Cluster, PlatformBuilder, RouteLink, Routing};
pub use error::{Gap, PlatformError};
pub use graph::Shortest;
pub use model::{Channel, Direction, Host, Link, LinkId, Point, Sharing};
pub use names::HostNames;
pub use outline::{Member, Outline};
pub use platform::Platform;
pub use profile::{Changes, Profile, Quantity};
pub use read::deployment;
pub use routing::Route;
pub use storage::{Disk, DiskId, FileSystem};
pub use topology::{Dragonfly, FatTree, Topology, Torus};
pub use watts::{HostWatts, LinkWatts, Powered};
