//! What only the Fortran wrapper needs: a gfortran that is new enough, and the modules `mpi` and `mpi_f08`.
//!
//! libsmpi comes with the modules' sources (they have interfaces and constants, and no code). A `.mod` file can only be
//! read by the compiler version that wrote it, so the wrapper compiles them when a compiler is first used, into a
//! directory whose name is a hash of compiler and sources: beside the library where that is writable, else in the
//! user's cache. The directory appears with one `rename`, complete: parallel builds may all be the first.

use crate::compiler::{Compiler, FORTRAN_ADVICE};
use crate::tree::Tree;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest gfortran that is supported: its `TYPE(*), DIMENSION(..)` arguments are those of the standard.
const OLDEST: u32 = 12;
/// Directory of the compiled modules, below those of the library and of the user's cache.
const MODULES: &str = "fortran-modules";

/// A Fortran compiler that was asked who it is.
pub struct Fortran {
    /// What `--version` printed first.
    version: String,
}

impl Fortran {
    /// Asks the compiler. The error says what is wanted instead.
    pub fn ask(compiler: &Compiler) -> Result<Fortran, String> {
        let name = compiler.words.join(" ");
        let output = compiler.command().arg("--version").output();
        let output = output.map_err(|e| format!("cannot run the compiler {name}: {e}; {FORTRAN_ADVICE}"))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let version = text.lines().next().unwrap_or_default().to_string();
        match major(&version) {
            Some(major) if major >= OLDEST => Ok(Fortran { version }),
            Some(_) => {
                Err(format!("{name} is too old ({version}); expected gfortran {OLDEST} or newer; {FORTRAN_ADVICE}"))
            }
            None => {
                Err(format!("{name} is not gfortran ({version}), the compiler that is supported; {FORTRAN_ADVICE}"))
            }
        }
    }

    /// The directory of the compiled modules; `None` when this tree has no module sources.
    pub fn modules(&self, compiler: &Compiler, tree: &Tree) -> Result<Option<PathBuf>, String> {
        let sources = in_order(sources(&tree.include)?);
        if sources.is_empty() {
            return Ok(None);
        }
        let key = format!("{:016x}", self.key(compiler, &sources));
        let places = places(tree);
        if let Some(there) = places.iter().map(|place| place.join(&key)).find(|directory| directory.is_dir()) {
            return Ok(Some(there));
        }
        let mut refusals = Vec::new();
        for place in &places {
            let new = place.join(format!("{key}.{}", std::process::id()));
            match std::fs::create_dir_all(&new) {
                Ok(()) => return fill(compiler, &sources, &new, &place.join(&key)).map(Some),
                Err(error) => refusals.push(format!("{}: {error}", place.display())),
            }
        }
        Err(format!(
            "no place for the compiled modules mpi and mpi_f08 ({}); set XDG_CACHE_HOME to a writable directory",
            refusals.join("; ")
        ))
    }

    /// A hash of all that decides what the compiler writes: FNV-1a, which any later build computes alike.
    fn key(&self, compiler: &Compiler, sources: &[Source]) -> u64 {
        let program = std::fs::canonicalize(&compiler.words[0]).unwrap_or_else(|_| PathBuf::from(&compiler.words[0]));
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |text: &str| {
            for byte in text.bytes().chain([0]) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        };
        add(&program.to_string_lossy());
        compiler.words.iter().skip(1).for_each(|word| add(word));
        add(&self.version);
        sources.iter().for_each(|source| add(&source.text));
        hash
    }
}

/// The major version in `GNU Fortran (Debian 12.2.0-14) 12.2.0`.
fn major(version: &str) -> Option<u32> {
    let rest = version.strip_prefix("GNU Fortran")?;
    // The words in parentheses are the packager's, and may have numbers, too.
    let rest = rest.rsplit_once(')').map_or(rest, |(_, after)| after);
    rest.split_whitespace().next()?.split('.').next()?.parse().ok()
}

/// Where compiled modules may be, the first choice first.
fn places(tree: &Tree) -> Vec<PathBuf> {
    // A relative path is to be ignored, says the XDG base directory specification.
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")));
    let cache = cache.map(|directory| directory.join("libsmpi").join(MODULES));
    std::iter::once(tree.library.join(MODULES)).chain(cache).collect()
}

/// A source file with modules.
#[derive(Debug)]
struct Source {
    path: PathBuf,
    text: String,
}

impl Source {
    /// The names after a keyword at the beginning of a line, in lower case.
    fn names<'a>(&'a self, keyword: &'a str) -> impl Iterator<Item = String> + 'a {
        self.text.lines().filter_map(move |line| {
            let line = line.trim_start().to_ascii_lowercase();
            let rest = line.strip_prefix(keyword)?.strip_prefix(' ')?.trim_start();
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            Some(rest[..end].to_string()).filter(|name| !name.is_empty() && name != "procedure")
        })
    }

    fn uses(&self, other: &Source) -> bool {
        self.names("use").any(|used| other.names("module").any(|module| module == used))
    }
}

/// The module sources beside `mpi.h`, sorted by name.
fn sources(include: &Path) -> Result<Vec<Source>, String> {
    let entries = std::fs::read_dir(include).map_err(|e| format!("{}: {e}", include.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "f90"));
    paths.sort();
    let read = |path: PathBuf| match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Source { path, text }),
        Err(error) => Err(format!("{}: {error}", path.display())),
    };
    paths.into_iter().map(read).collect()
}

/// The sources such that a module comes before those that use it.
fn in_order(mut sources: Vec<Source>) -> Vec<Source> {
    let mut ordered = Vec::new();
    while !sources.is_empty() {
        let free = |index: &usize| {
            let source = &sources[*index];
            sources.iter().enumerate().all(|(other, it)| other == *index || !source.uses(it))
        };
        // Sources that use each other have no order: the compiler will say so.
        let next = (0..sources.len()).find(free).unwrap_or(0);
        ordered.push(sources.remove(next));
    }
    ordered
}

/// Compiles the modules in `new` and renames it to `directory`, unless somebody else was faster.
fn fill(compiler: &Compiler, sources: &[Source], new: &Path, directory: &Path) -> Result<PathBuf, String> {
    let compiled = sources.iter().try_for_each(|source| compile(compiler, &source.path, new));
    let moved = compiled.map(|()| std::fs::rename(new, directory));
    if !matches!(moved, Ok(Ok(()))) {
        let _ = std::fs::remove_dir_all(new);
    }
    match moved? {
        Err(error) if !directory.is_dir() => Err(format!("{}: {error}", directory.display())),
        _ => Ok(directory.to_path_buf()),
    }
}

fn compile(compiler: &Compiler, source: &Path, directory: &Path) -> Result<(), String> {
    let mut command: Command = compiler.command();
    command.args(["-fsyntax-only", "-w", "-I"]).arg(directory).arg("-J").arg(directory).arg(source);
    let output = command.output().map_err(|e| format!("cannot run the compiler {}: {e}", compiler.words[0]))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{} does not compile {}:\n{}", compiler.words.join(" "), source.display(), said.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(major("GNU Fortran (Debian 12.2.0-14+deb12u1) 13.1.0"), Some(13));
        assert_eq!(major("GNU Fortran (GCC) 9.5.0 20220601"), Some(9));
        assert_eq!(major("gcc (Debian 12.2.0-14) 12.2.0"), None);
        assert_eq!(major("flang-new version 17.0.6"), None);
    }

    #[test]
    fn modules_come_before_their_users() {
        let source = |path: &str, text: &str| Source { path: path.into(), text: text.into() };
        let ordered = in_order(vec![
            source("a", "Module A\n use, intrinsic :: iso_c_binding\n use c, only: x\nend module A\n"),
            source("b", "module b\ninterface g\n module procedure p\nend interface\nend module\n"),
            source("c", "module c\nuse b\nend module c\n"),
        ]);
        let names: Vec<_> = ordered.iter().map(|source| source.path.to_str().unwrap()).collect();
        assert_eq!(names, ["b", "c", "a"]);
    }
}
