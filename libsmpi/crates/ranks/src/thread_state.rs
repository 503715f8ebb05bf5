//! What the C and C++ run-time keep per thread although it belongs to a rank: `errno`, the exceptions in flight
//! (`__cxa_get_globals`), and the program's own thread-local variables.
//!
//! All ranks share one thread, so a switch saves these for the rank that leaves and restores them for the rank that comes.
//! The event loop needs none of them, so leaving a rank saves and entering one restores; thread-local variables are only
//! copied when another rank comes.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;

/// Where the hosting thread keeps the things to swap. Found once, after the programs are loaded.
#[derive(Debug)]
pub struct ThreadSlots {
    errno: *mut i32,
    exceptions: *mut [usize; 2],
    tls: *mut u8,
    tls_len: usize,
    /// Identity of the rank whose thread-local variables are in place.
    tls_owner: Cell<*mut u8>,
}

/// The saved state of one rank.
#[derive(Debug, Default)]
pub struct SavedState {
    errno: i32,
    exceptions: [usize; 2],
    tls: Option<Box<[u8]>>,
}

impl ThreadSlots {
    /// Looks up the slots of the calling thread. `tls_len` is the largest thread-local block of a hosted program.
    ///
    /// # Safety
    /// The `tls_len` bytes below the thread pointer must be free for the ranks' use.
    pub unsafe fn of_this_thread(tls_len: usize) -> ThreadSlots {
        // SAFETY: always valid for the calling thread.
        let errno = unsafe { libc::__errno_location() };
        // SAFETY: looks up a name in the libraries that are loaded.
        let getter = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__cxa_get_globals".as_ptr()) };
        let exceptions = if getter.is_null() {
            ptr::null_mut()
        } else {
            // SAFETY: the Itanium C++ ABI (§2.2.2) fixes this signature; the object begins with two words.
            unsafe {
                let getter: extern "C" fn() -> *mut c_void = std::mem::transmute(getter);
                getter().cast::<[usize; 2]>()
            }
        };
        let tls = (thread_pointer() - tls_len) as *mut u8;
        ThreadSlots { errno, exceptions, tls, tls_len, tls_owner: Cell::new(ptr::null_mut()) }
    }

    /// Puts a rank's state in place before it runs.
    ///
    /// # Safety
    /// Must be called on the thread of [`ThreadSlots::of_this_thread`].
    pub unsafe fn enter(&self, state: &mut SavedState) {
        // SAFETY: the slots belong to this thread and stay for its life.
        unsafe {
            *self.errno = state.errno;
            if !self.exceptions.is_null() {
                *self.exceptions = state.exceptions;
            }
        }
        if let Some(tls) = &mut state.tls
            && self.tls_owner.get() != tls.as_mut_ptr()
        {
            // SAFETY: the previous owner's box is alive as long as its rank, and ranks are never dropped while others run;
            // both blocks have `tls_len` bytes.
            unsafe {
                if !self.tls_owner.get().is_null() {
                    ptr::copy_nonoverlapping(self.tls, self.tls_owner.get(), self.tls_len);
                }
                ptr::copy_nonoverlapping(tls.as_ptr(), self.tls, self.tls_len);
            }
            self.tls_owner.set(tls.as_mut_ptr());
        }
    }

    /// Keeps a rank's state after it ran.
    ///
    /// # Safety
    /// As for [`ThreadSlots::enter`]; `state` must be the one entered last.
    pub unsafe fn leave(&self, state: &mut SavedState) {
        // SAFETY: as in `enter`.
        unsafe {
            state.errno = *self.errno;
            if !self.exceptions.is_null() {
                state.exceptions = *self.exceptions;
            }
        }
    }
}

impl SavedState {
    /// State of a rank that has not run: `tls` is the initial content of its thread-local block (with the length given to
    /// [`ThreadSlots::of_this_thread`]), `None` when no program of the run has thread-local variables.
    pub fn new(tls: Option<Box<[u8]>>) -> SavedState {
        SavedState { errno: 0, exceptions: [0; 2], tls }
    }
}

/// The thread pointer: the address from which the compiler reaches thread-local variables, unique for each thread.
#[inline]
pub fn thread_pointer() -> usize {
    let pointer: usize;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the x86-64 ABI keeps the thread pointer at %fs:0.
    unsafe {
        std::arch::asm!("mov {}, fs:0", out(reg) pointer, options(nostack, preserves_flags, readonly));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: reads a register that user code may read.
    unsafe {
        std::arch::asm!("mrs {}, tpidr_el0", out(reg) pointer, options(nostack, preserves_flags, nomem));
    }
    pointer
}
