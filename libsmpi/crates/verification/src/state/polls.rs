//! How often ranks have polled in vain.

/// Failed polls of one rank for the same thing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Polls {
    /// In a row: since the rank found something, or called anything else.
    pub in_row: u32,
    /// Of these, as many as came after the last change anywhere.
    in_vain: u32,
    /// [`super::State::changes`] when this was counted.
    changes: u32,
}

impl Polls {
    /// Before the first poll.
    pub fn none(changes: u32) -> Polls {
        Polls { in_row: 0, in_vain: 0, changes }
    }

    /// With the poll that is asked for now, if it fails.
    pub fn again(self, changes: u32) -> Polls {
        Polls { in_row: self.in_row + 1, in_vain: self.in_vain(changes) + 1, changes }
    }

    /// What they may still decide: whether there were any, and how many in vain, beyond `least`.
    pub fn name(self, changes: u32, least: u32) -> (bool, u32) {
        (self.in_row > 0, self.in_vain(changes).saturating_sub(least))
    }

    /// Failed polls since something has happened.
    pub fn in_vain(&self, changes: u32) -> u32 {
        if self.changes == changes { self.in_vain } else { 0 }
    }
}

/// What a rank has polled for without success since the last call that was no poll, and how often.
#[derive(Clone, Debug, Default)]
pub(crate) struct Polled(Vec<(u64, Polls)>);

impl Polled {
    /// Counts a poll for the same thing, which `what` identifies; returns how many there were before it.
    pub fn count(&mut self, what: u64, changes: u32) -> Polls {
        let place = self.0.iter().position(|entry| entry.0 == what).unwrap_or_else(|| {
            self.0.push((what, Polls::none(changes)));
            self.0.len() - 1
        });
        let before = self.0[place].1;
        self.0[place].1 = before.again(changes);
        before
    }

    /// The rank has made progress: a poll that found something, or a call that was none.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// What it has polled for.
    pub fn iter(&self) -> impl Iterator<Item = &(u64, Polls)> {
        self.0.iter()
    }

    /// Whether the rank has made progress since its last poll.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_since_counts() {
        let polls = Polls::none(3).again(3).again(3);
        assert_eq!((polls.in_row, polls.in_vain(3), polls.in_vain(4)), (2, 2, 0));
        let polls = polls.again(4).again(4);
        assert_eq!((polls.in_row, polls.in_vain(4)), (4, 2));
    }
}
