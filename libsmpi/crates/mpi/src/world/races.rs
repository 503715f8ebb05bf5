//! Races at windows: two accesses to the same bytes that may not be concurrent, and that nothing orders.
//!
//! An access A is ordered before B if the origin of B knew, when it started B, that A was over: its clock has the count
//! at which A's own origin knew that. Knowledge travels with everything that synchronises, as `causality.rs` has it: by
//! messages and collective operations, to which fences, post, start, complete and wait belong. Two more ways are here:
//!
//! - *locks*: who gets a lock knows what those knew that held it before exclusively; an exclusive one, what all knew;
//! - *atomic accesses*: who reads a place knows what those knew that accessed it atomically before.
//!
//! What only happened to be earlier does not count. Whether two accesses race depends on the order of locks at most,
//! and each of these is explored.

use smpi_base::WorldRank;
use smpi_base::map::Map;

use super::World;
use crate::p2p::request::RequestKey;
use crate::rma::{Access, Flavor, Lock, Seen, WindowId};
use crate::usage::{Clock, Observation, Sent, Side};

/// Remembered accesses to one memory before those are sought that everybody knows to be over.
const FEW: usize = 64;

/// Why an exploration is not complete where atomic accesses are about several elements.
const SPLIT: &str = "atomic accesses to several elements each meet in a window, and are taken to be atomic as a whole";

/// Whose memory: a rank's, or what ranks share.
type Memory = Option<WorldRank>;

/// The accesses of a run, as far as later ones can race with them.
#[derive(Clone, Debug, Default)]
pub(super) struct Accesses {
    seen: Map<Memory, Vec<Seen>>,
    /// What is known at places that were accessed atomically.
    places: Map<u64, Clock>,
    /// What origins will know when their accesses to a target are over.
    answers: Map<(WorldRank, WindowId, u32), Clock>,
}

/// What the holders of a lock knew when they gave it back.
#[derive(Clone, Debug, Default)]
pub(super) struct LockClocks {
    exclusive: Clock,
    all: Clock,
}

impl LockClocks {
    /// A lock is given back by one who knows this.
    pub(super) fn returned(&mut self, was: Lock, known: &Clock) {
        self.all.join(known);
        if was == Lock::Exclusive {
            self.exclusive.join(known);
        }
    }

    /// What one knows who gets a lock.
    pub(super) fn granted(&self, lock: Lock) -> &Clock {
        if lock == Lock::Exclusive { &self.all } else { &self.exclusive }
    }
}

impl Accesses {
    /// An access takes place.
    pub(super) fn took_place(&mut self, origin: WorldRank, access: &Access) {
        let Some(known) = access.known.as_ref().filter(|_| access.action.is_atomic()) else { return };
        let place = self.places.entry(access.there.at.0).or_default();
        if access.result.is_some() {
            self.answers.entry((origin, access.window, access.target)).or_default().join(place);
        }
        place.join(known);
    }
}

impl World {
    /// What a message carries that is sent without a request.
    pub(super) fn word_causes(&self, rank: WorldRank) -> Option<Box<Sent>> {
        let clock = self.observers.causality.as_ref()?.clocks[rank.index()].clone();
        Some(Box::new(Sent { clock, is_ready: false, origin: Default::default() }))
    }

    /// An access is started: it is compared with those before it.
    pub(super) fn compare_access(&mut self, rank: WorldRank, access: &mut Access) {
        let Some(causality) = &mut self.observers.causality else { return };
        let Some(window) = self.windows.get(&access.window) else { return };
        let memory = if window.flavor == Flavor::Shared { None } else { window.group.world(access.target) };
        let clock = causality.clock(rank).clone();
        let new = Seen::of(access, rank);
        let seen = causality.accesses.seen.entry(memory).or_default();
        let is_before = |old: &Seen| old.over.is_some_and(|over| over <= clock.knows(old.origin));
        for old in seen.iter().filter(|old| !is_before(old)) {
            let is_race = !new.action.agrees_with(old.action);
            let is_split = old.origin != new.origin && new.interleaves(old);
            let Some((start, end)) = old.common(&new).filter(|_| is_race || is_split) else { continue };
            if !is_race {
                self.unexplored = Some(SPLIT);
                continue;
            }
            let side = |seen: &Seen| Side { rank: seen.origin, origin: seen.made, away: true };
            let base = window.member(access.target).map_or(0, |member| member.base.0);
            self.observers.observations.push(Observation::Window {
                first: side(old),
                second: side(&new),
                target: window.group.world(access.target).unwrap_or(rank),
                bytes: (start.wrapping_sub(base), end - start),
            });
        }
        if seen.len() >= FEW && seen.len().is_power_of_two() {
            let clocks = &causality.clocks;
            let is_known =
                |old: &Seen| old.over.is_some_and(|over| clocks.iter().all(|clock| over <= clock.knows(old.origin)));
            seen.retain(|old| !is_known(old));
        }
        seen.push(new);
        access.known = Some(clock);
    }

    /// A rank knows that its accesses to a target, or to all, are over.
    pub(super) fn accesses_known(&mut self, rank: WorldRank, id: WindowId, target: Option<u32>) {
        let Some(causality) = &mut self.observers.causality else { return };
        let is_meant = |window: WindowId, to: u32| window == id && target.is_none_or(|target| target == to);
        let clock = &mut causality.clocks[rank.index()];
        causality.accesses.answers.retain(|&(origin, window, to), known| {
            let is_over = origin == rank && is_meant(window, to);
            if is_over {
                clock.join(known);
            }
            !is_over
        });
        let count = clock.count(rank);
        let open = causality.accesses.seen.values_mut().flatten();
        let own = open.filter(|seen| seen.origin == rank && seen.over.is_none() && is_meant(seen.window, seen.target));
        own.for_each(|seen| seen.over = Some(count));
    }

    /// A rank takes the completion of a request that reads.
    pub(super) fn read_known(&mut self, rank: WorldRank, key: RequestKey) {
        let Some(causality) = &mut self.observers.causality else { return };
        let mut seen = causality.accesses.seen.values_mut().flatten();
        if let Some(seen) = seen.find(|seen| seen.origin == rank && seen.request == Some(key)) {
            seen.over = Some(causality.clocks[rank.index()].count(rank));
            seen.request = None;
        }
    }

    /// What the message tells that a request of a rank has received.
    pub(super) fn heard_by(&self, rank: WorldRank, slot: u32) -> Clock {
        let request = self.ranks[rank.index()].requests.at_slot(slot);
        request.and_then(|request| request.causes.as_ref()).map_or(Clock::default(), |causes| causes.learnt.clone())
    }

    /// A rank will know this with the completion of a request.
    pub(super) fn teach(&mut self, rank: WorldRank, slot: u32, known: &Clock) {
        let request = self.ranks[rank.index()].requests.at_slot_mut(slot);
        if let Some(causes) = request.and_then(|request| request.causes.as_mut()) {
            causes.learnt.join(known);
        }
    }
}
