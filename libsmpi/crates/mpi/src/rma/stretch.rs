//! What a rank does with its memory before others can next hear of it.

use super::Ranges;

/// What a rank has done with its memory since others could last hear of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stretch {
    /// The count of the rank's clock; 0 when nothing was done.
    pub count: u32,
    read: Ranges,
    written: Ranges,
}

impl Stretch {
    /// The rank does something that may race with what it does to its memory from now on.
    pub(crate) fn look_again(&mut self) {
        for looked_at in [&mut self.read, &mut self.written] {
            if looked_at.span().is_some() {
                *looked_at = Ranges::default();
            }
        }
    }

    /// Whether nothing was done to memory.
    pub(crate) fn is_without_memory(&self) -> bool {
        self.read.span().is_none() && self.written.span().is_none()
    }

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
    fn who_has_written_has_read() {
        let mut stretch = Stretch::default();
        stretch.add(0, 8, true);
        stretch.add(8, 16, false);
        assert!(stretch.has(0, 8, true) && stretch.has(4, 8, false) && stretch.has(8, 16, false));
        assert!(!stretch.has(8, 12, true) && !stretch.has(16, 17, false));
    }
}
