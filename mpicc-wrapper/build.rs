//! The wrappers' names that cargo cannot give to an executable, as links in `target/<profile>`.

use std::os::unix::fs::symlink;
use std::path::Path;

/// Links, and the executables that they are names of.
const LINKS: [(&str, &str); 3] = [("smpic++", "smpicxx"), ("smpif77", "smpif90"), ("smpifort", "smpif90")];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let out_dir = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR for build scripts");
    // OUT_DIR is target/<profile>/build/mpicc-wrapper-<hash>/out.
    let Some(profile_dir) = Path::new(&out_dir).ancestors().nth(3) else { return };
    for (link, to) in LINKS {
        let path = profile_dir.join(link);
        if path.symlink_metadata().is_ok() {
            continue;
        }
        if let Err(error) = symlink(to, &path) {
            println!("cargo:warning={}: {error}", path.display());
        }
    }
}
