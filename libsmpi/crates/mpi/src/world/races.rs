//! Races at windows: two accesses to the same bytes that may not be concurrent, and that nothing orders.
//!
//! An access A is ordered before B if the origin of B knew, when it started B, that A was over: its clock has the count
//! at which A's own origin knew that. Knowledge travels with everything that synchronises, as `causality.rs` has it: by
//! messages and collective operations, to which fences, post, start, complete and wait belong. Two more ways are here:
//!
//! - *locks*: who gets a lock knows what those knew that held it before exclusively; an exclusive one, what all knew;
//! - *atomic accesses*: who reads a place knows what those knew that accessed it atomically before, unless they only
//!   read it, too.
//!
//! What only happened to be earlier does not count. Whether two accesses race depends on the order of locks at most,
//! and each of these is explored.

use std::collections::BTreeSet;

use smpi_base::WorldRank;
use smpi_base::map::Map;

use super::World;
use crate::rma::{Access, Action, Lock, Ranges, Seen, Until, Window, WindowId};
use crate::usage::{Clock, Observation, Origin, Sent, Side};

/// Remembered accesses to one memory before those are sought that everybody knows to be over.
const FEW: usize = 64;

/// Elements that two accesses have in common of which it need not be known whether there are more.
const MANY: usize = 64;

/// Whose memory: a rank's, or what ranks share.
pub(super) type Memory = Option<WorldRank>;

/// A rank, and where in its program.
type Place = (WorldRank, Origin);

/// The accesses of a run, as far as later ones can race with them.
#[derive(Clone, Debug, Default)]
pub(super) struct Accesses {
    seen: Map<Memory, Vec<Seen>>,
    /// Where ranks have accesses that are not known to be over.
    open: Map<WorldRank, Vec<Memory>>,
    /// What is known at places that were accessed atomically.
    places: Map<u64, Clock>,
    /// What origins will know when their accesses to a target are over.
    answers: Map<(WorldRank, WindowId, u32), Clock>,
    /// Races that were told, by their two places.
    reported: BTreeSet<(Place, Place)>,
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
    /// Those of a rank that are meant are over, which it knows at this count of its clock. True when there are some.
    pub(super) fn close(&mut self, rank: WorldRank, count: u32, is_meant: impl Fn(&Seen) -> bool) -> bool {
        let Some(memories) = self.open.get_mut(&rank) else { return false };
        let mut any = false;
        memories.retain(|memory| {
            let Some(seen) = self.seen.get_mut(memory) else { return false };
            let mut closed = Vec::new();
            let mut is_open = false;
            for old in seen.iter_mut().filter(|old| old.origin == rank && old.over.is_none()) {
                if is_meant(old) {
                    (old.over, old.request) = (Some(count), None);
                    closed.push(old.clone());
                } else {
                    is_open |= !old.frees_window();
                }
            }
            seen.retain(|old| !closed.iter().any(|later| old.is_outlived_by(later)));
            any |= !closed.is_empty();
            is_open
        });
        any
    }

    /// A window is no more: what was freed of its memory may be memory of other windows.
    pub(super) fn window_left(&mut self, window: WindowId) {
        let ends = |seen: &Seen| seen.window == window && seen.frees_window();
        self.seen.values_mut().for_each(|seen| seen.retain(|seen| !ends(seen)));
    }

    /// Whether somebody else accesses some of these bytes without a window and atomically, and nothing orders that with
    /// one by this rank, which knows so much.
    pub(super) fn meets_concurrent(
        &self,
        memory: Memory,
        (rank, known): (WorldRank, &Clock),
        action: Action,
        bytes: &Ranges,
    ) -> bool {
        let is_concurrent = |old: &Seen| {
            let is_other = old.is_own && old.origin != rank && old.action.is_atomic();
            let writes = old.action.writes() || action.writes();
            is_other && writes && old.over.is_none_or(|over| over > known.knows(old.origin))
        };
        let meets = |old: &Seen| is_concurrent(old) && old.bytes.common(bytes).is_some();
        self.seen.get(&memory).is_some_and(|seen| seen.iter().any(meets))
    }

    /// Somebody who knows this reads a place atomically, and writes it or not.
    pub(super) fn meet_at(&mut self, place: u64, known: &mut Clock, writes: bool) {
        let place = self.places.entry(place).or_default();
        known.join(place);
        if writes {
            place.join(known);
        }
    }

    /// An access takes place, or its element at this place does.
    pub(super) fn took_place(&mut self, origin: WorldRank, access: &Access, place: u64) {
        let Some(known) = access.known.as_ref().filter(|_| access.action.is_atomic()) else { return };
        let place = self.places.entry(place).or_default();
        if access.result.is_some() {
            self.answers.entry((origin, access.window, access.target)).or_default().join(place);
        }
        if access.action.writes() {
            place.join(known);
        }
    }
}

impl World {
    /// What a message carries that is sent without a request.
    pub(super) fn word_causes(&mut self, rank: WorldRank) -> Option<Box<Sent>> {
        let clock = self.observers.causality.as_mut()?.tell(rank);
        Some(Box::new(Sent { clock, is_ready: false, origin: Default::default() }))
    }

    /// An access is started: it is compared with those before it, at the target and in the origin's own memory.
    /// Returns where atomic accesses of others are to the same elements, and the order makes a difference.
    pub(super) fn compare_access(&mut self, rank: WorldRank, access: &mut Access) -> Vec<u64> {
        let mut shared = Vec::new();
        let Some(causality) = &mut self.observers.causality else { return shared };
        access.known = Some(causality.tell(rank));
        if let Some(target) = self.windows.get(&access.window).and_then(|window| window.group.world(access.target)) {
            let new = Seen::of(access, rank);
            if let Some(&(at, _)) = new.bytes.pieces().first() {
                shared = self.compare((self.memory_at(target, at), target), new);
            }
        }
        for (part, receives) in access.own_memory() {
            let part_of = Some((access.window, access.target));
            self.note_buffer(rank, &Ranges::of(part), receives, (access.made, part_of, access.request));
        }
        shared
    }

    /// Whose memory an address of a rank is.
    pub(super) fn memory_at(&self, rank: WorldRank, at: u64) -> Memory {
        let is_shared = |window: &Window| window.shared.is_some_and(|(start, len)| start.0 <= at && at - start.0 < len);
        if self.windows.values().any(is_shared) { None } else { Some(rank) }
    }

    /// Compares an access to this memory, which is at the place of this rank, with those before it, and keeps it for
    /// those after it. Returns where elements are that both it and concurrent accesses of others are about, such that
    /// the order makes a difference.
    pub(super) fn compare(&mut self, (memory, target): (Memory, WorldRank), new: Seen) -> Vec<u64> {
        let mut shared = Vec::new();
        let Some(causality) = &mut self.observers.causality else { return shared };
        let clock = &causality.clocks[new.origin.index()];
        let Accesses { seen, reported, open, .. } = &mut causality.accesses;
        let seen = seen.entry(memory).or_default();
        let is_before = |old: &Seen| old.over.is_some_and(|over| over <= clock.knows(old.origin));
        for old in seen.iter().filter(|old| !is_before(old)) {
            let mut met = if old.agrees_with(&new) { None } else { old.bytes.common(&new.bytes) };
            if new.meets_at_elements(old) {
                match old.elements_in_common(&new, MANY) {
                    Ok(elements) if old.origin != new.origin && !new.commutes_with(old) => shared.extend(elements),
                    Ok(_) => {}
                    Err(bytes) => met = Some(bytes),
                }
            }
            let Some((start, end)) = met else { continue };
            let side = |seen: &Seen| Side { rank: seen.origin, origin: seen.made, away: true };
            let (first, second) = (side(old), side(&new));
            if first.origin.site != 0 && !reported.insert(((first.rank, first.origin), (second.rank, second.origin))) {
                continue;
            }
            let member = self.windows.get(&new.window).and_then(|window| window.member(new.target));
            let base = member.map_or(0, |member| member.base.0);
            let bytes = (start.wrapping_sub(base), end - start);
            self.observers.observations.push(Observation::Window { first, second, target, bytes });
        }
        if seen.len() >= FEW && seen.len().is_power_of_two() {
            let clocks = &causality.clocks[..self.programs as usize];
            let is_known =
                |old: &Seen| old.over.is_some_and(|over| clocks.iter().all(|clock| over <= clock.knows(old.origin)));
            seen.retain(|old| !is_known(old));
        }
        if new.over.is_none() {
            let memories = open.entry(new.origin).or_default();
            if !memories.contains(&memory) {
                memories.push(memory);
            }
        }
        match seen.iter_mut().rev().take(FEW).find(|old| old.goes_with(&new)) {
            Some(same) => new.bytes.pieces().iter().for_each(|&(start, end)| same.bytes.add(start, end)),
            None => seen.push(new),
        }
        shared
    }

    /// A rank knows that its accesses to a target, or to all, are over; or, of [`Until::Local`], that their buffers are
    /// its own again.
    pub(super) fn accesses_known(&mut self, rank: WorldRank, id: WindowId, target: Option<u32>, until: Until) {
        let Some(causality) = &mut self.observers.causality else { return };
        let is_meant = |(window, to): (WindowId, u32)| window == id && target.is_none_or(|target| target == to);
        let is_local = until == Until::Local;
        let clock = &mut causality.clocks[rank.index()];
        causality.accesses.answers.retain(|&(origin, window, to), known| {
            let is_over = !is_local && origin == rank && is_meant((window, to));
            if is_over {
                clock.join(known);
            }
            !is_over
        });
        let count = clock.count(rank);
        let is_over = |seen: &Seen| seen.part_of.is_some_and(is_meant) && (seen.is_own || !is_local);
        causality.accesses.close(rank, count, is_over);
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
