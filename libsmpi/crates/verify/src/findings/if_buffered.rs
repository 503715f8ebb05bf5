//! Whether a deadlock remains one if every send is buffered.

use smpi_base::WorldRank;
use smpi_checker::{Choices, Event, Settled, System};
use smpi_report::FindingKey;
use smpi_report::finding::{Buffering, Finding};
use smpi_runtime::with;

use crate::findings::findings_at;
use crate::program::Program;
use crate::schedule::token;

/// Choices after which nobody looks any further.
const MOST: usize = 10_000;

/// What became of a deadlock that need not be one ([`Settled::Reluctant`]).
pub enum Outcome {
    /// With buffers, every rank goes on.
    Cured,
    /// Some rank waits still in the same call when everything has been buffered: the deadlock is that one. The program
    /// stands there, by these choices.
    Same(Vec<Event>),
}

/// Buffers every send from here on, makes all other choices as they come, and looks at what becomes of the ranks that
/// wait. Where it is the same deadlock, the program is left at its end: the caller puts it back.
pub fn outcome(program: &mut Program, path: &[Event]) -> Outcome {
    let before = waiting(program);
    let mut path = path.to_vec();
    let settled = go_on(program, Settled::Reluctant, &mut path, |choices| {
        choices.all().find_map(|choice| {
            let mut events = choices.candidates(choice).iter().map(|&candidate| Event { choice: choice.id, candidate });
            events.find(Event::goes_on)
        })
    });
    let after = waiting(program);
    let is_same = before.iter().any(|rank| after.contains(rank));
    if settled == Settled::Deadlock && !program.failed() && !program.is_cut_short() && is_same {
        Outcome::Same(path)
    } else {
        Outcome::Cured
    }
}

/// The deadlock that remains of one that was met with zero buffering, if every send is buffered from the start and the
/// same choices are made, as far as they are there, and all others as they come. It is the same one if some rank waits
/// in the same call still.
pub fn remains(program: &mut Program, finding: &Finding) -> Option<Finding> {
    let (_, foreseen, path) = token::path(&finding.replay)?;
    program.foresee(&foreseen);
    program.set_buffering(Buffering::Zero);
    program.follow(&path, &mut |_, _, _| {}).ok()?;
    let before = waiting(program);
    program.set_buffering(Buffering::Infinite);
    program.reset();
    let (settled, mut made) = (program.settle(), Vec::new());
    let settled = go_on(program, settled, &mut made, |choices| {
        let is_open = |event: &&Event| {
            choices.find(event.choice).is_some_and(|choice| choices.candidates(choice).contains(&event.candidate))
        };
        path.iter().find(is_open).copied()
    });
    let is_same = settled == Settled::Deadlock && waiting(program).iter().any(|rank| before.contains(rank));
    let found = if is_same { findings_at(program, settled, &made, Some(Buffering::Infinite)) } else { Vec::new() };
    found.into_iter().find(|finding| finding.key == FindingKey::Deadlock)
}

/// Makes choices from a settled state on until there are none: those that are preferred, or else as they come.
fn go_on(
    program: &mut Program,
    mut settled: Settled,
    made: &mut Vec<Event>,
    preferred: impl Fn(&Choices) -> Option<Event>,
) -> Settled {
    let mut choices = Choices::new();
    for _ in 0..MOST {
        choices.clear();
        program.choices(&mut choices);
        let Some(event) = preferred(&choices).or_else(|| choices.default_event()) else { break };
        made.push(event);
        program.take(event);
        settled = program.settle();
    }
    settled
}

/// Ranks that are not through, and how far they have come.
fn waiting(program: &Program) -> Vec<(u32, u32)> {
    let ranks = 0..program.count();
    with(|runtime| {
        let is_over = |rank: u32| runtime.ranks[rank as usize].standing.is_over();
        ranks
            .filter(|&rank| !is_over(rank))
            .map(|rank| (rank, runtime.driver.verification().map_or(0, |driver| driver.progress_of(WorldRank(rank)))))
            .collect()
    })
}
