//! Every file that programs include, compiled in every dialect in which they may include it: C, C++, and Fortran in
//! both source forms, plain and preprocessed. What the files declare is the business of `abi.rs` and `fortran.rs`.
#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory for one test, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Scratch {
        let directory = std::env::temp_dir().join(format!("smpi-headers-{test}-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("the temporary directory is writable");
        Scratch(directory)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).expect("the temporary directory is writable");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn include() -> PathBuf {
    smpi_tests::toolchain::root().join("include")
}

fn compiler(name: &str, words: &[&str], source: &Path) -> Output {
    let output = Command::new(name).args(words).arg("-I").arg(include()).arg(source).output();
    output.unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn accepts(name: &str, words: &[&str], source: &Path) {
    let output = compiler(name, words, source);
    let text = fs::read_to_string(source).unwrap_or_default();
    assert!(output.status.success(), "{name} {words:?}:\n{text}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// The names of the shipped files with this ending, below `include`.
fn shipped(ending: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut directories = vec![include()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).expect("the headers are part of the tree") {
            let path = entry.expect("the directory is readable").path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|own| own == ending) {
                let name = path.strip_prefix(include()).expect("it is below this directory");
                names.push(name.display().to_string());
            }
        }
    }
    names.sort();
    names
}

const C: [&str; 10] = ["c89", "gnu89", "iso9899:199409", "c99", "gnu99", "c11", "gnu11", "c17", "gnu17", "c2x"];
const CXX: [&str; 9] = ["c++98", "gnu++98", "c++03", "c++11", "c++14", "c++17", "gnu++17", "c++20", "c++2b"];
const STRICT: [&str; 8] =
    ["-Wall", "-Wextra", "-Wundef", "-pedantic", "-Wno-long-long", "-Werror", "-fsyntax-only", "-O2"];

/// What a C program may do with a header beside including it.
fn c_body(header: &str) -> &'static str {
    match header {
        "smpi/smpi.h" => {
            "smpi_execute(0.5); MC_assert(x == 0); return smpi_get_host_nb_pstates() + MC_random(0, 1) + MC_is_active();"
        }
        "smpi/removed.h" => "MPI_Aint a; return MPI_Address(&x, &a);",
        _ => "return MPI_Comm_rank(MPI_COMM_WORLD, &x) + (MPI_ANY_SOURCE == -1);",
    }
}

#[test]
fn c_headers_compile_without_warnings_in_every_dialect() {
    let scratch = Scratch::new("c");
    let headers: Vec<String> = shipped("h").into_iter().filter(|name| name != "mpif.h").collect();
    assert_eq!(headers, ["mpi.h", "simgrid/modelchecker.h", "smpi/removed.h", "smpi/smpi.h"]);
    for header in &headers {
        let body = c_body(header);
        // Alone, twice, and after the others.
        let others: String = headers.iter().map(|other| format!("#include <{other}>\n")).collect();
        let text = |first: &str| {
            format!(
                "{first}#include <{header}>\n#include <{header}>\nint f(void);\nint f(void) {{ int x = 0; {body} }}\n"
            )
        };
        for (name, first) in [("alone", ""), ("together", others.as_str())] {
            for (compiler, ending, dialects) in [("gcc", "c", &C[..]), ("g++", "cpp", &CXX[..])] {
                let source = scratch.write(&format!("{name}.{ending}"), &text(first));
                for dialect in dialects {
                    accepts(compiler, &[&STRICT[..], &[&format!("-std={dialect}")]].concat(), &source);
                }
            }
        }
    }
}

fn has_gfortran() -> bool {
    Command::new("gfortran").arg("--version").output().is_ok()
}

#[test]
fn mpif_h_fits_both_source_forms_and_the_preprocessor() {
    let header = fs::read_to_string(include().join("mpif.h")).expect("the header is part of the tree");
    for (index, line) in header.lines().enumerate() {
        let statement = line.starts_with("      ") && line.len() <= 72;
        assert!(statement || line.starts_with('!'), "mpif.h:{}: {line}", index + 1);
        assert!(!line.contains("/*") && !line.starts_with('#'), "mpif.h:{}: {line}", index + 1);
    }
    if !has_gfortran() {
        return;
    }
    let scratch = Scratch::new("mpif");
    // Twice: two program units in one file.
    let unit = |name: &str, line: &str| {
        format!(
            "      subroutine {name}(i)\n      implicit none\n{line}\n      integer i\n      i = MPI_COMM_WORLD\n      \
             if (MPI_WTIME() .lt. 0) i = MPI_COMM_NULL\n      end\n"
        )
    };
    let ways = [
        ("plain", "      include 'mpif.h'", &["f", "for", "F", "f90", "F90"][..]),
        ("preprocessed", "#include \"mpif.h\"", &["F", "FOR", "fpp", "F90", "F08"][..]),
        ("system", "#include <mpif.h>", &["F", "F90"][..]),
    ];
    for (name, line, endings) in ways {
        let text = unit("a", line) + &unit("b", line);
        for ending in endings {
            let source = scratch.write(&format!("{name}.{ending}"), &text);
            for standard in ["f95", "f2003", "f2008", "f2018", "gnu", "legacy"] {
                for option in ["-O1", "-ffixed-line-length-132", "-cpp", "-fdefault-real-8"] {
                    // Fortran 2018 calls common blocks obsolescent, which is a warning.
                    let warnings = if standard == "f2018" { "-Wno-error" } else { "-Werror" };
                    let standard = format!("-std={standard}");
                    let words = [&standard, option, "-Wall", warnings, "-Wno-unused", "-fsyntax-only"];
                    accepts("gfortran", &words, &source);
                }
            }
        }
    }
    wide_integers_are_refused(&scratch, &unit("wide", "      include 'mpif.h'"));
}

/// Without interfaces nobody else would notice that the arguments are too wide. gfortran shows no line of an included
/// file, so the line before it says what is meant.
fn wide_integers_are_refused(scratch: &Scratch, text: &str) {
    let header = fs::read_to_string(include().join("mpif.h")).expect("the header is part of the tree");
    let line = 1 + header.lines().position(|line| line.contains("MUST_HAVE_4_BYTES=")).expect("the check is there");
    let source = scratch.write("wide.f", text);
    for option in ["-fdefault-integer-8", "-finteger-4-integer-8"] {
        let output = compiler("gfortran", &[option, "-fsyntax-only"], &source);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(&format!("mpif.h:{line}:")), "{option}: {said}");
    }
}

#[test]
fn modules_compile_in_every_standard_that_has_their_features() {
    assert_eq!(shipped("f90"), ["mpi.f90", "mpi_f08.f90"]);
    if !has_gfortran() {
        return;
    }
    let scratch = Scratch::new("modules");
    for name in shipped("f90") {
        for words in [&["-std=f2018"][..], &["-std=gnu"], &["-cpp"], &["-ffree-line-length-none"]] {
            let output = Command::new("gfortran")
                .args(words)
                .args(["-Wall", "-Wno-unused", "-fsyntax-only", "-J"])
                .arg(&scratch.0)
                .arg(include().join(&name))
                .output()
                .expect("gfortran answered before");
            assert!(output.status.success(), "{name} {words:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
}
