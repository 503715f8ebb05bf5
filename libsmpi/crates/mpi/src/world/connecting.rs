//! Connections that nobody accepts.
//!
//! An attempt to connect to a port ends after a time that an implementation chooses, with `MPI_ERR_PORT` (MPI 5.0
//! §11.9.4). Here that is when nothing else can happen any more: then nobody will accept.

use smpi_base::WorldRank;

use super::fallen::{owners, slot_of};
use super::{Driver, World};
use crate::error::{ErrorClass, MpiError};
use crate::p2p::request::{Body, Phase, Request};
use crate::ports::{JOINS, PORTS, Port};

/// What a rank has under way that wants to be connected.
#[derive(Clone, Copy)]
enum Part {
    /// The request, which is as good as sent.
    Request,
    /// The answer from this port.
    Answer(Port),
}

impl World {
    /// Ends all attempts to connect. To be called when nothing can go on; false where there was none.
    pub fn give_up_connecting<D: Driver>(&mut self, driver: &mut D) -> bool {
        let mut waiting: Vec<((WorldRank, u32), Part)> = Vec::new();
        for rank in self.all_ranks().filter(|rank| !self.state.ranks[rank.index()].ended) {
            for (key, request) in self.state.ranks[rank.index()].requests.iter() {
                waiting.extend(part_of(request).map(|part| ((rank, key.slot), part)));
            }
        }
        for &((rank, slot), part) in &waiting {
            self.withdraw(driver, |communication| {
                let is_request = |port: Port| {
                    let envelope = &communication.envelope;
                    (envelope.context, envelope.tag) == (PORTS, port.request_tag())
                        && (communication.from, communication.to) == (rank, port.owner)
                };
                owners(communication).any(|owner| slot_of(owner) == (rank, slot))
                    || matches!(part, Part::Answer(port) if is_request(port))
            });
            let Some(request) = self.request_at_mut(rank, slot) else { continue };
            if let Part::Answer(port) = part {
                let text = format!("the attempt to connect to port \"{}\" has timed out: nobody accepts", port.name());
                request.error = Some(MpiError::new(ErrorClass::PORT, text));
                request.status.error = ErrorClass::PORT.0;
            }
            self.complete(driver, rank, slot);
        }
        !waiting.is_empty()
    }
}

/// What a request that is not over has to do with a port of another rank.
fn part_of(request: &Request) -> Option<Part> {
    if request.phase != Phase::Active {
        return None;
    }
    let asks = |tag: i32| tag < JOINS && tag % 2 == 0;
    match &request.body {
        Body::Send(send) if send.context == PORTS && asks(send.tag) => Some(Part::Request),
        Body::Recv(recv) if recv.context == PORTS && !asks(recv.tag) && recv.tag < JOINS => {
            Some(Part::Answer(Port { owner: recv.from?, number: (recv.tag / 2) as u32 }))
        }
        _ => None,
    }
}
