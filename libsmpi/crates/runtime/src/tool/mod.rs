//! What the tool of a rank has (MPI 5.0 §15.3): handles, sessions, registrations, and what it has set.
//!
//! The record belongs to the rank's objects, so a verification restores it with them. What there is to be read, set and
//! told is data:
//!
//! | where | what |
//! |---|---|
//! | [`control`] | control variables: settings of the run, and algorithms of a communicator |
//! | [`performance`] | performance variables: messages, queues, time |
//! | [`event`] | types of events, and where their time comes from |
//! | [`category`] | how all of these are grouped |
//! | [`enumeration`] | names of the values that some of them have |
//!
//! What is counted of messages is in [`smpi_mpi::tool`]; [`crate::tooling`] reads and sets. Handles of C, and what
//! functions refuse, are above.

pub mod category;
pub mod control;
pub mod enumeration;
pub mod event;
mod members;
pub mod performance;

use std::ffi::c_int;

use smpi_base::digest::{Digest, Named, Unnamed};
use smpi_base::table::{Key, Table};
use smpi_mailbox::Context;
use smpi_mpi::tool::Event;

pub use control::Own;
pub use enumeration::Enumeration;
pub use smpi_settings::Verbosity;

/// The record of one rank's tool.
#[derive(Clone, Debug, Default)]
pub struct Tool {
    /// Times that it was initialised and not finalised.
    pub started: u32,
    /// Control variables that it has set.
    pub own: Own,
    /// Handles of control variables.
    pub controls: Table<ControlHandle>,
    /// Sessions of performance variables.
    pub sessions: Table<()>,
    /// Handles of performance variables.
    pub performance: Table<performance::Handle>,
    /// Registrations for events.
    pub registrations: Table<event::Registration>,
    /// The event that a callback is told of now.
    pub told: Option<Told>,
    /// Events of which callbacks were told so far.
    pub told_before: u64,
    /// A callback runs.
    pub is_telling: bool,
}

/// An event that a callback is told of.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    /// The event.
    pub event: Event,
    /// Its number, by which the callback knows it.
    pub number: u64,
}

/// A handle of a control variable.
#[derive(Clone, Copy, Hash, Debug)]
pub struct ControlHandle {
    /// Index of the variable.
    pub index: usize,
    /// The communicator that it is about, by its handle.
    pub comm: u64,
}

impl Tool {
    /// Adds what may still become of the rank as far as it is said here. Counters and registrations have no names.
    pub fn name(&self, into: &mut Digest) -> Named {
        let Tool { started, own, controls, sessions, performance, registrations, told: _, told_before: _, is_telling } =
            self;
        if !performance.is_empty() || !registrations.is_empty() || *is_telling {
            return Err(Unnamed("a tool reads performance variables or waits for events"));
        }
        into.add((started, own, controls, sessions));
        Ok(())
    }

    /// The keys of removed objects are forgotten.
    pub fn forget_keys(&mut self) {
        self.controls.forget_keys();
        self.sessions.forget_keys();
        self.performance.forget_keys();
        self.registrations.forget_keys();
    }

    /// The handles of performance variables in a session.
    pub fn handles_of(&self, session: Key) -> Vec<Key> {
        self.performance.iter().filter(|(_, handle)| handle.session == session).map(|(key, _)| key).collect()
    }
}

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// `MPI_INT`
    Int,
    /// `MPI_UNSIGNED_LONG_LONG`
    Unsigned,
    /// `MPI_DOUBLE`
    Real,
    /// `MPI_CHAR`: a text, and a zero behind it.
    Text,
}

impl Type {
    /// Bytes of a value; of a character for texts.
    pub fn size(self) -> usize {
        match self {
            Type::Int => 4,
            Type::Unsigned | Type::Real => 8,
            Type::Text => 1,
        }
    }
}

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// `MPI_INT`
    Int(c_int),
    /// `MPI_UNSIGNED_LONG_LONG`
    Unsigned(u64),
    /// `MPI_DOUBLE`
    Real(f64),
    /// `MPI_CHAR`
    Text(String),
}

/// What something is bound to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bind {
    /// Nothing.
    None,
    /// A communicator.
    Comm,
}

/// A communicator that something is bound to.
#[derive(Clone, Copy, Hash, PartialEq, Eq, Debug)]
pub struct Bound {
    /// Its handle.
    pub handle: u64,
    /// Its base context.
    pub context: Context,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> String {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/tools.md");
        std::fs::read_to_string(path).unwrap()
    }

    /// The table below the heading.
    fn expected(heading: &str, columns: &[&str], rows: Vec<Vec<String>>) {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let head: Vec<String> = columns.iter().map(|column| column.to_string()).collect();
        let rule = vec!["---".to_string(); columns.len()];
        let mut table = line(&head) + &line(&rule).replace(' ', "");
        rows.iter().for_each(|row| table.push_str(&line(row)));
        let page = page();
        let section = page.split(&format!("\n### {heading}\n")).nth(1).unwrap();
        assert!(section.split("\n### ").next().unwrap().contains(&table), "docs/tools.md, {heading}:\n{table}");
    }

    fn own(is_own: bool) -> String {
        if is_own { "own" } else { "" }.to_string()
    }

    #[test]
    fn the_page_lists_control_variables() {
        let fixed = control::all().iter().filter(|control| control.bind == Bind::None);
        let row = |control: &control::Control| {
            let scope = match control.scope {
                control::Scope::Constant => "constant",
                control::Scope::Local => "local",
                control::Scope::GroupAlike => "group, alike",
                control::Scope::AllAlike => "all, alike",
            };
            let of = match (control.enumeration, control.value_type) {
                (Some(_), _) => "enumeration",
                (_, Type::Int) => "int",
                (_, Type::Unsigned) => "unsigned long long",
                (_, Type::Real) => "double",
                (_, Type::Text) => "text",
            };
            vec![format!("`{}`", control.name), of.to_string(), scope.to_string(), control.description.clone()]
        };
        expected("Control variables", &["name", "type", "scope", "what"], fixed.map(row).collect());
    }

    #[test]
    fn the_page_lists_performance_variables() {
        let unbound = performance::ALL.iter().filter(|variable| variable.bind == Bind::None);
        let row = |variable: &&performance::Performance| {
            let twin = format!("comm_{}", variable.name);
            let bound = performance::ALL.iter().find(|other| other.name == twin);
            let names = bound.map_or(format!("`{}`", variable.name), |_| format!("`{}`, `{twin}`", variable.name));
            let class = format!("{:?}", variable.class).to_lowercase();
            vec![names, class, own(variable.what.is_own()), variable.description.to_string()]
        };
        expected("Performance variables", &["name", "class", "own", "what"], unbound.map(row).collect());
    }

    #[test]
    fn the_page_lists_events() {
        let row = |event: &event::EventType| {
            let bind = if event.bind == Bind::Comm { "communicator" } else { "" }.to_string();
            vec![format!("`{}`", event.name), bind, own(event.is_own()), event.description.to_string()]
        };
        expected("Events", &["name", "bound to", "own", "what"], event::ALL.iter().map(row).collect());
    }

    #[test]
    fn the_page_lists_categories() {
        let row = |&(_, name, description, parent): &(_, &str, &str, Option<category::Category>)| {
            let parent = parent.map_or(String::new(), |parent| format!("`{}`", category::ALL[parent as usize].1));
            vec![format!("`{name}`"), parent, description.to_string()]
        };
        expected("Categories", &["name", "in", "what"], category::ALL.iter().map(row).collect());
    }
}
