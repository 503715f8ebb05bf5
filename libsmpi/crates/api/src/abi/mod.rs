//! Types and constants of the C ABI, and what the large-count forms differ in.
#![allow(non_camel_case_types, reason = "the names are the standard's")]

pub mod counts;

pub use counts::*;
pub use smpi_abi::c::*;
pub use smpi_abi::c::{constants, types};
