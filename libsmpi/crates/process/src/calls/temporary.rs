//! Functions of libc that find a name that nobody has, and make something of it: `mkstemp` and its kin; and those that
//! have a directory of their own, POSIX's shared memory.
//!
//! The name comes from the rank's own random numbers, so that it is the same in each execution. Source: POSIX.1-2017
//! mkdtemp, shm_open; mkstemp(3).

use super::paths::{behind, is_asked, open, real, unlink};
use super::{names, random};
use crate::contract::{Table, errno, refuse, room, set_errno};
use crate::verification::note_uncontrolled;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::atomic::AtomicPtr;

/// What programs get, and libraries do not.
pub const REPLACED: Table = &[
    ("mkostemps", mkostemps as *const ()),
    ("mkostemps64", mkostemps64 as *const ()),
    ("shm_open", shm_open as *const ()),
    ("shm_unlink", shm_unlink as *const ()),
    ("sem_open", sem_open as *const ()),
];

/// What a template must end with, which is replaced (mkstemp(3)).
const LAST: &[u8] = &[b'X'; 6];
/// Names that are tried.
const ATTEMPTS: u32 = 1000;

/// Puts names into a template, which ends with `after` bytes that stay, until `make` gives one that is not negative.
///
/// # Safety
/// By C's contract the template is a string that may be written.
unsafe fn with_name(template: *mut c_char, after: c_int, make: impl Fn() -> c_int) -> c_int {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    // SAFETY: a string that may be written, by C's contract.
    let text = unsafe { room(template.cast(), CStr::from_ptr(template).count_bytes()) };
    let place = usize::try_from(after).ok().and_then(|after| text.len().checked_sub(after + LAST.len()));
    let Some(place) = place.filter(|place| text[*place..].starts_with(LAST)) else { return refuse(libc::EINVAL) };
    for _ in 0..ATTEMPTS {
        let mut bytes = [0; LAST.len()];
        random::fill_for_caller(&mut bytes);
        for (letter, byte) in text[place..].iter_mut().zip(bytes) {
            *letter = LETTERS[usize::from(byte) % LETTERS.len()];
        }
        let made = make();
        if made >= 0 || errno() != libc::EEXIST {
            return made;
        }
    }
    text[place..place + LAST.len()].copy_from_slice(LAST);
    refuse(libc::EEXIST)
}

/// Functions that make and open a file.
macro_rules! files {
    ($($name:ident ($($argument:ident),*) $after:expr, $flags:expr;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        ///
        /// # Safety
        /// C's contract (`contract.rs`).
        pub unsafe extern "C" fn $name(template: *mut c_char $(, $argument: c_int)*) -> c_int {
            let real = real!($name(*mut c_char $(, files!(@type $argument))*) -> c_int);
            // SAFETY: C's contract is that of libc's function, which gets the same arguments.
            unsafe {
                if template.is_null() || !is_asked() {
                    return real(template $(, $argument)*);
                }
                let flags = $flags & !libc::O_ACCMODE | libc::O_RDWR | libc::O_CREAT | libc::O_EXCL;
                with_name(template, $after, || open(template, flags, 0o600))
            }
        }
    )*};
    (@type $argument:ident) => { c_int };
}

files! {
    mkstemp() 0, 0;
    mkstemp64() 0, 0;
    mkostemp(flags) 0, flags;
    mkostemp64(flags) 0, flags;
    mkstemps(after) after, 0;
    mkstemps64(after) after, 0;
    mkostemps(after, flags) after, flags;
    mkostemps64(after, flags) after, flags;
}

/// `mkdtemp`.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn mkdtemp(template: *mut c_char) -> *mut c_char {
    let real = real!(mkdtemp(*mut c_char) -> *mut c_char);
    // SAFETY: C's contract is that of libc's function, which gets the same arguments.
    unsafe {
        if template.is_null() || !is_asked() {
            return real(template);
        }
        let made = with_name(template, 0, || names::mkdir(template, 0o700));
        if made < 0 { ptr::null_mut() } else { template }
    }
}

/// The file of shared memory of this name. `None` where there can be none.
///
/// # Safety
/// By C's contract the name is a string.
unsafe fn shared(name: *const c_char) -> Option<CString> {
    // SAFETY: a string by C's contract.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    let start = name.iter().position(|byte| *byte != b'/')?;
    let name = &name[start..];
    (!name.contains(&b'/')).then(|| CString::new([b"/dev/shm/", name].concat()).ok())?
}

/// `shm_open`: what it opens is a file.
///
/// # Safety
/// C's contract (`contract.rs`).
unsafe extern "C" fn shm_open(name: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int {
    let real = real!(shm_open(*const c_char, c_int, libc::mode_t) -> c_int);
    // SAFETY: C's contract is that of libc's function, which gets the same arguments.
    unsafe {
        if name.is_null() || !is_asked() {
            return real(name, flags, mode);
        }
        let Some(path) = shared(name) else { return refuse(libc::EINVAL) };
        open(path.as_ptr(), flags | libc::O_NOFOLLOW | libc::O_CLOEXEC, mode)
    }
}

/// `shm_unlink`.
///
/// # Safety
/// C's contract (`contract.rs`).
unsafe extern "C" fn shm_unlink(name: *const c_char) -> c_int {
    let real = real!(shm_unlink(*const c_char) -> c_int);
    // SAFETY: C's contract is that of libc's function, which gets the same arguments.
    unsafe {
        if name.is_null() || !is_asked() {
            return real(name);
        }
        let Some(path) = shared(name) else { return refuse(libc::ENOENT) };
        unlink(path.as_ptr())
    }
}

/// `sem_open`: libc's, and it is noted that it is not put back.
///
/// # Safety
/// C's contract (`contract.rs`).
unsafe extern "C" fn sem_open(name: *const c_char, flags: c_int, mode: libc::mode_t, value: c_uint) -> *mut c_void {
    let real = real!(sem_open(*const c_char, c_int, libc::mode_t, c_uint) -> *mut c_void);
    if is_asked() {
        let before = errno();
        note_uncontrolled("what a rank does to a semaphore that has a name (sem_open) is not put back");
        set_errno(before);
    }
    // SAFETY: C's contract is that of libc's function, which gets the same arguments; those that the caller did not
    // pass are not used.
    unsafe { real(name, flags, mode, value) }
}
