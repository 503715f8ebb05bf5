//! Random small programs that go wrong in some orders: ranks that take messages of any source, and say of what they
//! have taken what does not always hold, or wait for a message that another receive may have taken.

use smpi_base::rng::Rng;

const BEGIN: &str = r"#include <assert.h>
#include <mpi.h>
static int in[8], out, seen, order[8], which;
static MPI_Request requests[8], own;
static MPI_Status status;
static void took(int source) { order[seen++ % 8] = source; }
int main(int argc, char **argv) {
    int me;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (int k = 0; k < 8; k++)
        requests[k] = MPI_REQUEST_NULL;
";

const END: &str = "    MPI_Finalize();
    return 0;
}
";

/// Messages that ranks have to take.
const MOST_MESSAGES: usize = 6;

/// The program of a seed, and its number of ranks.
pub fn program(seed: u64) -> (String, u32) {
    let mut rng = Rng::new(0x00e8_91a2 ^ seed);
    let ranks = 3 + rng.below(2);
    let phases = 1 + rng.below(2);
    let mut codes = vec![Vec::new(); ranks];
    for phase in 0..phases {
        for (rank, code) in self::phase(&mut rng, ranks).into_iter().enumerate() {
            codes[rank].extend(code);
        }
        if phase + 1 < phases {
            codes.iter_mut().for_each(|code| code.push("MPI_Barrier(MPI_COMM_WORLD);".to_string()));
        }
    }
    let mut text = BEGIN.to_string();
    for (rank, code) in codes.iter().enumerate() {
        text += &format!("    if (me == {rank}) {{\n");
        code.iter().for_each(|line| text += &format!("        {line}\n"));
        text += "    }\n";
    }
    (text + END, ranks as u32)
}

/// What each rank does until all messages are taken: two thirds of them go to one rank.
fn phase(rng: &mut Rng, ranks: usize) -> Vec<Vec<String>> {
    let favourite = rng.below(ranks);
    let (mut sends, mut receives) = (vec![Vec::new(); ranks], vec![Vec::new(); ranks]);
    for _ in 0..2 + rng.below(MOST_MESSAGES - 1) {
        let to = if rng.below(3) > 0 { favourite } else { rng.below(ranks) };
        let from = (to + 1 + rng.below(ranks - 1)) % ranks;
        let tag = rng.below(2);
        sends[from].push(send(rng, to, tag));
        receives[to].push((from, tag));
    }
    let receives = receives.into_iter().map(|taken| receive_all(rng, &taken, ranks)).collect::<Vec<_>>();
    let both = sends.into_iter().zip(receives);
    both.map(|(sends, receives)| {
        let is_before = rng.below(2) == 0;
        if is_before { [sends, receives].concat() } else { [receives, sends].concat() }
    })
    .collect()
}

fn send(rng: &mut Rng, to: usize, tag: usize) -> String {
    match rng.below(4) {
        0 => format!("MPI_Ssend(&out, 1, MPI_INT, {to}, {tag}, MPI_COMM_WORLD);"),
        1 => format!(
            "MPI_Isend(&out, 1, MPI_INT, {to}, {tag}, MPI_COMM_WORLD, &own); MPI_Wait(&own, MPI_STATUS_IGNORE);"
        ),
        _ => format!("MPI_Send(&out, 1, MPI_INT, {to}, {tag}, MPI_COMM_WORLD);"),
    }
}

/// Takes as many messages as there are, one in four by its source and the others from any.
fn receive_all(rng: &mut Rng, messages: &[(usize, usize)], ranks: usize) -> Vec<String> {
    let pattern = |rng: &mut Rng, (from, tag): (usize, usize)| {
        let source = if rng.below(4) == 0 { from.to_string() } else { "MPI_ANY_SOURCE".to_string() };
        let tag = if rng.below(3) == 0 { tag.to_string() } else { "MPI_ANY_TAG".to_string() };
        format!("{source}, {tag}, MPI_COMM_WORLD")
    };
    let mut code = Vec::new();
    let mut left = messages;
    while let Some((&message, rest)) = left.split_first() {
        let how = rng.below(5);
        let envelope = pattern(rng, message);
        left = match (how, rest.split_first()) {
            (0, _) => {
                code.push(format!("MPI_Probe({envelope}, &status);"));
                code.push(
                    "MPI_Recv(in, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);".to_string(),
                );
                code.push("took(status.MPI_SOURCE);".to_string());
                rest
            }
            (1, Some((&second, rest))) => {
                let other = pattern(rng, second);
                for (at, envelope) in [envelope, other].iter().enumerate() {
                    code.push(format!("MPI_Irecv(in + {at}, 1, MPI_INT, {envelope}, &requests[{at}]);"));
                }
                for _ in 0..2 {
                    code.push("MPI_Waitany(2, requests, &which, &status);".to_string());
                    code.push(format!("took(status.MPI_SOURCE + which * {});", rng.below(2)));
                }
                rest
            }
            _ => {
                code.push(format!("MPI_Recv(in, 1, MPI_INT, {envelope}, &status);"));
                code.push("took(status.MPI_SOURCE);".to_string());
                rest
            }
        };
        if rng.below(3) == 0 {
            code.push(claim(rng, ranks));
        }
    }
    code
}

/// What a rank says of what it has taken so far.
fn claim(rng: &mut Rng, ranks: usize) -> String {
    let rank = rng.below(ranks);
    match rng.below(4) {
        0 => format!("assert(order[(seen - 1) % 8] != {rank});"),
        1 => format!("assert(!(seen > 1 && order[(seen - 1) % 8] == {rank} && order[(seen - 2) % 8] < {rank}));"),
        2 => format!("assert(!(seen > 2 && order[0] == {rank} && order[2] != {}));", rng.below(ranks)),
        _ => "assert(!(seen > 1 && order[seen - 1] > order[0] && order[seen - 2] >= order[0]));".to_string(),
    }
}
