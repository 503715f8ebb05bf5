//! What is explored: an abstract system that runs until only choices are left.
//!
//! The proof of completeness in the crate's documentation relies on the contract below. An implementation for
//! MPI programs gets most of it from [`crate::held`] (who may match whom), [`crate::history`] (causality) and
//! [`crate::late`] (late arrivals).

use serde::{Deserialize, Serialize};

use crate::below::{Arrival, Arriving, Causes};
use crate::choice::{ChoiceId, Choices, Event};
use crate::configuration::Configuration;
use crate::history::PassedOn;
use crate::influence::Influence;
use crate::told::Told;
use crate::tolls::Caller;

/// How a system came to rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Settled {
    /// Choices are enabled. Every rank may be through: receives left behind can still take messages.
    Choices,
    /// Every rank is through, and no choice is enabled.
    Finished,
    /// No choice is enabled, and some rank is not through.
    Deadlock,
    /// Only reluctant choices are enabled: a deadlock, unless some call stops waiting that need not wait. The
    /// exploration reports it, and then makes these choices.
    Reluctant,
    /// The program cannot go on at all (a crash, an abort). What concurrent parts of the program would still have done
    /// is not seen, so a system that can let the other ranks go on should do that and report the failure by
    /// [`System::failed`].
    Failed,
    /// There is no such execution: a choice anticipated something that did not come (that an operation will be
    /// cancelled). Nothing of it is reported or counted.
    Void,
    /// Some ranks go on for ever without a choice, and all others wait or are through: an execution that nobody can see
    /// the end of, and no error. The same is shown of a circle of states in which something has failed before.
    Endless,
    /// A bound of the system was reached (calls of one execution, time in one call): the exploration is not complete.
    Bounded,
}

/// What can come of the choices that are enabled in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Prospect {
    /// Anything.
    Open,
    /// Nothing at once: ranks poll, and all that any of them can be told is that there is nothing.
    Futile,
    /// The same, of ranks that have done nothing but poll for it since they were told so last.
    Settled,
    /// Anything, by choices of which each rank may make some by itself for ever: a round of such states, in which no
    /// ranks get anything of each other ([`System::has_met`]), is as much in vain as one of polls.
    Alone,
    /// Anything, but no execution stays for ever in states that are all like this: a choice has anticipated something
    /// that has not come ([`Settled::Void`]).
    Void,
}

/// A program as the exploration sees it.
///
/// # Contract
/// - *Stable*: an enabled candidate stays enabled until its choice is made, whatever else is chosen.
/// - *Independent*: two enabled choices can be made in either order, with the same resulting state.
/// - *Reluctant* choices ([`Choices::reluctant`]) may be disabled by what makes them redundant, and only by that: the
///   state is the same with and without them then. While a choice is enabled that is not reluctant, they keep the
///   contract; a reluctant one other than "goes on" may disable all others for good.
/// - *Named*: ids and keys follow from what their own rank and the sender of the message did, not from the order of
///   choices.
/// - *Late arrivals are reported* by [`System::late`]; reporting too many costs time only, too few loses executions.
/// - `settle` is deterministic.
pub trait System {
    /// A state to come back to.
    type Snapshot;

    /// Back to the beginning of the program.
    fn reset(&mut self);

    /// Runs all ranks until nothing moves without a choice.
    fn settle(&mut self) -> Settled;

    /// The enabled choices of the settled state, ascending by id. `out` is empty.
    fn choices(&mut self, out: &mut Choices);

    /// Makes a choice. `settle` follows.
    fn take(&mut self, event: Event);

    /// Makes these choices from the beginning; how the program has come to rest then.
    fn go_to(&mut self, path: &[Event]) -> Settled {
        self.reset();
        let start = self.settle();
        path.iter().fold(start, |_, &event| {
            self.take(event);
            self.settle()
        })
    }

    /// Late arrivals since the last call: choices already made for which a candidate appeared that they did not have
    /// when they were made, and whose appearance does not causally depend on them. Appends; order and repetition do not
    /// matter.
    fn late(&mut self, out: &mut Vec<ChoiceId>);

    /// Choices of this execution that were offered as [`crate::Tried::First`] or with needless candidates
    /// ([`crate::Tried::AllButLast`]) and turned out, since the last call, to make a difference. Appends; order and
    /// repetition do not matter.
    fn seen(&mut self, out: &mut Vec<ChoiceId>);

    /// Choices of this execution that were offered as [`crate::Tried::Last`], of which the present state tells that
    /// they may still turn out to make a difference: what is seen of one of a rank below a state with a name
    /// ([`System::fingerprint`]) is seen of all these of that rank. Appends.
    fn unheard(&mut self, _out: &mut Vec<ChoiceId>) {}

    /// The number of the settled state among those of the present execution, from 1 on, where the system tells what
    /// comes below states ([`crate::below`]). `None` elsewhere: then nothing is known of a state that was explored with
    /// another history.
    fn tick(&self) -> Option<u32>;

    /// What has come since the last call, whether or not it was late for some choice. Appends.
    fn arrived(&mut self, out: &mut Vec<Arrival>);

    /// All this comes below the settled state, and has these causes in it. What is late of it is told by
    /// [`System::late`] and [`System::seen`]; it is appended with all that it follows from in the present execution.
    /// `known` is empty at the first call in a state, and the same at the further ones.
    fn recall(
        &mut self,
        known: &mut PassedOn,
        causes: &Causes,
        below: &mut dyn Iterator<Item = Arriving>,
        out: &mut Vec<Arrival>,
    );

    /// Whether a schedule may make this choice in the settled state although it is not listed, because it would bring
    /// an exploration nothing.
    fn may_take(&mut self, event: Event) -> bool;

    /// What the reluctant choices made so far still change in the settled state, each mark as an event. Appends, in any
    /// order. Two sets of events that are equal but for "goes on" must lead to the same state if their marks are the
    /// same.
    fn marks(&mut self, out: &mut Vec<Event>);

    /// A name of the settled state by what may still become of it, whatever led to it: where two states have the same
    /// name, the same can happen in both, and what is enabled in one is enabled in the other. `None` where states are
    /// told apart by their history alone, as everywhere if nobody asks for more.
    fn fingerprint(&mut self) -> Option<Configuration>;

    /// A digest of what the program has given so far (what ranks have printed, say), which belongs to no state. `None`
    /// where nobody compares it, or where it may not be the same in the same execution.
    fn given(&mut self) -> Option<u128>;

    /// What can come of the choices of the settled state, which were asked for last. [`Prospect::Void`] goes before the
    /// others.
    fn prospect(&self, choices: &Choices) -> Prospect;

    /// Whether some ranks have got something of each other since the last choice, up to the settled state: a message,
    /// or that all have called an operation. Asked where a prospect was [`Prospect::Alone`].
    fn has_met(&self) -> bool;

    /// The call that makes an enabled choice of the settled state, by one of its events: for those who count what calls
    /// cost.
    fn caller(&mut self, event: Event) -> Caller;

    /// What the choices of the present execution have had an effect on; `None` where nobody follows that, as everywhere
    /// but for [`crate::reduction::histories`].
    fn influence(&self) -> Option<Influence>;

    /// What ranks were told in the present execution; `None` where nobody follows that, likewise.
    fn told(&self) -> Option<Told>;

    /// The settled state, or `None` when executing again from the beginning costs less.
    fn snapshot(&mut self) -> Option<Self::Snapshot>;

    /// Back to a state of which [`System::snapshot`] was taken in this execution or in one with the same beginning.
    fn restore(&mut self, snapshot: &Self::Snapshot);

    /// True when something went wrong on the way to the present state although ranks go on (an assertion of one rank,
    /// say).
    fn failed(&self) -> bool;

    /// True when some choice offered since the system was made had further alternatives that a bound of the system
    /// leaves out: the exploration is not complete then.
    fn left_out(&self) -> bool;
}

impl Settled {
    /// True when an execution ends here.
    pub fn is_end(self) -> bool {
        !matches!(self, Settled::Choices | Settled::Reluctant)
    }

    /// True when the state is a finding by itself.
    pub fn is_error(self) -> bool {
        matches!(self, Settled::Deadlock | Settled::Reluctant | Settled::Failed)
    }
}
