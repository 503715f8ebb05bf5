//! Schedules as text: what `--replay` takes.
//!
//! `1z:0.3=2,0.4=1` is version 1, zero buffering (`i`: infinite), and the choices in their order: choice 3 of rank 0 took
//! candidate 2, and so on. `n` stands for "not yet". The token of a message race has two schedules with `/` between them:
//! what ranks print after both is compared.

use smpi_base::WorldRank;
use smpi_checker::alternatives::NOT_YET;
use smpi_checker::{ChoiceId, Event};
use smpi_report::finding::Buffering;

/// A schedule.
#[derive(Debug, PartialEq)]
pub struct Token {
    /// Buffering of standard-mode sends.
    pub buffering: Buffering,
    /// The schedule to compare with, which is executed first; only for message races.
    pub before: Option<Vec<Event>>,
    /// The choices.
    pub path: Vec<Event>,
}

/// Version of the form.
const VERSION: &str = "1";

/// Writes a schedule down.
pub fn write(buffering: Buffering, path: &[Event]) -> String {
    let mode = if buffering == Buffering::Zero { 'z' } else { 'i' };
    format!("{VERSION}{mode}:{}", schedule(path))
}

/// Writes down two schedules whose results differ.
pub fn write_race(buffering: Buffering, before: &[Event], path: &[Event]) -> String {
    format!("{}/{}", write(buffering, before), schedule(path))
}

fn schedule(path: &[Event]) -> String {
    let one = |event: &Event| match event.candidate {
        NOT_YET => format!("{}=n", event.choice),
        candidate => format!("{}={candidate}", event.choice),
    };
    path.iter().map(one).collect::<Vec<_>>().join(",")
}

/// Reads a schedule.
///
/// # Errors
/// Text for the user: what is wrong and what was expected.
pub fn parse(text: &str) -> Result<Token, String> {
    let (head, tail) = text.split_once(':').ok_or("not a replay token; expected one that smpirun --verify printed")?;
    let buffering = match head.strip_prefix(VERSION) {
        Some("z") => Buffering::Zero,
        Some("i") => Buffering::Infinite,
        _ => return Err(format!("\"{head}\" is not a version of replay tokens; expected 1z or 1i")),
    };
    let events = |text: &str| text.split(',').filter(|part| !part.is_empty()).map(event).collect::<Result<Vec<_>, _>>();
    let (before, path) = match tail.split_once('/') {
        Some((before, path)) => (Some(events(before)?), events(path)?),
        None => (None, events(tail)?),
    };
    Ok(Token { buffering, before, path })
}

fn event(text: &str) -> Result<Event, String> {
    let wrong = || format!("\"{text}\" is not a choice; expected RANK.NUMBER=CANDIDATE, for example 0.3=2");
    let (choice, candidate) = text.split_once('=').ok_or_else(wrong)?;
    let (rank, number) = choice.split_once('.').ok_or_else(wrong)?;
    let candidate = if candidate == "n" { NOT_YET } else { candidate.parse().map_err(|_| wrong())? };
    let rank = WorldRank(rank.parse().map_err(|_| wrong())?);
    Ok(Event { choice: ChoiceId { rank, number: number.parse().map_err(|_| wrong())? }, candidate })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_survive_writing_and_reading() {
        let id = |rank, number| ChoiceId { rank: WorldRank(rank), number };
        let path = vec![Event { choice: id(0, 3), candidate: 2 }, Event { choice: id(2, 0), candidate: NOT_YET }];
        let text = write(Buffering::Infinite, &path);
        assert_eq!(text, "1i:0.3=2,2.0=n");
        let race = write_race(Buffering::Zero, &path, &path[..1]);
        let two = Token { buffering: Buffering::Zero, before: Some(path.clone()), path: path[..1].to_vec() };
        assert_eq!(parse(&race), Ok(two));
        assert_eq!(parse(&text), Ok(Token { buffering: Buffering::Infinite, before: None, path }));
        assert!(parse("0.3=2").is_err() && parse("1z:0.3").is_err() && parse("2z:").is_err());
    }
}
