//! What a command line asks the compiler to do, and what has to be added to it.

use crate::response;
use crate::tree::Tree;
use std::ffi::{OsStr, OsString};

/// The facts about a command line that decide what is added.
#[derive(Debug, Default, PartialEq)]
pub struct Request {
    /// There is something to work on: without it (`smpicc --version`, `-dumpmachine`) nothing is added.
    pub has_input: bool,
    /// Some input is source text rather than an object.
    pub has_source: bool,
    /// Some input is Fortran source text.
    pub has_fortran: bool,
    /// `-c`, `-S`, `-E`, `-M`, `-fsyntax-only`, a header: stops before the link.
    pub stops_early: bool,
    /// `-E`, `-M`: no code is generated.
    pub preprocesses_only: bool,
    /// `-shared` or `-r`: the result is not an executable.
    pub not_executable: bool,
    /// The user chose the code model: `-fPIC`, `-fPIE`, `-fno-pie`, ….
    pub chose_position: bool,
    /// `-no-pie`, `-fno-pie`, …: the executable cannot become a rank.
    pub not_loadable: Option<String>,
    /// `-static`, `-m32`: what the result would be that cannot be linked with the library.
    pub impossible: Option<(String, &'static str)>,
    /// `-static-libgfortran`: smpirun does not know the Fortran run-time library in the program.
    pub static_fortran: bool,
    /// An option that makes INTEGER wider than MPI's.
    pub wide_integers: Option<String>,
    /// Some `-g…` was given.
    pub chose_debug: bool,
    /// `--verify`: libsmpi is told which memory the program reads and writes.
    pub verify: bool,
}

/// True for `--verify`, which is for the wrapper alone.
pub fn is_verify(word: &OsStr) -> bool {
    word == "--verify"
}

impl Request {
    /// True when an executable or a shared library is linked.
    pub fn links(&self) -> bool {
        self.has_input && !self.stops_early
    }

    /// Why the command line is refused.
    pub fn refusal(&self) -> Option<String> {
        let (option, what) = self.impossible.as_ref().filter(|_| self.links())?;
        Some(format!(
            "{option}: libsmpi is a shared library for x86-64 and cannot be linked into {what}; leave {option} out"
        ))
    }
}

/// Options whose value is the next word, which is therefore not an input. (Fused forms, `-DX`, are single words.)
#[rustfmt::skip]
const WITH_VALUE: &[&str] = &[
    // GCC, in the order of its manual
    "-o", "--output", "-x", "--language", "-aux-info", "-dumpbase", "-dumpbase-ext", "-dumpdir", "--param", "-wrapper",
    "-D", "--define-macro", "-U", "--undefine-macro", "-include", "--include", "-imacros", "--imacros", "-MF", "-MT",
    "-MQ", "-Xpreprocessor", "-A", "-Xassembler", "-l", "-e", "--entry", "-T", "-Tbss", "-Tdata", "-Ttext",
    "-Xlinker", "-u", "--force-link", "-z", "-I", "--include-directory", "-iquote", "-isystem", "-idirafter",
    "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-isysroot", "--sysroot", "-imultilib", "-L",
    "--library-directory", "-B", "--prefix", "-J", "-h", "-R",
    // clang
    "-Xclang", "-mllvm", "-target", "-arch", "-rpath", "-Xopenmp-target", "-ivfsoverlay", "-include-pch",
];

/// File endings that the assembler or the linker takes as they are.
const OBJECTS: &[&str] = &["o", "a", "so", "lo", "obj", "s"];

/// File endings of headers, which are compiled to `.gch` files.
const HEADERS: &[&str] = &["h", "hh", "hpp", "hxx", "h++", "H"];

/// File endings of Fortran sources, in lower case.
const FORTRAN: &[&str] = &["f", "for", "ftn", "fpp", "f90", "f95", "f03", "f08"];

/// What other MPI wrappers add for old Fortran: one routine called with different types of buffers (MPI without its
/// modules is used like that), and hexadecimal constants outside DATA statements.
pub const OLD_FORTRAN: [&str; 2] = ["-fallow-argument-mismatch", "-fallow-invalid-boz"];

/// Reads a command line.
pub fn classify(words: &[OsString]) -> Request {
    let mut request = Request::default();
    let mut inputs = Inputs::default();
    let words = response::expand(words);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        if text == "-" || !text.starts_with('-') {
            inputs.add(&text);
        } else if WITH_VALUE.contains(&text.as_ref()) {
            let value = words.next().map(|value| value.to_string_lossy()).unwrap_or_default();
            match text.as_ref() {
                "-x" | "--language" => inputs.set_language(&value),
                "-l" => inputs.others = true,
                "-Xlinker" => inputs.add_for_linker(&value),
                _ => {}
            }
        } else if let Some(language) = text.strip_prefix("-x").or(text.strip_prefix("--language=")) {
            inputs.set_language(language);
        } else if let Some(list) = text.strip_prefix("-Wl,") {
            list.split(',').for_each(|word| inputs.add_for_linker(word));
            request.option(&text);
        } else {
            inputs.others |= text.starts_with("-l");
            request.option(&text);
        }
    }
    request.has_fortran = inputs.fortran;
    request.has_source = inputs.sources || inputs.headers;
    request.has_input = request.has_source || inputs.others;
    request.stops_early |= inputs.headers && !inputs.sources && !inputs.others;
    request
}

impl Request {
    /// Takes notice of an option without value. Of options that contradict each other, the last one wins.
    fn option(&mut self, option: &str) {
        match option {
            "-c" | "-S" | "--compile" | "--assemble" => self.stops_early = true,
            "-fsyntax-only" | "-E" | "-M" | "-MM" | "--preprocess" | "--dependencies" | "--user-dependencies" => {
                self.stops_early = true;
                self.preprocesses_only = true;
            }
            "-shared" | "--shared" | "-r" | "-Wl,-r" | "-Wl,--relocatable" => self.not_executable = true,
            "-static" | "--static" | "-static-pie" | "--static-pie" | "-Wl,-static" => {
                self.impossible = Some((option.into(), "a static executable"));
            }
            "-m32" | "-mx32" | "-m16" => self.impossible = Some((option.into(), "a program of another architecture")),
            "-m64" => self.impossible = self.impossible.take().filter(|(other, _)| !other.starts_with("-m")),
            "-no-pie" | "-nopie" | "--no-pie" => self.not_loadable = Some(option.into()),
            "-pie" | "--pie" => self.not_loadable = None,
            "-fPIC" | "-fpic" | "-fPIE" | "-fpie" => {
                self.chose_position = true;
                self.not_loadable = self.not_loadable.take().filter(|other| !other.starts_with("-f"));
            }
            "-fno-pie" | "-fno-PIE" | "-fno-pic" | "-fno-PIC" => {
                self.chose_position = true;
                self.not_loadable.get_or_insert_with(|| option.into());
            }
            "-static-libgfortran" => self.static_fortran = true,
            "-fdefault-integer-8" | "-finteger-4-integer-8" => self.wide_integers = Some(option.into()),
            "--verify" => self.verify = true,
            _ if option.starts_with("-g") => self.chose_debug = true,
            _ => {}
        }
    }
}

/// What kinds of inputs there are.
#[derive(Default)]
struct Inputs {
    sources: bool,
    fortran: bool,
    headers: bool,
    /// Objects, archives, libraries.
    others: bool,
    /// The language of `-x`; `None`: endings decide.
    language: Option<String>,
}

impl Inputs {
    fn set_language(&mut self, language: &str) {
        self.language = Some(language.to_string()).filter(|language| language != "none");
    }

    fn add(&mut self, file: &str) {
        if let Some(language) = &self.language {
            self.fortran |= language.starts_with("f77") || language.starts_with("f95");
            self.headers |= language.ends_with("-header");
            self.sources |= !language.ends_with("-header") && language != "assembler";
            self.others |= language == "assembler";
            return;
        }
        let name = file.rsplit('/').next().unwrap_or(file);
        let ending = name.rsplit_once('.').map(|(_, ending)| ending).unwrap_or_default();
        // `libfoo.so.1.2` is a shared library, too.
        if OBJECTS.contains(&ending) || name.contains(".so.") {
            self.others = true;
        } else if HEADERS.contains(&ending) {
            self.headers = true;
        } else {
            self.sources = true;
            self.fortran |= FORTRAN.contains(&ending.to_ascii_lowercase().as_str());
        }
    }

    /// A word for the linker: `-Wl,--whole-archive,libx.a` has an input.
    fn add_for_linker(&mut self, word: &str) {
        self.others |= !word.starts_with('-') && (word.ends_with(".a") || word.ends_with(".o"));
    }
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

/// What the compiler can do that is worth adding.
#[derive(Debug, Default)]
pub struct Abilities {
    /// It knows `-ftrivial-auto-var-init`.
    pub auto_var_init: bool,
    /// Its options for `--verify`, when that is wanted.
    pub instrumentation: Vec<OsString>,
}

/// Links a shared library with ours, whether or not it calls MPI.
const MARK: [&str; 3] = ["-Wl,--push-state,--no-as-needed", "-lmpi_abi", "-Wl,--pop-state"];

/// What to add to a command line.
pub fn additions(request: &Request, tree: &Tree, abilities: &Abilities) -> Additions {
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
            if abilities.auto_var_init {
                additions.before.push("-ftrivial-auto-var-init=zero".into());
            }
            additions.before.extend(abilities.instrumentation.iter().cloned());
            if let Some(option) = request.wide_integers.as_ref().filter(|_| request.has_fortran) {
                additions.warnings.push(format!(
                    "{option}: MPI's INTEGER has 4 bytes, so mpif.h is refused (as a division by zero); leave {option} \
                     out, or use the module mpi or mpi_f08 and declare integers for MPI with kind=MPI_INTEGER_KIND"
                ));
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
        if request.static_fortran {
            additions.warnings.push(
                "-static-libgfortran: each rank has its own libgfortran anyway; one inside the program keeps back what is \
                 printed, and its messages at STOP, errors and crashes do not name the rank"
                    .into(),
            );
        }
        additions.link = link_words(tree);
        if request.not_executable {
            // The need of our library tells smpirun that each rank shall have its own copy of the user's, also where
            // compilers leave out libraries of which nothing is used.
            additions.link.pop();
            additions.link.extend(MARK.map(OsString::from));
        }
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
        let request = classify(&words);
        let instrumentation = if request.verify { vec!["-finstrumented".into()] } else { Vec::new() };
        let additions = additions(&request, &tree, &Abilities { auto_var_init: true, instrumentation });
        let words: Vec<OsString> = words.into_iter().filter(|word| !is_verify(word)).collect();
        additions.command_line(&words).join(OsStr::new(" ")).into_string().unwrap()
    }

    const LINK: &str = "-L/l -Wl,-rpath,/l -lmpi_abi";
    const BEFORE: &str = "-g1 -ftrivial-auto-var-init=zero -fPIE";

    #[test]
    fn compile_and_link() {
        assert_eq!(full("a.c -o a"), format!("{BEFORE} -pie a.c -o a -I/i {LINK}"));
        assert_eq!(full("-c a.c"), format!("{BEFORE} -c a.c -I/i"));
        let fortran = "-g1 -fallow-argument-mismatch -fallow-invalid-boz -ftrivial-auto-var-init=zero -fPIE";
        assert_eq!(full("-c a.f90"), format!("{fortran} -c a.f90 -I/i"));
        assert_eq!(full("a.o libb.a -o a -lm"), format!("-pie a.o libb.a -o a -lm {LINK}"));
        assert_eq!(full("-O2 -g a.c"), format!("-ftrivial-auto-var-init=zero -fPIE -pie -O2 -g a.c -I/i {LINK}"));
    }

    #[test]
    fn other_outputs() {
        assert_eq!(full("-E a.c"), "-fPIE -E a.c -I/i");
        assert_eq!(
            full("-shared -fPIC a.c -o liba.so"),
            format!(
                "-g1 -ftrivial-auto-var-init=zero -shared -fPIC a.c -o liba.so -I/i -L/l -Wl,-rpath,/l \
                 -Wl,--push-state,--no-as-needed -lmpi_abi -Wl,--pop-state"
            )
        );
        assert!(full("-shared a.c").contains("-fPIC -shared"));
    }

    #[test]
    fn accesses_are_reported_where_code_is_generated() {
        let with = "-g1 -ftrivial-auto-var-init=zero -finstrumented -fPIE";
        assert_eq!(full("--verify -c a.c"), format!("{with} -c a.c -I/i"));
        assert_eq!(full("a.c --verify -o a"), format!("{with} -pie a.c -o a -I/i {LINK}"));
        assert_eq!(full("--verify a.o -o a"), format!("-pie a.o -o a {LINK}"));
        assert_eq!(full("-E --verify a.c"), "-fPIE -E a.c -I/i");
    }

    #[test]
    fn nothing_is_added_to_questions_for_the_compiler() {
        for line in ["--version", "-dumpmachine", "-dumpversion", "-v", "-print-search-dirs", "-o x", "-###", ""] {
            assert_eq!(full(line), line);
        }
    }

    #[test]
    fn executables_that_cannot_be_ranks_are_left_alone_with_a_warning() {
        let tree = Tree { include: "/i".into(), library: "/l".into(), modules: None };
        let additions = additions(&classify(&words("-no-pie a.c")), &tree, &Abilities::default());
        assert!(additions.warnings[0].starts_with("-no-pie"));
        assert!(!additions.before.contains(&"-pie".into()));
    }

    #[test]
    fn integers_that_are_too_wide_are_warned_of_in_fortran() {
        let tree = Tree { include: "/i".into(), library: "/l".into(), modules: None };
        let warnings = |line| additions(&classify(&words(line)), &tree, &Abilities::default()).warnings;
        assert!(warnings("-c -fdefault-integer-8 a.f")[0].starts_with("-fdefault-integer-8: "));
        assert!(warnings("-c -finteger-4-integer-8 a.F90")[0].starts_with("-finteger-4-integer-8: "));
        assert!(warnings("-fdefault-integer-8 a.o").is_empty());
    }

    /// Command lines and what is seen in them: i(nput), s(ource), f(ortran), l(ink to an executable), L(ink to
    /// something else), p(reprocessing only), g (debug information chosen), P(osition chosen), n(ot loadable),
    /// r(efused).
    const SEEN: &[(&str, &str)] = &[
        ("a.c", "isl"),
        ("a.c b.cpp c.o d.a", "isl"),
        ("a.o", "il"),
        ("a.s", "il"),
        ("a.S", "isl"),
        ("libx.so.1", "il"),
        ("dir.c/x.o", "il"),
        ("-lm", "il"),
        ("-l m", "il"),
        ("-L dir.c", ""),
        ("-I dir.c -o out.c", ""),
        ("-Idir a.o -oout", "il"),
        ("-MF a.c -MT b.c -MQ c.c -include d.h -isystem e.c -Xlinker f.c -J g.c", ""),
        ("-c a.c", "is"),
        ("--compile a.c", "is"),
        ("-S a.c", "is"),
        ("-E a.c", "isp"),
        ("-M a.c", "isp"),
        ("-MM a.c", "isp"),
        ("-MD a.c", "isl"),
        ("-MMD -MF a.d -c a.c", "is"),
        ("-fsyntax-only a.c", "isp"),
        ("mpi.h", "is"),
        ("-x c-header a", "is"),
        ("-x c -", "isl"),
        ("-E -", "isp"),
        ("-xc++ a", "isl"),
        ("--language=c++ a", "isl"),
        ("-x assembler a", "il"),
        ("-x c a -x none b.o", "isl"),
        ("-shared a.o", "iL"),
        ("--shared -fPIC a.c", "isLP"),
        ("-shared -Wl,--whole-archive,libx.a", "iL"),
        ("-shared -Xlinker libx.a", "iL"),
        ("-r a.o b.o", "iL"),
        ("-Wl,-soname,x.so a.o", "il"),
        ("-g a.c", "islg"),
        ("-g0 a.c", "islg"),
        ("-ggdb3 -O2 a.c", "islg"),
        ("-fPIE a.c", "islP"),
        ("-fno-pie a.c", "isln P"),
        ("-fno-pie -fPIC a.c", "islP"),
        ("-no-pie a.c", "isln"),
        ("-no-pie -pie a.c", "isl"),
        ("-static a.c", "islr"),
        ("-static-pie a.o", "ilr"),
        ("-static -c a.c", "is"),
        ("-static-libgcc a.c", "isl"),
        ("-m32 a.c", "islr"),
        ("-m32 -m64 a.c", "isl"),
        ("-flto -O3 a.c b.o", "isl"),
        ("a.f", "isfl"),
        ("-c a.F90", "isf"),
        ("a.f08 b.c c.o", "isfl"),
        ("a.FOR", "isfl"),
        ("-x f95 a", "isfl"),
        ("-x f77-cpp-input -", "isfl"),
    ];

    fn seen(request: &Request) -> String {
        let executable = request.links() && !request.not_executable;
        let all = [
            ('i', request.has_input),
            ('s', request.has_source),
            ('f', request.has_fortran),
            ('l', executable),
            ('L', request.links() && request.not_executable),
            ('p', request.preprocesses_only),
            ('g', request.chose_debug),
            ('n', request.not_loadable.is_some()),
            ('P', request.chose_position),
            ('r', request.refusal().is_some()),
        ];
        all.iter().filter(|(_, is)| *is).map(|(letter, _)| *letter).collect()
    }

    #[test]
    fn command_lines_are_understood() {
        for (line, expected) in SEEN {
            assert_eq!(seen(&classify(&words(line))), expected.replace(' ', ""), "{line}");
        }
    }
}
