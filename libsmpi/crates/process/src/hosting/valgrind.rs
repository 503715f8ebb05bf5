//! Ranks under valgrind: it is told of their stacks, and finds their code in files.
//!
//! The heap of a rank needs no request: `smpirun` tells valgrind that our `malloc` is one, and a tool that replaces
//! `malloc` replaces it, so that blocks are the tool's and lie in no region.

use smpi_image::{Image, LoadError};
use smpi_ranks::{Layout, valgrind};
use std::path::PathBuf;
use std::sync::OnceLock;

/// Where copies of the programs are, until the process ends.
static COPIES: OnceLock<PathBuf> = OnceLock::new();

/// Shows a rank's image and stack, if valgrind runs and the kernel's limit on mappings allows it.
pub fn show(image: &Image, layout: &Layout, rank: u32) -> Result<(), LoadError> {
    if !valgrind::is_running() {
        return Ok(());
    }
    let (base, region) = (image.region(), image.program().region());
    valgrind::declare_stack(&(base..base + region.stack_len));
    valgrind::declare_hole(&(base + region.file_len..base + layout.stride()));
    if !layout.split_images() {
        return Ok(());
    }
    let directory = COPIES.get_or_init(|| {
        // SAFETY: a function without arguments, which is called once at the end of the process.
        unsafe { libc::atexit(remove) };
        std::env::temp_dir().join(format!("smpi-valgrind-{}", std::process::id()))
    });
    // SAFETY: `prepare` has mapped the image just now, with protection, and nothing of it has run.
    unsafe { image.map_copies(&directory.join(format!("rank-{rank}"))) }
}

extern "C" fn remove() {
    if let Some(directory) = COPIES.get() {
        // What cannot be removed is left to the system's own care for temporary files.
        let _ = std::fs::remove_dir_all(directory);
    }
}
