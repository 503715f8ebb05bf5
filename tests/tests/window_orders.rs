//! Random programs with locks, atomic accesses and messages: what a verification says that they can print is what they
//! print in all orders of their operations, which are tried one by one.
//!
//! `cargo test --release -p smpi-tests --test window_orders` does the programs of CI. More, from another seed:
//! `SMPI_WINDOW_PROGRAMS=10000 SMPI_WINDOW_SEED=5000`.
#![forbid(unsafe_code)]

use smpi_base::rng::Rng;
use smpi_tests::orders::{self, Programs};
use smpi_tests::place::Place;
use std::collections::BTreeSet;

/// Programs of a test run.
const PROGRAMS: u64 = 250;

/// An operation of a rank. Every rank has five numbers in windows: what has a lock is about the first one, atomic
/// accesses in epochs of their own are about the second, those of floating-point numbers about the third, and those in
/// one long epoch about the last two.
#[derive(Clone, Copy, Debug)]
enum Operation {
    /// With an exclusive lock: prints the number, and makes 3 · number + this of it.
    Section(usize, i64),
    /// With a shared lock: prints the number.
    Read(usize),
    /// The same, with shared locks of all ranks.
    ReadAll(usize),
    /// Adds this, and prints what was there.
    Fetch(usize, i64),
    /// Prints what is there.
    Look(usize),
    /// Adds this.
    Add(usize, i64),
    /// Makes it this if that is larger.
    Max(usize, i64),
    /// Makes it this.
    Replace(usize, i64),
    /// Makes 100 + this of it if it is this, and prints what was there.
    Swap(usize, i64),
    /// Adds one of [`FLOATS`].
    AddFloat(usize, i64),
    /// In the long epoch: adds this, now or later.
    AddLater(usize, i64),
    /// In the long epoch: adds this to the second number, now or later.
    AddToSecond(usize, i64),
    /// In the long epoch: makes this and one more of both numbers by one access, now or later.
    SetBoth(usize, i64),
    /// In the long epoch: waits until all is added.
    Flush(usize),
    /// In the long epoch: adds this, waits, and prints what was there.
    FetchInEpoch(usize, i64),
    /// In the long epoch: reads both numbers by one access, waits, and prints them.
    LookAtBoth(usize),
    /// With a shared lock each time: looks until the number is larger than this, and prints it.
    SpinRead(usize, i64),
    /// The same with atomic accesses.
    SpinLook(usize, i64),
    /// Makes 100 + this of it as soon as it is this.
    SpinSwap(usize, i64),
    /// Looks like [`Operation::SpinRead`], but [`TRIES`] times at most; prints the number and how often it has looked.
    Tries(usize, i64),
    /// The end of these two: waits, and prints that many numbers.
    Await(usize, usize),
    /// Sends a message that nobody has to wait for.
    Send(usize),
    /// Receives from this rank.
    Receive(usize),
    /// Receives from anybody, and prints from whom.
    ReceiveAny,
    /// Leaves the next operation out, if it is about a window, unless the last message from anybody was of this rank.
    OnlyAfter(usize),
}

/// How often a rank looks that gives up then, as the interpreter has it.
const TRIES: i64 = 3;

/// Numbers whose sums depend on the order.
const FLOATS: [f64; 4] = [0.0, 1.0, 1e16, -1e16];

impl Operation {
    fn is_about_window(self) -> bool {
        use Operation::{OnlyAfter, Receive, ReceiveAny, Send};
        !matches!(self, Send(_) | Receive(_) | ReceiveAny | OnlyAfter(_))
    }

    /// What of it is done at once, and what when that is over.
    fn parts(self) -> impl Iterator<Item = Operation> {
        let end = match self {
            Operation::FetchInEpoch(target, _) => Some(Operation::Await(target, 1)),
            Operation::LookAtBoth(target) => Some(Operation::Await(target, 2)),
            _ => None,
        };
        [Some(self), end].into_iter().flatten()
    }

    /// Three characters for the interpreter.
    fn word(self) -> String {
        match self {
            Operation::Section(target, number) => format!("X{target}{number}"),
            Operation::Read(target) => format!("R{target}0"),
            Operation::ReadAll(target) => format!("L{target}0"),
            Operation::Fetch(target, number) => format!("F{target}{number}"),
            Operation::Look(target) => format!("N{target}0"),
            Operation::Add(target, number) => format!("A{target}{number}"),
            Operation::Max(target, number) => format!("M{target}{number}"),
            Operation::Replace(target, number) => format!("E{target}{number}"),
            Operation::Swap(target, number) => format!("C{target}{number}"),
            Operation::AddFloat(target, number) => format!("D{target}{number}"),
            Operation::AddLater(target, number) => format!("Q{target}{number}"),
            Operation::AddToSecond(target, number) => format!("P{target}{number}"),
            Operation::SetBoth(target, number) => format!("Y{target}{number}"),
            Operation::Flush(target) => format!("U{target}0"),
            Operation::FetchInEpoch(target, number) => format!("H{target}{number}"),
            Operation::LookAtBoth(target) => format!("J{target}0"),
            Operation::SpinRead(target, number) => format!("G{target}{number}"),
            Operation::SpinLook(target, number) => format!("T{target}{number}"),
            Operation::SpinSwap(target, number) => format!("I{target}{number}"),
            Operation::Tries(target, number) => format!("K{target}{number}"),
            Operation::Await(..) => String::new(),
            Operation::Send(to) => format!("S{to}0"),
            Operation::Receive(from) => format!("V{from}0"),
            Operation::ReceiveAny => "W00".to_string(),
            Operation::OnlyAfter(from) => format!("B{from}0"),
        }
    }
}

/// The interpreter: each rank does the words of its own argument.
const INTERPRETER: &str = r#"#include <mpi.h>
#include <stdio.h>
#include <string.h>
#define atomically(t) for (int once = (MPI_Win_lock(MPI_LOCK_SHARED, t, MPI_MODE_NOCHECK, win), 1); once; \
                           once = (MPI_Win_unlock(t, win), 0))
int main(int argc, char **argv)
{
    int rank, last = -1;
    struct { long locked, atomic; double real; long late[2]; } mine = {1, 1, 0, {1, 1}};
    long v, r, c, both[2];
    double floats[4] = {0.0, 1.0, 1e16, -1e16};
    static char room[100000];
    static long added[100];
    long *next = added;
    MPI_Win win, epoch;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&mine, 3 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_create(mine.late, sizeof mine.late, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &epoch);
    MPI_Buffer_attach(room, sizeof room);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, epoch);
    for (const char *word = argv[1 + rank]; *word; word += 3) {
        int t = word[1] - '0';
        v = word[2] - '0';
        switch (word[0]) {
        case 'X':
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, win);
            MPI_Get(&r, 1, MPI_LONG, t, 0, 1, MPI_LONG, win);
            MPI_Win_flush(t, win);
            printf("x%ld ", r);
            v = (r * 3 + v) % 1000;
            MPI_Put(&v, 1, MPI_LONG, t, 0, 1, MPI_LONG, win);
            MPI_Win_unlock(t, win);
            break;
        case 'R':
            MPI_Win_lock(MPI_LOCK_SHARED, t, 0, win);
            MPI_Get(&r, 1, MPI_LONG, t, 0, 1, MPI_LONG, win);
            MPI_Win_unlock(t, win);
            printf("r%ld ", r);
            break;
        case 'L':
            MPI_Win_lock_all(0, win);
            MPI_Get(&r, 1, MPI_LONG, t, 0, 1, MPI_LONG, win);
            MPI_Win_unlock_all(win);
            printf("l%ld ", r);
            break;
        case 'F':
            atomically(t) MPI_Fetch_and_op(&v, &r, MPI_LONG, t, 1, MPI_SUM, win);
            printf("f%ld ", r);
            break;
        case 'N':
            atomically(t) MPI_Fetch_and_op(NULL, &r, MPI_LONG, t, 1, MPI_NO_OP, win);
            printf("n%ld ", r);
            break;
        case 'A': atomically(t) MPI_Accumulate(&v, 1, MPI_LONG, t, 1, 1, MPI_LONG, MPI_SUM, win); break;
        case 'M': atomically(t) MPI_Accumulate(&v, 1, MPI_LONG, t, 1, 1, MPI_LONG, MPI_MAX, win); break;
        case 'E': atomically(t) MPI_Accumulate(&v, 1, MPI_LONG, t, 1, 1, MPI_LONG, MPI_REPLACE, win); break;
        case 'D': atomically(t) MPI_Accumulate(&floats[v], 1, MPI_DOUBLE, t, 2, 1, MPI_DOUBLE, MPI_SUM, win); break;
        case 'C':
            c = v;
            v += 100;
            atomically(t) MPI_Compare_and_swap(&v, &c, &r, MPI_LONG, t, 1, win);
            printf("c%ld ", r);
            break;
        case 'Q':
            *next = v;
            MPI_Accumulate(next++, 1, MPI_LONG, t, 0, 1, MPI_LONG, MPI_SUM, epoch);
            break;
        case 'P':
            *next = v;
            MPI_Accumulate(next++, 1, MPI_LONG, t, 1, 1, MPI_LONG, MPI_SUM, epoch);
            break;
        case 'Y':
            next[0] = v;
            next[1] = v + 1;
            MPI_Accumulate(next, 2, MPI_LONG, t, 0, 2, MPI_LONG, MPI_REPLACE, epoch);
            next += 2;
            break;
        case 'J':
            MPI_Get_accumulate(NULL, 0, MPI_LONG, both, 2, MPI_LONG, t, 0, 2, MPI_LONG, MPI_NO_OP, epoch);
            MPI_Win_flush(t, epoch);
            printf("j%ld j%ld ", both[0], both[1]);
            break;
        case 'U': MPI_Win_flush(t, epoch); break;
        case 'H':
            MPI_Fetch_and_op(&v, &r, MPI_LONG, t, 0, MPI_SUM, epoch);
            MPI_Win_flush(t, epoch);
            printf("h%ld ", r);
            break;
        case 'G':
        case 'K':
            c = 0;
            do {
                MPI_Win_lock(MPI_LOCK_SHARED, t, 0, win);
                MPI_Get(&r, 1, MPI_LONG, t, 0, 1, MPI_LONG, win);
                MPI_Win_unlock(t, win);
                c += word[0] == 'K';
            } while (r <= v && c != 3);
            printf("%c%ld ", word[0] - 'A' + 'a', r);
            if (word[0] == 'K')
                printf("k%ld ", c);
            break;
        case 'T':
            do {
                atomically(t) MPI_Fetch_and_op(NULL, &r, MPI_LONG, t, 1, MPI_NO_OP, win);
                MPI_Win_flush_all(epoch);
            } while (r <= v);
            printf("t%ld ", r);
            break;
        case 'I':
            c = v;
            v += 100;
            do {
                atomically(t) MPI_Compare_and_swap(&v, &c, &r, MPI_LONG, t, 1, win);
                MPI_Win_flush_all(epoch);
            } while (r != c);
            printf("i%ld ", r);
            break;
        case 'S': MPI_Bsend(&v, 1, MPI_LONG, t, 0, MPI_COMM_WORLD); break;
        case 'V': MPI_Recv(&v, 1, MPI_LONG, t, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); break;
        case 'W':
            MPI_Recv(&v, 1, MPI_LONG, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
            last = status.MPI_SOURCE;
            printf("w%d ", last);
            break;
        case 'B':
            if (last != t && word[3] && !strchr("SVWB", word[3]))
                word += 3;
            break;
        }
    }
    MPI_Win_unlock_all(epoch);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    printf("= %ld %ld %.17g %ld %ld\n", mine.locked, mine.atomic, mine.real, mine.late[0], mine.late[1]);
    MPI_Win_unlock(rank, win);
    MPI_Win_free(&win);
    MPI_Win_free(&epoch);
    MPI_Finalize();
    return 0;
}
"#;

type Program = Vec<Vec<Operation>>;

/// Operations that come together: those of which each order matters, those of which none does, and mixtures.
const KINDS: [&str; 36] = [
    "X",
    "XR",
    "F",
    "FA",
    "FAC",
    "XF",
    "XRFAC",
    "R",
    "RL",
    "A",
    "RLA",
    "Q",
    "QU",
    "QAL",
    "XL",
    "AM",
    "AE",
    "AN",
    "D",
    "QUH",
    "QPUH",
    "YJ",
    "YPJU",
    "QPYJ",
    "PHJ",
    "N",
    "NF",
    "XRLFNAMECDQUHPYJ",
    "XG",
    "XGR",
    "XK",
    "XGK",
    "AT",
    "FCIT",
    "EI",
    "XRLFNAMECDQUHPYJGTIK",
];

/// The program of a seed.
fn generate(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let ranks = 2 + rng.below(3) / 2;
    let kinds = KINDS[rng.below(KINDS.len())].as_bytes();
    let most = if ranks == 2 { 5 } else { 2 + rng.below(3) };
    let mut program = Program::new();
    for _ in 0..ranks {
        let operation = |rng: &mut Rng| {
            let (target, number) = (rng.below(3) / 2, 1 + rng.below(3) as i64);
            match kinds[rng.below(kinds.len())] {
                b'X' => Operation::Section(target, number),
                b'R' => Operation::Read(target),
                b'L' => Operation::ReadAll(target),
                b'F' => Operation::Fetch(target, number),
                b'N' => Operation::Look(target),
                b'A' => Operation::Add(target, number),
                b'M' => Operation::Max(target, number),
                b'E' => Operation::Replace(target, number),
                b'D' => Operation::AddFloat(target, number),
                b'Q' => Operation::AddLater(target, number),
                b'P' => Operation::AddToSecond(target, number),
                b'Y' => Operation::SetBoth(target, number),
                b'J' => Operation::LookAtBoth(target),
                b'U' => Operation::Flush(target),
                b'H' => Operation::FetchInEpoch(target, number),
                b'G' => Operation::SpinRead(target, number),
                b'T' => Operation::SpinLook(target, number),
                b'I' => Operation::SpinSwap(target, number),
                b'K' => Operation::Tries(target, number),
                _ => Operation::Swap(target, number),
            }
        };
        let length = rng.below(most);
        program.push((0..length).map(|_| operation(&mut rng)).collect());
    }
    for _ in 0..rng.below(4).saturating_sub(1) {
        let from = rng.below(ranks);
        let to = (from + 1 + rng.below(ranks - 1)) % ranks;
        let place = rng.below(program[from].len() + 1);
        program[from].insert(place, Operation::Send(to));
        let receive = if rng.below(5) < 3 { Operation::Receive(from) } else { Operation::ReceiveAny };
        let place = rng.below(program[to].len() + 1);
        program[to].insert(place, receive);
        if matches!(receive, Operation::ReceiveAny) && rng.below(2) == 0 {
            program[to].insert(place + 1, Operation::OnlyAfter(from));
        }
    }
    program.into_iter().map(|operations| operations.into_iter().flat_map(Operation::parts).collect()).collect()
}

/// The numbers of a rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Numbers {
    locked: i64,
    atomic: i64,
    /// The bits of a floating-point number.
    real: u64,
    late: [i64; 2],
}

/// What an access in the long epoch does to one number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Late {
    Add(i64),
    Set(i64),
    Look,
    Fetch(i64),
}

/// A moment of an execution.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Moment {
    next: Vec<usize>,
    numbers: Vec<Numbers>,
    said: Vec<String>,
    /// Senders and receivers of messages on their way.
    sent: Vec<(usize, usize)>,
    /// Who sent the last message from anybody that each rank received.
    last: Vec<Option<usize>>,
    /// What each rank does later: targets, which of their two numbers, and what.
    later: Vec<Vec<(usize, usize, Late)>>,
    /// What each rank has read of two numbers.
    got: Vec<[i64; 2]>,
    /// How often each rank has looked that gives up at some time.
    tries: Vec<i64>,
}

impl Moment {
    fn start(ranks: usize) -> Moment {
        let numbers = vec![Numbers { locked: 1, atomic: 1, real: 0, late: [1, 1] }; ranks];
        let (next, said, sent) = (vec![0; ranks], vec![String::new(); ranks], Vec::new());
        Moment {
            next,
            numbers,
            said,
            sent,
            last: vec![None; ranks],
            later: vec![Vec::new(); ranks],
            got: vec![[0; 2]; ranks],
            tries: vec![0; ranks],
        }
    }

    /// What can be next.
    fn successors(&self, program: &Program) -> Vec<Moment> {
        let ranks = 0..program.len();
        let operations = ranks.clone().filter_map(|rank| Some((rank, *program[rank].get(self.next[rank])?)));
        let mut after: Vec<Moment> =
            operations.flat_map(|(rank, operation)| self.after(program, rank, operation)).collect();
        for rank in ranks {
            let mut seen = Vec::new();
            for (place, &(target, which, late)) in self.later[rank].iter().enumerate() {
                // Those of one rank to one number are in order.
                if !seen.contains(&(target, which)) {
                    seen.push((target, which));
                    let mut next = self.clone();
                    next.later[rank].remove(place);
                    let number = &mut next.numbers[target].late[which];
                    if let Late::Look | Late::Fetch(_) = late {
                        next.got[rank][which] = *number;
                    }
                    match late {
                        Late::Add(term) | Late::Fetch(term) => *number += term,
                        Late::Set(value) => *number = value,
                        Late::Look => {}
                    }
                    after.push(next);
                }
            }
        }
        after
    }

    /// What can be after the next operation of a rank.
    fn after(&self, program: &Program, rank: usize, operation: Operation) -> Vec<Moment> {
        let mut next = self.clone();
        next.next[rank] += 1;
        let is_open = |target: usize| self.later[rank].iter().any(|later| later.0 == target);
        let mut say = |letter: char, number: i64| next.said[rank].push_str(&format!("{letter}{number} "));
        match operation {
            Operation::Section(target, number) => {
                let old = self.numbers[target].locked;
                say('x', old);
                next.numbers[target].locked = (old * 3 + number) % 1000;
            }
            Operation::Read(target) => say('r', self.numbers[target].locked),
            Operation::ReadAll(target) => say('l', self.numbers[target].locked),
            Operation::Fetch(target, number) => {
                say('f', self.numbers[target].atomic);
                next.numbers[target].atomic += number;
            }
            Operation::Look(target) => say('n', self.numbers[target].atomic),
            Operation::Add(target, number) => next.numbers[target].atomic += number,
            Operation::Max(target, number) => {
                next.numbers[target].atomic = number.max(self.numbers[target].atomic);
            }
            Operation::Replace(target, number) => next.numbers[target].atomic = number,
            Operation::AddFloat(target, number) => {
                let sum = FLOATS[number as usize] + f64::from_bits(self.numbers[target].real);
                next.numbers[target].real = sum.to_bits();
            }
            Operation::Swap(target, number) => {
                let old = self.numbers[target].atomic;
                say('c', old);
                next.numbers[target].atomic = if old == number { number + 100 } else { old };
            }
            Operation::AddLater(target, number) => next.later[rank].push((target, 0, Late::Add(number))),
            Operation::AddToSecond(target, number) => next.later[rank].push((target, 1, Late::Add(number))),
            Operation::SetBoth(target, number) => {
                next.later[rank].extend([(target, 0, Late::Set(number)), (target, 1, Late::Set(number + 1))]);
            }
            Operation::FetchInEpoch(target, number) => next.later[rank].push((target, 0, Late::Fetch(number))),
            Operation::LookAtBoth(target) => {
                next.later[rank].extend([(target, 0, Late::Look), (target, 1, Late::Look)]);
            }
            Operation::SpinRead(..) | Operation::SpinLook(..) | Operation::SpinSwap(..) | Operation::Tries(..) => {
                return self.after_look(rank, operation).into_iter().collect();
            }
            Operation::Flush(target) | Operation::Await(target, _) if is_open(target) => return Vec::new(),
            Operation::Flush(_) => {}
            Operation::Await(_, numbers) => {
                let letter = if numbers == 1 { 'h' } else { 'j' };
                self.got[rank].iter().take(numbers).for_each(|number| say(letter, *number));
            }
            Operation::Send(to) => {
                next.sent.push((rank, to));
                next.sent.sort_unstable();
            }
            Operation::Receive(_) | Operation::ReceiveAny => {
                let mut senders: Vec<usize> =
                    self.sent.iter().filter(|sent| sent.1 == rank).map(|sent| sent.0).collect();
                senders.dedup();
                senders.retain(|&sender| !matches!(operation, Operation::Receive(from) if from != sender));
                return senders.into_iter().map(|sender| next.clone().received(rank, sender, operation)).collect();
            }
            Operation::OnlyAfter(from) => {
                let left_out = program[rank].get(next.next[rank]).filter(|operation| operation.is_about_window());
                if self.last[rank] != Some(from) {
                    next.next[rank] += left_out.map_or(0, |operation| operation.parts().count());
                }
            }
        }
        vec![next]
    }

    /// What is after an operation that looks until something is there; nothing where it would look once more, because
    /// that changes nothing.
    fn after_look(&self, rank: usize, operation: Operation) -> Option<Moment> {
        let mut next = self.clone();
        next.next[rank] += 1;
        let mut say = |letter: char, number: i64| next.said[rank].push_str(&format!("{letter}{number} "));
        match operation {
            Operation::SpinRead(target, number) => {
                let seen = Some(self.numbers[target].locked).filter(|seen| *seen > number)?;
                say('g', seen);
            }
            Operation::SpinLook(target, number) => {
                let seen = Some(self.numbers[target].atomic).filter(|seen| *seen > number)?;
                say('t', seen);
            }
            Operation::SpinSwap(target, number) => {
                let seen = Some(self.numbers[target].atomic).filter(|seen| *seen == number)?;
                say('i', seen);
                next.numbers[target].atomic = number + 100;
            }
            Operation::Tries(target, number) => {
                let (seen, tries) = (self.numbers[target].locked, self.tries[rank] + 1);
                let is_over = seen > number || tries == TRIES;
                if is_over {
                    say('k', seen);
                    say('k', tries);
                }
                next.tries[rank] = if is_over { 0 } else { tries };
                next.next[rank] -= usize::from(!is_over);
            }
            _ => return None,
        }
        Some(next)
    }

    fn received(mut self, rank: usize, sender: usize, operation: Operation) -> Moment {
        let place = self.sent.iter().position(|sent| *sent == (sender, rank)).expect("the message is on its way");
        self.sent.remove(place);
        if matches!(operation, Operation::ReceiveAny) {
            self.said[rank].push_str(&format!("w{sender} "));
            self.last[rank] = Some(sender);
        }
        self
    }
}

/// What the ranks print in all orders of their operations; nothing where they wait for ever.
fn outcomes(program: &Program) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    orders::each_end(
        [Moment::start(program.len())],
        |moment| moment.successors(program),
        |moment| {
            let is_over = moment.next.iter().zip(program).all(|(next, operations)| *next >= operations.len());
            let end = |(said, numbers): (&String, &Numbers)| {
                let Numbers { locked, atomic, real, late } = numbers;
                format!("{said}= {locked} {atomic} {} {} {}\n", f64::from_bits(*real), late[0], late[1])
            };
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
    let words: Vec<String> =
        program.iter().map(|rank| rank.iter().map(|operation| operation.word()).collect()).collect();
    orders::difference(place, seed, &words, &outcomes(&program))
}

#[test]
fn verifications_print_what_all_orders_print() {
    let programs = Programs {
        name: "window-orders",
        interpreter: INTERPRETER,
        compiled: &["-O1"],
        count: ("SMPI_WINDOW_PROGRAMS", PROGRAMS),
        first: "SMPI_WINDOW_SEED",
    };
    orders::compare_all(programs, difference);
}
