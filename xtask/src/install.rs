//! `cargo xtask install --prefix DIR`: a relocatable tree of what users need.
//!
//! `smpirun` and the wrappers find library, header and platforms relative to their own place, and the pkg-config file
//! uses `${pcfiledir}`; so the tree may be moved or packed.

use crate::shell::{build_release, in_path, make_parent, output, root, symlink, write};
use crate::{man, pages};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What `cargo xtask install --help` prints.
const HELP: &str = "\
Usage: cargo xtask install --prefix DIR

Builds libsmpi (a release) and installs what its users need below DIR, which is made if it is not there. What an earlier
installation left there is replaced. Nothing outside of DIR changes, and the tree may be moved or packed.

Options:
  --prefix DIR  where to; a relative one begins at the working directory
  --help        print this

Installed below DIR:
  bin                         smpirun, smpirun-node, smpicc, smpicxx, smpif90, and the wrappers' other names (smpic++, smpif77,
                              smpifort)
  lib                         libsmpi.so, and its names by the standard ABI (libmpi_abi.so, libmpi_abi.so.1)
  lib/pkgconfig               packages smpi and mpi
  include                     mpi.h, mpif.h, smpi/smpi.h, and the sources of Fortran's modules
  lib/fortran-modules         the modules mpi and mpi_f08, where there is a gfortran
  mpi                         names that build systems look for (mpi/bin: mpicc, mpiexec, …), as in MPI_HOME=DIR/mpi;
                              packages of other MPIs' names in mpi/pkgconfig
  share/platforms             ready-made platforms
  share/libsmpi/examples      example programs
  share/man                   manual pages
  share/doc/libsmpi           README.md, docs and licences

Example:
  cargo xtask install --prefix $HOME/libsmpi
  export PATH=$HOME/libsmpi/bin:$PATH
  smpicc ring.c -o ring && smpirun -np 4 ./ring
";

/// The subcommand.
pub fn run(words: &[String]) -> Result<(), String> {
    let prefix: &str = match words {
        [word] if word == "--help" || word == "-h" => {
            print!("{HELP}");
            return Ok(());
        }
        [option, directory] if option == "--prefix" => directory,
        [option] if option.starts_with("--prefix=") => &option["--prefix=".len()..],
        _ => "",
    };
    if prefix.is_empty() || prefix.starts_with('-') {
        let given = [&["install".to_string()], words].concat().join(" ");
        return Err(format!(
            "{given}: expected --prefix DIR, such as --prefix $HOME/libsmpi; cargo xtask install --help says more"
        ));
    }
    let built = build_release()?;
    // cargo runs xtask in the user's directory, so that a relative prefix means what the user expects.
    let prefix = std::path::absolute(prefix).map_err(|e| format!("{prefix}: {e}"))?;
    install(&built, &prefix)?;
    println!("installed in {0}; add {0}/bin to PATH", prefix.display());
    Ok(())
}

/// Where an installed tree has its pages.
pub const PAGES: &str = "share/doc/libsmpi";

/// Where the help and the tree below `prefix` differ: folders that one has and the other has not.
pub fn unlike_help(prefix: &Path) -> Result<Vec<String>, String> {
    let folders = HELP.lines().skip_while(|line| *line != "Installed below DIR:").skip(1);
    let named: Vec<&str> = folders
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "lib/fortran-modules" || in_path("gfortran"))
        .collect();
    let missing = named.iter().filter(|name| !prefix.join(name).is_dir());
    let mut differences: Vec<String> = missing.map(|name| format!("the tree has no {name}")).collect();
    for folder in ["", "lib", "share"] {
        let place = prefix.join(folder);
        for entry in fs::read_dir(&place).map_err(|e| format!("{}: {e}", place.display()))?.flatten() {
            let name = Path::new(folder).join(entry.file_name());
            if entry.path().is_dir() && !named.iter().any(|named| Path::new(named).starts_with(&name)) {
                differences.push(format!("the help does not name {}", name.display()));
            }
        }
    }
    differences.sort();
    Ok(differences)
}

/// Copies a release build to `prefix`.
pub fn install(built: &Path, prefix: &Path) -> Result<(), String> {
    let [bin, lib, include] = ["bin", "lib", "include"].map(|name| prefix.join(name));
    for tool in ["smpirun", "smpirun-node", "smpicc", "smpicxx", "smpif90"] {
        copy(&built.join(tool), &bin.join(tool))?;
    }
    for (link, to) in [("smpic++", "smpicxx"), ("smpif77", "smpif90"), ("smpifort", "smpif90")] {
        symlink(to, &bin.join(link))?;
    }
    copy(&built.join("libsmpi.so"), &lib.join("libsmpi.so"))?;
    symlink("libsmpi.so", &lib.join("libmpi_abi.so"))?;
    symlink("libsmpi.so", &lib.join("libmpi_abi.so.1"))?;
    copy_tree(&root().join("include"), &include)?;
    if in_path("gfortran") {
        // Asked for its options, the wrapper compiles the modules: here, where later users may not write.
        output(Command::new(bin.join("smpif90")).arg("-showme:compile"))?;
    }
    copy_tree(&root().join("platforms"), &prefix.join("share/platforms"))?;
    copy_tree(&root().join("examples"), &prefix.join("share/libsmpi/examples"))?;
    copy_tree(&root().join("docs"), &prefix.join(PAGES).join("docs"))?;
    pages::install(&prefix.join(PAGES))?;
    usual_names(&prefix.join("mpi"))?;
    usual_packages(&built.join("mpi/pkgconfig"), &prefix.join("mpi/pkgconfig"))?;
    man::install(built, prefix)?;
    let package = lib.join("pkgconfig/smpi.pc");
    make_parent(&package)?;
    write(&package, &package_text(&built.join("mpi/pkgconfig/mpi.pc"))?)?;
    symlink("smpi.pc", &lib.join("pkgconfig/mpi.pc"))
}

/// The names that build systems look for, in a place of their own, so that `bin` can be in `PATH` beside another MPI.
/// It looks like the prefix of an MPI installation (`MPI_HOME`).
fn usual_names(place: &Path) -> Result<(), String> {
    let names = [
        ("smpicc", &["mpicc"][..]),
        ("smpicxx", &["mpicxx", "mpic++", "mpiCC"]),
        ("smpif90", &["mpif77", "mpif90", "mpifort"]),
        ("smpirun", &["mpiexec", "mpirun"]),
    ];
    make_parent(&place.join("bin/mpicc"))?;
    for (tool, links) in names {
        links.iter().try_for_each(|link| symlink(&format!("../../bin/{tool}"), &place.join("bin").join(link)))?;
    }
    ["include", "lib"].iter().try_for_each(|name| symlink(&format!("../{name}"), &place.join(name)))
}

/// The packages that build systems ask pkg-config for, in a place that has to be named: `PKG_CONFIG_PATH`.
fn usual_packages(built: &Path, place: &Path) -> Result<(), String> {
    let entries = fs::read_dir(built).map_err(|error| format!("{}: {error}", built.display()))?;
    make_parent(&place.join("mpi.pc"))?;
    entries.flatten().try_for_each(|entry| write(&place.join(entry.file_name()), &package_text(&entry.path())?))
}

/// The package that `cargo build` made, with an installed tree's directories.
fn package_text(built: &Path) -> Result<String, String> {
    let text = fs::read_to_string(built).map_err(|error| format!("{}: {error}", built.display()))?;
    let line = |line: &str| match line.split_once('=') {
        Some(("libdir", _)) => "prefix=${pcfiledir}/../..\nlibdir=${prefix}/lib\n".to_string(),
        Some(("includedir", _)) => "includedir=${prefix}/include\n".to_string(),
        _ => format!("{line}\n"),
    };
    Ok(text.lines().map(line).collect())
}

fn copy_tree(from: &Path, to: &Path) -> Result<(), String> {
    let entries = fs::read_dir(from).map_err(|e| format!("{}: {e}", from.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    for path in paths {
        let Some(name) = path.file_name() else { continue };
        if path.is_dir() {
            copy_tree(&path, &to.join(name))?;
        } else {
            copy(&path, &to.join(name))?;
        }
    }
    Ok(())
}

/// Copies a file under another name first: an installed library may be in use, and must not change under its user.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    make_parent(to)?;
    let new = to.with_extension("installing");
    fs::copy(from, &new).map_err(|e| format!("{} → {}: {e}", from.display(), new.display()))?;
    fs::rename(&new, to).map_err(|e| format!("{}: {e}", to.display()))
}
