//! Formulas of linear temporal logic: what they are, how they are printed, which propositions they name.
//!
//! Operators are SPOT's (Duret-Lutz and others: "Spot's Temporal Logic Formulas"), without those of PSL. Nothing here
//! simplifies or translates; `normal` does.

use std::fmt;

/// Operators with one operand. All bind more strongly than those with two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `!`
    Not,
    /// `X`: in the next state.
    Next,
    /// `F`: now or later.
    Finally,
    /// `G`: now and always.
    Globally,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `->`
    Implies,
    /// `<->`
    Iff,
    /// `^`: exactly one of the two.
    Xor,
    /// `||`
    Or,
    /// `&&`
    And,
    /// `a U b`: b holds now or later, and a until then.
    Until,
    /// `a W b`: a until b, or a for ever.
    WeakUntil,
    /// `a R b`: b up to and including the state where a holds, or for ever.
    Release,
    /// `a M b`: b up to and including the state where a holds, which comes.
    StrongRelease,
}

impl Unary {
    fn symbol(self) -> &'static str {
        match self {
            Unary::Not => "!",
            Unary::Next => "X ",
            Unary::Finally => "F ",
            Unary::Globally => "G ",
        }
    }
}

impl Binary {
    /// How strongly it binds: 0 is the weakest. SPOT's order.
    pub(crate) fn strength(self) -> u8 {
        match self {
            Binary::Implies | Binary::Iff => 0,
            Binary::Xor => 1,
            Binary::Or => 2,
            Binary::And => 3,
            Binary::Until | Binary::WeakUntil | Binary::Release | Binary::StrongRelease => 4,
        }
    }

    /// Whether `a ∘ b ∘ c` is `a ∘ (b ∘ c)`.
    pub(crate) fn groups_right(self) -> bool {
        !matches!(self, Binary::Xor | Binary::Or | Binary::And)
    }

    fn symbol(self) -> &'static str {
        match self {
            Binary::Implies => "->",
            Binary::Iff => "<->",
            Binary::Xor => "^",
            Binary::Or => "||",
            Binary::And => "&&",
            Binary::Until => "U",
            Binary::WeakUntil => "W",
            Binary::Release => "R",
            Binary::StrongRelease => "M",
        }
    }
}

/// A formula of linear temporal logic over named propositions.
///
/// It speaks of one infinite sequence of states. Its `Display` is a text that [`Formula::parse`] reads as the same
/// formula, unless there are more than 200 parentheses inside each other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// `true` or `false`.
    Constant(bool),
    /// A proposition.
    Proposition(String),
    /// An operator with one operand.
    Unary(Unary, Box<Formula>),
    /// An operator with two operands.
    Binary(Binary, Box<Formula>, Box<Formula>),
}

impl Formula {
    /// The operator `op` before this formula.
    pub fn under(self, op: Unary) -> Formula {
        Formula::Unary(op, Box::new(self))
    }

    /// The operator `op` between this formula and `right`.
    pub fn joined(self, op: Binary, right: Formula) -> Formula {
        Formula::Binary(op, Box::new(self), Box::new(right))
    }

    /// The names of the propositions, each once, in the order of the text.
    pub fn propositions(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.visit(&mut |part| {
            if let Formula::Proposition(name) = part
                && !names.contains(&name.as_str())
            {
                names.push(name);
            }
        });
        names
    }

    /// Whether the formula contains no `X`. Such a formula cannot tell sequences that differ only in how often states
    /// are repeated (Lamport: "What good is temporal logic?", 1983). With an `X` it may still be so: see
    /// [`is_stutter_invariant`](crate::is_stutter_invariant).
    pub fn is_without_next(&self) -> bool {
        let mut found = false;
        self.visit(&mut |part| found |= matches!(part, Formula::Unary(Unary::Next, _)));
        !found
    }

    /// Separates operators that are written without a space: if `known` does not know the name `GFcs`, but `cs`, it is
    /// `G F cs`, as ltl2ba and SPOT read it. Other names stay as they are.
    pub fn with_operators_split(self, known: &impl Fn(&str) -> bool) -> Formula {
        match self {
            Formula::Constant(_) => self,
            Formula::Proposition(name) => split_name(name, known),
            Formula::Unary(op, operand) => operand.with_operators_split(known).under(op),
            Formula::Binary(op, left, right) => {
                left.with_operators_split(known).joined(op, right.with_operators_split(known))
            }
        }
    }

    fn visit<'a>(&'a self, seen: &mut impl FnMut(&'a Formula)) {
        seen(self);
        match self {
            Formula::Constant(_) | Formula::Proposition(_) => {}
            Formula::Unary(_, operand) => operand.visit(seen),
            Formula::Binary(_, left, right) => {
                left.visit(seen);
                right.visit(seen);
            }
        }
    }

    /// An operand, in parentheses where they are needed or help to read. `same`: the operator whose operands need none.
    fn write_operand(&self, f: &mut fmt::Formatter<'_>, same: Option<Binary>) -> fmt::Result {
        match self {
            Formula::Binary(op, ..) if Some(*op) != same => write!(f, "({self})"),
            _ => write!(f, "{self}"),
        }
    }
}

/// The name as a proposition, or the operators that stand before a known name.
fn split_name(name: String, known: &impl Fn(&str) -> bool) -> Formula {
    let operators = name.bytes().take_while(|c| b"FGX".contains(c)).count();
    let Some(first) = (1..=operators).find(|&n| !known(&name) && known(&name[n..])) else {
        return Formula::Proposition(name);
    };
    let inner = Formula::Proposition(name[first..].to_string());
    name[..first].bytes().rev().fold(inner, |formula, operator| {
        formula.under(match operator {
            b'F' => Unary::Finally,
            b'G' => Unary::Globally,
            _ => Unary::Next,
        })
    })
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Formula::Constant(value) => write!(f, "{value}"),
            Formula::Proposition(name) => write!(f, "{name}"),
            Formula::Unary(op, operand) => {
                write!(f, "{}", op.symbol())?;
                operand.write_operand(f, None)
            }
            Formula::Binary(op, left, right) => {
                // `a && b && c` and `a U b U c` are printed as they are grouped; the other grouping has parentheses.
                let (on_left, on_right) = if op.groups_right() { (None, Some(*op)) } else { (Some(*op), None) };
                left.write_operand(f, on_left)?;
                write!(f, " {} ", op.symbol())?;
                right.write_operand(f, on_right)
            }
        }
    }
}
