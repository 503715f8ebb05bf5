//! A list that only grows. Its copies share their common part, so the cost of a copy does not depend on the length.
//!
//! Each snapshot contains the events of its execution so far. An execution has up to one snapshot per choice, so with
//! full copies, memory would grow with the square of the number of choices.

use std::fmt;
use std::sync::Arc;

/// The list, walked from the newest item to the oldest.
pub(crate) struct SharedList<T> {
    newest: Option<Arc<Node<T>>>,
}

struct Node<T> {
    item: T,
    older: SharedList<T>,
}

impl<T> SharedList<T> {
    /// Adds an item.
    pub fn push(&mut self, item: T) {
        let older = SharedList { newest: self.newest.take() };
        self.newest = Some(Arc::new(Node { item, older }));
    }

    /// From the newest to the oldest.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let nodes = std::iter::successors(self.newest.as_deref(), |node| node.older.newest.as_deref());
        nodes.map(|node| &node.item)
    }
}

impl<T> Default for SharedList<T> {
    fn default() -> Self {
        SharedList { newest: None }
    }
}

impl<T> Clone for SharedList<T> {
    fn clone(&self) -> Self {
        SharedList { newest: self.newest.clone() }
    }
}

impl<T: fmt::Debug> fmt::Debug for SharedList<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T> Drop for SharedList<T> {
    /// In a loop: a million nodes that drop each other need too deep a stack.
    fn drop(&mut self) {
        let mut next = self.newest.take();
        while let Some(mut node) = next.and_then(Arc::into_inner) {
            next = node.older.newest.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_go_their_own_ways() {
        let mut first = SharedList::default();
        first.push(1);
        first.push(2);
        let mut second = first.clone();
        first.push(3);
        second.push(4);
        second.push(5);
        assert_eq!(first.iter().copied().collect::<Vec<_>>(), [3, 2, 1]);
        assert_eq!(second.iter().copied().collect::<Vec<_>>(), [5, 4, 2, 1]);
        drop(first);
        assert_eq!(format!("{second:?}"), "[5, 4, 2, 1]");
    }

    #[test]
    fn a_long_list_is_dropped() {
        let mut list = SharedList::default();
        (0..1_000_000).for_each(|number| list.push(number));
        assert_eq!(list.iter().count(), 1_000_000);
    }
}
