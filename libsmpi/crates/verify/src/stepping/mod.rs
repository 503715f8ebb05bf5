//! `--step`: going through the execution of a token in both directions, by commands from standard input.
//!
//! [`journal`] goes through it once and notes every event; [`walk`] brings the program to any moment of it, from copies
//! of its states; [`session`] answers [`commands`].

mod below;
mod commands;
mod debugger;
mod journal;
mod session;
mod walk;

pub(crate) use session::{step, take_input};
