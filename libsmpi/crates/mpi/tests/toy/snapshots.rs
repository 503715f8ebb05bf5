//! Going back: a state of the world, the driver and the memory is a state of the run.
//!
//! A program is divided in two. The first part starts operations and ends at some tick, in the middle of all of them;
//! the second one takes what comes. What the second part does after the state was put back is what it did before.

use smpi_mpi::collective::Part;
use smpi_mpi::p2p::request::RequestKey;

use super::machine::{Machine, Outcome};
use super::rank::Rank;

/// Values of a reduction: enough for rounds that use scratch memory.
const VALUES: usize = 12;

/// What the first part leaves for the second one.
#[derive(Clone, Debug)]
struct Begun {
    requests: Vec<RequestKey>,
    parts: Vec<Part>,
}

/// Starts messages in both directions round a ring, and a reduction of all; then does nothing for some ticks.
async fn begin(rank: Rank, ticks: u64) -> Begun {
    let (left, right) = ((rank.me + rank.size - 1) % rank.size, (rank.me + 1) % rank.size);
    let parts: Vec<_> = (0..4).map(|_| rank.put(&[i64::from(rank.me); VALUES])).chain([rank.room(VALUES)]).collect();
    let requests = vec![
        rank.isend(&parts[0], right as i32, 0),
        rank.irecv(&parts[1], left as i32, 0),
        rank.irecv(&parts[2], right as i32, 1),
        rank.iallreduce(&parts[3], &parts[4]),
    ];
    rank.sleep(ticks).await;
    Begun { requests, parts }
}

/// Completes all of it, with one message more.
async fn end(rank: Rank, begun: Begun) -> (Vec<i64>, Vec<i32>, u64) {
    let left = (rank.me + rank.size - 1) % rank.size;
    rank.ssend(&begun.parts[0], left as i32, 1).await;
    let mut handles: Vec<_> = begun.requests.into_iter().map(Some).collect();
    let mut sources = Vec::new();
    while let Some((index, completion)) = rank.waitany(&mut handles).await {
        sources.extend([index as i32, completion.status.source]);
    }
    let values = begun.parts.iter().flat_map(|part| rank.get(part)).collect();
    (values, sources, rank.ticks())
}

fn finish(machine: &mut Machine, begun: &[Begun]) -> Outcome<(Vec<i64>, Vec<i32>, u64)> {
    machine.run(|rank| {
        let begun = begun[rank.me as usize].clone();
        end(rank, begun)
    })
}

#[test]
fn a_run_goes_on_from_a_state_as_it_did_before() {
    let protocols: [fn(Machine) -> Machine; 3] =
        [|machine| machine, Machine::rendezvous, |machine| machine.thresholds(1 << 20, 1 << 20)];
    for (prepare, ticks) in protocols.into_iter().flat_map(|prepare| (0..6).map(move |ticks| (prepare, ticks))) {
        let mut machine = prepare(Machine::new(5));
        let begun = machine.begin(|rank| begin(rank, ticks)).all();
        let snapshot = machine.snapshot();
        let first = finish(&mut machine, &begun);
        // The sum of all ranks is 10.
        assert!(first.results.iter().flatten().all(|(values, ..)| values[4 * VALUES..] == [10; VALUES]));
        let leftovers = machine.leftovers().len();
        for _ in 0..2 {
            machine.restore(&snapshot);
            let again = finish(&mut machine, &begun);
            assert_eq!((again.ticks, &again.results), (first.ticks, &first.results));
            assert_eq!(machine.leftovers().len(), leftovers);
        }
    }
}

/// What was noticed after the state, and what ranks had called, is forgotten with it.
#[test]
fn another_end_may_follow_the_same_state() {
    let mut machine = Machine::new(2);
    let begun = machine.begin(|rank| async move { (rank.me == 0).then(|| rank.isend(&rank.put(&[4]), 1, 0)) }).all();
    let snapshot = machine.snapshot();
    let outcome = machine.run(|rank| async move { rank.me == 1 || rank.iprobe(1, 0).await.is_none() });
    assert_eq!((outcome.ticks, machine.leftovers().len()), (1, 1));
    machine.restore(&snapshot);
    let outcome = machine.run(|rank| {
        let request = begun[rank.me as usize];
        async move {
            match request {
                Some(request) => rank.wait(request).await.status.bytes as i64,
                None => rank.recv_values(1, 0, 0).await[0],
            }
        }
    });
    assert_eq!((outcome.ticks, machine.leftovers().len()), (1, 0));
    assert_eq!(outcome.all(), [0, 4]);
}
