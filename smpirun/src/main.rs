//! `smpirun`: reads the command line, turns it into a run plan and starts the hosting process.
//!
//! It does not simulate: it re-executes itself with `libsmpi.so` preloaded, and the library takes the process over
//! before this `main` is reached again. Nor does it read programs, or platforms for a run: the library does.
//! [`platform`] answers questions about platform files, [`calibrate`] makes them from measurements,
//! [`predict`] compares a run with one under another MPI, [`what_if`] with itself in other worlds, [`sweep`] makes
//! many runs, and [`scale`] makes traces of more ranks.
//!
//! Source of the options: SMPI's `smpirun` (single-dash form); everything else is ours and has two dashes.
#![forbid(unsafe_code)]
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod apart;
mod auto;
mod calibrate;
mod children;
mod effects;
mod failure;
mod hostfile;
mod launch;
mod launchers;
mod normalise;
mod options;
mod outputs;
mod picture;
mod planning;
mod platform;
mod predict;
mod program;
mod scale;
mod sweep;
mod tasks;
mod units;
mod values;
mod verifying;
mod what_if;

use clap::CommandFactory;
use failure::Failure;
use smpi_base::plan::PLAN_VARIABLE;
use smpi_base::words::nearest;
use smpi_base::{eprintln, exit, print};
use std::cell::Cell;
use std::process::ExitCode;

/// Bytes of thread-local storage that the programs' own `__thread` variables may use.
const TLS_PAD: usize = 64 * 1024;

thread_local! {
    // The programs (ranks) are executables: their `__thread` variables are addressed relative to the thread pointer at
    // offsets fixed at link time, directly below it. In the hosting process that place belongs to the thread-local
    // block of *this* executable. The pad makes that block large enough; the library exchanges its bytes whenever it
    // switches from one rank to another. Initialised in const context, so that it is plain storage in the block.
    static PAD: [Cell<u8>; TLS_PAD] = const { [const { Cell::new(0) }; TLS_PAD] };
}

fn main() -> ExitCode {
    PAD.with(|pad| std::hint::black_box(pad.as_ptr()));
    children::obey();
    let outcome = launch::check_stack().and_then(|()| match std::env::var(PLAN_VARIABLE) {
        Ok(plan) => launch::second_stage(&plan),
        Err(_) => first_stage(),
    });
    let code = match outcome {
        Ok(()) => 0,
        Err(Failure::Refused(message)) => {
            eprintln!("smpirun: error: {message}");
            exit::REFUSED
        }
        Err(Failure::Internal(message)) => {
            eprintln!(
                "smpirun: internal bug: {message}\nPlease report it with the command line and `smpirun --version`."
            );
            exit::INTERNAL_BUG
        }
        Err(Failure::Told(code)) => code,
    };
    ExitCode::from(code as u8)
}

/// Reads the command line; answers `--help` and `--version`, or becomes the hosting process.
fn first_stage() -> Result<(), Failure> {
    let arguments = arguments()?;
    if let Some(outcome) = question(&arguments) {
        return outcome;
    }
    match options::parse(&arguments)? {
        options::Request::Print(text) => print::answer(&text).map_err(Failure::Refused),
        options::Request::Run(command_line) if command_line.options.coll_auto.is_some() => {
            print::answer(&auto::answer(&arguments, &command_line)?).map_err(Failure::Refused)
        }
        options::Request::Run(command_line) => {
            let wrapper = command_line.options.wrapper_command();
            let variables = command_line.variables.clone();
            let launcher = command_line.options.launch.clone();
            let (plan, notes) = planning::plan(*command_line)?;
            if plan.notes {
                notes.iter().for_each(|note| eprintln!("smpirun: note: {note}"));
            }
            match launcher.filter(|_| launch::is_at_the_launcher(&plan)) {
                Some(launcher) => launch::by(&launcher, &arguments),
                None => launch::first_stage(&plan, &wrapper, &variables),
            }
        }
    }
}

/// What answers the words of a task, if they are one of its questions.
type Answer = fn(&[String]) -> Option<Result<String, Failure>>;

/// Tasks that are no runs, by their names. Those that are runs are in [`tasks`].
const QUESTIONS: [(&str, Answer); 6] = [
    ("platform", platform::answer),
    ("calibrate", calibrate::answer),
    ("predict", predict::answer),
    ("what-if", what_if::answer),
    ("compare", what_if::answer),
    ("scale", scale::answer),
];

/// A word that is neither a task nor a program, and nearly a task.
fn misspelt(name: &str) -> Option<Failure> {
    let questions = QUESTIONS.iter().map(|(known, _)| *known);
    let known = questions.chain(["sweep"]).chain(tasks::Task::ALL.iter().map(|(known, _)| *known));
    if name == "help" && program::find(name).is_err() {
        return Some(Failure::Refused("help is no task and no program; expected smpirun --help".into()));
    }
    let near = nearest(name, known).filter(|near| *near != name)?;
    match program::find(name) {
        Err(Failure::Refused(why)) => Some(Failure::Refused(format!("{why}; did you mean the task: smpirun {near}?"))),
        _ => None,
    }
}

/// Answers a task that is no run. Options of a run may stand before `what-if`, which makes runs.
fn question(words: &[String]) -> Option<Result<(), Failure>> {
    let at = tasks::first_word(words, &options::Options::command()).ok().flatten()?;
    let name = words[at].as_str();
    let answer = QUESTIONS.iter().find(|(known, _)| *known == name).map(|(_, answer)| answer);
    if answer.is_none() && name != "sweep" {
        return misspelt(name).map(Err);
    }
    if at > 0 && name != "what-if" {
        let text = format!("smpirun {name}: {} before it has no effect; leave it out", words[..at].join(" "));
        return Some(Err(Failure::Refused(text)));
    }
    let words = [&words[at..=at], &words[..at], &words[at + 1..]].concat();
    let refused = || {
        Failure::Refused(format!(
            "smpirun {name}: {} is not what it expects; see smpirun {name} --help; a program of this name is ./{name}",
            words[1..].join(" ")
        ))
    };
    Some(match answer {
        None => sweep::answer(&words).unwrap_or_else(|| Err(refused())),
        Some(answer) => answer(&words)
            .unwrap_or_else(|| Err(refused()))
            .and_then(|text| print::answer(&text).map_err(Failure::Refused)),
    })
}

fn arguments() -> Result<Vec<String>, Failure> {
    let decode = |arg: std::ffi::OsString| {
        arg.into_string().map_err(|arg| {
            Failure::Refused(format!("argument {arg:?} is not valid UTF-8; smpirun passes on UTF-8 arguments only"))
        })
    };
    std::env::args_os().skip(1).map(decode).collect()
}
