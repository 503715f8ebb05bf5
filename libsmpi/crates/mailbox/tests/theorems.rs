//! The independence theorems of "A Simple Model of Communication APIs" §3.2 for this state machine, as properties.
//!
//! From random states, every pair of operations that `independent` accepts is executed in both orders: neither disables
//! the other, each gives the same answer, the canonical states are equal, and so are those after a random common
//! future. The other way round, for every random pair of different ranks that it rejects, a state is built that tells
//! the orders apart, so that the relation is not only sound but as large as a relation that ignores the state can be.

use proptest::prelude::*;
use smpi_base::WorldRank;
use smpi_mailbox::canonical::Canonical;
use smpi_mailbox::independence::{Action, Operation, Posting, independent};
use smpi_mailbox::{CommId, Envelope, Mailboxes, Pattern, State};

const RANKS: u32 = 3;

/// A network state, and which rank posted what for which communication.
#[derive(Clone)]
struct World {
    boxes: Mailboxes,
    posted: Vec<(WorldRank, Posting, CommId)>,
    /// Postings of each rank so far: tokens depend on the rank's own past only.
    counts: [u64; RANKS as usize],
    /// Communications whose transfer took place (the paper's "done"), as a Wait or a successful Test makes it.
    done: Vec<CommId>,
}

/// What the rank that acts gets to know.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Answer {
    Nothing,
    /// Token and sender of the message found.
    Found(Option<(u64, WorldRank)>),
    Cancelled(bool),
    /// Indices that a WaitAny or TestAny may return.
    Choices(Vec<usize>),
}

impl World {
    fn new() -> World {
        World { boxes: Mailboxes::new(RANKS), posted: Vec::new(), counts: [0; RANKS as usize], done: Vec::new() }
    }

    fn post(&mut self, by: WorldRank, posting: Posting) {
        self.counts[by.index()] += 1;
        let token = u64::from(by.0) << 32 | self.counts[by.index()];
        let comm = match posting {
            Posting::Send { to, envelope } => self.boxes.send(by, to, envelope, token % 7, token).comm,
            Posting::Recv { at, pattern } => self.boxes.recv(at, pattern, token).comm,
        };
        self.posted.push((by, posting, comm));
    }

    /// The communications that `by` means: for each posting, the first such one that was not meant yet.
    fn named(&self, by: WorldRank, postings: &[Posting]) -> Vec<CommId> {
        let mut used = Vec::new();
        for posting in postings {
            let mut mine = self.posted.iter().enumerate().filter(|(_, (rank, p, _))| (*rank, p) == (by, posting));
            used.extend(mine.find(|(place, _)| !used.contains(place)).map(|(place, _)| place));
        }
        used.into_iter().map(|place| self.posted[place].2).collect()
    }

    fn claimed(&self, at: WorldRank, envelope: &Envelope) -> Option<CommId> {
        let mut claimed = self.boxes.iter().filter(|(_, comm)| comm.state == State::Claimed);
        claimed.find(|(_, comm)| comm.to == at && comm.envelope == *envelope).map(|(id, _)| id)
    }

    /// The indices that WaitAny may return: it is enabled when there is one, and TestAny is always and says "no" when
    /// there is none. Both sides of a ready communication are there.
    fn ready(&self, comms: &[CommId]) -> Vec<usize> {
        let is_ready = |comm: CommId| self.boxes.get(comm).is_none_or(|comm| comm.state == State::Matched);
        (0..comms.len()).filter(|&index| is_ready(comms[index])).collect()
    }

    /// All that can be observed: communications that are done by the tokens of both sides.
    fn canonical(&self) -> (Canonical, Vec<(u64, u64)>) {
        let done = self.done.iter().filter_map(|&comm| self.boxes.get(comm));
        let mut done: Vec<(u64, u64)> = done.map(|comm| (comm.send_token, comm.recv_token)).collect();
        done.sort_unstable();
        (self.boxes.canonical(), done)
    }

    fn enabled(&mut self, operation: &Operation) -> bool {
        let by = operation.by;
        match &operation.action {
            Action::Probe { pattern, blocking, .. } => !blocking || self.boxes.probe(by, *pattern).is_some(),
            Action::Attach { envelope } => self.claimed(by, envelope).is_some(),
            Action::WaitAny(asked) => {
                let comms = self.named(by, asked);
                comms.len() == asked.len() && !self.ready(&comms).is_empty()
            }
            Action::TestAny(asked) => self.named(by, asked).len() == asked.len(),
            Action::Cancel(posting) => !self.named(by, &[*posting]).is_empty(),
            Action::Post(_) | Action::Local => true,
        }
    }

    fn execute(&mut self, operation: &Operation) -> Answer {
        let by = operation.by;
        match &operation.action {
            Action::Post(posting) => self.post(by, *posting),
            Action::Probe { pattern, claim, .. } => {
                let found = if *claim { self.boxes.claim(by, *pattern) } else { self.boxes.probe(by, *pattern) };
                let found = found.and_then(|id| self.boxes.get(id));
                return Answer::Found(found.map(|comm| (comm.send_token, comm.from)));
            }
            Action::Attach { envelope } => {
                let comm = self.claimed(by, envelope).expect("enabled");
                self.boxes.attach(comm, u64::MAX);
            }
            Action::Cancel(posting) => return Answer::Cancelled(self.boxes.cancel(self.named(by, &[*posting])[0])),
            Action::WaitAny(asked) | Action::TestAny(asked) => {
                let comms = self.named(by, asked);
                let choices = self.ready(&comms);
                if let Some(&first) = choices.first()
                    && !self.done.contains(&comms[first])
                {
                    self.done.push(comms[first]);
                }
                return Answer::Choices(choices);
            }
            Action::Local => {}
        }
        Answer::Nothing
    }

    /// Both orders of two enabled operations. `None` when one disables the other.
    fn both_orders(&self, a: &Operation, b: &Operation) -> Option<[(World, Answer, Answer); 2]> {
        let mut ab = self.clone();
        let first = ab.execute(a);
        let (mut ba, second) = (self.clone(), ab.enabled(b).then(|| ab.execute(b))?);
        let second_first = ba.execute(b);
        let first_second = ba.enabled(a).then(|| ba.execute(a))?;
        Some([(ab, first, second), (ba, first_second, second_first)])
    }
}

/// Mostly 0, so that operations often concern each other; sometimes 1.
fn mostly_zero() -> impl Strategy<Value = u32> {
    prop_oneof![4 => Just(0u32), 1 => Just(1u32)]
}

fn tag() -> impl Strategy<Value = i32> {
    mostly_zero().prop_map(|tag| tag as i32)
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let (source, tag) = (prop::option::weighted(0.6, 0..RANKS), prop::option::weighted(0.6, tag()));
    (mostly_zero(), source, tag).prop_map(|(context, source, tag)| Pattern { context, source, tag })
}

/// The sender's rank is its source: the contexts of this test have all ranks in the world's order.
fn posting(by: u32) -> impl Strategy<Value = Posting> {
    let send = (0..RANKS, mostly_zero(), tag()).prop_map(move |(to, context, tag)| Posting::Send {
        to: WorldRank(to),
        envelope: Envelope { context, source: by, tag },
    });
    prop_oneof![send, pattern().prop_map(move |pattern| Posting::Recv { at: WorldRank(by), pattern })]
}

fn action(by: u32) -> impl Strategy<Value = Action> {
    let envelope =
        (mostly_zero(), 0..RANKS, tag()).prop_map(|(context, source, tag)| Envelope { context, source, tag });
    prop_oneof![
        6 => posting(by).prop_map(Action::Post),
        2 => (pattern(), any::<bool>(), any::<bool>())
            .prop_map(|(pattern, blocking, claim)| Action::Probe { pattern, blocking, claim }),
        1 => envelope.prop_map(|envelope| Action::Attach { envelope }),
        1 => posting(by).prop_map(Action::Cancel),
        2 => prop::collection::vec(posting(by), 1..4).prop_map(Action::WaitAny),
        2 => prop::collection::vec(posting(by), 1..4).prop_map(Action::TestAny),
        1 => Just(Action::Local),
    ]
}

fn operation() -> impl Strategy<Value = Operation> {
    (0..RANKS).prop_flat_map(|by| action(by).prop_map(move |action| Operation { by: WorldRank(by), action }))
}

/// Two operations of different ranks.
fn pair() -> impl Strategy<Value = (Operation, Operation)> {
    (0..RANKS, 1..RANKS).prop_flat_map(|(first, distance)| {
        let by = [first, (first + distance) % RANKS];
        (action(by[0]), action(by[1])).prop_map(move |(a, b)| {
            (Operation { by: WorldRank(by[0]), action: a }, Operation { by: WorldRank(by[1]), action: b })
        })
    })
}

/// A state reached by random operations, among them those that `a` and `b` refer to.
fn reach(history: &[Operation], named: [&Operation; 2]) -> World {
    let mut world = World::new();
    let refer = |operation: &Operation| match &operation.action {
        Action::Cancel(posting) => vec![*posting],
        Action::WaitAny(asked) | Action::TestAny(asked) => asked.clone(),
        _ => Vec::new(),
    };
    let referred: Vec<_> = named.into_iter().flat_map(|op| refer(op).into_iter().map(|p| (op.by, p))).collect();
    for (place, operation) in history.iter().enumerate() {
        if world.enabled(operation) {
            world.execute(operation);
        }
        for (by, posting) in referred.iter().skip(place).step_by(history.len()) {
            world.post(*by, *posting);
        }
    }
    world
}

fn history() -> impl Strategy<Value = Vec<Operation>> {
    prop_oneof![prop::collection::vec(operation(), 1..12), prop::collection::vec(operation(), 20..80)]
}

/// A state, made for the pair, in which the dependence of `a` and `b` shows. Mirrors the arms of the relation.
fn witness(a: &Operation, b: &Operation) -> World {
    let mut world = World::new();
    for (asker, other) in [(a, b), (b, a)] {
        match &asker.action {
            Action::Cancel(posting) => world.post(asker.by, *posting),
            Action::TestAny(asked) => asked.iter().for_each(|&posting| world.post(asker.by, posting)),
            Action::WaitAny(asked) => enable_another(&mut world, asker.by, asked, other),
            _ => {}
        }
    }
    for operation in [a, b] {
        if let Action::Attach { envelope } = &operation.action {
            assert!(world.boxes.claim(operation.by, Pattern::from(*envelope)).is_some());
        }
    }
    world
}

/// Posts what `by` asks about, and makes ready one of them that `other` does not need.
fn enable_another(world: &mut World, by: WorldRank, asked: &[Posting], other: &Operation) {
    let touched = |posting: &Posting| match &other.action {
        Action::Post(new) => new.may_join(posting),
        Action::Attach { envelope } => *posting == Posting::Send { to: other.by, envelope: *envelope },
        _ => false,
    };
    let needed = asked.iter().position(touched).expect("they depend on each other");
    let ready = usize::from(needed == 0);
    world.post(by, asked[ready]);
    match asked[ready] {
        Posting::Send { to, envelope } => world.post(to, Posting::Recv { at: to, pattern: Pattern::from(envelope) }),
        Posting::Recv { at, pattern } => {
            let (source, tag) = (pattern.source.unwrap_or(0), pattern.tag.unwrap_or(0));
            let envelope = Envelope { context: pattern.context, source, tag };
            world.post(WorldRank(source), Posting::Send { to: at, envelope });
        }
    }
    let others = asked.iter().enumerate().filter(|&(place, _)| place != ready);
    others.for_each(|(_, &posting)| world.post(by, posting));
}

/// True when no two of the postings that the operation asks about join each other, as a rank's messages to itself do.
fn asks_apart(operation: &Operation) -> bool {
    match &operation.action {
        Action::WaitAny(asked) | Action::TestAny(asked) => {
            !asked.iter().any(|one| asked.iter().any(|other| one.may_join(other)))
        }
        _ => true,
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3000, failure_persistence: None, max_global_rejects: 400_000, ..ProptestConfig::default()
    })]

    #[test]
    fn independent_operations_commute((a, b) in pair(), history in history(), future in history()) {
        let mut world = reach(&history, [&a, &b]);
        prop_assume!(independent(&a, &b) && world.enabled(&a) && world.enabled(&b));
        let orders = world.both_orders(&a, &b);
        prop_assert!(orders.is_some(), "one disables the other");
        let [(mut ab, a1, b1), (mut ba, a2, b2)] = orders.expect("just checked");
        prop_assert_eq!((a1, b1), (a2, b2));
        prop_assert_eq!(ab.canonical(), ba.canonical());
        for operation in future.iter().filter(|op| matches!(op.action, Action::Post(_) | Action::Probe { .. })) {
            prop_assert_eq!(ab.execute(operation), ba.execute(operation));
        }
        prop_assert_eq!(ab.canonical(), ba.canonical());
    }

    #[test]
    fn dependent_operations_are_told_apart_by_some_state((a, b) in pair()) {
        prop_assume!(!independent(&a, &b) && asks_apart(&a) && asks_apart(&b));
        let mut world = witness(&a, &b);
        prop_assert!(world.enabled(&a) && world.enabled(&b));
        if let Some([(ab, a1, b1), (ba, a2, b2)]) = world.both_orders(&a, &b) {
            prop_assert!((a1, b1) != (a2, b2) || ab.canonical() != ba.canonical());
        }
    }

    /// Theorem 1, with no condition on mailboxes, contexts, tags or wildcards.
    #[test]
    fn theorem_1_send_and_recv(history in history(), to in 0..RANKS, from in 0..RANKS, tag in 0..2i32, pattern in pattern()) {
        prop_assume!(from != to);
        let envelope = Envelope { context: 0, source: from, tag };
        let (to, from) = (WorldRank(to), WorldRank(from));
        let send = Operation { by: from, action: Action::Post(Posting::Send { to, envelope }) };
        let recv = Operation { by: to, action: Action::Post(Posting::Recv { at: to, pattern }) };
        prop_assert!(independent(&send, &recv));
        let orders = reach(&history, [&send, &recv]).both_orders(&send, &recv).expect("always enabled");
        prop_assert_eq!(orders[0].0.canonical(), orders[1].0.canonical());
    }

    /// Theorem 3: both partners of one communication wait for it or test it.
    #[test]
    fn theorem_3_wait_and_test_of_one_communication(history in history(), tag in 0..2i32, waits in prop::array::uniform2(any::<bool>())) {
        let envelope = Envelope { context: 7, source: 0, tag };
        let send = Posting::Send { to: WorldRank(1), envelope };
        let recv = Posting::Recv { at: WorldRank(1), pattern: Pattern::from(envelope) };
        let action = |wait: bool, posting| {
            if wait { Action::WaitAny(vec![posting]) } else { Action::TestAny(vec![posting]) }
        };
        let sender = Operation { by: WorldRank(0), action: action(waits[0], send) };
        let receiver = Operation { by: WorldRank(1), action: action(waits[1], recv) };
        prop_assert!(independent(&sender, &receiver));
        let world = reach(&history, [&sender, &receiver]);
        let orders = world.both_orders(&sender, &receiver).expect("neither disables the other");
        for (after, first, second) in &orders {
            prop_assert_eq!((first, second), (&Answer::Choices(vec![0]), &Answer::Choices(vec![0])));
            prop_assert!(after.done.contains(&after.named(WorldRank(0), &[send])[0]));
        }
        prop_assert_eq!(orders[0].0.canonical(), orders[1].0.canonical());
    }

    /// Theorems 4 to 6: nothing about local actions is in the state, so they commute with everything.
    #[test]
    fn theorems_4_to_6_local_actions(other in operation(), local in 0..RANKS) {
        let local = Operation { by: WorldRank(local), action: Action::Local };
        prop_assert_eq!(independent(&local, &other), local.by != other.by);
    }

    #[test]
    fn independence_is_symmetric_and_never_holds_within_a_rank(a in operation(), b in operation()) {
        prop_assert_eq!(independent(&a, &b), independent(&b, &a));
        prop_assert!(a.by != b.by || !independent(&a, &b));
    }
}

/// Theorem 2 and the dependence that remains: two senders, one mailbox, one context, and a receive with wildcards.
#[test]
fn theorem_2_and_the_wildcard_race() {
    let send = |by: u32, to: u32, context: u32| Operation {
        by: WorldRank(by),
        action: Action::Post(Posting::Send { to: WorldRank(to), envelope: Envelope { context, source: by, tag: 0 } }),
    };
    assert!(independent(&send(0, 2, 0), &send(1, 0, 0)), "different mailboxes");
    assert!(independent(&send(0, 2, 0), &send(1, 2, 1)), "different contexts");
    assert!(!independent(&send(0, 2, 0), &send(1, 2, 0)), "a wildcard receive takes whichever came first");
    let orders = World::new().both_orders(&send(0, 2, 0), &send(1, 2, 0)).expect("sends are always enabled");
    let taken = orders.map(|(mut world, ..)| {
        let wildcard = Pattern { context: 0, source: None, tag: Some(0) };
        let joined = world.boxes.recv(WorldRank(2), wildcard, 0);
        world.boxes.get(joined.comm).map(|comm| comm.from)
    });
    assert_eq!(taken, [Some(WorldRank(0)), Some(WorldRank(1))]);
}

/// The receive of a claimed message makes its send ready, which gives the sender's WaitAny a second choice. Random
/// states seldom get here.
#[test]
fn attach_depends_on_the_senders_wait() {
    let envelope = Envelope { context: 0, source: 0, tag: 0 };
    let first = Posting::Send { to: WorldRank(1), envelope };
    let second = Posting::Send { to: WorldRank(2), envelope };
    let wait = Operation { by: WorldRank(0), action: Action::WaitAny(vec![first, second]) };
    let attach = Operation { by: WorldRank(2), action: Action::Attach { envelope } };
    assert!(!independent(&wait, &attach));
    let (ab, ba) = (witness(&wait, &attach).both_orders(&wait, &attach), Answer::Choices(vec![0, 1]));
    let [(_, before, _), (_, after, _)] = ab.expect("both stay enabled");
    assert_eq!((before, after), (Answer::Choices(vec![0]), ba));
}
