//! From a formula to an automaton that accepts the sequences of which the formula is true.
//!
//! The way is that of Gastin and Oddoux ("Fast LTL to Büchi automata translation", 2001): a very weak alternating
//! automaton whose states are the temporal parts of the formula, then a generalised automaton whose states are sets of
//! these, with its acceptance on transitions. Transitions that another makes superfluous are dropped while they are
//! made. `reduce` makes the result smaller.

use crate::automaton::{Automaton, AutomatonState, MOST_SETS, Transition, all_sets};
use crate::condition::{Cube, MOST_PROPOSITIONS, any_of};
use crate::formula::Formula;
use crate::normal::{FALSE, Id, Node, Normal};
use crate::reduce::{self, Move};
use smpi_base::map::Map;
use std::fmt;

/// The most states of an automaton before it is reduced.
const MOST_STATES: usize = 10_000;
/// The most transitions that a state has while they are made.
const MOST_MOVES: usize = 4_096;
/// The most temporal parts of a formula.
const MOST_PARTS: usize = 128;

/// The formula is too large to be translated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// What there are too many of.
    what: &'static str,
    /// How many there may be.
    most: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TooLarge { what, most } = self;
        write!(f, "the formula is too large: more than {most} {what}; check its parts one by one")
    }
}

impl std::error::Error for TooLarge {}

impl Automaton {
    /// The automaton that accepts the sequences of which `formula` is true. To find those that violate a formula,
    /// translate its negation.
    ///
    /// The same formula gives the same automaton, state by state. Its propositions are those of the formula, in the
    /// order of its text. If nothing fulfils the formula, the automaton has no states.
    ///
    /// Errors: the formula has more than 64 propositions or 128 temporal parts, or its automaton is out of proportion.
    pub fn of(formula: &Formula) -> Result<Automaton, TooLarge> {
        let propositions: Vec<String> = formula.propositions().into_iter().map(String::from).collect();
        limit(propositions.len(), MOST_PROPOSITIONS, "propositions")?;
        let mut store = Normal::new();
        let (root, _) = store.add(formula, &propositions);
        Ok(Translation::new(&store, root)?.run(root)?.automaton(propositions))
    }
}

fn limit(count: usize, most: usize, what: &'static str) -> Result<(), TooLarge> {
    if count > most { Err(TooLarge { what, most }) } else { Ok(()) }
}

/// A set of parts, as bits: the sequence fulfils all of them.
type Parts = u128;

/// A step of the alternating automaton: where `cube` holds now, it is enough that all of `next` hold in the next state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    cube: Cube,
    next: Parts,
}

struct Translation<'a> {
    store: &'a Normal,
    /// The temporal parts and literals of the formula; bit i of `Parts` is `parts[i]`.
    parts: Vec<Id>,
    number: Map<Id, usize>,
    /// The bits of the parts `a U b`: acceptance set i says that the i-th of them does not wait for ever.
    untils: Vec<usize>,
    /// Bits of the parts `G (a U b)`, also with further conjuncts that do not contain `a U b`, each with that of its
    /// `a U b`.
    again: Vec<(usize, usize)>,
    /// The steps of the parts that were asked for.
    steps: Map<Id, Vec<Step>>,
}

/// What a translation ends with: states by number, with their transitions.
struct Product {
    initial: Vec<u32>,
    moves: Vec<Vec<Move>>,
    sets: usize,
}

impl<'a> Translation<'a> {
    fn new(store: &'a Normal, root: Id) -> Result<Translation<'a>, TooLarge> {
        let (parts, untils, again) = (Vec::new(), Vec::new(), Vec::new());
        let mut it = Translation { store, parts, number: Map::default(), untils, again, steps: Map::default() };
        let (mut todo, mut seen) = (vec![root], smpi_base::map::Set::default());
        while let Some(id) = todo.pop() {
            if !seen.insert(id) {
                continue;
            }
            match store.node(id) {
                Node::Constant(_) => continue,
                Node::And(parts) | Node::Or(parts) => {
                    todo.extend(parts.iter().rev());
                    continue;
                }
                Node::Literal { .. } => {}
                Node::Next(a) => todo.push(*a),
                Node::Until(a, b) => {
                    it.untils.push(it.parts.len());
                    todo.extend([*b, *a]);
                }
                Node::Release(a, b) => todo.extend([*b, *a]),
            }
            it.number.insert(id, it.parts.len());
            it.parts.push(id);
        }
        for (i, part) in it.parts.iter().enumerate() {
            let Node::Release(FALSE, always) = store.node(*part) else { continue };
            let conjuncts = if let Node::And(parts) = store.node(*always) { parts } else { &vec![*always] };
            for until in conjuncts.iter().filter(|part| matches!(store.node(**part), Node::Until(..))) {
                if !conjuncts.iter().any(|other| other != until && store.contains(*other, *until)) {
                    it.again.push((i, it.number[until]));
                }
            }
        }
        limit(it.parts.len(), MOST_PARTS, "different temporal parts")?;
        limit(it.untils.len(), MOST_SETS, "different parts `a U b` or `F b`")?;
        Ok(it)
    }

    fn run(mut self, root: Id) -> Result<Product, TooLarge> {
        let mut states: Vec<Parts> = Vec::new();
        let mut numbers: Map<Parts, u32> = Map::default();
        let mut number = |parts: Parts, states: &mut Vec<Parts>| {
            *numbers.entry(parts).or_insert_with(|| {
                states.push(parts);
                states.len() as u32 - 1
            })
        };
        for until in self.untils.clone() {
            self.steps(self.parts[until])?;
        }
        let initial = self.alternatives(root)?.into_iter().map(|parts| number(parts, &mut states)).collect();
        let mut moves = Vec::new();
        while moves.len() < states.len() {
            limit(states.len(), MOST_STATES, "states of its automaton")?;
            let from = self.moves(states[moves.len()])?;
            let numbered =
                |(step, sets): (Step, u64)| Move { cube: step.cube, target: number(step.next, &mut states), sets };
            moves.push(from.into_iter().map(numbered).collect());
        }
        Ok(Product { initial, moves, sets: self.untils.len() })
    }

    /// The transitions of a state of the generalised automaton, with their acceptance sets.
    fn moves(&mut self, state: Parts) -> Result<Vec<(Step, u64)>, TooLarge> {
        let mut all = vec![Step { cube: Cube::ALL, next: 0 }];
        for i in (0..self.parts.len()).filter(|i| state >> i & 1 == 1) {
            let of_part = self.steps(self.parts[i])?;
            all = both(&all, &of_part, false)?;
        }
        let mut moves: Vec<(Step, u64)> = Vec::new();
        for mut step in all {
            let mut sets = 0;
            for (set, until) in self.untils.iter().enumerate() {
                if self.is_not_waiting(*until, step) {
                    sets |= 1 << set;
                }
            }
            // `G (a U b)` asks for `a U b` in each state anew: asking for both only makes more states with one meaning.
            // Its steps that do not wait for b are all there: what does wait asks for more, so it supersedes none.
            for (always, until) in &self.again {
                if step.next >> always & 1 == 1 {
                    step.next &= !(1 << until);
                }
            }
            let better =
                |(a, sets_a): &(Step, u64), (b, sets_b): &(Step, u64)| implied(*b, *a) && sets_b & !sets_a == 0;
            if !moves.iter().any(|other| better(other, &(step, sets))) {
                moves.retain(|other| !better(&(step, sets), other));
                moves.push((step, sets));
            }
        }
        Ok(moves)
    }

    /// Whether the part `a U b` of this bit does not go on waiting for `b` in this step: it is not among what must
    /// hold next, or one of its own steps that does without it would have been possible.
    fn is_not_waiting(&self, until: usize, step: Step) -> bool {
        let itself = 1 << until;
        step.next & itself == 0
            || self.steps[&self.parts[until]].iter().any(|own| own.next & itself == 0 && implied(step, *own))
    }

    /// The steps of any formula in the alternating automaton.
    fn steps(&mut self, id: Id) -> Result<Vec<Step>, TooLarge> {
        if let Some(steps) = self.steps.get(&id) {
            return Ok(steps.clone());
        }
        let always = |next| Step { cube: Cube::ALL, next };
        let steps = match self.store.node(id) {
            Node::Constant(true) => vec![always(0)],
            Node::Constant(false) => Vec::new(),
            Node::Literal { proposition, positive } => {
                let (bit, none) = (1 << proposition, 0);
                let (positive, negative) = if *positive { (bit, none) } else { (none, bit) };
                vec![Step { cube: Cube { positive, negative }, next: 0 }]
            }
            Node::Next(a) => self.alternatives(*a)?.into_iter().map(always).collect(),
            // a U b: b now, or a now and the whole again.
            Node::Until(a, b) => {
                let waiting = both(&self.steps(*a)?, &[always(1 << self.number[&id])], true)?;
                either(self.steps(*b)?, waiting)?
            }
            // a R b: b now, and a now or the whole again.
            Node::Release(a, b) => {
                let end = either(self.steps(*a)?, vec![always(1 << self.number[&id])])?;
                both(&self.steps(*b)?, &end, true)?
            }
            Node::And(parts) => {
                let mut all = vec![always(0)];
                for part in parts {
                    all = both(&all, &self.steps(*part)?, true)?;
                }
                all
            }
            Node::Or(parts) => {
                let mut any = Vec::new();
                for part in parts {
                    any = either(any, self.steps(*part)?)?;
                }
                any
            }
        };
        self.steps.insert(id, steps.clone());
        Ok(steps)
    }

    /// Sets of parts of which one is fulfilled where the formula is.
    fn alternatives(&self, id: Id) -> Result<Vec<Parts>, TooLarge> {
        let step = |next| Step { cube: Cube::ALL, next };
        let mut alternatives: Vec<Step> = Vec::new();
        match self.store.node(id) {
            Node::Constant(value) => alternatives.extend(value.then_some(step(0))),
            Node::And(parts) => {
                alternatives.push(step(0));
                for part in parts {
                    let of_part: Vec<Step> = self.alternatives(*part)?.into_iter().map(step).collect();
                    alternatives = both(&alternatives, &of_part, true)?;
                }
            }
            Node::Or(parts) => {
                for part in parts {
                    alternatives = either(alternatives, self.alternatives(*part)?.into_iter().map(step).collect())?;
                }
            }
            _ => alternatives.push(step(1 << self.number[&id])),
        }
        Ok(alternatives.into_iter().map(|s| s.next).collect())
    }
}

/// Whether `b` is superfluous beside `a`: `a` can be taken wherever `b` can, and asks no more of what follows.
fn implied(b: Step, a: Step) -> bool {
    b.cube.implies(a.cube) && a.next & !b.next == 0
}

fn add(steps: &mut Vec<Step>, step: Step) -> Result<(), TooLarge> {
    if !steps.iter().any(|other| implied(step, *other)) {
        steps.retain(|other| !implied(*other, step));
        steps.push(step);
    }
    limit(steps.len(), MOST_MOVES, "transitions of one state")
}

fn either(mut steps: Vec<Step>, others: Vec<Step>) -> Result<Vec<Step>, TooLarge> {
    others.into_iter().try_for_each(|step| add(&mut steps, step))?;
    Ok(steps)
}

/// Steps that are steps of both lists at once. `pruned`: without the superfluous ones. (In the generalised automaton a
/// step with more obligations may be in more acceptance sets, so there it is decided later.)
fn both(left: &[Step], right: &[Step], pruned: bool) -> Result<Vec<Step>, TooLarge> {
    let mut all = Vec::new();
    for a in left {
        for b in right {
            let Some(cube) = a.cube.and(b.cube) else { continue };
            let step = Step { cube, next: a.next | b.next };
            if pruned {
                add(&mut all, step)?;
            } else if !all.contains(&step) {
                all.push(step);
                limit(all.len(), MOST_MOVES, "transitions of one state")?;
            }
        }
    }
    Ok(all)
}

impl Product {
    /// The same with one initial state, which has the transitions of all.
    fn with_one_start(&self) -> Product {
        let joined = self.initial.iter().flat_map(|state| &self.moves[*state as usize]).copied().collect();
        let moves = self.moves.iter().cloned().chain([joined]).collect();
        Product { initial: vec![self.moves.len() as u32], moves, sets: self.sets }
    }

    fn reduced(mut self) -> Product {
        reduce::reduce(&mut self.moves, &mut self.initial, &mut self.sets);
        self
    }

    /// The automaton with the initial states as they are or with one for all, whichever is smaller.
    fn automaton(self, propositions: Vec<String>) -> Automaton {
        let one_start = (self.initial.len() > 1).then(|| self.with_one_start().reduced());
        let several = self.reduced();
        let smaller = one_start.filter(|one| one.moves.len() <= several.moves.len());
        let Product { initial, moves, sets } = smaller.unwrap_or(several);
        let state = |moves: Vec<Move>| {
            let mut grouped: Vec<(u32, u64, Vec<Cube>)> = Vec::new();
            for Move { cube, target, sets } in moves {
                match grouped.iter_mut().find(|(t, s, _)| (*t, *s) == (target, sets)) {
                    Some((.., cubes)) => cubes.push(cube),
                    None => grouped.push((target, sets, vec![cube])),
                }
            }
            let transition = |(target, sets, cubes)| Transition { condition: any_of(cubes), target, sets };
            AutomatonState { name: None, transitions: grouped.into_iter().map(transition).collect() }
        };
        debug_assert!(moves.iter().flatten().all(|m| m.sets & !all_sets(sets) == 0));
        Automaton { propositions, states: moves.into_iter().map(state).collect(), initial, sets }
    }
}
