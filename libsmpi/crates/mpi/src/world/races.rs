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
use crate::collective::Part;
use crate::rma::{Access, Fit, Lock, Seen, Shelf, Slot, Until, Window, WindowId};
use crate::usage::{Clock, Observation, Origin, Sent, Side};

/// Why an exploration is not complete where ranks load what others change by a window.
const POLLS_ORDER: &str =
    "atomic loads of C or C++ may see what others change by a window sooner or later: one order of them is tried";

/// Why an exploration is not complete where ranks use atomic operations of C or C++ on memory that they share.
pub(super) const OWN_ORDER: &str = "atomic operations of C or C++ on memory of a window are concurrent, and not of one type: one order of them is tried";

/// Elements that two accesses have in common of which it need not be known whether there are more.
const MANY: usize = 64;

/// Whose memory: a rank's, or what ranks share.
pub(super) type Memory = Option<WorldRank>;

/// A rank, and where in its program.
type Place = (WorldRank, Origin);

/// The accesses of a run, as far as later ones can race with them.
#[derive(Clone, Debug, Default)]
pub(super) struct Accesses {
    /// Of what ranks share, and of each rank.
    seen: Vec<Shelf>,
    /// By rank: accesses that are not known to be over.
    open: Vec<Vec<(Memory, Slot)>>,
    /// What is known at places that were accessed atomically.
    places: Map<u64, Clock>,
    /// By rank: what it will know when its accesses to a target of a window are over.
    answers: Vec<Vec<(WindowId, u32, Clock)>>,
    /// By rank: its last access.
    last: Vec<Option<Last>>,
    /// Accesses that a new one is compared with: kept for the next one.
    near: Vec<Slot>,
    /// Races that were told, by their two places.
    reported: BTreeSet<(Place, Place)>,
}

impl Accesses {
    /// Whether nothing was accessed yet.
    pub(super) fn are_none(&self) -> bool {
        let Accesses { seen, open, places, answers, last, near, reported } = self;
        seen.is_empty()
            && open.iter().all(Vec::is_empty)
            && places.is_empty()
            && answers.iter().all(Vec::is_empty)
            && last.iter().all(Option::is_none)
            && near.is_empty()
            && reported.is_empty()
    }
}

/// An access to a memory, as what it is remembered, and the bytes of the target.
#[derive(Clone, Debug)]
struct Last {
    memory: Memory,
    slot: Slot,
    there: Part,
}

/// The place of something in a list that gets as many as it takes.
pub(super) fn at<T: Default>(list: &mut Vec<T>, index: usize) -> &mut T {
    if list.len() <= index {
        list.resize_with(index + 1, T::default);
    }
    &mut list[index]
}

/// Where a memory is in a list.
fn number(memory: Memory) -> usize {
    memory.map_or(0, |rank| rank.index() + 1)
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
        if was == Lock::Exclusive {
            // Nobody had it meanwhile, and who got it was told of all before.
            (self.all, self.exclusive) = (known.clone(), known.clone());
        } else {
            self.all.join(known);
        }
    }

    /// What one knows who gets a lock.
    pub(super) fn granted(&self, lock: Lock) -> &Clock {
        if lock == Lock::Exclusive { &self.all } else { &self.exclusive }
    }
}

impl Accesses {
    /// Whether an access is one more of those that the last one belonged to, and nothing need be compared.
    fn repeats(&mut self, rank: WorldRank, access: &Access) -> bool {
        let Some(Some(last)) = self.last.get(rank.index()) else { return false };
        let Some(shelf) = self.seen.get_mut(number(last.memory)) else { return false };
        let repeated = shelf.repeat(last.slot, rank, access, &last.there);
        if repeated == Some(true) {
            at(&mut self.open, rank.index()).push((last.memory, last.slot));
        }
        repeated.is_some()
    }

    /// Those of a rank that are meant are over, which it knows at a count of its clock.
    pub(super) fn close(&mut self, rank: WorldRank, mut count: impl FnMut() -> u32, is_meant: impl Fn(&Seen) -> bool) {
        let Some(open) = self.open.get_mut(rank.index()).filter(|open| !open.is_empty()) else { return };
        open.retain(|&(memory, slot)| {
            let Some(shelf) = self.seen.get_mut(number(memory)) else { return false };
            let Some(seen) = shelf.get(slot) else { return false };
            let is_over = is_meant(seen);
            if is_over {
                shelf.close(slot, count());
            }
            !is_over
        });
    }

    /// A window is no more: what was freed of its memory may be memory of other windows.
    pub(super) fn window_left(&mut self, window: WindowId) {
        let ends = |seen: &Seen| seen.window == window && seen.frees_window();
        self.seen.iter_mut().for_each(|shelf| shelf.retain(|seen| !ends(seen)));
    }

    /// Whether others access some of the bytes of an atomic operation of C or C++ atomically, too, such that the order
    /// makes a difference, and nothing orders that with the one by this rank, which knows so much: by which window and
    /// as whose memory, or `None` if that is not about the same element.
    pub(super) fn meets_concurrent(&self, memory: Memory, known: &Clock, new: &Seen) -> Vec<Option<(WindowId, u32)>> {
        let mut met = Vec::new();
        let Some(shelf) = self.seen.get(number(memory)) else { return met };
        shelf.each_at(&new.bytes, |old| {
            let is_concurrent = old.over.is_none_or(|over| over > known.knows(old.origin));
            if is_concurrent && old.origin != new.origin && new.meets_at_elements(old) {
                let place = if old.is_own { (new.window, new.target) } else { (old.window, old.target) };
                let place = new.elements_in_common(old, 1).ok().map(|_| place);
                if !met.contains(&place) {
                    met.push(place);
                }
            }
        });
        met
    }

    /// What is known at a place that is accessed atomically.
    pub(super) fn place(&mut self, at: u64) -> &mut Clock {
        self.places.entry(at).or_default()
    }

    /// An access takes place, or its element at this place does.
    pub(super) fn took_place(&mut self, origin: WorldRank, access: &Access, place: u64) {
        let Some(known) = access.known.as_ref().filter(|_| access.action.is_atomic()) else { return };
        let place = self.places.entry(place).or_default();
        if access.result.is_some() && !access.is_own {
            let answers = at(&mut self.answers, origin.index());
            let is_same = |answer: &&mut (WindowId, u32, Clock)| (answer.0, answer.1) == (access.window, access.target);
            match answers.iter_mut().find(is_same) {
                Some(answer) => answer.2.join(place),
                None => answers.push((access.window, access.target, place.clone())),
            }
        }
        if access.action.writes() {
            place.join(known);
        }
    }
}

impl World {
    /// What a message carries that is sent without a request.
    pub(super) fn word_causes(&mut self, rank: WorldRank) -> Option<Box<Sent>> {
        let clock = self.state.causality.as_mut()?.tell(rank);
        Some(Box::new(Sent { clock, is_ready: false, origin: Default::default() }))
    }

    /// An access is started: it is compared with those before it, at the target and in the origin's own memory.
    /// Returns, where orders are explored, the places at which atomic accesses of others are to the same elements, and
    /// the order makes a difference.
    pub(super) fn compare_access(&mut self, rank: WorldRank, access: &mut Access, explores: bool) -> Vec<u64> {
        let mut shared = Vec::new();
        let Some(causality) = &mut self.state.causality else { return shared };
        causality.stretch(rank).look_again();
        // Others hear of the rank by what it does atomically.
        access.known = access.action.is_atomic().then(|| causality.tell(rank));
        let is_of_interest = explores && access.action.is_atomic();
        if is_of_interest || !causality.accesses.repeats(rank, access) {
            shared = self.compare_there(rank, access, is_of_interest);
        }
        let part_of = Some((access.window, access.target));
        let about = (access.made, part_of, access.request);
        for (part, receives) in [(&access.brings, false), (&access.result, true)] {
            part.iter().for_each(|part| self.note_part(rank, part, receives, about));
        }
        access.compares.iter().for_each(|part| self.note_part(rank, part, false, about));
        shared
    }

    /// Compares an access with those before it at the target.
    #[inline(never)]
    fn compare_there(&mut self, rank: WorldRank, access: &Access, is_of_interest: bool) -> Vec<u64> {
        let Some(target) = self.state.windows.get(&access.window).and_then(|window| window.group.world(access.target))
        else {
            return Vec::new();
        };
        let new = Seen::of(access, rank);
        let Some(start) = new.bytes.start() else { return Vec::new() };
        let memory = self.memory_at(target, start);
        let (slot, shared) = self.compare((memory, target), new, is_of_interest);
        if let Some(causality) = &mut self.state.causality {
            let there = access.there.clone();
            *at(&mut causality.accesses.last, rank.index()) = Some(Last { memory, slot, there });
        }
        shared
    }

    /// Whose memory an address of a rank is.
    pub(super) fn memory_at(&self, rank: WorldRank, at: u64) -> Memory {
        if self.is_shared(at) { None } else { Some(rank) }
    }

    /// Whether an address is of memory that a window shares between its ranks.
    pub fn is_shared(&self, at: u64) -> bool {
        let is_shared = |window: &Window| window.shared.is_some_and(|(start, len)| start.0 <= at && at - start.0 < len);
        self.state.windows.values().any(is_shared)
    }

    /// Compares an access to this memory, which is at the place of this rank, with those before it, and keeps it for
    /// those after it: as the one in this slot. Returns where elements are that both it and concurrent accesses of
    /// others are about, such that the order makes a difference: all of them if that is of interest.
    pub(super) fn compare(
        &mut self,
        (memory, target): (Memory, WorldRank),
        new: Seen,
        is_of_interest: bool,
    ) -> (Slot, Vec<u64>) {
        let mut shared = Vec::new();
        let Some(causality) = &mut self.state.causality else { return (0, shared) };
        let clock = &causality.clocks[new.origin.index()];
        let Accesses { seen, reported, open, near, .. } = &mut causality.accesses;
        let seen = at(seen, number(memory));
        let is_before = |old: &Seen| old.over.is_some_and(|over| over <= clock.knows(old.origin));
        let fit = seen.fit(&new);
        seen.list_for(&new, if is_of_interest { Fit::New } else { fit }, near);
        for old in near.iter().filter_map(|slot| seen.get(*slot)).filter(|old| !is_before(old)) {
            let mut met = if old.agrees_with(&new) { None } else { old.bytes.common(&new.bytes) };
            if new.meets_at_elements(old) {
                match old.elements_in_common(&new, MANY) {
                    Ok(elements) if old.origin != new.origin && !new.commutes_with(old) => shared.extend(elements),
                    Ok(_) => {}
                    Err(_) if old.is_own || new.is_own => self.observers.unexplored = Some(OWN_ORDER),
                    Err(bytes) => met = Some(bytes),
                }
            } else if old.is_poll_beside(&new) && old.bytes.common(&new.bytes).is_some() {
                self.observers.unexplored = Some(POLLS_ORDER);
            }
            let Some((start, end)) = met else { continue };
            let side = |seen: &Seen| Side { rank: seen.origin, origin: seen.made, away: true };
            // Which of them came first makes no difference.
            let (first, second) = if new.origin < old.origin { (&new, old) } else { (old, &new) };
            let (first, second) = (side(first), side(second));
            if first.origin.site != 0 && !reported.insert(((first.rank, first.origin), (second.rank, second.origin))) {
                continue;
            }
            let member = self.state.windows.get(&new.window).and_then(|window| window.member(new.target));
            let base = member.map_or(0, |member| member.base.0);
            let bytes = (start.wrapping_sub(base), end - start);
            self.observers.observations.push(Observation::Window { first, second, target, bytes });
        }
        if fit == Fit::New {
            let clocks = &causality.clocks[..self.rules.programs as usize];
            seen.leave_out(near, |old| is_before(old) && old.is_passed_by(&new));
            seen.forget(|old| old.over.is_some_and(|over| clocks.iter().all(|clock| over <= clock.knows(old.origin))));
        }
        let (origin, may_end) = (new.origin, new.over.is_none() && !new.frees_window());
        let (slot, was_open) = seen.keep(new, fit);
        if may_end && !was_open {
            at(open, origin.index()).push((memory, slot));
        }
        (slot, shared)
    }

    /// A rank knows that its accesses to a target, or to all, are over; or, of [`Until::Local`], that their buffers are
    /// its own again. What an access has only read is then there: it is over, too (MPI 5.0 §12.5.4); an update may
    /// still be under way (§12.3.5, `MPI_Rget_accumulate`).
    pub(super) fn accesses_known(&mut self, rank: WorldRank, id: WindowId, target: Option<u32>, until: Until) {
        let Some(causality) = &mut self.state.causality else { return };
        let is_meant = |(window, to): (WindowId, u32)| window == id && target.is_none_or(|target| target == to);
        let is_local = until == Until::Local;
        let answers = causality.accesses.answers.get_mut(rank.index()).filter(|_| !is_local).map(std::mem::take);
        let mut answers = answers.unwrap_or_default();
        answers.retain(|&(window, to, ref known)| {
            let is_over = is_meant((window, to));
            if is_over {
                causality.hear(rank, known);
            }
            !is_over
        });
        if answers.capacity() > 0 {
            causality.accesses.answers[rank.index()] = answers;
        }
        let is_over = |seen: &Seen| seen.is_own || !seen.action.writes() || !is_local;
        causality.close(rank, |seen| seen.part_of.is_some_and(is_meant) && is_over(seen));
    }

    /// What the message tells that a request of a rank has received.
    pub(super) fn heard_by(&self, rank: WorldRank, slot: u32) -> Clock {
        let request = self.state.ranks[rank.index()].requests.at_slot(slot);
        request.and_then(|request| request.causes.as_ref()).map_or(Clock::default(), |causes| causes.learnt.clone())
    }

    /// A rank will know this with the completion of a request.
    pub(super) fn teach(&mut self, rank: WorldRank, slot: u32, known: &Clock) {
        let request = self.state.ranks[rank.index()].requests.at_slot_mut(slot);
        if let Some(causes) = request.and_then(|request| request.causes.as_mut()) {
            causes.learnt.join(known);
        }
    }
}
