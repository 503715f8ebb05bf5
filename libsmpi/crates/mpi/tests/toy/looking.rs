//! Probes (MPI 5.0 §3.8) and cancellation (§3.8.4).

use smpi_mpi::p2p::protocol::Mode;

use super::machine::Machine;
use super::messages::ANY;

/// A probe is answered when the message is sent, not when it has arrived; the receive then takes that message.
#[test]
fn a_probe_waits_for_a_message_and_leaves_it() {
    let outcome = Machine::new(2).run(|rank| async move {
        if rank.me == 0 {
            rank.sleep(2).await;
            rank.send_values(&[1, 2, 3], 1, 6).await;
            return Vec::new();
        }
        let status = rank.probe(ANY, ANY).await;
        assert_eq!((rank.ticks(), status.source, status.tag, status.bytes), (2, 0, 6, 24));
        let values = rank.recv_values(status.bytes as usize / 8, status.source, status.tag).await;
        assert_eq!(rank.ticks(), 3);
        values
    });
    assert_eq!(outcome.all()[1], [1, 2, 3]);
}

/// Each look takes a tick; the message is sent at 3.
#[test]
fn a_loop_on_iprobe_ends() {
    let outcome = Machine::new(2).run(|rank| async move {
        if rank.me == 0 {
            rank.sleep(3).await;
            rank.send_values(&[1], 1, 6).await;
            return 0;
        }
        let mut looks = 1;
        while rank.iprobe(0, 6).await.is_none() {
            looks += 1;
        }
        rank.recv_values(1, 0, 6).await;
        looks
    });
    assert_eq!(outcome.all()[1], 3);
}

/// What a matched probe took, no other receive gets.
#[test]
fn a_matched_probe_takes_its_message_out() {
    let outcome = Machine::new(2).run(|rank| async move {
        if rank.me == 0 {
            rank.send_values(&[1], 1, 0).await;
            rank.send_values(&[2], 1, 0).await;
            return Vec::new();
        }
        let (message, status) = rank.mprobe(0, 0).await;
        assert_eq!(status.bytes, 8);
        let second = rank.recv_values(1, 0, 0).await;
        let part = rank.room(1);
        rank.mrecv(message, &part).await;
        [second, rank.get(&part)].concat()
    });
    assert_eq!(outcome.all()[1], [2, 1]);
}

#[test]
fn a_receive_without_message_is_cancelled() {
    let mut machine = Machine::new(2);
    let outcome = machine.run(|rank| async move {
        if rank.me == 0 {
            rank.sleep(1).await;
            rank.send_values(&[5], 1, 0).await;
            return (false, 0, 5);
        }
        let part = rank.put(&[0]);
        let key = rank.irecv(&part, 0, 0);
        rank.cancel(key);
        let status = rank.wait(key).await.status;
        let ended = rank.ticks();
        // The message is for whoever receives it next.
        (status.cancelled, ended, rank.recv_values(1, 0, 0).await[0] + rank.get(&part)[0])
    });
    assert_eq!(outcome.all()[1], (true, 0, 5));
    assert!(machine.leftovers().is_empty());
}

/// The message waits already, so the receive has it before it is cancelled.
#[test]
fn a_receive_with_a_message_takes_place() {
    let outcome = Machine::new(2).run(|rank| async move {
        let part = rank.put(&[3]);
        if rank.me == 0 {
            rank.send(&part, 1, 0).await;
            return (false, 0, 3);
        }
        rank.sleep(2).await;
        let part = rank.room(1);
        let key = rank.irecv(&part, 0, 0);
        rank.cancel(key);
        let status = rank.wait(key).await.status;
        (status.cancelled, rank.ticks(), rank.get(&part)[0])
    });
    assert_eq!(outcome.all()[1], (false, 3, 3));
}

/// A send that nobody has received is taken back, also where its sender does not wait for it; one that was received
/// took place.
#[test]
fn sends_are_cancelled_unless_they_were_received() {
    for mode in [Mode::Standard, Mode::Synchronous] {
        let mut machine = Machine::new(2);
        let outcome = machine.run(|rank| async move {
            let parts = [rank.put(&[1]), rank.put(&[2])];
            if rank.me == 1 {
                let value = rank.recv_values(1, 0, ANY).await;
                rank.barrier().await;
                return (value, rank.iprobe(ANY, ANY).await.is_some());
            }
            let first = rank.isend_as(mode, &parts[0], 1, 0);
            rank.sleep(1).await;
            let second = rank.isend_as(mode, &parts[1], 1, 0);
            rank.sleep(1).await;
            rank.cancel(second);
            if mode == Mode::Synchronous {
                rank.cancel(first);
            }
            let cancelled = [rank.wait(first).await.status.cancelled, rank.wait(second).await.status.cancelled];
            rank.barrier().await;
            (Vec::new(), cancelled == [false, true])
        });
        assert_eq!(outcome.all(), [(vec![], true), (vec![1], false)]);
        assert!(machine.leftovers().is_empty());
    }
}
