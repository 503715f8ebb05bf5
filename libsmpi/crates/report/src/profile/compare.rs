//! Two profiles side by side.

use std::fmt::Write;

use super::text::seconds;
use super::{Efficiency, PlaceName, Profile};
use smpi_base::map::Map;

/// Rows of the table of calls.
const ROWS: usize = 16;

impl Profile {
    /// What is different in another profile, in words and tables, ending in a newline. Times of calls and of parts are
    /// means over the ranks, so that runs with other numbers of ranks can be compared.
    pub fn compare(&self, other: &Profile) -> String {
        let mut text = String::new();
        let (before, after) = (self.simulated_time_secs, other.simulated_time_secs);
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(text, "a: {} ranks on {}: {}", self.ranks, self.platform, self.command);
        let _ = writeln!(text, "b: {} ranks on {}: {}", other.ranks, other.platform, other.command);
        let _ = writeln!(text, "\n{:34}  {:>12}  {:>12}  {:>12}", "seconds of a rank, on average", "a", "b", "b - a");
        row(&mut text, "simulated time", before, after);
        for ((name, own), (_, others)) in self.time.named().into_iter().zip(other.time.named()) {
            let (own, others) = (own / f64::from(self.ranks.max(1)), others / f64::from(other.ranks.max(1)));
            if own > 0.0 || others > 0.0 {
                row(&mut text, &format!("  {name}"), own, others);
            }
        }
        self.factors(&mut text, &other.efficiency);
        self.calls_beside(&mut text, other);
        text
    }

    fn factors(&self, text: &mut String, other: &Efficiency) {
        let own = &self.efficiency;
        if own.parallel <= 0.0 || other.parallel <= 0.0 {
            return;
        }
        let _ = writeln!(text, "\n{:34}  {:>12}  {:>12}  {:>12}", "efficiency", "a", "b", "b / a");
        let factors = [
            ("parallel", own.parallel, other.parallel),
            ("  load balance", own.load_balance, other.load_balance),
            ("  serialisation", own.serialisation, other.serialisation),
            ("  transfer", own.transfer, other.transfer),
            ("  contention", own.contention, other.contention),
        ];
        for (name, own, other) in factors {
            let _ =
                writeln!(text, "{name:34}  {:>10.1} %  {:>10.1} %  {:>12.3}", 100.0 * own, 100.0 * other, other / own);
        }
    }

    fn calls_beside(&self, text: &mut String, other: &Profile) {
        let mut secs: Map<&PlaceName, [f64; 2]> = Map::default();
        let mut order = Vec::new();
        for (side, profile) in [self, other].into_iter().enumerate() {
            for call in &profile.calls {
                let both = secs.entry(&call.place).or_insert_with(|| {
                    order.push(&call.place);
                    [0.0; 2]
                });
                both[side] += call.secs / f64::from(profile.ranks.max(1));
            }
        }
        let difference = |place: &&PlaceName| (secs[*place][1] - secs[*place][0]).abs();
        order.retain(|place| difference(place) > 0.0);
        order.sort_by(|one, other| difference(other).total_cmp(&difference(one)));
        if !order.is_empty() {
            let _ = writeln!(text, "\n{:34}  {:>12}  {:>12}  {:>12}", "calls that differ most", "a", "b", "b - a");
        }
        for place in order.into_iter().take(ROWS) {
            row(text, &place.words(), secs[place][0], secs[place][1]);
        }
    }
}

fn row(text: &mut String, name: &str, before: f64, after: f64) {
    let change = after - before;
    let sign = if change < 0.0 { "-" } else { "+" };
    let percent = if before > 0.0 { format!("  {:+.1} %", 100.0 * change / before) } else { String::new() };
    let _ = writeln!(
        text,
        "{name:34}  {:>12}  {:>12}  {:>12}{percent}",
        seconds(before),
        seconds(after),
        format!("{sign}{}", seconds(change.abs()))
    );
}

#[cfg(test)]
mod tests {
    use super::super::{CallRow, Time};
    use super::*;

    #[test]
    fn what_differs_is_named() {
        let place = PlaceName { call: "MPI_Send".into(), file: Some("a.c".into()), line: Some(3), function: None };
        let of = |secs: f64, ranks: u32| Profile {
            ranks,
            simulated_time_secs: secs,
            time: Time { transfer: secs * f64::from(ranks), ..Time::default() },
            calls: vec![CallRow { place: place.clone(), secs: secs * f64::from(ranks), ..CallRow::default() }],
            ..Profile::default()
        };
        let text = of(2.0, 4).compare(&of(1.0, 8));
        assert!(
            text.contains("  transfer") && text.contains("MPI_Send at a.c:3") && text.contains("-50.0 %"),
            "{text}"
        );
        assert!(!of(2.0, 4).compare(&of(2.0, 8)).contains("calls that differ"));
    }
}
