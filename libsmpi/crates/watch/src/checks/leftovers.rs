//! What ranks leave behind: objects that were not freed, requests and messages that nobody took care of.

use smpi_abi::{Callee, Function};
use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_mpi::usage::Left;
use smpi_mpi::usage::Origin;
use smpi_report::FindingKey;
use smpi_report::finding::{Finding, Location};

use super::{located, location_of};
use smpi_runtime::objects::handles::Kind;
use smpi_runtime::with;
use smpi_runtime::{MpiPhase, Runtime};

/// Ranks whose places a finding lists.
const MAX_PLACES: usize = 64;

/// Things of one kind that were made at the same place.
struct Group {
    key: FindingKey,
    origin: Origin,
    ranks: Vec<WorldRank>,
    count: u64,
    /// The first of them in words.
    what: String,
}

/// Groups in the order of their first member.
#[derive(Default)]
struct Groups {
    list: Vec<Group>,
    index: Map<(FindingKey, Origin, u32), usize>,
}

impl Groups {
    fn add(
        &mut self,
        runtime: &Runtime,
        key: FindingKey,
        rank: WorldRank,
        origin: Origin,
        what: impl FnOnce() -> String,
    ) {
        let app = runtime.app_of(rank);
        let next = self.list.len();
        let index = *self.index.entry((key, origin, app)).or_insert(next);
        if index == next {
            self.list.push(Group { key, origin, ranks: Vec::new(), count: 0, what: what() });
        }
        let group = &mut self.list[index];
        group.count += 1;
        if group.ranks.last() != Some(&rank) {
            group.ranks.push(rank);
        }
    }
}

/// True when all ranks have ended.
pub fn is_over() -> bool {
    with(|runtime| runtime.ranks.iter().all(|run| run.standing.is_over()))
}

/// Findings about what is left when all ranks have ended well.
pub fn at_end() -> Vec<Finding> {
    let groups = with(|runtime| {
        let mut groups = Groups::default();
        for index in 0..runtime.ranks.len() {
            objects_of(runtime, WorldRank(index as u32), &mut groups);
        }
        for leftover in runtime.world.leftovers() {
            if !has_finished(runtime, leftover.rank) {
                continue;
            }
            let key = match leftover.left {
                Left::Message | Left::Receive => FindingKey::PendingAtFinalize,
                Left::NeverStarted => FindingKey::RequestNeverStarted,
                Left::NeverCompleted => FindingKey::RequestNeverCompleted,
                Left::Persistent => FindingKey::LeakRequest,
            };
            groups.add(runtime, key, leftover.rank, leftover.origin, || leftover.what.clone());
        }
        groups.list
    });
    let mut found: Vec<Finding> = groups.into_iter().map(finding).collect();
    // A request that waits for the missing ranks says the same with more detail.
    if found.iter().all(|finding| finding.key != FindingKey::RequestNeverCompleted) {
        found.extend(super::notes::unmet());
    }
    found
}

/// Whether a rank has called `MPI_Finalize`, or had sessions and nothing else.
fn has_finished(runtime: &Runtime, rank: WorldRank) -> bool {
    match runtime.ranks[rank.index()].phase {
        MpiPhase::Before => runtime.objects[rank.index()].had_sessions,
        MpiPhase::Active => false,
        MpiPhase::After => true,
    }
}

fn objects_of(runtime: &Runtime, rank: WorldRank, groups: &mut Groups) {
    match runtime.ranks[rank.index()].phase {
        MpiPhase::Before if !runtime.objects[rank.index()].had_sessions => return,
        MpiPhase::Active => {
            groups.add(
                runtime,
                FindingKey::FinalizeMissing,
                rank,
                runtime.ranks[rank.index()].initialised,
                String::new,
            );
            return;
        }
        MpiPhase::Before | MpiPhase::After => {}
    }
    if let Some(annotation) = &runtime.ranks[rank.index()].annotation {
        let what = || super::notes::UNUSED_ANNOTATION.to_string();
        groups.add(runtime, FindingKey::Annotation, rank, annotation.origin, what);
    }
    let objects = &runtime.objects[rank.index()];
    let sites = &objects.sites;
    let mut add = |key, kind, slot| groups.add(runtime, key, rank, sites.get(kind, slot), String::new);
    let comms = objects.comms.iter().filter(|(_, comm)| !comm.is_hidden);
    // A rank that was spawned need not ask for it.
    let comms = comms.filter(|(key, _)| objects.parent != Some(*key));
    comms.for_each(|(slot, _)| add(FindingKey::LeakCommunicator, Kind::Comm, slot));
    objects.wins.iter().for_each(|(slot, _)| add(FindingKey::LeakWindow, Kind::Win, slot));
    objects.files.iter().for_each(|(slot, _)| add(FindingKey::LeakFile, Kind::File, slot));
    objects.groups.iter().for_each(|(slot, _)| add(FindingKey::LeakGroup, Kind::Group, slot));
    // Those of a precision and range (MPI_Type_create_f90_real) are predefined: nobody frees them.
    let made = objects.types.iter().filter(|(_, entry)| !entry.datatype.is_predefined());
    made.for_each(|(slot, _)| add(FindingKey::LeakDatatype, Kind::Datatype, slot));
    objects.ops.iter().for_each(|(slot, _)| add(FindingKey::LeakOp, Kind::Op, slot));
    objects.errhandlers.iter().for_each(|(slot, _)| add(FindingKey::LeakErrhandler, Kind::Errhandler, slot));
    objects.infos.iter().for_each(|(slot, _)| add(FindingKey::LeakInfo, Kind::Info, slot));
    objects.sessions.iter().for_each(|(slot, _)| add(FindingKey::LeakSession, Kind::Session, slot));
}

fn finding(group: Group) -> Finding {
    let Group { key, origin, ranks, count, what } = group;
    let whom = match &ranks[..] {
        [only] => format!("rank {only}"),
        _ => format!("{} ranks", ranks.len()),
    };
    let others = if count > 1 { format!(", and {} more", count - 1) } else { String::new() };
    let (message, note) = match key {
        FindingKey::FinalizeMissing => (format!("{whom} ended without MPI_Finalize"), "begun here"),
        FindingKey::PendingAtFinalize => (format!("{what} was never received{others}"), "started here"),
        FindingKey::Annotation => (format!("{whom}: {what}; it is ignored"), "made here"),
        FindingKey::RequestNeverStarted => {
            let were = if count == 1 { "was" } else { "were" };
            (format!("{} of {whom} {were} never started", objects_words(key, count)), "created here")
        }
        FindingKey::RequestNeverCompleted => {
            (format!("{what} was started and never completed{others}"), "started here")
        }
        FindingKey::LeakSession => (format!("{} of {whom} never finalized", objects_words(key, count)), "created here"),
        _ => (format!("{} of {whom} never freed", objects_words(key, count)), "created here"),
    };
    let mut finding = Finding::new(key, message);
    finding.ranks = ranks.iter().map(|rank| rank.0).collect();
    if key == FindingKey::FinalizeMissing {
        finding = ranks.iter().take(MAX_PLACES).fold(finding, |finding, &rank| finding.located(end_of(rank)));
    }
    let known = origin.site != 0;
    for &rank in ranks.iter().take(if known { MAX_PLACES } else { 1 }) {
        let location =
            if known { location_of(rank, origin).noted(note) } else { Location::new(rank.0, end_call(key, origin)) };
        finding = finding.located(location);
    }
    finding
}

/// Where a rank ended.
fn end_of(rank: WorldRank) -> Location {
    let exit = smpi_process::exit_of(rank);
    let note = if exit.returned { "returned without it" } else { "ended here" };
    let place = smpi_process::place_of_site(rank, exit.site);
    located(Location::new(rank.0, ""), place.as_ref()).noted(note)
}

/// The call to name when nobody knows where a thing was made.
fn end_call(key: FindingKey, origin: Origin) -> Callee {
    if key == FindingKey::FinalizeMissing { origin.call } else { Callee::Function(Function::Finalize) }
}

fn objects_words(key: FindingKey, count: u64) -> String {
    let (one, many) = match key {
        FindingKey::LeakCommunicator => ("communicator", "communicators"),
        FindingKey::LeakGroup => ("group", "groups"),
        FindingKey::LeakDatatype => ("datatype", "datatypes"),
        FindingKey::LeakOp => ("reduction operation", "reduction operations"),
        FindingKey::LeakErrhandler => ("error handler", "error handlers"),
        FindingKey::LeakInfo => ("info object", "info objects"),
        FindingKey::LeakWindow => ("window", "windows"),
        FindingKey::LeakSession => ("session", "sessions"),
        FindingKey::LeakFile => ("file", "files"),
        _ => ("persistent request", "persistent requests"),
    };
    format!("{count} {}", if count == 1 { one } else { many })
}
