//! Libraries that every image has for itself: data, copies, thread-local data, scope, constructors, names.

mod common;

use common::{call, compile_with, construct, destruct, images, layout, open, scratch};
use smpi_image::{Image, LoadError, Program};
use std::path::{Path, PathBuf};

/// Compiles a shared library `lib{name}.so` that needs these.
fn library(name: &str, source: &str, needs: &[&str]) -> PathBuf {
    let flags: Vec<String> = ["-fPIC", "-shared", "-Wl,--no-as-needed"].map(String::from).to_vec();
    let needs = needs.iter().map(|need| scratch(&format!("lib{need}.so")).display().to_string());
    let soname = format!("-Wl,-soname,lib{name}.so");
    let flags: Vec<String> = flags.into_iter().chain([soname]).chain(needs).collect();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    compile_with("gcc", &format!("lib{name}.so"), source, &flags)
}

/// Compiles a program against libraries in the tests' own directory.
fn program(name: &str, source: &str, libraries: &[&str]) -> PathBuf {
    let directory = env!("CARGO_TARGET_TMPDIR");
    let mut flags = vec!["-fPIE".to_string(), "-pie".into(), "-rdynamic".into(), "-Wl,--no-as-needed".into()];
    flags.extend([format!("-L{directory}"), format!("-Wl,-rpath,{directory}")]);
    flags.extend(libraries.iter().map(|library| format!("-l{library}")));
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    compile_with("gcc", name, source, &flags)
}

fn open_private(path: &Path, names: &[&str]) -> Result<Program, LoadError> {
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    Program::open(path, &layout(), &names, &|_, _| None)
}

fn constructed(program: &Program, count: usize, protect: bool) -> Vec<Image> {
    let images = images(program, count, protect);
    images.iter().for_each(construct);
    images
}

#[test]
fn every_image_has_its_own_data() {
    let source = r#"
long table[3] = {1, 2, 3};
long *inside = &table[1];
static long hidden;
static long *const constant = &hidden;
long step(long x) { *constant += x; *inside += x; return hidden; }
long second(long unused) { return table[1]; }
"#;
    library("own-data", source, &[]);
    let main = r#"
extern long table[3], *inside;
long step(long), second(long);
long call_step(long x) { return step(x); }
long call_second(long x) { return second(x); }
long by_copy(long i) { return table[i]; }
long through(long unused) { return *inside == table[1] && inside == table + 1; }
int main(void) { return 0; }
"#;
    let path = program("own-data", main, &["own-data"]);
    for protect in [false, true] {
        let program = open_private(&path, &["libown-data.so"]).expect("opens");
        assert_eq!(program.files().len(), 2);
        let images = constructed(&program, 3, protect);
        for (i, image) in images.iter().enumerate() {
            let x = 10 * i as i64;
            assert_eq!(call(image, "call_step", x), x);
            assert_eq!((call(image, "by_copy", 1), call(image, "call_second", 0)), (2 + x, 2 + x));
            assert_eq!(call(image, "through", 0), 1);
        }
    }
    // The copies alone make it private.
    assert_eq!(open(&path).expect("opens").files().len(), 2);
    let main = "long step(long); long call_step(long x) { return step(x); } int main(void) { return 0; }";
    let shared = open(&program("no-copies", main, &["own-data"])).expect("opens");
    assert_eq!(shared.files().len(), 1);
    let images = constructed(&shared, 2, false);
    assert_eq!((call(&images[0], "call_step", 5), call(&images[1], "call_step", 5)), (5, 10));
}

#[test]
fn the_scope_is_the_dynamic_linkers() {
    let first =
        "long who(long x) { return 1; } long both(long x) { return who(x); } long only_first(long x) { return 11; }";
    let second = "long who(long x) { return 2; } long own(long) __attribute__((visibility(\"protected\")));
long own(long x) { return 22; } long ask_own(long x) { return own(x); } long (*pointer)(long) = who;
long ask(long x) { return 100 * who(x) + only_first(x); } long by_pointer(long x) { return pointer(x); }";
    library("first", first, &[]);
    library("second", &format!("long only_first(long);\n{second}"), &["first"]);
    let main = "long both(long), ask(long), ask_own(long), by_pointer(long);
long own(long x) { return 33; }
long call_both(long x) { return both(x); } long call_ask(long x) { return ask(x); }
long call_own(long x) { return ask_own(x); } long call_pointer(long x) { return by_pointer(x); }
int main(void) { return 0; }\n";
    let plain = program("scope", main, &["first", "second"]);
    let over = program("scope-over", &format!("long who(long x) {{ return 3; }}\n{main}"), &["first", "second"]);
    for (path, who) in [(plain, 1), (over, 3)] {
        // The second library needs the first and so becomes private, too.
        let program = open_private(&path, &["libfirst.so"]).expect("opens");
        assert_eq!(program.files().len(), 3);
        for image in constructed(&program, 2, true) {
            assert_eq!(call(&image, "call_both", 0), who);
            assert_eq!(call(&image, "call_ask", 0), 100 * who + 11);
            assert_eq!(call(&image, "call_pointer", 0), who);
            assert_eq!(call(&image, "call_own", 0), 22);
        }
    }
}

#[test]
fn thread_local_data_of_libraries() {
    let source = r#"
__thread long zero;
__thread long seven = 7;
static __thread long hidden = 5;
static __thread long *self;
static long word = 3;
__thread long *to_word = &word;
long bump(long x) { seven += x; hidden += x; zero += x; *to_word += x; self = &hidden; return seven + hidden + zero + *self + word; }
"#;
    let main = r#"
extern __thread long seven;
__thread long own[3] = {1, 2, 3};
long bump(long);
long call_bump(long x) { return bump(x); }
long see(long unused) { return 1000 * own[2] + seven; }
int main(void) { return 0; }
"#;
    for (model, flags) in [("gnu", "-mtls-dialect=gnu"), ("gnu2", "-mtls-dialect=gnu2")] {
        let name = format!("tls-{model}");
        let all = ["-fPIC", "-shared", flags, &format!("-Wl,-soname,lib{name}.so")].map(String::from);
        compile_with("gcc", &format!("lib{name}.so"), source, &all.iter().map(String::as_str).collect::<Vec<_>>());
        let path = program(&name, main, &[&name]);
        let program = open_private(&path, &[&format!("lib{name}.so")]).expect("opens");
        for image in constructed(&program, 3, true) {
            assert_eq!(call(&image, "see", 0), 3007, "{model}");
            assert_eq!(call(&image, "call_bump", 1), 8 + 6 + 1 + 6 + 4, "{model}");
            assert_eq!(call(&image, "see", 0), 3008, "{model}");
        }
    }
}

#[test]
fn constructors_run_from_the_bottom_up() {
    let part = |mark: char| {
        format!(
            "extern char trace[16]; extern int length;
__attribute__((constructor)) static void start(void) {{ trace[length++] = '{mark}'; }}
__attribute__((destructor)) static void end(void) {{ trace[length++] = '{}'; }}\nint f{mark};\n",
            mark.to_ascii_lowercase()
        )
    };
    library("trace", "char trace[16]; int length;", &[]);
    library("bottom", &part('C'), &["trace"]);
    library("left", &part('A'), &["bottom", "trace"]);
    library("right", &part('B'), &["trace"]);
    let main = "extern char trace[16]; long at(long i) { return trace[i]; } int main(void) { return 0; }\n";
    let path = program("order", &format!("{}{main}", part('M')), &["left", "right", "bottom", "trace"]);
    let program = open_private(&path, &["libtrace.so"]).expect("opens");
    for image in constructed(&program, 2, true) {
        destruct(&image);
        let trace: String = (0..8).map(|i| char::from(call(&image, "at", i) as u8)).collect();
        assert_eq!(trace, "CBAMmabc");
    }
}

#[test]
fn addresses_belong_to_files() {
    library("named", "long deep(long x) { return x * 3; }", &[]);
    let main = "long deep(long); int main(void) { return deep(0); }";
    let path = program("named", main, &["named"]);
    let program = open_private(&path, &["libnamed.so"]).expect("opens");
    let images = constructed(&program, 3, true);
    let stride = images[1].region() - images[0].region();
    smpi_image::unwind::publish(&program, images[0].region(), stride, 3, 0);
    for image in &images {
        let at = common::address(image, "deep");
        let location = smpi_image::unwind::find(at).expect("known");
        assert!(location.in_users_code() && location.file.path().ends_with("libnamed.so"));
        let own = location.file.own_address(image.link_address(at).expect("inside"));
        assert_eq!(own as usize, at - location.file_bias());
        let symbols = location.file.symbol_table();
        assert_eq!(symbols.function_at(own).map(|(symbol, _)| symbol.name.as_str()), Some("deep"));
        assert_eq!(smpi_image::unwind::phdr_infos(at).count(), 2);
        let main = smpi_image::unwind::find(image.entry()).expect("known");
        assert!(main.file.path() == path);
    }
}

#[test]
fn what_cannot_be_private_is_refused() {
    library("plain", "long f(long x) { return x; }", &[]);
    let main = "long f(long); int main(void) { return f(0); }";
    let path = program("plain", main, &["plain"]);
    let error = open_private(&path, &["libnone.so"]).expect_err("refused");
    assert!(matches!(&error, LoadError::UnknownLibrary { loaded, .. } if loaded == &["libplain.so"]), "{error}");
    let error = open_private(&path, &["libc.so.6"]).expect_err("refused");
    assert!(matches!(&error, LoadError::NeverPrivate { .. }), "{error}");
    std::fs::write(scratch("libplain.so"), b"not a library").expect("writable");
    let error = open_private(&path, &["libplain.so"]).expect_err("refused");
    assert!(matches!(&error, LoadError::UnknownLibrary { loaded, .. } if loaded.is_empty()), "{error}");
}
