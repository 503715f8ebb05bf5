//! Which ranks share a host: for algorithms that let one rank of each host, its leader, speak for the others.
//!
//! ```text
//! host       a       b       c           leaders  0, 2, 3
//! ranks    0 1 4     2      3 5          rank 4 sees its neighbours 0, 1, 4
//! ```

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use smpi_base::HostId;

use crate::collective::Builder;
use crate::group::Group;

/// How many communicators' hosts are remembered.
const REMEMBERED: usize = 8;

/// The host of each rank of the world, and what was found out about groups of them.
///
/// All ranks of a communicator ask the same, one after the other: so each but the first is told what that one found.
#[derive(Debug)]
pub struct Placement {
    hosts: Box<[HostId]>,
    /// The newest last.
    groups: Mutex<Vec<(Group, Arc<Hosts>)>>,
}

impl Placement {
    /// Ranks on these hosts.
    pub fn new(hosts: &[HostId]) -> Placement {
        Placement { hosts: hosts.into(), groups: Mutex::default() }
    }

    /// The host of each rank of the world.
    pub fn hosts(&self) -> &[HostId] {
        &self.hosts
    }

    fn of_group(&self, group: &Group) -> Arc<Hosts> {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, hosts)) = groups.iter().rev().find(|(known, _)| known == group) {
            return hosts.clone();
        }
        let found = Arc::new(Hosts::of_all(group.worlds().map(|world| self.hosts.get(world.index()).copied())));
        if groups.len() == REMEMBERED {
            groups.remove(0);
        }
        groups.push((group.clone(), found.clone()));
        found
    }
}

/// The ranks of a group, host by host.
#[derive(Debug)]
pub(super) struct Hosts {
    /// Ranks of each host, ascending; hosts in the order of their first ranks.
    groups: Vec<Vec<u32>>,
    /// Index of each rank's host.
    of: Vec<u32>,
    /// The first rank of each host.
    leaders: Vec<u32>,
}

impl Hosts {
    /// The hosts of the group in which `b` adds steps now. For a whole communicator only the first rank that asks has
    /// to look at all ranks.
    pub(super) fn new(b: &Builder) -> Arc<Hosts> {
        match b.placement() {
            Some((placement, group)) if b.is_whole() => placement.of_group(group),
            _ => Arc::new(Hosts::of_all((0..b.size).map(|rank| b.host(rank)))),
        }
    }

    /// Where nobody told a rank's host, it has one of its own.
    pub(super) fn of_all(names: impl Iterator<Item = Option<HostId>>) -> Hosts {
        let mut known = BTreeMap::new();
        let mut hosts = Hosts { groups: Vec::new(), of: Vec::new(), leaders: Vec::new() };
        for (rank, name) in (0..).zip(names) {
            let new = hosts.groups.len();
            let index = name.map_or(new, |name| *known.entry(name).or_insert(new));
            if index == new {
                hosts.groups.push(Vec::new());
                hosts.leaders.push(rank);
            }
            hosts.groups[index].push(rank);
            hosts.of.push(index as u32);
        }
        hosts
    }

    /// The ranks of a host.
    pub(super) fn group(&self, host: u32) -> &[u32] {
        &self.groups[host as usize]
    }

    /// The host of a rank.
    pub(super) fn of(&self, rank: u32) -> u32 {
        self.of[rank as usize]
    }

    /// The ranks on the host of a rank.
    pub(super) fn neighbours(&self, rank: u32) -> &[u32] {
        self.group(self.of(rank))
    }

    /// The first rank of each host.
    pub(super) fn leaders(&self) -> &[u32] {
        &self.leaders
    }

    /// Number of hosts.
    pub(super) fn number(&self) -> u32 {
        self.groups.len() as u32
    }

    /// Whether the ranks of each host are consecutive.
    pub(super) fn are_blocks(&self) -> bool {
        self.groups.iter().all(|group| group[group.len() - 1] - group[0] == group.len() as u32 - 1)
    }

    /// All ranks, host by host.
    pub(super) fn order(&self) -> impl Iterator<Item = u32> {
        self.groups.iter().flatten().copied()
    }

    /// Numbers of ranks on the hosts.
    pub(super) fn sizes(&self) -> Vec<u32> {
        self.groups.iter().map(|group| group.len() as u32).collect()
    }

    /// Ranks on each host, where all have the same number.
    pub(super) fn alike(&self) -> Option<u32> {
        let first = self.groups[0].len();
        self.groups.iter().all(|group| group.len() == first).then_some(first as u32)
    }

    /// The same, or 1: for algorithms that number ranks as if each host had the next ones, as SMPI's do, wherever the
    /// ranks really are.
    pub(super) fn each(&self) -> u32 {
        self.alike().unwrap_or(1)
    }

    /// The rank that speaks for the host of a rank.
    pub(super) fn leader(&self, rank: u32) -> u32 {
        self.neighbours(rank)[0]
    }
}
