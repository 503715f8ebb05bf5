//! The ranks' clocks in a verification, where time has no meaning.
//!
//! Each rank has a clock of its own. It moves a little with every look, so that measured times are not zero, and by the
//! length of each sleep. Clocks must not make executions differ, so looks of a polling rank do not move its clock.
//!
//! **Deadlines.** A look after futile polls is a question: has the rank's deadline passed? "Not yet" and "passed" are
//! both explored the first time. If the rank asks again without progress, time stands still until nothing else can
//! happen; then the deadline has passed, as with polls (docs/verification.md, "Polling"). A rank that looks
//! [`LOOKS_IN_A_ROW`] times without another MPI call waits only for time. Then its time passes, and there is no choice.
//! Time passes by a jump beyond any deadline, longer each time.

/// What a look at the clock takes.
const TICK_SECS: f64 = 1e-6;
/// Looks in a row after which the time passes that a rank waits for.
const LOOKS_IN_A_ROW: u32 = 100;
/// The first jump; the further ones are ten times as far each, up to the limit.
const FIRST_JUMP_SECS: f64 = 1e6;
const LAST_JUMP_SECS: f64 = 1e8;
/// Nanoseconds of it must fit into 64 bits.
const MAX_SECS: f64 = 9e9;

/// A rank's clock.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    pub secs: f64,
    /// Looks since the last call of MPI that was none.
    looks: u32,
    /// It was asked whether a deadline has passed, and the rank has got nowhere since.
    pub is_asked: bool,
    /// Since it was looked at last, the rank has polled in vain where nothing else could happen.
    pub is_awaited: bool,
    jumps: i32,
    /// A deadline has passed by choice: what the rank prints may contain times.
    pub is_by_choice: bool,
}

impl Clock {
    /// What it may still show.
    pub fn name(&self) -> (u64, u32, bool, bool, i32, bool) {
        let Clock { secs, looks, is_asked, is_awaited, jumps, is_by_choice } = self;
        (secs.to_bits(), *looks, *is_asked, *is_awaited, *jumps, *is_by_choice)
    }

    /// The rank sleeps.
    pub fn sleep(&mut self, secs: f64) {
        self.secs = (self.secs + secs).min(MAX_SECS);
    }

    /// The rank makes a call of MPI that is no look at the clock.
    pub fn interrupt(&mut self) {
        self.looks = 0;
    }

    /// The rank has got somewhere: by a poll that found something, or a call that was none.
    pub fn progress(&mut self) {
        self.is_asked = false;
        self.is_awaited = false;
    }

    /// The rank looks again without progress: time passes if nothing else can happen, or `always`.
    pub fn look_again(&mut self, always: bool) {
        if std::mem::take(&mut self.is_awaited) || always {
            self.pass();
        }
    }

    /// The time has passed that the rank waits for, by choice.
    pub fn pass(&mut self) {
        self.is_by_choice = true;
        self.jump();
    }

    fn jump(&mut self) {
        let secs = FIRST_JUMP_SECS * 10_f64.powi(self.jumps);
        self.jumps += 1;
        self.looks = 0;
        self.sleep(secs.min(LAST_JUMP_SECS));
    }

    /// A look of a rank that does not poll.
    pub fn look(&mut self) {
        self.looks += 1;
        self.sleep(TICK_SECS);
        if self.looks == LOOKS_IN_A_ROW {
            self.jump();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_for_a_rank_that_only_looks() {
        let mut clock = Clock::default();
        for _ in 0..LOOKS_IN_A_ROW - 1 {
            clock.look();
        }
        assert!(clock.secs > 0.0 && clock.secs < 1e-3);
        clock.interrupt();
        clock.look();
        assert!(clock.secs < 1e-3);
        for _ in 0..4 * LOOKS_IN_A_ROW {
            clock.look();
        }
        assert!(clock.secs > 2.0 * LAST_JUMP_SECS && clock.jumps == 4);
        for _ in 0..1000 * LOOKS_IN_A_ROW {
            clock.look();
        }
        assert!(clock.secs <= MAX_SECS);
    }
}
