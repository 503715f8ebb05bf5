//! Finds the header and the library relative to the wrapper: in an installed tree (`bin/`, `include/`, `lib/`) or in
//! the source tree it was built in (`target/<profile>/`, `include/`).

use std::path::{Path, PathBuf};

/// Where header and library are.
#[derive(Debug, PartialEq)]
pub struct Tree {
    /// Directory of `mpi.h`.
    pub include: PathBuf,
    /// Directory of `libsmpi.so` and its links `libmpi_abi.so`, `libmpi_abi.so.1`.
    pub library: PathBuf,
    /// Directory of the compiled Fortran modules, once somebody asked for it.
    pub modules: Option<PathBuf>,
}

/// The library's own name.
const LIBRARY: &str = "libsmpi.so";
/// The library's names of the standard ABI: the first for the linker, the second (the SONAME) for the dynamic linker.
const LIBRARY_LINKS: [(&str, &str); 2] = [("libmpi_abi.so", LIBRARY), ("libmpi_abi.so.1", LIBRARY)];

/// Finds the tree of this executable.
pub fn find() -> Result<Tree, String> {
    let executable = std::env::current_exe().map_err(|e| format!("cannot find my own executable: {e}"))?;
    let directory = executable.parent().unwrap_or(Path::new("/"));
    // The last candidate serves a build with its own CARGO_TARGET_DIR: the sources this wrapper was compiled from.
    let includes = [
        directory.join("../include"),
        directory.join("../../include"),
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../include"),
    ];
    let include = first_with(&includes, "mpi.h")
        .ok_or_else(|| format!("mpi.h not found in ../include of {}", executable.display()))?;
    // A build tree may not have the library yet: compiling needs the header only, so `complete` reports it.
    let libraries = [directory.to_path_buf(), directory.join("../lib")];
    let library = first_with(&libraries, LIBRARY).unwrap_or_else(|| directory.to_path_buf());
    Ok(Tree { include, library, modules: None })
}

fn first_with(directories: &[PathBuf], file: &str) -> Option<PathBuf> {
    directories.iter().find(|directory| directory.join(file).is_file()).and_then(|d| d.canonicalize().ok())
}

impl Tree {
    /// Before a link: checks that the library is there, and adds the links that cargo does not make in a build tree.
    pub fn complete(&self, links: bool) -> Result<(), String> {
        if !links {
            return Ok(());
        }
        if !self.library.join(LIBRARY).is_file() {
            let place = self.library.display();
            return Err(format!("{LIBRARY} not found in {place} or ../lib; build it with `cargo build --release`"));
        }
        for (name, to) in LIBRARY_LINKS {
            let link = self.library.join(name);
            if link.symlink_metadata().is_ok() {
                continue;
            }
            match std::os::unix::fs::symlink(to, &link) {
                Ok(()) => {}
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(format!("cannot link {} to {to}: {e}", link.display())),
            }
        }
        Ok(())
    }
}
