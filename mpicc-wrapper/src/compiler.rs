//! Chooses the real compiler and finds out the few things about it that matter.

use crate::language::Language;
use crate::tree::Tree;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What to do about a missing or unfit Fortran compiler.
pub const FORTRAN_ADVICE: &str =
    "install it (Debian, Ubuntu: apt-get install gfortran; Fedora: dnf install gcc-gfortran) or set SMPI_FC";

/// The real compiler: a program and words that always follow it (`SMPI_CC="ccache gcc"`).
#[derive(Debug, PartialEq)]
pub struct Compiler {
    /// Program and leading words.
    pub words: Vec<String>,
    /// The wrapper's language.
    pub language: Language,
}

/// Environment variables that name the compiler, the first set one wins. The others are those of Open MPI and MPICH,
/// so that build scripts written for them work.
fn variables(language: Language) -> &'static [&'static str] {
    match language {
        Language::C => &["SMPI_CC", "OMPI_CC", "MPICH_CC"],
        Language::Cxx => &["SMPI_CXX", "OMPI_CXX", "MPICH_CXX"],
        Language::Fortran => &["SMPI_FC", "OMPI_FC", "MPICH_FC", "MPICH_F90", "OMPI_F77", "MPICH_F77"],
    }
}

/// MPICH's options that choose the compiler, which are for the wrapper.
const CHOICES: [&str; 5] = ["-cc=", "-cxx=", "-fc=", "-f90=", "-f77="];

/// The names of the wrappers, which cannot be the compilers behind them.
const WRAPPERS: [&str; 6] = ["smpicc", "smpicxx", "smpic++", "smpif90", "smpif77", "smpifort"];

/// True for an option that chooses the compiler.
pub fn is_choice(word: &OsStr) -> bool {
    let text = word.to_string_lossy();
    CHOICES.iter().any(|choice| text.starts_with(choice))
}

/// The compiler that options, environment or `PATH` give, in this order.
pub fn choose(language: Language, words: &[OsString]) -> Result<Compiler, String> {
    let option = words.iter().rev().find(|word| is_choice(word)).map(|word| word.to_string_lossy().into_owned());
    let chosen = option.and_then(|option| option.split_once('=').map(|(_, name)| name.to_string())).or_else(|| {
        variables(language).iter().find_map(|name| std::env::var(name).ok().filter(|v| !v.trim().is_empty()))
    });
    let words: Vec<String> = match chosen {
        // A path with blanks is one word if it is there.
        Some(command) if Path::new(&command).is_file() => vec![command],
        Some(command) => command.split_whitespace().map(String::from).collect(),
        None => vec![default(language)?],
    };
    let Some(program) = words.first() else { return Err("-cc= needs the name of a compiler".into()) };
    if is_wrapper(program) {
        return Err(format!("{program} is this wrapper itself; expected a real compiler such as {}", first(language)));
    }
    Ok(Compiler { words, language })
}

/// Whether the program is one of our wrappers, under its own name or as a link (`mpicc`): it would run itself for ever.
fn is_wrapper(program: &str) -> bool {
    let is_ours = |path: &Path| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        WRAPPERS.contains(&name.as_str())
    };
    let resolved = match program.contains('/') {
        true => Some(PathBuf::from(program)),
        false => in_path(program),
    };
    is_ours(Path::new(program)) || resolved.and_then(|path| path.canonicalize().ok()).is_some_and(|path| is_ours(&path))
}

fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(name)).find(|file| file.is_file())
}

/// What is looked for in `PATH`, the best first.
fn candidates(language: Language) -> &'static [&'static str] {
    match language {
        Language::C => &["gcc", "cc", "clang"],
        Language::Cxx => &["g++", "c++", "clang++"],
        Language::Fortran => &["gfortran"],
    }
}

fn first(language: Language) -> &'static str {
    candidates(language)[0]
}

fn default(language: Language) -> Result<String, String> {
    let candidates = candidates(language);
    candidates.iter().find(|name| in_path(name).is_some()).map(|name| name.to_string()).ok_or_else(|| {
        if language == Language::Fortran {
            return format!("no Fortran compiler found in PATH (gfortran); {FORTRAN_ADVICE}");
        }
        let (package, variable) = (first(language), variables(language)[0]);
        format!("no compiler found in PATH ({}); install {package} or set {variable}", candidates.join(", "))
    })
}

impl Compiler {
    /// Whether the compiler takes `-ftrivial-auto-var-init=zero` (gcc 12, clang 16). Asked rather than looked up by
    /// version, because `cc` may be anything.
    pub fn knows_auto_var_init(&self) -> bool {
        self.knows("-ftrivial-auto-var-init=zero")
    }

    /// The options that make the compiler report memory accesses by the calls of its thread sanitizer, without that
    /// sanitizer's library, which libsmpi stands in for. clang has an option to leave the library out. gcc decides
    /// about it in its driver, so the driver must not see the option: a spec file gives it to the compiler proper.
    pub fn instrumentation(&self, tree: &Tree) -> Vec<OsString> {
        let without_library = "-fno-sanitize-link-runtime";
        if self.knows(without_library) {
            // The note of the options in debug information tells which files are instrumented; gcc makes it by itself.
            return vec!["-fsanitize=thread".into(), without_library.into(), "-grecord-command-line".into()];
        }
        let mut specs = OsString::from("-specs=");
        specs.push(tree.include.join("smpi/verify.specs"));
        // libsmpi knows variables that were never written by gcc's pattern.
        let pattern = Some("-ftrivial-auto-var-init=pattern").filter(|option| self.knows(option));
        pattern.map(OsString::from).into_iter().chain([specs]).collect()
    }

    fn knows(&self, option: &str) -> bool {
        // A Fortran compiler preprocesses C as well: the option is what is asked about.
        let language = if self.language == Language::Cxx { "c++" } else { "c" };
        let probe = [option, "-Werror", "-E", "-x", language, "/dev/null"];
        let status = self.command().args(probe).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }

    /// Replaces this process by the compiler; returns what went wrong.
    pub fn become_it(&self, words: Vec<OsString>) -> String {
        let error = self.command().args(words).exec();
        format!("cannot run the compiler {}: {error}", self.words[0])
    }

    /// The compiler without the words of this compilation.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_choose_the_compiler() {
        let words = [OsString::from("-cc=ccache clang"), OsString::from("a.c")];
        assert_eq!(choose(Language::C, &words).unwrap().words, ["ccache", "clang"]);
        assert!(choose(Language::C, &["-cc=/x/smpicc".into()]).unwrap_err().contains("wrapper itself"));
        assert!(choose(Language::C, &["-cc=".into()]).is_err());
    }
}
