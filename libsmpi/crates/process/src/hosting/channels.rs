//! What is in open files that have no place on a disk: bytes in pipes, counters of eventfds. Both can be seen without
//! being taken, and put back, as long as nobody but the ranks has them open.
//!
//! Sockets, terminals, timers and what tells of events elsewhere (epoll, inotify, signalfd) have more state than a
//! process can see. Source: pipe(7), tee(2), eventfd(2), proc_pid_fdinfo(5).

use crate::descriptors::status;
use std::ffi::{CString, c_int};
use std::fs;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::rc::Rc;

/// Bytes that pipes hold at most that are put back: the kernel's limit for who is not privileged (pipe(7)).
const MOST: usize = 1 << 20;

/// What a descriptor stands for, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A file, a directory, or a device that keeps nothing.
    Plain,
    /// A pipe without a name.
    Pipe,
    /// A counter.
    Counter,
    /// Anything else.
    Other,
}

/// What is in it.
#[derive(Debug)]
pub enum Channel {
    /// These bytes.
    Pipe(Rc<[u8]>),
    /// This number.
    Counter(u64),
}

/// What a descriptor stands for; `about` is what `fstat` says of it.
pub fn kind_of(descriptor: c_int, about: &libc::stat) -> Kind {
    match about.st_mode & libc::S_IFMT {
        libc::S_IFREG | libc::S_IFDIR => Kind::Plain,
        // null, zero, full, random and urandom (the kernel's devices.txt: major 1); memory itself is none of them.
        libc::S_IFCHR if libc::major(about.st_rdev) == 1 && libc::minor(about.st_rdev) >= 3 => Kind::Plain,
        libc::S_IFIFO if name_of(descriptor).starts_with("pipe:") => Kind::Pipe,
        0 if name_of(descriptor) == "anon_inode:[eventfd]" => Kind::Counter,
        _ => Kind::Other,
    }
}

fn name_of(descriptor: c_int) -> String {
    let name = fs::read_link(format!("/proc/self/fd/{descriptor}"));
    name.ok().and_then(|name| name.into_os_string().into_string().ok()).unwrap_or_default()
}

/// The descriptor of a pipe opened once more, without waiting; `flags` say to read or to write.
fn again(descriptor: c_int, flags: c_int) -> Option<OwnedFd> {
    let path = CString::new(format!("/proc/self/fd/{descriptor}")).ok()?;
    // SAFETY: a valid path; the result is a descriptor of ours.
    unsafe {
        let opened = libc::open(path.as_ptr(), flags | libc::O_NONBLOCK | libc::O_CLOEXEC);
        (opened >= 0).then(|| OwnedFd::from_raw_fd(opened))
    }
}

/// Reads up to `most` bytes of what is there now.
fn drained(from: c_int, most: usize) -> Vec<u8> {
    let mut bytes = vec![0; most];
    let mut len = 0;
    while len < most {
        // SAFETY: the rest of `bytes`.
        let got = unsafe { libc::read(from, bytes[len..].as_mut_ptr().cast(), most - len) };
        if got <= 0 {
            break;
        }
        len += got as usize;
    }
    bytes.truncate(len);
    bytes
}

/// The bytes in a pipe, which stay there. `None` where the system refuses.
fn bytes_in(descriptor: c_int) -> Option<Rc<[u8]>> {
    let reader = again(descriptor, libc::O_RDONLY)?;
    let mut len: c_int = 0;
    // SAFETY: a place of this function for the number, and for two descriptors, which are ours.
    let (here, there) = unsafe {
        if libc::ioctl(reader.as_raw_fd(), libc::FIONREAD, &mut len) != 0 {
            return None;
        }
        let mut ends = [0; 2];
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC | libc::O_NONBLOCK) != 0 {
            return None;
        }
        (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1]))
    };
    let len = usize::try_from(len).ok().filter(|len| *len <= MOST)?;
    if len == 0 {
        return Some(Rc::default());
    }
    // SAFETY: descriptors of ours.
    unsafe {
        let room = libc::fcntl(reader.as_raw_fd(), libc::F_GETPIPE_SZ);
        libc::fcntl(there.as_raw_fd(), libc::F_SETPIPE_SZ, room);
        libc::tee(reader.as_raw_fd(), there.as_raw_fd(), len, libc::SPLICE_F_NONBLOCK);
    }
    let bytes = drained(here.as_raw_fd(), len);
    (bytes.len() == len).then(|| bytes.into())
}

/// What the kernel says of a counter. `None` where it says nothing.
fn count_of(descriptor: c_int) -> Option<u64> {
    let about = fs::read_to_string(format!("/proc/self/fdinfo/{descriptor}")).ok()?;
    let count = about.lines().find_map(|line| line.strip_prefix("eventfd-count:"))?;
    u64::from_str_radix(count.trim(), 16).ok()
}

impl Channel {
    /// What is in a file of this kind. `None` where that cannot be seen, or not be put back.
    pub fn of(descriptor: c_int, kind: Kind) -> Option<Channel> {
        match kind {
            // Packets have borders, which are not seen.
            Kind::Pipe if status(descriptor) & libc::O_DIRECT != 0 => None,
            Kind::Pipe => bytes_in(descriptor).map(Channel::Pipe),
            Kind::Counter => count_of(descriptor).map(Channel::Counter),
            Kind::Plain | Kind::Other => None,
        }
    }

    /// Puts it back; false where that is not possible. The flags of the file may be others afterwards.
    pub fn put_back(&self, descriptor: c_int) -> bool {
        match self {
            Channel::Pipe(bytes) => {
                if bytes_in(descriptor).as_ref() == Some(bytes) {
                    return true;
                }
                let (Some(reader), Some(writer)) =
                    (again(descriptor, libc::O_RDONLY), again(descriptor, libc::O_WRONLY))
                else {
                    return false;
                };
                while !drained(reader.as_raw_fd(), 1 << 16).is_empty() {}
                write(writer.as_raw_fd(), bytes)
            }
            Channel::Counter(count) => {
                set_status(descriptor, status(descriptor) | libc::O_NONBLOCK);
                // One that counts down gives one at a time.
                while count_of(descriptor).is_some_and(|now| now > *count) && drained(descriptor, 8).len() == 8 {}
                match count_of(descriptor).and_then(|now| count.checked_sub(now)) {
                    Some(0) => true,
                    Some(rest) => write(descriptor, &rest.to_ne_bytes()),
                    None => false,
                }
            }
        }
    }
}

fn write(descriptor: c_int, bytes: &[u8]) -> bool {
    // SAFETY: reads `bytes`. A descriptor of ours.
    bytes.is_empty() || unsafe { libc::write(descriptor, bytes.as_ptr().cast(), bytes.len()) } == bytes.len() as isize
}

fn set_status(descriptor: c_int, status: c_int) {
    // SAFETY: a descriptor of ours, whose flags are put back with the table.
    unsafe { libc::fcntl(descriptor, libc::F_SETFL, status) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptors;

    fn about(descriptor: c_int) -> libc::stat {
        descriptors::about(descriptor).unwrap()
    }

    #[test]
    fn pipes_get_their_bytes_back() {
        let mut ends = [0; 2];
        // SAFETY: a place for two descriptors.
        assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
        let [from, to] = ends;
        assert_eq!(kind_of(from, &about(from)), Kind::Pipe);
        let long: Vec<u8> = (0..60_000_u32).map(|byte| byte as u8).collect();
        for bytes in [&b""[..], b"three", &long] {
            assert!(write(to, bytes));
            let seen = Channel::of(from, Kind::Pipe).unwrap();
            assert_eq!(drained(from, bytes.len().min(2)).len(), bytes.len().min(2));
            assert!(write(to, b"more"));
            assert!(seen.put_back(from));
            assert!(seen.put_back(to));
            assert_eq!(drained(from, bytes.len()), bytes);
            assert_eq!(bytes_in(from).unwrap().len(), 0);
        }
    }

    #[test]
    fn counters_get_their_numbers_back() {
        for flags in [0, libc::EFD_SEMAPHORE] {
            // SAFETY: makes a descriptor.
            let counter = unsafe { libc::eventfd(3, flags) };
            assert_eq!(kind_of(counter, &about(counter)), Kind::Counter);
            let seen = Channel::of(counter, Kind::Counter).unwrap();
            for change in [Some(4_u64), None] {
                match change {
                    Some(more) => assert!(write(counter, &more.to_ne_bytes())),
                    None => assert_eq!(drained(counter, 8).len(), 8),
                }
                assert!(seen.put_back(counter));
                assert_eq!(count_of(counter), Some(3));
            }
        }
    }

    #[test]
    fn what_has_more_state_is_known_to_have_it() {
        // SAFETY: makes descriptors.
        let (timer, events) = unsafe { (libc::timerfd_create(libc::CLOCK_MONOTONIC, 0), libc::epoll_create1(0)) };
        assert_eq!([timer, events].map(|other| kind_of(other, &about(other))), [Kind::Other; 2]);
        let null = fs::File::open("/dev/null").unwrap();
        assert_eq!(kind_of(null.as_raw_fd(), &about(null.as_raw_fd())), Kind::Plain);
    }
}
