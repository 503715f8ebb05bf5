//! What a command line asks the compiler to do, and what has to be added to it.

use crate::tree::Tree;
use std::ffi::{OsStr, OsString};

/// The facts about a command line that decide what is added.
#[derive(Debug, Default, PartialEq)]
pub struct Request {
    /// There is a file to work on: without one (`smpicc --version`, `-dumpmachine`) nothing is added.
    pub has_input: bool,
    /// Some input is source text rather than an object.
    pub has_source: bool,
    /// Some input is Fortran source text.
    pub has_fortran: bool,
    /// `-c`, `-S`, `-E`, `-M`, `-fsyntax-only`: stops before the link.
    pub stops_early: bool,
    /// `-E`, `-M`: no code is generated.
    pub preprocesses_only: bool,
    /// `-shared` or `-r`: the result is not an executable.
    pub not_executable: bool,
    /// The user chose the code model: `-fPIC`, `-fPIE`, `-fno-pie`, ….
    pub chose_position: bool,
    /// `-no-pie`, `-static`, …: the executable cannot become a rank.
    pub not_loadable: Option<String>,
    /// Some `-g…` was given.
    pub chose_debug: bool,
}

impl Request {
    /// True when an executable or a shared library is linked.
    pub fn links(&self) -> bool {
        self.has_input && !self.stops_early
    }
}

/// Options whose value is the next word, which is therefore not an input.
const WITH_VALUE: &[&str] = &[
    "-o",
    "-I",
    "-L",
    "-D",
    "-U",
    "-l",
    "-x",
    "-include",
    "-imacros",
    "-isystem",
    "-idirafter",
    "-iquote",
    "-isysroot",
    "-MF",
    "-MT",
    "-MQ",
    "-Xlinker",
    "-Xpreprocessor",
    "-Xassembler",
    "-Xclang",
    "-T",
    "-u",
    "-z",
    "-arch",
    "-target",
    "--param",
    "-aux-info",
    "-e",
    "-wrapper",
    "-iprefix",
    "-imultilib",
];

/// File endings that the linker takes as they are.
const OBJECTS: &[&str] = &["o", "a", "so", "lo", "obj"];

/// File endings of Fortran sources, in lower case.
const FORTRAN: &[&str] = &["f", "for", "ftn", "fpp", "f90", "f95", "f03", "f08"];

/// What other MPI wrappers add for old Fortran: one routine called with different types of buffers (MPI without its
/// modules is used like that), and hexadecimal constants outside DATA statements.
pub const OLD_FORTRAN: [&str; 2] = ["-fallow-argument-mismatch", "-fallow-invalid-boz"];

/// Reads a command line.
pub fn classify(words: &[OsString]) -> Request {
    let mut request = Request::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        match text.as_ref() {
            "-c" | "-S" => request.stops_early = true,
            "-fsyntax-only" | "-E" | "-M" | "-MM" => {
                request.stops_early = true;
                request.preprocesses_only = true;
            }
            "-shared" | "-r" | "-Wl,-r" => request.not_executable = true,
            "-no-pie" | "-static" | "-static-pie" | "-nopie" => request.not_loadable = Some(text.to_string()),
            "-fPIC" | "-fpic" | "-fPIE" | "-fpie" | "-fno-pie" | "-fno-PIE" | "-fno-pic" | "-fno-PIC" => {
                request.chose_position = true;
            }
            "-" => {
                request.has_input = true;
                request.has_source = true;
            }
            option if WITH_VALUE.contains(&option) => {
                words.next();
            }
            option if option.starts_with("-g") => request.chose_debug = true,
            option if option.starts_with('-') => {}
            _ => {
                request.has_input = true;
                request.has_source |= !is_object(&text);
                request.has_fortran |= is_fortran(&text);
            }
        }
    }
    request
}

fn is_fortran(file: &str) -> bool {
    file.rsplit_once('.').is_some_and(|(_, ending)| FORTRAN.contains(&ending.to_ascii_lowercase().as_str()))
}

fn is_object(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    // `libfoo.so.1.2` is a shared library, too.
    name.contains(".so.") || name.rsplit_once('.').is_some_and(|(_, ending)| OBJECTS.contains(&ending))
}

/// The words to add around the user's.
#[derive(Debug, Default)]
pub struct Additions {
    /// Options before the user's.
    pub before: Vec<OsString>,
    /// Options after the user's that concern compilation.
    pub include: Vec<OsString>,
    /// Options after the user's that concern the link.
    pub link: Vec<OsString>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

impl Additions {
    /// The whole command line.
    pub fn command_line(&self, words: &[OsString]) -> Vec<OsString> {
        [&self.before[..], words, &self.include, &self.link].concat()
    }
}

/// What to add to a command line. `auto_var_init`: the compiler knows `-ftrivial-auto-var-init`.
pub fn additions(request: &Request, tree: &Tree, auto_var_init: bool) -> Additions {
    let mut additions = Additions::default();
    if !request.has_input {
        return additions;
    }
    if request.has_source {
        if !request.preprocesses_only {
            if !request.chose_debug {
                additions.before.push("-g1".into());
            }
            if request.has_fortran {
                additions.before.extend(OLD_FORTRAN.map(OsString::from));
            }
            if auto_var_init {
                additions.before.push("-ftrivial-auto-var-init=zero".into());
            }
        }
        if !request.chose_position && request.not_loadable.is_none() {
            additions.before.push(if request.not_executable { "-fPIC" } else { "-fPIE" }.into());
        }
        additions.include = include_words(tree);
    }
    if request.links() {
        if let Some(option) = &request.not_loadable {
            additions
                .warnings
                .push(format!("{option}: smpirun runs position-independent, dynamically linked executables only"));
        } else if !request.not_executable {
            additions.before.push("-pie".into());
        }
        additions.link = link_words(tree);
    }
    additions
}

/// The words for headers and modules.
pub fn include_words(tree: &Tree) -> Vec<OsString> {
    std::iter::once(&tree.include).chain(&tree.modules).map(|directory| joined("-I", directory.as_os_str())).collect()
}

/// The words that link with the library.
pub fn link_words(tree: &Tree) -> Vec<OsString> {
    let library = tree.library.as_os_str();
    vec![joined("-L", library), joined("-Wl,-rpath,", library), "-lmpi_abi".into()]
}

fn joined(option: &str, path: &OsStr) -> OsString {
    let mut word = OsString::from(option);
    word.push(path);
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    fn full(line: &str) -> String {
        let tree = Tree { include: "/i".into(), library: "/l".into(), modules: None };
        let words = words(line);
        let additions = additions(&classify(&words), &tree, true);
        additions.command_line(&words).join(OsStr::new(" ")).into_string().unwrap()
    }

    const LINK: &str = "-L/l -Wl,-rpath,/l -lmpi_abi";
    const BEFORE: &str = "-g1 -ftrivial-auto-var-init=zero -fPIE";

    #[test]
    fn compile_and_link() {
        assert_eq!(full("a.c -o a"), format!("{BEFORE} -pie a.c -o a -I/i {LINK}"));
        assert_eq!(full("-c a.c"), format!("{BEFORE} -c a.c -I/i"));
        assert_eq!(full("a.o libb.a -o a -lm"), format!("-pie a.o libb.a -o a -lm {LINK}"));
        assert_eq!(full("-O2 -g a.c"), format!("-ftrivial-auto-var-init=zero -fPIE -pie -O2 -g a.c -I/i {LINK}"));
    }

    #[test]
    fn other_outputs() {
        assert_eq!(full("-E a.c"), "-fPIE -E a.c -I/i");
        assert_eq!(
            full("-shared -fPIC a.c -o liba.so"),
            format!("-g1 -ftrivial-auto-var-init=zero -shared -fPIC a.c -o liba.so -I/i {LINK}")
        );
        assert!(full("-shared a.c").contains("-fPIC -shared"));
    }

    #[test]
    fn nothing_is_added_to_questions_for_the_compiler() {
        for line in ["--version", "-dumpmachine", "-v", "-print-search-dirs", "-o x"] {
            assert_eq!(full(line), line);
        }
    }

    #[test]
    fn executables_that_cannot_be_ranks_are_left_alone_with_a_warning() {
        let tree = Tree { include: "/i".into(), library: "/l".into(), modules: None };
        let additions = additions(&classify(&words("-no-pie a.c")), &tree, false);
        assert!(additions.warnings[0].starts_with("-no-pie"));
        assert!(!additions.before.contains(&"-pie".into()));
    }

    #[test]
    fn values_are_not_inputs() {
        assert!(!classify(&words("-I dir.c -o out")).has_input);
        assert!(!classify(&words("libx.so.1")).has_source);
        assert!(classify(&words("-x c -")).has_source);
    }
}
