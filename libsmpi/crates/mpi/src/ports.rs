//! Ports at which ranks wait for others that they have no communicator with, and the names under which ports are
//! published (MPI 5.0 §11.9).
//!
//! A port belongs to the rank that opened it, which alone accepts there. A connection is asked for by a message to that
//! rank ([`PORTS`]); who is accepted first is whom its receive from any source takes.
//!
//! Names are looked up in a table, which is no message: what a rank finds depends on who was first, where nothing that
//! ranks know of each other orders the two. Whoever uses a name is remembered, so that this is noticed.

use std::collections::{BTreeMap, BTreeSet};

use smpi_base::WorldRank;
use smpi_mailbox::Context;

use crate::comm::{CONTEXTS_PER_COMM, TrafficKind};
use crate::error::{ErrorClass, MpiError, Result};

/// Context of messages about ports: that for creations of the last communicator that there could be. Tags are twice the
/// number of the port, and one more for answers.
pub const PORTS: Context =
    (Context::MAX / CONTEXTS_PER_COMM - 1) * CONTEXTS_PER_COMM + TrafficKind::Creation as Context;

/// Tags from here on are those of `MPI_Comm_join`, whose ranks have no port.
pub const JOINS: i32 = i32::MAX - 1;

/// What names of ports begin with.
const PREFIX: &str = "smpi-port-";

/// A port, by the rank that opened it and the number of its ports before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Port {
    /// Who opened it.
    pub owner: WorldRank,
    /// How many ports the rank had opened before.
    pub number: u32,
}

impl Port {
    /// Its name, which means the same in every execution.
    pub fn name(self) -> String {
        format!("{PREFIX}{}-{}", self.owner, self.number)
    }

    /// The port of a name, open or not.
    pub fn named(name: &str) -> Option<Port> {
        let (owner, number) = name.strip_prefix(PREFIX)?.split_once('-')?;
        Some(Port { owner: WorldRank(owner.parse().ok()?), number: number.parse().ok()? })
    }

    /// The tag of those who ask for a connection.
    pub fn request_tag(self) -> i32 {
        (self.number * 2) as i32
    }

    /// The tag of the answer.
    pub fn answer_tag(self) -> i32 {
        self.request_tag() + 1
    }
}

/// Somebody has used a name: who, and the rank's count then, which those know of who have heard of it since.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Use {
    /// Who.
    pub rank: WorldRank,
    /// The count; `None` where that is not followed.
    pub count: Option<u32>,
    /// It was published or taken back, and not looked up.
    pub changes: bool,
}

/// What is done with a name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum NameCall {
    /// It is published for this port.
    Publish(String),
    /// It is taken back.
    Unpublish,
    /// Its port is looked up.
    LookUp,
}

/// All ports and names.
#[derive(Clone, Default, Hash, Debug)]
pub struct Ports {
    open: BTreeSet<Port>,
    /// How many ports each rank has opened.
    opened: BTreeMap<WorldRank, u32>,
    published: BTreeMap<String, String>,
    uses: BTreeMap<String, Vec<Use>>,
    /// Who was first to join by a socket with these ends.
    joins: BTreeMap<[Vec<u8>; 2], WorldRank>,
}

impl Ports {
    /// Whether nobody has opened a port or used a name so far.
    pub fn are_untouched(&self) -> bool {
        self.opened.is_empty() && self.uses.is_empty() && self.published.is_empty() && self.joins.is_empty()
    }

    /// Opens a port.
    pub fn open(&mut self, owner: WorldRank) -> Port {
        let next = self.opened.entry(owner).or_default();
        let port = Port { owner, number: *next };
        *next += 1;
        self.open.insert(port);
        port
    }

    /// The open port of this name.
    ///
    /// # Errors
    /// `MPI_ERR_PORT` when there is none.
    pub fn find(&self, name: &str) -> Result<Port> {
        let bad = |text: &str| {
            let allowed = "the name of a port that is open, from MPI_Open_port";
            MpiError::parameter(ErrorClass::PORT, "port_name", format!("\"{name}\"{text}"), allowed)
        };
        let port = Port::named(name).ok_or_else(|| bad(""))?;
        if self.open.contains(&port) { Ok(port) } else { Err(bad(", which is closed")) }
    }

    /// Whether there was a port of this name, which is closed.
    pub fn is_closed(&self, name: &str) -> bool {
        let port = Port::named(name).filter(|port| !self.open.contains(port));
        port.is_some_and(|port| self.opened.get(&port.owner).is_some_and(|opened| *opened > port.number))
    }

    /// Closes a port of this rank.
    ///
    /// # Errors
    /// `MPI_ERR_PORT` when it is not open, or another rank's.
    pub fn close(&mut self, owner: WorldRank, name: &str) -> Result<()> {
        let port = self.own(owner, name)?;
        self.open.remove(&port);
        Ok(())
    }

    /// An open port of this rank.
    ///
    /// # Errors
    /// `MPI_ERR_PORT` when it is not open, or another rank's.
    pub fn own(&self, owner: WorldRank, name: &str) -> Result<Port> {
        let port = self.find(name)?;
        if port.owner == owner {
            return Ok(port);
        }
        let allowed = format!("a port that the calling rank, {owner}, has opened");
        Err(MpiError::parameter(ErrorClass::PORT, "port_name", format!("\"{name}\""), &allowed))
    }

    /// A rank joins another one by a socket with these ends: the other one, if it was first.
    pub fn join(&mut self, ends: [Vec<u8>; 2], rank: WorldRank) -> Option<WorldRank> {
        let first = self.joins.remove(&ends);
        if first.is_none() {
            self.joins.insert(ends, rank);
        }
        first
    }

    /// Does something with a name; of a look-up, the name of the port.
    ///
    /// # Errors
    /// `MPI_ERR_SERVICE` for a name that is published twice, or taken back and not published; `MPI_ERR_NAME` for one
    /// that is looked up and not published.
    pub fn call(&mut self, service: &str, call: &NameCall) -> Result<String> {
        let bad = |class, text: &str, allowed: &str| {
            MpiError::parameter(class, "service_name", format!("\"{service}\"{text}"), allowed)
        };
        let unknown = "a name that MPI_Publish_name has published";
        match call {
            NameCall::Publish(_) if self.published.contains_key(service) => {
                Err(bad(ErrorClass::SERVICE, ", which is published already", "a name that is not published"))
            }
            NameCall::Publish(port) => {
                self.published.insert(service.to_string(), port.clone());
                Ok(String::new())
            }
            NameCall::Unpublish => self.published.remove(service).ok_or_else(|| bad(ErrorClass::SERVICE, "", unknown)),
            NameCall::LookUp => self.published.get(service).cloned().ok_or_else(|| bad(ErrorClass::NAME, "", unknown)),
        }
    }

    /// Notes a use of a name. False when it might have come before another one that it does not commute with:
    /// `knows` says of those whether the rank has heard of them.
    pub fn note(&mut self, service: &str, one: Use, knows: impl Fn(&Use) -> bool) -> bool {
        let uses = self.uses.entry(service.to_string()).or_default();
        let is_ordered =
            uses.iter().all(|other| other.rank == one.rank || !(other.changes || one.changes) || knows(other));
        if !uses.contains(&one) {
            uses.push(one);
        }
        is_ordered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_have_names_and_belong_to_who_opened_them() {
        let mut ports = Ports::default();
        let (first, second) = (ports.open(WorldRank(3)), ports.open(WorldRank(3)));
        assert_eq!((first.name().as_str(), second.name().as_str()), ("smpi-port-3-0", "smpi-port-3-1"));
        assert_eq!(ports.find("smpi-port-3-1"), Ok(second));
        assert!(ports.own(WorldRank(2), "smpi-port-3-1").is_err() && ports.find("otherhost:122").is_err());
        assert_eq!(ports.close(WorldRank(3), "smpi-port-3-0"), Ok(()));
        assert!(ports.is_closed("smpi-port-3-0") && !ports.is_closed("smpi-port-3-1") && !ports.is_closed("x"));
        assert_eq!(ports.find("smpi-port-3-0").map_err(|error| error.class), Err(ErrorClass::PORT));
        assert_ne!(first.request_tag(), first.answer_tag());
    }

    #[test]
    fn names_are_published_once() {
        let mut ports = Ports::default();
        let class = |result: Result<String>| result.map_err(|error| error.class);
        assert_eq!(class(ports.call("a", &NameCall::LookUp)), Err(ErrorClass::NAME));
        assert_eq!(class(ports.call("a", &NameCall::Unpublish)), Err(ErrorClass::SERVICE));
        assert_eq!(class(ports.call("a", &NameCall::Publish("p".into()))), Ok(String::new()));
        assert_eq!(class(ports.call("a", &NameCall::Publish("q".into()))), Err(ErrorClass::SERVICE));
        assert_eq!(class(ports.call("a", &NameCall::LookUp)), Ok("p".to_string()));
        assert!(ports.call("a", &NameCall::Unpublish).is_ok());
    }

    #[test]
    fn a_look_up_that_nothing_orders_is_noticed() {
        let mut ports = Ports::default();
        let one = |rank, changes| Use { rank: WorldRank(rank), count: Some(1), changes };
        assert!(ports.note("a", one(0, true), |_| false));
        assert!(ports.note("a", one(1, false), |_| true));
        assert!(!ports.note("a", one(2, false), |_| false));
        // Look-ups commute.
        assert!(ports.note("b", one(1, false), |_| false) && ports.note("b", one(2, false), |_| false));
        assert!(!ports.note("b", one(0, true), |_| false));
    }
}
