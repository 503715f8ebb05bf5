//! Random programs of [`crate::campaign`] as C, one operation a line, so that each has a line to blame.

use crate::campaign::features::{Feature, Features};
use crate::campaign::generate;
use crate::campaign::program::{Number, Op, Program};
use smpi_base::rng::Rng;

const BEGIN: &str = r#"#include <assert.h>
#include <mpi.h>
#define MOST 24
static int me, ranks, flag, in[16], out[16], boxes[2 * MOST][16], ones[16] = {1, 1, 1, 1};
static char room[10000];
static MPI_Request requests[MOST];
static MPI_Status status;
static MPI_Message message;
static MPI_Comm twin, half, fresh;
"#;

const END: &str = r#"    MPI_Waitall(MOST, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < MOST; k++)
        if (requests[k] != MPI_REQUEST_NULL)
            MPI_Request_free(&requests[k]);
    MPI_Comm_free(&twin);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
"#;

/// The program of a seed and its number of ranks; what cannot be written is left out, with the next seed in its place.
pub fn program(seed: u64) -> (String, u32) {
    use Feature::*;
    let features =
        Features::all_but(&[Cancel, Branches, Mistakes, Mixtures, Messages, Freed, Intercommunicators, Tests]);
    let mut rng = Rng::new(seed);
    loop {
        let program = generate::program(rng.next_u64(), &features);
        if let Some(text) = written(&program) {
            return (text, program.ranks.len() as u32);
        }
    }
}

fn written(program: &Program) -> Option<String> {
    let mut text = BEGIN.to_string();
    for (rank, code) in program.ranks.iter().enumerate() {
        text += &format!("static void rank_{rank}(void) {{\n");
        for op in code {
            lines(op)?.iter().for_each(|line| text += &format!("    {line}\n"));
        }
        text += "}\n";
    }
    text += "int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &half);
    MPI_Buffer_attach(room, sizeof room);
    for (int k = 0; k < MOST; k++)
        requests[k] = MPI_REQUEST_NULL;
";
    (0..program.ranks.len()).for_each(|rank| text += &format!("    if (me == {rank})\n        rank_{rank}();\n"));
    Some(text + END)
}

fn lines(op: &Op) -> Option<Vec<String>> {
    let comm = match op.comm {
        'w' => "MPI_COMM_WORLD",
        'd' => "twin",
        'h' => "half",
        _ => return None,
    };
    let stem = op.name.strip_prefix(['i', 'p']).filter(|_| op.makes.is_some()).unwrap_or(&op.name);
    let is_persistent = op.makes.is_some() && op.name.starts_with('p');
    let number = match op.number {
        Number::Is(value) | Number::Request(value) => value,
        _ => 0,
    };
    let peer = if op.number == Number::Any { "MPI_ANY_SOURCE".to_string() } else { number.to_string() };
    let tag = op.tag.map_or("MPI_ANY_TAG".to_string(), |tag| tag.to_string());
    let request = format!("&requests[{}]", op.makes.unwrap_or(number));
    if let Some(name) = ["send", "ssend", "bsend", "rsend", "recv"].into_iter().find(|name| *name == stem) {
        return Some(message(op, name, is_persistent, &format!("{peer}, {tag}, {comm}"), &request));
    }
    if op.is_collective() && stem != "dup" && stem != "split" {
        return collective(op, stem, is_persistent, (&peer, comm, &request));
    }
    let look = |call: &str, last: &str| format!("{call}({peer}, {tag}, {comm}, {last});");
    Some(match op.name.as_str() {
        "mrecv" => {
            vec![look("MPI_Mprobe", "&message, &status"), "MPI_Mrecv(in, 16, MPI_INT, &message, &status);".into()]
        }
        "probe" => vec![look("MPI_Probe", "&status")],
        "pollprobe" => {
            vec!["flag = 0;".into(), "while (!flag)".into(), "    ".to_string() + &look("MPI_Iprobe", "&flag, &status")]
        }
        "sendrecv" => vec![format!(
            "MPI_Sendrecv(out, 1, MPI_INT, {peer}, {tag}, in, 16, MPI_INT, MPI_ANY_SOURCE, {tag}, {comm}, &status);"
        )],
        "partsend" => vec![format!(
            "MPI_Psend_init(boxes[{}], 2, 6, MPI_INT, {peer}, {tag}, {comm}, MPI_INFO_NULL, {request});",
            op.makes?
        )],
        "partrecv" => vec![format!(
            "MPI_Precv_init(boxes[{}], 3, 4, MPI_INT, {peer}, {tag}, {comm}, MPI_INFO_NULL, {request});",
            op.makes?
        )],
        "ready" => vec![format!("MPI_Pready({}, requests[{number}]);", op.tag? % 2)],
        "start" => vec![format!("MPI_Start({request});")],
        "wait" => vec![format!("MPI_Wait({request}, &status);")],
        "waitall" => vec!["MPI_Waitall(MOST, requests, MPI_STATUSES_IGNORE);".into()],
        "dup" => vec![format!("MPI_Comm_dup({comm}, &fresh);"), "MPI_Comm_free(&fresh);".into()],
        "split" => vec![format!("MPI_Comm_split({comm}, me % 2, 0, &fresh);"), "MPI_Comm_free(&fresh);".into()],
        _ => return None,
    })
}

/// Sends and receives. Who is named is who it was.
fn message(op: &Op, stem: &str, is_persistent: bool, to: &str, request: &str) -> Vec<String> {
    let (is_receive, is_blocking) = (stem == "recv", op.makes.is_none());
    let name = if is_blocking || is_persistent { capital(stem) } else { format!("I{stem}") };
    let end = if is_persistent { "_init" } else { "" };
    let buffer = match op.makes {
        Some(id) => format!("boxes[{id}]"),
        None if is_receive => "in".into(),
        None => "out".into(),
    };
    let count = if is_receive || op.large { 16 } else { 1 };
    let last = match (is_blocking, is_receive) {
        (true, true) => ", &status".to_string(),
        (true, false) => String::new(),
        (false, _) => format!(", {request}"),
    };
    let mut lines = vec![format!("MPI_{name}{end}({buffer}, {count}, MPI_INT, {to}{last});")];
    if let (true, true, Number::Is(source)) = (is_blocking, is_receive, op.number) {
        lines.push(format!("assert(status.MPI_SOURCE == {source});"));
    }
    lines
}

fn collective(
    op: &Op,
    stem: &str,
    is_persistent: bool,
    (root, comm, request): (&str, &str, &str),
) -> Option<Vec<String>> {
    let place =
        op.makes.map_or(["out".into(), "in".into()], |id| [format!("boxes[{id}]"), format!("boxes[MOST + {id}]")]);
    let [from, to] = place;
    let (name, arguments) = match stem {
        "barrier" => ("barrier", String::new()),
        "bcast" => ("bcast", format!("{to}, 1, MPI_INT, {root}, ")),
        "reduce" => ("reduce", format!("{from}, {to}, 1, MPI_INT, MPI_SUM, {root}, ")),
        "gather" | "scatter" => (stem, format!("{from}, 1, MPI_INT, {to}, 1, MPI_INT, {root}, ")),
        "allgather" | "alltoall" => (stem, format!("{from}, 1, MPI_INT, {to}, 1, MPI_INT, ")),
        "allreduce" | "scan" | "exscan" => (stem, format!("{from}, {to}, 1, MPI_INT, MPI_SUM, ")),
        "redscat" => ("reduce_scatter", format!("{from}, {to}, ones, MPI_INT, MPI_SUM, ")),
        _ => return None,
    };
    let line = match (op.makes, is_persistent) {
        (None, _) => format!("MPI_{}({arguments}{comm});", capital(name)),
        (_, false) => format!("MPI_I{name}({arguments}{comm}, {request});"),
        (_, true) => format!("MPI_{}_init({arguments}{comm}, MPI_INFO_NULL, {request});", capital(name)),
    };
    Some(vec![line])
}

fn capital(name: &str) -> String {
    name[..1].to_uppercase() + &name[1..]
}
