//! Types of events, their source, and registrations (MPI 5.0 §15.3.8).
//!
//! An event is noted when it happens, with the time, and callbacks are told when the rank leaves its next MPI call. So
//! all of them may call MPI, whatever they were registered for. Of the callbacks that a registration has, the one for
//! the least safety is called.

use std::ffi::c_int;

use smpi_abi::Function;
use smpi_mpi::collective::select::{CollectiveKind, Operation};
use smpi_mpi::info::Info;
use smpi_mpi::tool::{Facts, Kind};

use super::category::Category;
use super::{Bind, Bound, Enumeration, Type, Value, Verbosity, control};

/// A type of events.
#[derive(Debug)]
pub struct EventType {
    /// Its name.
    pub name: &'static str,
    /// What it tells, in a sentence.
    pub description: &'static str,
    /// For whom.
    pub verbosity: Verbosity,
    /// What it is bound to.
    pub bind: Bind,
    /// The category that it is in.
    pub category: Category,
    /// What happens.
    pub kind: Kind,
}

/// All types of events; indices do not change.
pub static ALL: [EventType; 6] = [
    message(
        "message_sent",
        "The program has started to send a message; the peer is a rank of MPI_COMM_WORLD.",
        Kind::Sent,
    ),
    message("message_unexpected", "A message has come and found no receive.", Kind::Unexpected),
    message("message_matched", "A message and a receive have joined.", Kind::Matched),
    message("message_received", "The program has completed the receive of a message.", Kind::Received),
    collective("collective_begun", "The program has started a collective operation.", Kind::Begun),
    collective("collective_ended", "The program has completed a collective operation.", Kind::Ended),
];

const fn message(name: &'static str, description: &'static str, kind: Kind) -> EventType {
    EventType { name, description, verbosity: Verbosity::User, bind: Bind::None, category: Category::Messages, kind }
}

const fn collective(name: &'static str, description: &'static str, kind: Kind) -> EventType {
    EventType { name, description, verbosity: Verbosity::User, bind: Bind::Comm, category: Category::Collectives, kind }
}

/// An element of an event's data: its type, and where it is in a copy of all of them.
pub type Element = (Type, usize);

/// Of messages: see [`Enumeration::MessageElements`].
const MESSAGE: [Element; 4] = [(Type::Int, 0), (Type::Int, 4), (Type::Unsigned, 8), (Type::Int, 16)];

/// Of collective operations: see [`Enumeration::CollectiveElements`].
const COLLECTIVE: [Element; 2] = [(Type::Int, 0), (Type::Int, 4)];

impl EventType {
    /// What its data consists of.
    pub fn elements(&self) -> &'static [Element] {
        if self.is_about_message() { &MESSAGE } else { &COLLECTIVE }
    }

    /// The names of its elements.
    pub fn enumeration(&self) -> Enumeration {
        if self.is_about_message() { Enumeration::MessageElements } else { Enumeration::CollectiveElements }
    }

    fn is_about_message(&self) -> bool {
        !matches!(self.kind, Kind::Begun | Kind::Ended)
    }

    /// When it happens depends on nothing but what the rank itself has done and been told.
    pub fn is_own(&self) -> bool {
        !matches!(self.kind, Kind::Unexpected | Kind::Matched)
    }

    /// The type of what has happened.
    pub fn of(kind: Kind) -> &'static EventType {
        ALL.iter().find(|event| event.kind == kind).unwrap_or(&ALL[0])
    }
}

/// The one source of events: the simulated clock.
pub mod source {
    /// Its name.
    pub const NAME: &str = "simulated_clock";
    /// What it is.
    pub const DESCRIPTION: &str = "The simulated time of the run; events of a process come in its order.";
    /// Ticks in a second.
    pub const TICKS_PER_SECOND: i64 = 1_000_000_000;
}

/// The blocking function of each operation, in the order of [`Operation::ALL`].
const FUNCTIONS: [(Operation, Function); Operation::ALL.len()] = [
    (Operation::Barrier, Function::Barrier),
    (Operation::Bcast, Function::Bcast),
    (Operation::Gather, Function::Gather),
    (Operation::Gatherv, Function::Gatherv),
    (Operation::Scatter, Function::Scatter),
    (Operation::Scatterv, Function::Scatterv),
    (Operation::Allgather, Function::Allgather),
    (Operation::Allgatherv, Function::Allgatherv),
    (Operation::Alltoall, Function::Alltoall),
    (Operation::Alltoallv, Function::Alltoallv),
    (Operation::Alltoallw, Function::Alltoallw),
    (Operation::Reduce, Function::Reduce),
    (Operation::Allreduce, Function::Allreduce),
    (Operation::ReduceScatter, Function::Reduce_scatter),
    (Operation::ReduceScatterBlock, Function::Reduce_scatter_block),
    (Operation::Scan, Function::Scan),
    (Operation::Exscan, Function::Exscan),
];

/// The blocking function of an operation.
pub fn function_of(operation: Operation) -> Function {
    FUNCTIONS[operation as usize].1
}

/// The values of an event's elements. A collective operation is named by the control variable that chooses its
/// algorithm, or −1 if there is none.
pub fn values(facts: Facts) -> Vec<Value> {
    match facts {
        Facts::Message { peer, tag, bytes, is_unexpected } => {
            vec![Value::Int(peer), Value::Int(tag), Value::Unsigned(bytes), Value::Int(is_unexpected.into())]
        }
        Facts::Collective(function, form) => {
            let operation = FUNCTIONS.iter().find(|entry| entry.1 == function).map(|entry| entry.0);
            let index =
                operation.map_or(-1, |operation| control::index_of(CollectiveKind { operation, form }) as c_int);
            vec![Value::Int(index), Value::Int(form as c_int)]
        }
    }
}

/// Levels of safety, as indices of a registration's callbacks.
pub const LEVELS: usize = 4;

/// A registration for events of a type.
#[derive(Clone, Debug)]
pub struct Registration {
    /// Index of the type.
    pub index: usize,
    /// What it is bound to.
    pub bound: Option<Bound>,
    /// Hints about it.
    pub info: Info,
    /// What is called, by how much safety it was registered for.
    pub callbacks: [Option<Callback>; LEVELS],
    /// Hints about these.
    pub infos: [Info; LEVELS],
    /// Address of the function that is told of events that were dropped; 0 for none.
    pub dropped: usize,
}

/// A function of the program's.
#[derive(Clone, Copy, Debug)]
pub struct Callback {
    /// Its address.
    pub function: usize,
    /// Passed to it.
    pub user_data: usize,
}

impl Registration {
    /// A registration without callbacks.
    pub fn new(index: usize, bound: Option<Bound>, info: Info) -> Registration {
        let infos = [const { None::<Info> }; LEVELS].map(Option::unwrap_or_default);
        Registration { index, bound, info, callbacks: [None; LEVELS], infos, dropped: 0 }
    }

    /// The callback that is called, and for how much safety it was registered.
    pub fn callback(&self) -> Option<(usize, Callback)> {
        self.callbacks.iter().enumerate().find_map(|(level, callback)| Some((level, (*callback)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smpi_mpi::collective::select::Form;

    #[test]
    fn elements_of_an_event_have_names_and_places() {
        for event in &ALL {
            assert_eq!(EventType::of(event.kind).name, event.name);
            let elements = event.elements();
            assert_eq!(event.enumeration().items().len(), elements.len());
            for pair in elements.windows(2) {
                assert!(pair[0].1 + pair[0].0.size() <= pair[1].1);
            }
            assert!(elements.iter().all(|(of, at)| at % of.size() == 0));
        }
    }

    #[test]
    fn a_collective_operation_is_named_by_its_control_variable() {
        let Value::Int(index) = values(Facts::Collective(Function::Allreduce, Form::Immediate))[0] else { panic!() };
        assert_eq!(control::all()[index as usize].name, "smpi/iallreduce");
        assert_eq!(values(Facts::Collective(Function::Neighbor_allgather, Form::Blocking))[0], Value::Int(-1));
    }
}
