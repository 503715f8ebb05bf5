//! The explorer below a node: `smpirun` with the same command line, at the other end of a stream of frames. It has
//! nothing of the node's MPI: no library, no variables, no descriptors.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};

use smpi_base::frames::{Frame, Unread};
use smpi_base::plan::NODE_VARIABLE;

/// How variables begin by which launchers tell their processes who they are. Programs that see them would think that
/// they are such a process.
const LAUNCHERS: [&str; 8] = ["PMI_", "PMIX_", "OMPI_", "PRTE_", "HYDRA_", "HYDI_", "MPI_LOCAL", "SLURM_"];

/// Bytes of its last words.
const WORDS: u64 = 2000;

/// The explorer.
pub struct Explorer {
    child: Child,
    stream: UnixStream,
    unread: Unread,
    unsent: Vec<u8>,
    /// What one that does not report has said.
    said: Option<File>,
}

impl Explorer {
    /// Starts it. The first one reports to the user; what others say is kept.
    ///
    /// # Errors
    /// Text for the user.
    pub fn start(words: &[String], rank: u32, size: u32) -> Result<Explorer, String> {
        let failed = |error: std::io::Error| format!("cannot start an explorer: {}", smpi_base::print::reason(&error));
        let (ours, theirs) = UnixStream::pair().map_err(failed)?;
        ours.set_nonblocking(true).map_err(failed)?;
        let smpirun = std::env::current_exe().map_err(failed)?.with_file_name("smpirun");
        let descriptor = theirs.as_raw_fd();
        let mut command = Command::new(smpirun);
        command.args(words).stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            if LAUNCHERS.iter().any(|begin| name.to_string_lossy().starts_with(begin)) {
                command.env_remove(name);
            }
        }
        command.env(NODE_VARIABLE, format!("{rank}:{size}:{descriptor}"));
        let mut said = None;
        if rank > 0 {
            let file = memory_file().map_err(failed)?;
            command.stdout(file.try_clone().map_err(failed)?).stderr(file.try_clone().map_err(failed)?);
            said = Some(file);
        }
        let parent = std::process::id();
        // SAFETY: the closure makes system calls only.
        unsafe {
            command.pre_exec(move || {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                // Launchers send signals to whole groups, to tell their MPI what they know of others.
                libc::setpgid(0, 0);
                crate::mpi::hold_back_signal(libc::SIG_UNBLOCK);
                if libc::getppid() as u32 != parent {
                    libc::_exit(1);
                }
                // What is open above the standard streams is the node's, but for the explorer's stream.
                for fd in 3..highest_descriptor() {
                    let flags = if fd == descriptor { 0 } else { libc::FD_CLOEXEC };
                    libc::fcntl(fd, libc::F_SETFD, flags);
                }
                Ok(())
            });
        }
        let child = command.spawn().map_err(failed)?;
        Ok(Explorer { child, stream: ours, unread: Unread::default(), unsent: Vec::new(), said })
    }

    /// Its stream, for `poll`.
    pub fn descriptor(&self) -> i32 {
        self.stream.as_raw_fd()
    }

    /// Tells it something; waits for nothing.
    pub fn tell(&mut self, frame: &Frame) {
        frame.write(&mut self.unsent);
    }

    /// Moves bytes in both directions as far as they go. What it has said; `None` once it has ended.
    pub fn exchange(&mut self) -> Option<Vec<Frame>> {
        while !self.unsent.is_empty() {
            match self.stream.write(&self.unsent) {
                Ok(len) => drop(self.unsent.drain(..len)),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        let is_over = self.unread.read(&mut self.stream);
        let frames = self.unread.frames();
        (!is_over || !frames.is_empty()).then_some(frames)
    }

    /// Waits for its end, which has come; the exit code, as shells count.
    pub fn code(&mut self) -> i32 {
        let status = self.child.wait();
        status.map_or(smpi_base::exit::INTERNAL_BUG, |status| {
            status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default())
        })
    }

    /// The last that it has said, in one line.
    pub fn last_words(&mut self) -> String {
        let Some(file) = &mut self.said else { return String::new() };
        let len = file.metadata().map_or(0, |found| found.len());
        let mut text = Vec::new();
        let _ = file.seek(SeekFrom::Start(len.saturating_sub(WORDS))).and_then(|_| file.read_to_end(&mut text));
        String::from_utf8_lossy(&text).trim().replace('\n', "; ")
    }

    /// Ends it, whatever it does.
    pub fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A file without a name.
fn memory_file() -> std::io::Result<File> {
    // SAFETY: a system call whose result is a new descriptor, or none.
    let fd = unsafe { libc::memfd_create(c"smpirun-node".as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just made, and nobody else knows of it.
    Ok(File::from(unsafe { OwnedFd::from_raw_fd(fd) }))
}

/// One more than the highest descriptor that may be open.
fn highest_descriptor() -> i32 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a place for the answer.
    unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) };
    limit.rlim_cur.clamp(256, 65_536) as i32
}
