//! The options of `smpirun`, as a clap definition. Values and options that exclude each other are clap's affair; what
//! has no effect in a kind of run is that of [`crate::effects`]. Help texts are in [`crate::tasks`].

use crate::effects::{self, Mode};
use crate::failure::{Failure, of_clap};
use crate::normalise::{self, Section};
use crate::tasks;
use crate::values::{self, Collectives, words};
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches, Parser};
use smpi_base::plan::{BufferingPlan, DeterminismPlan, ReductionPlan};
use smpi_mpi::collective::select::{Operation, Selector};
use std::path::Path;

/// Options before the (first) program.
#[derive(Parser, Debug, Default)]
#[command(name = "smpirun", disable_help_flag = true, disable_version_flag = true, args_override_self = true)]
pub struct Options {
    /// Platform file.
    #[arg(long)]
    pub platform: Option<String>,
    /// Hostfile.
    #[arg(long, alias = "machinefile", conflicts_with = "host")]
    pub hostfile: Option<String>,
    /// Hosts of the ranks, as a list.
    #[arg(long, aliases = ["H", "hosts"])]
    pub host: Vec<String>,
    /// Ranks on each host.
    #[arg(long)]
    pub ppn: Option<u32>,
    /// Ranks on each host: as many as it has cores, or entries in the hostfile.
    #[arg(long, alias = "by-slot", conflicts_with = "ppn")]
    pub byslot: bool,
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
    #[arg(long, group = "tool")]
    pub wrapper: Option<String>,
    /// Run under gdb.
    #[arg(long, group = "tool")]
    pub gdb: bool,
    /// Run under lldb.
    #[arg(long, group = "tool")]
    pub lldb: bool,
    /// Run under valgrind, waiting for gdb.
    #[arg(long, group = "tool")]
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
    #[arg(long, value_parser = words(values::BUFFERING))]
    pub buffering: Option<BufferingPlan>,
    /// Verify: collectives as one transition, or message by message.
    #[arg(long, value_parser = words(values::COLLECTIVES))]
    pub collectives: Option<Collectives>,
    /// Verify: what is left out of the orders of events.
    #[arg(long, value_parser = words(values::REDUCTIONS))]
    pub reduction: Option<ReductionPlan>,
    /// Verify: choices in one execution after which it is cut.
    #[arg(long)]
    pub depth: Option<u64>,
    /// Verify: executions after which to stop.
    #[arg(long)]
    pub max_executions: Option<u64>,
    /// Verify: random executions instead of all.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=values::MOST_WALKS), conflicts_with = "deviations")]
    pub sample: Option<u64>,
    /// Sample: another seed is other executions.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Sample: by priorities, for bugs of this depth.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=values::MOST_DEPTH))]
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
    #[arg(long, conflicts_with = "automaton")]
    pub ltl: Option<String>,
    /// Verify: a property as an automaton of its violations.
    #[arg(long)]
    pub automaton: Option<String>,
    /// Verify a property: without fairness between ranks.
    #[arg(long)]
    pub unfair: bool,
    /// Verify a property: with fairness between messages.
    #[arg(long)]
    pub fair_messages: bool,
    /// Verify: which messages must be the same in all executions.
    #[arg(long, value_parser = words(values::DETERMINISM))]
    pub determinism: Option<DeterminismPlan>,
    /// Verify: try all results of Waitany and polls, also where the program does not look at them (smpicc --verify).
    #[arg(long)]
    pub no_prune: bool,
    /// Verify: memory after which to stop.
    #[arg(long)]
    pub memory: Option<String>,
    /// Verify: ranks that may change places.
    #[arg(long)]
    pub symmetric: Option<String>,
    /// Verify: completed requests beyond which not all sets are tried that Waitsome can return.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=values::MOST_WAITSOME))]
    pub max_waitsome: Option<u32>,
    /// Verify: seconds after which to stop.
    #[arg(long, value_parser = values::seconds)]
    pub time_limit: Option<f64>,
    /// Verify: seconds that a rank may compute between two MPI calls.
    #[arg(long, value_parser = values::seconds)]
    pub call_timeout: Option<f64>,
    /// Verify: seconds within which findings are explained.
    #[arg(long, value_parser = values::seconds_or_none)]
    pub explain_within: Option<f64>,
    /// Verify: find all errors.
    #[arg(long)]
    pub keep_going: bool,
    /// Verify: an exploration that is not complete is a failure.
    #[arg(long)]
    pub require_complete: bool,
    /// Verify: processes that explore.
    #[arg(long)]
    pub jobs: Option<u32>,
    /// Verify: a file that keeps what was explored.
    #[arg(long, conflicts_with = "resume")]
    pub checkpoint: Option<String>,
    /// Verify: go on with what such a file keeps.
    #[arg(long)]
    pub resume: Option<String>,
    /// Verify: seconds after which parts of an exploration are cut, or states kept.
    #[arg(long, value_parser = values::seconds)]
    pub every: Option<f64>,
    /// Verify: how a launcher starts processes of another MPI, which explore together.
    #[arg(long)]
    pub launch: Option<String>,
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
    #[arg(long, conflicts_with_all = ["timeline", "trace_ti"])]
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
    /// What is replayed is a trace.
    #[arg(skip)]
    pub replays_trace: bool,
    /// Execute one schedule that a verification printed, or replay a time-independent trace.
    #[arg(long)]
    pub replay: Option<String>,
    /// Replay: print each choice.
    #[arg(long)]
    pub replay_step: bool,
    /// Replay: go through the schedule step by step.
    #[arg(long, conflicts_with_all = ["replay_step", "rounds"])]
    pub step: bool,
    /// Replay: walk the round in which a schedule ends so often.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=values::MOST_ROUNDS))]
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
    /// The words.
    pub words: Vec<String>,
    /// Those options of them that the replay of a schedule takes as well, but for numbers of ranks.
    pub repeated: Vec<String>,
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

/// Why a schedule of a verification cannot be repeated in another world.
const ONE_SCHEDULE: &str = "--replay TOKEN executes one schedule of a verification, which has no times to compare: leave \
                            it out, or replay a trace";

/// Reads the words after `smpirun`.
pub fn parse(words: &[String]) -> Result<Request, Failure> {
    parse_for(words, None)
}

/// Reads the words of a task that repeats a run in this mode. An option must have an effect in what is repeated, too.
pub fn parse_for(given_words: &[String], mode: Option<Mode>) -> Result<Request, Failure> {
    let command = Options::command();
    let words = &tasks::as_options(given_words, &command)?;
    let sections = normalise::sections(&words.options, &command)?;
    let (first, given) = parse_section(&sections[0])?;
    let answer = |text: String| Ok(Request::Print(text));
    if first.help_all {
        return answer(tasks::all_help());
    }
    if first.help_coll {
        return answer(collectives());
    }
    if first.help_cfg {
        return answer(smpi_settings::page::help());
    }
    if first.help || words.options.is_empty() {
        return answer(tasks::help(words.task));
    }
    if first.version {
        return answer(format!("smpirun (libsmpi) {}\n", env!("CARGO_PKG_VERSION")));
    }
    let mut options = first;
    if let Some(token) = options.replay.as_deref().and_then(tasks::schedule_in) {
        options.replay = Some(token);
    }
    options.replays_trace = words.replays_trace.unwrap_or_else(|| options.seems_to_replay_trace(&sections[0]));
    let repeated = mode.or_else(|| options.coll_auto.is_some().then_some(Mode::Algorithms));
    let mut notes = match repeated {
        Some(mode) => effects::check(&given, mode)?,
        None => Vec::new(),
    };
    let kind = options.mode();
    if repeated.is_some() && matches!(kind, Mode::Schedule | Mode::Steps) {
        return Err(Failure::Refused(ONE_SCHEDULE.into()));
    }
    notes.extend(effects::check(&given, kind)?);
    for (name, words) in
        [("-wrapper", &options.wrapper), ("-platform", &options.platform), ("-hostfile", &options.hostfile)]
    {
        if words.as_ref().is_some_and(|words| words.trim().is_empty()) {
            return Err(Failure::Refused(format!("{name} \"\": expected something; leave the option out for none")));
        }
    }
    let apps = apps(&sections, &options)?;
    if let (true, Some(program)) = (options.replays_trace, &sections[0].program) {
        notes.push(format!("{program} does not run: a trace is replayed without programs"));
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
    let notes = sections.iter().flat_map(|section| &section.notes).cloned().chain(notes).collect();
    let (words, repeated) = (given_words.to_vec(), of_schedule(&sections, &command));
    Ok(Request::Run(Box::new(CommandLine { options, apps, variables, notes, words, repeated })))
}

/// Options that the replay of a schedule takes as well, but for numbers of ranks, which stand before each program.
fn of_schedule(sections: &[Section], command: &Command) -> Vec<String> {
    let is_taken = |option: &&String| {
        normalise::name_of(option, command).is_some_and(|name| name != "np" && effects::is_of_schedule(name))
    };
    let variables = sections[0].variables.iter().flat_map(|(name, value)| ["-x".into(), format!("{name}={value}")]);
    let late = sections.iter().flat_map(|section| &section.late_options);
    sections[0].options.iter().chain(late).filter(is_taken).cloned().chain(variables).collect()
}

/// The programs of all sections; none where a trace is replayed.
fn apps(sections: &[Section], options: &Options) -> Result<Vec<AppWords>, Failure> {
    let mut apps = if options.replays_trace { Vec::new() } else { vec![app(&sections[0], options.np)?] };
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
        apps.push(app(section, parse_section(section)?.0.np)?);
    }
    Ok(apps)
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

fn parse_section(section: &Section) -> Result<(Options, ArgMatches), Failure> {
    let words = std::iter::once("smpirun").chain(section.options.iter().map(String::as_str));
    let refusal = |error| of_clap(&error, "smpirun --help");
    let matches = Options::command().try_get_matches_from(words).map_err(refusal)?;
    Ok((Options::from_arg_matches(&matches).map_err(refusal)?, matches))
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
    /// Whether what is to be replayed is a trace, and no schedule of a program, where only an option says that
    /// something is.
    fn seems_to_replay_trace(&self, section: &Section) -> bool {
        let is_file = |name: &String| section.program.is_none() || Path::new(name).is_file();
        !self.verify && self.replay.as_ref().is_some_and(is_file)
    }

    /// What kind of run this is, however often it is made.
    fn mode(&self) -> Mode {
        match &self.replay {
            Some(_) if self.replays_trace => Mode::Trace,
            Some(_) if self.step => Mode::Steps,
            Some(_) => Mode::Schedule,
            None if self.verify => Mode::Verification,
            None => Mode::Simulation,
        }
    }

    /// The words of the command to run the hosting process under; empty when there is none.
    pub fn wrapper_command(&self) -> Vec<String> {
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
        words
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
        assert!(matches!(parse(&["-wrapper", "", "./a"].map(String::from)), Err(Failure::Refused(_))));
        assert!(run("-replay Cargo.toml ./a").notes.iter().any(|note| note.contains("./a does not run")));
        assert!(refused("--platfrom x ./a").contains("--platfrom"));
        assert!(refused("-np 4").contains("no program"));
    }

    #[test]
    fn wrappers() {
        assert_eq!(run("-gdb ./a").options.wrapper_command(), ["gdb", "--args"]);
        let valgrind = Options { wrapper: Some("valgrind -q".into()), ..Options::default() };
        let replaced = "--soname-synonyms=somalloc=libmpi_abi.so.1";
        assert_eq!(valgrind.wrapper_command(), ["valgrind", "--trace-children=yes", replaced, "-q"]);
        let verified = Options { verify: true, ..valgrind };
        assert_eq!(verified.wrapper_command(), ["valgrind", "--trace-children=yes", "-q"]);
        assert!(refused("-gdb -lldb ./a").contains("leave one of them out"));
    }
}
