//! Tests of formulas, automata and the search.

mod claims;
mod formulas;
mod hoa;
mod naive;
mod oracle;
mod patterns;
mod reduced;
mod searches;
mod systems;
mod words;
