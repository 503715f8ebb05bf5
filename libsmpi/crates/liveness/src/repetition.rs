//! Whether an automaton, of which no formula is known, can tell how often states are repeated.
//!
//! To decide that exactly the automaton would have to be complemented. Here is looked for a reason why it cannot, and
//! automata that translators make of formulas without `X` usually have one: state r *simulates* q if each transition of
//! q can be answered by one of r with the same valuation, at least the same acceptance sets, and a target that
//! simulates that of q. Then r accepts what q accepts. The automaton cannot tell repetitions if
//!
//! - where it reads a valuation, it can also read it twice and be in a state that simulates the one it would be in, and
//! - where it reads a valuation several times, it can also read it once and be in such a state,
//!
//! in both cases with at least the same sets on the way. A transition that leads to another component is taken finitely
//! often by any run, so it need not be in the sets: each time that sets are lost, one such transition is taken, so they
//! are lost finitely often.

use crate::automaton::Automaton;
use crate::components::{Components, Edge};
use smpi_base::map::Set;

/// The most propositions of an automaton that is looked at.
const MOST_PROPOSITIONS: usize = 8;
/// The most states and the most acceptance sets.
const MOST_STATES: usize = 100;
const MOST_SETS: usize = 4;

/// A transition for one valuation: its target and its sets.
type Move = (u32, u64);

impl Automaton {
    /// Whether there is a reason why the automaton cannot tell how often states are repeated. `false`: it can, or the
    /// reason was not found, or it has more than 8 propositions, 100 states or 4 acceptance sets.
    pub fn cannot_tell_repetitions(&self) -> bool {
        if self.propositions.len() > MOST_PROPOSITIONS || self.states.len() > MOST_STATES || self.sets > MOST_SETS {
            return false;
        }
        let moves = Moves::new(self);
        let simulates = moves.simulation();
        (0..moves.of.len()).all(|valuation| {
            (0..self.states.len() as u32).all(|state| moves.may_repeat_and_leave_out(valuation, state, &simulates))
        })
    }
}

struct Moves {
    /// For each valuation the moves of each state.
    of: Vec<Vec<Vec<Move>>>,
    component: Vec<u32>,
}

impl Moves {
    fn new(automaton: &Automaton) -> Moves {
        let moves = |valuation: u64| {
            let of_state = |transitions: &[crate::automaton::Transition]| {
                let possible = transitions.iter().filter(|t| t.condition.holds(valuation));
                possible.map(|t| (t.target, t.sets)).collect()
            };
            automaton.states.iter().map(|state| of_state(&state.transitions)).collect()
        };
        let edges: Vec<Vec<Edge>> =
            automaton.states.iter().map(|s| s.transitions.iter().map(|t| (t.target, 0)).collect()).collect();
        Moves {
            of: (0..1u64 << automaton.propositions.len()).map(moves).collect(),
            component: Components::new(&edges).of,
        }
    }

    fn leaves(&self, from: u32, to: u32) -> bool {
        self.component[from as usize] != self.component[to as usize]
    }

    /// Whether a move of `from` answers one with `sets`, as far as the sets are concerned.
    fn answers(&self, from: u32, (target, own): Move, sets: u64) -> bool {
        sets & !own == 0 || self.leaves(from, target)
    }

    /// `simulation()[r][q]`: r simulates q. The largest such relation: all pairs, without those that fail, until none
    /// does.
    fn simulation(&self) -> Vec<Vec<bool>> {
        let count = self.component.len();
        let mut simulates = vec![vec![true; count]; count];
        let mut changed = true;
        while changed {
            changed = false;
            for r in 0..count {
                for q in 0..count {
                    if simulates[r][q]
                        && !self.of.iter().all(|moves| self.answers_all(&moves[r], r, &moves[q], &simulates))
                    {
                        simulates[r][q] = false;
                        changed = true;
                    }
                }
            }
        }
        simulates
    }

    fn answers_all(&self, own: &[Move], r: usize, others: &[Move], simulates: &[Vec<bool>]) -> bool {
        others.iter().all(|(target, sets)| {
            own.iter().any(|m| simulates[m.0 as usize][*target as usize] && self.answers(r as u32, *m, *sets))
        })
    }

    fn may_repeat_and_leave_out(&self, valuation: usize, state: u32, simulates: &[Vec<bool>]) -> bool {
        let moves = &self.of[valuation];
        let own = &moves[state as usize];
        let twice: Vec<(Move, bool)> = own
            .iter()
            .flat_map(|(middle, first)| {
                moves[*middle as usize].iter().map(move |(end, second)| {
                    ((*end, first | second), self.leaves(state, *middle) || self.leaves(*middle, *end))
                })
            })
            .collect();
        let repeats = own.iter().all(|(target, sets)| {
            let answer = |((end, both), leaves): &(Move, bool)| {
                simulates[*end as usize][*target as usize] && (sets & !both == 0 || *leaves)
            };
            twice.iter().any(answer)
        });
        // All that can be reached by reading the valuation again and again.
        let mut seen: Set<Move> = Set::default();
        let mut todo: Vec<Move> = own.clone();
        while let Some((end, sets)) = todo.pop() {
            if seen.insert((end, sets)) {
                todo.extend(moves[end as usize].iter().map(|(next, more)| (*next, sets | more)));
            }
        }
        let leaves_out = seen.iter().all(|(end, sets)| {
            own.iter().any(|m| simulates[m.0 as usize][*end as usize] && self.answers(state, *m, *sets))
        });
        repeats && leaves_out
    }
}
