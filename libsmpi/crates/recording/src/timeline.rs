//! What ranks and links did over time, in a fixed number of equal intervals whatever the length of the run: when the
//! run goes beyond the last one, intervals become twice as long.

/// What a rank does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It computes.
    Compute,
    /// It is busy in a call of MPI.
    Overhead,
    /// It waits for others.
    Wait,
    /// A message that it waits for travels.
    Transfer,
    /// That message would be there if it had its links for itself.
    Contention,
    /// It sleeps.
    Sleep,
}

impl State {
    /// How many there are.
    pub const COUNT: usize = 6;
    /// All of them, in the order of their numbers.
    pub const ALL: [State; State::COUNT] =
        [State::Compute, State::Overhead, State::Wait, State::Transfer, State::Contention, State::Sleep];
}

/// Length of an interval at the start, in seconds.
const FIRST_SECS: f64 = 1e-9;

/// Sums over intervals for a number of rows (ranks, links), each with `width` values.
#[derive(Clone, Debug)]
pub struct Bins {
    intervals: usize,
    width: usize,
    secs: f64,
    rows: Vec<f32>,
    /// The interval that was added to last, from and to: what follows is mostly in the same one.
    recent: (f64, f64),
    /// Where it begins in a row.
    recent_at: usize,
}

impl Bins {
    /// Without any rows.
    pub fn new(intervals: usize, width: usize) -> Bins {
        let recent = (f64::INFINITY, f64::NEG_INFINITY);
        Bins { intervals, width, secs: FIRST_SECS, rows: Vec::new(), recent, recent_at: 0 }
    }

    /// Length of an interval, in seconds.
    pub fn secs(&self) -> f64 {
        self.secs
    }

    /// Number of intervals.
    pub fn intervals(&self) -> usize {
        self.intervals
    }

    /// Values of one row: interval by interval.
    pub fn row(&self, row: usize) -> &[f32] {
        let length = self.intervals * self.width;
        self.rows.get(row * length..(row + 1) * length).unwrap_or_default()
    }

    /// Adds an amount to one of the values of a row, evenly from one date to another (both in seconds).
    #[inline]
    pub fn add(&mut self, row: usize, value: usize, (from, to): (f64, f64), amount: f64) {
        if to <= from {
            return;
        }
        let secs = to - from;
        let rate = amount / secs;
        if from >= self.recent.0
            && to <= self.recent.1
            && let Some(cell) = self.rows.get_mut(row * self.intervals * self.width + self.recent_at + value)
        {
            *cell += (secs * rate) as f32;
            return;
        }
        self.spread(row, value, (from, to), rate);
    }

    /// Adds so much a second to one of the values of a row, in all intervals from one date to another.
    #[inline(never)]
    fn spread(&mut self, row: usize, value: usize, (from, to): (f64, f64), rate: f64) {
        while to > self.secs * self.intervals as f64 {
            self.coarsen();
        }
        let length = self.intervals * self.width;
        if self.rows.len() < (row + 1) * length {
            self.rows.resize((row + 1) * length, 0.0);
        }
        let row = &mut self.rows[row * length..(row + 1) * length];
        let (first, last) = ((from / self.secs) as usize, ((to / self.secs) as usize).min(self.intervals - 1));
        self.recent = (last as f64 * self.secs, (last + 1) as f64 * self.secs);
        self.recent_at = last * self.width;
        for interval in first..=last {
            let (begin, end) = (interval as f64 * self.secs, (interval + 1) as f64 * self.secs);
            let part = end.min(to) - begin.max(from);
            if part > 0.0 {
                row[interval * self.width + value] += (part * rate) as f32;
            }
        }
    }

    fn coarsen(&mut self) {
        self.secs *= 2.0;
        let (length, width) = (self.intervals * self.width, self.width);
        for row in self.rows.chunks_exact_mut(length) {
            for interval in 0..self.intervals / 2 {
                for value in 0..width {
                    row[interval * width + value] =
                        row[2 * interval * width + value] + row[(2 * interval + 1) * width + value];
                }
            }
            row[self.intervals / 2 * width..].fill(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_grow_and_nothing_is_lost() {
        let mut bins = Bins::new(8, 2);
        bins.add(1, 0, (0.0, 1e-9), 1e-9);
        bins.add(1, 1, (0.5, 1.0), 0.5);
        bins.add(0, 0, (0.0, 3.0), 3.0);
        assert!(bins.secs() * 8.0 >= 3.0);
        let sum =
            |row: usize, value: usize| bins.row(row).iter().skip(value).step_by(2).map(|&v| f64::from(v)).sum::<f64>();
        assert!((sum(1, 1) - 0.5).abs() < 1e-6 && (sum(0, 0) - 3.0).abs() < 1e-5 && (sum(1, 0) - 1e-9).abs() < 1e-12);
    }
}
