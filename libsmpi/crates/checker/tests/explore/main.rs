//! Tests of the exploration on small programs; see `model` for the worlds that they run in.

mod campaign;
mod determinism;
mod ends;
mod histories;
mod jobs;
mod kept;
mod model;
mod papers;
mod random;
mod stateful;
mod walks;
