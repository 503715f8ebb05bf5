//! The folder in which executables are made and run, and its removal: at the end, and when the run is interrupted.

use crate::refused::Refused;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// The process that runs just now; 0 for none.
static CHILD: AtomicI32 = AtomicI32::new(0);

/// Whether the program is being interrupted: the handler alone ends it then.
static INTERRUPTION: AtomicBool = AtomicBool::new(false);

/// Exit code after an interruption, as a shell gives it for Ctrl-C.
const INTERRUPTED: i32 = 130;

/// A folder of our own, removed when this value is dropped or the program is interrupted.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Makes the folder below the system's folder for temporary files.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn new() -> Result<Scratch, Refused> {
        let path = std::env::temp_dir().join(format!("nas-benchmarks.{}", std::process::id()));
        let refused = |error: &dyn std::fmt::Display| {
            Refused::new(format!("'{}' cannot be made: {error}", path.display()), "set TMPDIR to a folder with space")
        };
        std::fs::create_dir(&path).map_err(|error| refused(&error))?;
        let scratch = Scratch { path: path.clone() };
        let doomed = path.clone();
        ctrlc::set_handler(move || {
            INTERRUPTION.store(true, Ordering::SeqCst);
            let child = CHILD.load(Ordering::SeqCst);
            if child != 0 {
                // It may have ended already; then there is nothing to do.
                let _ = kill(Pid::from_raw(child), Signal::SIGTERM);
            }
            let _ = std::fs::remove_dir_all(&doomed);
            std::process::exit(INTERRUPTED);
        })
        .map_err(|error| refused(&error))?;
        Ok(scratch)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Starts a command in the folder; it is ended with this program.
    ///
    /// # Errors
    /// Those of starting a process.
    pub fn spawn(&self, command: &mut Command) -> std::io::Result<Child> {
        let child = command.current_dir(&self.path).spawn()?;
        CHILD.store(child.id().cast_signed(), Ordering::SeqCst);
        Ok(child)
    }

    /// To be called when the child has ended.
    pub fn ended(&self) {
        CHILD.store(0, Ordering::SeqCst);
        leave_it_to_the_handler();
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        leave_it_to_the_handler();
        // Nobody can do anything about a folder that cannot be removed.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Once interrupted, what ends here ended because of that: the handler, which runs on its own thread, removes the
/// folder and ends the program with its own exit code.
fn leave_it_to_the_handler() {
    while INTERRUPTION.load(Ordering::SeqCst) {
        std::thread::park();
    }
}
