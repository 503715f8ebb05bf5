//! Offers that stand again and again and are accepted again and again: strong fairness.
//!
//! A component that has steps of all wanted sets may still have no execution that counts: one that goes through all of
//! its states meets all offers that stand in them, and some of these may never be accepted. Where an offer stands that
//! no step inside accepts, an execution that counts does not come again and again. So these states are taken away, and
//! the components of what remains are looked at in the same way (Emerson and Lei, "Modalities for model checking",
//! 1987; the emptiness of Streett automata). Each time a state is lost, so this ends. What is left at last is a part
//! in which going through everything counts.
//!
//! A part of a component that is not known completely may be looked at, too: what it has it keeps. Only that there is
//! nothing is certain at the end alone.

use smpi_base::map::{Map, Set};

use crate::components::Components;
use crate::graph::Graph;
use crate::product::{Marks, Product};

/// A part of a component in which each offer that stands is accepted.
pub(crate) struct Part {
    pub(crate) states: Set<u32>,
    /// The offers that stand in it.
    pub(crate) offers: Vec<u32>,
}

/// A part of these states with steps of all wanted sets, if there is one.
pub(crate) fn part_that_counts<G: Graph>(product: &Product<G>, states: &[u32]) -> Option<Part> {
    let mut left: Vec<Vec<u32>> = vec![states.to_vec()];
    while let Some(states) = left.pop() {
        for members in components(product, &states) {
            let Inside { marks, offers, accepted } = inside(product, &members);
            if !marks.missing(product.wanted).is_empty() {
                continue;
            }
            let is_accepted = |offer: &u32| accepted.contains(offer);
            if offers.iter().all(is_accepted) {
                return Some(Part { states: members.into_iter().collect(), offers });
            }
            let is_fair = |number: &u32| product.offers(*number).iter().all(is_accepted);
            left.push(members.into_iter().filter(is_fair).collect());
        }
    }
    None
}

/// The strongly connected components of these states and the steps between them.
fn components<G: Graph>(product: &Product<G>, states: &[u32]) -> Vec<Vec<u32>> {
    let places: Map<u32, u32> = (0..).zip(states).map(|(place, &number)| (number, place)).collect();
    let edges = |&number: &u32| {
        let targets = product.steps(number).filter_map(|(_, target)| places.get(&target).copied());
        targets.map(|target| (target, 0)).collect::<Vec<_>>()
    };
    let graph: Vec<Vec<(u32, u128)>> = states.iter().map(edges).collect();
    let found = Components::new(&graph);
    let mut members = vec![Vec::new(); found.sets.len()];
    for (&component, &number) in found.of.iter().zip(states) {
        members[component as usize].push(number);
    }
    // Where there is no step inside, nothing comes again.
    let with_sets = members.into_iter().zip(&found.sets);
    with_sets.filter(|(_, sets)| sets.is_some()).map(|(members, _)| members).collect()
}

/// What is met inside of a component.
struct Inside {
    marks: Marks,
    offers: Vec<u32>,
    accepted: Set<u32>,
}

fn inside<G: Graph>(product: &Product<G>, members: &[u32]) -> Inside {
    let states: Set<u32> = members.iter().copied().collect();
    let (mut marks, mut accepted) = (Marks::default(), Set::default());
    let mut offers: Vec<u32> = members.iter().flat_map(|number| product.offers(*number)).copied().collect();
    offers.sort_unstable();
    offers.dedup();
    for &number in members {
        for (edge, _) in product.steps(number).filter(|(_, target)| states.contains(target)) {
            marks = marks.and(edge.marks);
            accepted.extend(product.known.accepted(edge.hop));
        }
    }
    Inside { marks, offers, accepted }
}
