//! One test per project in `tests/clients/`: programs as users have them, built with their own build systems and our
//! wrappers. To add one, add a directory with a shell script `run`.
//!
//! The script runs in a fresh copy of the directory, with `-eu`, our tools first in `PATH`, and these variables:
//! `MPI_BIN` (the tools under the names of other MPIs: `mpicc`, `mpiexec`, …) and `LIB` (the library's directory). What
//! it writes to stdout is compared with its directives, in comments `# smpi: KEY VALUE`; `requires`, `timeout`,
//! `expect-stdout`, `stdout-order`, `expect-exit` and `expect-stderr-contains` are those of `tests/tests/programs.rs`.
#![forbid(unsafe_code)]

use libtest_mimic::{Arguments, Failed, Trial};
use smpi_tests::directives;
use smpi_tests::judge;
use smpi_tests::process;
use smpi_tests::toolchain::{self, Toolchain};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(message) => {
            eprintln!("clients: {message}");
            ExitCode::from(2)
        }
    }
}

fn trials() -> Result<Vec<Trial>, String> {
    let tools = match Toolchain::from_environment()? {
        Toolchain::Smpi { directory } => directory,
        Toolchain::Mpich | Toolchain::Abi { .. } => return Ok(Vec::new()),
    };
    let clients = toolchain::entries(&toolchain::root().join("tests/clients"))?;
    clients.into_iter().filter(|path| path.is_dir()).map(|client| trial(tools.clone(), client)).collect()
}

fn trial(tools: PathBuf, client: PathBuf) -> Result<Trial, String> {
    let name = client.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let script = client.join("run");
    let text = std::fs::read_to_string(&script).map_err(|e| format!("{}: {e}", script.display()))?;
    let directives = directives::parse(&text).map_err(|e| format!("{}: {e}", script.display()))?;
    let skip = Toolchain::Smpi { directory: tools.clone() }.skip_reason(&directives, false);
    let title = skip.as_ref().map_or(name.clone(), |reason| format!("{name} ({reason})"));
    let test = move || run(&tools, &client, &name, &directives).map_err(Failed::from);
    Ok(Trial::test(title, test).with_ignored_flag(skip.is_some()))
}

fn run(tools: &Path, client: &Path, name: &str, directives: &directives::Directives) -> Result<(), String> {
    let directory = tools.join("client-tests").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    copy(client, &directory)
        .map_err(|e| format!("cannot copy {} to {}: {e}", client.display(), directory.display()))?;
    let path = std::env::var("PATH").unwrap_or_default();
    let environment = [
        ("PATH".to_string(), format!("{}:{path}", tools.display())),
        ("MPI_BIN".to_string(), tools.join("mpi/bin").display().to_string()),
        ("LIB".to_string(), tools.display().to_string()),
    ];
    let words = ["sh", "-eu", "run"].map(String::from);
    let finished = process::run(&words, &directory, &environment, directives.timeout_secs)?;
    let complaints = judge::complaints(directives, &finished, Path::new("/nowhere"), false);
    if complaints.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{}\nrun it again with\n  {}\n--- stdout\n{}--- stderr\n{}",
        complaints.join("\n"),
        process::shell_line(&words, &directory, &environment),
        String::from_utf8_lossy(&finished.stdout),
        String::from_utf8_lossy(&finished.stderr)
    ))
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
