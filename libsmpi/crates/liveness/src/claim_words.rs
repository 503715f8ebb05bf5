//! The words of a never claim, one of them seen in advance.

use crate::label;
use crate::syntax::{Place, Reader, SyntaxError, in_name, starts_name};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// What stands between the parts of a condition.
    Between(label::Sign),
    OpenBrace,
    CloseBrace,
    /// `::`
    Option,
    Semicolon,
    Arrow,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Never,
    If,
    Fi,
    Do,
    Od,
    Goto,
    Break,
    Assert,
    Atomic,
    Else,
    Constant(bool),
    Name(String),
    /// A name with a colon behind it.
    Label(String),
    Sign(Sign),
    /// The end of the text.
    Nothing,
}

/// Signs with their texts. Of two that begin alike, the longer one is first.
const SIGNS: [(&str, Word); 12] = [
    ("||", Word::Sign(Sign::Between(label::Sign::Or))),
    ("&&", Word::Sign(Sign::Between(label::Sign::And))),
    ("!", Word::Sign(Sign::Between(label::Sign::Not))),
    ("(", Word::Sign(Sign::Between(label::Sign::Open))),
    (")", Word::Sign(Sign::Between(label::Sign::Close))),
    ("{", Word::Sign(Sign::OpenBrace)),
    ("}", Word::Sign(Sign::CloseBrace)),
    ("::", Word::Sign(Sign::Option)),
    (";", Word::Sign(Sign::Semicolon)),
    ("->", Word::Sign(Sign::Arrow)),
    ("1", Word::Constant(true)),
    ("0", Word::Constant(false)),
];

/// Names with a meaning. `skip` waits for nothing.
const KEYWORDS: [(&str, Word); 14] = [
    ("never", Word::Never),
    ("if", Word::If),
    ("fi", Word::Fi),
    ("do", Word::Do),
    ("od", Word::Od),
    ("goto", Word::Goto),
    ("break", Word::Break),
    ("assert", Word::Assert),
    ("atomic", Word::Atomic),
    ("d_step", Word::Atomic),
    ("else", Word::Else),
    ("true", Word::Constant(true)),
    ("false", Word::Constant(false)),
    ("skip", Word::Constant(true)),
];

pub(crate) struct Words<'a> {
    reader: Reader<'a>,
    word: Word,
    /// The next word as it is written.
    shown: &'a str,
    place: Place,
}

impl<'a> Words<'a> {
    pub(crate) fn new(text: &'a str) -> Result<Words<'a>, SyntaxError> {
        let reader = Reader::new(text);
        let mut words = Words { place: reader.place(), reader, word: Word::Nothing, shown: "" };
        words.advance()?;
        Ok(words)
    }

    pub(crate) fn peek(&self) -> &Word {
        &self.word
    }

    /// Where the next word begins.
    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// The error that something else was expected instead of the next word.
    pub(crate) fn expected(&self, what: &str) -> SyntaxError {
        match self.word {
            Word::Nothing => self.place.expected("the end of the text", what),
            _ => self.place.expected(&format!("`{}`", self.shown), what),
        }
    }

    /// Goes over `word` if it comes next, and says whether it did.
    pub(crate) fn take(&mut self, word: &Word) -> Result<bool, SyntaxError> {
        let found = self.word == *word;
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Goes over `word`, which must come next.
    pub(crate) fn expect(&mut self, word: &Word, what: &str) -> Result<(), SyntaxError> {
        if self.take(word)? { Ok(()) } else { Err(self.expected(what)) }
    }

    /// Reads the word behind the next one.
    pub(crate) fn advance(&mut self) -> Result<(), SyntaxError> {
        self.reader.skip_blank(false)?;
        self.place = self.reader.place();
        let before = self.reader.rest();
        self.word = self.read()?;
        self.shown = &before[..before.len() - self.reader.rest().len()];
        Ok(())
    }

    fn read(&mut self) -> Result<Word, SyntaxError> {
        let Some(c) = self.reader.peek() else { return Ok(Word::Nothing) };
        if starts_name(c) {
            let name = self.reader.take_while(in_name);
            if let Some((_, word)) = KEYWORDS.iter().find(|(text, _)| *text == name) {
                return Ok(word.clone());
            }
            // A label, unless the colon begins the next option.
            let rest = self.reader.rest().trim_start();
            if rest.starts_with(':') && !rest.starts_with("::") {
                self.reader.skip_blank(false)?;
                self.reader.take(":");
                return Ok(Word::Label(name.to_string()));
            }
            return Ok(Word::Name(name.to_string()));
        }
        let digits = self.reader.rest().bytes().take_while(u8::is_ascii_digit).count();
        let sign = SIGNS.iter().filter(|_| digits <= 1).find(|(text, _)| self.reader.take(text));
        sign.map(|(_, word)| word.clone()).ok_or_else(|| {
            let known = "a name, `&&`, `||`, `!`, parentheses, `::`, `->`, `;` or braces (comparisons and variables are not \
                         supported: propositions are named by the program)";
            self.place.expected(&format!("`{c}`"), known)
        })
    }
}
