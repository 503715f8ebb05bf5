//! Waiting in a profile: in which call, what others did meanwhile, and whose it was. Of ranks that have ended the
//! critical path says why others go on.

use smpi_base::map::Map;
use smpi_recording::stem::Step;
use smpi_recording::{Place, Recorder, What};
use smpi_report::profile::{PlaceName, WaitRow};

use super::{Names, word};

/// Rows at most; what they lack is told by the sums of calls.
const MOST_ROWS: usize = 4096;

/// What others did meanwhile: the activity and the call that it belongs to.
type Meanwhile<'a> = (What, &'a PlaceName);

/// Seconds of a row by rank.
#[derive(Default)]
struct Row {
    secs: f64,
    by_rank: Map<u32, f64>,
}

/// Rows in the order in which they were met.
#[derive(Default)]
struct Rows<'a> {
    numbers: Map<(Option<&'a PlaceName>, Meanwhile<'a>), usize>,
    rows: Vec<(Option<&'a PlaceName>, Meanwhile<'a>, Row)>,
}

impl<'a> Rows<'a> {
    fn add(&mut self, place: Option<&'a PlaceName>, meanwhile: Meanwhile<'a>, rank: Option<u32>, secs: f64) {
        let next = self.rows.len();
        let number = *self.numbers.entry((place, meanwhile)).or_insert(next);
        if number == next {
            self.rows.push((place, meanwhile, Row::default()));
        }
        let row = &mut self.rows[number].2;
        row.secs += secs;
        if let Some(rank) = rank {
            *row.by_rank.entry(rank).or_insert(0.0) += secs;
        }
    }

    fn finish(self) -> Vec<WaitRow> {
        let row = |(place, (what, of), row): (Option<&PlaceName>, Meanwhile, Row)| {
            let by_time = |one: &(&u32, &f64), other: &(&u32, &f64)| one.1.total_cmp(other.1).then(other.0.cmp(one.0));
            let most = row.by_rank.iter().max_by(by_time);
            WaitRow {
                place: place.cloned(),
                activity: word(what).to_string(),
                of: of.clone(),
                secs: row.secs,
                rank: most.map(|(rank, _)| *rank),
                rank_secs: most.map_or(0.0, |(_, secs)| *secs),
            }
        };
        let mut rows: Vec<WaitRow> = self.rows.into_iter().map(row).collect();
        rows.sort_by(|one, other| other.secs.total_cmp(&one.secs));
        rows.truncate(MOST_ROWS);
        rows
    }
}

/// What ranks waited for; `ends` has the dates at which they ended.
pub(super) fn rows(recorder: &Recorder, names: &Names, ends: &[f64]) -> Vec<WaitRow> {
    let mut rows = Rows::default();
    for (reason, rank, secs) in recorder.waits.all() {
        rows.add(Some(names.name(reason.place)), (reason.what, names.name(reason.of)), rank, secs);
    }
    let mut ends = ends.to_vec();
    ends.sort_by(f64::total_cmp);
    let mut ended = Ended::default();
    for Step { what, place, rank, start, end, .. } in recorder.critical_path().steps() {
        let secs = ended.secs_until(&ends, *start, *end);
        if secs > 0.0 {
            rows.add(None, (*what, names.name(*place)), Some(*rank), secs);
        }
    }
    rows.finish()
}

/// Goes through time, with the ranks that have ended by then.
#[derive(Default)]
struct Ended {
    count: usize,
}

impl Ended {
    /// For how long ranks were through from one date to another, all together; the next call goes on from there.
    fn secs_until(&mut self, ends: &[f64], start: f64, end: f64) -> f64 {
        let mut secs = self.count as f64 * (end - start);
        while let Some(date) = ends.get(self.count).filter(|date| **date < end) {
            secs += end - date.max(start);
            self.count += 1;
        }
        secs
    }
}

/// For how long others waited because of what comes after a call, and because of its messages.
#[derive(Clone, Copy, Default)]
pub(super) struct Caused {
    /// While a rank computed after it, slept, or was in it.
    pub(super) busy_secs: f64,
    /// Because its messages, for others, had to arrive first.
    pub(super) blocked_secs: f64,
}

/// The same for all calls.
pub(super) fn caused(recorder: &Recorder) -> Map<Place, Caused> {
    let mut caused: Map<Place, Caused> = Map::default();
    for (reason, _, secs) in recorder.waits.all() {
        let of = caused.entry(reason.of).or_default();
        match reason.what {
            What::Compute | What::Overhead | What::Sleep => of.busy_secs += secs,
            What::Transfer | What::File => of.blocked_secs += secs,
        }
    }
    caused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_that_have_ended_are_counted_from_then_on() {
        let ends = [1.0, 2.5, 4.0];
        let mut ended = Ended::default();
        assert_eq!(ended.secs_until(&ends, 0.0, 1.0), 0.0);
        assert_eq!(ended.secs_until(&ends, 1.0, 2.0), 1.0);
        assert_eq!(ended.secs_until(&ends, 2.0, 3.0), 1.5);
        assert_eq!(ended.secs_until(&ends, 3.0, 4.0), 2.0);
    }
}
