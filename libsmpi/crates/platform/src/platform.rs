//! [`Platform`]: hosts, links, and the zones that they are in.

use crate::index::HostIndex;
use crate::model::{Channel, Direction, Host, Link, LinkId, Point};
use crate::profile::Profile;
use crate::storage::{Disk, DiskId, FileSystem};
use crate::watts::{HostWatts, LinkWatts, Powered};
use crate::zones::{ROOT, Zone};
use smpi_base::HostId;
use smpi_base::map::Map;
use std::path::Path;

/// What routes lead over and no rank runs on.
#[derive(Clone, Debug)]
pub(crate) struct Router {
    pub name: String,
    /// The zone that it is in.
    pub zone: u32,
}

/// The simulated machine. Made by [`Platform::load`], [`Platform::parse`] or [`crate::PlatformBuilder`]; never changes.
#[derive(Clone, Debug)]
pub struct Platform {
    pub(crate) name: String,
    pub(crate) hosts: Vec<Host>,
    pub(crate) links: Vec<Link>,
    pub(crate) host_names: HostIndex,
    /// The zone that every host is in. Invariant: as many as hosts.
    pub(crate) zone_of: Vec<u32>,
    pub(crate) routers: Vec<Router>,
    /// The first one is the root. Invariant: a zone comes after the one it is in.
    pub(crate) zones: Vec<Zone>,
    /// Zones, routers and the hosts outside clusters in the order of the description.
    pub(crate) order: Vec<Point>,
    pub(crate) profiles: Vec<Profile>,
    pub(crate) host_watts: Vec<Powered<HostWatts>>,
    pub(crate) link_watts: Vec<Powered<LinkWatts>>,
    pub(crate) disks: Vec<Disk>,
    /// The disk of each host that has one.
    pub(crate) disk_of: Map<HostId, DiskId>,
    pub(crate) file_systems: Vec<FileSystem>,
    pub(crate) settings: Vec<(String, String)>,
    /// Line and column of each setting. Invariant: as many as settings.
    pub(crate) setting_places: Vec<Option<(usize, usize)>>,
}

impl Platform {
    /// The same platform with the bandwidths of all links, as they are described, multiplied by a factor.
    pub fn with_bandwidths(&self, factor: f64) -> Platform {
        let mut other = self.clone();
        other.links.iter_mut().for_each(|link| link.bandwidth_bytes_per_sec *= factor);
        other
    }

    /// Path or name of the description, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All hosts, indexed by [`HostId`].
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// The host of this name.
    pub fn host_named(&self, name: &str) -> Option<HostId> {
        self.host_names.find(&self.hosts, name)
    }

    /// The zones that a host is in, from the outermost below the root to the innermost, by numbers that tell zones
    /// apart.
    pub fn zones_of(&self, host: HostId) -> Vec<u32> {
        let mut zone = self.zone_of[host.index()];
        let mut path = Vec::new();
        while zone != ROOT {
            path.push(zone);
            zone = self.zones[zone as usize].parent;
        }
        path.reverse();
        path
    }

    /// All links, indexed by [`LinkId`].
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The channel of a link in a direction.
    pub fn channel(&self, link: LinkId, direction: Direction) -> Channel {
        Channel::of(link, self.links[link.index()].sharing, direction)
    }

    /// What changes over time, in the order of the description. No quantity has two profiles.
    pub fn profiles(&self) -> &[Profile] {
        &self.profiles
    }

    /// What hosts draw, where that is described. A host is in one range at most.
    pub fn host_watts(&self) -> &[Powered<HostWatts>] {
        &self.host_watts
    }

    /// What links draw, likewise.
    pub fn link_watts(&self) -> &[Powered<LinkWatts>] {
        &self.link_watts
    }

    /// All disks, indexed by [`DiskId`].
    pub fn disks(&self) -> &[Disk] {
        &self.disks
    }

    /// The disk of a host.
    pub fn disk_of(&self, host: HostId) -> Option<DiskId> {
        self.disk_of.get(&host).copied()
    }

    /// All file systems, in the order of the description.
    pub fn file_systems(&self) -> &[FileSystem] {
        &self.file_systems
    }

    /// The file system of a file with this absolute name: the one that is mounted nearest to it.
    pub fn file_system_of(&self, path: &Path) -> Option<&FileSystem> {
        let holds = self.file_systems.iter().filter(|system| path.starts_with(&system.mount));
        holds.max_by_key(|system| system.mount.components().count())
    }

    /// Overrides of simulation constants, in `--cfg` form and in the order of the file: `("network/TCP-gamma",
    /// "4194304")`.
    pub fn settings(&self) -> &[(String, String)] {
        &self.settings
    }

    /// Where the `index`-th setting was written, as `file:line:column`, for messages about its value.
    pub fn setting_place(&self, index: usize) -> String {
        match self.setting_places.get(index) {
            Some(Some((line, column))) => format!("{}:{line}:{column}", self.name),
            _ => self.name.clone(),
        }
    }
}
