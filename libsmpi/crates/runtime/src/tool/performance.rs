//! Performance variables (MPI 5.0 §15.3.7): what there is to be read, and how handles read it.
//!
//! What grows (counters, aggregates, timers) is kept once for each rank, and each handle remembers where it began. So a
//! handle costs nothing while nobody asks. Extremes are followed while a handle is started.

use smpi_base::table::Key;
use smpi_mpi::tool::{Queue, Tally, Traffic};

use super::category::Category;
use super::{Bind, Bound, Enumeration, Type, Value, Verbosity};

/// A performance variable.
#[derive(Debug)]
pub struct Performance {
    /// Its name; a class has each name once.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub description: &'static str,
    /// For whom.
    pub verbosity: Verbosity,
    /// What kind of value it is.
    pub class: Class,
    /// The type of the value.
    pub value_type: Type,
    /// What it is bound to.
    pub bind: Bind,
    /// The category that it is in.
    pub category: Category,
    /// What it is the value of.
    pub what: What,
}

/// The classes of the standard (MPI 5.0 §15.3.7).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// One of several states.
    State,
    /// How much of something is used.
    Level,
    /// How large something is.
    Size,
    /// Which part of something is used.
    Percentage,
    /// The greatest level.
    Highest,
    /// The smallest level.
    Lowest,
    /// How often something has happened.
    Counter,
    /// A sum.
    Aggregate,
    /// A sum of times.
    Timer,
    /// Anything else.
    Generic,
}

impl Class {
    /// It can be started and stopped, reset and written; others always have the value that there is.
    pub fn is_started(self) -> bool {
        self.grows() || self.is_extreme()
    }

    /// A handle adds up what has happened while it was started.
    pub fn grows(self) -> bool {
        matches!(self, Class::Counter | Class::Aggregate | Class::Timer)
    }

    /// A handle follows a level while it is started.
    pub fn is_extreme(self) -> bool {
        matches!(self, Class::Highest | Class::Lowest)
    }
}

/// Something that is read.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// Counted of the rank's own calls.
    Traffic(fn(&Traffic) -> u64),
    /// Counted when messages come.
    Arrived(fn(&Traffic) -> u64),
    /// Counted of the messages of collective operations.
    Tally(fn(&Tally) -> u64),
    /// The length of a queue, or its extremes.
    Queue(Queue),
    /// Simulated time in MPI.
    TimeInMpi,
    /// Simulated time.
    Time,
    /// Where the rank is between the start and the end of MPI.
    Phase,
    /// Cores of the rank's host.
    Cores,
    /// How much of the bandwidth of its host's link is used.
    LinkUse,
}

impl What {
    /// It depends on nothing but what the rank itself has done and been told. Else a verification does not try all
    /// values that there may be.
    pub fn is_own(self) -> bool {
        match self {
            What::Traffic(_) | What::Phase | What::Cores => true,
            What::Arrived(_) | What::Tally(_) | What::Queue(_) | What::TimeInMpi | What::Time | What::LinkUse => false,
        }
    }
}

/// A variable that counts or measures.
const fn line(
    (name, description): (&'static str, &'static str),
    class: Class,
    bind: Bind,
    category: Category,
    what: What,
) -> Performance {
    let (value_type, verbosity) = match what {
        What::TimeInMpi | What::Time | What::LinkUse => (Type::Real, Verbosity::User),
        What::Phase => (Type::Int, Verbosity::User),
        What::Arrived(_) | What::Queue(_) => (Type::Unsigned, Verbosity::Tuner),
        What::Tally(_) => (Type::Unsigned, Verbosity::Developer),
        What::Traffic(_) | What::Cores => (Type::Unsigned, Verbosity::User),
    };
    Performance { name, description, verbosity, class, value_type, bind, category, what }
}

/// A variable that a communicator has, too.
macro_rules! with_comm {
    ($(($name:literal, $of_comm:literal, $description:literal, $class:expr, $category:expr, $what:expr)),* $(,)?) => {
        [
            $(line(($name, $description), $class, Bind::None, $category, $what),)*
            $(line(
                ($of_comm, concat!("On this communicator: ", $description)),
                $class,
                Bind::Comm,
                $category,
                $what,
            ),)*
        ]
    };
}

/// Those that are there for all communicators together, then the same for one.
const COUNTED: [Performance; 18] = with_comm![
    (
        "messages_sent",
        "comm_messages_sent",
        "Messages that the program has started to send.",
        Class::Counter,
        Category::Messages,
        What::Traffic(|traffic| traffic.sent.messages)
    ),
    (
        "bytes_sent",
        "comm_bytes_sent",
        "Bytes of the messages that the program has started to send.",
        Class::Aggregate,
        Category::Messages,
        What::Traffic(|traffic| traffic.sent.bytes)
    ),
    (
        "messages_received",
        "comm_messages_received",
        "Messages whose receive the program has completed.",
        Class::Counter,
        Category::Messages,
        What::Traffic(|traffic| traffic.received.messages)
    ),
    (
        "bytes_received",
        "comm_bytes_received",
        "Bytes of the messages whose receive the program has completed.",
        Class::Aggregate,
        Category::Messages,
        What::Traffic(|traffic| traffic.received.bytes)
    ),
    (
        "collectives",
        "comm_collectives",
        "Collective operations that the program has started.",
        Class::Counter,
        Category::Collectives,
        What::Traffic(|traffic| traffic.collectives)
    ),
    (
        "unexpected_messages",
        "comm_unexpected_messages",
        "Messages of the program that came before their receive was posted.",
        Class::Counter,
        Category::Queues,
        What::Arrived(|traffic| traffic.unexpected.messages)
    ),
    (
        "unexpected_bytes",
        "comm_unexpected_bytes",
        "Bytes of the messages of the program that came before their receive was posted.",
        Class::Aggregate,
        Category::Queues,
        What::Arrived(|traffic| traffic.unexpected.bytes)
    ),
    (
        "unexpected_queue_length",
        "comm_unexpected_queue_length",
        "Messages that no receive has joined yet.",
        Class::Level,
        Category::Queues,
        What::Queue(Queue::Unexpected)
    ),
    (
        "posted_queue_length",
        "comm_posted_queue_length",
        "Receives that no message has joined yet.",
        Class::Level,
        Category::Queues,
        What::Queue(Queue::Posted)
    ),
];

/// The others.
const OTHERS: [Performance; 11] = [
    line(
        ("unexpected_queue_highest", "The greatest length of the queue of messages without receives."),
        Class::Highest,
        Bind::None,
        Category::Queues,
        What::Queue(Queue::Unexpected),
    ),
    line(
        ("unexpected_queue_lowest", "The smallest length of the queue of messages without receives."),
        Class::Lowest,
        Bind::None,
        Category::Queues,
        What::Queue(Queue::Unexpected),
    ),
    line(
        ("posted_queue_highest", "The greatest length of the queue of receives without messages."),
        Class::Highest,
        Bind::None,
        Category::Queues,
        What::Queue(Queue::Posted),
    ),
    line(
        ("posted_queue_lowest", "The smallest length of the queue of receives without messages."),
        Class::Lowest,
        Bind::None,
        Category::Queues,
        What::Queue(Queue::Posted),
    ),
    line(
        ("collective_messages_sent", "Messages that collective operations have sent."),
        Class::Counter,
        Bind::None,
        Category::Collectives,
        What::Tally(|tally| tally.of_collectives.messages),
    ),
    line(
        ("collective_bytes_sent", "Bytes of the messages that collective operations have sent."),
        Class::Aggregate,
        Bind::None,
        Category::Collectives,
        What::Tally(|tally| tally.of_collectives.bytes),
    ),
    line(
        ("time_in_mpi", "Simulated seconds that the process has spent in MPI."),
        Class::Timer,
        Bind::None,
        Category::Machine,
        What::TimeInMpi,
    ),
    line(
        ("simulated_time", "Simulated seconds since the start of the run."),
        Class::Generic,
        Bind::None,
        Category::Machine,
        What::Time,
    ),
    line(
        ("mpi_phase", "Where the process is between the start and the end of MPI."),
        Class::State,
        Bind::None,
        Category::Machine,
        What::Phase,
    ),
    line(("host_cores", "Cores of the process's host."), Class::Size, Bind::None, Category::Machine, What::Cores),
    line(
        (
            "host_link_use",
            "Part of the bandwidth that messages use of the link by which they leave the process's host.",
        ),
        Class::Percentage,
        Bind::None,
        Category::Machine,
        What::LinkUse,
    ),
];

/// All performance variables; indices do not change.
pub static ALL: [&Performance; COUNTED.len() + OTHERS.len()] = {
    static ONE: [Performance; COUNTED.len()] = COUNTED;
    static MORE: [Performance; OTHERS.len()] = OTHERS;
    let mut all = [&ONE[0]; COUNTED.len() + OTHERS.len()];
    let mut place = 0;
    while place < all.len() {
        all[place] = if place < ONE.len() { &ONE[place] } else { &MORE[place - ONE.len()] };
        place += 1;
    }
    all
};

impl Performance {
    /// The names of its values.
    pub fn enumeration(&self) -> Option<Enumeration> {
        matches!(self.what, What::Phase).then_some(Enumeration::Phase)
    }
}

/// A handle of a performance variable.
#[derive(Clone, Copy, Debug)]
pub struct Handle {
    /// The session that it belongs to.
    pub session: Key,
    /// Index of the variable.
    pub index: usize,
    /// What it is bound to.
    pub bound: Option<Bound>,
    /// It is started.
    pub is_running: bool,
    /// Of what grows: the sum until it was last started, written or reset.
    pub(crate) sum: Amount,
    /// What the rank had then.
    pub(crate) since: Amount,
    /// Where the extreme is followed.
    pub(crate) extreme: Option<Key>,
}

/// What something has grown to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Amount {
    pub(crate) count: u64,
    secs: f64,
}

impl Amount {
    pub(crate) fn plus(self, since: Amount, now: Amount) -> Amount {
        Amount {
            count: self.count.wrapping_add(now.count).wrapping_sub(since.count),
            secs: self.secs + now.secs - since.secs,
        }
    }

    pub(crate) fn of(value: &Value) -> Amount {
        match *value {
            Value::Unsigned(count) => Amount { count, secs: 0.0 },
            Value::Real(secs) => Amount { count: 0, secs },
            Value::Int(_) | Value::Text(_) => Amount::default(),
        }
    }

    pub(crate) fn value(self, of: Type) -> Value {
        if of == Type::Real { Value::Real(self.secs) } else { Value::Unsigned(self.count) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_different_and_classes_have_the_types_of_the_standard() {
        let mut names: Vec<&str> = ALL.iter().map(|variable| variable.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
        for variable in ALL {
            let expected = match variable.class {
                Class::State => Type::Int,
                Class::Percentage | Class::Timer | Class::Generic => Type::Real,
                _ => Type::Unsigned,
            };
            assert_eq!(variable.value_type, expected, "{}", variable.name);
        }
    }

    #[test]
    fn a_handle_adds_up_what_happens_while_it_is_started() {
        let amount = |count| Amount { count, secs: 0.0 };
        let sum = amount(3).plus(amount(10), amount(14));
        assert_eq!(sum.value(Type::Unsigned), Value::Unsigned(7));
        let secs = |secs| Amount { count: 0, secs };
        assert_eq!(secs(0.5).plus(secs(1.0), secs(3.0)).value(Type::Real), Value::Real(2.5));
    }
}
