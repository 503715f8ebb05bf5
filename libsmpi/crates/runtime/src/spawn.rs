//! Ranks that are spawned while others run (MPI 5.0 §11.8).
//!
//! A rank that spawns others says what it wants ([`Runtime::to_spawn`]) and is suspended. When all ranks that run at
//! this instant have stopped, [`spawn`] puts the new ones in place: numbers, hosts, a communicator `MPI_COMM_WORLD` of
//! their own, and images. All of them, and who spawned them, are in the next batch.
//!
//! Ranks that may be spawned have their numbers from the start (`smpi/spawn-ranks`), so that nothing that is kept by
//! rank has to grow. Until then they count as ranks that have ended well.

use std::rc::Rc;

use smpi_base::{HostId, WorldRank};
use smpi_mpi::group::Group;
use smpi_mpi::ports::{NameCall, Use};
use smpi_mpi::world::{Chooser, Numbers, Spawning};
use smpi_process::{AppSpec, Ranks};

use crate::global::with;
use crate::jobs::{Job, Spawn, Spawned};
use crate::state::{MpiPhase, Runtime, Standing};

/// Why an exploration is not complete.
const UNORDERED: &str =
    "a name of a port is looked up and published by ranks that nothing orders: which comes first is not explored";

/// Spawns what ranks want to be spawned, and does what they want with names of ports. No rank may run.
pub fn serve(ranks: &mut Ranks) {
    if with(|runtime| runtime.asked.to_spawn.is_empty() && runtime.asked.name_calls.is_empty()) {
        return;
    }
    with(Runtime::serve_names);
    let mut due = with(|runtime| std::mem::take(&mut runtime.asked.to_spawn));
    // Ranks of one instant run in any order.
    due.sort_by_key(|(parent, _)| *parent);
    for (parent, spawn) in due {
        if let Some(result) = spawn_one(ranks, parent, &spawn) {
            with(|runtime| {
                runtime.run(parent).spawned = Some(result);
                runtime.make_ready(parent);
            });
        }
    }
}

/// `None`: the caller waits for ever, in an execution that is of no use otherwise.
fn spawn_one(ranks: &mut Ranks, parent: WorldRank, spawn: &Spawn) -> Option<Spawned> {
    let check = |(app, _): &(AppSpec, Vec<HostId>)| ranks.check(app);
    if let Err(error) = spawn.apps.iter().try_for_each(check) {
        return Some(Spawned::Refused(error.to_string().into()));
    }
    let spawning = Spawning { parent, count: spawn.count(), what: spawn.digest() };
    let first = with(|runtime| runtime.first_number(spawning));
    let first = match first {
        Ok(first) => first?,
        Err(left) => return Some(Spawned::TooMany(left)),
    };
    let mut next = first;
    for (app, _) in &spawn.apps {
        if let Err(error) = ranks.spawn(next, app) {
            return Some(Spawned::Refused(error.to_string().into()));
        }
        next.0 += app.ranks;
    }
    Some(with(|runtime| runtime.begin(parent, first, spawn)))
}

impl Runtime {
    /// The first of the numbers that new ranks get; `Ok(None)`: they get none. The error is how many are left.
    fn first_number(&mut self, spawning: Spawning) -> Result<Option<WorldRank>, u32> {
        let left = self.ranks.len() as u32 - self.layout.highest;
        match self.driver.numbers_of(spawning) {
            Numbers::Next if spawning.count > left => Err(left),
            Numbers::Next => Ok(Some(WorldRank(self.layout.highest))),
            Numbers::From(first) => Ok(Some(WorldRank(first))),
            Numbers::Unknown => {
                let is_short = self.driver.verification().is_some_and(|driver| driver.is_short_of_ranks());
                if is_short { Err(self.ranks.len() as u32 - self.layout.first_ranks) } else { Ok(None) }
            }
        }
    }

    /// Lets the ranks from `first` on begin.
    fn begin(&mut self, parent: WorldRank, first: WorldRank, spawn: &Spawn) -> Spawned {
        let members = Group::range(first.0, spawn.count());
        let (world, between) = {
            let agreements = &mut self.world.state.agreements;
            (agreements.new_context(), agreements.new_context())
        };
        let mut ends = Vec::new();
        let mut next = first;
        for (app, hosts) in &spawn.apps {
            for place in 0..app.ranks {
                if let Some(host) = hosts.get(place as usize % hosts.len().max(1)) {
                    self.layout.placement[next.index()] = *host;
                    self.driver.place(next, *host);
                }
                next.0 += 1;
            }
            ends.push(next.0 - first.0);
        }
        let job = Job { context: world, members: members.clone(), parents: (between, spawn.parents.clone()), ends };
        let job = Rc::new(job);
        for rank in members.worlds() {
            let run = self.run(rank);
            (run.standing, run.job) = (Standing::Waiting, Some(Rc::clone(&job)));
            run.phase = MpiPhase::Before;
            self.world.rank_begins(&mut self.driver, rank, parent);
            self.make_ready(rank);
        }
        self.layout.highest = self.layout.highest.max(next.0);
        Spawned::There { members, context: between }
    }

    /// Does what ranks want with names of ports.
    fn serve_names(&mut self) {
        let mut calls = std::mem::take(&mut self.asked.name_calls);
        // Ranks of one instant run in any order.
        calls.sort_by_key(|(rank, ..)| *rank);
        for (rank, service, call) in calls {
            if self.driver.explores() {
                let count = self.world.moment(rank).map(|moment| moment.place().1);
                let one = Use { rank, count, changes: call != NameCall::LookUp };
                let mut ports = std::mem::take(&mut self.world.state.ports);
                let knows = |other: &Use| {
                    other.count.is_some_and(|count| self.world.has_heard_of_place(rank, (other.rank, count)))
                };
                if !ports.note(&service, one, knows) {
                    self.world.observers.unexplored = Some(UNORDERED);
                }
                self.world.state.ports = ports;
            }
            let answer = self.world.state.ports.call(&service, &call);
            self.run(rank).named = Some(answer);
            self.make_ready(rank);
        }
    }

    /// The same for a program without `smpirun`, where nobody can be spawned.
    pub(crate) fn serve_alone(&mut self) {
        self.serve_names();
        for (rank, _) in std::mem::take(&mut self.asked.to_spawn) {
            let why = "a program that runs without smpirun cannot spawn ranks; start it with smpirun -np 1";
            self.run(rank).spawned = Some(Spawned::Refused(why.into()));
            self.make_ready(rank);
        }
    }

    /// Reserves the numbers from `first_ranks` on for ranks that are spawned.
    pub(crate) fn reserve(&mut self) {
        let reserved = self.layout.first_ranks..self.ranks.len() as u32;
        if let Some(driver) = self.driver.verification() {
            driver.reserve(reserved.clone());
        }
        for rank in reserved.map(WorldRank) {
            self.run(rank).standing = Standing::Unborn;
            self.world.rank_ended(&mut self.driver, rank);
        }
    }

    /// One past the highest number of a rank that is there, or has been.
    pub fn extent(&self) -> u32 {
        self.born().last().map_or(0, |last| last.0 + 1)
    }

    /// The ranks that are there, or have been, without those that may still be spawned.
    pub fn born(&self) -> impl Iterator<Item = WorldRank> + '_ {
        let is_born = |rank: &WorldRank| self.ranks[rank.index()].standing != Standing::Unborn;
        (0..self.ranks.len() as u32).map(WorldRank).filter(is_born)
    }
}
