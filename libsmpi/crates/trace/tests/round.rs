//! What is written is read back as the same; whatever else is in a line is refused with words, never with a panic.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use smpi_mpi::collective::select::Operation;
use smpi_mpi::collective::{Root, Shape};
use smpi_mpi::comm::WORLD_CONTEXT;
use smpi_mpi::topology::Neighbours;
use smpi_trace::action::{ANY_SOURCE, ANY_TAG, PROC_NULL, members, runs};
use smpi_trace::parse::{Reader, rank_of};
use smpi_trace::{Action, Blocks, Collective, Items, Message, Named, Probe, Reduction, Start};

const RANKS: u32 = 4;
const RANK: u32 = 1;

fn reader() -> Reader {
    Reader { ranks: RANKS, rank: RANK, default_size: 8 }
}

fn size() -> impl Strategy<Value = u64> {
    prop::sample::select(vec![1, 2, 4, 8, 16, 32])
}

fn items() -> impl Strategy<Value = Items> {
    (0..1_000_000i64, size()).prop_map(|(count, size)| Items { count, size })
}

/// Sizes for which SMPI has no type, too.
fn any_items() -> impl Strategy<Value = Items> {
    (0..1_000_000i64, 1..100u64).prop_map(|(count, size)| Items { count, size })
}

fn peer() -> impl Strategy<Value = i32> {
    prop_oneof![0..100i32, Just(ANY_SOURCE), Just(PROC_NULL)]
}

fn tag() -> impl Strategy<Value = i32> {
    prop_oneof![0..100i32, Just(ANY_TAG)]
}

fn start() -> impl Strategy<Value = Start> {
    prop::sample::select(vec![Start::Blocking, Start::Immediate, Start::Persistent, Start::Internal])
}

fn context() -> impl Strategy<Value = u32> {
    prop_oneof![Just(WORLD_CONTEXT), 0..1000u32]
}

fn message() -> impl Strategy<Value = Message> {
    let mode = prop::sample::select(vec![Named::Standard, Named::Buffered, Named::Synchronous, Named::Ready]);
    prop_oneof![
        (mode, peer(), tag(), items()).prop_map(|(mode, to, tag, items)| Message::Send { mode, to, tag, items }),
        (peer(), tag(), items()).prop_map(|(from, tag, items)| Message::Recv { from, tag, items }),
        ((peer(), 0..2i32, items()), (peer(), 0..2i32, items())).prop_map(|(send, recv)| Message::Both { send, recv }),
    ]
}

fn blocks() -> impl Strategy<Value = Blocks> {
    prop_oneof![
        any_items().prop_map(Blocks::Even),
        (vec(0..5i64, 0..5), 1..40u64).prop_map(|(counts, size)| Blocks::Varying { counts, size }),
        vec(any_items(), 0..6).prop_map(Blocks::Typed),
    ]
}

fn root() -> impl Strategy<Value = Root> {
    prop_oneof![(0..RANKS).prop_map(Root::Rank), Just(Root::Here), Just(Root::Elsewhere)]
}

fn op() -> impl Strategy<Value = Reduction> {
    let user = any::<bool>().prop_map(|commutes| Reduction::User { commutes });
    prop_oneof![Just(Reduction::Predefined), user]
}

fn around() -> impl Strategy<Value = (Neighbours, bool)> {
    let list = || vec(option::of(0..RANKS), 0..3);
    (list(), list(), any::<bool>())
        .prop_map(|(sources, destinations, each)| (Neighbours { sources, destinations, opposite: false }, each))
}

/// Calls that no word of SMPI's says.
fn extended() -> impl Strategy<Value = Collective> {
    let shape = prop::sample::select(Shape::all().collect::<Vec<_>>());
    let buffers = (option::of(blocks()), option::of(blocks()));
    let counts = vec(0..9i64, 0..5);
    let rest = (option::of(root()), option::of(op()), option::of(around()), 0..3u32);
    ((shape, start(), 10..99u32, option::of(0..9u32)), buffers, counts, rest).prop_map(
        |((shape, start, comm, number), (send, recv), counts, (root, op, around, flops))| Collective {
            start,
            number,
            root,
            op,
            send,
            recv,
            counts,
            around,
            flops: f64::from(flops) * 0.1,
            ..Collective::new(shape, comm)
        },
    )
}

/// Calls that words of SMPI's say, as rank 1 makes them.
fn plain() -> impl Strategy<Value = Collective> {
    let counts = || vec(0..9i64, RANKS as usize);
    (0..8u8, items(), items(), (counts(), counts()), 0..RANKS).prop_map(|(which, own, other, (sent, got), root)| {
        let even = |items| Some(Blocks::Even(items));
        let varying = |counts: &Vec<i64>, size| Some(Blocks::Varying { counts: counts.clone(), size });
        let is_root = root == RANK;
        let call = |shape| Collective::new(shape, WORLD_CONTEXT);
        let rooted = |shape| Collective { root: Some(Root::Rank(root)), ..call(shape) };
        let op = Some(Reduction::Predefined);
        match which {
            0 => Collective { recv: even(own), ..rooted(Shape::Of(Operation::Bcast)) },
            1 => Collective {
                op,
                send: even(own),
                recv: even(own).filter(|_| is_root),
                ..rooted(Shape::Of(Operation::Reduce))
            },
            2 => Collective { op, send: even(own), recv: even(own), ..call(Shape::Of(Operation::Allreduce)) },
            3 => Collective {
                send: even(own),
                recv: even(other).filter(|_| is_root),
                ..rooted(Shape::Of(Operation::Gather))
            },
            4 => Collective {
                send: varying(&sent, 4).filter(|_| is_root),
                recv: even(own),
                ..rooted(Shape::Of(Operation::Scatterv))
            },
            5 => Collective { send: even(own), recv: varying(&got, 8), ..call(Shape::Of(Operation::Allgatherv)) },
            6 => {
                Collective { send: varying(&sent, 4), recv: varying(&got, 8), ..call(Shape::Of(Operation::Alltoallv)) }
            }
            _ => {
                let size = own.size;
                let (all, mine) = (sent.iter().sum(), sent[RANK as usize]);
                let recv = even(Items { count: mine, size });
                let send = even(Items { count: all, size });
                Collective { op, counts: sent, send, recv, ..call(Shape::Of(Operation::ReduceScatter)) }
            }
        }
    })
}

fn action() -> impl Strategy<Value = Action> {
    let flops = vec(0.0..1e12f64, 1..4);
    let probe = (peer(), tag(), any::<bool>(), option::of(any::<bool>())).prop_map(|(from, tag, take, found)| Probe {
        from,
        tag,
        take,
        found,
    });
    let ranks = || vec(0..RANKS, 1..6);
    prop_oneof![
        prop::sample::select(vec![Action::Init(1), Action::Init(8), Action::Finalize, Action::Nothing, Action::Clock]),
        prop::sample::select(vec![Action::WaitOpen, Action::Drain, Action::TestNothing(true), Action::Test(false)]),
        flops.prop_map(Action::Compute),
        (0.0..1e3f64).prop_map(Action::Sleep),
        (start(), context(), message()).prop_map(|(start, context, message)| Action::Message(start, context, message)),
        (start(), 0..9u32, items()).prop_map(|(start, message, items)| Action::Message(
            start,
            WORLD_CONTEXT,
            Message::Matched { message, items }
        )),
        extended().prop_map(|call| Action::Collective(Box::new(call))),
        plain().prop_map(|call| Action::Collective(Box::new(call))),
        (0..9i32, 0..9i32, 0..9i32).prop_map(|(from, to, tag)| Action::WaitFor(from, to, tag)),
        vec(0..99u32, 1..5).prop_map(Action::WaitAll),
        (0..99u32).prop_map(Action::Wait),
        (0..99u32).prop_map(Action::Free),
        (context(), probe).prop_map(|(context, probe)| Action::Probe(context, probe)),
        (10..99u32, 0..4u32, ranks(), ranks()).prop_map(|(context, rank, own, other)| Action::Comm(
            context,
            rank,
            runs(own),
            runs(other)
        )),
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(action in action()) {
        let mut text = String::new();
        action.write(RANKS, &mut text);
        prop_assert_eq!(reader().action(&text), Ok(action), "{}", text);
    }

    #[test]
    fn members_are_those_of_their_runs(ranks in vec(0..30u32, 0..20)) {
        prop_assert_eq!(members(&runs(ranks.clone())).collect::<Vec<u32>>(), ranks);
    }

    /// Lines that are cut, or have a word more, less or another, are read as something or refused.
    #[test]
    fn broken_lines_are_refused(
        action in action(),
        cut in 0..200usize,
        place in 0..12usize,
        word in prop::sample::select(vec!["", "-1", "x", "1e6", "99999999999999999999", "v0:1x99999999999", "@", "nan", "-", "é"]),
    ) {
        let mut text = String::new();
        action.write(RANKS, &mut text);
        let shorter: String = text.chars().take(cut).collect();
        let mut words: Vec<&str> = text.split(' ').collect();
        let place = place.min(words.len() - 1);
        words[place] = word;
        for line in [shorter, words.join(" ")] {
            if let Err(problem) = reader().action(&line) {
                prop_assert!(!problem.found.is_empty() && !problem.expected.is_empty());
            }
        }
    }

    #[test]
    fn any_text_is_refused_or_read(line in "\\PC{0,60}") {
        if let Ok(Some((_, rest))) = rank_of(&line) {
            let _ = reader().action(rest);
        }
    }
}

#[test]
fn smpi_writes_counts_as_it_likes() {
    let send = |count| {
        let message = Message::Send { mode: Named::Standard, to: 1, tag: 0, items: Items { count, size: 8 } };
        Ok(Action::Message(Start::Blocking, WORLD_CONTEXT, message))
    };
    assert_eq!(reader().action("send 1 0 1e6"), send(1_000_000));
    assert_eq!(reader().action("send\t1  0 12 0"), send(12));
    assert_eq!(reader().action("location a.c 12"), Ok(Action::Nothing));
    assert_eq!(reader().action("waitall 3"), Ok(Action::WaitOpen));
    assert_eq!(rank_of("  # 3 send"), Ok(None));
    assert!(rank_of("send 1 0 5").is_err());
}

#[test]
fn lines_of_other_threads_than_the_first_are_refused_as_such() {
    let refused = rank_of("3t1 compute 5").unwrap_err();
    assert!(refused.found.contains("thread"), "{refused:?}");
    assert!(matches!(rank_of("3 compute 5"), Ok(Some((3, "compute 5")))));
}
