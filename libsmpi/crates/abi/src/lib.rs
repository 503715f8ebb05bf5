//! The functions of MPI as data: a list of them, and the properties of each.
//!
//! When the library decides by the called function, it asks [`Function`], never a name: may it be called before
//! `MPI_Init`, is calling it repeatedly a way to wait, what are its parameters' names? The enumeration is generated
//! from `libsmpi/abi/*.csv` by `cargo xtask codegen`; what the standard's prototypes do not say is in `properties.csv`.
//! Source: MPI 5.0 and its annex A.
#![forbid(unsafe_code)]

pub mod c;
mod error;
#[rustfmt::skip]
mod generated;

use std::fmt;

pub use error::ErrorClass;
pub use generated::{Chapter, Function};

/// What is known of one function.
struct Facts {
    name: &'static str,
    chapter: Chapter,
    properties: Properties,
    immediate: Option<Function>,
    persistent: Option<Function>,
    arguments: &'static [&'static str],
}

/// Properties of a function: one bit for each word of `properties.csv`.
#[derive(Clone, Copy)]
struct Properties(u32);

impl Function {
    fn facts(self) -> &'static Facts {
        &generated::FACTS[self as usize]
    }

    fn has(self, property: Properties) -> bool {
        self.facts().properties.0 & property.0 != 0
    }

    /// The names of all functions, by their numbers.
    pub fn names() -> impl Iterator<Item = &'static str> {
        generated::FACTS.iter().map(|facts| facts.name)
    }

    /// For example `MPI_Send`.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// The part of the standard that describes it.
    pub fn chapter(self) -> Chapter {
        self.facts().chapter
    }

    /// Names of its arguments, as the standard has them.
    pub fn arguments(self) -> &'static [&'static str] {
        self.facts().arguments
    }

    /// The nonblocking form of this operation.
    pub fn immediate(self) -> Option<Function> {
        self.facts().immediate
    }

    /// The persistent form of this operation.
    pub fn persistent(self) -> Option<Function> {
        self.facts().persistent
    }

    /// It may be called before `MPI_Init` and after `MPI_Finalize` (MPI 5.0 §11.4.1).
    pub fn is_always_allowed(self) -> bool {
        self.has(Properties::ALWAYS)
    }

    /// It starts MPI.
    pub fn is_start(self) -> bool {
        self.has(Properties::START)
    }

    /// Any thread may call it, whatever the level of thread support (MPI 5.0 §11.6).
    pub fn is_for_any_thread(self) -> bool {
        self.has(Properties::ANY_THREAD)
    }

    /// Programs may repeat it until it finds something, or it only tells what it would tell at any time: loops around
    /// polls make such calls besides.
    pub fn is_poll(self) -> bool {
        self.has(Properties::POLL)
    }

    /// Nobody else can see that a rank calls it: accesses to windows and what waits for them, and what is about the
    /// rank's own objects.
    pub fn is_private(self) -> bool {
        let of_own_objects = matches!(
            self.chapter(),
            Chapter::Rma
                | Chapter::Datatype
                | Chapter::DatatypeCreate
                | Chapter::Info
                | Chapter::Group
                | Chapter::Error
        );
        of_own_objects || self.has(Properties::PRIVATE)
    }

    /// It completes requests: the Wait and Test functions.
    pub fn is_completion(self) -> bool {
        self.has(Properties::COMPLETION)
    }

    /// All that others can see of it is the operations that it starts and completes.
    pub fn is_seen_by_operations(self) -> bool {
        let starts = matches!(self.chapter(), Chapter::P2p | Chapter::Collective | Chapter::CollectiveNonblocking);
        starts || self.is_completion()
    }

    /// It accesses windows, or synchronises accesses without the target (MPI 5.0 §12.5.3, §12.5.4): all that others can
    /// see of it is the memory of windows that it changes.
    pub fn is_passive(self) -> bool {
        self.has(Properties::PASSIVE)
    }

    /// Loops in which a rank waits for memory of windows to change call it once in a round, if not another one that
    /// this is true of.
    pub fn looks_again(self) -> bool {
        self.has(Properties::AGAIN)
    }

    /// It looks for a message without receiving it.
    pub fn is_probe(self) -> bool {
        self.has(Properties::PROBE)
    }

    /// It receives a message, perhaps besides sending one.
    pub fn is_receive(self) -> bool {
        self.has(Properties::RECEIVE)
    }

    /// It makes the request of a message, or sends or receives one without: it is given a buffer and a tag. (A message
    /// that was probed has its tag, and a partitioned operation is no message yet.)
    pub fn moves_message(self) -> bool {
        self.facts().moves_message()
    }

    /// Of the program's memory it reads the buffers of operations and arrays of requests, and nothing else.
    pub fn reads_buffers_only(self) -> bool {
        self.has(Properties::BUFFERS_ONLY)
    }

    /// It is the form for large counts (`_c`, `_x`).
    pub fn is_large_count(self) -> bool {
        self.has(Properties::LARGE_COUNT)
    }
}

impl Facts {
    /// Of the function of this name, in whatever case.
    fn named(name: &str) -> Option<&'static Facts> {
        generated::FACTS.iter().find(|facts| facts.name.eq_ignore_ascii_case(name))
    }

    fn moves_message(&self) -> bool {
        let has = |names: &[&str]| self.arguments.iter().any(|argument| names.contains(argument));
        has(&["buf", "sendbuf"]) && has(&["tag", "sendtag"]) && !has(&["partitions"])
    }
}

/// Whether [`Function::moves_message`] holds of the function of this name, in whatever case.
pub fn moves_message(name: &str) -> bool {
    Facts::named(name).is_some_and(Facts::moves_message)
}

/// How many arguments the function of this name has, in whatever case; `None` where there is none.
pub fn count_arguments(name: &str) -> Option<usize> {
    let facts = Facts::named(name)?;
    // Extensions are listed without theirs.
    Some(facts.arguments.len()).filter(|_| facts.name.starts_with("MPI_"))
}

/// Names of arguments that are texts, or lists of texts.
const TEXTS: [&str; 18] = [
    "filename",
    "comm_name",
    "type_name",
    "win_name",
    "port_name",
    "service_name",
    "pset_name",
    "name",
    "string",
    "stringtag",
    "datarep",
    "key",
    "value",
    "command",
    "argv",
    "array_of_commands",
    "array_of_argv",
    "version",
];

/// How many arguments of the function of this name, in whatever case, may be texts: Fortran passes the lengths of texts
/// behind all others.
pub fn count_texts(name: &str) -> usize {
    Facts::named(name).map_or(0, |facts| facts.arguments.iter().filter(|argument| TEXTS.contains(argument)).count())
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a place in the program is the place of, for reports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Callee {
    /// Nothing that is known.
    #[default]
    Unknown,
    /// A call of a function of MPI, or of an extension.
    Function(Function),
    /// Something else, in words.
    Other(&'static str),
}

impl Callee {
    /// In words; empty when it is not known.
    pub fn name(self) -> &'static str {
        match self {
            Callee::Unknown => "",
            Callee::Function(function) => function.name(),
            Callee::Other(words) => words,
        }
    }

    /// Whether nothing is known.
    pub fn is_unknown(self) -> bool {
        self == Callee::Unknown
    }

    /// The function, if it is a call of one.
    pub fn function(self) -> Option<Function> {
        if let Callee::Function(function) = self { Some(function) } else { None }
    }
}

impl From<Option<Function>> for Callee {
    fn from(function: Option<Function>) -> Callee {
        function.map_or(Callee::Unknown, Callee::Function)
    }
}

impl fmt::Display for Callee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl From<Callee> for String {
    fn from(callee: Callee) -> String {
        callee.name().to_owned()
    }
}

impl From<Function> for String {
    fn from(function: Function) -> String {
        function.name().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_moved_by_what_has_a_buffer_and_a_tag() {
        let names = ["MPI_Send", "mpi_irsend_c", "MPI_RECV_INIT", "MPI_Isendrecv_replace"];
        assert!(names.into_iter().all(moves_message));
        let others = ["MPI_Mrecv", "MPI_Psend_init", "MPI_Iprobe", "MPI_Bcast", "MPI_Sen"];
        assert!(!others.into_iter().any(moves_message));
        assert!(Function::Sendrecv.moves_message() && !Function::Precv_init.moves_message());
    }

    #[test]
    fn facts_stand_in_the_order_of_the_enumeration() {
        assert_eq!(Function::Send.name(), "MPI_Send");
        assert_eq!(Function::smpi_shared_set_call.name(), "smpi_shared_set_call");
        assert_eq!(Function::smpi_shared_set_call as usize + 1, generated::FACTS.len());
    }

    #[test]
    fn texts_are_counted_for_fortran() {
        let counts = ["mpi_file_open", "MPI_Info_set", "mpi_comm_spawn", "mpi_send", "none"].map(count_texts);
        assert_eq!(counts, [1, 2, 2, 0, 0]);
    }

    #[test]
    fn properties_are_those_of_the_data() {
        assert!(Function::Initialized.is_always_allowed() && Function::Initialized.is_for_any_thread());
        assert!(!Function::Send.is_always_allowed() && Function::Send.reads_buffers_only());
        assert!(Function::Init_thread.is_start() && !Function::Initialized.is_start());
        assert!(Function::Testsome.is_poll() && Function::Testsome.is_completion() && !Function::Waitall.is_poll());
        assert!(Function::Improbe.is_probe() && Function::Improbe.is_poll() && !Function::Imrecv.is_probe());
        assert!(Function::Sendrecv_replace_c.is_receive() && Function::Sendrecv_replace_c.is_large_count());
        assert!(Function::Type_size_x.is_large_count() && !Function::Type_size.is_large_count());
        assert_eq!(Function::Ineighbor_allgather.chapter(), Chapter::Neighbor);
        assert_eq!(Function::MC_random.chapter(), Chapter::Extension);
        assert_eq!(Function::Bcast.immediate().and_then(Function::persistent), None);
        assert_eq!(Function::Recv.arguments()[3], "source");
    }
}
