//! Control variables (MPI 5.0 §15.3.6): the settings of `--cfg` by their keys, as the calling rank has them, and the
//! algorithms of collective operations on a communicator.
//!
//! What describes the simulated machine is constant: a tool looks at it. What an MPI library leaves to its user can be
//! set, for the own rank. A verification tries both extremes of buffering, whatever the thresholds are.

use std::ffi::c_int;
use std::sync::OnceLock;

use smpi_mpi::collective::select::{CollectiveKind, Form};
use smpi_mpi::p2p::protocol::Thresholds;
pub use smpi_settings::Scope;
use smpi_settings::{self as settings, Group, Row, Topic, rows};

use super::category::Category;
use super::{Bind, Enumeration, Type, Verbosity};

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

/// Something that is set.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// Below this size messages are eager.
    EagerBelow,
    /// Below this size senders do not wait.
    DetachedBelow,
    /// Whether there is a barrier in `MPI_Finalize`.
    Barrier,
    /// A value of the settings.
    Given(&'static Row),
    /// The table of algorithms.
    Table,
    /// The algorithm of a kind of calls.
    Algorithm(CollectiveKind),
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
pub type Chosen = Vec<(CollectiveKind, &'static str)>;

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

/// All control variables; indices do not change.
pub fn all() -> &'static [Control] {
    static ALL: OnceLock<Vec<Control>> = OnceLock::new();
    ALL.get_or_init(|| given().map(fixed).chain(CollectiveKind::all().map(algorithm)).collect())
}

/// The settings that are bound to nothing. Those that are options of smpirun say nothing to a tool.
fn given() -> impl Iterator<Item = &'static Row> {
    rows().filter(|row| row.group != Group::Options)
}

/// The variable of a kind of collective calls, by its index.
pub fn index_of(kind: CollectiveKind) -> usize {
    all().len() - CollectiveKind::all().count() + kind.index()
}

fn fixed(row: &'static Row) -> Control {
    let what = match row.name {
        "smpi/async-small-thresh" => What::EagerBelow,
        "smpi/send-is-detached-thresh" => What::DetachedBelow,
        "smpi/barrier-finalization" => What::Barrier,
        "smpi/coll-selector" => What::Table,
        _ => What::Given(row),
    };
    let (value_type, enumeration) = match (what, row.kind) {
        (What::Table, _) => (Type::Int, Some(Enumeration::Tables)),
        // Whoever sets it may say any number.
        (What::Barrier, _) => (Type::Int, None),
        (_, settings::Kind::Number) => (Type::Real, None),
        (_, settings::Kind::Count) => (Type::Unsigned, None),
        (_, settings::Kind::Flag) => (Type::Int, Some(Enumeration::NoYes)),
        (_, settings::Kind::Text) => (Type::Text, None),
    };
    let category = match row.topic {
        Topic::Protocols => Category::Protocols,
        Topic::Collectives => Category::Collectives,
        Topic::Machine => Category::Machine,
        Topic::Checks => Category::Checks,
    };
    let (name, description) = (row.name.to_string(), row.sentence());
    let (verbosity, scope) = (row.verbosity, row.scope);
    Control { name, description, verbosity, value_type, enumeration, bind: Bind::None, scope, category, what }
}

fn algorithm(kind: CollectiveKind) -> Control {
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
pub fn choose(chosen: &mut Chosen, kind: CollectiveKind, value: c_int) -> Result<(), Refused> {
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
    use crate::config::{Applied, Settings};

    /// A tool that knows `--cfg` knows the names.
    #[test]
    fn variables_have_the_keys_of_settings() {
        let mut names: Vec<&str> = all().iter().map(|control| control.name.as_str()).collect();
        for name in &names {
            assert_ne!(Settings::default().set(name, "1").unwrap_or(Applied::Yes), Applied::Unknown, "{name}");
        }
        let settable: Vec<What> =
            all().iter().filter(|control| control.scope != Scope::Constant).map(|control| control.what).collect();
        assert!(settable.iter().all(|what| !matches!(what, What::Given(_) | What::Table)), "{settable:?}");
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all().len());
        for kind in CollectiveKind::all() {
            assert_eq!(all()[index_of(kind)].name, format!("smpi/{}", kind.name()));
        }
    }

    #[test]
    fn only_algorithms_that_there_are_can_be_chosen() {
        let kind = CollectiveKind::from_name("bcast").unwrap();
        let mut chosen = Chosen::new();
        assert_eq!(choose(&mut chosen, kind, 2), Ok(()));
        assert_eq!(chosen, [(kind, Enumeration::Algorithms(kind.operation).items()[2])]);
        assert_eq!(choose(&mut chosen, kind, 1000), Err(Refused::Value));
        assert_eq!(choose(&mut chosen, kind, -1), Err(Refused::Value));
        assert_eq!(choose(&mut chosen, kind, 0), Ok(()));
        assert!(chosen.is_empty());
    }
}
