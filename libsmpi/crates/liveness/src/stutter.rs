//! Whether a formula can tell how often states are repeated.
//!
//! A formula without `X` cannot. For others the question is decided on automata: φ cannot tell exactly if there are no
//! two sequences, one that fulfils φ and one that does not, which become the same one by repeating some of their states
//! some more times (Michaud and Duret-Lutz: "Practical stutter-invariance checks for ω-regular languages", 2015). An
//! automaton that may also stay where it is while the state before is repeated reads all repetitions of what it
//! accepts. So two such automata are made, of φ and of ¬φ, and their product must accept nothing.

use crate::automaton::{Automaton, Transition};
use crate::components::{Components, Edge};
use crate::formula::{Formula, Unary};
use smpi_base::map::Map;

/// The most propositions of a formula that is looked at closely.
const MOST_PROPOSITIONS: usize = 8;
/// The most states of the product.
const MOST_STATES: usize = 200_000;

/// Whether `formula` is true of a sequence exactly if it is true of the sequence with some states repeated or with
/// repetitions left out. Reductions of the explored executions that keep the visible steps are right for such formulas.
///
/// Formulas without `X` are. Of others those with more than 8 propositions, or whose automata are large, are said not
/// to be, without a closer look.
pub fn is_stutter_invariant(formula: &Formula) -> bool {
    if formula.is_without_next() {
        return true;
    }
    if formula.propositions().len() > MOST_PROPOSITIONS {
        return false;
    }
    let opposite = formula.clone().under(Unary::Not);
    let (Ok(yes), Ok(no)) = (Automaton::of(formula), Automaton::of(&opposite)) else { return false };
    product_is_empty(&yes, &no)
}

/// A state of the product: both automata's states, and the valuation that was read last, if there was one.
type State = (u32, u32, Option<u64>);

fn product_is_empty(yes: &Automaton, no: &Automaton) -> bool {
    debug_assert_eq!(yes.propositions, no.propositions);
    let valuations = 1u64 << yes.propositions.len();
    let mut numbers: Map<State, u32> = Map::default();
    let mut states: Vec<State> = Vec::new();
    let mut number = |state: State, states: &mut Vec<State>| {
        *numbers.entry(state).or_insert_with(|| {
            states.push(state);
            states.len() as u32 - 1
        })
    };
    for a in &yes.initial {
        for b in &no.initial {
            number((*a, *b, None), &mut states);
        }
    }
    let mut edges: Vec<Vec<Edge>> = Vec::new();
    while edges.len() < states.len() {
        if states.len() > MOST_STATES {
            return false;
        }
        let (a, b, last) = states[edges.len()];
        let mut out = Vec::new();
        for valuation in 0..valuations {
            let repeated = last == Some(valuation);
            for (a, marks) in moves(yes, a, valuation, repeated) {
                for (b, more) in moves(no, b, valuation, repeated) {
                    let sets = u128::from(marks) | u128::from(more) << 64;
                    out.push((number((a, b, Some(valuation)), &mut states), sets));
                }
            }
        }
        edges.push(out);
    }
    let components = Components::new(&edges);
    let all = u128::from(yes.all_sets()) | u128::from(no.all_sets()) << 64;
    // All states are reachable from an initial one.
    !(0..components.sets.len() as u32).any(|c| components.accepts(c, all))
}

/// Where the automaton can be after it has read `valuation`, with the acceptance sets on the way. Staying is in no set.
///
/// So only an automaton without sets accepts if it stays for ever. That does no harm: such an automaton accepts a
/// sequence if each beginning of it can be continued to one that it accepts, and for a formula that cannot tell
/// repetitions a sequence that ends in the same valuation for ever is such a one.
fn moves(automaton: &Automaton, state: u32, valuation: u64, repeated: bool) -> Vec<(u32, u64)> {
    let transitions = automaton.states[state as usize].transitions.iter();
    let possible = transitions.filter(|t: &&Transition| t.condition.holds(valuation)).map(|t| (t.target, t.sets));
    possible.chain(repeated.then_some((state, 0))).collect()
}
