//! Payloads that are copied late: the receiver gets what the buffer held when the program gave it to MPI, whatever the
//! program does with it once MPI has given it back, and whatever the steps of a collective operation write to it.

use smpi_abi::Function;
use smpi_mpi::collective::{Builder, Part};
use smpi_mpi::op::{Op, Predefined};
use smpi_mpi::p2p::request::RequestKey;

use super::collective::call;
use super::machine::Machine;
use super::rank::Rank;

/// What rank 1 receives in three messages of rank 0, which gets its buffer back by `give_back` and changes it at once.
/// The receives are posted before the sends, at the same instant, or later.
fn received(give_back: impl AsyncFn(&Rank, RequestKey)) -> Vec<Vec<i64>> {
    let rows = [(0, 3), (0, 0), (3, 0)].map(|(sender_sleeps, receiver_sleeps)| {
        let outcome = Machine::new(2).run(async |rank| {
            let mut values = Vec::new();
            if rank.me == 0 {
                rank.sleep(sender_sleeps).await;
                let part = rank.put(&[0, 0]);
                for value in 1..=3 {
                    rank.set(&part, &[value, value]);
                    let request = rank.isend(&part, 1, 5);
                    give_back(&rank, request).await;
                    rank.set(&part, &[-1, -1]);
                }
            } else {
                rank.sleep(receiver_sleeps).await;
                for _ in 0..3 {
                    values.extend(rank.recv_values(2, 0, 5).await);
                }
            }
            values
        });
        outcome.all().swap_remove(1)
    });
    rows.to_vec()
}

const EXPECTED: [i64; 6] = [1, 1, 2, 2, 3, 3];

#[test]
fn a_buffer_may_be_changed_after_the_wait() {
    let rows = received(async |rank, request| {
        rank.wait(request).await;
    });
    assert_eq!(rows, [EXPECTED; 3]);
}

#[test]
fn a_buffer_may_be_changed_after_a_test_that_succeeds() {
    let rows = received(async |rank, request| assert!(rank.test(request).await.is_some()));
    assert_eq!(rows, [EXPECTED; 3]);
}

#[test]
fn a_buffer_may_be_changed_after_the_program_was_told_that_the_send_is_over() {
    let rows = received(async |rank, request| rank.call(|world, driver, me| world.show(driver, me, request)));
    assert_eq!(rows, [EXPECTED; 3]);
}

/// A persistent send, too, which has one key for all its messages.
#[test]
fn a_persistent_send_starts_again_from_the_same_buffer() {
    let outcome = Machine::new(2).run(async |rank| {
        let mut values = Vec::new();
        if rank.me == 0 {
            let part = rank.put(&[0]);
            let request = rank.send_init(&part, 1, 5);
            for value in 1..=3 {
                rank.set(&part, &[value]);
                rank.start(request);
                rank.wait(request).await;
                rank.set(&part, &[-1]);
            }
            rank.free(request);
        } else {
            for _ in 0..3 {
                values.extend(rank.recv_values(1, 0, 5).await);
            }
        }
        values
    });
    assert_eq!(outcome.all()[1], [1, 2, 3]);
}

/// Rank 1 gets its send back while it waits for something else: the others' messages go on without it.
#[test]
fn payloads_are_put_away_before_their_rank_goes_on() {
    let outcome = Machine::new(3).run(async |rank| {
        let mut values = Vec::new();
        match rank.me {
            0 => {
                let (sent, room) = (rank.put(&[7]), rank.room(1));
                let mut requests = [Some(rank.isend(&sent, 2, 5)), Some(rank.irecv(&room, 1, 5))];
                rank.waitall(&mut requests).await;
                rank.set(&sent, &[-1]);
            }
            1 => rank.send_values(&[8], 0, 5).await,
            _ => {
                rank.sleep(9).await;
                values = rank.recv_values(1, 0, 5).await;
            }
        }
        values
    });
    assert_eq!(outcome.all()[2], [7]);
}

/// What a rank sent comes through though the rank ends without waiting.
#[test]
fn a_rank_may_end_before_its_message_is_received() {
    let outcome = Machine::new(2).run(async |rank| {
        if rank.me == 0 {
            let part = rank.put(&[7]);
            let request = rank.isend(&part, 1, 5);
            rank.free(request);
            return Vec::new();
        }
        rank.sleep(2).await;
        rank.recv_values(1, 0, 5).await
    });
    assert_eq!(outcome.all()[1], [7]);
}

/// What rank 2 receives from rank 0, whose buffer holds 7 when it sends, and another value after its other steps. Rank
/// 1 sends 9 to rank 0, if that is among them. Rank 2 posts its receive last.
fn sent_before(steps: impl Fn(&mut Builder, &Part, &Part), takes_from_rank_1: bool) -> i64 {
    let outcome = Machine::new(3).run(async |rank| {
        let (part, other) = (rank.put(&[7]), rank.put(&[9]));
        let fill = |b: &mut Builder, _: &_| match rank.me {
            0 => {
                b.set_op(Op::Predefined(Predefined::Sum), 0);
                steps(b, &part, &other);
            }
            1 if takes_from_rank_1 => b.send(0, &other),
            2 => b.recv(0, &other),
            _ => {}
        };
        rank.blocking(call(Function::Barrier), fill).await;
        rank.get(&other)[0]
    });
    outcome.all()[2]
}

#[test]
fn steps_do_not_write_over_what_was_sent() {
    let copying = |b: &mut Builder, part: &Part, other: &Part| {
        b.send(2, part);
        b.copy(other, part);
    };
    assert_eq!(sent_before(copying, false), 7);
    let reducing = |b: &mut Builder, part: &Part, other: &Part| {
        b.send(2, part);
        b.reduce(other, part);
    };
    assert_eq!(sent_before(reducing, false), 7);
    let receiving = |b: &mut Builder, part: &Part, _: &Part| {
        b.send(2, part);
        b.recv(1, part);
    };
    assert_eq!(sent_before(receiving, true), 7);
    let from_scratch = |b: &mut Builder, part: &Part, _: &Part| {
        let scratch = b.scratch(1, &part.datatype);
        b.copy(part, &scratch);
        b.send(2, &scratch);
    };
    assert_eq!(sent_before(from_scratch, false), 7);
}
