//! The profile of a simulation, from what its recorder knows: addresses become source lines, contexts communicators,
//! channels links.

mod network;
mod waits;

use std::io::BufWriter;
use std::path::{Path, PathBuf};

use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_base::plan::{RunPlan, TimelineFormat, TimelinePlan};
use smpi_base::whole::{self, Whole};
use smpi_base::{eprint, print};
use smpi_dwarf::source::SourceLocation;
use smpi_mpi::comm::{TrafficKind, WORLD_CONTEXT};
use smpi_mpi::world::Clock;
use smpi_otf2::Otf2;
use smpi_process as process;
use smpi_recording::details::CallDetail;
use smpi_recording::spool::{Dated, Event};
use smpi_recording::stem::Step;
use smpi_recording::{Counted, Parts, Place, RankSums, Recorder, Spot, What, collectives, wait_state};
use smpi_report::profile::{
    Arrow, CallPath, CallRow, CollectiveRow, CommRow, ComputationRow, CriticalPath, Efficiency, PathRow, PathStep,
    Picture, PlaceName, Profile, RankRow, SCHEMA, Span, Spread, Time,
};
use smpi_report::timeline::{self, paje::Paje, perfetto::Perfetto};

use crate::global::with;
use crate::objects::handles::Kind;
use crate::state::Runtime;

/// Prints and writes the profile where the plan asks for it; `heap_peak_bytes` has the most memory of each rank's heap.
///
/// # Errors
/// Text for the user when the file cannot be written.
pub fn write(plan: &RunPlan, heap_peak_bytes: impl Fn(WorldRank) -> u64) -> Result<(), String> {
    if !plan.records() {
        return Ok(());
    }
    let names = with(|runtime| {
        let now = runtime.driver.now().secs();
        runtime.driver.recorder().map(|recorder| {
            recorder.finish(now);
            Names::of(recorder)
        })
    });
    let Some(names) = names else { return Ok(()) };
    let Some(profile) = with(|runtime| collect(runtime, plan, heap_peak_bytes, &names)) else { return Ok(()) };
    if plan.profile {
        eprint!("{}", profile.text());
    }
    if let Some(path) = &plan.profile_json {
        let written = whole::write(path, profile.json());
        written.map_err(|error| format!("{path}: cannot write the profile: {}", print::reason(&error)))?;
    }
    if let Some(path) = &plan.page
        && let Some(picture) = with(|runtime| picture(runtime, &names))
    {
        let written = whole::write(path, profile.html(&picture));
        written.map_err(|error| format!("{path}: cannot write the page: {}", print::reason(&error)))?;
    }
    if let Some(plan) = &plan.timeline {
        write_timeline(plan, &timeline_names(&names, &profile))?;
    }
    Ok(())
}

/// Writes all events in the format that the plan names.
fn write_timeline(TimelinePlan { path, format }: &TimelinePlan, names: &timeline::Names) -> Result<(), String> {
    let in_file = |tell: &dyn Fn(BufWriter<&mut Whole>) -> std::io::Result<()>| {
        let mut whole = Whole::create(path.as_ref())?;
        tell(BufWriter::new(&mut whole))?;
        whole.finish()
    };
    let write = || match format {
        TimelineFormat::Perfetto => in_file(&|out| tell(&mut Perfetto::begin(out, names)?)),
        TimelineFormat::Paje => in_file(&|out| tell(&mut Paje::begin(out, names)?)),
        TimelineFormat::Otf2 => write_archive(path.as_ref(), names),
    };
    write().map_err(|error| format!("{path}: cannot write the timeline: {}", print::reason(&error)))
}

/// Writes an archive of OTF2: a file, and a folder beside it. Neither is left of one that cannot be written.
fn write_archive(path: &Path, names: &timeline::Names) -> std::io::Result<()> {
    let parts = [path.to_owned(), path.with_extension("")];
    let new: Vec<&PathBuf> = parts.iter().filter(|part| !part.exists()).collect();
    let told = Otf2::begin(path, names).and_then(|mut archive| tell(&mut archive));
    if told.is_err() {
        for part in new {
            // There may be only one of them.
            let _ = if part.is_dir() { std::fs::remove_dir_all(part) } else { std::fs::remove_file(part) };
        }
    }
    told
}

/// Tells a writer all events.
fn tell(writer: &mut dyn timeline::Writer) -> std::io::Result<()> {
    with(|runtime| {
        let Some(spool) = runtime.driver.recorder().and_then(|recorder| recorder.spool.as_mut()) else {
            return Ok(());
        };
        spool.replay(|Dated { date, rank, event }| match event {
            Event::Enter(place) => writer.enter(date, rank, place.0),
            Event::Leave => writer.leave(date, rank),
            Event::Compute => writer.compute(date, rank, true),
            Event::Computed => writer.compute(date, rank, false),
            Event::Depart { message, to, bytes } => writer.depart(date, rank, message, to, bytes),
            Event::Arrive { message, from, bytes } => writer.arrive(date, rank, message, from, bytes),
        })
    })?;
    writer.finish()
}

/// Names for a timeline.
fn timeline_names(names: &Names, profile: &Profile) -> timeline::Names {
    timeline::Names {
        run: profile.command.clone(),
        hosts: profile.rank_rows.iter().map(|row| row.host.clone()).collect(),
        places: names.of_places.iter().map(|place| (place.call.clone(), place.source())).collect(),
        end_secs: profile.simulated_time_secs,
    }
}

/// Names of places, and rows in which places of one name are one.
struct Names {
    of_places: Vec<PlaceName>,
    /// By place: the calls that led to it, the inner first.
    callers: Vec<Vec<PlaceName>>,
}

impl Names {
    fn of(recorder: &Recorder) -> Names {
        let path = |spot: Option<Spot>| {
            let Some(Spot { program, site, callers, function }) = spot else { return vec![PlaceName::default()] };
            let mut path = vec![site];
            path.extend(callers);
            let mut called = Some(function.name().to_string());
            // A trace has no addresses.
            let mut frames = if site == 0 { Vec::new() } else { process::places_of_path(WorldRank(program), &path) };
            frames.truncate(path.len());
            if frames.is_empty() {
                frames.push(SourceLocation::default());
            }
            let name = |source: SourceLocation| PlaceName {
                call: std::mem::replace(&mut called, source.function.clone()).unwrap_or_else(|| "a call".to_string()),
                file: source.file,
                line: source.line,
                function: source.function,
            };
            frames.into_iter().map(name).collect()
        };
        let (mut of_places, mut callers) = (Vec::new(), Vec::new());
        for (_, spot, _) in recorder.places.all() {
            let mut path: Vec<PlaceName> = path(spot);
            callers.push(path.split_off(1));
            of_places.append(&mut path);
        }
        Names { of_places, callers }
    }

    fn name(&self, place: Place) -> &PlaceName {
        &self.of_places[place.0 as usize]
    }
}

fn collect(
    runtime: &mut Runtime,
    plan: &RunPlan,
    heap_peak_bytes: impl Fn(WorldRank) -> u64,
    names: &Names,
) -> Option<Profile> {
    let now = runtime.driver.now().secs();
    let ranks: Vec<WorldRank> = runtime.born().collect();
    let comms = comm_names(runtime);
    let placement = &runtime.layout.placement;
    let hosts = runtime.platform.hosts();
    let recorder = runtime.driver.recorder()?;
    let sums: Vec<RankSums> = recorder.rank_sums().copied().collect();
    let ends: Vec<f64> = ranks.iter().map(|rank| sums[rank.index()].end_secs.unwrap_or(now)).collect();
    let simulated_time_secs = ends.iter().copied().fold(0.0, f64::max);
    let rank_row = |&rank: &WorldRank| {
        let sums = &sums[rank.index()];
        RankRow {
            rank: rank.0,
            host: hosts[placement[rank.index()].index()].name.clone(),
            end_secs: sums.end_secs.unwrap_or(now),
            time: time_of_rank(sums, simulated_time_secs),
            heap_peak_bytes: heap_peak_bytes(rank),
            caused_secs: sums.caused_secs,
        }
    };
    let rank_rows: Vec<RankRow> = ranks.iter().map(rank_row).collect();
    let mut time = Time::default();
    rank_rows.iter().for_each(|row| add(&mut time, &row.time));
    let computations: Vec<f64> = rank_rows.iter().map(|row| row.time.computation).collect();
    let path = critical_path(recorder, names);
    let efficiency = Efficiency::of(&computations, recorder.ideal_secs(), path.contention_secs, simulated_time_secs);
    let mut profile = Profile {
        schema: SCHEMA.to_string(),
        command: plan.command.clone(),
        platform: plan.platform.clone().unwrap_or_else(|| runtime.platform.name().to_string()),
        ranks: ranks.len() as u32,
        simulated_time_secs,
        efficiency,
        time,
        causes: Vec::new(),
        calls: calls(recorder, names),
        computations: computation_rows(recorder, names),
        waits: waits::rows(recorder, names, &ends),
        critical_path: path,
        collectives: collective_rows(recorder, names),
        communicators: comm_rows(recorder, &comms, |context| comm_name(plan, context)),
        message_sizes: network::sizes(recorder),
        matrix: network::matrix(recorder),
        host_matrix: network::host_matrix(recorder, placement, |host| hosts[host.index()].name.clone()),
        matrix_is_partial: recorder.lacks_pairs,
        links: Vec::new(),
        rank_rows,
    };
    profile.links = network::links(runtime, names, simulated_time_secs);
    profile.explain();
    Some(profile)
}

/// What the page draws.
fn picture(runtime: &mut Runtime, names: &Names) -> Option<Picture> {
    let ranks = runtime.born().count();
    let recorder = runtime.driver.recorder()?;
    let timeline = &recorder.timeline;
    let mut picture = Picture {
        interval_secs: timeline.secs(),
        rows: (0..ranks).map(|rank| timeline.row(rank).to_vec()).collect(),
        ..Picture::default()
    };
    if let Some((calls, computations, messages)) = recorder.details.all() {
        let span = |one: &CallDetail, is_call: bool| Span {
            rank: one.rank,
            start: one.start,
            end: one.end,
            is_call,
            wait: one.parts.waiting(),
            transfer: one.parts.transfer,
            contention: one.parts.contention,
            overhead: one.parts.overhead,
            place: one.place.0,
        };
        picture.spans.extend(computations.iter().map(|one| span(one, false)));
        picture.spans.extend(calls.iter().map(|one| span(one, true)));
        picture.messages.extend(messages.iter().map(|one| Arrow {
            from: one.from,
            to: one.to,
            start: one.start,
            end: one.end,
        }));
        picture.places = names.of_places.iter().map(PlaceName::words).collect();
    }
    Some(picture)
}

fn time_of(parts: &Parts) -> Time {
    Time {
        late_sender: parts.late_sender,
        wrong_order: parts.wrong_order,
        late_receiver: parts.late_receiver,
        late_partner: parts.late_partner,
        transfer: parts.transfer,
        contention: parts.contention,
        overhead: parts.overhead,
        ..Time::default()
    }
}

fn time_of_rank(sums: &RankSums, whole_secs: f64) -> Time {
    let ended = sums.end_secs.map_or(0.0, |end| whole_secs - end);
    let mut time = Time { computation: sums.compute_secs, sleep: sums.sleep_secs, ended, ..time_of(&sums.parts) };
    time.rest = (whole_secs - time.total()).max(0.0);
    time
}

fn add(to: &mut Time, other: &Time) {
    to.computation += other.computation;
    to.late_sender += other.late_sender;
    to.wrong_order += other.wrong_order;
    to.late_receiver += other.late_receiver;
    to.late_partner += other.late_partner;
    to.transfer += other.transfer;
    to.contention += other.contention;
    to.overhead += other.overhead;
    to.sleep += other.sleep;
    to.ended += other.ended;
    to.rest += other.rest;
}

/// One row for each name of a place, in the order in which names were met.
fn rows_by_name<R>(
    names: &Names,
    recorder: &Recorder,
    mut into: impl FnMut(Option<&mut R>, Place, &Counted, &PlaceName) -> Option<R>,
) -> Vec<R> {
    let mut numbers: Map<&PlaceName, usize> = Map::default();
    let mut rows = Vec::new();
    for (place, _, counted) in recorder.places.all() {
        let name = names.name(place);
        match numbers.get(name) {
            Some(&row) => _ = into(Some(&mut rows[row]), place, counted, name),
            None => {
                if let Some(row) = into(None, place, counted, name) {
                    numbers.insert(name, rows.len());
                    rows.push(row);
                }
            }
        }
    }
    rows
}

fn calls(recorder: &Recorder, names: &Names) -> Vec<CallRow> {
    let mut rows: Vec<CallRow> = rows_by_name(names, recorder, |known: Option<&mut CallRow>, place, counted, name| {
        let spot = recorder.places.spot(place)?;
        let mut new = CallRow { place: name.clone(), ..CallRow::default() };
        let is_known = known.is_some();
        let row = known.unwrap_or(&mut new);
        row.calls += counted.calls;
        row.secs += counted.secs;
        row.longest_secs = row.longest_secs.max(counted.longest_secs);
        add(&mut row.time, &time_of(&counted.parts));
        row.messages += counted.messages;
        row.sent_bytes += counted.sent_bytes;
        row.received_bytes += counted.received_bytes;
        add_path(&mut row.paths, &names.callers[place.0 as usize], counted);
        let single = || match (row.time.late_sender, row.time.late_receiver) {
            (sender, receiver) if sender <= 0.0 && receiver <= 0.0 => "",
            (sender, receiver) if sender >= receiver && 2.0 * row.time.wrong_order >= sender => {
                "late sender, wrong order"
            }
            (sender, receiver) if sender >= receiver => "late sender",
            _ => "late receiver",
        };
        row.wait_state =
            if row.time.waiting() > 0.0 { wait_state(spot.function).unwrap_or_else(single) } else { "" }.to_string();
        (!is_known).then_some(new)
    });
    for row in &mut rows {
        row.paths.sort_by(|one, other| other.secs.total_cmp(&one.secs));
        // A call in the outermost function has no path.
        row.paths.retain(|path| !path.callers.is_empty());
    }
    rows.sort_by(|one, other| other.secs.total_cmp(&one.secs));
    rows
}

/// Adds what was counted for a place to its path.
fn add_path(paths: &mut Vec<CallPath>, callers: &[PlaceName], counted: &Counted) {
    let known = paths.iter().position(|path| path.callers == callers);
    let index = known.unwrap_or_else(|| {
        paths.push(CallPath { callers: callers.to_vec(), ..CallPath::default() });
        paths.len() - 1
    });
    let path = &mut paths[index];
    path.calls += counted.calls;
    path.secs += counted.secs;
    path.waiting_secs += counted.parts.waiting();
    path.sent_bytes += counted.sent_bytes;
}

fn computation_rows(recorder: &Recorder, names: &Names) -> Vec<ComputationRow> {
    let caused = waits::caused(recorder);
    let mut rows: Vec<ComputationRow> =
        rows_by_name(names, recorder, |known: Option<&mut ComputationRow>, place, counted, name| {
            let mut new = ComputationRow { after: name.clone(), ..ComputationRow::default() };
            let is_known = known.is_some();
            let row = known.unwrap_or(&mut new);
            row.count += counted.computations;
            row.secs += counted.computation_secs;
            let caused = caused.get(&place).copied().unwrap_or_default();
            row.caused_secs += caused.busy_secs;
            row.blocked_secs += caused.blocked_secs;
            (!is_known).then_some(new)
        });
    rows.retain(|row| row.count > 0 || row.caused_secs > 0.0 || row.blocked_secs > 0.0);
    rows.sort_by(|one, other| other.secs.total_cmp(&one.secs));
    rows
}

fn critical_path(recorder: &Recorder, names: &Names) -> CriticalPath {
    let mut numbers: Map<(&'static str, &PlaceName), usize> = Map::default();
    let mut rows: Map<(What, Place), usize> = Map::default();
    let mut path = CriticalPath::default();
    let whole = recorder.critical_path();
    for (what, place, sum) in whole.sums() {
        let (activity, name) = (word(what), names.name(place));
        let next = path.rows.len();
        let row = *numbers.entry((activity, name)).or_insert(next);
        if row == next {
            path.rows.push(PathRow { activity: activity.to_string(), place: name.clone(), ..PathRow::default() });
        }
        path.rows[row].count += sum.count;
        path.rows[row].secs += sum.secs;
        path.contention_secs += sum.contention_secs;
        rows.insert((what, place), row);
    }
    for &Step { what, place, rank, peer, start, end } in whole.steps() {
        let row = rows[&(what, place)];
        path.secs = end;
        let goes_on = |last: &&mut PathStep| rank == peer && (last.rank, last.peer, last.row) == (rank, peer, row);
        match path.steps.last_mut().filter(goes_on) {
            Some(last) => last.end = end,
            None => path.steps.push(PathStep { rank, peer, start, end, row }),
        }
    }
    // Rows by their time; steps keep to their rows.
    let mut order: Vec<usize> = (0..path.rows.len()).collect();
    order.sort_by(|&one, &other| path.rows[other].secs.total_cmp(&path.rows[one].secs));
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, &old)| places[old] = new);
    path.steps.iter_mut().for_each(|step| step.row = places[step.row]);
    path.rows = order.iter().map(|&old| path.rows[old].clone()).collect();
    path
}

fn word(what: What) -> &'static str {
    match what {
        What::Compute => "computation",
        What::Overhead => "overhead",
        What::Sleep => "sleep",
        What::Transfer => "transfer",
        What::File => "file",
    }
}

/// Communicators that exist at the end, by the contexts of their messages.
fn comm_names(runtime: &Runtime) -> Map<u64, String> {
    let mut names = Map::default();
    for (rank, objects) in (0..).map(WorldRank).zip(&runtime.objects) {
        for (key, comm) in objects.all_comms() {
            let context = u64::from(comm.core.context_of(TrafficKind::PointToPoint));
            names.entry(context).or_insert_with(|| {
                if !comm.name.is_empty() {
                    return comm.name.clone();
                }
                let origin = key.map(|key| objects.sites.get(Kind::Comm, key)).unwrap_or_default();
                let place =
                    process::place_of_site(rank, origin.site).and_then(|place| Some((place.file?, place.line?)));
                match place {
                    Some((file, line)) => format!("made by {} at {file}:{line}", origin.call.name()),
                    None => format!("of {} ranks", comm.core.group.size()),
                }
            });
        }
    }
    names
}

/// The name of a communicator that does not exist at the end. A replay knows those of its trace by their contexts.
fn comm_name(plan: &RunPlan, context: u64) -> String {
    let of_world = WORLD_CONTEXT + TrafficKind::PointToPoint as u32;
    match &plan.replay_trace {
        None => "freed before the end".to_string(),
        Some(_) if context == u64::from(of_world) => "MPI_COMM_WORLD".to_string(),
        Some(_) => format!("{context} of the trace"),
    }
}

/// Collective operations with the same call, algorithm and number of ranks are one row.
fn collective_rows(recorder: &Recorder, names: &Names) -> Vec<CollectiveRow> {
    let mut all: Vec<collectives::Row> = Vec::new();
    let mut numbers: Map<(&PlaceName, &str, u32), usize> = Map::default();
    for one in recorder.collectives.rows() {
        let number = *numbers.entry((names.name(one.place), one.algorithm, one.members)).or_insert(all.len());
        match all.get_mut(number) {
            Some(known) => known.join(one),
            None => all.push(*one),
        }
    }
    all.sort_by(|one, other| {
        let secs = |row: &collectives::Row| row.arrivals.sum + row.durations.sum;
        secs(other).total_cmp(&secs(one))
    });
    let row = |row: &collectives::Row| {
        let spread =
            |&collectives::Spread { sum, least, most }: &_| Spread { mean: sum / row.count as f64, least, most };
        CollectiveRow {
            place: names.name(row.place).clone(),
            operation: row.operation.to_string(),
            algorithm: row.algorithm.to_string(),
            ranks: row.members,
            count: row.count,
            least_bytes: row.least_bytes,
            most_bytes: row.most_bytes,
            arrivals: spread(&row.arrivals),
            duration: spread(&row.durations),
            ends: spread(&row.ends),
        }
    };
    all.iter().map(row).collect()
}

fn comm_rows(recorder: &Recorder, names: &Map<u64, String>, other: impl Fn(u64) -> String) -> Vec<CommRow> {
    let mut contexts: Vec<_> = recorder.comms.iter().collect();
    contexts.sort_unstable_by_key(|(context, _)| *context);
    let row = |(context, sums): &(u64, smpi_recording::CommSums)| CommRow {
        name: names.get(context).cloned().unwrap_or_else(|| other(*context)),
        calls: sums.calls,
        secs: sums.secs,
        waiting_secs: sums.parts.waiting(),
    };
    let mut rows: Vec<CommRow> = contexts.into_iter().map(row).collect();
    rows.sort_by(|one, other| other.secs.total_cmp(&one.secs));
    rows
}
