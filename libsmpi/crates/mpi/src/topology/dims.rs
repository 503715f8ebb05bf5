//! Balanced dimensions of a grid: `MPI_Dims_create` (MPI 5.0 §8.5.2).
//!
//! The standard wants dimensions "as close to each other as possible". Here that means: the difference between the
//! largest and the smallest is as small as possible (J. L. Träff, F. D. Lübbe: "Specification Guideline Violations by
//! `MPI_Dims_create`", EuroMPI 2015); then the smallest is as large as possible, then the second smallest, and so on.
//! Found by search among the divisors, so it is exact for every number.

use smpi_base::map::Set;

use crate::error::{ErrorClass, MpiError, Result};

/// Replaces the zeros in `dims` by factors, in non-increasing order, such that the product of all is `nodes`.
///
/// # Errors
/// `MPI_ERR_ARG` for a number of nodes below 1; `MPI_ERR_DIMS` for negative dimensions, and when the given ones do not
/// divide the number of nodes or leave nothing to choose and miss it.
pub fn create(nodes: i32, dims: &mut [i32]) -> Result<()> {
    if nodes < 1 {
        return Err(MpiError::parameter(ErrorClass::ARG, "nnodes", nodes, "1 or more"));
    }
    let mut rest = nodes as u32;
    for (place, &dim) in dims.iter().enumerate().filter(|(_, dim)| **dim != 0) {
        if dim < 0 {
            return Err(MpiError::parameter(ErrorClass::DIMS, &format!("dims[{place}]"), dim, "0 or more"));
        }
        if !rest.is_multiple_of(dim as u32) {
            let found = format!("{dim}, where {rest} nodes are left to arrange");
            let allowed = "dimensions whose product divides nnodes";
            return Err(MpiError::parameter(ErrorClass::DIMS, &format!("dims[{place}]"), found, allowed));
        }
        rest /= dim as u32;
    }
    let free = dims.iter().filter(|dim| **dim == 0).count();
    if free == 0 {
        if rest == 1 {
            return Ok(());
        }
        let found = format!("no dimension is 0, and their product is {} instead of {nodes}", nodes as u32 / rest);
        return Err(MpiError::parameter(ErrorClass::DIMS, "dims", found, "dimensions that hold nnodes"));
    }
    let factors = balanced(rest, free);
    for (dim, factor) in dims.iter_mut().filter(|dim| **dim == 0).zip(factors) {
        *dim = factor as i32;
    }
    Ok(())
}

/// `count ≥ 1` factors of `n ≥ 1` in non-increasing order, as close to each other as possible.
fn balanced(n: u32, count: usize) -> Vec<u32> {
    let mut search = Search { divisors: divisors(n), high: 0, hopeless: Set::default() };
    let mut best: Option<Vec<u32>> = None;
    let divisors = search.divisors.clone();
    for &low in divisors.iter().rev().filter(|&&low| count == 1 || !exceeds(low, count, n)) {
        for &high in divisors.iter().filter(|&&high| high >= low && reaches(high, count, n)) {
            // The smallest factor of those found before is larger.
            if best.as_ref().is_some_and(|best| high - low >= best[0] - best[count - 1]) {
                break;
            }
            if let Some(found) = search.between(low, high, n, count) {
                best = Some(found);
                break;
            }
        }
    }
    // All but one factor can always be 1.
    best.unwrap_or_default()
}

/// A search for lists of factors.
struct Search {
    /// All divisors of the number, increasing.
    divisors: Vec<u32>,
    /// The largest factor.
    high: u32,
    /// What is no product of so many factors, of which this is the smallest.
    hopeless: Set<(u32, usize, u32)>,
}

impl Search {
    /// `n` as `count` factors in non-increasing order that begin with `high` and end with `low`.
    fn between(&mut self, low: u32, high: u32, n: u32, count: usize) -> Option<Vec<u32>> {
        if count == 1 {
            return (low == n && high == n).then(|| vec![n]);
        }
        let ends = u64::from(low) * u64::from(high);
        if !u64::from(n).is_multiple_of(ends) {
            return None;
        }
        self.high = high;
        self.hopeless.clear();
        let mut factors = Vec::with_capacity(count);
        factors.push(low);
        self.extend(&mut factors, (u64::from(n) / ends) as u32, count - 2).then(|| {
            factors.push(high);
            factors.reverse();
            factors
        })
    }

    /// Adds `count` factors of `n` to a non-decreasing list, each as large as it can be.
    fn extend(&mut self, factors: &mut Vec<u32>, n: u32, count: usize) -> bool {
        let low = factors.last().copied().unwrap_or(1);
        if count == 0 || low == 1 && n == 1 {
            factors.resize(factors.len() + count, 1);
            return n == 1;
        }
        let is_hopeless = exceeds(low, count, n) || !reaches(self.high, count, n) || low > 1 && primes(n) < count;
        if is_hopeless || self.hopeless.contains(&(n, count, low)) {
            return false;
        }
        for index in (0..self.divisors.partition_point(|&d| d <= self.high)).rev() {
            let factor = self.divisors[index];
            if factor < low {
                break;
            }
            if n.is_multiple_of(factor) && !exceeds(factor, count, n) {
                factors.push(factor);
                if self.extend(factors, n / factor, count - 1) {
                    return true;
                }
                factors.pop();
            }
        }
        self.hopeless.insert((n, count, low));
        false
    }
}

/// Prime factors of a number, with their multiplicities.
fn primes(mut n: u32) -> usize {
    let mut count = 0;
    let mut prime = 2;
    while u64::from(prime) * u64::from(prime) <= u64::from(n) {
        while n.is_multiple_of(prime) {
            n /= prime;
            count += 1;
        }
        prime += 1;
    }
    count + usize::from(n > 1)
}

/// Whether `factor^count ≥ n`.
fn reaches(factor: u32, count: usize, n: u32) -> bool {
    u64::from(factor).checked_pow(count as u32).is_none_or(|power| power >= u64::from(n))
}

/// Whether `factor^count > n`.
fn exceeds(factor: u32, count: usize, n: u32) -> bool {
    u64::from(factor).checked_pow(count as u32).is_none_or(|power| power > u64::from(n))
}

/// All divisors in increasing order.
fn divisors(n: u32) -> Vec<u32> {
    let (mut small, mut large) = (Vec::new(), Vec::new());
    for d in (1..).take_while(|d| u64::from(*d) * u64::from(*d) <= u64::from(n)) {
        if n.is_multiple_of(d) {
            small.push(d);
            if d != n / d {
                large.push(n / d);
            }
        }
    }
    small.extend(large.into_iter().rev());
    small
}

#[cfg(test)]
mod tests {
    use super::*;

    fn created(nodes: i32, dims: &[i32]) -> Vec<i32> {
        let mut dims = dims.to_vec();
        create(nodes, &mut dims).unwrap();
        dims
    }

    /// All lists of `count` factors in non-increasing order, the slow way.
    fn lists(n: u32, count: usize, cap: u32) -> Vec<Vec<u32>> {
        if count == 0 {
            return if n == 1 { vec![Vec::new()] } else { Vec::new() };
        }
        let mut all = Vec::new();
        for d in (1..=n.min(cap)).filter(|d| n.is_multiple_of(*d)) {
            for mut tail in lists(n / d, count - 1, d) {
                tail.insert(0, d);
                all.push(tail);
            }
        }
        all
    }

    #[test]
    fn examples_of_the_standard() {
        assert_eq!(created(6, &[0, 0]), [3, 2]);
        assert_eq!(created(7, &[0, 0]), [7, 1]);
        assert_eq!(created(6, &[0, 3, 0]), [2, 3, 1]);
        assert_eq!(create(7, &mut [0, 3, 0]).unwrap_err().class, ErrorClass::DIMS);
    }

    #[test]
    fn the_closest_list_among_all() {
        for n in 1..=400 {
            for count in 1..=5 {
                let distance = |list: &Vec<u32>| {
                    let from_the_end: Vec<_> = list.iter().rev().map(|&factor| std::cmp::Reverse(factor)).collect();
                    (list[0] - list[count - 1], from_the_end)
                };
                let best = lists(n, count, n).into_iter().min_by_key(distance).unwrap();
                assert_eq!(balanced(n, count), best, "{n} in {count} dimensions");
            }
        }
    }

    #[test]
    fn numbers_that_greedy_methods_get_wrong() {
        assert_eq!(created(72, &[0, 0]), [9, 8]);
        assert_eq!(created(720, &[0, 0, 0]), [10, 9, 8]);
        assert_eq!(created(5040, &[0, 0, 0, 0]), [10, 9, 8, 7]);
        // The largest factor is not the smallest possible, but the factors are closer.
        assert_eq!(created(807_840, &[0, 0, 0]), [102, 90, 88]);
        assert_eq!(created(170_352, &[0; 5]), [14, 13, 13, 9, 8]);
    }

    #[test]
    fn numbers_with_many_divisors_and_large_primes() {
        // 1,536 divisors, the most below 2^31.
        for count in 1..=20 {
            let factors = balanced(2_095_133_040, count);
            assert_eq!(factors.iter().map(|&d| u64::from(d)).product::<u64>(), 2_095_133_040);
            assert!(factors.is_sorted_by(|a, b| a >= b));
        }
        assert_eq!(created(i32::MAX, &[0, 0, 0]), [i32::MAX, 1, 1]);
        assert_eq!(created(1 << 30, &[0; 6]), [32; 6]);
        assert_eq!(created(1, &[0; 100]), [1; 100]);
    }

    #[test]
    fn given_dimensions_stay() {
        assert_eq!(created(24, &[0, 2, 0]), [4, 2, 3]);
        assert_eq!(created(24, &[4, 6]), [4, 6]);
        assert!(created(1, &[]).is_empty());
        for (nodes, dims, class) in [
            (0, vec![0], ErrorClass::ARG),
            (-4, vec![0, 0], ErrorClass::ARG),
            (6, vec![-1, 0], ErrorClass::DIMS),
            (6, vec![3], ErrorClass::DIMS),
            (6, vec![], ErrorClass::DIMS),
            (6, vec![4, 0], ErrorClass::DIMS),
        ] {
            let mut changed = dims.clone();
            assert_eq!(create(nodes, &mut changed).unwrap_err().class, class, "{nodes} {dims:?}");
            assert_eq!(changed, dims);
        }
    }
}
