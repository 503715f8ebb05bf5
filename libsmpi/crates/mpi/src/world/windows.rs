//! Accesses to windows travel, take place at their targets, and are waited for.
//!
//! ```text
//! origin: start ──post──►│ commit: data travels ─► done at the target ─┬─────────────────────────────► over
//!                         │                                            └─► answer travels (reads) ───► over
//! ```
//!
//! A target's program has no part in it. What an access brings is taken from the origin's memory at once where it is
//! as short as a message whose sender need not wait, else when it arrives.
//!
//! Who waits for accesses has a request ([`Wait`]), which is over when they are. The counts of open accesses are kept
//! for each target of each origin ([`crate::rma::Flying`]).

use smpi_base::WorldRank;
use smpi_base::digest::Digest;
use smpi_base::table::Key;
use smpi_mailbox::{Context, Envelope};

use super::transit::{Errand, Kept, Rare};
use super::{Driver, Notice, Outgoing, Post, Release, World};
use crate::error::{ErrorClass, MpiError, Result};
use crate::group::Group;
use crate::memory::Addr;
use crate::p2p::protocol::ENVELOPE_BYTES;
use crate::p2p::request::Body;
use crate::rma::{Access, Awaited, Flavor, Flying, Lock, Member, Until, Wait, Window, WindowId};

/// Why an exploration is not complete where a lock may come later than it is asked for.
const LATE_LOCKS: &str = "a rank calls other functions of MPI while it has a lock of a window, and MPI_Win_lock is taken to \
                          wait for it, which MPI leaves open";

impl World {
    /// A window, if it exists.
    pub fn window(&self, id: WindowId) -> Option<&Window> {
        self.state.windows.get(&id)
    }

    /// The same, to change it.
    pub fn window_mut(&mut self, id: WindowId) -> Option<&mut Window> {
        self.state.windows.get_mut(&id)
    }

    /// A window that a program names.
    ///
    /// # Errors
    /// `MPI_ERR_WIN` when it was freed.
    pub fn live_window(&mut self, id: WindowId) -> Result<&mut Window> {
        self.state.windows.get_mut(&id).ok_or_else(freed)
    }

    /// A rank's part of a window that a program names.
    ///
    /// # Errors
    /// As for [`World::live_window`].
    pub fn live_member(&mut self, id: WindowId, member: u32) -> Result<&mut Member> {
        self.live_window(id)?.member_mut(member).ok_or_else(freed)
    }

    /// A rank's part of a window, if it is in it.
    pub fn member(&self, id: WindowId, member: u32) -> Option<&Member> {
        self.state.windows.get(&id)?.member(member)
    }

    /// The same, to change it.
    pub(super) fn member_mut(&mut self, id: WindowId, member: u32) -> Option<&mut Member> {
        self.state.windows.get_mut(&id)?.member_mut(member)
    }

    /// Ranks in whose memory others read and write as they please: that of shared windows.
    pub fn sharers(&self) -> impl Iterator<Item = WorldRank> {
        self.state.windows.values().filter(|window| window.shared.is_some()).filter_map(|window| window.group.world(0))
    }

    /// Adds the memory that a rank can look at and that is not its own: all of a shared window, which is memory of its
    /// first rank, and if it accesses windows what others offer it there.
    pub fn name_windows_of(&self, rank: WorldRank, accesses: bool, into: &mut Digest) {
        let ids = self.state.ranks[rank.index()].windows.iter().flatten();
        for window in ids.filter_map(|id| self.state.windows.get(id)) {
            let is_elsewhere = |member: &&Member| accesses && member.world != rank || window.shared.is_some();
            for member in window.members().filter(is_elsewhere) {
                let attached = member.attached.iter().map(|(start, size)| (*start, *size));
                for (start, size) in attached.chain([(member.base.0, member.size)]).filter(|(_, size)| *size > 0) {
                    let mut bytes = Vec::new();
                    self.memory.append(member.world, Addr(start), size as usize, &mut bytes);
                    into.add(bytes);
                }
            }
        }
    }

    /// A rank becomes a member of a window, as its rank `member` there. `make` gets the number that the window has
    /// among those of the rank.
    pub fn enter_window(
        &mut self,
        id: WindowId,
        (group, flavor): (&Group, Flavor),
        (rank, member): (WorldRank, u32),
        make: impl FnOnce(u32) -> Member,
    ) {
        let numbers = &mut self.state.ranks[rank.index()].windows;
        let number = numbers.iter().position(Option::is_none).unwrap_or(numbers.len());
        if number == numbers.len() {
            numbers.push(None);
        }
        numbers[number] = Some(id);
        let window = self.state.windows.entry(id).or_insert_with(|| Window::new(group.clone(), flavor));
        window.members[member as usize] = Some(Box::new(make(number as u32)));
        window.inside += 1;
    }

    /// A rank leaves a window; the last one takes it away.
    pub fn leave_window(&mut self, id: WindowId, rank: WorldRank, member: u32) -> Option<Window> {
        let left = |number: &mut Option<WindowId>| _ = number.take_if(|window| *window == id);
        self.state.ranks[rank.index()].windows.iter_mut().for_each(left);
        self.look_at_windows(rank);
        let window = self.state.windows.get_mut(&id)?;
        window.members[member as usize] = None;
        window.inside -= 1;
        if window.inside > 0 {
            return None;
        }
        if let Some(causality) = &mut self.state.causality {
            causality.accesses.window_left(id);
        }
        self.state.windows.remove(&id)
    }

    /// What is open of an origin's accesses to a target.
    fn flying(&mut self, id: WindowId, origin: u32, target: u32) -> Option<&mut Flying> {
        Some(self.member_mut(id, origin)?.flying.entry(target).or_default())
    }

    /// Starts an access, whose arguments are checked.
    ///
    /// # Errors
    /// `MPI_ERR_RMA_SYNC` outside of an epoch; `MPI_ERR_OTHER` when too many are open.
    pub fn start_access<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, access: Access) -> Result<()> {
        let Access { window: id, origin, target, request, .. } = access;
        let world = self.live_window(id)?.group.world(target);
        let moves_data = access.there.size() > 0;
        let epochs = &mut self.live_member(id, origin)?.epochs;
        let kind = epochs.access(target, world, request.is_some())?;
        if moves_data {
            epochs.uses(target);
            self.access_is_made(rank, (id, origin, target), (kind, access.action.writes()), access.made);
        }
        self.enter_access(driver, rank, access)
    }

    /// Lets an access begin that may be made.
    ///
    /// # Errors
    /// `MPI_ERR_OTHER` when too many are open.
    pub(super) fn enter_access<D: Driver>(
        &mut self,
        driver: &mut D,
        rank: WorldRank,
        mut access: Access,
    ) -> Result<()> {
        let Access { window: id, origin, target, request, .. } = access;
        let shared = self.compare_access(rank, &mut access, driver.explores());
        self.order_matters(driver, (id, target), &shared);
        if access.size_there() < self.rules.thresholds.detached_below {
            access.load(&*self.memory, rank);
        }
        access.was_local = access.uses_origin();
        let (is_local, must_ask) = (access.was_local, access.result.is_none() && access.action.writes());
        let full = || MpiError::new(ErrorClass::OTHER, "1048576 accesses to windows are open: the most there can be");
        let key = self.state.accesses.insert(access).ok_or_else(full)?;
        if let Some(flying) = self.flying(id, origin, target) {
            flying.open += 1;
            flying.local += u32::from(is_local);
            flying.wrote |= must_ask;
        }
        self.post(driver, rank, Post::Access(key));
        if !is_local && let Some(request) = request {
            self.complete(driver, rank, request.slot);
        }
        Ok(())
    }

    /// An access leaves its origin.
    pub(super) fn depart<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, key: Key) {
        let Some(access) = self.state.accesses.get(key) else { return };
        let (size, id, origin, target) = (access.size_there(), access.window, access.origin, access.target);
        if access.action.is_atomic() && self.ask_for_access(driver, rank, key) {
            return;
        }
        self.flying(id, origin, target).into_iter().for_each(|flying| flying.in_order.push_back(key));
        let Some(to) = self.target_of(key) else { return };
        let volume = &mut self.state.ranks[rank.index()].sent;
        volume.messages += 1;
        volume.bytes += size;
        self.run_errand(driver, rank, to, size, Errand::There(key));
    }

    /// Lets something travel that is no message between mailboxes.
    pub(super) fn run_errand<D: Driver>(
        &mut self,
        driver: &mut D,
        from: WorldRank,
        to: WorldRank,
        size: u64,
        errand: Errand,
    ) {
        let comm = self.state.boxes.connect(from, to, size);
        let rare = Some(Box::new(Rare { errand: Some(errand), ..Rare::default() }));
        self.state.in_transit.put(comm, true, Some(Kept { rare, ..Kept::default() }));
        driver.start_transfer(comm, from, to, size + ENVELOPE_BYTES);
    }

    /// Something has arrived.
    pub(super) fn errand_done<D: Driver>(&mut self, driver: &mut D, errand: Errand) {
        self.put_away_all();
        match errand {
            Errand::There(key) => self.access_arrived(driver, key),
            Errand::Back(key) => {
                if let Some(origin) = self.origin_of(key)
                    && let Some(access) = self.state.accesses.get(key)
                {
                    access.store(&mut *self.memory, origin, access.data.as_deref().unwrap_or_default());
                }
                self.access_over(driver, key);
            }
            Errand::Lock { server, asker, lock } => self.lock_is_asked(driver, server, asker, lock),
            Errand::Word { rank, slot } => self.word_came(driver, rank, slot),
        }
    }

    /// An access is at its target. A short one may overtake a long one on the way there: they take place in the order
    /// in which their origin started them all the same. MPI promises that for atomic ones (MPI 5.0 §12.7.2); programs
    /// count on it for all, as networks that keep the order of messages have it.
    fn access_arrived<D: Driver>(&mut self, driver: &mut D, key: Key) {
        let Some(access) = self.state.accesses.get_mut(key) else { return };
        access.arrived = true;
        let (id, origin, target) = (access.window, access.origin, access.target);
        while let Some(&next) = self.flying(id, origin, target).and_then(|flying| flying.in_order.front())
            && self.state.accesses.get(next).is_none_or(|access| access.arrived)
        {
            self.flying(id, origin, target).and_then(|flying| flying.in_order.pop_front());
            self.take_place(driver, next);
        }
    }

    /// An access takes place, or those of its elements that do not by themselves.
    fn take_place<D: Driver>(&mut self, driver: &mut D, key: Key) {
        let Some(access) = self.state.accesses.get(key) else { return };
        if access.parts > 0 {
            let served = access.served.clone();
            return self.perform_elements(driver, key, |at| !served.contains(&at));
        }
        if self.perform(driver, key) { self.answer_access(driver, key) } else { self.access_over(driver, key) }
    }

    /// A server does an access, or its elements at this place.
    pub(super) fn perform_served<D: Driver>(
        &mut self,
        driver: &mut D,
        server: WorldRank,
        key: Key,
        place: Option<u64>,
    ) {
        let Some(origin) = self.origin_of(key) else { return };
        let Some(access) = self.state.accesses.get(key) else { return };
        let about = (access.window, access.target);
        let slot = access.request.map(|request| request.slot);
        match slot.filter(|_| access.is_own) {
            Some(slot) => driver.told(self, Notice::Served { server, rank: origin, slot }),
            None => driver.told(self, Notice::Answered { server, rank: origin, about, slot }),
        }
        match place.filter(|_| access.parts > 0) {
            Some(place) => {
                if let Some(causality) = &mut self.state.causality {
                    causality.accesses.took_place(origin, access, place);
                }
                self.perform_elements(driver, key, |at| at == place);
            }
            None => self.take_place(driver, key),
        }
    }

    /// Does those elements of an access at its target that are meant.
    fn perform_elements<D: Driver>(&mut self, driver: &mut D, key: Key, is_meant: impl Fn(u64) -> bool) {
        self.put_away_all();
        let (Some(origin), Some(target)) = (self.origin_of(key), self.target_of(key)) else { return };
        let Some(access) = self.state.accesses.get_mut(key) else { return };
        access.load(&*self.memory, origin);
        let was = access.followed(driver.explores(), &*self.memory, target);
        access.perform_at(&mut *self.memory, target, is_meant);
        let is_change = was != access.followed(driver.explores(), &*self.memory, target);
        access.parts -= 1;
        let is_over = access.parts == 0;
        if is_over {
            access.data = access.performed();
        }
        let is_answer = access.data.is_some();
        if is_change {
            driver.told(self, Notice::Changed { rank: origin });
        }
        if !is_over {
            return;
        }
        if is_answer { self.answer_access(driver, key) } else { self.access_over(driver, key) }
    }

    /// Does an access at its target. True when it has read something for its origin, which is its data from now on.
    fn perform<D: Driver>(&mut self, driver: &mut D, key: Key) -> bool {
        self.put_away_all();
        let (Some(origin), Some(target)) = (self.origin_of(key), self.target_of(key)) else { return false };
        let Some(access) = self.state.accesses.get_mut(key) else { return false };
        access.load(&*self.memory, origin);
        let was = access.followed(driver.explores(), &*self.memory, target);
        let before = access.perform(&mut *self.memory, target);
        let is_read = before.is_some();
        let is_change = was != access.followed(driver.explores(), &*self.memory, target);
        access.data = before;
        let request = access.request.filter(|_| access.is_own);
        let mut learnt = None;
        if let Some(causality) = &mut self.state.causality {
            learnt = request.map(|request| (request, causality.accesses.place(access.there.at.0).clone()));
            causality.accesses.took_place(origin, access, access.there.at.0);
        }
        if let Some((request, known)) = learnt {
            self.teach(origin, request.slot, &known);
        }
        if is_change {
            driver.told(self, Notice::Changed { rank: origin });
        }
        is_read
    }

    fn answer_access<D: Driver>(&mut self, driver: &mut D, key: Key) {
        let (Some(origin), Some(target)) = (self.origin_of(key), self.target_of(key)) else { return };
        let size = self.state.accesses.get(key).map_or(0, Access::size_back);
        self.run_errand(driver, target, origin, size, Errand::Back(key));
    }

    fn origin_of(&self, key: Key) -> Option<WorldRank> {
        let access = self.state.accesses.get(key)?;
        self.state.windows.get(&access.window)?.group.world(access.origin)
    }

    fn target_of(&self, key: Key) -> Option<WorldRank> {
        let access = self.state.accesses.get(key)?;
        self.state.windows.get(&access.window)?.group.world(access.target)
    }

    fn access_over<D: Driver>(&mut self, driver: &mut D, key: Key) {
        let Some(origin) = self.origin_of(key) else { return };
        let Some(access) = self.state.accesses.remove(key) else { return };
        let was_local = access.was_local;
        if let Some(flying) = self.flying(access.window, access.origin, access.target) {
            flying.open -= 1;
            flying.local -= u32::from(was_local);
        }
        if access.is_own
            && let Some(member) = self.member_mut(access.window, access.origin)
        {
            member.flying.retain(|_, flying| flying.open > 0 || flying.wrote);
        }
        if was_local && let Some(request) = access.request {
            self.complete(driver, origin, request.slot);
        }
        self.look_at_waits(driver, access.window, access.origin);
    }

    // Waiting.

    /// A rank begins to wait at a window; what it asks others for is sent.
    pub(super) fn begin_wait<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, slot: u32, wait: &Wait) {
        match wait.awaited {
            Awaited::Lock(lock) => self.ask_for_lock(driver, rank, slot, wait, lock),
            Awaited::Accesses { .. } => {
                if let Some(member) = self.member_mut(wait.window, wait.member) {
                    member.quiet.push(slot);
                }
                self.look_at_waits(driver, wait.window, wait.member);
            }
        }
    }

    /// Whether a rank need not wait for its accesses: they are over, and nobody has to be asked.
    pub fn is_quiet(&self, id: WindowId, member: u32, target: Option<u32>, until: Until) -> bool {
        let Some(member) = self.member(id, member) else { return true };
        let is_over = |flying: &Flying| match until {
            Until::Local => flying.local == 0,
            Until::Arrived => flying.open == 0,
            Until::Acknowledged => flying.open == 0 && !flying.wrote,
        };
        match target {
            Some(target) => member.flying.get(&target).is_none_or(is_over),
            None => member.flying.values().all(is_over),
        }
    }

    /// Ends those waits of a rank for which everything has arrived.
    fn look_at_waits<D: Driver>(&mut self, driver: &mut D, id: WindowId, member: u32) {
        let Some(own) = self.member(id, member) else { return };
        let (rank, slots) = (own.world, own.quiet.clone());
        for slot in slots {
            let Some(Body::Window(wait)) = self.request_at(rank, slot).map(|request| &request.body) else { continue };
            let Awaited::Accesses { until, answers } = wait.awaited else { continue };
            let (target, arrived) = (wait.target, until.min(Until::Arrived));
            if answers > 0 || !self.is_quiet(id, member, target, arrived) {
                continue;
            }
            if until == Until::Acknowledged && self.ask_targets(driver, (id, member), (rank, slot), target) {
                continue;
            }
            self.wait_over(driver, id, member, rank, slot);
        }
    }

    fn wait_over<D: Driver>(&mut self, driver: &mut D, id: WindowId, member: u32, rank: WorldRank, slot: u32) {
        if let Some(member) = self.member_mut(id, member) {
            member.quiet.retain(|other| *other != slot);
        }
        self.complete(driver, rank, slot);
    }

    /// Lets targets say that all is there that was written to them. False when none has to.
    fn ask_targets<D: Driver>(
        &mut self,
        driver: &mut D,
        (id, member): (WindowId, u32),
        (rank, slot): (WorldRank, u32),
        target: Option<u32>,
    ) -> bool {
        let Some(window) = self.state.windows.get_mut(&id) else { return false };
        let group = window.group.clone();
        let Some(member) = window.member_mut(member) else { return false };
        let mut asked = Vec::new();
        for (&number, flying) in &mut member.flying {
            if target.is_none_or(|target| target == number) && std::mem::take(&mut flying.wrote) {
                asked.extend(group.world(number));
            }
        }
        if asked.is_empty() || !driver.time_passes() {
            return false;
        }
        if let Some(request) = self.request_at_mut(rank, slot)
            && let Body::Window(wait) = &mut request.body
            && let Awaited::Accesses { answers, .. } = &mut wait.awaited
        {
            *answers = asked.len() as u32;
        }
        for target in asked {
            self.run_errand(driver, target, rank, 0, Errand::Word { rank, slot });
        }
        true
    }

    /// A rank has got the lock that it asked for, or the answer of a target.
    fn word_came<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, slot: u32) {
        let Some(request) = self.request_at_mut(rank, slot) else { return };
        let Body::Window(wait) = &mut request.body else { return };
        let (id, member) = (wait.window, wait.member);
        if let Awaited::Accesses { answers, .. } = &mut wait.awaited {
            *answers -= 1;
            if *answers > 0 {
                return;
            }
        }
        self.wait_over(driver, id, member, rank, slot);
    }

    /// A rank has waited for its accesses to a target, or to all.
    pub fn heard<D: Driver>(
        &mut self,
        driver: &mut D,
        rank: WorldRank,
        (id, target): (WindowId, Option<u32>),
        until: Until,
    ) {
        self.accesses_known(rank, id, target, until);
        self.know_accesses(rank, id, target);
        if until == Until::Local {
            return;
        }
        let Some(window) = self.state.windows.get(&id) else { return };
        let Some(place) = window.group.rank_of(rank) else { return };
        let Some(member) = window.member(place) else { return };
        let mut heard = |target| driver.told(self, Notice::Heard { rank, about: (id, target) });
        match target {
            Some(target) => heard(target),
            None => member.flying.keys().copied().for_each(heard),
        }
        let Some(member) = self.member_mut(id, place) else { return };
        if until == Until::Acknowledged {
            member.epochs.flushed(target);
        } else {
            // The targets will say so by a barrier, or be told: nobody need ask them.
            member.flying.values_mut().for_each(|flying| flying.wrote = false);
        }
        // Nothing need be kept of targets at which nothing is open.
        member.flying.retain(|_, flying| flying.open > 0 || flying.wrote);
    }

    /// Tells a rank something by an empty message, for which nobody waits: the context, the own rank there, and a tag.
    pub fn post_word<D: Driver>(
        &mut self,
        driver: &mut D,
        rank: WorldRank,
        to: WorldRank,
        (context, source, tag): (Context, u32, i32),
    ) {
        let word = Outgoing::word(to, Envelope { context, source, tag }, 0, self.word_causes(rank));
        self.post(driver, rank, Post::Send(word));
    }

    /// A rank does something that others can see while it has locks.
    #[inline]
    pub fn show_locks(&mut self, rank: WorldRank) {
        if !self.state.ranks[rank.index()].windows.is_empty() {
            self.show_locks_of(rank);
        }
    }

    #[inline(never)]
    fn show_locks_of(&mut self, rank: WorldRank) {
        for id in self.state.ranks[rank.index()].windows.iter().flatten() {
            let Some(window) = self.state.windows.get_mut(id) else { continue };
            let Some(member) = window.group.rank_of(rank) else { continue };
            let held: Vec<Lock> = window.member(member).map_or(Vec::new(), |own| own.epochs.locks().collect());
            window.seen.extend(held.into_iter().map(|lock| (member, lock)));
            window.seen.sort_unstable();
            window.seen.dedup();
            if window.may_lock_late() {
                self.observers.unexplored = Some(LATE_LOCKS);
            }
        }
    }

    /// A rank asks for a lock.
    pub(super) fn note_lock(&mut self, wait: &Wait, lock: Lock) {
        let Some(window) = self.state.windows.get_mut(&wait.window) else { return };
        if !window.asked.contains(&(wait.member, lock)) {
            window.asked.push((wait.member, lock));
        }
        if window.may_lock_late() {
            self.observers.unexplored = Some(LATE_LOCKS);
        }
    }

    /// Gives a lock back, when it is this rank's turn.
    pub fn post_release<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, window: WindowId, target: u32) {
        let causes = self.word_causes(rank);
        self.post(driver, rank, Post::Release(Release { window, target, causes }));
    }
}

fn freed() -> MpiError {
    MpiError::new(ErrorClass::WIN, "the window was freed")
}
