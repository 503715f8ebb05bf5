//! The buffer that a rank attached for `MPI_Bsend` (MPI 5.0 §3.6).
//!
//! The data itself travels in the library's own payload buffers; what is modelled here is the accounting that the
//! standard prescribes, so that a program whose buffer is too small learns of it.

use crate::error::{ErrorClass, MpiError, Result};
use crate::memory::Addr;

/// Bytes that each buffered message needs beyond its packed data: `MPI_BSEND_OVERHEAD` of the standard ABI.
pub const OVERHEAD: u64 = 512;

/// A rank's attached buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Buffer {
    /// None attached.
    #[default]
    Detached,
    /// Attached by the program.
    Attached {
        /// Where it starts, to be returned by `MPI_Buffer_detach`.
        at: Addr,
        /// Its size in bytes.
        size: u64,
        /// Bytes taken by messages that have not left it.
        used: u64,
    },
    /// `MPI_BUFFER_AUTOMATIC`: never full.
    Automatic,
}

impl Buffer {
    /// Takes space for a message.
    ///
    /// # Errors
    /// `MPI_ERR_BUFFER` when no buffer is attached or it is too full.
    pub fn take(&mut self, bytes: u64) -> Result<()> {
        match self {
            Buffer::Automatic => Ok(()),
            Buffer::Detached => Err(MpiError::new(
                ErrorClass::BUFFER,
                format!("no buffer is attached; MPI_Buffer_attach one of at least {bytes} bytes first"),
            )),
            Buffer::Attached { size, used, .. } => {
                let free = *size - *used;
                if bytes > free {
                    let message = format!(
                        "the message needs {bytes} bytes of the attached buffer (MPI_BSEND_OVERHEAD included), {free} of {size} are free"
                    );
                    return Err(MpiError::new(ErrorClass::BUFFER, message));
                }
                *used += bytes;
                Ok(())
            }
        }
    }

    /// Gives space back; true when the buffer is empty now.
    pub fn give_back(&mut self, bytes: u64) -> bool {
        match self {
            Buffer::Attached { used, .. } => {
                *used -= bytes;
                *used == 0
            }
            _ => true,
        }
    }
}
