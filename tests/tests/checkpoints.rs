//! `--checkpoint` and `--resume`: explorations that are killed again and again give the report of one that was not,
//! and files that do not fit are refused.
//!
//! `cargo test --release -p smpi-tests --test checkpoints` kills a few. More, from another seed:
//! `SMPI_CHECKPOINT_KILLS=100 SMPI_CHECKPOINT_SEED=7`.
#![forbid(unsafe_code)]

use smpi_base::rng::Rng;
use smpi_tests::environment::number;
use smpi_tests::explored::{assert_same, without_time};
use smpi_tests::place::{Place, text};
use smpi_tests::process::{family, is_gone};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Explorations that are killed in a test run.
const KILLS: u64 = 8;

/// Searches of other kinds than that through all executions. Each is killed a quarter as often.
const OTHERS: [&str; 5] =
    ["--sample 3000 --seed 3", "--sample 900 --bug-depth 3", "--deviations 6", "--stateful", "--symmetric 2-3"];

/// Rank 0 receives messages from any of the others, and may fail for one of the sums.
const PROGRAM: &str = include_str!("../clusters/receive.c");

/// What stands on the screen, without the time.
fn said(stderr: &[u8]) -> String {
    without_time(&text(stderr))
}

/// Explores, and kills all of it at some moment. Returns whether it was over before.
fn kill(place: &Place, words: &[&str], rng: &mut Rng) -> bool {
    let mut command = Command::new(place.tool("smpirun"));
    command.args(words).current_dir(&place.directory);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(rng.below(500) as u64));
    let family = family(child.id());
    let victim = family[rng.below(family.len())];
    let _ = Command::new("kill").args(["-KILL", &victim.to_string()]).stderr(Stdio::null()).status();
    let status = child.wait().unwrap();
    while !family.iter().all(|&pid| is_gone(pid)) {
        std::thread::sleep(Duration::from_millis(5));
    }
    status.code() == Some(0)
}

fn remove(path: &Path) {
    let _ = std::fs::remove_file(path);
}

/// Whatever process is killed whenever, and with whatever number of processes it goes on, in whatever parts.
#[test]
fn explorations_that_are_killed_again_and_again_give_the_same_report() {
    let mut rng = Rng::new(number("SMPI_CHECKPOINT_SEED", 1));
    let kills = number("SMPI_CHECKPOINT_KILLS", KILLS);
    kill_again_and_again("", kills, &mut rng);
    for search in OTHERS {
        kill_again_and_again(search, kills / 4, &mut rng);
    }
}

fn kill_again_and_again(search: &'static str, mut left: u64, rng: &mut Rng) {
    let place = Place::new("checkpoint-kills");
    let app = place.compile("app", PROGRAM, &[]);
    let words = |more: &[&'static str]| {
        let search = search.split_whitespace();
        let words: Vec<&str> = ["--verify", "-np", "4"].into_iter().chain(search).chain(more.iter().copied()).collect();
        [words, vec![app.as_str(), "3"]].concat()
    };
    let whole = said(&place.smpirun(&words(&["--report", "whole.json"]), 0).stderr);
    let mut began = false;
    let file = place.directory.join("kept");
    while left > 0 {
        left -= 1;
        began &= file.exists();
        let option = if began { "--resume" } else { "--checkpoint" };
        let jobs = ["1", "2", "3"][rng.below(3)];
        let every = ["60", "0.004", "0.02"][rng.below(3)];
        let is_over = kill(&place, &words(&[option, "kept", "--jobs", jobs, "--every", every]), rng);
        began = true;
        if is_over {
            remove(&file);
        }
    }
    let option = if file.exists() { "--resume" } else { "--checkpoint" };
    let end = place.smpirun(&words(&[option, "kept", "--report", "end.json"]), 0);
    assert_eq!(said(&end.stderr), whole);
    assert_same(&place, "end.json", "whole.json");
    // All is known now: nothing is appended.
    let len = file.metadata().unwrap().len();
    let again = place.smpirun(&words(&["--resume", "kept", "--report", "again.json", "--jobs", "2"]), 0);
    assert_eq!(said(&again.stderr), whole);
    assert_same(&place, "again.json", "whole.json");
    assert_eq!(file.metadata().unwrap().len(), len);
}

/// What is cut off, or was written by a disk that lies, is explored again. The first finding is the same, too.
#[test]
fn what_a_file_has_lost_is_explored_again() {
    let place = Place::new("checkpoint-torn");
    let app = place.compile("app", PROGRAM, &[]);
    for (what, code) in [(&["3"][..], 0), (&["3", "1003"], 1)] {
        let words = |more: &[&'static str]| {
            // How far a finding is explained is not to depend on how busy the machine is.
            let words: Vec<&str> =
                ["--verify", "--explain-within", "100", "-np", "4"].into_iter().chain(more.iter().copied()).collect();
            [words, vec![app.as_str()], what.to_vec()].concat()
        };
        place.smpirun(&words(&["--report", "whole.json"]), code);
        remove(&place.directory.join("kept"));
        place.smpirun(&words(&["--checkpoint", "kept", "--report", "first.json"]), code);
        assert_same(&place, "first.json", "whole.json");
        let bytes = std::fs::read(place.directory.join("kept")).unwrap();
        let mut rng = Rng::new(5);
        for round in 0..6 {
            let at = bytes.len() * 2 / 3 + rng.below(bytes.len() / 3);
            let mut torn = bytes[..if round % 2 == 0 { at } else { bytes.len() }].to_vec();
            if let Some(byte) = torn.get_mut(at) {
                *byte ^= 0x40;
            }
            std::fs::write(place.directory.join("kept"), torn).unwrap();
            place.smpirun(&words(&["--resume", "kept", "--report", "end.json"]), code);
            assert_same(&place, "end.json", "whole.json");
        }
    }
}

/// The exploration goes on, says what is wrong once, and the file holds what was written before.
#[test]
fn a_full_disk_costs_the_checkpoint_and_not_the_exploration() {
    let place = Place::new("checkpoint-full");
    let app = place.compile("app", PROGRAM, &[]);
    let smpirun = place.tool("smpirun");
    place.smpirun(&["--verify", "-np", "4", "--report", "whole.json", &app, "3"], 0);
    // A disk of our own, which is gone with the shell.
    let line = format!(
        "mkdir disk && mount -t tmpfs -o size=64k none disk || exit 77; \
         {smpirun} --verify -np 4 --checkpoint disk/kept --report full.json {app} 3 && cp disk/kept ."
    );
    let unshare = if nix::unistd::Uid::effective().is_root() { "-m" } else { "-rm" };
    let shell = Command::new("unshare").args([unshare, "bash", "-c", &line]).current_dir(&place.directory).output();
    let Some(full) = shell.ok().filter(|full| full.status.code() != Some(77) && !full.stderr.starts_with(b"unshare"))
    else {
        println!("skipped: there is no disk of our own to be had (unshare, mount)");
        return;
    };
    assert!(full.status.success(), "{}", text(&full.stderr));
    assert_same(&place, "full.json", "whole.json");
    let said = text(&full.stderr);
    assert_eq!(said.matches("warning: disk/kept: cannot write the checkpoint").count(), 1, "{said}");
    let held = std::fs::metadata(place.directory.join("kept")).unwrap().len();
    assert!(held > 10_000 && held <= 64 << 10, "{held}");
    let words = ["--verify", "-np", "4", "--resume", "kept", "--notes", "--report", "end.json", &app, "3"];
    let end = place.smpirun(&words, 0);
    assert!(text(&end.stderr).contains("that are explored\n"), "{}", text(&end.stderr));
    assert_same(&place, "end.json", "whole.json");
}

#[test]
fn checkpoints_of_something_else_are_refused_by_name() {
    let place = Place::new("checkpoint-refused");
    let app = place.compile("app", PROGRAM, &[]);
    place.smpirun(&["--verify", "-np", "3", "--checkpoint", "kept", &app, "2"], 0);
    let refused = |words: &str, names: &[&str]| {
        place.refused(&[&["--verify"], &words.split(' ').collect::<Vec<_>>()[..]].concat(), names);
    };
    refused("-np 4 --resume kept ./app 2", &["number of ranks of ./app", "3 there, 4 here"]);
    refused("-np 3 --resume kept ./app 3", &["arguments of ./app", "2 there, 3 here"]);
    refused("-np 3 --resume kept --keep-going ./app 2", &["--keep-going", "false there"]);
    refused("-np 3 --resume kept --buffering zero ./app 2", &["--buffering", "zero+infinite there, zero here"]);
    refused("-np 3 --resume kept --stack-size 1MiB ./app 2", &["--stack-size"]);
    refused("-np 3 --checkpoint kept ./app 2", &["kept", "exists", "--resume kept"]);
    refused("-np 3 --resume nothing ./app 2", &["nothing", "no such file"]);
    refused("-np 3 --checkpoint /nowhere/kept ./app 2", &["--checkpoint", "/nowhere"]);
    refused("-np 3 --checkpoint kept --resume kept ./app 2", &["--resume"]);
    refused("-np 3 --resume app.c ./app 2", &["app.c", "no checkpoint"]);
    refused("-np 3 --resume kept --sample 9 ./app 2", &["--sample", "no there, --sample --seed 1 here"]);
    refused("-np 3 --resume kept --stateful ./app 2", &["--stateful", "false there, true here"]);
    refused("-np 3 --resume kept --ltl p ./app 2", &["--resume", "--ltl", "leave out"]);
    refused("-np 3 --resume kept --reduction none ./app 2", &["--reduction", "leave out"]);
    let other = place.write("later", "smpi-checkpoint 3\n");
    refused(&format!("-np 3 --resume {other} ./app 2"), &["format 3, expected 2"]);
    // Another program of the same name.
    place.compile("app", &PROGRAM.replace("sum * 4", "sum * 5"), &[]);
    refused("-np 3 --resume kept ./app 2", &["the program ./app", "there", "here"]);
}

/// More random executions, and executions with more deviations, begin with those that a file has.
#[test]
fn searches_go_further_than_what_they_go_on_with() {
    let place = Place::new("checkpoint-further");
    let app = place.compile("app", PROGRAM, &[]);
    for (less, more) in [("--sample 320", "--sample 960"), ("--deviations 2", "--deviations 4")] {
        remove(&place.directory.join("kept"));
        let run = |search: &str, option: &[&str]| {
            let words = [&["--verify", "--notes", "-np", "4"], &words(search)[..], option, &[&app, "3"]].concat();
            text(&place.smpirun(&words, 0).stderr)
        };
        run(more, &["--report", "whole.json"]);
        run(less, &["--checkpoint", "kept"]);
        let said = run(more, &["--resume", "kept", "--report", "end.json"]);
        assert!(said.contains("that are explored"), "{said}");
        assert_same(&place, "end.json", "whole.json");
    }
}

/// An exploration by states that the time limit ends goes on from there, and not from its beginning. In another
/// environment the program, which has a pointer into it, comes to other states: then it begins again, and says so.
#[test]
fn states_are_kept_on_their_way() {
    let place = Place::new("checkpoint-states");
    let knows = "const char *volatile path = getenv(\"PATH\");\n    int rank,";
    let app = place.compile("app", &PROGRAM.replace("int rank,", knows), &[]);
    let run = |words: &[&str], variable: &str| {
        let mut command = Command::new(place.tool("smpirun"));
        let words = [&["--verify", "--stateful", "--notes", "-np", "4"], words, &[&app, "4"]].concat();
        command.args(words).current_dir(&place.directory).env("A_VARIABLE_BEFORE_OTHERS", variable);
        text(&command.output().unwrap().stderr)
    };
    run(&["--report", "whole.json"], "");
    for (variable, begins_again) in [("", false), ("another value", true)] {
        remove(&place.directory.join("kept"));
        let said = run(&["--checkpoint", "kept", "--time-limit", "0.2"], "");
        assert!(said.contains("not complete: stopped after"), "{said}");
        let said = run(&["--resume", "kept", "--report", "end.json"], variable);
        assert!(said.contains("a kind of buffering that is explored by states and is not over"), "{said}");
        assert_eq!(said.contains("the program comes to other states now"), begins_again, "{said}");
        assert_same(&place, "end.json", "whole.json");
    }
}

/// A kind of buffering that one process explores by groups of ranks because that is quicker is kept once it is over.
#[test]
fn what_goes_on_in_another_way_is_kept_once_it_is_over() {
    let place = Place::new("checkpoint-adapts");
    let app = place.compile("app", include_str!("../clusters/probe.c"), &[]);
    let run = |words: &[&str]| text(&place.smpirun(&[&["--verify", "-np", "5"], words, &[&app]].concat(), 0).stderr);
    run(&["--report", "whole.json"]);
    let said = run(&["--checkpoint", "kept", "--report", "first.json"]);
    assert!(said.contains("explores by groups of ranks") && said.contains("it is kept once it is over"), "{said}");
    assert_same(&place, "first.json", "whole.json");
    let len = place.directory.join("kept").metadata().unwrap().len();
    run(&["--resume", "kept", "--report", "end.json"]);
    assert_same(&place, "end.json", "whole.json");
    assert_eq!(place.directory.join("kept").metadata().unwrap().len(), len);
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}
