//! What ranks assert when they synchronise at windows (MPI 5.0 §12.5.5), and whether it is true; and locks of memory
//! that is exposed by another kind of synchronisation (§12.5.3).
//!
//! An assertion is believed by whoever uses it, and what it hides is seen by nobody. So what ranks do is compared with
//! what they or their targets have said. Two things that must not be at the same time are in order if the second rank
//! has certainly heard that the first is over, whatever the execution at hand had: by the clocks of `causality.rs`.
//! Where these are not kept, nothing is compared.

use std::collections::BTreeMap;

use smpi_abi::Function;
use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_mailbox::Context;

use super::World;
use crate::comm::CONTEXTS_PER_COMM;
use crate::rma::{EpochKind, Lock, WindowId};
use crate::usage::{Breach, Observation, Origin, Side};

/// Of the words that ranks tell each other at a window: that a rank has exposed its memory.
pub const POSTED: i32 = 0;
/// That a rank has ended its accesses.
pub const COMPLETED: i32 = 1;

/// When something was: the rank, and the count that those know who have heard of it.
type When = (WorldRank, u32);

/// What a rank says at a fence or a post.
#[derive(Clone, Copy, Default, Debug)]
pub struct Says {
    /// `MPI_MODE_NOSTORE`.
    pub no_store: bool,
    /// `MPI_MODE_NOPUT`.
    pub no_put: bool,
    /// `MPI_MODE_NOPRECEDE`.
    pub no_precede: bool,
    /// `MPI_MODE_NOCHECK`.
    pub no_check: bool,
}

/// A post or a start for one other rank, whose counterpart has not come.
#[derive(Clone, Debug)]
struct Said {
    origin: u32,
    target: u32,
    is_post: bool,
    unchecked: bool,
    place: Origin,
    when: When,
}

/// A lock, from its call to its end.
#[derive(Clone, Debug)]
struct Locked {
    place: Origin,
    /// Fences of the window that the rank had called.
    round: u32,
    end: Option<When>,
}

/// An exposure by `MPI_Win_post`.
#[derive(Clone, Debug)]
struct Exposed {
    place: Origin,
    end: Option<When>,
}

/// Who locks whom (`None`: all), how, and whether unchecked.
type LockKey = (Option<u32>, u32, Lock, bool);

/// The ranks of one window.
#[derive(Clone, Debug, Default)]
struct Conduct {
    /// Fences that each has called.
    rounds: BTreeMap<u32, u32>,
    /// Those that have said at a fence of this round that nobody will write to their memory, and where.
    no_put: BTreeMap<(u32, u32), Origin>,
    /// The same at a post that is not waited for.
    no_put_posted: BTreeMap<u32, Origin>,
    /// Where a rank has changed its own memory since it was synchronised.
    stored: BTreeMap<u32, Origin>,
    said: Vec<Said>,
    /// The last of each kind.
    locks: BTreeMap<LockKey, Locked>,
    exposed: BTreeMap<u32, Exposed>,
    /// Accesses in epochs of fences: whom they reached in which round, where they were made.
    fenced: BTreeMap<u32, (u32, Origin)>,
    reported: Vec<(Breach, Origin, Origin)>,
}

/// All windows that there were.
#[derive(Clone, Debug, Default)]
pub(super) struct Conducts(Map<WindowId, Conduct>);

impl Conducts {
    /// Whether there was no window yet.
    pub(super) fn are_none(&self) -> bool {
        self.0.is_empty()
    }
}

/// Something of a rank of the window, and where it was called.
type Place = (WorldRank, Origin);

impl World {
    fn conduct(&mut self, id: WindowId) -> Option<&mut Conduct> {
        Some(self.state.causality.as_mut()?.conducts.0.entry(id).or_default())
    }

    /// The rank of a member of a window.
    fn of_member(&self, id: WindowId, member: u32) -> Option<WorldRank> {
        self.state.windows.get(&id)?.group.world(member)
    }

    /// Whether messages of this context are words of a window that there is or was.
    pub(super) fn is_of_window(&self, context: Context) -> bool {
        let id = context - context % CONTEXTS_PER_COMM;
        self.state.causality.as_ref().is_some_and(|causality| causality.conducts.0.contains_key(&id))
    }

    /// Whether calls of post and start at the window of this context did not fit.
    pub(super) fn is_breached(&self, context: Context) -> bool {
        let id = context - context % CONTEXTS_PER_COMM;
        let conduct = self.state.causality.as_ref().and_then(|causality| causality.conducts.0.get(&id));
        let is_meant = |breach: Breach| matches!(breach, Breach::CheckedPost | Breach::CheckedStart);
        conduct.is_some_and(|conduct| conduct.reported.iter().any(|one| is_meant(one.0)))
    }

    fn report_breach(&mut self, id: WindowId, breach: Breach, first: Place, second: Option<Place>) {
        let other = second.map_or(Origin::default(), |second| second.1);
        let Some(conduct) = self.conduct(id) else { return };
        if conduct.reported.contains(&(breach, first.1, other)) {
            return;
        }
        conduct.reported.push((breach, first.1, other));
        let side = |(rank, origin): Place| Side { rank, origin, away: true };
        self.observe(Observation::Breach { breach, side: side(first), other: second.map(side) });
    }

    fn when(&mut self, rank: WorldRank) -> Option<When> {
        self.moment(rank).map(|moment| moment.place())
    }

    /// Whether what ended then is over for a rank.
    fn is_over_for(&self, rank: WorldRank, end: Option<When>) -> bool {
        end.is_some_and(|when| when.0 == rank || self.has_heard_of_place(rank, when))
    }

    /// A rank calls a fence. To be told before its epochs are.
    pub fn fence_is_called(&mut self, rank: WorldRank, (id, member): (WindowId, u32), says: Says, place: Origin) {
        let has_accessed = self.member(id, member).is_some_and(|own| own.epochs.has_fenced_accesses());
        if says.no_precede && has_accessed {
            self.report_breach(id, Breach::PrecededFence, (rank, place), None);
        }
        self.has_stored(rank, (id, member), says, place);
        let Some(conduct) = self.conduct(id) else { return };
        let round = conduct.rounds.entry(member).or_default();
        *round += 1;
        let round = *round;
        // Others are in the round before at most.
        conduct.no_put.retain(|&(other, of), _| other != member || of + 1 >= round);
        if says.no_put {
            conduct.no_put.insert((member, round), place);
        }
    }

    /// A rank synchronises its memory at a window: what it has stored before is no matter any more.
    pub fn memory_is_synchronised(&mut self, id: WindowId, member: u32) {
        if let Some(conduct) = self.conduct(id) {
            conduct.stored.remove(&member);
        }
    }

    fn has_stored(&mut self, rank: WorldRank, (id, member): (WindowId, u32), says: Says, place: Origin) {
        let stored = self.conduct(id).and_then(|conduct| conduct.stored.remove(&member));
        if let Some(stored) = stored.filter(|_| says.no_store) {
            self.report_breach(id, Breach::StoredBefore, (rank, place), Some((rank, stored)));
        }
    }

    /// A rank has changed memory of its own that is a window's.
    pub(super) fn note_stored(&mut self, rank: WorldRank, id: WindowId, member: u32, made: Origin) {
        let is_hand_over =
            matches!(made.call.function(), Some(Function::Win_attach | Function::Win_detach | Function::Win_free));
        if is_hand_over || self.of_member(id, member) != Some(rank) {
            return;
        }
        if let Some(conduct) = self.conduct(id) {
            conduct.stored.entry(member).or_insert(made);
        }
    }

    /// A rank exposes its memory to others.
    pub fn post_is_called(
        &mut self,
        rank: WorldRank,
        (id, member): (WindowId, u32),
        origins: &[u32],
        says: Says,
        place: Origin,
    ) {
        let Some(when) = self.when(rank) else { return };
        self.has_stored(rank, (id, member), says, place);
        let locks: Vec<(LockKey, Locked)> = self.conduct(id).map_or(Vec::new(), |conduct| {
            let is_meant = |key: &LockKey| key.0.is_none_or(|target| target == member);
            conduct.locks.iter().filter(|(key, _)| is_meant(key)).map(|(key, lock)| (*key, lock.clone())).collect()
        });
        for ((_, origin, ..), lock) in locks {
            if let Some(locker) = self.of_member(id, origin).filter(|_| !self.is_over_for(rank, lock.end)) {
                self.report_breach(id, Breach::LockedExposed, (locker, lock.place), Some((rank, place)));
            }
        }
        if let Some(conduct) = self.conduct(id) {
            conduct.exposed.insert(member, Exposed { place, end: None });
            if says.no_put {
                conduct.no_put_posted.insert(member, place);
            }
        }
        for &origin in origins {
            let unchecked = says.no_check;
            self.match_said(id, Said { origin, target: member, is_post: true, unchecked, place, when });
        }
    }

    /// A rank wants to access the memory of others that expose it.
    pub fn start_is_called(
        &mut self,
        rank: WorldRank,
        (id, member): (WindowId, u32),
        targets: &[u32],
        says: Says,
        place: Origin,
    ) {
        let Some(when) = self.when(rank) else { return };
        for &target in targets {
            let unchecked = says.no_check;
            self.match_said(id, Said { origin: member, target, is_post: false, unchecked, place, when });
        }
    }

    /// Posts and starts between two ranks belong together in the order in which they are called.
    fn match_said(&mut self, id: WindowId, said: Said) {
        let Some(conduct) = self.conduct(id) else { return };
        let is_other =
            |other: &Said| (other.origin, other.target, other.is_post) == (said.origin, said.target, !said.is_post);
        let Some(index) = conduct.said.iter().position(is_other) else {
            conduct.said.push(said);
            return;
        };
        let other = conduct.said.remove(index);
        // The execution at hand has one order; the clocks tell whether any other is possible.
        let is_start_last = !said.is_post;
        let (post, start) = if said.is_post { (said, other) } else { (other, said) };
        let sides = |world: &World| Some((world.of_member(id, start.origin)?, world.of_member(id, post.target)?));
        let Some((origin, target)) = sides(self) else { return };
        let (start_side, post_side) = ((origin, start.place), Some((target, post.place)));
        if start.unchecked != post.unchecked {
            let breach = if start.unchecked { Breach::CheckedPost } else { Breach::CheckedStart };
            self.report_breach(id, breach, start_side, post_side);
        } else if start.unchecked && !(is_start_last && self.has_heard_of_place(origin, post.when)) {
            self.report_breach(id, Breach::UnorderedStart, start_side, post_side);
        }
    }

    /// The exposure of a rank is over.
    pub fn exposure_is_over(&mut self, rank: WorldRank, (id, member): (WindowId, u32)) {
        let Some(when) = self.when(rank) else { return };
        let Some(conduct) = self.conduct(id) else { return };
        conduct.stored.remove(&member);
        conduct.no_put_posted.remove(&member);
        if let Some(exposed) = conduct.exposed.get_mut(&member) {
            exposed.end = Some(when);
        }
    }

    /// A rank locks the memory of a target, or of all.
    pub fn lock_is_called(
        &mut self,
        rank: WorldRank,
        (id, member): (WindowId, u32),
        (target, lock, unchecked): (Option<u32>, Lock, bool),
        place: Origin,
    ) {
        let Some(conduct) = self.conduct(id) else { return };
        conduct.stored.remove(&member);
        let round = conduct.rounds.get(&member).copied().unwrap_or(0);
        let meets = |other: Option<u32>| target.is_none() || other.is_none() || target == other;
        let excludes = |key: &LockKey| {
            let is_exclusive = lock == Lock::Exclusive || key.2 == Lock::Exclusive;
            key.1 != member && meets(key.0) && is_exclusive && (unchecked || key.3)
        };
        let has_unchecked = unchecked || conduct.locks.keys().any(|key| key.3);
        let mut against: Vec<(Breach, u32, Origin, Option<When>)> = Vec::new();
        if has_unchecked {
            let locks = conduct.locks.iter().filter(|(key, _)| excludes(key));
            against.extend(locks.map(|(key, other)| (Breach::UncheckedLock, key.1, other.place, other.end)));
        }
        let exposed = conduct.exposed.iter().filter(|(number, _)| meets(Some(**number)));
        against.extend(exposed.map(|(number, other)| (Breach::LockedExposed, *number, other.place, other.end)));
        let fenced: Vec<(u32, Origin)> = conduct
            .fenced
            .iter()
            .filter_map(|(number, access)| (meets(Some(*number)) && access.0 == round).then_some((*number, access.1)))
            .collect();
        conduct.locks.insert((target, member, lock, unchecked), Locked { place, round, end: None });
        for (breach, other, at, end) in against {
            if let Some(other) = self.of_member(id, other).filter(|_| !self.is_over_for(rank, end)) {
                self.report_breach(id, breach, (rank, place), Some((other, at)));
            }
        }
        for (number, access) in fenced {
            let owner = self.of_member(id, number).unwrap_or(rank);
            self.report_breach(id, Breach::LockedFenced, (rank, place), Some((owner, access)));
        }
    }

    /// A rank has given a lock back.
    pub fn lock_is_over(&mut self, rank: WorldRank, (id, member): (WindowId, u32), target: Option<u32>) {
        let Some(when) = self.when(rank) else { return };
        let Some(conduct) = self.conduct(id) else { return };
        conduct.stored.remove(&member);
        for lock in [Lock::Shared, Lock::Exclusive] {
            for unchecked in [false, true] {
                if let Some(found) = conduct.locks.get_mut(&(target, member, lock, unchecked)) {
                    found.end.get_or_insert(when);
                }
            }
        }
    }

    /// A rank accesses the memory of a target.
    pub(super) fn access_is_made(
        &mut self,
        rank: WorldRank,
        (id, origin, target): (WindowId, u32, u32),
        (kind, writes): (EpochKind, bool),
        made: Origin,
    ) {
        let Some(conduct) = self.conduct(id) else { return };
        let round = conduct.rounds.get(&origin).copied().unwrap_or(0);
        let mut no_put = conduct.no_put.get(&(target, round)).copied().filter(|_| writes);
        if kind == EpochKind::Started && writes {
            no_put = no_put.or(conduct.no_put_posted.get(&target).copied());
        }
        let mut locked: Vec<(u32, Origin)> = Vec::new();
        if kind == EpochKind::Fenced {
            conduct.fenced.insert(target, (round, made));
            let is_meant = |key: &LockKey| key.0.is_none_or(|other| other == target);
            let of_round = conduct.locks.iter().filter(|(key, lock)| is_meant(key) && lock.round == round && round > 0);
            locked.extend(of_round.map(|(key, lock)| (key.1, lock.place)));
        }
        let Some(owner) = self.of_member(id, target) else { return };
        if let Some(said) = no_put {
            self.report_breach(id, Breach::PutDespite, (rank, made), Some((owner, said)));
        }
        for (locker, place) in locked {
            if let Some(locker) = self.of_member(id, locker) {
                self.report_breach(id, Breach::LockedFenced, (locker, place), Some((owner, made)));
            }
        }
    }
}
