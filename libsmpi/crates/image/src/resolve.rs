//! Finds the addresses of the symbols that an image takes from elsewhere. Every symbol is looked up once per file.
//!
//! Order: libsmpi's interposition table, then the process's global scope as the dynamic linker built it: preloaded
//! libraries (libsmpi, tools before it), then the needed libraries. A symbol that the executable or a private library
//! defines never comes here; of those that a compiler's run-time library defines, the table is asked, too.

use crate::iostreams::{SYNC_WITH_STDIO, keep_stdio_synchronised};
use crate::search::LinkMap;
use object::elf;
use std::ffi::{CStr, CString, c_void};
use std::ptr::null_mut;

/// Looks up symbols for one program.
pub(crate) struct Scope<'a> {
    /// Addresses that libsmpi puts in the place of a library's: the symbol, and the name of the private library that
    /// asks (empty when the executable does).
    pub interpose: Interpose<'a>,
}

/// Answers by symbol and by who asks; see [`crate::Program::open`].
pub type Interpose<'a> = &'a dyn Fn(&str, &str) -> Option<usize>;

impl Scope<'_> {
    /// Address of a function or an object for the file named `user`, of this version if one is asked for.
    pub fn find(&self, name: &str, version: Option<&str>, user: &str) -> Option<usize> {
        (self.interpose)(name, user).or_else(|| own_replacement(name)).or_else(|| find_in_libraries(name, version))
    }
}

/// Replacements that the mechanism of images itself makes necessary.
fn own_replacement(name: &str) -> Option<usize> {
    (name == SYNC_WITH_STDIO).then_some(keep_stdio_synchronised as *const () as usize)
}

/// Address in the global scope, following the dynamic linker's rule for versions.
///
/// `dlvsym` is stricter than the linker: it never answers an unversioned definition of a library that otherwise uses
/// versions, for example the `malloc` of a preloaded tool. So both are asked: the unversioned answer stands when it
/// comes from another library than the versioned one and has no version itself.
pub(crate) fn find_in_libraries(name: &str, version: Option<&str>) -> Option<usize> {
    let name = CString::new(name).ok()?;
    let any = dlsym(&name);
    // To glibc a version whose hash is 0 is none; asked for one, it compares it with names that are null.
    let version = version.filter(|version| elf::hash(version.as_bytes()) != 0);
    let Some(version) = version.and_then(|version| CString::new(version).ok()) else { return any };
    // SAFETY: both names end with a zero.
    let exact = unsafe { libc::dlvsym(libc::RTLD_DEFAULT, name.as_ptr(), version.as_ptr()) } as usize;
    match (any, exact) {
        (any, 0) => any,
        (Some(any), exact) if any != exact && is_unversioned(any) && library_of(any) != library_of(exact) => Some(any),
        (_, exact) => Some(exact),
    }
}

fn dlsym(name: &CStr) -> Option<usize> {
    // SAFETY: the name ends with a zero.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) } as usize;
    (address != 0).then_some(address)
}

/// Load address of the library that contains an address; 0 when there is none.
pub(crate) fn library_of(address: usize) -> usize {
    // SAFETY: `Dl_info` is numbers and pointers, for which zeros are valid; `dladdr` takes any address, and fills the
    // structure unless it answers 0.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(address as *const c_void, &mut info) == 0 { 0 } else { info.dli_fbase as usize }
    }
}

/// What `dladdr1` is asked for: the entry of a symbol table.
const RTLD_DL_SYMENT: libc::c_int = 1;

/// The entry of a library's symbol table that is the symbol at `address`; null when there is none.
fn symbol_at(address: usize) -> *const c_void {
    let mut symbol: *mut c_void = null_mut();
    // SAFETY: `Dl_info` is numbers and pointers, for which zeros are valid. `dladdr1` takes any address, and fills what
    // it is given with the address of an entry of a symbol table, or null.
    let found = unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        libc::dladdr1(address as *const c_void, &mut info, &mut symbol, RTLD_DL_SYMENT) != 0
    };
    if found { symbol } else { null_mut() }
}

/// Bytes of the object at `address`, as the symbol of its library says; 0 when there is no symbol.
pub(crate) fn object_size(address: usize) -> usize {
    /// Where `Elf64_Sym` has the size.
    const SIZE_AT: usize = 16;
    let symbol = symbol_at(address);
    // SAFETY: an entry of a symbol table, which is valid while the object is loaded, and nothing is unloaded here.
    if symbol.is_null() { 0 } else { unsafe { symbol.byte_add(SIZE_AT).cast::<u64>().read_unaligned() as usize } }
}

/// True when the definition at `address` belongs to a library and has no version of its own.
fn is_unversioned(address: usize) -> bool {
    const RTLD_DL_LINKMAP: libc::c_int = 2;
    const SYMBOL_SIZE: usize = 24;
    let (mut symbol, mut map): (*mut c_void, *mut c_void) = (null_mut(), null_mut());
    // SAFETY: `dladdr1` takes any address, and fills what it is given: the address of an entry of a symbol table, or
    // null, and that of the link map of a loaded object. Both are valid while the object is loaded, and nothing is
    // unloaded here. A dynamic section ends with a null tag; glibc has relocated its addresses in place, and the table
    // of versions has an entry for each symbol.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        let at = address as *const c_void;
        if libc::dladdr1(at, &mut info, &mut symbol, RTLD_DL_SYMENT) == 0
            || libc::dladdr1(at, &mut info, &mut map, RTLD_DL_LINKMAP) == 0
            || symbol.is_null()
            || map.is_null()
        {
            return false;
        }
        let map = &*map.cast::<LinkMap>();
        let Some(versions) = map.entry(elf::DT_VERSYM) else { return true };
        let symbols = map.entry(elf::DT_SYMTAB).unwrap_or_default();
        let index = (symbol as usize).wrapping_sub(symbols) / SYMBOL_SIZE;
        *(versions as *const u16).add(index) & 0x7fff <= 1
    }
}
