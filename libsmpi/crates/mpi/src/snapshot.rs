//! Copies of all MPI state, for the checker to come back to.
//!
//! They are taken when no rank is about to be woken. Something is posted only where steps are explored one by one.

use smpi_base::WorldRank;
use smpi_mailbox::Mailboxes;

use crate::causality::Causality;
use crate::choosing::Choosing;
use crate::comm::Agreements;
use crate::gate::Meetings;
use crate::world::{Flight, Post, RankState, World};

/// The world at one moment.
#[derive(Clone)]
pub struct WorldState {
    ranks: Vec<RankState>,
    agreements: Agreements,
    choosing: Option<Box<Choosing>>,
    causality: Option<Box<Causality>>,
    meetings: Meetings,
    boxes: Mailboxes,
    flights: Vec<Flight>,
    posts: Vec<(WorldRank, Post)>,
}

impl World {
    /// Copies the state.
    pub fn state(&self) -> WorldState {
        WorldState {
            ranks: self.ranks.clone(),
            agreements: self.agreements.clone(),
            choosing: self.choosing.clone(),
            causality: self.causality.clone(),
            meetings: self.meetings.clone(),
            boxes: self.boxes.clone(),
            flights: self.flights.clone(),
            posts: self.posts.clone(),
        }
    }

    /// Puts a copied state back. Memory of the ranks is the caller's to restore.
    pub fn set_state(&mut self, state: &WorldState) {
        self.ranks.clone_from(&state.ranks);
        self.agreements.clone_from(&state.agreements);
        self.choosing.clone_from(&state.choosing);
        self.causality.clone_from(&state.causality);
        self.meetings.clone_from(&state.meetings);
        self.apply_cancellable();
        self.boxes.clone_from(&state.boxes);
        self.flights.clone_from(&state.flights);
        self.notes.clear();
        self.posts.clone_from(&state.posts);
        self.woken.clear();
    }
}
