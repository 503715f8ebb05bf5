//! Waits and tests (MPI 5.0 §3.7.3, §3.7.5), and waiting for ever.

use smpi_abi::Function;
use smpi_mpi::collective::allreduce;
use smpi_mpi::op::{Op, UserOp};
use smpi_mpi::usage::Call;

use super::collective::call;
use super::machine::Machine;
use super::messages::ANY;
use super::rank::{Handle, Rank};

/// Rank 0 receives from each other rank; that sends after some ticks.
async fn send_after(rank: &Rank, delays: &[u64]) -> Vec<Handle> {
    if rank.me > 0 {
        rank.sleep(delays[rank.me as usize - 1]).await;
        rank.send_values(&[i64::from(rank.me)], 0, 0).await;
        return Vec::new();
    }
    (1..rank.size).map(|from| Some(rank.irecv(&rank.room(1), from as i32, 0))).collect()
}

/// What was sent after d ticks is there after d + 1. Messages that arrive at the same instant are returned in the order
/// of the array.
#[test]
fn waitany_returns_requests_as_they_finish() {
    let outcome = Machine::new(6).run(|rank| async move {
        let mut requests = send_after(&rank, &[3, 1, 2, 1, 5]).await;
        let mut order = Vec::new();
        while let Some((index, completion)) = rank.waitany(&mut requests).await {
            assert_eq!(completion.status.source, index as i32 + 1);
            order.push((index, rank.ticks()));
        }
        order
    });
    assert_eq!(outcome.all()[0], [(1, 2), (3, 2), (2, 3), (0, 4), (4, 6)]);
}

#[test]
fn waitsome_returns_all_that_are_finished() {
    let outcome = Machine::new(6).run(|rank| async move {
        let mut requests = send_after(&rank, &[3, 1, 2, 1, 5]).await;
        let mut order = Vec::new();
        loop {
            let some = rank.waitsome(&mut requests).await;
            if some.is_empty() {
                return order;
            }
            order.push((some.into_iter().map(|done| done.0).collect::<Vec<_>>(), rank.ticks()));
            // Meanwhile, more of them finish.
            rank.sleep(2).await;
        }
    });
    assert_eq!(outcome.all()[0], [(vec![1, 3], 2), (vec![0, 2], 4), (vec![4], 6)]);
}

/// A test takes a tick before it looks. The last message arrives at 6, so the sixth look finds all.
#[test]
fn a_loop_on_testall_ends() {
    let outcome = Machine::new(3).run(|rank| async move {
        let mut requests = send_after(&rank, &[5, 2]).await;
        if rank.me > 0 {
            return 0;
        }
        let mut polls = 1;
        while rank.testall(&mut requests).await.is_none() {
            polls += 1;
        }
        assert_eq!(requests, [None, None]);
        polls
    });
    assert_eq!(outcome.ticks, 6);
    assert_eq!(outcome.all()[0], 6);
}

#[test]
fn testany_and_testsome_tell_what_is_finished_now() {
    let outcome = Machine::new(5).run(|rank| async move {
        let mut requests = send_after(&rank, &[0, 2, 2, 0]).await;
        if rank.me > 0 {
            return Vec::new();
        }
        let mut seen = Vec::new();
        for _ in 0..3 {
            let any = rank.testany(&mut requests).await;
            seen.extend(any.map(|(index, _)| (index, rank.ticks())));
        }
        let some = rank.testsome(&mut requests).await;
        seen.extend(some.into_iter().map(|(index, _)| (index, rank.ticks())));
        seen
    });
    // Of the two that arrive at 1, the second is told at 2; those that arrive at 3 are told at 3 and at 4.
    assert_eq!(outcome.all()[0], [(0, 1), (3, 2), (1, 3), (2, 4)]);
}

/// Nothing to wait for: all handles are null, or inactive.
#[test]
fn waits_for_nothing_are_over_at_once() {
    let outcome = Machine::new(1).run(|rank| async move {
        let inactive = rank.recv_init(&rank.room(1), 0, 0);
        let mut requests = [None, Some(inactive)];
        let any = rank.waitany(&mut requests).await.map(|done| done.0);
        let some = rank.waitsome(&mut requests).await.len();
        let all = rank.waitall(&mut requests).await.len();
        (any, some, all, rank.testall(&mut requests).await.map(|all| all.len()))
    });
    assert_eq!(outcome.all(), [(None, 0, 0, Some(0))]);
}

/// Both receive first: no message is under way, so nothing ever happens.
#[test]
fn a_deadlock_is_when_nothing_advances() {
    let mut machine = Machine::new(2);
    let outcome = machine.run(|rank| async move {
        let other = 1 - rank.me as i32;
        let value = rank.recv_values(1, other, 4).await;
        rank.send_values(&value, other, 4).await;
    });
    assert_eq!(outcome.ticks, 0);
    assert_eq!(outcome.results, [None, None]);
    let ranks: Vec<_> = machine.world(|world| world.all_ranks().collect());
    for (rank, other) in ranks.into_iter().zip([1, 0]) {
        let waits = machine.world(|world| world.describe_wait(rank, |_| unreachable!("no collective operation")));
        assert_eq!(waits, format!("a message from rank {other} with tag 4"));
    }
    assert_eq!(
        machine.world(|world| world.wait_cycle(|_, _| unreachable!("no collective operation"))),
        Some(vec![0, 1])
    );
}

/// Both send first: a deadlock only where sends wait (MPI 5.0 §3.5, example 3.8).
#[test]
fn sends_to_each_other_need_a_buffer() {
    let exchange = async |rank: Rank| {
        let other = 1 - rank.me as i32;
        rank.send_values(&[i64::from(rank.me)], other, 0).await;
        rank.recv_values(1, other, 0).await[0]
    };
    assert_eq!(Machine::new(2).run(exchange).all(), [1, 0]);
    assert_eq!(Machine::new(2).rendezvous().run(exchange).results, [None, None]);
}

/// A rank that waits for a reduction of its own computes it in whatever call it is.
#[test]
fn a_reduction_of_the_program_goes_on_in_other_calls() {
    let mut machine = Machine::new(2);
    machine.universe.borrow_mut().reductions.push(|left, right| left * 10 + right);
    let outcome = machine.run(|rank| async move {
        let (own, result) = (rank.put(&[i64::from(rank.me) + 1]), rank.room(1));
        let op = Op::User(UserOp { id: 0, commutative: false });
        let call = Call { op: Some(op), ..call(Function::Allreduce) };
        let key = rank.begin(call, |b, s| allreduce::build(b, s, Some(&own), &result));
        // Neither the probe nor the receive is about the reduction.
        let value = if rank.me == 0 {
            rank.probe(1, ANY).await;
            rank.recv_values(1, 1, 0).await[0]
        } else {
            rank.sleep(3).await;
            rank.send_values(&[7], 0, 0).await;
            7
        };
        let is_over = rank.test(key).await.is_some();
        (value, is_over, rank.get(&result)[0])
    });
    assert_eq!(outcome.all(), [(7, true, 12), (7, true, 12)]);
}
