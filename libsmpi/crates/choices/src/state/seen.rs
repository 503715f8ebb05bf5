//! What a rank knows of messages that it has not received: a probe has shown them, and nothing that it has done since
//! can have taken them. A probe that could see one of them must not say no.
//!
//! A receive that fits such a message may have taken it, as long as the rank has not been told what the receive took.
//! Then either that was another message, by its status, or the one that was seen: messages of one sender do not
//! overtake each other (MPI 5.0 §3.5), so of those that look alike the receive took the first.
//!
//! What ranks know of requests is in `smpi_mpi::world` (`known.rs`).

use smpi_mailbox::{Envelope, Pattern};

/// A message that a rank has seen.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Message {
    envelope: Envelope,
    /// The slots of receives that may have taken it, ascending.
    doubts: Vec<u32>,
}

/// The messages that a rank has seen and may still be there.
#[derive(Clone, Default, Hash, Debug)]
pub(crate) struct Seen(Vec<Message>);

impl Seen {
    /// A probe has shown a message, or taken it.
    pub fn shown(&mut self, envelope: Envelope, take: bool) {
        self.0.retain(|message| message.envelope != envelope);
        self.0.extend((!take).then_some(Message { envelope, doubts: Vec::new() }));
    }

    /// A request starts in a slot; if it receives, it may take messages that fit its pattern. Of another request that
    /// was in this slot, nobody will ever say what it took.
    pub fn starts(&mut self, slot: u32, receives: Option<&Pattern>) {
        self.0.retain(|message| message.doubts.binary_search(&slot).is_err());
        let Some(pattern) = receives else { return };
        for message in self.0.iter_mut().filter(|message| pattern.matches(&message.envelope)) {
            let place = message.doubts.partition_point(|doubt| *doubt < slot);
            message.doubts.insert(place, slot);
        }
    }

    /// The rank is told what the receive in a slot took; `None`: nothing.
    pub fn took(&mut self, slot: u32, taken: Option<Envelope>) {
        self.0.retain_mut(|message| {
            let Ok(place) = message.doubts.binary_search(&slot) else { return true };
            message.doubts.remove(place);
            taken != Some(message.envelope)
        });
    }

    /// Whether the rank knows of a message that a probe with this pattern must see.
    pub fn has(&self, pattern: &Pattern) -> bool {
        self.0.iter().any(|message| message.doubts.is_empty() && pattern.matches(&message.envelope))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: Pattern = Pattern { context: 0, source: None, tag: None };

    fn from(source: u32) -> Envelope {
        Envelope { context: 0, source, tag: 0 }
    }

    fn of(source: u32) -> Pattern {
        Pattern { source: Some(source), ..ANY }
    }

    #[test]
    fn a_receive_takes_what_its_status_says() {
        let mut seen = Seen::default();
        seen.shown(from(0), false);
        assert!(seen.has(&ANY) && !seen.has(&of(1)));
        seen.starts(5, Some(&ANY));
        assert!(!seen.has(&of(0)), "the receive may have taken it");
        seen.took(5, Some(from(2)));
        assert!(seen.has(&of(0)), "it took another one");
        seen.starts(5, Some(&ANY));
        seen.took(5, Some(from(0)));
        assert!(!seen.has(&ANY));
    }

    #[test]
    fn what_is_never_told_stays_in_doubt() {
        let mut seen = Seen::default();
        seen.shown(from(0), false);
        seen.starts(5, Some(&of(1)));
        assert!(seen.has(&of(0)), "that receive cannot have taken it");
        seen.starts(6, Some(&ANY));
        seen.starts(7, Some(&ANY));
        seen.took(7, None);
        assert!(!seen.has(&of(0)));
        seen.starts(6, None);
        seen.took(6, None);
        assert!(!seen.has(&of(0)), "the first receive of that slot was forgotten");
    }
}
