//! `--determinism`: whether every rank sends (or sends and receives) the same in all executions.
//!
//! Compared are executions that end well, each with the first: numbers and digests of each rank's messages
//! ([`Communications`]). No reduction leaves out an execution that matters for this. What a rank sends and receives
//! follows from the choices that were made, and from nothing else; so it is a function of the configuration, and every
//! maximal configuration is visited (`smpi_checker` proves that). Two things are left out otherwise that could matter:
//! results of Waitany that nobody looks at, of which all are tried here, and what the program annotates as irrelevant,
//! which is its promise.

use smpi_base::eprintln;
use smpi_base::plan::DeterminismPlan;
use smpi_base::words::counted;
use smpi_checker::Event;
use smpi_choices::{Communication, Communications};
use smpi_report::FindingKey;
use smpi_report::beside::Given;
use smpi_report::finding::{Buffering, Finding};
use smpi_watch::checks::location_of;

use crate::findings::race::{self, Comparison, Race};
use crate::program::{Program, driven, foreseen};
use crate::schedule::token::{self, Compared};

/// Compares the messages of executions.
#[derive(Clone)]
pub struct Messages {
    wanted: DeterminismPlan,
    /// Digests of sends, and of receives.
    pub compared: [Comparison<u64>; 2],
}

impl Messages {
    /// Nothing compared yet.
    pub fn new(wanted: DeterminismPlan) -> Messages {
        Messages { wanted, compared: Default::default() }
    }

    /// An execution has ended well.
    pub fn note(&mut self, path: &[Event]) {
        if self.wanted == DeterminismPlan::None {
            return;
        }
        let all = driven(|driver, _| driver.communications());
        let digests = |of: fn(&Communications) -> u64| all.iter().map(of).collect();
        self.compared[0].note(|| digests(|one| one.sent), path);
        if self.wanted == DeterminismPlan::Communication {
            self.compared[1].note(|| digests(|one| one.received), path);
        }
    }

    /// Two executions with different sends, and two with different receives.
    pub fn races(&mut self) -> [Option<Race>; 2] {
        self.compared.each_mut().map(|compared| compared.race.take())
    }
}

/// Executes a schedule, and returns all ranks' sends, or receives, in the order of their numbers.
fn messages(
    program: &mut Program,
    path: &[Event],
    compared: Compared,
    shown: bool,
) -> Result<Vec<Communication>, String> {
    driven(|driver, _| driver.record(true));
    let followed = race::follow(program, path, shown);
    let mut all = driven(|driver, _| driver.record(false));
    all.retain(|one| one.is_send == (compared == Compared::Sends));
    all.sort_by_key(|one| (one.rank, one.number));
    followed.map(|()| all)
}

/// Executes both schedules of a difference, with the output visible, and compares their messages.
///
/// # Errors
/// Text for the user when a schedule does not fit the program.
pub fn replay(
    program: &mut Program,
    buffering: Buffering,
    race: Race,
    compared: Compared,
    step: bool,
) -> Result<Option<Finding>, String> {
    eprintln!("smpirun: the first schedule");
    let first = messages(program, &race.first, compared, step)?;
    eprintln!("smpirun: the other schedule");
    let other = messages(program, &race.other, compared, step)?;
    program.show_output(false);
    let found = difference(&first, &other, compared);
    Ok(found.map(|finding| with_schedules(program, buffering, &race, compared, finding)))
}

/// The finding that messages of two executions differ.
pub fn of_race(program: &mut Program, buffering: Buffering, race: &Race, compared: Compared) -> Finding {
    program.set_buffering(buffering);
    let mut executed = |path: &[Event]| messages(program, path, compared, false);
    let both = executed(&race.first).and_then(|first| Ok((first, executed(&race.other)?)));
    let found = both.ok().and_then(|(first, other)| difference(&first, &other, compared));
    // A program that depends on more than its choices: that there is a difference is known, but not its place.
    let finding = found.unwrap_or_else(|| {
        let message = format!("messages of rank {} are not the same in all executions", race.rank);
        Finding::new(key(compared), message)
    });
    with_schedules(program, buffering, race, compared, finding)
}

fn key(compared: Compared) -> FindingKey {
    match compared {
        Compared::Outputs => FindingKey::RaceMessage,
        Compared::Sends => FindingKey::DeterminismSend,
        Compared::Receives => FindingKey::DeterminismCommunication,
    }
}

/// What the first message that differs is in each of two executions.
pub fn given(program: &mut Program, both: [&[Event]; 2], compared: Compared) -> Option<[Given; 2]> {
    let [first, other] = both.map(|path| messages(program, path, compared, false));
    let (first, other) = (first.ok()?, other.ok()?);
    let (one, another) = pair(&first, &other)?;
    let named = one.or(another)?;
    let side = |message: Option<&Communication>| {
        let place = message.map(|message| location_of(message.rank, message.origin).source());
        let location = place.filter(|place| !place.is_empty());
        Given { what: format!("{} {}", name(named), words(message)), location }
    };
    Some([side(one), side(another)])
}

/// `send number 1 of rank 0`.
fn name(message: &Communication) -> String {
    let kind = if message.is_send { "send" } else { "receive" };
    format!("{kind} number {} of rank {}", message.number + 1, message.rank.0)
}

/// The first difference.
fn difference(first: &[Communication], other: &[Communication], compared: Compared) -> Option<Finding> {
    let (one, another) = pair(first, other)?;
    let named = one.or(another)?;
    let message = format!("{} {}, and in another execution {}", name(named), words(one), words(another));
    let mut finding = Finding::new(key(compared), message);
    finding.ranks = vec![named.rank.0];
    for side in [one, another].into_iter().flatten() {
        let place = location_of(side.rank, side.origin);
        if !finding.locations.contains(&place) {
            finding = finding.located(place);
        }
    }
    Some(finding)
}

/// The first message that both executions do not have alike: as one has it, and as the other has it.
fn pair<'a>(
    first: &'a [Communication],
    other: &'a [Communication],
) -> Option<(Option<&'a Communication>, Option<&'a Communication>)> {
    let at = (0..first.len().max(other.len())).find(|&at| first.get(at) != other.get(at))?;
    let key = |one: &Communication| (one.rank, one.number);
    // Where one execution has a message less, what comes next is another one's.
    Some(match (first.get(at), other.get(at)) {
        (Some(one), Some(another)) if key(one) == key(another) => (Some(one), Some(another)),
        (Some(one), Some(another)) if key(one) < key(another) => (Some(one), None),
        (Some(one), None) => (Some(one), None),
        (_, another) => (None, another),
    })
}

/// A finding with the choices that differ, and with both schedules.
fn with_schedules(
    program: &mut Program,
    buffering: Buffering,
    race: &Race,
    compared: Compared,
    mut finding: Finding,
) -> Finding {
    finding.choices = race::differing_choices(program, race).into_iter().map(|told| told.line).collect();
    finding.buffering = Some(buffering);
    finding.replay = token::write_two(buffering, &foreseen(), compared, [&race.first, &race.other]);
    finding
}

/// What became of a message, after "send number 1 of rank 0".
fn words(message: Option<&Communication>) -> String {
    let Some(Communication { is_send, peer, tag, bytes, .. }) = message else { return "is not there".to_string() };
    match peer {
        Some(peer) => {
            let way = if *is_send { "goes to" } else { "comes from" };
            format!("{way} rank {peer} with tag {tag} and {}", counted(*bytes, "byte"))
        }
        None => "brings nothing".to_string(),
    }
}
