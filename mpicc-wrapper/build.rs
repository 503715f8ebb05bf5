//! The wrappers' names that cargo cannot give to an executable, as links in `target/<profile>`; and below `mpi/bin` the
//! names that build systems look for, as in an installed tree.

use std::os::unix::fs::symlink;
use std::path::Path;

/// Links, and the executables that they are names of.
const LINKS: [(&str, &str); 12] = [
    ("smpic++", "smpicxx"),
    ("smpif77", "smpif90"),
    ("smpifort", "smpif90"),
    ("mpi/bin/mpicc", "../../smpicc"),
    ("mpi/bin/mpicxx", "../../smpicxx"),
    ("mpi/bin/mpic++", "../../smpicxx"),
    ("mpi/bin/mpiCC", "../../smpicxx"),
    ("mpi/bin/mpif77", "../../smpif90"),
    ("mpi/bin/mpif90", "../../smpif90"),
    ("mpi/bin/mpifort", "../../smpif90"),
    ("mpi/bin/mpiexec", "../../smpirun"),
    ("mpi/bin/mpirun", "../../smpirun"),
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let out_dir = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR for build scripts");
    // OUT_DIR is target/<profile>/build/mpicc-wrapper-<hash>/out.
    let Some(profile_dir) = Path::new(&out_dir).ancestors().nth(3) else { return };
    for (link, to) in LINKS {
        if let Err(error) = make(&profile_dir.join(link), to) {
            println!("cargo:warning={}/{link}: {error}", profile_dir.display());
        }
    }
}

fn make(link: &Path, to: &str) -> std::io::Result<()> {
    if link.symlink_metadata().is_ok() {
        return Ok(());
    }
    link.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    symlink(to, link)
}
