//! Cartesian grids: ranks are numbered in row-major order (MPI 5.0 §8.5.1, §8.5.5).

use crate::error::{ErrorClass, MpiError, Result};

/// One dimension of a grid.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dim {
    /// Ranks along it, at least 1.
    pub size: u32,
    /// The last is a neighbour of the first.
    pub periodic: bool,
}

/// A grid; without dimensions it has one rank.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cart {
    dims: Vec<Dim>,
}

/// Where `MPI_Cart_sub` puts a rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slice {
    /// Number of the subgrid, counted along the dimensions that are dropped.
    pub number: u32,
    /// Rank in it, counted along those that are kept.
    pub rank: u32,
}

impl Cart {
    /// A grid. `position` is that of the parameter `dims` in the C call.
    ///
    /// # Errors
    /// `MPI_ERR_DIMS` for a dimension below 1, or for a grid of more ranks than an `int` can count.
    pub fn new(dims: impl IntoIterator<Item = (i32, bool)>) -> Result<Cart> {
        let wrong = |place, found: &dyn std::fmt::Display, allowed| {
            Err(MpiError::parameter(ErrorClass::DIMS, &format!("dims[{place}]"), found, allowed))
        };
        let mut checked = Vec::new();
        let mut nodes = 1i32;
        for (place, (size, periodic)) in dims.into_iter().enumerate() {
            if size < 1 {
                return wrong(place, &size, "1 or more");
            }
            let Some(product) = nodes.checked_mul(size) else {
                return wrong(place, &size, "a grid with fewer than 2^31 ranks");
            };
            nodes = product;
            checked.push(Dim { size: size as u32, periodic });
        }
        Ok(Cart { dims: checked })
    }

    /// The dimensions.
    pub fn dims(&self) -> &[Dim] {
        &self.dims
    }

    /// Ranks in the grid.
    pub fn nodes(&self) -> u32 {
        self.dims.iter().map(|dim| dim.size).product()
    }

    /// The coordinates of a rank of the grid.
    pub fn coords(&self, rank: u32) -> Vec<i32> {
        let mut rest = rank;
        let mut coords = vec![0; self.dims.len()];
        for (coord, dim) in coords.iter_mut().zip(&self.dims).rev() {
            *coord = (rest % dim.size) as i32;
            rest /= dim.size;
        }
        coords
    }

    /// The rank at `coords`, one for each dimension; those of periodic dimensions go round.
    ///
    /// # Errors
    /// `MPI_ERR_ARG` beyond the border of a dimension that is not periodic.
    pub fn rank_of(&self, coords: &[i32]) -> Result<u32> {
        let mut rank = 0;
        for (place, (dim, &coord)) in self.dims.iter().zip(coords).enumerate() {
            let Some(inside) = dim.at(i64::from(coord)) else {
                let allowed = format!("0 to {}: the dimension is not periodic", dim.size - 1);
                return Err(MpiError::parameter(ErrorClass::ARG, &format!("coords[{place}]"), coord, &allowed));
            };
            rank = rank * dim.size + inside;
        }
        Ok(rank)
    }

    /// The rank `steps` further along a dimension; `None` beyond the border.
    fn moved(&self, rank: u32, direction: usize, steps: i64) -> Option<u32> {
        let stride: u32 = self.dims[direction + 1..].iter().map(|dim| dim.size).product();
        let dim = self.dims[direction];
        let here = rank / stride % dim.size;
        let there = dim.at(i64::from(here) + steps)?;
        Some(rank - here * stride + there * stride)
    }

    /// Source and destination of a shift by `steps` along a dimension of the grid.
    pub fn shift(&self, rank: u32, direction: usize, steps: i32) -> (Option<u32>, Option<u32>) {
        let steps = i64::from(steps);
        (self.moved(rank, direction, -steps), self.moved(rank, direction, steps))
    }

    /// For each dimension the neighbours in negative and in positive direction, as they follow each other in buffers
    /// (MPI 5.0 §8.6).
    pub fn neighbours(&self, rank: u32) -> Vec<Option<u32>> {
        (0..self.dims.len()).flat_map(|direction| [-1, 1].map(|steps| self.moved(rank, direction, steps))).collect()
    }

    /// The subgrid of the dimensions that are to remain, and where in which of them a rank is.
    pub fn sub(&self, rank: u32, remain: &[bool]) -> (Cart, Slice) {
        let mut slice = Slice { number: 0, rank: 0 };
        let mut dims = Vec::new();
        for ((dim, coord), &remain) in self.dims.iter().zip(self.coords(rank)).zip(remain) {
            let place = if remain { &mut slice.rank } else { &mut slice.number };
            *place = *place * dim.size + coord as u32;
            if remain {
                dims.push(*dim);
            }
        }
        (Cart { dims }, slice)
    }
}

impl Dim {
    /// The coordinate inside of the grid; `None` beyond its border.
    fn at(self, coord: i64) -> Option<u32> {
        let size = i64::from(self.size);
        if self.periodic {
            return Some(coord.rem_euclid(size) as u32);
        }
        (0..size).contains(&coord).then_some(coord as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn grid(dims: &[(i32, bool)]) -> Cart {
        Cart::new(dims.iter().copied()).unwrap()
    }

    #[test]
    fn the_last_coordinate_changes_first() {
        let cart = grid(&[(2, false), (3, true)]);
        let all: Vec<Vec<i32>> = (0..6).map(|rank| cart.coords(rank)).collect();
        assert_eq!(all, [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]);
        assert_eq!(cart.rank_of(&[1, -1]).unwrap(), 5);
        assert_eq!(cart.rank_of(&[2, 0]).unwrap_err().class, ErrorClass::ARG);
    }

    #[test]
    fn neighbours_of_a_corner() {
        let cart = grid(&[(2, false), (3, true)]);
        assert_eq!(cart.neighbours(0), [None, Some(3), Some(2), Some(1)]);
        assert_eq!(cart.shift(0, 0, 1), (None, Some(3)));
        assert_eq!(cart.shift(0, 1, -4), (Some(1), Some(2)));
        assert_eq!(cart.shift(4, 1, i32::MIN), (Some(3), Some(5)));
    }

    #[test]
    fn no_dimensions_are_one_rank() {
        let cart = grid(&[]);
        assert_eq!((cart.nodes(), cart.coords(0), cart.rank_of(&[]).unwrap()), (1, Vec::new(), 0));
        assert!(cart.neighbours(0).is_empty());
    }

    #[test]
    fn dimensions_are_checked() {
        for dims in [vec![(0, false)], vec![(3, true), (-2, true)], vec![(1 << 16, true), (1 << 15, true)]] {
            assert_eq!(Cart::new(dims).unwrap_err().class, ErrorClass::DIMS);
        }
    }

    prop_compose! {
        fn grids()(dims in prop::collection::vec((1..5i32, any::<bool>()), 0..5)) -> Cart { grid(&dims) }
    }

    proptest! {
        #[test]
        fn coordinates_and_ranks_are_inverse(cart in grids()) {
            for rank in 0..cart.nodes() {
                prop_assert_eq!(cart.rank_of(&cart.coords(rank)).unwrap(), rank);
            }
        }

        #[test]
        fn shifts_are_what_coordinates_say(cart in grids(), steps in -12..12i32) {
            for (rank, direction) in (0..cart.nodes()).flat_map(|rank| (0..cart.dims().len()).map(move |d| (rank, d))) {
                let moved = |steps: i32| {
                    let mut coords = cart.coords(rank);
                    coords[direction] += steps;
                    cart.rank_of(&coords).ok()
                };
                prop_assert_eq!(cart.shift(rank, direction, steps), (moved(-steps), moved(steps)));
            }
        }

        #[test]
        fn neighbours_are_mutual_in_opposite_directions(cart in grids()) {
            for rank in 0..cart.nodes() {
                for (place, other) in cart.neighbours(rank).into_iter().enumerate() {
                    if let Some(other) = other {
                        prop_assert_eq!(cart.neighbours(other)[place ^ 1], Some(rank));
                    }
                }
            }
        }

        #[test]
        fn subgrids_divide_the_grid(cart in grids(), bits in 0..32u32) {
            let remain: Vec<bool> = (0..cart.dims().len()).map(|place| bits >> place & 1 == 1).collect();
            let mut places: Vec<(u32, u32)> = Vec::new();
            for rank in 0..cart.nodes() {
                let (sub, slice) = cart.sub(rank, &remain);
                let kept = cart.coords(rank).into_iter().zip(&remain).filter(|pair| *pair.1).map(|pair| pair.0);
                prop_assert_eq!(sub.coords(slice.rank), kept.collect::<Vec<i32>>());
                places.push((slice.number, slice.rank));
            }
            places.sort_unstable();
            places.dedup();
            prop_assert_eq!(places.len() as u32, cart.nodes());
        }
    }
}
