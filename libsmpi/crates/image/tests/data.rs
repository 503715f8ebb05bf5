//! Each image has its own data, correctly relocated: C programs of every shape that linkers produce.

mod common;

use common::{address, call, compile, construct, destruct, images, open};

const COUNTERS: &str = r#"
#include <stdio.h>
int counter = 7;
static long hidden[3] = {1, 2, 3};
long *pointer = &hidden[1];
static long twice(long x) { return 2 * x; }
static long thrice(long x) { return 3 * x; }
long (*table[])(long) = {twice, thrice};
long bump(long by) { return counter += by; }
long calls(long unused) { static int n; return ++n; }
long through_pointer(long add) { return *pointer += add; }
long hidden_value(long i) { return hidden[i]; }
long via_table(long i) { return table[i](10); }
long address_of_bump(long unused) { return (long)bump; }
long address_in_table(long i) { return (long)table[i]; }
int main(void) { return 0; }
"#;

fn check_counters(name: &str, flags: &[&str]) {
    let program = open(&compile(name, COUNTERS, flags)).expect("opens");
    for protect in [false, true] {
        let images = images(&program, 3, protect);
        for (i, image) in images.iter().enumerate() {
            construct(image);
            let i = i as i64;
            assert_eq!(call(image, "bump", i), 7 + i, "{name}");
            assert_eq!(call(image, "calls", 0), 1);
            assert_eq!(call(image, "calls", 0), 2);
            assert_eq!(call(image, "through_pointer", 10 * i), 2 + 10 * i);
            assert_eq!(call(image, "via_table", 0), 20);
            assert_eq!(call(image, "via_table", 1), 30);
        }
        for (i, image) in images.iter().enumerate() {
            assert_eq!(call(image, "bump", 0), 7 + i as i64);
            assert_eq!(call(image, "hidden_value", 1), 2 + 10 * i as i64);
            assert!(image.text_range().contains(&(call(image, "address_in_table", 0) as usize)));
            assert_eq!(call(image, "address_of_bump", 0) as usize, address(image, "bump"));
            destruct(image);
        }
    }
}

#[test]
fn data_is_private_whatever_the_linker_options() {
    check_counters("plain", &[]);
    check_counters("now", &["-Wl,-z,now"]);
    check_counters("norelro", &["-Wl,-z,norelro"]);
    check_counters("noseparate", &["-Wl,-z,noseparate-code"]);
    check_counters("relr", &["-Wl,-z,pack-relative-relocs"]);
    check_counters("sysv-hash", &["-Wl,--hash-style=sysv"]);
    check_counters("big-pages", &["-Wl,-z,max-page-size=0x200000"]);
    check_counters("stripped", &["-s"]);
    check_counters("pic", &["-fPIC"]);
    check_counters("execstack", &["-Wl,-z,execstack"]);
}

#[test]
fn constructors_run_in_order_and_destructors_in_reverse() {
    let source = r#"
char log_[16]; static int n;
__attribute__((constructor(102))) static void second(void) { log_[n++] = 'b'; }
__attribute__((constructor(101))) static void first(void) { log_[n++] = 'a'; }
__attribute__((constructor)) static void third(void) { log_[n++] = 'c'; }
__attribute__((destructor(101))) static void last(void) { log_[n++] = 'z'; }
__attribute__((destructor)) static void early(void) { log_[n++] = 'y'; }
static void before(void) { log_[n++] = '0'; }
__attribute__((section(".preinit_array"), used)) static void (*p)(void) = before;
long letter(long i) { return log_[i]; }
int main(void) { return 0; }
"#;
    let program = open(&compile("constructors", source, &[])).expect("opens");
    for image in images(&program, 2, false) {
        construct(&image);
        destruct(&image);
        let log: String = (0..6).map(|i| call(&image, "letter", i) as u8 as char).collect();
        assert_eq!(log, "0abcyz");
    }
}

#[test]
fn copied_objects_have_the_librarys_value() {
    let source = r#"
#include <stdio.h>
#include <unistd.h>
long out(long unused) { return (long)stdout; }
long err(long unused) { return (long)stderr; }
long write_it(long unused) { return fprintf(stderr, "%s", ""); }
int main(void) { return 0; }
"#;
    unsafe extern "C" {
        static stdout: usize;
        static stderr: usize;
    }
    // SAFETY: libc's variables, which hold pointers and are not changed by anyone.
    let (out, err) = unsafe { (stdout as i64, stderr as i64) };
    for (name, flag) in [("copy-pie", "-fPIE"), ("copy-pic", "-fPIC")] {
        let program = open(&compile(name, source, &[flag])).expect("opens");
        for image in images(&program, 2, true) {
            assert_eq!(call(&image, "out", 0), out);
            assert_eq!(call(&image, "err", 0), err);
            assert_eq!(call(&image, "write_it", 0), 0);
        }
    }
}

#[test]
fn libc_state_is_private_by_copy_or_by_cell() {
    use smpi_image::PrivateVariable;
    let source = r#"
#include <unistd.h>
#include <stdlib.h>
extern char **environ, **__environ;
long index_(long set) { if (set) optind = set; return optind; }
long env(long set) { if (set) environ = (char **)set; return (long)environ; }
long env2(long unused) { return (long)__environ; }
int main(void) { return 0; }
"#;
    for (name, flag) in [("private-pie", "-fPIE"), ("private-pic", "-fPIC")] {
        let program = open(&compile(name, source, &[flag])).expect("opens");
        let images = images(&program, 2, true);
        assert_eq!(call(&images[0], "index_", 0), 1);
        assert_eq!(call(&images[0], "index_", 5), 5);
        assert_eq!(call(&images[1], "index_", 0), 1);
        call(&images[1], "env", 0x1234);
        assert_eq!(call(&images[1], "env2", 0), 0x1234);
        assert_ne!(call(&images[0], "env", 0), 0x1234);
        // SAFETY: the image is mapped and the variable is an int.
        let optind = unsafe { images[0].private_variable(PrivateVariable::Optind).cast::<i32>().read() };
        assert_eq!(optind, 5);
    }
}

#[test]
fn indirect_functions_are_chosen_once_and_are_private() {
    let source = r#"
static long state = 40;
static long fast(long x) { return state += x; }
static long (*choose(void))(long) { return fast; }
long exported(long) __attribute__((ifunc("choose")));
static long internal(long) __attribute__((ifunc("choose")));
long (*pointer)(long) = exported;
long call_exported(long x) { return exported(x); }
long call_internal(long x) { return internal(x); }
long call_pointer(long x) { return pointer(x); }
int main(void) { return 0; }
"#;
    let program = open(&compile("ifunc", source, &[])).expect("opens");
    for image in images(&program, 3, true) {
        assert_eq!(call(&image, "call_exported", 2), 42);
        assert_eq!(call(&image, "call_internal", 2), 44);
        assert_eq!(call(&image, "call_pointer", 2), 46);
    }
}

#[test]
fn uninitialised_data_is_zero_private_and_may_be_large() {
    let source = r#"
static char big[64 << 20];
static int small[100];
long get(long i) { return big[i] + small[99]; }
long set(long i) { big[i] = 1; return 0; }
int main(void) { return 0; }
"#;
    let program = open(&compile("bss", source, &[])).expect("opens");
    for protect in [false, true] {
        let images = images(&program, 2, protect);
        for at in [0, 4095, 4096, 32 << 20, (64 << 20) - 1] {
            assert_eq!(call(&images[0], "get", at), 0);
            call(&images[0], "set", at);
            assert_eq!(call(&images[0], "get", at), 1);
            assert_eq!(call(&images[1], "get", at), 0);
        }
    }
}

#[test]
fn protection_follows_the_segments() {
    let program = open(&compile("protect", COUNTERS, &["-Wl,-z,now"])).expect("opens");
    let image = &images(&program, 1, true)[0];
    let maps = std::fs::read_to_string("/proc/self/maps").expect("readable");
    let protection_at = |address: usize| {
        maps.lines().find_map(|line| {
            let (range, rest) = line.split_once(' ')?;
            let (from, to) = range.split_once('-')?;
            let contains =
                usize::from_str_radix(from, 16).ok()? <= address && address < usize::from_str_radix(to, 16).ok()?;
            contains.then(|| rest[..3].to_string())
        })
    };
    assert_eq!(protection_at(address(image, "bump")).as_deref(), Some("r-x"));
    assert_eq!(protection_at(address(image, "counter")).as_deref(), Some("rw-"));
    assert_eq!(protection_at(image.region()).as_deref(), Some("rw-"));
    assert_eq!(protection_at(image.eh_frame_hdr().expect("unwind tables")).as_deref(), Some("r--"));
}

#[test]
fn the_tail_of_a_region_guards_the_next_stack() {
    let program = open(&compile("guard", "int main(void) { return 0; }", &[])).expect("opens");
    let mut pipe = [0; 2];
    // SAFETY: an array for two descriptors.
    assert_eq!(unsafe { libc::pipe(pipe.as_mut_ptr()) }, 0);
    // The kernel answers EFAULT where the program would get SIGBUS.
    // SAFETY: write checks the address itself.
    let readable = |address: usize| unsafe { libc::write(pipe[1], address as *const _, 1) == 1 };
    for protect in [false, true] {
        let images = images(&program, 2, protect);
        let (region, stride) = (*program.region(), images[1].region() - images[0].region());
        let base = images[1].region();
        assert!(readable(base) && readable(base + region.image_offset - 1) && readable(base + region.file_len - 1));
        assert!(!readable(base - 1) && !readable(base + region.file_len) && !readable(base + stride - 1));
    }
}
