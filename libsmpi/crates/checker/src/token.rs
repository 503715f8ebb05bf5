//! Replay tokens: an execution as a short text, and the way back.
//!
//! ```text
//! 1/zero/0.0:2/_4/3.1:1
//! │ │    │     │  └ choice 1 of rank 3 took candidate 1; 3t2 would be its thread 2
//! │ │    │     └ four choices as an exploration makes them first
//! │ │    └ choice 0 of rank 0 took candidate 2 (in base 36)
//! │ └ mode: what the program ran under; the caller's
//! └ version of the format
//! ```
//!
//! `-` stands for the candidate "nothing yet" and `_` for "any that does not matter" ([`crate::alternatives`]), `=` for
//! "goes on without waiting" ([`crate::choice::GO_ON`]). After the last item, each choice is made as an exploration
//! makes it first. Tokens need no quotes in a shell.

use std::fmt;
use std::str::FromStr;

use crate::alternatives::{ANY, NOT_YET};
use crate::choice::{ChoiceId, Choices, Event, GO_ON};
use crate::system::{Settled, System};

/// Version of the format that this crate writes and reads.
pub const VERSION: u32 = 1;

/// Part of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item {
    /// This many choices as an exploration makes them first ([`Choices::default_event`]).
    Default(u32),
    /// This choice.
    Event(Event),
}

/// An execution in short.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// What the program ran under: lower-case letters, digits, `-`, `,` and `.`.
    pub mode: String,
    /// Its choices. Further ones are made as an exploration makes them first.
    pub items: Vec<Item>,
}

impl Token {
    /// The token that names each of these choices.
    ///
    /// # Panics
    /// As for [`Token::of`].
    pub fn verbatim(mode: &str, path: &[Event]) -> Token {
        assert!(is_mode(mode), "{mode:?} is no mode");
        Token { mode: mode.to_owned(), items: path.iter().copied().map(Item::Event).collect() }
    }

    /// Its choices; `None` when some are only known by executing the program.
    pub fn events(&self) -> Option<Vec<Event>> {
        let event = |item: &Item| match item {
            Item::Event(event) => Some(*event),
            Item::Default(_) => None,
        };
        self.items.iter().map(event).collect()
    }

    /// How many choices it names.
    pub fn len(&self) -> usize {
        let count = |item: &Item| if let Item::Default(count) = item { *count as usize } else { 1 };
        self.items.iter().map(count).sum()
    }

    /// True when it names no choice.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The token of an execution, found by making its choices again.
    ///
    /// # Errors
    /// When the system does not offer these choices.
    ///
    /// # Panics
    /// When the mode has other characters than [`Token::mode`] allows, or none.
    pub fn of<S: System>(system: &mut S, mode: &str, path: &[Event]) -> Result<Token, ReplayError> {
        let mut token = Token::counted(system, mode, path)?;
        if matches!(token.items.last(), Some(Item::Default(_))) {
            token.items.pop();
        }
        Ok(token)
    }

    /// The same for a part of an execution: it names as many choices as there are, defaults at the end included.
    ///
    /// # Errors
    /// As for [`Token::of`].
    ///
    /// # Panics
    /// As for [`Token::of`].
    pub fn counted<S: System>(system: &mut S, mode: &str, path: &[Event]) -> Result<Token, ReplayError> {
        let verbatim = Token::verbatim(mode, path);
        let mut items: Vec<Item> = Vec::new();
        replay(system, &verbatim, &mut |_, step| {
            if step.index >= path.len() {
                return false;
            }
            match (items.last_mut(), step.is_default) {
                (Some(Item::Default(count)), true) => *count += 1,
                (_, true) => items.push(Item::Default(1)),
                (_, false) => items.push(Item::Event(step.event)),
            }
            true
        })?;
        Ok(Token { mode: mode.to_owned(), items })
    }
}

fn is_mode(mode: &str) -> bool {
    !mode.is_empty() && mode.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b',' | b'.'))
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{VERSION}/{}", self.mode)?;
        for item in &self.items {
            match item {
                Item::Default(count) => write!(f, "/_{count}")?,
                Item::Event(event) => write!(f, "/{}:{}", event.choice, candidate_text(event.candidate))?,
            }
        }
        Ok(())
    }
}

fn candidate_text(candidate: u64) -> String {
    match candidate {
        NOT_YET => "-".to_owned(),
        ANY => "_".to_owned(),
        GO_ON => "=".to_owned(),
        candidate => base36(candidate),
    }
}

fn base36(mut number: u64) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit((number % 36) as u32, 36).expect("it is a digit"));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

/// Why a text is no token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParseError {
    /// The version is missing or another one.
    Version(String),
    /// The mode is missing or has strange characters.
    Mode(String),
    /// The item with this number, from 1, is neither `rank.number:candidate` nor `_count`.
    Item(usize, String),
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseError::Version(found) => {
                write!(f, "replay token: it starts with {found:?}, this program reads version {VERSION} only")
            }
            ParseError::Mode(found) => {
                write!(f, "replay token: {found:?} after the version is no mode; expected letters, digits and '-'")
            }
            ParseError::Item(number, found) => write!(
                f,
                "replay token: item {number} is {found:?}; expected rank.number:candidate as in 0.3:2, or _count as in _12"
            ),
        }
    }
}

impl std::error::Error for ParseError {}

impl FromStr for Token {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Token, ParseError> {
        let mut parts = text.split('/');
        let version = parts.next().unwrap_or_default();
        if version != VERSION.to_string() {
            return Err(ParseError::Version(version.to_owned()));
        }
        let mode = parts.next().unwrap_or_default();
        if !is_mode(mode) {
            return Err(ParseError::Mode(mode.to_owned()));
        }
        let items =
            parts.enumerate().map(|(at, part)| item(part).ok_or_else(|| ParseError::Item(at + 1, part.to_owned())));
        Ok(Token { mode: mode.to_owned(), items: items.collect::<Result<_, _>>()? })
    }
}

fn item(text: &str) -> Option<Item> {
    if let Some(count) = text.strip_prefix('_') {
        return number(count, 10).map(Item::Default);
    }
    let (choice, candidate) = text.split_once(':')?;
    let (agent, index) = choice.split_once('.')?;
    let choice = ChoiceId { agent: agent.parse().ok()?, number: number(index, 10)? };
    let named = match candidate {
        "-" => Some(NOT_YET),
        "_" => Some(ANY),
        "=" => Some(GO_ON),
        _ => None,
    };
    let lower = !candidate.bytes().any(|byte| byte.is_ascii_uppercase() || byte == b'+');
    let candidate = named.or_else(|| u64::from_str_radix(candidate, 36).ok().filter(|_| lower))?;
    Some(Item::Event(Event { choice, candidate }))
}

fn number(text: &str, radix: u32) -> Option<u32> {
    u32::from_str_radix(text, radix).ok().filter(|_| !text.starts_with('+'))
}

/// A choice that a replay is about to make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReplayStep {
    /// How many were made before.
    pub index: usize,
    /// The choice.
    pub event: Event,
    /// It is what an exploration would choose first.
    pub is_default: bool,
}

/// Why a token does not fit the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplayError {
    /// The program came to its end before the choice with this index.
    Ended(usize, Settled, ChoiceId),
    /// The choice is not enabled; these are.
    NoChoice(usize, ChoiceId, Vec<ChoiceId>),
    /// It is enabled, but the candidate is not there; these are.
    NoCandidate(usize, Event, Vec<u64>),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hint = "is it the same program with the same ranks and arguments?";
        let list = |items: Vec<String>| items.join(", ");
        match self {
            ReplayError::Ended(step, settled, choice) => {
                write!(f, "replay: the program ended ({settled:?}) before step {step}, choice {choice}; {hint}")
            }
            ReplayError::NoChoice(step, choice, enabled) => {
                let enabled = list(enabled.iter().map(ToString::to_string).collect());
                write!(f, "replay: at step {step} choice {choice} is not enabled, but {enabled}; {hint}")
            }
            ReplayError::NoCandidate(step, event, candidates) => {
                let (id, key) = (event.choice, candidate_text(event.candidate));
                let there = list(candidates.iter().map(|&key| candidate_text(key)).collect());
                write!(f, "replay: at step {step} choice {id} has no candidate {key}, but {there}; {hint}")
            }
        }
    }
}

impl std::error::Error for ReplayError {}

/// Executes a program from its beginning along a token, to its end, or behind the token to a state where it only goes
/// on if a call does that need not ([`Settled::Reluctant`]). `each` sees every choice before it is made, with the
/// system in the state where it is made; when it answers false, the replay ends there.
///
/// # Errors
/// When the token does not fit the program.
pub fn replay<S: System>(
    system: &mut S,
    token: &Token,
    each: &mut dyn FnMut(&mut S, &ReplayStep) -> bool,
) -> Result<Settled, ReplayError> {
    let mut choices = Choices::new();
    let mut late = Vec::new();
    let mut items = token.items.iter();
    let mut defaults = 0;
    system.reset();
    for index in 0.. {
        let settled = system.settle();
        late.clear();
        system.late(&mut late);
        let mut wanted = None;
        while defaults == 0 {
            match items.next() {
                Some(&Item::Default(count)) => defaults = count,
                Some(&Item::Event(event)) => {
                    wanted = Some(event);
                    break;
                }
                None => defaults = u32::MAX,
            }
        }
        if settled.is_end() || settled == Settled::Reluctant && wanted.is_none() && defaults == u32::MAX {
            return match wanted {
                Some(event) => Err(ReplayError::Ended(index, settled, event.choice)),
                None => Ok(settled),
            };
        }
        choices.clear();
        system.choices(&mut choices);
        let default = choices.default_event().expect("a system that settles at choices has some");
        let event = wanted.unwrap_or(default);
        let listed = choices.find(event.choice).map(|choice| choices.candidates(choice));
        if !listed.is_some_and(|listed| listed.contains(&event.candidate)) && !system.may_take(event) {
            return Err(match listed {
                Some(listed) => ReplayError::NoCandidate(index, event, listed.to_vec()),
                None => ReplayError::NoChoice(index, event.choice, choices.all().map(|choice| choice.id).collect()),
            });
        }
        if wanted.is_none() && defaults != u32::MAX {
            defaults -= 1;
        }
        if !each(system, &ReplayStep { index, event, is_default: event == default && !event.goes_on() }) {
            return Ok(settled);
        }
        system.take(event);
    }
    unreachable!("an execution has an end")
}
