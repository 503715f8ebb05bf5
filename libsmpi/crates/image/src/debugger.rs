//! Tells debuggers which file is mapped where, as the dynamic linker does: by a list of `struct link_map` (link.h), one
//! for each file of each image. gdb reads it when it attaches and whenever the list changes, and loads the files'
//! symbols by itself: functions, lines and variables of ranks are known.
//!
//! ```text
//!   _r_debug of ld.so ── r_next ──► ours ── r_map ──► rank 0, ./app ──► rank 0, libgfortran ──► rank 1, ./app …
//!   (what ld.so loaded)             (all images)
//! ```
//!
//! ld.so's own list is left alone, because its entries are the beginnings of larger, private structures. Ours is
//! appended as another *namespace*: glibc 2.35 and later chain namespaces, and only ever append to the chain; gdb 13
//! and later follow it. With an older C library nothing is announced.
//!
//! It costs 40 bytes for each file of each image, a copy of each file that has debug information (`symbol_file.rs`),
//! and a library that is opened and closed where somebody may debug the process. Sources: link.h of glibc; glibc
//! manual, "Dynamic Linker Introspection"; SVR4's debugger interface as in gdb's manual, "Files".

use crate::image::Image;
use crate::program::ProgramFile;
use crate::symbol_file::path_for;
use smpi_base::map::Map;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::ptr::{null, null_mut};

/// `struct link_map`, as far as it is public.
#[repr(C)]
struct LinkMap {
    /// What the file's own addresses are moved by.
    bias: usize,
    path: *const c_char,
    /// Address of its dynamic section.
    dynamic: usize,
    next: *const LinkMap,
    previous: *const LinkMap,
}

/// `struct r_debug_extended`: a namespace.
#[repr(C)]
struct Namespace {
    version: c_int,
    first: *const LinkMap,
    /// Where ld.so stops when it changes its lists.
    stop: usize,
    state: c_int,
    linker: usize,
    next: *mut Namespace,
}

/// The version that has [`Namespace::next`].
const CHAINED: c_int = 2;

/// First minor version of glibc 2 with chained namespaces.
const FIRST_CHAINING: u32 = 35;

/// Makes images known to debuggers, for the life of the process. Call it once, before other threads run. Under valgrind
/// gdb speaks to that instead of tracing the process.
pub fn announce(images: impl IntoIterator<Item = &'static Image>, under_valgrind: bool) {
    let root = base_namespace();
    if root.is_null() {
        return;
    }
    let mut paths: Map<&Path, *const c_char> = Map::default();
    let mut path_of = |file: &'static ProgramFile| {
        // Kept for ever, like the list.
        *paths.entry(file.path()).or_insert_with(|| path_for(file.path()).into_raw())
    };
    let entry_of = |image: &Image, file: &'static ProgramFile, path| LinkMap {
        bias: image.bias().wrapping_add(file.shift as usize),
        path,
        dynamic: image.address(file.dynamic),
        next: null(),
        previous: null(),
    };
    let mut list: Vec<LinkMap> = Vec::new();
    for image in images {
        list.extend(image.program().files().iter().map(|file| entry_of(image, file, path_of(file))));
    }
    let list = list.leak();
    let first = list.as_mut_ptr();
    for (index, entry) in list.iter_mut().enumerate() {
        entry.previous = if index == 0 { null() } else { first.wrapping_add(index - 1) };
        entry.next = first.wrapping_add(index + 1);
    }
    if let Some(last) = list.last_mut() {
        last.next = null();
    }
    // SAFETY: `base_namespace` answers the address of ld.so's structure only where glibc is so new that it has this
    // form. ld.so changes it while a library is loaded or unloaded, which no other thread does: there is none yet, says
    // the condition of this function. The list and what is appended are leaked, so they live for ever.
    unsafe {
        let own = Namespace {
            version: CHAINED,
            first,
            stop: (*root).stop,
            state: 0,
            linker: (*root).linker,
            next: null_mut(),
        };
        let mut link = &raw mut (*root).next;
        while !(*link).is_null() {
            link = &raw mut (**link).next;
        }
        *link = Box::into_raw(Box::new(own));
        (*root).version = CHAINED;
    }
    if under_valgrind || is_traced() {
        make_debugger_look();
    }
}

/// True when somebody traces this process.
pub fn is_traced() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"));
    tracer.is_some_and(|tracer| tracer.trim() != "0")
}

/// ld.so's description of its own namespace; null where namespaces are not chained.
fn base_namespace() -> *mut Namespace {
    // SAFETY: glibc answers a constant string that ends with a zero.
    let version = unsafe { CStr::from_ptr(libc::gnu_get_libc_version()) }.to_str().unwrap_or_default();
    let minor = version.strip_prefix("2.").and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
    if minor.and_then(|minor| minor.parse().ok()).is_none_or(|minor: u32| minor < FIRST_CHAINING) {
        return null_mut();
    }
    // SAFETY: the name ends with a zero.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_r_debug".as_ptr()) }.cast()
}

/// A debugger looks at the lists when ld.so reports a change. To cause one, a library is opened and closed: any that is
/// not loaded yet will do; these are empty or nearly so, and part of glibc.
fn make_debugger_look() {
    for name in [c"libBrokenLocale.so.1", c"libanl.so.1", c"libutil.so.1"] {
        // SAFETY: the name ends with a zero; a library that is not loaded yet does not become so.
        let found: *mut c_void = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        let is_loaded = !found.is_null();
        let handle = if is_loaded {
            found
        } else {
            // SAFETY: the name ends with a zero; these libraries of glibc have no constructors.
            unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY) }
        };
        if handle.is_null() {
            continue;
        }
        // SAFETY: the handle is what `dlopen` has just answered, and is not used any more.
        unsafe { libc::dlclose(handle) };
        if !is_loaded {
            return;
        }
    }
}
