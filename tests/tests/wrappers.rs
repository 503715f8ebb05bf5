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

/// Calls C functions of the library, so that nothing but the wrapper itself is tested.
const FORTRAN: &str = "      program main\n      use iso_c_binding\n      use part\n      interface\n\
    \x20     subroutine init(a, b) bind(c, name='MPI_Init')\n      use iso_c_binding\n\
    \x20     type(c_ptr), value :: a, b\n      end subroutine\n      subroutine finalize() bind(c, name='MPI_Finalize')\n\
    \x20     end subroutine\n      end interface\n      call init(c_null_ptr, c_null_ptr)\n\
    \x20     if (one .ne. 1) error stop 3\n      call finalize()\n      end program\n";
const FORTRAN_PART: &str = "      module part\n      integer, parameter :: one = 1\n      end module\n";

#[test]
fn fortran_by_all_names_and_endings() {
    let place = Place::new("fortran");
    place.write("extra.c", "int extra(void) { return 0; }\n");
    for (index, ending) in ["f", "F", "for", "f90", "F90", "f95", "f03", "f08"].iter().enumerate() {
        let (part, main) = (format!("part.{ending}"), format!("main.{ending}"));
        place.write(&part, FORTRAN_PART);
        place.write(&main, FORTRAN);
        let smpif = place.tool(["smpif90", "smpif77", "smpifort"][index % 3]);
        place.run_words(&[&smpif, "-c", &part], 0);
        place.run_words(&[&smpif, &main, "part.o", "extra.c", "-o", "program"], 0);
        place.run_words(&["./program"], 0);
    }
    // As old programs do: the same routine with a real and an integer, and a constant of bits as a number.
    place.write("old.f", "      call s(1)\n      call s(1.0)\n      i = z'ff'\n      end\n");
    place.run_words(&[&place.tool("smpif77"), "-c", "old.f"], 0);
}

#[test]
fn fortran_compilers_that_are_refused() {
    let place = Place::new("fortran-refused");
    place.write("main.f90", "end\n");
    place.write("old", "#!/bin/sh\necho 'GNU Fortran (GCC) 11.4.0'\n");
    place.run_words(&["chmod", "+x", "old"], 0);
    let smpif90 = place.tool("smpif90");
    let refused = |variable: &str| text(&place.run_words(&["env", variable, &smpif90, "main.f90"], 2).stderr);
    for (variable, words) in [
        ("SMPI_FC=./old", ["./old is too old", "gfortran 12 or newer"]),
        ("OMPI_FC=gcc", ["gcc is not gfortran", "SMPI_FC"]),
        ("MPICH_FC=/nowhere/fc", ["/nowhere/fc", "apt-get install gfortran"]),
        ("PATH=/nowhere", ["no Fortran compiler found", "apt-get install gfortran"]),
    ] {
        let message = refused(variable);
        assert!(words.iter().all(|word| message.contains(word)), "{variable}:\n{message}");
    }
    assert!(!place.directory.join("a.out").exists());
}

/// A tree as `cargo xtask install` makes it, with module sources of this test: what is compiled when, and where.
#[test]
fn fortran_modules_are_compiled_on_first_use() {
    let place = Place::new("fortran-modules");
    place.run_words(&["mkdir", "-p", "tree/bin", "tree/lib", "tree/include"], 0);
    place.run_words(&["cp", &place.tool("smpif90"), "tree/bin"], 0);
    place.run_words(&["cp", &place.tool("libsmpi.so"), "tree/lib"], 0);
    place.write("tree/include/mpi.h", "");
    place.write("tree/include/mpi.f90", "module mpi\nuse mpi_types, only: answer\nend module\n");
    place.write("tree/include/mpi_types.f90", "module mpi_types\ninteger, parameter :: answer = 42\nend module\n");
    place.write("main.f90", "use mpi\nif (answer /= 42) error stop 3\nend\n");
    let builds = "for i in 1 2 3 4 5 6; do tree/bin/smpif90 main.f90 -o main$i & done; wait; \
        for i in 1 2 3 4 5 6; do ./main$i || exit 1; done";
    place.run_words(&["sh", "-c", builds], 0);
    let count = |command: &str, number: &str| {
        assert_eq!(text(&place.run_words(&["sh", "-c", command], 0).stdout).trim(), number, "{command}");
    };
    count("ls tree/lib/fortran-modules | wc -l", "1");
    // Other sources, other modules.
    place.write("tree/include/mpi_types.f90", "module mpi_types\ninteger, parameter :: answer = 7\nend module\n");
    place.run_words(&["sh", "-c", "tree/bin/smpif90 main.f90 -o other && ./other"], 3);
    count("ls tree/lib/fortran-modules | wc -l", "2");
    // A tree that is not writable (for root too: a file is in the way): the user's cache.
    place.run_words(&["sh", "-c", "rm -r tree/lib/fortran-modules && touch tree/lib/fortran-modules"], 0);
    let cache = format!("XDG_CACHE_HOME={}/cache", place.directory.display());
    place.run_words(&["env", &cache, "tree/bin/smpif90", "main.f90"], 0);
    count("ls cache/libsmpi/fortran-modules | wc -l", "1");
    // Modules that do not compile leave nothing behind.
    place.write("tree/include/mpi.f90", "module mpi\nuse nonsense\nend module\n");
    let refused = place.run_words(&["env", &cache, "tree/bin/smpif90", "main.f90"], 2);
    assert!(text(&refused.stderr).contains("nonsense"));
    count("ls cache/libsmpi/fortran-modules | wc -l", "1");
}
