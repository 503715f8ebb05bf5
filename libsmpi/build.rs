//! Gives `libsmpi.so` the names under which programs built for the MPI standard ABI look for it: the SONAME
//! `libmpi_abi.so.1`, and links of that name beside it in `target/<profile>`, so that the tree works in place.
//!
//! It generates nothing: `include/mpi.h` and `src/abi` are committed (`cargo xtask codegen`).

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libmpi_abi.so.1");
    let out_dir = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR for build scripts");
    // OUT_DIR is target/<profile>/build/smpi-<hash>/out.
    if let Some(profile_dir) = Path::new(&out_dir).ancestors().nth(3) {
        for name in ["libmpi_abi.so", "libmpi_abi.so.1"] {
            if let Err(error) = link(&profile_dir.join(name)) {
                println!("cargo:warning={}/{name}: {error}", profile_dir.display());
            }
        }
    }
}

/// Makes `path` a symbolic link to `libsmpi.so` in the same directory, replacing a link that leads elsewhere.
fn link(path: &Path) -> std::io::Result<()> {
    let target = Path::new("libsmpi.so");
    match std::fs::read_link(path) {
        Ok(found) if found == target => return Ok(()),
        Ok(_) => std::fs::remove_file(path)?,
        Err(_) => {}
    }
    std::os::unix::fs::symlink(target, path)
}
