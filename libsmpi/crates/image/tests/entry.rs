//! A whole program from `_start` to the end of `main`, on its own stack.

mod common;

use common::{compile, images, layout};
use corosensei::{Coroutine, CoroutineResult, Yielder};
use smpi_image::{Program, enter};
use std::cell::Cell;
use std::ffi::{c_char, c_int};

thread_local! {
    static YIELDER: Cell<*const Yielder<(), i32>> = const { Cell::new(std::ptr::null()) };
}

type Main = extern "C" fn(c_int, *const *const c_char, *const *const c_char) -> c_int;

/// Takes the place of libc's function: runs `main`, hands its result over and never comes back.
extern "C" fn start_main(main: Main, argc: c_int, argv: *const *const c_char) -> c_int {
    // SAFETY: the vector of the environment follows the null after the arguments, see `enter`.
    let environment = unsafe { argv.add(argc as usize + 1) };
    let result = main(argc, argv, environment);
    YIELDER.with(|yielder| {
        // SAFETY: set by the coroutine whose stack this runs on.
        unsafe { (*yielder.get()).suspend(result) }
    });
    unreachable!("a rank that has ended is not resumed")
}

#[test]
fn main_gets_arguments_and_environment() {
    let source = r#"
#include <string.h>
static int runs;
int main(int argc, char **argv, char **envp) {
    if ((long)__builtin_frame_address(0) % 16) return -1;
    if (argc != 3 || strcmp(argv[2], "two") || argv[3]) return -2;
    if (strcmp(envp[0], "KEY=value") || envp[1]) return -3;
    return atoi(argv[1]) + ++runs;
}
"#;
    let path = compile("entry", source, &["-include", "stdlib.h"]);
    let interpose = |name: &str, _: &str| (name == "__libc_start_main").then_some(start_main as *const () as usize);
    let program = Program::open(&path, &layout(), &[], &interpose).expect("opens");
    for (i, image) in images(&program, 3, true).into_iter().enumerate() {
        let number = format!("{}\0", 10 * i);
        let mut rank = Coroutine::new(move |yielder: &Yielder<(), i32>, ()| {
            YIELDER.with(|cell| cell.set(yielder));
            let mut words =
                vec![3, c"program".as_ptr() as usize, number.as_ptr() as usize, c"two".as_ptr() as usize, 0];
            words.extend([c"KEY=value".as_ptr() as usize, 0, 0, 0]);
            let mut block = [0usize; 32];
            let first = 15 - (block.as_ptr() as usize / 8 + 15) % 2;
            block[first..first + words.len()].copy_from_slice(&words);
            // SAFETY: the block is on this stack, aligned, and nothing above it is returned to.
            unsafe { enter(image.entry(), block[first..].as_ptr()) }
        });
        match rank.resume(()) {
            CoroutineResult::Yield(result) => assert_eq!(result, 10 * i as i32 + 1),
            CoroutineResult::Return(never) => never,
        }
        // SAFETY: its stack holds no destructor that matters.
        unsafe { rank.force_reset() };
    }
}
