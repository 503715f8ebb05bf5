//! Single cases with figures from the standard or worked out by hand.

use super::*;
use crate::error::ErrorClass;
use smpi_abi::Function;

fn int() -> Datatype {
    Datatype::basic(Basic::Int)
}

fn double() -> Datatype {
    Datatype::basic(Basic::Double)
}

#[test]
fn the_standards_struct_example_is_padded() {
    // MPI 5.0 §5.1.1: {(double, 0), (char, 8)} has extent 16 where doubles are aligned to 8.
    let datatype = Datatype::structure(&[1, 1], &[0, 8], &[double(), Datatype::basic(Basic::Char)]).unwrap();
    assert_eq!((datatype.size(), datatype.extent(), datatype.true_extent()), (9, 16, 9));
    // The standard's example of vector(2, 3, 4) on it: displacements 0, 16, 32 and 64, 80, 96.
    let vector = Datatype::vector(2, 3, 4, &datatype).unwrap();
    assert_eq!((vector.size(), vector.lb(), vector.ub()), (54, 0, 112));
}

#[test]
fn negative_strides_and_sticky_bounds() {
    let vector = Datatype::vector(3, 1, -2, &datatype_of_two()).unwrap();
    assert_eq!((vector.lb(), vector.ub()), (-32, 8));
    let resized = int().resized(-3, 9).unwrap();
    let twice = Datatype::contiguous(2, &resized).unwrap();
    assert_eq!((twice.lb(), twice.extent(), twice.true_lb(), twice.true_extent()), (-3, 18, 0, 13));
    // A marker hides data outside of it, also that of other members.
    let mixed = Datatype::structure(&[1, 1], &[0, 100], &[resized, double()]).unwrap();
    assert_eq!((mixed.lb(), mixed.ub(), mixed.true_extent()), (-3, 6, 108));
}

fn datatype_of_two() -> Datatype {
    Datatype::contiguous(2, &int()).unwrap()
}

#[test]
fn regular_types_take_constant_memory() {
    let column = Datatype::vector(1 << 40, 1, 1 << 20, &Datatype::basic(Basic::Byte)).unwrap();
    assert_eq!(column.size(), 1 << 40);
    assert_eq!(column.extent(), ((1 << 40) - 1) * (1 << 20) + 1);
    let displacements: Vec<i64> = (0..100_000).map(|i| i * 3).collect();
    let regular = Datatype::indexed_block(2, &displacements, &int()).unwrap();
    let mut blocks = Vec::new();
    regular.for_each_block(1, &mut |block| blocks.push(block));
    assert_eq!(blocks, [Blocks { at: 0, len: 8, count: 100_000, stride: 12 }]);
}

#[test]
fn many_structures_are_packed_run_by_run() {
    let types = [int(), double(), Datatype::basic(Basic::Byte)];
    for (places, extent) in [([0, 8, 20], 24), ([16, 4, 0], -24), ([0, 8, 20], 7)] {
        let structure = Datatype::structure(&[1, 1, 3], &places, &types).unwrap().resized(0, extent).unwrap();
        let mut memory = Flat::new(1 << 16);
        let base = memory.middle();
        let mut expected = Vec::new();
        for element in 0..300 {
            for (place, len) in places.into_iter().zip([4, 8, 3]) {
                memory.append(ME, base.offset(element * extent + place), len, &mut expected);
            }
        }
        for range in [0..4500, 7..4500, 0..4499, 1000..3001, 14..16] {
            let mut part = vec![0; (range.end - range.start) as usize];
            structure.pack_range(&memory, ME, base, 300, range.clone(), &mut part);
            assert_eq!(part, expected[range.start as usize..range.end as usize]);
        }
        if extent.abs() == 24 {
            memory.ranks[0].fill(Cell::new(0));
            structure.unpack(&mut memory, ME, base, 300, &expected);
            let mut again = Vec::new();
            structure.pack(&memory, ME, base, 300, &mut again);
            assert_eq!(again, expected);
        }
    }
}

#[test]
fn what_overflows_is_refused() {
    let huge = Datatype::contiguous(i64::MAX / 2, &int()).unwrap_err();
    assert_eq!(huge.class, ErrorClass::ARG);
    let large = Datatype::contiguous(1 << 60, &Datatype::basic(Basic::Byte)).unwrap();
    assert_eq!(large.packed_size(8).unwrap_err().class, ErrorClass::COUNT);
    assert_eq!(large.packed_size(7).unwrap(), 7 << 60);
    assert_eq!(Datatype::vector(2, 1, i64::MAX, &int()).unwrap_err().class, ErrorClass::ARG);
    assert_eq!(Datatype::hvector(3, 1, i64::MAX, &int()).unwrap_err().class, ErrorClass::ARG);
    assert_eq!(int().resized(i64::MAX, 1).unwrap_err().class, ErrorClass::ARG);
}

#[test]
fn bad_arguments_name_the_parameter() {
    let check = |result: crate::error::Result<Datatype>, class, function: Function, text: &str| {
        let error = result.unwrap_err();
        assert_eq!((error.class, error.text(function).as_str()), (class, text));
    };
    check(
        Datatype::contiguous(-1, &int()),
        ErrorClass::COUNT,
        Function::Type_contiguous,
        "parameter 1 (count): -1; allowed: 0 or more",
    );
    check(
        Datatype::indexed(&[1, -2], &[0, 0], &int()),
        ErrorClass::ARG,
        Function::Type_indexed,
        "parameter 2 (array_of_blocklengths[1]): -2; allowed: 0 or more",
    );
    check(
        Datatype::subarray(&[4], &[2], &[3], MPI_ORDER_C, &int()),
        ErrorClass::ARG,
        Function::Type_create_subarray,
        "parameter 4 (array_of_starts[0]): 3; allowed: 0 to 2",
    );
    check(
        Datatype::subarray(&[4], &[2], &[1], 99, &int()),
        ErrorClass::ARG,
        Function::Type_create_subarray,
        "parameter 5 (order): 99; allowed: MPI_ORDER_C or MPI_ORDER_FORTRAN",
    );
    check(
        Datatype::match_size(MPI_TYPECLASS_REAL, 3),
        ErrorClass::ARG,
        Function::Type_match_size,
        "parameter 2 (size): 3; allowed: 2, 4, 8, 16",
    );
    assert_eq!(check_ndims(0).unwrap_err().class, ErrorClass::ARG);
    assert_eq!(check_ndims(-1).unwrap_err().class, ErrorClass::ARG);
}

#[test]
fn darray_checks_its_grid() {
    let good = DarrayArguments {
        size: 4,
        rank: 3,
        global_sizes: &[10, 10],
        distributions: &[MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC],
        arguments: &[MPI_DISTRIBUTE_DFLT_DARG, 3],
        process_sizes: &[2, 2],
        order: MPI_ORDER_C,
    };
    // Rank 3 has rows 5 to 9 and columns 3, 4, 5 and 9.
    let datatype = Datatype::darray(good, &int()).unwrap();
    assert_eq!((datatype.size(), datatype.lb(), datatype.extent()), (5 * 4 * 4, 0, 400));
    assert_eq!(datatype.true_lb(), (5 * 10 + 3) * 4);
    let class = |arguments| Datatype::darray(arguments, &int()).unwrap_err().class;
    assert_eq!(class(DarrayArguments { rank: 4, ..good }), ErrorClass::RANK);
    assert_eq!(class(DarrayArguments { size: 5, ..good }), ErrorClass::ARG);
    assert_eq!(class(DarrayArguments { arguments: &[4, 3], ..good }), ErrorClass::ARG);
    assert_eq!(class(DarrayArguments { distributions: &[MPI_DISTRIBUTE_NONE; 2], ..good }), ErrorClass::ARG);
}

#[test]
fn contents_repeat_the_call() {
    let vector = Datatype::vector(3, 2, 5, &int()).unwrap();
    let contents = vector.contents().unwrap();
    assert_eq!(vector.combiner(), Combiner(MPI_COMBINER_VECTOR));
    assert_eq!((contents.integers, contents.types.len()), (vec![3, 2, 5], 1));
    assert!(contents.types[0].is_same(&int()));
    let large = vector.dup().unwrap();
    assert!(large.contents().unwrap().types[0].is_same(&vector));
    let large = Datatype::vector(3, 2, 5, &int()).unwrap().with_large_counts().contents().unwrap();
    assert_eq!((large.integers, large.counts), (vec![], vec![3, 2, 5]));
    let big = Datatype::contiguous(1 << 33, &int()).unwrap().contents().unwrap();
    assert_eq!(big.counts, [1 << 33]);
    assert_eq!(int().contents().unwrap_err().class, ErrorClass::TYPE);
    assert_eq!(int().combiner(), Combiner(MPI_COMBINER_NAMED));
}

#[test]
fn contents_of_every_combiner_have_the_standards_lengths() {
    let lengths = |datatype: Datatype| {
        let of = |contents: Contents| {
            (contents.integers.len(), contents.addresses.len(), contents.counts.len(), contents.types.len())
        };
        (of(datatype.envelope()), of(datatype.with_large_counts().envelope()))
    };
    let old = int();
    let lists = (&[1, 2, 3][..], &[4, 50, 600][..]);
    assert_eq!(lengths(old.dup().unwrap()), ((0, 0, 0, 1), (0, 0, 0, 1)));
    assert_eq!(lengths(Datatype::contiguous(3, &old).unwrap()), ((1, 0, 0, 1), (0, 0, 1, 1)));
    assert_eq!(lengths(Datatype::hvector(3, 1, 9, &old).unwrap()), ((2, 1, 0, 1), (0, 0, 3, 1)));
    assert_eq!(lengths(Datatype::indexed(lists.0, lists.1, &old).unwrap()), ((7, 0, 0, 1), (0, 0, 7, 1)));
    assert_eq!(lengths(Datatype::hindexed(lists.0, lists.1, &old).unwrap()), ((4, 3, 0, 1), (0, 0, 7, 1)));
    assert_eq!(lengths(Datatype::indexed_block(2, lists.1, &old).unwrap()), ((5, 0, 0, 1), (0, 0, 5, 1)));
    assert_eq!(lengths(Datatype::hindexed_block(2, lists.1, &old).unwrap()), ((2, 3, 0, 1), (0, 0, 5, 1)));
    let types = [int(), double(), int()];
    assert_eq!(lengths(Datatype::structure(lists.0, lists.1, &types).unwrap()), ((4, 3, 0, 3), (0, 0, 7, 3)));
    let subarray = Datatype::subarray(&[4, 5], &[2, 2], &[0, 1], MPI_ORDER_C, &old).unwrap();
    assert_eq!(lengths(subarray), ((8, 0, 0, 1), (2, 0, 6, 1)));
    assert_eq!(lengths(old.resized(0, 8).unwrap()), ((0, 2, 0, 1), (0, 0, 2, 1)));
    assert_eq!(lengths(Datatype::f90_real(10, 20).unwrap()), ((2, 0, 0, 0), (2, 0, 0, 0)));
    assert_eq!(lengths(Datatype::f90_integer(4).unwrap()), ((1, 0, 0, 0), (1, 0, 0, 0)));
}

#[test]
fn parameterised_types_have_the_kinds_of_gfortran() {
    let real = |p, r| Datatype::f90_real(p, r).unwrap().signature().uniform();
    assert_eq!(real(6, 37), Some(Basic::Real4));
    assert_eq!(real(MPI_UNDEFINED, 100), Some(Basic::Real8));
    assert_eq!(real(16, MPI_UNDEFINED), Some(Basic::LongDouble));
    assert_eq!(real(20, 20), Some(Basic::Real16));
    assert_eq!(Datatype::f90_real(34, 1).unwrap_err().class, ErrorClass::ARG);
    assert_eq!(Datatype::f90_complex(MPI_UNDEFINED, MPI_UNDEFINED).unwrap_err().class, ErrorClass::ARG);
    assert_eq!(Datatype::f90_integer(10).unwrap().reduction_basic(), Some(Basic::Integer8));
    assert_eq!(Datatype::f90_integer(39).unwrap_err().class, ErrorClass::ARG);
    assert!(Datatype::f90_integer(9).unwrap().is_predefined());
    assert_eq!(Datatype::match_size(MPI_TYPECLASS_COMPLEX, 16).unwrap().as_basic(), Some(Basic::Complex16));
    let pair = Datatype::value_index(&double(), &int()).unwrap();
    assert_eq!(pair.as_basic(), Some(Basic::DoubleInt));
    assert!(Datatype::value_index(&int(), &double()).is_none());
}

#[test]
fn external32_is_big_endian_with_fixed_sizes() {
    let mut memory = Flat::new(4096);
    let base = memory.middle();
    let external = |memory: &Flat, basic| {
        let mut out = Vec::new();
        Datatype::basic(basic).pack_external32(memory, ME, base, 1, &mut out).map(|()| out)
    };
    memory.write(ME, base, &0x0102_0304_i32.to_le_bytes());
    assert_eq!(external(&memory, Basic::Int).unwrap(), [1, 2, 3, 4]);
    memory.write(ME, base, &(-2_i64).to_le_bytes());
    assert_eq!(external(&memory, Basic::Long).unwrap(), [255, 255, 255, 254]);
    let long = Datatype::basic(Basic::Long);
    assert_eq!(long.unpack_external32(&mut memory, ME, base, 1, &[255, 255, 255, 253]), 4);
    assert_eq!(memory.held(base, 8), (-3_i64).to_le_bytes());
    memory.write(ME, base, &(1_i64 << 31).to_le_bytes());
    assert_eq!(external(&memory, Basic::Long).unwrap_err().class, ErrorClass::CONVERSION);
    assert_eq!(external(&memory, Basic::UnsignedLong).unwrap(), [128, 0, 0, 0]);
    memory.write(ME, base, &[0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f]);
    assert_eq!(external(&memory, Basic::LongDouble).unwrap()[..4], [0x3f, 0xff, 0, 0]);
    memory.write(ME, base, &[1]);
    assert_eq!(external(&memory, Basic::CBool).unwrap(), [0, 0, 0, 1]);
    let complex = Datatype::basic(Basic::CDoubleComplex);
    let values = [1.5_f64.to_le_bytes(), (-2.0_f64).to_le_bytes()].concat();
    memory.write(ME, base, &values);
    let mut out = Vec::new();
    complex.pack_external32(&memory, ME, base, 1, &mut out).unwrap();
    assert_eq!(out, [1.5_f64.to_be_bytes(), (-2.0_f64).to_be_bytes()].concat());
}

#[test]
fn elements_of_derived_types_are_predefined_types() {
    let pair = Datatype::basic(Basic::DoubleInt);
    let vector = Datatype::vector(2, 3, 5, &pair).unwrap();
    let markers = Datatype::structure(&[], &[], &[]).unwrap();
    let mixed = Datatype::structure(&[1, 1], &[0, 8], &[double(), int()]).unwrap();
    let like_mixed =
        Datatype::structure(&[0, 2, 1, 4], &[0, 0, 64, 128], &[int(), vector.clone(), markers, pair.clone()]);
    for (datatype, element) in [
        (int(), Some(Basic::Int)),
        (datatype_of_two().resized(0, 100).unwrap(), Some(Basic::Int)),
        (vector, Some(Basic::DoubleInt)),
        (like_mixed.unwrap(), Some(Basic::DoubleInt)),
        (mixed, None),
        (Datatype::contiguous(0, &pair).unwrap(), None),
        (Datatype::contiguous(2, &Datatype::basic(Basic::TwoInt)).unwrap(), Some(Basic::TwoInt)),
        (Datatype::f90_integer(10).unwrap().dup().unwrap(), Some(Basic::Integer8)),
    ] {
        assert_eq!(datatype.element_basic(), element);
    }
}
