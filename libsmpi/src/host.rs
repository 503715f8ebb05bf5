//! From a run plan to an exit code: sets the run up, lets it be simulated or verified, and says how it ended.

use smpi_base::eprintln;
use smpi_base::plan::{App, RunPlan, VerifyPlan};
use smpi_process::{self as process, AppSpec, Options, Ranks};
use smpi_runtime::event_loop::{self, Watchers};
use smpi_runtime::profile;
use smpi_runtime::summary::{self, Wall};
use smpi_runtime::{MpiPhase, Runtime, install, setup, with};
use smpi_simulation::Simulation;
use smpi_watch::{access, checks};

/// Exit code for input that was refused.
const REFUSED: i32 = smpi_base::exit::REFUSED;

/// Ranks up to which a simulation compares buffers with the objects in which they lie: what is kept for that takes some
/// pages of memory for each rank.
const MOST_RANKS_WITH_BOUNDS: u32 = 1024;

/// Who looks on while a simulation runs.
const WATCHERS: Watchers = Watchers { select: access::select, noticed: checks::warn_of_notes };

/// Runs a whole plan in this process; returns the exit code of the run.
pub fn host_main(plan: RunPlan) -> i32 {
    if plan.replay_trace.is_some() {
        smpi_api::boundary::install_panic_hook();
        return smpi_replay::run(&plan);
    }
    let wall = Wall::start();
    smpi_api::boundary::install_panic_hook();
    let link = smpi_verify::link(&plan);
    match start(&plan) {
        Ok(ranks) if plan.verify.is_some() => smpi_verify::run(&plan, ranks, link),
        Ok(mut ranks) => {
            let code = event_loop::run(&mut ranks, plan.shuffle, WATCHERS);
            let code = check(&plan, code);
            process::at_home(|| process::without_limits(|| finish(&plan, &ranks, wall, code)))
        }
        Err(message) => {
            eprintln!("smpirun: error: {message}");
            REFUSED
        }
    }
}

/// Loads the programs and puts the state of the run in place.
fn start(plan: &RunPlan) -> Result<Ranks, String> {
    let total: u32 = plan.apps.iter().map(|app| app.ranks).sum();
    let starts = plan.apps.iter().scan(0, |next, app| {
        let start = *next;
        *next += app.ranks;
        Some(start)
    });
    process::check_count(total).map_err(|error| error.to_string())?;
    // The platform is read first: its errors cost nothing.
    let mut runtime = setup::build(plan, total, starts.collect(), plan.apps.iter().any(spawns))?;
    let apps: Vec<AppSpec> = plan
        .apps
        .iter()
        .map(|app| AppSpec { path: app.path.clone(), args: app.args.clone(), ranks: app.ranks, directory: None })
        .collect();
    let options = Options {
        stack_size: plan.stack_size,
        heap_size: plan.heap_size,
        shuffle: plan.shuffle,
        privatize: plan.privatize.clone(),
        reserved: runtime.ranks.len() as u32 - total,
        puts_back: plan.verify.is_some(),
        notes_callers: !runtime.follows.track_sites,
        tracks_pages: runtime.settings.mpi.page_tracking,
        names_states: plan.verify.as_ref().is_some_and(VerifyPlan::is_by_states),
    };
    let ranks = process::load(&apps, &options).map_err(|error| error.to_string())?;
    // What a program opens itself may call MPI for it.
    if !ranks.call(is_of_mpi) && !ranks.may_open_libraries() {
        return Err(no_mpi(plan, "calls no function of MPI"));
    }
    if runtime.follows.track_sites {
        access::check();
        access::check_bounds();
        access::check_declared();
        let opens = ranks.may_open_libraries();
        let by_states = plan.verify.as_ref().is_some_and(VerifyPlan::is_by_states);
        // What else is followed has no name that a state could have.
        let is_needed = if by_states { checks::has_shared_bytes } else { checks::needs_causality };
        if ranks.call(is_needed) || opens {
            runtime.world.follow_causality();
        } else if by_states && ranks.call(checks::sends_ready) {
            runtime.world.follow_ready_sends();
        }
    } else if runtime.settings.mpi.buffer_bounds && !plan.quiet && total <= MOST_RANKS_WITH_BOUNDS {
        access::check_bounds();
        if runtime.settings.mpi.buffer_types {
            access::check_declared();
        }
    }
    let looks_for_races = runtime.settings.mpi.window_races && !plan.quiet;
    if !runtime.follows.track_sites && looks_for_races && ranks.call(checks::makes_window) {
        access::check_windows();
        runtime.world.follow_causality();
    }
    install(runtime);
    Ok(ranks)
}

/// Whether a program spawns ranks by itself, and not by a library.
fn spawns(app: &App) -> bool {
    let imported = smpi_image::imported(app.path.as_ref());
    imported.iter().any(|name| name.to_ascii_lowercase().contains("mpi_comm_spawn"))
}

/// Whether a function has the name of one of MPI's, in C, Fortran or the profiling interface.
fn is_of_mpi(function: &str) -> bool {
    function.to_ascii_lowercase().contains("mpi_")
}

/// The refusal of programs that have nothing to do with MPI.
fn no_mpi(plan: &RunPlan, why: &str) -> String {
    let programs: Vec<&str> = plan.apps.iter().map(|app| app.path.as_str()).collect();
    format!(
        "{}: {why}; expected an MPI program, which calls MPI_Init. Compile it with smpicc, or start it without smpirun",
        programs.join(", ")
    )
}

/// What the checks of a simulation say at its end: with `--strict` a run fails because of them.
fn check(plan: &RunPlan, code: i32) -> i32 {
    checks::warn_of_returned();
    let ended_well = code == 0 && checks::is_over();
    if ended_well && checks::finish_simulation(plan.strict) && plan.strict {
        return smpi_base::exit::FOUND;
    }
    code
}

fn finish(plan: &RunPlan, ranks: &Ranks, wall: Wall, mut code: i32) -> i32 {
    let (saved, leftover) = with(|runtime| match runtime.driver.simulation().map(Simulation::compute) {
        Some(compute) => (compute.save(), compute.leftover()),
        None => (Ok(()), None),
    });
    let never_starts = |runtime: &mut Runtime| {
        let mut ranks = runtime.ranks.iter().zip(&runtime.objects);
        ranks.all(|(run, objects)| run.phase == MpiPhase::Before && !objects.had_sessions)
    };
    if code == 0 && with(never_starts) {
        eprintln!("smpirun: error: {}", no_mpi(plan, "no rank called MPI_Init or MPI_Session_init"));
        code = REFUSED;
    }
    if let Some(message) = process::losses() {
        eprintln!("smpirun: error: {message}");
        code = if code == 0 { REFUSED } else { code };
    }
    if let Err(message) = saved {
        eprintln!("smpirun: error: {message}");
        code = if code == 0 { REFUSED } else { code };
    }
    if let Some(message) = finish_trace() {
        eprintln!("smpirun: error: {message}");
        code = if code == 0 { REFUSED } else { code };
    }
    if let Some(message) = leftover {
        eprintln!("smpirun: warning: {message}");
    }
    let heap = |rank| ranks.heap_stats(rank).peak;
    for written in [summary::write(plan, heap, wall, code), profile::write(plan, heap)] {
        if let Err(message) = written {
            eprintln!("smpirun: error: {message}");
            code = if code == 0 { REFUSED } else { code };
        }
    }
    code
}

/// Writes the rest of a trace, and says what it lacks; gives an error for the user.
fn finish_trace() -> Option<String> {
    let outcome = with(|runtime| runtime.follows.trace.as_mut().map(|trace| trace.finish()))?;
    match outcome {
        Ok(missing) if missing.is_empty() => None,
        Ok(missing) => {
            eprintln!(
                "smpirun: warning: -trace-ti: the trace does not hold what these calls did, and -replay stops there: {}; \
                 docs/replay.md lists what traces hold",
                missing.join("; ")
            );
            None
        }
        Err(message) => Some(message),
    }
}
