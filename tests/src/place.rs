//! A directory for one test over our tools, with helpers to fill it and to run commands in it.

use crate::process::{self, Finished};
use crate::toolchain::Toolchain;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Exit code of refused input.
const REFUSED: i32 = 2;

/// The directory of one test. The helpers panic with what went wrong, as assertions do.
pub struct Place {
    /// The test's own directory, empty at first.
    pub directory: PathBuf,
    tools: PathBuf,
}

impl Place {
    /// A fresh directory for the test of this name.
    pub fn new(name: &str) -> Place {
        let tools = match Toolchain::from_environment() {
            Ok(Toolchain::Smpi { directory }) => directory,
            Ok(Toolchain::Mpich | Toolchain::Abi { .. }) => panic!("these tests are about our smpirun"),
            Err(message) => panic!("{message}"),
        };
        let directory = tools.join("tool-tests").join(name);
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(&directory).unwrap();
        Place { directory, tools }
    }

    /// Writes a file and returns its name.
    pub fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.directory.join(name), text).unwrap();
        name.to_string()
    }

    /// Path of one of our tools.
    pub fn tool(&self, name: &str) -> String {
        self.tools.join(name).display().to_string()
    }

    /// One of our tools, to be started as a terminal would: what a shell starts in the background ignores some signals,
    /// and hands that on; these tests may be such a job.
    pub fn as_of_a_terminal(&self, name: &str) -> Command {
        let mut command = Command::new("env");
        command.arg("--default-signal=HUP,INT,QUIT").arg(self.tool(name));
        command
    }

    /// Compiles a C program; `options` are for the compiler.
    pub fn compile(&self, name: &str, text: &str, options: &[&str]) -> String {
        let source = self.write(&format!("{name}.c"), text);
        let compiler = self.tool("smpicc");
        self.run_words(&[&[compiler.as_str(), source.as_str(), "-o", name], options].concat(), 0);
        format!("./{name}")
    }

    /// Runs a command that must end with this code.
    pub fn run_words(&self, words: &[&str], code: i32) -> Finished {
        let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        let finished = process::run(&words, &self.directory, &[], 60).unwrap();
        let said = format!("{}{}", text(&finished.stdout), text(&finished.stderr));
        let line = process::shell_line(&words, &self.directory, &[]);
        assert!(!finished.timed_out, "{line}\ndid not end:\n{said}");
        assert_eq!(finished.code, code, "{line}\nended with {}:\n{said}", finished.code);
        finished
    }

    /// Runs smpirun, which must end with this code.
    pub fn smpirun(&self, words: &[&str], code: i32) -> Finished {
        self.run_words(&[&[self.tool("smpirun").as_str(), "--compute=off"], words].concat(), code)
    }

    /// Runs smpirun, which must refuse and name all of these on stderr; the directory stays as it was.
    pub fn refused(&self, words: &[&str], names: &[&str]) {
        let before = self.files();
        let finished = self.smpirun(words, REFUSED);
        let message = text(&finished.stderr);
        for name in names {
            assert!(message.contains(name), "the message does not name `{name}`:\n{message}");
        }
        assert!(message.lines().count() <= 4, "the message is long:\n{message}");
        assert!(!message.contains("internal bug"), "{message}");
        assert!(message.lines().any(is_refusal), "no line says that this is an error:\n{message}");
        assert_eq!(self.files(), before, "something was left behind");
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = [self.directory.as_path(), Path::new("/dev/shm")]
            .iter()
            .filter_map(|directory| std::fs::read_dir(directory).ok())
            .flatten()
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| path.starts_with(&self.directory) || path.to_string_lossy().contains("smpi"))
            .collect();
        files.sort();
        files
    }
}

/// Whether a line of stderr is a refusal of ours. What programs did wrong, notes and warnings begin otherwise.
pub fn is_refusal(line: &str) -> bool {
    line.starts_with("smpirun: error: ")
}

/// Output as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
