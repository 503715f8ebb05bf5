//! The stream of frames between an explorer and the process that has its messages.
//!
//! That process reads all the time, so writing waits for nothing but the copy.

use std::io::Write;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use smpi_base::frames::{Frame, Kind, Unread};

/// A stream of frames.
pub struct Stream {
    stream: UnixStream,
    unread: Unread,
    is_over: bool,
}

impl Stream {
    /// On this descriptor, which is a socket.
    pub fn new(descriptor: OwnedFd) -> Stream {
        Stream { stream: UnixStream::from(descriptor), unread: Unread::default(), is_over: false }
    }

    /// The descriptor, for `poll`.
    pub fn descriptor(&self) -> i32 {
        self.stream.as_raw_fd()
    }

    /// Whether the other end is gone.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Tells another process something.
    pub fn send(&mut self, process: u32, kind: Kind, bytes: Vec<u8>) {
        let mut text = Vec::new();
        Frame { process, kind, bytes }.write(&mut text);
        self.is_over |= self.stream.set_nonblocking(false).and_then(|()| self.stream.write_all(&text)).is_err();
    }

    /// All that has come; waits for nothing.
    pub fn receive(&mut self) -> Vec<Frame> {
        self.is_over |= self.stream.set_nonblocking(true).is_err();
        self.is_over = self.is_over || self.unread.read(&mut self.stream);
        self.unread.frames()
    }
}
