//! What the report shows of a property: an execution that violates it with all of its choices, and the states where
//! they are few.

use std::collections::VecDeque;
use std::rc::Rc;

use smpi_base::map::Map;
use smpi_checker::{Choices, Event, System};
use smpi_liveness::{Counterexample, Step};
use smpi_report::lasso::{Lasso, LassoStep};
use smpi_report::tree::{Circle, Graph, Line, Part, Tree};

use crate::page::MOST_STATES;
use crate::program::{Program, Snapshot};
use crate::schedule::in_words::{Told, told};

/// The propositions of the automaton that a valuation says are true.
fn holding(names: &[String], valuation: u64) -> Vec<String> {
    let holds = names.iter().enumerate().filter(|(place, _)| valuation >> place & 1 == 1);
    holds.map(|(_, name)| name.clone()).collect()
}

/// A counterexample in words; `before` of the choices come before its round.
pub fn lasso_of(names: &[String], found: &Counterexample, told: &[Told], before: usize) -> Lasso {
    let steps = found.prefix.iter().chain(&found.cycle);
    let mut prefix: Vec<LassoStep> = told
        .iter()
        .zip(steps)
        .map(|(told, step)| LassoStep { choice: told.line.clone(), holds: holding(names, step.valuation) })
        .collect();
    let round = prefix.split_off(before.min(prefix.len()));
    let holds_at_end = found.cycle.first().map_or(Vec::new(), |step| holding(names, step.valuation));
    Lasso { propositions: names.to_vec(), prefix, round, holds_at_end, way_out: None }
}

/// A state that was met.
struct Met {
    snapshot: Rc<Snapshot>,
    valuation: u64,
    is_end: bool,
    /// The choices of it that were made, in order: which of all that it has, and where they led.
    steps: Vec<(usize, Event, usize)>,
}

/// The states that a search has met, as long as they are few.
#[derive(Default)]
pub struct Drawing {
    states: Vec<Met>,
    numbers: Map<u128, usize>,
    is_too_large: bool,
}

impl Drawing {
    /// Notes a state.
    pub fn met(&mut self, snapshot: &Rc<Snapshot>, key: u128, valuation: u64, is_end: bool) {
        if self.is_too_large || self.numbers.contains_key(&key) {
            return;
        }
        if self.states.len() as u64 == MOST_STATES {
            *self = Drawing { is_too_large: true, ..Drawing::default() };
            return;
        }
        self.numbers.insert(key, self.states.len());
        self.states.push(Met { snapshot: Rc::clone(snapshot), valuation, is_end, steps: Vec::new() });
    }

    /// Notes a choice of a state, which of all that it has, and where it led. Both states were met.
    pub fn step(&mut self, from: u128, (place, event): (usize, Event), to: u128) {
        if let Some((&from, &to)) = self.numbers.get(&from).zip(self.numbers.get(&to)) {
            let steps = &mut self.states[from].steps;
            // It may have been looked at before.
            if let Err(at) = steps.binary_search_by_key(&place, |step| step.0) {
                steps.insert(at, (place, event, to));
            }
        }
    }

    /// The states as they are drawn: nearest first. `found` is marked.
    pub fn finished(self, program: &mut Program, names: &[String], found: Option<&Counterexample>) -> Option<Tree> {
        if self.states.is_empty() {
            return None;
        }
        let order = self.nearest_first();
        let mut number = vec![0; self.states.len()];
        order.iter().enumerate().for_each(|(new, &(old, _))| number[old] = new);
        let mut graph = Graph::default();
        for &(old, depth) in &order {
            let Met { snapshot, valuation, is_end, steps, .. } = &self.states[old];
            let holds = holding(names, *valuation);
            graph.states.push(Circle { depth, is_end: *is_end, holds, ..Circle::default() });
            for &(_, event, to) in steps {
                let (short, words) = line(program, snapshot, event);
                graph.steps.push(Line { from: number[old], to: number[to], short, words, part: None });
            }
        }
        if let Some(found) = found {
            // Of states nearest first, those before this one have so many steps together.
            let behind =
                |old: usize| order[..number[old]].iter().map(|&(other, _)| self.states[other].steps.len()).sum();
            for (steps, part) in [(&found.prefix, Part::Prefix), (&found.cycle, Part::Round)] {
                self.mark(&mut graph, steps, part, &number, &behind);
            }
        }
        Some(Tree { costs: None, graph: Some(graph) })
    }

    /// The numbers of the states, and the fewest choices that lead there.
    fn nearest_first(&self) -> Vec<(usize, u32)> {
        let mut order = Vec::with_capacity(self.states.len());
        let mut is_seen = vec![false; self.states.len()];
        let mut queue = VecDeque::from([(0, 0)]);
        is_seen[0] = true;
        while let Some((state, depth)) = queue.pop_front() {
            order.push((state, depth));
            for &(_, _, to) in &self.states[state].steps {
                if !std::mem::replace(&mut is_seen[to], true) {
                    queue.push_back((to, depth + 1));
                }
            }
        }
        order
    }

    /// Marks steps of a counterexample, and the states before them.
    fn mark(&self, graph: &mut Graph, steps: &[Step], part: Part, number: &[usize], behind: &dyn Fn(usize) -> usize) {
        for step in steps {
            let Some(&old) = self.numbers.get(&step.key) else { continue };
            graph.states[number[old]].part = Some(part);
            let known = &self.states[old].steps;
            let place = step.successor.and_then(|place| known.binary_search_by_key(&place, |step| step.0).ok());
            if let Some(place) = place {
                graph.steps[behind(old) + place].part = Some(part);
            }
        }
    }
}

/// A choice in short words, and in all words.
fn line(program: &mut Program, before: &Snapshot, event: Event) -> (String, String) {
    program.put_back(before);
    let mut choices = Choices::new();
    program.choices(&mut choices);
    told(program, event, &choices).briefly()
}
