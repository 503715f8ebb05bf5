//! What the search asks of a system: its states, what holds in them, and which ranks can move.

use std::fmt;

/// How many ranks a search with fairness between them can tell apart.
pub const MOST_RANKS: usize = 128;

/// A set of ranks.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Ranks(pub(crate) u128);

impl Ranks {
    /// No rank.
    pub const NONE: Ranks = Ranks(0);

    /// The ranks `0..count`; `count` is at most [`MOST_RANKS`].
    pub fn first(count: usize) -> Ranks {
        assert!(count <= MOST_RANKS, "{count} ranks, but a set has room for {MOST_RANKS}");
        Ranks(if count == MOST_RANKS { u128::MAX } else { (1 << count) - 1 })
    }

    /// Adds a rank, which is less than [`MOST_RANKS`].
    pub fn insert(&mut self, rank: usize) {
        assert!(rank < MOST_RANKS, "rank {rank}, but a set has room for {MOST_RANKS}");
        self.0 |= 1 << rank;
    }

    /// Whether `rank` is in the set.
    pub fn contains(self, rank: usize) -> bool {
        rank < MOST_RANKS && self.0 >> rank & 1 == 1
    }

    /// The ranks of the set, from the lowest.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..MOST_RANKS).filter(move |rank| self.contains(*rank))
    }
}

impl FromIterator<usize> for Ranks {
    fn from_iter<I: IntoIterator<Item = usize>>(ranks: I) -> Ranks {
        let mut set = Ranks::NONE;
        ranks.into_iter().for_each(|rank| set.insert(rank));
        set
    }
}

impl fmt::Debug for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// A step of a system.
#[derive(Clone, Debug)]
pub struct Successor<S> {
    /// The state after it.
    pub state: S,
    /// The ranks that made progress in it.
    pub moved: Ranks,
    /// The offers that were accepted in it, by their numbers ([`Graph::offers`]).
    pub accepted: Vec<u32>,
}

/// A system of ranks that is explored state by state.
///
/// Two states with the same [`key`](Graph::key) are the same state: everything that is asked of one, the answers are
/// those for the other. The order of successors must be the same whenever they are asked for.
pub trait Graph {
    /// What is kept of a state until its successors have been asked for. Many states wait at a time, so this should be
    /// a number, or a snapshot that shares its pages with others.
    type State;
    /// Why the system can say no more: an interrupt, no memory, a finding of another kind.
    type Stop;

    /// How many ranks the system has.
    fn ranks(&self) -> usize;

    /// The state in which the system begins.
    ///
    /// Errors: the search ends with the reason.
    fn initial(&mut self) -> Result<Self::State, Self::Stop>;

    /// What tells this state from others.
    fn key(&self, state: &Self::State) -> u128;

    /// The propositions that hold: bit i for proposition i of the automaton.
    fn valuation(&self, state: &Self::State) -> u64;

    /// The ranks that can move. Each of them is among the `moved` of some successor, unless the caller has left that
    /// successor out because exploring it makes no difference.
    fn enabled(&self, state: &Self::State) -> Ranks;

    /// The offers that stand in a state, by numbers of the system's choice: messages that a rank may take, of which it
    /// takes one. With [`Fairness::Offers`](crate::Fairness::Offers) an execution counts only if each that stands again
    /// and again is accepted again and again.
    fn offers(&self, _state: &Self::State) -> Vec<u32> {
        Vec::new()
    }

    /// Appends the successors of `state` to `found`, always in the same order. None: the execution ends here.
    ///
    /// Errors: the search ends with the reason.
    fn successors(&mut self, state: &Self::State, found: &mut Vec<Successor<Self::State>>) -> Result<(), Self::Stop>;

    /// Appends an *ample* part of the successors of `state`, which may be explored in place of all of them; returns how
    /// many of [`Graph::successors`] come before it, at least `first`. It is a part of that list without gaps, in the
    /// same order. `None` where there is none, and in systems that are never reduced. The crate's page has the
    /// conditions ("Ample sets"). Asked again with a larger `first` if what was found does not do.
    ///
    /// Errors: the search ends with the reason.
    fn ample(
        &mut self,
        _state: &Self::State,
        _first: u32,
        _found: &mut Vec<Successor<Self::State>>,
    ) -> Result<Option<u32>, Self::Stop> {
        Ok(None)
    }

    /// Told again and again: so many states and steps between them are known.
    fn known(&mut self, _states: usize, _steps: usize) {}
}
