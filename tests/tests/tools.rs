//! Tools and libraries of others that want a process for themselves, with ranks that share one: sanitizers, OpenMP's
//! run-time libraries.
#![forbid(unsafe_code)]

use smpi_tests::place::{Place, text};

const HELLO: &str = "#include <mpi.h>\n#include <stdio.h>\nint main(int argc, char **argv) { int r;\n\
    MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &r); printf(\"hello %d\\n\", r); MPI_Finalize(); return 0; }\n";

#[test]
fn a_program_with_the_address_sanitizer_is_refused() {
    let place = Place::new("address-sanitizer");
    let hello = place.compile("hello", HELLO, &["-fsanitize=address"]);
    place.refused(&["-np", "2", &hello], &["./hello", "sanitizer", "libasan.so", "valgrind"]);
}

/// LLVM's OpenMP library looks for a function of a tool behind itself, where its own must not be found again.
#[test]
fn a_run_time_library_finds_what_is_behind_it() {
    let place = Place::new("behind-a-runtime");
    let library = "#define _GNU_SOURCE\n#include <dlfcn.h>\n\
        int tool(void) { int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, \"tool\"); return next ? next() : 7; }\n";
    place.write("omp.c", library);
    place.run_words(&["gcc", "-shared", "-fPIC", "-Wl,-soname,libomp.so.5", "omp.c", "-o", "libomp.so.5"], 0);
    let program = "#include <mpi.h>\n#include <stdio.h>\nint tool(void);\nint main(int argc, char **argv) {\n\
        MPI_Init(&argc, &argv); printf(\"%d\\n\", tool()); MPI_Finalize(); return 0; }\n";
    let program = place.compile("program", program, &["libomp.so.5", "-Wl,-rpath,$ORIGIN"]);
    assert_eq!(text(&place.smpirun(&["-np", "2", &program], 0).stdout), "7\n7\n");
}
