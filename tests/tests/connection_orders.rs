//! Random programs that spawn copies of themselves, connect to ports and accept, and send messages in partitions: what
//! a verification says that they can print is what they print in all orders of their operations, which are tried one
//! by one.
//!
//! `cargo test --release -p smpi-tests --test connection_orders` does the programs of CI. More, from another seed:
//! `SMPI_CONNECTION_PROGRAMS=10000 SMPI_CONNECTION_SEED=5000`.
#![forbid(unsafe_code)]

use serde_json::Value;
use smpi_base::rng::Rng;
use smpi_tests::orders::{self, Programs};
use smpi_tests::place::{Place, text};
use smpi_tests::verification::PARTS;
use std::collections::BTreeSet;

/// Exit code of a deadlock.
const DEADLOCK: i32 = 3;

/// Programs of a test run.
const PROGRAMS: u64 = 30;

/// An operation of a rank. The ranks of the command line have a port each; ranks that are spawned have none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operation {
    /// Accepts at the own port, and prints whom.
    Accept,
    /// Connects to the port of this rank.
    Connect(usize),
    /// Sends a message to this rank of the command line that nobody has to wait for.
    Send(usize),
    /// Receives from this one.
    Receive(usize),
    /// Receives from any of them, and prints from whom.
    ReceiveAny,
    /// Spawns this one, if that was not done.
    Spawn(usize),
    /// Sends a message to who has spawned it.
    Tell,
    /// Receives from this one, which it has spawned.
    Hear(usize),
    /// Starts a message of two partitions to this one: a rank of the command line, or the other side of a spawn.
    Begin(usize),
    /// Marks a partition of the message to this one as ready.
    Ready(usize, usize),
    /// Starts to receive the message in partitions from this one.
    Expect(usize),
    /// Prints whether a partition from this one has arrived.
    Look(usize, usize),
    /// Waits for the message in partitions from this one, and prints that.
    Complete(usize),
    /// Leaves the next operation out, unless the last one that was accepted, or whose message from anybody was
    /// received, was this one.
    OnlyAfter(usize),
}

impl Operation {
    /// Two characters for the interpreter.
    fn word(self) -> String {
        match self {
            Operation::Accept => "A0".to_string(),
            Operation::Connect(to) => format!("C{to}"),
            Operation::Send(to) => format!("S{to}"),
            Operation::Receive(from) => format!("V{from}"),
            Operation::ReceiveAny => "W0".to_string(),
            Operation::Spawn(which) => format!("P{which}"),
            Operation::Tell => "T0".to_string(),
            Operation::Hear(which) => format!("H{which}"),
            Operation::Begin(to) => format!("Q{to}"),
            Operation::Ready(to, partition) => format!("{}{to}", ['x', 'y'][partition]),
            Operation::Expect(from) => format!("E{from}"),
            Operation::Look(from, partition) => format!("{}{from}", ['l', 'm'][partition]),
            Operation::Complete(from) => format!("D{from}"),
            Operation::OnlyAfter(which) => format!("B{which}"),
        }
    }

    /// Whether it is about one that this rank has spawned.
    fn is_with(self, child: usize) -> bool {
        matches!(self, Operation::Hear(other) | Operation::Begin(other) | Operation::Expect(other) if other == child)
    }

    /// Whether others must be able to rely on it.
    fn is_needed(self) -> bool {
        matches!(self, Operation::Begin(_) | Operation::Ready(..) | Operation::Expect(_) | Operation::Complete(_))
    }
}

/// The interpreter: each rank does the words of its own argument, and so does each that is spawned.
const INTERPRETER: &str = r##"#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm parent, spawned[10];
static MPI_Request sending[10], receiving[10];
static int parts_out[10][2], parts_in[10][2];

/* The communicator with another, and its rank there. */
static MPI_Comm with(int other, int *rank)
{
    int is_far = spawned[other] != MPI_COMM_NULL || parent != MPI_COMM_NULL;
    *rank = is_far ? 0 : other;
    return spawned[other] != MPI_COMM_NULL ? spawned[other] : is_far ? parent : MPI_COMM_WORLD;
}

static void partitioned(char what, int other, int me)
{
    int rank, flag = 0;
    MPI_Comm comm = with(other, &rank);
    /* Two looks with nothing between them would count as one that is repeated. */
    MPI_Comm_test_inter(comm, &flag);
    flag = 0;
    switch (what) {
    case 'Q':
        parts_out[other][0] = parts_out[other][1] = -1;
        MPI_Psend_init(parts_out[other], 2, 1, MPI_INT, rank, 1, comm, MPI_INFO_NULL, &sending[other]);
        MPI_Start(&sending[other]);
        break;
    case 'x':
    case 'y':
        parts_out[other][what - 'x'] = 10 * me + what - 'x';
        MPI_Pready(what - 'x', sending[other]);
        break;
    case 'E':
        MPI_Precv_init(parts_in[other], 2, 1, MPI_INT, rank, 1, comm, MPI_INFO_NULL, &receiving[other]);
        MPI_Start(&receiving[other]);
        break;
    case 'l':
    case 'm':
        MPI_Parrived(receiving[other], what - 'l', &flag);
        printf("%c%d ", flag ? 'y' : 'n', flag ? parts_in[other][what - 'l'] - 10 * other : what - 'l');
        break;
    default:
        MPI_Wait(&receiving[other], MPI_STATUS_IGNORE);
        MPI_Request_free(&receiving[other]);
        printf("p%d ", parts_in[other][0] == 10 * other && parts_in[other][1] == 10 * other + 1 ? other : -1);
    }
}

int main(int argc, char **argv)
{
    int me, last = -1, value = 0, waits = argv[1][0] == 'd';
    static char room[100000];
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm connection;
    MPI_Status status;
    (void)argc;
    MPI_Init(NULL, NULL);
    MPI_Comm_get_parent(&parent);
    for (int i = 0; i < 10; i++)
        spawned[i] = MPI_COMM_NULL, sending[i] = MPI_REQUEST_NULL;
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_rank(MPI_COMM_WORLD, &me);
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        me = atoi(argv[2]);
    }
    MPI_Buffer_attach(room, sizeof room);
    printf("#%d ", me);
    for (const char *word = argv[3 + me]; *word && *word != '-'; word += 2) {
        int other = word[1] - '0';
        switch (word[0]) {
        case 'A':
            MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &connection);
            MPI_Recv(&last, 1, MPI_INT, 0, 0, connection, MPI_STATUS_IGNORE);
            printf("a%d ", last);
            waits ? MPI_Comm_disconnect(&connection) : MPI_Comm_free(&connection);
            break;
        case 'C':
            sprintf(port, "smpi-port-%d-0", other);
            MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &connection);
            MPI_Send(&me, 1, MPI_INT, 0, 0, connection);
            waits ? MPI_Comm_disconnect(&connection) : MPI_Comm_free(&connection);
            if (parent == MPI_COMM_NULL)
                sprintf(port, "smpi-port-%d-0", me);
            break;
        case 'S': MPI_Bsend(&me, 1, MPI_INT, other, 0, MPI_COMM_WORLD); break;
        case 'V': MPI_Recv(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); break;
        case 'W':
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
            last = status.MPI_SOURCE;
            printf("w%d ", last);
            break;
        case 'P': {
            char *arguments[20] = {argv[1], strdup((char[]){word[1], 0})};
            for (int i = 3; i <= argc; i++)
                arguments[i - 1] = argv[i];
            MPI_Comm_spawn(argv[0], arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &spawned[other], MPI_ERRCODES_IGNORE);
            free(arguments[1]);
            break;
        }
        case 'T': MPI_Bsend(&me, 1, MPI_INT, 0, 0, parent); break;
        case 'H': MPI_Recv(&value, 1, MPI_INT, 0, 0, spawned[other], MPI_STATUS_IGNORE); break;
        case 'B':
            if (last != other && word[2] && word[2] != '-')
                word += 2;
            break;
        default: partitioned(word[0], other, me);
        }
    }
    printf("=\n");
    for (int i = 0; i < 10; i++)
        if (sending[i] != MPI_REQUEST_NULL) {
            MPI_Wait(&sending[i], MPI_STATUS_IGNORE);
            MPI_Request_free(&sending[i]);
        }
    for (int i = 0; i < 10; i++)
        if (spawned[i] != MPI_COMM_NULL)
            MPI_Comm_free(&spawned[i]);
    MPI_Finalize();
    return 0;
}
"##;

/// The operations of the ranks of the command line, and behind them those of ranks that are spawned.
struct Program {
    ranks: usize,
    code: Vec<Vec<Operation>>,
    /// Both sides of a connection wait for each other at its end.
    disconnects: bool,
}

/// The program of a seed.
fn generate(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let ranks = 2 + rng.below(2);
    let spawned = rng.below(3);
    let mut code = vec![Vec::new(); ranks + spawned];
    let put = |rng: &mut Rng, operations: &mut Vec<Operation>, operation| {
        let place = rng.below(operations.len() + 1);
        operations.insert(place, operation);
    };
    // Most connections are to one port: that is where outcomes differ.
    let target = rng.below(ranks);
    for _ in 0..1 + rng.below(4) {
        let to = if rng.below(4) > 0 { target } else { rng.below(ranks) };
        let from = (to + 1 + rng.below(ranks + spawned - 1)) % (ranks + spawned);
        put(&mut rng, &mut code[from], Operation::Connect(to));
        // Now and then nobody accepts.
        if rng.below(12) > 0 {
            put(&mut rng, &mut code[to], Operation::Accept);
            if rng.below(4) == 0 {
                put(&mut rng, &mut code[to], Operation::OnlyAfter(from));
            }
        }
    }
    for _ in 0..rng.below(3) {
        let from = rng.below(ranks);
        let to = (from + 1 + rng.below(ranks - 1)) % ranks;
        put(&mut rng, &mut code[from], Operation::Send(to));
        let receive = if rng.below(3) == 0 { Operation::Receive(from) } else { Operation::ReceiveAny };
        put(&mut rng, &mut code[to], receive);
    }
    for child in ranks..ranks + spawned {
        // By a rank of the command line, or by one that was spawned before.
        let parent = rng.below(child);
        let place = rng.below(code[parent].len() + 1);
        code[parent].insert(place, Operation::Spawn(child));
        if rng.below(3) == 0 && !matches!(code[parent][..place].last(), Some(Operation::OnlyAfter(_))) {
            put(&mut rng, &mut code[child], Operation::Tell);
            let behind = place + 1 + rng.below(code[parent].len() - place);
            code[parent].insert(behind, Operation::Hear(child));
        }
    }
    for _ in 0..rng.below(3) {
        partitions(&mut rng, &mut code, ranks);
    }
    code.iter_mut().for_each(keep_apart);
    Program { ranks, code, disconnects: rng.below(2) == 0 }
}

/// Adds a message in partitions between two ranks of the command line, or between a rank and one that it has spawned,
/// if there is none yet from one to the other.
fn partitions(rng: &mut Rng, code: &mut [Vec<Operation>], ranks: usize) {
    let to = rng.below(ranks);
    let mut ends = [(to + 1 + rng.below(ranks - 1)) % ranks, to];
    if code.len() > ranks && rng.below(2) == 0 {
        let child = ranks + rng.below(code.len() - ranks);
        let parent = code.iter().position(|code| code.contains(&Operation::Spawn(child)));
        ends = [parent.expect("somebody spawns it"), child];
        if rng.below(2) == 0 {
            ends.reverse();
        }
    }
    let [from, to] = ends;
    if code[from].contains(&Operation::Begin(to)) {
        return;
    }
    let first = rng.below(2);
    let sends = [Operation::Begin(to), Operation::Ready(to, first), Operation::Ready(to, 1 - first)];
    let mut receives = vec![Operation::Expect(from)];
    receives.extend((0..rng.below(4)).map(|_| Operation::Look(from, rng.below(2))));
    receives.push(Operation::Complete(from));
    for (operations, end, other) in [(&sends[..], from, to), (&receives, to, from)] {
        // Behind the spawn of the other end, if this is its parent.
        let spawn = code[end].iter().position(|operation| *operation == Operation::Spawn(other));
        let mut least = spawn.map_or(0, |place| place + 1);
        for operation in operations {
            let place = least + rng.below(code[end].len() + 1 - least);
            code[end].insert(place, *operation);
            least = place + 1;
        }
    }
}

/// Nobody hears of who may not have been spawned: what may be left out is no such operation, and no condition.
fn keep_apart(operations: &mut Vec<Operation>) {
    let mut place = 0;
    while place + 1 < operations.len() {
        let is_condition = matches!(operations[place], Operation::OnlyAfter(_));
        let is_kept = match operations[place + 1] {
            Operation::Spawn(child) => operations.iter().any(|operation| operation.is_with(child)),
            Operation::OnlyAfter(_) => true,
            other => other.is_needed(),
        };
        if is_condition && is_kept {
            operations.remove(place);
        } else {
            place += 1;
        }
    }
}

/// A moment of an execution.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Moment {
    /// `None`: it is not there.
    next: Vec<Option<usize>>,
    said: Vec<String>,
    /// Who asks for a connection, and at which port.
    asks: Vec<(usize, usize)>,
    /// Senders and receivers of messages on their way.
    sent: Vec<(usize, usize)>,
    /// Sender, receiver and number of partitions that are ready.
    ready: Vec<(usize, usize, usize)>,
    /// The same of those that are known to have arrived.
    arrived: Vec<(usize, usize, usize)>,
    /// Whom each has accepted last, or heard of.
    last: Vec<Option<usize>>,
}

impl Moment {
    fn start(program: &Program) -> Moment {
        let all = program.code.len();
        let next = (0..all).map(|rank| (rank < program.ranks).then_some(0)).collect();
        let said = (0..all).map(|rank| format!("#{rank} ")).collect();
        Moment {
            next,
            said,
            asks: Vec::new(),
            sent: Vec::new(),
            ready: Vec::new(),
            arrived: Vec::new(),
            last: vec![None; all],
        }
    }

    fn operation(&self, program: &Program, rank: usize) -> Option<Operation> {
        program.code[rank].get(self.next[rank]?).copied()
    }

    fn step(&mut self, rank: usize) {
        self.next[rank] = self.next[rank].map(|next| next + 1);
    }

    fn note(&mut self, rank: usize, letter: char, other: usize) {
        self.said[rank].push_str(&format!("{letter}{other} "));
        self.last[rank] = Some(other);
    }

    /// What can be next.
    fn successors(&self, program: &Program) -> Vec<Moment> {
        let ranks = 0..program.code.len();
        let operations = ranks.filter_map(|rank| Some((rank, self.operation(program, rank)?)));
        operations.flat_map(|(rank, operation)| self.after(program, rank, operation)).collect()
    }

    /// What can be after the next operation of a rank.
    fn after(&self, program: &Program, rank: usize, operation: Operation) -> Vec<Moment> {
        let mut next = self.clone();
        next.step(rank);
        match operation {
            Operation::Accept => {
                let asking = self.asks.iter().filter(|ask| ask.1 == rank).map(|ask| ask.0);
                let accepted = |from: usize| {
                    let mut next = next.clone();
                    next.asks.retain(|ask| *ask != (from, rank));
                    next.step(from);
                    next.note(rank, 'a', from);
                    next
                };
                return asking.map(accepted).collect();
            }
            // It goes on when it is accepted.
            Operation::Connect(to) if self.asks.contains(&(rank, to)) => return Vec::new(),
            Operation::Connect(to) => {
                next.next[rank] = self.next[rank];
                next.asks.push((rank, to));
                next.asks.sort_unstable();
            }
            Operation::Send(to) => next.send(rank, to),
            Operation::Tell => {
                let is_parent = |code: &Vec<Operation>| code.contains(&Operation::Spawn(rank));
                next.send(rank, program.code.iter().position(is_parent).expect("somebody has spawned it"));
            }
            Operation::Receive(from) | Operation::Hear(from) => {
                return next.received(rank, from).into_iter().collect();
            }
            Operation::ReceiveAny => {
                let mut senders: Vec<usize> =
                    self.sent.iter().filter(|sent| sent.1 == rank).map(|sent| sent.0).collect();
                senders.retain(|sender| *sender < program.ranks);
                senders.dedup();
                let heard = |sender: usize| {
                    let mut next = next.clone().received(rank, sender).expect("it is on its way");
                    next.note(rank, 'w', sender);
                    next
                };
                return senders.into_iter().map(heard).collect();
            }
            Operation::Spawn(child) => next.next[child] = Some(0),
            // What is expected has been started, and so has what is ready.
            Operation::Begin(_) | Operation::Expect(_) => {}
            Operation::Ready(to, partition) => {
                next.ready.push((rank, to, partition));
                next.ready.sort_unstable();
            }
            Operation::Look(from, partition) => return self.looked(&next, rank, from, partition),
            Operation::Complete(from) => {
                if (0..2).any(|partition| !self.ready.contains(&(from, rank, partition))) {
                    return Vec::new();
                }
                next.ready.retain(|ready| (ready.0, ready.1) != (from, rank));
                next.said[rank].push_str(&format!("p{from} "));
            }
            Operation::OnlyAfter(other) => {
                if self.last[rank] != Some(other) && next.operation(program, rank).is_some() {
                    next.step(rank);
                }
            }
        }
        vec![next]
    }

    /// After a look at a partition: one that is ready may have arrived, and stays there.
    fn looked(&self, next: &Moment, rank: usize, from: usize, partition: usize) -> Vec<Moment> {
        let one = (from, rank, partition);
        let (mut yes, mut no) = (next.clone(), next.clone());
        yes.said[rank].push_str(&format!("y{partition} "));
        no.said[rank].push_str(&format!("n{partition} "));
        if self.arrived.contains(&one) {
            return vec![yes];
        }
        yes.arrived.push(one);
        yes.arrived.sort_unstable();
        if self.ready.contains(&one) { vec![yes, no] } else { vec![no] }
    }

    fn send(&mut self, from: usize, to: usize) {
        self.sent.push((from, to));
        self.sent.sort_unstable();
    }

    fn received(mut self, rank: usize, from: usize) -> Option<Moment> {
        let place = self.sent.iter().position(|sent| *sent == (from, rank))?;
        self.sent.remove(place);
        Some(self)
    }
}

/// What executions of a program can end with.
#[derive(Default)]
struct Outcomes {
    /// What the ranks print in all orders of their operations; nothing where they wait for ever.
    printed: BTreeSet<Vec<String>>,
    /// There is an order in which they wait for ever, and one of them to be accepted: a simulation gives up on that.
    gives_up: bool,
}

fn outcomes(program: &Program) -> Outcomes {
    let mut found = Outcomes::default();
    orders::each_end(
        [Moment::start(program)],
        |moment| moment.successors(program),
        |moment| {
            let there = || moment.next.iter().zip(&moment.said).filter(|(next, _)| next.is_some());
            // Who ends waits for its buffered messages to be received.
            let is_through = (0..program.code.len()).all(|rank| moment.operation(program, rank).is_none());
            let is_over = is_through && moment.sent.is_empty() && moment.ready.is_empty();
            let mut said: Vec<String> = there().map(|(_, said)| format!("{said}=\n")).collect();
            said.sort_unstable();
            found.gives_up |= !is_over && !moment.asks.is_empty();
            found.printed.insert(if is_over { said } else { Vec::new() });
        },
    );
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
        let output = |rank: &Value| rank["output"].as_str().expect("a rank has output").to_string();
        // Ranks that are not spawned in this execution print nothing.
        let mut said: Vec<String> = ranks.iter().map(output).filter(|output| !output.is_empty()).collect();
        said.sort_unstable();
        said
    };
    results.map(of).collect()
}

/// Every so many programs are explored by two processes, by states and by brute force as well, and a schedule of them
/// is replayed.
const LOOK_CLOSER: u64 = 8;

/// What a simulation printed that no order of the operations prints.
fn simulated(place: &Place, seed: u64, program: &Program, words: &[String], expected: &Outcomes) -> Option<String> {
    let (tool, ranks, shuffle) = (place.tool("smpirun"), program.ranks.to_string(), format!("--shuffle={seed}"));
    let line = [&tool, "--compute=off", &shuffle, "-np", &ranks, "./script"].map(ToString::to_string);
    let line: Vec<String> = line.into_iter().chain(words.iter().cloned()).collect();
    let finished = smpi_tests::process::run(&line, &place.directory, &[], 120).expect("smpirun can be started");
    let complaints = text(&finished.stderr);
    if complaints.contains("nobody accepts [MPI_ERR_PORT]") && expected.gives_up {
        return None;
    }
    let mut said: Vec<String> = text(&finished.stdout).lines().map(|line| format!("{line}\n")).collect();
    said.sort_unstable();
    let said = if finished.code == DEADLOCK { Vec::new() } else { said };
    let is_known = expected.printed.contains(&said);
    (!is_known).then(|| format!("seed {seed}: {line:?} printed {said:?}\n{complaints}"))
}

/// How what is explored of a program differs from what there is.
fn difference(place: &Place, seed: u64) -> Option<String> {
    let program = generate(seed);
    let word = |operations: &Vec<Operation>| match &operations[..] {
        [] => "-".to_string(),
        some => some.iter().map(|operation| operation.word()).collect(),
    };
    let mut words = vec![if program.disconnects { "d" } else { "f" }.to_string(), "-".to_string()];
    words.extend(program.code.iter().map(word));
    let expected = outcomes(&program);
    let differs = |options: &[&str]| {
        let (said, report) = orders::verify(place, options, program.ranks, &words);
        let found = listed(&report);
        let missing: Vec<_> = expected.printed.difference(&found).take(3).collect();
        let extra: Vec<_> = found.difference(&expected.printed).take(3).collect();
        let is_complete = report["bounds"] == serde_json::json!([]);
        let is_same = expected.printed == found && is_complete;
        (!is_same).then(|| format!("seed {seed}: missing {missing:?}\n  extra {extra:?}\n{said}"))
    };
    if let Some(text) = differs(&[]) {
        return Some(text);
    }
    if let Some(text) = simulated(place, seed, &program, &words, &expected) {
        return Some(text);
    }
    if !seed.is_multiple_of(LOOK_CLOSER) {
        return None;
    }
    for options in [&PARTS[..], &["--stateful"], &["--reduction=none", "--max-executions=3000"]] {
        if let Some(text) = differs(options).filter(|text| !text.contains("max-executions")) {
            return Some(text);
        }
    }
    let (_, report) = orders::verify(place, &[], program.ranks, &words);
    let token = report["findings"][0]["replay"].as_str()?;
    let (tool, ranks) = (place.tool("smpirun"), program.ranks.to_string());
    let line = [&tool, "--replay", token, "-np", &ranks, "./script"].map(ToString::to_string);
    let line: Vec<String> = line.into_iter().chain(words).collect();
    let replayed = smpi_tests::process::run(&line, &place.directory, &[], 120).expect("smpirun can be started");
    let (key, said) = (report["findings"][0]["key"].as_str()?, text(&replayed.stderr));
    (!said.contains(key)).then(|| format!("seed {seed}: {line:?} does not show {key}\n{said}"))
}

#[test]
fn verifications_print_what_all_orders_print() {
    let programs = Programs {
        name: "connection-orders",
        interpreter: INTERPRETER,
        compiled: &["-O1"],
        count: ("SMPI_CONNECTION_PROGRAMS", PROGRAMS),
        first: "SMPI_CONNECTION_SEED",
    };
    orders::compare_all(programs, difference);
}
