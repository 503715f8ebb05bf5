//! Where everything of a sequence chart goes: rows by logical time, lanes by rank, all in pixels. Draws nothing.

use crate::trace::{EventKind, Trace, TraceEvent};
use smpi_base::map::Map;

/// Events drawn; of longer traces, the last ones. A browser opens such a page in two or three seconds.
const MAX_EVENTS: usize = 20_000;
/// Ranks up to which events have labels.
const MAX_LABELLED: u32 = 12;
/// Ranks drawn at most: beyond, only those with the first numbers.
const MAX_LANES: u32 = 512;
/// Space for row numbers on the left, in pixels.
pub(super) const GUTTER: f64 = 34.0;
/// Space for the bracket of a round on the right, in pixels.
const BRACKET: f64 = 26.0;

/// Sizes in pixels.
pub(super) struct Scale {
    /// Width of a lane.
    pub lane: f64,
    /// Height of a row.
    pub row: f64,
    /// Whether events have labels.
    pub labels: bool,
    /// Characters of a label.
    pub chars: usize,
}

impl Scale {
    fn of(ranks: u32) -> Scale {
        let labelled = |lane: f64| Scale { lane, row: 34.0, labels: true, chars: ((lane - 12.0) / 6.7) as usize };
        match ranks {
            0..=4 => labelled(210.0),
            5..=7 => labelled(150.0),
            8..=MAX_LABELLED => labelled(112.0),
            13..=24 => Scale { lane: 44.0, row: 16.0, labels: false, chars: 0 },
            _ => Scale { lane: 26.0, row: 14.0, labels: false, chars: 0 },
        }
    }

    pub fn x(&self, rank: u32) -> f64 {
        GUTTER + (f64::from(rank) + 0.5) * self.lane
    }

    pub fn y(&self, row: u32) -> f64 {
        (f64::from(row) - 0.25) * self.row
    }
}

/// A message on its way.
#[derive(Clone, Copy)]
pub(super) struct Sent {
    pub rank: u32,
    pub row: u32,
    pub to: u32,
    /// Sent in the round: one of the next rounds receives it, as the state at its end is that at its beginning.
    pub is_carried: bool,
}

/// Where everything goes.
pub(super) struct Layout<'a> {
    /// The events drawn.
    pub events: &'a [TraceEvent],
    pub lanes: u32,
    pub scale: Scale,
    /// Row of each event.
    pub rows: Vec<u32>,
    /// Row after which a rank's lane ends.
    pub last_rows: Vec<u32>,
    /// Event of each rank that it is blocked in at the end.
    pub stuck: Vec<Option<usize>>,
    /// Where each message was sent.
    pub sends: Map<u64, Sent>,
    pub height_rows: u32,
    /// First row of the events that come again and again. The row above them is free.
    pub round: Option<u32>,
}

impl<'a> Layout<'a> {
    pub fn of(trace: &'a Trace) -> Layout<'a> {
        let lanes = trace.ranks.min(MAX_LANES);
        let hidden = trace.events.len().saturating_sub(MAX_EVENTS);
        let events = &trace.events[hidden..];
        let mut layout = Layout {
            events,
            lanes,
            scale: Scale::of(lanes),
            rows: Vec::with_capacity(events.len()),
            last_rows: vec![0; lanes as usize],
            stuck: vec![None; lanes as usize],
            sends: Map::default(),
            height_rows: 1,
            round: None,
        };
        for index in 0..events.len() {
            // Of a round that is not drawn as a whole, the beginning is not known.
            if trace.round == Some(hidden + index) {
                layout.begin_round();
            }
            layout.place(index);
        }
        layout.height_rows = layout.last_rows.iter().max().map_or(1, |row| row + 1);
        layout
    }

    /// What follows comes below everything before it, and one row is left free.
    fn begin_round(&mut self) {
        let above = self.last_rows.iter().max().map_or(0, |row| row + 1);
        self.last_rows.fill(above);
        self.round = Some(above + 1);
    }

    /// Gives an event the row below everything that it depends on.
    fn place(&mut self, index: usize) {
        let event = &self.events[index];
        let rank = event.place.rank as usize;
        if rank >= self.last_rows.len() {
            self.rows.push(0);
            return;
        }
        let mut row = self.last_rows[rank] + 1;
        match &event.kind {
            EventKind::Match { message, .. } => {
                row = row.max(self.sends.get(message).map_or(0, |send| send.row + 1));
            }
            EventKind::Collective { members } => {
                let latest = self.lanes_of(members).map(|member| self.last_rows[member]).max();
                row = row.max(latest.unwrap_or(0) + 1);
                for member in self.lanes_of(members) {
                    self.last_rows[member] = row;
                    self.stuck[member] = None;
                }
            }
            EventKind::Send { message, to } => {
                let sent = Sent { rank: event.place.rank, row, to: *to, is_carried: self.round.is_some() };
                self.sends.insert(*message, sent);
            }
            _ => {}
        }
        self.last_rows[rank] = row;
        self.stuck[rank] = matches!(event.kind, EventKind::Wait { .. }).then_some(index);
        self.rows.push(row);
    }

    fn lanes_of(&self, members: &'a [u32]) -> impl Iterator<Item = usize> + use<'a> {
        let lanes = self.lanes;
        members.iter().filter(move |rank| **rank < lanes).map(|rank| *rank as usize)
    }

    pub fn width(&self) -> f64 {
        // The labels of the last lane may be longer than half a lane.
        let labels = if self.scale.labels { 48.0 } else { 8.0 };
        GUTTER + f64::from(self.lanes) * self.scale.lane + labels + self.round.map_or(0.0, |_| BRACKET)
    }

    /// The round's left end, top, right end and bottom.
    pub fn band(&self) -> Option<(f64, f64, f64, f64)> {
        let top = self.scale.y(self.round?.saturating_sub(1)) - 0.4 * self.scale.row;
        Some((
            GUTTER - 6.0,
            top.max(0.0),
            self.width() - BRACKET,
            self.scale.y(self.height_rows) - 0.3 * self.scale.row,
        ))
    }

    /// Where lanes end.
    pub fn bottom(&self) -> f64 {
        self.scale.y(self.height_rows) + 4.0
    }

    /// Where the arcs of the waits start.
    pub fn arcs_top(&self) -> f64 {
        self.bottom() + if self.scale.labels { 44.0 } else { 12.0 }
    }

    /// Depth of the arc between two lanes.
    pub fn arc_depth(&self, from: u32, to: u32) -> f64 {
        18.0 + 8.0 * f64::from(from.abs_diff(to).min(12)) + if from > to { 14.0 } else { 0.0 }
    }

    /// Waits for exactly one rank: the arcs below the lanes. Waits for one of several have no single arrow.
    pub fn arcs(&self) -> Vec<(u32, u32)> {
        let wait = |index: &usize| match &self.events[*index].kind {
            EventKind::Wait { on, .. } if on.len() == 1 && on[0] < self.lanes => {
                Some((self.events[*index].place.rank, on[0]))
            }
            _ => None,
        };
        self.stuck.iter().flatten().filter_map(wait).collect()
    }

    /// Messages that were sent and that nobody took.
    pub fn unmatched(&self) -> Vec<Sent> {
        let mut sends = self.sends.clone();
        for event in self.events {
            if let EventKind::Match { message, .. } = &event.kind {
                sends.remove(message);
            }
        }
        // Hash order must not reach the page.
        let mut unmatched: Vec<Sent> = sends.into_values().collect();
        unmatched.sort_unstable_by_key(|sent| (sent.row, sent.rank, sent.to));
        unmatched
    }

    pub fn height(&self) -> f64 {
        let deepest = self.arcs().iter().map(|(from, to)| self.arc_depth(*from, *to)).fold(0.0, f64::max);
        self.arcs_top() + 0.75 * deepest + 12.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Location;

    fn event(rank: u32, kind: EventKind) -> TraceEvent {
        TraceEvent::new(Location::new(rank, "MPI_X"), kind)
    }

    #[test]
    fn rows_are_logical_time() {
        let trace = Trace {
            ranks: 3,
            events: vec![
                event(0, EventKind::Local),
                event(0, EventKind::Send { message: 1, to: 1 }),
                event(1, EventKind::Receive { from: Some(0) }),
                event(1, EventKind::Match { message: 1, from: 0, candidates: vec![] }),
                event(2, EventKind::Local),
                event(1, EventKind::Collective { members: vec![1, 2] }),
                event(2, EventKind::Wait { on: vec![0], detail: String::new() }),
                event(9, EventKind::Local),
            ],
            round: None,
        };
        let layout = Layout::of(&trace);
        assert_eq!(layout.rows, [1, 2, 1, 3, 1, 4, 5, 0]);
        assert_eq!(layout.stuck, [None, None, Some(6)]);
        assert_eq!(layout.arcs(), [(2, 0)]);
        assert_eq!(layout.height_rows, 6);
    }

    #[test]
    fn a_wait_that_ended_is_not_the_end() {
        let wait = EventKind::Wait { on: vec![0], detail: String::new() };
        let trace =
            Trace { ranks: 1, events: vec![event(0, wait), event(0, EventKind::Exit { code: 0 })], round: None };
        assert_eq!(Layout::of(&trace).stuck, [None]);
    }

    #[test]
    fn a_round_is_below_everything_before_it() {
        let events = vec![
            event(0, EventKind::Send { message: 1, to: 1 }),
            event(0, EventKind::Local),
            event(1, EventKind::Match { message: 1, from: 0, candidates: vec![] }),
            event(1, EventKind::Send { message: 2, to: 0 }),
        ];
        let mut trace = Trace { ranks: 2, events, round: Some(2) };
        let layout = Layout::of(&trace);
        assert_eq!((&layout.rows[..], layout.round), (&[1, 2, 4, 5][..], Some(4)));
        assert_eq!(layout.unmatched().iter().map(|sent| sent.is_carried).collect::<Vec<_>>(), [true]);
        let (_, top, _, bottom) = layout.band().unwrap();
        assert!(layout.scale.y(2) < top && top < layout.scale.y(4) && layout.scale.y(5) < bottom);
        // All of it, and nothing of it.
        trace.round = Some(0);
        assert_eq!(Layout::of(&trace).rows, [2, 3, 3, 4]);
        trace.round = Some(4);
        assert!(Layout::of(&trace).band().is_none());
    }
}
