//! Property: on random sequences of operations, matching equals a naive reference that scans plain vectors in posting
//! order.

use proptest::prelude::*;
use smpi_base::WorldRank;
use smpi_mailbox::{CommId, Envelope, Mailboxes, Pattern, State};

const RANKS: u32 = 3;

/// One random step; numbers are reduced to what exists when the step is taken.
#[derive(Clone, Debug)]
enum Step {
    Send { from: u32, to: u32, context: u32, tag: i32 },
    Recv { at: u32, pattern: Pattern },
    Probe { at: u32, pattern: Pattern },
    Claim { at: u32, pattern: Pattern },
    Attach(usize),
    Cancel(usize),
    Finish(usize),
}

/// A communication of the reference.
#[derive(Clone, Debug)]
struct Record {
    id: CommId,
    state: State,
    envelope: Envelope,
    pattern: Pattern,
    from: u32,
    to: u32,
    send_token: u64,
    recv_token: u64,
}

/// All communications that are not over, oldest first.
#[derive(Default)]
struct Reference {
    records: Vec<Record>,
}

impl Reference {
    fn oldest_send(&self, at: u32, pattern: &Pattern) -> Option<usize> {
        self.records.iter().position(|r| r.state == State::SendPosted && r.to == at && pattern.matches(&r.envelope))
    }

    fn oldest_receive(&self, to: u32, envelope: &Envelope) -> Option<usize> {
        self.records.iter().position(|r| r.state == State::RecvPosted && r.to == to && r.pattern.matches(envelope))
    }

    fn nth(&self, n: usize, wanted: impl Fn(State) -> bool) -> Option<usize> {
        let found: Vec<usize> = (0..self.records.len()).filter(|&i| wanted(self.records[i].state)).collect();
        (!found.is_empty()).then(|| found[n % found.len()])
    }

    fn ids(&self, at: u32, state: State) -> Vec<CommId> {
        self.records.iter().filter(|r| r.to == at && r.state == state).map(|r| r.id).collect()
    }
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let source = prop_oneof![3 => (0..RANKS).prop_map(Some), 1 => Just(None)];
    let tag = prop_oneof![3 => (0..4i32).prop_map(Some), 1 => Just(None)];
    (0..2u32, source, tag).prop_map(|(context, source, tag)| Pattern { context, source, tag })
}

fn step(sends: u32, receives: u32) -> impl Strategy<Value = Step> {
    prop_oneof![
        sends => (0..RANKS, 0..2u32, 0..2u32, 0..4i32)
            .prop_map(|(from, to, context, tag)| Step::Send { from, to, context, tag }),
        receives => (0..2u32, pattern()).prop_map(|(at, pattern)| Step::Recv { at, pattern }),
        2 => (0..2u32, pattern()).prop_map(|(at, pattern)| Step::Probe { at, pattern }),
        1 => (0..2u32, pattern()).prop_map(|(at, pattern)| Step::Claim { at, pattern }),
        1 => any::<usize>().prop_map(Step::Attach),
        1 => any::<usize>().prop_map(Step::Cancel),
        3 => any::<usize>().prop_map(Step::Finish),
    ]
}

/// Sequences in which sends or receives dominate for a while, so that queues get long enough to be indexed and short
/// again.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let phase = (1..12u32, 1..12u32).prop_flat_map(|(s, r)| prop::collection::vec(step(s, r), 1..150));
    prop::collection::vec(phase, 1..5).prop_map(|phases| phases.concat())
}

fn take(step: &Step, token: u64, boxes: &mut Mailboxes, reference: &mut Reference) {
    match *step {
        Step::Send { from, to, context, tag } => {
            let envelope = Envelope { context, source: from, tag };
            let partner = reference.oldest_receive(to, &envelope);
            let posted = boxes.send(WorldRank(from), WorldRank(to), envelope, token * 8, token);
            assert_eq!(posted.matched, partner.is_some());
            if let Some(i) = partner {
                let record = &mut reference.records[i];
                assert_eq!(posted.comm, record.id);
                (record.state, record.envelope, record.from) = (State::Matched, envelope, from);
                record.send_token = token;
            } else {
                let (id, state, pattern) = (posted.comm, State::SendPosted, Pattern::from(envelope));
                let record = Record { id, state, envelope, pattern, from, to, send_token: token, recv_token: 0 };
                reference.records.push(record);
            }
        }
        Step::Recv { at, pattern } => {
            let partner = reference.oldest_send(at, &pattern);
            let posted = boxes.recv(WorldRank(at), pattern, token);
            assert_eq!(posted.matched, partner.is_some());
            if let Some(i) = partner {
                let record = &mut reference.records[i];
                assert_eq!(posted.comm, record.id);
                (record.state, record.pattern, record.recv_token) = (State::Matched, pattern, token);
            } else {
                let (id, state) = (posted.comm, State::RecvPosted);
                let envelope = Envelope { context: pattern.context, source: 0, tag: 0 };
                let record = Record { id, state, envelope, pattern, from: 0, to: at, send_token: 0, recv_token: token };
                reference.records.push(record);
            }
        }
        Step::Probe { at, pattern } => {
            let found = reference.oldest_send(at, &pattern).map(|i| reference.records[i].id);
            assert_eq!(boxes.probe(WorldRank(at), pattern), found);
        }
        Step::Claim { at, pattern } => {
            let found = reference.oldest_send(at, &pattern);
            assert_eq!(boxes.claim(WorldRank(at), pattern), found.map(|i| reference.records[i].id));
            if let Some(i) = found {
                (reference.records[i].state, reference.records[i].pattern) = (State::Claimed, pattern);
            }
        }
        Step::Attach(n) => {
            if let Some(i) = reference.nth(n, |state| state == State::Claimed) {
                boxes.attach(reference.records[i].id, token);
                (reference.records[i].state, reference.records[i].recv_token) = (State::Matched, token);
            }
        }
        Step::Cancel(n) => {
            if let Some(i) = reference.nth(n, |_| true) {
                let gone = matches!(reference.records[i].state, State::SendPosted | State::RecvPosted);
                assert_eq!(boxes.cancel(reference.records[i].id), gone);
                if gone {
                    assert!(!boxes.cancel(reference.records.remove(i).id));
                }
            }
        }
        Step::Finish(n) => {
            if let Some(i) = reference.nth(n, |state| state == State::Matched) {
                boxes.finish(reference.records.remove(i).id);
            }
        }
    }
}

fn compare(boxes: &Mailboxes, reference: &Reference) {
    assert_eq!(boxes.live(), reference.records.len());
    for record in &reference.records {
        let comm = boxes.get(record.id).expect("it is not over");
        assert_eq!((comm.state, comm.pattern(), comm.to), (record.state, record.pattern, WorldRank(record.to)));
        assert_eq!((comm.send_token, comm.recv_token), (record.send_token, record.recv_token));
        if record.state != State::RecvPosted {
            assert_eq!((comm.envelope, comm.from), (record.envelope, WorldRank(record.from)));
            assert_eq!(comm.size, record.send_token * 8);
        }
    }
    let expected: Vec<CommId> = (0..RANKS)
        .flat_map(|rank| [reference.ids(rank, State::SendPosted), reference.ids(rank, State::RecvPosted)].concat())
        .collect();
    assert_eq!(boxes.pending().map(|(id, _)| id).collect::<Vec<_>>(), expected);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn matching_equals_the_naive_reference(steps in steps()) {
        let (mut boxes, mut reference) = (Mailboxes::new(RANKS), Reference::default());
        for (number, step) in steps.iter().enumerate() {
            take(step, number as u64 + 1, &mut boxes, &mut reference);
            if number % 16 == 0 {
                compare(&boxes, &reference);
            }
        }
        compare(&boxes, &reference);
    }
}
