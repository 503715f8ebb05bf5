//! A second way to decide whether a system has an execution of which a formula is true, which shares nothing with the
//! crate's: no normal form, no automaton, no search on the fly.
//!
//! Lichtenstein and Pnueli ("Checking that finite state concurrent programs satisfy their linear specification", 1985):
//! a node is a state of the system with a guess, for each temporal part of the formula, of what the next state
//! promises. The guesses must agree along steps, and a component must fulfil what its guesses promise.

use crate::systems::{OFFERS, System};
use crate::words::NAMES;
use smpi_liveness::{Binary, Fairness, Formula, Unary};

/// The largest number of temporal parts that is decided.
pub const MOST_TEMPORAL: usize = 7;

fn parts<'a>(formula: &'a Formula, found: &mut Vec<&'a Formula>) {
    match formula {
        Formula::Constant(_) | Formula::Proposition(_) => {}
        Formula::Unary(_, a) => parts(a, found),
        Formula::Binary(_, a, b) => {
            parts(a, found);
            parts(b, found);
        }
    }
    if !found.contains(&formula) {
        found.push(formula);
    }
}

fn is_temporal(formula: &Formula) -> bool {
    match formula {
        Formula::Unary(op, _) => *op != Unary::Not,
        Formula::Binary(op, ..) => {
            matches!(op, Binary::Until | Binary::WeakUntil | Binary::Release | Binary::StrongRelease)
        }
        _ => false,
    }
}

pub fn temporal_parts(formula: &Formula) -> usize {
    let mut all = Vec::new();
    parts(formula, &mut all);
    all.into_iter().filter(|part| is_temporal(part)).count()
}

/// The values of all parts where `valuation` holds and bit i of `guess` is the promise of the i-th temporal part: of
/// `X a` that a holds next, of any other that the part itself holds next.
fn values(all: &[&Formula], valuation: u64, guess: usize) -> Vec<bool> {
    let mut values: Vec<bool> = Vec::new();
    let mut temporal = 0;
    for part in all {
        let value = |f: &Formula| values[all.iter().position(|p| *p == f).unwrap()];
        let mut later = false;
        if is_temporal(part) {
            later = guess >> temporal & 1 == 1;
            temporal += 1;
        }
        let now = match part {
            Formula::Constant(value) => *value,
            Formula::Proposition(name) => valuation >> NAMES.iter().position(|n| n == name).unwrap() & 1 == 1,
            Formula::Unary(Unary::Not, a) => !value(a),
            Formula::Unary(Unary::Next, _) => later,
            Formula::Unary(Unary::Finally, a) => value(a) || later,
            Formula::Unary(Unary::Globally, a) => value(a) && later,
            Formula::Binary(op, a, b) => {
                let (a, b) = (value(a), value(b));
                match op {
                    Binary::Implies => !a || b,
                    Binary::Iff => a == b,
                    Binary::Xor => a != b,
                    Binary::Or => a || b,
                    Binary::And => a && b,
                    Binary::Until | Binary::WeakUntil => b || (a && later),
                    Binary::Release | Binary::StrongRelease => b && (a || later),
                }
            }
        };
        values.push(now);
    }
    values
}

/// Whether these values end the wait of a part: it is not promised, or it comes true, or the opposite of that for
/// parts that hold if nothing ends them.
fn ends(all: &[&Formula], part: &Formula, values: &[bool]) -> bool {
    let value = |f: &Formula| values[all.iter().position(|p| *p == f).unwrap()];
    let own = value(part);
    match part {
        Formula::Unary(Unary::Finally, a) => !own || value(a),
        Formula::Unary(Unary::Globally, a) => own || !value(a),
        Formula::Binary(Binary::Until, _, b) => !own || value(b),
        Formula::Binary(Binary::StrongRelease, a, b) => !own || (value(a) && value(b)),
        Formula::Binary(Binary::WeakUntil, a, b) => own || (!value(a) && !value(b)),
        Formula::Binary(Binary::Release, _, b) => own || !value(b),
        _ => true,
    }
}

/// Whether some execution of `system` that counts fulfils `formula`.
pub fn is_possible(system: &System, formula: &Formula, fairness: Fairness) -> bool {
    let mut all = Vec::new();
    parts(formula, &mut all);
    let temporal: Vec<&Formula> = all.iter().copied().filter(|part| is_temporal(part)).collect();
    let guesses = 1usize << temporal.len();
    let node = |state: usize, guess: usize| state * guesses + guess;
    let value: Vec<Vec<bool>> = (0..system.states.len() * guesses)
        .map(|n| values(&all, system.states[n / guesses].valuation, n % guesses))
        .collect();
    // What a node must have promised the nodes before it.
    let position = |f: &Formula| all.iter().position(|p| *p == f).unwrap();
    let promised = |n: usize| {
        temporal.iter().enumerate().fold(0, |bits, (i, part)| {
            let meant = if let Formula::Unary(Unary::Next, a) = part { a } else { *part };
            bits | usize::from(value[n][position(meant)]) << i
        })
    };
    let promises: Vec<usize> = (0..value.len()).map(promised).collect();
    let edges: Vec<Vec<(usize, Option<usize>)>> = (0..value.len())
        .map(|n| {
            let state = n / guesses;
            let to = |step: Option<usize>| {
                let target = system.after((state, step));
                let fits = (0..guesses).map(move |g| node(target, g)).filter(|t| promises[*t] == n % guesses);
                fits.map(move |t| (t, step)).collect::<Vec<_>>()
            };
            system.steps(state).into_iter().flat_map(to).collect()
        })
        .collect();
    let roots: Vec<usize> = (0..guesses).map(|g| node(0, g)).filter(|n| value[*n][position(formula)]).collect();
    let reached = reach(&edges, &roots);
    let counts = |members: Vec<usize>, edges: &[Vec<(usize, Option<usize>)>]| {
        let inner: Vec<(usize, Option<usize>)> = members
            .iter()
            .flat_map(|n| edges[*n].iter().filter(|(t, _)| members.contains(t)).map(move |(_, s)| (n / guesses, *s)))
            .collect();
        reached[members[0]]
            && !inner.is_empty()
            && temporal.iter().all(|part| members.iter().any(|n| ends(&all, part, &value[*n])))
            && system.is_fair(&inner, fairness)
    };
    // Which offers stand where an execution goes round is guessed, and all states are left out where others do.
    let guesses_of_offers = if fairness == Fairness::Offers { 1 << OFFERS } else { 1 };
    (0..guesses_of_offers).any(|meant: u32| {
        let is_left = |n: usize| {
            fairness != Fairness::Offers
                || system.states[n / guesses].offers.iter().all(|offer| meant >> offer & 1 == 1)
        };
        let left: Vec<Vec<(usize, Option<usize>)>> = (0..edges.len())
            .map(|n| edges[n].iter().copied().filter(|(target, _)| is_left(n) && is_left(*target)).collect())
            .collect();
        components(&left).into_iter().any(|members| counts(members, &left))
    })
}

fn reach(edges: &[Vec<(usize, Option<usize>)>], roots: &[usize]) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    let mut todo = roots.to_vec();
    while let Some(n) = todo.pop() {
        if !std::mem::replace(&mut reached[n], true) {
            todo.extend(edges[n].iter().map(|(t, _)| *t));
        }
    }
    reached
}

/// Components by two walks, forth and back (Kosaraju).
fn components(edges: &[Vec<(usize, Option<usize>)>]) -> Vec<Vec<usize>> {
    fn finish(edges: &[Vec<usize>], n: usize, seen: &mut [bool], order: &mut Vec<usize>) {
        if !std::mem::replace(&mut seen[n], true) {
            edges[n].iter().for_each(|t| finish(edges, *t, seen, order));
            order.push(n);
        }
    }
    let forth: Vec<Vec<usize>> = edges.iter().map(|out| out.iter().map(|(t, _)| *t).collect()).collect();
    let mut back = vec![Vec::new(); edges.len()];
    for (n, out) in forth.iter().enumerate() {
        out.iter().for_each(|t| back[*t].push(n));
    }
    let (mut seen, mut order) = (vec![false; edges.len()], Vec::new());
    (0..edges.len()).for_each(|n| finish(&forth, n, &mut seen, &mut order));
    let mut seen = vec![false; edges.len()];
    let component = |root: usize| {
        let mut members = Vec::new();
        finish(&back, root, &mut seen, &mut members);
        members
    };
    order.into_iter().rev().map(component).filter(|members| !members.is_empty()).collect()
}
