//! Refused platforms: where, what, what was expected, and one next step.

use std::fmt;

/// Why a platform cannot be used. [`fmt::Display`] gives `file:line:column: message`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlatformError {
    /// Path or name of the description.
    pub file: String,
    /// Line and column from 1, when the problem has a place in the file.
    pub place: Option<(usize, usize)>,
    /// One sentence: the problem, what was expected, one next step.
    pub message: String,
}

impl fmt::Display for PlatformError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((line, column)) => write!(f, "{}:{line}:{column}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

impl std::error::Error for PlatformError {}

/// Two members of a zone, or a member and a gateway, without a way between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Name of the sender.
    pub src: String,
    /// Name of the receiver.
    pub dst: String,
}

/// Line and column (in characters, from 1) of a byte offset.
pub(crate) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters() {
        assert_eq!(line_and_column("a\nµs = x", 7), (2, 5));
        assert_eq!(line_and_column("", 9), (1, 1));
    }
}
