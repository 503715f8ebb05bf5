//! Weighted max-min fairness with per-flow bounds, solved incrementally.
//!
//! # The problem
//!
//! Flow `f` has a penalty `p_f > 0` and a bound `b_f`; it consumes `a_rf > 0` of resource `r` per unit of its rate
//! `x_f`. Resource `r` has a capacity `C_r`. Call `z_f = p_f x_f` the *level* of a flow. Wanted are the rates with
//!
//! ```text
//! Σ_f a_rf x_f ≤ C_r      0 ≤ x_f ≤ b_f      and the vector of levels is max-min fair:
//!                         no level can be raised without lowering one that is not higher.
//! ```
//!
//! They exist, are unique, and are the only feasible rates with the *bottleneck property* (Bertsekas and Gallager,
//! "Data Networks", §6.5.2): every flow is at its bound, or crosses a saturated resource on which no flow has a higher
//! level.
//!
//! # The method
//!
//! The flows that resource `r` certifies are its *class*. They have one level `λ_r`, and the bottleneck property reads:
//!
//! ```text
//! x_f = w_f λ_r   for f in class r, w_f = 1 / p_f          Σ_q A_rq λ_q + Σ_{f at its bound} a_rf b_f = C_r
//! λ_r ≥ the level of every flow on r                       A_rq = Σ_{f in class q} a_rf w_f   (column of class q)
//! ```
//!
//! So a solution needs one number per resource, not one per flow. In the order of the levels the system is triangular:
//! a flow that crosses `r` and is not of its class has a level of at most `λ_r`. And as all flows of a class run on one
//! virtual clock, their ends keep their order when the level changes (`class.rs`). The property is local, so it can be
//! checked, and repaired, where something changed:
//!
//! 1. Put the classes of the resources that flows have left or come to in a set `S`, with a likely class for each new
//!    flow, and with every class of a resource that a class of `S` crosses (`membership.rs`).
//! 2. *Fill*: solve exactly for the classes in `S`, all other levels fixed, by raising a common level; flows that
//!    meet another full resource first change their class (`fill.rs`).
//! 3. *Review*: a flow outside `S` that has a higher level than the class of a resource of `S` has to yield; its class
//!    joins `S` (`review.rs`). When there was one, go to 2.
//! 4. All certificates hold, hence the levels are the solution; give the classes their dates (`ends.rs`).
//!
//! `S` only grows, so this ends. The cost depends on the classes whose level has to change, on their columns and on the
//! flows that change their class, not on the size of the system. In strongly coupled systems (everybody sends to
//! everybody) nearly all rates change whenever a flow ends, and what that costs is the product and sum of a cell, about
//! a nanosecond. A resource that is far from being full costs nothing for the flows that cross it (`quiet.rs`): so when
//! one of many flows over a shared link ends, that link alone is looked at, whatever else they cross.

mod candidates;
mod change;
mod class;
mod ends;
mod fill;
mod maxmin;
mod membership;
#[cfg(test)]
mod naive;
mod quiet;
mod review;
#[cfg(test)]
mod tests;

pub(crate) use maxmin::MaxMin;
