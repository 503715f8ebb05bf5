//! The name of a configuration: a 128-bit sum over its events, the same in whatever order they were taken.
//!
//! Events in which a call goes on without waiting ([`crate::choice::GO_ON`]) are left out of the sum: they make no
//! difference once the event that the call waited for has come. While they make a difference, the system *marks* it
//! ([`crate::System::marks`]), and marks are added to the sum.
//!
//! Two sets of up to 2³² events collide with a probability of about n²/2¹²⁹ for n visited configurations: 10⁻²⁷ for a
//! million of them.

use serde::{Deserialize, Serialize};

use crate::choice::Event;

/// Key of a set of events and marks. The empty set has the default key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
pub struct Configuration(pub u128);

impl Configuration {
    /// The set of these events.
    pub fn of(events: &[Event]) -> Configuration {
        events.iter().fold(Configuration::default(), |key, &event| key.with(event))
    }

    /// The set with one more event.
    #[inline]
    #[must_use]
    pub fn with(self, event: Event) -> Configuration {
        if event.goes_on() { self } else { self.marked(event) }
    }

    /// The set together with the marks of a system.
    #[must_use]
    pub fn with_marks(self, marks: &[Event]) -> Configuration {
        marks.iter().fold(self, |key, &mark| key.marked(mark))
    }

    /// The set with one more event or mark.
    #[inline]
    fn marked(self, event: Event) -> Configuration {
        let id = u64::from(event.choice.agent.to_bits()) << 32 | u64::from(event.choice.number);
        let low = mix(mix(id ^ 0x243f_6a88_85a3_08d3).wrapping_add(event.candidate));
        let high = mix(mix(event.candidate ^ 0x1319_8a2e_0370_7344).wrapping_add(id) ^ low.rotate_left(32));
        Configuration(self.0.wrapping_add(u128::from(high) << 64 | u128::from(low)))
    }
}

/// The finaliser of SplitMix64: a bijection in which every input bit reaches every output bit.
#[inline]
fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use smpi_base::WorldRank;
    use smpi_base::map::Set;

    use super::*;
    use crate::choice::ChoiceId;

    #[test]
    fn order_does_not_matter_and_contents_do() {
        let events: Vec<Event> = (0..20u32)
            .map(|i| Event { choice: ChoiceId::of(WorldRank(i % 4), i / 4), candidate: u64::from(i % 3) })
            .collect();
        let mut seen = Set::default();
        for mask in 0..1u32 << 16 {
            let chosen = (0..16).filter(|bit| mask >> bit & 1 == 1).map(|bit| events[bit]);
            let forward = chosen.clone().fold(Configuration::default(), Configuration::with);
            let backward = chosen.rev().fold(Configuration::default(), Configuration::with);
            assert_eq!(forward, backward);
            assert!(seen.insert(forward));
        }
    }
}
