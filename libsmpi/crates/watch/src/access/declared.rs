//! Whether the datatype of a buffer describes the variables in which its data lies.
//!
//! Source: MPI 5.0 §3.3.1 (the type of a variable in the program must match the type that the call specifies). What
//! the program declared comes from its debug information, see `smpi_process`'s `declared.rs`. Representation decides,
//! not names: integers of one size are the same, addresses and truth values are integers, complex numbers are two
//! real ones, and what has the size of a byte is room for anything. Memory of the heap has no type.

use std::ops::Range;

use smpi_dwarf::declared::{Fit, Shape};
use smpi_mpi::collective::Part;
use smpi_mpi::datatype::{Basic, Datatype, Repr};
use smpi_mpi::usage::Mistyped;
use smpi_process::{self as process, Declared, Surroundings};

use crate::checks;
use smpi_runtime::{current_rank, is_running, with};

/// Basic elements of a buffer that are looked at where nothing says that the rest is alike.
const MOST_ELEMENTS: u64 = 4096;

/// Compares the data of a call of the calling rank with what was declared where it lies. Whether it is that, as far
/// as one can say.
#[cold]
#[inline(never)]
pub(super) fn compare(part: &Part, parameter: &str) -> bool {
    let Some(found) = first_mistyped(part).filter(|_| is_running()) else { return true };
    let (rank, place) = (current_rank(), checks::here());
    let (at, variable, part, is, basic) = found;
    // A call may have several buffers.
    let site = place.site ^ ((variable.range.start as u64) << 32 | 1 << 31);
    if with(|runtime| runtime.run(rank).watch.is_new(site, place)) {
        let mistyped = Mistyped {
            parameter: parameter.to_string(),
            basic,
            declared: variable.words(),
            offset: (at - variable.range.start) as u64,
            variable: variable.name,
            part,
            is,
        };
        with(|runtime| runtime.world.note_mistyped(rank, place, mistyped));
    }
    false
}

/// An element that is something else: its address, the variable, the part of it and what that is, and what the
/// datatype has.
type Misfit = (usize, Declared, String, String, Basic);

fn first_mistyped(part: &Part) -> Option<Misfit> {
    let (count, datatype) = simplest(part)?;
    let (low, high) = datatype.span(count)?;
    let whole = part.at.offset(low).0 as usize..part.at.offset(high).0 as usize;
    let mut around = process::surroundings(whole.start);
    let count = around.as_ref().map_or(count, |around| different(around, &whole, count, &datatype));
    let mut found = None;
    datatype.for_each_basic(count, MOST_ELEMENTS, &mut |offset, basic| {
        let Some((shape, size)) = shape(basic).filter(|_| found.is_none()) else { return };
        let at = part.at.offset(offset).0 as usize;
        if around.as_ref().is_none_or(|around| !around.range.contains(&at)) {
            around = process::surroundings(at);
        }
        let misfit = around.as_ref().and_then(|around| misfit(around, at, shape, size));
        found = misfit.map(|(variable, part, is)| (at, variable, part, is, basic));
    });
    found
}

/// The same data as so many elements of the smallest datatype.
fn simplest(part: &Part) -> Option<(u64, Datatype)> {
    let count = u64::try_from(part.count).ok()?;
    match part.datatype.signature().uniform() {
        Some(basic) if part.datatype.contiguous_offset(count) == Some(0) => {
            Some((part.datatype.signature().elements().checked_mul(count)?, Datatype::basic(basic)))
        }
        _ => Some((count, part.datatype.clone())),
    }
}

/// How many elements there are until all is as it was: the types of an array repeat.
fn different(around: &Surroundings, whole: &Range<usize>, count: u64, datatype: &Datatype) -> u64 {
    let mut meeting = around.variables.iter().filter(|one| one.range.start < whole.end && whole.start < one.range.end);
    let (Some(only), None) = (meeting.next(), meeting.next()) else { return count };
    let (Some(period), Ok(extent)) = (only.period(whole), u64::try_from(datatype.extent())) else { return count };
    count.min(period / common_divisor(period, extent).max(1))
}

fn common_divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { common_divisor(other, one % other) }
}

/// The variable that an element lies in, the part of it, and what that was declared to be, when the element is
/// something else in every variable that may be there.
fn misfit(around: &Surroundings, at: usize, shape: Shape, size: u64) -> Option<(Declared, String, String)> {
    let mut found = None;
    for variable in around.variables.iter().filter(|one| one.range.contains(&at)) {
        let Fit::Differs { part, declared } = variable.fit(at, shape, size) else { return None };
        if variable.is_certain && found.is_none() {
            found = Some((variable.clone(), part, declared));
        }
    }
    found
}

/// What a predefined datatype stands for; `None` for bytes, which everything is made of. Integers of one byte are
/// used as such.
fn shape(basic: Basic) -> Option<(Shape, u64)> {
    let shape = match basic.repr() {
        Repr::Signed | Repr::Unsigned if basic.size() > 1 => Shape::Integer,
        Repr::Logical => Shape::Integer,
        Repr::Float | Repr::LongDouble => Shape::Float,
        Repr::Complex | Repr::LongDoubleComplex => Shape::Complex,
        Repr::Signed | Repr::Unsigned | Repr::Opaque | Repr::Pair => return None,
    };
    Some((shape, u64::from(basic.size())))
}
