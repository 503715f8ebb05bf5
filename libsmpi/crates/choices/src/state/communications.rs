//! What the program sends and receives, rank by rank: for the question whether that is the same in every execution.
//!
//! The messages of the program are those of its point-to-point calls, numbered in the order in which their rank starts
//! them: all sends, and all receives. A send is known by its receiver, its tag and its length; a receive by the sender,
//! tag and length of the message that the rank was told of when it took the completion (SimGrid 4 compares the same:
//! `CommunicationDeterminismChecker.cpp`). What is in a message is not compared, and not
//! the messages of collective operations.
//!
//! A rank's numbers follow from what this rank did. So do the digests: they are sums over its messages, in whatever
//! order these were taken.

use std::hash::{BuildHasher, Hash};

use smpi_base::WorldRank;
use smpi_base::map::FxBuildHasher;
use smpi_mailbox::NO_RANK;
use smpi_mpi::p2p::request::{Body, Request, Send};
use smpi_mpi::usage::Origin;

/// Numbers and digests of what one rank has sent and received.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Communications {
    sends: u32,
    receives: u32,
    /// Digest of its sends.
    pub sent: u64,
    /// Digest of its receives.
    pub received: u64,
}

/// One message of a rank, for reports.
#[derive(Clone, Debug)]
pub struct Communication {
    /// The rank that sends or receives it.
    pub rank: WorldRank,
    /// It sends.
    pub is_send: bool,
    /// Its number among the sends, or the receives, of the rank, from 0.
    pub number: u32,
    /// The other rank; none of a receive without a message: cancelled, or from `MPI_PROC_NULL`.
    pub peer: Option<u32>,
    /// Tag.
    pub tag: i32,
    /// Length of the message.
    pub bytes: u64,
    /// The call that started it.
    pub origin: Origin,
}

impl PartialEq for Communication {
    /// Whether they are the same message; where they were started does not matter.
    fn eq(&self, other: &Communication) -> bool {
        let key = |one: &Communication| (one.rank, one.is_send, one.number, one.peer, one.tag, one.bytes);
        key(self) == key(other)
    }
}

/// What a request sends: to whom, with which tag, how many bytes. A partitioned send is one message: the order in which
/// its partitions are ready is not compared.
fn sent_by(request: &Request) -> Option<(WorldRank, i32, u64)> {
    let of_send = |send: &Send| Some((send.to?, send.tag, send.part.size()));
    match &request.body {
        Body::Send(send) if request.part_of.is_none() => of_send(send),
        Body::SendRecv(both) => of_send(&both.send),
        Body::Partitioned(all) if all.sends => Some((all.peer?, all.tag, all.part.size())),
        _ => None,
    }
}

/// Whether a request receives.
fn receives(body: &Body) -> bool {
    match body {
        Body::Recv(_) | Body::MatchedRecv(..) | Body::SendRecv(_) => true,
        Body::Partitioned(partitioned) => !partitioned.sends,
        _ => false,
    }
}

fn digest(value: impl Hash) -> u64 {
    // The sum of plain Fx hashes of neighbours would collide.
    smpi_base::rng::Rng::new(FxBuildHasher.hash_one(value)).next_u64()
}

impl Communications {
    /// A request is started: notes what it sends, and gives its receive a number. Returns the send, and that number.
    pub(crate) fn start(&mut self, rank: WorldRank, request: &Request) -> (Option<Communication>, u32) {
        let sent = sent_by(request).map(|(to, tag, bytes)| {
            let number = self.sends;
            self.sends += 1;
            self.sent = self.sent.wrapping_add(digest((number, to.0, tag, bytes)));
            let peer = Some(to.0);
            Communication { rank, is_send: true, number, peer, tag, bytes, origin: request.origin() }
        });
        let number = self.receives;
        if receives(&request.body) {
            self.receives += 1;
        }
        (sent, number)
    }

    /// The rank takes the completion of a request. `receive` is the number of its receive, and the rank whose message
    /// it has received.
    pub(crate) fn take(
        &mut self,
        rank: WorldRank,
        request: &Request,
        receive: (u32, WorldRank),
    ) -> Option<Communication> {
        if !receives(&request.body) {
            return None;
        }
        let status = &request.status;
        let (number, sender) = receive;
        let peer = (!status.cancelled && sender != NO_RANK).then_some(sender.0);
        self.received = self.received.wrapping_add(digest((number, peer, status.tag, status.bytes)));
        let (tag, bytes, origin) = (status.tag, status.bytes, request.origin());
        Some(Communication { rank, is_send: false, number, peer, tag, bytes, origin })
    }
}
