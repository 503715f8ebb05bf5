//! Executing schedules once more: for the text of a finding, and for a replay.

use smpi_base::WorldRank;
use smpi_base::words::counted;
use smpi_checker::Event;
use smpi_checker::alternatives::NOT_YET;
use smpi_mpi::usage::{Origin, Steps, Taped};
use smpi_process as process;
use smpi_report::FindingKey;
use smpi_report::finding::{Buffering, ChoiceLine, Finding, LastCall, RankState};
use smpi_runtime::waiting::Missing;
use smpi_runtime::{Runtime, with};
use smpi_watch::checks::location_of;

use crate::findings::findings_at;
use crate::program::{LeftOut, Program};
use crate::schedule::in_words::{About, MAX_CHOICES, Told, WAITING, follow_telling};
use crate::schedule::token;

/// Executes a schedule and returns what went wrong. With `shown`, its choices are printed.
///
/// # Errors
/// Text for the user when the schedule does not fit the program.
pub fn replay(program: &mut Program, path: &[Event], shown: bool) -> Result<Vec<Finding>, String> {
    let (lines, settled) = follow_telling(program, path, shown)?;
    let lines: Vec<ChoiceLine> = lines.into_iter().map(|told| told.line).collect();
    let mut found = findings_at(program, settled, path, None);
    found.retain(|finding| !finding.is_warning());
    found.iter_mut().for_each(|finding| finding.choices.clone_from(&lines));
    Ok(found)
}

/// Executes the schedule of a finding again: fills in the choices that led there, when they are not known, and says so
/// when the finding is not there again.
pub fn repeat(program: &mut Program, finding: &mut Finding) {
    let Some((buffering, foreseen, path)) = token::path(&finding.replay) else { return };
    // The very first execution is one that nothing came before; other findings know their choices, or have none.
    let is_first = path.is_empty() && buffering == Buffering::Zero;
    let waits = matches!(finding.key, FindingKey::Deadlock | FindingKey::DeadlockBuffering);
    let fails = finding.last_calls.iter().any(|call| call.state == RankState::Failed);
    let differs = finding.key == FindingKey::CollectiveMismatch;
    let is_ready = finding.key == FindingKey::ReadySend;
    if is_first && !waits && !fails && !differs && !is_ready
        || !finding.choices.is_empty() && !is_repeatable(finding.key)
    {
        return;
    }
    program.foresee(&foreseen);
    program.set_buffering(buffering);
    let gives_up = finding.key == FindingKey::ExitCode;
    if gives_up {
        process::keep_output();
    }
    with(|runtime| runtime.world.start_steps(Steps::default()));
    let followed = follow_telling(program, &path, false);
    let (tape, steps) = with(|runtime| runtime.world.take_steps());
    let printed = if gives_up { program.results() } else { Vec::new() };
    let Ok((mut lines, settled)) = followed else { return };
    for call in &mut finding.last_calls {
        match call.state {
            RankState::Blocked if waits => {
                note_taken(call, &tape);
                note_called_elsewhere(call, &absent(call, false), &tape);
            }
            RankState::Blocked if differs => note_called_elsewhere(call, &absent(call, true), &tape),
            RankState::Failed => {
                if !note_completed(call, &tape, &steps) {
                    note_told(call, &path, &lines, &tape);
                }
                call.clues.extend(file_looked_at(WorldRank(call.place.rank), &tape));
                // Who gives up says why, as a rule.
                let last = printed.get(call.place.rank as usize).and_then(|result| result.output.lines().last());
                call.clues.extend(
                    last.map(|line| format!("printed: rank {} has printed last {}", call.place.rank, quoted(line))),
                );
            }
            _ => {}
        }
    }
    if is_ready {
        note_heard(finding, &tape);
    }
    let again = findings_at(program, settled, &path, None);
    if is_repeatable(finding.key) && !again.iter().any(|again| again.key == finding.key) {
        finding.unrepeated = true;
        let cause = match LeftOut::here().uncontrolled.is_empty() {
            true => "something that is not put back, such as a file, a clock or another process",
            false => "what is said not to be explored",
        };
        finding.message +=
            &format!(" (this did not happen again when the schedule was repeated: it depends on {cause})");
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

/// Who waits for a message of a rank, and has nothing near it, may have taken that message by another call: the last
/// one that was of that rank and had the tag.
fn note_taken(call: &mut LastCall, tape: &[Taped]) {
    let rank = WorldRank(call.place.rank);
    let awaited = with(|runtime| runtime.world.awaited_message(rank).or_else(|| looked_for(runtime, rank)));
    let Some((source, tag, here)) = awaited else { return };
    // Where something else is near, a receive that named its source is none that took too much.
    let is_known = call.near.is_some();
    let is_meant = |message: u64| tag.is_none() || sent(tape, message).is_some_and(|(sent, _)| Some(sent) == tag);
    let last = tape.iter().rev().find_map(|taped| match taped {
        Taped::Got { message, from, rank: by, origin, candidates }
            if *by == rank && *from == source && origin.site != 0 && is_meant(*message) =>
        {
            if is_known && candidates.is_empty() {
                return None;
            }
            Some((*message, *origin))
        }
        _ => None,
    });
    let Some((message, taker)) = last.filter(|(_, taker)| *taker != here) else { return };
    let by = location_of(rank, taker).source();
    let by = if by.is_empty() { by } else { format!(" at {by}") };
    let from = sent(tape, message).map_or(String::new(), |(_, origin)| location_of(source, origin).source());
    let from = if from.is_empty() { from } else { format!(" (sent at {from})") };
    let words = format!("its {}{by} has taken the last one of these{from}", taker.call);
    call.near = Some(call.near.take().map_or(words.clone(), |near| format!("{near}; {words}")));
}

/// The message that a rank looks for by a blocking probe which names its source, as [`note_taken`] wants it.
fn looked_for(runtime: &Runtime, rank: WorldRank) -> Option<(WorldRank, Option<i32>, Origin)> {
    let pattern = runtime.driver.probed(rank)?;
    let (_, comm) = runtime.objects[rank.index()].comm_of(pattern.context)?;
    Some((comm.core.peer(pattern.source?)?, pattern.tag, Origin::default()))
}

/// Who is missing from the collective operation that a rank waits for; with `differs`, also who waits in another one.
fn absent(call: &LastCall, differs: bool) -> Vec<WorldRank> {
    let rank = WorldRank(call.place.rank);
    with(|runtime| {
        let Some((collective, _)) = runtime.world.awaited_collective(rank) else { return Vec::new() };
        let own = collective.call.function();
        let is_in_another = |other: WorldRank| {
            let awaited = runtime.world.awaited_collective(other);
            differs && awaited.is_some_and(|(collective, _)| collective.call.function() != own)
        };
        let others = (0..runtime.extent()).map(WorldRank).filter(|&other| is_in_another(other));
        Missing::new(runtime).missing(collective).into_iter().map(WorldRank).chain(others).collect()
    })
}

/// Who is not there may have called it with others, on another communicator: the last time.
fn note_called_elsewhere(call: &mut LastCall, absent: &[WorldRank], tape: &[Taped]) {
    let rank = WorldRank(call.place.rank);
    let function = with(|runtime| Some(runtime.world.awaited_collective(rank)?.0.call.function()));
    let Some(function) = function.filter(|_| call.near.is_none()) else { return };
    let elsewhere = absent.iter().find_map(|&other| {
        tape.iter().rev().find_map(|taped| match taped {
            Taped::Collective { name, members } if *name == function => {
                let own = members.iter().find(|(member, origin)| *member == other && origin.site != 0)?;
                let is_with = members.iter().any(|(member, _)| *member == rank);
                (!is_with).then_some((other, own.1, members.len() as u64))
            }
            _ => None,
        })
    });
    let Some((other, origin, members)) = elsewhere else { return };
    let line = location_of(other, origin).source();
    let at = if line.is_empty() { line } else { format!(" ({line})") };
    call.near =
        Some(format!("rank {other} has called it on another communicator, of {}{at}", counted(members, "rank")));
}

/// Who has failed may have been told what is wrong by a call that found it there and did not have to wait, or by one
/// that completes a receive of another call: the last one that has completed one, unless the rank has waited since.
/// Whether that was said.
fn note_completed(call: &mut LastCall, tape: &[Taped], steps: &Steps) -> bool {
    let rank = WorldRank(call.place.rank);
    let waits_at = with(|runtime| runtime.ranks[rank.index()].waits_at);
    // A send that is over tells nothing.
    let message = |posted: usize| {
        let is_its = |&&(place, number): &&(usize, usize)| number == posted && place < tape.len();
        steps.posted_by.iter().filter(is_its).rev().find_map(|&(place, _)| match &tape[place] {
            Taped::Got { message, from, rank: receiver, .. } if *receiver == rank => Some((*message, *from)),
            _ => None,
        })
    };
    let is_told = |&&(posted, by): &&(usize, usize)| {
        steps.calls.get(by).is_some_and(|step| step.rank == rank) && message(posted).is_some()
    };
    let Some(&(_, by)) = steps.taken.iter().rfind(is_told) else { return false };
    let waited = steps.calls.iter().rposition(|step| step.rank == rank && step.origin.site == waits_at);
    if waited > Some(by) {
        return false;
    }
    let mut posted = steps.taken.iter().filter(is_told).filter(|(_, other)| *other == by);
    let (Some(&(posted, _)), None) = (posted.next(), posted.next()) else { return false };
    let Some((taken, from)) = message(posted) else { return false };
    let [own, begun] = [by, posted].map(|number| steps.calls[number].origin);
    let [line, begun_at] = [own, begun].map(|origin| location_of(rank, origin).source());
    if line.is_empty() || line == call.place.source() || posted == by && waited == Some(by) {
        return false;
    }
    let sender = sent(tape, taken).map_or(String::new(), |(_, origin)| location_of(from, origin).source());
    let sender = if sender.is_empty() { sender } else { format!(" the message that rank {from} sent at {sender}") };
    let words = match (sender.is_empty(), posted == by) {
        (false, true) => format!(", which took{sender}"),
        (false, false) => format!(", by which its {} at {begun_at} took{sender}", begun.call),
        (true, true) => String::new(),
        (true, false) => format!(", which completed its {} at {begun_at}", begun.call),
    };
    call.behind = Some(format!("{} at {line}{words}", own.call));
    true
}

/// Who has failed may have been sent what is wrong: the message that it has received, or seen by a probe, in the call
/// in which it waited last.
fn note_told(call: &mut LastCall, path: &[Event], lines: &[Told], tape: &[Taped]) {
    let rank = WorldRank(call.place.rank);
    let site = with(|runtime| runtime.ranks[rank.index()].waits_at);
    let last = tape.iter().rev().find_map(|taped| match taped {
        Taped::Got { message, from, rank: by, origin, .. } if *by == rank => Some((*message, *from, *origin)),
        _ => None,
    });
    let received = last.filter(|(.., origin)| origin.site == site).map(|(message, from, _)| (message, from, "took"));
    let Some((message, from, verb)) = received.or_else(|| probed(rank, path, lines, tape)) else { return };
    let Some((_, origin)) = sent(tape, message) else { return };
    let line = location_of(from, origin).source();
    if let (Some(behind), false) = (&mut call.behind, line.is_empty()) {
        *behind += &format!(", which {verb} the message that rank {from} sent at {line}");
    }
}

/// Who sends in ready mode may take it for a sign that the receive is there what it has heard of that rank: the last
/// message of it for which it has waited before.
fn note_heard(finding: &mut Finding, tape: &[Taped]) {
    let [by, to] = &finding.locations[..] else { return };
    let (by_rank, to_rank) = (WorldRank(by.rank), WorldRank(to.rank));
    let is_it = |taped: &Taped| match taped {
        Taped::Sent { from, to, origin, .. } => {
            (*from, *to) == (by_rank, to_rank) && location_of(*from, *origin).source() == by.source()
        }
        _ => false,
    };
    let Some(sent_at) = tape.iter().rposition(is_it) else { return };
    let heard = tape[..sent_at].iter().rev().find_map(|taped| match taped {
        Taped::Got { message, from, rank, origin, .. }
            if (*rank, *from) == (by_rank, to_rank) && WAITING.contains(&origin.call.name()) =>
        {
            Some((sent(tape, *message)?.1, *origin))
        }
        _ => None,
    });
    let Some((sender, taker)) = heard else { return };
    let [sender, line] = [(to_rank, sender), (by_rank, taker)].map(|(rank, at)| location_of(rank, at).source());
    finding.message += &format!(
        ": the last message of rank {to_rank} for which it waits before is that of {sender}, by {} at {line}",
        taker.call
    );
}

/// Letters of a line that a rank has printed, at most.
pub const MOST_PRINTED: usize = 60;

/// A line that a rank has printed, cut where it is long.
pub fn quoted(line: &str) -> String {
    let cut: String = line.chars().take(MOST_PRINTED).collect();
    let more = if cut.len() < line.len() { "…" } else { "" };
    format!("`{cut}{more}`")
}

/// Lines that have written to a file, of which a report tells at most so many.
const MOST_WRITERS: usize = 3;

/// The bytes of a file that a rank looked at last, and who has written them.
fn file_looked_at(rank: WorldRank, tape: &[Taped]) -> Option<String> {
    let of_rank = |taped: &Taped| matches!(taped, Taped::File { rank: by, .. } if *by == rank);
    let last = tape.iter().rposition(of_rank)?;
    let Taped::File { path: file, writes: false, runs: looked, .. } = &tape[last] else { return None };
    let is_among = |runs: &[(u64, u64)]| {
        looked.is_empty() || runs.iter().any(|run| looked.iter().any(|own| own.0 < run.1 && run.0 < own.1))
    };
    let (mut there, mut elsewhere): (Vec<String>, Vec<String>) = Default::default();
    for taped in tape[..last].iter().rev() {
        let Taped::File { rank: by, origin, path, writes: true, runs } = taped else { continue };
        if path != file || origin.site == 0 {
            continue;
        }
        let words = format!("rank {by} has written {} at {}", bytes(runs), location_of(*by, *origin).source());
        let list = if is_among(runs) { &mut there } else { &mut elsewhere };
        if !list.contains(&words) && list.len() < MOST_WRITERS {
            list.push(words);
        }
    }
    let name = file.file_name()?.to_string_lossy();
    let looked = if looked.is_empty() { name.to_string() } else { format!("{} of {name}", bytes(looked)) };
    let (nobody, writers) = if there.is_empty() { ("; nobody has written these", elsewhere) } else { ("", there) };
    let nobody = if looked.len() == name.len() || writers.is_empty() { "" } else { nobody };
    let writers: Vec<String> = writers.into_iter().map(|words| format!("; {words}")).collect();
    (!writers.is_empty()).then(|| format!("file: rank {rank} looked last at {looked}{nobody}{}", writers.concat()))
}

/// Bytes of a file, from the first to the last.
fn bytes(runs: &[(u64, u64)]) -> String {
    match (runs.first(), runs.last()) {
        (Some(first), Some(last)) => format!("bytes {} to {}", first.0, last.1.saturating_sub(1)),
        _ => "no bytes".to_string(),
    }
}

/// The message that a rank has seen by a probe in its last choice, and has not received.
fn probed(rank: WorldRank, path: &[Event], lines: &[Told], tape: &[Taped]) -> Option<(u64, WorldRank, &'static str)> {
    let (event, _) = path
        .iter()
        .zip(lines)
        .rfind(|(event, _)| event.choice.rank() == rank)
        .filter(|(event, told)| told.about == About::Probe && event.candidate != NOT_YET)?;
    let is_got =
        |number: u64| tape.iter().any(|taped| matches!(taped, Taped::Got { message, .. } if *message == number));
    tape.iter().find_map(|taped| match taped {
        Taped::Sent { message, from, to, .. }
            if *to == rank && u64::from(from.0) == event.candidate && !is_got(*message) =>
        {
            Some((*message, *from, "saw"))
        }
        _ => None,
    })
}

/// The tag of a message, and where it was sent.
fn sent(tape: &[Taped], number: u64) -> Option<(i32, Origin)> {
    tape.iter().find_map(|taped| match taped {
        Taped::Sent { message, tag, origin, .. } if *message == number => Some((*tag, *origin)),
        _ => None,
    })
}

/// Whether an execution of one schedule shows a finding, and in a time that does not matter.
fn is_repeatable(key: FindingKey) -> bool {
    use FindingKey::{Deadlock, DeadlockBuffering, Livelock, NonTermination, RaceMessage};
    use FindingKey::{DeterminismCommunication, DeterminismSend, MemoryUninitialised};
    let is_lasting = matches!(key, Deadlock | DeadlockBuffering | Livelock | NonTermination);
    let takes_two = matches!(key, RaceMessage | DeterminismSend | DeterminismCommunication | MemoryUninitialised);
    !is_lasting && !takes_two
}
