//! The compiler wrappers from the outside: every way in which build systems call them.
#![forbid(unsafe_code)]

use smpi_tests::place::{Place, text};

const MAIN: &str = "#include <mpi.h>\nint part(int);\nint main(int argc, char **argv) { MPI_Init(&argc, &argv);\n\
    int failed = part(1) != 2; MPI_Finalize(); return failed; }\n";
const PART: &str = "int part(int x) { return x + 1; }\n";

fn place(name: &str) -> Place {
    let place = Place::new(name);
    place.write("main.c", MAIN);
    place.write("part.c", PART);
    place
}

#[test]
fn objects_archives_and_libraries() {
    let place = place("objects");
    let smpicc = place.tool("smpicc");
    let compile = |words: &[&str]| place.run_words(&[&[smpicc.as_str()], words].concat(), 0);
    compile(&["-O2", "-c", "main.c", "-o", "main.o"]);
    compile(&["-c", "part.c"]);
    compile(&["main.o", "part.o", "-o", "objects"]);
    place.run_words(&["ar", "rc", "libpart.a", "part.o"], 0);
    compile(&["main.o", "-L.", "-lpart", "-o", "archive"]);
    compile(&["-shared", "-fPIC", "part.c", "-o", "libpart.so"]);
    compile(&["main.c", "./libpart.so", "-o", "library"]);
    for program in ["./objects", "./archive", "./library"] {
        place.run_words(&[program], 0);
        place.smpirun(&["-np", "2", "-quiet", program], 0);
    }
}

#[test]
fn stages_before_the_link() {
    let place = place("stages");
    let smpicc = place.tool("smpicc");
    assert!(text(&place.run_words(&[&smpicc, "-E", "main.c"], 0).stdout).contains("MPI_Init"));
    assert!(text(&place.run_words(&[&smpicc, "-MM", "main.c"], 0).stdout).starts_with("main.o:"));
    place.run_words(&[&smpicc, "-S", "part.c", "-o", "part.s"], 0);
    place.run_words(&[&smpicc, "main.c", "part.s", "-o", "program"], 0);
    place.run_words(&["./program"], 0);
    place.run_words(&[&smpicc, "-Werror", "-Wall", "-Wextra", "-fsyntax-only", "main.c"], 0);
}

#[test]
fn mistakes_have_the_codes_of_the_compiler() {
    let place = place("mistakes");
    place.write("wrong.c", "int main(void) { return wrong; }\n");
    let smpicc = place.tool("smpicc");
    assert!(text(&place.run_words(&[&smpicc, "wrong.c"], 1).stderr).contains("wrong.c:1"));
    place.run_words(&["env", "SMPI_CC=/nowhere/cc", &smpicc, "main.c"], 2);
}

#[test]
fn what_a_wrapper_shows_can_be_run_without_it() {
    let place = place("shown");
    let smpicc = place.tool("smpicc");
    let shown = text(&place.run_words(&[&smpicc, "-show", "main.c", "part.c", "-o", "shown"], 0).stdout);
    place.run_words(&["sh", "-c", &shown], 0);
    place.run_words(&["./shown"], 0);
    // As CMake's FindMPI and other build systems do it.
    let ask = |question: &str| text(&place.run_words(&[&smpicc, question], 0).stdout).trim().to_string();
    let line = format!("gcc {} main.c part.c -o asked {}", ask("-showme:compile"), ask("-showme:link"));
    place.run_words(&["sh", "-c", &line], 0);
    place.run_words(&["./asked"], 0);
    let line = format!(
        "gcc -fPIE -pie -I{} main.c part.c -o parts -L{} -l{}",
        ask("--showme:incdirs"),
        ask("--showme:libdirs"),
        ask("--showme:libs")
    );
    place.run_words(&["sh", "-c", &line], 0);
    assert!(ask("-version").contains("libsmpi"));
}

#[test]
fn the_compiler_answers_its_own_questions() {
    let place = place("questions");
    for tool in ["smpicc", "smpicxx"] {
        let version = text(&place.run_words(&[&place.tool(tool), "--version"], 0).stdout);
        assert!(!version.contains("libsmpi"), "{version}");
        place.run_words(&[&place.tool(tool), "-dumpmachine"], 0);
    }
}

#[test]
fn both_names_of_the_cxx_wrapper() {
    let place = place("cxx");
    place.write(
        "main.cpp",
        "#include <mpi.h>\n#include <vector>\nint main(int argc, char **argv) { MPI_Init(&argc, &argv);\n\
        std::vector<int> v(3, 1); MPI_Finalize(); return v.size() == 3 ? 0 : 1; }\n",
    );
    place.run_words(&[&place.tool("smpicxx"), "-std=c++17", "main.cpp", "-o", "one"], 0);
    place.run_words(&[&place.tool("smpic++"), "-std=c++20", "main.cpp", "-o", "two"], 0);
    for program in ["./one", "./two"] {
        place.smpirun(&["-np", "2", "-quiet", program], 0);
    }
}
