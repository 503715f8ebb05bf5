//! The way to a finding as a sequence chart: executes the finding's schedule once more and records it.

use smpi_base::WorldRank;
use smpi_checker::Event;
use smpi_mpi::usage::Taped;
use smpi_report::finding::{Finding, LastCall, Location, RankState};
use smpi_report::trace::{EventKind, Trace, TraceEvent};

use super::system::Program;
use smpi_runtime::with;
use smpi_watch::checks::location_of;

/// Records the schedule that led to a finding. Nothing is recorded when the program does not repeat it.
pub fn record(program: &mut Program, path: &[Event], finding: &Finding) -> Option<Trace> {
    with(|runtime| runtime.world.start_tape());
    let repeated = program.follow(path, &mut |_, _, _| {});
    let taped = with(|runtime| runtime.world.take_tape());
    repeated.ok()?;
    let mut trace = Trace { ranks: program.count(), events: Vec::with_capacity(taped.len()) };
    for event in taped {
        add(&mut trace, event);
    }
    finding.last_calls.iter().filter_map(last).for_each(|event| trace.events.push(event));
    Some(trace)
}

fn add(trace: &mut Trace, event: Taped) {
    match event {
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
