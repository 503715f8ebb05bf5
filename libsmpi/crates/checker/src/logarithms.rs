//! Sums of numbers that may be too large or too small for a float, by their logarithms.

/// The logarithm of the sum of two numbers that are given by theirs.
pub(crate) fn ln_add(a: f64, b: f64) -> f64 {
    let (larger, smaller) = if a < b { (b, a) } else { (a, b) };
    if smaller == f64::NEG_INFINITY { larger } else { larger + (smaller - larger).exp().ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_logarithms() {
        assert!((ln_add(2_f64.ln(), 3_f64.ln()) - 5_f64.ln()).abs() < 1e-12);
        assert_eq!(ln_add(f64::NEG_INFINITY, 1.0), 1.0);
        assert_eq!(ln_add(f64::NEG_INFINITY, f64::NEG_INFINITY), f64::NEG_INFINITY);
    }
}
