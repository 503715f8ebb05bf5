//! Automata in the Hanoi Omega-Automata format, version 1 (adl.github.io/hoaf): reading them.
//!
//! Read are automata with Büchi and generalised Büchi acceptance, on states or transitions (conjunctions of `Inf(n)`
//! and `Inf(!n)`, and `t`), with labels on transitions, on states, or implicit, with aliases and several initial
//! states. Alternation and other acceptance conditions are refused. `hoa_tokens` splits the text into words,
//! `hoa_write` writes automata.

use crate::automaton::{Automaton, AutomatonState, MOST_SETS, Transition};
use crate::condition::{Condition, MOST_PROPOSITIONS};
use crate::hoa_tokens::{Token, Tokens};
use crate::label::{self, LabelSource, Sign};
use crate::syntax::{Place, SyntaxError};

/// The most states of an automaton.
const MOST_STATES: u32 = 1_000_000;
/// The most atoms of a label once its aliases are replaced. Labels are evaluated recursively.
const LARGEST_LABEL: usize = 2_000;
/// What to do about an automaton of another kind.
const CONVERT: &str = "expected Büchi or generalized Büchi, as `autfilt --ba` of SPOT writes it";

/// What a file in the HOA format says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hoa {
    /// The automaton.
    pub automaton: Automaton,
    /// Its name.
    pub name: Option<String>,
    /// Whether the file says that the automaton cannot tell how often states are repeated.
    pub stutter_invariant: bool,
}

impl Hoa {
    /// Reads one automaton.
    ///
    /// Errors: the place, and what was expected there or is not supported.
    pub fn parse(text: &str) -> Result<Hoa, SyntaxError> {
        let mut parser = Parser { tokens: Tokens::new(text)?, header: Header::default(), atoms: 0 };
        let start = parser.tokens.place();
        if !parser.tokens.take(&Token::Header("HOA".to_string()))? {
            return Err(parser.expected("`HOA: v1`"));
        }
        let place = parser.tokens.place();
        let version = parser.tokens.identifier("the version `v1`")?;
        if version != "v1" {
            return Err(place.error(format!("version `{version}` of the format is not supported, expected `HOA: v1`")));
        }
        while let Token::Header(name) = parser.tokens.peek().clone() {
            parser.item(&name)?;
        }
        parser.tokens.expect(&Token::Body, "a header such as `Start:`, or `--BODY--`")?;
        parser.check_header(start)?;
        let states = parser.body()?;
        parser.tokens.expect(&Token::End, "`State:`, an edge, or `--END--`")?;
        if *parser.tokens.peek() != Token::Nothing {
            return Err(parser.expected("nothing behind `--END--`: a file has one automaton"));
        }
        let Header { propositions, starts, acceptance, name, stutter_invariant, .. } = parser.header;
        let sets = acceptance.expect("it was checked").len();
        let initial = starts.into_iter().map(|(state, _)| state).collect();
        Ok(Hoa { automaton: Automaton { propositions, states, initial, sets }, name, stutter_invariant })
    }
}

#[derive(Default)]
struct Header {
    seen: Vec<String>,
    states: Option<u32>,
    starts: Vec<(u32, Place)>,
    propositions: Vec<String>,
    aliases: Vec<(String, Condition, usize)>,
    /// The sets that must be met infinitely often, or, with `true`, left infinitely often.
    acceptance: Option<Vec<(u32, bool)>>,
    declared_sets: u32,
    acceptance_name: Option<String>,
    /// A condition that is not supported.
    refused: Option<Place>,
    name: Option<String>,
    stutter_invariant: bool,
    /// The propositions that were asked for, to be compared with `AP:`, which may come later.
    asked: Vec<(u8, Place)>,
}

/// An acceptance condition.
enum Acceptance {
    Constant(bool),
    Inf(u32, bool),
    Fin,
    And(Vec<Acceptance>),
    Or,
}

struct Parser<'a> {
    tokens: Tokens<'a>,
    header: Header,
    /// The atoms of the label that is being read.
    atoms: usize,
}

impl LabelSource for Parser<'_> {
    fn take(&mut self, sign: Sign) -> Result<bool, SyntaxError> {
        let symbol = match sign {
            Sign::Or => '|',
            Sign::And => '&',
            Sign::Not => '!',
            Sign::Open => '(',
            Sign::Close => ')',
        };
        self.tokens.take(&Token::Symbol(symbol))
    }

    fn atom(&mut self) -> Result<Condition, SyntaxError> {
        let place = self.tokens.place();
        let (condition, atoms) = match self.tokens.peek().clone() {
            Token::Identifier(name) if name == "t" || name == "f" => (Condition::Constant(name == "t"), 1),
            Token::Integer(number) if (number as usize) < MOST_PROPOSITIONS => {
                self.header.asked.push((number as u8, place));
                (Condition::Proposition(number as u8), 1)
            }
            Token::Integer(number) => {
                return Err(place.error(format!("proposition {number}, but at most {MOST_PROPOSITIONS} are supported")));
            }
            Token::Alias(name) => match self.header.aliases.iter().find(|(alias, ..)| *alias == name) {
                Some((_, condition, atoms)) => (condition.clone(), *atoms),
                None => return Err(place.error(format!("no alias `@{name}` has been defined before"))),
            },
            _ => return Err(self.expected("a label: `t`, `f`, a proposition's number, `@alias`, `!` or `(`")),
        };
        self.atoms += atoms;
        if self.atoms > LARGEST_LABEL {
            return Err(place.error(format!("with its aliases replaced the label has more than {LARGEST_LABEL} atoms")));
        }
        self.tokens.advance()?;
        Ok(condition)
    }

    fn expected(&self, what: &str) -> SyntaxError {
        self.tokens.expected(what)
    }
}

impl Parser<'_> {
    fn label(&mut self) -> Result<Condition, SyntaxError> {
        self.atoms = 0;
        label::read(self)
    }

    fn item(&mut self, name: &str) -> Result<(), SyntaxError> {
        let place = self.tokens.place();
        self.tokens.advance()?;
        if !["Start", "Alias", "properties"].contains(&name) {
            if self.header.seen.iter().any(|seen| seen == name) {
                return Err(place.error(format!("`{name}:` is here a second time")));
            }
            self.header.seen.push(name.to_string());
        }
        match name {
            "States" => self.header.states = Some(self.count(MOST_STATES, "states")?),
            "Start" => {
                let state = self.state("the number of an initial state")?;
                self.header.starts.push((state, place));
            }
            "AP" => self.propositions()?,
            "Alias" => {
                let Token::Alias(alias) = self.tokens.peek().clone() else {
                    return Err(self.expected("an alias such as `@a`"));
                };
                if self.header.aliases.iter().any(|(known, ..)| *known == alias) {
                    return Err(self.tokens.place().error(format!("`@{alias}` is defined a second time")));
                }
                self.tokens.advance()?;
                let condition = self.label()?;
                self.header.aliases.push((alias, condition, self.atoms));
            }
            "Acceptance" => self.acceptance(place)?,
            "acc-name" => {
                self.header.acceptance_name = Some(self.tokens.identifier("a name such as `Buchi`")?);
                self.skip_values()?;
            }
            "name" => {
                let Token::Text(text) = self.tokens.peek().clone() else {
                    return Err(self.expected("a text in quotes"));
                };
                self.header.name = Some(text);
                self.tokens.advance()?;
            }
            "properties" => {
                while let Token::Identifier(property) = self.tokens.peek() {
                    self.header.stutter_invariant |= property == "stutter-invariant";
                    self.tokens.advance()?;
                }
            }
            _ if name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                let lost = "and it may change what the automaton means (its name begins with a capital letter)";
                return Err(place.error(format!("the header `{name}:` is not supported, {lost}")));
            }
            _ => self.skip_values()?,
        }
        Ok(())
    }

    fn skip_values(&mut self) -> Result<(), SyntaxError> {
        while matches!(self.tokens.peek(), Token::Identifier(_) | Token::Integer(_) | Token::Text(_)) {
            self.tokens.advance()?;
        }
        Ok(())
    }

    /// A number that is at most `most`.
    fn count(&mut self, most: u32, what: &str) -> Result<u32, SyntaxError> {
        let place = self.tokens.place();
        let count = self.tokens.integer(&format!("the number of {what}"))?;
        if count > most {
            Err(place.error(format!("{count} {what}, but at most {most} are supported")))
        } else {
            Ok(count)
        }
    }

    /// One state. Several with `&` between them: the automaton is alternating.
    fn state(&mut self, what: &str) -> Result<u32, SyntaxError> {
        let place = self.tokens.place();
        let state = self.tokens.integer(what)?;
        if *self.tokens.peek() == Token::Symbol('&') {
            return Err(
                place.error(format!("alternating automata (states joined by `&`) are not supported; {CONVERT}"))
            );
        }
        Ok(state)
    }

    fn propositions(&mut self) -> Result<(), SyntaxError> {
        let place = self.tokens.place();
        let count = self.count(MOST_PROPOSITIONS as u32, "propositions")?;
        while let Token::Text(name) = self.tokens.peek().clone() {
            if self.header.propositions.contains(&name) {
                return Err(self.tokens.place().error(format!("the proposition `{name}` is here a second time")));
            }
            self.header.propositions.push(name);
            self.tokens.advance()?;
        }
        let found = self.header.propositions.len();
        if found == count as usize {
            Ok(())
        } else {
            Err(place.error(format!("`AP: {count}` is followed by {found} names, expected {count}")))
        }
    }

    fn acceptance(&mut self, place: Place) -> Result<(), SyntaxError> {
        self.header.declared_sets = self.count(i32::MAX as u32, "acceptance sets")?;
        let condition = self.acceptance_list(true, 0)?;
        let mut sets = Vec::new();
        if !conjunction(&condition, &mut sets) {
            self.header.refused = Some(place);
        }
        if sets.len() > MOST_SETS {
            return Err(place.error(format!("{} acceptance sets, but at most {MOST_SETS} are supported", sets.len())));
        }
        self.header.acceptance = Some(sets);
        Ok(())
    }

    fn acceptance_list(&mut self, or: bool, depth: usize) -> Result<Acceptance, SyntaxError> {
        let part = |it: &mut Self| if or { it.acceptance_list(false, depth) } else { it.acceptance_atom(depth) };
        let mut parts = vec![part(self)?];
        while self.tokens.take(&Token::Symbol(if or { '|' } else { '&' }))? {
            parts.push(part(self)?);
        }
        Ok(match parts.len() {
            1 => parts.remove(0),
            _ if or => Acceptance::Or,
            _ => Acceptance::And(parts),
        })
    }

    fn acceptance_atom(&mut self, depth: usize) -> Result<Acceptance, SyntaxError> {
        const EXPECTED: &str = "`Inf(…)`, `Fin(…)`, `t`, `f` or `(`";
        if self.tokens.take(&Token::Symbol('('))? {
            if depth > crate::syntax::DEEPEST {
                return Err(self.expected("fewer parentheses inside each other"));
            }
            let inner = self.acceptance_list(true, depth + 1)?;
            self.tokens.expect(&Token::Symbol(')'), "`&`, `|` or `)`")?;
            return Ok(inner);
        }
        let expected = self.expected(EXPECTED);
        let kind = self.tokens.identifier(EXPECTED)?;
        if kind == "t" || kind == "f" {
            return Ok(Acceptance::Constant(kind == "t"));
        }
        if kind != "Inf" && kind != "Fin" {
            return Err(expected);
        }
        self.tokens.expect(&Token::Symbol('('), "`(`")?;
        let complement = self.tokens.take(&Token::Symbol('!'))?;
        let place = self.tokens.place();
        let set = self.tokens.integer("the number of an acceptance set")?;
        let declared = self.header.declared_sets;
        if set >= declared {
            return Err(place.error(format!("acceptance set {set}, but `Acceptance:` declares {declared}, from 0")));
        }
        self.tokens.expect(&Token::Symbol(')'), "`)`")?;
        Ok(if kind == "Inf" { Acceptance::Inf(set, complement) } else { Acceptance::Fin })
    }

    /// What can only be said once the header is complete.
    fn check_header(&mut self, start: Place) -> Result<(), SyntaxError> {
        let header = &self.header;
        if let Some(place) = header.refused {
            let name = header.acceptance_name.as_deref().map_or(String::new(), |name| format!(" `{name}`"));
            return Err(place.error(format!("the acceptance condition{name} is not supported; {CONVERT}")));
        }
        if header.acceptance.is_none() {
            return Err(start.error("the header has no `Acceptance:`"));
        }
        if header.starts.is_empty() {
            return Err(start.error("the header has no `Start:`, so the automaton accepts nothing"));
        }
        Ok(())
    }

    fn body(&mut self) -> Result<Vec<AutomatonState>, SyntaxError> {
        let mut states: Vec<Option<AutomatonState>> = vec![None; self.header.states.unwrap_or(0) as usize];
        let mut targets: Vec<(u32, Place)> = std::mem::take(&mut self.header.starts);
        let initial = targets.clone();
        while *self.tokens.peek() == Token::Header("State".to_string()) {
            self.tokens.advance()?;
            let label = self.bracketed_label()?;
            let place = self.tokens.place();
            let number = self.tokens.integer("the state's number")?;
            if number >= self.header.states.unwrap_or(MOST_STATES) {
                return Err(
                    place.error(format!("state {number}, but there are {}", self.header.states.unwrap_or(MOST_STATES)))
                );
            }
            if states.len() <= number as usize {
                states.resize(number as usize + 1, None);
            }
            if states[number as usize].is_some() {
                return Err(place.error(format!("state {number} is described a second time")));
            }
            let name = if let Token::Text(name) = self.tokens.peek() { Some(name.clone()) } else { None };
            if name.is_some() {
                self.tokens.advance()?;
            }
            let transitions = self.transitions(number, place, label, &mut targets)?;
            states[number as usize] = Some(AutomatonState { name, transitions });
        }
        for (number, place) in self.header.asked.iter().map(|(number, place)| (usize::from(*number), place)) {
            let known = self.header.propositions.len();
            if number >= known {
                return Err(place.error(format!("proposition {number}, but `AP:` names {known}, from 0")));
            }
        }
        if let Some((state, place)) = targets.iter().find(|(t, _)| states.get(*t as usize).is_none_or(Option::is_none))
        {
            return Err(place.error(format!("state {state} is not described: there is no `State: {state}`")));
        }
        self.header.starts = initial;
        if let Some(missing) = states.iter().position(Option::is_none) {
            return Err(self.expected(&format!("`State: {missing}`, which is not described")));
        }
        Ok(states.into_iter().flatten().collect())
    }

    fn bracketed_label(&mut self) -> Result<Option<Condition>, SyntaxError> {
        if !self.tokens.take(&Token::Symbol('['))? {
            return Ok(None);
        }
        let label = self.label()?;
        self.tokens.expect(&Token::Symbol(']'), "`&`, `|` or `]`")?;
        Ok(Some(label))
    }

    /// The acceptance sets in braces, if there are any.
    fn sets(&mut self) -> Result<Vec<u32>, SyntaxError> {
        let mut sets = Vec::new();
        if self.tokens.take(&Token::Symbol('{'))? {
            while !self.tokens.take(&Token::Symbol('}'))? {
                let (place, declared) = (self.tokens.place(), self.header.declared_sets);
                let set = self.tokens.integer("the number of an acceptance set, or `}`")?;
                if set >= declared {
                    return Err(
                        place.error(format!("acceptance set {set}, but `Acceptance:` declares {declared}, from 0"))
                    );
                }
                sets.push(set);
            }
        }
        Ok(sets)
    }

    /// The edges of a state. `label`: that of the state.
    fn transitions(
        &mut self,
        state: u32,
        place: Place,
        label: Option<Condition>,
        targets: &mut Vec<(u32, Place)>,
    ) -> Result<Vec<Transition>, SyntaxError> {
        let own = self.sets()?;
        let mut read: Vec<(Option<Condition>, u32, u64)> = Vec::new();
        while matches!(self.tokens.peek(), Token::Integer(_) | Token::Symbol('[')) {
            let here = self.tokens.place();
            let condition = self.bracketed_label()?;
            if condition.is_some() && label.is_some() {
                return Err(here.error(format!("state {state} has a label, so its edges must have none")));
            }
            if read.first().is_some_and(|(first, ..)| first.is_some() != condition.is_some()) {
                return Err(here.error(format!("some edges of state {state} have labels and others have none")));
            }
            targets.push((0, self.tokens.place()));
            let target = self.state("the number of the state that the edge leads to")?;
            targets.last_mut().expect("it was just added").0 = target;
            let marks = [own.clone(), self.sets()?].concat();
            let required = self.header.acceptance.iter().flatten().enumerate();
            let bits = required.map(|(i, (set, complement))| u64::from(marks.contains(set) != *complement) << i);
            read.push((condition, target, bits.fold(0, |all, bit| all | bit)));
        }
        let implicit = label.is_none() && read.first().is_some_and(|(first, ..)| first.is_none());
        let valuations = 1u64 << self.header.propositions.len().min(63);
        if implicit && read.len() as u64 != valuations {
            let found = read.len();
            let problem = format!(
                "state {state} has {found} edges without labels, expected {valuations}, one for each valuation"
            );
            return Err(place.error(problem));
        }
        let condition = |i: usize, own: Option<Condition>| match (own, &label) {
            (Some(own), _) => own,
            (None, Some(label)) => label.clone(),
            (None, None) => valuation(i as u64, self.header.propositions.len()),
        };
        let transition = |(i, (own, target, sets))| Transition { condition: condition(i, own), target, sets };
        Ok(read.into_iter().enumerate().map(transition).collect())
    }
}

/// The condition that exactly the propositions in `bits` hold.
fn valuation(bits: u64, propositions: usize) -> Condition {
    let literal = |i: usize| {
        let atom = Condition::Proposition(i as u8);
        if bits >> i & 1 == 1 { atom } else { atom.negated() }
    };
    match propositions {
        0 => Condition::Constant(true),
        1 => literal(0),
        _ => Condition::And((0..propositions).map(literal).collect()),
    }
}

/// Whether the condition only asks for sets that are met infinitely often; collects these.
fn conjunction(condition: &Acceptance, sets: &mut Vec<(u32, bool)>) -> bool {
    match condition {
        Acceptance::Constant(value) => *value,
        Acceptance::Inf(set, complement) => {
            if !sets.contains(&(*set, *complement)) {
                sets.push((*set, *complement));
            }
            true
        }
        Acceptance::And(parts) => parts.iter().all(|part| conjunction(part, sets)),
        Acceptance::Fin | Acceptance::Or => false,
    }
}
