//! The epochs that a rank is in at a window, and which calls they forbid (MPI 5.0 §12.5).

use std::collections::BTreeMap;

use crate::error::{ErrorClass, MpiError, Result};
use crate::group::Group;

/// Kinds of locks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Lock {
    /// `MPI_LOCK_SHARED`
    Shared,
    /// `MPI_LOCK_EXCLUSIVE`
    Exclusive,
}

/// A lock that a rank holds or waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    /// Its kind.
    pub lock: Lock,
    /// `MPI_MODE_NOCHECK`: nobody was asked for it.
    pub unchecked: bool,
    /// Whether the rank knows that it has it. It may return from its call before (MPI 5.0 §12.5.3).
    known: Known,
}

/// What a rank knows of a lock that it has asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    /// Nothing.
    Asked,
    /// Nothing, and an access to the target waits for it.
    Used,
    /// That it has it: such an access is over.
    Held,
}

impl Held {
    /// A lock that is asked for.
    pub fn new(lock: Lock, unchecked: bool) -> Held {
        Held { lock, unchecked, known: Known::Asked }
    }
}

/// Fences of a window, as its rank has called them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Fences {
    /// The last one, if any, ended its epoch (`MPI_MODE_NOSUCCEED`).
    #[default]
    Closed,
    /// The last one began an epoch, which is empty so far: another kind of epoch may follow.
    Open,
    /// There were accesses since.
    Used,
}

/// The kind of epoch in which a rank accesses a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EpochKind {
    /// Between fences.
    Fenced,
    /// Of `MPI_Win_start`.
    Started,
    /// Of a lock.
    Locked,
}

/// The epochs of one rank at one window.
#[derive(Clone, Debug, Default)]
pub struct Epochs {
    fences: Fences,
    /// The targets of `MPI_Win_start`.
    started: Option<Group>,
    /// The origins of `MPI_Win_post`.
    posted: Option<Group>,
    /// Locks of single targets.
    locks: BTreeMap<u32, Held>,
    /// `MPI_Win_lock_all`.
    all: Option<Held>,
}

/// The error of a call that does not fit the rank's epochs.
fn misplaced(text: impl Into<String>) -> MpiError {
    MpiError::new(ErrorClass::RMA_SYNC, text)
}

fn not_started() -> MpiError {
    misplaced("there is no epoch of MPI_Win_start to complete")
}

impl Epochs {
    /// Whether the rank holds locks, or asks for some.
    fn is_passive(&self) -> bool {
        self.all.is_some() || !self.locks.is_empty()
    }

    /// An access to `target`, and in which epoch; `by_request`: the program gets a request for it.
    ///
    /// # Errors
    /// `MPI_ERR_RMA_SYNC` outside of an access epoch to this target, and for a request outside of a passive one (MPI
    /// 5.0 §12.3.5).
    pub fn access(&mut self, target: u32, world: Option<smpi_base::WorldRank>, by_request: bool) -> Result<EpochKind> {
        if self.all.is_some() || self.locks.contains_key(&target) {
            return Ok(EpochKind::Locked);
        }
        if self.is_passive() {
            return Err(misplaced(format!("rank {target} of the window is not locked by this rank, others are")));
        }
        if by_request {
            let text =
                "accesses with a request need an epoch of MPI_Win_lock or MPI_Win_lock_all: leave the request out";
            return Err(misplaced(text));
        }
        if let Some(group) = &self.started {
            let is_target = world.is_some_and(|world| group.rank_of(world).is_some());
            let text = || misplaced(format!("rank {target} of the window is not in the group of MPI_Win_start"));
            return if is_target { Ok(EpochKind::Started) } else { Err(text()) };
        }
        if self.fences == Fences::Closed {
            let text = "outside of an epoch: call MPI_Win_fence, MPI_Win_start, MPI_Win_lock or MPI_Win_lock_all first";
            return Err(misplaced(text));
        }
        self.fences = Fences::Used;
        Ok(EpochKind::Fenced)
    }

    /// Whether there were accesses since the last fence that the next one ends.
    pub fn has_fenced_accesses(&self) -> bool {
        self.fences == Fences::Used
    }

    /// `MPI_Win_fence`, which begins an epoch unless it is the last one.
    ///
    /// # Errors
    /// `MPI_ERR_RMA_SYNC` in an epoch of another kind.
    pub fn fence(&mut self, is_last: bool) -> Result<()> {
        if self.is_passive() {
            return Err(misplaced("this rank holds a lock of the window: unlock it first"));
        }
        if self.started.is_some() {
            return Err(misplaced("in the epoch of MPI_Win_start: call MPI_Win_complete first"));
        }
        if self.posted.is_some() {
            return Err(misplaced("in the epoch of MPI_Win_post: call MPI_Win_wait first"));
        }
        self.fences = if is_last { Fences::Closed } else { Fences::Open };
        Ok(())
    }

    /// Whether a fence would end an epoch that this rank knows of.
    pub fn is_fenced(&self) -> bool {
        self.fences != Fences::Closed
    }

    /// The end of a fence epoch in which there was no access, because an epoch of another kind begins.
    fn leave_fence(&mut self) -> Result<()> {
        if self.fences == Fences::Used {
            return Err(misplaced("in an epoch of MPI_Win_fence: end it with another fence first"));
        }
        Ok(())
    }

    /// `MPI_Win_start`.
    ///
    /// # Errors
    /// `MPI_ERR_RMA_SYNC` in another access epoch.
    pub fn start(&mut self, group: Group) -> Result<()> {
        self.leave_fence()?;
        if self.started.is_some() {
            return Err(misplaced("the epoch of the last MPI_Win_start is open: call MPI_Win_complete first"));
        }
        if self.is_passive() {
            return Err(misplaced("this rank holds a lock of the window: unlock it first"));
        }
        self.fences = Fences::Closed;
        self.started = Some(group);
        Ok(())
    }

    /// The targets of the open `MPI_Win_start`.
    ///
    /// # Errors
    /// As for [`Epochs::complete`].
    pub fn started(&self) -> Result<&Group> {
        self.started.as_ref().ok_or_else(not_started)
    }

    /// `MPI_Win_complete`; returns the targets.
    ///
    /// # Errors
    /// `MPI_ERR_RMA_SYNC` without `MPI_Win_start`.
    pub fn complete(&mut self) -> Result<Group> {
        self.started.take().ok_or_else(not_started)
    }

    /// `MPI_Win_post`.
    ///
    /// # Errors
    /// `MPI_ERR_RMA_SYNC` in another exposure epoch.
    pub fn post(&mut self, group: Group) -> Result<()> {
        self.leave_fence()?;
        if self.posted.is_some() {
            return Err(misplaced("the epoch of the last MPI_Win_post is open: call MPI_Win_wait first"));
        }
        self.fences = Fences::Closed;
        self.posted = Some(group);
        Ok(())
    }

    /// The origins of the exposure epoch that `MPI_Win_wait` and `MPI_Win_test` ask about.
    ///
    /// # Errors
    /// `MPI_ERR_RMA_SYNC` without `MPI_Win_post`.
    pub fn posted(&self) -> Result<&Group> {
        self.posted.as_ref().ok_or_else(|| misplaced("there is no epoch of MPI_Win_post to wait for"))
    }

    /// The end of the exposure epoch.
    pub fn waited(&mut self) {
        self.posted = None;
    }

    /// `MPI_Win_lock`.
    ///
    /// # Errors
    /// `MPI_ERR_RMA_SYNC` when the target is locked already, or in an epoch of another kind.
    pub fn lock(&mut self, target: u32, held: Held) -> Result<()> {
        self.before_lock()?;
        if self.all.is_some() || self.locks.contains_key(&target) {
            return Err(misplaced(format!("this rank has locked rank {target} of the window already")));
        }
        self.fences = Fences::Closed;
        self.locks.insert(target, held);
        Ok(())
    }

    /// `MPI_Win_lock_all`.
    ///
    /// # Errors
    /// As for [`Epochs::lock`].
    pub fn lock_all(&mut self, held: Held) -> Result<()> {
        self.before_lock()?;
        if self.is_passive() {
            return Err(misplaced("this rank holds a lock of the window already"));
        }
        self.fences = Fences::Closed;
        self.all = Some(held);
        Ok(())
    }

    fn before_lock(&mut self) -> Result<()> {
        self.leave_fence()?;
        if self.started.is_some() {
            return Err(misplaced("in the epoch of MPI_Win_start: call MPI_Win_complete first"));
        }
        Ok(())
    }

    /// `MPI_Win_unlock`: the lock that is given back; it is held until [`Epochs::unlocked`].
    ///
    /// # Errors
    /// `MPI_ERR_RMA_SYNC` when there is none.
    pub fn unlock(&self, target: u32) -> Result<Held> {
        let none = || misplaced(format!("this rank has not locked rank {target} of the window"));
        self.locks.get(&target).copied().ok_or_else(none)
    }

    /// `MPI_Win_unlock_all`.
    ///
    /// # Errors
    /// `MPI_ERR_RMA_SYNC` when there is none.
    pub fn unlock_all(&self) -> Result<Held> {
        self.all.ok_or_else(|| misplaced("this rank has not called MPI_Win_lock_all"))
    }

    /// The lock of a target, or of all, is given back.
    pub fn unlocked(&mut self, target: Option<u32>) {
        match target {
            Some(target) => _ = self.locks.remove(&target),
            None => self.all = None,
        }
    }

    /// The locks that the rank has asked for, and may not have.
    pub(crate) fn locks(&self) -> impl Iterator<Item = Lock> + '_ {
        let held = self.locks.values().chain(&self.all).filter(|held| !held.unchecked && held.known != Known::Held);
        held.map(|held| held.lock)
    }

    /// An access moves data from or to a target.
    pub(crate) fn uses(&mut self, target: u32) {
        if let Some(held) = self.locks.get_mut(&target).filter(|held| held.known == Known::Asked) {
            held.known = Known::Used;
        }
    }

    /// The rank knows that its accesses to one target, or to all, are over: those that waited for a lock had it.
    pub(crate) fn flushed(&mut self, target: Option<u32>) {
        let is_meant = |other: &u32| target.is_none_or(|target| target == *other);
        for (_, held) in self.locks.iter_mut().filter(|(other, held)| is_meant(other) && held.known == Known::Used) {
            held.known = Known::Held;
        }
    }

    /// A flush of one target, or of all.
    ///
    /// # Errors
    /// `MPI_ERR_RMA_SYNC` when they are not locked.
    pub fn flush(&self, target: Option<u32>) -> Result<()> {
        let is_locked = self.all.is_some() || target.map_or(!self.locks.is_empty(), |t| self.locks.contains_key(&t));
        let text = "outside of an epoch of MPI_Win_lock or MPI_Win_lock_all with this target";
        if is_locked { Ok(()) } else { Err(misplaced(text)) }
    }

    /// `MPI_Win_free`.
    ///
    /// # Errors
    /// `MPI_ERR_RMA_SYNC` in an open epoch. One of a fence that nothing follows is none.
    pub fn free(&self) -> Result<()> {
        if self.is_passive() {
            return Err(misplaced("this rank still holds a lock of the window"));
        }
        if self.started.is_some() {
            return Err(misplaced("the epoch of MPI_Win_start is open: call MPI_Win_complete first"));
        }
        if self.posted.is_some() {
            return Err(misplaced("the epoch of MPI_Win_post is open: call MPI_Win_wait first"));
        }
        if self.fences == Fences::Used {
            return Err(misplaced(
                "there were accesses since the last MPI_Win_fence: end their epoch with another one",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use smpi_base::WorldRank;

    use super::*;

    const SHARED: Held = Held { lock: Lock::Shared, unchecked: false, known: Known::Asked };

    /// What the calls say one after the other: true where they fit.
    fn fit(calls: &[fn(&mut Epochs) -> Result<()>]) -> Vec<bool> {
        let mut epochs = Epochs::default();
        calls.iter().map(|call| call(&mut epochs).is_ok()).collect()
    }

    #[test]
    fn a_flush_shows_that_the_lock_is_there() {
        let mut epochs = Epochs::default();
        let asked = |epochs: &Epochs| epochs.locks().count();
        epochs.lock(1, SHARED).unwrap();
        epochs.lock(2, SHARED).unwrap();
        epochs.flushed(None);
        assert_eq!(asked(&epochs), 2, "nothing waited for them");
        epochs.uses(1);
        epochs.flushed(Some(2));
        assert_eq!(asked(&epochs), 2);
        epochs.flushed(Some(1));
        assert_eq!(asked(&epochs), 1);
        epochs.uses(2);
        epochs.flushed(None);
        assert_eq!(asked(&epochs), 0);
    }

    fn access(epochs: &mut Epochs) -> Result<()> {
        epochs.access(1, Some(WorldRank(1)), false).map(drop)
    }

    fn access_by_request(epochs: &mut Epochs) -> Result<()> {
        epochs.access(1, Some(WorldRank(1)), true).map(drop)
    }

    fn complete(epochs: &mut Epochs) -> Result<()> {
        epochs.complete().map(|_| ())
    }

    #[test]
    fn accesses_need_an_epoch_to_their_target() {
        assert_eq!(fit(&[access]), [false]);
        assert_eq!(fit(&[|e| e.fence(false), access, |e| e.fence(true), access]), [true, true, true, false]);
        assert_eq!(fit(&[|e| e.lock(0, SHARED), access, |e| e.access(0, None, false).map(drop)]), [true, false, true]);
        assert_eq!(fit(&[|e| e.start(Group::range(0, 1)), access, complete, access]), [true, false, true, false]);
        assert_eq!(fit(&[|e| e.lock_all(SHARED), access, |e| e.flush(Some(1))]), [true, true, true]);
        assert_eq!(fit(&[|e| e.lock_all(SHARED), access_by_request]), [true, true]);
        assert_eq!(fit(&[|e| e.fence(false), access_by_request, access]), [true, false, true]);
    }

    #[test]
    fn epochs_of_different_kinds_exclude_each_other() {
        assert_eq!(fit(&[|e| e.fence(false), |e| e.lock(1, SHARED), |e| e.fence(false)]), [true, true, false]);
        assert_eq!(fit(&[|e| e.fence(false), access, |e| e.lock(1, SHARED)]), [true, true, false]);
        assert_eq!(fit(&[|e| e.lock(1, SHARED), |e| e.lock(1, SHARED), |e| e.lock(2, SHARED)]), [true, false, true]);
        assert_eq!(fit(&[|e| e.start(Group::range(0, 1)), |e| e.lock_all(SHARED)]), [true, false]);
        assert_eq!(fit(&[|e| e.post(Group::range(0, 1)), |e| e.post(Group::range(0, 1))]), [true, false]);
        // A rank may expose its memory and access that of others.
        assert_eq!(fit(&[|e| e.post(Group::range(0, 1)), |e| e.start(Group::range(1, 1)), access]), [true, true, true]);
    }

    #[test]
    fn what_is_not_open_cannot_be_closed() {
        assert_eq!(fit(&[complete, |e| e.posted().map(|_| ()), |e| e.unlock(1).map(|_| ())]), [false, false, false]);
        assert_eq!(fit(&[|e| e.lock(1, SHARED), |e| e.unlock_all().map(|_| ()), |e| e.free()]), [true, false, false]);
        assert_eq!(fit(&[|e| e.flush(None), |e| e.free()]), [false, true]);
        assert_eq!(fit(&[|e| e.fence(false), |e| e.free(), access, |e| e.free()]), [true, true, true, false]);
    }
}
