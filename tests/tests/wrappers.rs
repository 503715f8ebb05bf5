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
fn wrappers_without_files_speak_for_themselves() {
    let place = Place::new("no-files");
    for (wrapper, options) in [("smpicc", &[][..]), ("smpicxx", &["-O2", "-o", "a"]), ("smpif90", &["-c", "-g"])] {
        let tool = place.tool(wrapper);
        let finished = place.run_words(&[&[tool.as_str()], options].concat(), 2);
        let said = text(&finished.stderr);
        assert!(said.starts_with(&format!("{wrapper}: error: no input files")), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    // Questions to the compiler are the compiler's.
    for question in ["-dumpmachine", "-v", "--version", "-print-search-dirs", "-Wl,--version"] {
        place.run_words(&[&place.tool("smpicc"), question], 0);
    }
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

/// For processors with wide registers gfortran aligns the common block of MPI's sentinels more; linkers must not mind.
#[test]
fn fortran_for_wide_registers_links_silently() {
    let place = Place::new("fortran-wide");
    place.write("wide.f90", "use mpi\ncall mpi_init(i)\nprint *, loc(MPI_IN_PLACE) > 0\ncall mpi_finalize(i)\nend\n");
    for options in ["-O0", "-O3 -march=native", "-O3 -mavx2", "-O3 -mavx512f"] {
        let mut words = vec![place.tool("smpif90"), "wide.f90".into()];
        words.extend(options.split(' ').map(str::to_string));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let finished = place.run_words(&words, 0);
        assert_eq!(text(&finished.stderr), "", "{options}");
    }
}

#[test]
fn a_static_fortran_library_is_possible_and_warned_of() {
    let place = Place::new("fortran-static");
    place.write("main.f90", "use mpi\ncall mpi_init(i)\nprint '(a)', 'done'\ncall mpi_finalize(i)\nend\n");
    let smpif = place.tool("smpif90");
    let said = text(&place.run_words(&[&smpif, "-static-libgfortran", "main.f90"], 0).stderr);
    assert!(said.starts_with("smpif90: warning: -static-libgfortran: "), "{said}");
    let printed = text(&place.run_words(&[&place.tool("smpirun"), "-quiet", "-np", "2", "./a.out"], 0).stdout);
    assert_eq!(printed, "done\ndone\n");
    let said = text(&place.run_words(&[&smpif, "-static-libgfortran", "-c", "main.f90"], 0).stderr);
    assert_eq!(said, "");
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

#[test]
fn unusual_ways_to_name_inputs() {
    let place = place("inputs");
    let smpicc = place.tool("smpicc");
    let run = |words: &[&str]| {
        let _ = std::fs::remove_file(place.directory.join("a.out"));
        place.run_words(&[&[smpicc.as_str()], words].concat(), 0);
        place.run_words(&["./a.out"], 0);
    };
    place.run_words(&["mkdir", "-p", "two words"], 0);
    place.write("two words/part two.c", PART);
    run(&["main.c", "two words/part two.c"]);
    place.write("files.rsp", "main.c 'two words/part two.c'\n-DX=\"a b\" -o a.out");
    run(&["@files.rsp"]);
    run(&["-flto", "-O2", "main.c", "part.c"]);
    place.run_words(&[&smpicc, "-flto", "-c", "main.c", "part.c"], 0);
    run(&["-flto", "main.o", "part.o"]);
    // A dependency file of the right name beside the object.
    run(&["-MMD", "main.c", "part.c"]);
    place.run_words(&[&smpicc, "-MMD", "-MF", "x.d", "-c", "part.c"], 0);
    assert!(std::fs::read_to_string(place.directory.join("x.d")).unwrap().starts_with("part.o:"));
    // Standard input, and a language that no ending tells.
    let shell = |line: &str| place.run_words(&["sh", "-c", line, "sh", &smpicc], 0);
    shell("cat main.c part.c | $1 -x c - -o stdin && ./stdin");
    shell("echo '#include <mpi.h>' | $1 -E - | grep -q MPI_Init");
    shell("cp main.c main.txt && $1 -x c main.txt -x none part.c -o text && ./text");
    shell(
        "$1 -c part.c && ar rc libwhole.a part.o && $1 -shared -Wl,--whole-archive,libwhole.a,--no-whole-archive -o libwhole.so",
    );
    shell("$1 main.c ./libwhole.so -Wl,-rpath,$PWD -o whole && ./whole");
}

#[test]
fn what_cannot_be_linked_is_refused() {
    let place = place("refused");
    let smpicc = place.tool("smpicc");
    for (option, word) in [("-static", "static executable"), ("-static-pie", "static"), ("-m32", "x86-64")] {
        let said = text(&place.run_words(&[&smpicc, option, "main.c", "part.c"], 2).stderr);
        assert!(said.starts_with(&format!("smpicc: error: {option}:")) && said.contains(word), "{said}");
    }
    assert!(!place.directory.join("a.out").exists());
    // Not a link: the compiler decides.
    place.run_words(&[&smpicc, "-static", "-c", "main.c"], 0);
    let said = text(&place.run_words(&[&smpicc, "-no-pie", "-c", "main.c"], 0).stderr);
    assert_eq!(said, "");
    // Without arguments a compiler has nothing to do, and says so.
    place.run_words(&[&smpicc], 2);
    // A wrapper behind the wrapper, also under another name.
    place.run_words(&["ln", "-s", &smpicc, "mpicc"], 0);
    let said = text(&place.run_words(&["env", "MPICH_CC=./mpicc", &smpicc, "main.c"], 2).stderr);
    assert!(said.contains("wrapper itself"), "{said}");
    place.run_words(&["./mpicc", "main.c", "part.c"], 0);
}

#[test]
fn other_compilers_by_option_and_environment() {
    let place = place("compilers");
    let smpicc = place.tool("smpicc");
    place.run_words(&["mkdir", "my tools"], 0);
    place.write("my tools/cc", "#!/bin/sh\necho used >> log\nexec gcc \"$@\"\n");
    place.run_words(&["chmod", "+x", "my tools/cc"], 0);
    for words in [
        vec!["env", "SMPI_CC=./my tools/cc", &smpicc],
        vec!["env", "OMPI_CC=./my tools/cc", "MPICH_CC=false", &smpicc],
        vec!["env", "MPICH_CC=env ./log-gcc", &smpicc],
        vec!["env", "SMPI_CC=false", &smpicc, "-cc=./my tools/cc"],
    ] {
        place.run_words(&["ln", "-sf", "my tools/cc", "log-gcc"], 0);
        place.write("log", "");
        place.run_words(&[&words[..], &["main.c", "part.c"]].concat(), 0);
        assert!(!std::fs::read(place.directory.join("log")).unwrap().is_empty(), "{words:?}");
        place.run_words(&["./a.out"], 0);
    }
}
