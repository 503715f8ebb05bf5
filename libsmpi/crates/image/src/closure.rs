//! Which libraries a program loads, and which of them every rank has for itself.
//!
//! These are private:
//!
//! - libraries that the user names;
//! - those that were linked with libsmpi's wrappers, which shows in their need of `libmpi_abi.so`;
//! - run-time libraries of compilers: Fortran's units and buffers, and OpenMP's teams of threads, belong to a process;
//! - libraries, not of the system, with variables of which the executable has its own copy (COPY relocations);
//! - libraries that need a private one, because they must see the rank's copy. Exception: a library of the system that
//!   needs only such a run-time (BLAS, for example) stays shared, with a run-time library of its own;
//! - tools on MPI's profiling interface that are preloaded (`LD_PRELOAD`), before all other libraries.

use crate::arch::{self, Action};
use crate::elf_file::ElfFile;
use crate::error::LoadError;
use crate::members::PrivateLibrary;
use crate::names::is_libsmpi;
use crate::search::{SearchPath, is_loaded, missing_file};
use crate::symbols::imported;
use smpi_base::map::Map;
use std::path::Path;

/// Beginnings of the names of libraries that exist once in a process, and need nothing that does not.
const SINGLE: [&str; 9] = [
    "libc.so",
    "libm.so",
    "ld-linux",
    "libpthread.so",
    "libdl.so",
    "librt.so",
    "libgcc_s.so",
    "libmpi_abi.so",
    "libsmpi.so",
];

/// Beginnings of the names of run-time libraries of compilers that keep a process's state.
const RUNTIMES: [&str; 4] = ["libgfortran.so", "libgomp.so", "libomp.so", "libiomp5.so"];

/// Directories of the system's own libraries.
const SYSTEM: [&str; 4] = ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"];

/// Whether a library's name begins with one of these.
pub(crate) fn is_one_of(name: &str, beginnings: &[&str]) -> bool {
    beginnings.iter().any(|beginning| name.starts_with(beginning))
}

/// A library that the program needs, directly or not.
struct Node {
    name: String,
    /// `None` when it is not found, cannot be read, or is one of [`SINGLE`].
    file: Option<(ElfFile, SearchPath)>,
    /// Indices of the libraries that it needs.
    needs: Vec<usize>,
    /// Every rank gets a copy of its own.
    is_private: bool,
    /// It is the run-time library of a compiler.
    is_runtime: bool,
    /// It is in a directory of the system.
    is_system: bool,
    /// It is a preloaded tool on MPI's profiling interface.
    is_tool: bool,
}

/// The libraries of a program.
pub(crate) struct Closure {
    /// Invariant: the program itself is the first, and is private.
    nodes: Vec<Node>,
}

impl Closure {
    /// Follows all needs from the executable on, breadth first, as the dynamic linker does; of the preloaded libraries,
    /// which come first, only the tools.
    pub fn new(executable: ElfFile) -> Result<Closure, LoadError> {
        let search = SearchPath::of_executable(&executable)?;
        let root = Node {
            name: String::new(),
            file: Some((executable, search)),
            needs: Vec::new(),
            is_private: true,
            is_runtime: false,
            is_system: false,
            is_tool: false,
        };
        let mut closure = Closure { nodes: vec![root] };
        let mut known: Map<String, usize> = Map::default();
        closure.add_tools(&std::env::var("LD_PRELOAD").unwrap_or_default(), &mut known)?;
        let mut at = 0;
        while at < closure.nodes.len() {
            let names = match &closure.nodes[at].file {
                Some((file, _)) => file.needed()?,
                None => Vec::new(),
            };
            for name in names {
                let number = match known.get(&name) {
                    Some(&number) => number,
                    None => {
                        let node = closure.find(at, &name);
                        closure.nodes.push(node);
                        known.insert(name, closure.nodes.len() - 1);
                        closure.nodes.len() - 1
                    }
                };
                closure.nodes[at].needs.push(number);
            }
            at += 1;
        }
        Ok(closure)
    }

    /// The program, then its libraries, as far as they could be read; not those that exist once.
    pub fn files(&self) -> impl Iterator<Item = &ElfFile> {
        self.nodes.iter().filter_map(|node| node.file.as_ref().map(|(file, _)| file))
    }

    /// Names of the libraries that all ranks share, without those of the C library and libsmpi.
    pub fn shared(&self) -> Vec<String> {
        let is_shared = |node: &&Node| !node.is_private && !is_one_of(&node.name, &SINGLE);
        self.nodes.iter().filter(is_shared).map(|node| node.name.clone()).collect()
    }

    /// Adds the tools of MPI's profiling interface among the preloaded libraries, as needs of the executable. Each is
    /// known by its file name, too, so that a program that is also linked with it does not get it twice.
    fn add_tools(&mut self, preloaded: &str, known: &mut Map<String, usize>) -> Result<(), LoadError> {
        for name in preloaded.split([':', ' ']).filter(|name| !name.is_empty()) {
            let node = self.find(0, name);
            let Some((file, _)) = &node.file else { continue };
            let is_of_mpi = |name: &String| name.starts_with("PMPI_") || name.starts_with("pmpi_");
            if !file.needed()?.iter().any(|needed| is_libsmpi(needed)) && !imported(&file.path).iter().any(is_of_mpi) {
                continue;
            }
            let number = self.nodes.len();
            let file_name = Path::new(name).file_name().map(|name| name.to_string_lossy().into_owned());
            known.extend([name.to_string()].into_iter().chain(file_name).map(|name| (name, number)));
            self.nodes.push(Node { is_private: true, is_tool: true, ..node });
            self.nodes[0].needs.push(number);
        }
        Ok(())
    }

    /// Finds and reads the library that the node `user` needs under this name.
    fn find(&self, user: usize, name: &str) -> Node {
        let search = self.nodes[user].file.as_ref().map(|(_, search)| search);
        let file = search.filter(|_| !is_one_of(name, &SINGLE)).and_then(|search| {
            let path = search.find(name)?;
            let file = ElfFile::read_library(&path).ok()?;
            let search = SearchPath::of_library(&file, search).ok()?;
            Some((file, search))
        });
        let absolute = file.as_ref().and_then(|(file, _)| std::fs::canonicalize(&file.path).ok());
        Node {
            name: name.to_string(),
            file,
            needs: Vec::new(),
            is_private: false,
            is_runtime: is_one_of(name, &RUNTIMES),
            is_system: absolute.is_some_and(|path| SYSTEM.iter().any(|directory| path.starts_with(directory))),
            is_tool: false,
        }
    }

    /// Decides which libraries are private.
    ///
    /// # Errors
    /// When the user names a library that is not loaded, or one that must exist once.
    pub fn choose(&mut self, privatize: &[String]) -> Result<(), LoadError> {
        for name in privatize {
            self.choose_named(name)?;
        }
        for at in 1..self.nodes.len() {
            let is_marked = self.nodes[at].needs.iter().any(|&needed| is_libsmpi(&self.nodes[needed].name));
            // What the process has already, because a preloaded library needs it, serves the process; not so the tools.
            if is_marked && (self.nodes[at].is_tool || !is_loaded(&self.nodes[at].name)) {
                self.nodes[at].is_private = true;
            }
        }
        self.choose_copied()?;
        let mut changed = true;
        while changed {
            changed = false;
            for at in 0..self.nodes.len() {
                if !self.nodes[at].is_private && self.needs_private(at) {
                    self.nodes[at].is_private = true;
                    changed = true;
                }
                let is_system = self.nodes[at].is_system && !self.nodes[at].is_private;
                for needed in self.nodes[at].needs.clone() {
                    let needed = &mut self.nodes[needed];
                    if needed.is_runtime && !is_system && !needed.is_private && needed.file.is_some() {
                        needed.is_private = true;
                        changed = true;
                    }
                }
            }
        }
        Ok(())
    }

    /// Makes libraries private of whose variables the executable has copies: only then is each one variable.
    fn choose_copied(&mut self) -> Result<(), LoadError> {
        let Some((executable, _)) = &self.nodes[0].file else { return Ok(()) };
        let mut copied = Vec::new();
        for rela in executable.relocations()? {
            if arch::action(rela.kind) == Some(Action::Copy) {
                copied.push(executable.symbol_name(&executable.symbol(rela.symbol)?)?);
            }
        }
        for name in copied {
            let defines = |node: &Node| match &node.file {
                Some((file, _)) => file.definitions(&name).is_ok_and(|found| !found.is_empty()),
                None => false,
            };
            let owner = (1..self.nodes.len()).find(|&at| defines(&self.nodes[at]));
            if let Some(at) = owner.filter(|&at| !self.nodes[at].is_system && !is_loaded(&self.nodes[at].name)) {
                self.nodes[at].is_private = true;
            }
        }
        Ok(())
    }

    fn choose_named(&mut self, name: &str) -> Result<(), LoadError> {
        let path = || self.nodes[0].path().to_path_buf();
        if is_one_of(name, &SINGLE) {
            return Err(LoadError::NeverPrivate { path: path(), name: name.to_string() });
        }
        let matches = |node: &Node| {
            let file = Path::new(&node.name).file_name().map(|file| file.to_string_lossy().into_owned());
            let file = file.unwrap_or_default();
            let without_version = file.find(".so").map_or("", |end| &file[..end + 3]);
            let real = node.path().file_name().is_some_and(|file| file == name);
            node.name == name || file == name || real || without_version == name || node.path() == Path::new(name)
        };
        let able = |node: &Node| node.file.is_some();
        let Some(at) = (1..self.nodes.len()).find(|&at| able(&self.nodes[at]) && matches(&self.nodes[at])) else {
            let name_of = |node: &Node| node.name.rsplit('/').next().unwrap_or_default().to_string();
            let loaded = self.nodes[1..].iter().filter(|node| able(node)).map(name_of).collect();
            return Err(LoadError::UnknownLibrary { path: path(), name: name.to_string(), loaded });
        };
        self.nodes[at].is_private = true;
        Ok(())
    }

    /// True for a library that needs a private one; run-time libraries of compilers do not count for the system's.
    fn needs_private(&self, at: usize) -> bool {
        let node = &self.nodes[at];
        node.file.is_some()
            && node.needs.iter().any(|&needed| {
                let needed = &self.nodes[needed];
                needed.is_private && !(needed.is_runtime && node.is_system)
            })
    }

    /// Opens, in the process, every library that a file of the image needs and that is not private.
    pub fn open_shared(&self) -> Result<(), LoadError> {
        let mut opened = vec![false; self.nodes.len()];
        for node in self.nodes.iter().filter(|node| node.is_private) {
            let Some((file, search)) = &node.file else { continue };
            for &needed in &node.needs {
                let needed_node = &self.nodes[needed];
                if needed_node.is_private
                    || is_libsmpi(&needed_node.name)
                    || std::mem::replace(&mut opened[needed], true)
                {
                    continue;
                }
                search.open(&needed_node.name).map_err(|reason| refusal(file, &needed_node.name, reason))?;
            }
        }
        Ok(())
    }

    /// The executable, the private libraries in the order of the search for symbols, and the order of their
    /// construction as indices of that list.
    pub fn into_parts(self) -> (Option<ElfFile>, Vec<PrivateLibrary>, Vec<usize>) {
        let mut order = Vec::new();
        let mut seen = vec![false; self.nodes.len()];
        self.visit(0, &mut seen, &mut order);
        let private: Vec<usize> = (1..self.nodes.len()).filter(|&at| self.nodes[at].is_private).collect();
        let construction = order.iter().filter_map(|at| private.iter().position(|other| other == at)).collect();
        let mut executable = None;
        let mut libraries = Vec::new();
        for (at, node) in self.nodes.into_iter().enumerate() {
            match node.file {
                Some((file, _)) if at == 0 => executable = Some(file),
                Some((file, _)) if node.is_private => {
                    libraries.push(PrivateLibrary { file, name: node.name, is_runtime: node.is_runtime });
                }
                _ => {}
            }
        }
        (executable, libraries, construction)
    }

    /// Appends what is below `at`, and then `at`, to the order of construction: what a library needs comes before it,
    /// and of several needs the last one first, as in glibc.
    fn visit(&self, at: usize, seen: &mut [bool], order: &mut Vec<usize>) {
        if std::mem::replace(&mut seen[at], true) {
            return;
        }
        for &needed in self.nodes[at].needs.iter().rev() {
            self.visit(needed, seen, order);
        }
        order.push(at);
    }
}

impl Node {
    fn path(&self) -> &Path {
        self.file.as_ref().map_or(Path::new(""), |(file, _)| &file.path)
    }
}

/// The refusal of a library that `user` needs, or of one that this library needs in turn.
fn refusal(user: &ElfFile, name: &str, reason: String) -> LoadError {
    let path = user.path.clone();
    match missing_file(&reason).filter(|missing| *missing != name && !missing.contains('/')) {
        Some(missing) => {
            LoadError::MissingLibrary { path, name: missing.to_string(), needed_by: name.to_string(), reason }
        }
        None => {
            LoadError::MissingLibrary { needed_by: path.display().to_string(), path, name: name.to_string(), reason }
        }
    }
}
