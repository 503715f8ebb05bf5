//! Program images: maps one private copy of an executable per rank into one process.
//!
//! Ranks of an MPI program expect to be processes: each has global variables of its own. Here they share a process, so
//! each needs its own copy of the program and of those libraries that keep its state. The dynamic linker cannot load a
//! program many times; this crate is a loader that can.
//!
//! An ordinary PIE executable is read and checked once ([`Program::open`]): its libraries are opened, and its symbols
//! bound. Its segments, and those of the libraries that every rank gets for itself, are written to a sparse memory
//! file, in which everything that does not depend on the address is already relocated. [`Image::map`] then costs one
//! `mmap` and a few words written per rank; code and untouched data stay shared through the page cache.
//!
//! ```text
//! one memfd per program                     one mapping per rank, `stride` bytes apart
//!
//! 0            +--------------------+       base + 0
//!              | stack (hole)       |       grows down, towards the tail of the region below
//! image_offset +--------------------+
//!              | PT_LOAD segments   |       link-time address v lives at base + image_offset + v - first_address
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
//! What it does not do: it neither runs ranks nor owns their stacks (`smpi-ranks`), exports no symbol (libsmpi exports
//! `_dl_find_object` and asks [`unwind`]), and does not turn addresses into source lines (`smpi-report`).
//!
//! *Invariants.* A file is refused ([`LoadError`]) or read completely: every address taken from it was compared with
//! its segments. The images of two ranks differ only in their addresses.
//!
//! The steps of [`Program::open`], each with its file:
//!
//! | step | file |
//! |---|---|
//! | read and check an executable or a library | `elf_file.rs`, `names.rs`, `dynamic.rs`, `versions.rs` |
//! | find the libraries that are needed, and decide which of them are private | `search.rs`, `cache.rs`, `closure.rs` |
//! | open the others, with what C++ and thread-local variables need | `libraries.rs`, `iostreams.rs`,
//! `static_tls.rs` |
//! | give each file of the image its place | `members.rs`, `layout.rs`, `tls.rs`, `private.rs` |
//! | bind symbols, sort relocations | `relocate.rs`, `resolve.rs` |
//! | write the memory file | `memory_file.rs`, `apply.rs` |
//!
//! Begin with [`Program`] (`program.rs`) and [`Image`] (`image.rs`). Beside them, [`unwind`] answers which image an
//! address belongs to, [`entries`] note where functions are called from, `debugger.rs` tells gdb of all images,
//! `copies.rs` shows them to valgrind, `symbols.rs` names functions, [`exports`] finds those of libraries.
//! *Own address*, *image address* and *run-time address* are told apart in `members.rs` and [`Image::address`].
//!
//! Sources: System V gABI chapters 4 and 5; x86-64 psABI 1.0 chapters 4, 5; Drepper, *ELF Handling For Thread-Local
//! Storage*; glibc manual, "Dynamic Linker Introspection" for `_dl_find_object`.

mod apply;
mod arch;
mod cache;
mod closure;
mod copies;
pub mod debugger;
mod dynamic;
mod elf_file;
pub mod entries;
mod error;
pub mod exports;
mod file;
mod image;
mod iostreams;
mod layout;
mod libraries;
mod members;
mod memory_file;
mod names;
mod pages;
mod private;
mod program;
mod relocate;
mod resolve;
mod search;
mod slots;
mod static_tls;
mod symbol_file;
mod symbols;
mod tls;
pub mod unwind;
mod variables;
mod versions;

pub use arch::enter;
pub use error::{LoadError, NotPie};
pub use image::{Constructor, Image};
pub use layout::{Layout, PAGE, Region};
pub use private::PrivateVariable;
pub use program::{Program, ProgramFile};
pub use resolve::Interpose;
pub use search::own_path;
pub use symbols::{Symbol, SymbolTable, imported};
pub use tls::TlsTemplate;
pub use variables::Variable;
