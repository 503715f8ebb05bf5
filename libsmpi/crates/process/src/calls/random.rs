//! libc's random number generators, with a state per rank: `rand`, `random` and the `drand48` family.
//!
//! libc keeps one hidden state per process, so a rank's numbers would depend on when other ranks ran. Each rank gets
//! the sequence that it would get in a process of its own, by libc's own re-entrant functions.

use crate::record::{Drand48Data, Generators, RandomData, Record};
use crate::state;
use smpi_base::rng::Rng;
use std::ffi::{c_char, c_int, c_long, c_uint, c_void};
use std::ptr;

unsafe extern "C" {
    fn initstate_r(seed: c_uint, state: *mut c_char, len: usize, data: *mut RandomData) -> c_int;
    fn setstate_r(state: *mut c_char, data: *mut RandomData) -> c_int;
    #[link_name = "initstate"]
    fn libc_initstate(seed: c_uint, state: *mut c_char, len: usize) -> *mut c_char;
    #[link_name = "setstate"]
    fn libc_setstate(state: *mut c_char) -> *mut c_char;
    fn srandom_r(seed: c_uint, data: *mut RandomData) -> c_int;
    fn random_r(data: *mut RandomData, result: *mut i32) -> c_int;
    fn srand48_r(seed: c_long, data: *mut Drand48Data) -> c_int;
    fn seed48_r(seed: *mut u16, data: *mut Drand48Data) -> c_int;
    fn lcong48_r(parameters: *mut u16, data: *mut Drand48Data) -> c_int;
    fn drand48_r(data: *mut Drand48Data, result: *mut f64) -> c_int;
    fn erand48_r(x: *mut u16, data: *mut Drand48Data, result: *mut f64) -> c_int;
    fn lrand48_r(data: *mut Drand48Data, result: *mut c_long) -> c_int;
    fn nrand48_r(x: *mut u16, data: *mut Drand48Data, result: *mut c_long) -> c_int;
    fn mrand48_r(data: *mut Drand48Data, result: *mut c_long) -> c_int;
    fn jrand48_r(x: *mut u16, data: *mut Drand48Data, result: *mut c_long) -> c_int;
}

/// The rank's generators, made on first use. They stay where they are from then on, because snapshots are put back
/// there.
fn generators(record: &Record) -> *mut Generators {
    // SAFETY: the hosting thread alone uses them, and no function of this file calls the program.
    let slot = unsafe { &mut *record.own.generators.get() };
    let own = slot.get_or_insert_with(Generators::new);
    &mut **own
}

/// The rank's generators; on a thread that the program started itself, libc's function answers.
macro_rules! or_libc {
    ($call:expr) => {
        match state::current() {
            // SAFETY: each call uses them alone, see `generators`.
            Some(record) => unsafe { &mut *generators(record) },
            // SAFETY: as in C.
            None => return unsafe { $call },
        }
    };
}

pub extern "C" fn random() -> c_long {
    let own = or_libc!(libc::rand().into());
    let mut result = 0;
    // SAFETY: initialised data and a valid place for the result.
    unsafe { random_r(&mut own.random, &mut result) };
    c_long::from(result)
}

pub extern "C" fn rand() -> c_int {
    random() as c_int
}

pub extern "C" fn srandom(seed: c_uint) {
    let own = or_libc!(libc::srand(seed));
    // SAFETY: initialised data.
    unsafe { srandom_r(seed, &mut own.random) };
}

pub unsafe extern "C" fn initstate(seed: c_uint, new: *mut c_char, len: usize) -> *mut c_char {
    let own = or_libc!(libc_initstate(seed, new, len));
    let old = own.random.state;
    // SAFETY: as in C. libc keeps the kind in the word before the state, which is where the caller's array began.
    unsafe {
        if initstate_r(seed, new, len, &mut own.random) != 0 {
            return ptr::null_mut();
        }
        old.sub(1).cast()
    }
}

pub unsafe extern "C" fn setstate(new: *mut c_char) -> *mut c_char {
    let own = or_libc!(libc_setstate(new));
    let old = own.random.state;
    // SAFETY: as in `initstate`.
    unsafe { if setstate_r(new, &mut own.random) != 0 { ptr::null_mut() } else { old.sub(1).cast() } }
}

pub extern "C" fn srand48(seed: c_long) {
    let own = or_libc!(libc::srand48(seed));
    // SAFETY: zeroed data is libc's initial state.
    unsafe { srand48_r(seed, &mut own.drand48) };
}

pub unsafe extern "C" fn seed48(seed: *mut u16) -> *mut u16 {
    let own = or_libc!(libc::seed48(seed));
    // SAFETY: as in C; libc keeps the old value in the data for the caller.
    unsafe {
        seed48_r(seed, &mut own.drand48);
        own.drand48.old_x.as_mut_ptr()
    }
}

pub unsafe extern "C" fn lcong48(parameters: *mut u16) {
    let own = or_libc!(libc::lcong48(parameters));
    // SAFETY: as in C.
    unsafe { lcong48_r(parameters, &mut own.drand48) };
}

pub extern "C" fn drand48() -> f64 {
    let own = or_libc!(libc::drand48());
    let mut result = 0.0;
    // SAFETY: valid data and result.
    unsafe { drand48_r(&mut own.drand48, &mut result) };
    result
}

pub unsafe extern "C" fn erand48(x: *mut u16) -> f64 {
    let own = or_libc!(libc::erand48(x));
    let mut result = 0.0;
    // SAFETY: as in C.
    unsafe { erand48_r(x, &mut own.drand48, &mut result) };
    result
}

pub extern "C" fn lrand48() -> c_long {
    let own = or_libc!(libc::lrand48());
    let mut result = 0;
    // SAFETY: valid data and result.
    unsafe { lrand48_r(&mut own.drand48, &mut result) };
    result
}

pub unsafe extern "C" fn nrand48(x: *mut u16) -> c_long {
    let own = or_libc!(libc::nrand48(x));
    let mut result = 0;
    // SAFETY: as in C.
    unsafe { nrand48_r(x, &mut own.drand48, &mut result) };
    result
}

pub extern "C" fn mrand48() -> c_long {
    let own = or_libc!(libc::mrand48());
    let mut result = 0;
    // SAFETY: valid data and result.
    unsafe { mrand48_r(&mut own.drand48, &mut result) };
    result
}

pub unsafe extern "C" fn jrand48(x: *mut u16) -> c_long {
    let own = or_libc!(libc::jrand48(x));
    let mut result = 0;
    // SAFETY: as in C.
    unsafe { jrand48_r(x, &mut own.drand48, &mut result) };
    result
}

/// Random bytes of the system, as ranks get them: the same in every run, other ones for every rank and every request.
fn fill(record: &Record, bytes: &mut [u8]) {
    let request = record.own.entropy.get();
    record.own.entropy.set(request + 1);
    let mut rng = Rng::new(u64::from(record.rank.0) << 32 ^ request);
    for chunk in bytes.chunks_mut(8) {
        chunk.copy_from_slice(&rng.next_u64().to_le_bytes()[..chunk.len()]);
    }
}

/// `getentropy`, from which Fortran's `RANDOM_NUMBER` takes its first seed.
pub unsafe extern "C" fn getentropy(buffer: *mut c_void, len: usize) -> c_int {
    const MOST: usize = 256;
    let Some(record) = state::current() else {
        // SAFETY: as in C.
        return unsafe { libc::getentropy(buffer, len) };
    };
    if len > MOST {
        state::set_errno(libc::EIO);
        return -1;
    }
    // SAFETY: as in C: room for `len` bytes.
    fill(record, unsafe { std::slice::from_raw_parts_mut(buffer.cast(), len) });
    0
}

pub unsafe extern "C" fn getrandom(buffer: *mut c_void, len: usize, flags: c_uint) -> isize {
    let Some(record) = state::current() else {
        // SAFETY: as in C.
        return unsafe { libc::getrandom(buffer, len, flags) };
    };
    // SAFETY: as in C: room for `len` bytes.
    fill(record, unsafe { std::slice::from_raw_parts_mut(buffer.cast(), len) });
    len as isize
}

/// `strtok`, which also hides a state: where the rank's current string goes on.
pub unsafe extern "C" fn strtok(text: *mut c_char, separators: *const c_char) -> *mut c_char {
    let Some(record) = state::current() else {
        // SAFETY: as in C.
        return unsafe { libc::strtok(text, separators) };
    };
    let mut position = record.own.strtok.get();
    // SAFETY: as in C, with the rank's own position.
    let token = unsafe { libc::strtok_r(text, separators, &mut position) };
    record.own.strtok.set(position);
    token
}
