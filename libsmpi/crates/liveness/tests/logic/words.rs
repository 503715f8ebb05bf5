//! What formulas mean, written down once more and as directly as possible: by looking at every moment of an infinite
//! word that ends in a cycle. And random formulas.

use smpi_base::rng::Rng;
use smpi_liveness::{Binary, Formula, Unary};

/// The propositions of random formulas; bit i of a valuation is the i-th.
pub const NAMES: [&str; 3] = ["a", "b", "c"];

/// An infinite word: valuations, then others again and again.
#[derive(Clone, Debug)]
pub struct Word {
    pub letters: Vec<u64>,
    /// Where the word goes on after its last letter.
    pub back: usize,
}

impl Word {
    pub fn new(prefix: &[u64], cycle: &[u64]) -> Word {
        assert!(!cycle.is_empty());
        Word { letters: [prefix, cycle].concat(), back: prefix.len() }
    }

    fn after(&self, moment: usize) -> usize {
        if moment + 1 == self.letters.len() { self.back } else { moment + 1 }
    }

    /// `moment` and all later ones, each at least once, in order.
    fn from(&self, moment: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(moment), |m| Some(self.after(*m))).take(2 * self.letters.len())
    }

    pub fn fulfils(&self, formula: &Formula, names: &[&str]) -> bool {
        self.values(formula, names)[0]
    }

    /// Whether `b` holds at some moment, and `a` before it.
    fn until(&self, moment: usize, a: &[bool], b: &[bool]) -> bool {
        self.from(moment).find(|m| b[*m] || !a[*m]).is_some_and(|m| b[m])
    }

    /// At which moments the formula holds.
    fn values(&self, formula: &Formula, names: &[&str]) -> Vec<bool> {
        let moments = 0..self.letters.len();
        match formula {
            Formula::Constant(value) => vec![*value; moments.len()],
            Formula::Proposition(name) => {
                let bit = names.iter().position(|n| n == name).unwrap();
                self.letters.iter().map(|letter| letter >> bit & 1 == 1).collect()
            }
            Formula::Unary(op, inner) => {
                let a = self.values(inner, names);
                moments
                    .map(|m| match op {
                        Unary::Not => !a[m],
                        Unary::Next => a[self.after(m)],
                        Unary::Finally => self.from(m).any(|m| a[m]),
                        Unary::Globally => self.from(m).all(|m| a[m]),
                    })
                    .collect()
            }
            Formula::Binary(op, left, right) => {
                let (a, b) = (self.values(left, names), self.values(right, names));
                let not = |values: &[bool]| -> Vec<bool> { values.iter().map(|v| !v).collect() };
                let always = |m: usize, a: &[bool]| self.from(m).all(|m| a[m]);
                let both: Vec<bool> = a.iter().zip(&b).map(|(a, b)| *a && *b).collect();
                moments
                    .map(|m| match op {
                        Binary::Implies => !a[m] || b[m],
                        Binary::Iff => a[m] == b[m],
                        Binary::Xor => a[m] != b[m],
                        Binary::Or => a[m] || b[m],
                        Binary::And => a[m] && b[m],
                        Binary::Until => self.until(m, &a, &b),
                        Binary::WeakUntil => self.until(m, &a, &b) || always(m, &a),
                        Binary::Release => !self.until(m, &not(&a), &not(&b)),
                        Binary::StrongRelease => self.until(m, &b, &both),
                    })
                    .collect()
            }
        }
    }
}

/// A random formula with `size` operators and propositions, of the first `names` propositions.
pub fn random_formula(rng: &mut Rng, size: usize, names: usize) -> Formula {
    if size <= 1 {
        return match rng.below(12) {
            0 => Formula::Constant(rng.below(2) == 0),
            _ => Formula::Proposition(NAMES[rng.below(names)].to_string()),
        };
    }
    const UNARY: [Unary; 6] = [Unary::Not, Unary::Not, Unary::Next, Unary::Finally, Unary::Globally, Unary::Finally];
    const BINARY: [Binary; 9] = [
        Binary::Implies,
        Binary::Iff,
        Binary::Xor,
        Binary::Or,
        Binary::And,
        Binary::Until,
        Binary::WeakUntil,
        Binary::Release,
        Binary::StrongRelease,
    ];
    if size == 2 || rng.below(2) == 0 {
        return random_formula(rng, size - 1, names).under(UNARY[rng.below(UNARY.len())]);
    }
    let left = 1 + rng.below(size - 2);
    let op = BINARY[rng.below(BINARY.len())];
    random_formula(rng, left, names).joined(op, random_formula(rng, size - 1 - left, names))
}

/// That not all of up to three things happen again and again: an execution that violates this needs several acceptance
/// sets.
pub fn random_fairness(rng: &mut Rng, names: usize) -> Formula {
    let again = |rng: &mut Rng| {
        let size = 1 + rng.below(2);
        let thing = random_formula(rng, size, names);
        thing.under(Unary::Finally).under(Unary::Globally)
    };
    let first = again(rng);
    let all = (0..rng.below(3)).fold(first, |all, _| all.joined(Binary::And, again(rng)));
    all.under(Unary::Not)
}

/// A random word over the first `names` propositions.
pub fn random_word(rng: &mut Rng, names: usize) -> Word {
    let (prefix, cycle) = (rng.below(4), 1 + rng.below(4));
    let letters: Vec<u64> = (0..prefix + cycle).map(|_| rng.below(1 << names) as u64).collect();
    Word::new(&letters[..prefix], &letters[prefix..])
}
