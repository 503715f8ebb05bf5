//! What the links of the platform carry, over time and for which calls.
//!
//! A message uses a link for as long as its bytes take at the link's full bandwidth. These seconds are spread evenly
//! over the time from the message's begin to its arrival: shares that change meanwhile are not followed.

use smpi_base::map::Map;

use crate::places::Place;
use crate::timeline::Bins;

/// Intervals of a link's row.
const INTERVALS: usize = 256;

/// Pairs of ranks of which the way is kept: with some links each, a few megabytes.
const MOST_WAYS: usize = 1 << 16;

/// Links by the numbers of their channels: one for each direction, where these do not share the bandwidth.
#[derive(Debug)]
pub struct Links {
    numbers: Map<u32, u32>,
    rows: Vec<Row>,
    bins: Bins,
    /// Rows and calls that used them: where their seconds are in `used_secs`.
    by_place: Map<(u32, Place), u32>,
    used_secs: Vec<f64>,
    /// The ways between pairs of ranks, by the pair's number: where they are in `steps`.
    ways: Vec<Option<(u32, u32)>>,
    /// Ways, one behind another.
    steps: Vec<Step>,
    /// A way that is not kept (scratch).
    way: Vec<(usize, f64)>,
}

/// What is known of a channel.
#[derive(Debug)]
struct Row {
    channel: u32,
    /// Seconds of its full use.
    total_secs: f64,
    /// The call that used it last, and what `by_place` has for it.
    recent: Option<(Place, u32)>,
}

/// A channel on the way of a message.
#[derive(Clone, Copy, Debug)]
struct Step {
    row: u32,
    bandwidth_bytes_per_sec: f64,
}

impl Default for Links {
    fn default() -> Links {
        Links {
            numbers: Map::default(),
            rows: Vec::new(),
            bins: Bins::new(INTERVALS, 1),
            by_place: Map::default(),
            used_secs: Vec::new(),
            ways: Vec::new(),
            steps: Vec::new(),
            way: Vec::new(),
        }
    }
}

impl Links {
    /// A message of a call used the channels between the two ranks of a pair, from one date to another. It took `work`
    /// bytes of their bandwidth. `way` puts the channels into a list, each with its bandwidth in bytes a second; it is
    /// asked once for each pair, while there are not too many.
    pub fn carry(
        &mut self,
        pair: u32,
        place: Place,
        work: f64,
        dates: (f64, f64),
        way: impl FnOnce(&mut Vec<(usize, f64)>),
    ) {
        let known = self.ways.get(pair as usize).copied().flatten();
        let (first, count) = known.unwrap_or_else(|| self.find(pair, way));
        for at in first..first + count {
            let Step { row, bandwidth_bytes_per_sec } = self.steps[at as usize];
            let secs = work / bandwidth_bytes_per_sec;
            self.use_row(row, place, secs);
            self.bins.add(row as usize, 0, dates, secs);
        }
        if pair as usize >= MOST_WAYS {
            self.steps.truncate(first as usize);
        }
    }

    /// Puts the way of a pair behind the others.
    #[cold]
    fn find(&mut self, pair: u32, way: impl FnOnce(&mut Vec<(usize, f64)>)) -> (u32, u32) {
        let mut channels = std::mem::take(&mut self.way);
        channels.clear();
        way(&mut channels);
        let (first, count) = (self.steps.len() as u32, channels.len() as u32);
        for &(channel, bandwidth_bytes_per_sec) in &channels {
            let next = self.rows.len() as u32;
            let row = *self.numbers.entry(channel as u32).or_insert(next);
            if row == next {
                self.rows.push(Row { channel: channel as u32, total_secs: 0.0, recent: None });
            }
            self.steps.push(Step { row, bandwidth_bytes_per_sec });
        }
        self.way = channels;
        if (pair as usize) < MOST_WAYS {
            if self.ways.len() <= pair as usize {
                self.ways.resize(pair as usize + 1, None);
            }
            self.ways[pair as usize] = Some((first, count));
        }
        (first, count)
    }

    #[inline]
    fn use_row(&mut self, row: u32, place: Place, secs: f64) {
        let known = &mut self.rows[row as usize];
        known.total_secs += secs;
        let at = match known.recent {
            Some((recent, at)) if recent == place => at,
            _ => {
                let next = self.used_secs.len() as u32;
                let at = *self.by_place.entry((row, place)).or_insert(next);
                if at == next {
                    self.used_secs.push(0.0);
                }
                known.recent = Some((place, at));
                at
            }
        };
        self.used_secs[at as usize] += secs;
    }

    /// Length of an interval, in seconds.
    pub fn interval_secs(&self) -> f64 {
        self.bins.secs()
    }

    /// All channels that were used: number, seconds of full use, and the same by interval.
    pub fn all(&self) -> impl Iterator<Item = (u32, f64, &[f32])> {
        self.rows.iter().enumerate().map(|(row, known)| (known.channel, known.total_secs, self.bins.row(row)))
    }

    /// For which calls a channel was used, and for how many seconds each: most first.
    pub fn users(&self, channel: u32) -> Vec<(Place, f64)> {
        let Some(&row) = self.numbers.get(&channel) else { return Vec::new() };
        let of_row = self.by_place.iter().filter(|((of, _), _)| *of == row);
        let mut users: Vec<(Place, f64)> =
            of_row.map(|(&(_, place), &at)| (place, self.used_secs[at as usize])).collect();
        users.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        users
    }
}
