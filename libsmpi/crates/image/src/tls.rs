//! Thread-local data of the program itself, and of libraries as seen from the program.
//!
//! ```text
//!            block of one rank                     block of the hosting executable (smpirun), its pad included
//!   tp - S   +-----------------+   tp        tp - M   +-----------------------------------+   tp
//!            | .tdata · .tbss  |                      | …     [ pad: >= tls_limit bytes ]  |
//! ```
//! The compiler's *local-exec* code addresses the program's variables at negative offsets from the thread pointer `tp`,
//! where `S` is the block's size rounded to its alignment. All ranks run on one thread, so the owner of the ranks copies
//! the bytes `[tp - S, tp)` out and in when it switches; each region has a prefilled place for them.
//!
//! Code that was not relaxed to local-exec asks `__tls_get_addr(module, offset)`. The program answers with module 1, the
//! hosting executable, whose block begins at `tp - M`: an offset `v` in the program's block is `v + M - S` there.
//!
//! Variables of shared libraries stay what they are: one per thread, shared by the ranks. Their offset from `tp` is taken
//! on the thread that opens the program, which must be the thread that runs the ranks.

use crate::arch;
use crate::error::LoadError;
use crate::parse::Parsed;
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
    /// Takes the template from the program, or refuses what does not fit below the thread pointer.
    pub(crate) fn new(parsed: &Parsed, limit: usize) -> Result<TlsTemplate, LoadError> {
        let Some(tls) = parsed.tls else { return Ok(TlsTemplate { size: 0, align: 16 }) };
        let size = tls.block_size();
        if size > limit {
            return Err(LoadError::TlsTooLarge { path: parsed.path.clone(), size, limit });
        }
        if !arch::thread_pointer().is_multiple_of(tls.align) {
            return Err(LoadError::TlsAlignment { path: parsed.path.clone(), align: tls.align });
        }
        Ok(TlsTemplate { size, align: tls.align })
    }

    /// Offset from the thread pointer of the variable at `value` in the program's block.
    pub fn thread_offset(&self, value: u64) -> u64 {
        value.wrapping_sub(self.size as u64)
    }

    /// Offset in TLS module 1 of the variable at `value` in the program's block.
    pub(crate) fn module_offset(&self, value: u64) -> u64 {
        self.thread_offset(value).wrapping_sub(main_module_offset())
    }
}

/// Exchanges `size` bytes at `slot` with the `size` bytes below the thread pointer.
///
/// # Safety
/// Both ranges are valid, do not overlap, and nothing uses the latter meanwhile.
pub(crate) unsafe fn exchange(slot: *mut u8, size: usize) {
    let block = (arch::thread_pointer() - size) as *mut u8;
    // SAFETY: the caller's promise.
    unsafe { std::ptr::swap_nonoverlapping(slot, block, size) };
}

/// Number of the TLS module through which the program's general-dynamic accesses go.
pub(crate) const MAIN_MODULE: u64 = 1;

/// Offset of a thread-local address of this thread from the thread pointer.
pub(crate) fn offset_of_address(address: usize) -> u64 {
    address.wrapping_sub(arch::thread_pointer()) as u64
}

/// Offset in TLS module 1 of a thread-local address of this thread.
pub(crate) fn module_offset_of_address(address: usize) -> u64 {
    offset_of_address(address).wrapping_sub(main_module_offset())
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
    // SAFETY: module 1 is the hosting executable's or the first loaded object's; it exists because Rust's standard
    // library and libc have thread-local data, and `__tls_get_addr` only reads the index.
    let address = unsafe { __tls_get_addr(&index) } as usize;
    offset_of_address(address)
}
