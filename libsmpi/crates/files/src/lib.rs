//! Files of MPI (MPI 5.0 chapter 14): what is known of them without any rank's memory, process or clock.
//!
//! - `amode`: access modes; `hints`: info keys; `failure`: what the system's errors are in MPI;
//! - `view`: which bytes of a file a rank sees, from its displacement, etype and filetype;
//! - `store`: where files are, as a trait; `posix`: the disk, or what a program that is explored has
//!   instead;
//! - `transfer`: moves data between a stream of bytes and the places that a view gives them; `together`: the same for
//!   several ranks at once;
//! - `layout`: how a file is spread over servers, and over ranks that access it for others;
//! - `table`: open files, and what ranks tell each other about them.
//!
//! The crate stands on `smpi-mpi` for datatypes, info objects and errors, and nothing below it knows of files.
#![forbid(unsafe_code)]

pub mod amode;
pub mod failure;
pub mod hints;
pub mod layout;
pub mod posix;
pub mod store;
pub mod table;
pub mod together;
pub mod transfer;
pub mod view;

pub use amode::Amode;
pub use hints::Shape;
pub use store::{Number, Store};
pub use table::{Files, Id};
pub use together::Share;
pub use transfer::Moved;
pub use view::View;
