//! Synchronisation of windows (MPI 5.0 §12.5): fences, post and start, locks, flushes.
//!
//! Fences are barriers on the window's own communicator, and post, start, complete and wait are empty messages on it.
//! A lock is asked for from the server of its target (`world/servers.rs` of `smpi-mpi`).

use std::ffi::c_int;

use smpi_abi::Function;
use smpi_base::WorldRank;
use smpi_base::table::Key;
use smpi_mpi::collective::Part;
use smpi_mpi::collective::select::Waits;
use smpi_mpi::comm::TrafficKind;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::group::Group;
use smpi_mpi::p2p::request::{Body, Recv, Request};
use smpi_mpi::rma::{Awaited, Epochs, Held, Lock, Until, Wait, WindowId};
use smpi_mpi::usage::Agreed;
use smpi_mpi::world::{COMPLETED, Chooser, HowMany, POSTED, Says};
use smpi_runtime::blocking::{self, Hints, Poll};
use smpi_runtime::state::AwaitedPost;
use smpi_runtime::{current_rank, early, with};
use smpi_trace::Action;
use smpi_watch::checks;

use super::collective::{How, Needs, prepare_meeting};
use super::p2p;
use super::window::Here;
use crate::abi::constants::*;
use crate::abi::types::*;
use crate::convert;

/// Why an exploration is not complete where a fence that ends no epoch orders what is left open.
const EARLY_FENCE: &str = "MPI_Win_fence is taken to wait for all ranks, which MPI leaves open where it ends no epoch \
                           (MPI_MODE_NOPRECEDE)";

/// What an assertion says.
fn says(assert: c_int) -> Says {
    Says {
        no_store: assert & MPI_MODE_NOSTORE != 0,
        no_put: assert & MPI_MODE_NOPUT != 0,
        no_precede: assert & MPI_MODE_NOPRECEDE != 0,
        no_check: assert & MPI_MODE_NOCHECK != 0,
    }
}

impl Here {
    /// Runs the action on the epochs of this rank.
    fn epochs<R>(self, action: impl FnOnce(&mut Epochs) -> Result<R>) -> Result<R> {
        with(|runtime| action(&mut runtime.world.live_member(self.id, self.member)?.epochs))
    }

    /// Which window, and as whom the rank is there.
    fn place(self) -> (WindowId, u32) {
        (self.id, self.member)
    }

    /// The ranks of a group, as the window numbers them.
    fn numbers(self, group: &Group) -> Vec<u32> {
        with(|runtime| {
            let window = runtime.world.window(self.id);
            window.map_or(Vec::new(), |window| group.worlds().filter_map(|rank| window.group.rank_of(rank)).collect())
        })
    }

    /// Waits until accesses to one target, or to all, are over.
    fn settle(self, target: Option<u32>, until: Until) -> Result<()> {
        let Here { id, .. } = self;
        self.wait_for_accesses(target, until)?;
        with(|runtime| runtime.world.heard(&mut runtime.driver, current_rank(), (id, target), until));
        smpi_watch::access::given_back(id, target);
        with(|runtime| runtime.world.check_target(id, target))
    }

    /// The same without that anybody may count on it.
    fn wait_for_accesses(self, target: Option<u32>, until: Until) -> Result<()> {
        let Here { id, member, .. } = self;
        blocking::recording(|trace, rank| trace.settles(rank, id, target, until));
        if !with(|runtime| runtime.world.is_quiet(id, member, target, until)) {
            let key = self.request(target, Awaited::Accesses { until, answers: 0 })?;
            p2p::launch(key)?;
            p2p::conclude(key, std::ptr::null_mut())?;
        }
        Ok(())
    }

    /// A request that waits for something at the window.
    fn request(self, target: Option<u32>, awaited: Awaited) -> Result<Key> {
        let body = Body::Window(Box::new(Wait { window: self.id, member: self.member, target, awaited }));
        with(|runtime| runtime.world.new_request(current_rank(), Request::new(body, false, self.comm)))
    }

    /// A lock is asked for.
    fn locks(self, target: Option<u32>, lock: Lock, unchecked: bool) {
        let place = checks::origin_at_window();
        let about = (target, lock, unchecked);
        with(|runtime| runtime.world.lock_is_called(current_rank(), self.place(), about, place));
    }

    /// Gives the lock of a target back.
    fn release(self, target: u32) {
        blocking::note(Action::Release(self.id, target));
        with(|runtime| runtime.world.post_release(&mut runtime.driver, current_rank(), self.id, target));
    }

    /// Tells a member something that it receives by [`Requests::of_words`].
    fn tell(self, to: WorldRank, tag: i32) {
        with(|runtime| {
            let place = runtime.world.window(self.id).and_then(|window| window.group.rank_of(to)).unwrap_or(0);
            if let Some(trace) = &mut runtime.follows.trace {
                trace.note(current_rank(), Action::Word(self.id, place, tag));
            }
            let context = self.id + TrafficKind::PointToPoint as u32;
            let envelope = (context, self.member, tag);
            runtime.world.post_word(&mut runtime.driver, current_rank(), to, envelope);
        });
    }
}

/// Requests that are waited for together. Their keys lie in the rank's own heap, so that they live while it is
/// suspended, and are put back with it.
#[derive(Clone, Copy)]
struct Requests {
    keys: *mut Key,
    len: usize,
}

impl Requests {
    /// Makes and starts as many requests.
    fn start(len: usize, mut make: impl FnMut(usize) -> Result<Key>) -> Result<Requests> {
        // SAFETY: no conditions; the exported malloc serves the calling rank from its own heap.
        let keys = unsafe { libc::malloc((len * size_of::<Key>()).max(1)) }.cast::<Key>();
        if keys.is_null() {
            return Err(MpiError::new(ErrorClass::NO_MEM, format!("there is no memory for {len} requests")));
        }
        for index in 0..len {
            let key = make(index)?;
            p2p::launch(key)?;
            // SAFETY: the block has `len` places for keys, and malloc aligns them.
            unsafe { keys.add(index).write(key) };
        }
        Ok(Requests { keys, len })
    }

    fn keys(self) -> impl Iterator<Item = Key> + Clone {
        // SAFETY: `start` has written all `len` of them, and `finish` alone gives the block back.
        (0..self.len).map(move |index| unsafe { *self.keys.add(index) })
    }

    /// Waits for all of them.
    fn finish(self) -> Result<()> {
        blocking::wait_all(self.keys());
        self.take()
    }

    /// Waits for one of them, unless its completion was taken before; whether it was open.
    fn finish_one(self, index: usize) -> Result<bool> {
        let Some(key) = self.keys().nth(index) else { return Ok(false) };
        let rank = current_rank();
        let is_open = with(|runtime| runtime.world.has_request(rank, key) && !runtime.world.is_done(rank, key));
        p2p::conclude(key, std::ptr::null_mut())?;
        Ok(is_open)
    }

    /// Takes the completions of all of them: they are over.
    fn take(self) -> Result<()> {
        for index in 0..self.len {
            // SAFETY: as in `keys`.
            p2p::conclude(unsafe { *self.keys.add(index) }, std::ptr::null_mut())?;
        }
        // SAFETY: the block is malloc's, and nobody uses it any more.
        unsafe { libc::free(self.keys.cast()) };
        Ok(())
    }

    /// As plain numbers, and back.
    fn into_parts(self) -> (usize, usize) {
        (self.keys.expose_provenance(), self.len)
    }

    fn from_parts((keys, len): (usize, usize)) -> Requests {
        Requests { keys: std::ptr::with_exposed_provenance_mut(keys), len }
    }

    /// Receives of a word from each of a group's ranks.
    fn of_words(here: Here, group: &Group, tag: i32) -> Result<Requests> {
        let group = group.clone();
        Requests::start(group.size() as usize, |index| {
            let from = group.world(index as u32);
            let part = Part::nothing();
            with(|runtime| {
                let window = runtime.world.window(here.id);
                let source = from.zip(window).and_then(|(from, window)| window.group.rank_of(from));
                let source = source.map_or(MPI_PROC_NULL, |source| source as i32);
                let context = here.id + TrafficKind::PointToPoint as u32;
                let recv = Recv { part, source, from, tag, context, caller: 0 };
                runtime.world.new_request(current_rank(), Request::new(Body::Recv(recv), false, here.comm))
            })
        })
    }
}

/// `MPI_Win_fence`.
pub fn win_fence(assert: c_int, win: MPI_Win) -> Result<()> {
    let known = MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
    check_assert(assert, known)?;
    let here = Here::of(win)?;
    let place = checks::origin_at_window();
    let (precedes, succeeds) = (assert & MPI_MODE_NOPRECEDE == 0, assert & MPI_MODE_NOSUCCEED == 0);
    with(|runtime| runtime.world.fence_is_called(current_rank(), here.place(), says(assert), place));
    let ends_epoch = here.epochs(|epochs| {
        let ends_epoch = epochs.is_fenced() && assert & MPI_MODE_NOPRECEDE == 0;
        epochs.fence(assert & MPI_MODE_NOSUCCEED != 0).map(|()| ends_epoch)
    })?;
    if !ends_epoch {
        note_waiting(EARLY_FENCE);
    }
    // Who says that there are no accesses before has none completed.
    if precedes {
        here.settle(None, Until::Arrived)?
    } else {
        here.wait_for_accesses(None, Until::Arrived)?
    }
    let agreed = Agreed { fence: Some((!precedes, !succeeds)), ..Agreed::default() };
    prepare_meeting(Function::Win_fence, here.comm(), Needs::Others)?.agreeing(agreed).run(How::Blocking)?;
    with(|runtime| runtime.world.memory_is_synchronised(here.id, here.member));
    with(|runtime| {
        if ends_epoch && here.size as usize == runtime.born().count() {
            runtime.world.state.unexplored_if_open = None;
        }
    });
    Ok(())
}

/// A call waits for other ranks, which MPI does not demand of it.
fn note_waiting(why: &'static str) {
    if waits_little() {
        with(|runtime| runtime.world.state.unexplored_if_open = Some(why));
    }
}

/// Whether calls wait as little as MPI allows.
fn waits_little() -> bool {
    with(|runtime| runtime.driver.explores() && runtime.settings.selection.waits() != Waits::All)
}

/// The program locks windows.
fn note_locks() {
    with(|runtime| runtime.world.observers.locks_windows = true);
}

/// Refuses assertions that a call does not know.
fn check_assert(assert: c_int, known: c_int) -> Result<()> {
    if assert & !known == 0 {
        return Ok(());
    }
    let allowed = "0, or assertions of this call";
    Err(MpiError::parameter(ErrorClass::ASSERT, "assert", assert, allowed))
}

/// A group of ranks of the window.
fn group_of(here: Here, group: MPI_Group) -> Result<Group> {
    let group = convert::group(group, "group")?;
    let stranger = with(|runtime| {
        runtime
            .world
            .window(here.id)
            .and_then(|window| group.worlds().find(|rank| window.group.rank_of(*rank).is_none()))
    });
    match stranger {
        Some(rank) => {
            let found = format!("a group with rank {rank} of MPI_COMM_WORLD");
            Err(MpiError::parameter(ErrorClass::GROUP, "group", found, "a subset of the window's group"))
        }
        None => Ok(group),
    }
}

/// `MPI_Win_post`.
pub fn win_post(group: MPI_Group, assert: c_int, win: MPI_Win) -> Result<()> {
    check_assert(assert, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT)?;
    let here = Here::of(win)?;
    let group = group_of(here, group)?;
    here.epochs(|epochs| epochs.post(group.clone()))?;
    let (place, origins) = (checks::origin_at_window(), here.numbers(&group));
    with(|runtime| runtime.world.post_is_called(current_rank(), here.place(), &origins, says(assert), place));
    drop(origins);
    let words = Requests::of_words(here, &group, COMPLETED)?;
    convert::with_win(win, "win", |win| {
        win.exposed = Some(words.into_parts());
        Ok(())
    })?;
    if assert & MPI_MODE_NOCHECK == 0 {
        group.worlds().for_each(|origin| here.tell(origin, POSTED));
    }
    Ok(())
}

/// `MPI_Win_start`.
pub fn win_start(group: MPI_Group, assert: c_int, win: MPI_Win) -> Result<()> {
    check_assert(assert, MPI_MODE_NOCHECK)?;
    let here = Here::of(win)?;
    let words = {
        let group = group_of(here, group)?;
        here.epochs(|epochs| epochs.start(group.clone()))?;
        let (place, targets) = (checks::origin_at_window(), here.numbers(&group));
        with(|runtime| runtime.world.start_is_called(current_rank(), here.place(), &targets, says(assert), place));
        if assert & MPI_MODE_NOCHECK != 0 {
            return Ok(());
        }
        Requests::of_words(here, &group, POSTED)?
    };
    if !waits_little() {
        return words.finish();
    }
    with(|runtime| {
        runtime.world.live_member(here.id, here.member).map(|member| member.posts = Some(words.into_parts()))
    })
}

/// Before an access: its target has exposed its memory. MPI leaves it open who waits for that: `MPI_Win_start`, an
/// access, or `MPI_Win_complete` (MPI 5.0 §12.5.2). Nobody can tell the last two apart where the rank does nothing in
/// between but to access the same target.
pub(super) fn wait_for_post(here: Here, target: u32) -> Result<()> {
    let rank = current_rank();
    let known = with(|runtime| {
        let is_other = |awaited: AwaitedPost| (awaited.window, awaited.target) != (here.id, target);
        if runtime.run(rank).awaited_post.is_some_and(is_other) {
            early::note(runtime, rank);
        }
        let posts = runtime.world.member(here.id, here.member)?.posts?;
        let world = runtime.world.window(here.id)?.group.world(target)?;
        let targets = runtime.world.member(here.id, here.member)?.epochs.started().ok()?;
        Some((Requests::from_parts(posts), targets.rank_of(world)? as usize))
    });
    let Some((words, index)) = known else { return Ok(()) };
    let choices = with(|runtime| runtime.world.state.choices);
    if words.finish_one(index)? {
        let awaited = AwaitedPost { window: here.id, target, choices };
        with(|runtime| runtime.run(rank).awaited_post = Some(awaited));
    }
    Ok(())
}

/// `MPI_Win_complete`.
pub fn win_complete(win: MPI_Win) -> Result<()> {
    let here = Here::of(win)?;
    here.epochs(|epochs| epochs.started().map(|_| ()))?;
    let posts = with(|runtime| {
        let rank = current_rank();
        if runtime.run(rank).awaited_post.is_some_and(|awaited| awaited.window != here.id) {
            early::note(runtime, rank);
        }
        runtime.run(rank).awaited_post = None;
        runtime.world.live_member(here.id, here.member).map(|member| member.posts.take())
    })?;
    posts.map_or(Ok(()), |posts| Requests::from_parts(posts).finish())?;
    here.settle(None, Until::Arrived)?;
    let group = here.epochs(Epochs::complete)?;
    group.worlds().for_each(|target| here.tell(target, COMPLETED));
    Ok(())
}

/// The receives of an exposure epoch.
fn exposed(here: Here, win: MPI_Win) -> Result<Option<Requests>> {
    here.epochs(|epochs| epochs.posted().map(|_| ()))?;
    convert::with_win(win, "win", |win| Ok(win.exposed.map(Requests::from_parts)))
}

/// The exposure epoch is over.
fn conceal(here: Here, win: MPI_Win) -> Result<()> {
    convert::with_win(win, "win", |win| {
        win.exposed = None;
        Ok(())
    })?;
    with(|runtime| runtime.world.exposure_is_over(current_rank(), here.place()));
    here.epochs(|epochs| {
        epochs.waited();
        Ok(())
    })
}

/// `MPI_Win_wait`.
pub fn win_wait(win: MPI_Win) -> Result<()> {
    let here = Here::of(win)?;
    if let Some(words) = exposed(here, win)? {
        words.finish()?;
    }
    conceal(here, win)
}

/// `MPI_Win_test`.
pub fn win_test(win: MPI_Win) -> Result<c_int> {
    let here = Here::of(win)?;
    let words = exposed(here, win)?;
    let is_over = match words {
        Some(words) => {
            blocking::before_poll(Poll::Test);
            let picked = blocking::test(words.keys(), HowMany::All, Hints::default());
            let is_over = picked != blocking::Picked::Nothing;
            blocking::after_poll(is_over);
            is_over
        }
        None => true,
    };
    if is_over {
        if let Some(words) = words {
            words.take()?;
        }
        conceal(here, win)?;
    }
    Ok(c_int::from(is_over))
}

/// `MPI_Win_lock`.
pub fn win_lock(lock_type: c_int, rank: c_int, assert: c_int, win: MPI_Win) -> Result<()> {
    let lock = match lock_type {
        MPI_LOCK_SHARED => Lock::Shared,
        MPI_LOCK_EXCLUSIVE => Lock::Exclusive,
        _ => {
            let allowed = "MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE";
            return Err(MpiError::parameter(ErrorClass::LOCKTYPE, "lock_type", lock_type, allowed));
        }
    };
    check_assert(assert, MPI_MODE_NOCHECK)?;
    let here = Here::of(win)?;
    let Some(target) = here.target(rank, "rank")? else { return Ok(()) };
    with(|runtime| runtime.world.check_target(here.id, Some(target)))?;
    let unchecked = assert & MPI_MODE_NOCHECK != 0;
    here.epochs(|epochs| epochs.lock(target, Held::new(lock, unchecked)))?;
    here.locks(Some(target), lock, unchecked);
    note_locks();
    if unchecked {
        return Ok(());
    }
    let key = here.request(Some(target), Awaited::Lock(lock))?;
    p2p::launch(key)?;
    p2p::conclude(key, std::ptr::null_mut())
}

/// `MPI_Win_lock_all`.
pub fn win_lock_all(assert: c_int, win: MPI_Win) -> Result<()> {
    check_assert(assert, MPI_MODE_NOCHECK)?;
    let here = Here::of(win)?;
    let unchecked = assert & MPI_MODE_NOCHECK != 0;
    here.epochs(|epochs| epochs.lock_all(Held::new(Lock::Shared, unchecked)))?;
    here.locks(None, Lock::Shared, unchecked);
    note_locks();
    if unchecked {
        return Ok(());
    }
    let lock = |target| here.request(Some(target as u32), Awaited::Lock(Lock::Shared));
    Requests::start(here.size as usize, lock)?.finish()
}

/// `MPI_Win_unlock`.
pub fn win_unlock(rank: c_int, win: MPI_Win) -> Result<()> {
    let here = Here::of(win)?;
    let Some(target) = here.target(rank, "rank")? else { return Ok(()) };
    let held = here.epochs(|epochs| epochs.unlock(target))?;
    let settled = here.settle(Some(target), Until::Acknowledged);
    if !held.unchecked {
        here.release(target);
    }
    with(|runtime| runtime.world.lock_is_over(current_rank(), here.place(), Some(target)));
    here.epochs(|epochs| {
        epochs.unlocked(Some(target));
        settled
    })
}

/// `MPI_Win_unlock_all`.
pub fn win_unlock_all(win: MPI_Win) -> Result<()> {
    let here = Here::of(win)?;
    let held = here.epochs(|epochs| epochs.unlock_all())?;
    let settled = here.settle(None, Until::Acknowledged);
    if !held.unchecked {
        (0..here.size).for_each(|target| here.release(target));
    }
    with(|runtime| runtime.world.lock_is_over(current_rank(), here.place(), None));
    here.epochs(|epochs| {
        epochs.unlocked(None);
        settled
    })
}

/// Waits for accesses without ending their epoch.
pub fn flush_window(win: MPI_Win, rank: Option<c_int>, until: Until) -> Result<()> {
    let here = Here::of(win)?;
    let target = match rank.map(|rank| here.target(rank, "rank")).transpose()? {
        Some(None) => return Ok(()),
        Some(target) => target,
        None => None,
    };
    here.epochs(|epochs| epochs.flush(target))?;
    here.settle(target, until)
}

/// `MPI_Win_sync`: memory is the same for loads, stores and accesses, so that there is nothing to do. It takes some
/// time, so that a loop ends that waits for memory to change.
pub fn win_sync(win: MPI_Win) -> Result<()> {
    Here::of(win)?;
    blocking::look();
    Ok(())
}
