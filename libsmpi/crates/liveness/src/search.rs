//! Looks for an execution that an automaton accepts, while the system is explored.
//!
//! States of the product (a state of the system and one of the automaton) are visited depth first. Components are kept
//! as in Couvreur's algorithm ("On-the-fly verification of linear temporal logic", 1999), a variant of Tarjan's: each
//! component that is still open remembers which acceptance sets its inner steps are in. The search ends as soon as one
//! has all sets, before the component or the system is explored completely. With no sets at all any inner step is
//! enough.
//!
//! Offers that have to be accepted (`offers`) forbid something, so with them a component is looked into when it is
//! complete, and some times before.
//!
//! Fairness between ranks is a set for each rank, so it costs nothing but bits; a nested depth-first search would need
//! a copy of the product for each rank. See the crate's page for why this is right.

use crate::automaton::Automaton;
use crate::graph::{Graph, Ranks};
use crate::lasso::{self, Counterexample, Place};
use crate::offers::{self, Part};
use crate::product::{Coverage, Marks, Pair, Product};

/// Which executions count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fairness {
    /// Those in which no rank waits for ever although it can move at every moment (weak fairness).
    Weak,
    /// Of these, those in which each offer that stands again and again is accepted again and again
    /// ([`Graph::offers`]).
    Offers,
    /// All.
    None,
}

/// What ends a search early.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most states of the system.
    pub states: usize,
    /// The most states of the product of system and automaton.
    pub product_states: usize,
}

impl Default for Limits {
    /// As many as can be numbered: about four thousand million.
    fn default() -> Limits {
        Limits { states: u32::MAX as usize - 1, product_states: u32::MAX as usize - 1 }
    }
}

/// How a search ended.
#[derive(Clone, Debug)]
pub enum Outcome<S> {
    /// The automaton accepts no execution that counts. All of them were looked at.
    Holds,
    /// It accepts this one.
    Violated(Counterexample),
    /// A limit of [`Limits`] was reached; what was seen contains no such execution.
    Limit,
    /// The system can say no more.
    Stopped(S),
}

/// Looks for an execution of `graph` that `violations` accepts.
///
/// Each state is asked for its successors at most once, and only if the automaton has a transition there. The same
/// system and automaton give the same answer, and the same counterexample.
///
/// Cost: time and memory grow with the states and steps of the product. Nothing is recursive.
///
/// Panics with [`Fairness::Weak`] if the system has more than [`MOST_RANKS`](crate::MOST_RANKS) ranks.
pub fn check<G: Graph>(
    graph: &mut G,
    violations: &Automaton,
    fairness: Fairness,
    limits: Limits,
) -> (Outcome<G::Stop>, Coverage) {
    let ranks = match fairness {
        Fairness::Weak | Fairness::Offers => Ranks::first(graph.ranks()),
        Fairness::None => Ranks::NONE,
    };
    let wanted = Marks { sets: violations.all_sets(), ranks: ranks.0 };
    let product = Product::new(violations, wanted);
    let minds_offers = fairness == Fairness::Offers;
    let (roots, open, path) = (Vec::new(), Vec::new(), Vec::new());
    let mut search = Search { graph, limits, product, roots, open, path, minds_offers, looked_at: 0 };
    let outcome = search.run().unwrap_or_else(Outcome::Stopped);
    (outcome, search.product.coverage())
}

/// A component that may still grow.
struct Root {
    /// Its first state.
    number: u32,
    /// The sets of the steps inside it.
    inner: Marks,
    /// The sets of the step that led to it from the component before it.
    entry: Marks,
}

struct Search<'a, G: Graph> {
    graph: &'a mut G,
    limits: Limits,
    product: Product<'a, G>,
    roots: Vec<Root>,
    /// The states of all open components, in the order in which they were found.
    open: Vec<u32>,
    /// The way to the state that is being looked at: states, and the places of their next steps.
    path: Vec<(u32, (u32, u32))>,
    /// Offers that stand have to be accepted.
    minds_offers: bool,
    /// How many states of the product there were when a component was last looked at that is not complete.
    looked_at: usize,
}

impl<G: Graph> Search<'_, G> {
    fn run(&mut self) -> Result<Outcome<G::Stop>, G::Stop> {
        let first = self.graph.initial()?;
        let system = self.product.known.add(self.graph, first);
        for automaton in self.product.violations.initial.clone() {
            let pair = Pair { system, automaton };
            if self.product.number(pair).is_none() {
                self.enter(pair, Marks::default());
            }
            while let Some((number, place)) = self.path.last().copied() {
                if self.product.known.len() > self.limits.states
                    || self.product.pairs.len() > self.limits.product_states
                {
                    return Ok(Outcome::Limit);
                }
                let pair = self.product.pairs[number as usize];
                if self.product.possible(pair, place).is_some() {
                    self.product.known.expand(self.graph, pair.system)?;
                }
                let Some((edge, place)) = self.product.edge(pair, place) else {
                    if let Some(part) = self.leave(number) {
                        return Ok(Outcome::Violated(lasso::shortest(&self.product, system, &Place::Part(part))));
                    }
                    continue;
                };
                self.path.last_mut().expect("the path is not empty").1 = place;
                match self.product.number(edge.target) {
                    None => self.enter(edge.target, edge.marks),
                    Some(target) if self.product.is_closed(target) => {}
                    Some(target) => {
                        let root = self.close_cycle(target, edge.marks);
                        if let Some(place) = root.and_then(|root| self.place_in(root)) {
                            return Ok(Outcome::Violated(lasso::shortest(&self.product, system, &place)));
                        }
                    }
                }
            }
        }
        Ok(Outcome::Holds)
    }

    fn enter(&mut self, pair: Pair, entry: Marks) {
        let number = self.product.add(pair);
        self.roots.push(Root { number, inner: Marks::default(), entry });
        self.open.push(number);
        self.path.push((number, (0, 0)));
    }

    /// All steps of the last state of the path have been looked at. Where that completes a component, the part of it in
    /// which an execution goes round that counts, if offers have to be accepted for that.
    fn leave(&mut self, number: u32) -> Option<Part> {
        self.path.pop();
        let root = self.roots.pop_if(|root| root.number == number)?;
        let members = self.open.split_off(self.open.partition_point(|member| *member < number));
        members.iter().for_each(|member| self.product.close(*member));
        let may_count = self.minds_offers && root.inner.missing(self.product.wanted).is_empty();
        may_count.then(|| offers::part_that_counts(&self.product, &members)).flatten()
    }

    /// Where an execution goes round in a component with all wanted sets. Where offers have to be accepted, it is
    /// looked for in what is known of the component whenever twice as much is known, and when it is complete.
    fn place_in(&mut self, root: u32) -> Option<Place> {
        if !self.minds_offers {
            return Some(Place::Component(root));
        }
        let known = self.product.pairs.len();
        if known < 2 * self.looked_at {
            return None;
        }
        self.looked_at = known;
        let members = &self.open[self.open.partition_point(|member| *member < root)..];
        offers::part_that_counts(&self.product, members).map(Place::Part)
    }

    /// A step with these `marks` leads back to an open state: all components from that state on are one. If it has all
    /// wanted sets, its first state.
    fn close_cycle(&mut self, target: u32, marks: Marks) -> Option<u32> {
        let mut inner = marks;
        while let Some(root) = self.roots.pop_if(|root| root.number > target) {
            inner = inner.and(root.inner).and(root.entry);
        }
        let root = self.roots.last_mut().expect("an open state has a component");
        root.inner = root.inner.and(inner);
        root.inner.missing(self.product.wanted).is_empty().then_some(root.number)
    }
}
