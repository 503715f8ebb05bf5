//! Reductions against plain Rust arithmetic, the standard's table, and floats without hardware.

use super::*;
use crate::softfloat::{BINARY128, EXTENDED, Number};
use proptest::prelude::*;

/// Runs a reduction on arrays of a number type.
macro_rules! run {
    ($op:ident, $basic:ident, $first:expr, $second:expr) => {
        run(Predefined::$op, Basic::$basic, $first, $second)
    };
}

fn run<T: Plain, const N: usize>(op: Predefined, basic: Basic, first: [T; N], second: [T; N]) -> [T; N] {
    let input: Vec<u8> = first.iter().flat_map(Plain::bytes).collect();
    let mut inout: Vec<u8> = second.iter().flat_map(Plain::bytes).collect();
    reduce(op, basic, &input, &mut inout).unwrap();
    std::array::from_fn(|index| T::plain(&inout[index * size_of::<T>()..][..size_of::<T>()]))
}

trait Plain {
    fn plain(bytes: &[u8]) -> Self;
    fn bytes(&self) -> Vec<u8>;
}

macro_rules! plain {
    ($($type:ty)*) => { $(impl Plain for $type {
        fn plain(bytes: &[u8]) -> $type { <$type>::from_le_bytes(bytes.try_into().unwrap()) }
        fn bytes(&self) -> Vec<u8> { self.to_le_bytes().to_vec() }
    })* };
}
plain! { i8 u8 i16 i32 i64 i128 u16 u32 u64 u128 f32 f64 }

#[test]
fn integers() {
    assert_eq!(run!(Sum, Int, [1, i32::MAX, -5], [2, 1, 5]), [3, i32::MIN, 0]);
    assert_eq!(run!(Prod, Long, [3_i64, -2, 0], [4_i64, 5, 6]), [12, -10, 0]);
    assert_eq!(run!(Min, UnsignedChar, [200_u8, 1], [100_u8, 2]), [100, 1]);
    assert_eq!(run!(Max, SignedChar, [-56_i8, 1], [100_i8, 2]), [100, 2]);
    assert_eq!(run!(BitXor, Byte, [0xf0_u8], [0x3c_u8]), [0xcc]);
    assert_eq!(run!(BitAnd, Integer16, [0xff_i128 << 100], [0x0f_i128 << 100]), [0x0f_i128 << 100]);
    assert_eq!(run!(BitOr, Count, [1_i64], [2_i64]), [3]);
    assert_eq!(run!(LogicalAnd, Int, [7, 7, 0], [2, 0, 0]), [1, 0, 0]);
    assert_eq!(run!(LogicalOr, UnsignedShort, [0_u16, 300], [0_u16, 0]), [0, 1]);
}

#[test]
fn logicals_of_every_size() {
    assert_eq!(run!(LogicalXor, CBool, [1_u8, 0, 1], [1_u8, 1, 0]), [0, 1, 1]);
    assert_eq!(run!(LogicalXor, Logical, [1_u32, 0], [1_u32, 1]), [0, 1]);
    assert_eq!(run!(LogicalOr, Logical2, [1_u16, 0], [0_u16, 0]), [1, 0]);
    assert_eq!(run!(LogicalAnd, Logical8, [1_u64, 1], [1_u64, 0]), [1, 0]);
    assert_eq!(run!(LogicalAnd, Logical16, [1_u128, 1], [1_u128, 0]), [1, 0]);
}

#[test]
fn floats_and_complex_numbers() {
    assert_eq!(run!(Sum, Float, [1.5_f32, -1.0], [2.0_f32, 1.0]), [3.5, 0.0]);
    assert_eq!(run!(Max, Double, [1.5, -1.0], [2.0, -2.0]), [2.0, -1.0]);
    assert_eq!(run!(Sum, CDoubleComplex, [1.0, 2.0], [3.0, 4.0]), [4.0, 6.0]);
    assert_eq!(run!(Prod, DoubleComplex, [1.0, 2.0], [3.0, 4.0]), [-5.0, 10.0]);
    assert_eq!(run!(Prod, Complex, [1.0_f32, 2.0], [3.0_f32, 4.0]), [-5.0, 10.0]);
    // 1.5, 0.25 and their sum and product in binary16.
    assert_eq!(run!(Sum, Real2, [0x3e00_u16], [0x3400_u16]), [0x3f00]);
    assert_eq!(run!(Prod, Real2, [0x3e00_u16], [0x3400_u16]), [0x3600]);
    assert_eq!(run!(Prod, Complex4, [0x3c00_u16, 0x4000], [0x4200_u16, 0x4400]), [0xc500, 0x4900]);
}

#[test]
fn floats_without_hardware() {
    for (basic, complex, format) in
        [(Basic::LongDouble, Basic::CLongDoubleComplex, EXTENDED), (Basic::Real16, Basic::Complex32, BINARY128)]
    {
        let bytes = |values: &[f64]| -> Vec<u8> {
            values.iter().flat_map(|&value| format.encode(Number::from(value)).to_le_bytes()).collect()
        };
        let check = |op, basic, first: &[f64], second: &[f64], expected: &[f64]| {
            let mut inout = bytes(second);
            reduce(op, basic, &bytes(first), &mut inout).unwrap();
            assert_eq!(inout, bytes(expected), "{op:?} {basic:?}");
        };
        check(Predefined::Sum, basic, &[1.5, -1e300], &[2.25, 1e300], &[3.75, 0.0]);
        check(Predefined::Prod, basic, &[1.5, -3.0], &[2.0, 0.5], &[3.0, -1.5]);
        check(Predefined::Min, basic, &[1.5, -3.0], &[2.0, 0.5], &[1.5, -3.0]);
        check(Predefined::Max, basic, &[1.5, -3.0], &[2.0, 0.5], &[2.0, 0.5]);
        check(Predefined::Sum, complex, &[1.0, 2.0], &[3.0, 4.0], &[4.0, 6.0]);
        check(Predefined::Prod, complex, &[1.0, 2.0], &[3.0, 4.0], &[-5.0, 10.0]);
    }
}

#[test]
fn locations_take_the_lowest_index() {
    let array = |pairs: &[(f64, i32)]| -> Vec<u8> {
        pairs.iter().flat_map(|p| [p.0.to_le_bytes().as_slice(), &p.1.to_le_bytes(), &[9; 4]].concat()).collect()
    };
    let mut inout = array(&[(1.0, 7), (2.0, 3), (5.0, 1)]);
    let input = array(&[(1.0, 5), (1.0, 9), (6.0, 0)]);
    reduce(Predefined::MinLoc, Basic::DoubleInt, &input, &mut inout).unwrap();
    assert_eq!(inout, array(&[(1.0, 5), (1.0, 9), (5.0, 1)]));
    // The last element without its padding.
    let mut short = array(&[(1.0, 7), (2.0, 3)]);
    short.truncate(28);
    reduce(Predefined::MaxLoc, Basic::DoubleInt, &input[..28], &mut short).unwrap();
    assert_eq!(short, array(&[(1.0, 5), (2.0, 3)])[..28]);
}

#[test]
fn packed_pairs_have_no_gaps() {
    let array = |pairs: &[(i16, i32)]| -> Vec<u8> {
        pairs.iter().flat_map(|p| [p.0.to_le_bytes().as_slice(), &p.1.to_le_bytes()].concat()).collect()
    };
    let mut inout = array(&[(-1, 7), (2, 3)]);
    reduce_in(Form::Packed, Predefined::MaxLoc, Basic::ShortInt, &array(&[(0, 5), (2, 1)]), &mut inout).unwrap();
    assert_eq!(inout, array(&[(0, 5), (2, 1)]));
    assert_eq!(run!(MinLoc, TwoDoublePrecision, [1.0, 4.0], [1.0, 2.0]), [1.0, 2.0]);
    assert_eq!(run!(MaxLoc, TwoReal, [3.0_f32, 4.0], [1.0_f32, 2.0]), [3.0, 4.0]);
    assert_eq!(run!(MinLoc, TwoInt, [3, 4], [3, 2]), [3, 2]);
}

#[test]
fn the_table_of_the_standard_is_kept() {
    let refused = |op, basic| {
        let error = reduce(op, basic, &[0; 32], &mut [0; 32]).unwrap_err();
        assert_eq!(error.class, ErrorClass::OP);
    };
    refused(Predefined::Sum, Basic::Char);
    refused(Predefined::Sum, Basic::Byte);
    refused(Predefined::Max, Basic::CDoubleComplex);
    refused(Predefined::BitAnd, Basic::Double);
    refused(Predefined::LogicalAnd, Basic::Integer);
    refused(Predefined::MinLoc, Basic::Int);
    refused(Predefined::Sum, Basic::FloatInt);
    let pair = Datatype::contiguous(2, &Datatype::basic(Basic::Double)).unwrap();
    assert_eq!(Op::Predefined(Predefined::Sum).check(&pair).unwrap_err().class, ErrorClass::OP);
    assert_eq!(Op::User(UserOp { id: 1, commutative: false }).check(&pair), Ok(None));
    let copy = Datatype::basic(Basic::Double).dup().unwrap();
    assert_eq!(Op::Predefined(Predefined::Sum).check(&copy), Ok(Some(Basic::Double)));
}

#[test]
fn every_accepted_combination_has_a_kernel() {
    for (handle, op, _) in PREDEFINED {
        assert_eq!((op.handle(), Predefined::from_handle(handle)), (handle, Some(op)));
        for &basic in Basic::ALL.iter().filter(|&&basic| op.accepts(basic)) {
            let mut inout = vec![0; basic.extent() as usize * 3];
            reduce(op, basic, &inout.clone(), &mut inout).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sums_of_doubles(pairs in prop::collection::vec((any::<f64>(), any::<f64>()), 0..50)) {
        let input: Vec<u8> = pairs.iter().flat_map(|p| p.0.to_le_bytes()).collect();
        let mut inout: Vec<u8> = pairs.iter().flat_map(|p| p.1.to_le_bytes()).collect();
        reduce(Predefined::Sum, Basic::Double, &input, &mut inout).unwrap();
        for (bytes, p) in inout.as_chunks::<8>().0.iter().zip(&pairs) {
            prop_assert_eq!(f64::from_le_bytes(*bytes).to_bits(), (p.0 + p.1).to_bits());
        }
    }

    /// Whatever is there and whatever is combined with it.
    #[test]
    fn what_forgets_the_order_is_the_same_bits_in_every_order(
        (there, first, second) in (any::<[u8; 16]>(), any::<[u8; 16]>(), any::<[u8; 16]>())
    ) {
        let both = |op, basic: Basic, order: [&[u8; 16]; 2]| {
            let size = basic.size() as usize;
            let mut inout = there[..size].to_vec();
            order.iter().for_each(|input| reduce_in(Form::Packed, op, basic, &input[..size], &mut inout).unwrap());
            inout
        };
        let ops = PREDEFINED.iter().map(|entry| entry.1);
        for (op, basic) in ops.flat_map(|op| Basic::ALL.iter().map(move |basic| (op, *basic))) {
            if op.accepts(basic) && op.forgets_order(basic) {
                prop_assert_eq!(both(op, basic, [&first, &second]), both(op, basic, [&second, &first]));
            }
        }
    }
}
