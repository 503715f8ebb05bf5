//! A list that only grows, and of which copies cost nothing: each shares what was there before.

use std::fmt;
use std::rc::Rc;

/// A list. Entries are appended and never changed.
pub struct Log<T> {
    last: Option<Rc<Link<T>>>,
    len: u32,
}

struct Link<T> {
    entry: T,
    before: Option<Rc<Link<T>>>,
}

impl<T> Log<T> {
    /// How many entries there are.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// True without entries.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends an entry.
    pub fn push(&mut self, entry: T) {
        let before = self.last.take();
        self.last = Some(Rc::new(Link { entry, before }));
        self.len += 1;
    }

    /// The entries, the oldest first.
    pub fn all(&self) -> Vec<&T> {
        let mut all = Vec::with_capacity(self.len as usize);
        let mut next = self.last.as_deref();
        while let Some(link) = next {
            all.push(&link.entry);
            next = link.before.as_deref();
        }
        all.reverse();
        all
    }
}

impl<T> Default for Log<T> {
    fn default() -> Log<T> {
        Log { last: None, len: 0 }
    }
}

impl<T> Clone for Log<T> {
    fn clone(&self) -> Log<T> {
        Log { last: self.last.clone(), len: self.len }
    }
}

/// Link by link: a long list would need a deep stack otherwise.
impl<T> Drop for Log<T> {
    fn drop(&mut self) {
        let mut next = self.last.take();
        while let Some(mut link) = next.and_then(|link| Rc::try_unwrap(link).ok()) {
            next = link.before.take();
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Log<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_go_on_by_themselves() {
        let mut log = Log::default();
        (0..300_000).for_each(|entry| log.push(entry));
        let mut copy = log.clone();
        copy.push(7);
        log.push(8);
        assert_eq!((copy.len(), copy.all().last().copied(), log.all().last().copied()), (300_001, Some(&7), Some(&8)));
        drop(log);
        assert_eq!(copy.all()[299_999], &299_999);
    }
}
