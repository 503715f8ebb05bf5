//! The state of libc's random number generators, for one rank.

use std::ffi::{c_char, c_int, c_uint};
use std::ptr;

/// glibc's `struct random_data` (stdlib.h).
#[repr(C)]
pub struct RandomData {
    front: *mut i32,
    rear: *mut i32,
    /// What `random` works on: inside the generators, or in the program's array.
    pub state: *mut i32,
    kind: c_int,
    degree: c_int,
    separation: c_int,
    end: *mut i32,
}

/// glibc's `struct drand48_data`. Zeros are its state before the first call.
#[repr(C)]
#[derive(Default)]
pub struct Drand48Data {
    x: [u16; 3],
    /// The state before the last call of `seed48`, for its caller.
    pub old_x: [u16; 3],
    c: u16,
    init: u16,
    a: u64,
}

/// Bytes of the state that a process starts with.
const INITIAL_STATE: usize = 128;

/// The generators of one rank. They point into themselves: they are put back only where they were copied.
pub struct Generators {
    pub random: RandomData,
    initial: [u64; INITIAL_STATE / 8],
    pub drand48: Drand48Data,
}

unsafe extern "C" {
    fn initstate_r(seed: c_uint, state: *mut c_char, len: usize, data: *mut RandomData) -> c_int;
}

impl Generators {
    /// Those of a process that starts.
    pub fn new() -> Box<Generators> {
        let random = RandomData {
            front: ptr::null_mut(),
            rear: ptr::null_mut(),
            state: ptr::null_mut(),
            kind: 0,
            degree: 0,
            separation: 0,
            end: ptr::null_mut(),
        };
        let new = Generators { random, initial: [0; INITIAL_STATE / 8], drand48: Drand48Data::default() };
        let mut new = Box::new(new);
        new.start();
        new
    }

    /// Their bytes, which lie in the same place for as long as there are any.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the bytes of a value that is borrowed; it has none that are not part of a field.
        unsafe { std::slice::from_raw_parts(ptr::from_ref(self).cast(), size_of::<Generators>()) }
    }

    /// Puts them to where they are when a process starts; libc does so with the seed 1.
    pub fn start(&mut self) {
        self.drand48 = Drand48Data::default();
        // libc would write to a state in use, which may be the program's array.
        self.random.state = ptr::null_mut();
        let state = self.initial.as_mut_ptr().cast();
        // SAFETY: `state` has `INITIAL_STATE` bytes, and stays where it is, because `new` makes generators in a box.
        unsafe { initstate_r(1, state, INITIAL_STATE, &mut self.random) };
    }
}
