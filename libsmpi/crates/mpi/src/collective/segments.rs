//! Vectors in segments, for algorithms that pass on one segment while the next one arrives.

use crate::collective::Part;

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

    /// How many there are. A vector without elements is one segment, as a message without data is one message.
    pub(super) fn number(&self) -> i64 {
        ((self.whole.count + self.length - 1) / self.length).max(1)
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
