//! What the page of a simulation draws beside its tables: what ranks do over time, single events, the matrix.

use std::collections::BTreeMap;

use serde::Serialize;
use smpi_base::map::Map;

use super::Profile;

/// Rows that a timeline has at most.
const MOST_ROWS: usize = 64;
/// Cells of a side of the matrix.
const MOST_CELLS: u32 = 128;
/// Values of an interval, one for each state.
const STATES: usize = 6;

/// What ranks did over time.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// Length of an interval, in seconds.
    pub interval_secs: f64,
    /// Rows of ranks, in their order: for each interval the seconds of computation, overhead, waiting, transfer,
    /// contention and sleep.
    pub rows: Vec<Vec<f32>>,
    /// Calls and computations, if there are few.
    pub spans: Vec<Span>,
    /// Messages, if there are few.
    pub messages: Vec<Arrow>,
    /// Names of the places that `spans` have.
    pub places: Vec<String>,
}

/// A call or computation of a rank; dates and durations in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// Whose.
    pub rank: u32,
    /// From.
    pub start: f64,
    /// To.
    pub end: f64,
    /// It is a call.
    pub is_call: bool,
    /// Waiting in it.
    pub wait: f64,
    /// Transfer that it waits for.
    pub transfer: f64,
    /// Contention of this.
    pub contention: f64,
    /// Overhead.
    pub overhead: f64,
    /// Index in [`Picture::places`].
    pub place: u32,
}

/// A message on its way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arrow {
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// From, in seconds.
    pub start: f64,
    /// To.
    pub end: f64,
}

/// Ranks that share a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub label: String,
    pub ranks: Vec<u32>,
    /// Shares of states by interval, 255 for all of it.
    pub states: Vec<u8>,
}

impl Picture {
    /// Intervals of a rank's row.
    pub(super) fn intervals(&self) -> usize {
        self.rows.iter().map(|row| row.len() / STATES).max().unwrap_or(0)
    }

    /// Rows for a page: one for each rank, or, where there are too many, one for ranks that behave alike. What they do
    /// is their mean.
    pub(super) fn fold(&self, intervals: usize) -> Vec<Row> {
        let groups = if self.rows.len() <= MOST_ROWS {
            (0..self.rows.len() as u32).map(|rank| vec![rank]).collect()
        } else {
            self.alike(intervals)
        };
        groups.into_iter().map(|ranks| self.row(ranks, intervals)).collect()
    }

    /// Groups of ranks whose mean states over eight parts of the run are the same, roughly: as finely as there is room.
    fn alike(&self, intervals: usize) -> Vec<Vec<u32>> {
        for steps in [8.0, 4.0, 2.0, 1.0] {
            let mut groups: Vec<(Vec<u8>, Vec<u32>)> = Vec::new();
            for (rank, row) in self.rows.iter().enumerate() {
                let key = self.behaviour(row, intervals, steps);
                match groups.iter().position(|(of, _)| *of == key) {
                    Some(group) => groups[group].1.push(rank as u32),
                    None if groups.len() > MOST_ROWS => break,
                    None => groups.push((key, vec![rank as u32])),
                }
            }
            if groups.len() <= MOST_ROWS {
                return groups.into_iter().map(|(_, ranks)| ranks).collect();
            }
        }
        let block = self.rows.len().div_ceil(MOST_ROWS) as u32;
        let count = self.rows.len() as u32;
        (0..count).step_by(block as usize).map(|first| (first..(first + block).min(count)).collect()).collect()
    }

    fn behaviour(&self, row: &[f32], intervals: usize, steps: f64) -> Vec<u8> {
        let part = intervals.div_ceil(8).max(1);
        let secs = part as f64 * self.interval_secs;
        let of_part = |values: &[f32]| {
            let mut sums = [0.0; STATES];
            values.iter().enumerate().for_each(|(index, &value)| sums[index % STATES] += f64::from(value));
            sums.map(|sum| (sum / secs * steps).round() as u8)
        };
        row.iter().as_slice().chunks(part * STATES).take(8).flat_map(of_part).collect()
    }

    fn row(&self, ranks: Vec<u32>, intervals: usize) -> Row {
        let full = self.interval_secs * ranks.len() as f64;
        let share = |index: usize| {
            let of_rank = |rank: &u32| self.rows[*rank as usize].get(index).copied().unwrap_or(0.0);
            (ranks.iter().map(|rank| f64::from(of_rank(rank))).sum::<f64>() / full * 255.0).round().min(255.0) as u8
        };
        let states = (0..intervals * STATES).map(share).collect();
        Row { label: label(&ranks), ranks, states }
    }
}

/// `rank 3`, `ranks 0-7`, `5 ranks: 1, 4 …`.
fn label(ranks: &[u32]) -> String {
    match ranks {
        [] => String::new(),
        [only] => format!("rank {only}"),
        [first, .., last] if (last - first) as usize + 1 == ranks.len() => format!("ranks {first}-{last}"),
        [first, second, ..] => format!("{} ranks: {first}, {second} …", ranks.len()),
    }
}

/// A matrix for a page. So many (`block`) neighbours share a row and a column where there are too many.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Matrix {
    /// What is on a side: ranks, or hosts.
    count: u32,
    block: u32,
    /// Names of what is on a side; none for ranks, which have numbers.
    names: Vec<String>,
    /// Row of the sender, column of the receiver, messages and their bytes.
    cells: Vec<(u32, u32, u64, u64)>,
}

/// Messages between ranks.
pub(super) fn matrix(profile: &Profile) -> Matrix {
    let pairs = profile.matrix.iter().map(|pair| (pair.from, pair.to, pair.messages, pair.bytes));
    Matrix::of(profile.ranks, Vec::new(), pairs)
}

/// The same between hosts, in the order of their first ranks; `None` where each has one rank.
pub(super) fn host_matrix(profile: &Profile) -> Option<Matrix> {
    if !profile.shares_hosts() {
        return None;
    }
    let (mut numbers, mut names) = (Map::<&str, u32>::default(), Vec::new());
    for row in &profile.rank_rows {
        numbers.entry(&row.host).or_insert_with(|| {
            names.push(row.host.clone());
            names.len() as u32 - 1
        });
    }
    let number = |host: &str| numbers.get(host).copied();
    let pairs = (profile.host_matrix.iter())
        .filter_map(|pair| Some((number(&pair.from)?, number(&pair.to)?, pair.messages, pair.bytes)));
    Some(Matrix::of(numbers.len() as u32, names, pairs))
}

impl Matrix {
    /// With so many on a side.
    fn of(count: u32, names: Vec<String>, pairs: impl Iterator<Item = (u32, u32, u64, u64)>) -> Matrix {
        let block = count.div_ceil(MOST_CELLS).max(1);
        let mut sums: BTreeMap<(u32, u32), (u64, u64)> = BTreeMap::new();
        for (from, to, messages, bytes) in pairs.filter(|(from, to, ..)| *from < count && *to < count) {
            let sum = sums.entry((from / block, to / block)).or_default();
            *sum = (sum.0 + messages, sum.1 + bytes);
        }
        let cells = sums.into_iter().map(|((from, to), (messages, bytes))| (from, to, messages, bytes));
        Matrix { count, block, names, cells: cells.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{HostPairRow, RankRow};
    use super::*;

    fn picture(ranks: u32, does: impl Fn(u32, usize) -> usize) -> Picture {
        let row = |rank: u32| {
            let mut row = vec![0.0; 8 * STATES];
            (0..8).for_each(|interval| row[interval * STATES + does(rank, interval)] = 0.5);
            row
        };
        Picture { interval_secs: 0.5, rows: (0..ranks).map(row).collect(), ..Picture::default() }
    }

    #[test]
    fn few_ranks_have_rows_of_their_own() {
        let rows = picture(4, |_, _| 0).fold(8);
        assert_eq!(
            rows.iter().map(|row| row.label.as_str()).collect::<Vec<_>>(),
            ["rank 0", "rank 1", "rank 2", "rank 3"]
        );
        assert_eq!(rows[0].states[..7], [255, 0, 0, 0, 0, 0, 255]);
    }

    #[test]
    fn matrices_are_of_ranks_and_of_hosts() {
        let pairs = [(0, 1, 1, 5), (2, 3, 2, 7)];
        let matrix = |count| Matrix::of(count, Vec::new(), pairs.into_iter());
        assert_eq!(matrix(4), Matrix { count: 4, block: 1, names: Vec::new(), cells: pairs.to_vec() });
        let folded = vec![(0, 0, 1, 5), (1, 1, 2, 7)];
        assert_eq!(matrix(256), Matrix { count: 256, block: 2, names: Vec::new(), cells: folded });
        let rank = |host: &str| RankRow { host: host.into(), ..RankRow::default() };
        let pair = |from: &str, to: &str| HostPairRow { from: from.into(), to: to.into(), messages: 1, bytes: 9 };
        let mut profile = Profile {
            rank_rows: vec![rank("b"), rank("a"), rank("a")],
            host_matrix: vec![pair("a", "a"), pair("a", "b")],
            ..Profile::default()
        };
        let names = ["b", "a"].map(String::from).to_vec();
        let expected = Matrix { count: 2, block: 1, names, cells: vec![(1, 0, 1, 9), (1, 1, 1, 9)] };
        assert_eq!(host_matrix(&profile), Some(expected));
        profile.rank_rows.pop();
        assert_eq!(host_matrix(&profile), None);
    }

    #[test]
    fn many_ranks_are_folded_by_what_they_do() {
        let rows = picture(4096, |rank, _| if rank == 77 { 0 } else { 2 }).fold(8);
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[1].label.as_str(), rows[0].ranks.len()), ("rank 77", 4095));
        assert!(
            picture(4096, |rank, interval| (rank as usize * 7 + interval * rank as usize / 3) % 6).fold(8).len() <= 64
        );
    }
}
