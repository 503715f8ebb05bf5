//! What a rank does with its memory before others can next hear of it.

use std::collections::BTreeMap;

/// Bytes: starts and ends of pieces that do not touch each other.
#[derive(Clone, Debug, Default)]
struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    fn covers(&self, low: u64, high: u64) -> bool {
        self.0.range(..=low).next_back().is_some_and(|(_, end)| *end >= high)
    }

    fn add(&mut self, mut low: u64, mut high: u64) {
        while let Some((&start, &end)) = self.0.range(..=high).next_back().filter(|(_, end)| **end >= low) {
            self.0.remove(&start);
            (low, high) = (low.min(start), high.max(end));
        }
        self.0.insert(low, high);
    }
}

/// What a rank has done with its memory since others could last hear of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stretch {
    /// The count of the rank's clock; 0 when nothing was done.
    pub count: u32,
    read: Ranges,
    written: Ranges,
}

impl Stretch {
    /// Whether the same was done to all of these bytes, or more.
    pub(crate) fn has(&self, low: u64, high: u64, writes: bool) -> bool {
        self.written.covers(low, high) || !writes && self.read.covers(low, high)
    }

    /// The rank reads or writes these bytes.
    pub(crate) fn add(&mut self, low: u64, high: u64, writes: bool) {
        if writes { &mut self.written } else { &mut self.read }.add(low, high);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_grow_together() {
        let mut ranges = Ranges::default();
        for (low, high) in [(8, 12), (0, 4), (20, 24), (12, 16)] {
            ranges.add(low, high);
        }
        assert!(ranges.covers(8, 16) && ranges.covers(1, 3) && !ranges.covers(4, 8) && !ranges.covers(15, 17));
        ranges.add(3, 21);
        assert_eq!(ranges.0, BTreeMap::from([(0, 24)]));
    }

    #[test]
    fn who_has_written_has_read() {
        let mut stretch = Stretch::default();
        stretch.add(0, 8, true);
        stretch.add(8, 16, false);
        assert!(stretch.has(0, 8, true) && stretch.has(4, 8, false) && stretch.has(8, 16, false));
        assert!(!stretch.has(8, 12, true) && !stretch.has(16, 17, false));
    }
}
