//! Dates of whole programs. All of them follow from one rule: a transfer takes one tick, however long the message is
//! and however many others there are.

use smpi_mpi::collective::select::{Operation, Selection};
use smpi_mpi::op::{Op, Predefined};

use super::collective::Data;
use super::machine::Machine;
use super::messages::ANY;

/// Every round is a message there and a message back, and nothing else takes time.
#[test]
fn a_ping_pong_of_n_rounds_takes_2n_ticks() {
    let protocols: [fn(Machine) -> Machine; 3] =
        [|machine| machine, Machine::rendezvous, |machine| machine.thresholds(1 << 20, 1 << 20)];
    for prepare in protocols {
        for rounds in [0, 1, 5, 100] {
            let outcome = prepare(Machine::new(2)).run(|rank| async move {
                let part = rank.put(&[7]);
                for _ in 0..rounds {
                    if rank.me == 0 {
                        rank.send(&part, 1, 0).await;
                    }
                    rank.recv(&part, 1 - rank.me as i32, 0).await;
                    if rank.me == 1 {
                        rank.send(&part, 0, 0).await;
                    }
                }
            });
            assert_eq!(outcome.ticks, 2 * rounds);
        }
    }
}

/// The token crosses p links one after the other.
#[test]
fn a_token_goes_round_p_ranks_in_p_ticks() {
    for ranks in 2..20 {
        let outcome = Machine::new(ranks).run(|rank| async move {
            let (left, right) = ((rank.me + ranks - 1) % ranks, (rank.me + 1) % ranks);
            if rank.me == 0 {
                rank.send_values(&[0], right as i32, 0).await;
            }
            let token = rank.recv_values(1, left as i32, 0).await[0];
            if rank.me > 0 {
                rank.send_values(&[token + i64::from(rank.me)], right as i32, 0).await;
            }
            token
        });
        assert_eq!(outcome.ticks, u64::from(ranks));
        assert_eq!(outcome.all()[0], (0..i64::from(ranks)).sum::<i64>());
    }
}

/// Everybody sends at once, so all messages are under way in the same tick.
#[test]
fn a_shift_of_all_ranks_takes_one_tick() {
    for prepare in [|machine| machine, Machine::rendezvous] {
        let outcome = prepare(Machine::new(5)).run(|rank| async move {
            let (send, recv) = (rank.put(&[i64::from(rank.me)]), rank.room(1));
            let (left, right) = ((rank.me + 4) % 5, (rank.me + 1) % 5);
            rank.sendrecv((&send, right as i32, 3), (&recv, left as i32, 3)).await;
            rank.get(&recv)[0]
        });
        assert_eq!(outcome.ticks, 1);
        assert_eq!(outcome.all(), [4, 0, 1, 2, 3]);
    }
}

/// When the receive is posted `late` ticks after the send:
///
/// | protocol | starts to move at | arrives at | the sender goes on at |
/// |---|---|---|---|
/// | rendezvous | late | late + 1 | late + 1 |
/// | detached | late | late + 1 | 0 |
/// | eager | 0 | 1, or when it is received | 0 |
#[test]
fn a_rendezvous_waits_and_the_other_protocols_do_not() {
    let dates = |machine: Machine, late: u64| {
        let mut machine = machine;
        let outcome = machine.run(|rank| async move {
            if rank.me == 0 {
                rank.send_values(&[1, 2, 3], 1, 0).await;
            } else {
                rank.sleep(late).await;
                rank.recv_values(3, 0, 0).await;
            }
            rank.ticks()
        });
        outcome.all()
    };
    for late in 0..4 {
        assert_eq!(dates(Machine::new(2).rendezvous(), late), [late + 1, late + 1]);
        assert_eq!(dates(Machine::new(2), late), [0, late + 1]);
        assert_eq!(dates(Machine::new(2).thresholds(25, 25), late), [0, late.max(1)]);
        // 24 bytes are not below 24.
        assert_eq!(dates(Machine::new(2).thresholds(24, 24), late), [late + 1, late + 1]);
    }
}

/// A synchronous send waits whatever its size is; a buffered one never does.
#[test]
fn modes_decide_before_sizes() {
    let outcome = Machine::new(2).thresholds(0, 8).run(|rank| async move {
        let part = rank.put(&[1]);
        if rank.me == 0 {
            rank.attach(4096);
            rank.bsend(&part, 1, 0).await;
            let buffered = rank.ticks();
            rank.ssend(&rank.room(0), 1, 0).await;
            let synchronous = rank.ticks();
            rank.detach().await;
            return (buffered, synchronous);
        }
        rank.sleep(2).await;
        rank.recv(&part, 0, ANY).await;
        rank.recv(&part, 0, ANY).await;
        (0, rank.ticks())
    });
    // The first receive is posted at 2 and over at 3, the second one then takes the synchronous message.
    assert_eq!(outcome.all(), [(0, 4), (0, 4)]);
}

/// A buffer is empty when its last message is matched: that is when the receive is posted, two ticks later.
#[test]
fn a_buffer_is_detached_when_its_messages_are_matched() {
    let outcome = Machine::new(2).run(|rank| async move {
        let part = rank.put(&[1]);
        if rank.me == 0 {
            rank.attach(1024);
            rank.bsend(&part, 1, 0).await;
            rank.detach().await;
        } else {
            rank.sleep(2).await;
            rank.recv(&part, 0, 0).await;
        }
        rank.ticks()
    });
    assert_eq!(outcome.all(), [2, 3]);
}

#[test]
fn alarms_go_off_at_their_date() {
    let outcome = Machine::new(2).run(|rank| async move {
        rank.alarm(3 + 4 * u64::from(rank.me)).await;
        rank.ticks()
    });
    assert_eq!(outcome.all(), [3, 7]);
}

/// Rounds of a doubling: ⌈log₂ p⌉.
fn doublings(ranks: u32) -> u64 {
    u64::from(ranks.next_power_of_two().ilog2())
}

/// Levels of a binomial tree: rank r is as far from the root as it has ones.
fn levels(ranks: u32) -> u64 {
    (0..ranks).map(|rank| u64::from(rank.count_ones())).max().unwrap_or(0)
}

/// Rounds among the largest power of two of ranks; the others join before and hear after.
fn folded(ranks: u32) -> u64 {
    u64::from(ranks.ilog2()) + if ranks.is_power_of_two() { 0 } else { 2 }
}

fn takes(operation: Operation, algorithm: &str, machine: Machine, length: usize) -> u64 {
    let mut selection = Selection::default();
    selection.set(operation.name(), algorithm).expect("there is this algorithm");
    let data = Data { length, root: 0 };
    let sum = Op::Predefined(Predefined::Sum);
    machine.selecting(selection).run(|rank| async move { rank.perform(operation, sum, data).await }).ticks
}

/// An algorithm, and the ticks it takes on some number of ranks.
type Row = (Operation, &'static str, fn(u32) -> u64);

/// Messages of one round travel at once, and a fence ends each round. So an algorithm takes as many ticks as it has
/// rounds, which is what its name promises. A rank that need not wait for its receivers sends to all of them in the
/// same tick.
#[test]
fn collective_operations_take_their_rounds() {
    let rows: [Row; 17] = [
        (Operation::Barrier, "ompi_bruck", doublings),
        (Operation::Barrier, "ompi_recursivedoubling", folded),
        // Once round to collect, and once to release.
        (Operation::Barrier, "ompi_doublering", |ranks| 2 * u64::from(ranks)),
        (Operation::Barrier, "ompi_basic_linear", |_| 2),
        // A parent takes its children's reports one by one, and tells them all at once.
        (Operation::Barrier, "ompi_tree", |ranks| doublings(ranks) + levels(ranks)),
        (Operation::Bcast, "flattree", |_| 1),
        (Operation::Bcast, "binomial_tree", levels),
        // The root takes a block after the other.
        (Operation::Gather, "ompi_basic_linear", |ranks| u64::from(ranks) - 1),
        (Operation::Scatter, "ompi_linear_nb", |_| 1),
        (Operation::Allgather, "ring", |ranks| u64::from(ranks) - 1),
        (Operation::Allgather, "bruck", doublings),
        (Operation::Alltoall, "pair", |ranks| u64::from(ranks) - 1),
        (Operation::Alltoall, "bruck", doublings),
        (Operation::Reduce, "binomial", doublings),
        (Operation::Allreduce, "rdb", folded),
        // Once round to reduce, and once to spread.
        (Operation::Allreduce, "ompi_ring", |ranks| 2 * (u64::from(ranks) - 1)),
        (Operation::Scan, "recursive_doubling", doublings),
    ];
    for (operation, algorithm, ticks) in rows {
        for ranks in 2..=17 {
            let taken = takes(operation, algorithm, Machine::new(ranks), 20);
            assert_eq!(taken, ticks(ranks), "{algorithm} of {operation:?} on {ranks} ranks");
        }
    }
    for ranks in [2, 4, 8, 16] {
        assert_eq!(takes(Operation::Allgather, "rdb", Machine::new(ranks), 20), doublings(ranks));
    }
}

/// When every message waits for its receiver, who sends to several ranks does it one by one, unless all sends have been
/// started before the first wait.
#[test]
fn a_sender_that_waits_serves_its_receivers_one_by_one() {
    for ranks in 2..=17 {
        let takes = |operation, algorithm| takes(operation, algorithm, Machine::new(ranks).rendezvous(), 20);
        assert_eq!(takes(Operation::Scatter, "ompi_basic_linear"), u64::from(ranks) - 1);
        assert_eq!(takes(Operation::Bcast, "flattree"), 1);
        // The number of ranks that have the data doubles with every tick.
        assert_eq!(takes(Operation::Bcast, "binomial_tree"), doublings(ranks));
    }
}

/// The first segment reaches the last rank after p − 1 ticks, and the others follow it tick by tick, where senders wait
/// for their receivers. A vector of 384 KiB has 3 segments of 128 KiB for two ranks, and 24 of 16 KiB for more.
#[test]
fn a_pipeline_of_s_segments_takes_p_minus_2_plus_s_ticks() {
    for ranks in 2..8 {
        let segments = if ranks == 2 { 3 } else { 24 };
        let taken = takes(Operation::Bcast, "ompi_pipeline", Machine::new(ranks).rendezvous(), (384 << 10) / 8);
        assert_eq!(taken, u64::from(ranks) - 2 + segments);
    }
}
