//! An exploration by states as bytes, so that another process goes on where this one is.
//!
//! It is kept again and again, and each time what has *changed* since: the states that were left, the components that
//! are complete, and the end of the path. A path changes at its end only, so of its frames those are written again that
//! the exploration was at since. All changes one after the other are the exploration. Copies of the system are no part
//! of it: whoever goes on makes the choices of the path once more.
//!
//! Everything that decides what is explored next is in it, so an exploration that goes on takes the same choices in the
//! same order as one that was never kept, and counts the same. What else an observer has seen is its own business.

use serde::{Deserialize, Serialize};

use crate::below::{KeptBelow, KeptTicks, Shared};
use crate::choice::Event;
use crate::configuration::Configuration;
use crate::reduction::cursor::Name;
use crate::reduction::endings::{Endings, NewEndings, Reach};
use crate::reduction::expansion::{Branching, Evidence};
use crate::reduction::given::{Given, NewGiven};
use crate::reduction::matches::{Exploration, Frame, Keeping};
use crate::reduction::memo::{Memo, NewStates};
use crate::system::{Prospect, System};
use crate::tolls::TollId;
use crate::verdict::{Ambiguous, Flow, Keep, Stop, Verdict};

/// The first byte, which changes when the meaning of the others does.
const FORMAT: u8 = 1;

/// A frame of the path.
#[derive(Serialize, Deserialize)]
struct KeptFrame {
    /// The choice that leads there; of the first one there is none.
    event: Option<Event>,
    name: Name,
    base: Configuration,
    branching: Branching,
    found: Evidence,
    below: KeptBelow,
    remember: bool,
    reach: Reach,
    prospect: Prospect,
    ambiguous: Option<Box<Ambiguous>>,
    branches: Vec<Event>,
    taken: usize,
    toll: TollId,
    since: u64,
}

/// How an exploration has changed.
#[derive(Serialize, Deserialize)]
struct Change {
    /// How often it was kept before. (It stands first: [`number`].)
    number: u64,
    states: NewStates,
    endings: NewEndings,
    given: NewGiven,
    /// So many frames are as they were.
    same: usize,
    frames: Vec<KeptFrame>,
    ticks: KeptTicks,
    found: Evidence,
    is_known_as_many: bool,
    verdict: Verdict,
}

/// How often the exploration was kept before a change.
fn number(change: &[u8]) -> Option<u64> {
    Some(postcard::take_from_bytes(change.strip_prefix(&[FORMAT])?).ok()?.0)
}

impl<S: System> Exploration<'_, S> {
    /// Goes on from where another exploration was that has changed like this. False where the bytes are something
    /// else, or the states on its path have other names here: then nothing is known.
    pub(super) fn go_on(&mut self, changes: &mut dyn Iterator<Item = Vec<u8>>) -> bool {
        let mut is_known = false;
        for change in changes {
            // Where it could not go on before, it was begun again.
            if number(&change) == Some(0) {
                self.forget();
                is_known = true;
            }
            is_known = is_known && self.change(&change).is_some();
        }
        is_known && !self.frames.is_empty() && self.is_path_the_same()
    }

    /// Nothing is known.
    pub(super) fn forget(&mut self) {
        self.memo = Memo::new();
        (self.endings, self.given) = (Endings::default(), Given::default());
        self.frames.clear();
        self.branches.clear();
        self.path.clear();
        (self.found, self.is_known_as_many) = (Evidence::default(), false);
        (self.tally.verdict, self.keeping) = (Verdict::default(), Keeping::default());
    }

    /// Makes the choices of the path, and compares the states that they lead to with those that were kept.
    fn is_path_the_same(&mut self) -> bool {
        self.cursor.reset();
        let steps = [None].into_iter().chain(self.path.iter().map(Some));
        steps.zip(&self.frames).all(|(event, frame)| {
            event.into_iter().for_each(|&event| _ = self.cursor.take(event));
            self.cursor.name(frame.base).key == frame.name.key
        })
    }

    /// Remembers from now on what changes.
    pub(super) fn is_to_be_kept(&mut self) {
        self.memo.remember_news();
        self.given.remember_news();
    }

    fn change(&mut self, bytes: &[u8]) -> Option<()> {
        let bytes = bytes.strip_prefix(&[FORMAT])?;
        let (change, states): (Change, &[u8]) = postcard::take_from_bytes(bytes).ok()?;
        if change.number != self.keeping.number {
            return None;
        }
        self.memo.add(change.states, states);
        self.endings.change(change.endings);
        self.given.add(change.given);
        let ticks = change.ticks.shared();
        self.frames.truncate(change.same);
        self.branches.truncate(self.frames.last().map_or(0, |frame| frame.end));
        self.path.truncate(self.frames.len().saturating_sub(1));
        for kept in change.frames {
            self.path.extend(kept.event);
            let (start, next) = (self.branches.len(), self.branches.len() + kept.taken);
            self.branches.extend(kept.branches);
            if kept.name.is_state {
                self.memo.enter(kept.name, kept.reach.number);
            }
            self.frames.push(Frame {
                name: kept.name,
                base: kept.base,
                branching: kept.branching,
                found: kept.found,
                below: kept.below.below(&ticks)?,
                remember: kept.remember,
                reach: kept.reach,
                prospect: kept.prospect,
                ambiguous: kept.ambiguous,
                start,
                next,
                end: self.branches.len(),
                toll: kept.toll,
                since: kept.since,
                snapshot: None,
            });
        }
        (self.found, self.is_known_as_many) = (change.found, change.is_known_as_many);
        self.tally.verdict = change.verdict;
        self.keeping = Keeping { number: change.number + 1, same: self.frames.len().saturating_sub(1) };
        Some(())
    }

    /// Keeps the exploration, if the observer wants it. What comes next changes the last frame alone.
    pub(super) fn keep(&mut self) -> Flow {
        if !self.memo.remembers_news() {
            return Flow::Continue;
        }
        self.keeping.same = self.keeping.same.min(self.frames.len() - 1);
        let keep = self.tally.keeps();
        if keep != Keep::Later
            && let Some(change) = self.changed()
            && self.tally.keep(self.cursor.system, change)
        {
            self.keeping = Keeping { number: self.keeping.number + 1, same: self.frames.len() - 1 };
            self.memo.forget_news();
            self.endings.forget_news();
            self.given.forget_news();
        }
        if keep != Keep::AndStop {
            return Flow::Continue;
        }
        self.tally.verdict.stopped = Some(Stop::Asked);
        Flow::Stop
    }

    fn changed(&self) -> Option<Vec<u8>> {
        let same = self.keeping.same;
        let mut shared = Shared::default();
        let frames = self.frames.iter().enumerate().skip(same).map(|(at, frame)| KeptFrame {
            event: at.checked_sub(1).map(|step| self.path[step]),
            name: frame.name,
            base: frame.base,
            branching: frame.branching.clone(),
            found: frame.found.clone(),
            below: frame.below.kept(&mut shared),
            remember: frame.remember,
            reach: frame.reach,
            prospect: frame.prospect,
            ambiguous: frame.ambiguous.clone(),
            branches: self.branches[frame.start..frame.end].to_vec(),
            taken: frame.next - frame.start,
            toll: frame.toll,
            since: frame.since,
        });
        let frames = frames.collect();
        let (states, blob) = self.memo.news()?;
        let change = Change {
            number: self.keeping.number,
            states,
            endings: self.endings.news(),
            given: self.given.news(),
            same,
            frames,
            ticks: shared.kept(),
            found: self.found.clone(),
            is_known_as_many: self.is_known_as_many,
            verdict: self.tally.verdict.clone(),
        };
        let mut bytes = postcard::to_extend(&change, vec![FORMAT]).ok()?;
        bytes.extend(blob);
        Some(bytes)
    }
}
