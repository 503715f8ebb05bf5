//! How the bytes of a file are spread over servers, and over the ranks that access it for others: only numbers.

use std::ops::Range;

/// Stripes that go to servers in turn, the first one to the first server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// How many servers, at least 1.
    pub servers: u32,
    /// Bytes of a stripe, at least 1.
    pub stripe_bytes: u64,
}

impl Layout {
    /// Adds to each server's sum how many bytes of a range it has.
    pub fn add(self, range: Range<u64>, sums: &mut [u64]) {
        if range.is_empty() {
            return;
        }
        let (servers, stripe) = (u64::from(self.servers), self.stripe_bytes);
        let (first, last) = (range.start / stripe, (range.end - 1) / stripe);
        if first == last {
            sums[(first % servers) as usize] += range.end - range.start;
            return;
        }
        for (server, sum) in (0..servers).zip(sums) {
            *sum += self.before(range.end, server) - self.before(range.start, server);
        }
    }

    /// How many of the first `end` bytes of a file a server has.
    fn before(self, end: u64, server: u64) -> u64 {
        let (stripe, servers) = (self.stripe_bytes, u64::from(self.servers));
        let stripes = end / stripe;
        let (rounds, rest) = (stripes / servers, stripes % servers);
        let last = match server.cmp(&rest) {
            std::cmp::Ordering::Less => stripe,
            std::cmp::Ordering::Equal => end % stripe,
            std::cmp::Ordering::Greater => 0,
        };
        rounds * stripe + last
    }
}

/// The parts of a file that ranks access for all, each in pieces as large as its buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Domains {
    /// The first byte that somebody wants.
    start: u64,
    /// Bytes of each part, a multiple of the stripe unless there is only one part.
    part_bytes: u64,
    buffer_bytes: u64,
}

impl Domains {
    /// Cuts what is wanted into `count` parts of whole stripes. `count` and the sizes are at least 1.
    pub fn new(wanted: Range<u64>, count: u32, stripe_bytes: u64, buffer_bytes: u64) -> Domains {
        let start = wanted.start - wanted.start % stripe_bytes;
        let part_bytes = (wanted.end - start).div_ceil(u64::from(count)).next_multiple_of(stripe_bytes);
        Domains { start, part_bytes, buffer_bytes }
    }

    /// Cuts a range: reports the number of the part, that of its piece, and the range of bytes.
    pub fn cut(self, range: Range<u64>, report: &mut dyn FnMut(u32, u64, Range<u64>)) {
        let mut at = range.start;
        while at < range.end {
            let (part, within) = ((at - self.start) / self.part_bytes, (at - self.start) % self.part_bytes);
            let piece = within / self.buffer_bytes;
            let left = (self.part_bytes - within).min(self.buffer_bytes - within % self.buffer_bytes);
            let end = range.end.min(at + left);
            report(part as u32, piece, at..end);
            at = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// As when each byte is looked at by itself.
        #[test]
        fn bytes_are_where_their_stripe_is(servers in 1u32..5, stripe_bytes in 1u64..7, start in 0u64..60, len in 0u64..60) {
            let mut sums = vec![0; servers as usize];
            Layout { servers, stripe_bytes }.add(start..start + len, &mut sums);
            let mut expected = vec![0; servers as usize];
            (start..start + len).for_each(|byte| expected[(byte / stripe_bytes % u64::from(servers)) as usize] += 1);
            prop_assert_eq!(sums, expected);
        }

        /// Each byte once, in as many parts as are asked for at most, in pieces no larger than the buffer; only whole
        /// stripes are in one part.
        #[test]
        fn parts_are_whole(start in 0u64..50, len in 1u64..200, count in 1u32..6, stripe in 1u64..9, buffer in 1u64..40) {
            let domains = Domains::new(start..start + len, count, stripe, buffer);
            let mut at = start;
            let mut parts = Vec::new();
            domains.cut(start..start + len, &mut |part, piece, range| {
                assert_eq!(range.start, at);
                assert!(!range.is_empty() && range.end - range.start <= buffer && part < count);
                parts.push((part, piece));
                at = range.end;
            });
            prop_assert_eq!(at, start + len);
            prop_assert!(parts.is_sorted());
            let part_of = |byte: u64| {
                let mut found = 0;
                domains.cut(byte..byte + 1, &mut |part, _, _| found = part);
                found
            };
            for byte in start + 1..start + len {
                prop_assert!(byte % stripe == 0 || part_of(byte) == part_of(byte - 1));
            }
        }
    }
}
