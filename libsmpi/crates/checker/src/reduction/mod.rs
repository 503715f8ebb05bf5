//! The reductions: their names, and what they have in common.

mod again;
mod cold;
pub(crate) mod cursor;
pub mod dpor;
mod endings;
pub mod expansion;
mod given;
pub mod histories;
mod kept;
pub mod matches;
mod memo;
pub mod none;
pub(crate) mod tally;
pub mod through;

use std::fmt;
use std::str::FromStr;

use crate::verdict::{Limits, Observer, Verdict};

/// A way to see all ends of a program.
pub trait Strategy<S> {
    /// Explores the program within limits, and shows each end to the observer.
    fn explore(&self, system: &mut S, limits: &Limits, observer: &mut dyn Observer<S>) -> Verdict;
}

/// How much of the orders of events an exploration leaves out. All show the same ends, but for the last one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Reduction {
    /// Nothing: [`none`].
    None,
    /// What the dependence of the papers' primitives allows: [`dpor`].
    Dpor,
    /// Everything but one execution for each distinct matching: [`mod@matches`].
    #[default]
    Matches,
    /// Combinations of choices that nobody hears of together, too: [`histories`]. It shows what each rank can be told,
    /// and not everything that ranks can be told at once.
    Histories,
}

impl Reduction {
    /// All, in the order of how much they leave out.
    pub const ALL: [Reduction; 4] = [Reduction::None, Reduction::Dpor, Reduction::Matches, Reduction::Histories];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Reduction::None => "none",
            Reduction::Dpor => "dpor",
            Reduction::Matches => "matches",
            Reduction::Histories => "histories",
        }
    }
}

impl fmt::Display for Reduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Reduction {
    type Err = String;

    fn from_str(text: &str) -> Result<Reduction, String> {
        let found = Reduction::ALL.into_iter().find(|reduction| reduction.name() == text);
        found.ok_or_else(|| format!("{text:?} is no reduction; expected none, dpor, matches or histories"))
    }
}
