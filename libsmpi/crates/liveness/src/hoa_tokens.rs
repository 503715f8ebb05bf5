//! The words of a text in the HOA format, one of them seen in advance.

use crate::syntax::{Place, Reader, SyntaxError};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// `Name:`, without the colon.
    Header(String),
    Identifier(String),
    /// A text in quotes, without them.
    Text(String),
    Integer(u32),
    /// `@name`, without the sign.
    Alias(String),
    Symbol(char),
    Body,
    End,
    /// The end of the text.
    Nothing,
}

pub(crate) struct Tokens<'a> {
    reader: Reader<'a>,
    token: Token,
    place: Place,
}

fn in_identifier(c: char) -> bool {
    // SPOT's own headers have dots in their names.
    c.is_ascii_alphanumeric() || "_-.".contains(c)
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str) -> Result<Tokens<'a>, SyntaxError> {
        let reader = Reader::new(text);
        let mut tokens = Tokens { place: reader.place(), reader, token: Token::Nothing };
        tokens.advance()?;
        Ok(tokens)
    }

    pub(crate) fn peek(&self) -> &Token {
        &self.token
    }

    /// Where the next word begins.
    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// The error that something else was expected instead of the next word.
    pub(crate) fn expected(&self, what: &str) -> SyntaxError {
        let found = match &self.token {
            Token::Header(name) => format!("`{name}:`"),
            Token::Identifier(name) => format!("`{name}`"),
            Token::Text(text) => format!("the text \"{text}\""),
            Token::Integer(number) => format!("`{number}`"),
            Token::Alias(name) => format!("`@{name}`"),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::Body => "`--BODY--`".to_string(),
            Token::End => "`--END--`".to_string(),
            Token::Nothing => "the end of the text".to_string(),
        };
        self.place.expected(&found, what)
    }

    /// Goes over `token` if it comes next, and says whether it did.
    pub(crate) fn take(&mut self, token: &Token) -> Result<bool, SyntaxError> {
        let found = self.token == *token;
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Goes over `token`, which must come next.
    pub(crate) fn expect(&mut self, token: &Token, what: &str) -> Result<(), SyntaxError> {
        if self.take(token)? { Ok(()) } else { Err(self.expected(what)) }
    }

    pub(crate) fn integer(&mut self, what: &str) -> Result<u32, SyntaxError> {
        let Token::Integer(number) = self.token else { return Err(self.expected(what)) };
        self.advance()?;
        Ok(number)
    }

    pub(crate) fn identifier(&mut self, what: &str) -> Result<String, SyntaxError> {
        let Token::Identifier(name) = self.token.clone() else { return Err(self.expected(what)) };
        self.advance()?;
        Ok(name)
    }

    /// Reads the word behind the next one.
    pub(crate) fn advance(&mut self) -> Result<(), SyntaxError> {
        self.reader.skip_blank(true)?;
        self.place = self.reader.place();
        self.token = self.word()?;
        Ok(())
    }

    fn word(&mut self) -> Result<Token, SyntaxError> {
        let Some(c) = self.reader.peek() else { return Ok(Token::Nothing) };
        if self.reader.take("--ABORT--") {
            return Err(self.place.error("the tool that wrote this file gave up here (`--ABORT--`)"));
        }
        if self.reader.take("--BODY--") {
            return Ok(Token::Body);
        }
        if self.reader.take("--END--") {
            return Ok(Token::End);
        }
        if c.is_ascii_digit() {
            let digits = self.reader.take_while(|c| c.is_ascii_digit());
            let number = digits.parse().ok().filter(|number| *number <= i32::MAX as u32);
            let too_large = || self.place.error(format!("the number `{digits}` is too large, expected less than 2^31"));
            return number.map(Token::Integer).ok_or_else(too_large);
        }
        if c.is_ascii_alphabetic() || c == '_' {
            let name = self.reader.take_while(in_identifier).to_string();
            return Ok(if self.reader.take(":") { Token::Header(name) } else { Token::Identifier(name) });
        }
        self.reader.next();
        match c {
            '@' => Ok(Token::Alias(self.reader.take_while(in_identifier).to_string())),
            '"' => self.text().map(Token::Text),
            '[' | ']' | '(' | ')' | '{' | '}' | '!' | '&' | '|' => Ok(Token::Symbol(c)),
            _ => Err(self
                .place
                .expected(&format!("`{c}`"), "a word, a number, a text in quotes, or one of `[](){}!&|@`")),
        }
    }

    /// The rest of a text behind its first quote. A backslash protects the character behind it.
    fn text(&mut self) -> Result<String, SyntaxError> {
        let mut text = String::new();
        loop {
            match self.reader.next() {
                Some('"') => return Ok(text),
                Some('\\') => text.extend(self.reader.next()),
                Some(c) => text.push(c),
                None => return Err(self.place.error("this text does not end, expected `\"`")),
            }
        }
    }
}
