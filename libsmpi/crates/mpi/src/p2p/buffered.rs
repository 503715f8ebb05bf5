//! The buffers that a rank attached for `MPI_Bsend` (MPI 5.0 §3.6): one for all communicators, and one for each session
//! and communicator that has its own.
//!
//! The data itself travels in the library's own payload buffers; this file models the accounting that the standard
//! prescribes, so that a program with too small a buffer gets the error.

use smpi_mailbox::Context;

use crate::error::{ErrorClass, MpiError, Result};
use crate::memory::Addr;

/// Bytes that each buffered message may need beyond its packed data: `MPI_BSEND_OVERHEAD` of the standard ABI. A
/// program must provide them, whatever the library at hand needs.
pub const OVERHEAD: u64 = 512;

/// What a buffer serves: a communicator, by its context for messages; a session, by a number that is no context; or
/// (`None`) all that have none of their own.
pub type BufferOwner = Option<Context>;

/// An attached buffer.
#[derive(Clone, Copy, Hash, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// Memory of the program.
    Memory {
        /// Where it starts, to be returned by `MPI_Buffer_detach`.
        at: Addr,
        /// Its size in bytes.
        size: u64,
    },
    /// `MPI_BUFFER_AUTOMATIC`: never full.
    Automatic,
}

/// All attached buffers of a rank.
#[derive(Clone, Hash, Debug, Default)]
pub struct Buffers {
    attached: Vec<Attached>,
    /// Communicators of sessions.
    of_sessions: Vec<(Context, Context)>,
}

/// An attached buffer, and how full it is.
#[derive(Clone, Hash, Debug)]
struct Attached {
    owner: BufferOwner,
    buffer: Buffer,
    /// Bytes in use.
    used: u64,
    /// Bytes that were taken since it was known to be empty whatever the other ranks do, up to one more than there are.
    taken: u64,
}

impl Buffers {
    /// A communicator comes from a session.
    pub fn serve(&mut self, context: Context, session: Context) {
        self.of_sessions.push((context, session));
    }

    /// A communicator is freed.
    pub fn forget(&mut self, context: Context) {
        self.of_sessions.retain(|entry| entry.0 != context);
    }

    fn of(&mut self, owner: BufferOwner) -> Option<&mut Attached> {
        self.attached.iter_mut().find(|attached| attached.owner == owner)
    }

    /// Attaches a buffer.
    ///
    /// # Errors
    /// `MPI_ERR_BUFFER` when there is one already.
    pub fn attach(&mut self, owner: BufferOwner, buffer: Buffer) -> Result<()> {
        if self.of(owner).is_some() {
            return Err(MpiError::new(ErrorClass::BUFFER, "a buffer is attached already; detach it first"));
        }
        self.attached.push(Attached { owner, buffer, used: 0, taken: 0 });
        Ok(())
    }

    /// The memory of those that are attached, from and up to.
    pub fn pieces(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.attached.iter().filter_map(|attached| match attached.buffer {
            Buffer::Memory { at, size } if size > 0 => Some((at.0, at.0.wrapping_add(size))),
            _ => None,
        })
    }

    /// Detaches a buffer.
    ///
    /// # Errors
    /// `MPI_ERR_BUFFER` when there is none.
    pub fn detach(&mut self, owner: BufferOwner) -> Result<Buffer> {
        let place = self.attached.iter().position(|attached| attached.owner == owner);
        place
            .map(|place| self.attached.remove(place).buffer)
            .ok_or_else(|| MpiError::new(ErrorClass::BUFFER, "no buffer is attached"))
    }

    /// Takes space for a message, with `overhead` bytes of it beyond the data:
    /// of the communicator's own buffer, or else of its session's, or else of the common one.
    ///
    /// # Errors
    /// `MPI_ERR_BUFFER` when no buffer is attached or it is too full.
    pub fn take(&mut self, context: Context, bytes: u64, overhead: u64) -> Result<BufferOwner> {
        let session = self.of_sessions.iter().find(|entry| entry.0 == context).map(|entry| entry.1);
        let owners = [Some(context), session];
        let owner = owners.into_iter().find(|owner| owner.is_some() && self.of(*owner).is_some()).flatten();
        match self.of(owner) {
            None => Err(MpiError::new(
                ErrorClass::BUFFER,
                format!("no buffer is attached; MPI_Buffer_attach one of at least {bytes} bytes first"),
            )),
            Some(Attached { buffer: Buffer::Memory { size, .. }, used, .. }) if bytes > *size - *used => {
                let included = if overhead > 0 { " (MPI_BSEND_OVERHEAD included)" } else { "" };
                let free = *size - *used;
                let message = format!(
                    "the message needs {bytes} bytes of the attached buffer{included}, {free} of {size} are free"
                );
                Err(MpiError::new(ErrorClass::BUFFER, message))
            }
            Some(Attached { buffer, used, taken, .. }) => {
                *used += bytes;
                if let Buffer::Memory { size, .. } = buffer {
                    *taken = (*taken + bytes).min(*size + 1);
                }
                Ok(owner)
            }
        }
    }

    /// Whether a buffer would have been too full by now if nobody had received anything: whether a send fails may
    /// depend on how soon others receive.
    pub fn depends_on_receivers(&self, owner: BufferOwner) -> bool {
        let is_exceeded = |attached: &Attached| match attached.buffer {
            Buffer::Memory { size, .. } => attached.taken > size,
            Buffer::Automatic => false,
        };
        self.attached.iter().any(|attached| attached.owner == owner && is_exceeded(attached))
    }

    /// The rank has waited until the buffer was empty, which it is now whatever the other ranks did.
    pub fn note_waited(&mut self, owner: BufferOwner) {
        if let Some(attached) = self.of(owner) {
            attached.taken = attached.used;
        }
    }

    /// Gives space back; true when the buffer is empty now.
    pub fn give_back(&mut self, owner: BufferOwner, bytes: u64) -> bool {
        self.of(owner).is_none_or(|attached| {
            attached.used -= bytes;
            attached.used == 0
        })
    }

    /// A buffer with messages in it, if there is one.
    pub fn busy(&self) -> Option<BufferOwner> {
        self.attached.iter().find(|attached| attached.used > 0).map(|attached| attached.owner)
    }

    /// Whether no message is in a buffer of somebody else.
    pub fn are_others_empty(&self, owner: BufferOwner) -> bool {
        self.attached.iter().all(|attached| attached.owner == owner || attached.used == 0)
    }

    /// Whether no message is in a buffer.
    pub fn is_empty(&self, owner: BufferOwner) -> bool {
        self.attached.iter().all(|attached| attached.owner != owner || attached.used == 0)
    }
}
