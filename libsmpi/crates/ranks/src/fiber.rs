//! One rank as a coroutine on its region's stack.
//!
//! Dropping a suspended fiber does not unwind it: its frames are those of C functions, and are simply forgotten.

use corosensei::stack::{Stack, StackPointer};
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::num::NonZeroUsize;
use std::ptr;

/// What a fiber tells the event loop when it gives control back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Switch {
    /// It waits; resume it later.
    Suspended,
    /// It ended with this exit code.
    Exited(i32),
}

/// The lower part of a region as a stack. Invariant: it is what the caller of [`Fiber::new`] promised.
#[derive(Debug)]
struct RegionStack {
    base: StackPointer,
    limit: StackPointer,
}

// SAFETY: the caller of `Fiber::new`, where the only value of this type is made, promises that these addresses are a
// mapped and aligned stack for the fiber's life, and that touching memory below it is fatal.
unsafe impl Stack for RegionStack {
    fn base(&self) -> StackPointer {
        self.base
    }

    fn limit(&self) -> StackPointer {
        self.limit
    }
}

/// A coroutine that runs one rank.
pub struct Fiber {
    coroutine: Coroutine<(), Switch, i32, RegionStack>,
}

/// The way back to the event loop, valid on the fiber's own stack. Invariant: made by [`Fiber::new`] only.
#[derive(Clone, Copy)]
pub struct Home(*const Yielder<(), Switch>);

impl Fiber {
    /// Prepares `body` to run on the stack from `low` to `high`; its result is the exit code.
    ///
    /// # Safety
    /// The stack must be mapped for the fiber's whole life, page-aligned, used by nobody else, and touching memory
    /// below `low` must be fatal. While the fiber is suspended, no frame of `body` may hold a value that needs
    /// dropping, or a borrow: the frames vanish when the fiber is dropped or put back to an earlier state.
    pub unsafe fn new(low: usize, high: usize, body: impl FnOnce(Home) -> i32 + 'static) -> Fiber {
        let address = |a: usize| NonZeroUsize::new(a).expect("regions start above 0");
        let stack = RegionStack { base: address(high), limit: address(low) };
        let coroutine = Coroutine::with_stack(stack, move |yielder, ()| body(Home(yielder)));
        Fiber { coroutine }
    }

    /// Runs the fiber until it suspends or ends. Must not be called again after [`Switch::Exited`].
    #[inline]
    pub fn resume(&mut self) -> Switch {
        match self.coroutine.resume(()) {
            CoroutineResult::Yield(switch) => switch,
            CoroutineResult::Return(code) => Switch::Exited(code),
        }
    }
}

/// Where a suspended fiber goes on. Its registers are on its stack, so this is little more than a stack pointer.
#[derive(Clone)]
pub struct FiberState(Box<[std::mem::MaybeUninit<u8>]>);

impl Fiber {
    /// Where the fiber goes on when it is resumed next.
    pub fn state(&self) -> FiberState {
        let bytes = ptr::from_ref(&self.coroutine).cast::<std::mem::MaybeUninit<u8>>();
        // SAFETY: the bytes of a value that lives as long as `self` is borrowed, read as bytes that need no value.
        FiberState(unsafe { std::slice::from_raw_parts(bytes, size_of_val(&self.coroutine)) }.into())
    }

    /// Puts the fiber back, so that it goes on where it would have then.
    ///
    /// # Safety
    /// `state` must come from [`Fiber::state`] of this fiber, and before the next [`Fiber::resume`] the bytes of its
    /// stack must be those of that moment.
    pub unsafe fn set_state(&mut self, state: &FiberState) {
        let target = ptr::from_mut(&mut self.coroutine).cast::<std::mem::MaybeUninit<u8>>();
        // SAFETY: by the condition of this function the bytes were a valid value of this very object, which has as
        // many; a coroutine holds addresses in its stack and no resources, so overwriting the present value loses
        // nothing.
        unsafe { ptr::copy_nonoverlapping(state.0.as_ptr(), target, state.0.len()) };
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        // SAFETY: by the condition of `Fiber::new` no frame on the stack holds a value that needs dropping. The frames
        // of the program are those of C, which has no destructors that Rust would have to run.
        unsafe { self.coroutine.force_reset() };
    }
}

impl Home {
    /// Where the fiber's stack ends for its program: above is where the event loop's stack was when it resumed the
    /// fiber last.
    pub fn stack_end(self) -> usize {
        self.0.addr()
    }

    /// Switches to the event loop; returns at the next [`Fiber::resume`].
    ///
    /// # Safety
    /// Must be called on the stack of the fiber that was given this value.
    #[inline]
    pub unsafe fn switch(self, message: Switch) {
        // SAFETY: corosensei gave the yielder to the closure in `Fiber::new`; it lives in the first frame of the
        // fiber's stack, on which the caller promises to be.
        unsafe { (*self.0).suspend(message) }
    }
}
