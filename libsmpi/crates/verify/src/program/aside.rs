//! A child of this process finds something out, and tells it through a pipe: whatever becomes of it, this process
//! goes on. Nothing of what happens to it is shown, and it leaves no trail.

use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use smpi_base::plan::VerifyPlan;
use smpi_process as process;
use smpi_runtime::summary::Wall;

use crate::limits::interrupt;
use crate::limits::{end_with, watch_steps};
use crate::program::Program;
use crate::trail;

/// Milliseconds between two looks at the clock and at Ctrl-C.
const LOOK_INTERVAL: i32 = 100;

/// What a child has said.
#[derive(Default)]
pub struct Said {
    /// All of it.
    pub bytes: Vec<u8>,
    /// It has ended by itself.
    pub is_whole: bool,
}

/// Lets a child of this process find something out and write it to the stream, before `wall` has run for `end_secs`
/// seconds.
pub fn aside(
    program: &mut Program,
    options: &VerifyPlan,
    (wall, end_secs): (&Wall, f64),
    find: &mut dyn FnMut(&mut Program, &mut dyn Write),
) -> Said {
    let Some((ours, mut theirs)) = pair() else { return Said::default() };
    let parent = std::process::id();
    // SAFETY: the process has one thread, so its child may go on in any way.
    match unsafe { libc::fork() } {
        -1 => Said::default(),
        0 => {
            drop(ours);
            end_with(parent);
            begin(options);
            find(program, &mut theirs);
            // SAFETY: ends this process only; its buffers are its parent's.
            unsafe { libc::_exit(0) }
        }
        child => {
            drop(theirs);
            let said = listen(ours, wall, end_secs);
            // SAFETY: a child of this process that is not reaped yet.
            unsafe {
                libc::kill(child, libc::SIGKILL);
                libc::waitpid(child, std::ptr::null_mut(), 0);
            }
            said
        }
    }
}

fn pair() -> Option<(UnixStream, UnixStream)> {
    let (ours, theirs) = UnixStream::pair().ok()?;
    let hidden = |stream: UnixStream| process::hide(stream.into()).map(UnixStream::from);
    Some((hidden(ours)?, hidden(theirs)?))
}

/// First steps of the child.
fn begin(options: &VerifyPlan) {
    trail::leave();
    // SAFETY: system calls with valid arguments.
    unsafe {
        let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
        if nowhere >= 0 {
            libc::dup2(nowhere, libc::STDERR_FILENO);
            libc::close(nowhere);
        }
    }
    watch_steps(options);
}

/// What the child says in time.
fn listen(mut stream: UnixStream, wall: &Wall, end_secs: f64) -> Said {
    let (mut said, mut block) = (Said::default(), vec![0; 1 << 16]);
    while wall.seconds() < end_secs && !interrupt::wanted() {
        let mut wanted = libc::pollfd { fd: stream.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one valid entry; an interrupted call leaves the result at 0.
        if unsafe { libc::poll(&mut wanted, 1, LOOK_INTERVAL) } <= 0 || wanted.revents == 0 {
            continue;
        }
        match stream.read(&mut block) {
            Ok(0) | Err(_) => {
                said.is_whole = true;
                break;
            }
            Ok(len) => said.bytes.extend_from_slice(&block[..len]),
        }
    }
    said
}
