//! Never claims: automata in the language of SPIN, Promela, as translators of formulas write them and as SimGrid read
//! them.
//!
//! A claim is a list of statements with labels. Each statement waits for a condition of the system's current state, and
//! then goes on in the next state: `if … fi` and `do … od` with guarded `goto`s, `skip`, a condition alone. A run is
//! accepted if it is at labels that begin with `accept` infinitely often, or if it comes to the end of the claim or to
//! an assertion that fails (Holzmann: "The SPIN Model Checker", 2003). Of Promela nothing else is read: no variables,
//! no comparisons. Claims of SPIN, ltl2ba, ltl3ba and SPOT (`ltl2tgba --spin`) contain nothing else.

use crate::automaton::{Automaton, AutomatonState, Transition};
use crate::claim_words::{Sign, Word, Words};
use crate::condition::{Condition, MOST_PROPOSITIONS};
use crate::label::{self, LabelSource};
use crate::syntax::{Place, SyntaxError};

/// Where a step leads.
#[derive(Clone, Debug, PartialEq)]
enum Goal {
    Label(String, Place),
    /// The statement with this number; that behind the last one is the end of the claim.
    Statement(usize),
    End,
}

/// A way to go on.
#[derive(Clone, Debug)]
struct Way {
    condition: Condition,
    goal: Goal,
}

#[derive(Debug)]
enum Statement {
    /// Waits until one of the ways is open.
    Ways(Vec<Way>),
    /// Takes no step.
    Jump(String, Place),
}

struct Claim<'a> {
    words: Words<'a>,
    propositions: Vec<String>,
    /// Each label with the number of the statement behind it.
    labels: Vec<(String, usize)>,
    statements: Vec<Statement>,
}

impl Automaton {
    /// Reads a never claim. It accepts what must not happen. Its propositions are in the order of the text.
    ///
    /// Errors: the place, and what was expected there or is not supported; a claim that accepts nothing whatever
    /// happens, because no label begins with `accept` and its end is not reached.
    pub fn parse_claim(text: &str) -> Result<Automaton, SyntaxError> {
        let words = Words::new(text)?;
        let start = words.place();
        let mut claim = Claim { words, propositions: vec![], labels: vec![], statements: vec![] };
        claim.read()?;
        claim.automaton(start)
    }
}

impl LabelSource for Claim<'_> {
    fn take(&mut self, sign: label::Sign) -> Result<bool, SyntaxError> {
        self.words.take(&Word::Sign(Sign::Between(sign)))
    }

    fn atom(&mut self) -> Result<Condition, SyntaxError> {
        let place = self.words.place();
        let condition = match self.words.peek().clone() {
            Word::Constant(value) => Condition::Constant(value),
            Word::Name(name) => {
                let known = self.propositions.iter().position(|proposition| *proposition == name);
                let number = known.unwrap_or(self.propositions.len());
                if number == MOST_PROPOSITIONS {
                    return Err(place.error(format!("more than {MOST_PROPOSITIONS} propositions are not supported")));
                }
                if known.is_none() {
                    self.propositions.push(name);
                }
                Condition::Proposition(number as u8)
            }
            _ => return Err(self.expected("a condition: a proposition, `true`, `false`, `1`, `0`, `skip`, `!` or `(`")),
        };
        self.words.advance()?;
        Ok(condition)
    }

    fn expected(&self, what: &str) -> SyntaxError {
        self.words.expected(what)
    }
}

impl Claim<'_> {
    fn read(&mut self) -> Result<(), SyntaxError> {
        self.words.expect(&Word::Never, "`never {`")?;
        if let Word::Name(_) = self.words.peek() {
            self.words.advance()?;
        }
        self.words.expect(&Word::Sign(Sign::OpenBrace), "`{`")?;
        loop {
            self.separators()?;
            if self.words.take(&Word::Sign(Sign::CloseBrace))? {
                break;
            }
            while let Word::Label(name) = self.words.peek().clone() {
                if self.labels.iter().any(|(label, _)| *label == name) {
                    return Err(self.words.place().error(format!("the label `{name}` is here a second time")));
                }
                self.labels.push((name, self.statements.len()));
                self.words.advance()?;
            }
            let statement = self.statement()?;
            self.statements.push(statement);
            if !matches!(
                self.words.peek(),
                Word::Sign(Sign::Semicolon | Sign::Arrow | Sign::CloseBrace) | Word::Label(_)
            ) {
                return Err(self.expected("`;`, a label or `}`"));
            }
        }
        self.separators()?;
        match self.words.peek() {
            Word::Nothing => Ok(()),
            _ => Err(self.expected("nothing behind the claim: a file has one claim and nothing else")),
        }
    }

    fn separators(&mut self) -> Result<(), SyntaxError> {
        while self.words.take(&Word::Sign(Sign::Semicolon))? || self.words.take(&Word::Sign(Sign::Arrow))? {}
        Ok(())
    }

    fn statement(&mut self) -> Result<Statement, SyntaxError> {
        let (here, behind) = (self.statements.len(), self.statements.len() + 1);
        match self.words.peek() {
            Word::If => self.choice(&Word::Fi, "`::` or `fi`", behind, behind),
            Word::Do => self.choice(&Word::Od, "`::` or `od`", here, behind),
            Word::Goto => {
                self.words.advance()?;
                let (name, place) = self.label_name()?;
                Ok(Statement::Jump(name, place))
            }
            Word::Assert => {
                let condition = self.assertion()?;
                Ok(Statement::Ways(failing(Condition::Constant(true), condition, Goal::Statement(behind))))
            }
            Word::Constant(_) | Word::Name(_) | Word::Sign(Sign::Between(label::Sign::Open | label::Sign::Not)) => {
                let condition = label::read(self)?;
                Ok(Statement::Ways(vec![Way { condition, goal: Goal::Statement(behind) }]))
            }
            _ => Err(self.expected("a statement: `if`, `do`, `goto`, `assert`, `skip` or a condition")),
        }
    }

    fn label_name(&mut self) -> Result<(String, Place), SyntaxError> {
        let place = self.words.place();
        let Word::Name(name) = self.words.peek().clone() else { return Err(self.expected("the name of a label")) };
        self.words.advance()?;
        Ok((name, place))
    }

    fn assertion(&mut self) -> Result<Condition, SyntaxError> {
        self.words.advance()?;
        if *self.words.peek() != Word::Sign(Sign::Between(label::Sign::Open)) {
            return Err(self.expected("`(`"));
        }
        label::read(self)
    }

    /// The options of `if` or `do` up to `end`. `next`: the statement after an option; `behind`: that after `break`.
    fn choice(&mut self, end: &Word, more: &str, next: usize, behind: usize) -> Result<Statement, SyntaxError> {
        self.words.advance()?;
        let mut ways: Vec<Way> = Vec::new();
        // The conditions of the options so far; `else` is their opposite and may stand anywhere.
        let mut conditions: Vec<Condition> = Vec::new();
        let mut otherwise: Option<usize> = None;
        while self.words.take(&Word::Sign(Sign::Option))? {
            let atomic = self.words.take(&Word::Atomic)?;
            if atomic {
                self.words.expect(&Word::Sign(Sign::OpenBrace), "`{`")?;
            }
            let place = self.words.place();
            let condition = if self.words.take(&Word::Else)? {
                if otherwise.replace(ways.len()).is_some() {
                    return Err(place.error("there is a second `else`"));
                }
                Condition::Constant(true)
            } else {
                let at_once = *self.words.peek() == Word::Assert;
                let condition = if at_once { Condition::Constant(true) } else { label::read(self)? };
                conditions.push(condition.clone());
                condition
            };
            let is_otherwise = otherwise == Some(ways.len());
            let added = self.rest_of_option(condition, next, behind)?;
            if is_otherwise && added.len() > 1 {
                return Err(place.error("`else` with `assert` is not supported, expected `goto` or `break`"));
            }
            ways.extend(added);
            if atomic {
                self.separators()?;
                self.words.expect(&Word::Sign(Sign::CloseBrace), "`}`")?;
            }
            self.separators()?;
        }
        self.words.expect(end, more)?;
        if let Some(otherwise) = otherwise {
            ways[otherwise].condition = Condition::Or(conditions).negated();
        }
        Ok(Statement::Ways(ways))
    }

    /// What an option does once its condition holds: nothing, `goto`, `break` or `assert`.
    fn rest_of_option(&mut self, condition: Condition, next: usize, behind: usize) -> Result<Vec<Way>, SyntaxError> {
        self.separators()?;
        let goal = match self.words.peek() {
            Word::Goto => {
                self.words.advance()?;
                let (name, place) = self.label_name()?;
                Goal::Label(name, place)
            }
            Word::Break => {
                self.words.advance()?;
                Goal::Statement(behind)
            }
            Word::Assert => {
                let assertion = self.assertion()?;
                return Ok(failing(condition, assertion, Goal::Statement(next)));
            }
            Word::Sign(Sign::Option | Sign::CloseBrace) | Word::Fi | Word::Od => Goal::Statement(next),
            _ => return Err(self.expected("`goto`, `break`, `assert` or the next `::`")),
        };
        Ok(vec![Way { condition, goal }])
    }

    /// The number of the statement at which a run is that goes to `goal`; as many as there are statements for the end.
    fn resolved(&self, goal: &Goal) -> Result<usize, SyntaxError> {
        let mut number = match goal {
            Goal::Label(name, place) => self.labelled(name, *place)?,
            Goal::Statement(number) => *number,
            Goal::End => self.statements.len(),
        };
        let mut jumps = 0;
        while let Some(Statement::Jump(name, place)) = self.statements.get(number) {
            number = self.labelled(name, *place)?;
            jumps += 1;
            if jumps > self.statements.len() {
                return Err(place.error(format!("this `goto {name}` leads back to itself without a condition")));
            }
        }
        Ok(number)
    }

    fn labelled(&self, name: &str, place: Place) -> Result<usize, SyntaxError> {
        let found = self.labels.iter().find(|(label, _)| label == name);
        found.map(|(_, number)| *number).ok_or_else(|| place.error(format!("there is no label `{name}:`")))
    }

    /// One state for each statement that waits, and one for the end, if it is reached.
    fn automaton(self, start: Place) -> Result<Automaton, SyntaxError> {
        let first = self.resolved(&Goal::Statement(0))? as u32;
        let end = self.statements.len() as u32;
        let mut states = Vec::new();
        let mut accepts = false;
        let mut ends = first == end;
        for (number, statement) in self.statements.iter().enumerate() {
            let mut names = self.labels.iter().filter(|(_, n)| *n == number).map(|(name, _)| name.as_str());
            let is_accepting = names.clone().any(|name| name.starts_with("accept"));
            let mut state = AutomatonState { name: names.next().map(String::from), transitions: Vec::new() };
            if let Statement::Ways(ways) = statement {
                accepts |= is_accepting;
                for Way { condition, goal } in ways {
                    let target = self.resolved(goal)? as u32;
                    ends |= target == end;
                    let sets = u64::from(is_accepting);
                    state.transitions.push(Transition { condition: condition.clone(), target, sets });
                }
            }
            states.push(state);
        }
        if !accepts && !ends {
            return Err(
                start.error("this claim accepts nothing: no label begins with `accept`, and no way leads to its end")
            );
        }
        if ends {
            let transitions = vec![Transition { condition: Condition::Constant(true), target: end, sets: 1 }];
            states.push(AutomatonState { name: None, transitions });
        }
        Ok(Automaton { propositions: self.propositions, states, initial: vec![first], sets: 1 })
    }
}

/// The ways of an assertion that is met where `condition` holds: an assertion that fails is the end of the claim.
fn failing(condition: Condition, assertion: Condition, next: Goal) -> Vec<Way> {
    let with = |other| Condition::And(vec![condition.clone(), other]);
    vec![
        Way { condition: with(assertion.clone().negated()), goal: Goal::End },
        Way { condition: with(assertion), goal: next },
    ]
}
