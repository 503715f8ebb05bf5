//! Speed of moving data through datatypes and of the predefined reductions, in bytes of data a second.
//!
//! `cargo bench -p smpi-mpi --bench data`. Memory is two vectors that stay in the cache, so that the code is measured
//! and not the memory bus.

use criterion::{Criterion, Throughput};
use smpi_abi::c::constants::MPI_ORDER_C;
use smpi_base::WorldRank;
use smpi_mpi::datatype::{Basic, Datatype, Place, copy_typed};
use smpi_mpi::memory::{Addr, Memory};
use smpi_mpi::op::{Predefined, reduce};
use std::cell::Cell;
use std::hint::black_box;
use std::time::Duration;

const SOURCE: WorldRank = WorldRank(0);
const TARGET: WorldRank = WorldRank(1);

/// The memories of two ranks, from address 0.
struct Vectors([Vec<Cell<u8>>; 2]);

impl Vectors {
    fn new(len: usize) -> Vectors {
        Vectors([1, 2].map(|byte| vec![Cell::new(byte); len]))
    }
}

impl Memory for Vectors {
    fn bytes(&self, rank: WorldRank, at: Addr, len: usize) -> &[Cell<u8>] {
        &self.0[rank.index()][at.0 as usize..][..len]
    }

    fn bytes_to_write(&mut self, rank: WorldRank, at: Addr, len: usize) -> &[Cell<u8>] {
        &self.0[rank.index()][at.0 as usize..][..len]
    }
}

/// Name, type and number of elements; about 64 KiB of data each.
fn types() -> Vec<(&'static str, Datatype, u64)> {
    let (int, double) = (Datatype::basic(Basic::Int), Datatype::basic(Basic::Double));
    let scattered: Vec<i64> = (0..16_384).map(|i| i * 7919 % 65_536).collect();
    let make = |name, datatype: smpi_mpi::error::Result<Datatype>, count| {
        (name, datatype.expect("the arguments are valid"), count)
    };
    vec![
        ("contiguous", double.clone(), 8192),
        make("vector of doubles", Datatype::vector(8192, 1, 2, &double), 1),
        make("face of a cube", Datatype::subarray(&[64, 64, 64], &[64, 64, 1], &[0, 0, 63], MPI_ORDER_C, &double), 1),
        make("inside of a cube", Datatype::subarray(&[22, 22, 22], &[20, 20, 20], &[1, 1, 1], MPI_ORDER_C, &double), 1),
        make("struct of int and double", Datatype::structure(&[1, 1], &[0, 8], &[int.clone(), double]), 5461),
        make("scattered ints", Datatype::indexed_block(1, &scattered, &int), 1),
    ]
}

fn transfers(c: &mut Criterion) {
    let mut memory = Vectors::new(4 << 20);
    let byte = Datatype::basic(Basic::Byte);
    for (name, datatype, count) in types() {
        let size = datatype.size() * count;
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Bytes(size));
        let mut packed = Vec::new();
        group.bench_function("pack", |b| {
            b.iter(|| {
                packed.clear();
                datatype.pack(&memory, SOURCE, Addr(0), black_box(count), &mut packed);
            });
        });
        group.bench_function("unpack", |b| {
            b.iter(|| datatype.unpack(&mut memory, TARGET, Addr(0), count, black_box(&packed)));
        });
        let source = Place { rank: SOURCE, base: Addr(0), count, datatype: &datatype };
        let same = Place { rank: TARGET, ..source };
        let flat = Place { rank: TARGET, base: Addr(0), count: size, datatype: &byte };
        group.bench_function("copy to bytes", |b| b.iter(|| copy_typed(&mut memory, black_box(source), flat)));
        group.bench_function("copy to the same type", |b| b.iter(|| copy_typed(&mut memory, black_box(source), same)));
    }
}

fn reductions(c: &mut Criterion) {
    let input = vec![3; 64 << 10];
    let mut inout = vec![1; 64 << 10];
    let mut group = c.benchmark_group("reduce");
    group.throughput(Throughput::Bytes(input.len() as u64));
    for (op, basic) in [
        (Predefined::Sum, Basic::Double),
        (Predefined::Max, Basic::Double),
        (Predefined::Sum, Basic::Int),
        (Predefined::LogicalAnd, Basic::Int),
        (Predefined::Prod, Basic::CDoubleComplex),
        (Predefined::MaxLoc, Basic::DoubleInt),
        (Predefined::Sum, Basic::LongDouble),
        (Predefined::Sum, Basic::Real16),
    ] {
        group.bench_function(format!("{} {}", op.name(), basic.name()), |b| {
            b.iter(|| reduce(op, basic, black_box(&input), &mut inout));
        });
    }
}

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300))
        .sample_size(10)
        .configure_from_args();
    transfers(&mut criterion);
    reductions(&mut criterion);
    criterion.final_summary();
}
