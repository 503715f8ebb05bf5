//! The options of `smpirun`, as a clap definition, and its two help texts.
//!
//! The help texts are written by hand because the first one must fit a screen of 24 lines by 80 columns; a test holds
//! them and the definition together.

use crate::Failure;
use crate::normalise::{self, Section};
use clap::{CommandFactory, FromArgMatches, Parser};
use smpi_mpi::collective::select::{Operation, Selector};
use std::path::Path;

/// What `smpirun --help` prints.
pub const HELP: &str = "\
Usage: smpirun [options] [-np N] program [arguments] [: -np M program ...]

Runs an MPI program on N simulated ranks and tells the time it would take.

  -np N, -n N          ranks (default: entries of the hostfile, else 1)
  -platform FILE       the machine to simulate (default: a laptop)
  -hostfile FILE       where ranks go: `host`, `host:n`, `host slots=n` a line
  -map                 print the host of every rank
  --summary            print simulated time, messages, share of communication
  --compute HOW        measured (default), off, scaled:F or recorded:FILE
  --cfg=KEY:VALUE      set a constant of the model (repeatable)
  --verify             no simulation: look for errors in all message orders
  -gdb, -wrapper CMD   run under gdb, or under CMD (e.g. valgrind)
  --help-all           all options, exit codes

Examples:
  smpicc ring.c -o ring
  smpirun -platform platforms/gigabit-64.toml -np 16 --summary ./ring
  smpirun -platform cluster.toml -np 2 ./server 80 : -np 30 ./client
Options may have one dash or two. Exit code: that of the lowest failing rank;
2 input refused, 3 deadlock, 128+S signal S. Manual: docs/smpirun.md
";

/// What `smpirun --help-all` prints after [`HELP`].
pub const HELP_ALL: &str = "
More options:
  -machinefile FILE    the same as -hostfile
  -host A,B:2          the same as a hostfile with these entries
  -ppn N               N ranks on each host, host after host
  -x NAME=VALUE, -genv NAME VALUE
                       an environment variable of the ranks
  --notes              print notes: what was ignored, and how ranks are placed;
                       --summary prints them, too
  -quiet               no notes and no warnings
  --strict             fail with 1 when MPI is misused: types, collective calls,
                       leaks and the like are only warnings otherwise. With
                       --verify, too: when a call returns an error
  --summary-json FILE  the summary as JSON data
  --profile            print where the time is: by call and line, who waits for
                       whom, the critical path; --profile-json FILE as data
  --report-html FILE   the same as a page, with a timeline
  --timeline FILE      all events: FILE.json for ui.perfetto.dev, FILE.otf2
                       for Vampir, FILE.trace for ViTE and pj_dump (Paje)
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
  -replay FILE         replay such a trace, of SMPI or ours, without programs;
                       docs/replay.md
  -analyze             of SMPI, is refused: --summary and --strict say it

With --verify (docs/verification.md):
  --buffering HOW      sends: zero (wait), infinite, both (default), each alone
  --collectives HOW    atomic (default), or p2p: verify their messages, too
  --reduction HOW      matches (default); none or dpor explore single steps, for
                       comparison; with --ltl only none: leave out no choice
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
  --determinism WHAT   ranks must send the same in all executions (send), or
                       send and receive the same (communication)
  --no-prune           try every result of Waitany, read by the program or not
  --keep-going         find all errors, not only the first
  --jobs N             processes that explore (default: 1; 0: one for each core)
  --report FILE, --report-html FILE
                       the report as JSON data, as a page
  --list-results       the JSON report lists everything that ranks can print
  --replay TOKEN       execute the schedule of a finding; --replay-step prints
                       each of its choices, --rounds N walks the round in
                       which one ends N times

Settings of SMPI that are options here:
  --cfg=smpi/simulate-computation:no   --compute=off
  --cfg=smpi/display-timing:yes        --summary
  --cfg=contexts/stack-size:KIB        --stack-size
--cfg and --log may also follow the program's name, as with SMPI.

Questions about platforms:
  smpirun platform show FILE [HOST HOST [SIZE]]
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

Exit codes:
  0      every rank returned 0; a verification found nothing
  1      a verification, or a simulation with --strict, found an error
  n      the lowest rank that failed returned n, or a rank called MPI_Abort(n)
  2      input refused: command line, platform, hostfile, program file
  3      deadlock: all ranks wait for each other
  4      internal bug of libsmpi
  128+s  a rank died of signal s, or the run was interrupted by it
";

/// Options before the (first) program.
#[derive(Parser, Debug, Default)]
#[command(name = "smpirun", disable_help_flag = true, disable_version_flag = true, args_override_self = true)]
pub struct Options {
    /// Platform file.
    #[arg(long)]
    pub platform: Option<String>,
    /// Hostfile.
    #[arg(long, alias = "machinefile")]
    pub hostfile: Option<String>,
    /// Hosts of the ranks, as a list.
    #[arg(long, aliases = ["H", "hosts"])]
    pub host: Vec<String>,
    /// Ranks on each host.
    #[arg(long)]
    pub ppn: Option<u32>,
    /// Number of ranks.
    #[arg(long, alias = "n")]
    pub np: Option<u32>,
    /// Print rank → host.
    #[arg(long)]
    pub map: bool,
    /// No notes and warnings.
    #[arg(long)]
    pub quiet: bool,
    /// Print notes.
    #[arg(long)]
    pub notes: bool,
    /// Settings `key:value`.
    #[arg(long)]
    pub cfg: Vec<String>,
    /// Accepted, no effect.
    #[arg(long)]
    pub log: Vec<String>,
    /// How computation is charged.
    #[arg(long)]
    pub compute: Option<String>,
    /// Noise of the operating system.
    #[arg(long)]
    pub noise: Option<String>,
    /// Print the summary.
    #[arg(long)]
    pub summary: bool,
    /// Write the summary as JSON.
    #[arg(long)]
    pub summary_json: Option<String>,
    /// Print where the time of a simulation is.
    #[arg(long)]
    pub profile: bool,
    /// The same as JSON.
    #[arg(long)]
    pub profile_json: Option<String>,
    /// All events of a simulation, in the format that the ending of the file names.
    #[arg(long)]
    pub timeline: Option<String>,
    /// Stack of a rank.
    #[arg(long)]
    pub stack_size: Option<String>,
    /// Largest heap of a rank.
    #[arg(long)]
    pub heap_size: Option<String>,
    /// Libraries that every rank has for itself.
    #[arg(long)]
    pub privatize: Vec<String>,
    /// Bandwidth of the links of a generated platform.
    #[arg(long)]
    pub bandwidth: Option<String>,
    /// Latency of the links of a generated platform.
    #[arg(long)]
    pub latency: Option<String>,
    /// Command to run the hosting process under.
    #[arg(long)]
    pub wrapper: Option<String>,
    /// Run under gdb.
    #[arg(long)]
    pub gdb: bool,
    /// Run under lldb.
    #[arg(long)]
    pub lldb: bool,
    /// Run under valgrind, waiting for gdb.
    #[arg(long)]
    pub vgdb: bool,
    /// Testing aid: shuffle what the host may order differently.
    #[arg(long, hide = true)]
    pub shuffle: Option<u64>,
    /// A simulation whose checks find something fails.
    #[arg(long)]
    pub strict: bool,
    /// Verify instead of simulating.
    #[arg(long)]
    pub verify: bool,
    /// Verify: buffering of standard sends.
    #[arg(long)]
    pub buffering: Option<String>,
    /// Verify: collectives as one transition, or message by message.
    #[arg(long)]
    pub collectives: Option<String>,
    /// Verify: what is left out of the orders of events.
    #[arg(long)]
    pub reduction: Option<String>,
    /// Verify: choices in one execution after which it is cut.
    #[arg(long)]
    pub depth: Option<u64>,
    /// Verify: executions after which to stop.
    #[arg(long)]
    pub max_executions: Option<u64>,
    /// Verify: random executions instead of all.
    #[arg(long)]
    pub sample: Option<u64>,
    /// Sample: another seed is other executions.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Sample: by priorities, for bugs of this depth.
    #[arg(long)]
    pub bug_depth: Option<u32>,
    /// Verify: only executions that differ from the natural one in this many choices.
    #[arg(long)]
    pub deviations: Option<u32>,
    /// Verify: states are recognised whatever led to them.
    #[arg(long)]
    pub stateful: bool,
    /// Verify by states: arrivals after the first from which states are explored again and compared.
    #[arg(long)]
    pub compare_states: Option<u32>,
    /// Verify: a property as a formula.
    #[arg(long)]
    pub ltl: Option<String>,
    /// Verify: a property as an automaton of its violations.
    #[arg(long)]
    pub automaton: Option<String>,
    /// Verify a property: without fairness between ranks.
    #[arg(long)]
    pub unfair: bool,
    /// Verify: which messages must be the same in all executions.
    #[arg(long)]
    pub determinism: Option<String>,
    /// Verify: try all results of Waitany, also where the program does not look at them (smpicc --verify).
    #[arg(long)]
    pub no_prune: bool,
    /// Verify: memory after which to stop.
    #[arg(long)]
    pub memory: Option<String>,
    /// Verify: ranks that may change places.
    #[arg(long)]
    pub symmetric: Option<String>,
    /// Verify: completed requests beyond which not all sets are tried that Waitsome can return.
    #[arg(long)]
    pub max_waitsome: Option<u32>,
    /// Verify: seconds after which to stop.
    #[arg(long)]
    pub time_limit: Option<f64>,
    /// Verify: seconds that a rank may compute between two MPI calls.
    #[arg(long)]
    pub call_timeout: Option<f64>,
    /// Verify: find all errors.
    #[arg(long)]
    pub keep_going: bool,
    /// Verify: processes that explore.
    #[arg(long)]
    pub jobs: Option<u32>,
    /// Verify: the JSON report lists every result.
    #[arg(long)]
    pub list_results: bool,
    /// Verify: report as JSON.
    #[arg(long)]
    pub report: Option<String>,
    /// Verify: report as a page.
    #[arg(long)]
    pub report_html: Option<String>,
    /// All events as Paje, as SMPI names it.
    #[arg(long)]
    pub trace: bool,
    /// Write what ranks do to a time-independent trace.
    #[arg(long)]
    pub trace_ti: bool,
    /// The trace's file, or the one that names its files.
    #[arg(long)]
    pub trace_file: Option<String>,
    /// All ranks in one of them: set by `--cfg`.
    #[arg(skip)]
    pub trace_one_file: bool,
    /// Execute one schedule that a verification printed, or replay a time-independent trace.
    #[arg(long)]
    pub replay: Option<String>,
    /// Replay: print each choice.
    #[arg(long)]
    pub replay_step: bool,
    /// Replay: walk the round in which a schedule ends so often.
    #[arg(long)]
    pub rounds: Option<u32>,
    /// The user's own table of collective algorithms.
    #[arg(long)]
    pub coll_table: Option<String>,
    /// Find the fastest algorithms of collectives, and write them here.
    #[arg(long)]
    pub coll_auto: Option<String>,
    /// Print the tables and algorithms of collective operations.
    #[arg(long)]
    pub help_coll: bool,
    /// Print the settings of `--cfg`.
    #[arg(long)]
    pub help_cfg: bool,
    /// Print the version.
    #[arg(long, aliases = ["v", "git-version"])]
    pub version: bool,
    /// Print the short help.
    #[arg(long, alias = "h")]
    pub help: bool,
    /// Print all options.
    #[arg(long)]
    pub help_all: bool,
}

/// Everything the command line says.
#[derive(Debug)]
pub struct CommandLine {
    /// Options before the first program, plus `--cfg`/`--log` from after any program.
    pub options: Options,
    /// The programs; none where a trace is replayed.
    pub apps: Vec<AppWords>,
    /// Environment variables of the ranks, besides ours.
    pub variables: Vec<(String, String)>,
    /// What the user may be told.
    pub notes: Vec<String>,
}

/// One program of the command line.
#[derive(Debug, PartialEq)]
pub struct AppWords {
    /// Number of ranks, when given.
    pub ranks: Option<u32>,
    /// The program as typed.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
}

/// What the user asks for.
pub enum Request {
    /// Print this and end with code 0.
    Print(String),
    /// Run programs.
    Run(Box<CommandLine>),
}

/// Reads the words after `smpirun`.
pub fn parse(words: &[String]) -> Result<Request, Failure> {
    let command = Options::command();
    let sections = normalise::sections(words, &command)?;
    let first = parse_section(&sections[0])?;
    if first.help_all {
        return Ok(Request::Print(format!("{HELP}{HELP_ALL}")));
    }
    if first.help_coll {
        return Ok(Request::Print(collectives()));
    }
    if first.help_cfg {
        return Ok(Request::Print(smpi_settings::page::help()));
    }
    if first.help || words.is_empty() {
        return Ok(Request::Print(HELP.to_string()));
    }
    if first.version {
        return Ok(Request::Print(format!("smpirun (libsmpi) {}\n", env!("CARGO_PKG_VERSION"))));
    }
    let mut options = first;
    let mut apps = if options.replays_trace(&sections[0]) { Vec::new() } else { vec![app(&sections[0], options.np)?] };
    for section in &sections[1..] {
        if let Some((name, _)) = section.variables.first() {
            let text =
                format!("{name} after `:` is not possible: all programs have the same environment; set it before");
            return Err(Failure::Refused(text));
        }
        if let Some(word) = section.options.iter().find(|o| !o.starts_with("--np=") && !o.starts_with("--n=")) {
            let name = word.split('=').next().unwrap_or(word);
            return Err(Failure::Refused(format!(
                "{name} after `:` is not possible: only -np may differ between programs; put it before the first program"
            )));
        }
        apps.push(app(section, parse_section(section)?.np)?);
    }
    for section in &sections {
        for late in &section.late_options {
            match late.split_once('=') {
                Some(("--cfg", value)) => options.cfg.push(value.to_string()),
                _ => options.log.push(late.clone()),
            }
        }
    }
    let variables = sections[0].variables.clone();
    let notes = sections.iter().flat_map(|section| &section.notes).cloned().collect();
    Ok(Request::Run(Box::new(CommandLine { options, apps, variables, notes })))
}

/// What `--help-coll` prints.
fn collectives() -> String {
    let tables = Selector::ALL.map(Selector::name).join(", ");
    let mut text = format!(
        "--cfg=smpi/coll-selector:TABLE  which table chooses: {tables}\n\
         --coll-table FILE               a table of your own; docs/smpirun.md has its form\n\
         --cfg=smpi/OPERATION:ALGORITHM  forces one where it can run; iOPERATION and OPERATION_init are\n\
         \x20                               nonblocking and persistent calls\n"
    );
    for operation in Operation::ALL {
        text += &format!("\n{}\n", operation.name());
        let mut line = String::new();
        for name in operation.algorithms() {
            if !line.is_empty() && line.len() + name.len() > 74 {
                text += &format!("    {line}\n");
                line.clear();
            }
            line += name;
            line.push(' ');
        }
        text += &format!("    {}\n", line.trim_end());
    }
    text
}

fn parse_section(section: &Section) -> Result<Options, Failure> {
    let words = std::iter::once("smpirun").chain(section.options.iter().map(String::as_str));
    let matches = Options::command().try_get_matches_from(words).map_err(refusal)?;
    Options::from_arg_matches(&matches).map_err(refusal)
}

/// Clap's message in our form: its first paragraph without the prefix, and its tip.
fn refusal(error: clap::Error) -> Failure {
    let text = error.render().to_string();
    let useful = |line: &&str| !line.is_empty() && !line.starts_with("Usage:") && !line.starts_with("For more");
    let lines: Vec<&str> = text.lines().map(str::trim).filter(useful).collect();
    let message = lines.join("; ").replacen("error: ", "", 1);
    Failure::Refused(format!("{message} (see smpirun --help)"))
}

fn app(section: &Section, ranks: Option<u32>) -> Result<AppWords, Failure> {
    let Some(program) = section.program.clone() else {
        return Err(Failure::Refused("no program given; expected: smpirun [options] program [arguments]".into()));
    };
    if ranks == Some(0) {
        return Err(Failure::Refused(format!("-np 0 for {program}: expected at least one rank")));
    }
    Ok(AppWords { ranks, program, args: section.args.clone() })
}

impl Options {
    /// Whether what is to be replayed is a trace, and no schedule of a program.
    fn replays_trace(&self, section: &Section) -> bool {
        let is_file = |name: &String| section.program.is_none() || Path::new(name).is_file();
        !self.verify && self.replay.as_ref().is_some_and(is_file)
    }

    /// The words of the command to run the hosting process under; empty when there is none.
    pub fn wrapper_command(&self) -> Result<Vec<String>, Failure> {
        let given = [self.gdb, self.lldb, self.vgdb, self.wrapper.is_some()];
        if given.iter().filter(|given| **given).count() > 1 {
            return Err(Failure::Refused("-gdb, -lldb, -vgdb and -wrapper exclude each other".into()));
        }
        let words = if self.gdb {
            "gdb --args"
        } else if self.lldb {
            "lldb --"
        } else if self.vgdb {
            "valgrind --vgdb=yes --vgdb-error=0"
        } else {
            self.wrapper.as_deref().unwrap_or_default()
        };
        let mut words: Vec<String> = words.split_whitespace().map(String::from).collect();
        // The hosting process re-executes itself once more below the wrapper; valgrind must be told to follow, and
        // which `malloc` it is to replace. A verification puts heaps back, which it cannot with blocks of valgrind's.
        if words.first().is_some_and(|tool| tool.rsplit('/').next() == Some("valgrind")) {
            words.insert(1, "--trace-children=yes".into());
            if !self.verify && self.replay.is_none() {
                words.insert(2, "--soname-synonyms=somalloc=libmpi_abi.so.1".into());
            }
        }
        Ok(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(line: &str) -> CommandLine {
        match parse(&words(line)) {
            Ok(Request::Run(command_line)) => *command_line,
            Ok(Request::Print(text)) => panic!("unexpected text: {text}"),
            Err(failure) => panic!("{failure:?}"),
        }
    }

    fn refused(line: &str) -> String {
        match parse(&words(line)) {
            Err(Failure::Refused(message)) => message,
            _ => panic!("{line} was not refused"),
        }
    }

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn help_fits_a_screen() {
        assert!(HELP.lines().count() <= 24, "{} lines", HELP.lines().count());
        assert!(HELP.lines().chain(HELP_ALL.lines()).all(|line| line.chars().count() <= 80));
    }

    #[test]
    fn every_visible_option_is_in_the_help() {
        let text = format!("{HELP}{HELP_ALL}");
        for arg in Options::command().get_arguments().filter(|arg| !arg.is_hide_set()) {
            let name = arg.get_long().unwrap();
            assert!(name == "help" || text.contains(&format!("-{name}")), "--{name} is missing in the help");
        }
    }

    #[test]
    fn the_options_of_smpi_are_understood() {
        let line = run("-platform c.toml -hostfile h -np 4 -map -quiet --cfg=a/b:1 --cfg=c:2 ./app -x --cfg=d:3");
        assert_eq!(line.options.platform.as_deref(), Some("c.toml"));
        assert_eq!(line.options.hostfile.as_deref(), Some("h"));
        assert!(line.options.map && line.options.quiet);
        assert_eq!(line.options.cfg, ["a/b:1", "c:2", "d:3"]);
        assert_eq!(line.apps, [AppWords { ranks: Some(4), program: "./app".into(), args: vec!["-x".into()] }]);
    }

    #[test]
    fn several_programs() {
        let line = run("-n 2 ./a x : -np 4 ./b y");
        assert_eq!(line.apps.iter().map(|app| app.ranks).collect::<Vec<_>>(), [Some(2), Some(4)]);
        assert!(refused("-np 2 ./a : -platform p -np 2 ./b").contains("--platform"));
        assert!(refused("-np 2 ./a :").contains("no program"));
    }

    #[test]
    fn mistakes_are_named() {
        assert!(refused("-np four ./a").contains("four"));
        assert!(refused("-np 0 ./a").contains("at least one"));
        assert!(refused("--platfrom x ./a").contains("--platfrom"));
        assert!(refused("-np 4").contains("no program"));
    }

    #[test]
    fn wrappers() {
        assert_eq!(run("-gdb ./a").options.wrapper_command().unwrap(), ["gdb", "--args"]);
        let valgrind = Options { wrapper: Some("valgrind -q".into()), ..Options::default() };
        let replaced = "--soname-synonyms=somalloc=libmpi_abi.so.1";
        assert_eq!(valgrind.wrapper_command().unwrap(), ["valgrind", "--trace-children=yes", replaced, "-q"]);
        let verified = Options { verify: true, ..valgrind };
        assert_eq!(verified.wrapper_command().unwrap(), ["valgrind", "--trace-children=yes", "-q"]);
        assert!(run("-gdb -lldb ./a").options.wrapper_command().is_err());
    }
}
