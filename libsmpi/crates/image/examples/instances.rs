//! Measures what images cost: `instances PROGRAM COUNT [protect]` maps COUNT images, runs their constructors, and
//! prints host time, anonymous memory, page tables and mappings per image. Figures for ARCHITECTURE.md, no test.

use smpi_image::{Constructor, Image, Layout, Program};
use std::path::Path;

/// A figure in kB from a file of /proc.
fn kilobytes(file: &str, key: &str) -> f64 {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(key)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|word| word.parse().ok()).unwrap_or(0.0)
}

#[allow(clippy::disallowed_methods, reason = "a measurement of the host")]
fn now() -> std::time::Instant {
    std::time::Instant::now()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, count, options @ ..] = &arguments[..] else { return Err("instances PROGRAM COUNT [protect]".into()) };
    let count: usize = count.parse()?;
    let protect = options.iter().any(|option| option == "protect");
    let layout = Layout { stack_bytes: 1 << 20, arena_bytes: 64 << 10, tls_limit: 0 };

    let start = now();
    let program = Program::open(Path::new(path), &layout, &[], &|_, _| None)?;
    println!("open          {:10.1} us", start.elapsed().as_secs_f64() * 1e6);

    let stride = program.region().least_stride().next_multiple_of(2 << 20);
    // SAFETY: a new reservation, inaccessible until the images are mapped over it.
    let base = unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        libc::mmap(std::ptr::null_mut(), stride * (count + 1), libc::PROT_NONE, flags, -1, 0) as usize
    };
    let base = base.next_multiple_of(2 << 20);
    let anonymous = || kilobytes("/proc/self/smaps_rollup", "Anonymous:");
    let tables = || kilobytes("/proc/self/status", "VmPTE:");
    let (anonymous_before, tables_before) = (anonymous(), tables());

    let start = now();
    let mut images = Vec::with_capacity(count);
    for index in 0..count {
        // SAFETY: the addresses are part of the reservation, which has no other use.
        images.push(unsafe { Image::map(&program, base + index * stride, stride, protect) }?);
    }
    let mapped = start.elapsed().as_secs_f64();
    for constructor in images.iter().flat_map(|image| image.constructors()) {
        // SAFETY: a constructor of a mapped image, with empty vectors.
        unsafe {
            let null = [std::ptr::null()];
            std::mem::transmute::<usize, Constructor>(constructor)(0, null.as_ptr(), null.as_ptr());
        }
    }
    let constructed = start.elapsed().as_secs_f64();
    let per_image = |value: f64| value / count as f64;
    println!("instantiate   {:10.3} s    {:6.2} us each", mapped, per_image(mapped) * 1e6);
    println!("constructors  {:10.3} s    {:6.2} us each", constructed - mapped, per_image(constructed - mapped) * 1e6);
    println!("anonymous     {:10.1} kB each", per_image(anonymous() - anonymous_before));
    println!("page tables   {:10.1} kB each", per_image(tables() - tables_before));
    println!("mappings      {:10}", std::fs::read_to_string("/proc/self/maps")?.lines().count());
    Ok(())
}
