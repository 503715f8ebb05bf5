//! Where the ranks of a collective operation meet: calls are compared, and gates open.
//!
//! The implementation decides how much a collective operation synchronises (MPI 5.0 §6.1), between two extremes
//! ([`crate::collective::select::Waits`]). Behind a *gate*, the schedules run when all ranks of the communicator have
//! called the operation. This is the most that MPI allows. It is also the least for operations in which every rank
//! needs data of every other rank. Schedules without a gate run at once: ranks wait only for messages.
//!
//! In both cases, each call is compared with the first call of the same operation. When the last rank has called, the
//! data that ranks exchange is compared. [`World::unmet`] reports operations that some ranks never call.

use std::sync::Arc;

use smpi_base::WorldRank;
use smpi_base::map::Map;

use super::{Driver, Notice, World};
use crate::comm::CommCore;
use crate::p2p::request::{Body, Operation, RequestKey};
use crate::usage::{Call, Difference, Exchange, Observation, Origin, Side};

/// Collective operations that some ranks have called, and others not yet.
pub(super) type Meetings = Map<Operation, Box<Meeting>>;

/// A collective operation under way.
#[derive(Clone, Debug)]
pub(super) struct Meeting {
    /// The call that came first.
    pub(super) first: Arrival,
    /// Ranks that have called.
    pub(super) arrived: u32,
    /// Some calls differ, so that nothing else need be compared.
    pub(super) differs: bool,
    /// Ranks have called different operations. Whoever comes now stays in its call, as there is nothing that they could
    /// do together. (A simulation has told its user, and goes on.)
    pub(super) hopeless: bool,
    /// Those that wait for the gate.
    pub(super) waiting: Vec<(WorldRank, u32)>,
    /// What ranks give each other, where that is to be compared.
    pub(super) exchanges: Vec<Arrival>,
    /// Who has called where, while that is recorded.
    pub(super) taped: Vec<(WorldRank, Origin)>,
}

/// A rank's call. A copy: the rank may be gone from the operation before the last one arrives.
#[derive(Clone, Debug)]
pub(super) struct Arrival {
    pub(super) side: Side,
    pub(super) call: Call,
    pub(super) comm: CommCore,
    pub(super) key: Option<RequestKey>,
}

impl Arrival {
    /// What the rank gives and expects, if that is to be compared.
    pub(super) fn exchange(&self) -> Option<&Arc<Exchange>> {
        self.call.agreed.exchange.as_ref()
    }
}

impl World {
    /// A rank has called a collective operation: compares the call, and runs the schedule unless its gate is closed.
    /// The last rank opens the gate for all.
    pub(super) fn meet<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, slot: u32) {
        let Some(request) = self.state.ranks[rank.index()].requests.at_slot(slot) else { return };
        let Body::Collective(collective) = &request.body else { return };
        let comm = &collective.comm;
        let members = comm.group.size() + comm.remote.as_ref().map_or(0, |group| group.size());
        if members < 2 {
            let name = collective.call.name;
            if self.is_taped() {
                self.tape_collective(name, vec![(rank, self.side(rank, Some(slot)).origin)]);
            }
            return self.advance(driver, rank, slot);
        }
        let gated = collective.schedule.gated;
        let key = collective.operation();
        self.compare_call(key, rank, slot);
        let Some(meeting) = self.state.meetings.get_mut(&key) else { return };
        if gated {
            meeting.waiting.push((rank, slot));
        }
        let (full, hopeless) = (meeting.arrived == members, meeting.hopeless);
        if full && let Some(meeting) = self.state.meetings.remove(&key) {
            self.close_meeting(driver, *meeting);
            driver.all_called(self, key);
        }
        if !gated && !hopeless {
            self.advance(driver, rank, slot);
        }
    }

    /// Compares a call with the first one of the same operation.
    fn compare_call(&mut self, key: Operation, rank: WorldRank, slot: u32) {
        let Some(Body::Collective(collective)) = self.state.ranks[rank.index()].requests.at_slot(slot).map(|r| &r.body)
        else {
            return;
        };
        let origin = self.observers.tape.as_ref().map(|_| self.side(rank, Some(slot)).origin);
        if let Some(meeting) = self.state.meetings.get_mut(&key) {
            meeting.arrived += 1;
            meeting.taped.extend(origin.map(|origin| (rank, origin)));
            let compares_exchange = collective.call.agreed.exchange.is_some();
            let difference = meeting.first.call.difference(&collective.call);
            meeting.differs |= difference.is_some();
            meeting.hopeless |=
                self.rules.mismatched_stay && matches!(difference, Some(Difference::Name | Difference::Form));
            if difference.is_none() && !compares_exchange {
                return;
            }
            let Some(arrival) = self.arrival(rank, slot) else { return };
            let Some(meeting) = self.state.meetings.get_mut(&key) else { return };
            if let Some(difference) = difference {
                let first = meeting.first.clone();
                let first = (self.side_now(&first), first.call);
                self.observe(Observation::Collective { first, second: (arrival.side, arrival.call), difference });
            } else {
                meeting.exchanges.push(arrival);
            }
            return;
        }
        let Some(first) = self.arrival(rank, slot) else { return };
        let exchanges = if first.exchange().is_some() { vec![first.clone()] } else { Vec::new() };
        let taped = origin.map(|origin| (rank, origin)).into_iter().collect();
        let (differs, hopeless, waiting) = (false, false, Vec::new());
        let meeting = Meeting { first, arrived: 1, differs, hopeless, waiting, exchanges, taped };
        self.state.meetings.insert(key, Box::new(meeting));
    }

    fn arrival(&self, rank: WorldRank, slot: u32) -> Option<Arrival> {
        let requests = &self.state.ranks[rank.index()].requests;
        let Body::Collective(collective) = &requests.at_slot(slot)?.body else { return None };
        let (call, comm) = (collective.call.clone(), collective.comm.clone());
        Some(Arrival { side: self.side(rank, Some(slot)), call, comm, key: requests.key_at(slot) })
    }

    /// Where a rank that has arrived is now: anywhere, when its operation is over.
    pub(super) fn side_now(&self, arrival: &Arrival) -> Side {
        let state = &self.state.ranks[arrival.side.rank.index()];
        let request = arrival.key.and_then(|key| state.requests.get(key));
        let is_there = request.is_some_and(|request| state.waits_for(request));
        Side { away: arrival.side.away || !is_there, ..arrival.side }
    }

    /// All ranks have called: compares what they exchange, and opens the gate.
    fn close_meeting<D: Driver>(&mut self, driver: &mut D, meeting: Meeting) {
        let Meeting { first, differs, hopeless, waiting: mut ready, mut exchanges, mut taped, .. } = meeting;
        if hopeless {
            return;
        }
        ready.sort_unstable();
        taped.sort_unstable();
        self.tape_collective(first.call.name, taped);
        if !differs {
            exchanges.sort_unstable_by_key(|arrival| arrival.side.rank);
            self.compare_exchanges(&exchanges);
        }
        driver.told(self, Notice::GateOpens(&ready));
        for (rank, slot) in ready {
            self.advance(driver, rank, slot);
        }
    }

    /// The first call of the first collective operation that some ranks have called and others will not: to be asked
    /// when no rank can go on. Also how many have called, and of how many.
    pub fn unmet(&self) -> Option<(Side, &Call, u32, u32)> {
        let first = self.state.meetings.iter().min_by_key(|(key, _)| **key)?.1;
        let comm = &first.first.comm;
        let members = comm.group.size() + comm.remote.as_ref().map_or(0, |group| group.size());
        Some((self.side_now(&first.first), &first.first.call, first.arrived, members))
    }
}
