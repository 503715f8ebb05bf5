//! States from which no execution comes to an end any more, found on the way of a depth-first search.
//!
//! States that can all reach each other are a component, and components are complete from the last one to the first
//! (Tarjan, SIAM Journal on Computing 1 (2), 1972). A component that has no end of an execution, and leads to none that
//! has, is *lost*: whatever is chosen, the program goes on for ever. That is an error only where another execution
//! ends, or where nothing happens in it but polls that find nothing: servers that run for ever are lost from their
//! beginning.
//!
//! The crate's documentation says why what is explored is enough: an end that can be reached from an explored state can
//! be reached by explored branches.

use crate::choice::Event;

/// A state, as far as the search has come below it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// States have ascending numbers as the search comes to them.
    pub number: u32,
    /// The lowest number of a state that it can reach and that can reach it, as far as is known.
    low: u32,
    /// Some execution can end, or may: where the search did not look, anything is assumed.
    pub ends: bool,
    /// In all states of its component, ranks can only be told that there is nothing, and no choice leads out of it.
    is_futile: bool,
    /// How many states of incomplete components there were before it.
    before: usize,
}

impl Reach {
    /// What is known of a state at which the exploration stops, or of an end.
    pub fn leaf(ends: bool) -> Reach {
        Reach { number: 0, low: 0, ends, is_futile: false, before: 0 }
    }

    /// A branch leads to a state that was met before; with its number, if its component is not complete.
    pub fn meets(&mut self, ends: bool, open: Option<u32>) {
        self.ends |= ends;
        self.is_futile &= open.is_some();
        self.low = self.low.min(open.unwrap_or(u32::MAX));
    }

    /// A branch leads to a state that is explored now.
    pub fn leads_to(&mut self, other: &Reach) {
        self.meets(other.ends, (!other.is_first()).then_some(other.low));
        self.is_futile &= other.is_futile;
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
    /// Some execution has ended as it should.
    pub has_ended: bool,
    lost: Option<Vec<Event>>,
    /// Choices that lead to the first component in which ranks poll, for ever and in vain.
    futile: Option<Vec<Event>>,
}

impl Endings {
    /// The search comes to a state, which may be met again if it has a name, and in which polls may be all there is.
    pub fn enter(&mut self, has_name: bool, is_futile: bool) -> Reach {
        let (number, before) = (self.met, self.open.len());
        self.met = self.met.saturating_add(1);
        self.open.extend(has_name.then_some(number));
        Reach { number, low: number, ends: false, is_futile, before }
    }

    /// All branches of the first state of a component were taken, to which `path` leads: the numbers of its states.
    pub fn complete(&mut self, reach: &Reach, path: &[Event]) -> std::vec::Drain<'_, u32> {
        if !reach.ends {
            self.lose(path);
            if reach.is_futile && self.futile.is_none() {
                self.futile = Some(path.to_vec());
            }
        }
        self.open.drain(reach.before..)
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
