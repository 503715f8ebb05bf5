//! Every unsuitable file is refused with its reason and the next step.

mod common;

use common::{compile, compile_with, layout, open, scratch};
use smpi_image::{LoadError, NotPie, Program};
use std::path::{Path, PathBuf};

const MAIN: &str = "int main(void) { return 0; }";

fn file(name: &str, contents: &[u8]) -> PathBuf {
    let path = scratch(name);
    std::fs::write(&path, contents).expect("writable");
    path
}

fn refusal(path: &Path) -> (LoadError, String) {
    let error = open(path).expect_err("refused");
    let text = error.to_string();
    assert!(text.starts_with(&path.display().to_string()), "{text}");
    (error, text)
}

#[test]
fn files_that_are_no_executables() {
    let (error, _) = refusal(Path::new("/no/such/program"));
    assert!(matches!(error, LoadError::NotFound { .. }));
    let (error, text) = refusal(Path::new("/tmp"));
    assert!(matches!(error, LoadError::Io { .. }), "{text}");
    for (name, contents, found) in [
        ("empty", &b""[..], "an empty file"),
        ("text", b"hello\n", "a text file"),
        ("binary", &[0x80, 0xff, 0, 1], "a binary file"),
        ("windows", b"MZ\x90", "a Windows executable"),
    ] {
        let (error, text) = refusal(&file(name, contents));
        assert!(matches!(error, LoadError::NotElf { .. }));
        assert!(text.contains(found) && text.contains("smpicc"), "{text}");
    }
}

#[test]
fn interpreters() {
    let is_refused = |path: &Path| {
        let (error, text) = refusal(path);
        assert!(matches!(error, LoadError::Interpreter { .. }), "{text}");
        assert!(text.contains("interpreter") && !text.contains("smpicc") && !text.contains('\n'), "{text}");
        text
    };
    let text = is_refused(&file("script", b"#!/usr/bin/env python3\nprint(1)\n"));
    assert!(text.contains("/usr/bin/env python3"), "{text}");
    is_refused(Path::new("/bin/sh"));
    // Executables of interpreters are known by their names, also where they are no PIE or called by another name.
    let fixed = compile_with("gcc", "python3.11", MAIN, &["-no-pie", "-fno-pie"]);
    is_refused(&fixed);
    let link = scratch("my-python");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(&fixed, &link).expect("a link");
    is_refused(&link);
    let (error, _) = refusal(&compile_with("gcc", "pythonic", MAIN, &["-no-pie", "-fno-pie"]));
    assert!(matches!(error, LoadError::NotPie { .. }));
}

#[test]
fn sanitizers_that_want_the_process() {
    let stub = "int __asan_init(void) { return 0; }";
    compile_with("gcc", "libasan.so.8", stub, &["-shared", "-fPIC", "-Wl,-soname,libasan.so.8"]);
    let source = "int __asan_init(void); int main(void) { return __asan_init(); }";
    let (error, text) = refusal(&compile("address", source, &[&scratch("libasan.so.8").to_string_lossy()]));
    assert!(matches!(error, LoadError::Sanitizer { .. }) && text.contains("libasan.so.8"), "{text}");
    let inside = compile("address-inside", &format!("{stub} {MAIN}"), &["-rdynamic"]);
    assert!(matches!(refusal(&inside).0, LoadError::Sanitizer { .. }));
}

#[test]
fn executables_of_another_kind() {
    let good = std::fs::read(compile("good", MAIN, &[])).expect("readable");
    let patched = |name: &str, patches: &[(usize, u8)]| {
        let mut bytes = good.clone();
        patches.iter().for_each(|&(at, value)| bytes[at] = value);
        file(name, &bytes)
    };
    let (error, text) = refusal(&patched("class32", &[(4, 1)]));
    assert!(matches!(error, LoadError::Not64Bit { .. }) && text.contains("64-bit"), "{text}");
    let (error, _) = refusal(&patched("big-endian", &[(5, 2)]));
    assert!(matches!(error, LoadError::Not64Bit { .. }));
    let (error, text) = refusal(&patched("arm", &[(18, 183)]));
    assert!(matches!(error, LoadError::WrongMachine { machine: 183, .. }) && text.contains("aarch64"), "{text}");
    for (name, flags, expected) in [
        ("fixed", &["-no-pie", "-fno-pie"][..], NotPie::FixedAddress),
        ("static", &["-static"], NotPie::Static),
        ("static-pie", &["-static-pie", "-fPIE"], NotPie::Static),
        ("shared", &["-shared", "-fPIC"], NotPie::SharedLibrary),
        ("object", &["-c"], NotPie::ObjectFile),
    ] {
        let (error, text) = refusal(&compile_with("gcc", name, MAIN, flags));
        assert!(matches!(error, LoadError::NotPie { kind, .. } if kind == expected), "{name}: {text}");
        assert!(text.contains("smpicc"), "{text}");
    }
}

#[test]
fn damaged_files_are_refused_and_never_crash() {
    let good = std::fs::read(compile("whole", MAIN, &["-Wl,-z,pack-relative-relocs"])).expect("readable");
    for len in (0..good.len()).step_by(97) {
        let _ = open(&file("truncated", &good[..len]));
    }
    let (error, _) = refusal(&file("header-only", &good[..64]));
    assert!(matches!(error, LoadError::Malformed { .. }));
    // Every byte of the header and the program headers, set to values that upset arithmetic. Code never runs.
    for at in 0..64 + 13 * 56 {
        let mut bytes = good.clone();
        bytes[at] = if bytes[at] == 0 || at % 2 == 0 { 0xff } else { 0 };
        let _ = open(&file("flipped", &bytes));
    }
}

/// `R_X86_64_GLOB_DAT`: a word with a symbol's address.
const GLOB_DAT: u8 = 6;

/// Place of a section in a file.
fn section(bytes: &[u8], name: &str) -> std::ops::Range<usize> {
    use object::{Object, ObjectSection};
    let file = object::File::parse(bytes).expect("ELF");
    let (at, size) = file.section_by_name(name).expect(name).file_range().expect("in the file");
    at as usize..(at + size) as usize
}

#[test]
fn tables_are_checked_before_anything_is_allocated_for_them() {
    let source = "#include <stdio.h>\nint main(void) { return fprintf(stdout, \"%s\", \"\"); }";
    let good = std::fs::read(compile("tables", source, &[])).expect("readable");
    let patched = |at: usize, value: &[u8]| {
        let mut bytes = good.clone();
        bytes[at..at + value.len()].copy_from_slice(value);
        open(&file("patched-table", &bytes))
    };
    // A relocation for the symbol with the largest number: 35 GB were asked for.
    let relocation = section(&good, ".rela.dyn").step_by(24).find(|at| good[at + 8] == GLOB_DAT).expect("an address");
    for symbol in [0xffff_ffff_u32, 0x7fff_ffff, 100_000] {
        let error = patched(relocation + 12, &symbol.to_le_bytes()).expect_err("refused");
        assert!(matches!(error, LoadError::Malformed { .. }), "{error}");
    }
    // Versions that name themselves as the next ones, one byte further: read for hours.
    let needed = section(&good, ".gnu.version_r");
    let chained = [&1u16.to_le_bytes()[..], &0xffff_u16.to_le_bytes()].concat();
    let _ = patched(needed.start, &chained);
    // A copy of a variable that is larger than the variable: what lies behind it was read.
    let symbols = section(&good, ".dynsym");
    let stdout = symbols
        .step_by(24)
        .find(|at| u64::from_le_bytes(good[at + 16..at + 24].try_into().unwrap()) == 8 && good[at + 4] & 15 == 1)
        .expect("the copied variable");
    let _ = patched(stdout + 16, &(1_u64 << 40).to_le_bytes());
    let bss = section_in_memory(&good, ".bss");
    let _ = patched(stdout + 16, &bss.to_le_bytes());
}

/// Size of a section in memory.
fn section_in_memory(bytes: &[u8], name: &str) -> u64 {
    use object::{Object, ObjectSection};
    object::File::parse(bytes).expect("ELF").section_by_name(name).expect(name).size()
}

#[test]
fn missing_libraries_and_symbols() {
    compile_with("gcc", "libgoes_away.so", "int gone(void) { return 1; }", &["-shared", "-fPIC"]);
    let location = format!("-L{}", scratch("").display());
    let source = "int gone(void); int main(void) { return gone(); }";
    let path = compile("needs-missing", source, &[&location, "-lgoes_away"]);
    std::fs::remove_file(scratch("libgoes_away.so")).expect("removed");
    let (error, text) = refusal(&path);
    assert!(matches!(&error, LoadError::MissingLibrary { name, .. } if name == "libgoes_away.so"), "{text}");
    assert!(text.contains("LD_LIBRARY_PATH"), "{text}");

    let undefined = ["-Wl,--unresolved-symbols=ignore-all"];
    let (error, text) = refusal(&compile("needs-symbol", source, &undefined));
    assert!(matches!(&error, LoadError::UndefinedSymbols { names, .. } if names == &["gone"]), "{text}");
    let foreign = "int ompi_mpi_init(void); int main(void) { return ompi_mpi_init(); }";
    let (_, text) = refusal(&compile("other-mpi", foreign, &undefined));
    assert!(text.contains("another MPI"), "{text}");

    compile_with(
        "gcc",
        "libmpi.so.40",
        "int MPI_Init(void) { return 0; }",
        &["-shared", "-fPIC", "-Wl,-soname,libmpi.so.40"],
    );
    let library = scratch("libmpi.so.40");
    let source = "int MPI_Init(void); int main(void) { return MPI_Init(); }";
    let (error, text) = refusal(&compile("open-mpi", source, &[&library.to_string_lossy()]));
    assert!(matches!(error, LoadError::ForeignMpi { .. }) && text.contains("libmpi.so.40 of Open MPI"), "{text}");
    // A library that brings the other MPI along is named, too.
    let caller = "int MPI_Init(void); int both(void) { return MPI_Init(); }";
    let flags = ["-shared", "-fPIC", &library.to_string_lossy(), &format!("-Wl,-rpath,{}", scratch("").display())];
    compile_with("gcc", "libboth.so", caller, &flags);
    let both = scratch("libboth.so");
    let source = "int both(void); int main(void) { return both(); }";
    let (error, text) = refusal(&compile("open-mpi-below", source, &[&both.to_string_lossy()]));
    assert!(matches!(error, LoadError::ForeignMpi { .. }), "{text}");
    assert!(text.contains("libmpi.so.40 of Open MPI") && text.contains(&*both.to_string_lossy()), "{text}");
}

/// Place of a name in the table of dynamic strings, relative to its start.
fn dynamic_string(bytes: &[u8], name: &str) -> u32 {
    let table = &bytes[section(bytes, ".dynstr")];
    let name = [b"\0", name.as_bytes(), b"\0"].concat();
    let at = table.windows(name.len()).position(|window| window == name).expect("a dynamic string");
    at as u32 + 1
}

/// Place in the file of the entry of `.gnu.version` of a dynamic symbol.
fn version_of(bytes: &[u8], name: &str) -> usize {
    let at = dynamic_string(bytes, name).to_le_bytes();
    let index = bytes[section(bytes, ".dynsym")].chunks(24).position(|symbol| symbol[..4] == at).expect("a symbol");
    section(bytes, ".gnu.version").start + 2 * index
}

/// An executable with these bytes at these places.
fn patched(name: &str, good: &[u8], patches: &[(usize, &[u8])]) -> PathBuf {
    let mut bytes = good.to_vec();
    patches.iter().for_each(|&(at, value)| bytes[at..at + value.len()].copy_from_slice(value));
    file(name, &bytes)
}

#[test]
fn versions_that_nobody_defines() {
    // The library has a table of versions, because it asks for some, but defines none: its own symbols are compared
    // with a version that has no name.
    let library = "int puts(const char *); int plain(void) { return puts(\"\"); }";
    let library = compile_with("gcc", "libplain.so", library, &["-shared", "-fPIC"]);
    // The hash of the second function's name is 0, as that of an empty name.
    let source = "int plain(void), puts(const char *); int vaaaipupqap(void) { return puts(\"\") + plain(); }\n\
        int main(void) { return 0; }";
    let flags = ["-nostartfiles", "-Wl,-e,main", &library.to_string_lossy()];
    let good = std::fs::read(compile("versions", source, &flags)).expect("readable");
    open(&file("versions-good", &good)).expect("opens");

    // The one version that is asked for: hash, flags, number, name.
    let asked = section(&good, ".gnu.version_r").start + 16;
    let (flags, number, name) = (asked + 4, asked + 6, asked + 8);
    let (plain, zero) = (version_of(&good, "plain"), dynamic_string(&good, "vaaaipupqap").to_le_bytes());
    let (weak, two) = (2_u16.to_le_bytes(), 2_u16.to_le_bytes());
    for (what, patches) in [
        ("without a name", &[(name, &[0; 4][..])][..]),
        ("without number and name", &[(number, &[1, 0]), (name, &[0; 4])]),
        ("with the number of symbols without version", &[(number, &[1, 0])]),
        ("of no number that is known", &[(plain, &[1, 1])]),
    ] {
        let (error, text) = refusal(&patched("versions-damaged", &good, patches));
        assert!(matches!(error, LoadError::Malformed { .. }) && text.contains("version"), "{what}: {text}");
    }
    let (error, text) = refusal(&patched("versions-missing", &good, &[(name, &zero)]));
    assert!(matches!(&error, LoadError::MissingVersion { library, .. } if library == "libc.so.6"), "{text}");
    assert!(["vaaaipupqap", "libc.so.6", "puts"].iter().all(|word| text.contains(word)), "{text}");
    // One that may be missing: the symbols are found without it.
    let optional = [(name, &zero[..]), (flags, &weak), (plain, &two)];
    open(&patched("versions-optional", &good, &optional)).expect("opens");
}

#[test]
fn versions_of_private_libraries() {
    let script = scratch("private.map");
    let build = |version: &str| {
        std::fs::write(&script, format!("{version} {{ global: counted; }};")).expect("writable");
        let script = format!("-Wl,--version-script,{}", script.display());
        let flags = ["-shared", "-fPIC", "-Wl,-soname,libversioned.so", &script];
        compile_with("gcc", "libversioned.so", "int n; int counted(void) { return ++n; }", &flags)
    };
    let library = build("ONE");
    let source = "int counted(void); int main(void) { return counted(); }";
    let flags = [&library.to_string_lossy(), &*format!("-Wl,-rpath,{}", scratch("").display())];
    let path = compile("of-versioned", source, &flags);
    let open = || Program::open(&path, &layout(), &["libversioned.so".to_string()], &|_, _| None);
    open().expect("opens");
    build("TWO");
    let error = open().expect_err("refused");
    assert!(matches!(&error, LoadError::MissingVersion { version, .. } if version == "ONE"), "{error}");
    assert!(error.to_string().contains("counted"), "{error}");
}

#[test]
fn resolvers_that_are_no_code() {
    /// `STB_GLOBAL` and `STT_GNU_IFUNC`.
    const INDIRECT: u8 = 0x1a;
    let source = "int puts(const char *); int main(void) { return puts(\"\"); }";
    let good = std::fs::read(compile("indirect", source, &[])).expect("readable");
    let symbols = section(&good, ".dynsym");
    let name = dynamic_string(&good, "puts").to_le_bytes();
    let index = good[symbols.clone()].chunks(24).position(|symbol| symbol[..4] == name).expect("a symbol");
    let at = symbols.start + 24 * index;
    // A function of a library becomes one of the program, in any section.
    for address in [0_u64, 64, u64::MAX] {
        let patches = [(at + 4, &[INDIRECT][..]), (at + 6, &[1, 0]), (at + 8, &address.to_le_bytes())];
        let (error, text) = refusal(&patched("indirect-damaged", &good, &patches));
        assert!(matches!(error, LoadError::Malformed { .. }) && text.contains("resolver"), "{text}");
    }
}
