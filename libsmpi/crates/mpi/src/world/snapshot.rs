//! Copies of all MPI state, to come back to.
//!
//! They are taken when no rank is about to be woken. A driver copies its own state.

use std::fmt::Debug;

use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_base::table::Table;
use smpi_mailbox::Mailboxes;

use super::causality::Causality;
use super::meeting::Meetings;
use super::servers::Servers;
use super::{InTransit, Post, RankState, World};
use crate::agreements::Agreements;
use crate::p2p::partitioned::Lanes;
use crate::ports::Ports;
use crate::rma::{Access, Window, WindowId};

/// The world at one moment.
#[derive(Clone)]
pub struct WorldState {
    ranks: Vec<RankState>,
    agreements: Agreements,
    ports: Ports,
    lanes: Lanes,
    causality: Option<Box<Causality>>,
    meetings: Meetings,
    boxes: Mailboxes,
    in_transit: Vec<InTransit>,
    posts: Vec<(WorldRank, Post)>,
    servers: Servers,
    windows: Map<WindowId, Window>,
    accesses: Table<Access>,
    unexplored_if_open: Option<&'static str>,
}

impl World {
    /// How much there is to copy, in requests and messages.
    pub fn extent(&self) -> usize {
        self.boxes.live() + self.ranks.iter().map(|rank| rank.requests.len()).sum::<usize>()
    }

    /// Copies the state.
    pub fn state(&self) -> WorldState {
        WorldState {
            ranks: self.ranks.clone(),
            agreements: self.agreements.clone(),
            ports: self.ports.clone(),
            lanes: self.lanes.clone(),
            causality: self.observers.causality.clone(),
            meetings: self.meetings.clone(),
            boxes: self.boxes.clone(),
            in_transit: self.in_transit.clone(),
            posts: self.posts.clone(),
            servers: self.servers.clone(),
            windows: self.windows.clone(),
            accesses: self.accesses.clone(),
            unexplored_if_open: self.unexplored_if_open,
        }
    }

    /// Puts a copied state back. Memory of the ranks is the caller's to restore.
    pub fn set_state(&mut self, state: &WorldState) {
        self.ranks.clone_from(&state.ranks);
        self.agreements.clone_from(&state.agreements);
        self.ports.clone_from(&state.ports);
        self.lanes.clone_from(&state.lanes);
        self.observers.causality.clone_from(&state.causality);
        self.meetings.clone_from(&state.meetings);
        self.boxes.clone_from(&state.boxes);
        self.in_transit.clone_from(&state.in_transit);
        self.observers.observations.clear();
        self.posts.clone_from(&state.posts);
        self.servers.clone_from(&state.servers);
        self.windows.clone_from(&state.windows);
        self.accesses.clone_from(&state.accesses);
        self.unexplored_if_open = state.unexplored_if_open;
        self.woken.clear();
    }

    /// Tells each part of the state, with its name, to be compared. All fields are named, so that who adds one decides
    /// whether it is to be put back.
    pub fn tell_parts(&self, tell: &mut dyn FnMut(&'static str, &dyn Debug)) {
        let World {
            ranks,
            programs: _,
            servers,
            windows,
            unexplored: _,
            unexplored_if_open,
            locks_windows: _,
            accesses,
            boxes,
            agreements,
            ports,
            lanes,
            thresholds: _,
            is_tallied: _,
            bsend_overhead: _,
            requests_for_all: _,
            copies_late: _,
            mismatched_stay: _,
            by_states: _,
            any_fallen: _,
            observers,
            meetings,
            memory: _,
            file_ends: _,
            in_transit,
            posts,
            woken: _,
            with_payloads,
            spare: _,
        } = self;
        let parts: [(&str, &dyn Debug); 14] = [
            ("requests", ranks),
            ("servers", servers),
            ("windows", windows),
            ("what is left open", unexplored_if_open),
            ("accesses", accesses),
            ("mailboxes", boxes),
            ("communicators that are made", agreements),
            ("ports", ports),
            ("partitioned operations", lanes),
            ("causality", &observers.causality),
            ("collective operations", meetings),
            ("messages in transit", in_transit),
            ("posts", posts),
            ("payloads in place", with_payloads),
        ];
        parts.into_iter().for_each(|(name, part)| tell(name, part));
    }
}
