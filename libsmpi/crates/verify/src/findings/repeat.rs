//! Executing schedules once more: for the text of a finding, and for a replay.

use smpi_checker::Event;
use smpi_report::FindingKey;
use smpi_report::finding::{Buffering, ChoiceLine, Finding};

use crate::findings::findings_at;
use crate::program::{LeftOut, Program};
use crate::schedule::in_words::{MAX_CHOICES, follow_telling};
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
    if is_first || !finding.choices.is_empty() && !is_repeatable(finding.key) {
        return;
    }
    program.foresee(&foreseen);
    program.set_buffering(buffering);
    let Ok((mut lines, settled)) = follow_telling(program, &path, false) else { return };
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

/// Whether an execution of one schedule shows a finding, and in a time that does not matter.
fn is_repeatable(key: FindingKey) -> bool {
    use FindingKey::{Deadlock, DeadlockBuffering, Livelock, NonTermination, RaceMessage};
    use FindingKey::{DeterminismCommunication, DeterminismSend, MemoryUninitialised};
    let is_lasting = matches!(key, Deadlock | DeadlockBuffering | Livelock | NonTermination);
    let takes_two = matches!(key, RaceMessage | DeterminismSend | DeterminismCommunication | MemoryUninitialised);
    !is_lasting && !takes_two
}
