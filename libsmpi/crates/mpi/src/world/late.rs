//! Payloads are copied as late as possible: most of them once, from the sender's buffer to the receiver's.
//!
//! A sender that does not wait for its message may change its buffer as soon as it goes on. So the payload is put away,
//! which is a second copy, but not before that. Until then the receive has often been found:
//!
//! ```text
//! MPI_Isend ──► in place ──commit──► matched: copied once
//!                  │                 not matched: put away before any rank runs again, or what is sent is written to
//!                  └─ the program takes the completion before the commit: put away
//! ```
//!
//! Messages of collective operations and of combined sends and receives are posted in the commit, while their ranks are
//! blocked. Those of `MPI_Send` are put away at once, because the program goes on; or copied once, at once, where it is
//! sure already which receive they match ([`World::deliver_at_once`]). Nobody notices any of this, unless the program
//! changes or reads a buffer that belongs to MPI. Therefore [`World::copies_late`] is not set where such errors are
//! looked for.

use smpi_base::WorldRank;
use smpi_mailbox::CommId;

use super::{Data, Post, World};
use crate::collective::Part;
use crate::datatype::copy_typed;
use crate::p2p::request::{Owner, RequestKey, Send};

/// Bytes of a message from which on a second copy costs more than a look at the receiver's mailbox.
const WORTH_A_LOOK: u64 = 512;

/// Posts of a rank in one instant up to which they are looked through.
const FEW_POSTS: usize = 8;

/// Messages of a rank whose payload is still in its memory, though it does not wait for them.
#[derive(Clone, Debug, Default)]
pub(super) struct InPlace {
    /// Some may be gone.
    comms: Vec<CommId>,
    /// First byte and end of a range around all payloads.
    range: (i128, i128),
}

impl InPlace {
    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.comms.is_empty()
    }
}

/// First byte and end of the data of a part, as numbers that do not wrap.
fn range(part: &Part) -> Option<(i128, i128)> {
    let (low, high) = part.datatype.span(part.count as u64)?;
    let at = i128::from(part.at.0);
    Some((at + i128::from(low), at + i128::from(high)))
}

impl World {
    /// Copies the payload of a send that is about to be posted into the buffer of the receive that it will match.
    /// False, and nothing happened, where that is not sure or not worth the while.
    ///
    /// It is sure if the receive is in the mailbox and names its source, so that others do not match it; if the sender
    /// has posted nothing in this instant that could; and if the receiver is suspended until a request is over, so that
    /// it cannot cancel the receive before the commit.
    pub(super) fn deliver_at_once(&mut self, rank: WorldRank, to: WorldRank, send: &Send) -> bool {
        let size = send.part.size();
        if size < WORTH_A_LOOK || !self.rules.copies_late || !self.state.ranks[to.index()].waits_for_requests() {
            return false;
        }
        let own = || self.state.posts.iter().rev().take_while(|(poster, _)| *poster == rank);
        let is_elsewhere = |post: &Post| matches!(post, Post::Send(outgoing) if outgoing.to != to);
        if own().nth(FEW_POSTS).is_some() || !own().all(|(_, post)| is_elsewhere(post)) {
            return false;
        }
        let envelope = send.envelope();
        let receive =
            self.state.boxes.look_for_receive(to, &envelope).filter(|receive| receive.pattern().source.is_some());
        let Some(part) = receive.map(|receive| Owner::of(receive.recv_token)).and_then(|owner| self.part(owner)) else {
            return false;
        };
        if part.size() < size {
            return false;
        }
        copy_typed(&mut *self.memory, send.part.place(rank), part.place(to));
        true
    }

    /// A message of a rank that does not wait for it has not been matched: its payload is left where it is for now.
    pub(super) fn leave_in_place(&mut self, rank: WorldRank, comm: CommId, part: &Part) {
        let Some((low, high)) = range(part) else { return };
        let in_place = &mut self.state.ranks[rank.index()].in_place;
        if in_place.comms.is_empty() {
            in_place.range = (low, high);
            self.with_payloads.push(rank);
        } else {
            in_place.range = (in_place.range.0.min(low), in_place.range.1.max(high));
        }
        in_place.comms.push(comm);
    }

    /// The memory of a part is about to be written to.
    #[inline]
    pub(super) fn about_to_write(&mut self, rank: WorldRank, part: &Part) {
        let in_place = &self.state.ranks[rank.index()].in_place;
        if !in_place.comms.is_empty()
            && range(part).is_some_and(|(low, high)| low < in_place.range.1 && in_place.range.0 < high)
        {
            self.put_away_of(rank);
        }
    }

    /// Puts away all payloads that were left in place: ranks are about to run, or any memory may be written to.
    #[inline]
    pub(super) fn put_away_all(&mut self) {
        while let Some(rank) = self.with_payloads.pop() {
            self.put_away_of(rank);
        }
    }

    /// Puts away what was left in place in the memory of a rank.
    pub(super) fn put_away_of(&mut self, rank: WorldRank) {
        let mut comms = std::mem::take(&mut self.state.ranks[rank.index()].in_place.comms);
        for comm in comms.drain(..) {
            if self.state.boxes.get(comm).is_none() {
                continue;
            }
            self.put_away(rank, comm);
        }
        self.state.ranks[rank.index()].in_place.comms = comms;
    }

    /// Puts away the payload of a message that lies in its sender's memory; one that was matched has none any more.
    pub(super) fn put_away(&mut self, rank: WorldRank, comm: CommId) {
        let Some(Data::InPlace(part)) = self.state.in_transit.kept(comm).and_then(|kept| kept.data.as_ref()) else {
            return;
        };
        let packed = self.pack(rank, &part.clone());
        if let Some(kept) = self.state.in_transit.kept_mut(comm) {
            kept.data = Some(Data::Packed(packed));
        }
    }

    /// The program may change the buffer of a send again: if that was posted in this instant, its payload is put away.
    #[inline]
    pub(super) fn returned(&mut self, rank: WorldRank, key: RequestKey) {
        let Some(request) = self.state.ranks[rank.index()].requests.get_mut(key) else { return };
        if let Some(place) = request.late_post.take() {
            self.put_away_post(rank, key, place as usize);
        }
    }

    fn put_away_post(&mut self, rank: WorldRank, key: RequestKey, place: usize) {
        if let Some((sender, Post::Send(outgoing))) = self.state.posts.get(place)
            && (*sender, outgoing.request) == (rank, Some(key))
            && let Some(Data::InPlace(part)) = &outgoing.data
        {
            let packed = self.pack(rank, &part.clone());
            if let Post::Send(outgoing) = &mut self.state.posts[place].1 {
                outgoing.data = Some(Data::Packed(packed));
            }
        }
    }

    /// A rank has ended: what it sent in this instant is put away.
    pub(super) fn put_away_posts(&mut self, rank: WorldRank) {
        for place in 0..self.state.posts.len() {
            if self.state.posts[place].0 == rank
                && let Post::Send(outgoing) = &self.state.posts[place].1
                && let Some(key) = outgoing.request
            {
                self.put_away_post(rank, key, place);
            }
        }
    }
}
