//! Memory and results that ranks share (`SMPI_SHARED_MALLOC`, `SMPI_PARTIAL_SHARED_MALLOC`, `SMPI_SHARED_CALL` in
//! `include/smpi/smpi.h`), for programs whose data does not matter.
//!
//! A shared block is one mapping for all ranks, whatever their number. A partially shared block is private memory of
//! the rank over which the shared ranges are mapped from a file in memory that belongs to the place in the source.
//! Messages from and to shared memory carry nothing, and collective operations on it touch no memory: nobody cares for
//! its contents, and for copies of it that ranks would have on the way.
//!
//! In a verification each rank has memory of its own, which is put back with the rest of its heap: contents decide what
//! a program does there, and no rank of another MPI overwrites another's.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use smpi_abi::Function;
use smpi_base::map::Map;
use smpi_mpi::memory::Addr;
use smpi_process::HostCell;
use smpi_runtime::with;

use super::smpi_ext::{ensure_running, text_of};
use crate::ending;

// SAFETY: only calls that the boundary lets through get here: those of the hosting thread.
static SHARED: HostCell<RefCell<Option<Shared>>> = unsafe { HostCell::new(RefCell::new(None)) };

fn with_shared<R>(action: impl FnOnce(&mut Shared) -> R) -> R {
    action(SHARED.borrow_mut().get_or_insert_default())
}

/// What is shared, by place in the source.
#[derive(Debug, Default)]
struct Shared {
    /// Addresses of shared blocks.
    blocks: Map<Place, usize>,
    /// Files behind partially shared blocks.
    files: Map<Place, c_int>,
    /// All blocks by address.
    live: BTreeMap<usize, Block>,
    /// Results of shared calls by function and input.
    results: Map<(String, String), usize>,
}

/// A call in the source and the size it asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    file: String,
    line: c_int,
    size: usize,
}

#[derive(Debug)]
struct Block {
    size: usize,
    /// Allocations that have not been freed.
    users: u64,
    /// The ranges that are shared.
    ranges: Vec<(usize, usize)>,
    /// Where it is entered in `Shared::blocks`, if it is.
    place: Option<Place>,
}

fn page_size() -> usize {
    // SAFETY: asks for a constant of the system.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).unwrap_or(4096)
}

/// Fresh memory that costs nothing before it is touched; null when the address space is exhausted.
fn reserve(size: usize) -> *mut c_void {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping at a place of the system's choice touches nothing that exists.
    let address = unsafe { libc::mmap(ptr::null_mut(), size.max(1), protection, flags, -1, 0) };
    if address == libc::MAP_FAILED { ptr::null_mut() } else { address }
}

/// Tells that contents do not matter from now on, or that they do again.
fn disregard(ranges: &[(usize, usize)], is_void: bool) {
    with(|runtime| {
        let memory = runtime.world.memory();
        ranges.iter().for_each(|&(at, len)| memory.disregard(Addr(at as u64), len, is_void));
    });
}

/// Memory of the calling rank alone, in a verification; nothing in a simulation. As mapped memory it is zero.
fn of_verification(size: usize) -> Option<*mut c_void> {
    let is_verification = with(|runtime| runtime.driver.simulation().is_none());
    // SAFETY: no conditions; the exported calloc serves the calling rank from its own heap.
    is_verification.then(|| unsafe { libc::calloc(1, size.max(1)) })
}

/// Memory for `size` bytes that all ranks calling from this place with this size share; null when there is none.
///
/// # Safety
/// `file` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn smpi_shared_malloc(size: usize, file: *const c_char, line: c_int) -> *mut c_void {
    ensure_running(Function::smpi_shared_malloc);
    if let Some(own) = of_verification(size) {
        return own;
    }
    // SAFETY: `file` is a text, which smpi/smpi.h makes of `__FILE__`.
    let place = Place { file: unsafe { text_of(file) }, line, size };
    with_shared(|shared| {
        if let Some(&address) = shared.blocks.get(&place)
            && let Some(block) = shared.live.get_mut(&address)
        {
            block.users += 1;
            return ptr::with_exposed_provenance_mut(address);
        }
        let address = reserve(size);
        if !address.is_null() {
            shared.blocks.insert(place.clone(), address.expose_provenance());
            let ranges = vec![(address.addr(), size)];
            disregard(&ranges, true);
            shared.live.insert(address.addr(), Block { size, users: 1, ranges, place: Some(place) });
        }
        address
    })
}

/// Memory for `size` bytes of which some ranges are shared by all ranks that call from this place with this size.
///
/// # Safety
/// `offsets` has `2 * count` elements; `file` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn smpi_shared_malloc_partial_at(
    size: usize,
    offsets: *const usize,
    count: c_int,
    file: *const c_char,
    line: c_int,
) -> *mut c_void {
    ensure_running(Function::smpi_shared_malloc_partial);
    let pairs = usize::try_from(count).unwrap_or(0);
    // SAFETY: by MPI's contract `offsets` is an array of two for each of `count` blocks.
    let ranges: Vec<[usize; 2]> =
        (0..pairs).map(|i| unsafe { [*offsets.add(2 * i), *offsets.add(2 * i + 1)] }).collect();
    let bounds: Vec<usize> = ranges.concat();
    if !bounds.is_sorted() || bounds.last().is_some_and(|&end| end > size) {
        ending::abort(
            1,
            &format!(
                "smpi_shared_malloc_partial: parameter 2 (shared_block_offsets): {bounds:?}; allowed: ascending, at most \
                 {size} (parameter 1, size)"
            ),
        );
    }
    if let Some(own) = of_verification(size) {
        return own;
    }
    // SAFETY: `file` is a text, which smpi/smpi.h makes of `__FILE__`.
    let place = Place { file: unsafe { text_of(file) }, line, size };
    with_shared(|shared| shared.partial(place, &ranges))
}

/// [`smpi_shared_malloc_partial_at`] for callers that do not tell their place: one place for each size.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn smpi_shared_malloc_partial(size: usize, offsets: *const usize, count: c_int) -> *mut c_void {
    // SAFETY: the contract is that of the other function: `offsets` is an array of two for each of `count` blocks.
    unsafe { smpi_shared_malloc_partial_at(size, offsets, count, ptr::null(), 0) }
}

impl Shared {
    fn partial(&mut self, place: Place, ranges: &[[usize; 2]]) -> *mut c_void {
        let size = place.size;
        let Some(file) = self.file_of(place) else { return ptr::null_mut() };
        let address = reserve(size);
        if address.is_null() {
            return address;
        }
        let page = page_size();
        let mut shared = Vec::new();
        for [start, end] in ranges {
            let (start, end) = (start.next_multiple_of(page), end / page * page);
            if start < end && !map_over(address, start, end, file) {
                // SAFETY: the mapping is ours, and nobody has its address yet.
                unsafe { libc::munmap(address, size.max(1)) };
                return ptr::null_mut();
            }
            if start < end {
                shared.push((address.addr() + start, end - start));
            }
        }
        disregard(&shared, true);
        self.live.insert(address.expose_provenance(), Block { size, users: 1, ranges: shared, place: None });
        address
    }

    /// The file that holds what is shared by the blocks of a place.
    fn file_of(&mut self, place: Place) -> Option<c_int> {
        if let Some(&file) = self.files.get(&place) {
            return Some(file);
        }
        let length = libc::off_t::try_from(place.size).ok()?;
        // SAFETY: the name is a string; the file is ours.
        let file = unsafe { libc::memfd_create(c"smpi-shared".as_ptr(), libc::MFD_CLOEXEC) };
        // SAFETY: the file is ours; the system refuses a negative one.
        if unsafe { libc::ftruncate(file, length) } != 0 {
            return None;
        }
        self.files.insert(place, file);
        Some(file)
    }

    /// Takes back one allocation; false when the address is not one of ours.
    fn release(&mut self, address: usize) -> bool {
        let Some(block) = self.live.get_mut(&address) else { return false };
        block.users -= 1;
        if block.users == 0
            && let Some(block) = self.live.remove(&address)
        {
            if let Some(place) = &block.place {
                self.blocks.remove(place);
            }
            disregard(&block.ranges, false);
            // SAFETY: the mapping is ours, and its last user has given it back.
            unsafe { libc::munmap(ptr::with_exposed_provenance_mut(address), block.size.max(1)) };
        }
        true
    }
}

/// Maps the bytes `start..end` of the file over those of the block.
fn map_over(block: *mut c_void, start: usize, end: usize, file: c_int) -> bool {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_SHARED | libc::MAP_FIXED;
    // SAFETY: the range lies in the block, which nobody uses yet; offsets are page-aligned.
    let mapped =
        unsafe { libc::mmap(block.byte_add(start), end - start, protection, flags, file, start as libc::off_t) };
    mapped != libc::MAP_FAILED
}

/// Gives back memory of the functions above, or of `malloc`.
///
/// # Safety
/// `data` is null or came from one of them, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn smpi_shared_free(data: *mut c_void) {
    ensure_running(Function::smpi_shared_free);
    if !with_shared(|shared| shared.release(data.addr())) {
        // SAFETY: not ours, so it is malloc's: smpi/smpi.h allows no other, and callers do not use it any more.
        unsafe { libc::free(data) };
    }
}

/// Whether the result of a shared call is known.
///
/// # Safety
/// Both are null or strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn smpi_shared_known_call(func: *const c_char, input: *const c_char) -> c_int {
    ensure_running(Function::smpi_shared_known_call);
    // SAFETY: `func` and `input` are texts, as smpi/smpi.h asks.
    let key = unsafe { (text_of(func), text_of(input)) };
    c_int::from(with_shared(|shared| shared.results.contains_key(&key)))
}

/// The result of a shared call; null when it is not known.
///
/// # Safety
/// Both are null or strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn smpi_shared_get_call(func: *const c_char, input: *const c_char) -> *mut c_void {
    ensure_running(Function::smpi_shared_get_call);
    // SAFETY: `func` and `input` are texts, as smpi/smpi.h asks.
    let key = unsafe { (text_of(func), text_of(input)) };
    let result = with_shared(|shared| shared.results.get(&key).copied());
    result.map_or(ptr::null_mut(), ptr::with_exposed_provenance_mut)
}

/// Makes the result of a shared call known, and returns it.
///
/// # Safety
/// Both are null or strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn smpi_shared_set_call(
    func: *const c_char,
    input: *const c_char,
    data: *mut c_void,
) -> *mut c_void {
    ensure_running(Function::smpi_shared_set_call);
    // SAFETY: `func` and `input` are texts, as smpi/smpi.h asks.
    let key = unsafe { (text_of(func), text_of(input)) };
    with_shared(|shared| shared.results.insert(key, data.expose_provenance()));
    data
}
