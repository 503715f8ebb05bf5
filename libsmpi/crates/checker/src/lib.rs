//! Exploration of all relevant outcomes of a program.
#![forbid(unsafe_code)]

pub mod brute;
pub mod choice;
pub mod configuration;
pub mod dpor;
pub mod held;
pub mod history;
pub mod interleaving;
pub mod jobs;
pub mod late;
pub mod matches;
pub mod system;
pub mod token;
pub mod verdict;

pub use choice::{Choice, ChoiceId, ChoiceKind, Choices, Event};
pub use configuration::Configuration;
pub use held::{Held, HeldReceive, Senders};
pub use matches::{Part, PartResult, explore, explore_part};
pub use system::{Settled, System};
pub use token::{ReplayError, ReplayStep, Token, replay};
pub use verdict::{Counterexample, Flow, Limits, Observer, Stats, Stop, Unobserved, Verdict};
