//! The run plan: everything `smpirun` learned from its command line, as data.
//!
//! `smpirun` writes it as JSON into the environment variable [`PLAN_VARIABLE`] and re-executes itself with
//! `libsmpi.so` preloaded; the library reads it back, removes the variable and hosts the ranks.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

/// Environment variable that carries the plan into the hosting process.
pub const PLAN_VARIABLE: &str = "SMPI_RUN_PLAN";

/// Environment variable by which a process of another MPI tells the explorer that it starts where it is: a number,
/// how many there are, and a descriptor, with colons between them.
pub const NODE_VARIABLE: &str = "SMPI_NODE";

/// Environment variable that says to processes of another MPI that whoever has started them has a terminal, to which
/// the launcher forwards what the first of them says.
pub const TERMINAL_VARIABLE: &str = "SMPI_TERMINAL";

/// One program of the run and how many ranks of it.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct App {
    /// Path of the executable, as the user gave it (resolved by `smpirun`: contains a `/`).
    pub path: String,
    /// Arguments after the program's name.
    pub args: Vec<String>,
    /// Number of ranks; 0 only in [`RunPlan::default`].
    pub ranks: u32,
}

/// A complete run.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Default)]
pub struct RunPlan {
    /// The words after `smpirun`, as a shell takes them.
    #[serde(default)]
    pub command: String,
    /// What of them the replay of one schedule takes: options, then programs with their ranks.
    #[serde(default)]
    pub repeated: String,
    /// Programs in the order of the command line; world ranks are numbered through them.
    pub apps: Vec<App>,
    /// Platform file; `None` uses the platform built into the library (the laptop).
    pub platform: Option<String>,
    /// Hosts of the ranks in rank order (already unrolled from the hostfile); empty: all hosts of the platform in
    /// order.
    pub hosts: Vec<String>,
    /// The hostfile and, for every entry of `hosts`, the line it came from: for messages about unknown hosts.
    pub hostfile: Option<Hostfile>,
    /// Parameters of a generated platform: set when there is a hostfile and no platform (SMPI's deprecated form).
    pub mesh: Option<Mesh>,
    /// How ranks are spread over hosts.
    #[serde(default)]
    pub spread: Spread,
    /// Print rank → host before the run.
    pub map: bool,
    /// How computation between MPI calls is charged.
    pub compute: Compute,
    /// Noise of the operating system that computations meet.
    #[serde(default)]
    pub noise: Option<Noise>,
    /// `--cfg=key:value` settings in the order given.
    pub cfg: Vec<(String, String)>,
    /// Stack of a rank in bytes; 0 = the default (8 MiB).
    pub stack_size: u64,
    /// Largest heap of a rank in bytes; 0 = the default (what the address space gives).
    pub heap_size: u64,
    /// Libraries of which every rank gets its own copy, by name.
    #[serde(default)]
    pub privatize: Vec<String>,
    /// Print the summary at the end.
    pub summary: bool,
    /// File for the summary as JSON.
    pub summary_json: Option<String>,
    /// Print the profile at the end.
    #[serde(default)]
    pub profile: bool,
    /// File for the profile as JSON.
    #[serde(default)]
    pub profile_json: Option<String>,
    /// File for the page of a simulation.
    #[serde(default)]
    pub page: Option<String>,
    /// File for all events, and its format.
    #[serde(default)]
    pub timeline: Option<TimelinePlan>,
    /// Testing aid: shuffle everything the host may order differently (rank order inside an instant, addresses).
    pub shuffle: Option<u64>,
    /// Suppress warnings (not errors).
    pub quiet: bool,
    /// Print notes: what is ignored, how ranks are placed. They are no part of what programs print.
    #[serde(default)]
    pub notes: bool,
    /// A simulation whose checks find something fails.
    pub strict: bool,
    /// Write what ranks do to a time-independent trace.
    #[serde(default)]
    pub trace: Option<TracePlan>,
    /// Replay the ranks of this trace instead of programs.
    #[serde(default)]
    pub replay_trace: Option<ReplayPlan>,
    /// Verify instead of simulating.
    pub verify: Option<VerifyPlan>,
}

/// How ranks are spread over hosts. Those that find no place begin again at the first host.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, Default)]
pub enum Spread {
    /// One for each entry of the hostfile, or each host of the platform.
    #[default]
    Entries,
    /// So many on each host, host after host.
    PerHost(u32),
    /// As many on each host as it has entries, or cores where there is no hostfile, host after host.
    Slots,
}

/// All events of a simulation, for another tool.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct TimelinePlan {
    /// The file.
    pub path: String,
    /// Its format.
    pub format: TimelineFormat,
}

/// Formats of events.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub enum TimelineFormat {
    /// Chrome's trace events, as JSON.
    Perfetto,
    /// Paje.
    Paje,
    /// The Open Trace Format 2.
    Otf2,
}

/// Where a time-independent trace goes.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct TracePlan {
    /// The file that names the others.
    pub file: String,
    /// All ranks in one file; else each has its own.
    pub one_file: bool,
}

/// A time-independent trace to be replayed.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct ReplayPlan {
    /// The trace, or the file that names its files.
    pub file: String,
    /// As many ranks as the user says; 0: as many as the trace has.
    pub ranks: u32,
}

/// Noise of the operating system, as `--noise` says it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq)]
pub struct Noise {
    /// Interruptions of a core per second, on average.
    pub frequency_hz: f64,
    /// What each of them takes, in seconds.
    pub detour_secs: f64,
    /// Another seed is other noise.
    pub seed: u64,
}

/// What to verify, and how.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct VerifyPlan {
    /// Whether standard-mode sends buffer.
    pub buffering: BufferingPlan,
    /// Collective operations are one transition each; otherwise their messages are verified, too.
    pub atomic_collectives: bool,
    /// What is left out of the orders of events.
    pub reduction: ReductionPlan,
    /// What is executed.
    pub search: SearchPlan,
    /// Which messages must be the same in all executions.
    pub determinism: DeterminismPlan,
    /// States are recognised by what may still become of them, whatever led to them.
    pub stateful: bool,
    /// The exploration may go on in another way where that is quicker: by states, or by groups of ranks.
    pub adapts: bool,
    /// Arrivals after the first from which a state is explored again, to see whether it is the same.
    pub compare_states: u32,
    /// What must hold of every execution, instead of the absence of errors.
    pub property: Option<PropertyPlan>,
    /// Ranks that may change places, by the user's promise: groups that have none in common.
    pub symmetric: Vec<RangeInclusive<u32>>,
    /// Choices in one execution after which it is cut.
    pub depth: u64,
    /// Results of Waitany that the program does not look at are tried once.
    pub prune: bool,
    /// Completed requests beyond which not all sets are tried that Waitsome and Testsome can return.
    pub max_waitsome: u32,
    /// Executions after which to stop; 0 for no limit.
    pub max_executions: u64,
    /// Seconds after which to stop; 0 for no limit.
    pub time_limit_secs: f64,
    /// Bytes of memory of the exploring process after which to stop; 0 for no limit.
    pub memory_bytes: u64,
    /// Seconds that a rank may compute between two MPI calls; 0 for no limit.
    pub call_timeout_secs: f64,
    /// Find all errors, not only the first.
    pub keep_going: bool,
    /// Seconds within which findings are explained; 0: they are not.
    pub explain_within_secs: f64,
    /// An exploration that is not complete is a failure.
    pub require_complete: bool,
    /// Processes that explore; 0 for one for each core.
    pub jobs: u32,
    /// Where it is kept what was explored.
    #[serde(default)]
    pub checkpoint: Option<CheckpointPlan>,
    /// Seconds after which a part of the exploration is cut into smaller ones.
    #[serde(default)]
    pub every_secs: f64,
    /// Its place among the processes of another MPI that explore together.
    #[serde(default)]
    pub node: Option<NodePlan>,
    /// The report lists every result.
    pub list_results: bool,
    /// File for the report as JSON.
    pub report: Option<String>,
    /// File for the report as HTML.
    pub report_html: Option<String>,
    /// Execute this schedule only, with the program's output visible.
    pub replay: Option<String>,
    /// Print each choice of a replay.
    pub replay_step: bool,
    /// Go through this schedule step by step, by commands from standard input.
    #[serde(default)]
    pub step: bool,
    /// How often a round is walked in which a schedule ends.
    pub replay_rounds: u32,
}

impl VerifyPlan {
    /// Whether single steps of ranks and network are explored, instead of choices of the ranks at rest.
    pub fn is_by_steps(&self) -> bool {
        !self.is_reduced() && !self.stateful
    }

    /// Whether choices are left out beyond what the papers' reductions leave out.
    pub fn is_reduced(&self) -> bool {
        !matches!(self.reduction, ReductionPlan::None | ReductionPlan::Dpor)
    }

    /// Whether states are recognised, or were when the schedule was found that is to be executed.
    pub fn is_by_states(&self) -> bool {
        self.stateful || self.replay.as_ref().is_some_and(|token| token.contains(ROUND_SIGNS))
    }
}

/// A file that keeps what was explored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointPlan {
    /// The file.
    pub path: String,
    /// The exploration goes on with what it holds; else there is no such file yet.
    pub resumes: bool,
}

/// A process of another MPI that explores with others. Process 0 says what is explored, and reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodePlan {
    /// Its number there.
    pub rank: u32,
    /// How many there are.
    pub size: u32,
    /// The descriptor of the stream to the process that has their messages.
    pub descriptor: i32,
    /// Whether the user sees on a terminal what it says.
    pub has_terminal: bool,
}

impl NodePlan {
    /// As [`NODE_VARIABLE`] has it; whether there is [`TERMINAL_VARIABLE`].
    pub fn from_variable(value: &str, has_terminal: bool) -> Option<NodePlan> {
        let mut numbers = value.split(':');
        let (rank, size) = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
        Some(NodePlan { rank, size, descriptor: numbers.next()?.parse().ok()?, has_terminal })
    }
}

/// What must hold of every execution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PropertyPlan {
    /// How it is written down.
    pub kind: PropertyKind,
    /// The formula, or the contents of the file.
    pub text: String,
    /// Where it comes from, for messages: an option and its value.
    pub source: String,
    /// Executions count in which a rank that can move never does.
    pub unfair: bool,
    /// Executions do not count in which a message that can be taken again and again never is.
    pub fair_messages: bool,
    /// Choices may be left out where that is enough.
    pub reduced: bool,
}

/// What stands in a replay token before the number of choices before a round: of a violated property, and of a program
/// that can no longer end.
pub const ROUND_SIGNS: [char; 2] = ['@', '%'];

/// How a property is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PropertyKind {
    /// A formula of linear temporal logic.
    Formula,
    /// An automaton of what must not happen, in the HOA format.
    Hoa,
    /// The same, as a never claim of Promela.
    Claim,
}

impl Default for VerifyPlan {
    fn default() -> VerifyPlan {
        VerifyPlan {
            buffering: BufferingPlan::Both,
            atomic_collectives: true,
            reduction: ReductionPlan::Matches,
            search: SearchPlan::All,
            determinism: DeterminismPlan::None,
            stateful: false,
            adapts: false,
            compare_states: 0,
            property: None,
            symmetric: Vec::new(),
            depth: 1_000_000,
            prune: true,
            max_waitsome: 10,
            max_executions: 0,
            time_limit_secs: 0.0,
            memory_bytes: 0,
            call_timeout_secs: 10.0,
            keep_going: false,
            explain_within_secs: 3.0,
            require_complete: false,
            jobs: 1,
            checkpoint: None,
            every_secs: 60.0,
            node: None,
            list_results: false,
            report: None,
            report_html: None,
            replay: None,
            replay_step: false,
            step: false,
            replay_rounds: 1,
        }
    }
}

/// Which buffering of standard-mode sends is verified.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub enum BufferingPlan {
    /// Sends wait for their receives.
    Zero,
    /// Sends never wait.
    Infinite,
    /// Zero first, then infinite.
    Both,
    /// Each send waits or not, for itself.
    Each,
}

/// Which messages of each rank must be the same in all executions.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd)]
pub enum DeterminismPlan {
    /// None must be.
    None,
    /// Those that it sends.
    Send,
    /// Those that it sends or receives.
    Communication,
}

/// Which executions a verification looks at.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub enum SearchPlan {
    /// All that matter.
    All,
    /// The natural one and random ones.
    Sample {
        /// How many random ones, from 1.
        walks: u64,
        /// Another seed is other executions.
        seed: u64,
        /// The depth of bugs, from 1, where the executions are drawn by priorities.
        bug_depth: Option<u32>,
    },
    /// Those that differ from the natural one in so many choices or fewer.
    Deviations(u32),
}

/// How a verification is reduced.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub enum ReductionPlan {
    /// Not at all: every step in every order.
    None,
    /// By dynamic partial-order reduction over the same steps.
    Dpor,
    /// To one execution for each matching.
    Matches,
    /// To what each rank can be told.
    Histories,
}

/// Where the entries of [`RunPlan::hosts`] come from.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Default)]
pub struct Hostfile {
    /// The file, as the user named it.
    pub path: String,
    /// One line number (from 1) for every entry of [`RunPlan::hosts`].
    pub lines: Vec<u32>,
}

impl RunPlan {
    /// Whether programs are simulated, and not verified, or a trace replayed.
    pub fn simulates_programs(&self) -> bool {
        self.verify.is_none() && self.replay_trace.is_none()
    }

    /// Whether what happens in the simulation is recorded.
    pub fn records(&self) -> bool {
        self.profile || self.profile_json.is_some() || self.page.is_some() || self.timeline.is_some()
    }

    /// Reads the value of [`PLAN_VARIABLE`]: the plan itself as JSON or, where it is larger than one environment
    /// string may be (128 KiB on Linux), `@` and the path of a file with the JSON.
    pub fn from_variable(value: &str) -> Result<RunPlan, String> {
        let parse = |text: &str| serde_json::from_str(text).map_err(|e| format!("unreadable run plan: {e}"));
        match value.strip_prefix('@') {
            None => parse(value),
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(|e| format!("unreadable run plan in {path}: {e}"))?;
                parse(&text)
            }
        }
    }

    /// The host of `hosts[index]` as a place in the hostfile (`hosts.txt:3`), when it came from one.
    pub fn host_origin(&self, index: usize) -> Option<String> {
        let file = self.hostfile.as_ref()?;
        Some(format!("{}:{}", file.path, file.lines.get(index)?))
    }
}

/// A platform made up from a hostfile: the hosts named there, each with one shared link, and between any two hosts
/// a route over the links of both. SMPI generates the same for a hostfile without a platform.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Mesh {
    /// Distinct host names in order of appearance.
    pub hosts: Vec<String>,
    /// Bandwidth of every host's link in bytes per second.
    pub bandwidth_bytes_per_sec: f64,
    /// Latency of every host's link in seconds.
    pub latency_secs: f64,
    /// Bandwidth of every host's loopback in bytes per second.
    pub loopback_bytes_per_sec: f64,
    /// Speed of every host in flop/s.
    pub speed_flops: f64,
}

/// How computation between MPI calls is charged to the simulated host.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Default)]
pub enum Compute {
    /// CPU time measured on this machine × host speed ratio.
    #[default]
    Measured,
    /// Computation takes no simulated time.
    Off,
    /// Measured, then multiplied by this factor.
    Scaled(f64),
    /// Taken from this file, or written to it when it does not exist yet: bit-identical times.
    Recorded(String),
}
