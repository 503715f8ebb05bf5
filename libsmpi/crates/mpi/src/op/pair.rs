//! `MPI_MINLOC` and `MPI_MAXLOC`: the extreme value and the lowest index that has it (MPI 5.0 §6.9.4).

use std::cmp::Ordering;

use super::arithmetic::decode;
use super::{Form, Predefined};
use crate::datatype::{Basic, Repr};
use crate::softfloat::EXTENDED;

/// Order of two values given as bytes; `None` with a NaN.
type Compare = fn(&[u8], &[u8]) -> Option<Ordering>;

/// Reads the number at the start of `bytes`; the caller passes at least its size.
fn read<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut number = [0; N];
    number.copy_from_slice(&bytes[..N]);
    number
}

fn comparison(basic: Basic) -> Compare {
    match (basic.repr(), basic.size()) {
        (Repr::Signed, 2) => |a, b| i16::from_le_bytes(read(a)).partial_cmp(&i16::from_le_bytes(read(b))),
        (Repr::Signed, 4) => |a, b| i32::from_le_bytes(read(a)).partial_cmp(&i32::from_le_bytes(read(b))),
        (Repr::Float, 4) => |a, b| f32::from_le_bytes(read(a)).partial_cmp(&f32::from_le_bytes(read(b))),
        (Repr::Float, 8) => |a, b| f64::from_le_bytes(read(a)).partial_cmp(&f64::from_le_bytes(read(b))),
        (Repr::LongDouble, _) => |a, b| decode::<16>(EXTENDED, read(a)).compare(decode::<16>(EXTENDED, read(b))),
        // What remains among the components of pairs is `long`.
        _ => |a, b| i64::from_le_bytes(read(a)).partial_cmp(&i64::from_le_bytes(read(b))),
    }
}

/// Reduces pairs in the given form; types that are not pairs stay as they are.
pub(super) fn reduce(form: Form, op: Predefined, basic: Basic, input: &[u8], inout: &mut [u8]) {
    let Some((value, index)) = basic.pair() else { return };
    let (compare_values, compare_indices) = (comparison(value), comparison(index));
    let wanted = if op == Predefined::MinLoc { Ordering::Less } else { Ordering::Greater };
    let value_size = value.size() as usize;
    let (offset, step) = match form {
        Form::Memory => (basic.index_offset() as usize, basic.extent() as usize),
        Form::Packed => (value_size, basic.size() as usize),
    };
    let end = offset + index.size() as usize;
    // The last element may lack its padding, so plain chunks and not exact ones.
    for (second, first) in inout.chunks_mut(step).zip(input.chunks(step)).filter(|(second, _)| second.len() >= end) {
        match compare_values(first, second) {
            Some(order) if order == wanted => {
                second[..value_size].copy_from_slice(&first[..value_size]);
                second[offset..end].copy_from_slice(&first[offset..end]);
            }
            Some(Ordering::Equal) if compare_indices(&first[offset..], &second[offset..]) == Some(Ordering::Less) => {
                second[offset..end].copy_from_slice(&first[offset..end]);
            }
            _ => {}
        }
    }
}
