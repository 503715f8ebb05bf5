//! Message races: the result of a program depends on a choice.

use smpi_base::eprintln;
use smpi_base::plan::{ReductionPlan, VerifyPlan};
use smpi_checker::{Ambiguous, Event, Flow, NewFile, Observer, Outlook, Settled, Stats, executions_through};
use smpi_report::FindingKey;
use smpi_report::finding::{Buffering, ChoiceLine, Finding};

use crate::limits::Patient;
use crate::limits::memory::{Memory, new_file};
use crate::program::{Program, foreseen};
use crate::schedule::in_words::{About, MAX_CHOICES, Told, follow_telling};
use crate::schedule::token::{self, Compared};
use smpi_runtime::summary::Wall;

/// Two schedules after which the program has printed different things, or ended differently.
#[derive(Clone, Debug)]
pub struct Race {
    /// The first schedule that was explored.
    pub first: Vec<Event>,
    /// Another.
    pub other: Vec<Event>,
    /// The first rank with a difference.
    pub rank: u32,
}

/// Compares how executions have ended, each with the first.
#[derive(Clone, Debug)]
pub struct Comparison<T> {
    /// How every rank has ended in the first one, and its schedule.
    pub first: Option<(Vec<T>, Vec<Event>)>,
    /// The first that ended otherwise.
    pub race: Option<Race>,
}

impl<T> Default for Comparison<T> {
    fn default() -> Comparison<T> {
        Comparison { first: None, race: None }
    }
}

impl<T: PartialEq> Comparison<T> {
    /// An execution has ended.
    pub fn note(&mut self, ends: impl FnOnce() -> Vec<T>, path: &[Event]) {
        if self.race.is_some() {
            return;
        }
        let Some((first, way)) = &self.first else {
            self.first = Some((ends(), path.to_vec()));
            return;
        };
        if let Some(rank) = differing(first, &ends()) {
            self.race = Some(Race { first: way.clone(), other: path.to_vec(), rank });
        }
    }
}

/// Where executions meet that have given different things, and go on as one: two whole ones of these.
pub fn through_state(
    program: &mut Program,
    (options, wall): (&VerifyPlan, &Wall),
    ambiguous: &Ambiguous,
) -> Option<Race> {
    let everything = options.reduction == ReductionPlan::None;
    let mut frugal = Frugal { patient: Patient { options, wall }, memory: Memory::of(options) };
    let [first, other] = executions_through(program, everything, ambiguous, &mut frugal)?;
    let mut ends = |path: &[Event]| {
        let settled = program.follow(path, &mut |_, _, _| {});
        (settled == Ok(Settled::Finished)).then(|| program.ends())
    };
    let rank = differing(&ends(&first)?, &ends(&other)?)?;
    Some(Race { first, other, rank })
}

/// Ends a search when the time is up, or the user ends it, and keeps to its memory.
struct Frugal<'a> {
    patient: Patient<'a>,
    memory: Memory,
}

impl Observer<Program> for Frugal<'_> {
    fn visit(&mut self, stats: &Stats, outlook: &dyn Fn() -> Option<Outlook>) -> Flow {
        if self.memory.is_over() {
            return Flow::Stop;
        }
        Observer::<Program>::visit(&mut self.patient, stats, outlook)
    }

    fn wants_room(&mut self, movable: usize) -> Option<NewFile> {
        self.memory.wants_room(movable).then_some(new_file)
    }
}

/// The first rank with another end: what it has printed, and its exit code.
pub fn differing<T: PartialEq>(ends: &[T], others: &[T]) -> Option<u32> {
    ends.iter().zip(others).position(|(one, other)| one != other).map(|rank| rank as u32)
}

/// Executes both schedules of a message race, with the output visible, and compares their results.
///
/// # Errors
/// Text for the user when a schedule does not fit the program.
pub fn replay_race(
    program: &mut Program,
    buffering: Buffering,
    race: Race,
    step: bool,
) -> Result<Option<Finding>, String> {
    eprintln!("smpirun: the first schedule");
    follow(program, &race.first, step)?;
    let ends = program.ends();
    eprintln!("smpirun: the other schedule");
    follow(program, &race.other, step)?;
    let rank = differing(&ends, &program.ends());
    program.show_output(false);
    Ok(rank.map(|rank| of_race(program, buffering, &Race { rank, ..race })))
}

/// Executes a schedule; with `shown`, prints its choices.
pub fn follow(program: &mut Program, path: &[Event], shown: bool) -> Result<(), String> {
    match shown {
        true => follow_telling(program, path, true).map(|_| ()),
        false => program.follow(path, &mut |_, _, _| {}).map(|_| ()),
    }
}

/// The choices of the other schedule that the first one has made otherwise, in words.
pub fn differing_choices(program: &mut Program, race: &Race) -> Vec<Told> {
    let lines = follow_telling(program, &race.other, false).map_or(Vec::new(), |(lines, _)| lines);
    let differs = |event: &Event| {
        race.first.iter().any(|other| other.choice == event.choice && other.candidate != event.candidate)
    };
    let mut told: Vec<Told> =
        race.other.iter().zip(lines).filter(|(event, _)| differs(event)).map(|(_, line)| line).collect();
    told.truncate(MAX_CHOICES);
    told
}

/// The finding that the result depends on choices: those that differ between both schedules.
pub fn of_race(program: &mut Program, buffering: Buffering, race: &Race) -> Finding {
    program.set_buffering(buffering);
    let told = differing_choices(program, race);
    let what = match told.first().map(|told| told.about) {
        Some(About::Cancel) => "whether a request is cancelled",
        Some(About::Receive) => "which message a receive from any source takes",
        Some(About::Probe) => "which message a probe sees",
        Some(About::Completion) => "which operation is complete first",
        // Only where a property is checked, which compares no executions.
        Some(About::Show) => "when a proposition changes",
        None => "the order of messages",
    };
    let place = told.first().map(|told| told.served.as_ref().unwrap_or(&told.line.place).clone());
    let choices: Vec<ChoiceLine> = told.into_iter().map(|told| told.line).collect();
    let message = format!("what rank {} prints, or its exit code, depends on {what}", race.rank);
    let mut finding = Finding::new(FindingKey::RaceMessage, message);
    finding.ranks = vec![race.rank];
    if let Some(place) = place {
        finding = finding.located(place);
    }
    finding.choices = choices;
    finding.buffering = Some(buffering);
    finding.replay = token::write_two(buffering, &foreseen(), Compared::Outputs, [&race.first, &race.other]);
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::End;

    #[test]
    fn ends_differ_in_what_was_printed_or_in_the_exit_code() {
        let ends: [End; 3] = [(1, Some(0)), (2, Some(0)), (3, None)];
        assert_eq!(differing(&ends, &ends), None);
        assert_eq!(differing(&ends, &[(1, Some(0)), (9, Some(0)), (4, None)]), Some(1));
        assert_eq!(differing(&ends, &[(1, Some(0)), (2, Some(0)), (3, Some(0))]), Some(2));
    }
}
