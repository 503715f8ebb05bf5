//! What the processor and the C and C++ run-times keep per thread although it belongs to a rank: `errno`, the
//! exceptions in flight (`__cxa_get_globals`), the floating-point modes, and the program's own thread-local variables.
//!
//! All ranks share one thread, so a switch saves these for the rank that leaves and restores them for the rank that
//! comes. The event loop needs none of them, so leaving a rank saves and entering one restores; thread-local variables
//! are only copied when another rank comes. Those of shared libraries are shared, unless
//! [`ThreadSlots::separate_libraries`] is called.

use crate::library_locals::{LibraryLocals, OwnLocals};
use crate::thread_pointer::thread_pointer;
use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;
use std::ptr;

/// Where the hosting thread keeps the things to swap. Found once, after the programs are loaded.
#[derive(Debug)]
pub struct ThreadSlots {
    errno: *mut i32,
    exceptions: *mut [usize; 2],
    thread_pointer: usize,
    /// The event loop's modes.
    modes: FloatModes,
    /// Whose thread-local variables are in place.
    tls_owner: Cell<TlsBlock>,
    /// Thread-local variables of shared libraries, when they are ranks' own.
    libraries: UnsafeCell<Option<LibraryLocals>>,
}

/// Thread-local variables of a rank's program: where they lie while another rank runs, and their size. While the rank
/// runs they lie directly below the thread pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TlsBlock {
    /// Place in the rank's region.
    pub slot: *mut u8,
    /// Bytes; 0 when the program has no thread-local variables of its own.
    pub len: usize,
}

impl TlsBlock {
    /// The block of a program without thread-local variables.
    pub const NONE: TlsBlock = TlsBlock { slot: ptr::null_mut(), len: 0 };
}

/// The saved state of one rank.
#[derive(Clone, Debug)]
pub struct SavedState {
    errno: i32,
    exceptions: [usize; 2],
    modes: FloatModes,
    tls: TlsBlock,
    /// Thread-local variables of shared libraries where they differ from the event loop's.
    libraries: Option<Box<OwnLocals>>,
}

impl ThreadSlots {
    /// Looks up the slots of the calling thread.
    pub fn of_this_thread() -> ThreadSlots {
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
        ThreadSlots {
            errno,
            exceptions,
            thread_pointer: thread_pointer(),
            modes: FloatModes::read(),
            tls_owner: Cell::new(TlsBlock::NONE),
            libraries: UnsafeCell::new(None),
        }
    }

    /// From now on the thread-local variables of shared libraries are each rank's own, but for those of the library
    /// that has the address `own`; so are the `others`, ranges of libraries' memory that this thread alone uses.
    ///
    /// # Safety
    /// As for [`ThreadSlots::enter`]; no rank may be running.
    pub unsafe fn separate_libraries(&self, own: usize, others: Vec<(*mut u8, usize)>) {
        let mut kept_apart = vec![(self.errno.cast::<u8>(), size_of::<i32>())];
        if !self.exceptions.is_null() {
            kept_apart.push((self.exceptions.cast(), size_of::<[usize; 2]>()));
        }
        // SAFETY: the caller's promise: nobody else uses it now.
        unsafe { *self.libraries.get() = Some(LibraryLocals::of_this_thread(own, others, &kept_apart)) };
    }

    /// Puts a rank's state in place before it runs.
    ///
    /// # Safety
    /// Must be called on the thread of [`ThreadSlots::of_this_thread`]; the `TlsBlock::len` bytes below the thread
    /// pointer must be free for the rank's use.
    #[inline]
    pub unsafe fn enter(&self, state: &SavedState) {
        // SAFETY: the slots belong to this thread and stay for its life.
        unsafe {
            if let Some(libraries) = &mut *self.libraries.get() {
                libraries.enter(state.libraries.as_deref());
            }
            *self.errno = state.errno;
            if !self.exceptions.is_null() {
                *self.exceptions = state.exceptions;
            }
        }
        state.modes.set();
        if state.tls.len != 0 && state.tls != self.tls_owner.get() {
            // SAFETY: the caller's promise; slots lie in regions, which are never unmapped.
            unsafe { self.swap_tls(state.tls) };
        }
    }

    /// Keeps a rank's state after it ran.
    ///
    /// # Safety
    /// As for [`ThreadSlots::enter`]; `state` must be the one entered last.
    #[inline]
    pub unsafe fn leave(&self, state: &mut SavedState) {
        // SAFETY: as in `enter`.
        unsafe {
            state.errno = *self.errno;
            if !self.exceptions.is_null() {
                state.exceptions = *self.exceptions;
            }
            if let Some(libraries) = &*self.libraries.get() {
                libraries.leave(&mut state.libraries);
            }
        }
        state.modes = FloatModes::read();
        if state.modes.differs_in_control(self.modes) {
            self.modes.set();
        }
    }

    /// Puts all thread-local variables of ranks into the ranks' regions.
    ///
    /// # Safety
    /// As for [`ThreadSlots::enter`].
    pub unsafe fn park(&self) {
        if self.tls_owner.get().len != 0 {
            // SAFETY: the caller's promise.
            unsafe { self.swap_tls(TlsBlock::NONE) };
        }
    }

    /// # Safety
    /// As for [`ThreadSlots::enter`].
    unsafe fn swap_tls(&self, new: TlsBlock) {
        let old = self.tls_owner.replace(new);
        // SAFETY: each block has `len` bytes in its slot and, while in place, below the thread pointer.
        unsafe {
            ptr::copy_nonoverlapping((self.thread_pointer - old.len) as *const u8, old.slot, old.len);
            ptr::copy_nonoverlapping(new.slot, (self.thread_pointer - new.len) as *mut u8, new.len);
        }
    }
}

impl SavedState {
    /// State of a rank that has not run. The slot of `tls` holds the initial values of its variables.
    pub fn new(tls: TlsBlock) -> SavedState {
        SavedState { errno: 0, exceptions: [0; 2], modes: FloatModes::read().without_flags(), tls, libraries: None }
    }
}

/// Rounding and trapping modes of the floating-point units, which `fesetround` and `feenableexcept` change, and the
/// flags of exceptions that happened, which `fetestexcept` and Fortran's `STOP` look at. Functions must preserve the
/// modes (System V psABI for x86-64 §3.2.3), so a coroutine switch does not touch them. Flags of the x87 unit are not a
/// rank's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FloatModes {
    /// MXCSR, or FPCR.
    vector: u32,
    /// The x87 control word; 0 elsewhere.
    x87: u16,
}

#[cfg(target_arch = "x86_64")]
impl FloatModes {
    const STATUS_FLAGS: u32 = 0x3f;

    #[inline]
    fn read() -> FloatModes {
        let (mut vector, mut x87) = (0u32, 0u16);
        // SAFETY: both instructions store a register to the given place.
        unsafe {
            std::arch::asm!("stmxcsr [{}]", "fnstcw [{}]", in(reg) &raw mut vector, in(reg) &raw mut x87,
                options(nostack, preserves_flags));
        }
        FloatModes { vector, x87 }
    }

    /// The same modes with no exception flagged.
    fn without_flags(self) -> FloatModes {
        FloatModes { vector: self.vector & !Self::STATUS_FLAGS, ..self }
    }

    /// True when the modes differ, whatever the flags.
    #[inline]
    fn differs_in_control(self, other: FloatModes) -> bool {
        (self.vector ^ other.vector) & !Self::STATUS_FLAGS != 0 || self.x87 != other.x87
    }

    #[inline]
    fn set(self) {
        let now = FloatModes::read();
        // SAFETY: the values were read from the same registers; the modes are the rank's own affair or the event
        // loop's.
        unsafe {
            if now.vector != self.vector {
                std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const self.vector,
                    options(nostack, preserves_flags, readonly));
            }
            if now.x87 != self.x87 {
                std::arch::asm!("fldcw [{}]", in(reg) &raw const self.x87, options(nostack, preserves_flags, readonly));
            }
        }
    }
}

#[cfg(target_arch = "aarch64")]
impl FloatModes {
    #[inline]
    fn read() -> FloatModes {
        let vector: u64;
        // SAFETY: reads a register that user code may read.
        unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) vector, options(nomem, nostack, preserves_flags)) };
        FloatModes { vector: vector as u32, x87: 0 }
    }

    /// The modes have no flags here.
    fn without_flags(self) -> FloatModes {
        self
    }

    #[inline]
    fn differs_in_control(self, other: FloatModes) -> bool {
        self != other
    }

    #[cold]
    fn set(self) {
        // SAFETY: the value was read from the same register.
        unsafe { std::arch::asm!("msr fpcr, {}", in(reg) u64::from(self.vector), options(nomem, nostack)) };
    }
}
