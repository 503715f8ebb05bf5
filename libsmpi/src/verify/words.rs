//! Choices in words, and what to say when the result of a program depends on one.
//!
//! Nothing is written down while the checker explores: the schedule of a finding is executed once more for its words.

use smpi_checker::alternatives::{self, ANY, NOT_YET};
use smpi_checker::{ChoiceId, ChoiceKind, Choices, Event, GO_ON, Settled};
use smpi_mpi::usage::Origin;
use smpi_report::FindingKey;
use smpi_report::finding::{Buffering, ChoiceLine, Finding, Location};
use smpi_verification::{Answer, Described};

use super::system::{End, Program, driven};
use super::{cancelled, collect, token};
use crate::checks::{located, location_of};
use crate::runtime::with;

/// Choices of a schedule that a finding shows at most: the last ones.
const MAX_CHOICES: usize = 20;

/// What a send was whose message was not delivered.
const CANCELLED: &str = "cancelled";

/// What a receive took that was cancelled.
const NOTHING: &str = "nothing (cancelled)";

/// A choice in words.
#[derive(Clone, Debug)]
pub struct Told {
    /// The words.
    pub line: ChoiceLine,
    about: About,
    /// A poll that could only fail.
    is_vain: bool,
}

/// What a choice decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum About {
    /// Whether a request is cancelled.
    Cancel,
    /// Which message a receive takes.
    Receive,
    /// Which message a probe sees.
    Probe,
    /// What is over first, or the like.
    Completion,
}

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
    program.follow(&race.first, step)?;
    let ends = program.ends();
    eprintln!("smpirun: the other schedule");
    program.follow(&race.other, step)?;
    let rank = differing(&ends, &program.ends());
    program.show_output(false);
    Ok(rank.map(|rank| of_race(program, buffering, &Race { rank, ..race })))
}

/// Executes the schedule of a finding again: fills in the choices that led there, when they are not known, and says so
/// when the finding is not there again.
pub fn repeat(program: &mut Program, finding: &mut Finding) {
    let Some((buffering, cancellable, path)) = token::path(&finding.replay) else { return };
    // The very first execution is one that nothing came before; other findings know their choices, or have none.
    let is_first = path.is_empty() && buffering == Buffering::Zero;
    if is_first || !finding.choices.is_empty() && !is_repeatable(finding.key) {
        return;
    }
    program.set_cancellable(cancellable);
    let Some((mut lines, settled)) = lines_of(program, buffering, &path) else { return };
    let again = collect::findings_at(program, settled, &path, None);
    if is_repeatable(finding.key) && !again.iter().any(|again| again.key == finding.key) {
        finding.message += " (this did not happen again when the schedule was repeated: it depends on something that is not put \
                            back, such as a file, a clock or another process)";
    }
    if finding.choices.is_empty() {
        if lines.len() > MAX_CHOICES {
            // Polls in vain push out what matters, and the finding says who polls.
            lines.retain(|told| !told.is_vain);
        }
        lines.drain(..lines.len().saturating_sub(MAX_CHOICES));
        finding.choices = lines.into_iter().map(|told| told.line).collect();
    }
}

/// Whether an execution of one schedule shows a finding, and in a time that does not matter.
fn is_repeatable(key: FindingKey) -> bool {
    use FindingKey::{Deadlock, DeadlockBuffering, NonTermination, RaceMessage};
    !matches!(key, Deadlock | DeadlockBuffering | NonTermination | RaceMessage)
}

/// The choices of a schedule, and where it leads. `None` when the program does not repeat it.
fn lines_of(program: &mut Program, buffering: Buffering, path: &[Event]) -> Option<(Vec<Told>, Settled)> {
    program.set_buffering(buffering);
    program.lines = Some(Vec::with_capacity(path.len()));
    let followed = program.follow(path, false);
    let lines = program.lines.take().unwrap_or_default();
    followed.ok().map(|settled| (lines, settled))
}

/// The choice that is about to be made.
pub fn line_of(program: &mut Program, event: Event, choices: &Choices) -> Told {
    let ChoiceId { rank, number } = event.choice;
    let described = driven(|driver, world| driver.describe_choice(world, rank, number));
    let described = described.unwrap_or(Described {
        kind: ChoiceKind::Receive,
        answer: Answer::Other,
        arguments: String::new(),
        origin: Origin::default(),
    });
    let Described { kind, answer, arguments, origin } = described;
    let place = if origin.site != 0 {
        location_of(rank, origin)
    } else {
        let call = with(|runtime| runtime.run(rank).call);
        located(Location::new(rank.0, call), program.ranks.locate(rank).as_ref())
    };
    let (verb, all) = match kind {
        ChoiceKind::Receive if event.candidate == NOT_YET => ("took", true),
        ChoiceKind::Receive => ("took the message of", true),
        ChoiceKind::Delivery => ("was", true),
        ChoiceKind::Time => ("saw", false),
        ChoiceKind::Probe => ("saw the message of", true),
        ChoiceKind::Buffering => ("is", true),
        ChoiceKind::Leaving => ("does not wait for", true),
        _ => ("returned", false),
    };
    let name = |candidate: u64| match kind {
        ChoiceKind::Random => (candidate as i64).to_string(),
        ChoiceKind::Time if candidate == NOT_YET => "a time before the deadline".to_string(),
        ChoiceKind::Time => "a time beyond any deadline".to_string(),
        ChoiceKind::Delivery if candidate == NOT_YET => CANCELLED.to_string(),
        ChoiceKind::Delivery => "delivered".to_string(),
        ChoiceKind::Receive if candidate == NOT_YET => NOTHING.to_string(),
        ChoiceKind::Buffering => "buffered".to_string(),
        ChoiceKind::Leaving => "the other ranks".to_string(),
        _ if candidate == NOT_YET => "not yet".to_string(),
        _ if candidate == ANY => "any that does not matter".to_string(),
        ChoiceKind::Receive | ChoiceKind::Probe => format!("rank {candidate}"),
        ChoiceKind::Test if answer == Answer::Message => format!("a message of rank {candidate}"),
        ChoiceKind::WaitAny | ChoiceKind::Test if answer == Answer::Several => set_words(candidate),
        ChoiceKind::WaitAny => format!("index {candidate}"),
        ChoiceKind::Test if answer == Answer::All => "yes".to_string(),
        ChoiceKind::Test => format!("index {candidate}"),
        ChoiceKind::Lock => format!("rank {candidate}"),
    };
    let outcome = format!("{verb} {}", name(event.candidate));
    let open = choices.find(event.choice).map(|choice| choices.candidates(choice).to_vec()).unwrap_or_default();
    let about = match kind {
        ChoiceKind::Delivery => About::Cancel,
        ChoiceKind::Receive if open.contains(&NOT_YET) => About::Cancel,
        ChoiceKind::Receive => About::Receive,
        ChoiceKind::Probe => About::Probe,
        ChoiceKind::Test if answer == Answer::Message => About::Probe,
        _ => About::Completion,
    };
    let open: Vec<u64> = open.into_iter().filter(|&candidate| candidate != GO_ON).collect();
    let is_vain = open == [NOT_YET];
    let candidates = open.into_iter().map(name).collect();
    let arguments = if all || kind == ChoiceKind::Random { arguments.clone() } else { String::new() };
    Told { line: ChoiceLine { place, arguments, outcome, candidates }, about, is_vain }
}

/// A set of requests.
fn set_words(key: u64) -> String {
    let Some(members) = alternatives::members(key) else { return "all completed ones".to_string() };
    let indices: Vec<String> = members.iter().map(ToString::to_string).collect();
    format!("indices {}", indices.join(", "))
}

/// The finding that the result depends on choices: those that differ between both schedules.
pub fn of_race(program: &mut Program, buffering: Buffering, race: &Race) -> Finding {
    let lines = lines_of(program, buffering, &race.other).map_or(Vec::new(), |(lines, _)| lines);
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
    finding.replay = token::write_race(buffering, &cancelled::names(), &race.first, &race.other);
    finding
}
