//! Where the dynamic linker finds the libraries that a file needs, and what it has loaded already.
//!
//! Order (ld.so(8)): what is loaded already under that name; `DT_RPATH` when there is no `DT_RUNPATH`;
//! `LD_LIBRARY_PATH`; `DT_RUNPATH`; then the system's cache and directories. `$ORIGIN` is the directory of the file
//! that has the entry.

use crate::cache::Cache;
use crate::elf_file::ElfFile;
use crate::error::LoadError;
use object::elf;
use std::ffi::{CStr, CString, OsStr, c_char};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Where the dynamic linker looks last.
const SYSTEM_DIRECTORIES: [&str; 4] = ["/lib64", "/usr/lib64", "/lib", "/usr/lib"];

/// True when the process has a library under this name already.
pub(crate) fn is_loaded(name: &str) -> bool {
    dlopen(name, libc::RTLD_NOLOAD).is_ok()
}

/// The public head of glibc's `struct link_map` (link.h).
#[repr(C)]
pub(crate) struct LinkMap {
    pub bias: usize,
    name: *const c_char,
    /// Tags and values of the library's dynamic section, up to a tag 0; null when there is none.
    pub dynamic: *const [u64; 2],
    next: *const LinkMap,
}

// SAFETY: what it points to the dynamic linker has written before anybody sees it, and it stays.
unsafe impl Sync for LinkMap {}

unsafe extern "C" {
    /// The dynamic section of the file that this code is in (gABI chapter 5).
    #[link_name = "_DYNAMIC"]
    static OWN: [u64; 2];
}

impl LinkMap {
    /// Whether it is of the library that this code is in.
    pub fn is_own(&self) -> bool {
        std::ptr::eq(self.dynamic, &raw const OWN)
    }

    /// The path under which it was loaded.
    pub fn path(&self) -> &'static CStr {
        // SAFETY: a string that glibc keeps as long as the library is loaded, and nothing is unloaded that was loaded
        // at the start.
        if self.name.is_null() { c"" } else { unsafe { CStr::from_ptr(self.name) } }
    }

    /// What the dynamic section has under a tag; `None` where it does not have it.
    pub fn entry(&self, tag: u32) -> Option<usize> {
        let mut entry = self.dynamic;
        // SAFETY: a dynamic section ends with a null tag.
        unsafe {
            while !entry.is_null() && (*entry)[0] != 0 {
                if (*entry)[0] == u64::from(tag) {
                    return Some((*entry)[1] as usize);
                }
                entry = entry.add(1);
            }
        }
        None
    }

    /// The address that the dynamic section has under a tag: glibc has relocated it in place. `None` where it is not
    /// relocated either, as in the kernel's library.
    pub fn address(&self, tag: u32) -> Option<usize> {
        self.entry(tag).filter(|&address| address >= self.bias)
    }
}

/// What the process has loaded, in the order of the dynamic linker: the program first.
pub(crate) fn loaded() -> Vec<&'static LinkMap> {
    let mut map = link_map(None);
    std::iter::from_fn(|| {
        let library = map?;
        // SAFETY: the list of link maps is glibc's, and nothing is loaded or unloaded meanwhile.
        map = unsafe { library.next.as_ref() };
        Some(library)
    })
    .collect()
}

/// The link map of what is loaded under a name; without one, that of the program.
fn link_map(name: Option<&CStr>) -> Option<&'static LinkMap> {
    let mut map: *const LinkMap = std::ptr::null();
    let name = name.map_or(std::ptr::null(), CStr::as_ptr);
    // SAFETY: null, or a name that ends with a zero; nothing is loaded that was not before. glibc fills the pointer
    // with the address of a link map, which stays, because the handle is never closed.
    unsafe {
        let handle = libc::dlopen(name, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if handle.is_null() || libc::dlinfo(handle, libc::RTLD_DI_LINKMAP, (&raw mut map).cast()) != 0 {
            return None;
        }
        map.as_ref()
    }
}

/// The path under which the library was loaded that this code is in; empty in a program.
pub fn own_path() -> &'static CStr {
    loaded().into_iter().find(|map| map.is_own()).map_or(c"", LinkMap::path)
}

/// The file of the library that the process has loaded under this name.
pub(crate) fn loaded_file(name: &str) -> Option<PathBuf> {
    let name = CString::new(name).ok().filter(|_| !name.is_empty() && !name.contains('/'))?;
    let path = link_map(Some(&name))?.path();
    Some(PathBuf::from(OsStr::from_bytes(path.to_bytes())))
}

/// The file that glibc's message says it did not find: `NAME: cannot open shared object file: …`.
pub(crate) fn missing_file(reason: &str) -> Option<&str> {
    reason.split_once(": cannot open shared object file").map(|(name, _)| name)
}

/// Where the needs of one file are looked for.
pub(crate) struct SearchPath {
    /// `DT_RPATH` of the files from the executable down to this one.
    rpath: Vec<PathBuf>,
    /// Directories to look in before the system's own.
    directories: Vec<PathBuf>,
    cache: Rc<Cache>,
}

impl SearchPath {
    /// The search of the executable's needs.
    pub fn of_executable(program: &ElfFile) -> Result<SearchPath, LoadError> {
        SearchPath::new(program, Vec::new(), Rc::new(Cache::read()))
    }

    /// The search of a library's needs; `user` is the search of the file that needs the library.
    pub fn of_library(library: &ElfFile, user: &SearchPath) -> Result<SearchPath, LoadError> {
        SearchPath::new(library, user.rpath.clone(), user.cache.clone())
    }

    fn new(file: &ElfFile, above: Vec<PathBuf>, cache: Rc<Cache>) -> Result<SearchPath, LoadError> {
        let absolute = std::fs::canonicalize(&file.path).unwrap_or_else(|_| file.path.clone());
        let origin = absolute.parent().unwrap_or(Path::new("/")).to_path_buf();
        let split = |list: Option<String>| -> Vec<PathBuf> {
            let list = list.unwrap_or_default();
            let directories = list.split(':').filter(|directory| !directory.is_empty());
            directories.map(|directory| PathBuf::from(expand_origin(directory, &origin))).collect()
        };
        let run_path = file.dynamic_text(elf::DT_RUNPATH)?;
        let own_rpath = if run_path.is_none() { file.dynamic_text(elf::DT_RPATH)? } else { None };
        let mut rpath = above;
        rpath.extend(split(own_rpath));
        let mut directories = if run_path.is_none() { rpath.clone() } else { Vec::new() };
        directories.extend(split(std::env::var("LD_LIBRARY_PATH").ok()));
        directories.extend(split(run_path));
        Ok(SearchPath { rpath, directories, cache })
    }

    /// The file that the dynamic linker would take for a name.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        if name.contains('/') {
            return Some(PathBuf::from(name));
        }
        let own = self.directories.iter().map(|directory| directory.join(name));
        let system = SYSTEM_DIRECTORIES.iter().map(|directory| Path::new(directory).join(name));
        own.chain(self.cache.files(name)).chain(system).find(|file| {
            // One of the wrong class in one directory is no obstacle to the right one in another.
            ElfFile::read_library(file).is_ok()
        })
    }

    /// Opens one library into the global scope; answers the dynamic linker's reason when that fails.
    pub fn open(&self, name: &str) -> Result<(), String> {
        if name.contains('/') {
            return dlopen(name, 0);
        }
        if dlopen(name, libc::RTLD_NOLOAD).is_ok() {
            return Ok(());
        }
        let mut refused = None;
        for candidate in self.candidates(name) {
            match self.open_with_dependencies(&candidate) {
                Ok(()) => return Ok(()),
                Err(reason) => refused = Some(reason),
            }
        }
        // A library of the wrong class in one directory is no obstacle to the right one in the system's.
        dlopen(name, 0).map_err(|reason| refused.unwrap_or(reason))
    }

    /// Files of this name in the directories, in order.
    fn candidates(&self, name: &str) -> Vec<String> {
        let files = self.directories.iter().map(|directory| directory.join(name));
        files.filter(|file| file.is_file()).map(|file| file.to_string_lossy().into_owned()).collect()
    }

    /// Opens a file; when the dynamic linker misses a library that it needs and that lies in these directories, opens
    /// that one first: the program's `DT_RPATH` holds for what its libraries need, too, and the linker, which has not
    /// loaded the program, does not know it.
    fn open_with_dependencies(&self, file: &str) -> Result<(), String> {
        let mut asked_for: Option<String> = None;
        loop {
            let Err(reason) = dlopen(file, 0) else { return Ok(()) };
            let missing = missing_file(&reason).filter(|name| !name.contains('/')).map(str::to_string);
            match missing {
                Some(name) if asked_for.as_ref() != Some(&name) && !self.candidates(&name).is_empty() => {
                    self.open(&name)?;
                    asked_for = Some(name);
                }
                _ => return Err(reason),
            }
        }
    }
}

fn expand_origin(directory: &str, origin: &Path) -> String {
    let origin = origin.to_string_lossy();
    directory.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin)
}

fn dlopen(name: &str, extra: libc::c_int) -> Result<(), String> {
    let name = CString::new(name).map_err(|_| "its name contains a null byte".to_string())?;
    // SAFETY: the name ends with a zero. The constructors that run are those of a library that the program needs; they
    // are trusted like the program itself.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL | extra) };
    if !handle.is_null() {
        return Ok(());
    }
    // SAFETY: `dlerror` answers null, or a string that stays valid until the next such call of this thread; it is
    // copied before that.
    let reason = unsafe {
        let reason = libc::dlerror();
        if reason.is_null() { None } else { Some(CStr::from_ptr(reason).to_string_lossy().into_owned()) }
    };
    Err(reason.unwrap_or_else(|| "not loaded".to_string()))
}
