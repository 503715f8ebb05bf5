//! What ranks wait for, in words: for reports of those who wait. Where they wait for each other in a collective
//! operation, who is missing.

use std::cell::RefCell;
use std::fmt::Write as _;

use smpi_abi::{Callee, Function};
use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_mpi::comm::TrafficKind;
use smpi_mpi::p2p::request::{Body, Collective, Operation};
use smpi_mpi::usage::Origin;
use smpi_mpi::world::{Made, Near};
use smpi_report::rows;

use crate::state::{Runtime, Waits};

/// Characters that the ranks of an operation may take.
const WIDTH: usize = 40;

/// Calls that have started what a rank waits for, at most.
const MOST_STARTED: usize = 3;

/// Of those who are missing from an operation, as many are looked at for whom they wait.
const MOST_MISSING: usize = 8;

/// The ranks of an operation, ascending.
fn members(collective: &Collective) -> Vec<u32> {
    let comm = &collective.comm;
    let groups = [Some(&comm.group), comm.remote.as_ref()].into_iter().flatten();
    let members = groups.flat_map(|group| (0..group.size()).filter_map(|member| group.world(member)));
    let mut members: Vec<u32> = members.map(|member| member.0).collect();
    members.sort_unstable();
    members
}

/// What a blocked rank waits for, in words.
pub fn waits_of(runtime: &Runtime, missing: &Missing<'_>, rank: WorldRank) -> String {
    match &runtime.ranks[rank.index()].waits {
        Waits::Requests => runtime.world.describe_wait(rank, |collective| missing.words(rank, collective)),
        Waits::Message if runtime.driver.probed(rank).is_some() => {
            runtime.driver.describe_question(&runtime.world, rank)
        }
        Waits::Message => runtime.world.describe_probe(rank),
        Waits::Buffer => "its buffered messages to be received".to_string(),
        Waits::Answer => runtime.driver.describe_question(&runtime.world, rank),
        Waits::Time => "nothing that is known".to_string(),
    }
}

fn near_misses(runtime: &Runtime, rank: WorldRank) -> Vec<Near> {
    let waits = &runtime.ranks[rank.index()].waits;
    if !matches!(waits, Waits::Requests | Waits::Message | Waits::Answer) {
        return Vec::new();
    }
    runtime.world.near_misses(rank, runtime.driver.probed(rank).as_ref(), &runtime.driver.asked_slots(rank))
}

/// Whether something is near what a rank waits for of which nobody knows where its program did it: a simulation that is
/// not strict only knows calls of the program's own code.
pub fn is_near_without_line(runtime: &Runtime, rank: WorldRank) -> bool {
    !runtime.follows.track_sites && near_misses(runtime, rank).iter().any(|near| site_of(near.made).is_none())
}

/// What nearly is what a rank waits for, with its line if that is known: `rank 1 has sent it one with tag 8 (a.c:4)`.
pub fn near_of(runtime: &Runtime, rank: WorldRank) -> Option<String> {
    let words = near_misses(runtime, rank).into_iter().map(|near| {
        let line = site_of(near.made).and_then(|site| line_of(near.rank, site));
        let line = line.map_or(String::new(), |line| format!(" ({line})"));
        format!("{}{line}", near.words)
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| words.join("; "))
}

/// The calls that have started what a rank waits for, where it waits at another line: `MPI_Irecv at a.c:12`.
pub fn started_by(runtime: &Runtime, rank: WorldRank) -> Vec<String> {
    started_away_from(runtime, rank, line_of(rank, runtime.ranks[rank.index()].waits_at).as_deref())
}

/// The same of a rank that waits at this line.
pub fn started_away_from(runtime: &Runtime, rank: WorldRank, here: Option<&str>) -> Vec<String> {
    let started = match runtime.ranks[rank.index()].waits {
        Waits::Buffer => runtime.world.unreceived_from(rank, MOST_STARTED),
        _ => runtime.world.started_at(rank, &runtime.driver.asked_slots(rank), MOST_STARTED),
    };
    // What a call waits for that it has started itself is no news.
    let moves_message = runtime.ranks[rank.index()].call.function().is_some_and(Function::moves_message);
    let is_own = |made: &Made| made.origin.site == 0 && moves_message;
    let started = started.into_iter().filter(|made| !is_own(made));
    let lines = started.filter_map(|made| {
        let line = line_of(rank, site_of(made)?).filter(|line| here != Some(line))?;
        Some(call_at(made, &line))
    });
    lines.collect()
}

/// The calls that have started what a rank has not completed: `MPI_Irecv at a.c:12`.
pub fn unfinished_of(runtime: &Runtime, rank: WorldRank) -> Vec<String> {
    let of = |made: Made| Some(call_at(made, &line_of(rank, site_of(made)?)?));
    runtime.world.unfinished_of(rank, MOST_STARTED).into_iter().filter_map(of).collect()
}

/// `MPI_Irecv at a.c:12`, or `the call at a.c:12`.
fn call_at(made: Made, line: &str) -> String {
    match made.origin.call {
        Callee::Unknown => format!("the call at {line}"),
        call => format!("{call} at {line}"),
    }
}

/// The call in which a rank waited last, if that is known: `MPI_Recv at a.c:12`.
pub fn waited_in(runtime: &Runtime, rank: WorldRank) -> Option<String> {
    let run = &runtime.ranks[rank.index()];
    let line = line_of(rank, run.waits_at).filter(|_| run.waits_in != Callee::Unknown)?;
    Some(format!("{} at {line}", run.waits_in))
}

/// The number of the place in its program where something was made, if that is known.
fn site_of(made: Made) -> Option<u64> {
    let site = Some(made.origin.site).filter(|&site| site != 0);
    site.or_else(|| smpi_process::site_of_caller(made.caller).filter(|_| made.caller != 0))
}

/// `a.c:12`.
fn line_of(rank: WorldRank, site: u64) -> Option<String> {
    let place = smpi_process::place_of_site(rank, site)?;
    Some(format!("{}:{}", place.file?, place.line?))
}

/// What ranks wait for in collective operations, in words.
pub struct Missing<'a> {
    runtime: &'a Runtime,
    /// Communicators are told by their names or members.
    names: bool,
    /// What is known already: many ranks wait in one operation.
    known: RefCell<Map<Operation, String>>,
    /// The same of those who are missing.
    absent: RefCell<Map<Operation, Vec<u32>>>,
}

impl<'a> Missing<'a> {
    /// Where whoever reads sees the communicator elsewhere.
    pub fn new(runtime: &'a Runtime) -> Missing<'a> {
        Missing { runtime, names: false, known: RefCell::default(), absent: RefCell::default() }
    }

    /// The same with communicators by name, or by their members.
    pub fn with_names(runtime: &'a Runtime) -> Missing<'a> {
        Missing { names: true, ..Missing::new(runtime) }
    }

    /// A shortest round of ranks that wait for each other.
    pub fn cycle(&self) -> Option<Vec<u32>> {
        self.runtime.world.wait_cycle(|rank, collective| self.first_missing(rank, collective))
    }

    /// The ranks of `stuck` that a report tells of that has room for so many, ascending: first those for which others
    /// wait.
    pub fn told_of(&self, stuck: &[WorldRank], most: usize) -> Vec<WorldRank> {
        if stuck.len() <= most {
            return stuck.to_vec();
        }
        let awaited = |&rank: &WorldRank| {
            self.runtime.world.waits_for(rank, |rank, collective| self.first_missing(rank, collective))
        };
        let mut awaited: Vec<u32> = stuck.iter().flat_map(awaited).collect();
        awaited.sort_unstable();
        awaited.dedup();
        let (first, others): (Vec<WorldRank>, Vec<WorldRank>) =
            stuck.iter().partition(|rank| awaited.binary_search(&rank.0).is_ok());
        let mut told: Vec<WorldRank> = first.into_iter().chain(others).take(most).collect();
        told.sort_unstable();
        told
    }

    /// Of those who are missing from an operation in which a rank waits, some.
    fn first_missing(&self, rank: WorldRank, collective: &Collective) -> Vec<u32> {
        let missing = self.missing(collective).into_iter().filter(|&other| other != rank.0);
        missing.take(MOST_MISSING).collect()
    }

    /// An operation that others have called and this rank has not, and where they wait; the one, if there is one, of
    /// which nobody else is missing: `MPI_Bcast (collective 0 of its
    /// communicator), in which ranks 0,2 wait at a.c:12`.
    pub fn lacks(&self, rank: WorldRank) -> Option<String> {
        let ranks = (0..self.runtime.ranks.len() as u32).map(WorldRank).filter(|&other| other != rank);
        let awaited = |other| Some((other, self.runtime.world.awaited_collective(other)?));
        let waiting: Vec<(WorldRank, (&Collective, Origin))> = ranks.filter_map(awaited).collect();
        let missing = waiting.iter().map(|(_, (collective, _))| self.missing(collective));
        let others = missing.map(|missing| missing.contains(&rank.0).then_some(missing.len()));
        let (_, &(first, (collective, origin))) =
            others.zip(&waiting).filter(|(others, _)| others.is_some()).min_by_key(|(others, _)| *others)?;
        let same = waiting.iter().filter(|(_, (other, _))| other.operation() == collective.operation());
        let all: Vec<u32> = same.map(|(other, _)| other.0).collect();
        let line =
            line_of(first, origin.site).or_else(|| line_of(first, self.runtime.ranks[first.index()].waits_at))?;
        let (who, wait) = if all.len() == 1 { ("rank", "waits") } else { ("ranks", "wait") };
        let (name, number, all) = (collective.call.function(), collective.tag, rows::rank_set(&all, WIDTH));
        Some(format!("{name} (collective {number} of its communicator), in which {who} {all} {wait} at {line}"))
    }

    /// What a rank waits for that has called an operation.
    pub(crate) fn words(&self, rank: WorldRank, collective: &Collective) -> String {
        let mut known = self.known.borrow_mut();
        known.entry(collective.operation()).or_insert_with(|| self.of(rank, collective)).clone()
    }

    fn of(&self, rank: WorldRank, collective: &Collective) -> String {
        let comm = &collective.comm;
        let (members, missing) = (members(collective), self.missing(collective));
        let name = collective.call.function();
        let mut words = match &missing[..] {
            [] => format!("the other ranks of {name}"),
            [one] => format!("rank {one}{} to call {name}", self.fate(&missing)),
            several => format!("ranks {}{} to call {name}", rows::rank_set(several, WIDTH), self.fate(&missing)),
        };
        let known = self.runtime.objects[rank.index()].comm_of(comm.context_of(TrafficKind::PointToPoint));
        let its = match known.map(|(_, comm)| comm.name.as_str()) {
            _ if !self.names => "its communicator".to_string(),
            None | Some("") => format!("a communicator of ranks {}", rows::rank_set(&members, WIDTH)),
            Some(name) => name.to_string(),
        };
        let _ = write!(words, " (collective {} of {its})", collective.tag);
        words
    }

    /// The ranks that have not called an operation.
    pub fn missing(&self, collective: &Collective) -> Vec<u32> {
        let absent = || {
            let members = members(collective).into_iter();
            members.filter(|&member| self.has_to_call(WorldRank(member), collective)).collect()
        };
        self.absent.borrow_mut().entry(collective.operation()).or_insert_with(absent).clone()
    }

    /// That those who are missing will not come, if all have ended.
    fn fate(&self, missing: &[u32]) -> &'static str {
        let has_ended = |&rank: &u32| self.runtime.ranks[rank as usize].standing.is_over();
        match (missing.iter().all(has_ended), missing.len()) {
            (false, _) => "",
            (true, 1) => ", which has ended,",
            (true, _) => ", which have ended,",
        }
    }

    /// Whether a rank has the communicator and has not called the operation. One that does not have it any more has
    /// called all; of one that does not have it yet nothing is said.
    fn has_to_call(&self, rank: WorldRank, collective: &Collective) -> bool {
        let Some(objects) = self.runtime.objects.get(rank.index()) else { return false };
        let context = collective.comm.context_of(TrafficKind::PointToPoint);
        let Some((_, comm)) = objects.comm_of(context) else { return false };
        let (context, tag, round) = collective.operation();
        if comm.collectives <= tag as u32 {
            return true;
        }
        let requests = self.runtime.world.state.ranks[rank.index()].requests.iter();
        { requests }.any(|(_, request)| {
            matches!(&request.body, Body::Collective(own)
                if own.operation().0 == context && own.tag == tag && own.round < round)
        })
    }
}
