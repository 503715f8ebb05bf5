//! The dynamic linker's answers about loaded objects, with the ranks' images added: what C++ exceptions and backtraces
//! need. The lookup itself is `image`'s ([`smpi_image::unwind`]).

use smpi_image::unwind::{self, DlFindObject};
use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::sync::OnceLock;

/// glibc's `_dl_find_object` (glibc manual, "Dynamic Linker Introspection").
///
/// # Safety
/// `result` must point to room for a `struct dl_find_object`.
pub unsafe extern "C" fn _dl_find_object(pc: *mut c_void, result: *mut DlFindObject) -> c_int {
    let Some(found) = unwind::find_object(pc.addr()) else { return -1 };
    // SAFETY: the caller gives room for the structure.
    unsafe { result.write(found) };
    0
}

/// Called for each object.
pub type Callback = unsafe extern "C" fn(*mut libc::dl_phdr_info, usize, *mut c_void) -> c_int;
type Iterate = unsafe extern "C" fn(Callback, *mut c_void) -> c_int;

/// `dl_iterate_phdr`: the files of the image that calls come first, then everything that the dynamic linker knows.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn dl_iterate_phdr(callback: Callback, data: *mut c_void) -> c_int {
    static REAL: OnceLock<Option<Iterate>> = OnceLock::new();
    if let Some(record) = crate::state::current() {
        for mut info in unwind::phdr_infos(record.image.range().start) {
            // SAFETY: by C's contract a function for this call, and its argument.
            let stop = unsafe { callback(&mut info, size_of::<libc::dl_phdr_info>(), data) };
            if stop != 0 {
                return stop;
            }
        }
    }
    let real = REAL.get_or_init(|| {
        // SAFETY: looks up a name in the libraries after this one; glibc's function has this type.
        unsafe {
            let address = libc::dlsym(libc::RTLD_NEXT, c"dl_iterate_phdr".as_ptr());
            (!address.is_null()).then(|| transmute::<*mut c_void, Iterate>(address))
        }
    });
    match real {
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        Some(real) => unsafe { real(callback, data) },
        None => 0,
    }
}
