//! What processes that explore together tell each other, on a stream between two processes of one machine: whom it is
//! for or from, what kind of thing it is, and bytes.
//!
//! ```text
//!   length of the bytes (8) │ process (4) │ kind (1) │ bytes        numbers are little-endian
//! ```

use std::io::{ErrorKind, Read};

/// Bytes before those of a frame.
const HEAD: usize = 13;

/// Bytes that are read at once.
const MOST: usize = 1 << 16;

/// What is told. All of it goes between process 0 and one of the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// To process 0: an explorer is ready; its machine and its program.
    Ready,
    /// From process 0: a task.
    Task,
    /// To process 0: what came of a task.
    Answer,
    /// From process 0: what is being done is of no use any more.
    Cancel,
    /// To process 0: the worker of a task has ended without an answer.
    Failed,
    /// To the explorer of process 0: nothing is heard of this process any more, or its explorer has ended; why.
    Gone,
    /// To the explorer of process 0: it is heard of again.
    Back,
    /// A process is alive.
    Alive,
    /// From process 0: it is over. To process 0: the last of a process that was told so.
    Over,
}

impl Kind {
    /// All of them, by their numbers.
    pub const ALL: [Kind; 9] = [
        Kind::Ready,
        Kind::Task,
        Kind::Answer,
        Kind::Cancel,
        Kind::Failed,
        Kind::Gone,
        Kind::Back,
        Kind::Alive,
        Kind::Over,
    ];
}

/// Something that is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Whom it is for, or who has sent it.
    pub process: u32,
    /// What it is.
    pub kind: Kind,
    /// The rest depends on that.
    pub bytes: Vec<u8>,
}

impl Frame {
    /// Appends it to what is to be written.
    pub fn write(&self, into: &mut Vec<u8>) {
        into.extend((self.bytes.len() as u64).to_le_bytes());
        into.extend(self.process.to_le_bytes());
        into.push(self.kind as u8);
        into.extend(&self.bytes);
    }
}

/// What was read of a stream and is no whole frame yet.
#[derive(Default, Debug)]
pub struct Unread(Vec<u8>);

impl Unread {
    /// Reads all that there is of a stream that does not let anybody wait; true once its other end is gone.
    pub fn read(&mut self, stream: &mut impl Read) -> bool {
        let mut bytes = vec![0; MOST];
        loop {
            match stream.read(&mut bytes) {
                Ok(0) => return true,
                Ok(len) => self.add(&bytes[..len]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return error.kind() != ErrorKind::WouldBlock,
            }
        }
    }

    /// All frames that are whole.
    pub fn frames(&mut self) -> Vec<Frame> {
        std::iter::from_fn(|| self.frame()).collect()
    }

    /// More was read.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }

    /// The next frame, once it is whole. Those of a kind that there is not are left out.
    pub fn frame(&mut self) -> Option<Frame> {
        loop {
            let (head, rest) = self.0.split_at_checked(HEAD)?;
            let len = u64::from_le_bytes(head[..8].try_into().unwrap_or_default()) as usize;
            let bytes = rest.get(..len)?.to_vec();
            let process = u32::from_le_bytes(head[8..12].try_into().unwrap_or_default());
            let kind = Kind::ALL.get(usize::from(head[12])).copied();
            self.0.drain(..HEAD + len);
            if let Some(kind) = kind {
                return Some(Frame { process, kind, bytes });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_arrive_whole_however_the_stream_is_cut() {
        let frames: Vec<Frame> = Kind::ALL
            .iter()
            .enumerate()
            .map(|(index, &kind)| Frame { process: index as u32 * 7, kind, bytes: vec![index as u8; index * 100] })
            .collect();
        let mut stream = Vec::new();
        frames.iter().for_each(|frame| frame.write(&mut stream));
        for size in [1, 5, 13, 14, 1000] {
            let (mut unread, mut found) = (Unread::default(), Vec::new());
            for part in stream.chunks(size) {
                unread.add(part);
                while let Some(frame) = unread.frame() {
                    found.push(frame);
                }
            }
            assert_eq!(found, frames);
        }
        let mut unread = Unread::default();
        unread.add(&[0; 12]);
        assert_eq!(unread.frame(), None);
        unread.add(&[99]);
        unread.add(&stream);
        assert_eq!(unread.frame().as_ref(), frames.first());
    }
}
