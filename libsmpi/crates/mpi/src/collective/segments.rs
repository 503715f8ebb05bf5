//! Vectors in segments, for algorithms that pass on one segment while the next one arrives.

use crate::collective::schedule::Posted;
use crate::collective::{Builder, Part};

/// Segments of one length, the last one maybe shorter.
#[derive(Clone, Debug)]
pub(super) struct Segments {
    whole: Part,
    /// Elements of a segment.
    length: i64,
}

impl Segments {
    /// Segments of at most `bytes` bytes, and at least one element.
    pub(super) fn of_bytes(whole: &Part, bytes: u64) -> Segments {
        let most = whole.count.max(1);
        let fit = bytes / whole.datatype.size().max(1);
        Segments { whole: whole.clone(), length: i64::try_from(fit).unwrap_or(most).clamp(1, most) }
    }

    /// Segments of another vector with as many elements, as long as those of `other`.
    pub(super) fn like(other: &Segments, whole: &Part) -> Segments {
        Segments { whole: whole.clone(), length: other.length }
    }

    /// How many there are. A vector without elements is one segment, as a message without data is one message.
    pub(super) fn number(&self) -> i64 {
        ((self.whole.count + self.length - 1) / self.length).max(1)
    }

    /// Elements of those that are not shorter than others.
    pub(super) fn elements_of_whole(&self) -> i64 {
        self.whole.count / self.length * self.length
    }

    /// One of them.
    pub(super) fn get(&self, index: i64) -> Part {
        let first = index * self.length;
        self.whole.slice(first, self.length.min(self.whole.count - first))
    }

    /// All of them in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Part> + '_ {
        (0..self.number()).map(|index| self.get(index))
    }
}

impl Builder<'_> {
    /// Is ready to receive all segments from a rank.
    pub(super) fn begin_recvs(&mut self, from: u32, segments: &Segments) -> Vec<Posted> {
        segments.iter().map(|segment| self.begin_recv(from, &segment)).collect()
    }

    /// Receives segments from a rank and does something with each when it is there, while the next one is under way:
    /// the receive of a segment begins before the one before is awaited, and no earlier.
    pub(super) fn recv_each(&mut self, from: u32, segments: &Segments, mut act: impl FnMut(&mut Self, &Part)) {
        let mut before: Option<(Posted, Part)> = None;
        let ahead = segments.iter().map(Some).chain([None]);
        for segment in ahead {
            let next = segment.map(|segment| (self.begin_recv(from, &segment), segment));
            if let Some((arrival, segment)) = std::mem::replace(&mut before, next) {
                self.wait_for(arrival);
                act(self, &segment);
            }
        }
    }
}
