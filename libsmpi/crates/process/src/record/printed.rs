//! What a rank has printed and not finished, and under the checker all that it has printed.

/// The two streams; the value is the file descriptor.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(i32)]
pub enum Stream {
    Out = 1,
    Err = 2,
}

/// What a rank printed since its last line end, and, under the checker, a hash of all that it printed to standard
/// output, or all of it.
#[derive(Clone, Debug, Default)]
pub struct Printed {
    out: Vec<u8>,
    err: Vec<u8>,
    hash: u64,
    all: Vec<u8>,
}

impl Printed {
    /// What was printed to a stream since the last line end.
    pub fn of(&mut self, stream: Stream) -> &mut Vec<u8> {
        match stream {
            Stream::Out => &mut self.out,
            Stream::Err => &mut self.err,
        }
    }

    /// Notes bytes to be compared, and keeps them if asked to.
    pub fn note(&mut self, bytes: &[u8], keep: bool) {
        // FNV-1a: the hash of all bytes, however they were cut.
        for &byte in bytes {
            self.hash = (self.hash ^ u64::from(byte) ^ 0xcbf2_9ce4_8422_2325).wrapping_mul(0x0100_0000_01b3);
        }
        if keep {
            self.all.extend_from_slice(bytes);
        }
    }

    /// A hash of all that was noted.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// All that was noted and kept.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.all).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_does_not_depend_on_how_output_is_cut() {
        let (mut whole, mut parts, mut other) = (Printed::default(), Printed::default(), Printed::default());
        whole.note(b"one two\n", true);
        parts.note(b"one", true);
        parts.note(b" two\n", true);
        other.note(b"two one\n", false);
        assert_eq!((whole.hash(), whole.text()), (parts.hash(), parts.text()));
        assert_ne!(whole.hash(), other.hash());
        assert_eq!(other.text(), "");
    }
}
