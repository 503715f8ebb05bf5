//! `dlopen`, `dlsym` and `dladdr` for ranks: the dynamic linker does not know their images, so what concerns those is
//! answered here.
//!
//! The handle of a private library is the address at which the rank has it.

use crate::contract::Table;
use crate::faults::frames;
use crate::hooks::hooks;
use crate::libc_words::within;
use crate::record::Record;
use crate::state::outside_heaps;
use crate::{keys, libraries, state, verification};
use smpi_image::unwind;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

/// The dynamic linker's functions.
pub const REPLACED: Table = &[
    ("dlsym", dlsym as *const ()),
    ("dladdr", dladdr as *const ()),
    ("dlopen", dlopen as *const ()),
    ("dlclose", dlclose as *const ()),
];

/// True for the handles that mean "wherever the program would find it": the default scope and `dlopen(NULL)`.
fn is_global(handle: *mut c_void) -> bool {
    // SAFETY: asks for the handle of the process itself, which is never closed for good.
    handle == libc::RTLD_DEFAULT
        || unsafe {
            let main = libc::dlopen(ptr::null(), libc::RTLD_NOW | libc::RTLD_NOLOAD);
            if !main.is_null() {
                libc::dlclose(main);
            }
            handle == main
        }
}

/// Number of the rank's private library that a handle of [`dlopen`] means.
fn private_file(record: &Record, handle: *mut c_void) -> Option<usize> {
    let files = record.image.program().files();
    (1..files.len()).find(|&number| record.image.file_base(number) == handle.addr())
}

/// What the rank's own image, or one file of it, exports under a name.
fn own_symbol(record: &Record, file: Option<usize>, name: &CStr) -> Option<usize> {
    let address = record.image.program().exported(file, name.to_str().ok()?)?;
    Some(record.image.address(address))
}

/// The function of this name in the files of the calling rank, or of the rank that started the calling thread.
pub fn own_function(name: &str) -> Option<usize> {
    let record = state::current().or_else(keys::owner)?;
    Some(record.image.address(record.image.program().exported(None, name)?))
}

/// A number that tells the program of the calling rank from others; 0 for whoever is no rank.
#[inline]
pub fn own_program() -> usize {
    // All images of a program have its list of files in common.
    state::current().map_or(0, |record| record.image.program().files().as_ptr().addr())
}

/// Where the files of the calling rank's program have a function of this name, in image addresses.
pub fn place_in_program(name: &str) -> Option<u64> {
    state::current()?.image.program().exported(None, name)
}

/// What lies there for the calling rank.
pub fn own_address(place: u64) -> Option<usize> {
    Some(state::current()?.image.address(place))
}

/// What `RTLD_NEXT` means to a file of the image: the files after it, in the order of the search, then the library
/// above, whichever tools come before it.
fn next_symbol(record: &Record, name: &CStr) -> Option<usize> {
    let caller = unwind::find(frames::caller()?)?;
    let files = caller.program.files();
    let number = files.iter().position(|file| ptr::eq(file, caller.file))?;
    (number + 1..files.len())
        .find_map(|file| own_symbol(record, Some(file), name))
        .or_else(|| (hooks().behind_tools)(name.to_str().ok()?))
}

/// `dlopen`: a private library is the rank's own.
unsafe extern "C" fn dlopen(name: *const c_char, mode: c_int) -> *mut c_void {
    if let Some(record) = state::current()
        && !name.is_null()
        // SAFETY: not null, so by C's contract a string.
        && let Ok(text) = unsafe { CStr::from_ptr(name) }.to_str()
        && let Some(number) = record.image.program().library_named(text)
    {
        return ptr::with_exposed_provenance_mut(record.image.file_base(number));
    }
    // What the dynamic linker keeps of a library is everybody's, and stays when a rank is put back.
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    let handle = outside_heaps(|| unsafe { libc::dlopen(name, mode) });
    if handle.is_null() && state::caller().is_some() {
        // What `dlerror` tells of this attempt is nobody's: told twice, it is gone.
        // SAFETY: without conditions.
        outside_heaps(|| unsafe {
            libc::dlerror();
            libc::dlerror();
        });
        // Once more, so that what `dlerror` answers is the rank's.
        // SAFETY: as above.
        return within(|| unsafe { libc::dlopen(name, mode) });
    }
    libraries::note_opened();
    handle
}

/// `dlclose`: a private library stays as long as its rank, and under the checker each one does: a rank may be put back
/// to where it is open.
unsafe extern "C" fn dlclose(handle: *mut c_void) -> c_int {
    if state::current().and_then(|record| private_file(record, handle)).is_some() {
        return 0;
    }
    if verification::is_on() && state::caller().is_some() {
        return 0;
    }
    libraries::note_opened();
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    outside_heaps(|| unsafe { libc::dlclose(handle) })
}

/// `dlsym`: symbols of the rank's own image first (with `RTLD_NEXT`, of its files after the caller's), then what
/// libsmpi puts in a library's place, then the libraries.
unsafe extern "C" fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    // SAFETY: by C's contract a string.
    let text = unsafe { CStr::from_ptr(name) };
    if let Some(record) = state::current() {
        let private = private_file(record, handle);
        if private.is_some() {
            return own_symbol(record, private, text).map_or(ptr::null_mut(), ptr::with_exposed_provenance_mut);
        }
        let (global, next) = (is_global(handle), handle == libc::RTLD_NEXT);
        let own = match (global, next) {
            (true, _) => own_symbol(record, None, text),
            (_, true) => next_symbol(record, text),
            _ => None,
        };
        let replacement = |name| state::host().and_then(|host| (host.replacement)(name, ""));
        let replaced = || text.to_str().ok().and_then(replacement).filter(|_| global || next);
        if let Some(address) = own.or_else(replaced) {
            return ptr::with_exposed_provenance_mut(address);
        }
    }
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    let found = unsafe { libc::dlsym(handle, name) };
    if found.is_null() && state::caller().is_some() {
        // Once more, so that what `dlerror` answers is the rank's.
        // SAFETY: as above.
        return within(|| unsafe { libc::dlsym(handle, name) });
    }
    found
}

/// `dladdr`: an address in an image is its file's; the symbol is not looked up.
unsafe extern "C" fn dladdr(address: *const c_void, info: *mut libc::Dl_info) -> c_int {
    let Some(location) = unwind::find(address as usize).filter(|location| location.in_image) else {
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        return unsafe { libc::dladdr(address, info) };
    };
    // SAFETY: by C's contract a place for the answer; the file's path lives as long as the process.
    unsafe {
        info.write(libc::Dl_info {
            dli_fname: location.file.path_c().as_ptr(),
            dli_fbase: ptr::with_exposed_provenance_mut(location.file_bias()),
            dli_sname: ptr::null(),
            dli_saddr: ptr::null_mut(),
        });
    }
    1
}
