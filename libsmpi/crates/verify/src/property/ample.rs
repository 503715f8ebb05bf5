//! Which choices may be explored alone where a property is checked that cannot tell how often states are repeated, and
//! why none are where the argument does not reach.
//!
//! The argument is that of `smpi_liveness` ("Ample sets"). An ample set here is all that one choice can become, of one
//! that [`Verification::stands_alone`](smpi_choices::Verification::stands_alone) and that changes no proposition
//! of the formula. Its conditions follow from what `smpi_checker` proves of choices, *stability* and *diamond*: a
//! candidate stays one until its choice is made, and different choices can be made in either order, with the same
//! result. A proposition changes with a choice of its own, of the rank that has named it, so whether it does depends
//! on nobody else.
//!
//! Where states are recognised, stability does not hold of polls: "not yet" is no answer any more once there is
//! something to find. And it was never claimed of some other things. So each state that is met is looked at: where it
//! has anything of that kind ([`out_of_reach`]), the search begins anew, and leaves nothing out. Why is it enough to
//! look at the states that are met? Say an execution that violates the property comes to such a state, and take its
//! first one. Up to there the argument holds, so a reduced search explores an execution with the same choices, and
//! perhaps others, in another order. What the argument does not reach comes with some of these choices and stays until
//! a rank goes on that has it: a poll waits for its answer, a rank that has failed stays so. So the search meets it.

use smpi_base::WorldRank;
use smpi_checker::alternatives::NOT_YET;
use smpi_checker::{ChoiceKind, Choices};
use smpi_runtime::state::Standing;
use smpi_runtime::with;

use crate::program::{LeftOut, Program, driven};

/// What the present state has that the argument for the reduction does not reach, in words that follow "because".
/// `choices` are its choices.
pub fn out_of_reach(program: &Program, choices: &Choices) -> Option<String> {
    let kind_in_words = |kind: ChoiceKind| match kind {
        ChoiceKind::Receive | ChoiceKind::Probe | ChoiceKind::WaitAny => None,
        ChoiceKind::Random | ChoiceKind::Visible => None,
        ChoiceKind::Test | ChoiceKind::Time => Some("ranks poll"),
        ChoiceKind::Delivery => Some("sends are cancelled"),
        ChoiceKind::Lock => Some("locks or accesses have an order that matters"),
        ChoiceKind::Buffering | ChoiceKind::Leaving => Some("calls wait that need not"),
    };
    if let Some(words) = choices.all().find_map(|choice| kind_in_words(choice.kind)) {
        return Some(words.to_string());
    }
    let is_refused = choices.all().any(|choice| choices.candidates(choice).contains(&NOT_YET));
    let (has_ports, spawns) = with(|runtime| {
        (
            !runtime.world.state.ports.are_untouched(),
            runtime.ranks.iter().any(|run| run.standing == Standing::Unborn || run.job.is_some()),
        )
    });
    let others = [
        (program.is_endless(), "ranks go on for ever without a choice"),
        (program.failed(), "a rank fails"),
        (is_refused, "receives are cancelled"),
        (has_ports, "ranks open ports or publish names"),
        (spawns, "ranks may be spawned"),
        (LeftOut::here() != LeftOut::default(), "not everything can be explored"),
    ];
    others.iter().find(|(is_so, _)| *is_so).map(|(_, words)| words.to_string())
}

/// The choice from the `first` event on that may be explored alone: how many events come before it, and how many it
/// has. `is_named` says of a proposition whether the property speaks of it.
pub fn alone(choices: &Choices, first: usize, is_named: &dyn Fn(&str) -> bool) -> Option<(usize, usize)> {
    let mut before = 0;
    for choice in choices.all() {
        let count = choices.candidates(choice).len();
        let is_visible = choice.kind == ChoiceKind::Visible && is_news(choice.id.rank(), is_named);
        if before >= first && !is_visible && driven(|driver, world| driver.stands_alone(world, choice.id)) {
            return Some((before, count));
        }
        before += count;
    }
    None
}

/// Whether one of the rank's propositions that the property speaks of has changed and was not shown yet.
fn is_news(rank: WorldRank, is_named: &dyn Fn(&str) -> bool) -> bool {
    with(|runtime| {
        let mut propositions = runtime.run(rank).propositions.iter();
        propositions.any(|one| one.is_shown != one.is_true && is_named(&one.name))
    })
}
