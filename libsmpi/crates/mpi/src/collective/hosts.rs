//! Which ranks share a host: for algorithms that let one rank of each host, its leader, speak for the others.
//!
//! ```text
//! host       a       b       c           leaders  0, 2, 3
//! ranks    0 1 4     2      3 5          rank 4 sees its neighbours 0, 1, 4
//! ```

use std::collections::BTreeMap;

use crate::collective::Builder;

/// The ranks of the present group, host by host.
#[derive(Debug)]
pub(super) struct Hosts {
    /// Ranks of each host, ascending; hosts in the order of their first ranks.
    groups: Vec<Vec<u32>>,
    /// Index of each rank's host.
    of: Vec<usize>,
}

impl Hosts {
    /// The hosts of the group in which `b` adds steps now.
    pub(super) fn new(b: &Builder) -> Hosts {
        let mut names = BTreeMap::new();
        let mut hosts = Hosts { groups: Vec::new(), of: Vec::new() };
        for rank in 0..b.size {
            let new = hosts.groups.len();
            // Where nobody told, each rank has a host of its own.
            let index = b.host(rank).map_or(new, |name| *names.entry(name).or_insert(new));
            if index == new {
                hosts.groups.push(Vec::new());
            }
            hosts.groups[index].push(rank);
            hosts.of.push(index);
        }
        hosts
    }

    /// The ranks of a host.
    pub(super) fn group(&self, host: u32) -> &[u32] {
        &self.groups[host as usize]
    }

    /// The host of a rank.
    pub(super) fn of(&self, rank: u32) -> u32 {
        self.of[rank as usize] as u32
    }

    /// The ranks on the host of a rank.
    pub(super) fn neighbours(&self, rank: u32) -> &[u32] {
        self.group(self.of(rank))
    }

    /// The first rank of each host.
    pub(super) fn leaders(&self) -> Vec<u32> {
        self.groups.iter().map(|group| group[0]).collect()
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
