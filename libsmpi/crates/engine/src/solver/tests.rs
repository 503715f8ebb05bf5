//! The incremental solver against hand-solved systems and against the slow twin.

use super::MaxMin;
use super::naive::{NaiveFlow, water_filling};
use proptest::prelude::*;

fn system(capacities: &[f64]) -> MaxMin {
    let mut solver = MaxMin::new();
    for &capacity in capacities {
        solver.add_resource(capacity);
    }
    solver
}

fn start(solver: &mut MaxMin, id: u32, penalty: f64, bound: f64, uses: &[(u32, f64)]) {
    solver.add(id, penalty, bound, uses);
    solver.activate(id);
}

fn assert_rates(solver: &MaxMin, expected: &[(u32, f64)]) {
    for &(id, rate) in expected {
        let found = solver.rate(id);
        assert!((found - rate).abs() <= 1e-12 * rate, "flow {id}: {found} instead of {rate}");
    }
}

const FREE: f64 = f64::INFINITY;

#[test]
fn equal_flows_share_equally() {
    // One resource of 12, three flows of penalty 1: 12 / 3.
    let mut solver = system(&[12.0]);
    for id in 0..3 {
        start(&mut solver, id, 1.0, FREE, &[(0, 1.0)]);
    }
    solver.solve(|_, _| {});
    assert_rates(&solver, &[(0, 4.0), (1, 4.0), (2, 4.0)]);
}

#[test]
fn shares_are_inverse_to_penalties() {
    // x1 p1 = x2 p2 and x1 + x2 = 12 with p = 1 and 3: 9 and 3.
    let mut solver = system(&[12.0]);
    start(&mut solver, 0, 1.0, FREE, &[(0, 1.0)]);
    start(&mut solver, 1, 3.0, FREE, &[(0, 1.0)]);
    solver.solve(|_, _| {});
    assert_rates(&solver, &[(0, 9.0), (1, 3.0)]);
}

#[test]
fn what_a_bound_leaves_goes_to_the_others() {
    // Bound 2 of a fair 4: the other two share 10.
    let mut solver = system(&[12.0]);
    start(&mut solver, 0, 1.0, 2.0, &[(0, 1.0)]);
    start(&mut solver, 1, 1.0, FREE, &[(0, 1.0)]);
    start(&mut solver, 2, 1.0, FREE, &[(0, 1.0)]);
    solver.solve(|_, _| {});
    assert_rates(&solver, &[(0, 2.0), (1, 5.0), (2, 5.0)]);
}

#[test]
fn the_classic_line_of_two_links() {
    // A long flow over both links of capacity 1 and 2, one short flow on each: the long one gets half of the
    // first, and the second's short flow the rest: 0.5, 0.5, 1.5.
    let mut solver = system(&[1.0, 2.0]);
    start(&mut solver, 0, 1.0, FREE, &[(0, 1.0), (1, 1.0)]);
    start(&mut solver, 1, 1.0, FREE, &[(0, 1.0)]);
    start(&mut solver, 2, 1.0, FREE, &[(1, 1.0)]);
    solver.solve(|_, _| {});
    assert_rates(&solver, &[(0, 0.5), (1, 0.5), (2, 1.5)]);
    // Without the first short flow the long one is limited by the second link: 1, 1.
    solver.remove(1);
    let mut changed = Vec::new();
    solver.solve(|id, rate| changed.push((id, rate)));
    changed.sort_by_key(|c| c.0);
    assert_eq!(changed, [(0, 1.0), (2, 1.0)]);
}

#[test]
fn crosstraffic_is_consumed_on_the_way_back() {
    // Two opposite flows on two directions of capacity 105, each takes 5 % of the other's direction:
    // x + 0.05 x = 105.
    let mut solver = system(&[105.0, 105.0]);
    start(&mut solver, 0, 1.0, FREE, &[(0, 1.0), (1, 0.05)]);
    start(&mut solver, 1, 1.0, FREE, &[(1, 1.0), (0, 0.05)]);
    solver.solve(|_, _| {});
    assert_rates(&solver, &[(0, 100.0), (1, 100.0)]);
}

#[test]
fn a_flow_without_resources_runs_at_its_bound() {
    let mut solver = system(&[]);
    start(&mut solver, 0, 1.0, 7.0, &[]);
    let mut changed = Vec::new();
    solver.solve(|id, rate| changed.push((id, rate)));
    assert_eq!(changed, [(0, 7.0)]);
}

#[test]
fn a_change_does_not_touch_strangers() {
    // 1,000 pairs on their own resources, and one resource that is never saturated under all of them.
    let mut solver = system(&[&[1.0; 1000][..], &[1e6]].concat());
    for id in 0..2000 {
        start(&mut solver, id, 1.0, FREE, &[(id / 2, 1.0), (1000, 1.0)]);
    }
    solver.solve(|_, _| {});
    solver.remove(0);
    let mut changed = Vec::new();
    solver.solve(|id, rate| changed.push((id, rate)));
    assert_eq!(changed, [(1, 1.0)]);
    assert_eq!(solver.chosen_count(), 1);
}

#[test]
fn rounding_does_not_gather() {
    // 16 hosts as the network model makes them: up (even) and down (odd) channels with cross-traffic. After many
    // thousand solutions without an idle moment the rates are still those of the slow twin.
    const HOSTS: u32 = 16;
    let capacities = [125e6; 2 * HOSTS as usize];
    let mut solver = system(&capacities);
    let mut rng = smpi_base::rng::Rng::new(4);
    let mut alive: Vec<(u32, NaiveFlow)> = Vec::new();
    let mut free: Vec<u32> = (0..80).rev().collect();
    for round in 0..40_000 {
        let full = free.is_empty() || rng.below(80) < alive.len();
        if full {
            let (id, _) = alive.swap_remove(rng.below(alive.len()));
            solver.remove(id);
            free.push(id);
        } else if let Some(id) = free.pop() {
            let (src, step) = (rng.below(HOSTS as usize) as u32, 1 + rng.below(HOSTS as usize - 1) as u32);
            let dst = (src + step) % HOSTS;
            let uses = vec![(2 * src, 1.0), (2 * dst + 1, 1.0), (2 * dst, 0.05), (2 * src + 1, 0.05)];
            let penalty = [1e-4, 2e-4, 1.5e-3][rng.below(3)];
            start(&mut solver, id, penalty, 125e6, &uses);
            alive.push((id, NaiveFlow { penalty, bound: 125e6, uses }));
        }
        solver.solve(|_, _| {});
        if round % 1000 == 999 {
            let flows: Vec<&NaiveFlow> = alive.iter().map(|(_, f)| f).collect();
            for ((id, _), rate) in alive.iter().zip(water_filling(&capacities, &flows)) {
                let found = solver.rate(*id);
                assert!((found - rate).abs() <= 1e-8 * rate, "round {round}, flow {id}: {found} instead of {rate}");
            }
        }
    }
}

/// One change of a random system.
#[derive(Clone, Debug)]
enum Step {
    Start { penalty: f64, bound: f64, uses: Vec<(u32, f64)> },
    Stop(usize),
    Solve,
}

const RESOURCES: u32 = 12;

fn step() -> impl Strategy<Value = Step> {
    let amount = prop_oneof![4 => Just(1.0), 2 => Just(0.05), 1 => Just(1.05), 1 => 0.1..3.0];
    let uses = prop::collection::btree_map(0..RESOURCES, amount, 1..6);
    let penalty = prop_oneof![3 => Just(1.0), 1 => 0.2..5.0];
    let bound = prop_oneof![3 => Just(FREE), 1 => Just(10.0), 1 => 0.5..40.0];
    prop_oneof![
        4 => (penalty, bound, uses)
            .prop_map(|(penalty, bound, uses)| Step::Start { penalty, bound, uses: uses.into_iter().collect() }),
        2 => any::<usize>().prop_map(Step::Stop),
        3 => Just(Step::Solve),
    ]
}

fn capacity() -> impl Strategy<Value = f64> {
    prop_oneof![2 => Just(100.0), 1 => 1.0..500.0]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// After every batch of changes the rates are those of the slow twin.
    #[test]
    fn incremental_is_exact(
        capacities in prop::collection::vec(capacity(), RESOURCES as usize),
        steps in prop::collection::vec(step(), 1..150),
    ) {
        let mut solver = system(&capacities);
        let mut alive: Vec<(u32, NaiveFlow)> = Vec::new();
        let mut free: Vec<u32> = (0..150).rev().collect();
        let mut told = [0.0; 150];
        for step in steps.into_iter().chain([Step::Solve]) {
            match step {
                Step::Start { penalty, bound, uses } => {
                    let Some(id) = free.pop() else { continue };
                    start(&mut solver, id, penalty, bound, &uses);
                    alive.push((id, NaiveFlow { penalty, bound, uses }));
                }
                Step::Stop(index) if !alive.is_empty() => {
                    let (id, _) = alive.swap_remove(index % alive.len());
                    solver.remove(id);
                    free.push(id);
                }
                Step::Stop(_) => {}
                Step::Solve => {
                    solver.solve(|id, rate| told[id as usize] = rate);
                    let flows: Vec<&NaiveFlow> = alive.iter().map(|(_, f)| f).collect();
                    for ((id, _), rate) in alive.iter().zip(water_filling(&capacities, &flows)) {
                        let found = solver.rate(*id);
                        prop_assert!((found - rate).abs() <= 1e-7 * rate, "flow {}: {} instead of {}", id, found, rate);
                        prop_assert_eq!(told[*id as usize], found);
                    }
                }
            }
        }
    }
}
