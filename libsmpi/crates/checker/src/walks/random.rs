//! Random walks.

use std::ops::Range;

use smpi_base::map::{Map, Set};
use smpi_base::rng::Rng;

use super::walker::{Picked, Walker};
use super::{Policy, TaskResult};
use crate::choice::{Choice, ChoiceKind, Choices, Event, Tried};
use crate::system::System;
use crate::verdict::Flow;

/// Does the walks with these numbers.
pub fn run<S: System>(mut walker: Walker<'_, S>, policy: Policy, seed: u64, walks: Range<u64>) -> TaskResult {
    let mut agents: Set<u64> = Set::default();
    walker.set_once(walks.end - walks.start < 2);
    for number in walks {
        let seed = Rng::new(seed).next_u64() ^ Rng::new(!number).next_u64();
        let mut rng = Rng::new(seed);
        walker.begin();
        let flow = match policy {
            Policy::Uniform => walker.go_on(None, &mut |choices, _| uniform(choices, &mut rng), None),
            Policy::Pct { depth, steps } => {
                let mut order = Order::new(seed, depth, steps, &mut rng);
                walker.go_on(None, &mut |choices, position| order.pick(choices, position, &mut rng, &mut agents), None)
            }
        };
        if flow == Flow::Stop {
            break;
        }
    }
    let mut agents: Vec<u64> = agents.into_iter().collect();
    agents.sort_unstable();
    match policy {
        Policy::Uniform => walker.finish_paid(agents),
        Policy::Pct { .. } => walker.finish(agents),
    }
}

/// The choice that a walk is about to make if there is a closed one.
fn closed(choices: &Choices) -> Option<&Choice> {
    choices.first().filter(|first| first.closed)
}

/// One of the candidates of a choice: of the closed one, else of any.
fn uniform(choices: &Choices, rng: &mut Rng) -> Option<Picked> {
    let count = choices.all().count();
    let choice = match closed(choices) {
        Some(closed) => closed,
        None if count > 0 => choices.all().nth(rng.below(count))?,
        None => return None,
    };
    // An earlier receive of the same rank may hide candidates. Calls that need not wait exclude what others would do.
    let is_behind = choices.iter().any(|other| other.id.rank() == choice.id.rank() && other.id < choice.id);
    Some(Picked { is_least: is_behind || choices.has_reluctant(), ..drawn(choices, choice, rng) })
}

/// A candidate of this choice, each with the same probability. Of those that are alike, or of which nobody learns which
/// was taken, the exploration tries one.
fn drawn(choices: &Choices, choice: &Choice, rng: &mut Rng) -> Picked {
    let candidates = choices.candidates(choice);
    if choice.is_one_for_all() {
        let candidate = candidates[if choice.tried == Tried::Last { candidates.len() - 1 } else { 0 }];
        return Picked { event: Event { choice: choice.id, candidate }, factor: 1, is_least: true };
    }
    let candidate = candidates[rng.below(candidates.len())];
    Picked { event: Event { choice: choice.id, candidate }, factor: candidates.len(), is_least: false }
}

/// A random order of agents, and when it changes.
struct Order {
    seed: u64,
    /// Steps before which the next agent goes to the end.
    changes: Vec<u32>,
    /// Those that went there, with their places: the larger, the further behind.
    behind: Map<u64, u32>,
}

impl Order {
    fn new(seed: u64, depth: u32, steps: u32, rng: &mut Rng) -> Order {
        let changes = (1..depth).map(|_| rng.below(steps.max(1) as usize) as u32).collect();
        Order { seed, changes, behind: Map::default() }
    }

    /// The smaller, the earlier.
    fn place(&self, agent: u64) -> (u32, u64) {
        let behind = self.behind.get(&agent).copied().unwrap_or(0);
        (behind, Rng::new(self.seed ^ Rng::new(agent).next_u64()).next_u64())
    }

    fn next(&self, choices: &Choices) -> Option<Event> {
        let of = |choice: &Choice| {
            let id = choice.id;
            choices.candidates(choice).iter().map(move |&candidate| Event { choice: id, candidate })
        };
        let least = |events: &mut dyn Iterator<Item = Event>| events.min_by_key(|event| self.place(event.candidate));
        match closed(choices) {
            Some(closed) => least(&mut of(closed)),
            None => least(&mut choices.all().flat_map(of)),
        }
    }

    fn pick(&mut self, choices: &Choices, position: u32, rng: &mut Rng, agents: &mut Set<u64>) -> Option<Picked> {
        if let Some(random) = closed(choices).filter(|choice| choice.kind == ChoiceKind::Random) {
            return Some(drawn(choices, random, rng));
        }
        choices.all().for_each(|choice| agents.extend(choices.candidates(choice)));
        for _ in 0..self.changes.iter().filter(|&&change| change == position).count() {
            let last = self.behind.len() as u32;
            let next = self.next(choices)?;
            self.behind.insert(next.candidate, self.behind.values().copied().max().unwrap_or(last) + 1);
        }
        self.next(choices).map(|event| Picked { event, factor: 1, is_least: true })
    }
}

#[cfg(test)]
mod tests {
    use smpi_base::WorldRank;

    use super::*;
    use crate::choice::ChoiceId;

    /// One choice with `count` candidates.
    fn choices(number: u32, count: u64) -> Choices {
        let mut choices = Choices::new();
        choices.open(ChoiceId::of(WorldRank(0), number), ChoiceKind::Receive, true);
        (0..count).for_each(|key| choices.candidate(key));
        choices
    }

    fn picks(order: &mut Order, position: u32) -> u64 {
        let (mut rng, mut agents) = (Rng::new(0), Set::default());
        let picked = order.pick(&choices(position, 8), position, &mut rng, &mut agents).unwrap();
        assert_eq!(agents.len(), 8);
        picked.event.candidate
    }

    /// Without changes one agent is first for ever; each agent is that in an eighth of the walks.
    #[test]
    fn every_agent_is_first_equally_often() {
        let mut firsts = [0; 8];
        for seed in 0..8_000 {
            let mut order = Order::new(seed, 1, 5, &mut Rng::new(seed));
            let first = picks(&mut order, 0);
            assert_eq!(picks(&mut order, 1), first);
            firsts[first as usize] += 1;
        }
        // Binomial with mean 1,000 and a standard deviation of 30.
        assert!(firsts.iter().all(|first| (850..1_150).contains(first)), "{firsts:?}");
    }

    /// At the drawn step, the agent that is next goes behind all others, those that went there before included.
    #[test]
    fn an_order_changes_at_its_steps() {
        let mut order = Order::new(7, 3, 4, &mut Rng::new(1));
        order.changes = vec![1, 2];
        let first = picks(&mut order, 0);
        let second = picks(&mut order, 1);
        let third = picks(&mut order, 2);
        assert!(first != second && second != third && first != third);
        assert_eq!(picks(&mut order, 3), third);
        assert!(order.place(first) < order.place(second));
        let last = (0..8).max_by_key(|&agent| order.place(agent));
        assert_eq!(last, Some(second));
    }
}
