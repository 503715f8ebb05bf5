//! Which image an address belongs to, in time independent of the number of ranks, and the answers that unwinders want.
//!
//! libgcc finds the unwind tables of a code address with `_dl_find_object` (glibc 2.35 and later) or by walking
//! `dl_iterate_phdr`. libsmpi exports both and asks here first; nothing is registered per image, because regions have a
//! constant stride: the image follows from the address by a division.
//!
//! The table of spans is immutable and replaced as a whole, so that signal handlers may read it at any time. Old tables
//! are leaked: there is one per program of a run, and one per rank that is spawned.

use crate::program::{Program, ProgramFile};
use crate::resolve;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, OnceLock};

/// glibc's `struct dl_find_object` (dlfcn.h) on 64-bit machines without a data base for unwinding.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DlFindObject {
    /// Reserved by glibc, 0.
    pub flags: u64,
    /// First byte of the object's mapping.
    pub map_start: *mut c_void,
    /// One past its last byte.
    pub map_end: *mut c_void,
    /// The dynamic linker's description; null for images, which it does not know.
    pub link_map: *mut c_void,
    /// The object's `.eh_frame_hdr`.
    pub eh_frame: *mut c_void,
    /// Reserved by glibc.
    pub reserved: [u64; 7],
}

/// Regions of one program at a constant distance.
struct Span {
    program: &'static Program,
    first_rank: u32,
    base: usize,
    end: usize,
    stride: usize,
}

/// The image, and the place in it, that an address of a region belongs to.
#[derive(Clone, Copy)]
pub struct Location {
    /// The program that the region's image is of.
    pub program: &'static Program,
    /// The rank whose region it is.
    pub rank: u32,
    /// Base of the region.
    pub region: usize,
    /// Add this to an image address to get the run-time address.
    pub bias: usize,
    /// The file of the program that the address belongs to, if it is in the image.
    pub file: &'static ProgramFile,
    /// True when the address lies in the image itself, not in stack, arena or tail.
    pub in_image: bool,
}

/// Invariant: null, or a leaked list in ascending order of `base`, without overlap.
static SPANS: AtomicPtr<Vec<Span>> = AtomicPtr::new(std::ptr::null_mut());

/// Makes `count` regions of a program known, from `base` on, `stride` bytes apart, of the ranks from `first_rank` on.
///
/// Call it before the first instruction of an image runs, on one thread at a time. The program is kept for ever.
pub fn publish(program: &Program, base: usize, stride: usize, count: u32, first_rank: u32) {
    // SAFETY: only `publish` stores the pointer: it is null, or leaked, so that it is valid for ever and never written
    // to.
    let old = unsafe { SPANS.load(Ordering::Acquire).as_ref() };
    let end = base + stride * count as usize;
    let mut spans: Vec<Span> = old.into_iter().flatten().flat_map(|span| span.without(base..end)).collect();
    let before = spans.iter_mut().find(|span| span.is_before(program, base, stride, first_rank));
    match before {
        Some(span) => span.end = end,
        None => {
            let program: &'static Program = Box::leak(Box::new(program.clone()));
            spans.push(Span { program, first_rank, base, end, stride });
        }
    }
    spans.sort_by_key(|span| span.base);
    real_find_object();
    SPANS.store(Box::into_raw(Box::new(spans)), Ordering::Release);
}

impl Span {
    /// What is left of it when other programs get these regions: what lies below, and what lies above.
    fn without(&self, range: Range<usize>) -> impl Iterator<Item = Span> {
        let below = Span { end: self.end.min(range.start), ..*self };
        let base = self.base.max(range.end);
        let above = Span { base, first_rank: self.first_rank + ((base - self.base) / self.stride) as u32, ..*self };
        [below, above].into_iter().filter(|span| span.base < span.end)
    }

    /// Whether a region of this program that begins at `base`, that of the rank `first_rank`, goes on where it ends.
    fn is_before(&self, program: &Program, base: usize, stride: usize, first_rank: u32) -> bool {
        let ranks = ((self.end - self.base) / self.stride) as u32;
        let goes_on = self.end == base && self.stride == stride && self.first_rank + ranks == first_rank;
        goes_on && Arc::ptr_eq(&self.program.parts, &program.parts)
    }
}

/// The region that contains an address; safe in signal handlers.
pub fn find(address: usize) -> Option<Location> {
    // SAFETY: only `publish` stores the pointer: it is null, or leaked, so that it is valid for ever and never written
    // to.
    let spans = unsafe { SPANS.load(Ordering::Acquire).as_ref() }?;
    let index = spans.partition_point(|span| span.base <= address).checked_sub(1)?;
    let span = &spans[index];
    if address >= span.end {
        return None;
    }
    let number = (address - span.base) / span.stride;
    let region = span.base + number * span.stride;
    let layout = span.program.region();
    let offset = address - region;
    let bias = span.program.bias(region);
    Some(Location {
        program: span.program,
        rank: span.first_rank + number as u32,
        region,
        bias,
        file: span.program.file_at(address.wrapping_sub(bias) as u64),
        in_image: offset >= layout.image_offset && offset < layout.image_offset + layout.image_len,
    })
}

/// What `_dl_find_object` of glibc 2.35 answers of a code address, with the images added; `None` when it is in no
/// object. Safe in signal handlers.
pub fn find_object(pc: usize) -> Option<DlFindObject> {
    let Some(location) = find(pc).filter(|location| location.in_image) else {
        let real = real_find_object()?;
        let mut found = MaybeUninit::uninit();
        // SAFETY: glibc's function takes any address, and writes to the structure, for which there is room, when it
        // answers 0.
        return unsafe { (real(pc as *mut c_void, found.as_mut_ptr()) == 0).then(|| found.assume_init()) };
    };
    let eh_frame_hdr = location.file.eh_frame_hdr?;
    let start = location.region + location.program.region().image_offset;
    Some(DlFindObject {
        flags: 0,
        map_start: start as *mut c_void,
        map_end: (start + location.program.region().image_len) as *mut c_void,
        link_map: std::ptr::null_mut(),
        eh_frame: location.bias.wrapping_add(eh_frame_hdr as usize) as *mut c_void,
        reserved: [0; 7],
    })
}

/// Load address of the library that contains an address; 0 when there is none.
pub fn library_of(address: usize) -> usize {
    // `dladdr`, which old machines need, looks through all symbols of a library: 30 us in libsmpi.
    find_object(address).map_or_else(|| resolve::library_of(address), |found| found.map_start.addr())
}

/// The descriptions that callbacks of `dl_iterate_phdr` get of the files of one image, the one at `address`: that of
/// the rank which calls, not all of 50,000.
pub fn phdr_infos(address: usize) -> impl Iterator<Item = libc::dl_phdr_info> {
    let location = find(address).filter(|location| location.in_image);
    location.into_iter().flat_map(|location| {
        location.program.files().iter().filter_map(move |file| {
            let (headers, count) = file.program_headers?;
            // SAFETY: the structure is numbers and pointers, for which zeros are valid.
            let mut info: libc::dl_phdr_info = unsafe { std::mem::zeroed() };
            info.dlpi_addr = location.bias.wrapping_add(file.shift as usize) as _;
            info.dlpi_name = file.path_c().as_ptr();
            info.dlpi_phdr = location.bias.wrapping_add(headers as usize) as *const _;
            info.dlpi_phnum = count as _;
            Some(info)
        })
    })
}

impl Location {
    /// What the location's file adds to its own addresses.
    pub fn file_bias(&self) -> usize {
        self.bias.wrapping_add(self.file.shift as usize)
    }

    /// True when the address is in the user's part of the image: not in a compiler's run-time library.
    pub fn in_users_code(&self) -> bool {
        self.in_image && !self.file.is_runtime
    }
}

type FindObject = unsafe extern "C" fn(*mut c_void, *mut DlFindObject) -> c_int;

/// glibc's `_dl_find_object`, behind the one that libsmpi exports; `None` before glibc 2.35.
fn real_find_object() -> Option<FindObject> {
    static REAL: OnceLock<Option<FindObject>> = OnceLock::new();
    *REAL.get_or_init(|| {
        // SAFETY: the name ends with a zero; RTLD_NEXT is relative to the object that this code is in.
        let address = unsafe { libc::dlsym(libc::RTLD_NEXT, c"_dl_find_object".as_ptr()) };
        // SAFETY: what the libraries after this one have under this name is glibc's function, whose type is this.
        (!address.is_null()).then(|| unsafe { std::mem::transmute::<*mut c_void, FindObject>(address) })
    })
}
