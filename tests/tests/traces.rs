//! Time-independent traces: what is refused and how, deadlocks, one file or many, and times that are known.
//!
//! That replays take the time of the recorded runs is tested with every program (`programs.rs`).
#![forbid(unsafe_code)]

use smpi_tests::place::{Place, text};
use smpi_tests::traces::{self, Outcome};
use std::path::Path;

const PLATFORM: &str = "
[[host]]
name = \"a\"
speed = \"1Gf\"

[[host]]
name = \"b\"
speed = \"2Gf\"

[[link]]
name = \"l\"
bandwidth = \"1MBps\"
latency = \"1ms\"

[[route]]
src = \"a\"
dst = \"b\"
links = [\"l\"]
";

const PROGRAM: &str = "
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, size, value = 0, sum;
    MPI_Comm half;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Irecv(&value, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, half);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
";

fn simulated_secs(stderr: &[u8]) -> f64 {
    let said = text(stderr);
    let line = said.lines().find_map(|line| line.strip_prefix("simulated time:")).expect("a summary");
    line.trim().trim_end_matches(" s").parse().expect("seconds")
}

#[test]
fn computations_and_messages_take_what_they_take_in_programs() {
    let place = Place::new("traces-times");
    let platform = place.write("platform.toml", PLATFORM);
    let trace = place.write("trace.txt", "# both ranks\n0 init\n1 init\n0 compute 1e9\n1 compute 1e9\n1 sleep 0.25\n");
    let finished =
        place.smpirun(&["-platform", &platform, "--cfg=network/model:CM02", "-replay", &trace, "--summary"], 0);
    assert_eq!(simulated_secs(&finished.stderr), 1.0);
    // 10^6 + 16 bytes at 10^6 bytes per second, of which answers take a twentieth, after a millisecond, behind the
    // computation of the sender.
    let trace = place.write("message.txt", "0 compute 5e8\n0 send 1 7 1e6 6\n1 recv 0 7 1e6 6\n");
    let finished =
        place.smpirun(&["-platform", &platform, "--cfg=network/model:CM02", "-replay", &trace, "--summary"], 0);
    assert!((simulated_secs(&finished.stderr) - 1.551_016_8).abs() < 1e-9, "{}", text(&finished.stderr));
}

#[test]
fn wrong_traces_are_refused_with_the_line() {
    let place = Place::new("traces-refused");
    let cases = [
        ("0 init\n0 sing 1\n", "trace.txt:2", "the action \"sing\""),
        ("0 send 1 0\n1 recv 0 0 8\n", "trace.txt:1", "the number of elements"),
        ("0 send 9 0 8\n1 init\n", "trace.txt:1", "rank 9"),
        ("0 compute -5\n", "trace.txt:1", "flops"),
        ("0 compute 5 6\n", "trace.txt:1", "the end of the line"),
        ("0 bcast 8 4\n", "trace.txt:1", "a rank from 0 to 0"),
        ("0 wait_request 3\n", "trace.txt:1", "the request 3"),
        ("0 isend@35 0 0 8\n", "trace.txt:1", "a line \"comm\""),
        ("0 gatherv 8 1\n1 init\n", "trace.txt:1", "2 ranks"),
        ("0 comm 10 0 0-7 -\n", "trace.txt:1", "ranks below 1"),
        ("0 missing MPI_File_open at a.c:5\n", "trace.txt:1", "MPI_File_open at a.c:5"),
        ("# libsmpi time-independent trace 9\n0 init\n", "trace.txt:1", "version 9"),
        ("zero init\n", "trace.txt:1", "zero init"),
        ("# nothing\n", "trace.txt", "there is nothing in it"),
    ];
    for (trace, line, words) in cases {
        let file = place.write("trace.txt", trace);
        place.refused(&["-replay", &file], &[line, words]);
    }
    let file = place.write("trace.txt", "0 init\n1 init\n");
    place.refused(&["-np", "1", "-replay", &file], &["trace.txt:2", "leave out -np"]);
    place.refused(&["-replay", "no-such-trace"], &["no-such-trace", "expected a time-independent trace"]);
}

#[test]
fn ranks_that_wait_for_ever_are_named_with_their_lines() {
    let place = Place::new("traces-deadlock");
    let file = place.write("trace.txt", "0 init\n1 init\n0 recv 1 5 8\n1 compute 1e6\n1 recv 0 5 8\n");
    let finished = place.smpirun(&["-replay", &file], 3);
    let said = text(&finished.stderr);
    for words in ["deadlock at", "2 of 2 ranks wait forever", "trace.txt:3 waits for", "trace.txt:5 waits for"] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn a_trace_is_one_file_or_many() {
    let place = Place::new("traces-files");
    let program = place.compile("program", PROGRAM, &[]);
    let common = ["-np", "4", "--compute=off", "--summary", "-trace-ti"];
    let each = [&common[..], &["-trace-file", "each.txt", &program]].concat();
    let one =
        [&common[..], &["--cfg=tracing/smpi/format/ti-one-file:yes", "-trace-file", "one.txt", &program]].concat();
    let time = simulated_secs(&place.smpirun(&each, 0).stderr);
    assert_eq!(simulated_secs(&place.smpirun(&one, 0).stderr), time);
    for trace in ["each.txt", "one.txt", "one.txt_files/all-ranks.txt"] {
        let finished = place.smpirun(&["-replay", trace, "--summary"], 0);
        assert_eq!(simulated_secs(&finished.stderr), time, "{trace}");
    }
    // Another number of ranks: the first ones of a trace with a file for each, unless they speak with the others.
    place.refused(&["-np", "2", "-replay", "each.txt"], &["rank-0.txt:", "rank 3", "a rank from 0 to 1"]);
    assert!(Path::new(&place.directory).join("each.txt_files/rank-3.txt").is_file());
}

/// A trace that was cut, or whose recording was killed, has no time.
#[test]
fn a_trace_that_was_cut_is_refused() {
    let place = Place::new("traces-cut");
    let program = place.compile("program", PROGRAM, &[]);
    place.smpirun(&["-np", "2", "-trace-ti", "-trace-file", "cut.txt", &program], 0);
    let cut = |name: &str| {
        let lines = std::fs::read_to_string(place.directory.join(name)).unwrap();
        let lines: Vec<&str> = lines.split_inclusive('\n').collect();
        place.write(name, &lines[..lines.len() / 2].concat());
    };
    cut("cut.txt_files/rank-0.txt");
    cut("cut.txt_files/rank-1.txt");
    place.refused(&["-replay", "cut.txt"], &["rank-0.txt:", "record it again"]);
    let one = "--cfg=tracing/smpi/format/ti-one-file:yes";
    place.smpirun(&["-np", "2", one, "-trace-ti", "-trace-file", "one.txt", &program], 0);
    cut("one.txt_files/all-ranks.txt");
    place.refused(&["-replay", "one.txt"], &["all-ranks.txt:"]);
    place.smpirun(&["-np", "2", "-trace-ti", "-trace-file", "last.txt", &program], 0);
    let name = "last.txt_files/rank-1.txt";
    let lines = std::fs::read_to_string(place.directory.join(name)).unwrap();
    place.write(name, lines.split_once("1 finalize").unwrap().0);
    place.refused(&["-replay", "last.txt"], &["rank-1.txt:", "rank 1 breaks off"]);
    // Others write traces by hand.
    let foreign = place.write("foreign.txt", "0 init\n1 init\n0 compute 1e9\n");
    assert!(text(&place.smpirun(&["-replay", &foreign], 0).stderr).contains("no rank's trace comes to finalize"));
    let whole = place.write("whole.txt", "0 init\n1 init\n0 compute 1e9\n0 finalize\n1 finalize\n");
    assert_eq!(text(&place.smpirun(&["-replay", &whole], 0).stderr), "");
}

/// Few files may be open: a trace has one for each rank all the same. Nobody writes one that somebody else is writing.
#[test]
fn a_trace_is_written_by_one_run_with_few_files() {
    let place = Place::new("traces-few");
    let program = place.compile("program", PROGRAM, &[]);
    let smpirun = place.tool("smpirun");
    let line = format!("ulimit -n 40; {smpirun} --compute=off -np 60 -trace-ti {program}");
    place.run_words(&["bash", "-c", &line], 0);
    place.smpirun(&["-replay", "smpi_simgrid.txt"], 0);
    let line = format!("exec 9<smpi_simgrid.txt_files; flock 9; {smpirun} --compute=off -trace-ti {program}");
    let refused = place.run_words(&["bash", "-c", &line], 2);
    assert!(text(&refused.stderr).contains("another run writes this trace"), "{}", text(&refused.stderr));
}

#[test]
fn what_a_trace_cannot_hold_is_said() {
    let place = Place::new("traces-missing");
    let source = "
        #include <mpi.h>
        int main(int argc, char **argv) {
            MPI_File file;
            MPI_Init(&argc, &argv);
            MPI_File_open(MPI_COMM_WORLD, \"data\", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
            MPI_File_close(&file);
            MPI_Finalize();
            return 0;
        }";
    let program = place.compile("program", source, &["-g"]);
    let finished = place.smpirun(&["-np", "2", "-trace-ti", &program], 0);
    let said = text(&finished.stderr);
    assert!(said.contains("MPI_File_open in main") && said.contains("program.c:6"), "{said}");
    place.refused(&["-replay", "smpi_simgrid.txt"], &["rank-0.txt:", "MPI_File_open"]);
}

/// Ranks that compute up to a call that only asks something, while others post messages.
const COMPUTING: &str = "
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 200; round++) {
        volatile double sum = 0.0;
        for (int step = 0; step < 1000 * (1 + (rank + round) % 3); step++)
            sum += step;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank + 1) % 3, 0, (rank + 2) % 3, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
";

#[test]
fn what_others_post_while_a_rank_computes_is_not_its_own() {
    let place = Place::new("traces-computing");
    let program = place.compile("program", COMPUTING, &["-O1"]);
    // Dates within a tenth of a millisecond are one, so that ranks go on at the same time.
    let together = "--cfg=precision/timing:1e-4";
    let words = [&place.tool("smpirun"), "--compute=scaled:1", together, "-np", "3", &program].map(ToString::to_string);
    assert_eq!(traces::compare(&words, &place.directory, &[], 60, 0), Ok(Outcome::Same));
}

/// Reduce_scatter with SMPI's default selector depends on whether all blocks are equally long. Seconds of SMPI 3.32:
/// `smpirun -np 4 -platform cluster.xml -hostfile hosts -replay trace.txt` with these files. They have six
/// decimals.
#[test]
fn reduce_scatter_takes_the_time_of_smpi() {
    const CLUSTER: &str = "<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">
<platform version=\"4.1\">
  <cluster id=\"c\" prefix=\"node-\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" bw=\"125MBps\" lat=\"50us\"/>
</platform>
";
    let place = Place::new("traces-reduce-scatter");
    let platform = place.write("cluster.xml", CLUSTER);
    let hosts = place.write("hosts", "node-0\nnode-1\nnode-2\nnode-3\n");
    for (counts, flops, smpi_secs) in [
        ("10000 10000 10000 10000", "0", 0.012535),
        ("100 100 100 101", "0", 0.000378),
        ("11436 11436 11436 11437", "0", 0.006414),
        ("275427 275427 275427 204020", "0", 0.062520),
        ("275427 275427 275427 204020", "5e7", 0.112520),
    ] {
        let line = |rank| format!("{rank} init\n{rank} reducescatter {counts} {flops} 0\n{rank} finalize\n");
        let trace = place.write("trace.txt", &(0..4).map(line).collect::<String>());
        let words = ["-platform", &platform, "-hostfile", &hosts, "--cfg=smpi/coll-selector:default", "--summary"];
        let secs = simulated_secs(&place.smpirun(&[&words[..], &["-replay", &trace]].concat(), 0).stderr);
        assert!((secs - smpi_secs).abs() <= 6e-7, "{counts}, {flops} flops: {secs} s, {smpi_secs} s with SMPI");
    }
}
