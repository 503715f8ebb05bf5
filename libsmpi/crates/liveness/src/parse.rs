//! Reads formulas of linear temporal logic.
//!
//! Operators, from the weakest: `->` `<->` (to the right), `^` (to the left), `||`, `&&`, then `U` `W` `R` `M` (to the
//! right), then `F` `G` `X` `!`: SPOT's precedence. `[]` is `G`, `<>` is `F`, `|` `\/` `or` are `||`, and so on.
//!
//! A formula may have several lines, and comments: from `#` or `//` to the end of the line, and `/* … */`.

use crate::formula::{Binary, Formula, Unary};
use crate::syntax::{DEEPEST, Place, Reader, SyntaxError, in_name, starts_name};

/// The most words of a formula: names, operators, parentheses.
const LONGEST: usize = 2_000;

#[derive(Clone, Debug, PartialEq)]
enum Word {
    Constant(bool),
    Name(String),
    Unary(Unary),
    Binary(Binary),
    Open,
    Close,
    End,
}

/// What is written in symbols; of two that begin alike, the longer one is first.
const SYMBOLS: [(&str, Word); 19] = [
    ("<->", Word::Binary(Binary::Iff)),
    ("<=>", Word::Binary(Binary::Iff)),
    ("->", Word::Binary(Binary::Implies)),
    ("=>", Word::Binary(Binary::Implies)),
    ("<>", Word::Unary(Unary::Finally)),
    ("[]", Word::Unary(Unary::Globally)),
    ("&&", Word::Binary(Binary::And)),
    ("||", Word::Binary(Binary::Or)),
    ("/\\", Word::Binary(Binary::And)),
    ("\\/", Word::Binary(Binary::Or)),
    ("&", Word::Binary(Binary::And)),
    ("|", Word::Binary(Binary::Or)),
    ("^", Word::Binary(Binary::Xor)),
    ("!", Word::Unary(Unary::Not)),
    ("~", Word::Unary(Unary::Not)),
    ("1", Word::Constant(true)),
    ("0", Word::Constant(false)),
    ("(", Word::Open),
    (")", Word::Close),
];

/// What is written in letters and is no proposition.
const NAMES: [(&str, Word); 15] = [
    ("true", Word::Constant(true)),
    ("false", Word::Constant(false)),
    ("not", Word::Unary(Unary::Not)),
    ("and", Word::Binary(Binary::And)),
    ("or", Word::Binary(Binary::Or)),
    ("xor", Word::Binary(Binary::Xor)),
    ("implies", Word::Binary(Binary::Implies)),
    ("X", Word::Unary(Unary::Next)),
    ("F", Word::Unary(Unary::Finally)),
    ("G", Word::Unary(Unary::Globally)),
    ("U", Word::Binary(Binary::Until)),
    ("W", Word::Binary(Binary::WeakUntil)),
    ("R", Word::Binary(Binary::Release)),
    ("V", Word::Binary(Binary::Release)),
    ("M", Word::Binary(Binary::StrongRelease)),
];

struct Parser {
    words: Vec<(Word, Place, String)>,
    next: usize,
    depth: usize,
}

impl Formula {
    /// Reads a formula such as `G (request -> F granted)`.
    ///
    /// Errors: the place and what was expected there. A formula has at most 2,000 words and 200 levels.
    pub fn parse(text: &str) -> Result<Formula, SyntaxError> {
        let mut parser = Parser { words: words(text)?, next: 0, depth: 0 };
        let formula = parser.binary(0)?;
        match parser.peek() {
            (Word::End, ..) => Ok(formula),
            (Word::Close, place, _) => Err(place.error("this `)` has no `(` before it")),
            (_, place, found) => {
                Err(place.expected(found, "an operator such as `&&`, `||`, `->`, `U` or the end of the formula"))
            }
        }
    }
}

fn words(text: &str) -> Result<Vec<(Word, Place, String)>, SyntaxError> {
    let mut reader = Reader::new(text);
    let mut words = Vec::new();
    loop {
        skip_comments(&mut reader)?;
        let place = reader.place();
        let Some(c) = reader.peek() else {
            words.push((Word::End, place, "the end of the formula".to_string()));
            return Ok(words);
        };
        if words.len() >= LONGEST {
            return Err(place.error(format!("the formula has more than {LONGEST} words; split it into several")));
        }
        let (word, shown) = word(&mut reader, c, place)?;
        words.push((word, place, format!("`{shown}`")));
    }
}

/// Skips blanks and comments.
fn skip_comments(reader: &mut Reader) -> Result<(), SyntaxError> {
    loop {
        reader.skip_blank(false)?;
        if !reader.take("#") && !reader.take("//") {
            return Ok(());
        }
        reader.take_while(|c| c != '\n');
    }
}

/// A formula that can be read, in one line and without comments: as it is shown.
pub fn in_one_line(formula: &str) -> String {
    let mut reader = Reader::new(formula);
    let mut line = String::new();
    loop {
        let before = reader.rest().len();
        if skip_comments(&mut reader).is_err() {
            return line;
        }
        let skipped = reader.rest().len() < before;
        let Some(c) = reader.next() else { return line };
        if skipped && !line.is_empty() {
            line.push(' ');
        }
        line.push(c);
    }
}

fn word(reader: &mut Reader, c: char, place: Place) -> Result<(Word, String), SyntaxError> {
    if starts_name(c) {
        let name = reader.take_while(in_name).to_string();
        let keyword = NAMES.iter().find(|(text, _)| *text == name);
        return Ok((keyword.map_or_else(|| Word::Name(name.clone()), |(_, word)| word.clone()), name));
    }
    let digits = reader.rest().bytes().take_while(u8::is_ascii_digit).count();
    if digits <= 1
        && let Some((text, word)) = SYMBOLS.iter().find(|(text, _)| reader.take(text))
    {
        return Ok((word.clone(), text.to_string()));
    }
    Err(place.expected(
        &format!("`{c}`"),
        "a name (letters, digits, `_`), `true`, `false`, a parenthesis or an operator such as `!`, `G`, `F`, `&&`",
    ))
}

impl Parser {
    fn peek(&self) -> &(Word, Place, String) {
        &self.words[self.next]
    }

    /// A formula of operators that bind at least with `weakest`: precedence climbing.
    fn binary(&mut self, weakest: u8) -> Result<Formula, SyntaxError> {
        let mut left = self.unary()?;
        while let (Word::Binary(op), ..) = self.peek()
            && op.strength() >= weakest
        {
            let op = *op;
            self.next += 1;
            let right = self.binary(op.strength() + u8::from(!op.groups_right()))?;
            left = left.joined(op, right);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Formula, SyntaxError> {
        let (word, place, found) = self.peek().clone();
        self.next += 1;
        match word {
            Word::Constant(value) => Ok(Formula::Constant(value)),
            Word::Name(name) => Ok(Formula::Proposition(name)),
            Word::Unary(op) => Ok(self.unary()?.under(op)),
            Word::Open => {
                self.depth += 1;
                if self.depth > DEEPEST {
                    return Err(place.error(format!("parentheses are nested more than {DEEPEST} deep")));
                }
                let inner = self.binary(0)?;
                let (word, here, found) = self.peek();
                if *word != Word::Close {
                    return Err(here.expected(found, "an operator, or `)` for the `(` that is open"));
                }
                self.next += 1;
                self.depth -= 1;
                Ok(inner)
            }
            Word::Binary(_) | Word::Close | Word::End => {
                Err(place.expected(&found, "a formula: a name, `true`, `false`, `(`, `!`, `G`, `F` or `X`"))
            }
        }
    }
}
