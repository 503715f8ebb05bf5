//! The driver: whatever takes time takes one tick, nothing is decided, and nobody wants to know.

use std::collections::BTreeMap;

use smpi_base::{SimTime, WorldRank};
use smpi_mailbox::CommId;
use smpi_mpi::p2p::request::{Operation, Owner, RequestKey};
use smpi_mpi::world::{Clock, Driver, Ended, Notice, Poll, Undecided, World};

/// Time is a count of ticks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Toy {
    /// Ticks since the start.
    pub(crate) ticks: u64,
    /// What ends with the next tick: all that was started since the last one.
    under_way: Vec<Ended>,
    alarms: BTreeMap<WorldRank, SimTime>,
}

impl Clock for Toy {
    fn now(&self) -> SimTime {
        SimTime(self.ticks as f64)
    }

    fn start_transfer(&mut self, comm: CommId, _from: WorldRank, _to: WorldRank, _wire_size: u64) {
        self.under_way.push(Ended::Transfer(comm));
    }

    fn start_delay(&mut self, rank: WorldRank, _duration: SimTime) {
        self.under_way.push(Ended::Rank(rank));
    }

    fn start_computation(&mut self, rank: WorldRank, _flops: f64) {
        self.under_way.push(Ended::Rank(rank));
    }

    fn set_alarm(&mut self, rank: WorldRank, date: SimTime) {
        self.alarms.remove(&rank);
        if date.0 < f64::INFINITY {
            self.alarms.insert(rank, date);
        }
    }

    fn advance(&mut self, ended: &mut Vec<Ended>) -> bool {
        if self.under_way.is_empty() && self.alarms.is_empty() {
            return false;
        }
        self.ticks += 1;
        ended.append(&mut self.under_way);
        let now = self.now();
        self.alarms.retain(|&rank, date| {
            let is_due = date.0 <= now.0;
            ended.extend(is_due.then_some(Ended::Alarm(rank)));
            !is_due
        });
        true
    }

    fn poll_takes(&mut self, _rank: WorldRank, _poll: Poll) -> Option<f64> {
        Some(1.0)
    }

    fn time_passes(&self) -> bool {
        true
    }

    fn look_takes(&mut self, _rank: WorldRank) -> f64 {
        0.0
    }

    fn measures(&self) -> bool {
        false
    }

    fn burst_begins(&mut self, _rank: WorldRank) {}
    fn burst_ends(&mut self, _rank: WorldRank) -> bool {
        false
    }
    fn burst_pauses(&mut self, _rank: WorldRank) {}
    fn burst_goes_on(&mut self, _rank: WorldRank) {}
    fn add_to_burst(&mut self, _rank: WorldRank, _secs: f64) {}
}

impl Undecided for Toy {
    fn shown_time(&mut self, _rank: WorldRank) -> f64 {
        self.now().secs()
    }

    fn any_number(&mut self, _rank: WorldRank, min: i64, _max: i64) -> i64 {
        min
    }
}

impl Driver for Toy {
    fn told(&mut self, _world: &World, _notice: Notice<'_>) {}
    fn started(&mut self, _world: &mut World, _rank: WorldRank, _key: RequestKey) {}
    fn sent(&mut self, _world: &mut World, _comm: CommId, _owner: Option<u32>) {}
    fn unmatched(&mut self, _world: &mut World, _comm: CommId) {}
    fn matched(&mut self, _world: &mut World, _comm: CommId, _receiver: Owner) {}
    fn cancelled(&mut self, _world: &mut World, _rank: WorldRank) {}
    fn all_called(&mut self, _world: &mut World, _operation: Operation) {}
}
