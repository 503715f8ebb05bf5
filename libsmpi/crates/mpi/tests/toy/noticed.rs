//! What is noticed about a program: the observers get their events with this driver as with the others.

use std::sync::Arc;

use smpi_abi::Function;
use smpi_base::WorldRank;
use smpi_mpi::collective::select::{Operation, Selection};
use smpi_mpi::collective::{Builder, Part, Parts, Root, alltoall, bcast};
use smpi_mpi::datatype::{Basic, Datatype};
use smpi_mpi::p2p::protocol::Mode;
use smpi_mpi::usage::{Agreed, Call, Difference, Exchange, Items, Left, Observation, Origin, Taped};

use super::collective::call;
use super::machine::Machine;
use super::rank::Rank;

#[test]
fn types_of_a_message_and_its_receive_are_compared() {
    let mut machine = Machine::new(2);
    machine.run(|rank| async move {
        let part = rank.put(&[1, 2]);
        if rank.me == 0 {
            rank.send(&part, 1, 8).await;
        } else {
            rank.recv(&Part { datatype: Datatype::basic(Basic::Double), ..part }, 0, 8).await;
        }
    });
    let [Observation::Types { sender, receiver, sent, tag: 8, .. }] = &machine.observations()[..] else {
        panic!("the types differ");
    };
    assert_eq!((sender.rank, receiver.rank, sent.count), (WorldRank(0), WorldRank(1), 2));
}

/// Calls that do not fit together, and in what they differ.
#[test]
fn collective_calls_are_compared() {
    async fn calls_bcast(rank: &Rank, root: u32, count: i64) {
        rank.bcast(&rank.put(&[1, 2, 3]).slice(0, count), root).await;
    }
    let compare = |machine: &Machine| {
        let found = machine.observations();
        let [Observation::Collective { first, second, difference }] = &found[..] else { panic!("{found:?}") };
        assert_eq!((first.0.rank, second.0.rank), (WorldRank(0), WorldRank(1)));
        *difference
    };

    let mut machine = Machine::new(2);
    let outcome = machine.run(|rank| async move {
        match rank.me {
            0 => rank.barrier().await,
            _ => calls_bcast(&rank, 0, 1).await,
        }
    });
    assert_eq!(compare(&machine), Difference::Name);
    assert!(outcome.results.contains(&None), "rank 1 gets no data");

    let mut machine = Machine::new(2);
    machine.run(|rank| async move { calls_bcast(&rank, rank.me, 1).await });
    assert_eq!(compare(&machine), Difference::Root);

    let mut machine = Machine::new(2);
    machine.run(|rank| async move { calls_bcast(&rank, 0, 1 + i64::from(rank.me)).await });
    assert_eq!(compare(&machine), Difference::Items);

    let mut machine = Machine::new(2);
    machine.run(|rank| async move {
        let data = rank.put(&[1]);
        let fill = |b: &mut Builder<'_>, s: &Selection| bcast::build(b, s, &data, Root::Rank(0));
        match rank.me {
            0 => rank.blocking(call(Function::Bcast), fill).await,
            _ => rank.wait(rank.begin(call(Function::Bcast), fill)).await.error.map_or((), |error| panic!("{error}")),
        }
    });
    assert_eq!(compare(&machine), Difference::Form);
}

/// Rank 0 gives two values where rank 1 expects three.
#[test]
fn what_ranks_give_each_other_is_compared() {
    let mut machine = Machine::new(2);
    machine.run(|rank| async move {
        let (other, gives, takes) = (1 - rank.me, 2, 2 + i64::from(rank.me));
        let counts = |count: i64| if rank.me == 0 { [0, count] } else { [count, 0] };
        let (send, recv) = (rank.put(&[1, 2]), rank.room(3));
        let items = |count| Items { count, datatype: send.datatype.clone() };
        let exchange = Exchange { gives: vec![(other, items(gives))], takes: vec![(other, items(takes))] };
        let agreed = Agreed { exchange: Some(Arc::new(exchange)), ..Agreed::default() };
        let parts = [Parts::consecutive(&send, &counts(gives)), Parts::consecutive(&recv, &counts(takes))];
        let call = Call { agreed, ..call(Function::Alltoallv) };
        let operation = Operation::Alltoallv;
        rank.blocking(call, |b, s| alltoall::build_varying(b, s, operation, Some(&parts[0]), &parts[1])).await;
    });
    let found = machine.observations();
    let [Observation::Exchange { giver, taker, given, taken }] = &found[..] else { panic!("{found:?}") };
    assert_eq!((giver.0.rank, taker.0.rank), (WorldRank(0), WorldRank(1)));
    assert_eq!((given[0].count, taken[0].count), (2, 3));
}

/// The buffer of a send belongs to MPI until it is over (MPI 5.0 §3.7.2).
#[test]
fn changed_buffers_are_noticed() {
    for changes in [false, true] {
        let mut machine = Machine::new(2).rendezvous();
        machine.world(|world| world.observers.contents = true);
        machine.run(|rank| async move {
            let part = rank.put(&[1]);
            if rank.me == 0 {
                let key = rank.isend(&part, 1, 0);
                let origin = Origin { site: 17, ..Origin::default() };
                rank.call(|world, _, rank| world.watch(rank, key, origin));
                if changes {
                    rank.set(&part, &[2]);
                }
                rank.wait(key).await;
            } else {
                rank.sleep(1).await;
                rank.recv(&part, 0, 0).await;
            }
        });
        let found = machine.observations();
        match &found[..] {
            [] => assert!(!changes),
            [Observation::Buffer { side, send: true, .. }] => assert!(changes && side.origin.site == 17),
            _ => panic!("{found:?}"),
        }
    }
}

/// A send in ready mode needs a receive that is posted for sure (MPI 5.0 §3.4): that it happens to be is not enough.
#[test]
fn ready_sends_are_judged_by_causality() {
    for synchronises in [false, true] {
        let mut machine = Machine::new(2);
        machine.world(|world| world.follow_causality());
        machine.run(|rank| async move {
            let part = rank.put(&[1]);
            if rank.me == 1 {
                let key = rank.irecv(&part, 0, 0);
                if synchronises {
                    rank.barrier().await;
                }
                rank.wait(key).await;
                return;
            }
            if synchronises {
                rank.barrier().await;
            } else {
                rank.sleep(5).await;
            }
            rank.wait(rank.isend_as(Mode::Ready, &part, 1, 0)).await;
        });
        let found = machine.observations();
        match &found[..] {
            [] => assert!(synchronises),
            [Observation::Ready { is_received: true, .. }] => assert!(!synchronises),
            _ => panic!("{found:?}"),
        }
    }
}

#[test]
fn messages_matches_and_collective_operations_are_on_the_tape() {
    let mut machine = Machine::new(2);
    machine.world(|world| world.start_tape());
    machine.run(|rank| async move {
        match rank.me {
            0 => rank.send_values(&[1, 2], 1, 3).await,
            _ => assert_eq!(rank.recv_values(2, 0, 3).await, [1, 2]),
        }
        rank.barrier().await;
    });
    let tape = machine.world(|world| world.take_tape());
    let [
        Taped::Sent { from: WorldRank(0), to: WorldRank(1), bytes: 16, tag: 3, .. },
        Taped::Got { from: WorldRank(0), rank: WorldRank(1), .. },
        Taped::Collective { name: Function::Barrier, members },
    ] = &tape[..]
    else {
        panic!("{tape:?}");
    };
    assert_eq!(members.len(), 2);
}

#[test]
fn what_is_left_is_told_in_the_end() {
    let mut machine = Machine::new(2);
    machine.run(|rank| async move {
        let part = rank.put(&[1]);
        if rank.me == 0 {
            rank.send(&part, 1, 0).await;
            let key = rank.send_init(&part, 1, 1);
            rank.start(key);
            rank.wait(key).await;
            rank.send_init(&part, 1, 2);
        } else {
            rank.sleep(1).await;
            rank.irecv(&part, 0, 1);
            rank.sleep(1).await;
            let key = rank.irecv(&rank.room(1), 0, 7);
            rank.free(key);
        }
    });
    let found: Vec<(Left, u32)> = machine.leftovers().iter().map(|one| (one.left, one.rank.0)).collect();
    let expected = [
        (Left::Message, 0),
        (Left::Receive, 1),
        (Left::NeverStarted, 0),
        (Left::NeverCompleted, 1),
        (Left::Persistent, 0),
    ];
    assert_eq!(found, expected);
}

/// Two of three ranks have called a barrier.
#[test]
fn an_operation_that_some_never_call_is_known() {
    let mut machine = Machine::new(3);
    let outcome = machine.run(|rank| async move {
        if rank.me != 1 {
            rank.barrier().await;
        }
    });
    assert_eq!(outcome.results, [None, Some(()), None]);
    machine.world(|world| {
        let (side, call, called, of) = world.unmet().expect("the barrier is under way");
        assert_eq!((side.rank, call.name, called, of), (WorldRank(0), Function::Barrier, 2, 3));
    });
}
