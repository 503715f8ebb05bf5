//! Notices variables of shared libraries that two ranks write: under mpirun each process has its own, here there is
//! one.
//!
//! The libraries that programs brought along are looked at, except run-time libraries of compilers and private
//! libraries. What a rank wrote is what differs, when it gives control back, from the copy made before. Comparing costs
//! a few microseconds per turn of a rank, so it is done in every turn at first, then for the first turns of each rank,
//! then for one turn in many: a variable that two ranks write often is found, one that is written rarely and late may
//! not be. A variable that gets the value that it had is not noticed.

use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_image::{Symbol, SymbolTable};
use smpi_report::source::readable;
use std::collections::BTreeSet;
use std::ffi::{CStr, c_int, c_void};
use std::path::PathBuf;
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

/// Data of one library beyond this is not looked at.
const MOST_DATA: usize = 1 << 20;
/// So many bytes are compared before only some turns are looked at.
const FREELY: usize = 64 << 20;
/// First turns of each rank that are always looked at.
const FIRST_TURNS: u8 = 3;
/// Later one turn in so many.
const SAMPLE: u64 = 1024;
/// Bytes that are compared at once.
const CHUNK: usize = 4096;
/// Variables of one library that are reported.
const MOST_REPORTS: usize = 5;

/// What is looked at, and what was found.
pub struct Watch {
    libraries: Vec<Library>,
    turns: u64,
    compared: usize,
    /// Turns of each rank so far, up to [`FIRST_TURNS`].
    first_turns: Vec<u8>,
    /// The copies are those of this moment.
    is_fresh: bool,
    looking: bool,
    news: BTreeSet<(usize, String)>,
}

/// A library whose data is watched.
struct Library {
    path: PathBuf,
    /// What it adds to its own addresses.
    bias: usize,
    parts: Vec<Part>,
    symbols: Option<SymbolTable>,
    /// The rank that wrote a variable first; `None` when two did.
    writers: Map<String, Option<WorldRank>>,
    reported: usize,
}

/// A range of writable data.
struct Part {
    start: usize,
    copy: Vec<u8>,
}

/// A loaded object, as the dynamic linker describes it.
struct Object {
    path: PathBuf,
    bias: usize,
    /// Address and length of its data, without what becomes read-only after relocation.
    data: Vec<(usize, usize)>,
}

/// The libraries that are loaded now, by their place in the address space.
pub fn loaded() -> BTreeSet<usize> {
    objects().iter().map(|object| object.bias).collect()
}

/// The libraries of the process that are not everybody's.
pub fn libraries() -> Vec<PathBuf> {
    objects().into_iter().filter(|object| !is_exempt(object)).map(|object| object.path).collect()
}

impl Watch {
    /// Watches the libraries that were loaded since `before`, if they have data.
    pub fn new(before: &BTreeSet<usize>, ranks: u32) -> Option<Watch> {
        let new = objects().into_iter().filter(|object| !before.contains(&object.bias) && !is_exempt(object));
        let libraries: Vec<Library> = new.map(Library::new).filter(|library| !library.parts.is_empty()).collect();
        (ranks > 1 && !libraries.is_empty()).then(|| Watch {
            libraries,
            turns: 0,
            compared: 0,
            first_turns: vec![0; ranks as usize],
            is_fresh: true,
            looking: false,
            news: BTreeSet::new(),
        })
    }

    /// A rank is about to run.
    pub fn before(&mut self, rank: WorldRank) {
        self.turns += 1;
        let first = &mut self.first_turns[rank.index()];
        let is_first = *first < FIRST_TURNS;
        *first += u8::from(is_first);
        self.looking = is_first || self.compared < FREELY || self.turns.is_multiple_of(SAMPLE);
        if self.looking && !self.is_fresh {
            self.libraries.iter_mut().flat_map(|library| &mut library.parts).for_each(Part::refresh);
        }
        self.is_fresh = self.looking;
    }

    /// The rank that [`Watch::before`] named gave control back.
    pub fn after(&mut self, rank: WorldRank) {
        if !self.looking {
            return;
        }
        for (index, library) in self.libraries.iter_mut().enumerate() {
            self.compared += library.parts.iter().map(|part| part.copy.len()).sum::<usize>();
            let changed: Vec<usize> = library.parts.iter_mut().flat_map(Part::changes).collect();
            for address in changed {
                let name = library.variable(address);
                let writer = library.writers.entry(name.clone()).or_insert(Some(rank));
                if writer.is_some_and(|writer| writer != rank) {
                    *writer = None;
                    self.news.insert((index, name));
                }
            }
        }
    }

    /// What was found since the last call, as warnings.
    pub fn take_warnings(&mut self) -> Vec<String> {
        let news = std::mem::take(&mut self.news);
        let mut warnings = Vec::new();
        for (index, variable) in news {
            let library = &mut self.libraries[index];
            library.reported += 1;
            if library.reported > MOST_REPORTS {
                continue;
            }
            let name = file_name(&library.path);
            warnings.push(format!(
                "smpirun: warning: {variable} of {name} is written by two ranks, which share this library; \
                 with --privatize {name} each rank has its own, as each process has under mpirun"
            ));
        }
        warnings
    }
}

impl Library {
    fn new(object: Object) -> Library {
        let total: usize = object.data.iter().map(|(_, len)| len).sum();
        let data = if total > MOST_DATA { Vec::new() } else { object.data };
        let mut parts: Vec<Part> = data.into_iter().map(|(start, len)| Part { start, copy: vec![0; len] }).collect();
        parts.iter_mut().for_each(Part::refresh);
        Library { path: object.path, bias: object.bias, parts, symbols: None, writers: Map::default(), reported: 0 }
    }

    /// The variable at an address, in words.
    fn variable(&mut self, address: usize) -> String {
        let own = address.wrapping_sub(self.bias) as u64;
        let symbols = self.symbols.get_or_insert_with(|| SymbolTable::read(&self.path));
        match symbols.variable_at(own) {
            Some(Symbol { name, .. }) => format!("variable {}", readable(name)),
            None => format!("data at {:#x}", own & !63),
        }
    }
}

impl Part {
    fn now(&self) -> &'static [u8] {
        // SAFETY: writable data of a library that stays loaded; nobody writes while the event loop looks, except
        // threads of the program, whose writes may be seen half done: the bytes are compared and copied, nothing else.
        unsafe { slice::from_raw_parts(ptr::with_exposed_provenance(self.start), self.copy.len()) }
    }

    fn refresh(&mut self) {
        let now = self.now();
        self.copy.copy_from_slice(now);
    }

    /// Addresses of the words that differ from the copy, which is made anew.
    fn changes(&mut self) -> Vec<usize> {
        let now = self.now();
        let mut changed = Vec::new();
        for (number, (old, new)) in self.copy.chunks_mut(CHUNK).zip(now.chunks(CHUNK)).enumerate() {
            if old == new {
                continue;
            }
            let words = old.chunks(4).zip(new.chunks(4)).enumerate().filter(|(_, (old, new))| old != new);
            changed.extend(words.map(|(word, _)| self.start + number * CHUNK + word * 4));
            old.copy_from_slice(new);
        }
        changed
    }
}

fn file_name(path: &std::path::Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn is_exempt(object: &Object) -> bool {
    let name = file_name(&object.path);
    name.is_empty() || EXEMPT.iter().any(|exempt| name.starts_with(exempt))
}

/// All objects of the process; the ranks' images are not among them.
fn objects() -> Vec<Object> {
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
        Object { path: PathBuf::from(std::ffi::OsStr::from_bytes(name.to_bytes())), bias, data: data.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A library with some words of data, and what writes to them.
    fn watched(words: usize, ranks: usize) -> (Watch, impl Fn(usize, u32)) {
        let data: &'static mut [u32] = Box::leak(vec![0; words].into_boxed_slice());
        let start = data.as_mut_ptr().expose_provenance();
        let object = Object { path: PathBuf::from("/nowhere/libx.so"), bias: start, data: vec![(start, 4 * words)] };
        let watch = Watch {
            libraries: vec![Library::new(object)],
            turns: 0,
            compared: 0,
            first_turns: vec![0; ranks],
            is_fresh: true,
            looking: false,
            news: BTreeSet::new(),
        };
        // SAFETY: the data are leaked, and nobody reads them at the same time.
        let write = move |word, value| unsafe { ptr::with_exposed_provenance_mut::<u32>(start).add(word).write(value) };
        (watch, write)
    }

    /// One rank's turn, in which it does something.
    fn turn(watch: &mut Watch, rank: u32, action: impl FnOnce()) {
        watch.before(WorldRank(rank));
        action();
        watch.after(WorldRank(rank));
    }

    #[test]
    fn a_variable_is_reported_once_two_ranks_wrote_it() {
        let (mut watch, write) = watched(64, 2);
        turn(&mut watch, 0, || write(3, 1));
        turn(&mut watch, 0, || write(3, 2));
        turn(&mut watch, 1, || write(32, 1));
        assert!(watch.take_warnings().is_empty());
        turn(&mut watch, 1, || write(3, 7));
        let warnings = watch.take_warnings();
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].contains("data at 0x0 of libx.so") && warnings[0].contains("--privatize libx.so"));
        turn(&mut watch, 0, || write(3, 9));
        assert!(watch.take_warnings().is_empty());
    }

    #[test]
    fn what_the_event_loop_writes_is_nobodys() {
        let (mut watch, write) = watched(64, 2);
        turn(&mut watch, 0, || write(3, 1));
        write(3, 5);
        // The first turns of each rank are looked at, with copies that are made anew.
        watch.is_fresh = false;
        turn(&mut watch, 1, || ());
        assert!(watch.take_warnings().is_empty());
    }

    #[test]
    fn later_turns_are_looked_at_now_and_then() {
        let (mut watch, _) = watched(64, 1);
        watch.compared = FREELY;
        let looks = |watch: &mut Watch| {
            turn(watch, 0, || ());
            watch.looking
        };
        let first: Vec<bool> = (0..5).map(|_| looks(&mut watch)).collect();
        assert_eq!(first, [true, true, true, false, false]);
        assert_eq!((5..2 * SAMPLE).filter(|_| looks(&mut watch)).count(), 2);
    }

    #[test]
    fn few_variables_of_a_library_are_reported() {
        let (mut watch, write) = watched(1024, 2);
        for rank in 0..2 {
            turn(&mut watch, rank, || (0..10).for_each(|word| write(word * 100, rank + 1)));
        }
        assert_eq!(watch.take_warnings().len(), MOST_REPORTS);
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
