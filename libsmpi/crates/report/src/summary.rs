//! The summary of a finished run: what `smpirun --summary` prints and `--summary-json` writes.
//!
//! It only renders; who measures what is said at each field. The text is for people and may change, the JSON keys are
//! stable.

use serde::Serialize;
use smpi_base::words::counted;
use std::fmt::Write;

/// Rows that the table of ranks has at most; beyond, only the extremes are shown and the JSON has all.
const MAX_ROWS: usize = 16;

/// A finished run.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct Summary {
    /// Simulated date at which the last rank ended, in seconds. The one thing every user wants.
    pub simulated_time_secs: f64,
    /// Time the simulation took on this machine, in seconds. Only this and `memory_peak_bytes` differ between equal
    /// runs.
    pub wall_time_secs: f64,
    /// The most memory that the simulation, all ranks included, had in use on this machine at one time; 0 if unknown.
    pub memory_peak_bytes: u64,
    /// Exit code of the run.
    pub exit_code: i32,
    /// The platform, as the user named it, or a name for a built-in one.
    pub platform: String,
    /// Hosts that had at least one rank.
    pub hosts_used: u32,
    /// Messages sent between ranks, those inside collectives included.
    pub messages: u64,
    /// Bytes of their payloads.
    pub bytes: u64,
    /// How often files were opened by MPI.
    pub files_opened: u64,
    /// What accesses of files took, if the platform has disks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_costs: Option<FileSummary>,
    /// Threads that ranks started.
    pub threads: u32,
    /// What they computed took simulated time on the hosts of their ranks.
    pub threads_are_charged: bool,
    /// What hosts and links consumed, if the platform says what they draw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergySummary>,
    /// Collective operations by kind of call; only in the JSON.
    pub collectives: Vec<CollectiveSummary>,
    /// Every rank, in rank order.
    pub ranks: Vec<RankSummary>,
}

/// What accesses of files by MPI took.
#[derive(Clone, Copy, Debug, Serialize, PartialEq)]
pub struct FileSummary {
    /// Bytes that were read from disks of the platform.
    pub read_bytes: u64,
    /// Bytes that were written to them.
    pub written_bytes: u64,
    /// Bytes of files that are on no disk of the platform, which took no time.
    pub free_bytes: u64,
    /// Simulated time from the begin of each rank's accesses to their ends, in seconds, all together.
    pub secs: f64,
}

/// What the platform consumed from date 0 to the last event, in joules.
#[derive(Clone, Copy, Debug, Serialize, PartialEq)]
pub struct EnergySummary {
    /// Of all hosts whose power is described.
    pub hosts_joules: f64,
    /// The part of those with a rank.
    pub used_hosts_joules: f64,
    /// Of the links whose power is described.
    pub links_joules: f64,
}

/// Calls of a collective operation that are alike. A combined operation may be counted as its first part.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct CollectiveSummary {
    /// Its name, as in settings.
    pub operation: String,
    /// Ranks of the communicator.
    pub ranks: u32,
    /// Bytes as tables of algorithms count them.
    pub bytes: u64,
    /// How often all these ranks called it.
    pub calls: u64,
}

/// What one rank did.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct RankSummary {
    /// Rank in the whole run.
    pub rank: u32,
    /// Its host.
    pub host: String,
    /// Simulated date at which it ended, in seconds.
    pub end_secs: f64,
    /// Simulated time charged for computation and `smpi_execute`, in seconds.
    pub computation_secs: f64,
    /// Simulated time in which it slept outside of MPI calls (`sleep`, `poll` without descriptors), in seconds.
    pub sleep_secs: f64,
    /// The rest of its time: spent in MPI calls, in seconds.
    pub communication_secs: f64,
    /// Messages it sent.
    pub messages_sent: u64,
    /// Bytes it sent.
    pub bytes_sent: u64,
    /// The most memory that its heap had in use at one time.
    pub heap_peak_bytes: u64,
}

impl RankSummary {
    /// Part of the rank's time spent in MPI calls, between 0 and 1; 0 for a rank that took no time.
    pub fn communication_share(&self) -> f64 {
        let all = self.computation_secs + self.sleep_secs + self.communication_secs;
        if all > 0.0 { self.communication_secs / all } else { 0.0 }
    }
}

impl Summary {
    /// The summary for people, ending in a newline.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let ranks = self.ranks.len();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "simulated time: {:.9} s", self.simulated_time_secs);
        let memory = bytes(self.memory_peak_bytes);
        let _ = writeln!(text, "wall time:      {:.3} s and {memory} of memory on this machine", self.wall_time_secs);
        let _ = writeln!(
            text,
            "ranks:          {ranks} on {} of {}",
            counted(u64::from(self.hosts_used), "host"),
            self.platform
        );
        let _ = writeln!(text, "messages:       {}, {}", self.messages, bytes(self.bytes));
        if let Some(energy) = &self.energy {
            let (hosts, used, links) = (energy.hosts_joules, energy.used_hosts_joules, energy.links_joules);
            let _ = writeln!(
                text,
                "energy:         {used:.3} J of these hosts, {hosts:.3} J of all, {links:.3} J of links"
            );
        }
        if self.files_opened > 0 {
            let times = counted(self.files_opened, "opening");
            let what = match &self.file_costs {
                None => "what ranks do with files takes no simulated time".to_owned(),
                Some(costs) => costs.text(),
            };
            let _ = writeln!(text, "files:          {times}; {what}");
        }
        if self.threads > 0 {
            let what = if self.threads_are_charged {
                "what they compute is charged to their ranks' hosts, at the next MPI call of the rank"
            } else {
                "what they compute takes no simulated time"
            };
            let _ = writeln!(text, "threads:        {} started by ranks; {what}", self.threads);
        }
        if let Some((low, high)) = self.extremes() {
            let percent = |rank: &RankSummary| 100.0 * rank.communication_share();
            let mean = self.ranks.iter().map(percent).sum::<f64>() / ranks as f64;
            let _ = write!(text, "communication:  {mean:.1} % of a rank's time");
            if ranks > 1 {
                let (least, most) = (percent(low), percent(high));
                let _ =
                    write!(text, " (least {least:.1} % on rank {}, most {most:.1} % on rank {})", low.rank, high.rank);
            }
            text.push('\n');
            if ranks > 1 && ranks <= MAX_ROWS {
                self.table(&mut text);
            }
        }
        text
    }

    /// The summary as JSON, ending in a newline.
    pub fn json(&self) -> String {
        // Only maps with non-string keys or failing Serialize implementations can fail, and there are none.
        let mut text = serde_json::to_string_pretty(self).expect("a summary is plain data");
        text.push('\n');
        text
    }

    /// The ranks with the smallest and the largest share of communication; the first of equals.
    fn extremes(&self) -> Option<(&RankSummary, &RankSummary)> {
        let low = self.ranks.iter().min_by(|a, b| a.communication_share().total_cmp(&b.communication_share()))?;
        let high =
            self.ranks.iter().rev().max_by(|a, b| a.communication_share().total_cmp(&b.communication_share()))?;
        Some((low, high))
    }

    fn table(&self, text: &mut String) {
        let width = self.ranks.iter().map(|rank| rank.host.len()).max().unwrap_or(0).max(4);
        // Few programs sleep.
        let sleeps = self.ranks.iter().any(|rank| rank.sleep_secs > 0.0);
        let asleep = |words: String| if sleeps { words } else { String::new() };
        let head = asleep(format!("{:>13}  ", "sleep"));
        let _ = writeln!(
            text,
            "  rank  {:width$}  {:>13}  {head}{:>13}  {:>8}  sent",
            "host", "computation", "communication", "messages"
        );
        for rank in &self.ranks {
            let _ = writeln!(
                text,
                "  {:>4}  {:width$}  {:>11.6} s  {}{:>11.6} s  {:>8}  {}",
                rank.rank,
                rank.host,
                rank.computation_secs,
                asleep(format!("{:>11.6} s  ", rank.sleep_secs)),
                rank.communication_secs,
                rank.messages_sent,
                bytes(rank.bytes_sent)
            );
        }
    }
}

impl FileSummary {
    fn text(&self) -> String {
        let (read, written) = (bytes(self.read_bytes), bytes(self.written_bytes));
        let free = match self.free_bytes {
            0 => String::new(),
            count => format!("; {} on no disk of the platform, without simulated time", bytes(count)),
        };
        format!("{read} read and {written} written in {:.6} s, all accesses together{free}", self.secs)
    }
}

/// A number of bytes with a decimal unit and three digits.
fn bytes(number: u64) -> String {
    let units = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    match units.iter().find(|(_, size)| number as f64 >= *size) {
        Some((unit, size)) => {
            let value = number as f64 / size;
            let digits = if value >= 100.0 {
                0
            } else if value >= 10.0 {
                1
            } else {
                2
            };
            format!("{value:.digits$} {unit}")
        }
        None => format!("{number} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(rank: u32, computation_secs: f64, communication_secs: f64) -> RankSummary {
        let host = format!("node-{rank}");
        let end_secs = computation_secs + communication_secs;
        RankSummary {
            rank,
            host,
            end_secs,
            computation_secs,
            sleep_secs: 0.0,
            communication_secs,
            messages_sent: 1,
            bytes_sent: 4096,
            heap_peak_bytes: 1 << 20,
        }
    }

    fn summary(ranks: Vec<RankSummary>) -> Summary {
        Summary {
            simulated_time_secs: 1.5,
            wall_time_secs: 0.01,
            memory_peak_bytes: 39_000_000,
            exit_code: 0,
            platform: "gigabit-64.toml".into(),
            hosts_used: ranks.len() as u32,
            messages: 2,
            bytes: 12_345_678,
            files_opened: 0,
            file_costs: None,
            threads: 0,
            threads_are_charged: true,
            energy: None,
            collectives: Vec::new(),
            ranks,
        }
    }

    #[test]
    fn text_names_time_messages_and_extremes() {
        let text = summary(vec![rank(0, 1.0, 0.5), rank(1, 0.25, 0.75)]).text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "simulated time: 1.500000000 s");
        assert_eq!(lines[1], "wall time:      0.010 s and 39.0 MB of memory on this machine");
        assert_eq!(lines[2], "ranks:          2 on 2 hosts of gigabit-64.toml");
        assert_eq!(lines[3], "messages:       2, 12.3 MB");
        let shares = "communication:  54.2 % of a rank's time (least 33.3 % on rank 0, most 75.0 % on rank 1)";
        assert_eq!(lines[4], shares);
        assert_eq!(lines.len(), 8);
    }

    #[test]
    fn sleep_is_no_computation() {
        let sleeper = RankSummary { sleep_secs: 2.0, ..rank(0, 1.0, 1.0) };
        assert_eq!(sleeper.communication_share(), 0.25);
        let head = |ranks| summary(ranks).text().lines().nth(5).unwrap_or_default().to_string();
        assert!(head(vec![sleeper, rank(1, 1.0, 1.0)]).contains("sleep"));
        assert!(!head(vec![rank(0, 1.0, 1.0), rank(1, 1.0, 1.0)]).contains("sleep"));
    }

    #[test]
    fn files_are_said_to_take_no_time() {
        let some = Summary { files_opened: 2, ..summary(vec![rank(0, 1.0, 0.5)]) };
        let wanted = "files:          2 openings; what ranks do with files takes no simulated time";
        assert_eq!(some.text().lines().nth(4), Some(wanted));
    }

    #[test]
    fn files_are_said_to_cost_what_they_do() {
        let costs = FileSummary { read_bytes: 5, written_bytes: 2_000_000, free_bytes: 0, secs: 0.25 };
        let with = |file_costs| Summary { files_opened: 1, file_costs, ..summary(vec![rank(0, 1.0, 0.5)]) };
        let line = "files:          1 opening; 5 B read and 2.00 MB written in 0.250000 s, all accesses together";
        assert_eq!(with(Some(costs)).text().lines().nth(4), Some(line));
        let wanted = format!("{line}; 7 B on no disk of the platform, without simulated time");
        assert_eq!(with(Some(FileSummary { free_bytes: 7, ..costs })).text().lines().nth(4), Some(&*wanted));
    }

    #[test]
    fn threads_of_ranks_are_named() {
        let threads = |charged| {
            let some = Summary { threads: 6, threads_are_charged: charged, ..summary(vec![rank(0, 1.0, 0.5)]) };
            some.text().lines().nth(4).unwrap_or_default().to_string()
        };
        assert!(threads(true).starts_with("threads:        6 started by ranks; what they compute is charged"));
        assert!(threads(false).ends_with("takes no simulated time"));
    }

    #[test]
    fn many_ranks_have_no_table_and_idle_ranks_no_share() {
        let text = summary((0..100).map(|i| rank(i, 0.0, 0.0)).collect()).text();
        assert_eq!(text.lines().count(), 5);
        assert!(text.contains("0.0 % of a rank's time (least 0.0 % on rank 0, most 0.0 % on rank 0)"), "{text}");
    }

    #[test]
    fn json_has_stable_keys() {
        let json: serde_json::Value = serde_json::from_str(&summary(vec![rank(0, 1.0, 0.5)]).json()).unwrap();
        assert_eq!(json["simulated_time_secs"], 1.5);
        assert_eq!(json["ranks"][0]["communication_secs"], 0.5);
    }

    #[test]
    fn bytes_have_three_digits() {
        assert_eq!(
            [bytes(999), bytes(1000), bytes(45_600), bytes(999_000_000)],
            ["999 B", "1.00 kB", "45.6 kB", "999 MB"]
        );
    }
}
