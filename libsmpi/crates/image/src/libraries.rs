//! Opens the shared libraries that a program needs, and collects the files of its image.
//!
//! Libraries that are not private (`closure` tells which are) are opened into the global scope and never closed: their
//! code, data and thread-local data are shared by all ranks. Other MPI implementations are refused.

use crate::closure::Closure;
use crate::elf_file::ElfFile;
use crate::error::LoadError;
use crate::iostreams;
use crate::members::Members;
use crate::static_tls;

/// Beginnings of the names of other MPI implementations' libraries (Open MPI, MPICH and its descendants, SMPI).
const FOREIGN: [&str; 7] =
    ["libmpi.so", "libmpi_mpifh.so", "libmpi_cxx.so", "libmpich", "libmpicxx.so", "libmpifort.so", "libsimgrid.so"];

/// Reads the private libraries of a program, opens all others that it needs, and gives every private file its place.
pub(crate) fn open_all(program: ElfFile, privatize: &[String], tls_limit: usize) -> Result<Members, LoadError> {
    refuse_foreign(&program)?;
    let mut closure = Closure::new(program)?;
    closure.choose(privatize)?;
    closure.open_shared()?;
    let (program, libraries, construction) = closure.into_parts();
    libraries.iter().try_for_each(|library| refuse_foreign(&library.file))?;
    let program = program.expect("a closure begins with the executable");
    static_tls::ask_for_places(libraries.iter().map(|library| &library.file).chain([&program]))?;
    iostreams::initialise();
    Members::new(program, libraries, &construction, tls_limit)
}

fn refuse_foreign(file: &ElfFile) -> Result<(), LoadError> {
    match file.needed()?.iter().find(|name| FOREIGN.iter().any(|foreign| name.starts_with(foreign))) {
        Some(name) => Err(LoadError::ForeignMpi { path: file.path.clone(), name: name.clone() }),
        None => Ok(()),
    }
}
