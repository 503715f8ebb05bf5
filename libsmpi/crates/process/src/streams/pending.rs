//! The output of one instant, in the order in which it came, to be written in the order of the ranks.

use crate::record::Stream;

/// A piece of the instant's output.
struct Piece {
    rank: u32,
    stream: Stream,
    start: usize,
    end: usize,
}

/// Output of the current instant.
#[derive(Default)]
pub struct Pending {
    pieces: Vec<Piece>,
    bytes: Vec<u8>,
}

impl Pending {
    /// No output.
    pub const EMPTY: Pending = Pending { pieces: Vec::new(), bytes: Vec::new() };

    /// Adds what a rank printed.
    pub fn add(&mut self, rank: u32, stream: Stream, parts: [&[u8]; 2]) {
        let start = self.bytes.len();
        parts.iter().for_each(|part| self.bytes.extend_from_slice(part));
        let end = self.bytes.len();
        match self.pieces.last_mut() {
            Some(last) if last.rank == rank && last.stream == stream && last.end == start => last.end = end,
            _ if start == end => {}
            _ => self.pieces.push(Piece { rank, stream, start, end }),
        }
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Bytes that wait.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Writes everything in rank order, as few pieces as the streams allow.
    pub fn emit(&mut self, mut write: impl FnMut(Stream, &[u8])) {
        if !self.pieces.is_sorted_by_key(|piece| piece.rank) {
            self.pieces.sort_by_key(|piece| piece.rank);
        }
        let mut joined: Vec<u8> = Vec::new();
        let mut at = 0;
        while at < self.pieces.len() {
            let stream = self.pieces[at].stream;
            let run = self.pieces[at..].iter().take_while(|piece| piece.stream == stream).count();
            let run = &self.pieces[at..at + run];
            at += run.len();
            if run.windows(2).all(|pair| pair[0].end == pair[1].start) {
                write(stream, &self.bytes[run[0].start..run[run.len() - 1].end]);
            } else {
                joined.clear();
                run.iter().for_each(|piece| joined.extend_from_slice(&self.bytes[piece.start..piece.end]));
                write(stream, &joined);
            }
        }
        self.clear();
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.pieces.clear();
        self.bytes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Stream::{Err, Out};

    fn emitted(pending: &mut Pending) -> Vec<(Stream, String)> {
        let mut all = Vec::new();
        pending.emit(|stream, bytes| all.push((stream, String::from_utf8_lossy(bytes).into_owned())));
        assert!(pending.is_empty() && pending.size() == 0);
        all
    }

    #[test]
    fn ranks_come_in_order_and_keep_theirs() {
        let mut pending = Pending::EMPTY;
        pending.add(2, Out, [b"c", b"\n"]);
        pending.add(0, Out, [b"", b"a\n"]);
        pending.add(2, Out, [b"", b"d\n"]);
        pending.add(1, Out, [b"b", b"\n"]);
        assert_eq!(emitted(&mut pending), [(Out, "a\nb\nc\nd\n".to_string())]);
    }

    #[test]
    fn the_two_streams_keep_their_order_within_a_rank() {
        let mut pending = Pending::EMPTY;
        pending.add(1, Err, [b"", b"x\n"]);
        pending.add(0, Out, [b"", b"1\n"]);
        pending.add(0, Err, [b"", b"2\n"]);
        pending.add(0, Out, [b"", b"3\n"]);
        let expected = [(Out, "1\n"), (Err, "2\n"), (Out, "3\n"), (Err, "x\n")];
        assert_eq!(emitted(&mut pending), expected.map(|(stream, text)| (stream, text.to_string())));
    }

    #[test]
    fn nothing_printed_is_nothing_written() {
        let mut pending = Pending::EMPTY;
        pending.add(3, Out, [b"", b""]);
        assert!(pending.is_empty());
        assert!(emitted(&mut pending).is_empty());
    }
}
