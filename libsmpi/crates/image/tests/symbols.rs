//! Binding to libraries, interposition, names of functions.

mod common;

use common::{address, call, compile, compile_with, images, layout, open, scratch};
use smpi_image::Program;

extern "C" fn no_sleep(seconds: u32) -> u32 {
    seconds + 1000
}

#[test]
fn interposition_wins_over_libraries_and_loses_to_the_program() {
    let source = r#"
#include <unistd.h>
#include <stdlib.h>
extern int nowhere(void) __attribute__((weak));
long nap(long s) { return sleep(s); }
int MPI_Send(void) { return 77; }
long own(long unused) { return MPI_Send(); }
long weak(long unused) { return (long)nowhere; }
long absolute(long x) { return abs((int)x); }
int main(void) { return 0; }
"#;
    let path = compile("interpose", source, &["-fno-builtin"]);
    let interpose =
        |name: &str, _: &str| matches!(name, "sleep" | "MPI_Send").then_some(no_sleep as *const () as usize);
    let program = Program::open(&path, &layout(), &[], &interpose).expect("opens");
    for image in images(&program, 2, false) {
        assert_eq!(call(&image, "nap", 3), 1003);
        assert_eq!(call(&image, "own", 0), 77);
        assert_eq!(call(&image, "weak", 0), 0);
        assert_eq!(call(&image, "absolute", -5), 5);
    }
}

#[test]
fn libraries_are_found_by_run_path_and_private_where_a_variable_is_copied() {
    let directory = scratch("libs");
    std::fs::create_dir_all(&directory).expect("created");
    let library = r#"
int library_state = 5;
__thread int library_tls = 11;
int library_bump(void) { return ++library_state; }
int *library_tls_address(void) { return &library_tls; }
"#;
    compile_with("gcc", "libs/libshared_one.so", library, &["-shared", "-fPIC"]);
    let program = r#"
extern int library_state, library_bump(void), *library_tls_address(void);
extern __thread int library_tls;
long bump(long unused) { return library_bump(); }
long copy(long unused) { return library_state; }
long tls(long unused) { return library_tls + ((&library_tls == library_tls_address()) ? 100 : 0); }
int main(void) { return 0; }
"#;
    let location = format!("-L{}", directory.display());
    for (name, tags) in [("runpath", "-Wl,--enable-new-dtags"), ("rpath", "-Wl,--disable-new-dtags")] {
        let flags = [&location, "-lshared_one", tags, "-Wl,-rpath,$ORIGIN/libs"];
        let program = open(&compile(name, program, &flags)).expect("opens");
        let images = images(&program, 2, false);
        let first = call(&images[0], "bump", 0);
        assert_eq!(call(&images[1], "bump", 0), first);
        assert_eq!(call(&images[0], "tls", 0), 111);
        // The executable's copy of the variable is the one that its library changes.
        assert_eq!(call(&images[0], "copy", 0), first);
    }
}

#[test]
fn libraries_of_libraries_are_found_by_rpath() {
    let inner = compile_with("gcc", "libs_inner.so", "int inner(void) { return 21; }", &["-shared", "-fPIC"]);
    let source = "int inner(void); int outer(void) { return 2 * inner(); }";
    let outer = compile_with("gcc", "libs_outer.so", source, &["-shared", "-fPIC", &inner.to_string_lossy()]);
    // Named without a directory, as libraries with a SONAME are.
    let directory = scratch("rpath-libs");
    std::fs::create_dir_all(&directory).expect("created");
    let build = |name: &str, source: &str, extra: &[&str]| {
        let soname = format!("-Wl,-soname,{name}");
        let flags: Vec<&str> = ["-shared", "-fPIC", &soname].iter().chain(extra).copied().collect();
        compile_with("gcc", &format!("rpath-libs/{name}"), source, &flags)
    };
    let deep = build("libdeep_one.so", "int inner(void) { return 21; }", &[]);
    let middle = build("libmiddle_one.so", source, &[&deep.to_string_lossy()]);
    let flags = [&middle.to_string_lossy(), "-Wl,--disable-new-dtags", "-Wl,-rpath,$ORIGIN/rpath-libs"];
    let link = format!("-Wl,-rpath-link,{}", directory.display());
    let flags: Vec<&str> = flags.iter().copied().chain([link.as_str()]).collect();
    let source = "int outer(void); long ask(long unused) { return outer(); } int main(void) { return 0; }";
    let program = open(&compile("rpath-deep", source, &flags)).expect("opens");
    assert_eq!(call(&images(&program, 1, false)[0], "ask", 0), 42);

    std::fs::remove_file(&inner).expect("removed");
    let error = open(&compile("deep-missing", source, &[&outer.to_string_lossy(), "-Wl,--allow-shlib-undefined"]));
    let text = error.expect_err("refused").to_string();
    assert!(text.contains("libs_inner.so") && text.contains("libs_outer.so"), "{text}");
}

#[test]
fn versions_choose_among_the_definitions_of_a_library() {
    // glibc kept the first realpath, which refuses a null buffer, beside the second, which allocates one.
    let source = r#"
#include <stdlib.h>
char *old(const char *, char *);
__asm__(".symver old, realpath@GLIBC_2.2.5");
long old_refuses(long unused) { return old("/", 0) == 0; }
long new_allocates(long unused) { char *p = realpath("/", 0); long ok = p != 0; free(p); return ok; }
int main(void) { return 0; }
"#;
    let program = open(&compile("versions", source, &["-fno-builtin"])).expect("opens");
    let image = &images(&program, 1, false)[0];
    assert_eq!(call(image, "old_refuses", 0), 1);
    assert_eq!(call(image, "new_allocates", 0), 1);
}

#[test]
fn addresses_have_names_and_link_time_addresses() {
    let source = "long deep(long x) { return x * 3; }\nint data = 3;\nint main(void) { return 0; }\n";
    let program = open(&compile("names", source, &[])).expect("opens");
    let images = images(&program, 2, false);
    let at = address(&images[1], "deep") + 2;
    let link = images[1].link_address(at).expect("inside");
    assert_eq!(images[0].link_address(at), None);
    let symbols = program.files()[0].symbol_table();
    let (symbol, offset) = symbols.function_at(link).expect("a function");
    assert_eq!((symbol.name.as_str(), offset), ("deep", 2));
    assert_eq!(
        symbols.named("data").map(|symbol| images[1].address(symbol.address)),
        Some(address(&images[1], "data"))
    );
    assert!(symbols.function_at(0).is_none());
}

#[test]
fn regions_are_found_by_arithmetic() {
    let program = open(&compile("regions", "int main(void) { return 0; }", &[])).expect("opens");
    let images = images(&program, 5, false);
    let stride = images[1].region() - images[0].region();
    smpi_image::unwind::publish(&program, images[0].region(), stride, 5, 10);
    let find = smpi_image::unwind::find;
    for (i, image) in images.iter().enumerate() {
        let location = find(image.entry()).expect("known");
        assert_eq!((location.rank, location.region, location.bias), (10 + i as u32, image.region(), image.bias()));
        assert!(location.in_image);
        assert!(!find(image.region()).expect("the stack is part of the region").in_image);
        assert!(!find(image.region() + stride - 1).expect("so is the tail").in_image);
        let info = smpi_image::unwind::phdr_infos(image.entry()).next().expect("headers");
        assert_eq!(info.dlpi_addr as usize, image.bias());
    }
    assert!(find(images[0].region() - 1).is_none_or(|location| location.program.path() != program.path()));
    assert!(find(regions_are_found_by_arithmetic as *const () as usize).is_none());
}
