//! Which message goes to which receive (MPI 5.0 §3.5), and what a receive reports.

use smpi_mpi::comm::WORLD_CONTEXT;
use smpi_mpi::error::ErrorClass;
use smpi_mpi::p2p::protocol::Mode;
use smpi_mpi::p2p::request::{Body, Request};

use super::machine::Machine;
use super::messages::{ANY, NULL};

/// Short messages are eager, longer ones detached, the longest wait for their receiver: none of them passes another.
#[test]
fn messages_of_a_sender_do_not_overtake_each_other() {
    let lengths = [40, 1, 4, 1, 40, 4, 4, 40, 1];
    let outcome = Machine::new(2).thresholds(9, 33).run(|rank| async move {
        let mut received = Vec::new();
        if rank.me == 0 {
            let parts = lengths.map(|length| rank.put(&vec![length as i64; length]));
            let mut requests = parts.each_ref().map(|part| Some(rank.isend(part, 1, 5)));
            rank.waitall(&mut requests).await;
        } else {
            for _ in lengths {
                received.push(rank.recv_values(64, ANY, ANY).await.len());
            }
        }
        received
    });
    assert_eq!(outcome.all()[1], lengths);
}

/// A message goes to the receive that was posted first among those that accept it.
#[test]
fn receives_are_served_in_their_order() {
    let outcome = Machine::new(2).run(|rank| async move {
        if rank.me == 0 {
            rank.sleep(1).await;
            for (value, tag) in [(10, 5), (11, 6), (12, 5)] {
                rank.send_values(&[value], 1, tag).await;
            }
            return Vec::new();
        }
        let parts = [(); 3].map(|()| rank.room(1));
        let patterns = [(ANY, ANY), (0, 5), (0, ANY)];
        let posted = std::iter::zip(&parts, patterns).map(|(part, (source, tag))| Some(rank.irecv(part, source, tag)));
        rank.waitall(&mut posted.collect::<Vec<_>>()).await;
        parts.iter().flat_map(|part| rank.get(part)).collect()
    });
    // The second receive does not accept tag 6, so that message is the third one's.
    assert_eq!(outcome.all()[1], [10, 12, 11]);
}

#[test]
fn tags_choose_among_the_messages_that_wait() {
    let outcome = Machine::new(2).run(|rank| async move {
        let mut values = Vec::new();
        if rank.me == 0 {
            for tag in 0..4 {
                rank.send_values(&[i64::from(tag)], 1, tag).await;
            }
        } else {
            rank.sleep(3).await;
            for tag in [2, 3, ANY, ANY] {
                values.extend(rank.recv_values(1, 0, tag).await);
            }
        }
        values
    });
    assert_eq!(outcome.all()[1], [2, 3, 0, 1]);
}

/// Rank r sends r times, each time after p − r more ticks: a receive from any source takes what was sent first, and of
/// what was sent at the same instant that of the lowest rank.
#[test]
fn a_receive_from_any_source_takes_what_came_first() {
    const RANKS: u32 = 5;
    let mut sent: Vec<(u32, u32, u32)> = Vec::new();
    for rank in 1..RANKS {
        sent.extend((1..=rank).map(|round| (round * (RANKS - rank), rank, round)));
    }
    sent.sort_unstable();
    let count = sent.len();
    for seed in 0..20 {
        let mut machine = Machine::new(RANKS).shuffled(seed);
        let outcome = machine.run(|rank| async move {
            let mut received = Vec::new();
            for round in 1..=rank.me {
                rank.sleep(u64::from(RANKS - rank.me)).await;
                rank.send_values(&[i64::from(round)], 0, 0).await;
            }
            if rank.me == 0 {
                let part = rank.room(1);
                for _ in 0..count {
                    let status = rank.recv(&part, ANY, ANY).await;
                    received.push((status.source as u32, rank.get(&part)[0] as u32));
                }
            }
            received
        });
        let expected: Vec<(u32, u32)> = sent.iter().map(|&(_, rank, round)| (rank, round)).collect();
        assert_eq!(outcome.all()[0], expected);
    }
}

/// The host may run ready ranks in any order: nothing depends on it.
#[test]
fn the_order_in_which_ranks_run_makes_no_difference() {
    let history = |machine: Machine| {
        let mut machine = machine;
        let outcome = machine.run(|rank| async move {
            let mut seen = Vec::new();
            for round in 0..6 {
                let to = (rank.me * 3 + round + 1) % rank.size;
                let own = rank.put(&[i64::from(rank.me * 10 + round)]);
                let mut sending = [Some(rank.isend(&own, to as i32, 0))];
                let received = (0..rank.size).filter(|from| (from * 3 + round + 1) % rank.size == rank.me).count();
                for _ in 0..received {
                    seen.push((rank.recv_values(1, ANY, ANY).await[0], rank.ticks()));
                }
                rank.waitall(&mut sending).await;
            }
            seen
        });
        (outcome.ticks, outcome.all())
    };
    let expected = history(Machine::new(7));
    for seed in 0..20 {
        assert_eq!(history(Machine::new(7).shuffled(seed)), expected);
    }
}

/// The same ranks, source and tag in two communicators, and the ranks of one of them in another order.
#[test]
fn communicators_keep_their_messages_apart() {
    let outcome = Machine::new(3).run(|rank| async move {
        let other = rank.within(WORLD_CONTEXT + 5, &[2, 0]);
        match (rank.me, other) {
            (0, Some(other)) => {
                // This rank is number 1 there, and rank 2 is number 0.
                rank.send_values(&[1], 2, 0).await;
                other.send_values(&[2], 0, 0).await;
                other.barrier().await;
                Vec::new()
            }
            (2, Some(other)) => {
                let inner = other.recv_values(1, 1, 0).await;
                other.barrier().await;
                [inner, rank.recv_values(1, 0, 0).await].concat()
            }
            _ => Vec::new(),
        }
    });
    assert_eq!(outcome.all()[2], [2, 1]);
}

#[test]
fn a_message_that_is_too_long_is_cut_and_reported() {
    let outcome = Machine::new(2).run(|rank| async move {
        let part = rank.put(&[1, 2, 3, 4]);
        if rank.me == 0 {
            rank.send(&part, 1, 9).await;
            return None;
        }
        rank.set(&part, &[0; 4]);
        let key = rank.irecv(&part.slice(0, 2), 0, ANY);
        let completion = rank.wait(key).await;
        let error = completion.error.expect("there is no room");
        Some((rank.get(&part), error.class, completion.status.tag))
    });
    assert_eq!(outcome.all()[1], Some((vec![1, 2, 0, 0], ErrorClass::TRUNCATE, 9)));
}

#[test]
fn nobody_gets_or_sends_nothing_at_once() {
    let outcome = Machine::new(1).run(|rank| async move {
        let part = rank.put(&[5]);
        rank.ssend(&part, NULL, 0).await;
        let status = rank.recv(&part, NULL, ANY).await;
        let both = rank.sendrecv((&part, NULL, 0), (&part, NULL, 0)).await.status;
        (status.source, status.bytes, both.source, rank.get(&part))
    });
    assert_eq!(outcome.ticks, 0);
    assert_eq!(outcome.all(), [(NULL, 0, NULL, vec![5])]);
}

/// A rank's messages to itself go the same way.
#[test]
fn ranks_send_to_themselves() {
    let outcome = Machine::new(1).rendezvous().run(|rank| async move {
        let (send, recv) = (rank.put(&[8]), rank.room(1));
        let mut requests = [Some(rank.irecv(&recv, 0, 0)), Some(rank.isend(&send, 0, 0))];
        rank.waitall(&mut requests).await;
        (rank.get(&recv), requests)
    });
    assert_eq!(outcome.ticks, 1);
    assert_eq!(outcome.all(), [(vec![8], [None, None])]);
}

/// Each start is a message of its own, with what the buffer holds then.
#[test]
fn persistent_requests_are_started_again_and_again() {
    let outcome = Machine::new(2).run(|rank| async move {
        let part = rank.room(1);
        let key = if rank.me == 0 { rank.send_init(&part, 1, 0) } else { rank.recv_init(&part, 0, 0) };
        let mut seen = Vec::new();
        for round in 0..3 {
            if rank.me == 0 {
                rank.set(&part, &[round]);
            }
            rank.start(key);
            assert!(!rank.wait(key).await.gone);
            seen.extend(rank.get(&part));
        }
        rank.free(key);
        seen
    });
    assert_eq!(outcome.ticks, 3);
    assert_eq!(outcome.all(), [[0, 1, 2], [0, 1, 2]]);
}

/// A buffer must have room for the message and its overhead (MPI 5.0 §3.6).
#[test]
fn a_buffered_send_needs_a_buffer() {
    let outcome = Machine::new(1).run(|rank| async move {
        let try_send = || {
            let send = rank.outgoing(Mode::Buffered, &rank.put(&[1]), 0, 0);
            rank.call(|world, driver, rank| {
                let key = world.new_request(rank, Request::new(Body::Send(send), false, 0)).expect("there is room");
                let started = world.start(driver, rank, key);
                world.free_request(rank, key);
                started.map_err(|error| error.class)
            })
        };
        let without = try_send();
        rank.attach(1039);
        let results = [without, try_send(), try_send()];
        rank.recv_values(1, 0, 0).await;
        (results, try_send())
    });
    // One message takes 8 + 512 bytes; two do not fit by one byte.
    let full = Err(ErrorClass::BUFFER);
    assert_eq!(outcome.all(), [([full, Ok(()), full], Ok(()))]);
}
