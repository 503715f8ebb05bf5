//! The search for errors by one process: what it watches, what comes out of it, and how much there would be.

pub(crate) mod anew;
pub(crate) mod collect;
pub(crate) mod course;
pub(crate) mod estimate;
pub(crate) mod outcome;
