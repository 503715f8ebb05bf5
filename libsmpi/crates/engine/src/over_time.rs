//! The changes of speeds, links and states that a platform's profiles describe, in the order of their dates.

use smpi_base::HostId;
use smpi_base::heap::IndexedHeap;
use smpi_platform::{Platform, Quantity};
use std::sync::Arc;

/// A host that is turned off or on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostChange {
    /// Which one.
    pub host: HostId,
    /// What it is from now on.
    pub is_on: bool,
}

/// The profiles of a platform and how far each has come.
#[derive(Debug)]
pub(crate) struct OverTime {
    platform: Arc<Platform>,
    /// The next change of each profile.
    next: Vec<usize>,
    /// Its date, by profile; those that are over have none.
    dates: IndexedHeap<f64>,
}

impl OverTime {
    pub fn new(platform: Arc<Platform>) -> OverTime {
        let count = platform.profiles().len();
        let mut over_time = OverTime { platform, next: vec![0; count], dates: IndexedHeap::new() };
        (0..count as u32).for_each(|profile| over_time.schedule(profile));
        over_time
    }

    /// The date of the next change.
    pub fn next(&self) -> Option<f64> {
        self.dates.peek().map(|(date, _)| date)
    }

    /// The next change, if it happens no later than now.
    pub fn take(&mut self, now: f64) -> Option<(Quantity, f64)> {
        let (_, profile) = self.dates.peek().filter(|(date, _)| *date <= now)?;
        self.dates.pop();
        let found = &self.platform.profiles()[profile as usize];
        let (of, change) = (found.of, found.changes.at(self.next[profile as usize]));
        self.next[profile as usize] += 1;
        self.schedule(profile);
        change.map(|(_, value)| (of, value))
    }

    /// Whether one of the quantities that are `awaited` will change.
    pub fn will_change(&self, awaited: impl Fn(Quantity) -> bool) -> bool {
        let profiles = self.platform.profiles().iter().zip(&self.next);
        profiles.into_iter().any(|(profile, next)| profile.changes.at(*next).is_some() && awaited(profile.of))
    }

    fn schedule(&mut self, profile: u32) {
        if let Some((date, _)) = self.platform.profiles()[profile as usize].changes.at(self.next[profile as usize]) {
            self.dates.set(profile, date);
        }
    }
}
