//! What the slow reductions explore: single steps of agents, in any order.
//!
//! The agents are the ranks and, where the network moves by itself, the network. [`crate::none`] and [`crate::dpor`]
//! work on the trait. `smpi-verify` implements it for real programs. The tests have two models: one matches messages
//! as the standard says, the other as the papers' mailboxes do.

use crate::choice::Event;
use crate::system::Settled;

/// One step of one agent. An agent with several possible steps has several alternatives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Step {
    /// The agent that takes it.
    pub agent: u32,
    /// Which of the agent's possible steps it is.
    pub alternative: u64,
}

/// A program as a set of agents that take steps.
pub trait Interleaving {
    /// A state to come back to.
    type Snapshot;

    /// Back to the beginning.
    fn reset(&mut self);

    /// All enabled steps, ascending. `out` is empty.
    fn enabled(&mut self, out: &mut Vec<Step>);

    /// Takes an enabled step.
    fn step(&mut self, step: Step);

    /// The choice that an enabled step makes, if it makes one: what a token says of an execution.
    fn event(&mut self, step: Step) -> Option<Event>;

    /// True when something went wrong on the way to the present state, as for [`crate::System::failed`].
    fn failed(&self) -> bool;

    /// True when steps were left out because of a bound, as for [`crate::System::left_out`].
    fn left_out(&self) -> bool;

    /// True when only steps are enabled that need not be taken: the state is a deadlock, and not the end
    /// ([`Settled::Reluctant`]).
    fn is_reluctant(&mut self) -> bool;

    /// How the program ended, when no step is enabled.
    fn ended(&mut self) -> Settled;

    /// A key of the present state, if states are to be recognised: equal states have equal keys, others do not.
    fn key(&mut self) -> Option<u128>;

    /// The present state.
    fn snapshot(&mut self) -> Self::Snapshot;

    /// Back to a state.
    fn restore(&mut self, snapshot: &Self::Snapshot);
}
