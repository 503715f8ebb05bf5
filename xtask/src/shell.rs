//! What the subcommands share: where things are, running commands quietly, a little colour.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Root of the source tree.
pub fn root() -> PathBuf {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    directory.canonicalize().unwrap_or(directory)
}

/// The build directory (`target`): this executable is in one of its profiles.
pub fn target() -> Result<PathBuf, String> {
    let executable = std::env::current_exe().map_err(|e| format!("cannot find my own executable: {e}"))?;
    executable.ancestors().nth(2).map(Path::to_path_buf).ok_or_else(|| "xtask is not in a build directory".into())
}

/// A cargo command in the source tree.
pub fn cargo(words: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(words).current_dir(root());
    command
}

/// Builds library, smpirun and wrappers in release mode; returns their directory.
pub fn build_release() -> Result<PathBuf, String> {
    step("build", &mut cargo(&["build", "--release"]))?;
    let directory = target()?.join("release");
    for (link, to) in LINKS {
        symlink(to, &directory.join(link))?;
    }
    Ok(directory)
}

/// Links beside the executables of a build or installed tree: those of a build directory, which has programs and
/// library in one place. (An installed tree has the first in `bin`, the others in `lib`.)
pub const LINKS: [(&str, &str); 5] = [
    ("smpic++", "smpicxx"),
    ("smpif77", "smpif90"),
    ("smpifort", "smpif90"),
    ("libmpi_abi.so", "libsmpi.so"),
    ("libmpi_abi.so.1", "libsmpi.so"),
];

/// Makes a symbolic link, replacing what is there.
pub fn symlink(to: &str, link: &Path) -> Result<(), String> {
    let _ = std::fs::remove_file(link);
    match std::os::unix::fs::symlink(to, link) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(e) => Err(format!("{}: {e}", link.display())),
    }
}

/// Runs a command without showing its output, with one line of progress; its output is shown when it fails.
#[allow(clippy::disallowed_methods, reason = "reports how long chores take; nothing is simulated here")]
pub fn step(name: &str, command: &mut Command) -> Result<(), String> {
    let mut out = std::io::stdout();
    let terminal = out.is_terminal();
    if terminal {
        print!("{name:<24} …");
        let _ = out.flush();
    }
    let start = std::time::Instant::now();
    let output = command.output().map_err(|e| format!("{name}: cannot run {:?}: {e}", command.get_program()))?;
    let secs = start.elapsed().as_secs_f64();
    let again = if terminal { "\r" } else { "" };
    if output.status.success() {
        println!("{again}{name:<24} {} {secs:6.1} s", paint("ok", GREEN));
        return Ok(());
    }
    print!("{again}");
    show(&output);
    Err(format!("{} failed", line(command)))
}

/// Runs a command and returns its stdout; an error contains everything it said.
pub fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|e| format!("cannot run {}: {e}", line(command)))?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!("{} failed ({}):\n{stdout}{stderr}", line(command), output.status))
}

/// The command as the user could type it.
pub fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

fn show(output: &Output) {
    let _ = std::io::stdout().write_all(&output.stdout);
    let _ = std::io::stderr().write_all(&output.stderr);
}

/// Whether a program is in `PATH`.
pub fn in_path(program: &str) -> bool {
    std::env::var("PATH").unwrap_or_default().split(':').any(|directory| Path::new(directory).join(program).is_file())
}

/// Green, for what is well.
pub const GREEN: &str = "32";
/// Red, for what is not.
pub const RED: &str = "31";
/// Bold, for headings.
pub const BOLD: &str = "1";

/// Text in a colour, on a terminal whose user did not set `NO_COLOR`.
pub fn paint(text: &str, code: &str) -> String {
    if std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        format!("\x1b[{code}m{text}\x1b[0m")
    } else {
        text.to_string()
    }
}

/// A heading.
pub fn heading(text: &str) {
    println!("\n{}", paint(text, BOLD));
}

/// Creates an empty directory below the build directory for the files of a subcommand.
pub fn scratch(name: &str) -> Result<PathBuf, String> {
    let directory = target()?.join("xtask").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).map_err(|e| format!("{}: {e}", directory.display()))?;
    Ok(directory)
}

/// Writes a file.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

/// A number field of a file written by `smpirun --summary-json`.
pub fn summary_number(path: &Path, key: &str) -> Result<f64, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
    value[key].as_f64().ok_or_else(|| format!("{}: no {key}", path.display()))
}

/// Makes the directory of a file.
pub fn make_parent(path: &Path) -> Result<(), String> {
    let parent = path.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(parent).map_err(|e| format!("{}: {e}", parent.display()))
}
