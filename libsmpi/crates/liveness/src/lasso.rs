//! From a component with an accepted execution to a short one: a way to it and a cycle.
//!
//! Finding the shortest one is hard, so this is what can be had cheaply. Each cycle that counts has a step of the set
//! that is rarest in the component. The nearest states before such steps are tried as the cycle's first state: the
//! shortest way to it among what was explored, and from there the nearest step of a set that is missing, again and
//! again, and back. The shortest of these results is taken.

use crate::graph::{Graph, Ranks};
use crate::offers::Part;
use crate::product::{Edge, Marks, Pair, Product};
use std::collections::VecDeque;

/// At most so many states are tried as the cycle's first.
const MOST_ENTRIES: usize = 32;
/// No further state is tried after so many steps were looked at.
const MOST_WORK: usize = 10_000_000;

/// An execution that violates the property: first the steps of `prefix`, then those of `cycle`, again and again.
///
/// The cycle is not one shorter cycle several times, and the last step of the prefix is not that of the cycle.
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
    /// Which of the state's successors is taken, from 0. `None`: the execution has ended, and nothing happens any more.
    pub successor: Option<usize>,
    /// The ranks that move.
    pub moved: Ranks,
}

/// Where an accepted execution goes round.
pub(crate) enum Place {
    /// In the component that begins with this state of the product.
    Component(u32),
    /// In this part of one, in which each offer that stands somewhere is accepted somewhere.
    Part(Part),
}

/// A short counterexample that goes round there. `system` is the system's initial state.
pub(crate) fn shortest<G: Graph>(product: &Product<G>, system: u32, place: &Place) -> Counterexample {
    let automata = product.violations.initial.iter();
    let initial: Vec<u32> = automata.filter_map(|&automaton| product.number(Pair { system, automaton })).collect();
    let mut walker = Walker { product, place, work: 0, came: vec![NONE; product.pairs.len()], seen: Vec::new() };
    let mut best: Option<(usize, u32, Vec<Taken>)> = None;
    for (entry, distance) in walker.entries(&initial) {
        let cycle = walker.cycle(entry);
        if best.as_ref().is_none_or(|(length, ..)| distance + cycle.len() < *length) {
            best = Some((distance + cycle.len(), entry, cycle));
        }
        if walker.work > MOST_WORK {
            break;
        }
    }
    let (_, entry, cycle) = best.expect("the component was reached from an initial state");
    let prefix = walker.way_to(&initial, entry);
    let (prefix, cycle) = simplified(written(product, &prefix), written(product, &cycle));
    let name = product.known.keys(prefix.iter().chain(&cycle).map(|(state, _)| *state));
    let named = |steps: Vec<(u32, Step)>| steps.into_iter().map(|(s, step)| Step { key: name[&s], ..step }).collect();
    Counterexample { prefix: named(prefix), cycle: named(cycle) }
}

/// A step of the product: its first state and the edge.
type Taken = (u32, Edge);

/// No state.
const NONE: u32 = u32::MAX;

struct Walker<'a, 'b, G: Graph> {
    product: &'a Product<'b, G>,
    place: &'a Place,
    /// How many steps were looked at.
    work: usize,
    /// From where a state was reached by the last walk; `seen` are the states that were.
    came: Vec<u32>,
    seen: Vec<u32>,
}

impl Place {
    /// Whether a state is known to be there: of a component, open ones that were found later than its first one are.
    fn has<G: Graph>(&self, product: &Product<G>, number: u32) -> bool {
        match self {
            Place::Component(root) => number >= *root && !product.is_closed(number),
            Place::Part(part) => part.states.contains(&number),
        }
    }

    /// The offers that have to be accepted.
    fn offers(&self) -> Vec<u32> {
        match self {
            Place::Component(_) => Vec::new(),
            Place::Part(part) => part.offers.clone(),
        }
    }
}

impl<G: Graph> Walker<'_, '_, G> {
    fn is_member(&self, number: u32) -> bool {
        self.place.has(self.product, number)
    }

    /// Breadth first from `starts` until `found` accepts a step. `came` says how what was seen was reached.
    fn walk(&mut self, starts: &[u32], inside: bool, mut found: impl FnMut(&Edge, u32) -> bool) -> Option<Taken> {
        let mut queue: VecDeque<u32> = starts.iter().copied().collect();
        while let Some(number) = queue.pop_front() {
            for (edge, target) in self.product.steps(number) {
                self.work += 1;
                if inside && !self.is_member(target) {
                    continue;
                }
                if found(&edge, target) {
                    return Some((number, edge));
                }
                if self.came[target as usize] == NONE && !starts.contains(&target) {
                    self.came[target as usize] = number;
                    self.seen.push(target);
                    queue.push_back(target);
                }
            }
        }
        None
    }

    /// Forgets the last walk.
    fn forget(&mut self) {
        self.seen.drain(..).for_each(|number| self.came[number as usize] = NONE);
    }

    /// The steps of the last walk to the state `number`.
    fn way(&self, mut number: u32) -> Vec<Taken> {
        let mut way = Vec::new();
        while self.came[number as usize] != NONE {
            let before = self.came[number as usize];
            // The walk took the first step that leads there, too.
            let step = self.product.steps(before).find(|(_, target)| *target == number);
            way.push((before, step.expect("the walk came this way").0));
            number = before;
        }
        way.reverse();
        way
    }

    /// The shortest way from an initial state to `end`.
    fn way_to(&mut self, initial: &[u32], end: u32) -> Vec<Taken> {
        if initial.contains(&end) {
            return Vec::new();
        }
        let last = self.walk(initial, false, |_, target| target == end).expect("it was reached before");
        let mut way = self.way(last.0);
        way.push(last);
        self.forget();
        way
    }

    /// The shortest way inside the component from `start` to a step that `found` accepts, with that step.
    fn nearest(&mut self, start: u32, found: impl Fn(&Edge, u32) -> bool) -> Vec<Taken> {
        let last = self.walk(&[start], true, found);
        let last = last.expect("the component has steps of all sets, and ways between all of its states");
        let mut way = self.way(last.0);
        way.push(last);
        self.forget();
        way
    }

    /// The wanted set, as one bit, that the fewest steps inside the component are in; none if no set is wanted.
    fn rarest(&mut self) -> Marks {
        let mut counts: Vec<(Marks, usize)> = self.product.wanted.single().map(|set| (set, 0)).collect();
        for number in (0..self.came.len() as u32).filter(|number| self.is_member(*number)) {
            for (edge, _) in self.product.steps(number).filter(|(_, target)| self.is_member(*target)) {
                for (set, count) in &mut counts {
                    *count += usize::from(edge.marks.missing(*set).is_empty());
                }
            }
        }
        counts.iter().min_by_key(|(_, count)| *count).map_or(Marks::default(), |(set, _)| *set)
    }

    /// The nearest states of the component before a step of its rarest set, with their distances from an initial one.
    fn entries(&mut self, initial: &[u32]) -> Vec<(u32, usize)> {
        let rarest = self.rarest();
        let (product, place) = (self.product, self.place);
        let is_member = |number: u32| place.has(product, number);
        let is_entry = |number: u32| {
            is_member(number)
                && product
                    .steps(number)
                    .any(|(edge, target)| is_member(target) && edge.marks.missing(rarest).is_empty())
        };
        let mut entries: Vec<u32> = initial.iter().copied().filter(|number| is_entry(*number)).collect();
        self.walk(initial, false, |_, target| {
            let enough = entries.len() >= MOST_ENTRIES;
            if !enough && !entries.contains(&target) && is_entry(target) {
                entries.push(target);
            }
            enough
        });
        let came = &self.came;
        let before = |number: &u32| Some(came[*number as usize]).filter(|before| *before != NONE);
        let distance = |entry: u32| std::iter::successors(Some(entry), before).count() - 1;
        let distances = entries.iter().map(|&entry| (entry, distance(entry))).collect();
        self.forget();
        distances
    }

    /// A cycle from `entry` through steps of all wanted sets, and through some that accept each offer of the part.
    fn cycle(&mut self, entry: u32) -> Vec<Taken> {
        let wanted = self.product.wanted;
        let mut cycle: Vec<Taken> = Vec::new();
        let mut have = Marks::default();
        let mut standing: Vec<u32> = self.place.offers();
        let known = &self.product.known;
        let mut at = entry;
        loop {
            let missing = have.missing(wanted);
            let is_done = missing.is_empty() && standing.is_empty();
            if is_done && at == entry && !cycle.is_empty() {
                return cycle;
            }
            let way = if is_done {
                self.nearest(at, |_, target| target == entry)
            } else {
                let accepts = |edge: &Edge| known.accepted(edge.hop).iter().any(|offer| standing.contains(offer));
                self.nearest(at, |edge, _| edge.marks.missing(missing) != missing || accepts(edge))
            };
            for (_, edge) in &way {
                have = have.and(edge.marks);
                standing.retain(|offer| !known.accepted(edge.hop).contains(offer));
            }
            let last = way[way.len() - 1].1.target;
            at = self.product.number(last).expect("a step's end is known");
            cycle.extend(way);
        }
    }
}

/// Steps of the system with the numbers of the states before them; their keys are looked up later.
fn written<G: Graph>(product: &Product<G>, steps: &[Taken]) -> Vec<(u32, Step)> {
    let step = |(number, edge): &Taken| {
        let system = product.pairs[*number as usize].system;
        let successor = (!product.known.ended(system)).then_some(edge.successor as usize);
        let place = edge.successor - product.known.before(system);
        let moved = product.known.moved(product.known.hops(system)[place as usize]);
        (system, Step { key: 0, valuation: product.known.valuation(system), successor, moved })
    };
    steps.iter().map(step).collect()
}

/// The same execution with a shorter prefix or cycle, where the automaton's states made them longer: no cycle that is
/// a shorter one several times, and no step before the cycle that is one of it.
fn simplified<T: PartialEq>(mut prefix: Vec<T>, mut cycle: Vec<T>) -> (Vec<T>, Vec<T>) {
    let length = cycle.len();
    let repeats =
        |period: &usize| length.is_multiple_of(*period) && (*period..length).all(|i| cycle[i] == cycle[i - period]);
    let period = (1..=length).find(repeats).expect("the whole cycle is one");
    cycle.truncate(period);
    let mut turns = 0;
    while prefix.last().is_some_and(|last| *last == cycle[(2 * period - 1 - turns % period) % period]) {
        prefix.pop();
        turns += 1;
    }
    cycle.rotate_right(turns % period);
    (prefix, cycle)
}
