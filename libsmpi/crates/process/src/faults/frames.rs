//! Walks the stack for frames of the program, with the unwinder that C++ exceptions use.

use crate::state;
use smpi_image::unwind::{self, Location};
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::ptr;

/// Frames to look at for one of the program's.
const FRAMES: usize = 64;
/// Frames of other libraries to go through on the way to the program.
const DEEPEST: usize = 4096;

unsafe extern "C" {
    fn _Unwind_Backtrace(each: extern "C" fn(*mut c_void, *mut c_void) -> c_int, argument: *mut c_void) -> c_int;
    fn _Unwind_GetIPInfo(context: *mut c_void, before_instruction: *mut c_int) -> usize;
    fn _Unwind_GetCFA(context: *mut c_void) -> usize;
}

/// What a callback of the unwinder answers (`_URC_NO_REASON`, `_URC_NORMAL_STOP`).
const GO_ON: c_int = 0;
const STOP: c_int = 4;

/// A function's frame.
struct Frame {
    address: usize,
    /// True when the address is of the instruction that was interrupted, not a return address.
    exact: bool,
    /// The stack pointer of the function there, where it called.
    stack_pointer: usize,
}

/// What the unwinder looks for and collects.
struct Walk {
    is_wanted: fn(&Location) -> bool,
    left: usize,
    found: Option<Frame>,
}

extern "C" fn step(context: *mut c_void, walk: *mut c_void) -> c_int {
    // SAFETY: the unwinder passes the argument of `innermost`, which lives there, and a context of its own.
    let (walk, address, exact) = unsafe {
        let mut exact = 0;
        let address = _Unwind_GetIPInfo(context, &mut exact);
        (&mut *walk.cast::<Walk>(), address, exact != 0)
    };
    if unwind::find(address).as_ref().is_some_and(walk.is_wanted) {
        // SAFETY: the unwinder's own context. In this callback the address is the end of the frame that was called: its
        // caller's stack pointer.
        let stack_pointer = unsafe { _Unwind_GetCFA(context) };
        walk.found = Some(Frame { address, exact, stack_pointer });
        return STOP;
    }
    walk.left -= 1;
    if walk.left == 0 { STOP } else { GO_ON }
}

/// The innermost frame in the user's part of an image.
fn innermost_frame() -> Option<Frame> {
    innermost(Location::in_users_code)
}

fn innermost(is_wanted: fn(&Location) -> bool) -> Option<Frame> {
    let mut walk = Walk { is_wanted, left: FRAMES, found: None };
    // SAFETY: Itanium C++ ABI §1.6: the callback gets `walk` while the call lasts.
    unsafe { _Unwind_Backtrace(step, ptr::from_mut(&mut walk).cast()) };
    walk.found
}

/// An address in the innermost function of the program, or of any private library of it, that called us.
pub fn caller() -> Option<usize> {
    innermost(|location| location.in_image).map(|frame| frame.address)
}

/// The part of the calling rank's stack that no function of the program uses any more, from and up to; `None` where
/// the program runs on a stack of its own.
pub fn frames_left() -> Option<(usize, usize)> {
    let record = state::current()?;
    let base = record.image.region();
    let top = innermost_frame()?.stack_pointer;
    (base..base + record.image.program().region().stack_len).contains(&top).then_some((base, top))
}

/// Image address of the innermost instruction of the program, or of a private library, on this stack.
pub fn link_address() -> Option<u64> {
    let frame = innermost_frame()?;
    image_address(frame.address, frame.exact)
}

/// Image address of the instruction of a frame in the user's part of an image.
fn image_address(address: usize, exact: bool) -> Option<u64> {
    let location = unwind::find(address).filter(Location::in_users_code)?;
    // A return address is the instruction after the call; the one before it belongs to the call.
    Some(address.wrapping_sub(location.bias).wrapping_sub(usize::from(!exact)) as u64)
}

/// What [`link_addresses`] collects.
struct Gathered {
    left: usize,
    addresses: Vec<u64>,
}

extern "C" fn gather(context: *mut c_void, gathered: *mut c_void) -> c_int {
    // SAFETY: the unwinder passes the argument of `link_addresses`, which lives there, and a context of its own.
    let (gathered, address, exact) = unsafe {
        let mut exact = 0;
        let address = _Unwind_GetIPInfo(context, &mut exact);
        (&mut *gathered.cast::<Gathered>(), address, exact != 0)
    };
    gathered.addresses.extend(image_address(address, exact));
    gathered.left -= 1;
    if gathered.left == 0 { STOP } else { GO_ON }
}

/// Image addresses of the program's instructions on this stack, as of [`link_address`], from the innermost on.
pub fn link_addresses() -> Vec<u64> {
    let mut gathered = Gathered { left: FRAMES, addresses: Vec::new() };
    // SAFETY: Itanium C++ ABI §1.6: the callback gets `gathered` while the call lasts.
    unsafe { _Unwind_Backtrace(gather, ptr::from_mut(&mut gathered).cast()) };
    gathered.addresses
}

/// Looks for the program below the frames of a handler.
struct Search {
    own: Range<usize>,
    /// The frame that was interrupted has been seen; those before it are the handler's.
    interrupted: bool,
    left: usize,
    outside: bool,
}

extern "C" fn search_frame(context: *mut c_void, search: *mut c_void) -> c_int {
    // SAFETY: the unwinder passes the argument of `interrupted_outside`, which lives there, and a context of its own.
    let (search, address, exact) = unsafe {
        let mut exact = 0;
        let address = _Unwind_GetIPInfo(context, &mut exact);
        (&mut *search.cast::<Search>(), address, exact != 0)
    };
    search.interrupted |= exact;
    search.left -= 1;
    if !search.interrupted {
        return if search.left == 0 { STOP } else { GO_ON };
    }
    search.outside = unwind::find(address).is_some_and(|location| location.in_users_code());
    if search.outside || search.own.contains(&address) || search.left == 0 { STOP } else { GO_ON }
}

/// Whether the code that a signal interrupted was called by the program without code at the addresses `own` in between.
/// To be asked in the signal's handler.
pub fn interrupted_outside(own: &Range<usize>) -> bool {
    let mut search = Search { own: own.clone(), interrupted: false, left: DEEPEST, outside: false };
    // SAFETY: Itanium C++ ABI §1.6: the callback gets `search` while the call lasts.
    unsafe { _Unwind_Backtrace(search_frame, ptr::from_mut(&mut search).cast()) };
    search.outside
}
