//! Random programs with locks, atomic accesses and messages: what a verification says that they can print is what they
//! print in all orders of their operations, which are tried one by one.
//!
//! `cargo test --release -p smpi-tests --test window_orders` does the programs of CI. More, from another seed:
//! `SMPI_WINDOW_PROGRAMS=10000 SMPI_WINDOW_SEED=5000`.
#![forbid(unsafe_code)]

use serde_json::Value;
use smpi_base::rng::Rng;
use smpi_tests::place::{Place, text};
use smpi_tests::verification::report;
use std::collections::BTreeSet;

/// Programs of a test run.
const PROGRAMS: u64 = 1000;

/// An operation of a rank. Every rank has two numbers in the window: sections and reads are about the first one, atomic
/// accesses about the second.
#[derive(Clone, Copy, Debug)]
enum Operation {
    /// With an exclusive lock: prints the number, and makes 3 · number + this of it.
    Section(usize, i64),
    /// With a shared lock: prints the number.
    Read(usize),
    /// Adds this, and prints what was there.
    Fetch(usize, i64),
    /// Adds this.
    Add(usize, i64),
    /// Makes 100 + this of it if it is this, and prints what was there.
    Swap(usize, i64),
    /// Sends a message that nobody has to wait for.
    Send(usize),
    /// Receives from this rank.
    Receive(usize),
    /// Receives from anybody, and prints from whom.
    ReceiveAny,
}

impl Operation {
    /// Three characters for the interpreter.
    fn word(self) -> String {
        match self {
            Operation::Section(target, number) => format!("X{target}{number}"),
            Operation::Read(target) => format!("R{target}0"),
            Operation::Fetch(target, number) => format!("F{target}{number}"),
            Operation::Add(target, number) => format!("A{target}{number}"),
            Operation::Swap(target, number) => format!("C{target}{number}"),
            Operation::Send(to) => format!("S{to}0"),
            Operation::Receive(from) => format!("V{from}0"),
            Operation::ReceiveAny => "W00".to_string(),
        }
    }
}

/// The interpreter: each rank does the words of its own argument.
const INTERPRETER: &str = r#"#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank;
    long numbers[2] = {1, 1}, v, r, c;
    static char room[100000];
    MPI_Win win;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(numbers, sizeof numbers, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Buffer_attach(room, sizeof room);
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
        case 'F':
            MPI_Win_lock(MPI_LOCK_SHARED, t, MPI_MODE_NOCHECK, win);
            MPI_Fetch_and_op(&v, &r, MPI_LONG, t, 1, MPI_SUM, win);
            MPI_Win_unlock(t, win);
            printf("f%ld ", r);
            break;
        case 'A':
            MPI_Win_lock(MPI_LOCK_SHARED, t, MPI_MODE_NOCHECK, win);
            MPI_Accumulate(&v, 1, MPI_LONG, t, 1, 1, MPI_LONG, MPI_SUM, win);
            MPI_Win_unlock(t, win);
            break;
        case 'C':
            c = v;
            v += 100;
            MPI_Win_lock(MPI_LOCK_SHARED, t, MPI_MODE_NOCHECK, win);
            MPI_Compare_and_swap(&v, &c, &r, MPI_LONG, t, 1, win);
            MPI_Win_unlock(t, win);
            printf("c%ld ", r);
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
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    printf("= %ld %ld\n", numbers[0], numbers[1]);
    MPI_Win_unlock(rank, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
"#;

type Program = Vec<Vec<Operation>>;

/// The program of a seed.
fn generate(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let ranks = 2 + rng.below(3) / 2;
    let kinds = ["X", "XR", "F", "FA", "FAC", "XF", "XRFAC"][rng.below(7)].as_bytes();
    let most = if ranks == 2 { 5 } else { 2 + rng.below(3) };
    let mut program = Program::new();
    for _ in 0..ranks {
        let operation = |rng: &mut Rng| {
            let (target, number) = (rng.below(3) / 2, 1 + rng.below(3) as i64);
            match kinds[rng.below(kinds.len())] {
                b'X' => Operation::Section(target, number),
                b'R' => Operation::Read(target),
                b'F' => Operation::Fetch(target, number),
                b'A' => Operation::Add(target, number),
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
    }
    program
}

/// A moment of an execution.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Moment {
    next: Vec<usize>,
    numbers: Vec<[i64; 2]>,
    said: Vec<String>,
    /// Senders and receivers of messages on their way.
    sent: Vec<(usize, usize)>,
}

impl Moment {
    /// What can be after the next operation of a rank.
    fn after(&self, rank: usize, operation: Operation) -> Vec<Moment> {
        let mut next = self.clone();
        next.next[rank] += 1;
        let mut say = |letter: char, number: i64| next.said[rank].push_str(&format!("{letter}{number} "));
        match operation {
            Operation::Section(target, number) => {
                let old = self.numbers[target][0];
                say('x', old);
                next.numbers[target][0] = (old * 3 + number) % 1000;
            }
            Operation::Read(target) => say('r', self.numbers[target][0]),
            Operation::Fetch(target, number) => {
                say('f', self.numbers[target][1]);
                next.numbers[target][1] += number;
            }
            Operation::Add(target, number) => next.numbers[target][1] += number,
            Operation::Swap(target, number) => {
                let old = self.numbers[target][1];
                say('c', old);
                next.numbers[target][1] = if old == number { number + 100 } else { old };
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
        }
        vec![next]
    }

    fn received(mut self, rank: usize, sender: usize, operation: Operation) -> Moment {
        let place = self.sent.iter().position(|sent| *sent == (sender, rank)).expect("the message is on its way");
        self.sent.remove(place);
        if matches!(operation, Operation::ReceiveAny) {
            self.said[rank].push_str(&format!("w{sender} "));
        }
        self
    }
}

/// What the ranks print in all orders of their operations; nothing where they wait for ever.
fn outcomes(program: &Program) -> BTreeSet<Vec<String>> {
    let ranks = program.len();
    let mut seen = BTreeSet::new();
    let mut found = BTreeSet::new();
    let (next, numbers, said, sent) = (vec![0; ranks], vec![[1, 1]; ranks], vec![String::new(); ranks], Vec::new());
    let mut open = vec![Moment { next, numbers, said, sent }];
    while let Some(moment) = open.pop() {
        if !seen.insert(moment.clone()) {
            continue;
        }
        let operations = (0..ranks).filter_map(|rank| Some((rank, *program[rank].get(moment.next[rank])?)));
        let after: Vec<Moment> = operations.flat_map(|(rank, operation)| moment.after(rank, operation)).collect();
        if after.is_empty() {
            let is_over = (0..ranks).all(|rank| moment.next[rank] == program[rank].len());
            let end = |(said, [one, other]): (&String, &[i64; 2])| format!("{said}= {one} {other}\n");
            found.insert(match is_over {
                true => moment.said.iter().zip(&moment.numbers).map(end).collect(),
                false => Vec::new(),
            });
        }
        open.extend(after);
    }
    found
}

/// What a report lists as printed; nothing where ranks are blocked.
fn listed(report: &Value) -> BTreeSet<Vec<String>> {
    let modes = report["modes"].as_array().expect("a report has modes");
    let results = modes.iter().flat_map(|mode| mode["listed_results"].as_array().expect("results are listed"));
    let of = |result: &Value| {
        let ranks = result.as_array().expect("a result has ranks");
        if ranks.iter().any(|rank| rank["exit"].is_null()) {
            return Vec::new();
        }
        ranks.iter().map(|rank| rank["output"].as_str().expect("a rank has output").to_string()).collect()
    };
    results.map(of).collect()
}

fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

#[test]
fn verifications_print_what_all_orders_print() {
    let place = Place::new("window-orders");
    place.compile("script", INTERPRETER, &["-O1"]);
    let first = from_environment("SMPI_WINDOW_SEED", 0);
    let mut different = Vec::new();
    for seed in first..first + from_environment("SMPI_WINDOW_PROGRAMS", PROGRAMS) {
        let program = generate(seed);
        let words = program.iter().map(|rank| rank.iter().map(|operation| operation.word()).collect::<String>());
        let ranks = program.len().to_string();
        let tool = place.tool("smpirun");
        let line =
            [&tool, "--verify", "--keep-going", "--list-results", "--report=report.json", "-np", &ranks, "./script"];
        let line: Vec<String> = line.iter().map(ToString::to_string).chain(words).collect();
        let finished = smpi_tests::process::run(&line, &place.directory, &[], 120).expect("smpirun can be started");
        let report = report(&place.directory.join("report.json")).expect("smpirun writes its report");
        let (expected, found) = (outcomes(&program), listed(&report));
        if expected != found || report["bounds"] != serde_json::json!([]) {
            let missing: Vec<_> = expected.difference(&found).take(3).collect();
            let extra: Vec<_> = found.difference(&expected).take(3).collect();
            let said = text(&finished.stderr);
            different.push(format!("seed {seed}: {line:?}\n  missing {missing:?}\n  extra {extra:?}\n{said}"));
        }
    }
    assert!(different.is_empty(), "{} programs differ:\n{}", different.len(), different.join("\n"));
}
