//! From a run plan to an exit code: sets the world up, runs the ranks instant by instant, and says how it ended.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use smpi_abi::Callee;
use smpi_base::plan::{ReductionPlan, RunPlan};
use smpi_base::rng::Rng;
use smpi_base::{HostId, SimTime, WorldRank};
use smpi_engine::{Config, Engine};
use smpi_mpi::world::{Driver, Ended, World};
use smpi_platform::Platform;
use smpi_simulation::{Compute, Costs, Meter, Simulation};
use smpi_verification::Verification;

use super::below::Below;
use super::config::{Applied, Settings};
use super::state::{MpiPhase, RankRun, Runtime};
use super::summary::Wall;
use super::{global, summary, with};
use crate::memory::ProcessMemory;
use crate::objects::RankObjects;
use crate::process::{self, AppSpec, Options, Ranks, Resumed};

/// Exit code for input that was refused.
const REFUSED: i32 = smpi_base::exit::REFUSED;
/// Exit code of a run that ended in a deadlock.
const DEADLOCK: i32 = smpi_base::exit::DEADLOCK;

/// What measures computation.
const METER: Meter = Meter {
    cpu_seconds: super::cpu_seconds,
    want_threads: process::want_thread_time,
    take_threads: |rank, take| process::take_thread_time(rank, take),
};

/// The clock that libc's functions show to ranks.
pub const CLOCK: process::Clock = process::Clock {
    now: super::blocking::look_at_clock,
    date: || with(|runtime| runtime.driver.now().0),
    sleep: super::blocking::sleep,
    wake_at: |rank, date| with(|runtime| runtime.driver.set_alarm(rank, SimTime(date))),
};

/// Runs a whole plan in this process; returns the exit code of the run.
pub fn host_main(plan: RunPlan) -> i32 {
    let wall = Wall::start();
    crate::boundary::install_panic_hook();
    match start(&plan) {
        Ok(ranks) if plan.verify.is_some() => crate::verify::run(&plan, ranks),
        Ok(mut ranks) => {
            let code = run(&mut ranks, plan.shuffle);
            let code = check(&plan, code);
            process::at_home(|| finish(&plan, &ranks, wall, code))
        }
        Err(message) => {
            eprintln!("smpirun: {message}");
            REFUSED
        }
    }
}

/// Sets up a one-rank world on the built-in platform, for a program that runs without `smpirun`.
///
/// # Errors
/// Text for the user.
pub fn start_direct() -> Result<(), String> {
    let plan = RunPlan::default();
    let runtime = build(&plan, 1, vec![0])?;
    global::install(runtime);
    with(|runtime| runtime.run(WorldRank(0)).ready = true);
    Ok(())
}

pub fn start(plan: &RunPlan) -> Result<Ranks, String> {
    let total: u32 = plan.apps.iter().map(|app| app.ranks).sum();
    let starts = plan.apps.iter().scan(0, |next, app| {
        let start = *next;
        *next += app.ranks;
        Some(start)
    });
    // The platform is read first: its errors cost nothing.
    let mut runtime = build(plan, total, starts.collect())?;
    let apps: Vec<AppSpec> = plan
        .apps
        .iter()
        .map(|app| AppSpec { path: app.path.clone(), args: app.args.clone(), ranks: app.ranks })
        .collect();
    let options = Options {
        stack_size: plan.stack_size,
        heap_size: plan.heap_size,
        shuffle: plan.shuffle,
        privatize: plan.privatize.clone(),
    };
    let ranks = process::load(&apps, &options).map_err(|error| error.to_string())?;
    if runtime.track_sites {
        crate::access::check();
    }
    if runtime.track_sites && ranks.call(crate::checks::is_ready_send) {
        runtime.world.follow_causality();
    }
    global::install(runtime);
    Ok(ranks)
}

fn build(plan: &RunPlan, total: u32, app_starts: Vec<u32>) -> Result<Runtime, String> {
    let platform = Arc::new(match (&plan.platform, &plan.mesh) {
        (Some(path), _) => Platform::load(path.as_ref()).map_err(|error| error.to_string())?,
        (None, Some(mesh)) => super::mesh::platform(mesh)?,
        (None, None) => Platform::builtin_laptop(),
    });
    let (settings, config) = configure(plan, &platform)?;
    let placement = place(plan, &platform, total)?;
    let touched = plan.verify.as_ref().map(|_| Rc::new(RefCell::new(vec![true; total as usize])));
    let memory = ProcessMemory::new(plan.shuffle.unwrap_or(0), touched.clone());
    let mut world = World::new(total, Box::new(memory), settings.thresholds);
    let driver = match &plan.verify {
        Some(options) => {
            Verification::prepare(&mut world);
            let stepping = options.reduction != ReductionPlan::Matches;
            Below::Verification(Box::new(Verification::new(total, options.max_waitsome, stepping)))
        }
        None => {
            let speed = settings.host_speed_flops;
            let compute = Compute::new(&plan.compute, METER, total, speed, settings.cpu_threshold_secs)?;
            let costs = Costs {
                look_secs: settings.wtime_secs,
                test_secs: settings.test_secs,
                probe_secs: settings.iprobe_secs,
                grow: settings.grow_polls,
            };
            let engine = Engine::new(platform.clone(), config);
            Below::Simulation(Simulation::new(engine, placement.clone(), compute, costs))
        }
    };
    Ok(Runtime {
        world,
        driver,
        placement,
        objects: (0..total).map(|_| RankObjects::default()).collect(),
        ranks: (0..total).map(|_| RankRun::default()).collect(),
        track_sites: plan.verify.is_some() || plan.strict,
        warnings: Default::default(),
        touched,
        ready: Vec::new(),
        settings,
        platform,
        app_starts,
        extensions: Default::default(),
        failures: Vec::new(),
        aborted: None,
    })
}

fn configure(plan: &RunPlan, platform: &Platform) -> Result<(Settings, Config), String> {
    let mut settings = Settings { quiet: plan.quiet, ..Settings::default() };
    let mut config = Config::default();
    for (key, value) in platform.settings().iter().chain(&plan.cfg) {
        if config.set(key, value).map_err(|error| format!("--cfg={key}:{value}: {error}"))? {
            continue;
        }
        match settings.set(key, value)? {
            Applied::Yes => {}
            Applied::Ignored if plan.quiet => {}
            Applied::Ignored => eprintln!("smpirun: note: --cfg={key} has no meaning here and is ignored"),
            Applied::Unknown => {
                return Err(format!("--cfg={key}:{value}: no such key; docs/smpirun.md lists them"));
            }
        }
    }
    Ok((settings, config))
}

/// The host of every rank: the hostfile's, or all hosts of the platform, in order; wrapping round when there are more
/// ranks than hosts.
fn place(plan: &RunPlan, platform: &Platform, total: u32) -> Result<Vec<HostId>, String> {
    let hosts: Vec<HostId> = if plan.hosts.is_empty() {
        (0..platform.hosts().len() as u32).map(HostId).collect()
    } else {
        let find = |(index, name): (usize, &String)| {
            platform.host_named(name).ok_or_else(|| {
                let origin = plan.host_origin(index).map_or(String::new(), |origin| format!("{origin}: "));
                format!("{origin}the platform has no host \"{name}\"; it has {}", host_examples(platform))
            })
        };
        plan.hosts.iter().enumerate().map(find).collect::<Result<_, _>>()?
    };
    if total as usize > hosts.len() && !plan.quiet {
        let count = hosts.len();
        let word = if count == 1 { "host" } else { "hosts" };
        eprintln!("smpirun: note: {total} ranks on {count} {word}: placed round-robin, several ranks share a host");
    }
    let placement: Vec<HostId> = hosts.iter().copied().cycle().take(total as usize).collect();
    if plan.map {
        for (rank, host) in placement.iter().enumerate() {
            println!("[rank {rank}] -> {}", platform.hosts()[host.index()].name);
        }
    }
    Ok(placement)
}

fn host_examples(platform: &Platform) -> String {
    let hosts = platform.hosts();
    match hosts {
        [] => "no hosts".to_string(),
        [only] => format!("only \"{}\"", only.name),
        [first, .., last] => format!("{} hosts, \"{}\" to \"{}\"", hosts.len(), first.name, last.name),
    }
}

/// Runs ranks and clock until everything is over; returns the exit code so far.
fn run(ranks: &mut Ranks, shuffle: Option<u64>) -> i32 {
    let mut rng = shuffle.map(Rng::new);
    let mut batch: Vec<WorldRank> = (0..ranks.count()).map(WorldRank).collect();
    with(|runtime| runtime.ranks.iter_mut().for_each(|run| run.ready = true));
    let mut done = Vec::new();
    let mut woken = Vec::new();
    let mut code = 0;
    loop {
        batch.sort_unstable();
        if let Some(rng) = &mut rng {
            rng.shuffle(&mut batch);
        }
        let mut first_failure: Option<(WorldRank, i32)> = None;
        for &rank in &batch {
            crate::access::select(rank);
            if let Resumed::Exited(exit) = ranks.resume(rank) {
                note_exit(rank, exit);
                if exit != 0 && first_failure.is_none_or(|(first, _)| rank < first) {
                    first_failure = Some((rank, exit));
                }
            }
        }
        process::commit_output();
        warn_of_sharing(ranks);
        if let Some((_, exit)) = first_failure
            && code == 0
        {
            code = exit;
        }
        if let Some((_, aborted)) = with(|runtime| runtime.aborted) {
            return aborted;
        }
        batch.clear();
        let goes_on = next_batch(&mut batch, &mut done, &mut woken);
        if with(|runtime| runtime.world.has_observations()) {
            crate::checks::warn_of_notes(ranks);
        }
        if !goes_on {
            break;
        }
    }
    if with(|runtime| runtime.ranks.iter().all(|run| run.exit.is_some())) {
        return code;
    }
    process::flush_output();
    // A rank that failed is the cause of what the others wait for.
    let stuck = summary::deadlock_report();
    eprint!("{stuck}");
    if code != 0 { code } else { DEADLOCK }
}

/// Prints warnings about variables of libraries that ranks share by mistake.
pub fn warn_of_sharing(ranks: &mut Ranks) {
    let warnings = ranks.sharing_warnings();
    if !warnings.is_empty() && !with(|runtime| runtime.settings.quiet) {
        warnings.iter().for_each(|warning| eprintln!("{warning}"));
    }
}

/// What the checks of a simulation say at its end: with `--strict` a run fails because of them.
fn check(plan: &RunPlan, code: i32) -> i32 {
    let ended_well = code == 0 && crate::checks::is_over();
    if ended_well && crate::checks::finish_simulation(plan.strict) && plan.strict {
        return smpi_base::exit::FOUND;
    }
    code
}

/// Commits the instant and fills the next batch; false when nothing can go on.
pub fn next_batch(batch: &mut Vec<WorldRank>, done: &mut Vec<Ended>, woken: &mut Vec<WorldRank>) -> bool {
    with(|runtime| {
        runtime.commit(woken);
        while runtime.ready.is_empty() {
            if !runtime.advance(done, woken) {
                return false;
            }
        }
        std::mem::swap(batch, &mut runtime.ready);
        true
    })
}

/// Fills the next batch with whom the last step woke, and commits nothing; false when nothing can go on without.
pub fn next_without_commit(batch: &mut Vec<WorldRank>, woken: &mut Vec<WorldRank>) -> bool {
    with(|runtime| {
        runtime.ready_woken(woken);
        while runtime.ready.is_empty() {
            if !runtime.advance(&mut Vec::new(), woken) {
                return false;
            }
        }
        std::mem::swap(batch, &mut runtime.ready);
        true
    })
}

impl Runtime {
    /// Commits what ranks posted, and makes ready whom that woke.
    fn commit(&mut self, woken: &mut Vec<WorldRank>) {
        self.world.commit(&mut self.driver);
        self.ready_woken(woken);
    }

    fn ready_woken(&mut self, woken: &mut Vec<WorldRank>) {
        self.world.take_woken(woken);
        for rank in woken.drain(..) {
            self.make_ready(rank);
        }
    }

    /// Moves the clock to the next instant at which something ends; false when nothing is in flight.
    fn advance(&mut self, done: &mut Vec<Ended>, woken: &mut Vec<WorldRank>) -> bool {
        let moved = self.driver.advance(done);
        for ended in done.drain(..) {
            self.end(ended);
        }
        self.ready_woken(woken);
        moved
    }

    fn end(&mut self, ended: Ended) {
        match ended {
            Ended::Transfer(comm) => self.world.transfer_done(&mut self.driver, comm),
            Ended::Rank(rank) => {
                let run = self.run(rank);
                run.under_way = run.under_way.saturating_sub(1);
                self.make_ready(rank);
            }
            Ended::Alarm(rank) => {
                process::note_timer(rank);
                self.signal(rank);
            }
        }
    }
}

pub fn note_exit(rank: WorldRank, exit: i32) {
    with(|runtime| {
        let now = runtime.driver.now();
        let run = runtime.run(rank);
        run.exit = Some(exit);
        run.ended = now;
        run.ready = false;
        runtime.driver.set_alarm(rank, SimTime(f64::INFINITY));
        runtime.world.rank_ended(&mut runtime.driver, rank);
    });
}

/// The event loop of a program without `smpirun`: runs on its only rank's stack until that rank can go on.
pub fn run_until_ready(rank: WorldRank) {
    let (mut done, mut woken) = (Vec::new(), Vec::new());
    let stuck = with(|runtime| {
        runtime.commit(&mut woken);
        while runtime.ready.is_empty() {
            if !runtime.advance(&mut done, &mut woken) {
                return true;
            }
        }
        runtime.ready.clear();
        runtime.run(rank).ready = true;
        false
    });
    if stuck {
        eprint!("{}", summary::deadlock_report());
        process::exit_now(DEADLOCK);
    }
}

fn finish(plan: &RunPlan, ranks: &Ranks, wall: Wall, mut code: i32) -> i32 {
    let (saved, leftover) = with(|runtime| match runtime.driver.simulation().map(Simulation::compute) {
        Some(compute) => (compute.save(), compute.leftover()),
        None => (Ok(()), None),
    });
    if code == 0 && with(|runtime| runtime.ranks.iter().all(|run| run.phase == MpiPhase::Before)) {
        let programs: Vec<&str> = plan.apps.iter().map(|app| app.path.as_str()).collect();
        eprintln!(
            "smpirun: {}: no rank called MPI_Init; expected an MPI program. Compile it with smpicc, or start it without smpirun",
            programs.join(", ")
        );
        code = REFUSED;
    }
    if let Err(message) = saved {
        eprintln!("smpirun: {message}");
        code = if code == 0 { REFUSED } else { code };
    }
    if let Some(message) = leftover {
        eprintln!("smpirun: warning: {message}");
    }
    if let Err(message) = summary::write(plan, ranks, wall, code) {
        eprintln!("smpirun: {message}");
        code = if code == 0 { REFUSED } else { code };
    }
    code
}

/// The last MPI call of a rank, whether it is still inside, and where it is in the life of MPI. For crash reports:
/// `None` when the state cannot be looked at because the crash happened while it was in use.
pub fn peek(rank: WorldRank) -> Option<(Callee, bool, MpiPhase)> {
    global::try_with(|runtime| {
        let run = runtime.run(rank);
        (run.call, run.in_call, run.phase)
    })
}
