//! What `smpirun` is asked to do: tasks by their names, and the help texts.
//!
//! A word that is the name of a task is one where the program would stand; a program of that name is written with a
//! slash (`./verify`). `verify`, `replay` and `profile` are options, too, as they were before they were tasks: they are
//! turned into these. The help texts are written by hand because the first one must fit a screen of 24 lines by 80
//! columns; a test holds them and the definition of the options together.

use clap::Command;

use crate::failure::Failure;
use crate::normalise;
use crate::values::BUFFERING;

/// A task that is a run, with options of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Task {
    /// Look for errors in all orders of messages.
    Verify,
    /// Execute a schedule, or a trace, again.
    Replay,
    /// Simulate, and say where the time is.
    Profile,
}

impl Task {
    /// All, by their names.
    pub const ALL: [(&str, Task); 3] = [("verify", Task::Verify), ("replay", Task::Replay), ("profile", Task::Profile)];
}

/// A command line in which a task has become options.
#[derive(Debug)]
pub struct Asked {
    /// The words.
    pub options: Vec<String>,
    /// The task that its first word named.
    pub task: Option<Task>,
    /// Whether a trace is replayed, or a schedule; `None` where the task does not say.
    pub replays_trace: Option<bool>,
}

/// Turns a task into options.
pub fn as_options(words: &[String], command: &Command) -> Result<Asked, Failure> {
    let first = first_word(words, command)?;
    let named = |at: usize| Task::ALL.iter().find(|(name, _)| *name == words[at]).map(|(_, task)| (at, *task));
    let Some((at, task)) = first.and_then(named) else {
        return Ok(Asked { options: words.to_vec(), task: None, replays_trace: None });
    };
    let rest = [&words[..at], &words[at + 1..]].concat();
    let (option, replays_trace) = match task {
        _ if rest.is_empty() => ("--help".to_string(), None),
        Task::Verify => ("--verify".to_string(), None),
        Task::Profile => ("--profile".to_string(), None),
        Task::Replay => {
            let (options, replays_trace) = replay(&rest, command)?;
            return Ok(Asked { options, task: Some(task), replays_trace });
        }
    };
    Ok(Asked { options: [&[option], &rest[..]].concat(), task: Some(task), replays_trace })
}

/// The place of the first word that is no option, unless `--` says that it is the program.
pub fn first_word(words: &[String], command: &Command) -> Result<Option<usize>, Failure> {
    let end = words.iter().position(|word| word == ":").unwrap_or(words.len());
    let section = normalise::sections(&words[..end], command)?.swap_remove(0);
    // Behind it are arguments only.
    let at = section.program.map(|_| end - section.args.len() - section.late_options.len() - 1);
    Ok(at.filter(|at| *at == 0 || words[at - 1] != "--"))
}

/// The words behind `replay`: the first that is no option says what is replayed.
fn replay(words: &[String], command: &Command) -> Result<(Vec<String>, Option<bool>), Failure> {
    let Some(at) = first_word(words, command)? else {
        let is_question = words.iter().any(|word| ["help", "h", "help-all"].contains(&word.trim_start_matches('-')));
        let text = "replay: expected what is to be replayed: a TOKEN and the program, or the FILE of a trace";
        return if is_question { Ok((words.to_vec(), None)) } else { Err(Failure::Refused(text.to_string())) };
    };
    let what = &schedule_in(&words[at]).unwrap_or_else(|| words[at].clone());
    let options = [&words[..at], &[format!("--replay={what}")], &words[at + 1..]].concat();
    let is_trace = !is_token(what);
    if let (true, Some(program)) = (is_trace, first_word(&options, command)?.map(|at| &options[at])) {
        return Err(Failure::Refused(format!(
            "replay {what} {program}: a trace is replayed without a program, and {what} is not the token of a schedule; \
             leave out {program}, or correct the token"
        )));
    }
    Ok((options, Some(is_trace)))
}

/// The token that a file holds and nothing else: those of long schedules are long.
pub fn schedule_in(file: &str) -> Option<String> {
    let size = std::fs::metadata(file).ok().filter(std::fs::Metadata::is_file)?.len();
    let text = std::fs::read_to_string(file).ok().filter(|_| size <= MOST_OF_TOKEN)?;
    let token = text.trim();
    (is_token(token) && !token.contains(char::is_whitespace)).then(|| token.to_string())
}

/// Bytes of a file that may be a token.
const MOST_OF_TOKEN: u64 = 64 << 20;

/// Whether a word has the form of a token, `1/zero/0.3:2`: a number, and a kind of buffering.
fn is_token(word: &str) -> bool {
    let mut parts = word.split('/');
    let is_number = parts.next().is_some_and(|number| !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit()));
    let mode = parts.next().unwrap_or_default();
    let mode = mode.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    is_number && BUFFERING.iter().any(|(name, _)| *name == mode)
}

/// The help of a task, or of smpirun itself.
pub fn help(task: Option<Task>) -> String {
    match task {
        None => HELP.to_string(),
        Some(Task::Verify) => format!("{VERIFY}\nOptions:\n{EXPLORATION}{OTHERS}"),
        Some(Task::Replay) => format!("{REPLAY}\nOptions:\n{SCHEDULE}{OTHERS}"),
        Some(Task::Profile) => format!("{PROFILE}\nOptions:\n{TIMES}{OTHERS}"),
    }
}

/// What `smpirun --help-all` prints.
pub fn all_help() -> String {
    format!(
        "{HELP}\nMore options:\n{MORE}\nWhere the time is (smpirun profile, docs/analysis.md):\n{TIMES}\n\
         With --verify (smpirun verify, docs/verification.md):\n{EXPLORATION}\n\
         Replaying (smpirun replay):\n{SCHEDULE}\n{SETTINGS}\nOther tasks:\n{TASKS}\n{CODES}"
    )
}

const HELP: &str = "\
Usage: smpirun [TASK] [options] [-np N] program [arguments] [: -np M ...]

Runs an MPI program on N simulated ranks and tells the time it would take.
Tasks are other things to do. `smpirun TASK --help` explains one:
  verify               look for errors in all message orders
  replay TOKEN, FILE   execute the schedule of a finding, or a trace, again
  profile              say where the time is, and who waits for whom
  what-if, compare, sweep, predict      other worlds, several runs, a real MPI
  platform, calibrate, scale            platforms, and traces of more ranks

Options (one dash or two):
  -np N, -n N          ranks (default: entries of the hostfile, else 1)
  -platform FILE       the machine to simulate (default: a laptop)
  -hostfile FILE       where ranks go: `host`, `host:n`, `host slots=n` a line
  -map                 print the host of every rank
  --summary            print simulated time, messages, share of communication
  --compute HOW        measured (default), off, scaled:F or recorded:FILE
  --cfg=KEY:VALUE      set a constant of the model (repeatable)
  -gdb, -wrapper CMD   run under gdb, or under CMD (e.g. valgrind)
  --help-all           all options, exit codes
Example:
  smpirun -platform platforms/gigabit-64.toml -np 16 --summary ./ring
";

const VERIFY: &str = "\
Usage: smpirun verify [options] -np N program [arguments] [: -np M program ...]

Executes the program in every order of its messages that matters, and reports
deadlocks, failed assertions, crashes, misuse of MPI and leaks. Each finding has
a token for `smpirun replay`. `smpirun --verify` is the same.
Exit code: 0 nothing found, 1 an error found. Manual: docs/verification.md
";

const REPLAY: &str = "\
Usage: smpirun replay TOKEN [options] -np N program [arguments]
       smpirun replay FILE [options]

Executes the schedule of a finding again, with the program's output; or replays
a time-independent trace, of SMPI or of -trace-ti, on a platform, without
programs. What has the form of a token, such as 1/zero/0.3:2, is one; a file of
that name is ./1/zero/0.3:2. A file may hold a token, too. `smpirun --replay`
is the same.
Manual: docs/verification.md, docs/stepping.md, docs/replay.md
";

const PROFILE: &str = "\
Usage: smpirun profile [options] -np N program [arguments] [: -np M program ...]

Simulates the program and prints where the time is: by call and line, who waits
for whom, the critical path. `smpirun --profile` is the same.
Manual: docs/analysis.md
";

const OTHERS: &str = "  --help-all           all other options\n";

const MORE: &str = "\
\x20 -machinefile FILE    the same as -hostfile
  -host A,B:2          the same as a hostfile with these entries
  -ppn N               N ranks on each host, host after host
  -byslot              likewise, as many as it has cores, or entries in the
                       hostfile; the same is --map-by slot, or core
  -x NAME=VALUE, -genv NAME VALUE
                       an environment variable of the ranks
  --notes              print notes: what was ignored, and how ranks are placed;
                       --summary prints them, too
  -quiet               no notes and no warnings
  --strict             fail with 1 when MPI is misused: types, collective calls,
                       leaks and the like are only warnings otherwise. With
                       --verify, too: when a call returns an error
  --summary-json FILE  the summary as JSON data
  --noise 100Hz:25us[:SEED]
                       noise of the operating system: how often it interrupts
                       a computing rank, for how long, and which random noise
  --stack-size SIZE    stack of a rank, e.g. 16MiB (default 8MiB)
  --heap-size SIZE     largest heap of a rank (default: what fits)
  --coll-table FILE    rules that choose the algorithms of collectives, see
  --coll-auto FILE     run the program with each algorithm of the collectives
                       it calls, print the times, write the fastest as a table
  --help-cfg           the settings of --cfg and of platform files
  --help-coll          the algorithms of collectives, and the tables there are
  --privatize NAME     every rank has this shared library (libfoo.so) for
                       itself, as it has the program (repeatable)
  -bandwidth RATE      a hostfile without a platform makes up a platform: the
  -latency TIME        hosts named there, each with a link of this bandwidth
                       (default 26MiBps) and latency (default 5us)
  -lldb, -vgdb         run under lldb, or under valgrind waiting for gdb
  -version             print the version
  --log=...            accepted for SMPI's sake, without effect
  -foreground, -keep-temps, -tmpdir DIR
                       likewise; of other launchers, so are --bind-to, --mca,
                       --oversubscribe, --allow-run-as-root and the like
  -trace               SMPI's name for --timeline smpi_simgrid.trace, or
                       -trace-file FILE
  -trace-ti            write what every rank does to a time-independent trace,
                       whose files smpi_simgrid.txt names (-trace-file FILE)
  -replay FILE         smpirun replay FILE, as SMPI has it
  -analyze             of SMPI, is refused: --summary and --strict say it
";

const TIMES: &str = "\
\x20 --profile            print where the time is: by call and line, who waits for
                       whom, the critical path; --profile-json FILE as data
  --report-html FILE   the same as a page, with a timeline
  --timeline FILE      all events: FILE.json for ui.perfetto.dev, FILE.otf2
                       for Vampir, FILE.trace for ViTE and pj_dump (Paje)
";

const EXPLORATION: &str = "\
\x20 --verify             the same as smpirun verify
  --buffering HOW      sends: zero (wait), infinite, both (default), each alone
  --collectives HOW    atomic (default), or p2p: verify their messages, too
  --reduction HOW      matches (default); histories: what each rank can be told,
                       and not all at once; none or dpor explore single steps,
                       for comparison; with --ltl only none: all choices
  --depth N, --max-executions N, --time-limit SECS, --call-timeout SECS
                       bounds of the exploration
  --memory SIZE        memory of the exploration, e.g. 8GiB: short of it, states
                       are reached again instead of kept; at last it ends
  --max-waitsome N     try all sets that Waitsome can return of up to N
                       completed requests (default 10)
  --sample N           execute N random schedules instead of all; --seed S draws
                       others, --bug-depth D draws them by priorities (PCT)
  --deviations K       execute only what differs from the natural execution in
                       at most K choices; 0, then 1, then 2 ...
  --stateful           explore each state once, whatever led to it: programs
                       that run for ever, too
  --compare-states N   with --stateful --reduction none: explore each state from
                       its next N arrivals, too, and see whether it is the same
  --symmetric 1-8      ranks 1 to 8 run the same code, and their numbers make no
                       difference: orders of theirs that are alike are tried
                       once; several groups: 1-4,5-8
  --ltl FORMULA        check a formula of linear temporal logic over the
                       propositions of the program, e.g. 'G (asked -> F given)';
                       @FILE: the formula is in this file
  --automaton FILE     the same: what must not happen, in HOA or as never claim
  --unfair             with these: ranks that can move may be forgotten for ever
  --fair-messages      with these: messages that a receive can take again and
                       again are not left out for ever, as MPI allows
  --determinism WHAT   ranks must send the same in all executions (send), or
                       send and receive the same (communication)
  --no-prune           try all results of Waitany and of polls, read by the
                       program or not
  --keep-going         find all errors, not only the first
  --explain-within SECS
                       say why an execution fails, after at most so long
                       (default 3; 0: do not)
  --require-complete   exit with 6 if nothing is found but not all was explored
  --jobs N             processes that explore (default: 1; 0: one for each core)
  --checkpoint FILE    keep in a new file what was explored; --resume FILE goes
                       on with it; --every SECS (60): parts of an exploration
                       that take longer are cut into smaller ones, and states
                       are kept so often
  --launch WORDS       explore with all processes that WORDS start, which are
                       'mpiexec -n 64' or srun of an MPI with the standard ABI
  --report FILE, --report-html FILE
                       the report as JSON data, as a page
  --list-results       the JSON report lists everything that ranks can print
";

const SCHEDULE: &str = "\
\x20 --replay TOKEN       execute the schedule of a finding
  --step               go through it step by step, in both directions, by
                       commands from standard input; `help` there lists them
  --replay-step        print each of its choices
  --rounds N           walk the round in which a schedule ends N times
  -replay FILE         replay a trace; SMPI's name for smpirun replay FILE
  -np N                as many ranks of a trace (default: as many as it has)
";

const SETTINGS: &str = "\
Settings of SMPI that are options here:
  --cfg=smpi/simulate-computation:no   --compute=off
  --cfg=smpi/display-timing:yes        --summary
  --cfg=contexts/stack-size:KIB        --stack-size
--cfg and --log may also follow the program's name, as with SMPI.
";

const TASKS: &str = "\
\x20 smpirun platform show FILE [HOST HOST [SIZE]]
                       hosts and links; or the way from one host to another,
                       and how long a message of this size takes there
  smpirun platform convert FILE
                       a platform of SimGrid (XML) as TOML
  smpirun calibrate --with \"mpiexec -n 2\"
                       measure another MPI and write its platform
  smpirun predict --check --with mpiexec -np N PROGRAM
                       a program under another MPI and simulated, side by side
  smpirun what-if -np N PROGRAM
                       the same program with an ideal network, faster cores,
                       balanced work, other algorithms: what each would bring
  smpirun compare A.json B.json
                       two profiles of --profile-json, side by side
  smpirun sweep STUDY.toml
                       programs with all combinations of ranks, platforms and
                       settings, but not again what has run already: a table,
                       CSV, a page with speed-up, efficiency and cost
";

const CODES: &str = "\
Exit codes:
  0      every rank returned 0; a verification found nothing
  1      a verification, or a simulation with --strict, found an error
  n      the lowest rank that failed returned n, or a rank called MPI_Abort(n)
  2      input refused: command line, platform, hostfile, program file
  3      deadlock: all ranks wait for each other
  4      internal bug of libsmpi
  128+s  a rank died of signal s, or the run was interrupted by it
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use clap::CommandFactory;

    fn asked(line: &str) -> Result<Asked, Failure> {
        let words: Vec<String> = line.split_whitespace().map(String::from).collect();
        as_options(&words, &Options::command())
    }

    fn line(text: &str) -> (String, Option<bool>) {
        let asked = asked(text).unwrap();
        (asked.options.join(" "), asked.replays_trace)
    }

    #[test]
    fn tasks_are_options_and_programs_have_a_slash() {
        assert_eq!(line("verify -np 2 ./a").0, "--verify -np 2 ./a");
        assert_eq!(line("profile -np 2 ./a verify").0, "--profile -np 2 ./a verify");
        assert_eq!(line("./verify -np 2").0, "./verify -np 2");
        assert_eq!(line("-np 2 verify ./a").0, "--verify -np 2 ./a");
        assert_eq!(line("-np 2 ./verify verify").0, "-np 2 ./verify verify");
        assert_eq!(line("-np 2 -- verify").0, "-np 2 -- verify");
        assert_eq!(line("-replay profile ./a").0, "-replay profile ./a");
    }

    #[test]
    fn what_is_replayed_is_known_by_its_form() {
        assert_eq!(line("replay 1/zero/0.3:2 -np 2 ./a x"), ("--replay=1/zero/0.3:2 -np 2 ./a x".into(), Some(false)));
        assert_eq!(
            line("replay -np 2 1/infinite,0.4/0.3:- ./a x : -np 1 ./b").0,
            "-np 2 --replay=1/infinite,0.4/0.3:- ./a x : -np 1 ./b"
        );
        assert_eq!(line("replay -platform p trace.txt"), ("-platform p --replay=trace.txt".into(), Some(true)));
        assert_eq!(line("replay ./1/zero -np 4"), ("--replay=./1/zero -np 4".into(), Some(true)));
        let file = std::env::temp_dir().join(format!("smpirun-token-{}", std::process::id()));
        std::fs::write(&file, "1/zero/0.3:2\n").unwrap();
        let named = line(&format!("replay {} -np 2 ./a", file.display()));
        std::fs::write(&file, "0 init\n").unwrap();
        let trace = line(&format!("replay {}", file.display())).1;
        std::fs::remove_file(&file).unwrap();
        assert_eq!((named, trace), (("--replay=1/zero/0.3:2 -np 2 ./a".into(), Some(false)), Some(true)));
        for (line, part) in [
            ("replay trace.txt ./a", "leave out ./a"),
            ("replay -np 2", "TOKEN"),
            ("replay 1/zer ./a", "correct the token"),
        ] {
            assert!(matches!(asked(line), Err(Failure::Refused(text)) if text.contains(part)), "{line}");
        }
    }

    #[test]
    fn help_fits_a_screen() {
        assert!(HELP.lines().count() <= 24, "{} lines", HELP.lines().count());
        for text in [all_help(), help(Some(Task::Verify)), help(Some(Task::Replay)), help(Some(Task::Profile))] {
            let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
            assert!(long.is_empty(), "{long:?}");
        }
    }

    #[test]
    fn every_visible_option_is_in_the_help() {
        let text = all_help();
        for arg in Options::command().get_arguments().filter(|arg| !arg.is_hide_set()) {
            let name = arg.get_long().unwrap();
            assert!(name == "help" || text.contains(&format!("-{name}")), "--{name} is missing in the help");
        }
    }
}
