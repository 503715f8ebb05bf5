//! Where a setting has an effect. What is given and has none is refused, or SMPI's command lines could not be kept.

/// What a run is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Programs are simulated.
    Simulation,
    /// A trace is replayed on a simulated platform.
    Trace,
    /// Programs are verified, or one schedule of a verification is repeated.
    Verification,
}

/// The modes in which a setting has an effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Modes {
    /// All.
    All,
    /// Where there is a simulated clock.
    Times,
    /// Simulations of programs; SMPI's replays take such settings, too.
    Computation,
    /// Where there are programs; SMPI's replays take such settings, too.
    Programs,
    /// Where there are programs.
    Spawning,
    /// Simulations of programs; a verification does always what it turns on.
    Checks,
    /// Verifications.
    Verifications,
    /// Where the option has one that says the same.
    Option,
}

/// What a setting does in a mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// What it is for.
    Some,
    /// Nothing. SMPI takes it all the same, and a note says so.
    Noted,
    /// Nothing: it is refused, with this reason.
    Refused(&'static str),
}

impl Modes {
    /// What a setting does in `mode`.
    pub fn effect(self, mode: Mode) -> Effect {
        let untimed = Effect::Refused("it is about times, and a verification has none: leave it out");
        let unprogrammed = Effect::Refused("it is about programs, and a trace is replayed without any: leave it out");
        match (self, mode) {
            (Modes::All | Modes::Option, _)
            | (Modes::Times, Mode::Simulation | Mode::Trace)
            | (Modes::Computation | Modes::Checks, Mode::Simulation)
            | (Modes::Programs | Modes::Spawning, Mode::Simulation | Mode::Verification)
            | (Modes::Verifications, Mode::Verification) => Effect::Some,
            (Modes::Computation | Modes::Programs, Mode::Trace) => Effect::Noted,
            (Modes::Times | Modes::Computation, Mode::Verification) => untimed,
            (Modes::Spawning | Modes::Checks, Mode::Trace) => unprogrammed,
            (Modes::Checks, Mode::Verification) => Effect::Refused("a verification always looks for it: leave it out"),
            (Modes::Verifications, Mode::Simulation | Mode::Trace) => {
                Effect::Refused("it is about verifications: add --verify, or leave it out")
            }
        }
    }

    /// Where it has an effect, in a word or two of the manual.
    pub fn words(self) -> &'static str {
        match self {
            Modes::All => "everywhere",
            Modes::Times => "simulation, replay of traces",
            Modes::Computation | Modes::Checks => "simulation",
            Modes::Programs | Modes::Spawning => "simulation, verification",
            Modes::Verifications => "verification",
            Modes::Option => "as the option",
        }
    }
}
