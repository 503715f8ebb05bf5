//! Random programs with shared file pointers, atomic mode and messages: what a verification says that they can print is
//! what they print in all orders of their operations, which are tried one by one.
//!
//! `cargo test --release -p smpi-tests --test file_orders` does the programs of CI. More, from another seed:
//! `SMPI_FILE_PROGRAMS=10000 SMPI_FILE_SEED=5000`.
#![forbid(unsafe_code)]

use smpi_base::rng::Rng;
use smpi_tests::orders::{self, Outcome, Programs};
use smpi_tests::place::Place;
use std::collections::BTreeSet;

/// Programs of a test run.
const PROGRAMS: u64 = 150;

/// An operation of a rank. There is a file with a shared pointer, and one in atomic mode that each rank has opened for
/// itself.
#[derive(Clone, Copy, Debug)]
enum Operation {
    /// Writes this where the shared pointer is.
    Write(i64),
    /// Reads where the shared pointer is, and prints what is there.
    Read,
    /// Writes this and one more from a place on.
    Set(usize, i64),
    /// Reads two numbers from a place on, and prints them.
    Look(usize),
    /// Sends a message that nobody has to wait for.
    Send(usize),
    /// Receives from this rank.
    Receive(usize),
    /// Receives from anybody, and prints from whom.
    ReceiveAny,
    /// Leaves the next operation out, if it is about a file, unless the last message from anybody was of this rank.
    OnlyAfter(usize),
}

impl Operation {
    fn is_about_file(self) -> bool {
        matches!(self, Operation::Write(_) | Operation::Read | Operation::Set(..) | Operation::Look(_))
    }

    /// Three characters for the interpreter.
    fn word(self) -> String {
        match self {
            Operation::Write(number) => format!("W0{number}"),
            Operation::Read => "R00".to_string(),
            Operation::Set(place, number) => format!("X{place}{number}"),
            Operation::Look(place) => format!("Y{place}0"),
            Operation::Send(to) => format!("S{to}0"),
            Operation::Receive(from) => format!("V{from}0"),
            Operation::ReceiveAny => "A00".to_string(),
            Operation::OnlyAfter(from) => format!("B{from}0"),
        }
    }
}

/// The interpreter: each rank does the words of its own argument.
const INTERPRETER: &str = r#"#include <mpi.h>
#include <stdio.h>
#include <string.h>
#define MODE (MPI_MODE_RDWR | MPI_MODE_CREATE)
int main(int argc, char **argv)
{
    int rank, last = -1, v, count, i, start[4] = {7, 8, 0, 0}, both[2], all[40] = {0};
    static char room[10000];
    MPI_File shared, atomic;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Buffer_attach(room, sizeof room);
    MPI_File_open(MPI_COMM_WORLD, "orders-shared", MODE, MPI_INFO_NULL, &shared);
    MPI_File_set_view(shared, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    if (rank == 0) {
        MPI_File_write_at(shared, 0, start, 2, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_open(MPI_COMM_SELF, "orders-atomic", MODE, MPI_INFO_NULL, &atomic);
        MPI_File_write_at(atomic, 0, start, 4, MPI_INT, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0)
        MPI_File_open(MPI_COMM_SELF, "orders-atomic", MPI_MODE_RDWR, MPI_INFO_NULL, &atomic);
    MPI_File_set_view(atomic, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_set_atomicity(atomic, 1);
    for (const char *word = argv[1 + rank]; *word; word += 3) {
        int t = word[1] - '0';
        v = word[2] - '0';
        switch (word[0]) {
        case 'W': MPI_File_write_shared(shared, &v, 1, MPI_INT, MPI_STATUS_IGNORE); break;
        case 'R':
            MPI_File_read_shared(shared, &v, 1, MPI_INT, &status);
            MPI_Get_count(&status, MPI_INT, &count);
            printf("r%d ", count ? v : -1);
            break;
        case 'X':
            both[0] = v;
            both[1] = v + 1;
            MPI_File_write_at(atomic, t, both, 2, MPI_INT, MPI_STATUS_IGNORE);
            break;
        case 'Y':
            MPI_File_read_at(atomic, t, both, 2, MPI_INT, MPI_STATUS_IGNORE);
            printf("y%d y%d ", both[0], both[1]);
            break;
        case 'S': MPI_Bsend(&v, 1, MPI_INT, t, 0, MPI_COMM_WORLD); break;
        case 'V': MPI_Recv(&v, 1, MPI_INT, t, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); break;
        case 'A':
            MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
            last = status.MPI_SOURCE;
            printf("a%d ", last);
            break;
        case 'B':
            if (last != t && word[3] && strchr("WRXY", word[3]))
                word += 3;
            break;
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("=");
    if (rank == 0) {
        MPI_File_read_at(atomic, 0, all, 4, MPI_INT, MPI_STATUS_IGNORE);
        for (i = 0; i < 4; i++)
            printf(" %d", all[i]);
        MPI_File_read_at(shared, 0, all, 40, MPI_INT, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        for (i = 0; i < count; i++)
            printf(" %d", all[i]);
    }
    printf("\n");
    MPI_File_close(&atomic);
    MPI_File_close(&shared);
    MPI_Finalize();
    return 0;
}
"#;

type Program = Vec<Vec<Operation>>;

/// Operations that come together.
const KINDS: [&str; 7] = ["W", "WR", "R", "X", "XY", "Y", "WRXY"];

/// The program of a seed.
fn generate(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let ranks = 2 + rng.below(3) / 2;
    let kinds = KINDS[rng.below(KINDS.len())].as_bytes();
    let most = if ranks == 2 { 4 } else { 3 };
    let mut program = Program::new();
    for _ in 0..ranks {
        let operation = |rng: &mut Rng| {
            let (place, number) = (rng.below(3), 1 + rng.below(5) as i64);
            match kinds[rng.below(kinds.len())] {
                b'W' => Operation::Write(number),
                b'R' => Operation::Read,
                b'X' => Operation::Set(place, number),
                _ => Operation::Look(place),
            }
        };
        let length = rng.below(most + 1);
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
    program
}

/// A moment of an execution.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Moment {
    next: Vec<usize>,
    shared: Vec<i64>,
    pointer: usize,
    atomic: [i64; 4],
    said: Vec<String>,
    /// Senders and receivers of messages on their way.
    sent: Vec<(usize, usize)>,
    /// Who sent the last message from anybody that each rank received.
    last: Vec<Option<usize>>,
}

impl Moment {
    fn start(ranks: usize) -> Moment {
        Moment {
            next: vec![0; ranks],
            shared: vec![7, 8],
            pointer: 0,
            atomic: [7, 8, 0, 0],
            said: vec![String::new(); ranks],
            sent: Vec::new(),
            last: vec![None; ranks],
        }
    }

    /// What can be after the next operation of a rank.
    fn after(&self, program: &Program, rank: usize, operation: Operation) -> Vec<Moment> {
        let mut next = self.clone();
        next.next[rank] += 1;
        match operation {
            Operation::Write(number) => {
                // What nobody has written between is 0.
                next.shared.resize(next.shared.len().max(self.pointer + 1), 0);
                next.shared[self.pointer] = number;
                next.pointer += 1;
            }
            Operation::Read => {
                let there = self.shared.get(self.pointer).copied().unwrap_or(-1);
                next.said[rank].push_str(&format!("r{there} "));
                next.pointer += 1;
            }
            Operation::Set(place, number) => next.atomic[place..place + 2].copy_from_slice(&[number, number + 1]),
            Operation::Look(place) => {
                next.said[rank].push_str(&format!("y{} y{} ", self.atomic[place], self.atomic[place + 1]));
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
                let left_out = program[rank].get(next.next[rank]).is_some_and(|operation| operation.is_about_file());
                if self.last[rank] != Some(from) {
                    next.next[rank] += usize::from(left_out);
                }
            }
        }
        vec![next]
    }

    fn received(mut self, rank: usize, sender: usize, operation: Operation) -> Moment {
        let place = self.sent.iter().position(|sent| *sent == (sender, rank)).expect("the message is on its way");
        self.sent.remove(place);
        if matches!(operation, Operation::ReceiveAny) {
            self.said[rank].push_str(&format!("a{sender} "));
            self.last[rank] = Some(sender);
        }
        self
    }

    /// What the ranks have printed in the end.
    fn printed(&self) -> Outcome {
        let line = |(rank, said): (usize, &String)| {
            let numbers = self.atomic.iter().chain(&self.shared);
            let all: String = numbers.map(|number| format!(" {number}")).collect();
            format!("{said}={}\n", if rank == 0 { &all } else { "" })
        };
        self.said.iter().enumerate().map(line).collect()
    }
}

/// What the ranks print in all orders of their operations; nothing where they wait for ever.
fn outcomes(program: &Program) -> BTreeSet<Outcome> {
    let mut found = BTreeSet::new();
    let after = |moment: &Moment| {
        let operations = (0..program.len()).filter_map(|rank| Some((rank, *program[rank].get(moment.next[rank])?)));
        operations.flat_map(|(rank, operation)| moment.after(program, rank, operation)).collect()
    };
    orders::each_end([Moment::start(program.len())], after, |moment| {
        let is_over = moment.next.iter().zip(program).all(|(next, operations)| *next >= operations.len());
        found.insert(if is_over { moment.printed() } else { Vec::new() });
    });
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
        name: "file-orders",
        interpreter: INTERPRETER,
        compiled: &["-O1"],
        count: ("SMPI_FILE_PROGRAMS", PROGRAMS),
        first: "SMPI_FILE_SEED",
    };
    orders::compare_all(programs, difference);
}
