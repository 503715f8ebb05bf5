//! The slow twin of the solver: progressive filling over the whole system, straight from its definition.

/// A flow: penalty, bound, and (resource, amount) pairs.
#[derive(Clone, Debug)]
pub(super) struct NaiveFlow {
    pub penalty: f64,
    pub bound: f64,
    pub uses: Vec<(u32, f64)>,
}

/// The max-min rates.
pub(super) fn water_filling(capacities: &[f64], flows: &[&NaiveFlow]) -> Vec<f64> {
    let mut rates: Vec<Option<f64>> = vec![None; flows.len()];
    while rates.iter().any(Option::is_none) {
        let undecided = |f: usize| rates[f].is_none();
        let amount = |f: usize, r: usize| flows[f].uses.iter().filter(|u| u.0 as usize == r).map(|u| u.1).sum::<f64>();
        // The level at which each resource is full.
        let full: Vec<f64> = (0..capacities.len())
            .map(|r| {
                let taken: f64 = (0..flows.len()).map(|f| amount(f, r) * rates[f].unwrap_or(0.0)).sum();
                let weight: f64 =
                    (0..flows.len()).filter(|f| undecided(*f)).map(|f| amount(f, r) / flows[f].penalty).sum();
                if weight > 0.0 { (capacities[r] - taken).max(0.0) / weight } else { f64::INFINITY }
            })
            .collect();
        let bound_level = |f: usize| flows[f].bound * flows[f].penalty;
        let least_bound = (0..flows.len()).filter(|f| undecided(*f)).map(bound_level).fold(f64::INFINITY, f64::min);
        let level = full.iter().copied().fold(least_bound, f64::min);
        let reached: Vec<usize> = (0..flows.len())
            .filter(|f| undecided(*f))
            .filter(|f| {
                bound_level(*f) <= level * (1.0 + 1e-13)
                    || flows[*f].uses.iter().any(|u| full[u.0 as usize] <= level * (1.0 + 1e-13))
            })
            .collect();
        for f in reached {
            rates[f] = Some(level / flows[f].penalty);
        }
    }
    rates.into_iter().map(|r| r.unwrap_or(0.0)).collect()
}
