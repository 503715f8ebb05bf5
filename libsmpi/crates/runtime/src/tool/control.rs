//! Control variables (MPI 5.0 §15.3.6): the settings of `--cfg` by their keys, as the calling rank has them, and the
//! algorithms of collective operations on a communicator.
//!
//! What describes the simulated machine is constant: a tool looks at it. What an MPI library leaves to its user can be
//! set, for the own rank. A verification tries both extremes of buffering, whatever the thresholds are.

use std::ffi::c_int;
use std::sync::OnceLock;

use smpi_mpi::collective::select::{Form, Kind};
use smpi_mpi::p2p::protocol::Thresholds;

use super::category::Category;
use super::{Bind, Enumeration, Type, Verbosity};
use crate::config::Settings;

/// A control variable.
#[derive(Debug)]
pub struct Control {
    /// Its name: the key of `--cfg`.
    pub name: String,
    /// What it is, in a sentence.
    pub description: String,
    /// For whom.
    pub verbosity: Verbosity,
    /// The type of its value.
    pub value_type: Type,
    /// The names of its values.
    pub enumeration: Option<Enumeration>,
    /// What it is bound to.
    pub bind: Bind,
    /// Who may set it.
    pub scope: Scope,
    /// The category that it is in.
    pub category: Category,
    /// What it is the value of.
    pub what: What,
}

/// Who may set a variable, and together with whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Nobody.
    Constant,
    /// Every rank for itself.
    Local,
    /// All ranks of the communicator alike.
    GroupAlike,
    /// All ranks alike.
    AllAlike,
}

/// Something that is set.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// Below this size messages are eager.
    EagerBelow,
    /// Below this size senders do not wait.
    DetachedBelow,
    /// Whether there is a barrier in `MPI_Finalize`.
    Barrier,
    /// A number of the settings.
    Number(fn(&Settings) -> f64),
    /// Whether something holds, by the settings.
    Flag(fn(&Settings) -> bool),
    /// A text of the settings.
    Text(fn(&Settings) -> String),
    /// The table of algorithms.
    Table,
    /// The algorithm of a kind of calls.
    Algorithm(Kind),
}

/// What a rank's tool has set.
#[derive(Clone, Copy, Hash, Default, Debug)]
pub struct Own {
    /// `smpi/barrier-finalization`; any number but 0 asks for it.
    pub barrier: Option<c_int>,
    /// Where its messages change protocols.
    pub thresholds: Option<Thresholds>,
}

/// Algorithms that a communicator's tool has chosen.
pub type Chosen = Vec<(Kind, &'static str)>;

/// Why a variable cannot be set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// It never can.
    Never,
    /// It is too late.
    NotNow,
    /// No such value.
    Value,
}

/// Name, description, verbosity, category, scope, and what it is.
type Line = (&'static str, &'static str, Verbosity, Category, Scope, What);

/// The variables that are bound to nothing.
const FIXED: [Line; 22] = [
    (
        "smpi/async-small-thresh",
        "Messages below this number of bytes leave before a receive is posted (eager).",
        Verbosity::Tuner,
        Category::Protocols,
        Scope::Local,
        What::EagerBelow,
    ),
    (
        "smpi/send-is-detached-thresh",
        "The sender of a message below this number of bytes does not wait for its receiver.",
        Verbosity::Tuner,
        Category::Protocols,
        Scope::Local,
        What::DetachedBelow,
    ),
    (
        "smpi/barrier-finalization",
        "MPI_Finalize begins with a barrier, unless this is 0.",
        Verbosity::User,
        Category::Collectives,
        Scope::AllAlike,
        What::Barrier,
    ),
    (
        "smpi/coll-selector",
        "The table that chooses the algorithms of collective operations.",
        Verbosity::Tuner,
        Category::Collectives,
        Scope::Constant,
        What::Table,
    ),
    (
        "smpi/os",
        "Processor time of MPI_Send by size: bytes:seconds:seconds per byte, sections separated by semicolons.",
        Verbosity::Tuner,
        Category::Machine,
        Scope::Constant,
        What::Text(|settings| settings.send_overhead.to_string()),
    ),
    (
        "smpi/ois",
        "Processor time of MPI_Isend by size, as for smpi/os.",
        Verbosity::Tuner,
        Category::Machine,
        Scope::Constant,
        What::Text(|settings| settings.isend_overhead.to_string()),
    ),
    (
        "smpi/or",
        "Processor time of receiving a message whose sender did not wait, as for smpi/os.",
        Verbosity::Tuner,
        Category::Machine,
        Scope::Constant,
        What::Text(|settings| settings.receive_overhead.to_string()),
    ),
    (
        "smpi/host-speed",
        "What this machine is taken to compute, in flop/s.",
        Verbosity::Tuner,
        Category::Machine,
        Scope::Constant,
        What::Number(|settings| settings.host_speed.flops),
    ),
    (
        "smpi/cpu-threshold",
        "Seconds of computation below which bursts accumulate.",
        Verbosity::Tuner,
        Category::Machine,
        Scope::Constant,
        What::Number(|settings| settings.cpu_threshold_secs),
    ),
    (
        "smpi/simulate-computation",
        "Computation takes simulated time.",
        Verbosity::User,
        Category::Machine,
        Scope::Constant,
        What::Flag(|settings| settings.simulate_computation),
    ),
    (
        "smpi/wtime",
        "Seconds that a look at the clock takes.",
        Verbosity::Tuner,
        Category::Machine,
        Scope::Constant,
        What::Number(|settings| settings.wtime_secs),
    ),
    (
        "smpi/test",
        "Seconds that MPI_Test takes.",
        Verbosity::Tuner,
        Category::Machine,
        Scope::Constant,
        What::Number(|settings| settings.test_secs),
    ),
    (
        "smpi/iprobe",
        "Seconds that MPI_Iprobe takes.",
        Verbosity::Tuner,
        Category::Machine,
        Scope::Constant,
        What::Number(|settings| settings.iprobe_secs),
    ),
    (
        "smpi/grow-injected-times",
        "Failed tests and probes in a row take longer and longer.",
        Verbosity::Tuner,
        Category::Machine,
        Scope::Constant,
        What::Flag(|settings| settings.grow_polls),
    ),
    (
        "smpi/init",
        "Seconds that MPI_Init takes.",
        Verbosity::Tuner,
        Category::Machine,
        Scope::Constant,
        What::Number(|settings| settings.init_secs),
    ),
    (
        "smpi/spawn",
        "Seconds that spawning processes takes.",
        Verbosity::Tuner,
        Category::Machine,
        Scope::Constant,
        What::Number(|settings| settings.spawn_secs),
    ),
    (
        "smpi/errors-are-fatal",
        "The first error handler of communicators ends the run.",
        Verbosity::User,
        Category::Checks,
        Scope::Constant,
        What::Flag(|settings| settings.errors_are_fatal),
    ),
    (
        "smpi/window-races",
        "A simulation looks for races at windows.",
        Verbosity::User,
        Category::Checks,
        Scope::Constant,
        What::Flag(|settings| settings.window_races),
    ),
    (
        "smpi/buffer-bounds",
        "Buffers are compared with the variables and blocks in which they lie.",
        Verbosity::User,
        Category::Checks,
        Scope::Constant,
        What::Flag(|settings| settings.buffer_bounds),
    ),
    (
        "smpi/buffer-types",
        "Buffers are compared with the declared types of variables.",
        Verbosity::User,
        Category::Checks,
        Scope::Constant,
        What::Flag(|settings| settings.buffer_types),
    ),
    (
        "smpi/page-tracking",
        "A verification asks the kernel which pages of ranks change.",
        Verbosity::Developer,
        Category::Checks,
        Scope::Constant,
        What::Flag(|settings| settings.page_tracking),
    ),
    (
        "smpi/self-check",
        "A verification looks whether ranks are put back to what they were.",
        Verbosity::Developer,
        Category::Checks,
        Scope::Constant,
        What::Flag(|settings| settings.self_check),
    ),
];

/// All control variables; indices do not change.
pub fn all() -> &'static [Control] {
    static ALL: OnceLock<Vec<Control>> = OnceLock::new();
    ALL.get_or_init(|| FIXED.iter().map(fixed).chain(Kind::all().map(algorithm)).collect())
}

/// The variable of a kind of collective calls, by its index.
pub fn index_of(kind: Kind) -> usize {
    FIXED.len() + kind.index()
}

fn fixed(&(name, description, verbosity, category, scope, what): &Line) -> Control {
    let (value_type, enumeration) = match what {
        What::EagerBelow | What::DetachedBelow => (Type::Unsigned, None),
        What::Barrier => (Type::Int, None),
        What::Number(_) => (Type::Real, None),
        What::Flag(_) => (Type::Int, Some(Enumeration::NoYes)),
        What::Text(_) => (Type::Text, None),
        What::Table => (Type::Int, Some(Enumeration::Tables)),
        What::Algorithm(kind) => (Type::Int, Some(Enumeration::Algorithms(kind.operation))),
    };
    let (name, description) = (name.to_string(), description.to_string());
    Control { name, description, verbosity, value_type, enumeration, bind: Bind::None, scope, category, what }
}

fn algorithm(kind: Kind) -> Control {
    let form = match kind.form {
        Form::Blocking => "blocking",
        Form::Immediate => "nonblocking",
        Form::Persistent => "persistent",
    };
    Control {
        name: format!("smpi/{}", kind.name()),
        description: format!("The algorithm of {form} calls of {} on this communicator.", kind.operation.name()),
        verbosity: Verbosity::Tuner,
        value_type: Type::Int,
        enumeration: Some(Enumeration::Algorithms(kind.operation)),
        bind: Bind::Comm,
        scope: Scope::GroupAlike,
        category: Category::Algorithms,
        what: What::Algorithm(kind),
    }
}

/// Chooses the algorithm of a kind of calls on a communicator; 0 leaves it to the settings of the run.
///
/// # Errors
/// When there is no such algorithm.
pub fn choose(chosen: &mut Chosen, kind: Kind, value: c_int) -> Result<(), Refused> {
    let items = Enumeration::Algorithms(kind.operation).items();
    let algorithm = usize::try_from(value).ok().and_then(|value| items.get(value)).ok_or(Refused::Value)?;
    chosen.retain(|entry| entry.0 != kind);
    if value != 0 {
        chosen.push((kind, algorithm));
        // The same choices are the same state, whatever their order.
        chosen.sort_unstable();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Applied;

    /// A tool that knows `--cfg` knows the names.
    #[test]
    fn variables_have_the_keys_of_settings() {
        let mut names: Vec<&str> = all().iter().map(|control| control.name.as_str()).collect();
        for name in &names {
            assert_ne!(Settings::default().set(name, "1").unwrap_or(Applied::Yes), Applied::Unknown, "{name}");
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all().len());
        for kind in Kind::all() {
            assert_eq!(all()[index_of(kind)].name, format!("smpi/{}", kind.name()));
        }
    }

    #[test]
    fn only_algorithms_that_there_are_can_be_chosen() {
        let kind = Kind::from_name("bcast").unwrap();
        let mut chosen = Chosen::new();
        assert_eq!(choose(&mut chosen, kind, 2), Ok(()));
        assert_eq!(chosen, [(kind, Enumeration::Algorithms(kind.operation).items()[2])]);
        assert_eq!(choose(&mut chosen, kind, 1000), Err(Refused::Value));
        assert_eq!(choose(&mut chosen, kind, -1), Err(Refused::Value));
        assert_eq!(choose(&mut chosen, kind, 0), Ok(()));
        assert!(chosen.is_empty());
    }
}
