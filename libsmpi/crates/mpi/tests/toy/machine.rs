//! Runs ranks whose programs are `async fn`s, batch by batch, as the event loop of `libsmpi` does: every rank that is
//! ready goes on until it waits, what they posted is committed, and when nobody is ready the driver goes to its next
//! instant.
//!
//! A rank that waits is a future that asks the world again whenever it is polled; it is polled when the world woke it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use smpi_base::rng::Rng;
use smpi_base::{SimTime, WorldRank};
use smpi_mpi::collective::select::Selection;
use smpi_mpi::p2p::protocol::Thresholds;
use smpi_mpi::usage::{Leftover, Observation};
use smpi_mpi::world::{Clock, Ended, World, WorldState};

use super::driver::Toy;
use super::memory::{self, Arenas};
use super::rank::Rank;

/// A function of the program that reduces two values.
pub(crate) type Reduction = fn(i64, i64) -> i64;

/// What all ranks share.
pub(crate) struct Universe {
    pub(crate) world: World,
    pub(crate) driver: Toy,
    pub(crate) selection: Selection,
    /// Operations of the program, by their identities.
    pub(crate) reductions: Vec<Reduction>,
    pub(crate) locals: Vec<Local>,
    /// Calls that are about arrays of requests list them.
    pub(crate) lists: bool,
}

/// What a rank has besides its state in the world.
#[derive(Clone, Debug, Default)]
pub(crate) struct Local {
    /// Collective operations that it called, by the context of the communicator.
    pub(crate) collectives: BTreeMap<u32, i32>,
    /// Delays that are over.
    pub(crate) delays: u64,
    /// Its alarm went off.
    pub(crate) alarmed: bool,
}

/// A moment to come back to.
pub(crate) struct Snapshot {
    world: WorldState,
    driver: Toy,
    locals: Vec<Local>,
    memory: Vec<Vec<u8>>,
}

/// How a program ended.
#[derive(Debug)]
pub(crate) struct Outcome<T> {
    /// The date.
    pub(crate) ticks: u64,
    /// What the ranks returned; nothing where one waits for ever.
    pub(crate) results: Vec<Option<T>>,
}

impl<T> Outcome<T> {
    /// The results of a program that ended everywhere.
    pub(crate) fn all(self) -> Vec<T> {
        let results = self.results.into_iter().enumerate();
        results.map(|(rank, result)| result.unwrap_or_else(|| panic!("rank {rank} waits for ever"))).collect()
    }
}

/// A world with the toy below it.
pub(crate) struct Machine {
    pub(crate) universe: Rc<RefCell<Universe>>,
    ranks: u32,
    /// Ranks that are ready at one instant run in random order; else in theirs.
    shuffle: Option<Rng>,
}

impl Machine {
    /// Short messages are detached and long ones wait for their receivers.
    pub(crate) fn new(ranks: u32) -> Machine {
        let mut world = World::new(ranks, Box::new(Arenas::new(ranks)), Thresholds::default());
        world.rules.copies_late = true;
        let universe = Universe {
            world,
            driver: Toy::default(),
            selection: Selection::default(),
            reductions: Vec::new(),
            locals: vec![Local::default(); ranks as usize],
            lists: true,
        };
        Machine { universe: Rc::new(RefCell::new(universe)), ranks, shuffle: None }
    }

    /// Messages below these sizes are eager, or else detached.
    pub(crate) fn thresholds(self, eager_below: u64, detached_below: u64) -> Machine {
        self.world(|world| world.rules.thresholds = Thresholds { eager_below, detached_below });
        self
    }

    /// Every message waits for its receiver.
    pub(crate) fn rendezvous(self) -> Machine {
        self.thresholds(0, 0)
    }

    /// Requests of arrays are looked at one by one.
    pub(crate) fn without_lists(self) -> Machine {
        self.universe.borrow_mut().lists = false;
        self
    }

    /// Collective operations are chosen like that.
    pub(crate) fn selecting(self, selection: Selection) -> Machine {
        self.universe.borrow_mut().selection = selection;
        self
    }

    /// Ready ranks run in random order.
    pub(crate) fn shuffled(mut self, seed: u64) -> Machine {
        self.shuffle = Some(Rng::new(seed));
        self
    }

    /// Looks at the world, or changes it.
    pub(crate) fn world<T>(&self, look: impl FnOnce(&mut World) -> T) -> T {
        look(&mut self.universe.borrow_mut().world)
    }

    /// What was noticed so far.
    pub(crate) fn observations(&self) -> Vec<Observation> {
        self.world(World::take_observations)
    }

    /// Runs a program to its end on all ranks: until they are through, or nothing can happen any more.
    pub(crate) fn run<F: Future>(&mut self, program: impl Fn(Rank) -> F) -> Outcome<F::Output> {
        self.run_ranks(program, true)
    }

    /// The same for a program that another one follows on the same ranks.
    pub(crate) fn begin<F: Future>(&mut self, program: impl Fn(Rank) -> F) -> Outcome<F::Output> {
        self.run_ranks(program, false)
    }

    fn run_ranks<F: Future>(&mut self, program: impl Fn(Rank) -> F, is_last: bool) -> Outcome<F::Output> {
        let all = (0..self.ranks).map(WorldRank);
        let start = |rank: WorldRank| Some(Box::pin(program(Rank::new(rank, self.ranks, self.universe.clone()))));
        let mut running: Vec<Option<Pin<Box<F>>>> = all.clone().map(start).collect();
        let mut results: Vec<Option<F::Output>> = all.clone().map(|_| None).collect();
        let mut batch: Vec<WorldRank> = all.collect();
        let mut context = Context::from_waker(Waker::noop());
        loop {
            if let Some(rng) = &mut self.shuffle {
                rng.shuffle(&mut batch);
            }
            for rank in batch.drain(..) {
                let Some(future) = &mut running[rank.index()] else { continue };
                if let Poll::Ready(result) = future.as_mut().poll(&mut context) {
                    results[rank.index()] = Some(result);
                    running[rank.index()] = None;
                    self.universe.borrow_mut().ended(rank, is_last);
                }
            }
            let mut universe = self.universe.borrow_mut();
            universe.commit(&mut batch);
            if running.iter().all(Option::is_none) || !universe.next_batch(&mut batch) {
                return Outcome { ticks: universe.driver.ticks, results };
            }
        }
    }

    /// What is left when all ranks are through.
    pub(crate) fn leftovers(&self) -> Vec<Leftover> {
        self.world(|world| world.leftovers())
    }

    /// Copies everything. Where a rank's program stands is no part of it: this is for moments between two programs.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let Universe { world, driver, locals, .. } = &mut *self.universe.borrow_mut();
        let ranks = (0..self.ranks).map(WorldRank);
        let (state, driver, locals) = (world.state.clone(), driver.clone(), locals.clone());
        let memory = ranks.map(|rank| memory::contents(world.memory(), rank)).collect();
        Snapshot { world: state, driver, locals, memory }
    }

    /// Goes back.
    pub(crate) fn restore(&self, snapshot: &Snapshot) {
        let mut universe = self.universe.borrow_mut();
        universe.world.set_state(&snapshot.world);
        universe.driver = snapshot.driver.clone();
        universe.locals = snapshot.locals.clone();
        for (rank, contents) in snapshot.memory.iter().enumerate() {
            memory::put_back(universe.world.memory(), WorldRank(rank as u32), contents);
        }
    }
}

impl Universe {
    /// A rank is through, at least with this program.
    fn ended(&mut self, rank: WorldRank, is_last: bool) {
        if is_last {
            self.driver.set_alarm(rank, SimTime(f64::INFINITY));
            self.world.rank_ended(&mut self.driver, rank);
        }
    }

    /// Commits what ranks posted.
    fn commit(&mut self, batch: &mut Vec<WorldRank>) {
        self.world.commit(&mut self.driver);
        self.world.take_woken(batch);
    }

    /// Goes on until a rank is ready; false when none ever will be.
    fn next_batch(&mut self, batch: &mut Vec<WorldRank>) -> bool {
        let mut ended = Vec::new();
        while batch.is_empty() {
            if !self.driver.advance(&mut ended) {
                return false;
            }
            for one in ended.drain(..) {
                match one {
                    Ended::Transfer(comm) => self.world.transfer_done(&mut self.driver, comm),
                    Ended::Rank(rank) => {
                        self.locals[rank.index()].delays += 1;
                        batch.push(rank);
                    }
                    Ended::Job(job) => panic!("nobody asks for a job: {job}"),
                    Ended::Alarm(rank) => {
                        self.locals[rank.index()].alarmed = true;
                        batch.push(rank);
                    }
                }
            }
            self.world.take_woken(batch);
        }
        batch.sort_unstable();
        batch.dedup();
        true
    }
}
