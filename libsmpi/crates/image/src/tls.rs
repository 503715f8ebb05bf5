//! Thread-local data of the program itself, of the libraries that every rank has for itself, and of all other libraries
//! as seen from these.
//!
//! ```text
//!            block of one rank                     block of the hosting executable (smpirun), its pad included
//!   tp - S   +-----------------+   tp        tp - M   +-----------------------------------+   tp
//!            | .tdata · .tbss  |                      | …     [ pad: >= tls_limit bytes ]  |
//! ```
//! The block of a rank has the executable's variables at its end, and those of private libraries before them: as if all
//! had been loaded at the program's start, where no code needs a dynamic block.
//!
//! The compiler's *local-exec* code addresses the program's variables at negative offsets from the thread pointer `tp`,
//! where the executable's `S` is its block's size rounded to its alignment. All ranks run on one thread, so the owner
//! of the ranks copies the bytes `[tp - S, tp)` out and in when it switches; each region has a prefilled place for
//! them.
//!
//! Code that was not relaxed to local-exec asks `__tls_get_addr(module, offset)`. The program answers with module 1,
//! the hosting executable, whose block begins at `tp - M`: an offset `v` in a block that begins at `tp - S` is `v + M -
//! S` there.
//!
//! Variables of other libraries stay what they are: one per thread, shared by the ranks. Their offset from `tp` is
//! taken on the thread that opens the program, which must be the thread that runs the ranks; where `static_tls` has got
//! them a constant place, it holds on every thread.

use crate::arch;
use crate::elf_file::ElfFile;
use crate::error::LoadError;
use std::ffi::c_void;

/// Shape of a program's thread-local block; its initial contents lie in every region, see [`crate::Image::tls_slot`].
#[derive(Clone, Copy, Debug)]
pub struct TlsTemplate {
    /// Distance from the block's first byte to the thread pointer; 0 when the program has no thread-local data.
    pub size: usize,
    /// Alignment of the block.
    pub align: usize,
}

impl TlsTemplate {
    /// Refuses what does not fit below the thread pointer: the block up to and including that of `last`.
    pub(crate) fn check(&self, last: &ElfFile, limit: usize) -> Result<(), LoadError> {
        if self.size > limit {
            return Err(LoadError::TlsTooLarge { path: last.path.clone(), size: self.size, limit });
        }
        if !arch::thread_pointer().is_multiple_of(self.align) {
            return Err(LoadError::TlsAlignment { path: last.path.clone(), align: self.align });
        }
        Ok(())
    }
}

/// Number of the TLS module through which the program's general-dynamic accesses go.
pub(crate) const MAIN_MODULE: u64 = 1;

/// Offset of a thread-local address of this thread from the thread pointer.
pub(crate) fn offset_of_address(address: usize) -> u64 {
    address.wrapping_sub(arch::thread_pointer()) as u64
}

/// Offset in TLS module 1 of what lies at an offset from the thread pointer.
pub(crate) fn module_offset(thread_offset: u64) -> u64 {
    thread_offset.wrapping_sub(main_module_offset())
}

/// Where the block of module 1 begins, relative to the thread pointer (−M in the drawing).
fn main_module_offset() -> u64 {
    #[repr(C)]
    struct TlsIndex {
        module: u64,
        offset: u64,
    }
    unsafe extern "C" {
        fn __tls_get_addr(index: *const TlsIndex) -> *mut c_void;
    }
    let index = TlsIndex { module: MAIN_MODULE, offset: 0 };
    // SAFETY: there is a module 1, the first loaded object with thread-local data, because libc and Rust's standard
    // library have such data; `__tls_get_addr` reads the index, which lives, and answers an address of this thread.
    let address = unsafe { __tls_get_addr(&index) } as usize;
    offset_of_address(address)
}
