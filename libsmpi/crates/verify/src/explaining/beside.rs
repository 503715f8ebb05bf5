//! Two executions beside each other: both are repeated, and each rank's calls are told one by one.

use smpi_base::words::counted;
use smpi_checker::Event;
use smpi_explain::Row;
use smpi_process as process;
use smpi_report::beside::{Beside, CallBeside, Given, Whole};
use smpi_report::explanation::{Blame, Explanation};
use smpi_report::finding::{Buffering, LastCall, RankState};
use smpi_report::trace::{EventKind, Trace, TraceEvent};
use smpi_report::verdict::RankResult;

use crate::findings::repeat::quoted;
use crate::findings::{determinism, last_calls};
use crate::program::{Program, foreseen};
use crate::schedule::chart;
use crate::schedule::token::{self, Compared};

/// A failing execution beside a right one, or beside one with another error. `round`: the choices of the failing one
/// before those that come again and again. `None`: they are not repeated.
pub fn failing_and_right(
    program: &mut Program,
    buffering: Buffering,
    (failing, round): (&[Event], Option<usize>),
    right: &Row,
) -> Option<Beside> {
    let both = [failing, &right.path];
    let wholes = [whole(program, failing, round)?, whole(program, &right.path, None)?];
    let title = if right.is_clean { "is right" } else { "has another error" };
    Some(Beside::of(["fails", title], both.map(|path| token::write(buffering, &foreseen(), path)), wholes))
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
    let mut differs = None;
    if compared == Compared::Outputs {
        let [left, right] = &printed;
        for (rank, results) in left.iter().zip(right).map(|(one, other)| [one, other]).enumerate() {
            let lines = differing_lines(&results[0].output, &results[1].output);
            if differs.is_none() && results[0] != results[1] {
                differs = Some(given(rank, results, lines.as_ref()));
            }
            let words = lines.map_or([None, None], |(_, lines)| lines.map(|line| Some(in_words(line))));
            for ((whole, result), line) in wholes.iter_mut().zip(results).zip(words) {
                let exit = result.exit.filter(|_| results[0].exit != results[1].exit);
                let exit = exit.map_or(String::new(), |code| format!(" with the exit code {code}"));
                let line = line.map_or(String::new(), |line| format!(", having printed {line}"));
                whole[rank].end += &format!("{exit}{line}");
            }
        }
    } else {
        differs = determinism::given(program, both, compared);
    }
    let replays = both.map(|path| token::write(buffering, &foreseen(), path));
    let beside = Beside::of(["came first", "gives another result"], replays, wholes);
    let beside = Some(Beside { differs, ..beside });
    Some(Explanation { blame: Blame::Difference, tried: 2, beside, ..Explanation::default() })
}

/// What a rank that ends in two ways gives in each: `lines` are the first of its output that differ.
fn given(rank: usize, results: [&RankResult; 2], lines: Option<&(usize, [Option<&str>; 2])>) -> [Given; 2] {
    let what = match lines {
        Some(&(number, lines)) => lines.map(|line| match line {
            Some(line) => format!("line {number} that rank {rank} prints is {}", quoted(line)),
            None => format!("rank {rank} prints no line {number}"),
        }),
        None => results.map(|result| match result.exit {
            Some(code) => format!("rank {rank} ends with the exit code {code}"),
            None => format!("rank {rank} does not end"),
        }),
    };
    what.map(|what| Given { what, location: None })
}

/// The first line in which two outputs differ, by its number from 1, as each has it; `None` where they do not.
fn differing_lines<'a>(one: &'a str, other: &'a str) -> Option<(usize, [Option<&'a str>; 2])> {
    let (mut ones, mut others) = (one.lines(), other.lines());
    (1..).find_map(|number| match (ones.next(), others.next()) {
        (None, None) => Some(None),
        (left, right) if left == right => None,
        (left, right) => Some(Some((number, [left, right]))),
    })?
}

fn in_words(line: Option<&str>) -> String {
    line.map_or("nothing more".to_string(), quoted)
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
        let both = |one: &str, other: &str| {
            differing_lines(one, other).map(|(number, lines)| format!("{number} {}", lines.map(in_words).join(" ")))
        };
        assert_eq!(both("a\nb\n", "a\nb\n"), None);
        assert_eq!(both("a\nb\n", "a\nc\n").unwrap(), "2 `b` `c`");
        assert_eq!(both("a\n", "a\nc\n").unwrap(), "2 nothing more `c`");
        assert_eq!(both(&"x".repeat(99), "y").unwrap(), format!("1 `{}…` `y`", "x".repeat(MOST_PRINTED)));
    }

    #[test]
    fn what_differs_is_a_line_or_the_exit_code() {
        let result = |output: &str, exit| RankResult { output: output.into(), exit };
        let said = |one: &RankResult, other: &RankResult| {
            let lines = differing_lines(&one.output, &other.output);
            given(2, [one, other], lines.as_ref()).map(|given| given.what).join("; ")
        };
        let (one, other) = (result("a\nb\n", Some(0)), result("a\n", Some(1)));
        assert_eq!(said(&one, &other), "line 2 that rank 2 prints is `b`; rank 2 prints no line 2");
        let other = result("a\nb\n", None);
        assert_eq!(said(&one, &other), "rank 2 ends with the exit code 0; rank 2 does not end");
    }
}
