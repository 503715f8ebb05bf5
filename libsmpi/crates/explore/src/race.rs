//! Message races: the result of a program depends on a choice.

use smpi_base::eprintln;
use smpi_checker::Event;
use smpi_report::FindingKey;
use smpi_report::finding::{Buffering, ChoiceLine, Finding};

use super::system::{End, Program, foreseen};
use super::token;
use super::told::{About, MAX_CHOICES, Told, follow_telling};

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

/// The first rank with another end: what it has printed, and its exit code.
pub fn differing(ends: &[End], others: &[End]) -> Option<u32> {
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
fn follow(program: &mut Program, path: &[Event], shown: bool) -> Result<(), String> {
    match shown {
        true => follow_telling(program, path, true).map(|_| ()),
        false => program.follow(path, &mut |_, _, _| {}).map(|_| ()),
    }
}

/// The finding that the result depends on choices: those that differ between both schedules.
pub fn of_race(program: &mut Program, buffering: Buffering, race: &Race) -> Finding {
    program.set_buffering(buffering);
    let lines = follow_telling(program, &race.other, false).map_or(Vec::new(), |(lines, _)| lines);
    let differs = |event: &Event| {
        race.first.iter().any(|other| other.choice == event.choice && other.candidate != event.candidate)
    };
    let mut told: Vec<Told> =
        race.other.iter().zip(lines).filter(|(event, _)| differs(event)).map(|(_, line)| line).collect();
    told.truncate(MAX_CHOICES);
    let what = match told.first().map(|told| told.about) {
        Some(About::Cancel) => "whether a request is cancelled",
        Some(About::Receive) => "which message a receive from any source takes",
        Some(About::Probe) => "which message a probe sees",
        Some(About::Completion) => "which operation is complete first",
        None => "the order of messages",
    };
    let choices: Vec<ChoiceLine> = told.into_iter().map(|told| told.line).collect();
    let message = format!("what rank {} prints, or its exit code, depends on {what}", race.rank);
    let mut finding = Finding::new(FindingKey::RaceMessage, message);
    finding.ranks = vec![race.rank];
    if let Some(line) = choices.first() {
        finding = finding.located(line.place.clone());
    }
    finding.choices = choices;
    finding.buffering = Some(buffering);
    finding.replay = token::write_race(buffering, &foreseen(), &race.first, &race.other);
    finding
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_differ_in_what_was_printed_or_in_the_exit_code() {
        let ends: [End; 3] = [(1, Some(0)), (2, Some(0)), (3, None)];
        assert_eq!(differing(&ends, &ends), None);
        assert_eq!(differing(&ends, &[(1, Some(0)), (9, Some(0)), (4, None)]), Some(1));
        assert_eq!(differing(&ends, &[(1, Some(0)), (2, Some(0)), (3, Some(0))]), Some(2));
    }
}
