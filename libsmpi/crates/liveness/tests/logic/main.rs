//! Tests of formulas, automata and the search.

mod formulas;
mod naive;
mod oracle;
mod systems;
mod words;
