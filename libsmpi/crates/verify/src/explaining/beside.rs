//! Two executions beside each other: both are repeated, and each rank's calls are told one by one.

use smpi_base::words::counted;
use smpi_checker::Event;
use smpi_process as process;
use smpi_report::beside::{Beside, CallBeside, Whole};
use smpi_report::explanation::{Blame, Explanation};
use smpi_report::finding::{Buffering, LastCall, RankState};
use smpi_report::trace::{EventKind, Trace, TraceEvent};

use crate::findings::last_calls;
use crate::findings::repeat::quoted;
use crate::program::{Program, foreseen};
use crate::schedule::chart;
use crate::schedule::token::{self, Compared};

/// A failing execution beside a right one; `round`: the choices of the failing one before those that come again and
/// again. `None`: they are not repeated.
pub fn failing_and_right(
    program: &mut Program,
    buffering: Buffering,
    (failing, round): (&[Event], Option<usize>),
    right: &[Event],
) -> Option<Beside> {
    let both = [failing, right];
    let wholes = [whole(program, failing, round)?, whole(program, right, None)?];
    Some(Beside::of(["fails", "is right"], both.map(|path| token::write(buffering, &foreseen(), path)), wholes))
}

/// Both executions of a difference, which are both as right as the other. `None`: they are not repeated.
pub fn difference(
    program: &mut Program,
    buffering: Buffering,
    compared: Compared,
    both: [&[Event]; 2],
) -> Option<Explanation> {
    process::keep_output();
    let mut wholes = [Vec::new(), Vec::new()];
    let mut printed = [Vec::new(), Vec::new()];
    for (at, path) in both.into_iter().enumerate() {
        wholes[at] = whole(program, path, None)?;
        printed[at] = program.results();
    }
    if compared == Compared::Outputs {
        let [left, right] = &printed;
        for (rank, (one, other)) in left.iter().zip(right).enumerate() {
            let lines = differing_lines(&one.output, &other.output);
            for ((whole, result), line) in wholes.iter_mut().zip([one, other]).zip(lines) {
                let exit = result.exit.filter(|_| one.exit != other.exit);
                let exit = exit.map_or(String::new(), |code| format!(" with the exit code {code}"));
                let line = line.map_or(String::new(), |line| format!(", having printed {line}"));
                whole[rank].end += &format!("{exit}{line}");
            }
        }
    }
    let replays = both.map(|path| token::write(buffering, &foreseen(), path));
    let beside = Some(Beside::of(["came first", "gives another result"], replays, wholes));
    Some(Explanation { blame: Blame::Difference, tried: 2, beside, ..Explanation::default() })
}

/// The first line in which two outputs differ, as each has it; `None` where they do not.
fn differing_lines(one: &str, other: &str) -> [Option<String>; 2] {
    let (mut ones, mut others) = (one.lines(), other.lines());
    loop {
        match (ones.next(), others.next()) {
            (None, None) => return [None, None],
            (left, right) if left == right => {}
            both => {
                let words = |line: Option<&str>| line.map_or("nothing more".to_string(), quoted);
                return [both.0, both.1].map(|line| Some(words(line)));
            }
        }
    }
}

/// Everything that each rank did in an execution. Where it goes round, that stands in place of the end of the ranks
/// that do.
fn whole(program: &mut Program, path: &[Event], round: Option<usize>) -> Option<Vec<Whole>> {
    let trace = chart::record_choices(program, path, round)?;
    let mut all: Vec<Whole> = vec![Whole::default(); trace.ranks as usize];
    let mut again = vec![0; trace.ranks as usize];
    for (number, event) in trace.events.iter().enumerate() {
        if let Some(again) = again.get_mut(event.place.rank as usize) {
            *again += u64::from(trace.round.is_some_and(|begin| number >= begin));
        }
        if let Some(rank) = all.get_mut(event.place.rank as usize) {
            rank.calls.push(told(&trace, event));
        }
    }
    for call in last_calls(program) {
        if let Some(rank) = all.get_mut(call.place.rank as usize) {
            rank.end = match again[call.place.rank as usize] {
                0 => end(&call),
                1 => "makes its last call again and again".to_string(),
                calls => format!("makes its last {calls} calls again and again"),
            };
        }
    }
    Some(all)
}

/// A call, and what it did or was told.
fn told(trace: &Trace, event: &TraceEvent) -> CallBeside {
    let what = match &event.kind {
        EventKind::Send { to, .. } => format!("sends to rank {to} ({})", event.arguments),
        EventKind::Match { message, from, .. } => format!("takes the message {}", sent(trace, *message, *from)),
        EventKind::Collective { members } => format!("takes place on {}", counted(members.len() as u64, "rank")),
        EventKind::Choice { outcome, .. } => outcome.clone(),
        EventKind::Show { changed } => format!("shows {changed}"),
        EventKind::Local
        | EventKind::Receive { .. }
        | EventKind::Wait { .. }
        | EventKind::Fail { .. }
        | EventKind::Exit { .. } => String::new(),
    };
    let source = event.place.source();
    CallBeside { call: event.place.call.clone(), location: (!source.is_empty()).then_some(source), what }
}

/// Who sent a message, and where.
fn sent(trace: &Trace, message: u64, from: u32) -> String {
    let is_it = |event: &&TraceEvent| matches!(event.kind, EventKind::Send { message: other, .. } if other == message);
    let source = trace.events.iter().find(is_it).map_or(String::new(), |event| event.place.source());
    if source.is_empty() { format!("of rank {from}") } else { format!("that rank {from} sent at {source}") }
}

/// How a rank ends.
fn end(call: &LastCall) -> String {
    let source = call.place.source();
    let at = if source.is_empty() { source } else { format!(" at {source}") };
    match call.state {
        RankState::Blocked if call.detail.is_empty() => format!("waits in {}{at}", call.place.call),
        RankState::Blocked => {
            // Which collective of its communicator it is tells nothing here.
            let detail = call.detail.split(" (").next().unwrap_or_default();
            format!("waits in {}{at} for {detail}", call.place.call)
        }
        RankState::Failed => format!("fails{at}"),
        RankState::Finished => "ends".to_string(),
        RankState::Returned => format!("goes on after {}", call.place.call),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::repeat::MOST_PRINTED;

    #[test]
    fn outputs_differ_in_their_first_different_line() {
        let both = |one: &str, other: &str| differing_lines(one, other).map(Option::unwrap_or_default).join(" ");
        assert_eq!(both("a\nb\n", "a\nb\n"), " ");
        assert_eq!(both("a\nb\n", "a\nc\n"), "`b` `c`");
        assert_eq!(both("a\n", "a\nc\n"), "nothing more `c`");
        assert_eq!(both(&"x".repeat(99), "y"), format!("`{}…` `y`", "x".repeat(MOST_PRINTED)));
    }
}
