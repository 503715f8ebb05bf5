//! Test support: small programs, three worlds that run them, and a generator.

pub mod choosing;
pub mod eager;
pub mod generate;
pub mod program;
pub mod relaxed;
