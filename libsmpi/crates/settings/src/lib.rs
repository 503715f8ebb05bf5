//! The settings: what `--cfg=KEY:VALUE` and the tables `[network]` and `[mpi]` of a platform file can say.
//!
//! A setting is one row of `table.rs`: its name, the names that it has in other versions of SMPI, how its value is
//! written, its default, where it has an effect, and what it is. From the row follow the field that holds its value,
//! the parser, the control variable of a tool (`MPI_T`), the suggestion for a misspelt name, `smpirun --help-cfg`, the
//! manual's tables ([`page`]), and the check that it is not given where it does nothing. Who adds a setting adds a row,
//! and reads the field where it has its effect; `cargo xtask codegen` writes the pages, and `cargo xtask test tidy`
//! finds fields that nobody reads.
//!
//! | file | what |
//! |---|---|
//! | `table.rs` | the rows: [`Network`], [`WhatIf`], [`Mpi`], [`Options`] |
//! | `row.rs` | what a row is; what becomes of it: structs that hold values |
//! | `forms.rs`, `factors.rs` | how values are written: times, sizes, factors by size, … |
//! | `modes.rs` | where a setting has an effect |
//! | `find.rs` | the setting of a key, algorithms of collective operations, and what SimGrid has besides |
//! | `page.rs` | the table of the manual and the list of `--help-cfg` |
//!
//! Nothing here knows what a setting does. Which algorithms there are is known by `smpi-mpi`.
#![forbid(unsafe_code)]

mod factors;
mod find;
mod forms;
mod modes;
pub mod page;
#[macro_use]
mod row;
mod table;

pub use factors::FactorTable;
pub use find::{Found, OPERATIONS, find, for_platforms, ignored, known, known_to_platforms, lacking, meant, unknown};
pub use forms::{FatPipes, HostSpeed, Kind, Model, Overhead, Penalties, Value, flag};
pub use modes::{Effect, Mode, Modes};
pub use row::{Group, Row, Scope, Topic, Verbosity, Wrong};
pub use table::{Mpi, Network, Options, WhatIf, rows};
