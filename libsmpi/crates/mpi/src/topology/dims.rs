//! Balanced dimensions of a grid: `MPI_Dims_create` (MPI 5.0 §8.5.2).
//!
//! The standard wants dimensions "as close to each other as possible". Here that means: the largest is as small as
//! possible, then the second largest, and so on. Found by search among the divisors, so it is exact for every number.

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

/// `count ≥ 1` factors of `n ≥ 1` in non-increasing order: the lexicographically smallest such list.
fn balanced(n: u32, count: usize) -> Vec<u32> {
    let divisors = divisors(n);
    let mut factors = Vec::with_capacity(count);
    let (mut rest, mut cap) = (n, n);
    for left in (0..count).rev() {
        if rest == 1 {
            factors.push(1);
            continue;
        }
        let fitting = divisors.iter().find(|&&d| {
            d <= cap && rest.is_multiple_of(d) && reaches(d, left + 1, rest) && fits(&divisors, rest / d, left, d)
        });
        // `rest` is a product of `left + 1` factors up to `cap`, so one of them is the largest.
        let factor = fitting.copied().unwrap_or(rest);
        factors.push(factor);
        (rest, cap) = (rest / factor, factor);
    }
    factors
}

/// Whether `n` is a product of `count` divisors that are at most `cap`.
fn fits(divisors: &[u32], n: u32, count: usize, cap: u32) -> bool {
    if n <= cap {
        return n == 1 || count > 0;
    }
    if count < 2 || !reaches(cap, count, n) {
        return false;
    }
    let end = divisors.partition_point(|&d| d <= cap);
    // The largest factor first: with it, the others have to be at least as large as the root, or it is hopeless.
    divisors[..end]
        .iter()
        .rev()
        .take_while(|&&d| reaches(d, count, n))
        .any(|&d| n.is_multiple_of(d) && fits(divisors, n / d, count - 1, d))
}

/// Whether `factor^count ≥ n`.
fn reaches(factor: u32, count: usize, n: u32) -> bool {
    let mut product = 1u64;
    for _ in 0..count {
        product *= u64::from(factor);
        if product >= u64::from(n) {
            return true;
        }
        if factor < 2 {
            break;
        }
    }
    product >= u64::from(n)
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
    fn the_first_list_among_all() {
        for n in 1..=400 {
            for count in 1..=5 {
                let best = lists(n, count, n).into_iter().min().unwrap();
                assert_eq!(balanced(n, count), best, "{n} in {count} dimensions");
            }
        }
    }

    #[test]
    fn numbers_that_greedy_methods_get_wrong() {
        assert_eq!(created(72, &[0, 0]), [9, 8]);
        assert_eq!(created(720, &[0, 0, 0]), [10, 9, 8]);
        assert_eq!(created(5040, &[0, 0, 0, 0]), [10, 9, 8, 7]);
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
