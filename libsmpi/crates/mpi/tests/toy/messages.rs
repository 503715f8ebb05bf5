//! Point-to-point messages of a rank, and probes.

use smpi_mailbox::{CommId, Pattern};
use smpi_mpi::collective::Part;
use smpi_mpi::comm::TrafficKind;
use smpi_mpi::p2p::buffered::Buffer;
use smpi_mpi::p2p::protocol::Mode;
use smpi_mpi::p2p::request::{Body, Completion, Recv, RequestKey, Send, SendRecv, Status};
use smpi_mpi::world::{Poll, Probed};

use super::rank::Rank;

/// `MPI_ANY_SOURCE` and `MPI_ANY_TAG`.
pub(crate) const ANY: i32 = -1;
/// `MPI_PROC_NULL`.
pub(crate) const NULL: i32 = -3;

impl Rank {
    pub(crate) fn outgoing(&self, mode: Mode, part: &Part, dest: i32, tag: i32) -> Send {
        Send {
            part: part.clone(),
            to: u32::try_from(dest).ok().and_then(|dest| self.comm.peer(dest)),
            context: self.comm.context_of(TrafficKind::PointToPoint),
            source: self.me,
            dest,
            tag,
            mode,
            caller: 0,
        }
    }

    fn incoming(&self, part: &Part, source: i32, tag: i32) -> Recv {
        Recv {
            part: part.clone(),
            source,
            from: u32::try_from(source).ok().and_then(|source| self.comm.peer(source)),
            tag: if tag == ANY { -2 } else { tag },
            context: self.comm.context_of(TrafficKind::PointToPoint),
            caller: 0,
        }
    }

    fn pattern(&self, source: i32, tag: i32) -> Pattern {
        Pattern {
            context: self.comm.context_of(TrafficKind::PointToPoint),
            source: u32::try_from(source).ok(),
            tag: (tag != ANY).then_some(tag),
        }
    }

    /// Starts a send in some mode.
    pub(crate) fn isend_as(&self, mode: Mode, part: &Part, dest: i32, tag: i32) -> RequestKey {
        self.launch(Body::Send(self.outgoing(mode, part, dest, tag)))
    }

    pub(crate) fn isend(&self, part: &Part, dest: i32, tag: i32) -> RequestKey {
        self.isend_as(Mode::Standard, part, dest, tag)
    }

    pub(crate) fn irecv(&self, part: &Part, source: i32, tag: i32) -> RequestKey {
        self.launch(Body::Recv(self.incoming(part, source, tag)))
    }

    /// `MPI_Send`: without a request where it takes none, as the C layer does it.
    pub(crate) async fn send(&self, part: &Part, dest: i32, tag: i32) {
        let send = self.outgoing(Mode::Standard, part, dest, tag);
        if !self.call(|world, driver, rank| world.send_at_once(driver, rank, &send)) {
            let key = self.launch(Body::Send(send));
            self.wait(key).await;
        }
    }

    pub(crate) async fn ssend(&self, part: &Part, dest: i32, tag: i32) {
        let key = self.isend_as(Mode::Synchronous, part, dest, tag);
        self.wait(key).await;
    }

    pub(crate) async fn bsend(&self, part: &Part, dest: i32, tag: i32) {
        let key = self.isend_as(Mode::Buffered, part, dest, tag);
        self.wait(key).await;
    }

    pub(crate) async fn recv(&self, part: &Part, source: i32, tag: i32) -> Status {
        let key = self.irecv(part, source, tag);
        self.wait(key).await.status
    }

    /// Sends values and forgets where they were.
    pub(crate) async fn send_values(&self, values: &[i64], dest: i32, tag: i32) {
        self.send(&self.put(values), dest, tag).await;
    }

    /// Receives up to some number of values: those that came.
    pub(crate) async fn recv_values(&self, most: usize, source: i32, tag: i32) -> Vec<i64> {
        let part = self.room(most);
        let status = self.recv(&part, source, tag).await;
        self.get(&part.slice(0, status.bytes as i64 / 8))
    }

    pub(crate) async fn sendrecv(&self, send: (&Part, i32, i32), recv: (&Part, i32, i32)) -> Completion {
        let (send, recv) =
            (self.outgoing(Mode::Standard, send.0, send.1, send.2), self.incoming(recv.0, recv.1, recv.2));
        let both = SendRecv { send, recv, open: 2, copy: None, replaces: false };
        let key = self.launch(Body::SendRecv(Box::new(both)));
        self.wait(key).await
    }

    /// Persistent requests.
    pub(crate) fn send_init(&self, part: &Part, dest: i32, tag: i32) -> RequestKey {
        self.request(Body::Send(self.outgoing(Mode::Standard, part, dest, tag)), true)
    }

    pub(crate) fn recv_init(&self, part: &Part, source: i32, tag: i32) -> RequestKey {
        self.request(Body::Recv(self.incoming(part, source, tag)), true)
    }

    /// `MPI_Buffer_attach`.
    pub(crate) fn attach(&self, size: u64) {
        let at = self.room(0).at;
        let attached = self.call(|world, _, rank| world.rank(rank).buffers.attach(None, Buffer::Memory { at, size }));
        attached.expect("there is no other");
    }

    /// `MPI_Buffer_detach`: waits until no message is in the buffer.
    pub(crate) async fn detach(&self) {
        self.until(|world, _, rank| world.wait_drained(rank, None).then_some(())).await;
        self.call(|world, _, rank| world.rank(rank).buffers.detach(None)).expect("there is one");
    }

    async fn look_for(&self, pattern: Pattern, take: bool, block: bool) -> Option<Probed> {
        if !block {
            self.before_poll(Poll::Probe).await;
        }
        self.call(|world, driver, rank| world.post_probe(driver, rank, pattern, take, block));
        self.suspend().await;
        while self.call(|world, driver, rank| world.is_probing(driver, rank)) {
            self.suspend().await;
        }
        self.call(|world, _, rank| world.take_probed(rank))
    }

    pub(crate) async fn probe(&self, source: i32, tag: i32) -> Status {
        self.look_for(self.pattern(source, tag), false, true).await.expect("it waited for one").status
    }

    pub(crate) async fn iprobe(&self, source: i32, tag: i32) -> Option<Status> {
        self.look_for(self.pattern(source, tag), false, false).await.map(|probed| probed.status)
    }

    /// `MPI_Mprobe`: the message belongs to this rank.
    pub(crate) async fn mprobe(&self, source: i32, tag: i32) -> (CommId, Status) {
        let probed = self.look_for(self.pattern(source, tag), true, true).await.expect("it waited for one");
        (probed.message.expect("it took the message"), probed.status)
    }

    /// `MPI_Mrecv`.
    pub(crate) async fn mrecv(&self, message: CommId, part: &Part) -> Status {
        let key = self.launch(Body::MatchedRecv(part.clone(), message));
        self.wait(key).await.status
    }
}
