//! What flows between pairs of hosts ask of the network, kept for the pairs that talk to each other again and again:
//! finding a way costs more than looking one up.
//!
//! A table with one place for each hash of a pair; who comes later takes the place. So it never grows, and what is
//! answered never depends on it. It is only for networks in which nothing changes.

use smpi_base::HostId;

/// What a flow asks of the solver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    pub latency_secs: f64,
    pub penalty: f64,
    pub bound: f64,
}

/// Places: those that 64 ranks need who all talk to all. A power of two.
const PLACES: usize = 4096;

/// Resources of a pair. Those that cross more are not kept.
const USES: usize = 6;

/// A pair of hosts, and the resources that its flows use: one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Pair {
    src: HostId,
    dst: HostId,
    demand: Demand,
    resources: [u32; USES],
    /// Of each resource the index of what is consumed of it, in [`Pairs::amounts`].
    amounts: [u8; USES],
    count: u8,
}

const _: () = assert!(size_of::<Pair>() == 64);

/// The pairs that were met last.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    /// The pair of each place, or [`NOWHERE`]. Invariant: below `kept.len()`.
    places: Vec<u16>,
    /// As many as there are different places in use.
    kept: Vec<Pair>,
    /// All amounts that pairs consume of resources: there are few different ones.
    amounts: Vec<f64>,
}

/// In [`Pairs::places`]: no pair.
const NOWHERE: u16 = u16::MAX;

fn place_of(src: HostId, dst: HostId) -> usize {
    let pair = u64::from(src.0) << 32 | u64::from(dst.0);
    // Fibonacci hashing: 2⁶⁴ divided by the golden ratio.
    (pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - PLACES.trailing_zeros())) as usize
}

impl Pairs {
    /// What is known of a pair; puts what its flows use into the list.
    pub fn find(&self, src: HostId, dst: HostId, uses: &mut Vec<(u32, f64)>) -> Option<Demand> {
        let index = *self.places.get(place_of(src, dst))?;
        let pair = self.kept.get(usize::from(index)).filter(|pair| (pair.src, pair.dst) == (src, dst))?;
        let both = pair.resources.iter().zip(&pair.amounts).take(usize::from(pair.count));
        uses.clear();
        uses.extend(both.map(|(resource, amount)| (*resource, self.amounts[usize::from(*amount)])));
        Some(pair.demand)
    }

    /// Keeps a pair, unless it crosses too much.
    pub fn keep(&mut self, src: HostId, dst: HostId, demand: Demand, uses: &[(u32, f64)]) {
        if uses.len() > USES {
            return;
        }
        let mut pair = Pair { src, dst, demand, count: uses.len() as u8, resources: [0; USES], amounts: [0; USES] };
        for (place, &(resource, amount)) in uses.iter().enumerate() {
            let Some(index) = self.index_of(amount) else { return };
            (pair.resources[place], pair.amounts[place]) = (resource, index);
        }
        if self.places.is_empty() {
            self.places.resize(PLACES, NOWHERE);
        }
        let place = &mut self.places[place_of(src, dst)];
        match self.kept.get_mut(usize::from(*place)) {
            Some(older) => *older = pair,
            None => {
                *place = self.kept.len() as u16;
                self.kept.push(pair);
            }
        }
    }

    /// The index of an amount; `None` when there are too many different ones.
    fn index_of(&mut self, amount: f64) -> Option<u8> {
        let known = self.amounts.iter().position(|known| *known == amount);
        let index = known.unwrap_or(self.amounts.len());
        if known.is_none() && index <= usize::from(u8::MAX) {
            self.amounts.push(amount);
        }
        u8::try_from(index).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demand(number: u32) -> Demand {
        Demand { latency_secs: f64::from(number), penalty: 1.0, bound: 2.0 }
    }

    #[test]
    fn a_pair_is_found_as_it_was_kept_or_not_at_all() {
        let mut pairs = Pairs::default();
        let mut found = 0;
        for round in 0..2 {
            for number in 0..3 * PLACES as u32 {
                let (src, dst) = (HostId(number / 100), HostId(number % 100));
                let mut uses = vec![(7, 7.0)];
                if let Some(known) = pairs.find(src, dst, &mut uses) {
                    assert_eq!(
                        (known.latency_secs, uses),
                        (f64::from(number), vec![(number, 1.0), (number + 1, 0.05)])
                    );
                    found += 1;
                } else {
                    assert_eq!(uses, [(7, 7.0)]);
                }
                pairs.keep(src, dst, demand(number), &[(number, 1.0), (number + 1, 0.05)]);
                assert_eq!(pairs.find(src, dst, &mut Vec::new()).map(|d| d.latency_secs), Some(f64::from(number)));
            }
            assert!(round == 1 || found == 0);
            assert!(pairs.kept.len() <= PLACES);
        }
    }

    #[test]
    fn with_too_many_amounts_a_pair_is_not_kept() {
        let mut pairs = Pairs::default();
        for number in 0..300 {
            let uses = [(number, f64::from(number))];
            pairs.keep(HostId(0), HostId(number), demand(number), &uses);
            let mut found = Vec::new();
            let is_kept = pairs.find(HostId(0), HostId(number), &mut found).is_some();
            assert_eq!((is_kept, found), (number < 256, uses.into_iter().filter(|_| number < 256).collect()));
        }
    }

    #[test]
    fn a_long_way_is_not_kept() {
        let mut pairs = Pairs::default();
        pairs.keep(HostId(0), HostId(1), demand(1), &[(0, 1.0); USES + 1]);
        assert!(pairs.find(HostId(0), HostId(1), &mut Vec::new()).is_none());
        pairs.keep(HostId(0), HostId(1), demand(1), &[(0, 1.0); USES]);
        assert!(pairs.find(HostId(0), HostId(1), &mut Vec::new()).is_some());
    }
}
