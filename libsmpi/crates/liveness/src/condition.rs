//! Boolean formulas over numbered propositions: the labels of automata.
//!
//! A state of a system says which propositions hold as a bit set of 64 bits; a condition is evaluated on such a set.

use std::fmt;

/// How many propositions an automaton can have: the bits of a valuation.
pub const MOST_PROPOSITIONS: usize = 64;

/// A boolean formula over propositions `0..64`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// Holds always or never.
    Constant(bool),
    /// The proposition of this number holds.
    Proposition(u8),
    /// The condition does not hold.
    Not(Box<Condition>),
    /// All hold.
    And(Vec<Condition>),
    /// One holds.
    Or(Vec<Condition>),
}

impl Condition {
    /// Whether the condition holds where the propositions in `valuation` hold: bit i stands for proposition i.
    pub fn holds(&self, valuation: u64) -> bool {
        match self {
            Condition::Constant(value) => *value,
            Condition::Proposition(number) => valuation >> number & 1 == 1,
            Condition::Not(inner) => !inner.holds(valuation),
            Condition::And(parts) => parts.iter().all(|part| part.holds(valuation)),
            Condition::Or(parts) => parts.iter().any(|part| part.holds(valuation)),
        }
    }

    /// The opposite.
    pub(crate) fn negated(self) -> Condition {
        match self {
            Condition::Constant(value) => Condition::Constant(!value),
            Condition::Not(inner) => *inner,
            other => Condition::Not(Box::new(other)),
        }
    }

    /// The condition with proposition `i` replaced by `numbers[i]`.
    pub(crate) fn renumbered(&self, numbers: &[u8]) -> Condition {
        let all = |parts: &[Condition]| parts.iter().map(|part| part.renumbered(numbers)).collect();
        match self {
            Condition::Constant(value) => Condition::Constant(*value),
            Condition::Proposition(number) => Condition::Proposition(numbers[usize::from(*number)]),
            Condition::Not(inner) => Condition::Not(Box::new(inner.renumbered(numbers))),
            Condition::And(parts) => Condition::And(all(parts)),
            Condition::Or(parts) => Condition::Or(all(parts)),
        }
    }

    fn write_list(f: &mut fmt::Formatter<'_>, parts: &[Condition], sign: &str, empty: &str) -> fmt::Result {
        if parts.is_empty() {
            return write!(f, "{empty}");
        }
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                write!(f, "{sign}")?;
            }
            let bare = !matches!(part, Condition::And(_) | Condition::Or(_));
            if bare { write!(f, "{part}")? } else { write!(f, "({part})")? }
        }
        Ok(())
    }
}

/// As HOA writes labels: `0&!1 | t`.
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Constant(true) => write!(f, "t"),
            Condition::Constant(false) => write!(f, "f"),
            Condition::Proposition(number) => write!(f, "{number}"),
            Condition::Not(inner) => match **inner {
                Condition::And(_) | Condition::Or(_) => write!(f, "!({inner})"),
                _ => write!(f, "!{inner}"),
            },
            Condition::And(parts) => Condition::write_list(f, parts, "&", "t"),
            Condition::Or(parts) => Condition::write_list(f, parts, " | ", "f"),
        }
    }
}

/// A conjunction of literals: all propositions of `positive` hold, and none of `negative`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Cube {
    pub(crate) positive: u64,
    pub(crate) negative: u64,
}

impl Cube {
    /// Holds always.
    pub(crate) const ALL: Cube = Cube { positive: 0, negative: 0 };

    /// What fulfils both, if anything does.
    pub(crate) fn and(self, other: Cube) -> Option<Cube> {
        let both = Cube { positive: self.positive | other.positive, negative: self.negative | other.negative };
        (both.positive & both.negative == 0).then_some(both)
    }

    /// Whether what fulfils this cube fulfils `other`.
    pub(crate) fn implies(self, other: Cube) -> bool {
        other.positive & !self.positive == 0 && other.negative & !self.negative == 0
    }

    /// The one cube that is the disjunction of two which differ in the sign of one proposition.
    fn joined(self, other: Cube) -> Option<Cube> {
        let differing = self.positive ^ other.positive;
        let joins = differing.count_ones() == 1 && differing == self.negative ^ other.negative;
        joins.then_some(Cube { positive: self.positive & !differing, negative: self.negative & !differing })
    }

    fn condition(self) -> Condition {
        let literals: Vec<Condition> = (0..MOST_PROPOSITIONS as u8)
            .filter(|&i| (self.positive | self.negative) >> i & 1 == 1)
            .map(|i| {
                let atom = Condition::Proposition(i);
                if self.positive >> i & 1 == 1 { atom } else { atom.negated() }
            })
            .collect();
        one_or(literals, Condition::And, true)
    }
}

/// The disjunction of `cubes`, with fewer of them where two can be joined or one implies another.
pub(crate) fn any_of(mut cubes: Vec<Cube>) -> Condition {
    loop {
        cubes.sort_unstable();
        cubes.dedup();
        let all = cubes.clone();
        cubes.retain(|cube| !all.iter().any(|other| other != cube && cube.implies(*other)));
        let pairs = (0..cubes.len()).flat_map(|i| (i + 1..cubes.len()).map(move |j| (i, j)));
        let Some((i, j, both)) = pairs.filter_map(|(i, j)| Some((i, j, cubes[i].joined(cubes[j])?))).next() else {
            return one_or(cubes.into_iter().map(Cube::condition).collect(), Condition::Or, false);
        };
        cubes.remove(j);
        cubes[i] = both;
    }
}

fn one_or(mut parts: Vec<Condition>, several: fn(Vec<Condition>) -> Condition, none: bool) -> Condition {
    match parts.len() {
        0 => Condition::Constant(none),
        1 => parts.remove(0),
        _ => several(parts),
    }
}
