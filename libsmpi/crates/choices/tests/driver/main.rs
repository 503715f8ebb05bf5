//! A verification driven by hand: which choices are open, what happens when one is made, and who learns of it.

mod bench;

use bench::{ANY_SOURCE, Bench, MAX_FUTILE};
use smpi_base::WorldRank;
use smpi_checker::alternatives::NOT_YET;
use smpi_checker::{ChoiceId, ChoiceKind, GO_ON};
use smpi_choices::{Discoveries, Discovery, Name, Verification};
use smpi_mpi::world::{Chooser, HowMany, Picked};

#[test]
fn a_wildcard_receive_is_held_and_takes_the_chosen_message() {
    let mut bench = Bench::new(4, true);
    let receive = bench.recv(0, ANY_SOURCE);
    bench.send(1, 0, 11);
    bench.send(2, 0, 12);
    bench.settle();
    assert!(!bench.is_done(0, receive.key));
    assert_eq!(bench.only(), (0, 0, ChoiceKind::Receive, vec![1, 2]));
    bench.choose(0, 0, 2);
    assert_eq!(bench.received(0, receive), (2, 12));
    assert_eq!(bench.waiting(0), [1]);
    assert!(bench.open().is_empty());
    // The other message is there for the next receive, and it has a number of its own.
    let receive = bench.recv(0, ANY_SOURCE);
    bench.settle();
    assert_eq!(bench.only(), (0, 1, ChoiceKind::Receive, vec![1]));
    bench.choose(0, 1, 1);
    assert_eq!(bench.received(0, receive), (1, 11));
}

#[test]
fn a_receive_that_names_its_sender_is_no_choice_and_does_not_overtake() {
    let mut bench = Bench::new(3, true);
    let named = bench.recv(0, 1);
    bench.send(1, 0, 11);
    bench.settle();
    assert_eq!(bench.received(0, named), (1, 11));
    for (taken, is_left) in [(1, false), (2, true)] {
        let any = bench.recv(0, ANY_SOURCE);
        let named = bench.recv(0, 1);
        bench.send(1, 0, 21);
        bench.send(2, 0, 22);
        bench.settle();
        // The older receive may take the message that the younger one wants.
        assert!(!bench.is_done(0, named.key));
        bench.answer(0, taken);
        assert_eq!(bench.received(0, any).0, taken as i32);
        assert_eq!(bench.is_done(0, named.key), is_left);
        if !is_left {
            bench.send(1, 0, 31);
            bench.settle();
            assert_eq!(bench.received(0, named), (1, 31));
            let rest = bench.recv(0, 2);
            bench.settle();
            assert_eq!(bench.received(0, rest), (2, 22));
        }
    }
}

#[test]
fn a_choice_is_closed_when_nobody_else_can_send() {
    let mut bench = Bench::new(4, true);
    let receive = bench.recv(0, ANY_SOURCE);
    bench.send(1, 0, 11);
    bench.send(2, 0, 12);
    bench.settle();
    let is_closed = |bench: &mut Bench| bench.choices().iter().next().unwrap().closed;
    assert!(!is_closed(&mut bench));
    bench.world.rank_ended(&mut bench.driver, WorldRank(3));
    // The receiver could still send to itself, until it waits.
    assert!(!is_closed(&mut bench));
    assert!(!bench.wait(0, receive.key));
    assert!(is_closed(&mut bench));
}

#[test]
fn a_choice_stands_alone_when_all_others_wait_for_its_rank() {
    let mut bench = Bench::new(4, true);
    let receive = bench.recv(0, ANY_SOURCE);
    bench.send(1, 0, 11);
    bench.settle();
    let choice = ChoiceId::of(WorldRank(0), 0);
    let is_alone = |bench: &mut Bench| {
        assert!(!bench.choices().is_empty());
        bench.driver.stands_alone(&bench.world, choice)
    };
    bench.world.rank_ended(&mut bench.driver, WorldRank(3));
    assert!(!bench.wait(0, receive.key));
    // Rank 2 may send something.
    assert!(!is_alone(&mut bench));
    // It waits for rank 0, which waits.
    let told = bench.recv(2, 0);
    bench.settle();
    assert!(!is_alone(&mut bench));
    assert!(!bench.wait(2, told.key));
    assert!(is_alone(&mut bench));
    // A rank that receives from any source may be told by others.
    let mut bench = Bench::new(3, true);
    let receive = bench.recv(0, ANY_SOURCE);
    bench.send(1, 0, 11);
    let any = bench.recv(2, ANY_SOURCE);
    bench.settle();
    assert!(!bench.wait(0, receive.key) && !bench.wait(2, any.key));
    assert!(!is_alone(&mut bench));
    // A chain of ranks that wait for each other.
    let mut bench = Bench::new(4, true);
    let receive = bench.recv(0, ANY_SOURCE);
    bench.send(1, 0, 11);
    let (two, three) = (bench.recv(2, 3), bench.recv(3, 0));
    bench.settle();
    assert!(!bench.wait(0, receive.key) && !bench.wait(2, two.key));
    assert!(!is_alone(&mut bench));
    assert!(!bench.wait(3, three.key));
    assert!(is_alone(&mut bench));
}

#[test]
fn a_receive_that_its_rank_does_not_wait_for_does_not_stand_alone() {
    let mut bench = Bench::new(2, true);
    let receive = bench.recv(0, ANY_SOURCE);
    bench.send(1, 0, 11);
    bench.settle();
    bench.world.rank_ended(&mut bench.driver, WorldRank(1));
    let choice = ChoiceId::of(WorldRank(0), 0);
    assert!(!bench.driver.stands_alone(&bench.world, choice));
    assert!(!bench.wait(0, receive.key));
    assert!(bench.driver.stands_alone(&bench.world, choice));
    // Another receive of its rank may take the message instead.
    let mut bench = Bench::new(2, true);
    let (first, second) = (bench.recv(0, ANY_SOURCE), bench.recv(0, ANY_SOURCE));
    bench.send(1, 0, 11);
    bench.settle();
    assert!(!bench.world.wait_all(WorldRank(0), [first.key, second.key].into_iter()));
    assert!(!bench.driver.stands_alone(&bench.world, choice));
}

#[test]
fn a_message_that_comes_after_the_choice_is_late() {
    let mut bench = Bench::new(3, true);
    let receive = bench.recv(0, ANY_SOURCE);
    bench.send(1, 0, 11);
    bench.settle();
    bench.choose(0, 0, 1);
    let late = |bench: &mut Bench| {
        let mut late = Vec::new();
        bench.driver.take_late(&mut late);
        late
    };
    assert_eq!(late(&mut bench), []);
    // Rank 2 did not need the choice to send: its message could have been taken.
    bench.send(2, 0, 12);
    bench.settle();
    assert_eq!(late(&mut bench), [ChoiceId::of(WorldRank(0), 0)]);
    // What rank 1 sends after rank 0 has told it of the choice could not.
    bench.received(0, receive);
    bench.send(0, 1, 1);
    let told = bench.recv(1, 0);
    bench.settle();
    bench.received(1, told);
    bench.send(1, 0, 13);
    bench.settle();
    assert_eq!(late(&mut bench), []);
}

#[test]
fn waitany_offers_what_is_complete() {
    let mut bench = Bench::new(4, true);
    let receives: Vec<_> = (1..4).map(|source| bench.recv(0, source)).collect();
    let keys: Vec<_> = receives.iter().map(|receive| receive.key).collect();
    bench.send(3, 0, 13);
    bench.send(1, 0, 11);
    assert_eq!(bench.wait_any(0, &keys, HowMany::One), None);
    bench.settle();
    assert!(bench.driver.is_asking(WorldRank(0)));
    assert_eq!(bench.only(), (0, 0, ChoiceKind::WaitAny, vec![0, 2]));
    assert!(bench.woken().is_empty());
    bench.choose(0, 0, 2);
    assert_eq!(bench.woken(), [0]);
    assert_eq!(bench.wait_any(0, &keys, HowMany::One), Some(Picked::At(2)));
    assert_eq!(bench.received(0, receives[2]), (3, 13));
    // Positions are those among the requests that are left.
    assert_eq!(bench.wait_any(0, &keys, HowMany::One), None);
    bench.send(2, 0, 12);
    bench.settle();
    assert_eq!(bench.only().3, [0, 1]);
    bench.answer(0, 0);
    assert_eq!(bench.wait_any(0, &keys, HowMany::One), Some(Picked::At(0)));
    bench.received(0, receives[0]);
    bench.received(0, receives[1]);
    assert_eq!(bench.wait_any(0, &keys, HowMany::One), Some(Picked::Nothing));
}

#[test]
fn waitsome_offers_all_sets_or_says_that_it_does_not() {
    for (most, sets, left_out) in [(3, vec![1, 2, 3, 4, 5, 6, 7], false), (2, vec![1, 2, 4], true)] {
        let mut bench = Bench::new(4, true);
        bench.driver = Verification::new(4, most, false);
        let keys: Vec<_> = (1..4).map(|source| bench.recv(0, source).key).collect();
        (1..4).for_each(|from| {
            bench.send(from, 0, 1);
        });
        assert_eq!(bench.wait_any(0, &keys, HowMany::Some), None);
        bench.settle();
        let (.., mut offered) = bench.only();
        assert_eq!(bench.driver.has_left_out(), left_out);
        // Of too many: each by itself, and all together.
        let all = if left_out { offered.pop() } else { Some(7) };
        assert_eq!(offered, sets);
        let state = (bench.world.state.clone(), bench.driver.snapshot());
        bench.answer(0, 4);
        assert_eq!(bench.wait_any(0, &keys, HowMany::Some), Some(Picked::Set([2].into())));
        bench.world.set_state(&state.0);
        bench.driver.restore(&state.1);
        bench.answer(0, all.unwrap());
        let picked = bench.wait_any(0, &keys, HowMany::Some).unwrap();
        assert!((0..3).all(|position| picked.contains(position)), "{picked:?}");
    }
}

#[test]
fn a_test_of_what_is_complete_says_not_yet_once() {
    let mut bench = Bench::new(2, true);
    let receive = bench.recv(0, 1);
    bench.send(1, 0, 11);
    bench.settle();
    assert_eq!(bench.test(0, receive.key), None);
    assert_eq!(bench.only(), (0, 0, ChoiceKind::Test, vec![1, NOT_YET]));
    bench.choose(0, 0, NOT_YET);
    assert_eq!(bench.test(0, receive.key), Some(Picked::Nothing));
    assert_eq!(bench.test(0, receive.key), None);
    assert_eq!(bench.only(), (0, 1, ChoiceKind::Test, vec![1]));
    bench.choose(0, 1, 1);
    assert_eq!(bench.test(0, receive.key), Some(Picked::Finished));
}

#[test]
fn polls_in_vain_go_on_only_where_nothing_else_does_and_not_for_ever() {
    let mut bench = Bench::new(3, true);
    let receive = bench.recv(0, 1);
    // The first time "not yet" is an answer like any other.
    assert_eq!(bench.test(0, receive.key), None);
    bench.settle();
    assert!(bench.only().3 == [NOT_YET] && !bench.driver.is_forced());
    bench.answer(0, NOT_YET);
    assert_eq!(bench.test(0, receive.key), Some(Picked::Nothing));
    assert_eq!(bench.test(0, receive.key), None);
    // Something else can happen: the poll has to wait for it.
    let other = bench.recv(2, ANY_SOURCE);
    bench.send(1, 2, 12);
    bench.settle();
    assert_eq!(bench.only(), (2, 0, ChoiceKind::Receive, vec![1]));
    bench.answer(2, 1);
    bench.received(2, other);
    // The poll that waited when something happened does not count.
    for _ in 0..MAX_FUTILE + 2 {
        assert_eq!(bench.only().3, [NOT_YET]);
        assert!(bench.driver.is_forced() && bench.driver.is_polling());
        bench.answer(0, NOT_YET);
        assert_eq!(bench.test(0, receive.key), Some(Picked::Nothing));
        assert_eq!(bench.test(0, receive.key), None);
    }
    assert!(bench.open().is_empty());
    // What it waits for comes after all.
    bench.send(1, 0, 11);
    bench.settle();
    bench.answer(0, 1);
    assert_eq!(bench.test(0, receive.key), Some(Picked::Finished));
}

#[test]
fn a_rank_learns_of_a_choice_when_it_takes_the_completion() {
    let mut bench = Bench::new(4, true);
    let first = bench.recv(0, ANY_SOURCE);
    bench.send(1, 0, 11);
    bench.settle();
    bench.answer(0, 1);
    assert!(bench.is_done(0, first.key) && bench.past(0).is_empty());
    bench.received(0, first);
    assert_eq!(bench.past(0), [0]);
    // The message carries it on, to whoever takes it.
    let told = bench.recv(3, 0);
    bench.send(0, 3, 1);
    bench.settle();
    assert!(bench.is_done(3, told.key) && bench.past(3).is_empty());
    bench.received(3, told);
    assert_eq!(bench.past(3), [0]);
    // A message that was sent before tells nothing, even if it is taken now.
    let early = bench.recv(3, 2);
    bench.send(2, 3, 1);
    bench.settle();
    bench.received(3, early);
    assert_eq!((bench.past(1), bench.past(2)), (vec![], vec![]));
}

#[test]
fn a_sender_that_waits_learns_what_the_receive_knew() {
    let mut bench = Bench::new(3, false);
    let first = bench.recv(0, ANY_SOURCE);
    let (sent, _) = bench.send(1, 0, 11);
    bench.settle();
    assert!(!bench.is_done(1, sent));
    bench.answer(0, 1);
    assert!(bench.is_done(1, sent) && bench.past(1).is_empty());
    bench.take(1, sent);
    assert_eq!(bench.past(1), [0]);
    // The receive was posted before its rank took the other one: it knew nothing.
    let second = bench.recv(0, 2);
    bench.received(0, first);
    let (sent, _) = bench.send(2, 0, 12);
    bench.settle();
    bench.take(2, sent);
    assert_eq!((bench.past(0), bench.past(2)), (vec![0], vec![]));
    bench.received(0, second);
}

/// One that could have been buffered would have gone on without the receive, and so would have known nothing of it.
#[test]
fn a_sender_that_waits_and_need_not_learns_nothing() {
    for is_reluctant in [false, true] {
        let mut bench = Bench::new(3, false);
        bench.driver.set_reluctant_sends(is_reluctant);
        let first = bench.recv(0, ANY_SOURCE);
        bench.send(1, 0, 11);
        bench.settle();
        bench.answer(0, 1);
        bench.received(0, first);
        // This receive is posted because of the choice.
        let second = bench.recv(0, 2);
        let (sent, _) = bench.send(2, 0, 12);
        bench.settle();
        assert_eq!(bench.received(0, second), (2, 12));
        bench.take(2, sent);
        assert_eq!(bench.past(2), if is_reluctant { vec![] } else { vec![0] });
    }
}

#[test]
fn a_snapshot_brings_back_the_choices() {
    let mut bench = Bench::new(4, true);
    let receive = bench.recv(0, ANY_SOURCE);
    bench.send(1, 0, 11);
    bench.send(2, 0, 12);
    assert_eq!(bench.driver.random(&mut bench.world, WorldRank(3), -1, 1), None);
    bench.settle();
    let before = bench.open();
    assert_eq!(before[1], (3, 0, ChoiceKind::Random, vec![u64::MAX, 0, 1]));
    let state = (bench.world.state.clone(), bench.driver.snapshot());
    for (sender, value) in [(2, 12), (1, 11)] {
        bench.answer(0, sender);
        assert_eq!(bench.received(0, receive), (sender as i32, value));
        assert_eq!(bench.past(0), [0]);
        let again = bench.recv(0, ANY_SOURCE);
        bench.settle();
        bench.answer(0, 3 - sender);
        bench.received(0, again);
        bench.answer(3, u64::MAX);
        assert_eq!(bench.driver.random(&mut bench.world, WorldRank(3), -1, 1), Some(-1));
        assert!(bench.open().is_empty());
        bench.world.set_state(&state.0);
        bench.driver.restore(&state.1);
        assert_eq!(bench.open(), before);
        assert!(bench.past(0).is_empty() && bench.woken().is_empty() && !bench.is_done(0, receive.key));
    }
}

#[test]
fn a_probe_offers_the_senders_and_what_was_seen_stays_visible() {
    let mut bench = Bench::new(3, true);
    bench.probe(0, true);
    assert!(bench.open().is_empty());
    bench.send(1, 0, 11);
    bench.send(2, 0, 12);
    bench.settle();
    assert_eq!(bench.only(), (0, 0, ChoiceKind::Probe, vec![1, 2]));
    bench.choose(0, 0, 2);
    assert_eq!((bench.woken(), bench.probed(0)), (vec![0], Some(2)));
    // The rank knows that there is a message: MPI_Iprobe cannot miss it.
    bench.probe(0, false);
    assert_eq!(bench.only(), (0, 1, ChoiceKind::Test, vec![1, 2]));
    bench.answer(0, 1);
    assert_eq!(bench.probed(0), Some(1));
    // A receive whose status says that it took the other one has left the first that was seen.
    let receive = bench.recv(0, ANY_SOURCE);
    bench.settle();
    bench.answer(0, 1);
    bench.received(0, receive);
    bench.probe(0, false);
    assert_eq!(bench.only().3, [2]);
    bench.answer(0, 2);
    assert_eq!(bench.probed(0), Some(2));
    // After one that took that, it knows of none: not of what was sent since.
    let receive = bench.recv(0, ANY_SOURCE);
    bench.settle();
    bench.answer(0, 2);
    bench.received(0, receive);
    bench.send(1, 0, 13);
    bench.settle();
    bench.probe(0, false);
    assert_eq!(bench.only().3, [1, NOT_YET]);
    bench.answer(0, NOT_YET);
    assert_eq!(bench.probed(0), None);
}

/// The first request that a rank starts.
fn first_of(rank: u32) -> Discoveries {
    Discoveries::from([Discovery::Cancels(Name { rank: WorldRank(rank), start: 0, place: 0 })])
}

#[test]
fn a_receive_that_is_cancelled_takes_a_message_or_nothing() {
    let run = |candidate: u64, cancels: bool| {
        let mut bench = Bench::new(2, true);
        bench.driver.foresee(&first_of(0));
        // Although it names its sender.
        let receive = bench.recv(0, 1);
        bench.send(1, 0, 11);
        bench.settle();
        assert_eq!(bench.only(), (0, 0, ChoiceKind::Receive, vec![1, NOT_YET]));
        bench.answer(0, candidate);
        assert_eq!(bench.is_done(0, receive.key), candidate == 1);
        if cancels {
            bench.cancel(0, receive.key);
        }
        (bench, receive)
    };
    let (mut bench, receive) = run(1, true);
    assert!(!bench.driver.is_void(&bench.world));
    assert_eq!(bench.received(0, receive), (1, 11));
    let (mut bench, receive) = run(NOT_YET, true);
    assert!(!bench.driver.is_void(&bench.world));
    assert!(bench.take(0, receive.key).status.cancelled);
    let next = bench.recv(0, 1);
    bench.settle();
    assert_eq!(bench.received(0, next), (1, 11));
    // It took nothing, and the cancellation that would explain it does not come.
    let (bench, receive) = run(NOT_YET, false);
    assert!(!bench.is_done(0, receive.key) && bench.driver.is_void(&bench.world));
}

#[test]
fn a_send_that_is_cancelled_delivers_its_message_or_not() {
    for delivers in [true, false] {
        let mut bench = Bench::new(2, false);
        bench.driver.foresee(&first_of(1));
        let (sent, _) = bench.send(1, 0, 11);
        let (kept, _) = bench.send(1, 0, 12);
        let receive = bench.recv(0, ANY_SOURCE);
        bench.settle();
        assert_eq!(bench.only(), (1, 0, ChoiceKind::Delivery, vec![1, NOT_YET]));
        bench.choose(1, 0, if delivers { 1 } else { NOT_YET });
        bench.cancel(1, sent);
        bench.answer(0, 1);
        assert_eq!(bench.received(0, receive), (1, if delivers { 11 } else { 12 }));
        assert_eq!(bench.take(1, sent).status.cancelled, !delivers);
        assert_eq!(bench.is_done(1, kept), !delivers);
        assert!(!bench.driver.is_void(&bench.world));
    }
}

#[test]
fn a_cancellation_that_nobody_expected_is_noted() {
    let mut bench = Bench::new(2, true);
    let receive = bench.recv(0, 1);
    bench.settle();
    bench.cancel(0, receive.key);
    assert!(bench.take(0, receive.key).status.cancelled);
    assert_eq!(bench.driver.take_discovered(), first_of(0));
    assert!(bench.driver.take_discovered().is_empty());
}

#[test]
fn a_send_that_waits_and_need_not_is_offered_to_go_on() {
    let mut bench = Bench::new(2, false);
    bench.driver.set_reluctant_sends(true);
    let (first, at) = bench.send(0, 1, 10);
    let (second, _) = bench.send(1, 0, 11);
    bench.settle();
    // Nobody asks whether they are over.
    assert!(bench.open().is_empty());
    assert!(!bench.wait(0, first) && !bench.wait(1, second));
    assert!(bench.choices().are_reluctant());
    let open = bench.open();
    let offered = |rank: u32| open.contains(&(rank, 0, ChoiceKind::Buffering, vec![GO_ON]));
    assert!(offered(0) && offered(1) && open.len() == 2, "{open:?}");
    bench.choose(0, 0, GO_ON);
    assert_eq!(bench.woken(), [0]);
    bench.take(0, first);
    assert!(!bench.is_done(1, second));
    // The message was put away: the buffer is the program's again.
    bench.write(0, at, -1);
    let received = bench.recv(1, 0);
    bench.settle();
    assert_eq!(bench.received(1, received), (0, 10));
    // The receiver learns nothing from that, nor does a sender whose receive comes.
    let answer = bench.recv(0, 1);
    bench.settle();
    assert_eq!((bench.woken(), bench.received(0, answer)), (vec![1], (1, 11)));
    assert!(bench.open().is_empty() && bench.past(0).is_empty() && bench.past(1).is_empty());
}

#[test]
fn a_deadline_passes_by_choice_for_a_rank_that_polls() {
    let mut bench = Bench::new(2, true);
    let rank = WorldRank(0);
    let looks: Vec<f64> = (0..3).map(|_| bench.driver.look(&mut bench.world, rank).unwrap()).collect();
    assert!(looks.is_sorted_by(|one, next| one < next) && looks[2] < 1e-3);
    let receive = bench.recv(0, 1);
    bench.settle();
    for passes in [false, true] {
        assert_eq!(bench.test(0, receive.key), None);
        bench.answer(0, NOT_YET);
        assert_eq!(bench.test(0, receive.key), Some(Picked::Nothing));
        if passes {
            // Asked a second time in vain, it has passed.
            assert!(bench.driver.look(&mut bench.world, rank).unwrap() > 1e5);
            assert!(bench.driver.is_timed());
            continue;
        }
        assert_eq!(bench.driver.look(&mut bench.world, rank), None);
        assert_eq!(bench.only(), (0, 1, ChoiceKind::Time, vec![NOT_YET, 1]));
        bench.answer(0, NOT_YET);
        assert_eq!(bench.driver.look(&mut bench.world, rank), Some(looks[2]));
        assert!(!bench.driver.is_timed());
    }
}
