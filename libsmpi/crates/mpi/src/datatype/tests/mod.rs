//! Datatypes against a naive twin that lists every basic element.

mod cases;
mod naive;

use std::cell::Cell;

use proptest::prelude::*;
use smpi_base::WorldRank;

use super::*;
use crate::memory::{Addr, Memory};
use naive::{Naive, Recipe, recipes};
use smpi_abi::c::constants::*;

/// Rank memories as vectors that start at address [`Flat::ORIGIN`].
pub(super) struct Flat {
    ranks: Vec<Vec<Cell<u8>>>,
}

impl Flat {
    const ORIGIN: u64 = 1 << 32;

    /// Two ranks with different bytes.
    fn new(size: usize) -> Flat {
        let fill = |seed: usize| (0..size).map(|i| Cell::new((i * 31 + i / 256 * 7 + seed) as u8)).collect();
        Flat { ranks: vec![fill(1), fill(101)] }
    }

    /// The address in the middle of the memory.
    fn middle(&self) -> Addr {
        Addr(Flat::ORIGIN + self.ranks[0].len() as u64 / 2)
    }

    fn index(at: Addr) -> usize {
        (at.0 - Flat::ORIGIN) as usize
    }

    /// What the first rank has there.
    fn held(&self, at: Addr, len: usize) -> Vec<u8> {
        self.bytes(ME, at, len).iter().map(Cell::get).collect()
    }
}

impl Memory for Flat {
    fn bytes(&self, rank: WorldRank, at: Addr, len: usize) -> &[Cell<u8>] {
        assert_ne!(len, 0);
        &self.ranks[rank.index()][Flat::index(at)..][..len]
    }

    fn bytes_to_write(&mut self, rank: WorldRank, at: Addr, len: usize) -> &[Cell<u8>] {
        self.bytes(rank, at, len)
    }
}

const ME: WorldRank = WorldRank(0);
const PEER: WorldRank = WorldRank(1);

/// Distance that the random types never leave.
const REACH: i64 = 1 << 18;

/// The recipe as both twins, unless it is larger than a test should be.
fn twins(recipe: &Recipe) -> Option<(Datatype, Naive)> {
    let twin = recipe.naive().filter(|twin| twin.entries.len() <= 3000)?;
    let inside = |value: i64| value.abs() < REACH / 4;
    let fits = inside(twin.lower()) && inside(twin.upper()) && twin.entries.iter().all(|entry| inside(entry.1));
    fits.then(|| (recipe.datatype(), twin))
}

fn naive_pack(memory: &Flat, twin: &Naive, base: Addr, count: u64) -> Vec<u8> {
    let mut out = Vec::new();
    for (basic, offset) in twin.all(count) {
        memory.append(ME, base.offset(offset), basic.size() as usize, &mut out);
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn extents_follow_the_type_map(recipe in recipes()) {
        let Some((datatype, twin)) = twins(&recipe) else { return Ok(()) };
        prop_assert_eq!(datatype.lb(), twin.lower());
        prop_assert_eq!(datatype.ub(), twin.upper());
        prop_assert_eq!(datatype.true_lb(), twin.data().map_or(0, |data| data.0));
        prop_assert_eq!(datatype.true_extent(), twin.data().map_or(0, |data| data.1 - data.0));
        prop_assert_eq!(datatype.size(), twin.entries.iter().map(|entry| u64::from(entry.0.size())).sum::<u64>());
    }

    #[test]
    fn basic_elements_are_the_naive_ones(recipe in recipes(), count in 0..4_u64, most in 0..40_u64) {
        let Some((datatype, twin)) = twins(&recipe) else { return Ok(()) };
        let mut found = Vec::new();
        datatype.for_each_basic(count, most, &mut |offset, basic| found.push((basic, offset)));
        let expected: Vec<(Basic, i64)> = twin.all(count).take(most as usize).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn packing_is_the_naive_walk(recipe in recipes(), count in 0..4_u64) {
        let Some((datatype, twin)) = twins(&recipe) else { return Ok(()) };
        let memory = Flat::new(REACH as usize * 2);
        let expected = naive_pack(&memory, &twin, memory.middle(), count);
        let mut packed = vec![42];
        datatype.pack(&memory, ME, memory.middle(), count, &mut packed);
        prop_assert_eq!(&packed[1..], &expected[..]);
        if let Some(offset) = datatype.contiguous_offset(count) {
            let place = memory.middle().offset(offset);
            prop_assert!(expected.is_empty() || memory.held(place, expected.len()) == expected);
        }
    }

    #[test]
    fn parts_of_the_packed_stream(recipe in recipes(), count in 1..4_u64, cuts in (0.0..1.0, 0.0..1.0)) {
        let Some((datatype, twin)) = twins(&recipe) else { return Ok(()) };
        let mut memory = Flat::new(REACH as usize * 2);
        let base = memory.middle();
        let expected = naive_pack(&memory, &twin, base, count);
        let cut = |part: f64| (part * expected.len() as f64) as u64;
        let (from, to) = (cut(f64::min(cuts.0, cuts.1)), cut(f64::max(cuts.0, cuts.1)));
        let mut part = vec![0; (to - from) as usize];
        datatype.pack_range(&memory, ME, base, count, from..to, &mut part);
        prop_assert_eq!(&part[..], &expected[from as usize..to as usize]);

        let wanted = memory.ranks[0].clone();
        let places: Vec<i64> = twin.all(count).flat_map(|(basic, at)| at..at + i64::from(basic.size())).collect();
        for (&byte, place) in part.iter().zip(&places[from as usize..to as usize]) {
            wanted[Flat::index(base.offset(*place))].set(!byte);
        }
        let inverted: Vec<u8> = part.iter().map(|byte| !byte).collect();
        datatype.unpack_range(&mut memory, ME, base, count, from..to, &inverted);
        prop_assert!(memory.ranks[0] == wanted);
    }

    #[test]
    fn unpacking_is_the_naive_walk(recipe in recipes(), count in 0..4_u64, spare in 0..20_usize) {
        let Some((datatype, twin)) = twins(&recipe) else { return Ok(()) };
        let mut memory = Flat::new(REACH as usize * 2);
        let base = memory.middle();
        let size = datatype.size() * count;
        let input: Vec<u8> = (0..size as usize + spare).map(|i| (i * 11) as u8).collect();
        let wanted = memory.ranks[0].clone();
        let mut rest = &input[..];
        for (basic, offset) in twin.all(count) {
            let (element, left) = rest.split_at(basic.size() as usize);
            let place = &wanted[Flat::index(base.offset(offset))..];
            place.iter().zip(element).for_each(|(cell, byte)| cell.set(*byte));
            rest = left;
        }
        prop_assert_eq!(datatype.unpack(&mut memory, ME, base, count, &input), size);
        prop_assert!(memory.ranks[0] == wanted);
    }

    #[test]
    fn direct_copies_equal_pack_and_unpack(one in recipes(), two in recipes(), counts in (1..4_u64, 1..4_u64)) {
        let (Some((source, _)), Some((target, _))) = (twins(&one), twins(&two)) else { return Ok(()) };
        let mut memory = Flat::new(REACH as usize * 2);
        let mut twin = Flat::new(REACH as usize * 2);
        let base = memory.middle();
        let mut packed = Vec::new();
        source.pack(&twin, ME, base, counts.0, &mut packed);
        let expected = target.unpack(&mut twin, PEER, base, counts.1, &packed);
        let from = Place { rank: ME, base, count: counts.0, datatype: &source };
        let to = Place { rank: PEER, base, count: counts.1, datatype: &target };
        prop_assert_eq!(copy_typed(&mut memory, from, to), expected);
        prop_assert!(memory.ranks == twin.ranks);
    }

    #[test]
    fn signatures_are_the_sequence_of_basic_types(one in recipes(), two in recipes(), counts in (0..5_u64, 0..5_u64)) {
        let (Some((a, x)), Some((b, y))) = (twins(&one), twins(&two)) else { return Ok(()) };
        let (long, short): (Vec<Basic>, Vec<Basic>) =
            (x.all(counts.0).map(|e| e.0).collect(), y.all(counts.1).map(|e| e.0).collect());
        prop_assert_eq!(a.signature().elements() * counts.0, long.len() as u64);
        let packed = [&a, &b].iter().any(|side| side.signature().uniform() == Some(Basic::Packed));
        let fits = packed || short.starts_with(&long);
        prop_assert_eq!(a.signature().starts(counts.0, b.signature(), counts.1), fits);
        let prefix = counts.0 == 0 || a.signature().starts(counts.0 - 1, a.signature(), counts.0);
        prop_assert!(prefix);
        prop_assert_eq!(a.signature() == b.signature(), x.basics() == y.basics());
        let mut ends = vec![0];
        ends.extend(long.iter().scan(0, |sum, basic| { *sum += u64::from(basic.size()); Some(*sum) }));
        for bytes in 0..ends[long.len()].min(200) {
            let elements = ends.partition_point(|&end| end <= bytes) - 1;
            prop_assert_eq!(a.signature().elements_in(bytes), (elements as u64, bytes - ends[elements]));
            prop_assert_eq!(a.signature().bytes_of(elements as u64), ends[elements]);
        }
    }

    #[test]
    fn external32_brings_back_what_it_took(recipe in recipes(), count in 1..3_u64) {
        let Some((datatype, _)) = twins(&recipe) else { return Ok(()) };
        let mut memory = Flat::new(REACH as usize * 2);
        let base = memory.middle();
        // Zero is the value that fits every type.
        let values = vec![0; (datatype.size() * count) as usize];
        datatype.unpack(&mut memory, ME, base, count, &values);
        let mut external = Vec::new();
        datatype.pack_external32(&memory, ME, base, count, &mut external).unwrap();
        prop_assert_eq!(external.len() as u64, datatype.external32_size(count).unwrap());
        prop_assert_eq!(datatype.unpack_external32(&mut memory, ME, base, count, &external), external.len() as u64);
        let mut packed = Vec::new();
        datatype.pack(&memory, ME, base, count, &mut packed);
        prop_assert_eq!(packed, values);
    }
}
