//! Runs: numbers at equal distances, which is how programs choose the members of most groups.

/// The numbers `first, first + stride, …`, `len` of them.
///
/// Invariant: all of them are numbers of ranks; the stride is not 0, and 1 where there is one number only.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Run {
    /// The first number.
    pub first: u32,
    /// From one to the next.
    pub stride: i64,
    /// How many there are, at least one.
    pub len: u32,
}

impl Run {
    /// Consecutive numbers.
    pub fn consecutive(first: u32, len: u32) -> Run {
        Run { first, stride: 1, len }
    }

    /// Number `index` of the run, which may lie beyond its end.
    fn at(self, index: i64) -> i64 {
        i64::from(self.first) + self.stride * index
    }

    fn low(self) -> i64 {
        i64::from(self.first).min(self.at(i64::from(self.len) - 1))
    }

    fn high(self) -> i64 {
        i64::from(self.first).max(self.at(i64::from(self.len) - 1))
    }

    /// Number `index` of the run.
    #[inline]
    pub fn get(self, index: u32) -> u32 {
        self.at(index.into()) as u32
    }

    /// The place of a number in the run.
    #[inline]
    pub fn index_of(self, number: u32) -> Option<u32> {
        let distance = i64::from(number) - i64::from(self.first);
        let index = if self.stride == 1 {
            distance
        } else if distance % self.stride == 0 {
            distance / self.stride
        } else {
            return None;
        };
        u32::try_from(index).ok().filter(|&index| index < self.len)
    }

    /// The numbers in order.
    pub fn numbers(self) -> impl Iterator<Item = u32> {
        (0..self.len).map(move |index| self.get(index))
    }

    /// The places in this run of the numbers that are in the other one, too: they are a run themselves.
    pub fn common(self, other: Run) -> Option<Run> {
        // Look for i with first + stride·i = other.first + other.stride·j: every `step`-th i, if there is one at all.
        let (divisor, factor) = gcd(self.stride, other.stride);
        let apart = i64::from(other.first) - i64::from(self.first);
        if apart % divisor != 0 {
            return None;
        }
        let step = (other.stride / divisor).abs();
        let (low, high) = (self.low().max(other.low()), self.high().min(other.high()));
        // The places of numbers from low to high.
        let first = i64::from(self.first);
        let (near, far) = if self.stride > 0 { (low - first, high - first) } else { (first - high, first - low) };
        let (from, to) = ((near + self.stride.abs() - 1) / self.stride.abs(), far.div_euclid(self.stride.abs()));
        // The products stay below 2^64, the numbers below 2^33.
        let one = (i128::from(apart / divisor) * i128::from(factor)).rem_euclid(i128::from(step)) as i64;
        let first = from + (one - from).rem_euclid(step);
        if low > high || first > to {
            return None;
        }
        let len = ((to - first) / step + 1) as u32;
        Some(Run { first: first as u32, stride: if len == 1 { 1 } else { step }, len })
    }
}

/// The greatest common divisor d > 0 of two numbers that are not 0, and x with a·x ≡ d modulo b (Euclid).
fn gcd(a: i64, b: i64) -> (i64, i64) {
    let (mut old, mut new, mut x, mut next) = (a, b, 1, 0);
    while new != 0 {
        let quotient = old / new;
        (old, new) = (new, old - quotient * new);
        (x, next) = (next, x - quotient * next);
    }
    if old < 0 { (-old, -x) } else { (old, x) }
}

/// Puts numbers into as few runs as a reader finds who goes on with a run as long as it lasts: the same numbers always
/// give the same runs, however they come.
#[derive(Default)]
pub struct Runs {
    done: Vec<Run>,
    /// The run that may go on.
    last: Option<Run>,
}

impl Runs {
    /// Appends numbers.
    pub fn push(&mut self, mut more: Run) {
        while more.len > 0 {
            let Some(last) = &mut self.last else {
                self.last = Some(more);
                return;
            };
            let goes_on = last.len == 1 || last.at(last.len.into()) == i64::from(more.first);
            if !goes_on {
                self.done.push(*last);
                *last = more;
                return;
            }
            if last.len == 1 {
                last.stride = i64::from(more.first) - i64::from(last.first);
            }
            let all = more.len == 1 || more.stride == last.stride;
            let taken = if all { more.len } else { 1 };
            last.len += taken;
            if taken == more.len {
                return;
            }
            let len = more.len - 1;
            more = Run { first: more.get(1), stride: if len == 1 { 1 } else { more.stride }, len };
        }
    }

    /// The runs.
    pub fn finish(mut self) -> Vec<Run> {
        self.done.extend(self.last);
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn run() -> impl Strategy<Value = Run> {
        (0..60_u32, prop_oneof![-7..0_i64, 1..8_i64], 1..12_u32).prop_map(|(low, stride, len)| {
            let stride = if len == 1 { 1 } else { stride };
            // The lowest number is `low`, whichever way the run goes.
            let span = i64::from(len - 1) * stride;
            Run { first: (i64::from(low) - span.min(0)) as u32, stride, len }
        })
    }

    proptest! {
        #[test]
        fn common_places_are_those_of_numbers_that_both_have(one in run(), other in run()) {
            let numbers: Vec<u32> = other.numbers().collect();
            let slow: Vec<u32> = (0..one.len).filter(|&index| numbers.contains(&one.get(index))).collect();
            let fast: Vec<u32> = one.common(other).into_iter().flat_map(Run::numbers).collect();
            prop_assert_eq!(fast, slow);
        }

        #[test]
        fn places_and_numbers_lead_to_each_other(run in run(), number in 0..150_u32) {
            prop_assert_eq!(run.index_of(number), run.numbers().position(|other| other == number).map(|at| at as u32));
        }

        #[test]
        fn the_runs_hang_on_the_numbers_alone(parts in proptest::collection::vec(run(), 0..8)) {
            let (mut whole, mut single) = (Runs::default(), Runs::default());
            let numbers: Vec<u32> = parts.iter().flat_map(|run| run.numbers()).collect();
            parts.iter().for_each(|&run| whole.push(run));
            numbers.iter().for_each(|&number| single.push(Run::consecutive(number, 1)));
            let (whole, single) = (whole.finish(), single.finish());
            prop_assert_eq!(&whole, &single);
            prop_assert_eq!(whole.iter().flat_map(|run| run.numbers()).collect::<Vec<_>>(), numbers);
        }
    }

    #[test]
    fn large_numbers_meet_too() {
        // Modulo 65,536 the numbers of the first are their places, and all of the second are 1.
        let one = Run { first: 0, stride: 65_537, len: 65_535 };
        let other = Run { first: 65_535 * 65_535 - 65_536, stride: -65_536, len: 65_534 };
        assert_eq!(one.common(other), Some(Run::consecutive(1, 1)));
        assert_eq!(other.index_of(one.get(1)), Some(65_532));
    }
}
