//! Program images: maps one private copy of an executable per rank into one process.
//!
//! An ordinary PIE executable is read and checked once ([`Program::open`]): its libraries are opened, its symbols
//! bound, its segments and those of the libraries that every rank shall have for itself flattened into a sparse memfd
//! in which everything that does not depend on the address is already relocated. [`Image::map`] then costs
//! one `mmap` and a few words written per rank; text and untouched data stay shared through the page cache.
//!
//! ```text
//! one memfd per program                     one mapping per rank, `stride` bytes apart
//!
//! 0            +--------------------+       base + 0
//!              | stack (hole)       |       grows down, towards the tail of the region below
//! image_offset +--------------------+
//!              | flattened PT_LOADs |       link-time address v lives at base + image_offset + v - first_address
//!              | private libraries  |       theirs follow, see `members`
//!              | cells · TLS block  |       private copies of libc's variables, thread-local data while descheduled
//! arena_offset +--------------------+
//!              | small arena (hole) |
//! file end     +--------------------+
//!                                   .       tail: beyond the end of the file, every access raises SIGBUS;
//!                                   .       the guard of the next region's stack, and room for a larger heap
//! stride                            .       base + stride = the next region
//! ```
//!
//! What it does not do: it neither runs ranks nor owns their stacks (`ranks`), exports no symbol (`libsmpi` exports
//! `_dl_find_object` and forwards to [`unwind`]), and does not turn addresses into source lines (`report`).
//!
//! Sources: System V gABI chapters 4 and 5; x86-64 psABI 1.0 chapters 4, 5; Drepper, *ELF Handling For Thread-Local
//! Storage*; glibc manual, "Dynamic Linker Introspection" for `_dl_find_object`.

mod arch;
mod cache;
mod closure;
pub mod debugger;
mod dynamic;
mod error;
mod file;
mod flatten;
mod image;
mod iostreams;
mod layout;
mod libraries;
mod members;
mod pages;
mod parse;
mod private;
mod program;
mod relocate;
mod resolve;
mod search;
mod settle;
mod static_tls;
mod symbol_file;
mod symbols;
mod tls;
pub mod unwind;
mod versions;

pub use arch::enter;
pub use error::{LoadError, NotPie};
pub use image::{Constructor, Image};
pub use layout::{Layout, PAGE, Region};
pub use private::PrivateVariable;
pub use program::{Program, ProgramFile};
pub use resolve::Interpose;
pub use symbols::{Symbol, SymbolTable, imported};
pub use tls::TlsTemplate;
