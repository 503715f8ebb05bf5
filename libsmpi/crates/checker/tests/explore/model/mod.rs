//! Test support: small programs, three worlds that run them, and a generator.

/// What a world has of which only the states are looked at.
macro_rules! nothing_but_states {
    () => {
        /// Nobody replays these executions.
        fn event(&mut self, _step: Step) -> Option<Event> {
            None
        }

        /// Failures are found in the states.
        fn failed(&self) -> bool {
            false
        }

        fn left_out(&self) -> bool {
            false
        }

        fn is_reluctant(&mut self) -> bool {
            false
        }
    };
}

pub mod choosing;
pub mod eager;
pub mod generate;
pub mod program;
pub mod relaxed;
