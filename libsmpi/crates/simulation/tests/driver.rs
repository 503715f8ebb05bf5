//! A simulation driven by hand: what transfers, computation, alarms, polls and looks at the clock take.
//!
//! The platform is two hosts of 1 Gflop/s, joined by one link of 1 MB/s and 1 ms without factors: `S` bytes that have
//! the link to themselves take `1 ms + S / 1 MB/s`.

use std::cell::{Cell, RefCell};
use std::path::Path;
use std::sync::Arc;

use smpi_base::{HostId, SimTime, WorldRank, plan};
use smpi_engine::{Config, Engine};
use smpi_mailbox::CommId;
use smpi_mpi::memory::{Addr, Memory};
use smpi_mpi::world::{Chooser, Clock, Driver, Ended, Notice, Poll, RankMemory, World};
use smpi_platform::Platform;
use smpi_simulation::{Compute, Costs, Meter, Simulation, Step};

const LATENCY_SECS: f64 = 1e-3;
const BANDWIDTH: f64 = 1e6;
const FLOPS_PER_SEC: f64 = 1e9;
const THRESHOLD_SECS: f64 = 0.1;

const COSTS: Costs = Costs { look_secs: 1e-6, test_secs: 1e-4, probe_secs: 2e-4, grow: true };

const FIRST: WorldRank = WorldRank(0);
const SECOND: WorldRank = WorldRank(1);

thread_local! {
    /// CPU time that the meter shows.
    static CLOCK: Cell<f64> = const { Cell::new(0.0) };
    /// What reading it adds to it.
    static LOOK_SECS: Cell<f64> = const { Cell::new(0.0) };
    /// What threads have computed and nobody has taken.
    static THREADS: RefCell<Vec<(WorldRank, u32, f64)>> = const { RefCell::new(Vec::new()) };
}

fn take_threads(rank: WorldRank, take: &mut dyn FnMut(u32, f64)) {
    THREADS.with_borrow_mut(|threads| {
        threads.extract_if(.., |one| one.0 == rank).for_each(|(_, thread, seconds)| take(thread, seconds));
    });
}

/// Reading the meter takes a while.
fn meter() -> f64 {
    spend(LOOK_SECS.get());
    CLOCK.get()
}

const METER: Meter = Meter { cpu_seconds: meter, want_threads: || {}, take_threads };

/// The thread that runs the ranks computes.
fn spend(seconds: f64) {
    CLOCK.set(CLOCK.get() + seconds);
}

/// A thread of a rank computes.
fn spend_beside(rank: WorldRank, thread: u32, seconds: f64) {
    THREADS.with_borrow_mut(|threads| threads.push((rank, thread, seconds)));
}

fn engine(cores: u32) -> Engine {
    let text = format!(
        "[[host]]\nname = \"a\"\nspeed = \"1Gf\"\ncores = {cores}\n[[host]]\nname = \"b\"\nspeed = \"1Gf\"\n\
         [[link]]\nname = \"l\"\nbandwidth = \"1MBps\"\nlatency = \"1ms\"\nsharing = \"shared\"\n\
         [[route]]\nsrc = \"a\"\ndst = \"b\"\nlinks = [\"l\"]\n"
    );
    let platform = Platform::parse("test.toml", &text).unwrap_or_else(|error| panic!("{error}"));
    let mut config = Config::default();
    assert_eq!(config.set("network/model", "raw"), Ok(true));
    Engine::new(Arc::new(platform), config)
}

fn compute(choice: &plan::Compute) -> Result<Compute, String> {
    Compute::new(choice, METER, 2, || "a:1".to_string(), vec![FLOPS_PER_SEC; 2], THRESHOLD_SECS)
}

/// Rank 0 on the first host, which has `cores` cores, and rank 1 on the second.
fn simulation(cores: u32, choice: &plan::Compute, costs: Costs) -> Simulation {
    Simulation::new(engine(cores), vec![HostId(0), HostId(1)], compute(choice).unwrap(), costs, None)
}

fn without_computation() -> Simulation {
    simulation(1, &plan::Compute::Off, COSTS)
}

/// Everything that ends, with its date.
fn run(simulation: &mut Simulation) -> Vec<(f64, Ended)> {
    let (mut all, mut ended) = (Vec::new(), Vec::new());
    while simulation.advance(&mut ended) {
        let now = simulation.now().secs();
        all.extend(ended.drain(..).map(|one| (now, one)));
    }
    all
}

#[track_caller]
fn assert_ends(found: &[(f64, Ended)], expected: &[(f64, Ended)]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.1, expected.1, "in {found:?}");
        assert_close(found.0, expected.0);
    }
}

#[track_caller]
fn assert_close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found:e} instead of {expected:e}");
}

fn message(number: u64) -> CommId {
    CommId::from_bits(number)
}

#[test]
fn a_transfer_takes_latency_and_its_share_of_the_link() {
    let mut simulation = without_computation();
    simulation.start_transfer(message(7), FIRST, SECOND, 500_000);
    let alone = LATENCY_SECS + 500_000.0 / BANDWIDTH;
    assert_ends(&run(&mut simulation), &[(alone, Ended::Transfer(message(7)))]);
    // Two at once get half of the link each, until the shorter one is over: the longer one has 100,000 bytes left then.
    simulation.start_transfer(message(8), FIRST, SECOND, 300_000);
    simulation.start_transfer(message(9), SECOND, FIRST, 200_000);
    let shorter = alone + LATENCY_SECS + 2.0 * 200_000.0 / BANDWIDTH;
    let longer = shorter + 100_000.0 / BANDWIDTH;
    let expected = [(shorter, Ended::Transfer(message(9))), (longer, Ended::Transfer(message(8)))];
    assert_ends(&run(&mut simulation), &expected);
}

/// A message that was taken back still uses the network, and its number may belong to another one meanwhile.
#[test]
fn transfers_of_the_same_number_end_one_by_one() {
    let mut simulation = without_computation();
    simulation.start_transfer(message(3), FIRST, SECOND, 0);
    simulation.start_delay(FIRST, SimTime(LATENCY_SECS / 2.0));
    let mut ended = Vec::new();
    assert!(simulation.advance(&mut ended));
    assert_eq!(ended, [Ended::Rank(FIRST)]);
    simulation.start_transfer(message(3), FIRST, SECOND, 0);
    let end = Ended::Transfer(message(3));
    assert_ends(&run(&mut simulation), &[(LATENCY_SECS, end), (1.5 * LATENCY_SECS, end)]);
}

#[test]
fn a_rank_and_its_threads_end_together() {
    for (cores, expected) in [(4, 0.8), (1, 1.7)] {
        let mut simulation = simulation(cores, &plan::Compute::Measured, COSTS);
        simulation.burst_begins(FIRST);
        spend(0.5);
        spend_beside(FIRST, 1, 0.3);
        spend_beside(FIRST, 2, 0.4);
        spend_beside(FIRST, 1, 0.5);
        assert!(simulation.burst_ends(FIRST));
        // Each on a core of its own, the longest one decides; on one core, all of it.
        assert_ends(&run(&mut simulation), &[(expected, Ended::Rank(FIRST))]);
        // The next burst has no threads, and ends by itself.
        simulation.burst_begins(FIRST);
        spend(0.25);
        assert!(simulation.burst_ends(FIRST));
        assert_ends(&run(&mut simulation), &[(expected + 0.25, Ended::Rank(FIRST))]);
    }
}

#[test]
fn short_bursts_add_up_until_they_are_worth_a_wait() {
    let mut simulation = simulation(1, &plan::Compute::Measured, COSTS);
    for waits in [false, false, true] {
        simulation.burst_begins(FIRST);
        spend(0.4 * THRESHOLD_SECS);
        assert_eq!(simulation.burst_ends(FIRST), waits);
        // What is spent inside MPI is nobody's.
        spend(10.0);
    }
    assert_ends(&run(&mut simulation), &[(1.2 * THRESHOLD_SECS, Ended::Rank(FIRST))]);
}

#[test]
fn nobody_pays_for_the_meter() {
    LOOK_SECS.set(4.0 * THRESHOLD_SECS);
    let mut simulation = simulation(1, &plan::Compute::Measured, COSTS);
    for _ in 0..100 {
        simulation.burst_begins(FIRST);
        assert!(!simulation.burst_ends(FIRST), "a burst without computation is charged");
    }
    simulation.burst_begins(FIRST);
    spend(2.0 * THRESHOLD_SECS);
    assert!(simulation.burst_ends(FIRST));
    assert_ends(&run(&mut simulation), &[(2.0 * THRESHOLD_SECS, Ended::Rank(FIRST))]);
}

#[test]
fn a_burst_does_not_pay_for_what_others_do_while_its_rank_sleeps() {
    let mut simulation = simulation(1, &plan::Compute::Scaled(2.0), COSTS);
    // Before its first call of MPI a rank pays nothing.
    spend(1.0);
    assert!(!simulation.burst_ends(FIRST));
    simulation.burst_begins(FIRST);
    spend(1.0);
    simulation.burst_pauses(FIRST);
    spend(50.0);
    simulation.burst_goes_on(FIRST);
    spend(2.0);
    simulation.add_to_burst(FIRST, 4.0);
    assert!(simulation.burst_ends(FIRST));
    assert_ends(&run(&mut simulation), &[(2.0 * 7.0, Ended::Rank(FIRST))]);
}

#[test]
fn recorded_computation_is_replayed_whatever_is_measured() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recorded-computation");
    let _ = std::fs::remove_file(&path);
    let choice = plan::Compute::Recorded(path.to_string_lossy().into_owned());
    let bursts = |simulation: &mut Simulation, seconds: f64| -> Vec<(f64, Ended)> {
        assert!(!simulation.burst_ends(FIRST) && !simulation.burst_ends(SECOND));
        for rank in [FIRST, SECOND, FIRST] {
            simulation.burst_begins(rank);
            spend(seconds);
            if rank == FIRST {
                spend_beside(rank, 4, 3.0 * seconds);
            }
            simulation.burst_ends(rank);
        }
        run(simulation)
    };
    let mut first = simulation(8, &choice, COSTS);
    let recorded = bursts(&mut first, 1.0);
    first.compute().save().unwrap();
    let mut again = simulation(8, &choice, COSTS);
    assert!(again.compute().leftover().unwrap().contains("bursts of computation for rank 0, but this run had "));
    assert_ends(&bursts(&mut again, 123.0), &recorded);
    assert_eq!(again.compute().leftover(), None);
    let programs = || "a:1".to_string();
    let refused = |ranks| Compute::new(&choice, METER, ranks, programs, vec![FLOPS_PER_SEC; 3], THRESHOLD_SECS).err();
    assert!(refused(3).unwrap().contains(":2: recorded with 2 ranks, this run has 3"));
    std::fs::write(&path, "libsmpi computation 1\nranks 2\n0 1 2\n1 5,x\n").unwrap();
    assert!(refused(2).unwrap().contains(":4: "));
    std::fs::write(&path, "libsmpi computation 1\nranks 2\nprograms a:1\n0 1 2\n1 5,x\n").unwrap();
    assert!(refused(2).unwrap().contains(":5: "));
    std::fs::write(&path, "libsmpi computation 1\nranks 2\nprograms b:1\n0 1 2\n1 5\n").unwrap();
    assert!(refused(2).unwrap().contains(":3: recorded from another program"));
    std::fs::write(&path, "libsmpi computation 1\nranks 2\n0 1 2\n").unwrap();
    assert!(refused(2).unwrap().contains("has bursts of 1 ranks, expected 2"));
}

#[test]
fn alarms_go_off_are_moved_and_are_cancelled() {
    let mut simulation = without_computation();
    simulation.set_alarm(FIRST, SimTime(5.0));
    simulation.set_alarm(SECOND, SimTime(3.0));
    simulation.start_delay(FIRST, SimTime(1.0));
    simulation.set_alarm(FIRST, SimTime(2.0));
    let expected = [(1.0, Ended::Rank(FIRST)), (2.0, Ended::Alarm(FIRST)), (3.0, Ended::Alarm(SECOND))];
    assert_ends(&run(&mut simulation), &expected);
    // A date, not a duration: it is 3 s now. One that has passed goes off at once.
    simulation.set_alarm(FIRST, SimTime(4.0));
    simulation.set_alarm(SECOND, SimTime(1.0));
    assert_ends(&run(&mut simulation), &[(3.0, Ended::Alarm(SECOND)), (4.0, Ended::Alarm(FIRST))]);
    simulation.set_alarm(FIRST, SimTime(9.0));
    simulation.set_alarm(FIRST, SimTime(f64::INFINITY));
    assert_ends(&run(&mut simulation), &[]);
}

#[test]
fn polls_that_fail_in_a_row_take_longer_and_longer() {
    let mut simulation = without_computation();
    let world = world();
    for failed in 0..5 {
        assert_close(simulation.poll_takes(FIRST, Poll::Test).unwrap(), COSTS.test_secs * f64::from(failed + 1));
        simulation.told(&world, Notice::Polled { rank: FIRST, found: false });
    }
    // Of whatever kind; but each rank has its own patience.
    assert_close(simulation.poll_takes(FIRST, Poll::Probe).unwrap(), COSTS.probe_secs * 6.0);
    assert_close(simulation.poll_takes(SECOND, Poll::Test).unwrap(), COSTS.test_secs);
    simulation.told(&world, Notice::Polled { rank: FIRST, found: true });
    assert_close(simulation.poll_takes(FIRST, Poll::Test).unwrap(), COSTS.test_secs);
    let mut even = self::simulation(1, &plan::Compute::Off, Costs { grow: false, ..COSTS });
    even.told(&world, Notice::Polled { rank: FIRST, found: false });
    assert_close(even.poll_takes(FIRST, Poll::Test).unwrap(), COSTS.test_secs);
}

/// What `MPI_Wtime` does: the look takes its time, then the clock is read.
fn look(simulation: &mut Simulation, world: &mut World) -> f64 {
    let takes = simulation.look_takes(FIRST);
    simulation.start_delay(FIRST, SimTime(takes));
    assert!(simulation.advance(&mut Vec::new()));
    assert_eq!(simulation.look(world, FIRST), Some(simulation.now().secs()));
    takes
}

#[test]
fn looks_at_the_clock_grow_after_a_thousand_in_a_row() {
    let mut world = world();
    let mut simulation = without_computation();
    simulation.start_delay(FIRST, SimTime(1.0));
    assert!(simulation.advance(&mut Vec::new()));
    let mut takes = Vec::new();
    for _ in 0..=2000 {
        takes.push(look(&mut simulation, &mut world));
    }
    let expected = (0..=2000).map(|look| COSTS.look_secs * f64::from(1 + look / 1000));
    takes.iter().zip(expected).for_each(|(&found, expected)| assert_close(found, expected));
    // Something else takes time: the rank does not wait for the clock alone.
    simulation.start_delay(FIRST, SimTime(1e-3));
    assert!(simulation.advance(&mut Vec::new()));
    assert_close(look(&mut simulation, &mut world), COSTS.look_secs);
}

#[test]
fn random_numbers_repeat_and_differ_from_rank_to_rank() {
    let mut world = world();
    let mut numbers = |simulation: &mut Simulation, rank| -> Vec<i64> {
        (0..200).map(|_| simulation.random(&mut world, rank, -2, 3).unwrap()).collect()
    };
    let mut simulation = without_computation();
    let first = numbers(&mut simulation, FIRST);
    let second = numbers(&mut simulation, SECOND);
    assert_ne!(first, second);
    // In another order of ranks.
    let mut simulation = without_computation();
    assert_eq!(numbers(&mut simulation, SECOND), second);
    assert_eq!(numbers(&mut simulation, FIRST), first);
    let mut values = first;
    values.sort_unstable();
    values.dedup();
    assert_eq!(values, [-2, -1, 0, 1, 2, 3]);
}

/// A world in which nobody calls MPI.
fn world() -> World {
    World::new(2, Box::new(Nothing), Default::default())
}

/// Memory that nobody touches.
struct Nothing;

impl Memory for Nothing {
    fn bytes(&self, _: WorldRank, _: Addr, _: usize) -> &[Cell<u8>] {
        unreachable!("no rank has memory")
    }

    fn bytes_to_write(&mut self, _: WorldRank, _: Addr, _: usize) -> &[Cell<u8>] {
        unreachable!("no rank has memory")
    }
}

impl RankMemory for Nothing {
    fn reserve(&mut self, _: WorldRank, _: usize) -> Addr {
        unreachable!("no rank has memory")
    }

    fn release(&mut self, _: WorldRank, _: Addr, _: usize) {
        unreachable!("no rank has memory")
    }
}

#[test]
fn the_stages_of_a_job_are_done_one_after_another() {
    let mut simulation = without_computation();
    let message = |bytes| Step::Message { from: HostId(0), to: HostId(1), bytes };
    assert_eq!(simulation.start_job(vec![Vec::new()]), None);
    let job = simulation.start_job(vec![vec![message(1000), message(3000)], Vec::new(), vec![message(500)]]);
    let short = simulation.start_job(vec![vec![message(1000)]]);
    let (Some(job), Some(short)) = (job, short) else { panic!("there is something to do") };
    // A third of the link each for 3 ms, then 2,000 bytes alone; one more message.
    let (first, last) = (LATENCY_SECS + 3e-3, LATENCY_SECS + 5e-3 + LATENCY_SECS + 0.5e-3);
    assert_ends(&run(&mut simulation), &[(first, Ended::Job(short)), (last, Ended::Job(job))]);
}
