//! `--launch`: explorations by the processes of another MPI give the report of one process, whatever becomes of these
//! processes.
//!
//! With Slurm, one of the test's own is the scheduler: `SMPI_SLURM` names the directory in which Debian's packages
//! slurmctld, slurmd, slurm-client and slurm-wlm-basic-plugins are unpacked, `/` where they are installed.
//!
//! Needs MPICH 5 of the Python index, in a directory that `SMPI_MPICH` names: `python3 -m venv DIR && DIR/bin/pip
//! install mpich`. `SMPI_CLUSTER_KILLS=100 SMPI_CLUSTER_SEED=7` kills more often, from another seed;
//! `SMPI_CLUSTER_SIZES=1,2,4,8` is by how many processes each program is explored, and `SMPI_CLUSTER_PROGRAMS=all`
//! takes all programs, and not every other one. `SMPI_CLUSTER_RUNS=200` is how many runs a job array makes.
#![forbid(unsafe_code)]

use libtest_mimic::{Arguments, Trial};
use smpi_base::rng::Rng;
use smpi_tests::environment::number;
use smpi_tests::explored::{assert_same, without_time};
use smpi_tests::place::{Place, text};
use smpi_tests::process::{family, is_gone};
use smpi_tests::slurm::Slurm;
use smpi_tests::toolchain::root;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Output, Stdio};
use std::time::Duration;

/// Runs of a job array.
const RUNS: u64 = 16;

/// Explorations of which a process is killed.
const KILLS: u64 = 2;

const RECEIVE: &str = include_str!("../clusters/receive.c");
const WAITANY: &str = include_str!("../clusters/waitany.c");
const WINDOWS: &str = include_str!("../clusters/windows.c");
const CANCEL: &str = include_str!("../clusters/cancel.c");
const PROBE: &str = include_str!("../clusters/probe.c");
const KINDS: &str = include_str!("../clusters/kinds.c");

/// Programs with options, ranks and arguments, and the exit code. All have parts to be shared, but for `few`, a few
/// executions, and states, of which one process explores a kind of buffering. Those at even places are compared in any
/// case.
const PROGRAMS: [(&str, &str, &str, &str, i32); 32] = [
    ("receive", RECEIVE, "-np 4", "3", 0),
    ("few", RECEIVE, "-np 3", "2", 0),
    ("states", RECEIVE, "-np 4 --stateful", "3", 0),
    ("all-states", KINDS, "-np 4 --stateful --keep-going", "3 deadlock 1003", 1),
    ("first", RECEIVE, "-np 4", "3 1003", 1),
    ("exit", KINDS, "-np 4", "3 exit 1003", 1),
    ("all", RECEIVE, "-np 4 --keep-going", "3 11", 1),
    ("late", RECEIVE, "-np 4 --buffering infinite", "3 260757", 1),
    ("symmetric", RECEIVE, "-np 5 --symmetric 1-4", "3", 0),
    ("each", RECEIVE, "-np 4 --buffering each", "3", 0),
    ("cut", RECEIVE, "-np 4 --every 0.004", "3", 0),
    ("waitany", WAITANY, "-np 6", "", 0),
    ("determinism", RECEIVE, "-np 4 --determinism communication --keep-going", "3", 1),
    ("waitany-fails", WAITANY, "-np 6", "10738", 1),
    ("windows", WINDOWS, "-np 3 --reduction matches", "", 0),
    ("cancel", CANCEL, "-np 4", "", 0),
    ("sample", RECEIVE, "-np 4 --sample 900 --seed 4", "3", 0),
    ("probe", PROBE, "-np 5 --buffering zero --reduction matches", "", 0),
    ("deadlock", KINDS, "-np 4", "3 deadlock 1003", 1),
    ("priorities", RECEIVE, "-np 4 --sample 900 --bug-depth 3", "3", 0),
    ("printed", KINDS, "-np 4 --reduction matches", "3 printed 1003", 1),
    ("adapts", PROBE, "-np 5", "", 0),
    ("deviations", RECEIVE, "-np 4 --deviations 5 --keep-going", "3 11", 1),
    ("assert", KINDS, "-np 4", "3 assert 1003", 1),
    ("crash", KINDS, "-np 4 --keep-going", "3 crash 1003", 1),
    ("collective", KINDS, "-np 4", "3 collective 1003", 1),
    ("pending", KINDS, "-np 4", "3 pending 1003", 1),
    ("invalid", KINDS, "-np 4", "3 invalid 1003", 1),
    ("type", KINDS, "-np 4 --keep-going", "3 type 1003", 1),
    ("root", KINDS, "-np 4", "3 root 1003", 1),
    ("truncated", KINDS, "-np 4", "3 truncated 1003", 1),
    ("ready", KINDS, "-np 4", "3 ready 1003", 1),
];

/// The tests that need Slurm.
const OF_SLURM: [&str; 3] = [
    "slurm_starts_processes_and_lets_others_live",
    "slurm_makes_the_runs_of_a_sweep",
    "a_job_array_loses_a_node_and_no_run",
];

type Test = (&'static str, fn(&Path));

const TESTS: [Test; 9] = [
    ("reports_are_those_of_one_process", reports_are_those_of_one_process),
    ("processes_that_die_or_hang_lose_nothing", processes_that_die_or_hang_lose_nothing),
    ("jobs_that_die_go_on_from_their_checkpoint", jobs_that_die_go_on_from_their_checkpoint),
    ("machines_that_differ_are_named", machines_that_differ_are_named),
    ("what_all_have_done_is_told", what_all_have_done_is_told),
    ("what_cannot_be_launched_is_refused", what_cannot_be_launched_is_refused),
    (OF_SLURM[0], slurm_starts_processes_and_lets_others_live),
    (OF_SLURM[1], slurm_makes_the_runs_of_a_sweep),
    (OF_SLURM[2], a_job_array_loses_a_node_and_no_run),
];

fn main() -> ExitCode {
    let mpich = std::env::var_os("SMPI_MPICH").map(PathBuf::from).filter(|path| path.join("bin/mpiexec").is_file());
    let trial = |(name, test): Test| {
        let missing = match name {
            _ if mpich.is_none() => Some("needs MPICH, see SMPI_MPICH"),
            _ if OF_SLURM.contains(&name) && slurm().is_none() => Some("needs Slurm, see SMPI_SLURM"),
            _ => None,
        };
        let title = missing.map_or(name.to_string(), |missing| format!("{name} ({missing})"));
        let mpich = mpich.clone();
        let run = move || {
            test(&mpich.unwrap_or_default());
            Ok(())
        };
        Trial::test(title, run).with_ignored_flag(missing.is_some())
    };
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    libtest_mimic::run(&arguments, TESTS.map(trial).into()).exit_code()
}

/// Where the packages of Slurm are.
fn slurm() -> Option<PathBuf> {
    std::env::var_os("SMPI_SLURM").map(PathBuf::from).filter(|path| path.join("usr/bin/srun").is_file())
}

/// Starts smpirun with a launcher of this MPICH.
fn start(place: &Place, mpich: &Path, launcher: &str, words: &[&str]) -> Child {
    start_by(place, mpich, &format!("{}/bin/mpiexec {launcher}", mpich.display()), words)
}

/// Starts smpirun with these words.
fn start_by(place: &Place, mpich: &Path, launcher: &str, words: &[&str]) -> Child {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", "120"]).arg(place.tool("smpirun")).args(["--verify", "--launch", launcher]);
    command.args(words).current_dir(&place.directory).env("LD_LIBRARY_PATH", mpich.join("lib"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn finish(child: Child, code: i32) -> Output {
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{}{}", text(&output.stdout), text(&output.stderr));
    output
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// With all numbers of processes, the same text and the same data. One process that explores alone does not tell how
/// much there would have been where it ends early, so the text is compared with that of `--jobs 2`.
fn reports_are_those_of_one_process(mpich: &Path) {
    let place = Place::new("clusters-same");
    let sizes = std::env::var("SMPI_CLUSTER_SIZES").unwrap_or_else(|_| "3".to_string());
    let step = if std::env::var("SMPI_CLUSTER_PROGRAMS").is_ok_and(|wanted| wanted == "all") { 1 } else { 2 };
    for (name, program, options, arguments, code) in PROGRAMS.into_iter().step_by(step) {
        let app = place.compile(name, program, &[]);
        let alone = options.split(" --every").next().unwrap_or_default();
        // How far findings are explained is not to depend on how busy the machine is.
        let within = words("--explain-within 100");
        let line = [&within[..], &words(alone), &[&app], &words(arguments)].concat();
        let smpirun = place.tool("smpirun");
        place.run_words(&[&[&smpirun, "--verify", "--report", "one.json"], &line[..]].concat(), code);
        let two = place
            .run_words(&[&[&smpirun, "--verify", "--jobs", "2", "--report", "two.json"], &line[..]].concat(), code);
        for size in sizes.split(',') {
            let several =
                [&["--report", "several.json"], &within[..], &words(options), &[&app], &words(arguments)].concat();
            let said = finish(start(&place, mpich, &format!("-n {size}"), &several), code);
            assert_same(&place, "one.json", "several.json");
            let (said, two) = (without_time(&text(&said.stderr)), without_time(&text(&two.stderr)));
            let differ = said.split(' ').zip(two.split(' ')).find(|(one, other)| one != other);
            assert!(said == two, "{name}, {size} processes: {differ:?}");
        }
    }
}

/// So many processes of the launcher, below a command that has started them, whose explorers have workers.
fn nodes(pid: u32, count: usize) -> Vec<u32> {
    for _ in 0..3000 {
        let is_node = |pid: &u32| {
            let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            name.trim() == "smpirun-node"
        };
        let works = |pid: &u32| is_node(pid) && family(*pid).len() >= 4;
        let nodes: Vec<u32> = family(pid).into_iter().filter(works).collect();
        if nodes.len() == count {
            return nodes;
        }
        if is_gone(pid) {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the launcher did not start {count} processes with explorers that work");
}

fn signal(name: &str, pid: u32) {
    let _ = Command::new("kill").args([format!("-{name}"), pid.to_string()]).stderr(Stdio::null()).status();
}

/// A worker or an explorer is killed, or a process of the launcher is stopped: the others do what it had, and say so.
/// MPICH ends all where a process of its own is killed.
fn processes_that_die_or_hang_lose_nothing(mpich: &Path) {
    let place = Place::new("clusters-die");
    let app = place.compile("app", RECEIVE, &[]);
    let count = |words: &[&str]| {
        let words = [&["--verify", "--report", "one.json"], words, &["-np", "4", &app, "4"]].concat();
        text(&place.smpirun(&words, 0).stderr).lines().next().unwrap_or_default().to_string()
    };
    // Below each process of the launcher there are a supervisor, an explorer and its worker.
    let cases: [(&str, usize, &[&str], &str); 5] = [
        ("KILL", 3, &[], ""),
        ("KILL", 1, &[], "its explorer ended"),
        ("STOP", 0, &[], "nothing was heard of it"),
        ("KILL", 3, &["--stateful"], ""),
        ("KILL", 1, &["--stateful"], "its explorer ended"),
    ];
    for (what, member, search, told) in cases {
        let whole = count(search);
        let words = [&["--report", "several.json"], search, &["-np", "4", &app, "4"]].concat();
        let child = start(&place, mpich, "-n 3", &words);
        // By states, one other process explores the other kind of buffering.
        let count = if search.is_empty() { 3 } else { 1 };
        let victims = family(nodes(child.id(), count)[count / 2]);
        signal(what, victims[member]);
        let output = child.wait_with_output().unwrap();
        victims.iter().for_each(|&pid| signal("KILL", pid));
        let said = text(&output.stderr);
        assert!(
            whole.contains("complete") && said.contains(&whole),
            "{what} {member}: {:?} {said}{}",
            output.status,
            text(&output.stdout)
        );
        assert!(said.contains(told), "{what} {member}: {said}");
        assert_same(&place, "one.json", "several.json");
    }
}

/// Any process is killed at any moment, most of which end the whole job: going on gives the same in the end.
fn jobs_that_die_go_on_from_their_checkpoint(mpich: &Path) {
    let place = Place::new("clusters-resume");
    let app = place.compile("app", RECEIVE, &[]);
    place.smpirun(&["--verify", "--report", "one.json", "-np", "4", &app, "4"], 0);
    let mut rng = Rng::new(number("SMPI_CLUSTER_SEED", 1));
    let file = place.directory.join("kept");
    for _ in 0..number("SMPI_CLUSTER_KILLS", KILLS) {
        let option = if file.exists() { "--resume" } else { "--checkpoint" };
        let size = 2 + rng.below(2);
        let words = [option, "kept", "--report", "several.json", "-np", "4", &app, "4"];
        let child = start(&place, mpich, &format!("-n {size}"), &words);
        std::thread::sleep(Duration::from_millis(rng.below(2500) as u64));
        let family = family(child.id());
        // The first one is `timeout`, which is not part of it.
        if family.len() > 1 {
            signal("KILL", family[1 + rng.below(family.len() - 1)]);
        }
        let output = child.wait_with_output().unwrap();
        family.iter().for_each(|&pid| signal("KILL", pid));
        while !family.iter().all(|&pid| is_gone(pid)) {
            std::thread::sleep(Duration::from_millis(5));
        }
        if output.status.code() == Some(0) && text(&output.stderr).contains("exploration complete") {
            assert_same(&place, "one.json", "several.json");
            let _ = std::fs::remove_file(&file);
        }
    }
    let option = if file.exists() { "--resume" } else { "--checkpoint" };
    finish(start(&place, mpich, "-n 2", &[option, "kept", "--report", "several.json", "-np", "4", &app, "4"]), 0);
    assert_same(&place, "one.json", "several.json");
    // What processes of a launcher have begun, one process can end.
    let words = ["--verify", "--resume", "kept", "--report", "alone.json", "-np", "4", &app, "4"];
    place.smpirun(&words, 0);
    assert_same(&place, "one.json", "alone.json");
}

/// A process that finds another program where it is does not take part; the others do.
fn machines_that_differ_are_named(mpich: &Path) {
    let place = Place::new("clusters-differ");
    let app = place.compile("app", RECEIVE, &[]);
    place.smpirun(&["--verify", "--report", "one.json", "-np", "4", &app, "3"], 0);
    std::fs::create_dir_all(place.directory.join("elsewhere")).unwrap();
    place.compile("elsewhere/app", &RECEIVE.replace("sum * 4", "sum * 5"), &[]);
    place.write("begin.sh", "[ \"$PMI_RANK\" != 1 ] || cd elsewhere\nexec \"$@\"\n");
    let launcher = "-n 3 bash begin.sh";
    let said = finish(start(&place, mpich, launcher, &["--report", "several.json", "-np", "4", &app, "3"]), 0);
    let said = text(&said.stderr);
    assert!(said.contains("process 1 of the launcher") && said.contains("the program ./app"), "{said}");
    assert!(!said.contains("process 2"), "{said}");
    assert_same(&place, "one.json", "several.json");
}

/// The line of progress comes through the launcher where its user has a terminal, and notes say what each process has
/// done.
fn what_all_have_done_is_told(mpich: &Path) {
    let place = Place::new("clusters-told");
    let app = place.compile("app", RECEIVE, &[]);
    let (mut command, node) = (Command::new(mpich.join("bin/mpiexec")), place.tool("smpirun-node"));
    // What smpirun becomes on a terminal.
    command.args(["-n", "3", &node, "--notes", "--verify", "--launch", "mpiexec", "--buffering", "zero"]);
    command.args(["--reduction", "matches", "-np", "4", &app, "4"]);
    command.current_dir(&place.directory).env("LD_LIBRARY_PATH", mpich.join("lib"));
    let output = command.env("SMPI_TERMINAL", "1").stdin(Stdio::null()).output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains(" executions of ~") && said.contains('\r'), "{said}");
    let has_done = |process: usize| {
        let line = said.lines().find(|line| line.contains(&format!("process {process} of the launcher")));
        line.is_some_and(|line| line.contains(" parts, ") && line.contains(" transitions, ") && line.ends_with("/s"))
    };
    assert!((0..3).all(has_done), "{said}");
}

/// The launcher's MPI is missing, or is libsmpi; the command line is refused before anything is started.
fn what_cannot_be_launched_is_refused(mpich: &Path) {
    let place = Place::new("clusters-refused");
    let app = place.compile("app", RECEIVE, &[]);
    let mpiexec = format!("{}/bin/mpiexec -n 1", mpich.display());
    let launched = |library: &Path, words: &[&str]| {
        let mut command = Command::new(place.tool("smpirun"));
        command.args(["--verify", "--launch", &mpiexec]).args(words).current_dir(&place.directory);
        let output = command.env("LD_LIBRARY_PATH", library).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        text(&output.stderr)
    };
    let nowhere = place.directory.join("nowhere");
    let said = launched(&nowhere, &["-np", "2", &app, "1"]);
    assert!(said.contains("libmpi_abi.so.1") && said.contains("LD_LIBRARY_PATH is"), "{said}");
    std::fs::create_dir_all(&nowhere).unwrap();
    std::os::unix::fs::symlink(place.tool("libsmpi.so"), nowhere.join("libmpi_abi.so.1")).unwrap();
    let said = launched(&nowhere, &["-np", "2", &app, "1"]);
    assert!(said.contains("is libsmpi"), "{said}");
    for option in ["--ltl=p", "--jobs=2", "--reduction=none"] {
        let name = option.split('=').next().unwrap();
        place.refused(&["--verify", "--launch", "mpiexec", option, "-np", "2", &app, "1"], &["--launch", name]);
    }
    place.refused(&["--verify", "--launch", "no-such-launcher", "-np", "2", &app, "1"], &["no-such-launcher"]);
    place.refused(&["--verify", "--launch", " ", "-np", "2", &app, "1"], &["mpiexec -n 4"]);
}

/// A scheduler that knows nothing of us starts processes on two nodes. One that is killed takes no other with it
/// where srun is told so, and these do what it had.
fn slurm_starts_processes_and_lets_others_live(mpich: &Path) {
    let place = Place::new("clusters-slurm");
    let app = place.compile("app", RECEIVE, &[]);
    place.smpirun(&["--verify", "--report", "one.json", "-np", "4", &app, "4"], 0);
    let slurm = Slurm::start(&place, &slurm().unwrap()).unwrap();
    let words = ["--report", "several.json", "-np", "4", &app, "4"];
    let by = |options: &str| start_by(&place, mpich, &slurm.launcher(options, &mpich.join("lib")), &words);
    finish(by("-n 4 -N 2"), 0);
    assert_same(&place, "one.json", "several.json");
    let _ = std::fs::remove_file(place.directory.join("several.json"));
    let child = by("-n 3 -N 2 --no-kill --kill-on-bad-exit=0");
    let is_victim = |pid: &u32| {
        let read = |name: &str| std::fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_default();
        let (environment, configuration) = (read("environ"), place.directory.join("slurm").display().to_string());
        let is_second = environment.split('\0').any(|variable| variable == "SLURM_PROCID=1");
        read("comm").trim() == "smpirun-node" && is_second && environment.contains(&configuration)
    };
    let processes = || {
        let entries = std::fs::read_dir("/proc").unwrap().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect::<Vec<u32>>()
    };
    let begun = |pid: &u32| family(*pid).len() >= 4;
    let victim = (0..1000).find_map(|_| {
        std::thread::sleep(Duration::from_millis(10));
        processes().into_iter().find(is_victim).filter(begun)
    });
    signal("KILL", victim.expect("Slurm starts three processes with explorers that work"));
    // The exit code is srun's.
    let said = text(&child.wait_with_output().unwrap().stderr);
    assert!(said.contains("process 1 of the launcher") && said.contains("nothing was heard of it"), "{said}");
    assert_same(&place, "one.json", "several.json");
}

/// A sweep whose runs are steps of a scheduler has the table of one without, and a run that the scheduler ends is
/// made again.
fn slurm_makes_the_runs_of_a_sweep(mpich: &Path) {
    let place = Place::new("clusters-sweep");
    place.compile("app", RECEIVE, &[]);
    let platform = root().join("platforms/gigabit-64.toml");
    let text = format!(
        "[study]\nranks = [2, 3, 4, 5]\nplatforms = [\"{}\"]\n[[program]]\npath = \"./app\"\nargs = [\"3\"]\n\
         [[setting]]\ncfg = [\"smpi/simulate-computation:no\"]\nname = \"plain\"\n",
        platform.display()
    );
    place.write("study.toml", &text);
    let smpirun = place.tool("smpirun");
    let sweep = |more: &[&str], code| {
        let words = [&[smpirun.as_str(), "sweep", "study.toml"], more].concat();
        let finished = place.run_words(&words, code);
        String::from_utf8_lossy(&finished.stderr).into_owned()
    };
    sweep(&["--csv", "alone.csv", "--cache", "alone"], 0);
    let slurm = Slurm::start(&place, &slurm().unwrap()).unwrap();
    let launcher = slurm.launcher("-n 1 -N 1", &mpich.join("lib"));
    // Steps that the scheduler ends before they have begun are no results.
    let ended = format!("{launcher} timeout --signal=KILL 0.001");
    let said = sweep(&["--csv", "ended.csv", "--cache", "shared", "--jobs", "2", "--launch", &ended], 1);
    assert!(said.contains("4 failed"), "{said}");
    let said = sweep(&["--csv", "shared.csv", "--cache", "shared", "--jobs", "2", "--launch", &launcher], 0);
    assert!(said.contains("4 made"), "{said}");
    let read = |name: &str| std::fs::read_to_string(place.directory.join(name)).unwrap();
    assert_eq!(read("shared.csv"), read("alone.csv"));
    let said = sweep(&["--cache", "shared", "--launch", &launcher], 0);
    assert!(said.contains("4 there already"), "{said}");
}

/// A sweep as a job array on two nodes, one of which dies in the middle: the other makes what it can, the table is
/// complete in the end, and nothing that was made is made again.
fn a_job_array_loses_a_node_and_no_run(_: &Path) {
    let place = Place::new("clusters-array");
    place.compile("app", RECEIVE, &[]);
    let (platform, runs) = (root().join("platforms/gigabit-64.toml"), number("SMPI_CLUSTER_RUNS", RUNS));
    let setting = |number| format!("[[setting]]\ncfg = [\"what-if/latency:{number}\"]\nname = \"{number}\"\n");
    let settings: String = (1..=runs / 4).map(setting).collect();
    let text = format!(
        "[study]\nranks = [2, 3, 4, 5]\nplatforms = [\"{}\"]\n[[program]]\npath = \"./app\"\nargs = [\"9000\"]\n{settings}",
        platform.display()
    );
    place.write("study.toml", &text);
    let smpirun = place.tool("smpirun");
    let sweep = |more: &[&str]| place.run_words(&[&[smpirun.as_str(), "sweep", "study.toml"], more].concat(), 0);
    sweep(&["--csv", "alone.csv", "--cache", "alone"]);
    place.write("job.sh", &smpi_tests::place::text(&sweep(&["--slurm"]).stdout));
    let mut slurm = Slurm::start(&place, &slurm().unwrap()).unwrap();
    let submitted = slurm.command("sbatch").arg("job.sh").current_dir(&place.directory).output().unwrap();
    assert!(submitted.status.success(), "{}", smpi_tests::place::text(&submitted.stderr));
    let results = || std::fs::read_dir(place.directory.join("study.cache/results")).map_or(0, Iterator::count) as u64;
    let wait_for = |what: &str, is_there: &dyn Fn() -> bool| {
        let is_in_time = (0..6000).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            is_there()
        });
        assert!(is_in_time, "{what}: {} of {runs} runs", results());
    };
    wait_for("some runs are made", &|| results() >= runs / 3);
    slurm.kill_node(2);
    wait_for("the other node has nothing to do", &|| {
        let left = [&["--noheader", "--states=PENDING"][..], &["--noheader", "--nodelist=n1"]];
        left.iter().all(|words| slurm.says("squeue", words).is_empty())
    });
    let there = results();
    let status = smpi_tests::place::text(&sweep(&["--status"]).stdout);
    assert!(status.starts_with(&format!("{runs} runs: {there} made, 0 of them failed")), "{status}");
    assert!(status.contains("  n1: ") && there > runs / 3, "{status}");
    let said = smpi_tests::place::text(&sweep(&["--csv", "table.csv"]).stderr);
    assert_eq!(said, format!("{runs} runs: {} made, {there} there already, 0 failed\n", runs - there));
    let read = |name: &str| std::fs::read_to_string(place.directory.join(name)).unwrap();
    assert_eq!((read("table.csv"), results()), (read("alone.csv"), runs));
    println!("{status}{said}");
}
