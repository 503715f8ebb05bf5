//! Classes: the flows that one resource certifies. They have one level, hence one virtual clock.
//!
//! The flows of class `q` run at `x_f = λ_q w_f` with one level `λ_q` and weights `w_f = 1 / p_f`. Let
//!
//! ```text
//! V_q(t) = ∫ λ_q dt            the progress of the class
//! A_rq   = Σ_f∈q a_rf w_f      the column of the class: what it takes of resource r per unit of its level
//! ```
//!
//! A flow of size `s` that joins when the progress is `V` ends when it is `V + s / w_f`. So another level changes two
//! numbers and one date, not the dates of all flows, and what a class takes of the resources follows from its column
//! alone. `s / w_f` less the progress made is in the unit of levels, so it carries over when a flow changes its class.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// What a flow consumes of one resource. Packed, because a message may have four of them or more.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, packed(4))]
pub(super) struct Member {
    pub amount: f64,
    pub resource: u32,
    /// Place in the resource's entries while the flow is active.
    pub position: u32,
    /// Place of the cell in the flow's class, unless this is the resource of the class.
    pub cell: u32,
}

/// Part of a column: what one flow of the class takes of one resource. Flows have a cell each, though they may cross
/// the same resource: then joining and leaving need no search, and nothing is added up that rounding could wear off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub resource: u32,
    /// The member that says where this cell is.
    pub member: u32,
    /// Amount · weight.
    pub weight: f64,
}

/// When a flow ends; outdated when the stamp is not the flow's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct End {
    /// Progress of the class at which it ends.
    pub progress: f64,
    pub flow: u32,
    pub stamp: u32,
}

impl Eq for End {}

impl PartialOrd for End {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for End {
    fn cmp(&self, other: &Self) -> Ordering {
        self.progress.total_cmp(&other.progress).then(self.flow.cmp(&other.flow)).then(self.stamp.cmp(&other.stamp))
    }
}

/// The ceiling of a quiet resource that flows of the class cross; outdated when it is no longer the resource's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ceiling {
    pub level: f64,
    pub resource: u32,
}

impl Eq for Ceiling {}

impl PartialOrd for Ceiling {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ceiling {
    fn cmp(&self, other: &Self) -> Ordering {
        self.level.total_cmp(&other.level).then(self.resource.cmp(&other.resource))
    }
}

/// The flows that a resource certifies.
#[derive(Debug, Default)]
pub(super) struct Class {
    /// `λ_q`.
    pub level: f64,
    /// Number of its flows.
    pub flows: u32,
    /// The last filling that decided the level; compared with [`super::MaxMin`]'s number of the present one.
    pub decided_in: u32,
    /// `A_qq`.
    pub weight: f64,
    /// The rest of the column. Invariant: one cell for each member of its flows on another resource that is not quiet,
    /// each known to its member by its index.
    pub cells: Vec<Cell>,
    /// Ceilings of the quiet resources that its flows cross, the lowest first. Invariant: each of them is there.
    pub ceilings: BinaryHeap<Reverse<Ceiling>>,
    /// Number of ceilings from which outdated ones are removed.
    pub crowded: u32,
    /// While the resource of this class is quiet: its own ceiling.
    pub ceiling: f64,
    /// No flow of another class on the resource has a higher level than this, but for rounding. Infinite where that is
    /// not known.
    pub highest: f64,
    /// Solutions of the resource since its usage was summed up afresh.
    pub age: u32,
    /// Solutions of the resource until it is looked at again whether it can be quiet.
    pub patience: u32,
    /// Changes since `A_qq` was summed up afresh.
    pub changes: u32,
    /// `V_q` at the date `updated`.
    pub progress: f64,
    updated: f64,
    /// Ends of its flows, the next one first. Invariant: after a solution each flow has one that is valid.
    pub ends: BinaryHeap<Reverse<End>>,
}

impl Class {
    /// Brings the progress up to date.
    pub fn advance(&mut self, now: f64) {
        self.progress = self.progress_at(now);
        self.updated = now;
        if self.flows == 0 {
            self.progress = 0.0;
        }
    }

    /// The progress at a date from `updated` on.
    pub fn progress_at(&self, now: f64) -> f64 {
        self.progress + self.level * (now - self.updated)
    }

    /// The date at which a progress is reached at the present level.
    pub fn date(&self, progress: f64) -> f64 {
        self.updated + (progress - self.progress).max(0.0) / self.level
    }

    /// Removes a cell; the one that takes its place is known to its member by its new index.
    pub fn remove_cell(&mut self, index: u32, members: &mut [Member]) {
        self.cells.swap_remove(index as usize);
        if let Some(moved) = self.cells.get(index as usize) {
            members[moved.member as usize].cell = index;
        }
    }

    /// The class has lost its last flow. What it took is exactly zero again, whatever rounding says.
    pub fn clear(&mut self) {
        self.weight = 0.0;
        self.changes = 0;
        self.cells.clear();
        self.ceilings.clear();
        self.ends.clear();
    }
}
