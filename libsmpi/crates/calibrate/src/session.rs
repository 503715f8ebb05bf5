//! Compiles C programs with our wrapper, starts them with a launcher, and says what went wrong.
//!
//! A program of ours follows MPI's standard ABI, so that any library with this ABI can run it. Which one it loads is
//! decided by the dynamic linker: first `LD_LIBRARY_PATH`, to which the `lib` directory beside the launcher's `bin` is
//! added if it has an MPI library with this ABI; without it our own, which then is a job of one rank for each process.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use smpi_base::print::reason;

/// The library that programs with the standard ABI ask for.
const LIBRARY: &str = "libmpi_abi.so";
/// Standard streams of a launcher that are shown in an error, in lines.
const LINES_SHOWN: usize = 12;

/// A folder for programs, which goes away with this value. The launcher's hosts have to see it.
#[derive(Debug)]
pub struct Session {
    folder: PathBuf,
    tools: PathBuf,
}

impl Session {
    /// Makes the folder inside `parent`. `tools`: where `smpicc` and `smpirun` are.
    ///
    /// # Errors
    /// Text for the user.
    pub fn new(parent: &Path, tools: &Path) -> Result<Session, String> {
        let folder = parent.join(format!(".smpi-calibrate-{}", std::process::id()));
        fs::create_dir(&folder).map_err(|error| {
            format!("cannot make the folder {}: {}; write to another place", folder.display(), reason(&error))
        })?;
        let folder = folder.canonicalize().unwrap_or(folder);
        Ok(Session { folder, tools: tools.to_owned() })
    }

    /// The path of a file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// `smpirun` itself.
    pub fn smpirun(&self) -> PathBuf {
        self.tools.join("smpirun")
    }

    /// Compiles `source` with `compiler` (a name: one of our wrappers, or a program in `PATH`) into `output`.
    ///
    /// # Errors
    /// Text for the user.
    pub fn compile(&self, compiler: &str, options: &[&str], source: &str, output: &str) -> Result<PathBuf, String> {
        let file = self.path(output).with_extension("c");
        fs::write(&file, source).map_err(|error| format!("cannot write {}: {}", file.display(), reason(&error)))?;
        let wrapper = self.tools.join(compiler);
        let compiler = if wrapper.is_file() { wrapper } else { PathBuf::from(compiler) };
        let program = self.path(output);
        let mut command = Command::new(&compiler);
        command.arg("-O2").args(options).arg(&file).arg("-o").arg(&program);
        let said = command.output().map_err(|error| {
            format!("cannot run {}: {}; install a C compiler, or build libsmpi", compiler.display(), reason(&error))
        })?;
        match said.status.success() {
            true => Ok(program),
            false => Err(format!("{} cannot compile {}:\n{}", compiler.display(), file.display(), shown(&said))),
        }
    }

    /// Runs a command to its end, and answers what it printed to standard output.
    ///
    /// # Errors
    /// Text for the user: the command cannot be started, fails, or takes longer than `limit`.
    pub fn run(&self, words: &[String], variables: &[(String, String)], limit: Duration) -> Result<String, String> {
        let (name, arguments) =
            words.split_first().ok_or("the launcher's command is empty; write for example --with \"mpiexec -n 2\"")?;
        // Files instead of pipes: a launcher that leaves processes behind does not keep us waiting for their ends.
        let files = ["output", "errors"].map(|name| self.path(name));
        let [output, errors] = files.each_ref().map(fs::File::create);
        let stream = |file: std::io::Result<fs::File>| {
            file.map_err(|error| format!("cannot write to {}: {}", self.folder.display(), reason(&error)))
        };
        let mut command = Command::new(name);
        command.args(arguments).envs(variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(stream(output)?).stderr(stream(errors)?);
        let mut child = command.spawn().map_err(|error| {
            format!(
                "cannot run {name}: {}; give the launcher's path, as in --with \"/opt/mpi/bin/mpiexec -n 2\"",
                reason(&error)
            )
        })?;
        let mut waited = Duration::ZERO;
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if waited < limit => {
                    let step = Duration::from_millis(20);
                    std::thread::sleep(step);
                    waited += step;
                }
                Ok(None) => {
                    let _ = child.kill();
                    let _ = child.wait();
                    let command = words.join(" ");
                    return Err(format!(
                        "{command}\nhas not ended after {} s; see whether `{name} hostname` ends, or raise --timeout",
                        limit.as_secs()
                    ));
                }
                Err(error) => return Err(format!("cannot wait for {name}: {}", reason(&error))),
            }
        };
        let [stdout, stderr] = files.map(|file| fs::read(file).unwrap_or_default());
        let said = Output { status, stdout, stderr };
        match said.status.success() {
            true => Ok(String::from_utf8_lossy(&said.stdout).into_owned()),
            false => Err(format!("{}\nfailed ({}):\n{}", words.join(" "), said.status, shown(&said))),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // What cannot be removed is left behind.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The end of what a command printed, standard error first.
fn shown(said: &Output) -> String {
    let text = [&said.stderr, &said.stdout].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("sample ")).collect();
    match lines.len().saturating_sub(LINES_SHOWN) {
        0 if lines.is_empty() => "  it printed nothing".to_owned(),
        skipped => lines[skipped..].iter().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n"),
    }
}

/// The variables that a launcher's programs need here in addition: where its MPI library is, if that has the standard
/// ABI.
pub fn variables(launcher: &str) -> Vec<(String, String)> {
    let here = |name: &str| std::env::var(name).unwrap_or_default();
    variables_among(launcher, &here("PATH"), &here("LD_LIBRARY_PATH"))
}

fn variables_among(launcher: &str, path: &str, libraries: &str) -> Vec<(String, String)> {
    let is_library = |folder: &PathBuf| folder.join(LIBRARY).exists() || folder.join(format!("{LIBRARY}.1")).exists();
    let found = place_of(launcher, path).and_then(|program| {
        let prefix = program.parent()?.parent()?.to_owned();
        ["lib", "lib64"].map(|name| prefix.join(name)).into_iter().find(is_library)
    });
    let with = |folder: PathBuf| {
        let folder = folder.display().to_string();
        ("LD_LIBRARY_PATH".to_owned(), if libraries.is_empty() { folder } else { format!("{folder}:{libraries}") })
    };
    found.map(with).into_iter().collect()
}

/// The path of a program as a shell would find it.
fn place_of(program: &str, path: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|path| path.is_file());
    }
    path.split(':').map(|folder| Path::new(folder).join(program)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(String::from).collect()
    }

    fn session() -> Session {
        Session::new(&std::env::temp_dir(), Path::new("/nowhere")).unwrap()
    }

    #[test]
    fn what_goes_wrong_is_told() {
        let session = session();
        let run = |text: &str| session.run(&words(text), &[], Duration::from_secs(20));
        assert_eq!(run("echo a b").as_deref(), Ok("a b\n"));
        assert!(run("no-such-launcher -n 2").unwrap_err().contains("cannot run no-such-launcher"));
        assert!(run("ls /no-such-file").unwrap_err().contains("failed (exit status: 2)"));
        let slow = session.run(&words("sleep 30"), &[], Duration::from_millis(50)).unwrap_err();
        assert!(slow.contains("has not ended") && slow.contains("--timeout"), "{slow}");
        assert!(session.compile("cc", &[], "nonsense", "x").unwrap_err().contains("x.c:\n"));
        let folder = session.folder.clone();
        drop(session);
        assert!(!folder.exists());
    }

    #[test]
    fn the_library_beside_a_launcher() {
        let prefix = std::env::temp_dir().join(format!("smpi-launcher-{}", std::process::id()));
        for folder in ["bin", "lib"] {
            fs::create_dir_all(prefix.join(folder)).unwrap();
        }
        let (launcher, library) = (prefix.join("bin/mpiexec"), prefix.join("lib"));
        fs::write(&launcher, "").unwrap();
        let of = |launcher: &str, path: &str| variables_among(launcher, path, "/other");
        assert!(of(&launcher.display().to_string(), "").is_empty());
        fs::write(library.join("libmpi_abi.so.1"), "").unwrap();
        let expected = vec![("LD_LIBRARY_PATH".to_owned(), format!("{}:/other", library.display()))];
        assert_eq!(of(&launcher.display().to_string(), ""), expected);
        assert_eq!(of("mpiexec", &format!("/bin:{}", prefix.join("bin").display())), expected);
        assert!(of("no-such-launcher", "/bin").is_empty());
        fs::remove_dir_all(&prefix).unwrap();
    }
}
