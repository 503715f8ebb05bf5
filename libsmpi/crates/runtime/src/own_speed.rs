//! How fast this machine computes, for `smpi/host-speed:auto`: a loop of multiplications and additions, as in the
//! program of docs/smpirun.md that measures the same.

use std::hint::black_box;

use crate::cpu_time::cpu_seconds;

/// So often is the loop timed; the fastest counts, in which nobody else had the core.
const TIMES: usize = 5;
/// Rounds of the loop, some milliseconds.
const ROUNDS: u32 = 200_000;
/// Sums that do not wait for each other; two flops each in a round.
const SUMS: usize = 8;

/// Flops per second of one core.
pub fn flops() -> f64 {
    (0..TIMES).map(|_| once()).fold(1.0, f64::max)
}

fn once() -> f64 {
    let begin = cpu_seconds();
    let mut sums = black_box([0.0; SUMS]);
    for _ in 0..ROUNDS {
        for (place, sum) in sums.iter_mut().enumerate() {
            *sum = *sum * 0.999 + place as f64;
        }
    }
    black_box(sums);
    f64::from(ROUNDS) * 2.0 * SUMS as f64 / (cpu_seconds() - begin).max(1e-9)
}

#[cfg(test)]
mod tests {
    #[test]
    fn machines_compute() {
        assert!(super::flops() > 1e6);
    }
}
