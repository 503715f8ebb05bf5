//! The memory of one rank that belongs to MPI, piece by piece, and who uses which piece for what.
//!
//! A piece is kept under the power of two of its length, and there by its start. So whoever asks which pieces meet some
//! bytes looks, for each of the few lengths, at those that start close enough: the cost does not grow with what is
//! pending, as long as pieces of about one length do not lie on top of each other (columns of a matrix do: beyond
//! [`MOST_RUNS`] blocks a buffer with gaps is one piece).

use std::collections::BTreeMap;
use std::rc::Rc;

use smpi_mpi::buffers::Owned;
use smpi_mpi::p2p::request::RequestKey;

/// A buffer of more blocks than this is one piece, whose gaps are looked at when it is met.
const MOST_RUNS: usize = 64;

/// The power of two of its length, its start, its end, the slot of its request, and its number among that one's.
type Place = (u8, u64, u64, u32, u32);

/// Who uses a piece.
#[derive(Clone, Debug)]
struct Claim {
    request: RequestKey,
    /// The data in it, where it has gaps.
    gaps: Option<Rc<Owned>>,
}

/// Pieces that may overlap.
#[derive(Clone, Debug, Default)]
struct Pieces {
    by_place: BTreeMap<Place, Claim>,
    /// Powers of two that occur.
    powers: u64,
}

impl Pieces {
    fn add(&mut self, place: Place, claim: Claim) {
        self.powers |= 1 << place.0;
        self.by_place.insert(place, claim);
    }

    fn remove(&mut self, place: Place) {
        self.by_place.remove(&place);
        if self.by_place.is_empty() {
            self.powers = 0;
        }
    }

    fn powers(&self) -> impl Iterator<Item = u8> + use<> {
        let powers = self.powers;
        (0..64).filter(move |power| powers >> power & 1 == 1)
    }

    /// Some piece around bytes from `low` up to `high` of which `meets` is true.
    fn find(&self, low: u64, high: u64, meets: impl Fn(&Place, &Claim) -> bool) -> Option<&Claim> {
        for power in self.powers() {
            // A piece is shorter than twice its power.
            let reach = 1u64.checked_shl(u32::from(power) + 1).filter(|&reach| reach > 0).unwrap_or(u64::MAX);
            let mut next = (power, low.saturating_sub(reach), 0, 0, 0);
            while let Some((place, claim)) = self.by_place.range(next..(power, high, 0, 0, 0)).next() {
                if place.2 <= low {
                    // Longer ones with the same start come next, shorter ones are of no interest.
                    next = (power, place.1, low + 1, 0, 0);
                    continue;
                }
                if meets(place, claim) {
                    return Some(claim);
                }
                next = (place.0, place.1, place.2, place.3, place.4 + 1);
            }
        }
        None
    }
}

/// Memory that belongs to MPI.
#[derive(Clone, Debug, Default)]
pub struct Territory {
    received: Pieces,
    sent: Pieces,
    /// The pieces of each request, by its slot; and whether it receives there.
    of: BTreeMap<u32, Vec<(bool, Place)>>,
    /// A range of bytes around all that there was since there was none.
    span: Option<(u64, u64)>,
}

impl Territory {
    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// Memory belongs to MPI because of a request from now on.
    pub fn add(&mut self, request: RequestKey, memory: &[Owned]) {
        let mut places = Vec::new();
        for owned in memory {
            let (low, high) = self.span.unwrap_or((owned.low, owned.high));
            self.span = Some((low.min(owned.low), high.max(owned.high)));
            let pieces = if owned.receives { &mut self.received } else { &mut self.sent };
            let mut add = |low: u64, high: u64, gaps: Option<Rc<Owned>>| {
                let power = (high - low).max(1).ilog2() as u8;
                let place = (power, low, high, request.slot, places.len() as u32);
                pieces.add(place, Claim { request, gaps });
                places.push((owned.receives, place));
            };
            if owned.is_dense() {
                add(owned.low, owned.high, None);
                continue;
            }
            match owned.runs(MOST_RUNS) {
                Some(runs) => runs.into_iter().for_each(|(low, high)| add(low, high, None)),
                None => add(owned.low, owned.high, Some(Rc::new(owned.clone()))),
            }
        }
        if !places.is_empty() {
            self.of.entry(request.slot).or_default().append(&mut places);
        }
    }

    /// Whether some memory belongs to MPI because of this request.
    #[inline]
    pub fn has(&self, request: RequestKey) -> bool {
        self.of.contains_key(&request.slot)
    }

    /// The memory of a request is the program's again.
    pub fn remove(&mut self, request: RequestKey) {
        for (receives, place) in self.of.remove(&request.slot).unwrap_or_default() {
            if receives { &mut self.received } else { &mut self.sent }.remove(place);
        }
        if self.is_empty() {
            self.span = None;
        }
    }

    /// A range of bytes around all of it.
    #[inline]
    pub fn span(&self) -> Option<(u64, u64)> {
        self.span
    }

    /// What an access to bytes touches that it must not: the request, and whether it receives there.
    #[inline]
    pub fn offended(&self, low: u64, high: u64, write: bool) -> Option<(RequestKey, bool)> {
        self.search(write, |pieces| {
            pieces.find(low, high, |_, claim| claim.gaps.as_ref().is_none_or(|gaps| gaps.meets(low, high)))
        })
    }

    /// What an operation must not use, because another one that is under way does.
    pub fn contested(&self, owned: &Owned) -> Option<(RequestKey, bool)> {
        if owned.is_dense() {
            return self.offended(owned.low, owned.high, owned.receives);
        }
        if let Some(runs) = owned.runs(MOST_RUNS) {
            return runs.into_iter().find_map(|(low, high)| self.offended(low, high, owned.receives));
        }
        self.search(owned.receives, |pieces| {
            pieces.find(owned.low, owned.high, |place, claim| match &claim.gaps {
                Some(gaps) => gaps.overlaps(owned),
                None => owned.meets(place.1, place.2),
            })
        })
    }

    /// Looks among what is received into, and for one who writes, among what is sent from.
    fn search<'a>(&'a self, write: bool, find: impl Fn(&'a Pieces) -> Option<&'a Claim>) -> Option<(RequestKey, bool)> {
        let received = find(&self.received).map(|claim| (claim.request, true));
        received.or_else(|| find(&self.sent).filter(|_| write).map(|claim| (claim.request, false)))
    }
}

#[cfg(test)]
mod tests {
    use smpi_base::rng::Rng;
    use smpi_base::table::Table;
    use smpi_mpi::collective::Part;
    use smpi_mpi::datatype::{Basic, Datatype};
    use smpi_mpi::memory::Addr;

    use super::*;

    /// Buffers of all kinds: long and short, dense and with gaps, few blocks and many.
    fn any(rng: &mut Rng) -> Owned {
        let byte = Datatype::basic(Basic::Byte);
        let datatype = match rng.below(4) {
            0 => Datatype::vector(3, 1, 4, &byte).unwrap(),
            1 => Datatype::vector(70, 1, 3, &byte).unwrap(),
            _ => byte,
        };
        let most = [3, 40, 300][rng.below(3)];
        let count = 1 + rng.below(most) as i64;
        let count = if datatype.size() == 1 { count } else { 1 };
        let part = Part { at: Addr(1000 + rng.below(800) as u64), count, datatype };
        Owned::of(&part, rng.below(2) == 0).unwrap()
    }

    #[test]
    fn finds_what_a_list_finds() {
        let mut rng = Rng::new(3);
        for _ in 0..200 {
            let mut requests: Table<()> = Table::default();
            let (mut territory, mut list): (Territory, Vec<(RequestKey, Owned)>) = Default::default();
            for _ in 0..rng.below(30) {
                if rng.below(3) == 0 && !list.is_empty() {
                    let key = list[rng.below(list.len())].0;
                    assert!(territory.has(key));
                    territory.remove(key);
                    list.retain(|(other, _)| *other != key);
                    requests.remove(key);
                    continue;
                }
                let key = requests.insert(()).unwrap();
                let memory: Vec<Owned> = (0..1 + rng.below(2)).map(|_| any(&mut rng)).collect();
                territory.add(key, &memory);
                list.extend(memory.into_iter().map(|owned| (key, owned)));
                let other = any(&mut rng);
                let is_contested = |owned: &Owned| (owned.receives || other.receives) && owned.overlaps(&other);
                let expected = list.iter().any(|(_, owned)| is_contested(owned));
                assert_eq!(territory.contested(&other).is_some(), expected, "{other:?} among {list:?}");
                let (low, write) = (900 + rng.below(1400) as u64, rng.below(2) == 0);
                let high = low + 1 + rng.below(20) as u64;
                let expected = list.iter().any(|(_, owned)| (write || owned.receives) && owned.meets(low, high));
                let found = territory.offended(low, high, write);
                assert_eq!(found.is_some(), expected, "{low} {high} {write} {list:?}");
                let span = territory.span().unwrap();
                assert!(list.iter().all(|(_, owned)| span.0 <= owned.low && owned.high <= span.1));
            }
            list.iter().for_each(|(key, _)| territory.remove(*key));
            assert!(territory.is_empty() && territory.span().is_none());
        }
    }
}
