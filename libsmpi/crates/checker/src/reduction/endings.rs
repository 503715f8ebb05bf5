//! States from which no execution comes to an end any more, found on the way of a depth-first search.
//!
//! States that can all reach each other are a component, and components are complete from the last one to the first
//! (Tarjan, SIAM Journal on Computing 1 (2), 1972). A component that has no end of an execution, and leads to none that
//! has, is *lost*: whatever is chosen, the program goes on for ever. That is an error only where another execution
//! ends, or where nothing happens in it but polls that find nothing, or what each rank does by itself: servers that run
//! for ever are lost from their beginning.
//!
//! A component that is *void*, in which an execution cannot stay for ever because it would be none
//! ([`Prospect::Void`]), is not lost: no execution goes on there. Nor does one in a component that only leads to such
//! ones, if a poll leads out of it that could be told that something is there: it is told so some time.
//!
//! The crate's documentation says why what is explored is enough: an end that can be reached from an explored state can
//! be reached by explored branches.

use serde::{Deserialize, Serialize};

use crate::choice::Event;
use crate::system::Prospect;

/// What becomes of the executions through a state, as far as is known: the last that holds of one of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) enum Onward {
    /// There are none: a choice has anticipated what does not come.
    Void,
    /// They go on for ever.
    Endless,
    /// Some execution ends, or may: where the search did not look, anything is assumed.
    Ends,
}

impl Onward {
    /// All of them.
    pub const ALL: [Onward; 3] = [Onward::Void, Onward::Endless, Onward::Ends];
}

/// A state, as far as the search has come below it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Reach {
    /// States have ascending numbers as the search comes to them.
    pub number: u32,
    /// The lowest number of a state that it can reach and that can reach it, as far as is known.
    low: u32,
    /// What is known of the executions that go on from there.
    pub onward: Onward,
    /// An execution can come back to it, or to another state of its component.
    is_round: bool,
    /// From its component, fairness leads an execution to where it would be none.
    is_left: bool,
    /// In all states of its component, an execution that stayed there for ever would be none.
    is_void: bool,
    /// In all states of its component, ranks can only be told that there is nothing, or get nothing of each other, and
    /// no choice leads out of it.
    is_futile: bool,
    /// How many states of incomplete components there were before it.
    before: usize,
}

impl Reach {
    /// What is known of a state at which the exploration stops, or of an end.
    pub fn leaf(onward: Onward) -> Reach {
        Reach {
            number: 0,
            low: 0,
            onward,
            is_round: false,
            is_left: false,
            is_void: false,
            is_futile: false,
            before: 0,
        }
    }

    /// A branch leads to a state that was met before; with its number, if its component is not complete.
    pub fn meets(&mut self, onward: Onward, open: Option<u32>) {
        self.onward = self.onward.max(onward);
        self.is_round |= open.is_some();
        self.is_futile &= open.is_some();
        self.low = self.low.min(open.unwrap_or(u32::MAX));
    }

    /// A branch leads to a state that is explored now.
    pub fn leads_to(&mut self, other: &Reach) {
        self.meets(other.onward, (!other.is_first()).then_some(other.low));
        self.is_void &= other.is_void || other.is_first();
        self.is_left |= other.is_left && !other.is_first();
        self.is_futile &= other.is_futile;
    }

    /// Ranks get something of each other in its component.
    pub fn is_met(&mut self) {
        self.is_futile = false;
    }

    /// A poll that is told that something is there leads out of its component, to where there are no executions.
    pub fn is_left_by_poll(&mut self) {
        self.is_left = true;
    }

    /// What becomes of the executions through its component, all of which was explored.
    fn of_component(&self) -> Onward {
        let stays = self.is_round && !self.is_void && !self.is_left;
        self.onward.max(if stays { Onward::Endless } else { Onward::Void })
    }

    /// No state above it is in its component.
    pub fn is_first(&self) -> bool {
        self.low == self.number
    }
}

/// The components of a search.
#[derive(Default)]
pub(crate) struct Endings {
    met: u32,
    /// The numbers of the states that have names, of components that are not complete.
    open: Vec<u32>,
    /// So many of them were there when it was kept last, and are still there.
    same: usize,
    /// Some execution has ended as it should.
    pub has_ended: bool,
    lost: Option<Vec<Event>>,
    /// Choices that lead to the first component in which ranks poll, for ever and in vain.
    futile: Option<Vec<Event>>,
}

/// How they have changed.
#[derive(Serialize, Deserialize)]
pub(crate) struct NewEndings {
    met: u32,
    same: usize,
    open: Vec<u32>,
    has_ended: bool,
    lost: Option<Vec<Event>>,
    futile: Option<Vec<Event>>,
}

impl Endings {
    /// The search comes to a state, which may be met again if it has a name.
    pub fn enter(&mut self, has_name: bool, prospect: Prospect) -> Reach {
        let (number, before) = (self.met, self.open.len());
        self.met = self.met.saturating_add(1);
        self.open.extend(has_name.then_some(number));
        let (is_void, is_futile) = match prospect {
            Prospect::Open => (false, false),
            Prospect::Void => (true, false),
            Prospect::Futile | Prospect::Settled | Prospect::Alone => (false, true),
        };
        let (onward, is_round, is_left) = (Onward::Void, false, false);
        Reach { number, low: number, onward, is_round, is_left, is_void, is_futile, before }
    }

    /// All branches of the first state of a component were taken, to which `path` leads: the numbers of its states.
    /// What becomes of the executions through them is in `reach` then.
    pub fn complete(&mut self, reach: &mut Reach, path: &[Event]) -> std::vec::Drain<'_, u32> {
        reach.onward = reach.of_component();
        if reach.onward == Onward::Endless {
            self.lose(path);
            if reach.is_futile && self.futile.is_none() {
                self.futile = Some(path.to_vec());
            }
        }
        self.same = self.same.min(reach.before);
        self.open.drain(reach.before..)
    }

    /// What has changed since it was kept last.
    pub fn news(&self) -> NewEndings {
        let Endings { met, has_ended, .. } = *self;
        let (lost, futile) = (self.lost.clone(), self.futile.clone());
        NewEndings { met, same: self.same, open: self.open[self.same..].to_vec(), has_ended, lost, futile }
    }

    /// Nothing is new any more.
    pub fn forget_news(&mut self) {
        self.same = self.open.len();
    }

    /// Becomes what it has become elsewhere.
    pub fn change(&mut self, news: NewEndings) {
        let NewEndings { met, same, open, has_ended, lost, futile } = news;
        self.open.truncate(same);
        self.open.extend(open);
        *self = Endings { met, same: self.open.len(), open: std::mem::take(&mut self.open), has_ended, lost, futile };
    }

    /// From the state to which `path` leads, no execution ends. States on the way there may be lost already.
    pub fn lose(&mut self, path: &[Event]) {
        match &mut self.lost {
            None => self.lost = Some(path.to_vec()),
            Some(known) if known.len() > path.len() && known.starts_with(path) => known.truncate(path.len()),
            Some(_) => {}
        }
    }

    /// The choices that lead to the first lost state that was found, if some execution has ended; or to the first from
    /// which ranks poll in vain.
    pub fn lost(self) -> Option<Vec<Event>> {
        self.lost.filter(|_| self.has_ended).or(self.futile)
    }
}
