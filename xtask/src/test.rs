//! `cargo xtask test`: everything that CI runs, as named steps, quietly. A step's output is shown when it fails.

use crate::shell::{self, GREEN, RED, cargo, in_path, output, paint, root, scratch, step};
use crate::{campaign, coverage, install, man, pages, setup, suite, tidy};
use std::process::Command;
use std::thread::JoinHandle;

/// A step: name, what it checks, and how.
type Step = (&'static str, &'static str, fn() -> Result<(), String>);

const STEPS: &[Step] = &[
    ("setup", "compilers, build systems, libclang, rustfmt and clippy are there", || {
        setup::ensure(setup::FOR_TESTS)?;
        setup::ensure_components()
    }),
    ("format", "rustfmt has nothing to change", || step("format", &mut cargo(&["fmt", "--all", "--check"]))),
    ("tidy", "rules of CONTRIBUTING.md that compilers do not check", tidy_step),
    ("clippy", "no warnings", || {
        let words = ["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"];
        step("clippy", &mut cargo(&words))
    }),
    ("build", "library, smpirun and wrappers, optimised", || shell::build_release().map(drop)),
    ("rebuild", "a second build does nothing", rebuild),
    ("codegen", "generated files are fresh", codegen),
    ("unit", "unit and property tests", || {
        step("unit", &mut suite::unit()?)?;
        step("unit: documentation", &mut suite::examples())
    }),
    ("programs", "tests over whole programs and projects, the ABI, refused input", programs),
    ("campaign", "random tests under what no other step adds find nothing, from a fixed seed", campaign::briefly),
    ("coverage", "each MPI function has a test program that checks a result of it", || {
        coverage::run(&["--check".to_owned()])
    }),
    ("install", "an installed tree works from another place", installed_tree),
    ("nas", "NAS benchmarks of class S verify on all usual numbers of ranks", nas),
];

const HELP: &str = "\
Usage: cargo xtask test [STEP...]
       cargo xtask test --list

Runs all steps, or those that are named; --list says what they check.
";

/// A step that runs beside the one after it: both compile, each in a directory of its own, and often wait for a single
/// crate.
const BESIDE_NEXT: &str = "clippy";

/// Steps without which the later ones make no sense. After a failure of any other, the rest is run all the same.
const NEEDED_BY_ALL: [&str; 2] = ["setup", "build"];

/// The subcommand; arguments are names of steps.
pub fn run(words: &[String]) -> Result<(), String> {
    if let ["--help"] = words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        print!("{HELP}");
        return Ok(());
    }
    if words == ["--list"] {
        STEPS.iter().for_each(|(name, what, _)| println!("{name:<10} {what}"));
        return Ok(());
    }
    if let Some(word) = words.iter().find(|word| STEPS.iter().all(|(name, ..)| name != word)) {
        return Err(format!("no step `{word}`; cargo xtask test --list names them"));
    }
    let chosen = |name: &str| words.is_empty() || words.iter().any(|word| word == name);
    let mut failed = Vec::new();
    let mut note = |name: &'static str, result: Result<(), String>| {
        if let Err(message) = &result {
            println!("{:<24} {}\n{}", name, paint("FAILED", RED), message.trim_end());
            failed.push(name);
        }
        result.is_ok()
    };
    let mut beside = None;
    for (name, _, action) in STEPS.iter().filter(|(name, ..)| chosen(name)) {
        if *name == BESIDE_NEXT {
            beside = Some(std::thread::spawn(action));
            continue;
        }
        let is_good = note(name, action());
        if let Some(step) = beside.take() {
            note(BESIDE_NEXT, ended(step));
        }
        if !is_good && NEEDED_BY_ALL.contains(name) {
            break;
        }
    }
    if let Some(step) = beside {
        note(BESIDE_NEXT, ended(step));
    }
    if !failed.is_empty() {
        return Err(format!("failed: {}", failed.join(", ")));
    }
    println!("{}", paint("all good", GREEN));
    Ok(())
}

/// What something that ran beside a step came to.
fn ended(step: JoinHandle<Result<(), String>>) -> Result<(), String> {
    step.join().unwrap_or_else(|_| Err("it panicked".to_owned()))
}

fn tidy_step() -> Result<(), String> {
    tidy::check()?;
    println!("{:<24} {}", "tidy", paint("ok", GREEN));
    Ok(())
}

/// Cargo prints a line for everything it compiles; the second time there must be none.
fn rebuild() -> Result<(), String> {
    let build = || cargo(&["build", "--release"]).output().map_err(|e| format!("cannot run cargo: {e}"));
    build()?;
    let second = String::from_utf8_lossy(&build()?.stderr).into_owned();
    let compiled: Vec<&str> = second.lines().filter(|line| line.contains("Compiling")).collect();
    if !compiled.is_empty() {
        return Err(format!("a second `cargo build --release` still had something to do:\n{}", compiled.join("\n")));
    }
    println!("{:<24} {}", "rebuild", paint("ok", GREEN));
    Ok(())
}

fn codegen() -> Result<(), String> {
    let executable = std::env::current_exe().map_err(|e| format!("cannot find my own executable: {e}"))?;
    step("codegen", Command::new(executable).args(["codegen", "--check"]))
}

fn programs() -> Result<(), String> {
    let built = shell::target()?.join("release");
    let suite::Programs { mut compiled, mut main, mut beside } = suite::programs()?;
    step("programs: compiled", &mut compiled)?;
    beside.env("SMPI_TEST_BIN", &built);
    let others = std::thread::spawn(move || step("programs: beside", &mut beside));
    let result = step("programs", main.env("SMPI_TEST_BIN", built));
    ended(others).and(result)
}

/// Installs into a scratch directory, moves it, and compiles and runs the ring with nothing but its `bin` directory.
fn installed_tree() -> Result<(), String> {
    let directory = scratch("install")?;
    let (first, moved) = (directory.join("first"), directory.join("moved"));
    install::install(&shell::target()?.join("release"), &first)?;
    std::fs::rename(&first, &moved).map_err(|e| format!("{}: {e}", moved.display()))?;
    let [ring, platform, source] =
        ["ring", "moved/share/platforms/gigabit-64.toml", "moved/share/libsmpi/examples/ring.c"]
            .map(|name| directory.join(name));
    output(Command::new(moved.join("bin/smpicc")).arg(source).arg("-o").arg(&ring))?;
    let mut run = Command::new(moved.join("bin/smpirun"));
    let text = output(run.arg("-platform").arg(platform).args(["-np", "4", "--compute=off"]).arg(&ring))?;
    if !text.starts_with("4 ranks, 10 rounds: the token is 40") {
        return Err(format!("the ring from an installed tree printed:\n{text}"));
    }
    // The names that build systems look for.
    let source = moved.join("share/libsmpi/examples/ring.c");
    output(Command::new(moved.join("mpi/bin/mpicc")).arg(source).arg("-o").arg(&ring))?;
    output(Command::new(moved.join("mpi/bin/mpiexec")).args(["-n", "2", "--compute=off"]).arg(&ring))?;
    man::check(&moved.join("bin"), &moved)?;
    let differences = install::unlike_help(&moved)?;
    if !differences.is_empty() {
        return Err(format!("cargo xtask install --help and what is installed differ:\n{}", differences.join("\n")));
    }
    let dead = pages::dead_links(&moved.join(install::PAGES));
    if !dead.is_empty() {
        return Err(format!("links that lead nowhere in installed pages:\n{}", dead.join("\n")));
    }
    // Directly, it is a one-rank job.
    let text = output(&mut Command::new(&ring))?;
    if !text.starts_with("1 rank, 10 rounds") {
        return Err(format!("./ring from an installed tree printed:\n{text}"));
    }
    if in_path("pkg-config") {
        let flags = output(
            Command::new("pkg-config").args(["--libs", "smpi"]).env("PKG_CONFIG_PATH", moved.join("lib/pkgconfig")),
        )?;
        if !flags.contains("-lmpi_abi") {
            return Err(format!("pkg-config --libs smpi printed {flags}"));
        }
    }
    println!("{:<24} {}", "install", paint("ok", GREEN));
    Ok(())
}

/// Those of class W are runs of the test `times`, where one that does not verify fails.
fn nas() -> Result<(), String> {
    let mut command = Command::new(root().join("nas-benchmarks/run"));
    step("nas", command.args(["--classes", "S"]).env("SMPI_BIN", shell::target()?.join("release")))
}
