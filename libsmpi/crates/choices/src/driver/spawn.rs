//! Numbers of ranks that are spawned: the same ones mean the same ranks in every execution.
//!
//! Choices are named by their rank, and a set of choices determines the state. If ranks got their numbers in the order
//! in which they are spawned, a number would mean another rank where two ranks spawn some independently. So a spawning
//! has a name: who spawns, for the how manieth time, how many, and what. Which ones there are is found out as with
//! locks (`order.rs`): ranks of a spawning without numbers are not there, and its caller waits for ever, so that this
//! execution remains the beginning of one that is possible; the name is recorded, and the exploration begins again.
//! Numbers follow the order of the names that are known.
//!
//! Ranks that spawn others may themselves be spawned, and get other numbers when more becomes known. Then there are
//! known names of nobody, which only take numbers away from others.

use std::collections::{BTreeMap, BTreeSet};

use smpi_mpi::world::Numbers;

use crate::state::{Discoveries, Discovery, Spawn};

/// What is known of spawned ranks in the present exploration. Not part of the state that snapshots restore.
#[derive(Default, Debug)]
pub(super) struct Spawns {
    /// The numbers that may be given.
    reserved: std::ops::Range<u32>,
    /// The first number of each spawning.
    first: BTreeMap<Spawn, u32>,
    /// Further ones that should have numbers.
    discovered: BTreeSet<Spawn>,
    /// There were not enough numbers for all.
    is_short: bool,
}

impl Spawns {
    /// Which numbers there are.
    pub fn reserve(&mut self, numbers: std::ops::Range<u32>) {
        self.reserved = numbers;
    }

    pub fn foresee(&mut self, known: &Discoveries) {
        self.first.clear();
        self.discovered.clear();
        let mut next = self.reserved.start;
        for discovery in known {
            if let Discovery::Spawns(spawn) = *discovery
                && next.saturating_add(spawn.count) <= self.reserved.end
            {
                self.first.insert(spawn, next);
                next += spawn.count;
            }
        }
    }

    pub fn known(&self) -> impl Iterator<Item = Spawn> {
        self.first.keys().copied()
    }

    pub fn is_surprised(&self) -> bool {
        !self.discovered.is_empty()
    }

    /// Whether ranks were not spawned because there were no numbers left.
    pub fn is_short(&self) -> bool {
        self.is_short
    }

    pub fn take_discovered(&mut self) -> BTreeSet<Spawn> {
        std::mem::take(&mut self.discovered)
    }

    pub fn numbers_of(&mut self, spawn: Spawn) -> Numbers {
        if let Some(first) = self.first.get(&spawn) {
            return Numbers::From(*first);
        }
        let used: u32 = self.first.keys().chain(&self.discovered).map(|spawn| spawn.count).sum();
        if used.saturating_add(spawn.count) > self.reserved.len() as u32 {
            self.is_short = true;
        } else {
            self.discovered.insert(spawn);
        }
        Numbers::Unknown
    }
}

impl super::Verification {
    /// Declares which numbers ranks may get that are spawned.
    pub fn reserve(&mut self, numbers: std::ops::Range<u32>) {
        self.spawns.reserve(numbers);
    }

    /// Whether ranks were not spawned because there were no numbers left.
    pub fn is_short_of_ranks(&self) -> bool {
        self.spawns.is_short()
    }
}
