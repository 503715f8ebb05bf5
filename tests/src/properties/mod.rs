//! Random programs and formulas about them: with and without the reduction, fair and unfair, with both kinds of
//! buffering, `smpirun --ltl` must say what a model of the program says that shares nothing with it but the search.
//!
//! Programs are words for the interpreter `tests/programs/verify/ltl_script.c`, made by [`generate`], run by
//! [`compare`] and by the model in [`model`].

pub mod compare;
pub mod generate;
pub mod model;
