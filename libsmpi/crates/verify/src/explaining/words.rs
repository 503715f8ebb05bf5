//! Choices of an execution in the words of the program: which receive took which message.
//!
//! An execution is repeated for that, with a tape of all messages, and what was learned of it is kept for further
//! questions about it.

use smpi_checker::alternatives::NOT_YET;
use smpi_checker::walks::natural;
use smpi_checker::{Choices, Event, System};
use smpi_explain::Row;
use smpi_mpi::usage::Taped;
use smpi_report::explanation::Matching;
use smpi_report::finding::Location;
use smpi_runtime::with;
use smpi_watch::checks::location_of;

use crate::program::Program;
use crate::schedule::in_words::{self, About, WAITING, told};
use crate::schedule::token;

/// One execution, repeated.
struct Repeated {
    path: Vec<Event>,
    /// For each choice, what is told of it, and the length of the tape before it.
    choices: Vec<(in_words::Told, usize)>,
    tape: Vec<Taped>,
    /// Choices that are not the natural ones.
    deviations: u32,
}

/// Tells choices of executions.
pub struct Teller<'a> {
    program: &'a mut Program,
    last: Option<Repeated>,
}

impl<'a> Teller<'a> {
    /// Under the conditions that the program has now.
    pub fn new(program: &'a mut Program) -> Teller<'a> {
        Teller { program, last: None }
    }

    /// The choice that this event of an execution is. `instead`: a right execution, of which what it has chosen there
    /// is told first among what could have been. `None` where the execution is not repeated, or has no such event.
    pub fn tell(&mut self, path: &[Event], event: Event, instead: Option<&Row>) -> Option<Matching> {
        let right = instead.and_then(|row| row.path.iter().find(|other| other.choice == event.choice));
        let right = right.filter(|&&right| right != event).copied();
        let repeated = self.repeated(path)?;
        let at = path.iter().position(|&other| other == event)?;
        let (mut matching, is_receive) = repeated.matching(at, right.map(|right| right.candidate));
        if let (Some(row), Some(right), false) = (instead, right, is_receive)
            && let Some(there) = self.repeated(&row.path)
            && let Some(at) = there.path.iter().position(|&other| other == right)
        {
            // It need not have been there when the other one was chosen.
            let took = there.matching(at, None).0.took;
            matching.instead.retain(|other| *other != took);
            matching.instead.insert(0, took);
        }
        Some(matching)
    }
}

impl Teller<'_> {
    /// In how many choices an execution is not the natural one.
    pub fn deviations(&mut self, path: &[Event]) -> u32 {
        self.repeated(path).map_or(0, |repeated| repeated.deviations)
    }

    fn repeated(&mut self, path: &[Event]) -> Option<&Repeated> {
        if self.last.as_ref().is_none_or(|last| last.path != path) {
            self.last = repeat(self.program, path);
        }
        self.last.as_ref()
    }
}

/// Executes a schedule again, and keeps what its choices are about.
fn repeat(program: &mut Program, path: &[Event]) -> Option<Repeated> {
    with(|runtime| runtime.world.start_tape());
    let mut told_choices = Vec::with_capacity(path.len());
    let (mut choices, mut deviations) = (Choices::new(), 0);
    let followed = program.follow(path, &mut |program, _, event| {
        choices.clear();
        program.choices(&mut choices);
        deviations += u32::from(natural(&choices) != Some(event));
        told_choices.push((told(program, event, &choices), with(|runtime| runtime.world.taped())));
    });
    let tape = with(|runtime| runtime.world.take_tape());
    followed.ok()?;
    Some(Repeated { path: path.to_vec(), choices: told_choices, tape, deviations })
}

impl Repeated {
    /// The choice at this place, and whether it is a receive of a message. `right`: what a right execution chooses.
    fn matching(&self, at: usize, right: Option<u64>) -> (Matching, bool) {
        let (event, (told, _)) = (self.path[at], &self.choices[at]);
        let place = &told.line.place;
        let taken = told.name.clone();
        // The outcome is a verb and the name of what was taken.
        let verb = told.line.outcome.strip_suffix(&taken).unwrap_or(&told.line.outcome).trim_end().to_string();
        let source = place.source();
        let mut matching = Matching {
            event: token::event(event),
            rank: place.rank,
            thread: place.thread,
            call: place.call.clone(),
            location: (!source.is_empty()).then_some(source),
            number: None,
            of: None,
            verb,
            took: taken,
            instead: Vec::new(),
        };
        let got = self.got(at).filter(|_| told.about == About::Receive && event.candidate != NOT_YET);
        match got {
            Some(got) => self.receive(&mut matching, at, got, right),
            None => {
                let others = told.line.candidates.iter().filter(|&other| *other != told.name);
                matching.instead = others.cloned().collect();
            }
        }
        (matching, got.is_some())
    }

    /// What the choice at this place has received, as its place on the tape.
    fn got(&self, at: usize) -> Option<usize> {
        let rank = self.path[at].choice.rank();
        let from = self.choices[at].1;
        let until = self.choices.get(at + 1).map_or(self.tape.len(), |(_, taped)| *taped);
        let is_it = |taped: &Taped| match taped {
            Taped::Got { rank: receiver, candidates, .. } => *receiver == rank && !candidates.is_empty(),
            _ => false,
        };
        (from..until).find(|&place| is_it(&self.tape[place]))
    }

    /// A receive, which has taken a message, and which could have taken another one.
    fn receive(&self, matching: &mut Matching, at: usize, got: usize, right: Option<u64>) {
        let Taped::Got { message, candidates, .. } = &self.tape[got] else { return };
        matching.verb = "took".to_string();
        matching.took = self.message(*message);
        let sender = |number: u64| self.sent(number).map(|(from, _)| u64::from(from));
        let mut others: Vec<u64> = candidates.iter().copied().filter(|other| other != message).collect();
        others.sort_by_key(|&other| right.is_none() || sender(other) != right);
        matching.instead = others.iter().map(|&other| self.message(other)).collect();
        if let Some(right) = right.filter(|&right| others.first().and_then(|&other| sender(other)) != Some(right)) {
            matching.instead.insert(0, format!("a message of rank {right}, which can come first"));
        }
        (matching.number, matching.of) = self.number(at, got).unzip();
    }

    /// How many times the rank has received at this line, this time included, and how many times in all. Only of
    /// calls that wait for their message: of others nobody knows the order in which they were made.
    fn number(&self, at: usize, got: usize) -> Option<(u64, u64)> {
        let place = &self.choices[at].0.line.place;
        if !WAITING.contains(&place.call.as_str()) {
            return None;
        }
        let source = place.source();
        let is_there = |taped: &&Taped| match taped {
            Taped::Got { rank, origin, .. } => {
                rank.0 == place.rank && origin.site != 0 && location_of(*rank, *origin).source() == source
            }
            _ => false,
        };
        let count = |tape: &[Taped]| tape.iter().filter(is_there).count() as u64;
        Some((count(&self.tape[..=got]), count(&self.tape)))
    }

    /// Who sent a message, and where.
    fn sent(&self, number: u64) -> Option<(u32, Location)> {
        self.tape.iter().find_map(|taped| match taped {
            Taped::Sent { message, from, origin, .. } if *message == number => {
                Some((from.0, location_of(*from, *origin)))
            }
            _ => None,
        })
    }

    /// A message in words.
    fn message(&self, number: u64) -> String {
        match self.sent(number) {
            Some((from, place)) if place.file.is_some() => {
                format!("the message that rank {from} sent at {}", place.source())
            }
            Some((from, _)) => format!("the message of rank {from}"),
            None => "a message".to_string(),
        }
    }
}
