//! Walks the stack for frames of the program, with the unwinder that C++ exceptions use.

use super::guard;
use smpi_image::unwind::{self, Location};
use std::ffi::{c_int, c_void};
use std::ops::{ControlFlow, Range};
use std::ptr;

/// Frames to look at for one of the program's.
const FRAMES: usize = 64;
/// Frames in which a variable is looked for.
const FRAMES_ABOVE: usize = 256;
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
    /// The end of the frame that was called: the function's own stack pointer, where it called.
    stack_pointer: usize,
}

/// A walk of the unwinder: frames that it still looks at, and what is done with each.
struct Walk<'a> {
    left: usize,
    each: &'a mut dyn FnMut(Frame) -> ControlFlow<()>,
}

extern "C" fn step(context: *mut c_void, walk: *mut c_void) -> c_int {
    // SAFETY: the unwinder passes the argument of `walk`, which lives there, and a context of its own.
    let (walk, frame) = unsafe {
        let mut exact = 0;
        let address = _Unwind_GetIPInfo(context, &mut exact);
        (&mut *walk.cast::<Walk>(), Frame { address, exact: exact != 0, stack_pointer: _Unwind_GetCFA(context) })
    };
    walk.left -= 1;
    if (walk.each)(frame).is_break() || walk.left == 0 { STOP } else { GO_ON }
}

/// Shows the frames of this stack, from the innermost on: at most `most`, and as long as `each` goes on.
fn walk(most: usize, mut each: impl FnMut(Frame) -> ControlFlow<()>) {
    let mut walk = Walk { left: most, each: &mut each };
    guard::attempt(&mut || {
        // SAFETY: Itanium C++ ABI §1.6: the callback gets `walk` while the call lasts.
        unsafe { _Unwind_Backtrace(step, ptr::from_mut(&mut walk).cast()) };
    });
}

/// The innermost frame in the user's part of an image.
fn innermost_frame() -> Option<Frame> {
    innermost(Location::in_users_code)
}

fn innermost(is_wanted: fn(&Location) -> bool) -> Option<Frame> {
    let mut found = None;
    walk(FRAMES, |frame| {
        if !unwind::find(frame.address).as_ref().is_some_and(is_wanted) {
            return ControlFlow::Continue(());
        }
        found = Some(frame);
        ControlFlow::Break(())
    });
    found
}

/// An address in the innermost function of the program, or of any private library of it, that called us.
pub fn caller() -> Option<usize> {
    innermost(|location| location.in_image).map(|frame| frame.address)
}

/// Where the stack pointer of the program's innermost function was when it called us.
pub fn stack_pointer() -> Option<usize> {
    Some(innermost_frame()?.stack_pointer)
}

/// A frame of a function of the program.
pub struct ProgramFrame {
    /// Image address of the call by which the function left it.
    pub call: u64,
    /// From its stack pointer there to where its caller's frame begins (DWARF 5 §6.4: the canonical frame address).
    pub range: Range<usize>,
}

/// The frame in which an address of this stack lies, if it is one of the user's code.
pub fn frame_around(address: usize) -> Option<ProgramFrame> {
    let (mut below, mut found): (Option<Frame>, _) = (None, None);
    walk(FRAMES_ABOVE, |frame| {
        // The frames that a walk comes to are ever higher.
        if let Some(below) = below.take_if(|_| address < frame.stack_pointer) {
            if address >= below.stack_pointer {
                let range = below.stack_pointer..frame.stack_pointer;
                found = image_address(&below).map(|call| ProgramFrame { call, range });
            }
            return ControlFlow::Break(());
        }
        below = Some(frame);
        ControlFlow::Continue(())
    });
    found
}

/// Image address of the innermost instruction of the program, or of a private library, on this stack.
pub fn link_address() -> Option<u64> {
    image_address(&innermost_frame()?)
}

/// Image address of the instruction of a frame in the user's part of an image.
fn image_address(frame: &Frame) -> Option<u64> {
    let location = unwind::find(frame.address).filter(Location::in_users_code)?;
    // A return address is the instruction after the call; the one before it belongs to the call.
    Some(frame.address.wrapping_sub(location.bias).wrapping_sub(usize::from(!frame.exact)) as u64)
}

/// Image address of the call that returns to an address of the program.
pub fn site_of_return(address: usize) -> Option<u64> {
    image_address(&Frame { address, exact: false, stack_pointer: 0 })
}

/// Image address of an instruction of the program.
pub fn site_at(address: usize) -> Option<u64> {
    image_address(&Frame { address, exact: true, stack_pointer: 0 })
}

/// Image addresses of the program's instructions on this stack, as of [`link_address`], from the innermost on.
pub fn link_addresses() -> Vec<u64> {
    let mut addresses = Vec::new();
    walk(FRAMES, |frame| {
        addresses.extend(image_address(&frame));
        ControlFlow::Continue(())
    });
    addresses
}

/// Whether the code that a signal interrupted was called by the program without code at the addresses `own` in between.
/// To be asked in the signal's handler.
pub fn interrupted_outside(own: &Range<usize>) -> bool {
    // Frames before the one that was interrupted are the handler's.
    let (mut interrupted, mut outside) = (false, false);
    walk(DEEPEST, |frame| {
        interrupted |= frame.exact;
        outside = interrupted && unwind::find(frame.address).is_some_and(|location| location.in_users_code());
        if outside || interrupted && own.contains(&frame.address) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    outside
}
