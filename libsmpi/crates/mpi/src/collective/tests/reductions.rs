//! Reductions within one group: with an operation that commutes and with one that does not.

use super::*;
use crate::collective::tests::machine::{Shape, combine};
use crate::collective::{Builder, Part, Root, allreduce, reduce, reduce_scatter, scan};
use crate::op::{Op, Predefined, UserOp};

pub(super) fn op(commutes: bool) -> Op {
    if commutes { Op::Predefined(Predefined::Sum) } else { Op::User(UserOp { id: 0, commutative: false }) }
}

/// Operands of the reductions: affine functions that do not commute.
pub(super) fn operand(rank: u32, length: usize) -> Vec<i64> {
    (0..length as i64)
        .map(|place| (i64::from(rank) * 17 + place % 89 + 2) << 20 | (place * 31 + i64::from(rank)))
        .collect()
}

/// The reduction of the operands of some ranks, in their order.
pub(super) fn reduced(ranks: impl Iterator<Item = u32>, length: usize, commutes: bool) -> Vec<i64> {
    let operands = ranks.map(|rank| operand(rank, length));
    operands
        .reduce(|left, right| left.iter().zip(&right).map(|(&l, &r)| combine(commutes, l, r)).collect())
        .unwrap_or_default()
}

/// One rank's operand and result buffers; in place they are the same.
struct Call {
    send: Option<Part>,
    recv: Part,
}

/// Buffers with operands for all ranks.
fn calls(machine: &mut Machine, size: u32, length: usize, in_place: impl Fn(u32) -> bool, rng: &mut Rng) -> Vec<Call> {
    let mut calls = Vec::new();
    for rank in 0..size {
        let (send, recv) =
            (machine.buffer(rank, length, Shape::single(rng)), machine.buffer(rank, length, Shape::single(rng)));
        let in_place = in_place(rank);
        machine.write(rank, if in_place { &recv } else { &send }, &operand(rank, length));
        // One call has one type on a rank.
        let recv =
            if in_place { recv } else { Part { datatype: send.datatype.clone(), ..again(machine, rank, &send) } };
        calls.push(Call { send: (!in_place).then_some(send), recv });
    }
    calls
}

/// A second buffer of the same shape.
fn again(machine: &mut Machine, rank: u32, part: &Part) -> Part {
    let shape = if part.datatype.extent() == 8 { Shape::Dense } else { Shape::Gaps };
    machine.buffer(rank, part.count as usize, shape)
}

fn long(rng: &mut Rng) -> usize {
    [0, 1, 3, 16, 17, 50, 101][rng.below(7)]
}

/// Builds with the operation set.
fn build(machine: &mut Machine, rank: u32, commutes: bool, fill: impl FnOnce(&mut Builder)) {
    machine.build(rank, |b| {
        b.set_op(op(commutes), 0);
        fill(b);
    });
}

#[test]
fn reduce_combines_in_rank_order() {
    for_all(Operation::Reduce, |size, selection, rng| {
        for commutes in [true, false] {
            let mut machine = Machine::on_hosts(size, rng);
            let (root, length, in_place) = (rng.below(size as usize) as u32, long(rng), rng.below(2) == 0);
            let calls = calls(&mut machine, size, length, |rank| in_place && rank == root, rng);
            for rank in 0..size {
                let Call { send, recv } = &calls[rank as usize];
                let recv = (rank == root).then_some(recv);
                build(&mut machine, rank, commutes, |b| {
                    reduce::build(b, selection, send.as_ref(), recv, Root::Rank(root));
                });
            }
            machine.run(rng);
            let result = calls[root as usize].recv.clone();
            assert_eq!(machine.read(root, &result), reduced(0..size, length, commutes));
            machine.only_changed(&[(root, result)]);
        }
    });
}

fn check_allreduce(size: u32, selection: &Selection, rng: &mut Rng) {
    for commutes in [true, false] {
        let mut machine = Machine::on_hosts(size, rng);
        let (length, in_place) = (long(rng), rng.below(2) == 0);
        let calls = calls(&mut machine, size, length, |_| in_place, rng);
        for (rank, Call { send, recv }) in calls.iter().enumerate() {
            build(&mut machine, rank as u32, commutes, |b| allreduce::build(b, selection, send.as_ref(), recv));
        }
        machine.run(rng);
        for (rank, Call { recv, .. }) in calls.iter().enumerate() {
            assert_eq!(machine.read(rank as u32, recv), reduced(0..size, length, commutes));
        }
        let results = calls.into_iter().enumerate().map(|(rank, call)| (rank as u32, call.recv));
        machine.only_changed(&results.collect::<Vec<_>>());
    }
}

#[test]
fn allreduce_gives_everybody_the_reduction() {
    for_all(Operation::Allreduce, check_allreduce);
    for selection in tables() {
        (1..=SIZES).for_each(|size| check_allreduce(size, &selection, &mut Rng::new(u64::from(size))));
    }
}

fn check_reduce_scatter(operation: Operation, size: u32, selection: &Selection, rng: &mut Rng) {
    for commutes in [true, false] {
        let mut machine = Machine::on_hosts(size, rng);
        let in_place = rng.below(2) == 0;
        let even = operation == Operation::ReduceScatterBlock;
        let block = rng.below(5) as i64;
        let counts: Vec<i64> = (0..size).map(|_| if even { block } else { rng.below(6) as i64 }).collect();
        let total = counts.iter().sum::<i64>() as usize;
        let calls = calls(&mut machine, size, total, |_| in_place, rng);
        for (rank, Call { send, recv }) in calls.iter().enumerate() {
            build(&mut machine, rank as u32, commutes, |b| {
                reduce_scatter::build(b, selection, operation, send.as_ref(), recv, &counts);
            });
        }
        machine.run(rng);
        let all = reduced(0..size, total, commutes);
        let (mut start, mut results) = (0, Vec::new());
        for (rank, Call { recv, .. }) in calls.iter().enumerate() {
            let own = recv.slice(0, counts[rank]);
            let end = start + counts[rank] as usize;
            assert_eq!(machine.read(rank as u32, &own), all[start..end]);
            start = end;
            results.push((rank as u32, own));
        }
        machine.only_changed(&results);
    }
}

#[test]
fn reduce_scatter_divides_the_reduction() {
    for operation in [Operation::ReduceScatter, Operation::ReduceScatterBlock] {
        for_all(operation, |size, selection, rng| check_reduce_scatter(operation, size, selection, rng));
        for selection in tables() {
            (1..=SIZES).for_each(|n| check_reduce_scatter(operation, n, &selection, &mut Rng::new(u64::from(n))));
        }
    }
}

#[test]
fn scan_and_exscan_reduce_the_ranks_before() {
    for (operation, inclusive) in [(Operation::Scan, true), (Operation::Exscan, false)] {
        for_all(operation, |size, selection, rng| {
            for commutes in [true, false] {
                let mut machine = Machine::on_hosts(size, rng);
                let (length, in_place) = (long(rng), rng.below(2) == 0);
                let calls = calls(&mut machine, size, length, |_| in_place, rng);
                for (rank, Call { send, recv }) in calls.iter().enumerate() {
                    build(&mut machine, rank as u32, commutes, |b| {
                        scan::build(b, selection, send.as_ref(), recv, inclusive);
                    });
                }
                machine.run(rng);
                let with_result = calls.into_iter().enumerate().skip(usize::from(!inclusive));
                let results: Vec<_> = with_result.map(|(rank, call)| (rank as u32, call.recv)).collect();
                for (rank, recv) in &results {
                    let before = 0..*rank + u32::from(inclusive);
                    assert_eq!(machine.read(*rank, recv), reduced(before, length, commutes));
                }
                machine.only_changed(&results);
            }
        });
    }
}
