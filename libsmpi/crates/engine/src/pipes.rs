//! Fat pipes as SimGrid has them, where somebody asks for it.
//!
//! A fat pipe of capacity `C` carries every flow up to `C`, whatever others do, so flow `f` on it is bounded by
//! `a_f x_f ≤ C`: this is what [`crate::network`] does by default. SimGrid's max-min solver (3.32, 4.0) treats the pipe
//! as a resource that is full when the *first* of its flows is at `C`. Then all others that nothing else has stopped
//! before stop too. With the level `z = p x` of the flows (penalty `p`, see `solver`) the pipe has a level of its own,
//!
//! ```text
//! L = C / max { a_f / p_f : f on the pipe and not stopped below L }
//! ```
//!
//! and `z_f ≤ L` for all. Whether the first flow itself is stopped by the pipe, or just below it by its own bound,
//! which is the same `C` and leaves the others alone, is a matter of rounding in SimGrid: of `C p < C / (1 / p)` in
//! double precision. Here the same comparison is made, so that dates are the same.
//!
//! `L` is found from below: with the maximum over all flows first, and again without those that turn out to have
//! stopped at a lower level. What happens up to a level does not depend on what is allowed above it, so what was found
//! below stays right, and levels only rise. There are at most as many rounds as flows on unequal pipes.
//!
//! Nothing is kept from one instant to the next, so a change costs the number of flows on such pipes: it is an option.

use smpi_platform::LinkId;
use std::collections::BTreeMap;

/// Levels differ by more than rounding if they do by this factor.
const ABOVE: f64 = 1.0 + 1e-9;

/// What a flow consumes of a fat pipe.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PipeUse {
    pub pipe: LinkId,
    /// Bytes per second.
    pub capacity: f64,
    /// Part of the flow's rate.
    pub amount: f64,
}

/// A flow that crosses fat pipes.
#[derive(Clone, Debug)]
struct PipeFlow {
    penalty: f64,
    /// What bounds it besides, and with the pipes at present. Bytes per second.
    bound: f64,
    present_bound: f64,
    takes_share: bool,
    uses: Vec<PipeUse>,
}

/// A pipe in the search for its level.
#[derive(Debug)]
struct Pipe {
    capacity: f64,
    level: f64,
    /// Slots with `a / p`.
    flows: Vec<(u32, f64)>,
}

impl Pipe {
    /// The level that its flows allow, as far as they have not stopped before.
    fn set_level(&mut self) {
        let highest = self.flows.iter().map(|(_, weight)| *weight).fold(0.0, f64::max);
        self.level = if highest > 0.0 { self.capacity / highest } else { f64::INFINITY };
    }
}

/// The flows on fat pipes, by slot.
#[derive(Debug, Default)]
pub(crate) struct Pipes {
    flows: BTreeMap<u32, PipeFlow>,
    has_changed: bool,
    /// Pipes whose flows have different weights (scratch of [`Pipes::begin`]).
    unequal: BTreeMap<LinkId, Pipe>,
}

impl Pipes {
    /// A flow that does not take a share yet, or the present demand of one that may.
    pub fn set(&mut self, slot: u32, penalty: f64, bound: f64, uses: &[PipeUse]) {
        let takes_share = self.remove(slot);
        if !uses.is_empty() {
            let flow = PipeFlow { penalty, bound, present_bound: bound, takes_share, uses: uses.to_vec() };
            self.flows.insert(slot, flow);
        }
    }

    /// The flow takes a share from now on, or does no longer.
    pub fn take_share(&mut self, slot: u32, does: bool) {
        if let Some(flow) = self.flows.get_mut(&slot) {
            flow.takes_share = does;
            self.has_changed = true;
        }
    }

    /// The flow has ended. Whether it was there and took a share.
    pub fn remove(&mut self, slot: u32) -> bool {
        let flow = self.flows.remove(&slot);
        self.has_changed |= flow.is_some();
        flow.is_some_and(|flow| flow.takes_share)
    }

    /// Whether flows came, went or changed since this was asked last.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.has_changed)
    }

    /// Begins to look for the levels at this instant.
    pub fn begin(&mut self) {
        let mut pipes: BTreeMap<LinkId, Pipe> = BTreeMap::new();
        for (slot, flow) in self.flows.iter().filter(|(_, flow)| flow.takes_share) {
            for on in &flow.uses {
                let pipe = pipes.entry(on.pipe).or_insert(Pipe { capacity: 0.0, level: 0.0, flows: Vec::new() });
                pipe.capacity = on.capacity;
                pipe.flows.push((*slot, on.amount / flow.penalty));
            }
        }
        // A flow alone, or among its like, is stopped by its own bound.
        pipes.retain(|_, pipe| pipe.flows.iter().any(|(_, weight)| *weight != pipe.flows[0].1));
        pipes.values_mut().for_each(Pipe::set_level);
        self.unequal = pipes;
    }

    /// The flows whose bound has to change for the levels found so far: slot, penalty and bound.
    pub fn new_bounds(&mut self) -> Vec<(u32, f64, f64)> {
        let mut changed = Vec::new();
        for (slot, flow) in self.flows.iter_mut().filter(|(_, flow)| flow.takes_share) {
            let levels = flow.uses.iter().filter_map(|on| self.unequal.get(&on.pipe));
            let bound = levels.map(|pipe| pipe.level / flow.penalty).fold(flow.bound, f64::min);
            if bound != flow.present_bound {
                flow.present_bound = bound;
                changed.push((*slot, flow.penalty, bound));
            }
        }
        changed
    }

    /// Raises the levels of pipes some of whose flows stopped before, given the levels of the flows. False when all
    /// are found.
    pub fn raise(&mut self, level_of: impl Fn(u32) -> f64) -> bool {
        let mut has_risen = false;
        let flows = &self.flows;
        for pipe in self.unequal.values_mut() {
            let level = pipe.level;
            pipe.flows.retain(|(slot, _)| {
                // Exactly as SimGrid rounds, see above.
                let is_at_bound = flows.get(slot).is_some_and(|flow| flow.bound * flow.penalty < level);
                !is_at_bound && level_of(*slot) * ABOVE >= level
            });
            pipe.set_level();
            has_risen |= pipe.level > level;
        }
        has_risen
    }
}
