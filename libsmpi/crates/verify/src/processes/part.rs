//! What a process saw of a part of an exploration, beside the checker's own counts, and how several of these are put
//! together in the order of the parts. It travels between processes as JSON, so schedules are text.

use serde::{Deserialize, Serialize};
use smpi_checker::{Event, Verdict};
use smpi_choices::{Discoveries, Discovery};
use smpi_report::Findings;
use smpi_report::finding::Buffering;
use smpi_report::findings::Gathered;

use crate::findings::race::{Comparison, Race, differing};
use crate::program::{End, LeftOut, driven, foreseen};
use crate::schedule::token;
use crate::search::collect::Collector;
use crate::search::course::Course;
use crate::search::outcome::{Explored, Results};

/// A [`Comparison`] of one part.
#[derive(Clone, Serialize, Deserialize)]
struct Compared<T> {
    /// How the first execution ended that ended well, and its schedule.
    first: Option<(Vec<T>, String)>,
    /// The first that ended otherwise, and the rank with the difference.
    other: Option<(String, u32)>,
}

impl<T: Clone + PartialEq> Compared<T> {
    fn of(comparison: &Comparison<T>, text: &dyn Fn(&[Event]) -> String) -> Compared<T> {
        Compared {
            first: comparison.first.as_ref().map(|(ends, path)| (ends.clone(), text(path))),
            other: comparison.race.as_ref().map(|race| (text(&race.other), race.rank)),
        }
    }

    /// Adds the next part to what is known of those before.
    fn join(self, known: &mut Comparison<T>) {
        let path = |text: &str| token::path(text).map(|(_, _, path)| path).unwrap_or_default();
        let Some((ends, way)) = self.first else { return };
        let (first, way_there) = known.first.get_or_insert_with(|| (ends.clone(), path(&way)));
        let found = differing(first, &ends).map(|rank| (way, rank)).or(self.other);
        if let Some((other, rank)) = found.filter(|_| known.race.is_none()) {
            known.race = Some(Race { first: way_there.clone(), other: path(&other), rank });
        }
    }
}

/// What was seen of a part.
#[derive(Clone, Serialize, Deserialize)]
pub struct Seen {
    /// Numbered by the executions of the part.
    pub findings: Gathered,
    /// The time limit ended it.
    pub timed_out: bool,
    /// The limit on memory did.
    #[serde(default)]
    pub is_full: bool,
    /// It takes too long, and is to be cut; nothing else is said of it.
    pub is_too_long: bool,
    outputs: Compared<End>,
    messages: [Compared<u64>; 2],
    results: Results,
    /// What this process has not tried so far.
    pub left_out: LeftOut,
    discovered: Vec<String>,
    /// Why some state has no name.
    pub unnamed: Option<String>,
}

impl Seen {
    /// What a collector has collected.
    pub fn of(mode: Buffering, collector: &Collector<'_>) -> Seen {
        let known = foreseen();
        let text = |path: &[Event]| token::write(mode, &known, path);
        let Collector { timed_out, is_full, is_too_long, outputs, messages, results, .. } = collector;
        Seen {
            findings: collector.findings().clone().gathered(),
            unnamed: None,
            timed_out: *timed_out,
            is_full: *is_full,
            is_too_long: *is_too_long,
            outputs: Compared::of(outputs, &text),
            messages: messages.compared.each_ref().map(|compared| Compared::of(compared, &text)),
            results: results.clone(),
            left_out: LeftOut::here(),
            discovered: driven(|driver, _| driver.take_discovered()).iter().map(ToString::to_string).collect(),
        }
    }

    /// The same, after what was seen before.
    pub fn after(self, before: Seen, mode: Buffering) -> Seen {
        let known = foreseen();
        let text = |path: &[Event]| token::write(mode, &known, path);
        let (mut together, mut findings) = (Together::default(), Findings::new());
        let (timed_out, is_full, is_too_long) = (self.timed_out, self.is_full, self.is_too_long);
        let unnamed = before.unnamed.clone().or(self.unnamed.clone());
        let (mut left_out, mut discovered) = (before.left_out.clone(), before.discovered.clone());
        left_out.join(self.left_out.clone());
        discovered.extend(self.discovered.iter().cloned());
        [before, self].into_iter().for_each(|seen| together.add(seen, &mut findings, &Some));
        Seen {
            findings: findings.gathered(),
            unnamed,
            timed_out,
            is_full,
            is_too_long,
            outputs: Compared::of(&together.outputs, &text),
            messages: together.messages.each_ref().map(|compared| Compared::of(compared, &text)),
            results: together.results,
            left_out,
            discovered,
        }
    }

    /// What the exploration should have known of the program.
    pub fn discovered(&self) -> Discoveries {
        self.discovered.iter().filter_map(|name| name.parse::<Discovery>().ok()).collect()
    }
}

/// What was seen of all parts so far.
#[derive(Default)]
pub struct Together {
    outputs: Comparison<End>,
    messages: [Comparison<u64>; 2],
    results: Results,
    is_full: bool,
}

impl Together {
    /// Adds the next part. `number` says which execution the one with this number in the part is among all; none if it
    /// is not one of them.
    pub fn add(&mut self, seen: Seen, findings: &mut Findings, number: &dyn Fn(u64) -> Option<u64>) {
        self.is_full |= seen.is_full;
        self.results.extend(seen.results);
        findings.join(seen.findings, number);
        seen.outputs.join(&mut self.outputs);
        seen.messages.into_iter().zip(&mut self.messages).for_each(|(seen, known)| seen.join(known));
    }

    /// What all parts together gave, with what is known of them from elsewhere.
    pub fn explored(self, verdict: Verdict, timed_out: bool, left_out: LeftOut, discovered: Discoveries) -> Explored {
        Explored {
            verdict,
            timed_out,
            is_full: self.is_full,
            instead: None,
            unnamed: None,
            race: self.outputs.race,
            messages: self.messages.map(|messages| messages.race),
            results: self.results,
            left_out,
            covered: None,
            estimate: None,
            course: Course::default(),
            discovered,
        }
    }
}
