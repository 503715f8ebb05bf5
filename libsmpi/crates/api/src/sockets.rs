//! Which socket belongs to which, for `MPI_Comm_join` (MPI 5.0 §11.10.4).
//!
//! Both ends are descriptors of this process, where ranks are. Two of them are the ends of one connection if the
//! address of each is that of the other's peer.

use std::ffi::c_int;
use std::mem::zeroed;

use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::ports::JOINS;

/// The tag of the message to the rank that was first to call `MPI_Comm_join` with a socket: larger than those of ports.
pub const FIRST_TAG: i32 = i32::MAX;
/// The tag of the messages that both send then.
pub const JOIN_TAG: i32 = JOINS;

/// The addresses of both ends of a connected socket, the same ones for either end.
///
/// # Errors
/// `MPI_ERR_ARG` for what is no connected socket of the internet's families.
pub fn ends(fd: c_int) -> Result<[Vec<u8>; 2]> {
    let mut ends = [address(fd, libc::getsockname), address(fd, libc::getpeername)];
    ends.sort();
    match ends {
        [Some(one), Some(other)] => Ok([one, other]),
        _ => {
            let allowed = "a socket of TCP that is connected to one of another rank of this run";
            Err(MpiError::parameter(ErrorClass::ARG, "fd", fd, allowed))
        }
    }
}

type Asks = unsafe extern "C" fn(c_int, *mut libc::sockaddr, *mut libc::socklen_t) -> c_int;

/// One of the addresses of a socket, without what is not part of it.
fn address(fd: c_int, ask: Asks) -> Option<Vec<u8>> {
    // SAFETY: plain data, for which zeros are valid.
    let mut place: libc::sockaddr_storage = unsafe { zeroed() };
    let mut len = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
    // SAFETY: a place of this function of that length.
    let answer = unsafe { ask(fd, (&raw mut place).cast(), &raw mut len) };
    if answer != 0 {
        return None;
    }
    let used = match c_int::from(place.ss_family) {
        libc::AF_INET => std::mem::offset_of!(libc::sockaddr_in, sin_zero),
        libc::AF_INET6 => std::mem::offset_of!(libc::sockaddr_in6, sin6_scope_id),
        _ => return None,
    };
    // SAFETY: the bytes of the address, which are within the place.
    Some(unsafe { std::slice::from_raw_parts((&raw const place).cast::<u8>(), used) }.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsRawFd;

    #[test]
    fn the_ends_of_a_connection_are_the_same_from_both_sides() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (other, _) = listener.accept().unwrap();
        assert_eq!(ends(one.as_raw_fd()).unwrap(), ends(other.as_raw_fd()).unwrap());
        assert!(ends(listener.as_raw_fd()).is_err() && ends(-1).is_err());
    }
}
