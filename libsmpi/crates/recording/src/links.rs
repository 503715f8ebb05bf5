//! What the links of the platform carry, over time and for which calls.
//!
//! A message uses a link for as long as its bytes take at the link's full bandwidth. These seconds are spread evenly
//! over the time from the message's begin to its arrival: shares that change meanwhile are not followed.

use smpi_base::map::Map;

use crate::places::Place;
use crate::timeline::Bins;

/// Intervals of a link's row.
const INTERVALS: usize = 256;

/// Links by the numbers of their channels: one for each direction, where these do not share the bandwidth.
#[derive(Debug)]
pub struct Links {
    rows: Map<u32, u32>,
    totals: Vec<(u32, f64)>,
    bins: Bins,
    by_place: Map<(u32, Place), f64>,
}

impl Default for Links {
    fn default() -> Links {
        Links { rows: Map::default(), totals: Vec::new(), bins: Bins::new(INTERVALS, 1), by_place: Map::default() }
    }
}

impl Links {
    /// A message of a call uses a channel for some seconds of its full bandwidth, from one date to another.
    pub fn carry(&mut self, channel: u32, place: Place, secs: f64, dates: (f64, f64)) {
        let next = self.totals.len() as u32;
        let row = *self.rows.entry(channel).or_insert(next);
        if row == next {
            self.totals.push((channel, 0.0));
        }
        self.totals[row as usize].1 += secs;
        *self.by_place.entry((channel, place)).or_default() += secs;
        self.bins.add(row as usize, 0, dates, secs);
    }

    /// Length of an interval, in seconds.
    pub fn interval_secs(&self) -> f64 {
        self.bins.secs()
    }

    /// All channels that were used: number, seconds of full use, and the same by interval.
    pub fn all(&self) -> impl Iterator<Item = (u32, f64, &[f32])> {
        self.totals.iter().enumerate().map(|(row, &(channel, secs))| (channel, secs, self.bins.row(row)))
    }

    /// For which calls a channel was used, and for how many seconds each: most first.
    pub fn users(&self, channel: u32) -> Vec<(Place, f64)> {
        let of_channel = self.by_place.iter().filter(|((of, _), _)| *of == channel);
        let mut users: Vec<(Place, f64)> = of_channel.map(|(&(_, place), &secs)| (place, secs)).collect();
        users.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        users
    }
}
