//! Becomes the hosting process: the same executable again, with the library preloaded and the plan in the environment.
//!
//! Without a wrapper this is one `exec`. Under a wrapper (`-wrapper valgrind`) it is two: the tool runs `smpirun` with
//! the plan but *without* the library, and that one executes itself with the library. So the library is never preloaded
//! into the tool itself. gdb can be told to preload it into what it debugs: then a breakpoint in `main` is in the
//! ranks' only.

use crate::failure::Failure;
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::personality::{self, Persona};
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit, setrlimit};
use smpi_base::plan::{NODE_VARIABLE, PLAN_VARIABLE, RunPlan, TERMINAL_VARIABLE};
use smpi_base::print;
use std::fs::File;
use std::io::IsTerminal;
use std::io::Write;
use std::os::fd::{AsRawFd, IntoRawFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes of stack that reading a command line and a platform takes, at most.
const LEAST_STACK: u64 = 512 << 10;

const LIBRARY: &str = "libsmpi.so";
const PRELOAD: &str = "LD_PRELOAD";

/// How many threads OpenMP makes. Threads of a rank compute in real time beside the simulation, so that one it is
/// unless the user says otherwise: hybrid programs run with their loops in the rank itself.
const OPENMP_THREADS: &str = "OMP_NUM_THREADS";

/// How threads of OpenMP wait for work, and what else says it: those that compute without purpose while they wait would
/// be charged for it, so they sleep unless the user says otherwise.
const OPENMP_WAITING: [&str; 2] = ["OMP_WAIT_POLICY", "GOMP_SPINCOUNT"];

/// What LLVM's and Intel's OpenMP ask before they work: each rank has one, so that there are several in the process.
const OPENMP_SEVERAL: &str = "KMP_DUPLICATE_LIB_OK";

/// Where valgrind finds options besides those of its command line.
const VALGRIND_OPTIONS: &str = "VALGRIND_OPTS";

/// How valgrind's options about gdb begin. Only the process that hosts ranks is to wait for gdb: a connection ends
/// where `smpirun` executes itself once more. What valgrind finds in [`VALGRIND_OPTIONS`] it does not pass on there.
const VALGRIND_GDB: &str = "--vgdb";

/// These options on their way to that process.
const GDB_OPTIONS: &str = "SMPI_VALGRIND_GDB";

/// Largest plan passed as an environment string; Linux allows 128 KiB for one (MAX_ARG_STRLEN).
const MAX_PLAN_VARIABLE: usize = 100 * 1024;

/// Leaves the plan in the environment and executes the hosting process, which has these variables besides. Returns only
/// with a failure.
pub fn first_stage(plan: &RunPlan, wrapper: &[String], variables: &[(String, String)]) -> Result<(), Failure> {
    let library = library()?;
    let variable = plan_variable(plan)?;
    // Equal addresses in every run are what makes state hashes of different processes comparable. Containers may
    // forbid it; simulated results do not depend on it, so the run goes on.
    if let Ok(persona) = personality::get() {
        let _ = personality::set(persona | Persona::ADDR_NO_RANDOMIZE);
    }
    match wrapper.split_first() {
        None => host(&variable, &library, variables),
        Some((tool, words)) => {
            let mut command = Command::new(tool);
            if file_name(tool) == "gdb" {
                command.args(["-iex".to_string(), format!("set exec-wrapper env {PRELOAD}={}", preload(&library))]);
                if plan.verify.is_some() {
                    // The watchdog interrupts ranks by it.
                    command.args(["-iex", "handle SIGSYS nostop noprint pass"]);
                }
            }
            let is_later = |word: &&String| file_name(tool) == "valgrind" && word.starts_with(VALGRIND_GDB);
            let (later, words): (Vec<&String>, Vec<&String>) = words.iter().partition(is_later);
            if !later.is_empty() {
                let later: Vec<&str> = later.into_iter().map(String::as_str).collect();
                command.env(GDB_OPTIONS, later.join(" ")).env(VALGRIND_OPTIONS, valgrind_options("--vgdb=no"));
            }
            command.args(words).arg(this_executable()?).args(std::env::args_os().skip(1));
            let error = with_environment(&mut command, &variable, variables).exec();
            Err(Failure::Refused(format!("cannot run the wrapper {tool}: {}", print::reason(&error))))
        }
    }
}

/// What processes of another MPI execute: it starts this executable again.
const NODE: &str = "smpirun-node";

/// Whether the processes that explore together have yet to be started.
pub fn is_at_the_launcher(plan: &RunPlan) -> bool {
    plan.verify.as_ref().is_some_and(|verify| verify.node.is_none() && verify.replay.is_none())
}

/// Becomes the launcher of another MPI, whose processes explore together what this command line says. Returns only
/// with a failure.
pub fn by(launcher: &str, arguments: &[String]) -> Result<(), Failure> {
    let node = executable_directory()?.join(NODE);
    if !node.is_file() {
        let text =
            format!("{NODE} not found beside {}; build it with `cargo build --release`", this_executable()?.display());
        return Err(Failure::Refused(text));
    }
    let mut words = launcher.split_whitespace();
    let Some(tool) = words.next() else {
        let text = "--launch: expected the words that start processes of an MPI, such as \"mpiexec -n 4\"";
        return Err(Failure::Refused(text.to_string()));
    };
    let mut command = Command::new(tool);
    if std::io::stderr().is_terminal() {
        command.env(TERMINAL_VARIABLE, "1");
    }
    let error = command.args(words).arg(node).args(arguments).exec();
    Err(Failure::Refused(format!(
        "--launch \"{launcher}\": cannot run {tool}: {}; expected the launcher of an MPI with the standard ABI",
        print::reason(&error)
    )))
}

/// Raises the limit of this process's own stack where it is too low for reading the command line.
pub fn check_stack() -> Result<(), Failure> {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_STACK) else { return Ok(()) };
    if soft >= LEAST_STACK {
        return Ok(());
    }
    if hard >= LEAST_STACK && setrlimit(Resource::RLIMIT_STACK, LEAST_STACK, hard).is_ok() {
        return Ok(());
    }
    let (has, least) = (soft >> 10, LEAST_STACK >> 10);
    Err(Failure::Refused(format!(
        "the stack of a process may have {has} KiB, expected at least {least} KiB; raise ulimit -s"
    )))
}

/// What `main` does when a plan is there already: below a wrapper, go on; with the library preloaded, complain,
/// because the library should have taken over.
pub fn second_stage(variable: &str) -> Result<(), Failure> {
    let library = library()?;
    let preloaded = std::env::var(PRELOAD).unwrap_or_default();
    if preloaded.split([':', ' ']).any(|path| Path::new(path) == library) {
        let name = library.display();
        if let Ok((limit, _)) = getrlimit(Resource::RLIMIT_AS)
            && limit != RLIM_INFINITY
        {
            return Err(Failure::Refused(format!(
                "{name} cannot be loaded where a process may have {} KiB of address space; raise ulimit -v",
                limit >> 10
            )));
        }
        return Err(Failure::Internal(format!("{name} did not take over the process")));
    }
    let options = std::env::var(GDB_OPTIONS).ok();
    let options = options.map(|gdb| (VALGRIND_OPTIONS.to_string(), valgrind_options(&format!("--vgdb=yes {gdb}"))));
    host(variable, &library, options.as_slice())
}

/// The value of [`VALGRIND_OPTIONS`] with more options, which are stronger than those before.
fn valgrind_options(more: &str) -> String {
    format!("{} {more}", std::env::var(VALGRIND_OPTIONS).unwrap_or_default())
}

fn host(variable: &str, library: &Path, variables: &[(String, String)]) -> Result<(), Failure> {
    let mut command = Command::new(this_executable()?);
    command.arg0("smpirun").args(std::env::args_os().skip(1)).env(PRELOAD, preload(library)).env_remove(GDB_OPTIONS);
    let error = with_environment(&mut command, variable, variables).exec();
    Err(Failure::Internal(format!("cannot execute {}: {error}", this_executable()?.display())))
}

/// Gives a command the plan, and what the hosting process is told besides.
fn with_environment<'a>(command: &'a mut Command, variable: &str, variables: &[(String, String)]) -> &'a mut Command {
    if std::env::var_os(OPENMP_THREADS).is_none() {
        command.env(OPENMP_THREADS, "1");
    }
    if std::env::var_os(OPENMP_SEVERAL).is_none() {
        command.env(OPENMP_SEVERAL, "TRUE");
    }
    if OPENMP_WAITING.iter().all(|name| std::env::var_os(name).is_none()) {
        command.env(OPENMP_WAITING[0], "passive");
    }
    crate::children::forget(command);
    command.env_remove(NODE_VARIABLE).env_remove(TERMINAL_VARIABLE);
    command.envs(variables.iter().map(|(name, value)| (name, value))).env(PLAN_VARIABLE, variable)
}

/// The value of [`PRELOAD`] in the hosting process.
fn preload(library: &Path) -> String {
    // What the user preloads comes first, as it would without us: then libraries too call the tools that are there.
    let others = std::env::var(PRELOAD).unwrap_or_default().replace(' ', ":");
    let own = library.display();
    if others.is_empty() { own.to_string() } else { format!("{others}:{own}") }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// The value of [`PLAN_VARIABLE`]: the plan, or where it is too long, `@` and the path of an inherited memory file.
fn plan_variable(plan: &RunPlan) -> Result<String, Failure> {
    let internal = |what: &str, error: String| Failure::Internal(format!("{what}: {error}"));
    let json = serde_json::to_string(plan).map_err(|e| internal("cannot write the run plan", e.to_string()))?;
    if json.len() <= MAX_PLAN_VARIABLE {
        return Ok(json);
    }
    let fd = memfd_create(c"smpi-run-plan", MFdFlags::empty()).map_err(|e| internal("memfd_create", e.to_string()))?;
    let mut file = File::from(fd);
    file.write_all(json.as_bytes()).map_err(|e| internal("cannot write the run plan", e.to_string()))?;
    let path = format!("@/proc/self/fd/{}", file.as_raw_fd());
    // Kept open on purpose: the hosting process inherits it.
    let _ = file.into_raw_fd();
    Ok(path)
}

/// `libsmpi.so` beside the executable (a build tree) or in `../lib` (an installed tree).
pub fn library() -> Result<PathBuf, Failure> {
    let directory = executable_directory()?;
    let candidates = [directory.join(LIBRARY), directory.join("../lib").join(LIBRARY)];
    let Some(found) = candidates.iter().find(|path| path.is_file()) else {
        return Err(Failure::Refused(format!(
            "{LIBRARY} not found beside {} or in ../lib; build it with `cargo build --release`",
            this_executable()?.display()
        )));
    };
    let path = found.canonicalize().unwrap_or_else(|_| found.clone());
    if path.display().to_string().contains([':', ' ']) {
        return Err(Failure::Refused(format!(
            "{}: the dynamic linker cannot preload a library whose path has a blank or a colon; move libsmpi elsewhere",
            path.display()
        )));
    }
    Ok(path)
}

/// Where ready-made platforms may be: in an installed tree, and in the source tree around `target/<profile>`.
pub fn platform_directories() -> Vec<PathBuf> {
    let Ok(directory) = executable_directory() else { return Vec::new() };
    let candidates = ["../share/platforms", "../../platforms"].map(|relative| directory.join(relative));
    candidates.into_iter().filter_map(|path| path.canonicalize().ok()).collect()
}

fn executable_directory() -> Result<PathBuf, Failure> {
    Ok(this_executable()?.parent().map(Path::to_path_buf).unwrap_or_default())
}

fn this_executable() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|e| Failure::Internal(format!("cannot find my own executable: {e}")))
}
