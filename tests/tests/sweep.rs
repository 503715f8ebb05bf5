//! `smpirun sweep`: all combinations are run, once; an interrupted sweep goes on; failures stay apart; the table, CSV
//! and the page have the times that were computed by hand.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use smpi_tests::place::{Place, text};

/// Shares 1e9 flops among its ranks, and notes in the file `ran` that it ran. With three ranks and an argument it
/// fails.
const PROGRAM: &str = "#include <mpi.h>\n#include <smpi/smpi.h>\n#include <stdio.h>\n\
    int main(int argc, char **argv) { int rank, size; MPI_Init(&argc, &argv);\n\
      MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &size);\n\
      if (rank == 0) { FILE *f = fopen(\"ran\", \"a\"); fputs(\"x\", f); fclose(f); }\n\
      smpi_execute_flops(1e9 / size);\n\
      if (size == 3 && argc > 1) { fprintf(stderr, \"three, with %s\\n\", argv[1]); return 7; }\n\
      MPI_Finalize(); return 0; }\n";

/// Computes for a while that is long enough to be interrupted.
const SLOW: &str = "#include <mpi.h>\n\
    int main(int argc, char **argv) { MPI_Init(&argc, &argv);\n\
      for (volatile long i = 0; i < 80000000; i++) { }\n\
      MPI_Finalize(); return 0; }\n";

fn platform(place: &Place, name: &str, speed: &str) {
    let text = format!(
        "[[cluster]]\nname = \"n\"\nhosts = 4\nspeed = \"{speed}\"\nlatency = \"0us\"\nbandwidth = \"1GBps\"\n\
         [network]\nmodel = \"raw\"\n"
    );
    place.write(name, &text);
}

fn study(place: &Place, program: &str, ranks: &str) {
    platform(place, "slow.toml", "1Gf");
    platform(place, "fast.toml", "2Gf");
    let text = format!(
        "[study]\nranks = {ranks}\nplatforms = [\"slow.toml\"]\n[[platform]]\npath = \"fast.toml\"\ncost_per_hour = 36.0\n\
         [[program]]\npath = \"app\"\n{program}"
    );
    place.write("study.toml", &text);
}

/// How often the program ran.
fn runs(place: &Place) -> usize {
    std::fs::read(place.directory.join("ran")).map_or(0, |bytes| bytes.len())
}

fn sweep(place: &Place, options: &[&str], code: i32) -> (String, String) {
    let smpirun = place.tool("smpirun");
    let finished = place.run_words(&[&[smpirun.as_str(), "sweep", "study.toml"], options].concat(), code);
    (text(&finished.stdout), text(&finished.stderr))
}

fn read(place: &Place, name: &str) -> String {
    std::fs::read_to_string(place.directory.join(name)).unwrap()
}

#[test]
fn what_has_run_is_not_run_again() {
    let place = Place::new("sweep");
    place.compile("app", PROGRAM, &[]);
    study(&place, "", "[2, 4]");
    let options = ["--csv", "table.csv", "--html", "page.html"];
    let (table, said) = sweep(&place, &options, 0);
    assert_eq!(said, "4 runs: 4 made, 0 there already, 0 failed\n");
    assert_eq!(runs(&place), 4);
    let csv = read(&place, "table.csv");
    let rows: Vec<Vec<&str>> = csv.lines().skip(1).map(|line| line.split(',').collect()).collect();
    // Computation is shared equally: each rank has all of the run's time for it. Two or four hosts at 36 an hour.
    let expected =
        [("slow", "2", 0.5, ""), ("slow", "4", 0.25, ""), ("fast", "2", 0.25, "0.005"), ("fast", "4", 0.125, "0.005")];
    assert_eq!(rows.len(), expected.len());
    for (row, (platform, ranks, secs, cost)) in rows.iter().zip(expected) {
        assert_eq!((row[0], row[1], row[2], row[3]), ("app", platform, "", ranks), "{csv}");
        let number = |column: usize| row[column].parse::<f64>().unwrap();
        assert!((number(4) - secs).abs() < 1e-6, "{csv}");
        assert!((number(6) - ranks.parse::<f64>().unwrap()).abs() < 1e-3 && (number(7) - 1.0).abs() < 1e-3, "{csv}");
        assert!((number(8) - 1.0).abs() < 1e-4, "{csv}");
        assert_eq!((row[13], row[14].get(..cost.len()), row[15]), (ranks, Some(cost), "0"), "{csv}");
    }
    let page = read(&place, "page.html");
    assert!(page.contains("<svg") && page.contains("speed-up against ranks") && page.contains("cost against ranks"));
    // The second call reads all of it, and says the same.
    let (again, said) = sweep(&place, &options, 0);
    assert_eq!(said, "4 runs: 0 made, 4 there already, 0 failed\n");
    assert_eq!((runs(&place), again, read(&place, "table.csv"), read(&place, "page.html")), (4, table, csv, page));
    // Another platform of the same name is another run; so is another program.
    platform(&place, "fast.toml", "4Gf");
    let (table, said) = sweep(&place, &["--jobs", "1", "--launch", "env A=b"], 0);
    assert_eq!(said, "4 runs: 2 made, 2 there already, 0 failed\n");
    assert!(table.contains("0.0625"), "{table}");
    place.compile("app", &PROGRAM.replace("1e9", "2e9"), &[]);
    assert_eq!(sweep(&place, &[], 0).1, "4 runs: 4 made, 0 there already, 0 failed\n");
}

#[test]
fn failures_are_kept_and_stop_nothing() {
    let place = Place::new("sweep-failures");
    place.compile("app", PROGRAM, &[]);
    study(&place, "args = [\"x{ranks}\"]\n", "[1, 3, 4]");
    let (table, said) = sweep(&place, &["--csv", "table.csv"], 1);
    assert_eq!(said, "6 runs: 6 made, 0 there already, 2 failed\n");
    assert!(table.contains("failed: 7") && table.contains("three, with x3"), "{table}");
    assert!(read(&place, "table.csv").contains(",7,\""), "{}", read(&place, "table.csv"));
    assert_eq!(sweep(&place, &[], 1).1, "6 runs: 0 made, 6 there already, 2 failed\n");
    assert_eq!(sweep(&place, &["--retry"], 1).1, "6 runs: 2 made, 4 there already, 2 failed\n");
    // A launcher that does not launch is not the program's failure: it is not kept.
    let (table, said) = sweep(&place, &["--cache", "other", "--launch", "./no-such-launcher"], 1);
    assert_eq!(said, "6 runs: 6 made, 0 there already, 6 failed\n");
    assert!(table.contains("cannot run ./no-such-launcher: no such file"), "{table}");
    assert!(!place.directory.join("other").exists(), "a cache that keeps nothing was left behind");
    assert_eq!(sweep(&place, &["--cache", "other"], 1).1, "6 runs: 6 made, 0 there already, 2 failed\n");
}

#[test]
fn what_a_study_reads_is_not_written() {
    let place = Place::new("sweep-outputs");
    place.compile("app", PROGRAM, &[]);
    study(&place, "files = [\"input\"]\n", "[1]");
    place.write("input", "x");
    for (options, names) in [
        (&["--csv", "study.toml"][..], &["--csv study.toml", "the study reads"][..]),
        (&["--html", "./fast.toml"], &["--html ./fast.toml", "the study reads"]),
        (&["--csv", "app"], &["--csv app", "a program of the study reads"]),
        (&["--csv", "input"], &["--csv input", "a program of the study reads"]),
        (&["--csv", "x", "--html", "./x"], &["--html ./x", "--csv writes"]),
        (&["--csv", "no/x"], &["--csv no/x", "no directory no"]),
    ] {
        let said = sweep(&place, options, 2).1;
        assert!(names.iter().all(|name| said.contains(name)), "{options:?}: {said}");
    }
    assert_eq!(runs(&place), 0);
}

#[test]
fn a_broken_platform_is_refused_before_anything_runs() {
    let place = Place::new("sweep-broken");
    place.compile("app", PROGRAM, &[]);
    for (text, names) in [
        ("[[cluster]]\nname = 3\n", &["study.toml:5:8: no run can use this platform: fast.toml:2:8", "write name"][..]),
        ("[[host]]\nname = \"n\"\nspeed = \"1Gf\"\n[network]\nmodel = \"wet\"\n", &["study.toml:5:8:", "wet"]),
        ("", &["study.toml:5:8:", "fast.toml"]),
        ("<platform version=\"4.1\"><zone>", &["study.toml:5:8:", "fast.toml"]),
    ] {
        study(&place, "", "[1]");
        place.write("fast.toml", text);
        let said = sweep(&place, &[], 2).1;
        assert!(said.starts_with("smpirun: error: ") && names.iter().all(|name| said.contains(name)), "{text}: {said}");
    }
    study(&place, "[[setting]]\nname = \"x\"\ncfg = [\"network/latency-facto:2\"]\n", "[1]");
    let said = sweep(&place, &[], 2).1;
    assert!(said.contains("study.toml:11:8: there is no setting") && said.contains("did you mean"), "{said}");
    assert_eq!(runs(&place), 0);
}

#[test]
fn recorded_computation_is_shared_and_kept() {
    let place = Place::new("sweep-recorded");
    let program = "#include <mpi.h>\nint main(int argc, char **argv) { MPI_Init(&argc, &argv);\n\
        for (volatile int i = 0; i < 3000000; i++) { }\nMPI_Finalize(); return 0; }\n";
    place.compile("app", program, &[]);
    study(&place, "", "[1, 2]\ncompute = \"recorded\"\nrepeat = 2");
    let (table, said) = sweep(&place, &["--csv", "table.csv"], 0);
    assert_eq!(said, "8 runs: 8 made, 0 there already, 0 failed\n");
    assert_eq!(std::fs::read_dir(place.directory.join("study.cache/recordings")).unwrap().count(), 4);
    let csv = read(&place, "table.csv");
    let times: Vec<f64> = csv.lines().skip(1).map(|line| line.split(',').nth(4).unwrap().parse().unwrap()).collect();
    // The same flops on a platform that is twice as fast.
    for ranks in 0..2 {
        let (slow, fast) = (times[ranks], times[ranks + 2]);
        assert!(slow > 0.0 && (slow / fast - 2.0).abs() < 1e-3, "{csv}");
    }
    let (again, said) = sweep(&place, &[], 0);
    assert_eq!((again, said.as_str()), (table, "8 runs: 0 made, 8 there already, 0 failed\n"));
}

/// The tasks of a job array, several at once, and one of them twice, as Slurm makes one again whose node is lost.
#[test]
fn tasks_of_a_job_array_make_each_run_once() {
    let place = Place::new("sweep-array");
    place.compile("app", PROGRAM, &[]);
    study(&place, "", "[1, 2, 4]");
    sweep(&place, &["--csv", "alone.csv", "--cache", "alone"], 0);
    let script = sweep(&place, &["--slurm", "--jobs", "3"], 0).0;
    assert!(script.contains("#SBATCH --array=1-6%3\n") && !place.directory.join("study.cache").exists(), "{script}");
    place.write("job.sh", &script);
    let status = || sweep(&place, &["--status"], 0).0;
    assert_eq!(status(), "6 runs: 0 made, 0 of them failed, 0 under way, 6 left\n");
    let task = |words: &[&str]| {
        let mut command = Command::new("bash");
        command.arg("job.sh").args(words).current_dir(&place.directory);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let ends = |child: Child| {
        let ended = child.wait_with_output().unwrap();
        assert_eq!((ended.status.code(), text(&ended.stdout)), (Some(0), String::new()), "{}", text(&ended.stderr));
        text(&ended.stderr)
    };
    let tasks: Vec<Child> = ["1", "2", "3", "4"].iter().map(|number| task(&[number])).collect();
    tasks.into_iter().for_each(|child| assert_eq!(ends(child), "1 run: 1 made, 0 there already, 0 failed\n"));
    assert!(status().starts_with("6 runs: 4 made, 0 of them failed, 0 under way, 2 left\n  "), "{}", status());
    assert_eq!(ends(task(&["4"])), "1 run: 0 made, 1 there already, 0 failed\n");
    assert_eq!(sweep(&place, &["--csv", "table.csv"], 0).1, "6 runs: 2 made, 4 there already, 0 failed\n");
    assert_eq!(read(&place, "table.csv"), read(&place, "alone.csv"));
    assert_eq!((runs(&place), kept(&place.directory)), (12, 6));
    assert!(sweep(&place, &["--share", "7/6"], 2).1.contains("such as 3/64"));
    // What shares a recording is one task.
    study(&place, "", "[1, 2]\ncompute = \"recorded\"\nrepeat = 2");
    assert!(sweep(&place, &["--slurm"], 0).0.contains("#SBATCH --array=1-4\n"));
    assert_eq!(sweep(&place, &["--share", "2/4"], 0).1, "2 runs: 2 made, 0 there already, 0 failed\n");
}

/// A sweep of slow runs, and how many results there are.
fn begin(place: &Place) -> (Child, usize) {
    let mut command = Command::new(place.tool("smpirun"));
    command.args(["sweep", "study.toml", "--jobs", "1"]).current_dir(&place.directory);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while kept(&place.directory) == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it has ended without a result");
        std::thread::sleep(Duration::from_millis(10));
    }
    (child, 6)
}

fn kept(directory: &Path) -> usize {
    std::fs::read_dir(directory.join("study.cache/results")).map_or(0, |entries| entries.count())
}

#[test]
fn an_interrupted_sweep_goes_on() {
    for (signal, code) in [("TERM", Some(130)), ("KILL", None)] {
        let place = Place::new(&format!("sweep-interrupted-{signal}"));
        place.compile("app", SLOW, &[]);
        study(&place, "", "[1, 2, 3]");
        let (child, total) = begin(&place);
        place.run_words(&["kill", &format!("-{signal}"), &child.id().to_string()], 0);
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), code, "{}", text(&ended.stderr));
        let there = kept(&place.directory);
        assert!(there < total, "all was over before it was interrupted");
        if code.is_some() {
            assert!(text(&ended.stderr).contains("the same command goes on with them"), "{}", text(&ended.stderr));
        }
        let (table, said) = sweep(&place, &[], 0);
        assert_eq!(said, format!("6 runs: {} made, {there} there already, 0 failed\n", total - there));
        assert_eq!(table.lines().count(), 1 + total, "{table}");
        // Nothing of the interrupted one is left.
        let entries = std::fs::read_dir(place.directory.join("study.cache")).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names, ["lock", "recordings", "results"]);
    }
}

#[test]
fn bad_studies_are_refused() {
    let place = Place::new("sweep-refused");
    place.compile("app", PROGRAM, &[]);
    study(&place, "", "[1]");
    let good = read(&place, "study.toml");
    let refused = |text: &str, names: &[&str]| {
        place.write("study.toml", text);
        let finished = place.run_words(&[&place.tool("smpirun"), "sweep", "study.toml"], 2);
        let message = smpi_tests::place::text(&finished.stderr);
        assert!(names.iter().all(|name| message.contains(name)), "{message}");
    };
    refused(&good.replace("ranks = [1]", "rank = [1]"), &["study.toml:2:1: unknown field `rank`", "`ranks`"]);
    refused(&good.replace("ranks = [1]", "ranks = [0]"), &["study.toml:2:10: 0 ranks, expected at least one"]);
    refused(&good.replace("\"app\"", "\"apq\""), &["study.toml:8:8: program ./apq: no such file"]);
    refused(&good.replace("slow.toml", "slo.toml"), &["study.toml:3:14: there is no platform slo.toml"]);
    refused(&good.replace("36.0", "\"36\""), &["study.toml:6:17: invalid type: string"]);
    assert_eq!(kept(&place.directory), 0);
}
