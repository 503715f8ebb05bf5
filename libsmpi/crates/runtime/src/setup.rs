//! From a run plan to the state before the first instant: platform, settings, placement, driver.

use std::cell::RefCell;
use std::hash::{BuildHasher, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use smpi_base::map::{FxBuildHasher, Map};
use smpi_base::plan::{self, ReductionPlan, RunPlan, Spread, TracePlan};
use smpi_base::words::counted;
use smpi_base::{HostId, WorldRank};
use smpi_base::{eprintln, print};
use smpi_choices::Verification;
use smpi_engine::{Config, Engine};
use smpi_mpi::world::{RankMemory, World};
use smpi_platform::{Gap, Platform};
use smpi_process as process;
use smpi_recording::spool::Spool;
use smpi_settings::{Effect, HostSpeed, Mode, unknown};
use smpi_simulation::{Compute, Costs, Meter, Simulation};
use smpi_trace::{Output, Recorder};

use crate::amend::Amend;
use crate::below::Below;
use crate::config::{Applied, Settings, effect};
use crate::cpu_time::cpu_seconds;
use crate::files::FileSystem;
use crate::global::{self, with};
use crate::memory::{NoMemory, ProcessMemory};
use crate::mesh;
use crate::objects::RankObjects;
use crate::own_speed;
use crate::state::{Asked, Follows, Layout, RankRun, Runtime, Standing, Trouble};

/// What measures computation.
const METER: Meter = Meter {
    cpu_seconds,
    want_threads: process::want_thread_time,
    take_threads: |rank, take| process::take_thread_time(rank, take),
};

/// Sets up a one-rank world on the built-in platform, for a program that runs without `smpirun`.
///
/// # Errors
/// Text for the user.
pub fn start_direct() -> Result<(), String> {
    if let Some(note) = other_launcher(|name| std::env::var(name).ok()) {
        eprintln!("{note}");
    }
    let plan = RunPlan::default();
    let runtime = build(&plan, 1, vec![0], false)?;
    global::install(runtime);
    with(|runtime| runtime.run(WorldRank(0)).standing = Standing::Ready);
    Ok(())
}

/// How launchers tell their processes how many there are, and which one each is: those of MPICH and Intel MPI, of Open
/// MPI, and of Slurm.
const LAUNCHERS: [[&str; 2]; 3] =
    [["PMI_SIZE", "PMI_RANK"], ["OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"], ["SLURM_NTASKS", "SLURM_PROCID"]];

/// What the first process says of a job that another launcher has started: each of them is a job of its own.
fn other_launcher(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let (size, name) = LAUNCHERS.iter().find_map(|[size, rank]| {
        let count = variable(size)?.parse::<u32>().ok().filter(|count| *count > 1)?;
        (variable(rank)?.trim() == "0").then_some((count, *size))
    })?;
    Some(format!(
        "libsmpi: this program is linked with libsmpi, and another launcher has started it ({name}={size}): each of the \
         {size} processes is rank 0 of a job of its own. Start it with smpirun -np {size}, or compile it with that \
         launcher's mpicc"
    ))
}

/// Ranks that may be spawned in a simulation, where the user does not say.
const SPAWNED_IN_SIMULATION: u32 = 8192;
/// The same in a verification, which looks at each of them in every state.
const SPAWNED_IN_VERIFICATION: u32 = 32;

/// How many ranks may be spawned, by a program that `spawns` some or not.
fn reserved(plan: &RunPlan, settings: &Settings, first: u32, spawns: bool) -> Result<u32, String> {
    let usual = match plan.verify {
        _ if !spawns => 0,
        Some(_) => SPAWNED_IN_VERIFICATION,
        None => SPAWNED_IN_SIMULATION,
    };
    let most = process::most_ranks().saturating_sub(first);
    match settings.mpi.spawn_ranks {
        Some(wanted) if wanted > most => Err(format!(
            "smpi/spawn-ranks: {wanted} ranks beside the {first} of the command line are more than one process can have; \
             expected {most} at most, or a higher limit of the kernel (sysctl vm.max_map_count)"
        )),
        Some(wanted) => Ok(wanted),
        None => Ok(usual.min(most)),
    }
}

/// The state of a run before its first instant. `first` ranks are those of the command line, and their programs spawn
/// others or not.
///
/// # Errors
/// Text for the user.
pub fn build(plan: &RunPlan, first: u32, app_starts: Vec<u32>, spawns: bool) -> Result<Runtime, String> {
    let platform = Arc::new(match (&plan.platform, &plan.mesh) {
        (Some(path), _) => Platform::load(path.as_ref()).map_err(|error| error.to_string())?,
        (None, Some(mesh)) => mesh::platform(mesh)?,
        (None, None) => Platform::builtin_laptop(),
    });
    let mut settings = configure(plan, &platform)?;
    if settings.mpi.host_speed.is_measured && plan.simulates_programs() {
        settings.mpi.host_speed.flops = own_speed::flops();
        if plan.notes {
            let giga = settings.mpi.host_speed.flops / 1e9;
            eprintln!(
                "smpirun: note: smpi/host-speed:auto is smpi/host-speed:{giga:.1}Gf: so fast does this machine compute"
            );
        }
    }
    let total = first + reserved(plan, &settings, first, spawns)?;
    let placement = place(plan, &settings, &platform, (first, total))?;
    let host_speeds = host_speeds(plan, &settings)?;
    let touched = plan.verify.as_ref().map(|_| Rc::new(RefCell::new(vec![true; total as usize])));
    let memory: Box<dyn RankMemory> = if plan.replay_trace.is_some() {
        Box::new(NoMemory)
    } else {
        // SAFETY: the world gets addresses from the calls of programs only, and its kernels use no memory.
        Box::new(unsafe { ProcessMemory::new(plan.shuffle.unwrap_or(0), touched.clone()) })
    };
    let mut world = World::new(total, memory, settings.thresholds());
    let is_strict = plan.verify.is_some() || plan.strict;
    if !is_strict {
        world.rules.bsend_overhead = 0;
        world.rules.copies_late = plan.replay_trace.is_none();
    }
    let driver = match &plan.verify {
        Some(options) => {
            Verification::prepare(&mut world);
            let mut driver = Verification::new(total, options.max_waitsome, options.is_by_steps());
            driver.let_change_places(&options.symmetric);
            driver.follow_influence(total, options.reduction == ReductionPlan::Histories || options.adapts);
            if settings.mpi.free_polls {
                driver.poll_freely_at_first();
            }
            Below::Verification(Box::new(driver))
        }
        None => {
            let compute = compute(plan, &settings, total, (&app_starts, &host_speeds))?;
            let config = Config::new(settings.network.clone(), settings.what_if.clone());
            let engine = Engine::new(platform.clone(), config);
            Below::Simulation(simulation(plan, &settings, engine, placement.clone(), compute)?)
        }
    };
    let trace = plan.trace.as_ref().map(|wanted| recorder(wanted, first)).transpose()?;
    let mut runtime = Runtime {
        world,
        driver,
        objects: (0..total).map(|_| RankObjects::default()).collect(),
        groups: Default::default(),
        ranks: (0..total).map(|_| RankRun::default()).collect(),
        ready: Vec::new(),
        settings,
        platform,
        files: FileSystem::new(plan.verify.is_some()),
        layout: Layout { placement, app_starts, host_speeds, first_ranks: first, highest: first },
        trouble: Trouble::default(),
        asked: Asked::default(),
        amend: Amend::default(),
        follows: Follows { track_sites: is_strict, touched, shows_propositions: false, trace },
    };
    runtime.reserve();
    Ok(runtime)
}

/// Who writes the trace.
fn recorder(wanted: &TracePlan, ranks: u32) -> Result<Box<Recorder>, String> {
    Ok(Box::new(Recorder::new(Output::create("-trace-ti", &wanted.file, ranks, wanted.one_file)?, ranks)))
}

/// The driver of a simulation, and who records what happens in it, if anybody does.
fn simulation(
    plan: &RunPlan,
    settings: &Settings,
    engine: Engine,
    placement: Vec<HostId>,
    compute: Compute,
) -> Result<Simulation, String> {
    let costs = Costs {
        look_secs: settings.mpi.wtime_secs,
        test_secs: settings.mpi.test_secs,
        probe_secs: settings.mpi.iprobe_secs,
        grow: settings.mpi.grow_polls,
    };
    let mut simulation = Simulation::new(engine, placement, compute, costs, plan.noise.as_ref());
    if plan.records() {
        let no_file = |error: std::io::Error| format!("cannot keep the events of a timeline: {error}");
        let spool = plan.timeline.as_ref().map(|_| Spool::new()).transpose().map_err(no_file)?;
        simulation.record(spool);
    }
    Ok(simulation)
}

/// How computation is charged to `total` ranks, whose programs begin at these numbers and have these speeds.
fn compute(
    plan: &RunPlan,
    settings: &Settings,
    total: u32,
    (app_starts, host_speeds): (&[u32], &[f64]),
) -> Result<Compute, String> {
    let apps = app_starts.windows(2).zip(host_speeds);
    let of_rank = apps.flat_map(|(ends, speed)| (ends[0]..ends[1]).map(|_| *speed));
    let mut speeds: Vec<f64> = of_rank.collect();
    speeds.resize(total as usize, host_speeds[0]);
    let choice = if settings.mpi.simulate_computation { &plan.compute } else { &plan::Compute::Off };
    Compute::new(choice, METER, total, || identity(plan), speeds, settings.mpi.cpu_threshold_secs)
}

/// The speed of this machine for each program of the run, in flop/s.
fn host_speeds(plan: &RunPlan, settings: &Settings) -> Result<Vec<f64>, String> {
    let HostSpeed { flops, of_programs, .. } = &settings.mpi.host_speed;
    let is_program = |app: &plan::App, name: &str| app.path == name || app.path.rsplit('/').next() == Some(name);
    if let Some((name, _)) = of_programs.iter().find(|(name, _)| !plan.apps.iter().any(|app| is_program(app, name))) {
        let programs: Vec<&str> = plan.apps.iter().map(|app| app.path.as_str()).collect();
        return Err(format!(
            "smpi/host-speed: no program of this run is {name}, expected {}; correct the name",
            programs.join(" or ")
        ));
    }
    let speed =
        |app: &plan::App| of_programs.iter().find(|(name, _)| is_program(app, name)).map_or(*flops, |found| found.1);
    // A program without smpirun has no plan, and is one.
    let count = plan.apps.len().max(1);
    Ok((0..count).map(|index| plan.apps.get(index).map_or(*flops, speed)).collect())
}

/// The programs of a run by their names and a hash of their files, in one line.
fn identity(plan: &RunPlan) -> String {
    let of_app = |app: &plan::App| {
        let mut hasher = FxBuildHasher.build_hasher();
        hasher.write(&std::fs::read(&app.path).unwrap_or_default());
        let name = app.path.rsplit('/').next().unwrap_or_default();
        format!("{}:{:016x}", name.replace(char::is_whitespace, "_"), hasher.finish())
    };
    plan.apps.iter().map(of_app).collect::<Vec<_>>().join(" ")
}

/// What the platform file and the command line say, the latter winning. A setting of the command line that has no
/// effect in this run is refused; those of a platform file are for all kinds of runs.
fn configure(plan: &RunPlan, platform: &Platform) -> Result<Settings, String> {
    let errors_returned_are_findings = plan.strict;
    let mut settings = Settings { quiet: plan.quiet, errors_returned_are_findings, ..Settings::default() };
    if plan.summary_json.is_some() {
        settings.selection.count_cases();
    }
    for (index, (key, value)) in platform.settings().iter().enumerate() {
        set(&mut settings, plan, &platform.setting_place(index), key, value)?;
    }
    let mode = match (&plan.verify, &plan.replay_trace) {
        (Some(_), _) => Mode::Verification,
        (None, Some(_)) => Mode::Trace,
        (None, None) => Mode::Simulation,
    };
    for (key, value) in &plan.cfg {
        let place = format!("--cfg={key}:{value}");
        match effect(key, mode) {
            Effect::Some => {}
            Effect::Noted if !plan.notes => {}
            Effect::Noted => eprintln!("smpirun: note: {place}: {key} has no effect where a trace is replayed"),
            Effect::Refused(why) => return Err(format!("{place}: {key} has no effect here: {why}")),
        }
        set(&mut settings, plan, &place, key, value)?;
    }
    Ok(settings)
}

fn set(settings: &mut Settings, plan: &RunPlan, place: &str, key: &str, value: &str) -> Result<(), String> {
    // What is wrong with a table is told by its own name.
    let is_file = key == "smpi/coll-selector" && value.contains('/');
    match settings.set(key, value).map_err(|why| if is_file { why } else { format!("{place}: {why}") })? {
        Applied::Ignored if plan.notes => {
            eprintln!("smpirun: note: {place}: {key} has no meaning here and is ignored");
        }
        Applied::Yes | Applied::Ignored => {}
        Applied::Unknown => return Err(format!("{place}: {}", unknown(key))),
    }
    Ok(())
}

/// The host of every rank: the hostfile's entries, or all hosts of the platform, in order, or some ranks on each of
/// them; wrapping round when there are more ranks than that. Those behind the `first` ones may be spawned.
fn place(
    plan: &RunPlan,
    settings: &Settings,
    platform: &Platform,
    (first, total): (u32, u32),
) -> Result<Vec<HostId>, String> {
    let name = |host: &HostId| &*platform.hosts()[host.index()].name;
    let hosts: Vec<HostId> = if plan.hosts.is_empty() {
        let mut all: Vec<HostId> = (0..platform.hosts().len() as u32).map(HostId).collect();
        if settings.mpi.hosts_by_name {
            all.sort_by(|one, other| name(one).cmp(name(other)));
        }
        all
    } else {
        let find = |(index, name): (usize, &String)| {
            platform.host_named(name).ok_or_else(|| {
                let origin = plan.host_origin(index).map_or(String::new(), |origin| format!("{origin}: "));
                format!("{origin}the platform has no host \"{name}\"; it has {}", host_examples(platform))
            })
        };
        plan.hosts.iter().enumerate().map(find).collect::<Result<_, _>>()?
    };
    let places = places(plan, platform, &hosts);
    let slots: u64 = places.iter().map(|(_, ranks)| u64::from(*ranks)).sum();
    if u64::from(first) > slots && plan.notes {
        let hosts = counted(places.len() as u64, "host");
        eprintln!("smpirun: note: {first} ranks on {hosts}: placed round-robin, several ranks share a host");
    }
    let in_turn = places.iter().flat_map(|(host, ranks)| std::iter::repeat_n(*host, *ranks as usize));
    let placement: Vec<HostId> = in_turn.cycle().take(total as usize).collect();
    platform.check_ways(Some(&placement)).map_err(|Gap { src, dst }| {
        let file = platform.name();
        format!(
            "{file}: no route from \"{src}\" to \"{dst}\", expected ways between all hosts that have ranks; add one to \
             the file, or name other hosts with -hostfile"
        )
    })?;
    if plan.map {
        let line = |(rank, host): (usize, &HostId)| format!("[rank {rank}] -> {}\n", name(host));
        print::answer(&placement.iter().take(first as usize).enumerate().map(line).collect::<String>())?;
    }
    Ok(placement)
}

/// Hosts with the number of ranks that each takes before the next one does.
fn places(plan: &RunPlan, platform: &Platform, entries: &[HostId]) -> Vec<(HostId, u32)> {
    if plan.spread == Spread::Entries {
        return entries.iter().map(|host| (*host, 1)).collect();
    }
    // Every host once, in the order of the first entries, with the number of its entries.
    let mut places: Vec<(HostId, u32)> = Vec::new();
    let mut places_of: Map<HostId, usize> = Map::default();
    for host in entries {
        let place = *places_of.entry(*host).or_insert(places.len());
        match places.get_mut(place) {
            Some((_, count)) => *count += 1,
            None => places.push((*host, 1)),
        }
    }
    for (host, count) in &mut places {
        match plan.spread {
            Spread::PerHost(ranks) => *count = ranks,
            Spread::Slots if plan.hosts.is_empty() => *count = platform.hosts()[host.index()].cores,
            Spread::Slots | Spread::Entries => {}
        }
    }
    places
}

fn host_examples(platform: &Platform) -> String {
    let hosts = platform.hosts();
    match hosts {
        [] => "no hosts".to_string(),
        [only] => format!("only \"{}\"", only.name),
        [first, .., last] => format!("{} hosts, \"{}\" to \"{}\"", hosts.len(), first.name, last.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_launcher_is_named_once() {
        let told = |variables: &[(&str, &str)]| {
            other_launcher(|name| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string())
            })
        };
        assert!(told(&[("PMI_SIZE", "4"), ("PMI_RANK", "0")]).unwrap().contains("smpirun -np 4"));
        assert!(told(&[("SLURM_NTASKS", "2"), ("SLURM_PROCID", "0")]).unwrap().contains("SLURM_NTASKS=2"));
        for variables in [
            &[("PMI_SIZE", "4"), ("PMI_RANK", "1")][..],
            &[("PMI_SIZE", "1"), ("PMI_RANK", "0")],
            // A batch script, and no process of a launcher.
            &[("SLURM_NTASKS", "4")],
            &[],
        ] {
            assert_eq!(told(variables), None);
        }
    }
}
