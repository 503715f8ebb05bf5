//! A profile for a terminal.

use std::fmt::Write;

use smpi_base::words::counted;

use super::{CallPath, CollectiveRow, LinkRow, Profile, Time};

/// Rows of each table.
const ROWS: usize = 12;
/// Paths that are named of a call.
const PATHS: usize = 4;

/// A duration with three digits and a unit.
pub(super) fn seconds(secs: f64) -> String {
    let units = [("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)];
    let found = units.iter().find(|(_, size)| secs >= *size).unwrap_or(&units[0]);
    if secs == 0.0 { "0".to_string() } else { format!("{:.3} {}", secs / found.1, found.0) }
}

/// A number of bytes in decimal units.
pub(super) fn bytes(count: u64) -> String {
    let units = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    match units.iter().find(|(_, size)| count as f64 >= *size) {
        Some((unit, size)) => format!("{:.1} {unit}", count as f64 / size),
        None => format!("{count} B"),
    }
}

impl Profile {
    /// Sets `causes`, which follow from the rest.
    pub fn explain(&mut self) {
        self.causes = super::causes::of(self);
    }

    /// The profile in words and tables, ending in a newline.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(
            text,
            "profile: {} on {}, {} simulated",
            counted(u64::from(self.ranks), "rank"),
            self.platform,
            seconds(self.simulated_time_secs)
        );
        self.headline(&mut text);
        self.calls_text(&mut text);
        self.collectives_text(&mut text);
        self.computations_text(&mut text);
        self.path_text(&mut text);
        self.links_text(&mut text);
        self.messages_text(&mut text);
        text
    }

    fn percent(&self, secs: f64) -> f64 {
        100.0 * self.share(secs)
    }

    fn headline(&self, text: &mut String) {
        let efficiency = &self.efficiency;
        if efficiency.parallel > 0.0 {
            let _ = writeln!(
                text,
                "\nparallel efficiency {:.1} % = load balance {:.1} % x serialisation {:.1} % x transfer {:.1} % x \
                 contention {:.1} %",
                100.0 * efficiency.parallel,
                100.0 * efficiency.load_balance,
                100.0 * efficiency.serialisation,
                100.0 * efficiency.transfer,
                100.0 * efficiency.contention
            );
        }
        let _ = writeln!(text, "\nthe time of all ranks, {} together", seconds(self.all_secs()));
        for (name, secs) in self.time.named().into_iter().filter(|(_, secs)| self.share(*secs) >= 5e-4) {
            let _ = writeln!(text, "  {name:<14} {:>6.1} %  {}", self.percent(secs), seconds(secs));
            if name == "late sender" && self.share(self.time.wrong_order) >= 5e-4 {
                let secs = self.time.wrong_order;
                let _ = writeln!(text, "    wrong order  {:>6.1} %  {}", self.percent(secs), seconds(secs));
            }
        }
        if !self.causes.is_empty() {
            text.push_str("\nwhat costs most\n");
        }
        for cause in &self.causes {
            let _ = writeln!(text, "  {:>5.1} %  {}", self.percent(cause.secs), cause.words);
        }
    }

    fn calls_text(&self, text: &mut String) {
        let timed = self.calls.iter().filter(|row| row.secs > 0.0);
        let rows: Vec<_> = timed.clone().take(ROWS).collect();
        if rows.is_empty() {
            return;
        }
        let paths = rows.iter().flat_map(|row| row.different_paths().iter().take(PATHS));
        let of_paths = paths.map(|path| path.words().len() + "  by ".len());
        let width = rows.iter().map(|row| row.place.words().len()).chain(of_paths).max().unwrap_or(0).max(4);
        let _ = writeln!(
            text,
            "\n{:width$}  {:>9}  {:>11}  {:>6}  {:>6} {:>6} {:>6} {:>6}  {:>9}  wait state",
            "call", "calls", "time", "share", "wait", "transf", "conten", "overh", "sent"
        );
        for row in &rows {
            let Time { transfer, contention, overhead, .. } = row.time;
            let part = |secs: f64| match row.secs {
                all if all > 0.0 => format!("{:.0} %", 100.0 * secs / all),
                _ => "-".to_string(),
            };
            let _ = writeln!(
                text,
                "{:width$}  {:>9}  {:>11}  {:>4.1} %  {:>6} {:>6} {:>6} {:>6}  {:>9}  {}",
                row.place.words(),
                row.calls,
                seconds(row.secs),
                self.percent(row.secs),
                part(row.time.waiting()),
                part(transfer),
                part(contention),
                part(overhead),
                bytes(row.sent_bytes),
                row.wait_state
            );
            self.paths_text(text, row.different_paths(), width);
        }
        if timed.clone().count() > ROWS {
            let _ = writeln!(text, "… and {} more places; --profile-json has all", timed.count() - ROWS);
        }
    }

    /// The paths that lead to a call.
    fn paths_text(&self, text: &mut String, paths: &[CallPath], width: usize) {
        for path in paths.iter().take(PATHS) {
            let waits = if path.secs > 0.0 { 100.0 * path.waiting_secs / path.secs } else { 0.0 };
            let name = format!("  by {}", path.words());
            let (time, share) = (seconds(path.secs), self.percent(path.secs));
            let _ = writeln!(text, "{name:width$}  {:>9}  {time:>11}  {share:>4.1} %  {waits:>4.0} %", path.calls);
        }
        if paths.len() > PATHS {
            let _ = writeln!(text, "  … and {} more paths; --profile-json has all", paths.len() - PATHS);
        }
    }

    fn collectives_text(&self, text: &mut String) {
        let rows: Vec<_> = self.collectives.iter().filter(|row| row.takes_time()).take(ROWS / 2).collect();
        if rows.is_empty() {
            return;
        }
        let widest =
            |of: &dyn Fn(&CollectiveRow) -> usize, least: usize| rows.iter().map(|row| of(row)).fold(least, usize::max);
        let place = widest(&|row| row.place.words().len(), 20);
        let algorithm = widest(&|row| row.algorithm.len(), 9);
        let bytes = widest(&|row| row.bytes_words().len(), 5);
        let _ = writeln!(
            text,
            "\n{:place$}  {:algorithm$}  {:>5}  {:>bytes$}  {:>7}  {:>26}  {:>26}",
            "collective operation",
            "algorithm",
            "ranks",
            "bytes",
            "times",
            "arrivals apart (most)",
            "takes from then on (most)"
        );
        for row in rows {
            let _ = writeln!(
                text,
                "{:place$}  {:algorithm$}  {:>5}  {:>bytes$}  {:>7}  {:>26}  {:>26}",
                row.place.words(),
                row.algorithm,
                row.ranks,
                row.bytes_words(),
                row.count,
                row.arrivals.words(),
                row.duration.words()
            );
        }
    }

    fn computations_text(&self, text: &mut String) {
        let rows: Vec<_> = self.computations.iter().filter(|row| row.count > 0).take(ROWS / 2).collect();
        if rows.is_empty() {
            return;
        }
        let width = rows.iter().map(|row| row.after.words().len()).max().unwrap_or(0).max(17);
        let _ = writeln!(
            text,
            "\n{:width$}  {:>9}  {:>11}  {:>6}  others wait meanwhile",
            "computation after", "times", "time", "share"
        );
        for row in rows {
            let _ = writeln!(
                text,
                "{:width$}  {:>9}  {:>11}  {:>4.1} %  {}",
                row.after.words(),
                row.count,
                seconds(row.secs),
                self.percent(row.secs),
                seconds(row.caused_secs)
            );
        }
    }

    fn path_text(&self, text: &mut String) {
        if self.critical_path.rows.is_empty() {
            return;
        }
        let _ = writeln!(text, "\ncritical path, {}", seconds(self.critical_path.secs));
        for row in self.critical_path.rows.iter().take(ROWS / 2) {
            let share = 100.0 * row.secs / self.critical_path.secs.max(f64::MIN_POSITIVE);
            let of = if row.activity == "computation" { "after" } else { "of" };
            let _ = writeln!(
                text,
                "  {share:>5.1} %  {:>11}  {} {of} {} ({})",
                seconds(row.secs),
                row.activity,
                row.place.words(),
                counted(row.count, "time")
            );
        }
    }

    fn links_text(&self, text: &mut String) {
        let is_told = |row: &&LinkRow| !row.is_unshared && row.peak_share >= 0.05;
        let rows: Vec<_> = self.links.iter().take(ROWS / 3).filter(is_told).collect();
        if rows.is_empty() {
            return;
        }
        text.push_str("\nbusiest links\n");
        for row in rows {
            let users: Vec<String> = row.users.iter().take(2).map(|user| user.place.words()).collect();
            let _ = writeln!(
                text,
                "  {:>5.1} %  {} (at most {:.0} %, from {} on): {}",
                100.0 * row.share,
                row.name,
                100.0 * row.peak_share,
                seconds(row.peak_from_secs),
                users.join(", ")
            );
        }
    }

    /// Who sends most to whom, where hosts have several ranks.
    fn hosts_text(&self, text: &mut String) {
        if !self.shares_hosts() {
            return;
        }
        let all: u64 = self.host_matrix.iter().map(|row| row.bytes).sum();
        let part = |bytes: u64| 100.0 * bytes as f64 / all.max(1) as f64;
        let (within, mut between): (Vec<_>, Vec<_>) = self.host_matrix.iter().partition(|row| row.from == row.to);
        let within: u64 = within.iter().map(|row| row.bytes).sum();
        let _ = writeln!(
            text,
            "\nbytes between hosts\n  {:>5.1} %  {:>9}  stay on their host",
            part(within),
            bytes(within)
        );
        between.sort_by_key(|row| std::cmp::Reverse(row.bytes));
        for row in between.into_iter().take(ROWS / 3) {
            let _ = writeln!(
                text,
                "  {:>5.1} %  {:>9}  from {} to {}, {}",
                part(row.bytes),
                bytes(row.bytes),
                row.from,
                row.to,
                counted(row.messages, "message")
            );
        }
    }

    fn messages_text(&self, text: &mut String) {
        if self.message_sizes.is_empty() {
            return;
        }
        text.push_str("\nmessages by size\n");
        for row in &self.message_sizes {
            let _ = writeln!(
                text,
                "  below {:>9}  {:>9} messages  {:>9}",
                bytes(row.below_bytes),
                row.messages,
                bytes(row.bytes)
            );
        }
        self.hosts_text(text);
        let rows: Vec<_> = self.communicators.iter().take(ROWS / 2).collect();
        if rows.len() > 1 {
            text.push_str("\ncommunicators\n");
        }
        for row in rows.iter().filter(|_| rows.len() > 1) {
            let _ = writeln!(
                text,
                "  {:>5.1} %  {:>9} calls, {} in them, {} waiting: {}",
                self.percent(row.secs),
                row.calls,
                seconds(row.secs),
                seconds(row.waiting_secs),
                row.name
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        assert_eq!(
            [seconds(0.0), seconds(1.5), seconds(0.0025), seconds(3e-7)],
            ["0", "1.500 s", "2.500 ms", "300.000 ns"]
        );
    }
}
