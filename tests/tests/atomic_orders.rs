//! Random programs with atomic operations of C on memory that ranks share, accesses by windows that they meet,
//! epochs that begin before their targets are ready, and messages: what a verification says that they can print is
//! what they print in all orders of their operations, which are tried one by one.
//!
//! `cargo test --release -p smpi-tests --test atomic_orders` does the programs of CI. More, from another seed:
//! `SMPI_ATOMIC_PROGRAMS=10000 SMPI_ATOMIC_SEED=5000`.
#![forbid(unsafe_code)]

use smpi_base::rng::Rng;
use smpi_tests::orders::{self, Programs};
use smpi_tests::place::Place;
use std::collections::BTreeSet;

/// Programs of a test run.
const PROGRAMS: u64 = 150;

/// How often a rank looks that gives up then, as the interpreter has it.
const TRIES: i64 = 3;

/// What a rank does with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Add,
    Subtract,
    Xor,
    Look,
    Store,
    /// Makes 100 more of it if it is the operand.
    Swap,
    /// The same as soon as it is.
    SpinSwap,
    /// Looks until it is larger than the operand.
    Spin,
    /// The same, with a function of MPI in the loop.
    SpinSync,
    /// Looks like [`Deed::Spin`], but [`TRIES`] times at most; prints the number and how often it has looked.
    Tries,
    /// By the window: adds to the second number.
    Accumulate,
    /// Looks at the second number.
    LookSecond,
    /// Looks until the second number is larger than the operand.
    SpinSecond,
    /// Begins to access this rank's third number, and waits until it is ready, or does not.
    Start,
    /// Makes this of the number, and does what [`Deed::Complete`] does.
    Put,
    /// Waits until the target is ready, and ends that.
    Complete,
    /// Lets this rank access the own third number.
    Post,
    /// Waits until that is over, and prints the number.
    Await,
    /// Sends a message that nobody has to wait for.
    Send,
    /// Receives from this rank.
    Receive,
    /// Receives from anybody, and prints from whom.
    ReceiveAny,
}

use Deed::*;

/// Letters of the interpreter.
const LETTERS: [(char, Deed); 21] = [
    ('a', Add),
    ('m', Subtract),
    ('x', Xor),
    ('l', Look),
    ('s', Store),
    ('c', Swap),
    ('i', SpinSwap),
    ('g', Spin),
    ('y', SpinSync),
    ('k', Tries),
    ('p', Accumulate),
    ('q', LookSecond),
    ('d', SpinSecond),
    ('B', Start),
    ('U', Put),
    ('E', Complete),
    ('O', Post),
    ('Z', Await),
    ('S', Send),
    ('V', Receive),
    ('W', ReceiveAny),
];

/// Deeds that come together.
const KINDS: [&str; 18] = [
    "a",
    "al",
    "ls",
    "lsa",
    "cl",
    "ac",
    "amx",
    "ag",
    "sg",
    "sgl",
    "ay",
    "ci",
    "si",
    "ak",
    "pq",
    "pqd",
    "pql",
    "amxlscigykpqd",
];

/// What a rank does, to which rank's number, with which operand.
#[derive(Clone, Copy, Debug)]
struct Operation {
    deed: Deed,
    target: usize,
    number: i64,
}

impl Operation {
    fn letter(self) -> char {
        LETTERS.iter().find(|(_, deed)| *deed == self.deed).expect("each has a letter").0
    }
}

/// The interpreter: each rank does the words of its own argument.
const INTERPRETER: &str = r#"#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
struct numbers { atomic_long first, second; };
int main(int argc, char **argv)
{
    int rank, ranks, unit;
    long v, r, c;
    static char room[100000];
    long third = 1;
    struct numbers *mine, *at[8];
    MPI_Aint size;
    MPI_Win win, epochs;
    MPI_Group all, one;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win_allocate_shared(sizeof *mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    for (int i = 0; i < ranks; i++)
        MPI_Win_shared_query(win, i, &size, &unit, &at[i]);
    MPI_Win_create(&third, sizeof third, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &epochs);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Buffer_attach(room, sizeof room);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    atomic_store(&mine->first, 1);
    atomic_store(&mine->second, 1);
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (const char *word = argv[1 + rank]; *word; word += 3) {
        int t = word[1] - '0';
        v = word[2] - '0';
        switch (word[0]) {
        case 'a': printf("a%ld ", atomic_fetch_add(&at[t]->first, v)); break;
        case 'm': printf("m%ld ", atomic_fetch_sub(&at[t]->first, v)); break;
        case 'x': printf("x%ld ", atomic_fetch_xor(&at[t]->first, v)); break;
        case 'l': printf("l%ld ", atomic_load(&at[t]->first)); break;
        case 's': atomic_store(&at[t]->first, v); break;
        case 'c':
            r = v;
            atomic_compare_exchange_strong(&at[t]->first, &r, v + 100);
            printf("c%ld ", r);
            break;
        case 'i':
            do
                r = v;
            while (!atomic_compare_exchange_weak(&at[t]->first, &r, v + 100));
            printf("i%ld ", r);
            break;
        case 'g':
            while ((r = atomic_load(&at[t]->first)) <= v)
                ;
            printf("g%ld ", r);
            break;
        case 'y':
            while ((r = atomic_load(&at[t]->first)) <= v)
                MPI_Win_sync(win);
            printf("y%ld ", r);
            break;
        case 'k':
            c = 0;
            do
                r = atomic_load(&at[t]->first);
            while (++c != 3 && r <= v);
            printf("k%ld k%ld ", r, c);
            break;
        case 'p':
            MPI_Accumulate(&v, 1, MPI_LONG, t, sizeof(long), 1, MPI_LONG, MPI_SUM, win);
            MPI_Win_flush(t, win);
            break;
        case 'q': printf("q%ld ", atomic_load(&at[t]->second)); break;
        case 'd':
            while ((r = atomic_load(&at[t]->second)) <= v)
                ;
            printf("d%ld ", r);
            break;
        case 'B':
        case 'O':
            MPI_Group_incl(all, 1, &t, &one);
            if (word[0] == 'B')
                MPI_Win_start(one, 0, epochs);
            else
                MPI_Win_post(one, 0, epochs);
            MPI_Group_free(&one);
            break;
        case 'U': MPI_Put(&v, 1, MPI_LONG, t, 0, 1, MPI_LONG, epochs); // Fall through: nothing is done in between.
        case 'E': MPI_Win_complete(epochs); break;
        case 'Z':
            MPI_Win_wait(epochs);
            printf("z%ld ", third);
            break;
        case 'S': MPI_Bsend(&v, 1, MPI_LONG, t, 0, MPI_COMM_WORLD); break;
        case 'V': MPI_Recv(&v, 1, MPI_LONG, t, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); break;
        case 'W':
            MPI_Recv(&v, 1, MPI_LONG, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
            printf("w%d ", status.MPI_SOURCE);
            break;
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("= %ld %ld\n", atomic_load(&mine->first), atomic_load(&mine->second));
    MPI_Win_unlock_all(win);
    MPI_Group_free(&all);
    MPI_Win_free(&win);
    MPI_Win_free(&epochs);
    MPI_Finalize();
    return 0;
}
"#;

type Program = Vec<Vec<Operation>>;

/// The program of a seed.
fn generate(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let ranks = 2 + rng.below(3) / 2;
    let kinds: Vec<char> = KINDS[rng.below(KINDS.len())].chars().collect();
    let most = if ranks == 2 { 5 } else { 2 + rng.below(3) };
    let one = |rng: &mut Rng| {
        let letter = kinds[rng.below(kinds.len())];
        let deed = LETTERS.iter().find(|known| known.0 == letter).expect("kinds are letters").1;
        Operation { deed, target: rng.below(3) / 2, number: 1 + rng.below(3) as i64 }
    };
    let mut program: Program = (0..ranks).map(|_| (0..rng.below(most)).map(|_| one(&mut rng)).collect()).collect();
    for _ in 0..rng.below(4).saturating_sub(1) {
        let from = rng.below(ranks);
        let to = (from + 1 + rng.below(ranks - 1)) % ranks;
        let place = rng.below(program[from].len() + 1);
        program[from].insert(place, Operation { deed: Send, target: to, number: 0 });
        let deed = if rng.below(2) == 0 { Receive } else { ReceiveAny };
        let place = rng.below(program[to].len() + 1);
        program[to].insert(place, Operation { deed, target: from, number: 0 });
    }
    if rng.below(3) == 0 {
        let origin = rng.below(ranks);
        let target = (origin + 1 + rng.below(ranks - 1)) % ranks;
        let end = if rng.below(2) == 0 { Put } else { Complete };
        for (rank, deeds) in [(origin, [Start, end]), (target, [Post, Await])] {
            let first = rng.below(program[rank].len() + 1);
            let second = first + rng.below(program[rank].len() - first + 1);
            let other = if rank == origin { target } else { origin };
            for (place, deed) in [(second, deeds[1]), (first, deeds[0])] {
                program[rank].insert(place, Operation { deed, target: other, number: 7 });
            }
        }
    }
    program
}

/// A moment of an execution.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Moment {
    next: Vec<usize>,
    /// The two numbers of each rank.
    numbers: Vec<[i64; 2]>,
    said: Vec<String>,
    /// Senders and receivers of messages on their way.
    sent: Vec<(usize, usize)>,
    /// How often each rank has looked that gives up at some time.
    tries: Vec<i64>,
    /// The third number of the one rank that another one accesses; whether it is ready, and whether that is over.
    third: i64,
    is_posted: bool,
    is_complete: bool,
    /// Who begins to access a number waits until it is ready.
    start_waits: bool,
}

impl Moment {
    fn start(ranks: usize, start_waits: bool) -> Moment {
        Moment {
            next: vec![0; ranks],
            numbers: vec![[1, 1]; ranks],
            said: vec![String::new(); ranks],
            sent: Vec::new(),
            tries: vec![0; ranks],
            third: 1,
            is_posted: false,
            is_complete: false,
            start_waits,
        }
    }

    /// What can be next.
    fn successors(&self, program: &Program) -> Vec<Moment> {
        let operations = program.iter().enumerate().filter_map(|(rank, all)| Some((rank, *all.get(self.next[rank])?)));
        operations.flat_map(|(rank, operation)| self.after(rank, operation)).collect()
    }

    /// What can be after the next operation of a rank; nothing where it would look once more, because that changes
    /// nothing.
    fn after(&self, rank: usize, operation: Operation) -> Vec<Moment> {
        let Operation { deed, target, number } = operation;
        let mut next = self.clone();
        next.next[rank] += 1;
        let [first, second] = self.numbers[target];
        let letter = operation.letter();
        let mut say = |number: i64| next.said[rank].push_str(&format!("{letter}{number} "));
        let number_there = &mut next.numbers[target];
        match deed {
            Add | Subtract | Xor => {
                say(first);
                number_there[0] = match deed {
                    Add => first + number,
                    Subtract => first - number,
                    _ => first ^ number,
                };
            }
            Look => say(first),
            LookSecond => say(second),
            Store => number_there[0] = number,
            Accumulate => number_there[1] += number,
            Swap | SpinSwap => {
                if deed == SpinSwap && first != number {
                    return Vec::new();
                }
                say(first);
                if first == number {
                    number_there[0] = number + 100;
                }
            }
            Spin | SpinSync if first <= number => return Vec::new(),
            SpinSecond if second <= number => return Vec::new(),
            Spin | SpinSync => say(first),
            SpinSecond => say(second),
            Tries => {
                let tries = self.tries[rank] + 1;
                let is_over = first > number || tries == TRIES;
                if is_over {
                    say(first);
                    say(tries);
                }
                next.tries[rank] = if is_over { 0 } else { tries };
                next.next[rank] -= usize::from(!is_over);
            }
            Start if self.start_waits && !self.is_posted => return Vec::new(),
            Start => {}
            Put | Complete if !self.is_posted => return Vec::new(),
            Put | Complete => {
                next.third = if deed == Put { number } else { self.third };
                next.is_complete = true;
            }
            Post => next.is_posted = true,
            Await if !self.is_complete => return Vec::new(),
            Await => next.said[rank].push_str(&format!("z{} ", self.third)),
            Send => {
                next.sent.push((rank, target));
                next.sent.sort_unstable();
            }
            Receive | ReceiveAny => return self.received(&next, rank, operation),
        }
        vec![next]
    }

    /// What is after a rank has received one of the messages that it can receive, otherwise the same as `next`.
    fn received(&self, next: &Moment, rank: usize, Operation { deed, target, .. }: Operation) -> Vec<Moment> {
        let mut senders: Vec<usize> = self.sent.iter().filter(|sent| sent.1 == rank).map(|sent| sent.0).collect();
        senders.dedup();
        senders.retain(|&sender| deed == ReceiveAny || sender == target);
        let received = |sender: usize| {
            let mut next = next.clone();
            let place = next.sent.iter().position(|sent| *sent == (sender, rank));
            next.sent.remove(place.expect("the message is on its way"));
            if deed == ReceiveAny {
                next.said[rank].push_str(&format!("w{sender} "));
            }
            next
        };
        senders.into_iter().map(received).collect()
    }
}

/// What the ranks print in all orders of their operations, whatever waits that need not; nothing where they wait for
/// ever.
fn outcomes(program: &Program) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    let starts = [true, false].map(|start_waits| Moment::start(program.len(), start_waits));
    orders::each_end(
        starts,
        |moment| moment.successors(program),
        |moment| {
            let is_over = moment.next.iter().zip(program).all(|(next, operations)| *next == operations.len());
            let end = |(said, [first, second]): (&String, &[i64; 2])| format!("{said}= {first} {second}\n");
            found.insert(match is_over {
                true => moment.said.iter().zip(&moment.numbers).map(end).collect(),
                false => Vec::new(),
            });
        },
    );
    found
}

/// How what is explored of a program differs from what there is.
fn difference(place: &Place, seed: u64) -> Option<String> {
    let program = generate(seed);
    let word = |operation: &Operation| format!("{}{}{}", operation.letter(), operation.target, operation.number);
    let words: Vec<String> = program.iter().map(|rank| rank.iter().map(word).collect()).collect();
    orders::difference(place, seed, &words, &outcomes(&program))
}

#[test]
fn verifications_print_what_all_orders_print() {
    let programs = Programs {
        name: "atomic-orders",
        interpreter: INTERPRETER,
        compiled: &["-O1", "--verify"],
        count: ("SMPI_ATOMIC_PROGRAMS", PROGRAMS),
        first: "SMPI_ATOMIC_SEED",
    };
    orders::compare_all(programs, difference);
}
