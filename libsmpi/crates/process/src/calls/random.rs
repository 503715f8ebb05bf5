//! libc's random number generators, with a state per rank: `rand`, `random` and the `drand48` family.
//!
//! libc keeps one hidden state per process, so a rank's numbers would depend on when other ranks ran. Each rank gets
//! the sequence that it would get in a process of its own, by libc's own re-entrant functions.

use crate::contract::{Table, or_libc, refuse, room};
use crate::record::{Drand48Data, Generators, RandomData, Record};
use crate::state;
use smpi_base::rng::Rng;
use std::ffi::{c_char, c_int, c_long, c_uint, c_void};
use std::ptr;

/// The functions with a hidden state.
pub const REPLACED: Table = &[
    ("rand", rand as *const ()),
    ("srand", srandom as *const ()),
    ("srandom", srandom as *const ()),
    ("random", random as *const ()),
    ("initstate", initstate as *const ()),
    ("setstate", setstate as *const ()),
    ("srand48", srand48 as *const ()),
    ("seed48", seed48 as *const ()),
    ("lcong48", lcong48 as *const ()),
    ("drand48", drand48 as *const ()),
    ("erand48", erand48 as *const ()),
    ("lrand48", lrand48 as *const ()),
    ("nrand48", nrand48 as *const ()),
    ("mrand48", mrand48 as *const ()),
    ("jrand48", jrand48 as *const ()),
    ("getentropy", getentropy as *const ()),
    ("getrandom", getrandom as *const ()),
    ("strtok", strtok as *const ()),
];

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

/// Uses the rank's generators, which are made on first use. They stay where they are from then on, because snapshots
/// are put back there.
fn with<R>(record: &Record, action: impl FnOnce(&mut Generators) -> R) -> R {
    // SAFETY: the hosting thread alone uses them, and no `action` below calls the program or this function.
    let slot = unsafe { &mut *record.own.generators.get() };
    action(slot.get_or_insert_with(Generators::new))
}

extern "C" fn random() -> c_long {
    let record = or_libc!(state::current(), libc::rand().into());
    with(record, |own| {
        let mut result = 0;
        // SAFETY: `Generators::new` has initialised the data.
        unsafe { random_r(&mut own.random, &mut result) };
        c_long::from(result)
    })
}

extern "C" fn rand() -> c_int {
    random() as c_int
}

extern "C" fn srandom(seed: c_uint) {
    let record = or_libc!(state::current(), libc::srand(seed));
    // SAFETY: `Generators::new` has initialised the data.
    with(record, |own| unsafe { srandom_r(seed, &mut own.random) });
}

unsafe extern "C" fn initstate(seed: c_uint, new: *mut c_char, len: usize) -> *mut c_char {
    let record = or_libc!(state::current(), libc_initstate(seed, new, len));
    // SAFETY: by C's contract `new` has `len` bytes, and stays.
    with(record, |own| exchange(own, |data| unsafe { initstate_r(seed, new, len, data) }))
}

unsafe extern "C" fn setstate(new: *mut c_char) -> *mut c_char {
    let record = or_libc!(state::current(), libc_setstate(new));
    // SAFETY: by C's contract `new` is a state that `initstate` has made.
    with(record, |own| exchange(own, |data| unsafe { setstate_r(new, data) }))
}

/// Has `random` work on another state; returns the one before, null when `change` fails.
fn exchange(own: &mut Generators, change: impl FnOnce(&mut RandomData) -> c_int) -> *mut c_char {
    let old = own.random.state;
    if change(&mut own.random) != 0 {
        return ptr::null_mut();
    }
    // SAFETY: libc keeps the kind in the word before the state, which is where the array of the state's owner began.
    unsafe { old.sub(1).cast() }
}

extern "C" fn srand48(seed: c_long) {
    let record = or_libc!(state::current(), libc::srand48(seed));
    // SAFETY: `Generators::new` has made the data zeros, which libc takes for its initial state.
    with(record, |own| unsafe { srand48_r(seed, &mut own.drand48) });
}

unsafe extern "C" fn seed48(seed: *mut u16) -> *mut u16 {
    let record = or_libc!(state::current(), libc::seed48(seed));
    with(record, |own| {
        // SAFETY: by C's contract `seed` has three numbers. libc keeps the old ones in the data for the caller.
        unsafe { seed48_r(seed, &mut own.drand48) };
        own.drand48.old_x.as_mut_ptr()
    })
}

unsafe extern "C" fn lcong48(parameters: *mut u16) {
    let record = or_libc!(state::current(), libc::lcong48(parameters));
    // SAFETY: by C's contract there are seven parameters.
    with(record, |own| unsafe { lcong48_r(parameters, &mut own.drand48) });
}

/// Functions that draw a number from the generators' own state.
macro_rules! drawing {
    ($(fn $name:ident() -> $result:ty = $real:ident;)*) => {$(
        extern "C" fn $name() -> $result {
            let record = or_libc!(state::current(), libc::$name());
            let mut result = Default::default();
            // SAFETY: data that `Generators::new` or `srand48` has made, and a place for the result.
            with(record, |own| unsafe { $real(&mut own.drand48, &mut result) });
            result
        }
    )*};
}

/// Functions that draw a number from the caller's state.
macro_rules! drawing_from {
    ($(fn $name:ident(x) -> $result:ty = $real:ident;)*) => {$(
        unsafe extern "C" fn $name(x: *mut u16) -> $result {
            let record = or_libc!(state::current(), libc::$name(x));
            let mut result = Default::default();
            // SAFETY: by C's contract `x` has three numbers; `Generators::new` has made the data.
            with(record, |own| unsafe { $real(x, &mut own.drand48, &mut result) });
            result
        }
    )*};
}

drawing! {
    fn drand48() -> f64 = drand48_r;
    fn lrand48() -> c_long = lrand48_r;
    fn mrand48() -> c_long = mrand48_r;
}

drawing_from! {
    fn erand48(x) -> f64 = erand48_r;
    fn nrand48(x) -> c_long = nrand48_r;
    fn jrand48(x) -> c_long = jrand48_r;
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

/// The same for whatever rank calls; nothing is filled where none does.
pub(super) fn fill_for_caller(bytes: &mut [u8]) {
    if let Some(record) = state::caller() {
        fill(record, bytes);
    }
}

/// `getentropy`, from which Fortran's `RANDOM_NUMBER` takes its first seed.
unsafe extern "C" fn getentropy(buffer: *mut c_void, len: usize) -> c_int {
    const MOST: usize = 256;
    let record = or_libc!(state::current(), libc::getentropy(buffer, len));
    if len > MOST {
        return refuse(libc::EIO);
    }
    // SAFETY: by C's contract there is room for `len` bytes.
    fill(record, unsafe { room(buffer.cast(), len) });
    0
}

unsafe extern "C" fn getrandom(buffer: *mut c_void, len: usize, flags: c_uint) -> isize {
    let record = or_libc!(state::current(), libc::getrandom(buffer, len, flags));
    // SAFETY: by C's contract there is room for `len` bytes.
    fill(record, unsafe { room(buffer.cast(), len) });
    len as isize
}

/// `strtok`, which also hides a state: where the rank's current string goes on.
unsafe extern "C" fn strtok(text: *mut c_char, separators: *const c_char) -> *mut c_char {
    let record = or_libc!(state::current(), libc::strtok(text, separators));
    let mut position = record.own.strtok.get();
    // SAFETY: by C's contract the texts are strings; the position is where the rank's last call stopped.
    let token = unsafe { libc::strtok_r(text, separators, &mut position) };
    record.own.strtok.set(position);
    token
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a process gets that begins with this seed, by libc's own generators with a state of the test's.
    fn of_libc(seed: c_uint, count: usize) -> Vec<i32> {
        let mut twin = Generators::new();
        // SAFETY: initialised data.
        unsafe { srandom_r(seed, &mut twin.random) };
        (0..count).map(|_| draw(&mut twin)).collect()
    }

    fn draw(own: &mut Generators) -> i32 {
        let mut result = 0;
        // SAFETY: initialised data, and a place for the result.
        unsafe { random_r(&mut own.random, &mut result) };
        result
    }

    #[test]
    fn a_rank_begins_like_a_process() {
        // The C standard: as if srand(1) had been called; the first numbers are glibc's.
        let mut own = Generators::new();
        let first: Vec<i32> = (0..3).map(|_| draw(&mut own)).collect();
        assert_eq!(first, [1804289383, 846930886, 1681692777]);
        assert_eq!(first, of_libc(1, 3));
        own.start();
        assert_eq!(draw(&mut own), 1804289383);
    }

    #[test]
    fn states_can_be_exchanged_and_come_back() {
        let mut own = Generators::new();
        let mut array = [0_u64; 16];
        let other: *mut c_char = array.as_mut_ptr().cast();
        // SAFETY: a state of 128 bytes, which outlives its use.
        let first = exchange(&mut own, |data| unsafe { initstate_r(7, other, 128, data) });
        assert_eq!(draw(&mut own), of_libc(7, 1)[0]);
        // SAFETY: what `exchange` returned is the array of a state.
        assert_eq!(exchange(&mut own, |data| unsafe { setstate_r(first, data) }), other);
        assert_eq!(draw(&mut own), 1804289383);
    }

    #[test]
    fn a_refused_state_changes_nothing() {
        let mut own = Generators::new();
        assert!(exchange(&mut own, |_| -1).is_null());
        assert_eq!(draw(&mut own), 1804289383);
    }
}
