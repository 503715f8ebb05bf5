//! Servers: who gets the lock of a window next, and in which order atomic accesses take place.
//!
//! A server is a rank of its own that no program runs. It has a mailbox behind those of the program's ranks, and does
//! what a program would do that served one target of one window: it receives from anybody, does what it is asked for,
//! and receives again. So whoever is first is whoever a receive from `MPI_ANY_SOURCE` takes: the one that is chosen,
//! with all that is known of such choices.
//!
//! *Locks.* A request is answered when the lock is free for it. While an exclusive lock is held, and while one is
//! waited for, nobody else is received: so shared locks do not starve an exclusive one. In a simulation requests travel
//! to the server's place, and who arrives first gets the lock first.
//! Locks are given back by messages that name their sender: these are no choices.
//!
//! *Accesses.* Where the order of atomic accesses to an element is chosen, each is a message to the server of the
//! element, too, which does it when it receives it. One to several such elements is a message to the server of each.
//! Elsewhere they take place when they arrive.
//!
//! *Files.* Where it is chosen who uses a file next, a rank asks the server of the file, and is told when the server
//! has received that. What is done then is the business of who keeps the files.
//!
//! *Where the order does not matter* ([`Order::Any`]), a lock is there when it is asked for, and nobody has to be told
//! that it is given back.
//!
//! Servers have numbers behind those of the program's ranks: those that the driver gives them, and in a simulation the
//! next one.

use smpi_abi::c::constants::{MPI_ANY_SOURCE, MPI_ANY_TAG};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_base::table::Key;
use smpi_mailbox::{Communication, Context, Envelope};

use super::races::LockClocks;
use super::transit::Errand;
use super::{Driver, Matter, Notice, Order, Outgoing, ServerName, World};
use crate::collective::Part;
use crate::p2p::request::{Body, Phase, Recv, Request};
use crate::rma::{Lock, Wait, WindowId};
use crate::usage::{Origin, Sent};

/// Context of requests to servers.
const REQUESTS: Context = Context::MAX - 1;
/// Context of locks that are given back.
const RELEASES: Context = Context::MAX;

/// Why an exploration is not complete where atomic accesses to many elements are not ordered.
const AS_A_WHOLE: &str = "atomic accesses to more elements of a window than are ordered one by one are concurrent: they are taken \
                          to be atomic as a whole, and those of one origin to be in order";

/// One server.
#[derive(Clone, Debug)]
struct Server {
    name: ServerName,
    /// The window that it serves now.
    window: WindowId,
    /// Its target there, as a rank of the window.
    target: u32,
    locks: Locks,
}

/// All servers: by number behind the program's ranks, and where they are by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Servers {
    list: Vec<Option<Box<Server>>>,
    numbers: Map<ServerName, u32>,
    /// Whose turn it is to use a file, and has not been told.
    turns: Vec<(WorldRank, u32)>,
}

/// The state of a lock.
#[derive(Clone, Debug, Default)]
struct Locks {
    holders: BTreeSet<WorldRank>,
    /// The lock that is held is exclusive.
    exclusive: bool,
    /// What those knew that held it before.
    known: LockClocks,
    /// Who has asked and waits: rank, and slot of its request. At most one, for an exclusive lock, where requests are
    /// received.
    queue: VecDeque<((WorldRank, u32), Lock)>,
}

/// What is asked for, as the tag of a request for a lock tells.
fn tag_of(slot: u32, lock: Lock) -> i32 {
    (slot * 2 + u32::from(lock == Lock::Exclusive)) as i32
}

fn of_tag(tag: i32) -> (u32, Lock) {
    (tag as u32 / 2, if tag & 1 == 1 { Lock::Exclusive } else { Lock::Shared })
}

impl World {
    /// The program's ranks, and the servers behind them.
    pub fn everybody(&self) -> impl Iterator<Item = WorldRank> + use<> {
        (0..self.state.ranks.len() as u32).map(WorldRank)
    }

    /// Whether this is the number of a server.
    pub fn is_server(&self, rank: WorldRank) -> bool {
        rank.0 >= self.rules.programs
    }

    fn server(&self, rank: WorldRank) -> Option<&Server> {
        self.state.servers.list.get(rank.0.checked_sub(self.rules.programs)? as usize)?.as_deref()
    }

    fn server_mut(&mut self, rank: WorldRank) -> Option<&mut Server> {
        self.state.servers.list.get_mut(rank.0.checked_sub(self.rules.programs)? as usize)?.as_deref_mut()
    }

    /// The rank of the program at whose place a rank stands: a server stands at its target's.
    #[inline]
    pub(super) fn stands_at(&self, rank: WorldRank) -> WorldRank {
        if rank.0 < self.rules.programs {
            rank
        } else {
            self.server(rank).map_or(WorldRank(0), |server| server.name.target)
        }
    }

    /// What a server decides.
    pub fn describe_server(&self, rank: WorldRank) -> Option<ServerName> {
        self.server(rank).map(|server| server.name)
    }

    /// The name of the server of a target, which may not exist.
    pub(super) fn name_of_server(&self, window: WindowId, target: u32, matter: Matter) -> Option<ServerName> {
        let member = self.member(window, target)?;
        Some(ServerName { target: member.world, window: member.number, matter })
    }

    /// The server of a target, which begins to serve when it is asked for first; `None` where any order will do.
    fn server_of<D: Driver>(
        &mut self,
        driver: &mut D,
        (window, target): (WindowId, u32),
        name: ServerName,
    ) -> Option<WorldRank> {
        let number = match driver.order(name) {
            Order::Any => return None,
            Order::Chosen(number) => number,
            Order::Arrival => {
                self.state.servers.numbers.get(&name).copied().unwrap_or(self.state.servers.list.len() as u32)
            }
        };
        let rank = WorldRank(self.rules.programs + number);
        if let Some(server) = self.server_mut(rank) {
            // Of another window, which was freed: nobody holds its lock or waits for it any more.
            server.window = window;
            server.target = target;
            return Some(rank);
        }
        if self.state.ranks.len() <= rank.index() {
            self.state.ranks.resize_with(rank.index() + 1, Default::default);
            self.state.servers.list.resize_with(number as usize + 1, || None);
            self.state.boxes.grow(rank.0 + 1);
            if let Some(causality) = &mut self.state.causality {
                causality.grow(rank.index() + 1);
            }
            driver.told(self, Notice::Grow(rank.0 + 1));
        }
        self.state.servers.numbers.insert(name, number);
        self.state.servers.list[number as usize] =
            Some(Box::new(Server { name, window, target, locks: Locks::default() }));
        self.listen(driver, rank, None);
        Some(rank)
    }

    fn serves_as_they_come<D: Driver>(&self, driver: &D, server: WorldRank) -> bool {
        self.server(server).is_some_and(|server| driver.order(server.name) == Order::Arrival)
    }

    /// Lets a server receive the next request, unless requests come without being received; or the lock that `holder`
    /// gives back.
    fn listen<D: Driver>(&mut self, driver: &mut D, server: WorldRank, holder: Option<WorldRank>) {
        if holder.is_none() && self.serves_as_they_come(driver, server) {
            return;
        }
        let part = Part::nothing();
        let recv = match holder {
            Some(rank) => {
                Recv { part, source: rank.0 as i32, from: Some(rank), tag: MPI_ANY_TAG, context: RELEASES, caller: 0 }
            }
            None => Recv { part, source: MPI_ANY_SOURCE, from: None, tag: MPI_ANY_TAG, context: REQUESTS, caller: 0 },
        };
        let mut request = Request::new(Body::Recv(recv), false, 0);
        request.phase = Phase::Active;
        let Some(key) = self.state.ranks[server.index()].requests.insert(request) else { return };
        self.post_causes(server, key);
        driver.started(self, server, key);
        self.begin(driver, server, key.slot);
    }

    /// Sends a request or a lock to a server.
    fn ask<D: Driver>(
        &mut self,
        driver: &mut D,
        (rank, server): (WorldRank, WorldRank),
        (context, tag): (Context, i32),
        size: u64,
        (owner, causes): (Option<u32>, Option<Box<Sent>>),
    ) {
        let envelope = Envelope { context, source: rank.0, tag };
        let mut outgoing = Outgoing::word(server, envelope, size, causes);
        self.send(driver, rank, &mut outgoing, owner);
    }

    /// Asks for a lock: the rank's request in `slot` is over when it has it.
    pub(super) fn ask_for_lock<D: Driver>(
        &mut self,
        driver: &mut D,
        rank: WorldRank,
        slot: u32,
        wait: &Wait,
        lock: Lock,
    ) {
        let Some(target) = wait.target else { return };
        let Some(name) = self.name_of_server(wait.window, target, Matter::Locks) else { return };
        self.note_lock(wait, lock);
        let Some(server) = self.server_of(driver, (wait.window, target), name) else {
            let member = self.member_mut(wait.window, target);
            return match member.is_some_and(|member| member.lockers.admit(wait.member, lock)) {
                true => self.run_errand(driver, name.target, rank, 0, Errand::Word { rank, slot }),
                false => driver.told(self, Notice::OrderMatters(name)),
            };
        };
        if driver.order(name) == Order::Arrival {
            self.state.ranks[rank.index()].sent.messages += 1;
            let at = self.stands_at(server);
            return self.run_errand(driver, rank, at, 0, Errand::Lock { server, asker: (rank, slot), lock });
        }
        self.ask(driver, (rank, server), (REQUESTS, tag_of(slot, lock)), 0, (Some(slot), None));
    }

    /// A request for a lock is with its server: it waits behind those that came before.
    pub(super) fn lock_is_asked<D: Driver>(
        &mut self,
        driver: &mut D,
        server: WorldRank,
        asker: (WorldRank, u32),
        lock: Lock,
    ) {
        if let Some(Server { locks, .. }) = self.server_mut(server) {
            locks.queue.push_back((asker, lock));
            self.serve_queue(driver, server);
        }
    }

    /// Grants the locks that are free for those who came first.
    fn serve_queue<D: Driver>(&mut self, driver: &mut D, server: WorldRank) {
        while let Some(Server { locks, .. }) = self.server_mut(server)
            && let Some(&(asker, lock)) = locks.queue.front()
            && (locks.holders.is_empty() || !locks.exclusive && lock == Lock::Shared)
        {
            locks.queue.pop_front();
            self.grant(driver, server, asker, lock);
        }
    }

    /// Gives a lock back.
    pub(super) fn release<D: Driver>(
        &mut self,
        driver: &mut D,
        rank: WorldRank,
        (window, target): (WindowId, u32),
        causes: Option<Box<Sent>>,
    ) {
        if let Some(name) = self.name_of_server(window, target, Matter::Locks)
            && let Some(server) = self.server_of(driver, (window, target), name)
        {
            self.ask(driver, (rank, server), (RELEASES, 0), 0, (None, causes));
        }
    }

    /// Concurrent accesses of several origins are to the elements at these places of a target, and their order makes a
    /// difference.
    pub(super) fn order_matters<D: Driver>(
        &mut self,
        driver: &mut D,
        (window, target): (WindowId, u32),
        places: &[u64],
    ) {
        if places.is_empty() {
            return;
        }
        let Some(name) = self.name_of_server(window, target, Matter::Accesses) else { return };
        if let Order::Chosen(_) = driver.order(name) {
            self.observers.unexplored = Some(AS_A_WHOLE);
            return;
        }
        let element = self.names_of_elements(name, (window, target));
        for name in places.iter().map(|at| element(*at)) {
            if driver.order(name) == Order::Any {
                driver.told(self, Notice::OrderMatters(name));
            }
        }
    }

    /// The names of the servers of elements of a target, by their addresses. `name` is one of the same target.
    pub(super) fn names_of_elements(
        &self,
        name: ServerName,
        (window, target): (WindowId, u32),
    ) -> impl Fn(u64) -> ServerName + use<> {
        let base = self.member(window, target).map_or(0, |member| member.base.0);
        move |at| ServerName { matter: Matter::Element(at.wrapping_sub(base)), ..name }
    }

    /// Hands an atomic access to the servers that decide when it takes place. False when some of it does as it arrives.
    pub(super) fn ask_for_access<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, key: Key) -> bool {
        let Some(access) = self.state.accesses.get(key) else { return true };
        let (window, target, size) = (access.window, access.target, access.size_there());
        let Some(name) = self.name_of_server(window, target, Matter::Accesses) else { return driver.explores() };
        match driver.order(name) {
            Order::Arrival => return false,
            Order::Chosen(_) => {
                if let Some(server) = self.server_of(driver, (window, target), name) {
                    self.ask(driver, (rank, server), (REQUESTS, key.slot as i32), size, (None, None));
                }
                return true;
            }
            Order::Any => {}
        }
        let elements = access.elements();
        let element = self.names_of_elements(name, (window, target));
        let named = elements.iter().map(|at| (*at, element(*at)));
        let chosen: BTreeMap<u64, ServerName> = named.filter(|(_, name)| driver.order(*name) != Order::Any).collect();
        if chosen.is_empty() {
            return false;
        }
        let Some(size) = access.element_size() else { return false };
        let has_others = elements.iter().any(|at| !chosen.contains_key(at));
        if elements.len() > 1
            && let Some(access) = self.state.accesses.get_mut(key)
        {
            access.served = chosen.keys().copied().collect();
            access.parts = chosen.len() as u32 + u32::from(has_others);
        }
        for name in chosen.into_values() {
            if let Some(server) = self.server_of(driver, (window, target), name) {
                self.ask(driver, (rank, server), (REQUESTS, key.slot as i32), size, (None, None));
            }
        }
        !has_others
    }

    /// Asks for a rank's turn to use a file; `turn` is what [`World::take_file_turns`] says then. False where nobody
    /// decides.
    pub fn ask_for_turn<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, name: ServerName, turn: u32) -> bool {
        let Some(server) = self.server_of(driver, (WindowId::MAX, 0), name) else { return false };
        self.ask(driver, (rank, server), (REQUESTS, turn as i32), 0, (None, None));
        true
    }

    /// Whose turn it is to use files: server, and what was asked for.
    pub fn take_file_turns(&mut self) -> Vec<(WorldRank, u32)> {
        std::mem::take(&mut self.state.servers.turns)
    }

    /// Whether it is anybody's turn.
    pub fn has_file_turns(&self) -> bool {
        !self.state.servers.turns.is_empty()
    }

    /// Where the program asked for what a server may grant a rank next: its lock, or its access.
    pub fn asked_at(&self, server: WorldRank, asker: WorldRank) -> Option<Origin> {
        let matter = self.server(server)?.name.matter;
        let is_asked = |sent: &&Communication| sent.from == asker && sent.envelope.context == REQUESTS;
        let tag = self.state.boxes.waiting_sends(server).map(|(_, sent)| sent).find(is_asked)?.envelope.tag;
        let origin = match matter {
            Matter::File => return None,
            Matter::Locks => self.request_at(asker, of_tag(tag).0)?.origin(),
            Matter::Accesses | Matter::Element(_) => self.state.accesses.at_slot(tag as u32)?.made,
        };
        Some(origin).filter(|origin| origin.site != 0)
    }

    /// A server has received something.
    pub(super) fn serve<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, slot: u32) {
        let Some(key) = self.state.ranks[rank.index()].requests.key_at(slot) else { return };
        let is_release = match self.request_at(rank, slot).map(|request| &request.body) {
            Some(Body::Recv(recv)) => recv.context == RELEASES,
            _ => return,
        };
        let known = self.heard_by(rank, slot);
        let Some(completion) = self.take_completion(driver, rank, key) else { return };
        let (from, tag) = (WorldRank(completion.status.source as u32), completion.status.tag);
        let Some(Server { name, window, target, locks }) = self.server_mut(rank) else { return };
        let (about, matter) = ((*window, *target), name.matter);
        if matter == Matter::File {
            self.state.servers.turns.push((rank, tag as u32));
            self.listen(driver, rank, None);
        } else if matter != Matter::Locks {
            if let Some(key) = self.state.accesses.key_at(tag as u32) {
                let base = self.member(about.0, about.1).map_or(0, |member| member.base.0);
                let place = if let Matter::Element(at) = matter { Some(base.wrapping_add(at)) } else { None };
                self.perform_served(driver, rank, key, place);
            }
            self.listen(driver, rank, None);
        } else if is_release {
            let was = if locks.exclusive { Lock::Exclusive } else { Lock::Shared };
            locks.known.returned(was, &known);
            locks.holders.remove(&from);
            if !locks.holders.is_empty() {
                return;
            }
            locks.exclusive = false;
            let is_free = locks.queue.is_empty();
            self.serve_queue(driver, rank);
            if is_free && was == Lock::Exclusive {
                self.listen(driver, rank, None);
            }
        } else {
            let (slot, lock) = of_tag(tag);
            self.lock_is_asked(driver, rank, (from, slot), lock);
        }
    }

    /// Gives a lock to a rank that asked for it.
    fn grant<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, (to, slot): (WorldRank, u32), lock: Lock) {
        let Some(server) = self.server_mut(rank) else { return };
        let (at, about) = (server.name.target, (server.window, server.target));
        let locks = &mut server.locks;
        locks.holders.insert(to);
        locks.exclusive = lock == Lock::Exclusive;
        let known = locks.known.granted(lock).clone();
        self.teach(to, slot, &known);
        self.listen(driver, rank, Some(to));
        driver.told(self, Notice::Answered { server: rank, rank: to, about, slot: Some(slot) });
        self.run_errand(driver, at, to, 0, Errand::Word { rank: to, slot });
        if lock == Lock::Shared {
            self.listen(driver, rank, None);
        }
    }

    /// The one rank that must give a lock back before a rank can have it.
    pub(super) fn keeps_waiting(&self, wait: &Wait) -> Option<WorldRank> {
        let name = self.name_of_server(wait.window, wait.target?, Matter::Locks)?;
        let server = self.server(WorldRank(self.rules.programs + self.state.servers.numbers.get(&name)?))?;
        let mut holders = server.locks.holders.iter();
        holders.next().copied().filter(|_| holders.next().is_none())
    }
}
