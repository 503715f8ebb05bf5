//! What MPI is given to send or to reduce and depends on memory of the heap that the program never wrote, or on
//! variables of functions, where the program was compiled with `smpicc --verify`.
//!
//! Nothing is followed. One schedule is executed twice, with other contents of fresh memory ([`process::Fresh`]) and
//! nothing else that differs, and each call's data is compared with that of the same call in the first execution: what
//! differs holds bytes that were never written, or values that were computed from such.
//!
//! Sending them is no error yet: right programs send corners of arrays, padding of structures and ends of lines that
//! nobody looks at. It is one where it matters. So it is reported if such values are reduced, or if the program prints,
//! returns or does anything else in the second execution, which the caller finds out ([`Matters`]). Elements of two
//! bytes or more are values of the program, apart from the padding of `long double`. Single bytes may be anything: they
//! come last, unless none of a buffer was written.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use smpi_base::WorldRank;
use smpi_base::words::counted;
use smpi_mpi::buffers;
use smpi_mpi::collective::Part;
use smpi_mpi::datatype::{Basic, Repr};
use smpi_mpi::op::Op;
use smpi_mpi::p2p::request::{Body, RequestKey};
use smpi_mpi::rma::{Access, Action};
use smpi_mpi::usage::Origin;
use smpi_process::{self as process, HostCell};
use smpi_report::FindingKey;
use smpi_report::finding::Finding;
use smpi_runtime::memory::ProcessMemory;
use smpi_runtime::{current_rank, is_running, with};

use crate::checks;

/// Bytes of data that are kept of an execution. What is given beyond that is not compared.
const MOST_KEPT: usize = 256 << 20;

/// Elements of one buffer that are looked at when it differs.
const MOST_ELEMENTS: u64 = 1 << 22;

/// Bytes of `long double` that hold its value (System V psABI x86-64 §3.1.2).
const LONG_DOUBLE: usize = 10;

/// Data is kept or compared.
static WATCHED: AtomicBool = AtomicBool::new(false);

// SAFETY: ranks in their calls and the event loop use it, which are the hosting thread.
static KEPT: HostCell<RefCell<Kept>> = unsafe { HostCell::new(RefCell::new(Kept::new())) };

/// The data that the ranks gave in the first execution, and what is different in the present one.
struct Kept {
    bytes: Vec<u8>,
    /// Of each rank, in the order of its program.
    given: Vec<Vec<Given>>,
    /// How many of them were compared in this execution; `None` in the first one.
    compared: Option<Vec<usize>>,
    /// Some rank does something else than in the first execution: nothing can be compared any more.
    is_apart: bool,
    found: Vec<Unwritten>,
}

/// What a call was given.
#[derive(PartialEq)]
struct Given {
    site: u64,
    at: u64,
    count: i64,
    /// Where its bytes are kept, in packed order.
    kept: Range<usize>,
}

/// Data that is not the same in both executions.
struct Unwritten {
    rank: WorldRank,
    place: Origin,
    /// It is not only moved.
    is_reduced: bool,
    differing: Differing,
}

/// What differs of a buffer.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Differing {
    /// The type of the first element that differs.
    basic: Basic,
    /// Its number among the basic elements of the buffer.
    first: u64,
    /// Elements that differ.
    elements: u64,
    /// Elements of the buffer.
    of: u64,
    /// The first one holds what fresh memory was filled with.
    is_fresh: bool,
    /// Single bytes among others, which may be padding.
    is_raw: bool,
}

/// Whether a program that gives other data does anything else with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Matters {
    /// Not as far as one sees.
    Unseen,
    /// This rank prints something else, or has another exit code.
    Ends(u32),
    /// Some rank makes other calls, or takes other messages.
    Goes,
}

impl Kept {
    const fn new() -> Kept {
        Kept { bytes: Vec::new(), given: Vec::new(), compared: None, is_apart: false, found: Vec::new() }
    }

    /// A rank gives this data to MPI.
    fn note(&mut self, (rank, place): (WorldRank, Origin), part: &Part, bytes: Vec<u8>, is_reduced: bool) {
        let index = rank.index();
        let Some(compared) = &mut self.compared else {
            if self.given.len() <= index {
                self.given.resize_with(index + 1, Vec::new);
            }
            let from = self.bytes.len();
            if from + bytes.len() <= MOST_KEPT {
                self.bytes.extend_from_slice(&bytes);
            }
            let kept = from..self.bytes.len();
            self.given[index].push(Given { site: place.site, at: part.at.0, count: part.count, kept });
            return;
        };
        compared.resize(compared.len().max(index + 1), 0);
        let number = compared[index];
        compared[index] += 1;
        let known = self.given.get(index).and_then(|given| given.get(number));
        let same = |known: &&Given| (known.site, known.at, known.count) == (place.site, part.at.0, part.count);
        let Some(known) = known.filter(same) else {
            self.is_apart = true;
            return;
        };
        let before = &self.bytes[known.kept.clone()];
        if before.len() == bytes.len()
            && before != bytes
            && let Some(differing) = differing(part, [before, &bytes])
        {
            self.found.push(Unwritten { rank, place, is_reduced, differing });
        }
    }
}

/// From now on what ranks give is kept.
pub fn keep_given() {
    KEPT.replace(Kept::new());
    WATCHED.store(true, Ordering::Relaxed);
}

/// Another execution begins, whose data is compared with what was kept.
pub fn compare_given() {
    let mut kept = KEPT.borrow_mut();
    (kept.compared, kept.is_apart, kept.found) = (Some(Vec::new()), false, Vec::new());
}

/// Whether some data of this execution differs from what was kept.
pub fn differs() -> bool {
    is_apart() || !KEPT.borrow().found.is_empty()
}

/// Whether some rank of this execution, which is over, gave other buffers, or by other calls.
pub fn is_apart() -> bool {
    let kept = KEPT.borrow();
    let counts = kept.compared.as_deref().unwrap_or_default();
    let gave = |rank: usize| counts.get(rank).copied().unwrap_or(0);
    kept.is_apart || kept.given.iter().enumerate().any(|(rank, given)| given.len() != gave(rank))
}

/// The data of this execution that differs from what was kept, as findings, where it matters. Of what was never
/// written, each place of each rank once; if that is nothing, the first that was computed from such; if that is nothing
/// either, single bytes.
pub fn unwritten(matters: Matters) -> Vec<Finding> {
    let kept = KEPT.borrow();
    let wanted = |found: &&Unwritten| matters != Matters::Unseen || found.is_reduced && !found.differing.is_raw;
    let wanted: Vec<&Unwritten> = kept.found.iter().filter(wanted).collect();
    let mut places: Vec<(WorldRank, Origin)> = Vec::new();
    let mut found: Vec<&Unwritten> = Vec::new();
    for one in wanted.iter().filter(|one| one.differing.is_fresh && !one.differing.is_raw) {
        if !places.contains(&(one.rank, one.place)) {
            places.push((one.rank, one.place));
            found.push(one);
        }
    }
    if found.is_empty() {
        let first = |is_raw: bool| wanted.iter().find(|one| one.differing.is_raw == is_raw);
        found.extend(first(false).or(first(true)));
    }
    found.into_iter().map(|found| finding(found, matters)).collect()
}

/// The calling rank starts a request.
#[inline]
pub(super) fn starts(key: RequestKey) {
    if WATCHED.load(Ordering::Relaxed) {
        let rank = current_rank();
        let given = with(|runtime| {
            let request = runtime.world.request(rank, key)?;
            Some((buffers::given(request), matches!(&request.body, Body::Collective(all) if reduces(all.call.op))))
        });
        let Some((parts, is_reduced)) = given else { return };
        parts.iter().for_each(|part| note(part, is_reduced));
    }
}

fn reduces(op: Option<Op>) -> bool {
    op.is_some_and(|op| !matches!(op, Op::Predefined(op) if !op.is_reduction()))
}

/// The calling rank starts an access to a window.
#[inline]
pub(super) fn accesses(access: &Access) {
    if WATCHED.load(Ordering::Relaxed) {
        let is_reduced = matches!(access.action, Action::Combine(op, _) if op.is_reduction());
        let given = access.own_memory().filter(|(_, receives)| !receives);
        given.for_each(|(part, _)| note(part, is_reduced));
    }
}

/// The calling rank gives MPI this data in a call that is over at once; whether it is reduced, or only moved.
#[inline]
pub fn gives(part: &Part, is_reduced: bool) {
    if WATCHED.load(Ordering::Relaxed) {
        note(part, is_reduced);
    }
}

#[cold]
fn note(part: &Part, is_reduced: bool) {
    if part.count <= 0 || part.size() == 0 || KEPT.borrow().is_apart || !is_running() {
        return;
    }
    let (rank, place) = (current_rank(), checks::here());
    if super::is_reported() {
        part.datatype.for_each_basic(part.count as u64, MOST_ELEMENTS, &mut |offset, basic| {
            let at = part.at.0.wrapping_add_signed(offset) as usize;
            process::fill_variable(at..at + basic.size() as usize);
        });
    }
    let mut bytes = Vec::new();
    if part.size() <= MOST_KEPT as u64 {
        // SAFETY: it is used for the arguments of this call.
        let memory = unsafe { ProcessMemory::new(0, None) };
        part.datatype.pack(&memory, rank, part.at, part.count as u64, &mut bytes);
    }
    KEPT.borrow_mut().note((rank, place), part, bytes, is_reduced);
}

/// What differs in the values of a buffer, whose data is given in packed order as it was and as it is.
fn differing(part: &Part, [before, now]: [&[u8]; 2]) -> Option<Differing> {
    let (mut at, mut number) = (0, 0);
    let (mut found, mut raw): (Option<Differing>, Option<Differing>) = (None, None);
    let of = part.datatype.signature().elements().saturating_mul(part.count as u64);
    part.datatype.for_each_basic(part.count as u64, MOST_ELEMENTS, &mut |_, basic| {
        let range = at..at + basic.size() as usize;
        (at, number) = (range.end, number + 1);
        let is_raw = basic.size() == 1 && basic.repr() != Repr::Logical;
        let (Some(before), Some(now)) = (before.get(range.clone()), now.get(range)) else { return };
        if !value_differs(basic, before, now) {
            return;
        }
        let entry = if is_raw { &mut raw } else { &mut found };
        let first = || Differing { basic, first: number - 1, elements: 0, of, is_fresh: is_fresh(basic, now), is_raw };
        entry.get_or_insert_with(first).elements += 1;
    });
    found.or(raw.map(|raw| Differing { is_raw: raw.elements < raw.of, ..raw }))
}

/// The bytes of an element that hold its value.
fn value_bytes(basic: Basic) -> impl Iterator<Item = usize> {
    let (size, each) = match basic.repr() {
        Repr::LongDouble => (basic.size() as usize, LONG_DOUBLE),
        Repr::LongDoubleComplex => (basic.size() as usize / 2, LONG_DOUBLE),
        _ => (basic.size() as usize, basic.size() as usize),
    };
    (0..basic.size() as usize).filter(move |byte| byte % size < each)
}

fn value_differs(basic: Basic, before: &[u8], now: &[u8]) -> bool {
    before != now && value_bytes(basic).any(|byte| before[byte] != now[byte])
}

/// Whether an element holds what fresh memory was filled with, here or where it was copied from.
fn is_fresh(basic: Basic, now: &[u8]) -> bool {
    value_bytes(basic).all(|byte| process::is_mark(now[byte]))
}

fn finding(found: &Unwritten, matters: Matters) -> Finding {
    let Unwritten { rank, place, is_reduced, differing } = found;
    let Differing { basic, first, elements, of, is_fresh, .. } = *differing;
    let were = if is_fresh { "never written" } else { "computed from memory that was never written" };
    let what = match (of, elements) {
        (1, _) => format!("1 {} that was {were}", basic.name()),
        _ if elements == of => format!("{of} {} that were {were}", basic.name()),
        (_, 1) => format!("{}, of which element {first} was {were}", counted(of, "element")),
        _ => format!(
            "{}, of which {elements} were {were}; the first one is element {first}, of type {}",
            counted(of, "element"),
            basic.name()
        ),
    };
    let outcome = match matters {
        Matters::Ends(rank) => format!("; what rank {rank} prints, or its exit code, depends on such memory"),
        Matters::Goes if !is_reduced => "; which calls the ranks make depends on such memory".to_string(),
        Matters::Goes | Matters::Unseen => String::new(),
    };
    let message = format!("rank {rank}: {} is given {what}{outcome}", place.call);
    Finding::new(FindingKey::MemoryUninitialised, message).located(checks::location_of(*rank, *place))
}

#[cfg(test)]
mod tests {
    use smpi_mpi::datatype::Datatype;
    use smpi_mpi::memory::Addr;

    use super::*;

    fn part(count: i64, datatype: Datatype) -> Part {
        Part { at: Addr(4096), count, datatype }
    }

    /// The bytes of fresh memory of a part without gaps.
    fn marks(len: usize) -> Vec<u8> {
        (4096..4096 + len).map(process::mark_at).collect()
    }

    #[test]
    fn values_are_told_from_padding() {
        let int = part(4, Datatype::basic(Basic::Int));
        let mut now = vec![0; 16];
        now[8..12].copy_from_slice(&marks(16)[8..12]);
        let expected = Differing { basic: Basic::Int, first: 2, elements: 1, of: 4, is_fresh: true, is_raw: false };
        assert_eq!(differing(&int, [&[0; 16], &now]), Some(expected));
        now[8] = 7;
        assert_eq!(differing(&int, [&[0; 16], &now]), Some(Differing { is_fresh: false, ..expected }));
        assert_eq!(differing(&int, [&now, &now]), None);
        // Some bytes of a text or a structure, and all of them.
        let bytes = part(16, Datatype::basic(Basic::Byte));
        assert!(differing(&bytes, [&[0; 16], &now]).is_some_and(|found| found.is_raw));
        assert!(differing(&bytes, [&[0; 16], &marks(16)]).is_some_and(|found| !found.is_raw && found.is_fresh));
        // The last six bytes of a long double hold nothing.
        let long = part(1, Datatype::basic(Basic::LongDouble));
        let mut padded = vec![0; 16];
        padded[10..].copy_from_slice(&marks(16)[10..]);
        assert_eq!(differing(&long, [&[0; 16], &padded]), None);
        padded[9] = 1;
        assert!(differing(&long, [&[0; 16], &padded]).is_some());
    }

    /// A number that was not written counts, whatever becomes of the text beside it.
    #[test]
    fn members_of_structures_are_values_of_their_types() {
        let [int, byte] = [Basic::Int, Basic::Char].map(Datatype::basic);
        let mixed = part(1, Datatype::structure(&[1, 8], &[0, 4], &[int, byte]).unwrap());
        let mut now = vec![0; 12];
        now[4..].copy_from_slice(&[9; 8]);
        assert!(differing(&mixed, [&[0; 12], &now]).unwrap().is_raw);
        now[1] = 1;
        let found = differing(&mixed, [&[0; 12], &now]).unwrap();
        assert!((found.basic, found.elements, found.is_raw) == (Basic::Int, 1, false));
    }

    /// Data of a call that the first execution did not make is compared with nothing.
    #[test]
    fn executions_that_differ_in_their_calls_are_not_compared() {
        let int = part(1, Datatype::basic(Basic::Int));
        let place = |site| (WorldRank(1), Origin { site, ..Origin::default() });
        let mut kept = Kept::new();
        kept.note(place(1), &int, vec![0; 4], false);
        kept.note(place(2), &int, vec![0; 4], false);
        kept.compared = Some(Vec::new());
        kept.note(place(1), &int, vec![1; 4], false);
        assert!(kept.found.len() == 1 && !kept.is_apart);
        kept.note(place(3), &int, vec![1; 4], false);
        assert!(kept.found.len() == 1 && kept.is_apart);
    }
}
