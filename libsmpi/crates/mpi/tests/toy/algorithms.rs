//! Every algorithm of every collective operation, in whole programs: the results are those of the definitions in MPI
//! 5.0 §6, for groups of all kinds of sizes, in all protocols and with all kinds of waiting.

use smpi_mpi::collective::select::{Operation, Selection, Selector, Waits};
use smpi_mpi::op::{Op, Predefined, UserOp};

use super::collective::Data;
use super::machine::Machine;

/// Powers of two, their neighbours, and two levels more.
const SIZES: [u32; 9] = [1, 2, 3, 4, 5, 7, 8, 9, 17];
/// Values of a block: none, one, and more than some algorithms divide among the ranks.
const LENGTHS: [usize; 3] = [0, 1, 37];

/// An operation of the program that is associative and does not commute: the composition of two affine functions
/// x → a·x + b modulo a prime, a in the upper and b in the lower bits.
fn compose(left: i64, right: i64) -> i64 {
    const PRIME: i64 = 65_521;
    let ((a, b), (c, d)) = ((left >> 20, left & 0xF_FFFF), (right >> 20, right & 0xF_FFFF));
    ((a * c % PRIME) << 20) | ((a * d + b) % PRIME)
}

const SUM: Op = Op::Predefined(Predefined::Sum);
const COMPOSE: Op = Op::User(UserOp { id: 0, commutative: false });

/// The reduction of the operands of some ranks, in their order.
fn reduced(ranks: impl Iterator<Item = u32>, op: Op, data: Data) -> Vec<i64> {
    let combine = |left: i64, right: i64| if op == SUM { left.wrapping_add(right) } else { compose(left, right) };
    let operands = ranks.map(|rank| data.operand(rank));
    let both = |left: Vec<i64>, right: Vec<i64>| left.iter().zip(&right).map(|(&l, &r)| combine(l, r)).collect();
    operands.reduce(both).unwrap_or_else(|| vec![0; data.length])
}

/// What a rank has after an operation, by its definition.
fn expected(operation: Operation, op: Op, data: Data, me: u32, size: u32) -> Vec<i64> {
    let all = |length: &dyn Fn(u32) -> usize| (0..size).flat_map(|rank| data.block(rank, rank, length(rank))).collect();
    let exchanged =
        |length: &dyn Fn(u32) -> usize| (0..size).flat_map(|from| data.block(from, me, length(from))).collect();
    let is_root = me == data.root;
    match operation {
        Operation::Barrier => Vec::new(),
        Operation::Bcast => data.operand(data.root),
        Operation::Gather | Operation::Gatherv | Operation::Reduce if !is_root => Vec::new(),
        Operation::Gather | Operation::Allgather => all(&|_| data.length),
        Operation::Gatherv | Operation::Allgatherv => all(&|rank| data.varying(rank)),
        Operation::Scatter => data.block(data.root, me, data.length),
        Operation::Scatterv => data.block(data.root, me, data.varying(me)),
        Operation::Alltoall => exchanged(&|_| data.length),
        Operation::Alltoallv | Operation::Alltoallw => exchanged(&|from| data.between(from, me)),
        Operation::Reduce | Operation::Allreduce => reduced(0..size, op, data),
        Operation::ReduceScatter | Operation::ReduceScatterBlock => {
            let lengths: Vec<usize> = match operation {
                Operation::ReduceScatter => (0..size).map(|rank| data.varying(rank)).collect(),
                _ => vec![data.length; size as usize],
            };
            let whole = reduced(0..size, op, Data { length: lengths.iter().sum(), ..data });
            let start = lengths[..me as usize].iter().sum();
            whole[start..][..lengths[me as usize]].to_vec()
        }
        Operation::Scan => reduced(0..me + 1, op, data),
        Operation::Exscan => reduced(0..me, op, data),
    }
}

/// Performs an operation on all ranks of a group and compares.
fn check(machine: Machine, operation: Operation, op: Op, data: Data, size: u32) {
    let mut machine = machine;
    machine.universe.borrow_mut().reductions.push(compose);
    let results = machine.run(|rank| async move { rank.perform(operation, op, data).await }).all();
    for (me, result) in (0..).zip(results) {
        assert_eq!(result, expected(operation, op, data, me, size), "rank {me} of {size}: {operation:?} of {data:?}");
    }
    assert!(machine.leftovers().is_empty());
    assert!(machine.observations().is_empty());
    assert_eq!(machine.world(|world| world.state.boxes.live()), 0, "messages are under way");
}

/// All sizes, lengths and operations for a way to choose and run an algorithm.
fn check_all(operation: Operation, selection: &Selection, prepare: impl Fn(Machine) -> Machine) {
    for (size, length) in SIZES.into_iter().flat_map(|size| LENGTHS.map(|length| (size, length))) {
        for op in [SUM, COMPOSE] {
            let data = Data { length, root: size / 2 };
            check(prepare(Machine::new(size).selecting(selection.clone())), operation, op, data, size);
        }
    }
}

fn forced(operation: Operation, algorithm: &str) -> Selection {
    let mut selection = Selection::default();
    selection.set(operation.name(), algorithm).expect("there is this algorithm");
    selection
}

#[test]
fn every_algorithm_computes_what_its_operation_says() {
    for operation in Operation::ALL {
        for algorithm in operation.algorithms() {
            check_all(operation, &forced(operation, algorithm), |machine| machine);
        }
    }
}

#[test]
fn every_table_chooses_algorithms_for_nonblocking_operations() {
    for operation in Operation::ALL {
        for selector in Selector::ALL {
            check_all(operation, &Selection::new(selector), |machine| machine);
        }
    }
}

#[test]
fn no_algorithm_depends_on_a_protocol() {
    for operation in Operation::ALL {
        for algorithm in operation.algorithms() {
            let selection = forced(operation, algorithm);
            check_all(operation, &selection, Machine::rendezvous);
            // Messages of one value are eager, longer ones wait.
            check_all(operation, &selection, |machine| machine.thresholds(9, 9));
        }
    }
}

#[test]
fn ranks_may_wait_for_all_or_for_data_only() {
    for operation in Operation::ALL {
        for (selector, waits) in [(Selector::Default, Waits::All), (Selector::Mpich, Waits::All)] {
            let mut selection = Selection::new(selector);
            selection.set_waits(waits);
            check_all(operation, &selection, |machine| machine);
        }
        let mut selection = Selection::default();
        selection.set_waits(Waits::Data);
        check_all(operation, &selection, |machine| machine);
    }
}
