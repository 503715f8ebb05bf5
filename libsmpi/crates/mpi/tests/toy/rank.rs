//! What a rank's program calls: its memory, and waiting in all its forms. Messages are in `messages.rs`, collective
//! operations in `collective.rs`.

use std::cell::RefCell;
use std::future::poll_fn;
use std::iter;
use std::rc::Rc;
use std::task::Poll;

use smpi_base::{SimTime, WorldRank};
use smpi_mpi::collective::Part;
use smpi_mpi::comm::{CommCore, WORLD_CONTEXT};
use smpi_mpi::datatype::{Basic, Datatype};
use smpi_mpi::group::Group;
use smpi_mpi::p2p::request::{Body, Completion, Phase, Request, RequestKey};
use smpi_mpi::world::{Chooser, Clock, Driver, Hints, HowMany, ListId, Notice, Picked, Poll as PollKind, World};

use super::driver::Toy;
use super::machine::{Local, Universe};

/// A request of the program; `None` is `MPI_REQUEST_NULL`.
pub(crate) type Handle = Option<RequestKey>;

/// A rank, in a communicator.
#[derive(Clone)]
pub(crate) struct Rank {
    /// Its number in the communicator.
    pub(crate) me: u32,
    /// Ranks of the communicator.
    pub(crate) size: u32,
    pub(crate) comm: CommCore,
    pub(crate) world_rank: WorldRank,
    universe: Rc<RefCell<Universe>>,
}

impl Rank {
    /// A rank in the communicator of all ranks.
    pub(crate) fn new(world_rank: WorldRank, size: u32, universe: Rc<RefCell<Universe>>) -> Rank {
        let comm = CommCore { context: WORLD_CONTEXT, group: Group::range(0, size), remote: None, rank: world_rank.0 };
        Rank { me: world_rank.0, size, comm, world_rank, universe }
    }

    /// The same rank in another communicator, if it is a member. All members name the same context.
    pub(crate) fn within(&self, context: u32, members: &[u32]) -> Option<Rank> {
        let group = Group::list(members.to_vec());
        let (me, size) = (group.rank_of(self.world_rank)?, group.size());
        let comm = CommCore { context, group, remote: None, rank: me };
        Some(Rank { me, size, comm, ..self.clone() })
    }

    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut Universe) -> T) -> T {
        look(&mut self.universe.borrow_mut())
    }

    /// Lets the rank use the world and its driver.
    pub(crate) fn call<T>(&self, call: impl FnOnce(&mut World, &mut Toy, WorldRank) -> T) -> T {
        self.with(|universe| call(&mut universe.world, &mut universe.driver, self.world_rank))
    }

    /// What the rank has beside its state in the world.
    pub(crate) fn local<T>(&self, look: impl FnOnce(&mut Local) -> T) -> T {
        self.with(|universe| look(&mut universe.locals[self.world_rank.index()]))
    }

    /// The date.
    pub(crate) fn ticks(&self) -> u64 {
        self.with(|universe| universe.driver.ticks)
    }

    // Memory.

    /// Memory for values.
    pub(crate) fn room(&self, count: usize) -> Part {
        let at = self.call(|world, _, rank| world.memory().reserve(rank, 8 * count));
        Part { at, count: count as i64, datatype: Datatype::basic(Basic::Int64) }
    }

    /// Memory with values in it.
    pub(crate) fn put(&self, values: &[i64]) -> Part {
        let part = self.room(values.len());
        self.set(&part, values);
        part
    }

    /// Changes values.
    pub(crate) fn set(&self, part: &Part, values: &[i64]) {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
        assert_eq!(bytes.len() as u64, part.size());
        self.call(|world, _, rank| part.datatype.unpack(world.memory(), rank, part.at, part.count as u64, &bytes));
    }

    /// The values that are there.
    pub(crate) fn get(&self, part: &Part) -> Vec<i64> {
        let mut bytes = Vec::new();
        self.call(|world, _, rank| part.datatype.pack(world.memory(), rank, part.at, part.count as u64, &mut bytes));
        bytes.chunks_exact(8).map(|chunk| i64::from_ne_bytes(chunk.try_into().expect("8 bytes"))).collect()
    }

    // Waiting.

    /// Waits until there is an answer. The question is put again whenever the rank is woken.
    pub(crate) async fn until<T>(&self, mut ask: impl FnMut(&mut World, &mut Toy, WorldRank) -> Option<T>) -> T {
        poll_fn(|_| {
            self.reduce();
            self.call(&mut ask).map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }

    /// Lets the others go on until this rank is woken.
    pub(crate) async fn suspend(&self) {
        let mut was_suspended = false;
        poll_fn(|_| if std::mem::replace(&mut was_suspended, true) { Poll::Ready(()) } else { Poll::Pending }).await;
        self.reduce();
    }

    /// The reductions with functions of the program that are due.
    fn reduce(&self) {
        while let Some(work) = self.call(|world, _, rank| world.user_work(rank)) {
            let part = |at| Part { at, count: work.count, datatype: work.datatype.clone() };
            let function = self.with(|universe| universe.reductions[work.id as usize]);
            let (left, right) = (self.get(&part(work.input)), self.get(&part(work.inout)));
            let reduced: Vec<i64> = left.iter().zip(&right).map(|(&left, &right)| function(left, right)).collect();
            self.set(&part(work.inout), &reduced);
            self.call(|world, driver, rank| world.user_work_done(driver, rank, work.slot));
        }
    }

    /// Does nothing for some ticks.
    pub(crate) async fn sleep(&self, ticks: u64) {
        for _ in 0..ticks {
            self.delay(1.0).await;
        }
    }

    async fn delay(&self, duration: f64) {
        let before = self.local(|local| local.delays);
        self.call(|_, driver, rank| driver.start_delay(rank, SimTime(duration)));
        let is_over = || self.local(|local| local.delays) > before;
        poll_fn(|_| if is_over() { Poll::Ready(()) } else { Poll::Pending }).await;
    }

    /// Waits for the alarm at a date.
    pub(crate) async fn alarm(&self, date: u64) {
        self.call(|_, driver, rank| driver.set_alarm(rank, SimTime(date as f64)));
        let is_over = || self.local(|local| std::mem::take(&mut local.alarmed));
        poll_fn(|_| if is_over() { Poll::Ready(()) } else { Poll::Pending }).await;
    }

    /// What a poll takes before it looks.
    pub(crate) async fn before_poll(&self, kind: PollKind) {
        self.reduce();
        if let Some(duration) = self.call(|_, driver, rank| driver.poll_takes(rank, kind)) {
            self.delay(duration).await;
        }
    }

    // Requests.

    /// Makes a request that is not started.
    pub(crate) fn request(&self, body: Body, persistent: bool) -> RequestKey {
        self.call(|world, _, rank| world.new_request(rank, Request::new(body, persistent, 0))).expect("there is room")
    }

    /// Starts a request.
    pub(crate) fn start(&self, key: RequestKey) {
        self.call(|world, driver, rank| world.start(driver, rank, key)).expect("it can be started");
    }

    /// Makes a request and starts it.
    pub(crate) fn launch(&self, body: Body) -> RequestKey {
        let key = self.request(body, false);
        self.start(key);
        key
    }

    pub(crate) fn cancel(&self, key: RequestKey) {
        self.call(|world, driver, rank| world.post_cancel(driver, rank, key));
    }

    pub(crate) fn free(&self, key: RequestKey) {
        self.call(|world, _, rank| world.free_request(rank, key));
    }

    /// Takes the completion of a finished request.
    fn take(&self, key: RequestKey) -> Completion {
        self.call(|world, driver, rank| world.take_completion(driver, rank, key)).expect("it is finished")
    }

    pub(crate) fn is_inactive(&self, key: RequestKey) -> bool {
        self.phase(key) == Phase::Inactive
    }

    fn phase(&self, key: RequestKey) -> Phase {
        self.call(|world, _, rank| world.request(rank, key).map_or(Phase::Inactive, |request| request.phase))
    }

    pub(crate) async fn wait(&self, key: RequestKey) -> Completion {
        self.waitall(&mut [Some(key)]).await.remove(0)
    }

    /// Completions of the requests that are not null.
    pub(crate) async fn waitall(&self, handles: &mut [Handle]) -> Vec<Completion> {
        let keys = keys(handles);
        self.until(|world, _, rank| world.wait_all(rank, keys.iter().copied()).then_some(())).await;
        self.take_picked(handles, &Picked::Finished).into_iter().map(|(_, completion)| completion).collect()
    }

    pub(crate) async fn waitany(&self, handles: &mut [Handle]) -> Option<(usize, Completion)> {
        let (list, picked) = self.wait_any(handles, HowMany::One).await;
        self.compare(handles, list);
        self.take_one(handles, &picked)
    }

    pub(crate) async fn waitsome(&self, handles: &mut [Handle]) -> Vec<(usize, Completion)> {
        let (list, picked) = self.wait_any(handles, HowMany::Some).await;
        self.compare(handles, list);
        self.take_picked(handles, &picked)
    }

    async fn wait_any(&self, handles: &[Handle], how_many: HowMany) -> (Option<ListId>, Picked) {
        let list = self.list(handles);
        let (keys, mut hints) = (keys(handles), Hints { list, ..Hints::default() });
        let ask = |world: &mut World, driver: &mut Toy, rank| {
            driver.wait_any(world, rank, keys.iter().copied(), how_many, &mut hints)
        };
        (list, self.until(ask).await)
    }

    /// Lists requests, as the C layer does it.
    pub(crate) fn list(&self, handles: &[Handle]) -> Option<ListId> {
        let number = |key: &RequestKey| 1 << 32 | u64::from(key.generation) << 20 | u64::from(key.slot);
        let numbers: Vec<u64> = handles.iter().map(|handle| handle.as_ref().map_or(0, number)).collect();
        let key = |number: u64| RequestKey { slot: number as u32 & 0xf_ffff, generation: (number >> 20) as u8 & 0x3f };
        let array = (handles.as_ptr().addr() as u64, &numbers[..]);
        let lists = self.with(|universe| universe.lists);
        self.call(|world, driver, rank| {
            world.list(driver, rank, array, |number| Ok((number != 0).then(|| key(number))))
        })
        .filter(|_| lists)
    }

    /// A list says what a look at each request says.
    fn compare(&self, handles: &[Handle], list: Option<ListId>) {
        let Some(list) = list else { return };
        let next = |from| self.call(|world, _, rank| world.done_in_list(rank, list, from)).expect("it is there");
        let listed = iter::successors(next(0), |&index| next(index + 1)).map(|index| index as usize);
        let searched: Vec<usize> = self.done(handles).into_iter().map(|done| done.1).collect();
        assert_eq!(listed.collect::<Vec<_>>(), searched);
        let is_open = self.call(|world, _, rank| world.is_list_open(rank, list));
        assert_eq!(is_open, Some(keys(handles).into_iter().any(|key| self.phase(key) != Phase::Inactive)));
    }

    pub(crate) async fn test(&self, key: RequestKey) -> Option<Completion> {
        self.testall(&mut [Some(key)]).await.map(|mut all| all.remove(0))
    }

    pub(crate) async fn testall(&self, handles: &mut [Handle]) -> Option<Vec<Completion>> {
        let picked = self.look(handles, HowMany::All).await;
        let all = self.take_picked(handles, &picked).into_iter().map(|(_, completion)| completion).collect();
        (picked != Picked::Nothing).then_some(all)
    }

    pub(crate) async fn testany(&self, handles: &mut [Handle]) -> Option<(usize, Completion)> {
        let picked = self.look(handles, HowMany::One).await;
        self.take_one(handles, &picked)
    }

    pub(crate) async fn testsome(&self, handles: &mut [Handle]) -> Vec<(usize, Completion)> {
        let picked = self.look(handles, HowMany::Some).await;
        self.take_picked(handles, &picked)
    }

    async fn look(&self, handles: &[Handle], how_many: HowMany) -> Picked {
        self.before_poll(PollKind::Test).await;
        let list = if how_many == HowMany::All { None } else { self.list(handles) };
        let (keys, mut hints) = (keys(handles), Hints { list, ..Hints::default() });
        let picked = self
            .until(|world, driver, rank| driver.test(world, rank, keys.iter().copied(), how_many, &mut hints))
            .await;
        let found = picked != Picked::Nothing && keys.iter().any(|&key| self.phase(key) == Phase::Done);
        self.call(|world, driver, rank| driver.told(world, Notice::Polled { rank, found }));
        self.compare(handles, list);
        picked
    }

    /// Takes the first completion that is picked.
    fn take_one(&self, handles: &mut [Handle], picked: &Picked) -> Option<(usize, Completion)> {
        let first = self.done(handles).into_iter().find(|done| picked.contains(done.0))?;
        Some(self.take_at(handles, first.1))
    }

    /// Takes all completions that are picked.
    fn take_picked(&self, handles: &mut [Handle], picked: &Picked) -> Vec<(usize, Completion)> {
        let done = self.done(handles).into_iter().filter(|done| picked.contains(done.0));
        done.map(|(_, index)| self.take_at(handles, index)).collect()
    }

    /// Positions of the finished requests, among those that are not inactive and among all.
    fn done(&self, handles: &[Handle]) -> Vec<(u32, usize)> {
        let live = handles.iter().enumerate().filter_map(|(index, handle)| Some((index, self.phase((*handle)?))));
        let active = live.filter(|(_, phase)| *phase != Phase::Inactive);
        let numbered = iter::zip(0.., active);
        numbered.filter(|(_, (_, phase))| *phase == Phase::Done).map(|(place, (index, _))| (place, index)).collect()
    }

    fn take_at(&self, handles: &mut [Handle], index: usize) -> (usize, Completion) {
        let completion = self.take(handles[index].expect("it is a request"));
        if completion.gone {
            handles[index] = None;
        }
        (index, completion)
    }
}

/// The requests that are not null.
fn keys(handles: &[Handle]) -> Vec<RequestKey> {
    handles.iter().flatten().copied().collect()
}
