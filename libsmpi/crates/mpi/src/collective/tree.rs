//! The binomial tree over ranks relative to a root: who a rank's parent and children are, and which ranks lie below it.
//!
//! ```text
//! 8 ranks:   0 ─┬─ 4 ─┬─ 6 ─── 7        the ranks below any node are consecutive
//!               │     └─ 5
//!               ├─ 2 ─── 3
//!               └─ 1
//! ```

/// One rank's place in the tree. All numbers are relative: (rank − root) mod size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    relative: u32,
    size: u32,
    /// Power of two: the subtree has at most this many ranks.
    span: u32,
}

impl Node {
    /// The place of `rank` in the tree of `size` ranks with this root.
    pub(super) fn new(rank: u32, root: u32, size: u32) -> Node {
        let relative = if rank >= root { rank - root } else { rank + size - root };
        let span = if relative == 0 { size.next_power_of_two() } else { 1 << relative.trailing_zeros() };
        Node { relative, size, span }
    }

    /// The relative rank above, or `None` for the root.
    pub(super) fn parent(self) -> Option<u32> {
        (self.relative != 0).then(|| self.relative - self.span)
    }

    /// Relative rank.
    pub(super) fn relative(self) -> u32 {
        self.relative
    }

    /// Number of ranks in the subtree, this one included.
    pub(super) fn below(self) -> u32 {
        self.span.min(self.size - self.relative)
    }

    /// Children and the sizes of their subtrees, nearest first.
    pub(super) fn children(self) -> impl DoubleEndedIterator<Item = (u32, u32)> {
        let Node { relative, size, span } = self;
        (0..span.ilog2()).map(|bit| 1 << bit).filter(move |step| relative + step < size).map(move |step: u32| {
            let child = relative + step;
            (child, step.min(size - child))
        })
    }
}

/// The rank with this relative number.
pub(super) fn absolute(relative: u32, root: u32, size: u32) -> u32 {
    ((u64::from(relative) + u64::from(root)) % u64::from(size)) as u32
}
