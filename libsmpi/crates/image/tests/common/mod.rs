//! What the loader's tests share: compiling small programs, reserving addresses, calling functions of images.
#![allow(dead_code, reason = "every test binary uses its own part")]

use smpi_image::{Image, Layout, LoadError, Program};
use smpi_ranks::thread_pointer::thread_pointer;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Room below the thread pointer for the images' thread-local data, as `smpirun` has it.
pub const TLS_LIMIT: usize = 64 << 10;

thread_local! {
    static PAD: [u8; TLS_LIMIT] = const { [0; TLS_LIMIT] };
}

/// A small layout; touches the pad, so that the linker keeps it.
pub fn layout() -> Layout {
    PAD.with(|pad| std::hint::black_box(pad.as_ptr()));
    Layout { stack_bytes: 256 << 10, arena_bytes: 64 << 10, tls_limit: TLS_LIMIT }
}

/// A file in the tests' own directory.
pub fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Compiles `source` with `compiler` (gcc or g++) and these flags; `name` must be unique in the test binary.
pub fn compile_with(compiler: &str, name: &str, source: &str, flags: &[&str]) -> PathBuf {
    let binary = scratch(name);
    let file = scratch(&format!("{name}.{}", if compiler == "g++" { "cc" } else { "c" }));
    std::fs::write(&file, source).expect("the tests' directory is writable");
    let output = Command::new(compiler).args(["-O1", "-g"]).arg(&file).args(flags).arg("-o").arg(&binary).output();
    let output = output.expect("the tests need a C compiler");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    binary
}

/// Compiles a C program that exports all its functions.
pub fn compile(name: &str, source: &str, flags: &[&str]) -> PathBuf {
    let all: Vec<&str> = ["-fPIE", "-pie", "-rdynamic"].iter().chain(flags).copied().collect();
    compile_with("gcc", name, source, &all)
}

/// Opens a program without interposition.
pub fn open(path: &Path) -> Result<Program, LoadError> {
    Program::open(path, &layout(), &[], &|_, _| None)
}

/// Maps `count` images at a constant distance, in addresses that are never given back.
pub fn images(program: &Program, count: usize, protect: bool) -> Vec<Image> {
    let stride = program.region().least_stride();
    let base = reserve(stride * count, program.region().align);
    // SAFETY: the addresses were just reserved for these regions.
    (0..count).map(|i| unsafe { Image::map(program, base + i * stride, stride, protect) }.expect("mapped")).collect()
}

/// Reserves addresses.
pub fn reserve(len: usize, align: usize) -> usize {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new inaccessible mapping.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), len + align, libc::PROT_NONE, flags, -1, 0) };
    assert_ne!(start, libc::MAP_FAILED);
    (start as usize).next_multiple_of(align)
}

/// Runs the constructors of an image.
pub fn construct(image: &Image) {
    for constructor in image.constructors() {
        // SAFETY: a constructor of the image, with the arguments that it expects.
        unsafe {
            let constructor: smpi_image::Constructor = std::mem::transmute(constructor);
            constructor(0, [std::ptr::null()].as_ptr(), [std::ptr::null()].as_ptr());
        }
    }
}

/// Runs the destructors of an image.
pub fn destruct(image: &Image) {
    for destructor in image.destructors() {
        // SAFETY: a destructor of the image, which takes no arguments.
        unsafe { std::mem::transmute::<usize, extern "C" fn()>(destructor)() };
    }
}

/// Address of an exported symbol in an image.
pub fn address(image: &Image, name: &str) -> usize {
    image.address(image.program().exported(None, name).unwrap_or_else(|| panic!("{name} is not exported")))
}

/// Calls the exported function `long name(long)` with the image's thread-local block in place.
pub fn call(image: &Image, name: &str, argument: i64) -> i64 {
    let function = address(image, name);
    let size = image.program().tls().size;
    // SAFETY: the image is mapped, and its block fits the pad below the thread pointer, see `layout`. What else lies
    // there is exchanged, too, and back before anything of it is used. The test's C source defines the function with
    // this type.
    unsafe {
        let in_place = (thread_pointer() - size) as *mut u8;
        std::ptr::swap_nonoverlapping(image.tls_slot(), in_place, size);
        let result = std::mem::transmute::<usize, extern "C" fn(i64) -> i64>(function)(argument);
        std::ptr::swap_nonoverlapping(image.tls_slot(), in_place, size);
        result
    }
}
