//! Ranks as points of a grid, and how the place of one rank follows from that of another.

/// A grid of ranks: row by row, the first dimension runs fastest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    /// Ranks along each dimension, at least one.
    pub extents: Vec<u32>,
}

/// How the rank of a partner follows from the own one, in grids of any size.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    /// The coordinates in reverse order.
    Transposed,
    /// The other value of one bit of a coordinate, counted from the highest one of the extent: (dimension, bit).
    High(usize, u32),
    /// The same, counted from the lowest bit.
    Low(usize, u32),
    /// So much further along each dimension, around the ends.
    Offset(Vec<i32>),
    /// The same rank for all.
    Fixed(u32),
    /// No rank: what traces have for `MPI_ANY_SOURCE` or `MPI_PROC_NULL`.
    Nobody(i32),
}

/// Which relation is preferred where several are true.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Preference {
    /// Neighbours.
    Offset,
    /// The same rank for all, which no other preference allows, then neighbours.
    Fixed,
    /// Partners of a hypercube, from the farthest to the nearest.
    High,
    /// Partners of a hypercube, from the nearest to the farthest.
    Low,
}

/// Which rank of a smaller grid stands for one of a larger one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// The smaller grid is repeated: all ranks of a dimension do the same, around the ends.
    Repeated,
    /// The first and the last rank of a dimension have a counterpart of their own, those between share the others.
    Bordered,
}

impl Pattern {
    /// What a user is told.
    pub fn in_words(self) -> &'static str {
        match self {
            Pattern::Repeated => "repeated",
            Pattern::Bordered => "with borders",
        }
    }

    /// Whether a dimension of `small` ranks can stand for one of `large`.
    pub fn fits(self, small: u32, large: u32) -> bool {
        match self {
            _ if small == large => true,
            Pattern::Repeated => large.is_multiple_of(small),
            Pattern::Bordered => small >= 3 && large > small,
        }
    }

    fn coordinate(self, at: u32, small: u32, large: u32) -> u32 {
        match self {
            _ if small == large => at,
            Pattern::Repeated => at % small,
            Pattern::Bordered if at == 0 => 0,
            Pattern::Bordered if at + 1 == large => small - 1,
            Pattern::Bordered => 1 + (at - 1) % (small - 2),
        }
    }

    /// The rank of `small` that stands for a rank of `large`.
    pub fn counterpart(self, rank: u32, small: &Grid, large: &Grid) -> u32 {
        let at = large.coordinates(rank);
        let extents = small.extents.iter().zip(&large.extents);
        let at: Vec<u32> = at.into_iter().zip(extents).map(|(at, (&s, &l))| self.coordinate(at, s, l)).collect();
        small.rank(&at)
    }
}

impl Grid {
    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.extents.iter().product()
    }

    /// As users write it: `4x4`.
    pub fn in_words(&self) -> String {
        self.extents.iter().map(u32::to_string).collect::<Vec<String>>().join("x")
    }

    /// Reads `4x4`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Grid, String> {
        let extents: Result<Vec<u32>, _> = text.split('x').map(str::parse::<u32>).collect();
        let wrong = || format!("--grid: \"{text}\", expected numbers of ranks along each dimension, as in 8x8");
        let grid = Grid { extents: extents.map_err(|_| wrong())? };
        let product = grid.extents.iter().try_fold(1u32, |product, &extent| product.checked_mul(extent));
        if grid.extents.len() <= MOST_DIMENSIONS && product.is_some_and(|ranks| ranks > 0) {
            Ok(grid)
        } else {
            Err(wrong())
        }
    }

    /// The coordinates of a rank.
    pub fn coordinates(&self, rank: u32) -> Vec<u32> {
        let mut rest = rank;
        let digit = |&extent: &u32| {
            let at = rest % extent;
            rest /= extent;
            at
        };
        self.extents.iter().map(digit).collect()
    }

    /// The rank with these coordinates.
    pub fn rank(&self, at: &[u32]) -> u32 {
        at.iter().zip(&self.extents).rev().fold(0, |rank, (&at, &extent)| rank * extent + at)
    }

    /// Everything that could explain why `rank` speaks with `peer`, what is preferred first.
    pub fn relations(&self, rank: u32, peer: i32, preference: Preference) -> Vec<Relation> {
        let Ok(peer) = u32::try_from(peer) else { return vec![Relation::Nobody(peer)] };
        let (from, to) = (self.coordinates(rank), self.coordinates(peer));
        let mut found = Vec::new();
        let is_square = self.extents.len() > 1 && self.extents.windows(2).all(|pair| pair[0] == pair[1]);
        if is_square && from.iter().rev().eq(&to) {
            found.push(Relation::Transposed);
        }
        let offsets = || self.offsets(&from, &to).into_iter().map(Relation::Offset);
        let is_cube = matches!(preference, Preference::High | Preference::Low);
        if !is_cube {
            found.extend((preference == Preference::Fixed).then_some(Relation::Fixed(peer)));
            found.extend(offsets());
        }
        let differing: Vec<usize> = (0..from.len()).filter(|&dimension| from[dimension] != to[dimension]).collect();
        if let [dimension] = differing[..]
            && (from[dimension] ^ to[dimension]).is_power_of_two()
            && self.extents[dimension].is_power_of_two()
        {
            let bit = (from[dimension] ^ to[dimension]).trailing_zeros();
            let high = Relation::High(dimension, self.extents[dimension].trailing_zeros() - 1 - bit);
            let low = Relation::Low(dimension, bit);
            found.extend(if preference == Preference::Low { [low, high] } else { [high, low] });
        }
        if is_cube {
            found.extend(offsets());
        }
        found
    }

    /// Distances along each dimension, in both directions around it; the shortest first.
    fn offsets(&self, from: &[u32], to: &[u32]) -> Vec<Vec<i32>> {
        let mut found: Vec<Vec<i32>> = vec![Vec::new()];
        for ((&from, &to), &extent) in from.iter().zip(to).zip(&self.extents) {
            let direct = to as i32 - from as i32;
            let around = if direct > 0 { direct - extent as i32 } else { direct + extent as i32 };
            let ways: &[i32] = if direct == 0 { &[0] } else { &[direct, around] };
            let longer = |known: &Vec<i32>| {
                let longer = |&way: &i32| known.iter().copied().chain([way]).collect::<Vec<i32>>();
                ways.iter().map(longer).collect::<Vec<_>>()
            };
            found = found.iter().flat_map(longer).collect();
        }
        found.sort_by_key(|offset| offset.iter().map(|way| way.unsigned_abs()).sum::<u32>());
        found
    }

    /// Whom a rank speaks with; `None` where the relation has no meaning in this grid.
    pub fn peer(&self, rank: u32, relation: &Relation) -> Option<i32> {
        let mut at = self.coordinates(rank);
        match relation {
            Relation::Transposed => at.reverse(),
            &Relation::High(dimension, bit) => {
                let bits = self.extents[dimension].trailing_zeros();
                at[dimension] ^= 1 << bits.checked_sub(bit + 1)?;
            }
            &Relation::Low(dimension, bit) => {
                at[dimension] ^= 1u32.checked_shl(bit)?;
            }
            Relation::Offset(ways) => {
                for ((at, &way), &extent) in at.iter_mut().zip(ways).zip(&self.extents) {
                    *at = (*at as i32 + way).rem_euclid(extent as i32) as u32;
                }
            }
            &Relation::Fixed(peer) => return (peer < self.ranks()).then_some(peer as i32),
            &Relation::Nobody(nobody) => return Some(nobody),
        }
        let is_inside = at.iter().zip(&self.extents).all(|(at, extent)| at < extent);
        is_inside.then(|| self.rank(&at) as i32)
    }
}

/// Most dimensions of a grid.
pub const MOST_DIMENSIONS: usize = 3;

/// Grids of so many ranks in `dimensions` dimensions that programs choose: extents as equal as they can be, with the
/// larger ones first, and with the larger ones last.
pub fn usual(ranks: u32, dimensions: usize) -> Vec<Grid> {
    let mut extents = vec![1u32; dimensions];
    let mut factors = Vec::new();
    let (mut rest, mut factor) = (ranks, 2);
    while rest > 1 {
        while rest.is_multiple_of(factor) {
            factors.push(factor);
            rest /= factor;
        }
        factor = if factor * factor > rest { rest.max(2) } else { factor + 1 };
    }
    for &factor in factors.iter().rev() {
        if let Some(least) = extents.iter_mut().min() {
            *least *= factor;
        }
    }
    extents.sort_unstable();
    let (ascending, mut descending) = (Grid { extents: extents.clone() }, extents);
    descending.reverse();
    let descending = Grid { extents: descending };
    if ascending == descending { vec![ascending] } else { vec![descending, ascending] }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each relation that explains a pair leads from one to the other.
    #[test]
    fn relations_lead_back_to_the_peer() {
        for extents in [vec![8], vec![4, 4], vec![3, 5], vec![2, 4, 3]] {
            let grid = Grid { extents };
            for (rank, peer) in (0..grid.ranks()).flat_map(|rank| (0..grid.ranks()).map(move |peer| (rank, peer))) {
                for preference in [Preference::Offset, Preference::Fixed, Preference::High, Preference::Low] {
                    for relation in grid.relations(rank, peer as i32, preference) {
                        assert_eq!(
                            grid.peer(rank, &relation),
                            Some(peer as i32),
                            "{grid:?} {rank} {peer} {relation:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn counterparts_keep_neighbours() {
        let (small, large) = (Grid { extents: vec![4, 4] }, Grid { extents: vec![8, 12] });
        for rank in 0..large.ranks() {
            let next = large.peer(rank, &Relation::Offset(vec![1, 0])).unwrap() as u32;
            let repeated = Pattern::Repeated.counterpart(rank, &small, &large);
            let then = small.peer(repeated, &Relation::Offset(vec![1, 0])).unwrap() as u32;
            assert_eq!(Pattern::Repeated.counterpart(next, &small, &large), then);
        }
        let line = |rank| Pattern::Bordered.counterpart(rank, &Grid { extents: vec![4] }, &Grid { extents: vec![7] });
        assert_eq!((0..7).map(line).collect::<Vec<u32>>(), [0, 1, 2, 1, 2, 1, 3]);
    }

    #[test]
    fn usual_grids_are_as_square_as_can_be() {
        assert_eq!(usual(32, 2), [Grid { extents: vec![8, 4] }, Grid { extents: vec![4, 8] }]);
        assert_eq!(usual(64, 3), [Grid { extents: vec![4, 4, 4] }]);
        assert_eq!(usual(1, 1), [Grid { extents: vec![1] }]);
        assert!(Grid::parse("8x0").is_err() && Grid::parse("8x").is_err());
        assert_eq!(Grid::parse("8x4").unwrap().ranks(), 32);
    }
}
