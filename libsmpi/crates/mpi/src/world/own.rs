//! What ranks do with their own memory where windows let others reach it, without a window: loads and stores of the
//! program, as far as it reports them, and the buffers of operations. Races of these with accesses are found as those
//! of accesses among each other (`races.rs`).
//!
//! A load or a store is over at once. What a rank does before others can next hear of it has one count of the rank's
//! clock, and each byte is looked at once.
//!
//! *Atomic operations* of C or C++ are ordered as atomic accesses are (`servers.rs`): they take place at once, until
//! two of them are concurrent and the order makes a difference; from then on those on this element are accesses, which
//! the server of the element does ([`World::start_own`]).

use smpi_abi::Function;
use smpi_base::WorldRank;

use super::races::{Memory, OWN_ORDER};
use super::{Driver, Matter, Order, ServerName, World};
use crate::buffers;
use crate::collective::Part;
use crate::error::Result;
use crate::p2p::request::{Body, Request, RequestKey};
use crate::rma::{Access, Action, Elements, Flavor, Ranges, Seen, WindowId};
use crate::usage::{Lent, Origin};

/// Bytes of a rank that others reach: whose memory it is, by which window, as whose, and which.
type Reached = (Memory, WindowId, u32, Ranges);

/// Where an operation was made, and the accesses or the request whose end is its own.
type About = (Origin, Option<(WindowId, u32)>, Option<RequestKey>);

/// When something that a rank does with its own memory is over, as in [`Seen`].
#[derive(Clone, Copy, Default)]
struct End {
    over: Option<u32>,
    part_of: Option<(WindowId, u32)>,
    request: Option<RequestKey>,
}

/// What a rank does with its own memory without a window, as it is remembered.
fn seen(
    origin: WorldRank,
    (action, elements): (Action, &Elements),
    (memory, window, target, bytes): Reached,
    made: Origin,
    End { over, part_of, request }: End,
) -> (Memory, Seen) {
    let (is_own, elements, commuting) = (true, elements.clone(), None);
    (memory, Seen { window, target, origin, is_own, action, elements, commuting, bytes, over, part_of, request, made })
}

impl World {
    /// The memory of a rank that others may reach by windows changes. Of interest where races are looked for.
    pub fn look_at_windows(&mut self, rank: WorldRank) {
        if self.state.causality.is_none() {
            return;
        }
        let mut span: Option<(u64, u64)> = None;
        self.each_reached(rank, |_, _, (low, high)| {
            let (from, to) = span.unwrap_or((low, high));
            span = Some((from.min(low), to.max(high)));
        });
        self.state.ranks[rank.index()].exposed = span;
    }

    /// A range around the memory of a rank that others reach by windows, if races are looked for.
    #[inline]
    pub fn exposed(&self, rank: WorldRank) -> Option<(u64, u64)> {
        self.state.ranks[rank.index()].exposed.filter(|_| self.state.causality.is_some())
    }

    /// Runs the action on each piece of memory that a rank reaches by loads and stores and others by a window: the
    /// window, whose memory it is there, and the bytes.
    fn each_reached(&self, rank: WorldRank, mut action: impl FnMut(WindowId, u32, (u64, u64))) {
        let all = self.state.ranks[rank.index()].windows.iter().flatten();
        let windows = all.filter_map(|id| Some((*id, self.state.windows.get(id)?)));
        // All who share memory find it by the window that has made it.
        let of = |is_shared| windows.clone().filter(move |found| (found.1.flavor == Flavor::Shared) == is_shared);
        for (id, window) in of(true).chain(of(false)) {
            let own = window.group.rank_of(rank).unwrap_or(0);
            let shared = 0..window.group.size();
            for number in if window.flavor == Flavor::Shared { shared } else { own..own + 1 } {
                let Some(member) = window.member(number) else { continue };
                if member.size > 0 {
                    action(id, number, (member.base.0, member.base.0 + member.size));
                }
                for (&start, &len) in member.attached.iter().filter(|(_, len)| **len > 0) {
                    action(id, number, (start, start + len));
                }
            }
        }
    }

    /// What MPI has some of these bytes of a rank for, however long that is: memory of a window, or a buffer for sends
    /// in buffered mode; and where that begins.
    pub fn lent(&self, rank: WorldRank, (low, high): (u64, u64)) -> Option<(Lent, u64)> {
        let mut found = None;
        self.each_reached(rank, |id, _, (from, to)| {
            // Memory that the window itself brings is given back by it.
            let is_own = self.state.windows.get(&id).is_some_and(|window| window.flavor.is_of_program());
            if is_own && from < high && low < to {
                found = Some((Lent::Window, from));
            }
        });
        let buffers = &self.state.ranks[rank.index()].buffers;
        let attached = || buffers.pieces().find(|(from, to)| *from < high && low < *to);
        found.or_else(|| attached().map(|(from, _)| (Lent::Attached, from)))
    }

    /// A range around the buffers of a rank for sends in buffered mode.
    pub fn attached(&self, rank: WorldRank) -> Option<(u64, u64)> {
        let pieces = self.state.ranks[rank.index()].buffers.pieces();
        pieces.reduce(|(low, high), (from, to)| (low.min(from), high.max(to)))
    }

    /// Whether others may reach something of these bytes of a rank.
    fn may_be_reached(&self, rank: WorldRank, (first, last): (u64, u64)) -> bool {
        self.exposed(rank).is_some_and(|(low, high)| first < high && last > low)
    }

    /// Whether others may reach something of a buffer of a rank.
    #[inline]
    fn may_reach(&self, rank: WorldRank, part: &Part) -> bool {
        if part.count == 0 {
            return false;
        }
        if let Some(run) = part.as_run() {
            return self.may_be_reached(rank, run);
        }
        let span = part.datatype.span(part.count as u64).filter(|_| part.size() > 0);
        span.is_some_and(|(low, high)| self.may_be_reached(rank, (part.at.offset(low).0, part.at.offset(high).0)))
    }

    /// A buffer of an access to a window becomes MPI's.
    #[inline]
    pub(super) fn note_part(&mut self, rank: WorldRank, part: &Part, receives: bool, about: About) {
        if self.may_reach(rank, part) {
            self.note_buffer(rank, &Ranges::of(part), receives, about);
        }
    }

    /// Those of some bytes of a rank's memory that others reach, each once.
    fn reached(&self, rank: WorldRank, bytes: &Ranges) -> Vec<Reached> {
        let mut found: Vec<Reached> = Vec::new();
        if bytes.span().is_none_or(|span| !self.may_be_reached(rank, span)) {
            return found;
        }
        self.each_reached(rank, |id, member, (low, high)| {
            let is_new =
                |&(start, end): &(u64, u64)| start < end && !found.iter().any(|known| known.3.covers(start, end));
            let within = bytes.pieces().map(|piece| (piece.0.max(low), piece.1.min(high)));
            let within: Ranges = within.filter(is_new).collect();
            if let Some(start) = within.start() {
                found.push((self.memory_at(rank, start), id, member, within));
            }
        });
        found
    }

    /// The program of a rank does something with bytes of its memory.
    pub fn note_own<D: Driver>(
        &mut self,
        driver: &mut D,
        rank: WorldRank,
        (low, high): (u64, u64),
        action: Action,
        made: impl FnOnce() -> Origin,
    ) {
        let Some(causality) = &mut self.state.causality else { return };
        if causality.stretch(rank).has(low, high, action.writes()) && !action.is_atomic() {
            return;
        }
        let reached = self.reached(rank, &Ranges::One((low, high)));
        let Some(causality) = self.state.causality.as_mut().filter(|_| !reached.is_empty()) else { return };
        let over = Some(causality.count_of_stretch(rank));
        let elements = match (action.is_atomic(), high - low) {
            (true, size) if low.is_multiple_of(size) => Elements::Aligned(size),
            (true, size) => Elements::At(vec![low], size),
            (false, _) => Elements::Aligned(1),
        };
        let (made, end) = (made(), End { over, ..End::default() });
        let all: Vec<(Memory, Seen)> =
            reached.into_iter().map(|reached| seen(rank, (action, &elements), reached, made, end)).collect();
        if action.is_atomic() {
            if driver.explores() {
                self.order_own(driver, rank, low, &all);
            }
            let Some(causality) = &mut self.state.causality else { return };
            causality.meet_at(rank, low, action.writes());
        } else {
            causality.stretch(rank).add(low, high, action.writes());
        }
        all.into_iter().for_each(|(memory, new)| self.compare_own(memory, new));
    }

    /// An atomic operation of C or C++ takes place as a rank comes to it: whether its order makes a difference is
    /// noticed.
    fn order_own<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, place: u64, all: &[(Memory, Seen)]) {
        let Some(causality) = &self.state.causality else { return };
        let clock = &causality.clocks[rank.index()];
        let met: Vec<_> =
            all.iter().flat_map(|(memory, new)| causality.accesses.meets_concurrent(*memory, clock, new)).collect();
        for at in met {
            match at.filter(|at| self.own_server(driver, *at, place).is_none()) {
                Some(at) => self.order_matters(driver, at, &[place]),
                None => self.observers.unexplored = Some(OWN_ORDER),
            }
        }
    }

    /// The server that decides when an atomic operation takes place at an address of a target's memory, if there is
    /// one.
    fn own_server<D: Driver>(&self, driver: &D, (window, target): (WindowId, u32), place: u64) -> Option<ServerName> {
        let whole = self.name_of_server(window, target, Matter::Accesses)?;
        let element = self.names_of_elements(whole, (window, target))(place);
        [whole, element].into_iter().find(|name| driver.order(*name) != Order::Any)
    }

    /// By which window, and as whose memory, it is chosen when an atomic operation of C or C++ on these bytes of a rank
    /// takes place, if it is.
    pub fn own_order<D: Driver>(
        &self,
        driver: &D,
        rank: WorldRank,
        (low, high): (u64, u64),
    ) -> Option<(WindowId, u32)> {
        let mut found = None;
        self.each_reached(rank, |window, target, (from, to)| {
            if found.is_none() && from <= low && high <= to && self.own_server(driver, (window, target), low).is_some()
            {
                found = Some((window, target));
            }
        });
        found
    }

    /// Starts an atomic operation of C or C++ at a place where it is chosen when it takes place; it is over with its
    /// request.
    ///
    /// # Errors
    /// `MPI_ERR_OTHER` when too many accesses or requests are open.
    pub fn start_own<D: Driver>(
        &mut self,
        driver: &mut D,
        rank: WorldRank,
        (window, target): (WindowId, u32),
        mut access: Access,
    ) -> Result<RequestKey> {
        let key = self.new_request(rank, Request::new(Body::Access(Some((window, target))), false, 0))?;
        self.start(driver, rank, key)?;
        access.origin = self.window(window).and_then(|window| window.group.rank_of(rank)).unwrap_or(0);
        (access.is_own, access.window, access.target, access.request) = (true, window, target, Some(key));
        self.enter_access(driver, rank, access)?;
        Ok(key)
    }

    /// The program of a rank frees memory: nobody may access it any more.
    pub fn note_freed(&mut self, rank: WorldRank, bytes: (u64, u64), made: impl FnOnce() -> Origin) {
        let reached = self.reached(rank, &Ranges::One(bytes));
        if !reached.is_empty() {
            let made = made();
            reached.into_iter().for_each(|reached| {
                let what = (Action::Write, &Elements::Aligned(1));
                let (memory, new) = seen(rank, what, reached, made, End::default());
                self.compare_own(memory, new);
            });
        }
    }

    /// Memory of a rank becomes the buffer of an operation: until a request is over, or accesses at a window.
    fn note_buffer(&mut self, rank: WorldRank, bytes: &Ranges, receives: bool, (made, part_of, request): About) {
        let action = if receives { Action::Write } else { Action::Read };
        for reached in self.reached(rank, bytes) {
            let end = End { part_of, request, ..End::default() };
            let (memory, new) = seen(rank, (action, &Elements::Aligned(1)), reached, made, end);
            self.compare_own(memory, new);
        }
    }

    fn compare_own(&mut self, memory: Memory, new: Seen) {
        let (origin, window, target) = (new.origin, new.window, new.target);
        if new.action.writes() && !new.frees_window() {
            self.note_stored(origin, window, target, new.made);
        }
        let owner = self.state.windows.get(&window).and_then(|window| window.group.world(target)).unwrap_or(origin);
        self.compare((memory, owner), new, false);
    }

    /// Whether others may reach buffers of a request by windows.
    #[inline]
    pub fn meets_windows(&self, rank: WorldRank, key: RequestKey) -> bool {
        self.exposed(rank).is_some() && self.has_buffer_at_window(rank, key)
    }

    #[inline(never)]
    fn has_buffer_at_window(&self, rank: WorldRank, key: RequestKey) -> bool {
        let request = self.state.ranks[rank.index()].requests.get(key);
        let request = request.filter(|request| !is_without_data(request));
        request.is_some_and(|request| buffers::any_part(request, |part| self.may_reach(rank, part)))
    }

    /// A request of a rank is started: windows may reach its buffers.
    pub(super) fn note_buffers_of(&mut self, rank: WorldRank, key: RequestKey) {
        if !self.meets_windows(rank, key) {
            return;
        }
        let Some(request) = self.state.ranks[rank.index()].requests.get(key) else { return };
        let made = request.origin();
        for owned in buffers::owned(request) {
            let bytes = owned.runs(usize::MAX).into_iter().flatten().collect();
            self.note_buffer(rank, &bytes, owned.receives, (made, None, Some(key)));
        }
    }
}

/// Whether an operation is one without buffers.
fn is_without_data(request: &Request) -> bool {
    match &request.body {
        Body::Collective(collective) => matches!(collective.call.name, Function::Barrier | Function::Win_fence),
        _ => false,
    }
}
