//! The programs as they are read by a person: ranks that do one operation after the other, queues of messages, and
//! receives that take the first message that they may (MPI 5.0 §3.5).
//!
//! Each operation and each match is a step of its rank, in every order with those of others: nothing is left out, and
//! nothing is put together. Where executions count that are not fair, a rank may stop anywhere, even before an
//! operation that leaves it no choice, which libsmpi does not tell from doing it. So there, such steps are made at
//! once.

use smpi_base::digest::Digest;
use smpi_liveness::{Automaton, Fairness, Formula, Graph, Limits, Outcome, Ranks, Successor, Unary, check};

use super::generate::{Case, length};

/// States of a model after which it is too large.
const MOST_STATES: usize = 30_000;
/// Steps without a choice after which ranks are said to go on for ever.
const MOST_FORCED: usize = 2_000;

/// A receive that is not over, or over and not seen to be.
#[derive(Clone, Hash)]
struct Receive {
    /// `None`: from any.
    source: Option<usize>,
    /// Whose message it has taken.
    taken: Option<usize>,
}

/// What a rank is in.
#[derive(Clone, Hash, PartialEq, Eq)]
enum Phase {
    /// Nothing: it does its next operation.
    Ready,
    /// A send that waits for its receive.
    Sending,
    /// A receive, the last one.
    Receiving,
    /// A barrier.
    Barrier,
}

#[derive(Clone, Hash)]
struct Rank {
    /// Place in its word.
    at: usize,
    phase: Phase,
    last: usize,
    /// Bits: p, q, n.
    shown: u8,
    receives: Vec<Receive>,
    /// Whether it has arrived at the present barrier.
    arrived: bool,
}

/// A state: ranks, and for each pair of ranks its messages, whether their senders wait.
#[derive(Clone, Hash)]
struct State {
    ranks: Vec<Rank>,
    queues: Vec<Vec<Vec<bool>>>,
}

/// A step of a rank.
#[derive(Clone, Copy)]
enum Step {
    /// This receive takes a message of this rank.
    Match(usize, usize),
    /// Its next operation, of which there is one outcome.
    Next,
    /// Its next operation, with this outcome.
    Choose(usize),
}

impl Step {
    /// Whether it is the only way in which its rank can go on, and is not visible.
    fn is_forced(self, state: &State, rank: usize) -> bool {
        match self {
            Step::Match(receive, _) => state.ranks[rank].receives[receive].source.is_some(),
            Step::Next => true,
            Step::Choose(_) => false,
        }
    }
}

struct Model<'a> {
    words: Vec<&'a [u8]>,
    buffers: bool,
    /// Steps that are forced are made at once.
    hurries: bool,
}

/// Ranks go on for ever without a choice.
struct Endless;

impl Model<'_> {
    fn start(&self) -> State {
        let count = self.words.len();
        let rank = Rank { at: 0, phase: Phase::Ready, last: 0, shown: 0, receives: Vec::new(), arrived: false };
        State { ranks: vec![rank; count], queues: vec![vec![Vec::new(); count]; count] }
    }

    /// The steps that a rank can make.
    fn steps(&self, state: &State, rank: usize) -> Vec<Step> {
        let me = &state.ranks[rank];
        let mut steps = Vec::new();
        for from in 0..self.words.len() {
            let accepts = |one: &Receive| one.taken.is_none() && one.source.is_none_or(|source| source == from);
            let first = me.receives.iter().position(accepts);
            if let Some(receive) = first.filter(|_| !state.queues[from][rank].is_empty()) {
                steps.push(Step::Match(receive, from));
            }
        }
        let is_taken = |one: &Receive| one.taken.is_some();
        match me.phase {
            Phase::Sending => {}
            Phase::Receiving => steps.extend(me.receives.last().is_some_and(is_taken).then_some(Step::Next)),
            Phase::Barrier => steps.extend((!me.arrived).then_some(Step::Next)),
            Phase::Ready => match self.words[rank].get(me.at) {
                None => {}
                Some(b'w' | b'l') => steps.extend(me.receives.iter().all(is_taken).then_some(Step::Next)),
                Some(b'm') => steps.extend([Step::Choose(0), Step::Choose(1)]),
                Some(b'a') if !me.receives.is_empty() => {
                    let over = (0..me.receives.len()).filter(|&one| is_taken(&me.receives[one]));
                    steps.extend(over.map(Step::Choose));
                }
                // A proposition is seen to change when its rank is given its turn.
                Some(b'p' | b'q' | b'b' | b'n') => steps.push(Step::Choose(0)),
                Some(_) => steps.push(Step::Next),
            },
        }
        steps
    }

    fn make(&self, state: &mut State, rank: usize, step: Step) {
        if let Step::Match(receive, from) = step {
            state.ranks[rank].receives[receive].taken = Some(from);
            if state.queues[from][rank].remove(0) {
                state.ranks[from].phase = Phase::Ready;
            }
            return;
        }
        let me = &mut state.ranks[rank];
        match me.phase {
            Phase::Receiving => {
                me.last = me.receives.pop().and_then(|one| one.taken).unwrap_or_default();
                me.phase = Phase::Ready;
            }
            Phase::Barrier => me.phase = Phase::Ready,
            _ => self.operate(state, rank, step),
        }
    }

    fn operate(&self, state: &mut State, rank: usize, step: Step) {
        let word = self.words[rank];
        let me = &mut state.ranks[rank];
        let peer = word.get(me.at + 1).filter(|peer| peer.is_ascii_digit()).map(|peer| usize::from(peer - b'0'));
        let letter = word[me.at];
        me.at += length(letter);
        let chosen = if let Step::Choose(outcome) = step { outcome } else { 0 };
        match letter {
            b's' | b'S' => {
                let waits = letter == b'S' || !self.buffers;
                me.phase = if waits { Phase::Sending } else { Phase::Ready };
                state.queues[rank][peer.expect("a receiver is named")].push(waits);
            }
            b'r' | b'i' => {
                me.receives.push(Receive { source: peer, taken: None });
                me.phase = if letter == b'r' { Phase::Receiving } else { Phase::Ready };
            }
            b'w' => me.receives.clear(),
            b'a' if me.receives.is_empty() => {}
            b'a' => {
                me.receives.remove(chosen);
                me.last = chosen;
            }
            b'm' => me.last = chosen,
            b'p' => me.shown ^= 1,
            b'q' => me.shown ^= 2,
            b'b' => me.shown ^= 3,
            b'n' => me.shown ^= 4,
            b'B' => {
                (me.phase, me.arrived) = (Phase::Barrier, true);
                if state.ranks.iter().all(|rank| rank.arrived) {
                    state.ranks.iter_mut().for_each(|rank| rank.arrived = false);
                }
            }
            b'x' if me.last % 2 == 1 => me.at = word.len(),
            b'o' if me.last % 2 == 1 => {
                me.at += word.get(me.at).map_or(0, |&letter| length(letter));
            }
            b'x' | b'o' => {}
            _ => {
                me.receives.clear();
                (me.at, me.last) = (0, 0);
            }
        }
    }

    /// The messages of a rank to another one, as they are offered and accepted.
    fn message(&self, from: usize, to: usize) -> u32 {
        (from * self.words.len() + to) as u32
    }

    /// Makes what is forced.
    fn hurry(&self, mut state: State) -> Result<State, Endless> {
        for _ in 0..if self.hurries { MOST_FORCED } else { 0 } {
            let forced = (0..self.words.len()).find_map(|rank| {
                let steps = self.steps(&state, rank);
                steps.into_iter().find(|step| step.is_forced(&state, rank)).map(|step| (rank, step))
            });
            let Some((rank, step)) = forced else { return Ok(state) };
            self.make(&mut state, rank, step);
        }
        if self.hurries { Err(Endless) } else { Ok(state) }
    }
}

impl Graph for Model<'_> {
    type State = State;
    type Stop = Endless;

    fn ranks(&self) -> usize {
        self.words.len()
    }

    fn initial(&mut self) -> Result<State, Endless> {
        self.hurry(self.start())
    }

    fn key(&self, state: &State) -> u128 {
        Digest::of(state)
    }

    fn valuation(&self, state: &State) -> u64 {
        let bits = |(place, rank): (usize, &Rank)| u64::from(rank.shown & 3) << (2 * place);
        state.ranks.iter().enumerate().map(bits).sum()
    }

    fn enabled(&self, state: &State) -> Ranks {
        (0..self.words.len()).filter(|&rank| !self.steps(state, rank).is_empty()).collect()
    }

    fn offers(&self, state: &State) -> Vec<u32> {
        let offered = |rank: usize, step: Step| match step {
            Step::Match(receive, from) if state.ranks[rank].receives[receive].source.is_none() => Some(from),
            _ => None,
        };
        let of = |rank: usize| {
            let steps = self.steps(state, rank).into_iter();
            steps.filter_map(move |step| Some(self.message(offered(rank, step)?, rank)))
        };
        (0..self.words.len()).flat_map(of).collect()
    }

    fn successors(&mut self, state: &State, found: &mut Vec<Successor<State>>) -> Result<(), Endless> {
        for rank in 0..self.words.len() {
            for step in self.steps(state, rank) {
                let mut after = state.clone();
                self.make(&mut after, rank, step);
                let accepted =
                    if let Step::Match(_, from) = step { vec![self.message(from, rank)] } else { Vec::new() };
                found.push(Successor { state: self.hurry(after)?, moved: [rank].into_iter().collect(), accepted });
            }
        }
        Ok(())
    }
}

/// Whether the formula is violated; `None` where that is not decided.
pub fn is_violated(case: &Case, buffers: bool, fairness: Fairness) -> Option<bool> {
    let words = case.words.iter().map(String::as_bytes).collect();
    let mut model = Model { words, buffers, hurries: fairness == Fairness::None };
    let names: Vec<String> = (0..case.words.len()).flat_map(|rank| ["p", "q"].map(|p| format!("{p}{rank}"))).collect();
    let formula = Formula::parse(&case.formula).ok()?;
    let automaton = Automaton::of(&formula.under(Unary::Not)).ok()?.over(&names).ok()?;
    let limits = Limits { states: MOST_STATES, ..Limits::default() };
    match check(&mut model, &automaton, fairness, limits).0 {
        Outcome::Holds => Some(false),
        Outcome::Violated(_) => Some(true),
        Outcome::Stopped(Endless) | Outcome::Limit => None,
    }
}
