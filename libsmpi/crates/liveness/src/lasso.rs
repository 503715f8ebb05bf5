//! From a component with an accepted execution to a short one: a way to it and a cycle.
//!
//! Finding the shortest one is hard, so this is what can be had cheaply: the shortest way, among what was explored, to
//! each of the nearest states of the component, and from there the nearest step of a set that is missing, again and
//! again, and back. The shortest of these results is taken.

use crate::graph::{Graph, Ranks};
use crate::product::{Edge, Marks, Pair, Product};
use std::collections::VecDeque;

/// At most so many states are tried as the cycle's first.
const MOST_ENTRIES: usize = 32;
/// No further state is tried after so many steps were looked at.
const MOST_WORK: usize = 10_000_000;

/// An execution that violates the property: first the steps of `prefix`, then those of `cycle`, again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The steps before the cycle; there may be none.
    pub prefix: Vec<Step>,
    /// At least one step. The last one leads to the state before the first one.
    pub cycle: Vec<Step>,
}

/// A state of a counterexample and the step that leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The state's [`key`](Graph::key).
    pub key: u128,
    /// The propositions that hold in it.
    pub valuation: u64,
    /// The automaton's state.
    pub automaton: u32,
    /// Which of the state's successors is taken, from 0. `None`: the execution has ended, and nothing happens any more.
    pub successor: Option<usize>,
    /// The ranks that move.
    pub moved: Ranks,
}

/// A short counterexample in the component that begins with the product's state `root`. `system` is the system's
/// initial state.
pub(crate) fn shortest<G: Graph>(product: &Product<G>, system: u32, root: u32) -> Counterexample {
    let initial: Vec<u32> = product
        .violations
        .initial
        .iter()
        .filter_map(|automaton| product.number(Pair { system, automaton: *automaton }))
        .collect();
    let mut walker = Walker { product, root, work: 0, came: vec![None; product.pairs.len()], seen: Vec::new() };
    let entries = walker.entries(&initial);
    let mut best: Option<(Vec<Taken>, Vec<Taken>)> = None;
    for (entry, prefix) in entries {
        let cycle = walker.cycle(entry);
        if best.as_ref().is_none_or(|(p, c)| prefix.len() + cycle.len() < p.len() + c.len()) {
            best = Some((prefix, cycle));
        }
        if walker.work > MOST_WORK {
            break;
        }
    }
    let (prefix, cycle) = best.expect("the component was reached from an initial state");
    written(product, &prefix, &cycle)
}

/// A step of the product: its first state and the edge.
type Taken = (u32, Edge);

struct Walker<'a, 'b, G: Graph> {
    product: &'a Product<'b, G>,
    root: u32,
    /// How many steps were looked at.
    work: usize,
    /// How a state was reached by the walk that goes on; `seen` are the states that were.
    came: Vec<Option<Taken>>,
    seen: Vec<u32>,
}

impl<G: Graph> Walker<'_, '_, G> {
    /// Whether a state is known to be in the component: open ones that were found later than its first one are.
    fn is_member(&self, number: u32) -> bool {
        number >= self.root && !self.product.is_closed(number)
    }

    /// The steps of a state whose ends are known.
    fn steps(&self, number: u32) -> Vec<(Edge, u32)> {
        let pair = self.product.pairs[number as usize];
        let mut steps = Vec::new();
        let mut place = (0, 0);
        while let Some((edge, next)) = self.product.edge(pair, place) {
            place = next;
            steps.extend(self.product.number(edge.target).map(|target| (edge, target)));
        }
        steps
    }

    /// Breadth first from `starts` until `found` accepts a step. `came` says how what was seen was reached.
    fn walk(&mut self, starts: &[u32], inside: bool, mut found: impl FnMut(Taken, u32) -> bool) -> Option<Taken> {
        let mut queue: VecDeque<u32> = starts.iter().copied().collect();
        while let Some(number) = queue.pop_front() {
            for (edge, target) in self.steps(number) {
                self.work += 1;
                if inside && !self.is_member(target) {
                    continue;
                }
                if found((number, edge), target) {
                    return Some((number, edge));
                }
                if self.came[target as usize].is_none() && !starts.contains(&target) {
                    self.came[target as usize] = Some((number, edge));
                    self.seen.push(target);
                    queue.push_back(target);
                }
            }
        }
        None
    }

    /// Forgets the last walk.
    fn forget(&mut self) {
        self.seen.drain(..).for_each(|number| self.came[number as usize] = None);
    }

    /// The shortest way inside the component from `start` to a step that `found` accepts, with that step.
    fn nearest(&mut self, start: u32, found: impl Fn(&Edge, u32) -> bool) -> Vec<Taken> {
        let last = self.walk(&[start], true, |(_, edge), target| found(&edge, target));
        let way = self.way(last.expect("the component has steps of all sets, and ways between all of its states"));
        self.forget();
        way
    }

    /// The steps that led to `last`, and `last`.
    fn way(&self, last: Taken) -> Vec<Taken> {
        let mut way = vec![last];
        while let Some(step) = self.came[way[way.len() - 1].0 as usize] {
            way.push(step);
        }
        way.reverse();
        way
    }

    /// The component's states that are nearest to an initial one, with the ways to them.
    fn entries(&mut self, initial: &[u32]) -> Vec<(u32, Vec<Taken>)> {
        let mut entries: Vec<(u32, Vec<Taken>)> =
            initial.iter().filter(|number| self.is_member(**number)).map(|number| (*number, Vec::new())).collect();
        let mut ends: Vec<(Taken, u32)> = Vec::new();
        let (root, product) = (self.root, self.product);
        self.walk(initial, false, |taken, target| {
            let is_member = target >= root && !product.is_closed(target);
            if is_member && !initial.contains(&target) && !ends.iter().any(|(_, end)| *end == target) {
                ends.push((taken, target));
            }
            ends.len() >= MOST_ENTRIES
        });
        entries.extend(ends.into_iter().map(|(taken, end)| (end, self.way(taken))));
        self.forget();
        entries
    }

    /// A cycle from `entry` through steps of all wanted sets.
    fn cycle(&mut self, entry: u32) -> Vec<Taken> {
        let wanted = self.product.wanted;
        let mut cycle: Vec<Taken> = Vec::new();
        let mut have = Marks::default();
        let mut at = entry;
        loop {
            let missing = have.missing(wanted);
            if missing.is_empty() && at == entry && !cycle.is_empty() {
                return cycle;
            }
            let way = if missing.is_empty() {
                self.nearest(at, |_, target| target == entry)
            } else {
                self.nearest(at, |edge, _| edge.marks.missing(missing) != missing)
            };
            for (_, edge) in &way {
                have = have.and(edge.marks);
            }
            let last = way[way.len() - 1].1.target;
            at = self.product.number(last).expect("a step's end is known");
            cycle.extend(way);
        }
    }
}

fn written<G: Graph>(product: &Product<G>, prefix: &[Taken], cycle: &[Taken]) -> Counterexample {
    let system = |(number, _): &Taken| product.pairs[*number as usize].system;
    let keys = product.known.keys(prefix.iter().chain(cycle).map(system));
    let step = |taken: &Taken| {
        let (number, edge) = taken;
        let Pair { system, automaton } = product.pairs[*number as usize];
        let successor = (!product.known.ended(system)).then_some(edge.successor as usize);
        let moved = product.known.moved(product.known.hops(system)[edge.successor as usize]);
        Step { key: keys[&system], valuation: product.known.valuation(system), automaton, successor, moved }
    };
    Counterexample { prefix: prefix.iter().map(step).collect(), cycle: cycle.iter().map(step).collect() }
}
