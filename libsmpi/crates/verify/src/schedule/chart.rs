//! The way to a finding as a sequence chart: executes the finding's schedule once more and records it.

use smpi_base::WorldRank;
use smpi_checker::{Choices, Event, System};
use smpi_mpi::usage::Taped;
use smpi_report::finding::{ChoiceLine, Finding, LastCall, Location, RankState};
use smpi_report::trace::{EventKind, Trace, TraceEvent};

use crate::program::Program;
use crate::schedule::in_words::{About, Told, told};
use smpi_runtime::with;
use smpi_watch::checks::location_of;

/// Records the schedule that led to a finding. Nothing is recorded when the program does not repeat it.
pub fn record(program: &mut Program, path: &[Event], finding: &Finding) -> Option<Trace> {
    with(|runtime| runtime.world.start_tape());
    let repeated = program.follow(path, &mut |_, _, _| {});
    let taped = with(|runtime| runtime.world.take_tape());
    repeated.ok()?;
    let mut trace =
        Trace { ranks: with(|runtime| runtime.extent()), events: Vec::with_capacity(taped.len()), round: None };
    for event in taped {
        add(&mut trace, event);
    }
    finding.last_calls.iter().filter_map(last).for_each(|event| trace.events.push(event));
    Some(trace)
}

/// The same for an execution that goes round after its first choices, so many of them. Choices among other things than
/// messages are events, too, and so is what ranks show. At the end only those wait that do nothing in the round.
pub fn record_round(program: &mut Program, path: &[Event], before: usize, finding: &Finding) -> Option<Trace> {
    let mut trace = record_choices(program, path, Some(before))?;
    let in_round = &trace.events[trace.round.unwrap_or(trace.events.len())..];
    let is_still = |call: &&LastCall| in_round.iter().all(|event| event.place.rank != call.place.rank);
    let waiting: Vec<TraceEvent> = finding.last_calls.iter().filter(is_still).filter_map(last).collect();
    trace.events.extend(waiting);
    Some(trace)
}

/// Records a schedule, with choices among other things than messages; `before`: where its round begins. The program
/// stands at its end then.
pub fn record_choices(program: &mut Program, path: &[Event], before: Option<usize>) -> Option<Trace> {
    with(|runtime| runtime.world.start_tape());
    // What is not on the tape, with the length of the tape before it; nothing for the beginning of the round.
    let mut others: Vec<(usize, Option<TraceEvent>)> = Vec::new();
    let mut choices = Choices::new();
    let repeated = program.follow(path, &mut |program, index, event| {
        let taped = with(|runtime| runtime.world.taped());
        if Some(index) == before {
            others.push((taped, None));
        }
        choices.clear();
        program.choices(&mut choices);
        others.extend(of_choice(told(program, event, &choices)).map(|event| (taped, Some(event))));
    });
    let taped = with(|runtime| runtime.world.take_tape());
    repeated.ok()?;
    let mut trace = Trace { ranks: with(|runtime| runtime.extent()), ..Trace::default() };
    let mut others = others.into_iter().peekable();
    let mut insert = |trace: &mut Trace, place: usize| {
        while let Some((_, event)) = others.next_if(|(before, _)| *before <= place) {
            match event {
                Some(event) => trace.events.push(event),
                None => trace.round = Some(trace.events.len()),
            }
        }
    };
    for (place, event) in taped.into_iter().enumerate() {
        insert(&mut trace, place);
        add(&mut trace, event);
    }
    insert(&mut trace, usize::MAX);
    Some(trace)
}

/// A choice that is not about a message, which the tape has.
fn of_choice(told: Told) -> Option<TraceEvent> {
    let ChoiceLine { place, arguments, outcome, candidates } = told.line;
    let kind = match told.about {
        About::Receive => return None,
        About::Show => EventKind::Show { changed: told.name },
        About::Cancel | About::Probe | About::Completion => EventKind::Choice { outcome, candidates },
    };
    Some(TraceEvent { place, arguments, kind })
}

fn add(trace: &mut Trace, event: Taped) {
    match event {
        // Who keeps the locks of a window is told by messages, which are none of the program.
        Taped::Sent { from, to, .. } | Taped::Got { from, rank: to, .. } if from.max(to).0 >= trace.ranks => {}
        Taped::Sent { message, from, to, bytes, tag, origin } => {
            let kind = EventKind::Send { message, to: to.0 };
            let mut event = TraceEvent::new(named(location_of(from, origin), "a send"), kind);
            event.arguments = format!("{bytes} bytes, tag {tag}");
            trace.events.push(event);
        }
        Taped::Got { message, from, rank, candidates, origin } => {
            let kind = EventKind::Match { message, from: from.0, candidates };
            trace.events.push(TraceEvent::new(named(location_of(rank, origin), "a receive"), kind));
        }
        Taped::Collective { name, members } => {
            let ranks: Vec<u32> = members.iter().map(|(rank, _): &(WorldRank, _)| rank.0).collect();
            for (rank, origin) in members {
                let kind = EventKind::Collective { members: ranks.clone() };
                trace.events.push(TraceEvent::new(named(location_of(rank, origin), name.name()), kind));
            }
        }
        Taped::File { .. } => {}
    }
}

/// A place whose call is not known gets a word for it.
fn named(mut place: Location, word: &str) -> Location {
    if place.call.is_empty() {
        place.call = word.to_string();
    }
    place
}

/// How a rank's part of the chart ends.
fn last(call: &LastCall) -> Option<TraceEvent> {
    let kind = match call.state {
        RankState::Blocked => EventKind::Wait { on: Vec::new(), detail: call.detail.clone() },
        RankState::Failed => EventKind::Fail { detail: "fails here".to_string() },
        RankState::Returned | RankState::Finished => return None,
    };
    Some(TraceEvent::new(call.place.clone(), kind))
}
