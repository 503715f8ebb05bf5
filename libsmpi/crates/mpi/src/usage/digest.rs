//! Hashes of memory, to notice that it was changed.

/// A hash of bytes; the same in every run.
pub fn digest(bytes: &[u8]) -> u64 {
    extend_digest(0x9e37_79b9_7f4a_7c15, bytes)
}

/// The hash of what `hash` stands for, followed by more bytes.
pub fn extend_digest(hash: u64, bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x2545_f491_4f6c_dd1d;
    let mut hash = hash;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash.rotate_left(23) ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR);
    }
    (hash ^ bytes.len() as u64).wrapping_mul(FACTOR)
}
