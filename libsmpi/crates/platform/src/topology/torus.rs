//! A torus: a grid whose ends are joined, in any dimension.
//!
//! ```text
//!      ┌───────────────────┐       every host has one link in each dimension, to its neighbour in front;
//!      └─ 0 ── 1 ── 2 ── 3 ┘       the link of the last one leads back to the first
//! ```
//!
//! Host `x + X (y + Y z)` has the coordinates `(x, y, z)`. A message goes along the first dimension until its
//! coordinate is right, then along the second and so on (dimension-order routing), the shorter way round.

use super::{Dice, HOSTS, LINKS, Step, bounded, by};
use crate::model::Direction;

/// A grid whose ends are joined.
#[derive(Clone, Debug, PartialEq)]
pub struct Torus {
    dimensions: Vec<u32>,
    hosts: u32,
}

impl Torus {
    /// A torus of this many hosts in each dimension.
    ///
    /// # Errors
    /// A sentence without a place: no dimension, one of zero, or too many hosts.
    pub fn new(dimensions: &[u32]) -> Result<Torus, String> {
        if dimensions.is_empty() || dimensions.contains(&0) {
            return Err("a torus has at least one dimension, and no dimension is zero".to_owned());
        }
        let hosts = bounded(dimensions.iter().copied(), HOSTS)?;
        bounded([hosts, dimensions.len() as u32], LINKS)?;
        Ok(Torus { dimensions: dimensions.to_vec(), hosts })
    }

    /// Hosts in each dimension.
    pub fn dimensions(&self) -> &[u32] {
        &self.dimensions
    }

    pub(super) fn hosts(&self) -> u32 {
        self.hosts
    }

    /// Its key in platform files, which has the value [`Torus::written`].
    pub(crate) const KEY: &str = "torus";

    pub(super) fn written(&self) -> String {
        format!("{:?}", self.dimensions)
    }

    pub(super) fn words(&self) -> String {
        format!("torus {}", by(&self.dimensions))
    }

    /// Link `host · dimensions + dimension` leads from the host to the next one in the dimension.
    pub(super) fn links(&self, add: &mut dyn FnMut(String, u32) -> Result<(), String>) -> Result<(), String> {
        for host in 0..self.hosts {
            let mut stride = 1;
            for &size in &self.dimensions {
                add(format!("{host}-to-{}", next(host, stride, size)), 1)?;
                stride *= size;
            }
        }
        Ok(())
    }

    /// With `dice`, the order of the dimensions, and the way round where both are equally long, are by chance.
    pub(super) fn walk(&self, src: u32, dst: u32, mut dice: Option<Dice>, step: &mut impl FnMut(Step)) {
        let mut at = src;
        let count = self.dimensions.len();
        let link = |host: u32, dimension: usize| host * count as u32 + dimension as u32;
        let first = dice.as_mut().map_or(0, |dice| dice.below(count as u32) as usize);
        for dimension in (first..count).chain(0..first) {
            let size = self.dimensions[dimension];
            let stride: u32 = self.dimensions[..dimension].iter().product();
            let coordinate = |host: u32| host / stride % size;
            let (from, to) = (coordinate(src), coordinate(dst));
            let forward = match &mut dice {
                Some(dice) if 2 * from.abs_diff(to) == size => dice.below(2) == 0,
                _ => is_forward(from, to, size),
            };
            while coordinate(at) != coordinate(dst) {
                step(Step::Node(at));
                if forward {
                    step(Step::Link(link(at, dimension), Direction::Up));
                    at = next(at, stride, size);
                } else {
                    at = if coordinate(at) == 0 { at + stride * (size - 1) } else { at - stride };
                    step(Step::Link(link(at, dimension), Direction::Down));
                }
            }
        }
        step(Step::Node(dst));
    }
}

/// The neighbour of a host in front of it.
fn next(host: u32, stride: u32, size: u32) -> u32 {
    if host / stride % size == size - 1 { host - stride * (size - 1) } else { host + stride }
}

/// Whether the way forward is chosen: it is not longer than half the round, directly or over the end.
fn is_forward(from: u32, to: u32, size: u32) -> bool {
    let half = size / 2;
    (to > from && to <= from + half) || (from > half && (from + half) % size >= to)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hosts that a message passes.
    fn hosts_on_way(torus: &Torus, src: u32, dst: u32) -> Vec<u32> {
        let mut hosts = Vec::new();
        torus.walk(src, dst, None, &mut |step| hosts.extend(if let Step::Node(n) = step { Some(n) } else { None }));
        hosts
    }

    #[test]
    fn dimension_after_dimension_and_the_shorter_way_round() {
        let torus = Torus::new(&[4, 3]).unwrap();
        assert_eq!(hosts_on_way(&torus, 0, 6), [0, 1, 2, 6]);
        assert_eq!(hosts_on_way(&torus, 0, 3), [0, 3]);
        assert_eq!(hosts_on_way(&torus, 3, 0), [3, 0]);
        assert_eq!(hosts_on_way(&torus, 0, 8), [0, 8]);
        assert_eq!(hosts_on_way(&torus, 5, 5), [5]);
    }

    #[test]
    fn no_way_is_longer_than_half_of_every_round() {
        for dimensions in [&[5, 4, 3][..], &[2, 2, 2, 2], &[1, 7], &[9]] {
            let torus = Torus::new(dimensions).unwrap();
            let most: u32 = dimensions.iter().map(|d| d / 2).sum();
            for src in 0..torus.hosts() {
                for dst in 0..torus.hosts() {
                    let links = |dice: Option<Dice>| {
                        let mut links = 0;
                        torus.walk(src, dst, dice, &mut |step| links += u32::from(matches!(step, Step::Link(..))));
                        links
                    };
                    assert!(links(None) <= most, "{dimensions:?}: {} links from {src} to {dst}", links(None));
                    assert_eq!(links(Some(Dice::new(src, dst))), links(None), "{dimensions:?}: from {src} to {dst}");
                }
            }
        }
    }

    #[test]
    fn senseless_sizes_are_refused() {
        assert!(Torus::new(&[]).is_err());
        assert!(Torus::new(&[3, 0]).is_err());
        assert!(Torus::new(&[100_000, 100_000]).is_err());
    }
}
