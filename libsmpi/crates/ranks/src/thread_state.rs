//! What the processor and the C and C++ run-times keep per thread although it belongs to a rank: `errno`, the
//! exceptions that are being handled (`__cxa_get_globals`), the floating-point modes, and the program's own
//! thread-local variables.
//!
//! All ranks share one thread, so these are saved when a rank stops, and restored before it runs again. The event loop
//! needs none of them. The program's thread-local variables are only copied when another rank runs next. Those of
//! shared libraries are shared by the ranks, unless [`ThreadSlots::separate_libraries`] is called.

use crate::library_locals::{LibraryLocals, OwnLocals};
use crate::thread_pointer::thread_pointer;
use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;
use std::ptr;

/// Where the hosting thread has what is exchanged. Made once, after the programs are loaded. It stays on that thread:
/// it is neither `Send` nor `Sync`.
#[derive(Debug)]
pub struct ThreadSlots {
    /// Invariant: the calling thread's, which has it for its life.
    errno: *mut i32,
    /// Invariant: null, or as for `errno`.
    exceptions: *mut [usize; 2],
    /// Invariant: that of the thread.
    thread_pointer: usize,
    /// The event loop's modes.
    modes: FloatModes,
    /// Whose thread-local variables are in place.
    tls_owner: Cell<TlsBlock>,
    /// Thread-local variables of shared libraries, when they are ranks' own. Invariant: no reference to it outlives the
    /// call of a method that made it.
    libraries: UnsafeCell<Option<LibraryLocals>>,
}

/// Thread-local variables of a rank's program: where they lie while another rank runs, and their size. While the rank
/// runs they lie directly below the thread pointer.
#[derive(Clone, Copy, Hash, Debug, PartialEq)]
pub struct TlsBlock {
    /// Place in the rank's region.
    slot: *mut u8,
    /// Bytes; 0 when the program has no thread-local variables of its own.
    len: usize,
}

impl TlsBlock {
    /// The block of a program without thread-local variables.
    pub const NONE: TlsBlock = TlsBlock { slot: ptr::null_mut(), len: 0 };

    /// The block of a rank whose program has `len` bytes of thread-local variables. At `slot` are their initial values.
    ///
    /// # Safety
    /// From now on `len` bytes at `slot` stay mapped and belong to the block alone, and so do, for the ranks together,
    /// the `len` bytes below the thread pointer of the hosting thread.
    pub unsafe fn new(slot: *mut u8, len: usize) -> TlsBlock {
        if len == 0 { TlsBlock::NONE } else { TlsBlock { slot, len } }
    }
}

/// The saved state of one rank.
#[derive(Clone, Hash, Debug)]
pub struct SavedState {
    errno: i32,
    exceptions: [usize; 2],
    modes: FloatModes,
    tls: TlsBlock,
    /// Thread-local variables of shared libraries where they differ from the event loop's.
    libraries: Option<Box<OwnLocals>>,
}

impl ThreadSlots {
    /// Finds the slots of the calling thread.
    pub fn of_this_thread() -> ThreadSlots {
        // SAFETY: no conditions; libc answers the address of this thread's variable.
        let errno = unsafe { libc::__errno_location() };
        // SAFETY: the name ends with a zero.
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
    /// No rank may be running. The `others` must stay mapped, and no reference to them may be held across a switch. No
    /// library may be unloaded that is loaded now.
    pub unsafe fn separate_libraries(&self, own: usize, others: Vec<(*mut u8, usize)>) {
        let mut kept_apart = vec![(self.errno.cast::<u8>(), size_of::<i32>())];
        if !self.exceptions.is_null() {
            kept_apart.push((self.exceptions.cast(), size_of::<[usize; 2]>()));
        }
        // SAFETY: `self` does not leave its thread, which is in this method and so in no other one that uses the cell.
        // `others` and the libraries are as `of_this_thread` wants them, by the condition of this function.
        unsafe { *self.libraries.get() = Some(LibraryLocals::of_this_thread(own, others, &kept_apart)) };
    }

    /// Puts a rank's state in place before it runs.
    ///
    /// # Safety
    /// No rank may be running, and `state` must be what [`ThreadSlots::leave`] has kept of this rank last, or what it
    /// had kept when the rank's memory was what it is now (or a new one, when the rank has not run). Until `leave`,
    /// nobody else on this thread may rely on what is put in place.
    #[inline]
    pub unsafe fn enter(&self, state: &SavedState) {
        // SAFETY: `self` does not leave its thread, so the slots are this thread's, and no other method that uses the
        // cell is running. What the caller promises of `state` is what `LibraryLocals::enter` asks.
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
            // SAFETY: no rank is running, by the condition of this function.
            unsafe { self.swap_tls(state.tls) };
        }
    }

    /// Keeps a rank's state after it ran.
    ///
    /// # Safety
    /// `state` must be the one that [`ThreadSlots::enter`] was called with last, and its rank must have stopped running
    /// since.
    #[inline]
    pub unsafe fn leave(&self, state: &mut SavedState) {
        // SAFETY: `self` does not leave its thread, so the slots are this thread's, and no other method that uses the
        // cell is running. `LibraryLocals::enter` was called for the same rank, by `enter`.
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
    /// No rank may be running.
    pub unsafe fn park(&self) {
        if self.tls_owner.get().len != 0 {
            // SAFETY: no rank is running, by the condition of this function.
            unsafe { self.swap_tls(TlsBlock::NONE) };
        }
    }

    /// Exchanges the thread-local variables that are in place.
    ///
    /// # Safety
    /// No rank may be running.
    unsafe fn swap_tls(&self, new: TlsBlock) {
        let old = self.tls_owner.replace(new);
        // SAFETY: `TlsBlock::new` was promised, of both blocks, their bytes in the slot and below the pointer of this
        // thread, which no rank that runs is using; the slot is in a region, the other place in the thread's block.
        // The block without bytes is copied from and to nowhere.
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
/// modes (System V psABI for x86-64 §3.2.3), so a coroutine switch does not touch them.
#[derive(Clone, Copy, Hash, Debug, PartialEq, Eq)]
struct FloatModes {
    /// MXCSR, or FPCR.
    vector: u32,
    /// The x87 control word; 0 elsewhere.
    x87: u16,
    /// Flags in the x87 status word; 0 elsewhere.
    x87_flags: u16,
}

#[cfg(target_arch = "x86_64")]
impl FloatModes {
    const STATUS_FLAGS: u32 = 0x3f;

    #[inline]
    fn read() -> FloatModes {
        let (mut vector, mut x87, mut status) = (0u32, 0u16, 0u16);
        // SAFETY: each instruction stores a register of the size of its variable, which lives.
        unsafe {
            std::arch::asm!("stmxcsr [{}]", "fnstcw [{}]", "fnstsw [{}]", in(reg) &raw mut vector,
                in(reg) &raw mut x87, in(reg) &raw mut status, options(nostack, preserves_flags));
        }
        FloatModes { vector, x87, x87_flags: status & Self::STATUS_FLAGS as u16 }
    }

    /// The same modes with no exception flagged.
    fn without_flags(self) -> FloatModes {
        FloatModes { vector: self.vector & !Self::STATUS_FLAGS, x87_flags: 0, ..self }
    }

    /// True when the modes differ, whatever the flags.
    #[inline]
    fn differs_in_control(self, other: FloatModes) -> bool {
        (self.vector ^ other.vector) & !Self::STATUS_FLAGS != 0 || self.x87 != other.x87
    }

    #[inline]
    fn set(self) {
        let now = FloatModes::read();
        // SAFETY: only `read` makes such values, from the same registers, so no reserved bit is set; and `leave` puts
        // the event loop's modes back before the event loop computes.
        unsafe {
            if now.vector != self.vector {
                std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const self.vector,
                    options(nostack, preserves_flags, readonly));
            }
            if now.x87_flags != self.x87_flags {
                self.set_x87_flags();
            }
            if now.x87 != self.x87 {
                std::arch::asm!("fldcw [{}]", in(reg) &raw const self.x87, options(nostack, preserves_flags, readonly));
            }
        }
    }

    /// Sets control word and flags of the x87 unit.
    ///
    /// # Safety
    /// As for [`FloatModes::set`].
    #[cold]
    unsafe fn set_x87_flags(self) {
        /// Where the environment has its status word, in words of 16 bits (Intel SDM, volume 1, §8.1.10).
        const STATUS_AT: usize = 2;
        let mut environment = [0u16; 14];
        // SAFETY: the instruction stores 28 bytes, for which there is room, and masks all exceptions; the second loads
        // what the first has stored, with what `read` has made of the same registers.
        unsafe {
            std::arch::asm!("fnstenv [{}]", in(reg) &raw mut environment, options(nostack, preserves_flags));
            environment[0] = self.x87;
            environment[STATUS_AT] = environment[STATUS_AT] & !(Self::STATUS_FLAGS as u16) | self.x87_flags;
            std::arch::asm!("fldenv [{}]", in(reg) &raw const environment, options(nostack, preserves_flags, readonly));
        }
    }
}

#[cfg(target_arch = "aarch64")]
impl FloatModes {
    #[inline]
    fn read() -> FloatModes {
        let vector: u64;
        // SAFETY: reads a register that code of users may read.
        unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) vector, options(nomem, nostack, preserves_flags)) };
        FloatModes { vector: vector as u32, x87: 0, x87_flags: 0 }
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
        // SAFETY: only `read` makes such values, from the same register.
        unsafe { std::arch::asm!("msr fpcr, {}", in(reg) u64::from(self.vector), options(nomem, nostack)) };
    }
}
