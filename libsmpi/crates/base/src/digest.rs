//! Digests: 128 bits by which values are recognised that are too large to be kept.
//!
//! Two of n different values have the same digest with a probability of about n²/2¹²⁹ (XXH3 with 128 bits; Collet,
//! "xxHash fast digest algorithm"): 10⁻²³ for a hundred million of them. Digests of values mean something within one
//! process only; those of bytes do everywhere.

use std::fmt::{self, Debug, Write};
use std::hash::{Hash, Hasher};

use xxhash_rust::xxh3::xxh3_128;

/// Why something has no name that is the same whatever led to it, in words that follow "because".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Unnamed(pub &'static str);

/// Whether a name could be given.
pub type Named<T = ()> = Result<T, Unnamed>;

/// Takes values by their [`Hash`], one after the other.
///
/// What is short is gathered, and hashed as a whole in the end: a hash that is fast for much takes long to be told
/// little by little.
#[derive(Clone, Default)]
pub struct Digest(Vec<u8>);

/// Of bytes from this length on, only the digest is gathered.
const LONG: usize = 512;

impl Digest {
    /// Nothing taken yet.
    pub fn new() -> Digest {
        Digest(Vec::with_capacity(LONG))
    }

    /// The digest of one value.
    pub fn of(value: &(impl Hash + ?Sized)) -> u128 {
        let mut digest = Digest::new();
        value.hash(&mut digest);
        digest.bits()
    }

    /// The digest of bytes alone, which means the same in every process and on every machine.
    pub fn of_bytes(bytes: &[u8]) -> u128 {
        xxh3_128(bytes)
    }

    /// Takes a value.
    pub fn add(&mut self, value: impl Hash) {
        value.hash(self);
    }

    /// Takes several values whose order is of no meaning.
    pub fn add_unordered<T: Hash>(&mut self, values: impl Iterator<Item = T>) {
        let sum = values.fold((0_u64, 0_u128), |(count, sum), value| (count + 1, sum.wrapping_add(Digest::of(&value))));
        self.add(sum);
    }

    /// Takes all that a value says of itself to developers, which is all of its fields.
    pub fn add_told(&mut self, value: &(impl Debug + ?Sized)) {
        struct Told<'a>(&'a mut Digest);
        impl Write for Told<'_> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                self.0.write(text.as_bytes());
                Ok(())
            }
        }
        // A digest takes all that it is given.
        let _ = write!(Told(self), "{value:?}");
    }

    /// The digest of what was taken so far.
    pub fn bits(&self) -> u128 {
        xxh3_128(&self.0)
    }
}

impl Hasher for Digest {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        match bytes.len() {
            0..LONG => self.0.extend_from_slice(bytes),
            _ => self.0.extend_from_slice(&xxh3_128(bytes).to_ne_bytes()),
        }
    }

    fn finish(&self) -> u64 {
        self.bits() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unordered(values: &[u32]) -> u128 {
        let mut digest = Digest::new();
        digest.add_unordered(values.iter());
        digest.bits()
    }

    #[test]
    fn order_counts_unless_it_is_said_not_to() {
        assert_ne!(Digest::of(&[1, 2]), Digest::of(&[2, 1]));
        assert_ne!(Digest::of(&(1, "a")), Digest::of(&(1, "b")));
        assert_eq!(Digest::of("a"), Digest::of(&String::from("a")));
        assert_eq!(unordered(&[1, 2, 3]), unordered(&[3, 1, 2]));
        assert_ne!(unordered(&[1, 2, 3]), unordered(&[1, 2, 4]));
        let told = |value: &dyn Debug| {
            let mut digest = Digest::new();
            digest.add_told(value);
            digest.bits()
        };
        assert_eq!(told(&vec![1, 2]), told(&[1, 2]));
        assert_ne!(told(&Some(1)), told(&Some(2)));
        // How often a value is there counts, too.
        assert_ne!(unordered(&[1, 1, 2]), unordered(&[1, 2]));
        assert_ne!(unordered(&[]), unordered(&[0]));
    }
}
