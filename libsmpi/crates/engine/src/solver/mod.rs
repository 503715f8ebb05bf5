//! Weighted max-min fairness with per-flow bounds, solved incrementally.
//!
//! # The problem
//!
//! Flow `f` has a penalty `p_f > 0` and a bound `b_f`; it consumes `a_rf > 0` of resource `r` per unit of its rate `x_f`.
//! Resource `r` has a capacity `C_r`. Call `z_f = p_f x_f` the *level* of a flow. Wanted are the rates with
//!
//! ```text
//! Σ_f a_rf x_f ≤ C_r      0 ≤ x_f ≤ b_f      and the vector of levels is max-min fair:
//!                         no level can be raised without lowering one that is not higher.
//! ```
//!
//! They exist, are unique, and are the only feasible rates with the *bottleneck property* (Bertsekas and Gallager,
//! "Data Networks", §6.5.2): every flow is at its bound, or crosses a saturated resource on which no flow has a higher level.
//!
//! # The method
//!
//! The bottleneck property is local, so it can be checked, and repaired, where something changed:
//!
//! 1. Put the new flows in a set `S`; note the resources that flows have left.
//! 2. *Fill*: solve exactly for the flows in `S`, all other rates fixed, by raising a common level (`fill.rs`).
//! 3. *Review* every resource that was touched (`review.rs`): a flow outside `S` that lost its bottleneck, or that has a higher
//!    level than a flow of `S` which is stuck on that resource, joins `S`. When some did, go to 2.
//! 4. All certificates hold, hence the rates are the solution; tell the caller which ones changed.
//!
//! The cost depends on the flows whose rate has to change and on their resources, not on the size of the system.
//! A resource that is not saturated costs nothing for the flows that cross it.

mod fill;
mod maxmin;
#[cfg(test)]
mod naive;
mod review;
#[cfg(test)]
mod tests;

pub(crate) use maxmin::MaxMin;
