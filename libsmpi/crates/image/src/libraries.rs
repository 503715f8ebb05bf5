//! Opens the shared libraries that a program needs, and collects the files of its image.
//!
//! Libraries that are not private (`closure` tells which are) are opened into the global scope and never closed: their
//! code, data and thread-local data are shared by all ranks. Other MPI implementations, most sanitizers, and
//! libraries without the versions that are asked of them are refused.

use crate::closure::{Closure, is_one_of};
use crate::dynamic::{AskedVersion, AskedVersions};
use crate::elf_file::ElfFile;
use crate::error::LoadError;
use crate::iostreams;
use crate::members::Members;
use crate::search::loaded_file;
use crate::static_tls;
use crate::versions::Versions;
use std::path::Path;

/// Beginnings of the names of other MPI implementations' libraries (Open MPI, MPICH and its descendants, SMPI).
const FOREIGN: [&str; 7] =
    ["libmpi.so", "libmpi_mpifh.so", "libmpi_cxx.so", "libmpich", "libmpicxx.so", "libmpifort.so", "libsimgrid.so"];

/// Beginnings of the names of libraries of sanitizers that take over the process that they are in.
const SANITIZERS: [&str; 5] = ["libasan.so", "libhwasan.so", "liblsan.so", "libmsan.so", "libtsan.so"];

/// What a program exports that has the address sanitizer's library inside.
const ADDRESS_SANITIZER: &str = "__asan_init";

/// Reads the private libraries of a program, opens all others that it needs, and gives every private file its place.
pub(crate) fn open_all(program: ElfFile, privatize: &[String], tls_limit: usize) -> Result<Members, LoadError> {
    refuse_sanitizers(&program)?;
    let path = program.path.clone();
    let mut closure = Closure::new(program)?;
    closure.files().try_for_each(|file| refuse_foreign(&path, file))?;
    closure.choose(privatize)?;
    closure.open_shared()?;
    let shared = closure.shared();
    let (program, libraries, construction) = closure.into_parts();
    let program = program.expect("a closure begins with the executable");
    static_tls::ask_for_places(libraries.iter().map(|library| &library.file).chain([&program]))?;
    iostreams::initialise();
    let mut members = Members::new(program, libraries, &construction, tls_limit)?;
    refuse_missing_versions(&members)?;
    members.shared = shared;
    Ok(members)
}

/// Refuses files that ask a library for a version that it does not define, as the dynamic linker does. Libraries that
/// are not found under their names say nothing: their symbols are looked up elsewhere.
fn refuse_missing_versions(members: &Members) -> Result<(), LoadError> {
    for member in &members.list {
        for AskedVersions { library, versions } in member.file.asked_versions()? {
            let private = members.list[1..].iter().find(|other| other.name == library);
            let shared = match private {
                Some(_) => None,
                None => loaded_file(&library).and_then(|path| ElfFile::read_library(&path).ok()),
            };
            let shared = shared.map(|file| Versions::new(&file)).transpose()?;
            let Some(offered) = private.map(|member| &member.versions).or(shared.as_ref()) else { continue };
            let missing = versions.iter().find(|asked| !asked.is_weak && !offered.serves(&asked.name));
            if let Some(AskedVersion { number, name, .. }) = missing {
                let symbol = member.file.symbol_of_version(*number)?.unwrap_or_default();
                let (path, version) = (member.file.path.clone(), name.clone());
                return Err(LoadError::MissingVersion { path, library, version, symbol });
            }
        }
    }
    Ok(())
}

/// `file` is the program at `path` or a library of it.
fn refuse_foreign(path: &Path, file: &ElfFile) -> Result<(), LoadError> {
    match file.needed()?.into_iter().find(|name| is_one_of(name, &FOREIGN)) {
        Some(name) => Err(LoadError::ForeignMpi { path: path.to_path_buf(), name, needed_by: file.path.clone() }),
        None => Ok(()),
    }
}

fn refuse_sanitizers(program: &ElfFile) -> Result<(), LoadError> {
    let library = program.needed()?.into_iter().find(|name| is_one_of(name, &SANITIZERS));
    let inside = || program.definitions(ADDRESS_SANITIZER).is_ok_and(|found| !found.is_empty());
    match library.or_else(|| inside().then(|| ADDRESS_SANITIZER.to_string())) {
        Some(name) => Err(LoadError::Sanitizer { path: program.path.clone(), name }),
        None => Ok(()),
    }
}
