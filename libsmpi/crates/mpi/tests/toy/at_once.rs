//! Payloads of blocking sends that are copied when the send is called, because it is sure which receive they match; and
//! those that look like it, and must not be.

use std::cell::RefCell;

use smpi_mpi::collective::Part;

use super::machine::Machine;
use super::messages::ANY;
use super::rank::Rank;

/// Values of a message that is worth a look into the receiver's mailbox.
const COUNT: usize = 100;
const TAG: i32 = 5;

/// Sends that value over and over, changes the buffer at once, and says what rank 1 has at that moment.
async fn send(rank: &Rank, value: i64, tag: i32, target: &RefCell<Option<Part>>) -> Vec<i64> {
    let part = rank.put(&[value; COUNT]);
    rank.send(&part, 1, tag).await;
    rank.set(&part, &[-1; COUNT]);
    let mut bytes = Vec::new();
    let target = target.borrow();
    let target = target.as_ref().expect("rank 1 was there");
    rank.call(|world, _, _| {
        let receiver = smpi_base::WorldRank(1);
        target.datatype.pack(world.memory(), receiver, target.at, target.count as u64, &mut bytes);
    });
    bytes.chunks_exact(8).map(|chunk| i64::from_ne_bytes(chunk.try_into().expect("8 bytes"))).collect()
}

/// Whether rank 1 has the message already when the send returns, and what it receives. It posts its receives for
/// this source and tag a while before; `waits`: and waits for them.
fn delivered(room: usize, source: i32, tag: i32, waits: bool) -> (bool, Vec<i64>) {
    let target = RefCell::new(None);
    let outcome = Machine::new(2).run(async |rank| {
        if rank.me == 0 {
            rank.sleep(1).await;
            let at_once = send(&rank, 7, TAG, &target).await == [7; COUNT];
            return (at_once, Vec::new());
        }
        let part = rank.put(&vec![0; room]);
        *target.borrow_mut() = Some(part.slice(0, COUNT as i64));
        let request = rank.irecv(&part, source, tag);
        if !waits {
            rank.sleep(1).await;
        }
        rank.wait(request).await;
        (false, rank.get(&part))
    });
    let mut results = outcome.all();
    let (_, values) = results.swap_remove(1);
    (results[0].0, values)
}

#[test]
fn a_message_for_a_rank_that_waits_is_delivered_at_once() {
    assert_eq!(delivered(COUNT, 0, TAG, true), (true, vec![7; COUNT]));
    assert_eq!(delivered(COUNT, 0, ANY, true), (true, vec![7; COUNT]));
}

#[test]
fn another_sender_could_match_a_receive_from_any_source() {
    assert_eq!(delivered(COUNT, ANY, TAG, true), (false, vec![7; COUNT]));
}

#[test]
fn a_rank_that_does_not_wait_could_cancel_its_receive() {
    assert_eq!(delivered(COUNT, 0, TAG, false), (false, vec![7; COUNT]));
}

/// Each of two messages that are sent in one instant goes to its own receive.
#[test]
fn messages_do_not_overtake_those_of_the_same_instant() {
    for tags in [[TAG; 2], [TAG + 1, TAG], [TAG, TAG + 1]] {
        let target = RefCell::new(None);
        let outcome = Machine::new(2).run(async |rank| {
            if rank.me == 0 {
                rank.sleep(1).await;
                for (value, tag) in [(1, tags[0]), (2, tags[1])] {
                    send(&rank, value, tag, &target).await;
                }
                return Vec::new();
            }
            let parts = [rank.room(COUNT), rank.room(COUNT)];
            *target.borrow_mut() = Some(parts[0].clone());
            let first = rank.irecv(&parts[0], 0, TAG);
            let second = rank.irecv(&parts[1], 0, ANY);
            rank.waitall(&mut [Some(first), Some(second)]).await;
            vec![rank.get(&parts[0])[COUNT - 1], rank.get(&parts[1])[0]]
        });
        // The first receive wants its tag, the second takes what is left.
        let expected = if tags[0] == TAG { [1, 2] } else { [2, 1] };
        assert_eq!(outcome.all()[1], expected, "{tags:?}");
    }
}

#[test]
fn a_receive_that_is_too_small_is_left_to_the_match() {
    let target = RefCell::new(None);
    let outcome = Machine::new(2).run(async |rank| {
        if rank.me == 0 {
            rank.sleep(1).await;
            return i32::from(send(&rank, 7, TAG, &target).await == [7; COUNT]);
        }
        let part = rank.put(&[0; COUNT]);
        *target.borrow_mut() = Some(part.clone());
        let request = rank.irecv(&part.slice(0, 10), 0, TAG);
        let completion = rank.wait(request).await;
        completion.error.map_or(0, |error| error.class.0)
    });
    assert_eq!(outcome.all(), [0, smpi_mpi::error::ErrorClass::TRUNCATE.0]);
}
