//! Client requests of valgrind: whether this process runs under it, and what it has to know of ranks.
//!
//! A request is a sequence of instructions without effect, which valgrind looks for. Three requests do not pay for a
//! crate, and those that exist want valgrind's headers. Source: valgrind's manual, "The Client Request mechanism"; its
//! headers say which instructions these are, and the numbers of requests.

use std::ops::Range;

/// "Am I running under valgrind?"
const RUNNING: usize = 0x1001;
/// "These addresses are a stack."
const STACK: usize = 0x1501;
/// memcheck's "nobody may touch these addresses"; other tools do not know it.
const NO_ACCESS: usize = 0x4d43_0000;

/// Makes a request; 0 where nobody hears it.
fn request(which: usize, arguments: [usize; 2]) -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        let words = [which, arguments[0], arguments[1], 0, 0, 0];
        let mut answer = 0;
        // SAFETY: the rotations of rdi add up to two whole turns and rbx is exchanged with itself, so that nothing
        // changes but the flags; valgrind reads the words and writes the answer to rdx.
        unsafe {
            std::arch::asm!(
                "rol rdi, 3",
                "rol rdi, 13",
                "rol rdi, 61",
                "rol rdi, 51",
                "xchg rbx, rbx",
                in("rax") words.as_ptr(),
                inout("rdx") answer,
                options(nostack)
            );
        }
        answer
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (which, arguments);
        0
    }
}

/// True when valgrind runs this process.
pub fn is_running() -> bool {
    request(RUNNING, [0, 0]) != 0
}

/// Declares addresses to be a stack, so that a switch to it is not taken for a very large frame.
pub fn declare_stack(stack: &Range<usize>) {
    request(STACK, [stack.start, stack.end - 1]);
}

/// Declares that there is nothing at these addresses, mapped though they are.
pub fn declare_hole(hole: &Range<usize>) {
    request(NO_ACCESS, [hole.start, hole.len()]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_have_no_effect_elsewhere() {
        assert!(!is_running());
        declare_stack(&(0x1000..0x2000));
        declare_hole(&(0x1000..0x2000));
    }
}
