//! What is measured on both sides: programs of `tests/times` and the NAS benchmarks, on which platform, with which
//! settings.
//!
//! Settings are those of SMPI. A run with a reason in [`Run::deviates`] may have measurements of its own in the file of
//! records; all others must be as SMPI says.

use crate::times::collectives;
use crate::times::run::{Program, Run, TOPOLOGIES};

/// All runs, about 550.
pub fn runs() -> Vec<Run> {
    [messages(), models(), contention(), topologies(), collectives::runs(), nas()].concat()
}

/// Patterns of `messages.c` that both sides can do with messages of any size and protocol.
const PATTERNS: &str = "send send-early send-late ssend ssend-early ssend-late rsend-late bsend-early issend-early \
                        isend-sleeps irecv-sleeps exchange exchange-in-place ping-pong in-a-row at-once any-first \
                        persistent-once polled probed-often to-itself";

/// The last size of each row of the model's table and the first of the next; 16 bytes are the envelope's.
const FACTOR_BORDERS: &str = "241,242,716,717,1410,1411,3468,3469,5760,5761,9360,9361,15408,15409,65456,65457";

/// Processor time of sends and receives, in two sections.
const OVERHEADS: &str = "smpi/os:0:1e-5:1e-9;4096:3e-5:2e-9 smpi/ois:0:2e-5:1e-9;4096:4e-5:3e-9 \
                         smpi/or:0:0.5e-5:1e-9;4096:2.5e-5:1.5e-9";

/// Point-to-point protocols.
fn messages() -> Vec<Run> {
    let run = |name: &str, args: &str| Run::new(name, Program::Slots("messages"), 2, "crossbar", args);
    let all = |name: &str, sizes: &str| run(name, &format!("{sizes} {PATTERNS}"));
    vec![
        all("messages/protocols", "0,1000,65535,65536,1000000"),
        run("messages/factors", &format!("{FACTOR_BORDERS} send exchange")),
        all("messages/eager", "0,4095,4096,65536").with("smpi/async-small-thresh:4096"),
        all("messages/rendezvous", "0,1000,1000000").with("smpi/send-is-detached-thresh:0"),
        all("messages/overheads", "0,1000,4096,4097,65536")
            .with(OVERHEADS)
            .because("MPI_Waitall charges receives when all messages are there; in SMPI each when it is there"),
        Run::new(
            "messages/overheads-collective",
            Program::Slots("collectives"),
            8,
            "crossbar",
            "allreduce 8 960,99840",
        )
        .with(OVERHEADS)
        .because("messages of collective operations have no overheads here"),
        run("messages/polls", "1000,1000000 polled probed-often")
            .with("smpi/test:1e-6 smpi/iprobe:3e-6 smpi/grow-injected-times:no"),
        // SMPI 3.32 does not start persistent requests of small messages twice.
        run("messages/persistent", "65536,1000000 persistent"),
        run("messages/probed", "1000,65536 probed").because("MPI_Probe waits here; in SMPI it is a loop of MPI_Iprobe"),
    ]
}

/// Models and their constants.
fn models() -> Vec<Run> {
    let run = |name: &str, settings: &str| {
        let args = "1000,65536,1000000 send exchange at-once any-first";
        Run::new(name, Program::Slots("messages"), 2, "crossbar", args).with(settings)
    };
    let inside = |name: &str, platform: &'static str| {
        let args = "0,1000,65536,1000000 send exchange at-once to-itself";
        Run::new(name, Program::Slots("messages"), 2, platform, args).per_host(2)
    };
    vec![
        run("models/LV08", "network/model:LV08"),
        run("models/CM02", "network/model:CM02"),
        run("models/no-crosstraffic", "network/crosstraffic:no"),
        run("models/window", "network/TCP-gamma:10000 network/weight-S:100"),
        run("models/factors", "smpi/lat-factor:0:1.5;1000:2.5 smpi/bw-factor:0:0.9;65552:0.5"),
        inside("models/inside-a-host", "links"),
        inside("models/loopback", "backbone"),
        inside("models/no-loopback", "crossbar"),
        inside("models/loopback-shared", "shared"),
    ]
}

/// Messages that compete for links.
fn contention() -> Vec<Run> {
    let run = |name: &str, ranks: u32, platform: &'static str| {
        Run::new(name, Program::Slots("contention"), ranks, platform, "5000,65536,300000")
    };
    vec![
        run("contention/crossbar", 8, "crossbar"),
        run("contention/crossbar-3-per-host", 9, "crossbar").per_host(3),
        run("contention/backbone-3-per-host", 9, "backbone").per_host(3),
        run("contention/shared", 8, "shared"),
        run("contention/fatpipe", 8, "fatpipe"),
        run("contention/two", 11, "two"),
        run("contention/links", 6, "links"),
        run("contention/links-2-per-host", 6, "links").per_host(2),
    ]
}

/// Messages of all sizes, patterns and collectives on networks that are more than a switch.
fn topologies() -> Vec<Run> {
    let sizes = "1,10,100,1000,10000,100000,1000000,4194304,16777216";
    let of_platform = |platform: &'static str| {
        let run = |what: &str, program: &'static str, ranks: u32, args: &str| {
            Run::new(&format!("topologies/{platform}/{what}"), Program::Slots(program), ranks, platform, args)
        };
        vec![
            run("messages", "messages", 2, &format!("{sizes} send exchange")),
            run("contention", "contention", 16, "5000,65536,300000"),
            run("allreduce", "collectives", 16, "allreduce 16 960,99840"),
            run("alltoall", "collectives", 16, "alltoall 16 960,99840"),
        ]
    };
    let switches = ["crossbar", "backbone", "shared", "fatpipe"].map(|platform| {
        let name = format!("topologies/{platform}/messages");
        Run::new(&name, Program::Slots("messages"), 2, platform, &format!("{sizes} send exchange"))
    });
    TOPOLOGIES.into_iter().flat_map(of_platform).chain(switches).collect()
}

/// The NAS benchmarks: class S, and class W with two ranks on a host.
fn nas() -> Vec<Run> {
    let run = |name: &str, program: &'static str, ranks: u32, args: &str| {
        Run::new(&format!("nas/{name}"), Program::Nas(program), ranks, "crossbar", args)
    };
    let larger =
        |name: &'static str| Run::new(&format!("nas-W/{name}"), Program::Nas(name), 16, "crossbar", "W").per_host(2);
    let class_s = [
        run("bt", "bt", 4, "S"),
        run("cg", "cg", 4, "S"),
        run("dt-BH", "dt", 5, "BH S"),
        run("dt-WH", "dt", 5, "WH S"),
        run("dt-SH", "dt", 12, "SH S"),
        run("ep", "ep", 4, "S"),
        run("ft", "ft", 4, "S"),
        run("is", "is", 4, "S"),
        run("lu", "lu", 4, "S"),
        run("mg", "mg", 4, "S"),
        run("sp", "sp", 4, "S"),
    ];
    class_s.into_iter().chain(["bt", "cg", "ep", "ft", "is", "lu", "mg", "sp"].map(larger)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_have_no_comma() {
        let runs = runs();
        let names: BTreeSet<&str> = runs.iter().map(|run| run.name.as_str()).collect();
        assert_eq!(names.len(), runs.len());
        assert!(!names.iter().any(|name| name.contains(',')));
    }
}
