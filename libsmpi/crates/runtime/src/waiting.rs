//! What ranks wait for, in words: for reports of those who wait. Where they wait for each other in a collective
//! operation, who is missing.

use std::cell::RefCell;
use std::fmt::Write as _;

use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_base::table::Key;
use smpi_mailbox::Context;
use smpi_mpi::comm::TrafficKind;
use smpi_mpi::p2p::request::{Body, Collective, Operation};
use smpi_process as process;
use smpi_report::rows;

use crate::objects::Comm;
use crate::objects::handles::Kind;
use crate::state::{Runtime, Waits};

/// Characters that the ranks of an operation may take.
const WIDTH: usize = 40;

/// What a blocked rank waits for, in words.
pub fn waits_of(runtime: &Runtime, missing: &Missing<'_>, rank: WorldRank) -> String {
    match &runtime.ranks[rank.index()].waits {
        Waits::Requests => runtime.world.describe_wait(rank, |collective| missing.words(rank, collective)),
        Waits::Message => runtime.world.describe_probe(rank),
        Waits::Buffer => "its buffered messages to be received".to_string(),
        Waits::Answer => runtime.driver.describe_question(&runtime.world, rank),
        Waits::Time => "nothing that is known".to_string(),
    }
}

/// What ranks wait for in collective operations, in words.
pub struct Missing<'a> {
    runtime: &'a Runtime,
    /// Communicators are told by their names or members.
    names: bool,
    /// What is known already: many ranks wait in one operation.
    known: RefCell<Map<Operation, String>>,
}

impl<'a> Missing<'a> {
    /// Where whoever reads sees the communicator elsewhere.
    pub fn new(runtime: &'a Runtime) -> Missing<'a> {
        Missing { runtime, names: false, known: RefCell::default() }
    }

    /// The same with communicators by name, or by their members.
    pub fn with_names(runtime: &'a Runtime) -> Missing<'a> {
        Missing { names: true, ..Missing::new(runtime) }
    }

    /// What a rank waits for that has called an operation.
    pub(crate) fn words(&self, rank: WorldRank, collective: &Collective) -> String {
        let mut known = self.known.borrow_mut();
        known.entry(collective.operation()).or_insert_with(|| self.of(rank, collective)).clone()
    }

    fn of(&self, rank: WorldRank, collective: &Collective) -> String {
        let comm = &collective.comm;
        let groups = [Some(&comm.group), comm.remote.as_ref()].into_iter().flatten();
        let members = groups.flat_map(|group| (0..group.size()).filter_map(|member| group.world(member)));
        let mut members: Vec<u32> = members.map(|member| member.0).collect();
        members.sort_unstable();
        let missing: Vec<u32> =
            members.iter().copied().filter(|&member| self.has_to_call(WorldRank(member), collective)).collect();
        let name = collective.call.function();
        let mut words = match &missing[..] {
            [] => format!("the other ranks of {name}"),
            [one] => format!("rank {one}{} to call {name}", self.fate(&missing)),
            several => format!("ranks {}{} to call {name}", rows::rank_set(several, WIDTH), self.fate(&missing)),
        };
        let context = comm.context_of(TrafficKind::PointToPoint);
        let its = match communicator(self.runtime, rank, context) {
            _ if !self.names => "its communicator".to_string(),
            Some(Communicator::Named(name)) => name,
            _ => format!("a communicator of ranks {}", rows::rank_set(&members, WIDTH)),
        };
        let _ = write!(words, " (collective {} of {its})", collective.tag);
        words
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
        let all = objects.world.iter().chain(&objects.self_comm).chain(objects.comms.iter().map(|(_, comm)| comm));
        let is_it = |comm: &&Comm| comm.core.context == collective.comm.context;
        let Some(comm) = { all }.find(is_it) else { return false };
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

/// How a communicator is told from others.
pub enum Communicator {
    /// By what the program or the standard calls it.
    Named(String),
    /// By the call that made it, and its line.
    MadeAt(String),
}

/// The communicator of a rank that has this context for messages, if it has one that can be told from others.
pub fn communicator(runtime: &Runtime, rank: WorldRank, context: Context) -> Option<Communicator> {
    let objects = &runtime.objects[rank.index()];
    let own = objects.comms.iter().map(|(key, comm)| (Some(key), comm));
    let predefined = objects.world.iter().chain(&objects.self_comm).map(|comm| (None, comm));
    let of_context = |(_, comm): &(Option<Key>, &Comm)| comm.core.context_of(TrafficKind::PointToPoint) == context;
    let (key, comm) = predefined.chain(own).find(of_context)?;
    if !comm.name.is_empty() {
        return Some(Communicator::Named(comm.name.clone()));
    }
    let origin = objects.sites.get(Kind::Comm, key?);
    let place = process::place_of_site(rank, origin.site);
    let line = place.and_then(|place| Some(format!(" at {}:{}", place.file?, place.line?))).unwrap_or_default();
    let made_by = origin.call.name();
    (!made_by.is_empty()).then(|| Communicator::MadeAt(format!("{made_by}{line}")))
}
