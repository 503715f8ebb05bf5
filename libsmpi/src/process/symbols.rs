//! `dlsym` and `dladdr` for ranks: the dynamic linker does not know their images, so what concerns those is answered here.

use super::interposed;
use super::state::{self, Record};
use smpi_image::unwind;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

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

/// What the rank's own image exports under a name.
fn own_symbol(record: &Record, name: &CStr) -> Option<usize> {
    let link_address = record.image.program().exported(name.to_str().ok()?)?;
    Some(record.image.address(link_address))
}

/// `dlsym`: symbols of the rank's own image first, then what libsmpi puts in a library's place, then the libraries.
pub unsafe extern "C" fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    // SAFETY: as in C.
    let text = unsafe { CStr::from_ptr(name) };
    if let Some(record) = state::current() {
        let global = is_global(handle);
        let own = if global { own_symbol(record, text) } else { None };
        let replaced =
            || text.to_str().ok().and_then(interposed::address).filter(|_| global || handle == libc::RTLD_NEXT);
        if let Some(address) = own.or_else(replaced) {
            return address as *mut c_void;
        }
    }
    // SAFETY: as in C.
    unsafe { libc::dlsym(handle, name) }
}

/// `dladdr`: an address in an image is its program's; the symbol is not looked up.
pub unsafe extern "C" fn dladdr(address: *const c_void, info: *mut libc::Dl_info) -> c_int {
    let Some(location) = unwind::find(address as usize).filter(|location| location.in_image) else {
        // SAFETY: as in C.
        return unsafe { libc::dladdr(address, info) };
    };
    // SAFETY: as in C; the program's path lives as long as the process.
    unsafe {
        info.write(libc::Dl_info {
            dli_fname: location.program.path_c().as_ptr(),
            dli_fbase: location.bias as *mut c_void,
            dli_sname: ptr::null(),
            dli_saddr: ptr::null_mut(),
        });
    }
    1
}
