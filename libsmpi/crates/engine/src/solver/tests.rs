//! The incremental solver against hand-solved systems and against the slow twin.

use super::MaxMin;
use super::naive::{NaiveFlow, water_filling};
use proptest::prelude::*;
use smpi_base::heap::IndexedHeap;

fn system(capacities: &[f64]) -> MaxMin {
    let mut solver = MaxMin::new();
    for &capacity in capacities {
        solver.add_resource(capacity);
    }
    solver
}

fn start(solver: &mut MaxMin, id: u32, penalty: f64, bound: f64, uses: &[(u32, f64)]) {
    solver.add(id, penalty, bound, uses);
    solver.activate(id, 1.0);
}

fn solve(solver: &mut MaxMin) {
    solver.solve(0.0, &mut IndexedHeap::new());
}

/// Those of the flows whose rate a solution changes, with the new rate.
fn changes(solver: &mut MaxMin, flows: &[u32]) -> Vec<(u32, f64)> {
    let rates = |solver: &MaxMin| -> Vec<(u32, f64)> { flows.iter().map(|f| (*f, solver.rate(*f))).collect() };
    let before = rates(solver);
    solve(solver);
    rates(solver).into_iter().zip(before).filter(|(now, then)| now != then).map(|(now, _)| now).collect()
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
    solve(&mut solver);
    assert_rates(&solver, &[(0, 4.0), (1, 4.0), (2, 4.0)]);
}

#[test]
fn shares_are_inverse_to_penalties() {
    // x1 p1 = x2 p2 and x1 + x2 = 12 with p = 1 and 3: 9 and 3.
    let mut solver = system(&[12.0]);
    start(&mut solver, 0, 1.0, FREE, &[(0, 1.0)]);
    start(&mut solver, 1, 3.0, FREE, &[(0, 1.0)]);
    solve(&mut solver);
    assert_rates(&solver, &[(0, 9.0), (1, 3.0)]);
}

#[test]
fn what_a_bound_leaves_goes_to_the_others() {
    // Bound 2 of a fair 4: the other two share 10.
    let mut solver = system(&[12.0]);
    start(&mut solver, 0, 1.0, 2.0, &[(0, 1.0)]);
    start(&mut solver, 1, 1.0, FREE, &[(0, 1.0)]);
    start(&mut solver, 2, 1.0, FREE, &[(0, 1.0)]);
    solve(&mut solver);
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
    solve(&mut solver);
    assert_rates(&solver, &[(0, 0.5), (1, 0.5), (2, 1.5)]);
    // Without the first short flow the long one is limited by the second link: 1, 1.
    solver.remove(1);
    let changed = changes(&mut solver, &[0, 2]);
    assert_eq!(changed, [(0, 1.0), (2, 1.0)]);
}

#[test]
fn crosstraffic_is_consumed_on_the_way_back() {
    // Two opposite flows on two directions of capacity 105, each takes 5 % of the other's direction:
    // x + 0.05 x = 105.
    let mut solver = system(&[105.0, 105.0]);
    start(&mut solver, 0, 1.0, FREE, &[(0, 1.0), (1, 0.05)]);
    start(&mut solver, 1, 1.0, FREE, &[(1, 1.0), (0, 0.05)]);
    solve(&mut solver);
    assert_rates(&solver, &[(0, 100.0), (1, 100.0)]);
}

#[test]
fn a_flow_without_resources_runs_at_its_bound() {
    let mut solver = system(&[]);
    start(&mut solver, 0, 1.0, 7.0, &[]);
    let mut dates = IndexedHeap::new();
    solver.solve(3.0, &mut dates);
    assert_rates(&solver, &[(0, 7.0)]);
    assert_eq!(dates.peek(), Some((3.0 + 1.0 / 7.0, 0)));
}

#[test]
fn a_change_does_not_touch_strangers() {
    // 1,000 pairs on their own resources, and one resource that is never saturated under all of them.
    let mut solver = system(&[&[1.0; 1000][..], &[1e6]].concat());
    for id in 0..2000 {
        start(&mut solver, id, 1.0, FREE, &[(id / 2, 1.0), (1000, 1.0)]);
    }
    solve(&mut solver);
    solver.remove(0);
    let changed = changes(&mut solver, &[1, 2, 3, 1998]);
    assert_eq!(changed, [(1, 1.0)]);
    assert_eq!(solver.flows_in_set(), 1);
}

#[test]
fn links_that_are_far_from_full_are_not_looked_at() {
    // 256 pairs over one resource of 100 (number 0), each with links of 1, 1.5 or 2 on both sides: at first only the
    // shared one is full, and in the end no resource is.
    const PAIRS: u32 = 256;
    let mut capacities = vec![100.0];
    capacities.extend((0..2 * PAIRS).map(|link| 1.0 + 0.5 * f64::from(link / 2 % 3)));
    let mut solver = system(&capacities);
    let mut alive: Vec<(u32, NaiveFlow)> = Vec::new();
    for id in 0..PAIRS {
        let uses = vec![(1 + 2 * id, 1.0), (0, 1.0), (2 + 2 * id, 1.0)];
        start(&mut solver, id, 1.0, FREE, &uses);
        alive.push((id, NaiveFlow { penalty: 1.0, bound: FREE, uses }));
    }
    solve(&mut solver);
    while alive.len() > 1 {
        let (id, _) = alive.swap_remove(alive.len() * 5 / 8);
        solver.remove(id);
        solve(&mut solver);
        if alive.len() > 200 {
            assert_eq!(solver.resources_in_set(), 1, "{} flows are left", alive.len());
        }
        let flows: Vec<&NaiveFlow> = alive.iter().map(|(_, f)| f).collect();
        for ((id, _), rate) in alive.iter().zip(water_filling(&capacities, &flows)) {
            let found = solver.rate(*id);
            assert!((found - rate).abs() <= 1e-9 * rate, "flow {id}: {found} instead of {rate}");
        }
    }
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
        solve(&mut solver);
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
    Start(NaiveFlow),
    Stop(usize),
    /// Another penalty and bound.
    Change(usize, f64, f64),
    /// Another capacity.
    Capacity(u32, f64),
    Solve,
}

const RESOURCES: u32 = 12;

fn naive_flow() -> impl Strategy<Value = NaiveFlow> {
    let amount = prop_oneof![4 => Just(1.0), 2 => Just(0.05), 1 => Just(1.05), 1 => 0.1..3.0];
    let uses = prop::collection::btree_map(0..RESOURCES, amount, 1..6);
    let penalty = prop_oneof![3 => Just(1.0), 1 => 0.2..5.0];
    let bound = prop_oneof![3 => Just(FREE), 1 => Just(10.0), 1 => 0.5..40.0];
    (penalty, bound, uses).prop_map(|(penalty, bound, uses)| NaiveFlow {
        penalty,
        bound,
        uses: uses.into_iter().collect(),
    })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => naive_flow().prop_map(Step::Start),
        2 => any::<usize>().prop_map(Step::Stop),
        1 => (any::<usize>(), 0.2..5.0_f64, 0.5..40.0_f64).prop_map(|(flow, p, bound)| Step::Change(flow, p, bound)),
        1 => (0..RESOURCES, capacity()).prop_map(|(resource, capacity)| Step::Capacity(resource, capacity)),
        3 => Just(Step::Solve),
    ]
}

/// The dates at which flows that start at given dates end, by solving the whole system whenever something happens.
fn naive_ends(capacities: &[f64], flows: &[(f64, f64, NaiveFlow)]) -> Vec<f64> {
    let mut remaining: Vec<f64> = flows.iter().map(|f| f.1).collect();
    let mut ends = vec![f64::INFINITY; flows.len()];
    let mut now = 0.0;
    loop {
        let running: Vec<usize> = (0..flows.len()).filter(|f| flows[*f].0 <= now && ends[*f].is_infinite()).collect();
        let rates = water_filling(capacities, &running.iter().map(|f| &flows[*f].2).collect::<Vec<_>>());
        let start = flows.iter().map(|f| f.0).filter(|d| *d > now).fold(f64::INFINITY, f64::min);
        let first = running.iter().zip(&rates).map(|(f, rate)| now + remaining[*f] / rate).fold(start, f64::min);
        if first.is_infinite() {
            return ends;
        }
        for (f, rate) in running.iter().zip(&rates) {
            remaining[*f] -= rate * (first - now);
            if remaining[*f] <= 1e-10 * flows[*f].1 {
                ends[*f] = first;
            }
        }
        now = first;
    }
}

/// The same with the solver.
fn ends(capacities: &[f64], flows: &[(f64, f64, NaiveFlow)]) -> Vec<f64> {
    let mut solver = system(capacities);
    let mut dates = IndexedHeap::new();
    let mut ends = vec![f64::INFINITY; flows.len()];
    let mut now = 0.0;
    let mut started = vec![false; flows.len()];
    loop {
        for (id, (date, size, flow)) in flows.iter().enumerate() {
            if *date <= now && !std::mem::replace(&mut started[id], true) {
                solver.add(id as u32, flow.penalty, flow.bound, &flow.uses);
                solver.activate(id as u32, *size);
            }
        }
        solver.solve(now, &mut dates);
        let start = flows.iter().map(|f| f.0).filter(|d| *d > now).fold(f64::INFINITY, f64::min);
        let next = [dates.peek().map(|d| d.0), solver.next()].into_iter().flatten().fold(start, f64::min);
        if next.is_infinite() {
            return ends;
        }
        now = next;
        let mut due = Vec::new();
        while let Some((_, id)) = dates.peek().filter(|(date, _)| *date <= now) {
            dates.pop();
            due.push(id);
        }
        solver.collect(|date| date <= now, |id| due.push(id));
        for id in due {
            solver.remove(id);
            ends[id as usize] = now;
        }
    }
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
        let mut capacities = capacities;
        let mut alive: Vec<(u32, NaiveFlow)> = Vec::new();
        let mut free: Vec<u32> = (0..150).rev().collect();
        for step in steps.into_iter().chain([Step::Solve]) {
            match step {
                Step::Start(flow) => {
                    let Some(id) = free.pop() else { continue };
                    start(&mut solver, id, flow.penalty, flow.bound, &flow.uses);
                    alive.push((id, flow));
                }
                Step::Stop(index) if !alive.is_empty() => {
                    let (id, _) = alive.swap_remove(index % alive.len());
                    solver.remove(id);
                    free.push(id);
                }
                Step::Stop(_) => {}
                Step::Change(index, penalty, bound) => {
                    let count = alive.len().max(1);
                    let Some((id, flow)) = alive.get_mut(index % count) else { continue };
                    (flow.penalty, flow.bound) = (penalty, bound);
                    solver.change(*id, penalty, bound, 0.0);
                }
                Step::Capacity(resource, capacity) => {
                    capacities[resource as usize] = capacity;
                    solver.set_capacity(resource, capacity);
                    for (id, flow) in alive.iter().filter(|(_, flow)| flow.uses.iter().any(|u| u.0 == resource)) {
                        solver.change(*id, flow.penalty, flow.bound, 0.0);
                    }
                }
                Step::Solve => {
                    solve(&mut solver);
                    let flows: Vec<&NaiveFlow> = alive.iter().map(|(_, f)| f).collect();
                    for ((id, _), rate) in alive.iter().zip(water_filling(&capacities, &flows)) {
                        let found = solver.rate(*id);
                        prop_assert!((found - rate).abs() <= 1e-7 * rate, "flow {}: {} instead of {}", id, found, rate);
                    }
                }
            }
        }
    }

    /// Flows end when the slow twin says, however often their classes and levels have changed.
    #[test]
    fn ends_are_exact(
        capacities in prop::collection::vec(capacity(), RESOURCES as usize),
        flows in prop::collection::vec((0.0..20.0_f64, 1.0..300.0_f64, naive_flow()), 1..25),
    ) {
        for (found, expected) in ends(&capacities, &flows).into_iter().zip(naive_ends(&capacities, &flows)) {
            prop_assert!((found - expected).abs() <= 1e-8 * expected, "{} instead of {}", found, expected);
        }
    }
}
