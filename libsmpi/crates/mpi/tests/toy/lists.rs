//! Arrays of requests that calls are about again and again: what is done with a list of them is what is done with a
//! look at each, whatever the program does with the array between its calls.

use smpi_base::rng::Rng;

use super::machine::Machine;
use super::messages::ANY;
use super::rank::{Handle, Rank};

/// Messages that rank 1 sends, and that rank 0 receives in the end.
const MESSAGES: usize = 400;
/// Requests of the array, of which some are persistent; a call may be about the first of them only.
const REQUESTS: usize = 90;
const PERSISTENT: usize = 10;
const FEWER: usize = 70;

/// What rank 0 does at random.
struct Juggler {
    rank: Rank,
    rng: Rng,
    handles: Vec<Handle>,
    persistent: Vec<Handle>,
    /// Requests out of the array.
    apart: Vec<Handle>,
    /// Receives that were started.
    started: usize,
    /// What came where and when.
    seen: Vec<(usize, i32, u64)>,
}

impl Juggler {
    fn new(rank: &Rank, seed: u64) -> Juggler {
        let persistent: Vec<Handle> = (0..PERSISTENT).map(|_| Some(rank.recv_init(&rank.room(1), 1, ANY))).collect();
        let handles = persistent.iter().copied().chain([None; REQUESTS - PERSISTENT]).collect();
        let (rank, rng) = (rank.clone(), Rng::new(seed));
        Juggler { rank, rng, handles, persistent, apart: Vec::new(), started: 0, seen: Vec::new() }
    }

    /// Starts a receive at a place that is free, or one that is persistent.
    fn receive(&mut self) {
        let index = self.rng.below(REQUESTS);
        match self.handles[index] {
            _ if self.started == MESSAGES => return,
            None => self.handles[index] = Some(self.rank.irecv(&self.rank.room(1), 1, ANY)),
            Some(key) if self.persistent.contains(&Some(key)) && self.rank.is_inactive(key) => self.rank.start(key),
            Some(_) => return,
        }
        self.started += 1;
    }

    /// A call that is about all requests, or the first ones.
    async fn call(&mut self, which: usize) {
        let count = if self.rng.below(4) == 0 { FEWER } else { REQUESTS };
        let (rank, handles) = (self.rank.clone(), &mut self.handles[..count]);
        let done: Vec<_> = match which {
            0 => rank.waitany(handles).await.into_iter().collect(),
            1 => rank.testany(handles).await.into_iter().collect(),
            2 => rank.waitsome(handles).await,
            _ => rank.testsome(handles).await,
        };
        self.seen.extend(done.into_iter().map(|(index, done)| (index, done.status.tag, rank.ticks())));
    }

    /// Something between calls.
    async fn meddle(&mut self) {
        let (one, other) = (self.rng.below(REQUESTS), self.rng.below(REQUESTS));
        let is_persistent = self.persistent.contains(&self.handles[one]);
        match (self.rng.below(6), self.handles[one]) {
            (0, _) => self.handles.swap(one, other),
            (1, Some(_)) => self.apart.push(self.handles[one].take()),
            (2, None) => self.handles[one] = self.apart.pop().flatten(),
            (3, Some(key)) if !is_persistent => {
                let done = self.rank.wait(key).await;
                self.handles[one] = None;
                self.seen.push((one, done.status.tag, self.rank.ticks()));
            }
            (4, Some(key)) if !is_persistent => {
                self.rank.free(key);
                self.handles[one] = None;
            }
            _ => self.rank.sleep(1).await,
        }
    }
}

async fn juggle(rank: Rank, seed: u64) -> Vec<(usize, i32, u64)> {
    if rank.me == 1 {
        let mut rng = Rng::new(seed);
        for tag in 0..MESSAGES as i32 {
            rank.sleep(rng.below(3) as u64).await;
            rank.send_values(&[0], 0, tag).await;
        }
        return Vec::new();
    }
    let mut juggler = Juggler::new(&rank, seed);
    while juggler.started < MESSAGES {
        match juggler.rng.below(20) {
            0..8 => juggler.receive(),
            which @ 8..16 => juggler.call(which % 4).await,
            _ => juggler.meddle().await,
        }
    }
    let mut rest: Vec<Handle> = juggler.handles.into_iter().chain(juggler.apart).collect();
    while let Some((index, done)) = rank.waitany(&mut rest).await {
        juggler.seen.push((index, done.status.tag, rank.ticks()));
    }
    juggler.seen
}

#[test]
fn a_list_is_as_a_look_at_each() {
    for seed in 0..40 {
        let [listed, searched] = [Machine::new(2), Machine::new(2).without_lists()].map(|mut machine| {
            let outcome = machine.run(move |rank| juggle(rank, seed));
            (outcome.ticks, outcome.all())
        });
        assert!(listed.1[0].len() > MESSAGES / 2);
        assert_eq!(listed, searched, "seed {seed}");
    }
}

#[test]
fn an_array_is_listed_when_it_comes_again() {
    let outcome = Machine::new(1).run(|rank| async move {
        let mut handles: Vec<Handle> = (0..64).map(|tag| Some(rank.irecv(&rank.room(1), 0, tag))).collect();
        let other = handles.clone();
        let is_listed = |handles: &[Handle]| rank.list(handles).is_some();
        let calls =
            [&handles[..], &handles, &handles[..63], &handles, &other, &handles, &other, &other, &handles, &handles];
        let mut listed = vec![calls.map(is_listed).to_vec()];
        // A request in two places, and one that is gone.
        let second = handles[1];
        handles[1] = handles[0];
        listed.push([&handles, &handles, &handles].map(|handles| is_listed(handles)).to_vec());
        handles[1] = second;
        listed.push([&handles, &handles].map(|handles| is_listed(handles)).to_vec());
        rank.send_values(&[0], 0, 1).await;
        rank.wait(second.expect("it is a request")).await;
        listed.push([&handles, &handles, &handles].map(|handles| is_listed(handles)).to_vec());
        handles[1] = None;
        listed.push([&handles, &handles].map(|handles| is_listed(handles)).to_vec());
        listed
    });
    let expected: [&[bool]; 5] = [
        &[false, true, false, true, false, true, false, true, false, true],
        &[false, false, false],
        &[false, true],
        &[false, false, false],
        &[false, true],
    ];
    assert_eq!(outcome.all()[0], expected);
}
