//! Straight pieces through points with outliers: where they break is found from the points, too.
//!
//! A point `(x, y)` has a weight, usually `1 / time`, so that errors are relative. The cost of a set of pieces is
//!
//! ```text
//! Σ_points ρ(weight (y - start - slope x) / σ)  +  PENALTY ln(n) · pieces      with start ≥ 0, slope ≥ 0
//! ```
//!
//! ρ is Huber's: quadratic up to 1.345 σ, linear beyond. Each piece is fitted by iteratively reweighted least squares
//! (P. J. Huber, "Robust Estimation of a Location Parameter", Ann. Math. Stat. 35, 1964). σ comes from the points: the
//! median distance of a point from the line between its neighbours, which few breaks and outliers do not change. The
//! best breaks are found by dynamic programming over all places, in O(n²) fits (R. Bellman, "On the approximation of
//! curves by line segments using dynamic programming", CACM 4(6), 1961). The penalty is that of the Bayesian
//! information criterion (G. Schwarz, Ann. Stat. 6, 1978), for the three parameters of a piece (start, slope, place),
//! doubled: neighbouring sizes are disturbed together, and the criterion takes them for independent.

/// A measured point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Where, in bytes.
    pub x: f64,
    /// What was measured, in seconds.
    pub y: f64,
    /// Errors are multiplied by this.
    pub weight: f64,
}

/// A straight line that does not fall and does not begin below zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Line {
    /// Value at 0, in seconds.
    pub start: f64,
    /// Seconds per byte.
    pub slope: f64,
}

impl Line {
    /// The value at `x`.
    pub fn at(&self, x: f64) -> f64 {
        self.start + self.slope * x
    }
}

/// Points that one line fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// Index of its first point.
    pub first: usize,
    /// Its line.
    pub line: Line,
}

/// Points of a piece at least.
const FEWEST: usize = 4;
/// Beyond this many σ a point counts as an outlier (Huber's constant for 95 % efficiency).
const OUTLIER: f64 = 1.345;
/// Three parameters, half the logarithm of the points each, doubled.
const PENALTY: f64 = 3.0;
/// Rounds of reweighting.
const ROUNDS: usize = 8;

/// The best pieces for points with ascending `x`. There is at least one piece, unless there are no points. Weighted
/// errors below `finest` are not worth a piece.
pub fn pieces(points: &[Point], finest: f64) -> Vec<Piece> {
    let count = points.len();
    let sigma = spread(points).max(finest);
    let penalty = PENALTY * (count.max(2) as f64).ln();
    // For the first `end` points: the least cost, where its last piece begins, and this piece's line.
    let mut best: Vec<(f64, usize, Line)> = vec![(0.0, 0, Line::default())];
    for end in 1..=count {
        let begins = (0..end).filter(|begin| (*begin == 0 || end - begin >= FEWEST) && best[*begin].0.is_finite());
        let options = begins.map(|begin| {
            let (line, cost) = line(&points[begin..end], sigma);
            (best[begin].0 + cost + penalty, begin, line)
        });
        let cheapest = options.min_by(|a, b| a.0.total_cmp(&b.0));
        // Fewer points than a piece needs have no pieces, except all of them.
        let is_short = end < FEWEST && end < count;
        best.push(cheapest.filter(|_| !is_short).unwrap_or((f64::INFINITY, 0, Line::default())));
    }
    let mut pieces = Vec::new();
    let mut end = count;
    while end > 0 {
        let (_, first, line) = best[end];
        pieces.push(Piece { first, line });
        end = first;
    }
    pieces.reverse();
    pieces
}

/// The typical weighted distance of a point from the line between its neighbours, as a standard deviation.
fn spread(points: &[Point]) -> f64 {
    let mut distances: Vec<f64> = points
        .windows(3)
        .map(|three| {
            let share = (three[1].x - three[0].x) / (three[2].x - three[0].x);
            let between = three[0].y + share * (three[2].y - three[0].y);
            let variance = 1.0 + share * share + (1.0 - share) * (1.0 - share);
            (three[1].weight * (three[1].y - between)).abs() / variance.sqrt()
        })
        .filter(|distance| distance.is_finite())
        .collect();
    distances.sort_by(f64::total_cmp);
    // The median absolute deviation of a normal distribution is σ / 1.4826.
    distances.get(distances.len() / 2).map_or(0.0, |median| 1.4826 * median)
}

/// The line through points, and its cost with this σ.
pub fn line(points: &[Point], sigma: f64) -> (Line, f64) {
    let mut trust = vec![1.0; points.len()];
    let mut line = least_squares(points, &trust);
    for _ in 0..ROUNDS {
        for (trust, point) in trust.iter_mut().zip(points) {
            let error = (point.weight * (point.y - line.at(point.x))).abs() / sigma;
            *trust = if error <= OUTLIER { 1.0 } else { OUTLIER / error };
        }
        let next = least_squares(points, &trust);
        let is_settled = [0.0, points[points.len() - 1].x]
            .iter()
            .all(|x| (next.at(*x) - line.at(*x)).abs() < 1e-3 * sigma * line.at(*x));
        line = next;
        if is_settled {
            break;
        }
    }
    let cost = points.iter().map(|point| huber(point.weight * (point.y - line.at(point.x)) / sigma)).sum();
    (line, cost)
}

fn huber(error: f64) -> f64 {
    let error = error.abs();
    if error <= OUTLIER { 0.5 * error * error } else { OUTLIER * (error - 0.5 * OUTLIER) }
}

/// Weighted least squares under `start ≥ 0`, `slope ≥ 0`: the free optimum if it is allowed, else the best one on the
/// border, because the cost is convex.
fn least_squares(points: &[Point], trust: &[f64]) -> Line {
    // `x` in units of the largest one, so that the normal equations are well conditioned.
    let unit = points.iter().map(|point| point.x).fold(0.0, f64::max).max(1.0);
    let mut sums = [0.0; 5];
    for (point, trust) in points.iter().zip(trust) {
        let (x, weight) = (point.x / unit, trust * point.weight * point.weight);
        for (sum, term) in sums.iter_mut().zip([1.0, x, x * x, point.y, x * point.y]) {
            *sum += weight * term;
        }
    }
    // The normal equations: one · start + x · slope = y, x · start + xx · slope = xy.
    let [one, x, xx, y, xy] = sums;
    let free = cholesky([one, x, xx], [y, xy]).filter(|both| both.iter().all(|x| *x >= 0.0));
    let constrained = || {
        let (level, through_zero) = ((y / one).max(0.0), (xy / xx).max(0.0));
        let level_cost = (one * level - 2.0 * y) * level;
        let through_zero_cost = (xx * through_zero - 2.0 * xy) * through_zero;
        let is_better = through_zero.is_finite() && through_zero_cost < level_cost;
        if is_better { [0.0, through_zero] } else { [level, 0.0] }
    };
    let [start, slope] = free.unwrap_or_else(constrained);
    Line { start, slope: slope / unit }
}

/// Solves two equations with the matrix `[[a, b], [b, c]]`, by Cholesky's factors; none when it is not positive
/// definite.
fn cholesky([a, b, c]: [f64; 3], [first, second]: [f64; 2]) -> Option<[f64; 2]> {
    let root = |square: f64| (square > 0.0).then(|| square.sqrt());
    let top = root(a)?;
    let side = b / top;
    let bottom = root(c - side * side)?;
    let inner = first / top;
    let y = (second - side * inner) / bottom / bottom;
    Some([(inner - side * y) / top, y])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use smpi_base::rng::Rng;

    /// 160 sizes from 1 to 2^20 and their times by three lines; `noise` is relative, every 13th point an outlier.
    fn synthetic(noise: f64, seed: u64) -> (Vec<Point>, [(f64, Line); 3]) {
        let truth = [
            (0.0, Line { start: 1e-6, slope: 1e-9 }),
            (4096.0, Line { start: 4e-6, slope: 3e-10 }),
            (65536.0, Line { start: 2e-5, slope: 1e-10 }),
        ];
        let mut rng = Rng::new(seed);
        let mut points = Vec::new();
        for i in 0..160 {
            let x = 2f64.powf(f64::from(i) / 8.0).round();
            let (_, line) = truth.iter().rev().find(|(above, _)| x > *above).unwrap();
            // The mean of four uniform numbers is close enough to a normal one.
            let error: f64 = (0..4).map(|_| rng.below(2_000_001) as f64 / 1e6 - 1.0).sum::<f64>() * noise * 0.87;
            let outlier = if noise > 0.0 && i % 13 == 5 { 3.0 } else { 1.0 };
            let y = line.at(x) * (1.0 + error) * outlier;
            points.push(Point { x, y, weight: 1.0 / line.at(x) });
        }
        points.dedup_by(|a, b| a.x == b.x);
        (points, truth)
    }

    fn assert_found(points: &[Point], truth: &[(f64, Line)], tolerance: f64) {
        let found = pieces(points, 5e-4);
        assert_eq!(found.len(), truth.len(), "{found:?}");
        for (piece, (above, line)) in found.iter().zip(truth) {
            if *above > 0.0 {
                // Next to a break, noise and outliers decide to which piece a size belongs.
                let at = points.iter().position(|point| point.x > *above).unwrap();
                let leeway = if tolerance > 1e-3 { 3 } else { 0 };
                assert!(piece.first.abs_diff(at) <= leeway, "{piece:?}, expected {at}, above {above}");
            }
            let (low, high) = (above.max(1.0), points[points.len() - 1].x.min(above.max(1000.0) * 8.0));
            for x in [low, high] {
                let error = piece.line.at(x) / line.at(x) - 1.0;
                assert!(error.abs() < tolerance, "{piece:?} beside {line:?} at {x}: {error}");
            }
        }
    }

    #[test]
    fn exact_points_give_their_lines_back() {
        let (points, truth) = synthetic(0.0, 1);
        assert_found(&points, &truth, 1e-9);
    }

    #[test]
    fn noise_and_outliers_change_little() {
        for seed in 1..20 {
            let (points, truth) = synthetic(0.02, seed);
            assert_found(&points, &truth, 0.06);
        }
    }

    #[test]
    fn few_points_are_one_piece() {
        assert!(pieces(&[], 1e-3).is_empty());
        let point = |x: f64, y: f64| Point { x, y, weight: 1.0 };
        for count in 1..FEWEST {
            let points: Vec<Point> = (0..count).map(|i| point(i as f64, 1.0 + i as f64)).collect();
            assert_eq!(pieces(&points, 1e-3).len(), 1);
        }
        // Falling points: the best line that does not fall is their mean.
        let (flat, _) = line(&[point(0.0, 3.0), point(1.0, 2.0), point(2.0, 1.0)], 100.0);
        assert!((flat.start - 2.0).abs() < 1e-12 && flat.slope == 0.0, "{flat:?}");
    }

    #[test]
    fn two_equations_are_solved() {
        // 4 · 1.5 - 2 · 2 = 2, 2 · 1.5 - 5 · 2 = -7.
        assert_eq!(cholesky([4.0, 2.0, 5.0], [2.0, -7.0]), Some([1.5, -2.0]));
        assert_eq!(cholesky([1.0, 2.0, 4.0], [1.0, 2.0]), None);
        assert_eq!(cholesky([0.0, 0.0, 0.0], [0.0, 0.0]), None);
        assert_eq!(cholesky([f64::NAN, 0.0, 1.0], [1.0, 1.0]), None);
    }

    proptest! {
        /// The border is only chosen where it is right: no other allowed line costs less.
        #[test]
        fn no_allowed_line_is_better(
            ys in proptest::collection::vec(0.0..10.0f64, 3..12), start in 0.0..12.0f64, slope in 0.0..3.0f64,
        ) {
            let points: Vec<Point> =
                ys.iter().enumerate().map(|(i, y)| Point { x: i as f64, y: *y, weight: 1.0 + (i % 3) as f64 }).collect();
            let cost = |line: &Line| -> f64 { points.iter().map(|p| (p.weight * (p.y - line.at(p.x))).powi(2)).sum() };
            let ours = least_squares(&points, &vec![1.0; points.len()]);
            let other = cost(&Line { start, slope });
            prop_assert!(cost(&ours) <= other * (1.0 + 1e-9) + 1e-9);
        }
    }
}
