//! The profile of a simulation: where the time is, by call and source line, who waits for whom, what the critical path
//! consists of, and what that means. Its JSON form has a version ([`SCHEMA`]); `text.rs` renders it for a terminal.
//!
//! Names of wait states are those of Scalasca, efficiency factors those of the POP Centre of Excellence ("POP Standard
//! Metrics for Parallel Performance Analysis"). Who measures what, and by which rules, is said in `smpi_recording`.

mod causes;
mod compare;
mod page;
mod picture;
mod text;

use serde::{Deserialize, Serialize};

pub use causes::{Cause, Kind};
pub use picture::{Arrow, Picture, Span};

/// Name and version of the JSON form: the number rises with every change that old readers misunderstand.
pub const SCHEMA: &str = "libsmpi-profile/2";

/// A simulation, profiled. All durations are in simulated seconds; those of ranks together are sums over ranks.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct Profile {
    /// [`SCHEMA`].
    pub schema: String,
    /// The command after `smpirun`.
    pub command: String,
    /// The platform, as the user named it.
    pub platform: String,
    /// Number of ranks.
    pub ranks: u32,
    /// Date at which the last rank ended.
    pub simulated_time_secs: f64,
    /// How well the ranks' time is used.
    pub efficiency: Efficiency,
    /// What the time of all ranks together is made up of.
    pub time: Time,
    /// What costs most time, the worst first.
    pub causes: Vec<Cause>,
    /// Calls of MPI by source line, those with most time first.
    pub calls: Vec<CallRow>,
    /// Computations by the call that they come after, those with most time first.
    pub computations: Vec<ComputationRow>,
    /// What ranks waited for, the longest first.
    #[serde(default)]
    pub waits: Vec<WaitRow>,
    /// The critical path.
    pub critical_path: CriticalPath,
    /// Collective operations by algorithm, those that took longest together first.
    #[serde(default)]
    pub collectives: Vec<CollectiveRow>,
    /// Communicators, those with most time first.
    pub communicators: Vec<CommRow>,
    /// Messages by size.
    pub message_sizes: Vec<SizeRow>,
    /// Messages by sender and receiver, without those that exchange none; in the order of ranks.
    pub matrix: Vec<PairRow>,
    /// The same by the hosts of sender and receiver, in the order of the platform.
    #[serde(default)]
    pub host_matrix: Vec<HostPairRow>,
    /// Some pairs are missing in `matrix` and `host_matrix`, because there are too many.
    pub matrix_is_partial: bool,
    /// Links, the busiest first; those that are not shared behind all others.
    pub links: Vec<LinkRow>,
    /// Ranks, in their order.
    pub rank_rows: Vec<RankRow>,
}

/// How well the time of `ranks` times the simulated time is used: factors of 1, by POP's definitions.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct Efficiency {
    /// Useful computation of a rank, on average, by the simulated time: the product of the two below.
    pub parallel: f64,
    /// Mean useful computation by the largest.
    pub load_balance: f64,
    /// Largest useful computation by the simulated time.
    pub communication: f64,
    /// Largest useful computation by the time on an ideal network.
    pub serialisation: f64,
    /// Time on an ideal network by that without contention.
    pub transfer: f64,
    /// The simulated time without what messages on the critical path took because they shared links, by the simulated
    /// time; the product of this, `transfer` and `serialisation` is `communication`.
    pub contention: f64,
}

impl Efficiency {
    /// Of ranks that computed for so long, in a run of `secs` seconds that would take `ideal_secs` on an ideal network,
    /// and of whose critical path `contention_secs` are contention. Without computation all factors are 0.
    pub fn of(computations: &[f64], ideal_secs: f64, contention_secs: f64, secs: f64) -> Efficiency {
        let (sum, most) =
            computations.iter().fold((0.0, 0.0), |(sum, most): (f64, f64), &one| (sum + one, most.max(one)));
        if most <= 0.0 || secs <= 0.0 {
            return Efficiency::default();
        }
        let mean = sum / computations.len() as f64;
        // Another chain of activities can be as long as the critical path is without contention.
        let ideal_secs = ideal_secs.max(most);
        let alone_secs = (secs - contention_secs).max(ideal_secs);
        Efficiency {
            parallel: mean / secs,
            load_balance: mean / most,
            communication: most / secs,
            serialisation: most / ideal_secs,
            transfer: ideal_secs / alone_secs,
            contention: alone_secs / secs,
        }
    }
}

/// What time is made up of, in seconds.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct Time {
    /// Computation, in the program or by `smpi_execute`.
    pub computation: f64,
    /// Receivers wait for their senders.
    pub late_sender: f64,
    /// Of `late_sender`: while other messages were there that the receiver asked for later.
    #[serde(default)]
    pub wrong_order: f64,
    /// Senders wait for their receivers.
    pub late_receiver: f64,
    /// Ranks wait for others in collective operations and other calls.
    pub late_partner: f64,
    /// Messages travel that ranks wait for, as long as they would alone.
    pub transfer: f64,
    /// The same messages take longer because they share links.
    pub contention: f64,
    /// Ranks are busy in calls.
    pub overhead: f64,
    /// Ranks sleep.
    pub sleep: f64,
    /// Ranks have ended, and others go on.
    pub ended: f64,
    /// What has no name.
    pub rest: f64,
}

impl Time {
    /// Everything together.
    pub fn total(&self) -> f64 {
        self.named().iter().map(|(_, secs)| secs).sum()
    }

    /// Waiting for others.
    pub fn waiting(&self) -> f64 {
        self.late_sender + self.late_receiver + self.late_partner
    }

    /// All parts with their names; what is a part of another is not among them.
    pub fn named(&self) -> [(&'static str, f64); 10] {
        [
            ("computation", self.computation),
            ("late sender", self.late_sender),
            ("late receiver", self.late_receiver),
            ("late partner", self.late_partner),
            ("transfer", self.transfer),
            ("contention", self.contention),
            ("overhead", self.overhead),
            ("sleep", self.sleep),
            ("ended", self.ended),
            ("rest", self.rest),
        ]
    }
}

/// A call in the source of a program.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq, Hash)]
pub struct PlaceName {
    /// What is called, such as `MPI_Send`; empty for the start of the program.
    pub call: String,
    /// File, as the compiler was given it; `None` without debug information.
    pub file: Option<String>,
    /// Line, counted from 1.
    pub line: Option<u32>,
    /// The function that contains it.
    pub function: Option<String>,
}

impl PlaceName {
    /// `MPI_Send at ring.c:12`, or as much of it as is known.
    pub fn words(&self) -> String {
        if self.call.is_empty() {
            return "the start of the program".to_string();
        }
        match self.source() {
            Some(source) => format!("{} at {source}", self.call),
            None => match &self.function {
                Some(function) => format!("{} in {function}", self.call),
                None => self.call.clone(),
            },
        }
    }

    /// `ring.c:12`: the file without its directories.
    pub fn source(&self) -> Option<String> {
        let file = self.file.as_deref()?;
        let name = file.rsplit('/').next().unwrap_or(file);
        Some(self.line.map_or_else(|| name.to_string(), |line| format!("{name}:{line}")))
    }
}

/// Calls at one place, by all ranks.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct CallRow {
    /// Which.
    pub place: PlaceName,
    /// How often they were made.
    pub calls: u64,
    /// Time in them.
    pub secs: f64,
    /// The longest one.
    pub longest_secs: f64,
    /// What `secs` is made up of; `computation`, `sleep`, `ended` and `rest` are 0.
    pub time: Time,
    /// The name that Scalasca has for what ranks wait for in this call; empty where they need not wait.
    pub wait_state: String,
    /// Messages that the calls sent, those inside collective operations included.
    pub messages: u64,
    /// Their payload.
    pub sent_bytes: u64,
    /// Payload received by operations that were started here.
    pub received_bytes: u64,
    /// The same calls by what led to them, those with most time first; empty where nothing of the program did. Calls in
    /// a function that nobody called are in none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<CallPath>,
}

/// Calls at one place to which the same calls led.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct CallPath {
    /// The call of the function that contains the place, and the one of the function that contains this.
    pub callers: Vec<PlaceName>,
    /// How often they were made.
    pub calls: u64,
    /// Time in them.
    pub secs: f64,
    /// Of this, waiting for others.
    pub waiting_secs: f64,
    /// Payload of the messages that they sent.
    pub sent_bytes: u64,
}

impl CallPath {
    /// `exchange at solver.c:120, step at main.c:30`.
    pub fn words(&self) -> String {
        self.callers.iter().map(PlaceName::words).collect::<Vec<_>>().join(", ")
    }
}

impl CallRow {
    /// The paths, where there is more than one.
    pub fn different_paths(&self) -> &[CallPath] {
        if self.paths.len() > 1 { &self.paths } else { &[] }
    }
}

/// Collective operations at one place, by one algorithm, on so many ranks. Those that some rank has not ended are left
/// out.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct CollectiveRow {
    /// The call of rank 0.
    pub place: PlaceName,
    /// The operation, by the name that settings have for it: `allreduce`.
    pub operation: String,
    /// The algorithm, by the name that settings have for it.
    pub algorithm: String,
    /// Ranks of the communicator.
    pub ranks: u32,
    /// How many operations.
    pub count: u64,
    /// The fewest bytes that the algorithm was chosen for: the whole vector (bcast, reductions), the whole result
    /// (allgather), or one block (gather, scatter, alltoall); 0 where ranks do not know the same number.
    pub least_bytes: u64,
    /// The most.
    pub most_bytes: u64,
    /// From the first rank's arrival to the last one's.
    pub arrivals: Spread,
    /// From the last arrival until the last rank is through: what the algorithm and the network take.
    pub duration: Spread,
    /// From when the first rank is through until the last one is.
    pub ends: Spread,
}

impl CollectiveRow {
    /// Whether the operations take any time, alone or because ranks do not arrive together.
    pub fn takes_time(&self) -> bool {
        self.duration.most > 0.0 || self.arrivals.most > 0.0
    }

    /// The bytes, in words; nothing where ranks do not know the same number.
    pub fn bytes_words(&self) -> String {
        match (self.least_bytes, self.most_bytes) {
            (_, 0) => "-".to_string(),
            (least, most) if least == most => text::bytes(most),
            (least, most) => format!("{} to {}", text::bytes(least), text::bytes(most)),
        }
    }
}

/// How durations are spread, in seconds.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct Spread {
    /// On average.
    pub mean: f64,
    /// The shortest.
    pub least: f64,
    /// The longest.
    pub most: f64,
}

impl Spread {
    /// `3.000 s (6.000 s)`: on average, and the longest.
    pub fn words(&self) -> String {
        format!("{} ({})", text::seconds(self.mean), text::seconds(self.most))
    }
}

/// Computations that come after calls at one place.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct ComputationRow {
    /// The call before.
    pub after: PlaceName,
    /// How many.
    pub count: u64,
    /// Their time.
    pub secs: f64,
    /// Time in which other ranks waited for one that did this, or was in the call before it.
    pub caused_secs: f64,
    /// Time in which ranks waited because messages of others had to arrive first, which the call before has sent.
    pub blocked_secs: f64,
}

/// Time in which ranks waited, or had ended, and what others did meanwhile.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct WaitRow {
    /// The call in which they waited; `None` where they had ended.
    pub place: Option<PlaceName>,
    /// What went on meanwhile: as [`PathRow::activity`].
    pub activity: String,
    /// The call that this belongs to; of a computation, the call before.
    pub of: PlaceName,
    /// Their time.
    pub secs: f64,
    /// Whose activity it was for most of this time.
    pub rank: Option<u32>,
    /// For how much of it.
    pub rank_secs: f64,
}

/// The critical path: activities without a gap from the start to the end of the run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct CriticalPath {
    /// Its length: the simulated time.
    pub secs: f64,
    /// How much of that messages took because they shared links, in seconds.
    pub contention_secs: f64,
    /// What it consists of, by activity and place; the longest first.
    pub rows: Vec<PathRow>,
    /// Activities on it, in their order; what a rank does at one place is one. Left out of the JSON.
    #[serde(skip)]
    pub steps: Vec<PathStep>,
}

/// Activities of one kind at one place on the critical path.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct PathRow {
    /// `computation`, `transfer`, `overhead`, `sleep` or `file`.
    pub activity: String,
    /// The call that it belongs to; of a computation, the call before.
    pub place: PlaceName,
    /// How many.
    pub count: u64,
    /// Their time.
    pub secs: f64,
}

/// One activity of the critical path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathStep {
    /// Whose it is; of a message the sender.
    pub rank: u32,
    /// The receiver of a message, else the same.
    pub peer: u32,
    /// Dates, in seconds.
    pub start: f64,
    /// See `start`.
    pub end: f64,
    /// Index in [`CriticalPath::rows`].
    pub row: usize,
}

/// Calls about one communicator.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct CommRow {
    /// Its name, or where it was made.
    pub name: String,
    /// How many calls.
    pub calls: u64,
    /// Time in them.
    pub secs: f64,
    /// Of this, waiting for others.
    pub waiting_secs: f64,
}

/// Messages of similar size.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct SizeRow {
    /// They have less payload than this, in bytes, and at least half of it.
    pub below_bytes: u64,
    /// How many.
    pub messages: u64,
    /// Their payload together.
    pub bytes: u64,
}

/// Messages from one rank to another.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct PairRow {
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// How many.
    pub messages: u64,
    /// Their payload.
    pub bytes: u64,
}

/// Messages from ranks on one host to ranks on another, or on the same.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct HostPairRow {
    /// The host of the senders.
    pub from: String,
    /// The host of the receivers.
    pub to: String,
    /// How many.
    pub messages: u64,
    /// Their payload.
    pub bytes: u64,
}

/// One link in one direction, or in both where these share it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct LinkRow {
    /// Its name on the platform, with `(down)` for the other direction.
    pub name: String,
    /// Each message has its whole bandwidth (a fat pipe, or a world without contention), so that it is never full.
    #[serde(default)]
    pub is_unshared: bool,
    /// Seconds that it would have been busy for at full bandwidth.
    pub busy_secs: f64,
    /// The same by the simulated time: at most 1, or if it is not shared the number of messages on it on average.
    pub share: f64,
    /// The largest share in one interval, and when that begins.
    pub peak_share: f64,
    /// See `peak_share`.
    pub peak_from_secs: f64,
    /// Length of the interval.
    pub interval_secs: f64,
    /// Whose messages: calls with their seconds, most first.
    pub users: Vec<LinkUser>,
    /// Share of each interval. Left out of the JSON.
    #[serde(skip)]
    pub over_time: Vec<f32>,
}

/// A call whose messages use a link.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct LinkUser {
    /// Which.
    pub place: PlaceName,
    /// Seconds of the link's full bandwidth.
    pub secs: f64,
}

/// One rank.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq)]
pub struct RankRow {
    /// Its number.
    pub rank: u32,
    /// Its host.
    pub host: String,
    /// When it ended.
    pub end_secs: f64,
    /// What its time up to the end of the run is made up of.
    pub time: Time,
    /// The most memory that its heap had in use at one time.
    pub heap_peak_bytes: u64,
    /// Time in which others waited for it while it computed or was busy.
    pub caused_secs: f64,
}

impl Profile {
    /// The profile as JSON, ending in a newline.
    pub fn json(&self) -> String {
        // Only maps with non-string keys or failing Serialize implementations can fail, and there are none.
        let mut text = serde_json::to_string_pretty(self).expect("a profile is plain data");
        text.push('\n');
        text
    }

    /// Reads what [`Profile::json`] has written.
    ///
    /// # Errors
    /// Text for the user: what is wrong, and where.
    pub fn from_json(text: &str) -> Result<Profile, String> {
        let profile: Profile = serde_json::from_str(text).map_err(|error| format!("no profile: {error}"))?;
        if profile.schema != SCHEMA {
            return Err(format!("has the schema \"{}\", expected \"{SCHEMA}\"; record it again", profile.schema));
        }
        Ok(profile)
    }

    /// Time of all ranks together.
    pub fn all_secs(&self) -> f64 {
        f64::from(self.ranks) * self.simulated_time_secs
    }

    /// Whether some host has several ranks, so that the matrix of hosts is another than that of ranks.
    pub fn shares_hosts(&self) -> bool {
        let mut hosts: Vec<&str> = self.rank_rows.iter().map(|row| row.host.as_str()).collect();
        hosts.sort_unstable();
        hosts.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// A part of the time of all ranks together, from 0 to 1.
    pub fn share(&self, secs: f64) -> f64 {
        let all = self.all_secs();
        if all > 0.0 { secs / all } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_multiply() {
        let efficiency = Efficiency::of(&[1.0, 3.0], 3.5, 0.0, 4.0);
        assert_eq!((efficiency.parallel, efficiency.load_balance, efficiency.communication), (0.5, 2.0 / 3.0, 0.75));
        assert!((efficiency.serialisation * efficiency.transfer - 0.75).abs() < 1e-15);
        assert_eq!(efficiency.contention, 1.0);
        let shared = Efficiency::of(&[1.0, 3.0], 3.0, 0.5, 4.0);
        assert_eq!((shared.transfer, shared.contention), (3.0 / 3.5, 3.5 / 4.0));
        let much = Efficiency::of(&[1.0, 3.0], 3.5, 2.0, 4.0);
        assert_eq!((much.transfer, much.contention), (1.0, 3.5 / 4.0));
        assert_eq!(Efficiency::of(&[0.0, 0.0], 0.0, 0.0, 4.0), Efficiency::default());
    }

    #[test]
    fn json_comes_back_and_other_versions_do_not() {
        let profile = Profile { schema: SCHEMA.to_string(), ranks: 2, ..Profile::default() };
        assert_eq!(Profile::from_json(&profile.json()), Ok(profile.clone()));
        let other = Profile { schema: "libsmpi-profile/0".to_string(), ..profile };
        assert!(Profile::from_json(&other.json()).is_err_and(|error| error.contains("record it again")));
    }

    #[test]
    fn places_in_words() {
        let place = PlaceName { call: "MPI_Send".into(), file: Some("/a/b.c".into()), line: Some(3), function: None };
        assert_eq!(place.words(), "MPI_Send at b.c:3");
        assert_eq!(PlaceName { file: None, function: Some("main".into()), ..place }.words(), "MPI_Send in main");
        assert_eq!(PlaceName::default().words(), "the start of the program");
    }
}
