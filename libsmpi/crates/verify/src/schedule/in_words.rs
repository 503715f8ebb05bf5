//! Choices in words.
//!
//! An exploration records no words: the schedule of a finding is executed once more to describe its choices.

use smpi_base::{WorldRank, eprintln};
use smpi_checker::alternatives::{self, ANY, NOT_YET};
use smpi_checker::{ChoiceKind, Choices, Event, GO_ON, Settled, System};
use smpi_choices::{Answer, Described};
use smpi_mpi::usage::Origin;
use smpi_mpi::world::{Matter, ServerName};
use smpi_report::finding::{ChoiceLine, Location};
use smpi_runtime::with;
use smpi_watch::checks::{located, location_of};

use crate::program::{Program, driven};

/// Choices of a schedule that a finding shows at most: the last ones.
pub const MAX_CHOICES: usize = 20;

/// Calls that return when they have received.
pub const WAITING: [&str; 3] = ["MPI_Recv", "MPI_Sendrecv", "MPI_Sendrecv_replace"];

/// What a send was whose message was not delivered.
const CANCELLED: &str = "cancelled";

/// What a receive took that was cancelled.
const NOTHING: &str = "nothing (cancelled)";

/// A choice in words.
#[derive(Clone, Debug)]
pub struct Told {
    /// The words.
    pub line: ChoiceLine,
    /// The candidate that was taken, as short as `rank 2`.
    pub name: String,
    /// What it decides.
    pub about: About,
    /// A poll that could only fail.
    pub is_vain: bool,
    /// The call that got what a server gives, where that is what was chosen.
    pub served: Option<Location>,
}

impl Told {
    /// The choice as it stands beside a line of a drawing: as short as `0: rank 2`, and in all words.
    pub fn briefly(&self) -> (String, String) {
        let place = self.line.place.source();
        let place = if place.is_empty() { place } else { format!(" [{place}]") };
        (format!("{}: {}", self.line.place.rank, self.name), format!("{}{place}", self.line))
    }
}

/// What a choice decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum About {
    /// Whether a request is cancelled.
    Cancel,
    /// Which message a receive takes.
    Receive,
    /// Which message a probe sees.
    Probe,
    /// What is over first, or the like.
    Completion,
    /// When others see what has changed.
    Show,
}

/// Whether the last choices of a schedule, all but the first `before`, lead back to the state before them, when they
/// are made so many times; or, where there are none, whether it `ends` there as it should.
///
/// # Errors
/// Text for the user when the schedule does not fit the program.
pub fn comes_back(
    program: &mut Program,
    path: &[Event],
    (before, rounds): (usize, u32),
    shown: bool,
    ends: impl FnOnce(Settled) -> bool,
) -> Result<bool, String> {
    let path = &with_rounds(program, path, before, rounds)?[..];
    if shown {
        follow_telling(program, path, true)?;
    }
    // Telling where ranks are leaves traces in them, such as errno.
    let settled = program.follow(&path[..before], &mut |_, _, _| {})?;
    let first = program.fingerprint();
    if before == path.len() {
        return Ok(ends(settled));
    }
    program.follow(path, &mut |_, _, _| {})?;
    Ok(first.is_some() && first == program.fingerprint())
}

/// The schedule whose last choices, all but the first `before`, are made so often: those at the same places among the
/// choices of the same states.
fn with_rounds(program: &mut Program, path: &[Event], before: usize, rounds: u32) -> Result<Vec<Event>, String> {
    let (mut all, mut places) = (path.to_vec(), Vec::with_capacity(path.len() - before));
    if rounds > 1 {
        program.follow(path, &mut |program, index, event| {
            if index >= before {
                places.push(program.events().iter().position(|&other| other == event));
            }
        })?;
    }
    for place in (1..rounds).flat_map(|_| &places) {
        let event = place.and_then(|place| program.events().get(place).copied());
        let event = event.ok_or("replay: the last choices do not lead back to the same state")?;
        program.take(event);
        program.settle();
        all.push(event);
    }
    Ok(all)
}

/// Executes a schedule; the choices in words, and where it leads. With `shown`, the words are printed before each
/// choice.
///
/// # Errors
/// Text for the user when the schedule does not fit the program.
pub fn follow_telling(program: &mut Program, path: &[Event], shown: bool) -> Result<(Vec<Told>, Settled), String> {
    let mut lines = Vec::with_capacity(path.len());
    let mut choices = Choices::new();
    let settled = program.follow(path, &mut |program, index, event| {
        choices.clear();
        program.choices(&mut choices);
        let told = told(program, event, &choices);
        if shown {
            eprintln!("smpirun: choice {}: {}", index + 1, told.line);
        }
        lines.push(told);
    })?;
    Ok((lines, settled))
}

/// The call that a choice is about.
fn place_of(program: &mut Program, rank: WorldRank, kind: ChoiceKind, answer: Answer, origin: Origin) -> Location {
    if let Answer::Served(ServerName { target, matter, .. }) = answer {
        if matter == Matter::File {
            return Location::new(target.0, "a file that it was the first to open".to_string());
        }
        let at = if let Matter::Element(at) = matter { format!(" at byte {at}") } else { String::new() };
        return Location::new(target.0, format!("its window{at}"));
    }
    if origin.site != 0 {
        return location_of(rank, origin);
    }
    // That is no function of MPI, of which the last one is remembered.
    let call = match kind {
        ChoiceKind::Random => Location::new(rank.0, "MC_random"),
        _ => Location::new(rank.0, with(|runtime| runtime.run(rank).call)),
    };
    located(call, program.ranks.locate(rank).as_ref())
}

/// The call of the rank that a server is about to serve.
fn call_of(server: WorldRank, candidate: u64) -> Option<Location> {
    let asker = WorldRank(candidate as u32);
    let origin = with(|runtime| runtime.world.asked_at(server, asker))?;
    Some(location_of(asker, origin))
}

/// How the outcome of a choice is said, and whether its arguments say something beside it.
fn verb_of(kind: ChoiceKind, answer: Answer, candidate: u64) -> (&'static str, bool) {
    let is_lock = matches!(answer, Answer::Served(ServerName { matter: Matter::Locks, .. }));
    let is_file = matches!(answer, Answer::Served(ServerName { matter: Matter::File, .. }));
    match kind {
        ChoiceKind::Receive if candidate == NOT_YET => ("took", true),
        ChoiceKind::Receive => ("took the message of", true),
        ChoiceKind::Delivery => ("was", true),
        ChoiceKind::Time => ("saw", false),
        ChoiceKind::Visible => ("shows", false),
        ChoiceKind::Probe => ("saw the message of", true),
        ChoiceKind::Buffering => ("is", true),
        ChoiceKind::Leaving => ("does not wait for", true),
        ChoiceKind::Lock if is_lock => ("was locked by", false),
        ChoiceKind::Lock if is_file => ("was used by", false),
        ChoiceKind::Lock => ("was accessed by", false),
        _ => ("returned", false),
    }
}

/// The choice that is about to be made.
pub fn told(program: &mut Program, event: Event, choices: &Choices) -> Told {
    let (rank, number) = (event.choice.rank(), event.choice.number);
    let described = driven(|driver, world| driver.describe_choice(world, rank, number));
    let described = described.unwrap_or(Described {
        kind: ChoiceKind::Receive,
        answer: Answer::Other,
        arguments: String::new(),
        origin: Origin::default(),
    });
    let Described { kind, answer, arguments, origin } = described;
    let mut place = place_of(program, rank, kind, answer, origin);
    let served = matches!(answer, Answer::Served(_)).then(|| call_of(rank, event.candidate)).flatten();
    if let Some(served) = &served {
        (place.file, place.line) = (served.file.clone(), served.line);
        place.function = served.function.clone();
    }
    let (verb, all) = verb_of(kind, answer, event.candidate);
    let name = |candidate: u64| match kind {
        ChoiceKind::Random => (candidate as i64).to_string(),
        ChoiceKind::Time if candidate == NOT_YET => "a time before the deadline".to_string(),
        ChoiceKind::Time => "a time beyond any deadline".to_string(),
        ChoiceKind::Visible => changed(rank),
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
    let taken = name(event.candidate);
    let outcome = format!("{verb} {taken}");
    let open = choices.find(event.choice).map(|choice| choices.candidates(choice).to_vec()).unwrap_or_default();
    let about = match kind {
        ChoiceKind::Delivery => About::Cancel,
        ChoiceKind::Visible => About::Show,
        ChoiceKind::Receive if open.contains(&NOT_YET) => About::Cancel,
        ChoiceKind::Receive => About::Receive,
        ChoiceKind::Probe => About::Probe,
        ChoiceKind::Test if answer == Answer::Message => About::Probe,
        _ => About::Completion,
    };
    let open: Vec<u64> = open.into_iter().filter(|&candidate| candidate != GO_ON).collect();
    let is_vain = open == [NOT_YET];
    let is_choice = kind != ChoiceKind::Visible;
    let candidates = open.into_iter().filter(|_| is_choice).map(name).collect();
    let arguments = if all || kind == ChoiceKind::Random { arguments.clone() } else { String::new() };
    Told { line: ChoiceLine { place, arguments, outcome, candidates }, name: taken, about, is_vain, served }
}

/// The propositions of a rank that have changed, and what they are now.
fn changed(rank: WorldRank) -> String {
    with(|runtime| {
        let changed = runtime.run(rank).propositions.iter().filter(|one| one.is_shown != one.is_true);
        changed.map(|one| format!("{} = {}", one.name, u8::from(one.is_true))).collect::<Vec<_>>().join(", ")
    })
}

/// A set of requests.
fn set_words(key: u64) -> String {
    let Some(members) = alternatives::members(key) else { return "all completed ones".to_string() };
    let indices: Vec<String> = members.iter().map(ToString::to_string).collect();
    format!("indices {}", indices.join(", "))
}

#[cfg(test)]
mod tests {
    use smpi_checker::alternatives::{Completed, of_sets};

    use super::*;

    /// The words of a set are those of its members, in whichever way it was written down.
    #[test]
    fn sets_of_requests_are_told_by_their_members() {
        let done = |positions: &[u32]| -> Vec<Completed> {
            let one = |&position| Completed { position, matters: true, certain: false, known: false };
            positions.iter().map(one).collect()
        };
        let words = |positions: &[u32], most: u32| -> Vec<String> {
            let mut keys = Vec::new();
            of_sets(&done(positions), most, &mut keys);
            keys.into_iter().map(set_words).collect()
        };
        assert_eq!(words(&[1, 3], 2), ["indices 1", "indices 3", "indices 1, 3"]);
        // Too many, or too far: single ones, and all of them.
        assert_eq!(words(&[1, 3], 1), ["indices 1", "indices 3", "all completed ones"]);
        assert_eq!(words(&[1, 99], 2), ["indices 1", "indices 99", "all completed ones"]);
    }
}
