//! Faults as they happen to people, each at one line of a right program.
//!
//! A changed program needs [`HEADER`] in front of it, which adds no line.

use super::calls::{Call, Role, Source};
use std::collections::BTreeSet;

/// What changed lines call, and the checks of `tests/programs/check.h` as assertions: a program that counts what is
/// wrong and says so at its end leaves nothing that could name a line. To be included by an option of the compiler.
pub const HEADER: &str = r#"#include <assert.h>
#include "../check.h"
static inline int mutant_rank(void) { int rank; PMPI_Comm_rank(MPI_COMM_WORLD, &rank); return rank; }
static inline int mutant_size(void) { int size; PMPI_Comm_size(MPI_COMM_WORLD, &size); return size; }
static inline int mutant_polls(void) { static int polls; return polls++; }
#undef CHECK
#undef CHECK_OK
#define CHECK(condition) assert(condition)
#define CHECK_INT(found, expected) assert((long long)(found) == (long long)(expected))
#define CHECK_OK(call) do { int code_of_call = (call); assert(code_of_call == MPI_SUCCESS); } while (0)
"#;

/// What kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A message goes to, or is expected from, another rank.
    Peer,
    /// A tag is another one.
    Tag,
    /// A receive that named its source takes any.
    Wildcard,
    /// Two receives, one behind the other, have changed places.
    Swapped,
    /// A message is not sent.
    Dropped,
    /// A message is sent twice.
    Doubled,
    /// Nobody waits for a request.
    Wait,
    /// Ranks do not agree on a root.
    Root,
    /// A rank leaves out a collective operation.
    Missing,
    /// A message is longer, or its buffer shorter; of a collective operation, on one rank.
    Count,
    /// A loop that polls gives up.
    Polls,
    /// A window is accessed without its synchronisation.
    Window,
    /// A persistent request is not started.
    Start,
    /// A partition is not made ready.
    Partition,
    /// Something is written to, or read from, another place of a file.
    File,
    /// An operation is of another communicator.
    Communicator,
}

use Kind::*;

/// All of them.
pub const KINDS: [Kind; 16] = [
    Peer,
    Tag,
    Wildcard,
    Swapped,
    Dropped,
    Doubled,
    Wait,
    Root,
    Missing,
    Count,
    Polls,
    Window,
    Start,
    Partition,
    File,
    Communicator,
];

/// A program with a fault.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What is wrong.
    pub kind: Kind,
    /// The lines where it was planted, from 1.
    pub lines: BTreeSet<usize>,
    /// Where something is taken away: the lines of the calls that lack it, from 1. Of a message those that can take it,
    /// of a request those that use it, of a window its accesses.
    pub lacking: BTreeSet<usize>,
    /// The line as it is now.
    pub said: String,
    /// The whole source.
    pub text: String,
}

/// All faults of a kind that can be planted in a program.
pub fn all(kind: Kind, source: &Source) -> Vec<Fault> {
    match kind {
        Swapped => swapped(source),
        Polls => polls(source),
        _ => source.calls.iter().flat_map(|call| of_call(kind, source, call)).collect(),
    }
}

fn fault(kind: Kind, source: &Source, call: &Call, text: String) -> Fault {
    let said = text.lines().nth(call.line).unwrap_or_default().trim().to_string();
    let lacking = lacking(kind, source, call).into_iter().map(|line| line + 1).collect();
    Fault { kind, lines: BTreeSet::from([call.line + 1]), lacking, said, text }
}

/// Another text for an argument.
fn changed(kind: Kind, source: &Source, call: &Call, index: Option<usize>, to: impl Fn(&str) -> String) -> Vec<Fault> {
    let Some(place) = index.and_then(|index| call.args.get(index)) else { return Vec::new() };
    let old = source.lines[call.line][place.clone()].trim();
    let is_named = old.starts_with("MPI_") && !old.contains("COMM");
    let new = to(old);
    if is_named || new == old {
        return Vec::new();
    }
    let lead = source.lines[call.line][place.clone()].len() - source.lines[call.line][place.clone()].trim_start().len();
    let text = source.with(call.line, place.start + lead..place.end, &new);
    vec![fault(kind, source, call, text)]
}

/// A statement that is written otherwise.
fn rewritten(kind: Kind, source: &Source, call: &Call, to: impl Fn(&str) -> String) -> Vec<Fault> {
    if !source.is_statement(call) {
        return Vec::new();
    }
    let new = to(&source.lines[call.line][call.place.clone()]);
    vec![fault(kind, source, call, source.with(call.line, call.place.clone(), &new))]
}

fn of_call(kind: Kind, source: &Source, call: &Call) -> Vec<Fault> {
    let (role, shape, name) = (call.role(), call.shape(), call.name.as_str());
    let is_message = matches!(role, Role::Send | Role::Receive | Role::Probe);
    let gone = || rewritten(kind, source, call, |_| "(void)0".into());
    match kind {
        Peer if is_message => changed(kind, source, call, shape.peer, |peer| format!("({peer} + 1) % mutant_size()")),
        Tag if is_message => changed(kind, source, call, shape.tag, |tag| format!("{tag} + 77")),
        Wildcard if matches!(role, Role::Receive | Role::Probe) && !name.contains("Precv") => {
            changed(kind, source, call, shape.peer, |_| "MPI_ANY_SOURCE".into())
        }
        Dropped if role == Role::Send && !name.ends_with("_init") && !name.starts_with("MPI_I") => gone(),
        Doubled if role == Role::Send && !name.ends_with("_init") => {
            rewritten(kind, source, call, |call| format!("do {{ {call}; {call}; }} while (0)"))
        }
        Wait if name.starts_with("MPI_Wait") => gone(),
        Root if role == Role::Collective => {
            changed(kind, source, call, shape.peer, |root| format!("({root} + mutant_rank()) % mutant_size()"))
        }
        Missing if role == Role::Collective && !name.starts_with("MPI_I") => {
            let one = |call: &str| format!("do {{ if (mutant_rank() != 1) {call}; }} while (0)");
            rewritten(kind, source, call, one)
        }
        Count if role == Role::Collective => {
            changed(kind, source, call, shape.count, |count| format!("{count} + (mutant_rank() == 1)"))
        }
        Count if role == Role::Send => changed(kind, source, call, shape.count, |count| format!("{count} + 1")),
        Count if role == Role::Receive && name != "MPI_Sendrecv" => {
            changed(kind, source, call, shape.count, |count| format!("{count} - 1"))
        }
        Window if is_synchronisation(name) => gone(),
        Start if name == "MPI_Start" || name == "MPI_Startall" => gone(),
        Partition if name.starts_with("MPI_Pready") => gone(),
        File if ["MPI_File_write", "MPI_File_read"].iter().any(|begin| name.starts_with(begin))
            && name.contains("_at") =>
        {
            changed(kind, source, call, Some(1), |place| format!("{place} + 1"))
        }
        File if name == "MPI_File_set_view" => changed(kind, source, call, Some(1), |place| format!("{place} + 4")),
        Communicator if is_message || role == Role::Collective => {
            let others = communicators(source);
            let other = |old: &str| others.iter().find(|other| **other != old).cloned();
            changed(kind, source, call, shape.comm, |old| other(old).unwrap_or_else(|| "MPI_COMM_SELF".into()))
        }
        _ => Vec::new(),
    }
}

fn is_synchronisation(name: &str) -> bool {
    let Some(what) = name.strip_prefix("MPI_Win_") else { return false };
    let begins = ["fence", "lock", "unlock", "flush", "start", "complete", "post", "wait", "sync"];
    begins.iter().any(|begin| what.starts_with(begin))
}

/// The communicators that messages and collective operations are of.
fn communicators(source: &Source) -> BTreeSet<String> {
    let named = |call: &Call| {
        let text = source.argument(call, call.shape().comm?);
        let is_name = !text.is_empty() && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        is_name.then(|| text.to_string())
    };
    source.calls.iter().filter_map(named).collect()
}

/// Two receives of the same function on neighbouring lines, or with one line between.
fn swapped(source: &Source) -> Vec<Fault> {
    let receives: Vec<&Call> =
        source.calls.iter().filter(|call| call.role() == Role::Receive && source.is_statement(call)).collect();
    let pairs = receives.windows(2).filter(|pair| {
        let texts = [0, 1].map(|index| &source.lines[pair[index].line]);
        let indents = texts.map(|text| text.len() - text.trim_start().len());
        pair[1].line - pair[0].line <= 2 && indents[0] == indents[1] && texts[0] != texts[1]
    });
    let of = |pair: &[&Call]| {
        let mut lines = source.lines.clone();
        lines.swap(pair[0].line, pair[1].line);
        let said = format!("{} / {}", lines[pair[0].line].trim(), lines[pair[1].line].trim());
        let places = BTreeSet::from([pair[0].line + 1, pair[1].line + 1]);
        Fault { kind: Swapped, lines: places, lacking: BTreeSet::new(), said, text: lines.join("\n") + "\n" }
    };
    pairs.map(of).collect()
}

/// Loops `while (!flag)` that end after two rounds.
fn polls(source: &Source) -> Vec<Fault> {
    let begins = |line: usize| source.lines[line].find("while (!").map(|at| (line, at + "while (".len()));
    let loops = (0..source.lines.len()).filter_map(begins);
    let of = |(line, at): (usize, usize)| {
        let text = source.with(line, at..at, "mutant_polls() < 2 && ");
        let said = text.lines().nth(line)?.trim().to_string();
        // What it calls, in the loop's own lines or on the two before `while` of a `do`.
        let near = source.calls.iter().filter(|call| call.line + 3 > line && call.line < line + 4);
        let lacking = near.map(|call| call.line + 1).collect();
        Some(Fault { kind: Polls, lines: BTreeSet::from([line + 1]), lacking, said, text })
    };
    loops.filter_map(of).collect()
}

/// The lines of the calls that lack a call that was taken away.
fn lacking(kind: Kind, source: &Source, gone: &Call) -> BTreeSet<usize> {
    let of_handle = |handle: &str| -> BTreeSet<usize> {
        let same = source.calls.iter().filter(|call| Source::may_be_same(&source.handle(call), handle));
        same.map(|call| call.line).collect()
    };
    let partners = |send: &Call| -> BTreeSet<usize> {
        let same = |call: &&Call, index: fn(&Call) -> Option<usize>, wild: &str| {
            let text = |call: &Call| index(call).map(|index| source.argument(call, index).to_string());
            text(call) == text(send) || text(call).is_some_and(|text| text == wild)
        };
        let receives = source.calls.iter().filter(|call| matches!(call.role(), Role::Receive | Role::Probe));
        let receives = receives.filter(|call| same(call, |call| call.shape().comm, ""));
        let receives: Vec<&Call> = receives.filter(|call| same(call, |call| call.shape().tag, "MPI_ANY_TAG")).collect();
        let waits =
            receives.iter().filter(|call| call.name != "MPI_Recv").flat_map(|call| of_handle(&source.handle(call)));
        receives.iter().map(|call| call.line).chain(waits).collect()
    };
    match kind {
        Dropped => partners(gone),
        Wait => of_handle(&source.handle(gone)),
        Start | Partition => {
            let handle = source.handle(gone);
            let mut lines = of_handle(&handle);
            let sends = source
                .calls
                .iter()
                .filter(|call| call.role() == Role::Send && Source::may_be_same(&source.handle(call), &handle));
            lines.extend(sends.flat_map(partners));
            lines
        }
        // Ranks may call it at different lines.
        Missing => source.calls.iter().filter(|call| call.name == gone.name).map(|call| call.line).collect(),
        // An access may be a load or a store, which is no call.
        Window => {
            let near = [gone.line.saturating_sub(1), gone.line + 1];
            of_handle(&source.handle(gone)).into_iter().chain(near).collect()
        }
        _ => BTreeSet::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "if (rank == 0) {
    MPI_Recv(&a, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &status);
    MPI_Recv(&b, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &status);
} else
    MPI_Send(&a, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
while (!flag)
    MPI_Test(&request, &flag, &status);
";

    fn planted(kind: Kind) -> Vec<String> {
        all(kind, &Source::read(TEXT)).into_iter().map(|fault| fault.said).collect()
    }

    #[test]
    fn faults_of_one_line() {
        assert_eq!(planted(Wildcard)[0], "MPI_Recv(&a, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);");
        assert_eq!(planted(Peer)[2], "MPI_Send(&a, 1, MPI_INT, (0 + 1) % mutant_size(), 0, MPI_COMM_WORLD);");
        assert_eq!(planted(Dropped), ["(void)0;"]);
        assert_eq!(planted(Polls), ["while (mutant_polls() < 2 && !flag)"]);
        assert_eq!(planted(Communicator).len(), 3);
    }

    #[test]
    fn what_lacks_a_message() {
        let source = Source::read(TEXT);
        let [dropped] = &all(Dropped, &source)[..] else { panic!("one message is sent") };
        assert_eq!((&dropped.lines, &dropped.lacking), (&BTreeSet::from([5]), &BTreeSet::from([2, 3])));
        let [swapped] = &all(Swapped, &source)[..] else { panic!("two receives can change places") };
        assert!(swapped.text.lines().nth(1).unwrap().contains("&b"));
    }
}
