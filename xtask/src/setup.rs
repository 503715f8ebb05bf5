//! `cargo xtask setup`: finds out what this machine lacks, installs it where that is allowed, else says how.
//!
//! Allowed means: running as root, or `sudo` works without a password. Nothing is ever asked on the terminal.

use crate::shell::{in_path, output};
use std::path::Path;
use std::process::{Command, Stdio};

/// Something the project uses, and the packages that bring it.
struct Need {
    name: &'static str,
    why: &'static str,
    present: fn() -> bool,
    apt: &'static str,
    dnf: &'static str,
}

const NEEDS: &[Need] = &[
    Need {
        name: "gcc",
        why: "compiles MPI programs",
        present: || in_path("gcc"),
        apt: "gcc libc6-dev",
        dnf: "gcc glibc-devel",
    },
    Need { name: "g++", why: "compiles C++ MPI programs", present: || in_path("g++"), apt: "g++", dnf: "gcc-c++" },
    Need {
        name: "gfortran",
        why: "compiles Fortran MPI programs",
        present: || in_path("gfortran"),
        apt: "gfortran",
        dnf: "gcc-gfortran",
    },
    Need {
        name: "cmake",
        why: "a test builds a CMake project with the wrappers",
        present: || in_path("cmake"),
        apt: "cmake",
        dnf: "cmake",
    },
    Need {
        name: "meson",
        why: "a test builds a Meson project with the wrappers",
        present: || in_path("meson") && in_path("ninja"),
        apt: "meson",
        dnf: "meson",
    },
    Need {
        name: "autotools",
        why: "a test builds an autoconf project with the wrappers",
        present: || ["autoreconf", "automake", "libtoolize", "make"].iter().all(|tool| in_path(tool)),
        apt: "autoconf automake libtool make",
        dnf: "autoconf automake libtool make",
    },
    Need {
        name: "gdb",
        why: "a test debugs ranks with it (version 13 or later)",
        present: || in_path("gdb"),
        apt: "gdb",
        dnf: "gdb",
    },
    Need {
        name: "valgrind",
        why: "a test looks at ranks with it",
        present: || in_path("valgrind"),
        apt: "valgrind",
        dnf: "valgrind",
    },
    Need {
        name: "otf2",
        why: "a test reads timelines with otf2-print",
        present: || in_path("otf2-print"),
        apt: "otf2-tools",
        dnf: "otf2",
    },
    Need {
        name: "pajeng",
        why: "a test reads timelines with pj_dump",
        present: || in_path("pj_dump"),
        apt: "pajeng",
        dnf: "pajeng",
    },
    Need {
        name: "libclang",
        why: "lets a test read mpi.h back",
        present: libclang,
        apt: "libclang-dev",
        dnf: "clang-devel",
    },
];

/// What the tests use.
pub const FOR_TESTS: &[&str] =
    &["gcc", "g++", "gfortran", "cmake", "meson", "autotools", "gdb", "valgrind", "otf2", "pajeng", "libclang"];

/// Components of the Rust toolchain that the tests use.
const COMPONENTS: &[(&str, &str)] = &[("rustfmt", "fmt"), ("clippy", "clippy")];

/// The subcommand: everything the project can use.
pub fn run() -> Result<(), String> {
    ensure(FOR_TESTS)?;
    ensure_components()?;
    println!("everything is there");
    Ok(())
}

/// Makes sure that the named needs are met. Says nothing when they are.
pub fn ensure(names: &[&str]) -> Result<(), String> {
    let missing = |need: &&Need| names.contains(&need.name) && !(need.present)();
    let needs: Vec<&Need> = NEEDS.iter().filter(missing).collect();
    if needs.is_empty() {
        return Ok(());
    }
    for need in &needs {
        println!("missing: {} ({})", need.name, need.why);
    }
    let (manager, packages): (&[&str], Vec<&str>) = if in_path("apt-get") {
        let words = &["apt-get", "install", "-y", "--no-install-recommends"];
        (words, needs.iter().flat_map(|need| need.apt.split(' ')).collect())
    } else if in_path("dnf") {
        (&["dnf", "install", "-y"], needs.iter().flat_map(|need| need.dnf.split(' ')).collect())
    } else {
        let names: Vec<&str> = needs.iter().map(|need| need.name).collect();
        return Err(format!("no apt-get or dnf here; install {} with this system's package manager", names.join(", ")));
    };
    let Some(prefix) = privilege() else {
        return Err(format!("run this, then try again:\n  sudo {} {}", manager.join(" "), packages.join(" ")));
    };
    println!("installing {} …", packages.join(" "));
    let privileged = |words: &[&str]| output(Command::new("env").args(prefix).args(words).stdin(Stdio::null()));
    if manager[0] == "apt-get" {
        // An old or empty package list is the usual reason for a failing install on fresh machines. A failing update
        // (one broken repository of many) need not make the install fail.
        let _ = privileged(&["apt-get", "update"]);
    }
    privileged(&[manager, &packages].concat())?;
    match needs.iter().find(|need| !(need.present)()) {
        Some(need) => Err(format!("{} is still not found after installing {}", need.name, packages.join(" "))),
        None => Ok(()),
    }
}

/// Makes sure that rustfmt and clippy are there.
pub fn ensure_components() -> Result<(), String> {
    let works = |subcommand: &str| {
        let mut command = crate::shell::cargo(&[subcommand, "--version"]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    let missing: Vec<&str> = COMPONENTS.iter().filter(|(_, sub)| !works(sub)).map(|(name, _)| *name).collect();
    if missing.is_empty() {
        return Ok(());
    }
    if !in_path("rustup") {
        return Err(format!("missing: {}; install these components of Rust as you installed Rust", missing.join(", ")));
    }
    println!("installing {} …", missing.join(" "));
    output(Command::new("rustup").args(["component", "add"]).args(&missing)).map(drop)
}

/// Words that make a command run as root: none for root itself, `sudo -n` where that works.
fn privilege() -> Option<&'static [&'static str]> {
    if output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0") {
        return Some(&["DEBIAN_FRONTEND=noninteractive"]);
    }
    let mut sudo = Command::new("sudo");
    let sudo = sudo.args(["-n", "true"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    sudo.status().is_ok_and(|status| status.success()).then_some(&["sudo", "-n", "DEBIAN_FRONTEND=noninteractive"])
}

/// libclang where bindgen looks for it, with the compiler's own headers.
fn libclang() -> bool {
    if std::env::var_os("LIBCLANG_PATH").is_some() {
        return true;
    }
    let mut directories: Vec<_> =
        ["/usr/lib", "/usr/lib64", "/usr/local/lib"].iter().map(|d| Path::new(d).to_path_buf()).collect();
    for entry in std::fs::read_dir("/usr/lib").into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with("-linux-gnu") {
            directories.push(entry.path());
        } else if name.starts_with("llvm") {
            directories.push(entry.path().join("lib"));
        }
    }
    let is_libclang = |name: String| {
        name.starts_with("libclang.so")
            || (name.starts_with("libclang-") && name.contains(".so") && !name.starts_with("libclang-cpp"))
    };
    directories
        .iter()
        .filter_map(|directory| std::fs::read_dir(directory).ok())
        .flatten()
        .flatten()
        .any(|entry| is_libclang(entry.file_name().to_string_lossy().into_owned()))
}
