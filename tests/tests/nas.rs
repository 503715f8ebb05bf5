//! The runner of the NAS benchmarks from the outside: what it prints, what it refuses and how, and that it leaves
//! nothing behind; and that our benchmarks send the messages that their algorithms say.
//!
//! That all benchmarks verify in all classes and on many ranks is shown by `cargo xtask test nas`.
#![forbid(unsafe_code)]

use serde_json::Value;
use smpi_tests::place::{Place, text};
use smpi_tests::process::{self, Finished};
use smpi_tests::toolchain::root;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Seconds that a run of the runner may take on a busy machine.
const PATIENCE_SECS: u64 = 120;

/// An MPI program that prints what an executable of NPB prints at its end.
const OFFICIAL: &str = r#"
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("\n\n CG Benchmark Completed.\n Class           = %24s\n Time in seconds = %24.2f\n"
               " Total processes = %24d\n Mop/s total     = %24.2f\n Verification    = %24s\n Version         = %24s\n",
               CLASS, 0.05, size, 100.0 * size, VERIFICATION, VERSION);
    MPI_Finalize();
    return ENDS_WITH;
}
"#;

/// Runs the runner with its temporary files below the place.
fn run(place: &Place, words: &[&str], environment: &[(&str, &str)]) -> Finished {
    let temporary = place.directory.join("tmp");
    std::fs::create_dir_all(&temporary).unwrap();
    let words: Vec<String> =
        [place.tool("nas-run").as_str()].iter().chain(words).map(|word| word.to_string()).collect();
    let mut variables = vec![("TMPDIR".to_string(), temporary.display().to_string())];
    variables.extend(environment.iter().map(|(name, value)| (name.to_string(), value.to_string())));
    let finished = process::run(&words, &place.directory, &variables, PATIENCE_SECS).unwrap();
    assert!(!finished.timed_out, "{words:?} did not end:\n{}", text(&finished.stderr));
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0, "{words:?} left something behind");
    finished
}

/// Runs it so that all is well.
fn good(place: &Place, words: &[&str]) -> Finished {
    let finished = run(place, words, &[]);
    assert_eq!(finished.code, 0, "{words:?}:\n{}{}", text(&finished.stdout), text(&finished.stderr));
    finished
}

/// Runs it with something that it must refuse, naming all of these, before it prints anything else.
fn refused(place: &Place, words: &[&str], environment: &[(&str, &str)], names: &[&str]) {
    let finished = run(place, words, environment);
    let message = text(&finished.stderr);
    assert_eq!(finished.code, 2, "{words:?}:\n{}{message}", text(&finished.stdout));
    for name in names {
        assert!(message.contains(name), "the message does not name `{name}`:\n{message}");
    }
    assert!(finished.stdout.is_empty(), "{words:?} printed\n{}", text(&finished.stdout));
}

fn results(place: &Place, file: &str) -> Vec<Value> {
    let json = std::fs::read_to_string(place.directory.join(file)).unwrap();
    let value: Value = serde_json::from_str(&json).unwrap();
    value["results"].as_array().unwrap().clone()
}

/// Compiles the program above under a name of NPB's.
fn official(place: &Place, name: &str, class: &str, verification: &str) {
    official_of(place, name, class, verification, "3.4.2", 0);
}

/// The same of a version of NPB, with the exit code that it ends with.
fn official_of(place: &Place, name: &str, class: &str, verification: &str, version: &str, ends_with: i32) {
    let source = place.write("official.c", OFFICIAL);
    let text = |macro_name: &str, value: &str| format!("-D{macro_name}=\"{value}\"");
    let defines = [text("CLASS", class), text("VERIFICATION", verification), text("VERSION", version)];
    std::fs::create_dir_all(place.directory.join("bin")).unwrap();
    let (program, ends_with) = (format!("bin/{name}"), format!("-DENDS_WITH={ends_with}"));
    let compiler = place.tool("smpicc");
    let mut words = vec![compiler.as_str(), &source, "-o", &program, &ends_with];
    words.extend(defines.iter().map(String::as_str));
    place.run_words(&words, 0);
}

/// Compiles a program without MPI; `words` are more for the compiler.
fn foreign(place: &Place, name: &str, words: &[&str]) {
    let source = place.write("foreign.c", "int main(void) { return 0; }\n");
    std::fs::create_dir_all(place.directory.join("bin")).unwrap();
    place.run_words(&[&["gcc", source.as_str(), "-o", format!("bin/{name}").as_str()], words].concat(), 0);
}

/// A study has the same runs, which a sweep makes with the same times.
#[test]
fn a_study_has_the_runs_of_all_platforms() {
    let place = Place::new("nas-study");
    let platforms =
        ["gigabit-64", "laptop"].map(|name| root().join(format!("platforms/{name}.toml")).display().to_string());
    let mut words = vec!["--classes=S", "--benchmarks=cg,is", "--ranks=2,4", "--reproducible"];
    words.extend(platforms.iter().flat_map(|platform| ["--platform", platform]));
    good(&place, &[&words[..], &["--json=runs.json"]].concat());
    let said = good(&place, &[&words[..], &["--study=nas.toml"]].concat());
    assert!(text(&said.stdout).contains("smpirun sweep nas.toml"), "{}", text(&said.stdout));
    place.run_words(&[&place.tool("smpirun"), "sweep", "nas.toml", "--csv=sweep.csv"], 0);
    let csv = std::fs::read_to_string(place.directory.join("sweep.csv")).unwrap();
    let mut lines = csv.lines().map(|line| line.split(',').map(str::to_string).collect::<Vec<String>>());
    let header = lines.next().unwrap();
    let column =
        |name: &str| header.iter().position(|word| word == name).unwrap_or_else(|| panic!("{name}: {header:?}"));
    let secs = |text: &str| text.parse::<f64>().unwrap();
    let mut swept: Vec<f64> = lines.map(|line| secs(&line[column("simulated_time_secs")])).collect();
    let runs = results(&place, "runs.json");
    let mut ran: Vec<f64> = runs.iter().map(|run| run["simulated_secs"].as_f64().unwrap()).collect();
    swept.sort_by(f64::total_cmp);
    ran.sort_by(f64::total_cmp);
    assert_eq!(ran.len(), 8);
    assert_eq!(swept, ran, "{csv}");
    refused(&place, &["--study=nas.toml", "--json=runs.json"], &[], &["--study", "--json"]);
    refused(&place, &["--study=runs.json/nas.toml", "--benchmarks=cg"], &[], &["runs.json/nas"]);
}

#[test]
fn ours_verify_and_two_runs_print_the_same() {
    let place = Place::new("nas-ours");
    let words = ["--classes=S", "--benchmarks=cg,mg,ft,is", "--ranks=1,8,32", "--reproducible"];
    let first = good(&place, &[&words[..], &["--json=first.json"]].concat());
    let second = good(&place, &[&words[..], &["--json=second.json"]].concat());
    assert_eq!(text(&first.stdout), text(&second.stdout));
    assert_eq!(results(&place, "first.json"), results(&place, "second.json"));
    assert_eq!(results(&place, "first.json").len(), 12);
    assert!(results(&place, "first.json").iter().all(|result| result["verified"] == true));
}

#[test]
fn messages_are_those_of_the_algorithms() {
    let place = Place::new("nas-messages");
    let traffic = |benchmark: &str, ranks: &str| {
        let words = ["--classes=S", "--benchmarks", benchmark, "--ranks", ranks, "--reproducible", "--json=out.json"];
        good(&place, &words);
        let result = results(&place, "out.json").remove(0);
        (result["messages"].as_u64().unwrap(), result["bytes"].as_u64().unwrap())
    };
    // CG on 2 x 2 ranks, 16 steps of 26 products, 52 sums of one number, and one of two. A product is two messages of
    // half a vector, a sum is one message. A barrier of two rounds and a reduction to rank 0 come at the end.
    let (halves, sums) = (2 * 26, 52 + 1);
    assert_eq!(
        traffic("cg", "4"),
        (4 * 16 * (halves + sums) + 2 * 4 + 3, 4 * 16 * 8 * (halves * 700 + 53 + 1) + 3 * 8)
    );

    // MG on 2 x 2 x 2 ranks and 5 levels: a cycle renews ghosts once for each of 4 restrictions, once on the coarsest
    // level, twice on each of the others. Beside 5 cycles there are 7 residuals and 4 fields of charges. 2 * 40 choices
    // and 3 * 2 norms are allreduces of three rounds; then a barrier, and a reduction.
    let (cycle, allreduces) = (4 + 1 + 2 * 4, 2 * 40 + 3 * 2);
    assert_eq!(traffic("mg", "8").0, 8 * 6 * (5 * cycle + 7 + 4) + 8 * 3 * (allreduces + 1) + 7);

    // FT on 4 ranks turns 64^3 complex numbers 2 + 6 times; a quarter stays where it is. 6 checksums are reduced.
    let (turns, point) = (2 + 6, 16);
    let bytes = traffic("ft", "4").1;
    assert_eq!(bytes / 1000, (turns * 64 * 64 * 64 * point * 3 / 4 + 6 * 3 * point) / 1000);
}

#[test]
fn platforms_stand_side_by_side_and_in_the_picture() {
    let place = Place::new("nas-platforms");
    let platforms = ["gigabit-64", "infiniband-256"].map(|name| root().join(format!("platforms/{name}.toml")));
    let [gigabit, infiniband] = platforms.each_ref().map(|platform| platform.to_str().unwrap());
    let words =
        ["--benchmarks=ep,dt", "--classes=S", "--ranks=2,4", "--graphs=BH", "--json=out.json", "--plot=out.svg"];
    let finished = good(&place, &[&words[..], &["--platform", gigabit, "--platform", infiniband]].concat());
    let table = text(&finished.stdout).to_string();
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].contains("gigabit-64") && lines[0].contains("infiniband-256"), "{table}");
    // Two lines of heading; EP on 2 and on 4 ranks; DT on the 5 nodes of its graph.
    assert_eq!(lines.len(), 2 + 3, "{table}");
    let results = results(&place, "out.json");
    assert_eq!(results.len(), 6);
    for result in &results {
        for key in ["simulated_secs", "mops", "communication_share", "wall_secs", "memory_bytes"] {
            assert!(result[key].as_f64().is_some_and(|value| value > 0.0), "{key}: {result}");
        }
    }
    let picture = std::fs::read_to_string(place.directory.join("out.svg")).unwrap();
    // A panel for each platform, with one line of two points.
    assert_eq!(picture.matches("<circle").count(), 4, "{picture}");
    assert_eq!(picture.matches("EP S").count(), 1);
}

#[test]
fn executables_of_npb_are_run_as_their_names_say() {
    let place = Place::new("nas-official");
    official(&place, "cg.S.x", "S", "SUCCESSFUL");
    official(&place, "bt.W.9", "W", "SUCCESSFUL");
    official(&place, "dt.S.x", "S", "SUCCESSFUL");
    place.write("bin/README", "not an executable\n");
    good(&place, &["--bin=bin", "--reproducible", "--json=out.json", "--ranks=2,9", "--graphs=SH"]);
    let found: Vec<String> = results(&place, "out.json")
        .iter()
        .map(|result| format!("{} {} {} {}", result["benchmark"], result["class"], result["ranks"], result["mops"]))
        .collect();
    assert_eq!(found, ["\"bt\" \"W\" 9 900.0", "\"cg\" \"S\" 2 200.0", "\"dt\" \"S\" 12 1200.0"]);
}

#[test]
fn dt_of_npb_3_3_is_right_although_it_ends_with_1() {
    let place = Place::new("nas-dt-3.3");
    official_of(&place, "dt.S.x", "S", "SUCCESSFUL", "3.3.1", 1);
    good(&place, &["--bin=bin", "--reproducible", "--graphs=SH"]);
    for (name, class, verification, version) in [
        ("dt.S.x", "S", "UNSUCCESSFUL", "3.3.1"),
        ("dt.S.x", "S", "SUCCESSFUL", "3.4.2"),
        ("cg.S.4", "S", "SUCCESSFUL", "3.3.1"),
    ] {
        let place = Place::new("nas-ends-with-1");
        official_of(&place, name, class, verification, version, 1);
        let finished = run(&place, &["--bin=bin", "--reproducible"], &[]);
        assert_eq!(finished.code, 1, "{name} {verification} {version}:\n{}", text(&finished.stdout));
    }
}

#[test]
fn wrong_results_and_renamed_executables_are_told() {
    let place = Place::new("nas-wrong");
    official(&place, "cg.S.x", "S", "UNSUCCESSFUL");
    official(&place, "mg.S.x", "W", "SUCCESSFUL");
    let finished = run(&place, &["--bin=bin", "--ranks=2", "--json=out.json"], &[]);
    assert_eq!(finished.code, 1);
    let results = results(&place, "out.json");
    assert_eq!((&results[0]["verified"], &results[1]["verified"]), (&Value::Bool(false), &Value::Bool(true)));
    assert_eq!(results[1]["class"], "W");
    assert!(text(&finished.stdout).contains("mg.S.x"), "{}", text(&finished.stdout));
}

#[test]
fn what_cannot_run_is_refused() {
    let place = Place::new("nas-refused");
    refused(&place, &["--classes=Q"], &[], &["--classes", "Q"]);
    refused(&place, &["--classes=C", "--benchmarks=is"], &[], &["is", "class C"]);
    refused(&place, &["--benchmarks=cg,ua"], &[], &["ua", "cg"]);
    refused(&place, &["--benchmarks=cg", "--ranks=3"], &[], &["cg", "3 ranks", "power of two"]);
    refused(&place, &["--benchmarks=bt", "--classes=S", "--ranks=25"], &[], &["bt", "25 ranks", "square"]);
    refused(&place, &["--benchmarks=cg", "--ranks=4,many"], &[], &["--ranks", "many"]);
    refused(&place, &["--platform=nowhere.toml"], &[], &["nowhere.toml", "gigabit-64.toml"]);
    refused(&place, &["--benchmarks=cg", "--ranks=4", "--plot=out.svg"], &[], &["--plot"]);
    refused(&place, &["--json=nowhere/out.json"], &[], &["nowhere/out.json"]);
    refused(&place, &["--tools=nowhere"], &[], &["nowhere/smpirun"]);
    refused(&place, &["--no-such-option"], &[], &["--no-such-option"]);
    // With a search path that has nothing but what these tests need no compiler is found; the message says what to
    // install.
    std::fs::create_dir_all(place.directory.join("path")).unwrap();
    let timeout = place.run_words(&["sh", "-c", "command -v timeout"], 0);
    std::os::unix::fs::symlink(text(&timeout.stdout).trim(), place.directory.join("path/timeout")).unwrap();
    let path = place.directory.join("path").display().to_string();
    refused(&place, &["--benchmarks=lu", "--classes=S"], &[("PATH", &path)], &["gfortran", "install"]);
}

#[test]
fn folders_without_programs_for_us_are_refused() {
    let place = Place::new("nas-foreign");
    refused(&place, &["--bin=nowhere"], &[], &["nowhere"]);
    std::fs::create_dir_all(place.directory.join("bin")).unwrap();
    refused(&place, &["--bin=bin"], &[], &["bin", "cg.S.x"]);
    foreign(&place, "cg.S.x", &[]);
    refused(&place, &["--bin=bin"], &[], &["cg.S.x", "no MPI program", "smpif90"]);
    let library = place.write("library.c", "int MPI_Init(void) { return 0; }\n");
    place.run_words(&["gcc", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.40", &library, "-o", "libmpi.so"], 0);
    foreign(&place, "cg.S.x", &["-Wl,--no-as-needed", "./libmpi.so"]);
    refused(&place, &["--bin=bin"], &[], &["cg.S.x", "libmpi.so.40", "smpif90"]);
    std::fs::remove_file(place.directory.join("bin/cg.S.x")).unwrap();
    official(&place, "cg.S.x", "S", "SUCCESSFUL");
    refused(&place, &["--bin=bin", "--ranks=3"], &[], &["cg", "3 ranks", "power of two"]);
    refused(&place, &["--bin=bin", "--benchmarks=lu"], &[], &["--benchmarks"]);
}

#[test]
fn interruption_leaves_nothing_behind() {
    let place = Place::new("nas-interrupted");
    let temporary = place.directory.join("tmp");
    std::fs::create_dir_all(&temporary).unwrap();
    let mut child = Command::new(place.tool("nas-run"))
        .args(["--benchmarks=ep", "--classes=B", "--ranks=4"])
        .env("TMPDIR", &temporary)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The run has begun when the executable is there and its compiler's files are gone.
    let begun = |directory: &Path| {
        std::fs::read_dir(directory).unwrap().flatten().any(|entry| entry.path().join("ep").exists())
    };
    for _ in 0..600 {
        if begun(&temporary) {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    std::thread::sleep(Duration::from_millis(500));
    assert!(child.try_wait().unwrap().is_none(), "EP of class B ended early");
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
}

#[test]
fn a_reader_that_goes_away_leaves_nothing_behind() {
    let place = Place::new("nas-pipe");
    let temporary = place.directory.join("tmp");
    std::fs::create_dir_all(&temporary).unwrap();
    let line = format!("TMPDIR=tmp {} --benchmarks=dt --classes=S | head -n 1", place.tool("nas-run"));
    let finished = place.run_words(&["sh", "-c", &line], 0);
    assert!(text(&finished.stdout).starts_with("benchmark"), "{}", text(&finished.stdout));
    assert!(!text(&finished.stderr).contains("panicked"), "{}", text(&finished.stderr));
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
}
