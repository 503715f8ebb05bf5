//! Copies of all MPI state, to come back to.
//!
//! They are taken when no rank is about to be woken. A driver copies its own state.

use std::fmt::Debug;

use super::{World, WorldState};

/// All fields of the state, each with what it is called where parts of two states differ. A field that is not listed
/// does not compile. Clones go field by field, into the memory that is there.
macro_rules! state {
    ($($field:ident: $name:literal),* $(,)?) => {
        impl Clone for WorldState {
            fn clone(&self) -> WorldState {
                let WorldState { $($field),* } = self;
                WorldState { $($field: $field.clone()),* }
            }

            fn clone_from(&mut self, source: &WorldState) {
                let WorldState { $($field),* } = source;
                $(self.$field.clone_from($field);)*
            }
        }

        impl WorldState {
            fn tell_parts(&self, tell: &mut dyn FnMut(&'static str, &dyn Debug)) {
                let WorldState { $($field),* } = self;
                $(tell($name, $field);)*
            }
        }
    };
}

state! {
    ranks: "requests",
    servers: "servers",
    windows: "windows",
    unexplored_if_open: "what is left open",
    choices: "how many choices were made",
    accesses: "accesses",
    boxes: "mailboxes",
    agreements: "communicators that are made",
    ports: "ports",
    lanes: "partitioned operations",
    any_fallen: "whether a rank has fallen",
    meetings: "collective operations",
    in_transit: "messages in transit",
    posts: "posts",
    causality: "causality",
}

impl World {
    /// How much there is to copy, in requests and messages.
    pub fn extent(&self) -> usize {
        self.state.boxes.live() + self.state.ranks.iter().map(|rank| rank.requests.len()).sum::<usize>()
    }

    /// Puts a copied state back. Memory of the ranks is the caller's to restore.
    pub fn set_state(&mut self, state: &WorldState) {
        self.state.clone_from(state);
        self.observers.observations.clear();
        self.woken.clear();
    }

    /// Tells each part of the state, with its name, to be compared.
    pub fn tell_parts(&self, tell: &mut dyn FnMut(&'static str, &dyn Debug)) {
        self.state.tell_parts(tell);
        tell("payloads in place", &self.with_payloads);
    }
}
