//! What the runtime says about itself: the summary at the end, the report of a deadlock, the place of a crash.

use std::fmt::Write as _;

use smpi_abi::Callee;
use smpi_base::eprint;
use smpi_base::exit;
use smpi_base::plan::RunPlan;
use smpi_base::print;
use smpi_base::whole;
use smpi_base::words::counted;
use smpi_base::{HostId, WorldRank};
use smpi_dwarf::source::{self, SourceLocation};
use smpi_mpi::collective::select;
use smpi_mpi::world::Clock;
use smpi_report::summary::{CollectiveSummary, EnergySummary, FileSummary, RankSummary, Summary};
use smpi_report::text::cycle_words;

use crate::file_jobs::Spent;
use crate::global::{is_running, try_with, with};
use crate::objects::handles::Kind;
use crate::state::{MpiPhase, RankRun, Runtime, Standing};
use crate::waiting::{Missing, is_near_without_line, near_of, started_away_from, waits_of};
use smpi_process as process;

/// Ranks that a deadlock report describes one by one; the others are counted.
const MAX_RANKS_SHOWN: usize = 16;

/// The host's clock: for the wall time in the summary, and for threads of ranks, which run in real time.
pub struct Wall(std::time::Instant);

impl Wall {
    /// Starts to measure.
    #[allow(clippy::disallowed_methods, reason = "wall time of the run; never reaches simulated results of ranks")]
    pub fn start() -> Wall {
        Wall(std::time::Instant::now())
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// Prints and writes the summary where the plan asks for it. `heap_peak_bytes`: the most that a rank's heap was.
///
/// # Errors
/// Text for the user when the file cannot be written.
pub fn write(
    plan: &RunPlan,
    heap_peak_bytes: impl Fn(WorldRank) -> u64,
    wall: Wall,
    exit_code: i32,
) -> Result<(), String> {
    if !plan.summary && plan.summary_json.is_none() {
        return Ok(());
    }
    let wall_time_secs = wall.seconds();
    let summary = with(|runtime| collect(runtime, plan, heap_peak_bytes, wall_time_secs, exit_code));
    if plan.summary {
        eprint!("{}", summary.text());
    }
    if let Some(path) = &plan.summary_json {
        whole::write(path, summary.json())
            .map_err(|error| format!("{path}: cannot write the summary: {}", print::reason(&error)))?;
    }
    Ok(())
}

fn collect(
    runtime: &mut Runtime,
    plan: &RunPlan,
    heap_peak_bytes: impl Fn(WorldRank) -> u64,
    wall_time_secs: f64,
    exit_code: i32,
) -> Summary {
    let now = runtime.driver.now().secs();
    let hosts = runtime.platform.hosts();
    let mut used: Vec<HostId> = runtime.born().map(|rank| runtime.layout.placement[rank.index()]).collect();
    used.sort_unstable();
    used.dedup();
    let rank_summary = |(index, run): (usize, &RankRun)| {
        let end = if run.standing.is_over() { run.ended.secs() } else { now };
        let traffic = runtime.world.state.ranks[index].sent;
        RankSummary {
            rank: index as u32,
            host: hosts[runtime.layout.placement[index].index()].name.clone(),
            end_secs: end,
            computation_secs: (end - run.communication.secs() - run.asleep.secs()).max(0.0),
            sleep_secs: run.asleep.secs(),
            communication_secs: run.communication.secs(),
            messages_sent: traffic.messages,
            bytes_sent: traffic.bytes,
            heap_peak_bytes: heap_peak_bytes(WorldRank(index as u32)),
        }
    };
    let born = runtime.ranks.iter().enumerate().filter(|(_, run)| run.standing != Standing::Unborn);
    let ranks: Vec<RankSummary> = born.map(rank_summary).collect();
    Summary {
        simulated_time_secs: ranks.iter().map(|rank| rank.end_secs).fold(0.0, f64::max),
        wall_time_secs,
        memory_peak_bytes: memory_peak_bytes(),
        exit_code,
        platform: plan.platform.clone().unwrap_or_else(|| runtime.platform.name().to_string()),
        hosts_used: used.len() as u32,
        messages: ranks.iter().map(|rank| rank.messages_sent).sum(),
        bytes: ranks.iter().map(|rank| rank.bytes_sent).sum(),
        files_opened: runtime.files.table.opened,
        file_costs: file_costs(runtime),
        threads: process::threads_started(),
        threads_are_charged: runtime.driver.simulation().is_some_and(|simulation| simulation.compute().is_on()),
        energy: energy(runtime, &used),
        collectives: runtime.settings.selection.cases().into_iter().map(collective).collect(),
        ranks,
    }
}

/// What accesses of files took, where they may take time.
fn file_costs(runtime: &Runtime) -> Option<FileSummary> {
    let Spent { read_bytes, written_bytes, free_bytes, secs } = runtime.asked.file_jobs.spent;
    runtime.files_may_cost().then_some(FileSummary { read_bytes, written_bytes, free_bytes, secs })
}

/// What the platform consumed, where it says what it draws.
fn energy(runtime: &Runtime, used: &[HostId]) -> Option<EnergySummary> {
    let energy = runtime.driver.simulation()?.energy(used);
    if energy.hosts.is_none() && energy.links.is_none() {
        return None;
    }
    Some(EnergySummary {
        hosts_joules: energy.hosts.unwrap_or(0.0),
        used_hosts_joules: energy.used_hosts,
        links_joules: energy.links.unwrap_or(0.0),
    })
}

fn collective((kind, ranks, bytes, calls): (select::CollectiveKind, u32, u64, u64)) -> CollectiveSummary {
    CollectiveSummary { operation: kind.name(), ranks, bytes, calls }
}

/// The largest resident memory of this process so far, by the kernel's account; 0 where there is none.
fn memory_peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes: Option<u64> = line.and_then(|words| words.split_whitespace().next()?.parse().ok());
    kibibytes.unwrap_or(0) * 1024
}

/// The ranks that are not through, when nothing can go on.
pub fn stuck() -> Vec<WorldRank> {
    with(|runtime| {
        let all = (0..runtime.ranks.len() as u32).map(WorldRank);
        all.filter(|rank| !runtime.ranks[rank.index()].standing.is_over()).collect()
    })
}

/// The ranks that a report of a deadlock tells of one by one, of those that are `stuck`.
pub fn told_of(stuck: &[WorldRank]) -> Vec<WorldRank> {
    with(|runtime| Missing::new(runtime).told_of(stuck, MAX_RANKS_SHOWN))
}

/// Which of the `stuck` ranks wait for what, and where: of those that are `told` of, at these places.
pub fn deadlock_report(stuck: &[WorldRank], told: &[WorldRank], places: &[Option<SourceLocation>]) -> String {
    let mut text = deadlock_of(stuck, told, |runtime, missing, index, rank| {
        let run = &runtime.ranks[rank.index()];
        let call = if run.call.is_unknown() { "before its first MPI call" } else { run.call.name() };
        let place = places.get(index).and_then(Option::as_ref);
        let here = place.and_then(|place| Some(format!("{}:{}", place.file.as_ref()?, place.line?)));
        let started = match started_away_from(runtime, rank, here.as_deref()) {
            started if started.is_empty() => String::new(),
            started => format!(", started by {}", started.join(" and ")),
        };
        let near = near_of(runtime, rank).map(|near| format!("; {near}")).unwrap_or_default();
        let place = source::in_words(place);
        format!("{call} waits for {}{place}{started}{near}", waits_of(runtime, missing, rank))
    });
    if with(|runtime| told.iter().any(|&rank| is_near_without_line(runtime, rank))) {
        text += "  with --strict, smpirun also says where that was sent or received\n";
    }
    text
}

/// Whether ranks wait because something takes longer than numbers can tell, and not for each other.
fn is_beyond(runtime: &Runtime) -> bool {
    runtime.driver.simulation().is_some_and(|simulation| simulation.is_beyond())
}

/// The exit code of a run in which ranks wait for ever.
pub fn stuck_code() -> i32 {
    if with(|runtime| is_beyond(runtime)) { exit::REFUSED } else { exit::DEADLOCK }
}

/// That the `stuck` ranks wait for ever, and the words that `describe` has for those that are `told` of, each with its
/// place among these.
pub fn deadlock_of(
    stuck: &[WorldRank],
    told: &[WorldRank],
    describe: impl Fn(&Runtime, &Missing<'_>, usize, WorldRank) -> String,
) -> String {
    with(|runtime| {
        let now = runtime.driver.now();
        let total = counted(runtime.born().count() as u64, "rank");
        let wait = if stuck.len() == 1 { "waits" } else { "wait" };
        let mut text = match is_beyond(runtime) {
            false => format!("smpirun: deadlock at {now}: {} of {total} {wait} forever\n", stuck.len()),
            true => format!(
                "smpirun: error: at {now} {} of {total} {wait} for something that ends later than {:.1e} s, the largest \
                 number; expected amounts of work and bytes, speeds and latencies for which times are numbers; correct \
                 them\n",
                stuck.len(),
                f64::MAX
            ),
        };
        let missing = Missing::with_names(runtime);
        for (index, &rank) in told.iter().enumerate() {
            let _ = writeln!(text, "  rank {rank:>4}  {}", describe(runtime, &missing, index, rank));
        }
        match stuck.len() - told.len() {
            0 => {}
            others => text += &format!("  … and {}\n", counted(others as u64, "more rank")),
        }
        if let Some(cycle) = missing.cycle().filter(|_| !is_beyond(runtime)) {
            let _ = writeln!(text, "  cycle: {}", cycle_words(&cycle));
        }
        let over = runtime.ranks.iter().filter(|run| run.standing.is_over()).count();
        if over > 0 {
            let have = if over == 1 { "has" } else { "have" };
            let _ = writeln!(text, "  {} {have} ended already", counted(over as u64, "rank"));
        }
        text
    })
}

/// The arguments of the call that a rank is blocked in, in words: `source=0, tag=7, comm=MPI_COMM_WORLD`.
pub fn arguments_of(runtime: &Runtime, rank: WorldRank) -> String {
    let call = runtime.ranks[rank.index()].call;
    let (mut words, context) = runtime.driver.describe_call(&runtime.world, rank, call);
    let objects = &runtime.objects[rank.index()];
    if let Some((key, comm)) = context.and_then(|context| objects.comm_of(context)) {
        let origin = key.map(|key| objects.sites.get(Kind::Comm, key)).unwrap_or_default();
        let place = process::place_of_site(rank, origin.site);
        let line = place.and_then(|place| Some(format!(" at {}:{}", place.file?, place.line?))).unwrap_or_default();
        let name = match (comm.name.as_str(), origin.call.name()) {
            ("", "") => return words,
            ("", made_by) => format!("({made_by}{line})"),
            (name, _) => name.to_string(),
        };
        let gap = if words.is_empty() { "" } else { ", " };
        words += &format!("{gap}comm={name}");
    }
    words
}

/// What to say about a rank that crashed: the MPI call it was in, or the one before.
pub fn fault_context(rank: WorldRank) -> Option<String> {
    let (call, inside, phase) = if is_running() { peek(rank)? } else { return None };
    Some(match (inside, phase) {
        (true, _) => format!("inside {call}"),
        (false, MpiPhase::Before) => "before MPI_Init".to_string(),
        (false, _) => format!("after {call}"),
    })
}

/// The last MPI call of a rank, whether it is still inside, and where it is in the life of MPI. For crash reports:
/// `None` when the state cannot be looked at because the crash happened while it was in use.
pub fn peek(rank: WorldRank) -> Option<(Callee, bool, MpiPhase)> {
    try_with(|runtime| {
        let run = runtime.run(rank);
        (run.call, run.doing.is_call(), run.phase)
    })
}
