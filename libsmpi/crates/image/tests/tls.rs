//! Thread-local data of the program: one block per image, in every access model.

mod common;

use common::{call, compile, images, layout, open};
use smpi_image::{LoadError, Program};

const SOURCE: &str = r#"
int target = 3;
__thread int counter = 9;
__thread int *pointer = &target;
static __thread char zeros[100];
__thread long aligned __attribute__((aligned(64))) = 64;
long bump(long by) { return counter += by; }
long through(long by) { return *pointer += by; }
long pointer_is_own(long unused) { return pointer == &target; }
long zero(long i) { return zeros[i]++; }
long alignment(long unused) { return (long)&aligned % 64 + aligned; }
int main(void) { return 0; }
"#;

#[test]
fn blocks_are_private_and_initialised() {
    for (name, flags) in [
        ("tls-default", &[][..]),
        ("tls-global-dynamic", &["-fPIC", "-ftls-model=global-dynamic"]),
        ("tls-descriptors", &["-fPIC", "-mtls-dialect=gnu2"]),
        ("tls-initial-exec", &["-ftls-model=initial-exec"]),
        ("tls-relr", &["-Wl,-z,pack-relative-relocs"]),
    ] {
        let program = open(&compile(name, SOURCE, flags)).expect("opens");
        assert!(program.tls().size >= 120);
        for protect in [false, true] {
            let images = images(&program, 2, protect);
            for (i, image) in images.iter().enumerate() {
                assert_eq!(call(image, "bump", i as i64), 9 + i as i64, "{name}");
                assert_eq!(call(image, "pointer_is_own", 0), 1);
                assert_eq!(call(image, "through", 10), 13);
                assert_eq!(call(image, "zero", 99), 0);
                assert_eq!(call(image, "zero", 99), 1);
                assert_eq!(call(image, "alignment", 0), 64);
            }
            assert_eq!(call(&images[0], "bump", 0), 9);
            assert_eq!(call(&images[1], "bump", 0), 10);
        }
    }
}

#[test]
fn too_much_is_refused_with_both_figures() {
    let source = "__thread char much[100000]; int main(void) { return much[1]; }";
    let path = compile("tls-too-large", source, &[]);
    let error = Program::open(&path, &layout(), &[], &|_, _| None).expect_err("refused");
    assert!(matches!(error, LoadError::TlsTooLarge { size, limit: 65536, .. } if size >= 100000), "{error}");
    assert!(error.to_string().contains("__thread"), "{error}");
}

/// Linkers turn every access of an executable to its own data into local-exec, so the other two forms of relocation are
/// written over plain ones here.
#[test]
fn module_numbers_and_descriptors() {
    let source = r#"
__thread long block[2] = {5, 123};
long direct(long i) { return block[i]; }
extern void *__tls_get_addr(void *);
long module[2] = {(long)module, (long)module};
long descriptor[2] = {(long)descriptor, (long)descriptor};
long via_module(long unused) { return *(long *)__tls_get_addr(module); }
long via_descriptor(long unused) {
    long offset;
    __asm__ volatile("lea descriptor(%%rip), %%rax; call *(%%rax)" : "=a"(offset));
    return *(long *)((char *)__builtin_thread_pointer() + offset);
}
int main(void) { return 0; }
"#;
    let path = compile("tls-forms", source, &[]);
    let plain = open(&path).expect("opens");
    let (module, descriptor) = (plain.exported(None, "module"), plain.exported(None, "descriptor"));
    let (module, descriptor) = (module.expect("exported"), descriptor.expect("exported"));
    let mut bytes = std::fs::read(&path).expect("readable");
    const RELATIVE: u64 = 8;
    let mut patch = |address: u64, kind: u64, addend: u64| {
        let old: Vec<u8> = [address, RELATIVE].iter().flat_map(|word| word.to_le_bytes()).collect();
        let at = bytes.windows(16).position(|window| window == old).expect("a relative relocation");
        bytes[at + 8..at + 16].copy_from_slice(&kind.to_le_bytes());
        bytes[at + 16..at + 24].copy_from_slice(&addend.to_le_bytes());
    };
    patch(module, 16, 0);
    patch(module + 8, 17, 8);
    patch(descriptor, 36, 8);
    patch(descriptor + 8, 0, 0);
    let patched = common::scratch("tls-forms-patched");
    std::fs::write(&patched, &bytes).expect("writable");
    for image in images(&open(&patched).expect("opens"), 2, true) {
        assert_eq!(call(&image, "direct", 0), 5);
        assert_eq!(call(&image, "via_module", 0), 123);
        assert_eq!(call(&image, "via_descriptor", 0), 123);
    }
}
