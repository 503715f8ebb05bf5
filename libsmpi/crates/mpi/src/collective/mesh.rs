//! Ranks as the places of a mesh that is as near to a square or a cube as their number allows.
//!
//! The sizes are those of A. Faraj and X. Yuan, "Automatic Generation and Tuning of MPI Collective Communication
//! Routines", ICS 2005, as SMPI has them.

/// Rows and columns, rows ≤ columns; `None` for 1 and for primes above 3.
pub(super) fn two(ranks: u32) -> Option<(u32, u32)> {
    let rows = (ranks.isqrt()..=ranks / 2).find(|&rows| rows > 0 && ranks.is_multiple_of(rows))?;
    let columns = ranks / rows;
    Some((rows.min(columns), rows.max(columns)))
}

/// Side of the square layers, and number of layers; `None` below 3, and where no square divides the number.
pub(super) fn three(ranks: u32) -> Option<(u32, u32)> {
    let cube_root = (1..=ranks).take_while(|side| u64::from(*side).pow(3) <= u64::from(ranks)).last()?;
    let side = (cube_root..=ranks / 3).find(|&side| u64::from(ranks) % u64::from(side).pow(2) == 0)?;
    Some((side, ranks / (side * side)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meshes_cover_all_ranks() {
        for ranks in 1..200 {
            assert!(two(ranks).is_none_or(|(rows, columns)| rows <= columns && rows * columns == ranks));
            assert!(three(ranks).is_none_or(|(side, layers)| side * side * layers == ranks));
        }
        assert_eq!([1, 2, 5, 12, 16].map(two), [None, Some((1, 2)), None, Some((3, 4)), Some((4, 4))]);
        assert_eq!([2, 5, 8, 12, 15].map(three), [None, Some((1, 5)), Some((2, 2)), Some((2, 3)), None]);
    }
}
