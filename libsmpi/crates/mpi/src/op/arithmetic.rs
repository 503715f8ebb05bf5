//! Element-wise predefined reductions.
//!
//! Loops over fixed-size little-endian chunks, which the compiler turns into vector code. Integer overflow wraps, as it
//! does in other MPI libraries. Formats that Rust lacks go through [`crate::softfloat`].

use std::cmp::Ordering;

use super::Predefined;
use crate::datatype::{Basic, Repr};
use crate::softfloat::{BINARY16, BINARY128, EXTENDED, Format, Number};

/// Applies `f` to each pair of `N`-byte elements: first operand from `input`, second and result in `inout`.
#[inline(always)]
pub(super) fn combine<const N: usize>(input: &[u8], inout: &mut [u8], f: impl Fn([u8; N], [u8; N]) -> [u8; N]) {
    for (second, first) in inout.as_chunks_mut::<N>().0.iter_mut().zip(input.as_chunks::<N>().0) {
        *second = f(*first, *second);
    }
}

/// The integer reductions for one machine type.
macro_rules! integer {
    ($type:ty, $op:expr, $input:expr, $inout:expr) => {{
        let (input, inout) = ($input, $inout);
        let of = <$type>::from_le_bytes;
        let truth = |value: bool| <$type>::from(value).to_le_bytes();
        match $op {
            Predefined::Sum => combine(input, inout, |a, b| of(a).wrapping_add(of(b)).to_le_bytes()),
            Predefined::Prod => combine(input, inout, |a, b| of(a).wrapping_mul(of(b)).to_le_bytes()),
            Predefined::Min => combine(input, inout, |a, b| of(a).min(of(b)).to_le_bytes()),
            Predefined::Max => combine(input, inout, |a, b| of(a).max(of(b)).to_le_bytes()),
            Predefined::BitAnd => combine(input, inout, |a, b| (of(a) & of(b)).to_le_bytes()),
            Predefined::BitOr => combine(input, inout, |a, b| (of(a) | of(b)).to_le_bytes()),
            Predefined::BitXor => combine(input, inout, |a, b| (of(a) ^ of(b)).to_le_bytes()),
            Predefined::LogicalAnd => combine(input, inout, |a, b| truth((of(a) != 0) & (of(b) != 0))),
            Predefined::LogicalOr => combine(input, inout, |a, b| truth((of(a) != 0) | (of(b) != 0))),
            Predefined::LogicalXor => combine(input, inout, |a, b| truth((of(a) != 0) != (of(b) != 0))),
            _ => not_elementwise(),
        }
    }};
}

/// The floating-point reductions for one machine type.
macro_rules! float {
    ($type:ty, $op:expr, $input:expr, $inout:expr) => {{
        let (input, inout) = ($input, $inout);
        let of = <$type>::from_le_bytes;
        match $op {
            Predefined::Sum => combine(input, inout, |a, b| (of(a) + of(b)).to_le_bytes()),
            Predefined::Prod => combine(input, inout, |a, b| (of(a) * of(b)).to_le_bytes()),
            // With a NaN the comparison is false and the second operand stays, as in C's `a < b ? a : b`.
            Predefined::Min => combine(input, inout, |a, b| if of(a) < of(b) { a } else { b }),
            Predefined::Max => combine(input, inout, |a, b| if of(a) > of(b) { a } else { b }),
            _ => not_elementwise(),
        }
    }};
}

/// The complex reductions for one machine type of `$size` bytes.
macro_rules! complex {
    ($type:ty, $size:literal, $op:expr, $input:expr, $inout:expr) => {{
        let (input, inout) = ($input, $inout);
        let of = <$type>::from_le_bytes;
        match $op {
            // Components are added independently.
            Predefined::Sum => combine(input, inout, |a, b| (of(a) + of(b)).to_le_bytes()),
            Predefined::Prod => {
                let firsts = input.as_chunks::<$size>().0.as_chunks::<2>().0;
                let seconds = inout.as_chunks_mut::<$size>().0.as_chunks_mut::<2>().0;
                for (second, first) in seconds.iter_mut().zip(firsts) {
                    let (a, b) = (of(first[0]), of(first[1]));
                    let (c, d) = (of(second[0]), of(second[1]));
                    *second = [(a * c - b * d).to_le_bytes(), (a * d + b * c).to_le_bytes()];
                }
            }
            _ => not_elementwise(),
        }
    }};
}

/// Reached only if the table of accepted types and the kernels disagree: a fault of this library.
fn not_elementwise() {
    debug_assert!(false, "the operation has no kernel for this type");
}

/// Applies an accepted operation other than replace, no-op and the location ones.
pub(super) fn reduce(op: Predefined, basic: Basic, input: &[u8], inout: &mut [u8]) {
    match (basic.repr(), basic.size()) {
        (Repr::Signed, 1) => integer!(i8, op, input, inout),
        (Repr::Signed, 2) => integer!(i16, op, input, inout),
        (Repr::Signed, 4) => integer!(i32, op, input, inout),
        (Repr::Signed, 8) => integer!(i64, op, input, inout),
        (Repr::Signed, _) => integer!(i128, op, input, inout),
        (Repr::Unsigned, 2) | (Repr::Logical, 2) => integer!(u16, op, input, inout),
        (Repr::Unsigned, 4) | (Repr::Logical, 4) => integer!(u32, op, input, inout),
        (Repr::Unsigned, 8) | (Repr::Logical, 8) => integer!(u64, op, input, inout),
        (Repr::Logical, 16) => integer!(u128, op, input, inout),
        (Repr::Unsigned | Repr::Logical | Repr::Opaque, _) => integer!(u8, op, input, inout),
        (Repr::Float, 2) => soft::<2>(BINARY16, op, input, inout),
        (Repr::Float, 4) => float!(f32, op, input, inout),
        (Repr::Float, 8) => float!(f64, op, input, inout),
        (Repr::Float, _) => soft::<16>(BINARY128, op, input, inout),
        (Repr::LongDouble, _) => soft::<16>(EXTENDED, op, input, inout),
        (Repr::Complex, 4) => soft_complex::<2>(BINARY16, op, input, inout),
        (Repr::Complex, 8) => complex!(f32, 4, op, input, inout),
        (Repr::Complex, 16) => complex!(f64, 8, op, input, inout),
        (Repr::Complex, _) => soft_complex::<16>(BINARY128, op, input, inout),
        (Repr::LongDoubleComplex, _) => soft_complex::<16>(EXTENDED, op, input, inout),
        (Repr::Pair, _) => not_elementwise(),
    }
}

/// Reads an element of up to 16 bytes.
pub(super) fn decode<const N: usize>(format: Format, bytes: [u8; N]) -> Number {
    let mut wide = [0; 16];
    wide[..N].copy_from_slice(&bytes);
    format.decode(u128::from_le_bytes(wide))
}

/// Writes an element; the padding of `long double` becomes zero.
fn encode<const N: usize>(format: Format, number: Number) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&format.encode(number).to_le_bytes()[..N]);
    bytes
}

fn soft<const N: usize>(format: Format, op: Predefined, input: &[u8], inout: &mut [u8]) {
    combine::<N>(input, inout, |a, b| {
        let (first, second) = (decode(format, a), decode(format, b));
        match op {
            Predefined::Sum => encode(format, format.add(first, second)),
            Predefined::Prod => encode(format, format.multiply(first, second)),
            Predefined::Min if first.compare(second) == Some(Ordering::Less) => a,
            Predefined::Max if first.compare(second) == Some(Ordering::Greater) => a,
            _ => b,
        }
    });
}

fn soft_complex<const N: usize>(format: Format, op: Predefined, input: &[u8], inout: &mut [u8]) {
    if op == Predefined::Sum {
        return soft::<N>(format, op, input, inout);
    }
    let firsts = input.as_chunks::<N>().0.as_chunks::<2>().0;
    let seconds = inout.as_chunks_mut::<N>().0.as_chunks_mut::<2>().0;
    for (second, first) in seconds.iter_mut().zip(firsts) {
        let [a, b] = first.map(|part| decode(format, part));
        let [c, d] = second.map(|part| decode(format, part));
        let real = format.add(format.multiply(a, c), format.multiply(b, d).negated());
        let imaginary = format.add(format.multiply(a, d), format.multiply(b, c));
        *second = [encode(format, real), encode(format, imaginary)];
    }
}
