//! The wrappers' names that cargo cannot give to an executable, as links in `target/<profile>`; and below `mpi/bin` the
//! names that build systems look for, as in an installed tree; with the packages that they ask pkg-config for.

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

/// Packages of other MPIs, by which build systems find them before they look for a wrapper: Meson asks for `ompi-c`.
const PACKAGES: [&str; 9] = ["mpi", "mpi-c", "mpi-cxx", "mpi-fort", "mpich", "ompi", "ompi-c", "ompi-cxx", "ompi-fort"];

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
    if let Err(error) = write_packages(profile_dir) {
        println!("cargo:warning={}/mpi/pkgconfig: {error}", profile_dir.display());
    }
}

/// The same package under all names; an installed tree has it with its own directories.
fn write_packages(profile_dir: &Path) -> std::io::Result<()> {
    let place = profile_dir.join("mpi/pkgconfig");
    std::fs::create_dir_all(&place)?;
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include");
    let (library, version) = (profile_dir.display(), env!("CARGO_PKG_VERSION"));
    let text = format!(
        "libdir={library}\nincludedir={}\n\nName: libsmpi\nDescription: MPI library that simulates clusters on one machine\nVersion: {version}\n\
         Cflags: -fPIE -I${{includedir}}\nLibs: -pie -L${{libdir}} -Wl,-rpath,${{libdir}} -lmpi_abi\n",
        include.display()
    );
    PACKAGES.iter().try_for_each(|name| std::fs::write(place.join(name).with_extension("pc"), &text))
}

fn make(link: &Path, to: &str) -> std::io::Result<()> {
    if link.symlink_metadata().is_ok() {
        return Ok(());
    }
    link.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    symlink(to, link)
}
