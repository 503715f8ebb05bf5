//! Weighted max-min fairness with per-flow bounds.
mod maxmin;

pub(crate) use maxmin::MaxMin;
