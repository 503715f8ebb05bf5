//! Makes an automaton smaller without changing what it accepts: states and acceptance sets that decide nothing are
//! dropped, states that cannot be told apart become one.

use crate::automaton::{all_sets, reachable};
use crate::components::{Components, Edge};
use crate::condition::Cube;
use smpi_base::map::Map;

/// A transition while an automaton is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Move {
    pub(crate) cube: Cube,
    pub(crate) target: u32,
    pub(crate) sets: u64,
}

/// Reduces an automaton of states with these `moves`. Its states are numbered anew, in the order in which they are
/// reached.
pub(crate) fn reduce(moves: &mut Vec<Vec<Move>>, initial: &mut Vec<u32>, sets: &mut usize) {
    drop_useless(moves, initial, *sets);
    drop_sets(moves, sets);
    loop {
        let before = moves.len();
        merge(moves, initial);
        if moves.len() == before {
            break;
        }
    }
    renumber(moves, initial);
}

fn edges(moves: &[Vec<Move>]) -> Vec<Vec<Edge>> {
    moves.iter().map(|moves| moves.iter().map(|m| (m.target, u128::from(m.sets))).collect()).collect()
}

/// Drops transitions to states from which nothing is accepted. What a run does outside the components in which it can
/// be accepted does not count, so there all transitions get the same sets: none.
fn drop_useless(moves: &mut [Vec<Move>], initial: &mut Vec<u32>, sets: usize) {
    let edges = edges(moves);
    let components = Components::new(&edges);
    let all = u128::from(all_sets(sets));
    // Components are numbered so that successors come first.
    let mut useful: Vec<bool> = (0..components.sets.len() as u32).map(|c| components.accepts(c, all)).collect();
    let mut by_component: Vec<usize> = (0..moves.len()).collect();
    by_component.sort_by_key(|n| components.of[*n]);
    for node in by_component {
        let leads_to_useful = edges[node].iter().any(|(target, _)| useful[components.of[*target as usize] as usize]);
        useful[components.of[node] as usize] |= leads_to_useful;
    }
    let is_useful = |state: u32| useful[components.of[state as usize] as usize];
    initial.retain(|state| is_useful(*state));
    for (node, moves) in moves.iter_mut().enumerate() {
        moves.retain(|m| is_useful(m.target));
        let component = components.of[node];
        for m in moves {
            if components.of[m.target as usize] != component || !components.accepts(component, all) {
                m.sets = 0;
            }
        }
    }
}

/// Drops acceptance sets that contain another one wherever it counts: who is in the other one for ever is also in them.
fn drop_sets(moves: &mut [Vec<Move>], sets: &mut usize) {
    let components = Components::new(&edges(moves));
    let inner = |moves: &[Vec<Move>]| -> Vec<u64> {
        let in_component = |(node, m): (usize, &Move)| components.of[node] == components.of[m.target as usize];
        let all = moves.iter().enumerate().flat_map(|(node, moves)| moves.iter().map(move |m| (node, m)));
        all.filter(|pair| in_component(*pair)).map(|(_, m)| m.sets).collect()
    };
    let mut set = 0;
    while set < *sets {
        let marks = inner(moves);
        let has = |marks: u64, set: usize| marks >> set & 1 == 1;
        let implied_by = |other: usize| other != set && marks.iter().all(|m| !has(*m, other) || has(*m, set));
        if marks.iter().all(|m| has(*m, set)) || (0..*sets).any(implied_by) {
            let below = all_sets(set);
            moves.iter_mut().flatten().for_each(|m| m.sets = m.sets & below | (m.sets >> 1) & !below);
            *sets -= 1;
        } else {
            set += 1;
        }
    }
}

/// Makes one state of those with the same transitions, where transitions to states of one class are the same: the
/// coarsest such classes (Moore's partition refinement).
fn merge(moves: &mut Vec<Vec<Move>>, initial: &mut [u32]) {
    let mut class = vec![0u32; moves.len()];
    let mut count = 1;
    loop {
        let mut signatures: Map<(u32, Vec<Move>), u32> = Map::default();
        let mut refined = Vec::with_capacity(class.len());
        for (state, moves) in moves.iter().enumerate() {
            let next = signatures.len() as u32;
            refined.push(*signatures.entry((class[state], signature(moves, &class))).or_insert(next));
        }
        class = refined;
        if signatures.len() == count {
            break;
        }
        count = signatures.len();
    }
    let mut merged: Vec<Vec<Move>> = Vec::with_capacity(count);
    for (state, moves) in moves.iter().enumerate() {
        if class[state] as usize == merged.len() {
            merged.push(signature(moves, &class));
        }
    }
    *moves = merged;
    initial.iter_mut().for_each(|state| *state = class[*state as usize]);
}

/// The transitions with classes as targets, ordered, without those that another makes superfluous.
fn signature(moves: &[Move], class: &[u32]) -> Vec<Move> {
    let mut all: Vec<Move> = moves.iter().map(|m| Move { target: class[m.target as usize], ..*m }).collect();
    all.sort_unstable();
    all.dedup();
    let superfluous = |m: &Move| {
        all.iter().any(|o| o != m && o.target == m.target && m.cube.implies(o.cube) && m.sets & !o.sets == 0)
    };
    all.iter().filter(|m| !superfluous(m)).copied().collect()
}

fn renumber(moves: &mut Vec<Vec<Move>>, initial: &mut Vec<u32>) {
    initial.sort_unstable();
    initial.dedup();
    let reached = reachable(&edges(moves), initial);
    let mut order = Vec::new();
    let mut number = vec![u32::MAX; moves.len()];
    let mut todo: std::collections::VecDeque<u32> = initial.iter().copied().collect();
    while let Some(state) = todo.pop_front() {
        if number[state as usize] == u32::MAX {
            number[state as usize] = order.len() as u32;
            order.push(state);
            todo.extend(moves[state as usize].iter().map(|m| m.target));
        }
    }
    debug_assert_eq!(order.len(), reached.iter().filter(|r| **r).count());
    let renumbered = |m: &Move| Move { target: number[m.target as usize], ..*m };
    *moves = order.iter().map(|state| moves[*state as usize].iter().map(renumbered).collect()).collect();
    initial.iter_mut().for_each(|state| *state = number[*state as usize]);
}
