//! What a run tells its user: the summary, and addresses as source lines.
//!
//! It renders data that others collect; it measures nothing and prints nothing.
#![forbid(unsafe_code)]

pub mod source;
pub mod summary;
