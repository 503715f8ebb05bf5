//! The executables of an NPB tree: which there are, and whether they were built with our wrappers.
//!
//! Their names say benchmark, class and, up to NPB 3.3, the number of ranks: `cg.S.x`, `bt.W.4`.

use crate::refused::Refused;
use crate::suite::{Benchmark, CLASSES};
use object::elf::DT_NEEDED;
use object::read::elf::{Dyn, ElfFile64};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The library that programs built with our wrappers need, without its version.
const OUR_LIBRARY: &str = "libmpi_abi.so";
/// What the libraries of other implementations begin with (MPICH, Open MPI, Intel MPI, SimGrid).
const OTHER_LIBRARIES: [&str; 3] = ["libmpi", "libpmpi", "libsimgrid"];
/// What to do about a program that was built without our wrappers.
const BUILD: &str = "build NPB's MPI version with MPICC = smpicc and MPIFC = smpif90 in config/make.def";

/// An executable with a name of NPB's.
#[derive(Debug, PartialEq)]
pub struct Executable {
    /// The benchmark.
    pub benchmark: Benchmark,
    /// The class.
    pub class: char,
    /// The number of ranks that it was compiled for, if its name says one.
    pub ranks: Option<u32>,
    /// The file.
    pub path: PathBuf,
}

/// All executables of a folder, by benchmark, class and number of ranks.
///
/// # Errors
/// Something that is not a folder, or one without NPB executables.
pub fn scan(directory: &Path) -> Result<Vec<Executable>, Refused> {
    let entries = std::fs::read_dir(directory).map_err(|error| {
        Refused::new(
            format!("--bin: '{}' is no folder that can be read: {error}", directory.display()),
            "give the bin folder of an NPB tree built with smpicc and smpif90",
        )
    })?;
    let mut found: Vec<Executable> = entries.flatten().filter_map(|entry| executable(&entry.path())).collect();
    found.sort_by_key(|executable| {
        let class = CLASSES.iter().position(|class| *class == executable.class);
        (executable.benchmark, class, executable.ranks, executable.path.clone())
    });
    if found.is_empty() {
        return Err(Refused::new(
            format!("--bin: no NPB executables in '{}'", directory.display()),
            "expected names such as cg.S.x, ep.W.x or bt.W.4, which NPB's make puts into its bin folder",
        ));
    }
    Ok(found)
}

/// What the name of a file says, if it is an NPB executable.
fn executable(path: &Path) -> Option<Executable> {
    let metadata = std::fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.permissions().mode() & 0o111 == 0 {
        return None;
    }
    let (benchmark, class, ranks) = parse_name(path.file_name()?.to_str()?)?;
    Some(Executable { benchmark, class, ranks, path: std::path::absolute(path).ok()? })
}

fn parse_name(name: &str) -> Option<(Benchmark, char, Option<u32>)> {
    let mut words = name.split('.');
    let (benchmark, class, ranks, rest) = (words.next()?, words.next()?, words.next()?, words.next());
    let benchmark = Benchmark::named(benchmark)?;
    let class = CLASSES.into_iter().find(|known| class == known.to_string())?;
    let ranks = if ranks == "x" { None } else { Some(ranks.parse().ok().filter(|ranks| *ranks > 0)?) };
    rest.is_none().then_some((benchmark, class, ranks))
}

/// Checks that a program was built with our wrappers: the serial version of NPB has the same names, and programs of
/// other MPI implementations cannot run.
///
/// # Errors
/// Says what it was built with.
pub fn check_executable(path: &Path) -> Result<(), Refused> {
    let refused = |what: String| Refused::new(format!("--bin: '{}' {what}", path.display()), BUILD);
    let bytes = std::fs::read(path).map_err(|error| refused(format!("cannot be read: {error}")))?;
    let libraries =
        needed(&bytes).map_err(|error| refused(format!("is not an executable that can be read ({error})")))?;
    if libraries.iter().any(|library| library.starts_with(OUR_LIBRARY)) {
        return Ok(());
    }
    let other = libraries.iter().find(|library| OTHER_LIBRARIES.iter().any(|name| library.starts_with(name)));
    Err(refused(match other {
        Some(library) => format!("was built with another MPI ({library})"),
        None => format!("is no MPI program: it does not need {OUR_LIBRARY}"),
    }))
}

/// The shared libraries that an executable names.
fn needed(bytes: &[u8]) -> object::Result<Vec<String>> {
    let file = ElfFile64::<object::Endianness>::parse(bytes)?;
    let (endian, sections) = (file.endian(), file.elf_section_table());
    let Some((entries, link)) = sections.dynamic(endian, bytes)? else { return Ok(Vec::new()) };
    let strings = sections.strings(endian, bytes, link)?;
    let libraries = entries.iter().filter(|entry| entry.tag32(endian) == Some(DT_NEEDED));
    libraries.map(|entry| Ok(String::from_utf8_lossy(entry.string(endian, strings)?).into_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_benchmark_class_and_ranks() {
        assert_eq!(parse_name("cg.S.x"), Some((Benchmark::Cg, 'S', None)));
        assert_eq!(parse_name("bt.W.4"), Some((Benchmark::Bt, 'W', Some(4))));
        for name in ["cg.S", "cg.s.x", "bt.W.4.mpi_io_full", "ua.A.x", "cg.Q.x", "cg.S.0", "readme"] {
            assert_eq!(parse_name(name), None, "{name}");
        }
    }

    #[test]
    fn a_program_without_mpi_needs_other_libraries() {
        let bytes = std::fs::read("/proc/self/exe").unwrap();
        assert!(needed(&bytes).unwrap().iter().any(|library| library.starts_with("libc.so")));
        assert!(check_executable(Path::new("/proc/self/exe")).is_err());
        assert!(needed(b"#!/bin/sh\n").is_err());
    }
}
