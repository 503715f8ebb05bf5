//! The tools under test: our wrappers and `smpirun` from a build directory, or, as a check of the programs themselves,
//! another MPI implementation (`SMPI_TEST_WITH=mpich`).

use crate::directives::{Directives, Requirement};
use std::path::{Path, PathBuf};

/// File in a test's directory that the report of a verification is written to.
pub const REPORT: &str = "report.json";

/// Compiler wrappers and launcher.
#[derive(Clone, Debug)]
pub enum Toolchain {
    /// Ours; the directory has `smpicc`, `smpicxx`, `smpif90`, `smpirun` and `libsmpi.so`.
    Smpi {
        /// Directory of the tools.
        directory: PathBuf,
    },
    /// Debian's MPICH: `mpicc.mpich`, `mpicxx.mpich`, `mpif90.mpich`, `mpirun.mpich`.
    Mpich,
    /// Another library with MPI's standard ABI, for the executables that our wrappers build.
    Abi {
        /// Where it is installed: it has `bin/mpiexec` and `lib/libmpi_abi.so.1`.
        prefix: PathBuf,
        /// Directory of our wrappers.
        wrappers: PathBuf,
    },
}

/// Root of the source tree.
pub fn root() -> PathBuf {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    directory.canonicalize().unwrap_or(directory)
}

impl Toolchain {
    /// The toolchain that the environment asks for: `SMPI_TEST_WITH=mpich`, or ours from `SMPI_TEST_BIN`, or from the
    /// build directory that this test was built in (its `release` when it has no tools in its own profile).
    pub fn from_environment() -> Result<Toolchain, String> {
        match std::env::var("SMPI_TEST_WITH") {
            Ok(name) if name == "mpich" => return Ok(Toolchain::Mpich),
            Ok(name) if name != "smpi" => return Err(format!("SMPI_TEST_WITH={name}: expected smpi or mpich")),
            _ => {}
        }
        let candidates = match std::env::var_os("SMPI_TEST_BIN") {
            Some(directory) => vec![PathBuf::from(directory)],
            None => build_directories()?,
        };
        let complete = |directory: &&PathBuf| {
            ["smpicc", "smpicxx", "smpirun", "libsmpi.so"].iter().all(|tool| directory.join(tool).is_file())
        };
        candidates.iter().find(complete).map(|directory| Toolchain::Smpi { directory: directory.clone() }).ok_or_else(
            || {
                let places: Vec<String> = candidates.iter().map(|path| path.display().to_string()).collect();
                format!(
                    "smpicc, smpicxx, smpirun and libsmpi.so are not all in {}; run `cargo build --release` first",
                    places.join(" or ")
                )
            },
        )
    }

    /// Directory for the programs' executables and files.
    pub fn work_directory(&self) -> PathBuf {
        match self {
            Toolchain::Smpi { directory } => directory.join("program-tests"),
            Toolchain::Mpich => std::env::temp_dir().join("smpi-program-tests-mpich"),
            Toolchain::Abi { .. } => std::env::temp_dir().join("smpi-program-tests-abi"),
        }
    }

    /// Why the program cannot be tested with these tools; `None` when it can. `fortran`: it is a Fortran program.
    pub fn skip_reason(&self, directives: &Directives, fortran: bool) -> Option<String> {
        if let (Toolchain::Abi { .. }, true) = (self, fortran) {
            return Some("the ABI is that of C".into());
        }
        if let Toolchain::Mpich | Toolchain::Abi { .. } = self {
            let ours_only = directives.requires.contains(&Requirement::Smpi)
                || !directives.smpirun_args.is_empty()
                || directives.expected_exit() != 0
                || directives.verification.is_some()
                || !directives.stderr_contains.is_empty();
            return ours_only.then(|| "needs smpi".into());
        }
        let programs = directives.requires.iter().filter_map(|requirement| match requirement {
            Requirement::Program(name) => Some(name.as_str()),
            Requirement::Smpi => None,
        });
        let missing = programs.chain(fortran.then_some("gfortran")).find(|name| !in_path(name));
        missing.map(|name| format!("needs {name}"))
    }

    /// Command that compiles sources of one language into `output`.
    pub fn compile(&self, directives: &Directives, sources: &[PathBuf], output: &Path, shared: bool) -> Vec<String> {
        // The first source is the program's: a Fortran program may have parts in C.
        let (ours, theirs) = match sources {
            [first, ..] if is_fortran(first) => ("smpif90", "mpif90.mpich"),
            _ if sources.iter().any(|source| is_cxx(source)) => ("smpicxx", "mpicxx.mpich"),
            _ => ("smpicc", "mpicc.mpich"),
        };
        let compiler = match self {
            _ if shared && directives.plain_library => "cc".to_string(),
            Toolchain::Smpi { directory: wrappers } | Toolchain::Abi { wrappers, .. } => {
                wrappers.join(ours).display().to_string()
            }
            Toolchain::Mpich => theirs.to_string(),
        };
        let mut words = vec![compiler];
        words.extend(directives.standard.iter().map(|standard| format!("-std={standard}")));
        if shared {
            words.extend(["-shared", "-fPIC"].map(String::from));
        }
        // Findings are to say where.
        let is_without = |word: &String| !word.starts_with("-g");
        if directives.verification.is_some() && directives.compile_args.iter().all(is_without) {
            words.push("-g".into());
        }
        words.extend(directives.compile_args.iter().cloned());
        words.extend(sources.iter().map(|source| source.display().to_string()));
        words.extend(["-o".to_string(), output.display().to_string()]);
        words
    }

    /// Command that runs executables with their ranks and arguments. `summary`: file for `--summary-json`.
    pub fn launch(
        &self,
        directives: &Directives,
        programs: &[Launch],
        platform: Option<&Path>,
        summary: &Path,
    ) -> Vec<String> {
        if directives.direct {
            return programs.iter().flat_map(|program| program.words()).collect();
        }
        let mut words = Vec::new();
        match self {
            Toolchain::Mpich => words.push("mpirun.mpich".to_string()),
            Toolchain::Abi { prefix, .. } => {
                let library = format!("LD_LIBRARY_PATH={}", prefix.join("lib").display());
                words.extend(["env".to_string(), library, prefix.join("bin/mpiexec").display().to_string()]);
            }
            Toolchain::Smpi { directory } => {
                words.push(directory.join("smpirun").display().to_string());
                if let Some(platform) = platform {
                    words.extend(["-platform".to_string(), platform.display().to_string()]);
                }
                if !directives.smpirun_args.iter().any(|word| word.starts_with("--compute")) {
                    words.push("--compute=off".into());
                }
                if directives.time.is_some() {
                    words.push(format!("--summary-json={}", summary.display()));
                }
                if let Some(verification) = &directives.verification {
                    let check = "--cfg=smpi/self-check:yes".to_string();
                    words.extend(["--verify".to_string(), check, format!("--report={REPORT}")]);
                    words.extend(verification.options.iter().cloned());
                }
                words.extend(directives.smpirun_args.iter().cloned());
                words.extend(std::env::var("SMPI_TEST_ARGS").unwrap_or_default().split_whitespace().map(String::from));
            }
        }
        for (index, program) in programs.iter().enumerate() {
            if index > 0 {
                words.push(":".into());
            }
            words.extend(["-np".to_string(), program.ranks.to_string()]);
            words.extend(program.words());
        }
        words
    }
}

/// One program of a run.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The executable.
    pub executable: PathBuf,
    /// Its number of ranks.
    pub ranks: u32,
    /// Its arguments.
    pub args: Vec<String>,
}

impl Launch {
    fn words(&self) -> Vec<String> {
        std::iter::once(self.executable.display().to_string()).chain(self.args.iter().cloned()).collect()
    }
}

/// What a directory has in it, sorted.
pub fn entries(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(directory).map_err(|e| format!("{}: {e}", directory.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    Ok(paths)
}

/// The sources of all test programs, sorted.
pub fn programs() -> Result<Vec<PathBuf>, String> {
    let mut programs = Vec::new();
    for chapter in entries(&root().join("tests/programs"))?.into_iter().filter(|path| path.is_dir()) {
        programs.extend(entries(&chapter)?.into_iter().filter(|path| is_program(path)));
    }
    Ok(programs)
}

/// The name of a test program: its chapter and its file without ending.
pub fn program_name(source: &Path) -> String {
    source.strip_prefix(root().join("tests/programs")).unwrap_or(source).with_extension("").display().to_string()
}

/// True for the source of a test program.
pub fn is_program(path: &Path) -> bool {
    let c = path.extension().is_some_and(|ending| ending == "c");
    path.is_file() && (c || is_cxx(path) || is_fortran(path))
}

/// True for C++ sources.
pub fn is_cxx(source: &Path) -> bool {
    source.extension().is_some_and(|ending| ["cpp", "cc", "cxx"].iter().any(|known| ending == *known))
}

/// True for Fortran sources.
pub fn is_fortran(source: &Path) -> bool {
    source.extension().is_some_and(|ending| ["f", "f90", "F", "F90", "for", "f08"].iter().any(|known| ending == *known))
}

/// `target/<profile>` of this executable (`target/<profile>/deps/…`), then `target/release`.
fn build_directories() -> Result<Vec<PathBuf>, String> {
    let executable = std::env::current_exe().map_err(|e| format!("cannot find my own executable: {e}"))?;
    let profile = executable.ancestors().nth(2).ok_or("the test is not in a build directory")?;
    let mut directories = vec![profile.to_path_buf()];
    directories.extend(profile.parent().map(|target| target.join("release")).filter(|release| release != profile));
    Ok(directories)
}

/// Whether a program is in `PATH`.
pub fn in_path(program: &str) -> bool {
    std::env::var("PATH").unwrap_or_default().split(':').any(|directory| Path::new(directory).join(program).is_file())
}
