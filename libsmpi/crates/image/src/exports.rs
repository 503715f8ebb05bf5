//! What libraries export, found in their own tables.
//!
//! `dlsym` answers the same. But it takes away what `dlerror` is to tell the rank that runs, and so it can look for a
//! function only before ranks run, whether or not one will call it. And it does not tell functions from variables.
//!
//! Sources: System V gABI chapter 5; LSB 5.0 chapter 10.7 (versions of symbols); the table of hashes as binutils and
//! glibc have it (`DT_GNU_HASH`).

use crate::search::{LinkMap, loaded};
use object::elf;
use std::ffi::{CStr, c_char};
use std::sync::OnceLock;

/// An entry of a table of symbols (gABI, `Elf64_Sym`).
#[repr(C)]
struct Entry {
    name: u32,
    info: u8,
    other: u8,
    section: u16,
    value: u64,
    size: u64,
}

impl Entry {
    fn kind(&self) -> u8 {
        self.info & 0xf
    }
}

/// Of the version of a symbol: it is not the one that a name without a version means.
const HIDDEN: u16 = 0x8000;
/// Bits of a word of the filter of hashes.
const BITS: u32 = u64::BITS;

/// The tables of a library.
struct Library {
    bias: usize,
    symbols: *const Entry,
    names: *const c_char,
    /// One for each symbol; null where symbols have no versions.
    versions: *const u16,
    hashes: Hashes,
}

// SAFETY: tables of a library that was loaded at the start, which nobody writes any more.
unsafe impl Send for Library {}
// SAFETY: as for `Send`.
unsafe impl Sync for Library {}

/// The table of hashes: symbols from `first` on are sorted by the bucket that they belong to.
struct Hashes {
    first: u32,
    shift: u32,
    filter: (*const u64, u32),
    buckets: (*const u32, u32),
    chains: *const u32,
}

/// Everything that is loaded at the start, in the order in which the dynamic linker looks for symbols; what has no such
/// tables is `None`. And which of it is the first behind this library.
static ALL: OnceLock<(Vec<Option<Library>>, usize)> = OnceLock::new();

/// Looks where the libraries are. It must be called before ranks run: it may take away what `dlerror` would tell.
pub fn prepare() {
    all();
}

fn all() -> &'static (Vec<Option<Library>>, usize) {
    ALL.get_or_init(|| {
        let mut maps = loaded();
        // The kernel's is no library that is searched.
        maps.retain(|map| !map.path().to_bytes().starts_with(b"linux-vdso"));
        let own = maps.iter().position(|map| map.is_own());
        (maps.iter().copied().map(Library::new).collect(), own.map_or(maps.len(), |own| own + 1))
    })
}

/// Address of the function or variable that the libraries behind this one export under a name. `None` where they have
/// none, and where only `dlsym` can tell: behind a library with other tables, or where the address is chosen by a
/// function.
pub fn behind(name: &CStr) -> Option<usize> {
    let (libraries, first) = all();
    let (library, entry) = find(&libraries[*first..], name)?;
    let is_plain = !matches!(entry.kind(), elf::STT_GNU_IFUNC | elf::STT_TLS) && entry.section != elf::SHN_ABS;
    is_plain.then(|| library.bias + entry.value as usize)
}

/// Address of the function that this process calls by a name; `None` where it has none, or a variable of that name.
pub fn function(name: &CStr) -> Option<usize> {
    let (library, entry) = find(&all().0, name)?;
    (entry.kind() == elf::STT_FUNC).then(|| library.bias + entry.value as usize)
}

/// The first of these libraries that exports a name, and its symbol.
fn find(libraries: &'static [Option<Library>], name: &CStr) -> Option<(&'static Library, &'static Entry)> {
    let hash = hash(name.to_bytes());
    for library in libraries {
        let library = library.as_ref()?;
        if let Some(entry) = library.find(name, hash) {
            return Some((library, entry));
        }
    }
    None
}

fn hash(name: &[u8]) -> u32 {
    name.iter().fold(5381, |hash: u32, &byte| hash.wrapping_mul(33).wrapping_add(u32::from(byte)))
}

impl Library {
    fn new(map: &LinkMap) -> Option<Library> {
        let hashes = map.address(elf::DT_GNU_HASH)? as *const u32;
        let versions = map.address(elf::DT_VERSYM).unwrap_or(0) as *const u16;
        let [symbols, names] = [map.address(elf::DT_SYMTAB)?, map.address(elf::DT_STRTAB)?];
        // SAFETY: such a table begins with four numbers: how many buckets there are, the first symbol, the words of the
        // filter, and a shift. The filter follows, then the buckets and the chains.
        let hashes = unsafe {
            let [buckets, first, words, shift] = hashes.cast::<[u32; 4]>().read();
            let filter = hashes.add(4).cast::<u64>();
            let start = filter.add(words as usize).cast::<u32>();
            let chains = start.add(buckets as usize);
            Hashes { first, shift, filter: (filter, words), buckets: (start, buckets), chains }
        };
        let (symbols, names) = (symbols as *const Entry, names as *const c_char);
        Some(Library { bias: map.bias, symbols, names, versions, hashes })
    }

    /// The symbol of a name that has this hash.
    fn find(&self, name: &CStr, hash: u32) -> Option<&Entry> {
        let Hashes { first, shift, filter: (filter, words), buckets: (buckets, count), chains } = self.hashes;
        if words == 0 || count == 0 {
            return None;
        }
        // SAFETY: the numbers are within the bounds that the table itself has told; a chain ends with an odd number.
        unsafe {
            let word = *filter.add((hash / BITS % words) as usize);
            let both = 1 << (hash % BITS) | 1 << ((hash >> shift) % BITS);
            if word & both != both {
                return None;
            }
            let mut index = *buckets.add((hash % count) as usize);
            while index >= first {
                let other = *chains.add((index - first) as usize);
                if other | 1 == hash | 1 && self.is_meant(index, name) {
                    return Some(&*self.symbols.add(index as usize));
                }
                if other & 1 != 0 {
                    return None;
                }
                index += 1;
            }
        }
        None
    }

    /// Whether a symbol of the table is what a name without a version means.
    ///
    /// # Safety
    /// The table must have so many symbols.
    unsafe fn is_meant(&self, index: u32, name: &CStr) -> bool {
        // SAFETY: an entry of the table, whose name is a string; the table of versions is as long.
        unsafe {
            let entry = &*self.symbols.add(index as usize);
            let is_hidden = !self.versions.is_null() && *self.versions.add(index as usize) & HIDDEN != 0;
            let is_defined = entry.section != elf::SHN_UNDEF && entry.info >> 4 != elf::STB_LOCAL;
            is_defined && !is_hidden && CStr::from_ptr(self.names.add(entry.name as usize)) == name
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All that libraries export is found, as `dlsym` finds it.
    #[test]
    fn names_mean_what_they_mean_to_the_dynamic_linker() {
        let (mut same, mut left) = (0, 0);
        let (libraries, first) = all();
        for library in libraries[*first..].iter().flatten() {
            let Hashes { first, chains, buckets: (buckets, count), .. } = &library.hashes;
            for bucket in 0..*count {
                // SAFETY: the buckets and chains of the table, as in `Library::find`.
                let mut index = unsafe { *buckets.add(bucket as usize) };
                while index >= *first {
                    // SAFETY: as above.
                    let (entry, chain) =
                        unsafe { (&*library.symbols.add(index as usize), *chains.add((index - *first) as usize)) };
                    // SAFETY: the name of an entry.
                    let name = unsafe { CStr::from_ptr(library.names.add(entry.name as usize)) };
                    // SAFETY: a name that ends with a zero.
                    let known = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) }.addr();
                    match behind(name) {
                        Some(found) => {
                            assert_eq!(found, known, "{name:?}");
                            same += 1;
                        }
                        None => left += 1,
                    }
                    if chain & 1 != 0 {
                        break;
                    }
                    index += 1;
                }
            }
        }
        assert!(same > 2000 && left < same / 5, "{same} names are found, {left} are not");
        assert_eq!(behind(c"no function of libc"), None);
        assert!(behind(c"close").is_some() && behind(c"strlen").is_none());
        assert_eq!((function(c"close"), function(c"environ")), (behind(c"close"), None));
    }

    #[test]
    fn hashes_are_those_of_the_tables() {
        // The value that the examples of this hash have.
        assert_eq!((hash(b""), hash(b"printf")), (5381, 0x156b_2bb8));
    }
}
