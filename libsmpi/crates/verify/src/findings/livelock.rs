//! Executions that have come to where the program can no longer end, although it ends elsewhere, or where its ranks do
//! nothing any more but poll in vain.

use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_checker::alternatives::NOT_YET;
use smpi_checker::{Choices, Event, Settled, System};
use smpi_report::FindingKey;
use smpi_report::finding::{Buffering, Finding};
use smpi_report::lasso::{Lasso, LassoStep};

use crate::findings::last_calls;
use crate::program::{Program, foreseen};
use crate::schedule::in_words::{self, MAX_CHOICES, follow_telling};
use crate::schedule::token::{self, Round};

/// Choices that are made at most to come back to a state that was there before.
const LONGEST: usize = 10_000;

/// The finding that after these choices no execution ends, though others do.
pub fn of_lost(program: &mut Program, mode: Buffering, lost: &[Event]) -> Finding {
    program.set_buffering(mode);
    let (path, before, has_met) = go_round(program, lost).unwrap_or_else(|| (lost.to_vec(), lost.len(), true));
    let calls = last_calls(program);
    let told = follow_telling(program, &path, false).map_or(Vec::new(), |(lines, _)| lines);
    let lines: Vec<_> = told.into_iter().map(|told| told.line).collect();
    let round = path.len() - before;
    let when = match lost.len() {
        0 => "from its beginning".to_string(),
        _ => "after these choices".to_string(),
    };
    let how = match round {
        0 => "its ranks go on for ever without a choice".to_string(),
        1 => "one choice comes again and again".to_string(),
        _ => format!("{round} choices come again and again"),
    };
    let is_vain = round > 0 && path[before..].iter().all(|event| event.candidate == NOT_YET);
    let message = if is_vain {
        format!("{when}, the program cannot end any more: ranks poll for what cannot come, and {how}")
    } else if round > 0 && !has_met {
        format!("{when}, the program cannot end any more: ranks get nothing of each other, and {how}")
    } else {
        format!("{when}, the program cannot end any more, whatever is chosen, and elsewhere it ends: {how}")
    };
    let mut finding = Finding::new(FindingKey::Livelock, message);
    // The choice after which it was too late; if there is none, what goes round.
    let first = lost.len().saturating_sub(1)..if lost.is_empty() { path.len() } else { lost.len() };
    for line in lines.get(first).unwrap_or_default() {
        if !finding.ranks.contains(&line.place.rank) {
            finding = finding.located(line.place.clone());
        }
    }
    finding.buffering = Some(mode);
    finding.last_calls = calls;
    finding.replay = token::write_round(mode, &foreseen(), &path, Round { before, is_lost: true });
    let step = |choice| LassoStep { choice, holds: Vec::new() };
    let (prefix, again) = lines.split_at(before.min(lines.len()));
    finding.lasso = (round > 0).then(|| Lasso {
        prefix: prefix.iter().cloned().map(step).collect(),
        round: again.iter().cloned().map(step).collect(),
        ..Lasso::default()
    });
    finding.choices = lines[..lost.len().min(lines.len())].to_vec();
    finding.choices.drain(..finding.choices.len().saturating_sub(MAX_CHOICES));
    finding
}

/// Goes on after a schedule until a state comes again, or there are no choices: all choices, how many come before the
/// round, and whether ranks get something of each other in it. Of the ranks that can move, the one moves that has not
/// for the longest time; so with the messages that it may take.
fn go_round(program: &mut Program, lost: &[Event]) -> Option<(Vec<Event>, usize, bool)> {
    let mut path = lost.to_vec();
    let mut settled = program.follow(lost, &mut |_, _, _| {}).ok()?;
    let mut known = Map::default();
    // How long the path was when a rank moved last, and when it took a candidate.
    let (mut moved, mut taken): (Map<WorldRank, usize>, Map<(WorldRank, u64), usize>) = Default::default();
    let mut last_met = None;
    let mut choices = Choices::new();
    while path.len() < lost.len() + LONGEST {
        if settled.is_end() {
            let before = path.len();
            return (settled == Settled::Endless).then_some((path, before, true));
        }
        if let Some(before) = known.insert(program.fingerprint()?, path.len()) {
            let has_met = last_met.is_some_and(|met| met > before);
            return Some((path, before, has_met));
        }
        choices.clear();
        program.choices(&mut choices);
        let last = |rank| moved.get(&rank).copied();
        let choice = choices.all().min_by_key(|choice| last(choice.id.rank()))?;
        let rank = choice.id.rank();
        let last = |candidate: &u64| taken.get(&(rank, *candidate)).copied();
        let candidate = *choices.candidates(choice).iter().min_by_key(|candidate| last(candidate))?;
        let event = Event { choice: choice.id, candidate };
        moved.insert(rank, path.len());
        taken.insert((rank, candidate), path.len());
        path.push(event);
        program.take(event);
        settled = program.settle();
        if program.has_met() {
            last_met = Some(path.len());
        }
    }
    None
}

/// Whether the last choices of a schedule, all but the first `before`, lead back to the state before them; or, where
/// there are none, ranks go on for ever there without a choice.
///
/// # Errors
/// Text for the user when the schedule does not fit the program.
pub fn comes_back(program: &mut Program, path: &[Event], rounds: (usize, u32), shown: bool) -> Result<bool, String> {
    program.names_states();
    in_words::comes_back(program, path, rounds, shown, |settled| settled == Settled::Endless)
}
