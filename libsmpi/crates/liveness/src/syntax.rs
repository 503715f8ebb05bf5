//! Errors in texts that users write: formulas, automata, never claims. They say where, what is there and what was
//! expected. And the reader of characters that the three parsers share: it counts lines and columns.

use std::fmt;

/// How deep parentheses may be nested in a formula or a label.
pub(crate) const DEEPEST: usize = 200;

/// What is wrong with a text. Shown as `line 1, column 7: found `)`, expected a formula`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong, with what was expected and, where it is not obvious, what to do.
    pub problem: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.problem)
    }
}

impl std::error::Error for SyntaxError {}

/// A place in a text: line and column from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    line: usize,
    column: usize,
}

impl Place {
    /// The error that `problem` is here.
    pub(crate) fn error(self, problem: impl Into<String>) -> SyntaxError {
        SyntaxError { line: self.line, column: self.column, problem: problem.into() }
    }

    /// The error that `found` is here and not `expected`.
    pub(crate) fn expected(self, found: &str, expected: &str) -> SyntaxError {
        self.error(format!("found {found}, expected {expected}"))
    }
}

/// The characters of a text with their places.
pub(crate) struct Reader<'a> {
    rest: &'a str,
    place: Place,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str) -> Reader<'a> {
        Reader { rest: text, place: Place { line: 1, column: 1 } }
    }

    pub(crate) fn place(&self) -> Place {
        self.place
    }

    pub(crate) fn rest(&self) -> &'a str {
        self.rest
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(crate) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = &self.rest[c.len_utf8()..];
        if c == '\n' {
            self.place = Place { line: self.place.line + 1, column: 1 };
        } else {
            self.place.column += 1;
        }
        Some(c)
    }

    /// Goes over `text` if it comes next, and says whether it did.
    pub(crate) fn take(&mut self, text: &str) -> bool {
        let found = self.rest.starts_with(text);
        if found {
            for _ in text.chars() {
                self.next();
            }
        }
        found
    }

    /// Goes over all characters that `wanted` accepts and returns them.
    pub(crate) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let before = self.rest;
        while self.peek().is_some_and(&wanted) {
            self.next();
        }
        &before[..before.len() - self.rest.len()]
    }

    /// Goes over white space and comments, `/* … */`, which may contain others if they are `nested`. Errors: a comment
    /// without end.
    pub(crate) fn skip_blank(&mut self, nested: bool) -> Result<(), SyntaxError> {
        let mut open: Vec<Place> = Vec::new();
        loop {
            let place = self.place;
            if (open.is_empty() || nested) && self.take("/*") {
                open.push(place);
            } else if let Some(start) = open.last() {
                let start = *start;
                if self.take("*/") {
                    open.pop();
                } else {
                    self.next().ok_or_else(|| start.error("this comment does not end, expected `*/`"))?;
                }
            } else if self.take_while(char::is_whitespace).is_empty() {
                return Ok(());
            }
        }
    }
}

/// Whether this is the name of a proposition: letters, digits and `_`, no digit first.
pub fn is_name(text: &str) -> bool {
    text.starts_with(starts_name) && text.chars().all(in_name)
}

/// Whether a name can begin with `c`.
pub(crate) fn starts_name(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// Whether `c` can stand in a name.
pub(crate) fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
