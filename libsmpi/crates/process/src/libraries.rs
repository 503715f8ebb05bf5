//! The libraries that the process has loaded, which all ranks share: where their data is, and which of them may have
//! data that should be each rank's.

use crate::running;
use smpi_image::unwind;
use smpi_ranks::thread_pointer::thread_pointer;
use std::collections::BTreeSet;
use std::ffi::{CStr, c_int, c_void};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{ptr, slice};

/// Beginnings of the names of libraries that may keep what they like: they know that there is one of them, or everybody
/// uses them.
const EXEMPT: [&str; 18] = [
    "libc.so",
    "libm.so",
    "ld-linux",
    "linux-vdso",
    "libpthread.so",
    "libdl.so",
    "librt.so",
    "libgcc_s.so",
    "libstdc++.so",
    "libc++",
    "libgfortran.so",
    "libquadmath.so",
    "libgomp.so",
    "libomp.so",
    "libasan.so",
    "libubsan.so",
    "libmpi_abi.so",
    "libsmpi.so",
];

/// A loaded object, as the dynamic linker describes it.
pub struct Object {
    pub path: PathBuf,
    pub bias: usize,
    /// Address and length of its data, without what becomes read-only after relocation.
    pub data: Vec<(usize, usize)>,
    /// Address and length of its variables of the calling thread.
    pub locals: (usize, usize),
    /// From its first address to its last.
    pub code: Range<usize>,
}

/// The libraries that are loaded now, by their place in the address space.
pub fn loaded() -> BTreeSet<usize> {
    objects().iter().map(|object| object.bias).collect()
}

/// The libraries of the process that are not everybody's.
pub fn brought() -> Vec<PathBuf> {
    objects().into_iter().filter(|object| !is_exempt(object)).map(|object| object.path).collect()
}

/// Where libc has its data.
pub fn data_of_libc() -> Vec<(*mut u8, usize)> {
    let libc = objects().into_iter().find(is_libc);
    libc.map_or(Vec::new(), |libc| libc.data.into_iter().map(place).collect())
}

/// Where libc has its variables of the calling thread.
pub fn locals_of_libc() -> (*mut u8, usize) {
    objects().into_iter().find(is_libc).map_or((ptr::null_mut(), 0), |libc| place(libc.locals))
}

fn is_libc(object: &Object) -> bool {
    file_name(&object.path).starts_with("libc.so")
}

fn place((start, len): (usize, usize)) -> (*mut u8, usize) {
    (ptr::with_exposed_provenance_mut(start), len)
}

/// What libc keeps for the calling thread beside its variables (glibc's `struct pthread`, whose size it tells
/// debuggers), and the part of it that is the kernel's (rseq(2)).
pub fn thread_of_libc() -> [(*mut u8, usize); 2] {
    /// Bytes that the kernel writes (linux/rseq.h).
    const RSEQ_LEN: usize = 32;
    let find = |name: &CStr| {
        // SAFETY: looks up a name.
        unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
    };
    let (size, offset) = (find(c"_thread_db_sizeof_pthread").cast::<u32>(), find(c"__rseq_offset").cast::<isize>());
    let start = ptr::with_exposed_provenance_mut::<u8>(thread_pointer());
    // SAFETY: libc's constants of these names, where it has them.
    unsafe {
        let all = if size.is_null() { 0 } else { size.read() as usize };
        let kernels = if offset.is_null() { (start, 0) } else { (start.wrapping_offset(offset.read()), RSEQ_LEN) };
        [(start, all), kernels]
    }
}

pub fn file_name(path: &std::path::Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

pub fn is_exempt(object: &Object) -> bool {
    let name = file_name(&object.path);
    name.is_empty() || EXEMPT.iter().any(|exempt| name.starts_with(exempt))
}

/// The library that has an address, where its data should be each rank's.
pub fn shared_at(address: usize) -> Option<String> {
    if running::in_regions(address) {
        // In an image, which the rank that runs is told as an object, too.
        return None;
    }
    let object =
        objects().into_iter().filter(|object| object.code.contains(&address)).find(|object| !is_exempt(object))?;
    Some(file_name(&object.path))
}

/// Where this library is; nowhere on machines whose libc does not tell (before glibc 2.35).
pub fn own() -> Range<usize> {
    static OWN: OnceLock<Range<usize>> = OnceLock::new();
    let find = || unwind::find_object(own as *const () as usize);
    OWN.get_or_init(|| find().map_or(0..0, |found| found.map_start.addr()..found.map_end.addr())).clone()
}

/// So often ranks have opened libraries.
static OPENED: AtomicUsize = AtomicUsize::new(0);

/// How often ranks have opened libraries so far.
#[inline]
pub fn opened() -> usize {
    OPENED.load(Ordering::Relaxed)
}

/// A rank opens a library.
pub fn note_opened() {
    OPENED.fetch_add(1, Ordering::Relaxed);
}

/// All objects of the process; the ranks' images are not among them.
pub fn objects() -> Vec<Object> {
    unsafe extern "C" fn add(info: *mut libc::dl_phdr_info, _size: usize, list: *mut c_void) -> c_int {
        // SAFETY: the dynamic linker passes valid descriptions, and `list` is the vector below.
        unsafe { (*list.cast::<Vec<Object>>()).push(Object::new(&*info)) };
        0
    }
    let mut list: Vec<Object> = Vec::new();
    // SAFETY: the callback uses `list`, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(add), ptr::from_mut(&mut list).cast()) };
    list
}

impl Object {
    /// # Safety
    /// As the dynamic linker passes it: name and headers are valid.
    unsafe fn new(info: &libc::dl_phdr_info) -> Object {
        use std::os::unix::ffi::OsStrExt;
        let page = smpi_ranks::layout::PAGE;
        // SAFETY: the caller has it from the dynamic linker: a string, and as many headers as it says.
        let (name, headers) = unsafe {
            let name = if info.dlpi_name.is_null() { c"" } else { CStr::from_ptr(info.dlpi_name) };
            (name, slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)))
        };
        let bias = info.dlpi_addr as usize;
        let read_only = headers.iter().find(|header| header.p_type == libc::PT_GNU_RELRO);
        let constant_end = read_only.map_or(0, |h| (h.p_vaddr + h.p_memsz) as usize / page * page);
        let writable = |h: &&libc::Elf64_Phdr| h.p_type == libc::PT_LOAD && h.p_flags & libc::PF_W != 0;
        let data = headers.iter().filter(writable).filter_map(|header| {
            let (start, end) = (header.p_vaddr as usize, (header.p_vaddr + header.p_memsz) as usize);
            let start = if (start..end).contains(&constant_end) { constant_end } else { start };
            (start < end).then_some((bias + start, end - start))
        });
        let segments = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
        let last = segments.map(|header| header.p_vaddr + header.p_memsz).max().unwrap_or(0);
        let locals = headers.iter().find(|header| header.p_type == libc::PT_TLS);
        let locals = locals.filter(|_| !info.dlpi_tls_data.is_null()).map_or(0, |header| header.p_memsz as usize);
        Object {
            path: PathBuf::from(std::ffi::OsStr::from_bytes(name.to_bytes())),
            bias,
            data: data.collect(),
            locals: (info.dlpi_tls_data.addr(), locals),
            code: bias..bias + last as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_library_is_known_by_its_addresses() {
        let (here, elsewhere) = (is_exempt as *const () as usize, libc::close as *const () as usize);
        assert!(own().is_empty() || own().contains(&here) && !own().contains(&elsewhere));
    }

    #[test]
    fn data_begin_behind_what_becomes_read_only() {
        let header = |kind, flags, start, len| {
            // SAFETY: plain data, for which zeroes are valid.
            let mut header: libc::Elf64_Phdr = unsafe { std::mem::zeroed() };
            (header.p_type, header.p_flags, header.p_vaddr, header.p_memsz) = (kind, flags, start, len);
            header
        };
        let headers = [
            header(libc::PT_LOAD, libc::PF_R | libc::PF_X, 0, 0x1000),
            header(libc::PT_LOAD, libc::PF_R | libc::PF_W, 0x1f00, 0x2000),
            header(libc::PT_GNU_RELRO, libc::PF_R, 0x1f00, 0x1100),
        ];
        // SAFETY: plain data, for which zeroes are valid; then what the dynamic linker would pass.
        let object = unsafe {
            let mut info: libc::dl_phdr_info = std::mem::zeroed();
            (info.dlpi_addr, info.dlpi_name) = (0x10000, c"/lib/libc.so.6".as_ptr());
            (info.dlpi_phdr, info.dlpi_phnum) = (headers.as_ptr(), headers.len() as u16);
            Object::new(&info)
        };
        assert_eq!((object.bias, &object.data[..]), (0x10000, &[(0x13000, 0xf00)][..]));
        assert!(is_exempt(&object));
    }
}
