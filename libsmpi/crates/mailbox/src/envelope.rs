//! The envelope of a message and the pattern of a receive: the matching rule of MPI 5.0 §3.2.3–3.2.4 as data.
//!
//! Nothing here knows queues: `mailboxes.rs` decides which of several candidates is the *oldest*.

use serde::{Deserialize, Serialize};

/// Communication context of a communicator. Point-to-point and collective traffic of one communicator use different
/// contexts, so that they can never match each other (MPI 5.0 §7.1).
pub type Context = u32;

/// The part of a message that matching looks at (MPI 5.0 §3.2.3). The destination is the mailbox it is sent to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Envelope {
    /// Communication context of the communicator used.
    pub context: Context,
    /// Rank of the sender in that communicator, as the receiver names it.
    pub source: u32,
    /// Tag of the message.
    pub tag: i32,
}

/// What a receive or a probe accepts. The context is always exact; `None` is a wildcard.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pattern {
    /// Communication context of the communicator used.
    pub context: Context,
    /// Rank of the accepted sender, or `None` for `MPI_ANY_SOURCE`.
    pub source: Option<u32>,
    /// Accepted tag, or `None` for `MPI_ANY_TAG`.
    pub tag: Option<i32>,
}

impl Pattern {
    /// True when a message with this envelope satisfies the pattern.
    pub fn matches(&self, envelope: &Envelope) -> bool {
        self.context == envelope.context
            && self.source.is_none_or(|source| source == envelope.source)
            && self.tag.is_none_or(|tag| tag == envelope.tag)
    }

    /// True when some single envelope satisfies both patterns.
    pub fn overlaps(&self, other: &Pattern) -> bool {
        self.context == other.context && self.agreement(other) == (true, true)
    }

    /// Whether some source satisfies both patterns, and whether some tag does.
    pub fn agreement(&self, other: &Pattern) -> (bool, bool) {
        fn agree<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
            a.is_none() || b.is_none() || a == b
        }
        (agree(self.source, other.source), agree(self.tag, other.tag))
    }

    /// Which of the four kinds of patterns this is.
    pub(crate) fn kind(&self) -> Kind {
        Kind(u8::from(self.source.is_none()) | u8::from(self.tag.is_none()) << 1)
    }

    /// The pattern with zeros for wildcards; together with [`Pattern::kind`] it says the same as the pattern.
    pub(crate) fn masked(&self) -> Envelope {
        Envelope { context: self.context, source: self.source.unwrap_or(0), tag: self.tag.unwrap_or(0) }
    }
}

impl Envelope {
    /// The patterns that accept this envelope: it itself, and with wildcards for the source, the tag, and both.
    pub fn patterns(&self) -> [Pattern; 4] {
        let Envelope { context, source, tag } = *self;
        let with = |source, tag| Pattern { context, source, tag };
        [with(Some(source), Some(tag)), with(None, Some(tag)), with(Some(source), None), with(None, None)]
    }
}

impl From<Envelope> for Pattern {
    /// The pattern that accepts exactly this envelope.
    fn from(envelope: Envelope) -> Pattern {
        Pattern { context: envelope.context, source: Some(envelope.source), tag: Some(envelope.tag) }
    }
}

/// Which fields of a pattern are wildcards: bit 0 the source, bit 1 the tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Kind(pub(crate) u8);

impl Kind {
    /// No wildcard.
    pub(crate) const EXACT: Kind = Kind(0);
    /// Any tag of a named source.
    pub(crate) const ANY_TAG: Kind = Kind(2);
    /// Every kind, in the order of their numbers.
    pub(crate) const ALL: [Kind; 4] = [Kind(0), Kind(1), Kind(2), Kind(3)];

    pub(crate) fn any_source(self) -> bool {
        self.0 & 1 != 0
    }

    pub(crate) fn any_tag(self) -> bool {
        self.0 & 2 != 0
    }

    /// The bit that stands for this kind in a set of kinds.
    pub(crate) fn bit(self) -> u8 {
        1 << self.0
    }

    /// The envelope with zeros where this kind has wildcards.
    #[inline]
    pub(crate) fn mask(self, envelope: &Envelope) -> Envelope {
        Envelope {
            context: envelope.context,
            source: if self.any_source() { 0 } else { envelope.source },
            tag: if self.any_tag() { 0 } else { envelope.tag },
        }
    }

    /// True when a receive of this kind, stored as `wanted` with zeros for its wildcards, accepts `envelope`.
    #[inline]
    pub(crate) fn accepts(self, wanted: &Envelope, envelope: &Envelope) -> bool {
        wanted.context == envelope.context
            && (self.any_source() || wanted.source == envelope.source)
            && (self.any_tag() || wanted.tag == envelope.tag)
    }
}
