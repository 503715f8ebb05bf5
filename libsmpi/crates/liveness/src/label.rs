//! Reads labels of automata: conditions of `!`, and, or, parentheses, and atoms whose form the file's format decides.
//! Negation binds most strongly, then conjunction.

use crate::condition::Condition;
use crate::syntax::{DEEPEST, SyntaxError};

/// What stands between the atoms of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Or,
    And,
    Not,
    Open,
    Close,
}

/// A text in some format, at a label.
pub(crate) trait LabelSource {
    /// Goes over `sign` if it comes next, and says whether it did.
    fn take(&mut self, sign: Sign) -> Result<bool, SyntaxError>;

    /// Reads a constant, a proposition or whatever else stands for a condition.
    fn atom(&mut self) -> Result<Condition, SyntaxError>;

    /// The error that something else was expected here.
    fn expected(&self, what: &str) -> SyntaxError;
}

/// Reads a label up to where it can go no further.
pub(crate) fn read(source: &mut impl LabelSource) -> Result<Condition, SyntaxError> {
    list(source, Sign::Or, 0)
}

fn list(source: &mut impl LabelSource, sign: Sign, depth: usize) -> Result<Condition, SyntaxError> {
    let part = |source: &mut _| if sign == Sign::Or { list(source, Sign::And, depth) } else { factor(source, depth) };
    let first = part(source)?;
    let mut parts = vec![first];
    while source.take(sign)? {
        parts.push(part(source)?);
    }
    Ok(match parts.len() {
        1 => parts.remove(0),
        _ if sign == Sign::Or => Condition::Or(parts),
        _ => Condition::And(parts),
    })
}

fn factor(source: &mut impl LabelSource, depth: usize) -> Result<Condition, SyntaxError> {
    if depth > DEEPEST {
        return Err(source.expected(&format!("at most {DEEPEST} parentheses and negations inside each other")));
    }
    if source.take(Sign::Not)? {
        return Ok(factor(source, depth + 1)?.negated());
    }
    if !source.take(Sign::Open)? {
        return source.atom();
    }
    let inner = list(source, Sign::Or, depth + 1)?;
    if source.take(Sign::Close)? { Ok(inner) } else { Err(source.expected("an operator or `)`")) }
}
