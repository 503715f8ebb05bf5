//! Every algorithm, for every size up to 40, against the naive definition of its operation.
//!
//! A tiny machine executes the schedules of all ranks: messages of a pair match in order, take their data as late as
//! they may (at the sender's next fence) and finish in random order, and ranks take turns at random. It also checks the
//! rules of the module's text: what a message uses is not touched before the next fence, everything sent is received,
//! no scratch memory is read before it is written to the effect of a wrong result, and nothing outside of the results
//! changes.

mod between;
mod machine;
mod moves;
mod reductions;

use smpi_base::rng::Rng;

use super::select::{Operation, Selection, Selector, Waits};
use super::{
    Builder, Part, Parts, Root, ScratchSource, allgather, allreduce, alltoall, barrier, bcast, reduce_scatter,
};
use crate::memory::Addr;
use machine::{Machine, Shape};

/// Groups up to this size are tried with many seeds. Covers powers of two, their neighbours, and four levels of trees.
const SIZES: u32 = 17;

/// Largest group.
const MOST: u32 = 40;

/// Runs `trial` for all sizes and algorithms of an operation, and for the schedules that wait for data only, with
/// several seeds.
fn for_all(operation: Operation, trial: impl Fn(u32, &Selection, &mut Rng)) {
    let forced = operation.algorithms().into_iter().map(|algorithm| {
        let mut selection = Selection::default();
        selection.set(operation.name(), algorithm).unwrap();
        selection
    });
    for selection in forced.chain([data_only()]) {
        for size in 1..=MOST {
            for seed in 0..if size > SIZES { 1 } else { 6 } {
                trial(size, &selection, &mut Rng::new(u64::from(size) * 64 + seed));
            }
        }
    }
}

/// All tables, for operations that are made of others, and the schedules that wait for data only.
fn tables() -> Vec<Selection> {
    Selector::ALL.map(Selection::new).into_iter().chain([data_only()]).collect()
}

/// Ranks wait for data only.
fn data_only() -> Selection {
    let mut selection = Selection::default();
    selection.set_waits(Waits::Data);
    selection
}

/// Values for each rank: none, one, few, or more than there are ranks. Even numbers fit all types.
fn length(rng: &mut Rng) -> usize {
    [0, 2, 2, 6, 10, 40][rng.below(6)]
}

/// The value at a place of a rank's data, different for all ranks and places.
fn value(rank: u32, place: usize) -> i64 {
    i64::from(rank) * 1_000_003 + place as i64 * 7 + 1
}

fn values(rank: u32, length: usize) -> Vec<i64> {
    (0..length).map(|place| value(rank, place)).collect()
}

/// Addresses of memory that nobody reads.
struct Nowhere;

impl ScratchSource for Nowhere {
    fn reserve(&mut self, _: usize) -> Addr {
        Addr(1 << 32)
    }
}

/// With many ranks, all schedules of a collective exist at once: those of short messages have O(log n) steps.
#[test]
fn schedules_of_short_operations_stay_short() {
    const RANKS: u32 = 10_000;
    let selection = Selection::default();
    let one = Part { at: Addr(1 << 40), count: 1, datatype: Shape::Dense.datatype() };
    let each = Parts::Even(one.clone());
    let all = one.slice(0, i64::from(RANKS));
    let counts = vec![1; RANKS as usize];
    let fills: [&dyn Fn(&mut Builder); 6] = [
        &|b| barrier::build(b, &selection),
        &|b| bcast::build(b, &selection, &one, Root::Rank(77)),
        &|b| allreduce::build(b, &selection, None, &one),
        &|b| allgather::build(b, &selection, None, &each, false),
        &|b| alltoall::build(b, &selection, Some(&each), &each),
        &|b| reduce_scatter::build(b, &selection, Operation::ReduceScatter, Some(&all), &one, &counts),
    ];
    for (number, fill) in fills.into_iter().enumerate() {
        for rank in [0, 1, 77, 4_999, 9_999] {
            let mut memory = Nowhere;
            let mut builder = Builder::new(rank, RANKS, 0, &mut memory);
            builder.set_op(reductions::op(true), 0);
            fill(&mut builder);
            let steps = builder.finish().steps.len();
            assert!(steps <= 70, "operation {number} has {steps} steps on rank {rank}");
        }
    }
}
