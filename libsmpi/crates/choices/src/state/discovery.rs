//! What an exploration finds out about the program and should have known from its start, by names that mean the same in
//! every execution.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use smpi_base::WorldRank;
use smpi_mpi::world::{Matter, ServerName};

use super::{Name, Site, anticipated::number};

/// Something about the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Discovery {
    /// It may cancel this request (`driver/cancel.rs`).
    Cancels(Name),
    /// It may cancel any request that is made at this place.
    CancelsAt(Site),
    /// The order matters in which this server does what it is asked for (`driver/order.rs`).
    Orders(ServerName),
    /// It spawns ranks (`driver/spawn.rs`).
    Spawns(Spawn),
}

/// Names a spawning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Spawn {
    /// Who spawns.
    pub parent: WorldRank,
    /// How often it has spawned ranks before.
    pub number: u32,
    /// How many ranks are spawned.
    pub count: u32,
    /// A digest of what is spawned, and where.
    pub what: u32,
}

/// What is known.
pub type Discoveries = BTreeSet<Discovery>;

/// Where the kind of a discovery is in the first of its two numbers, above the number of a window and that of a rank.
const KIND: u32 = 60;

impl Discovery {
    /// As two numbers.
    pub fn to_bits(self) -> [u64; 2] {
        match self {
            Discovery::Cancels(Name { rank, start, place }) => {
                [u64::from(place) << 32 | u64::from(rank.0), u64::from(start)]
            }
            Discovery::CancelsAt(Site { rank, place }) => [6 << KIND | u64::from(rank.0), u64::from(place)],
            Discovery::Orders(ServerName { target, window, matter }) => {
                let (kind, at) = match matter {
                    Matter::Locks => (1, 0),
                    Matter::Accesses => (2, 0),
                    Matter::Element(at) => (3, at),
                    Matter::File => (4, 0),
                };
                [kind << KIND | u64::from(window) << 32 | u64::from(target.0), at]
            }
            Discovery::Spawns(Spawn { parent, number, count, what }) => {
                [5 << KIND | u64::from(number) << 32 | u64::from(parent.0), u64::from(count) << 32 | u64::from(what)]
            }
        }
    }

    /// The place of which all requests may be cancelled.
    pub(crate) fn site(&self) -> Option<Site> {
        match *self {
            Discovery::CancelsAt(site) => Some(site),
            Discovery::Cancels(_) | Discovery::Orders(_) | Discovery::Spawns(_) => None,
        }
    }

    /// Of [`Discovery::to_bits`].
    pub fn of_bits([name, at]: [u64; 2]) -> Discovery {
        let rank = WorldRank(name as u32);
        let matter = match name >> KIND {
            0 => return Discovery::Cancels(Name { rank, start: at as u32, place: number_in(name) }),
            1 => Matter::Locks,
            2 => Matter::Accesses,
            3 => Matter::Element(at),
            4 => Matter::File,
            6 => return Discovery::CancelsAt(Site { rank, place: at as u32 }),
            _ => {
                let (count, what) = ((at >> 32) as u32, at as u32);
                return Discovery::Spawns(Spawn { parent: rank, number: number_in(name), count, what });
            }
        };
        let window = number_in(name);
        Discovery::Orders(ServerName { target: rank, window, matter })
    }
}

/// What lies between the kind and the rank in the first number.
fn number_in(name: u64) -> u32 {
    (name >> 32) as u32 & ((1 << (KIND - 32)) - 1)
}

impl fmt::Display for Discovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Discovery::Cancels(name) => name.fmt(f),
            Discovery::CancelsAt(site) => site.fmt(f),
            Discovery::Orders(ServerName { target, window, matter }) => {
                write!(f, "{target}w{window}")?;
                match matter {
                    Matter::Locks => f.write_str("l"),
                    Matter::Accesses => f.write_str("a"),
                    Matter::Element(at) => write!(f, "a{at}"),
                    Matter::File => f.write_str("f"),
                }
            }
            Discovery::Spawns(Spawn { parent, number, count, what }) => {
                write!(f, "{parent}s{number}s{count}s{what}")
            }
        }
    }
}

impl FromStr for Discovery {
    type Err = ();

    fn from_str(text: &str) -> Result<Discovery, ()> {
        if let [parent, nth, count, what] = text.split('s').collect::<Vec<_>>()[..] {
            let (parent, nth) = (WorldRank(number(parent)?), number(nth)?);
            return Ok(Discovery::Spawns(Spawn { parent, number: nth, count: number(count)?, what: number(what)? }));
        }
        if text.contains('c') {
            return text.parse().map(Discovery::CancelsAt);
        }
        let Some((target, rest)) = text.split_once('w') else { return text.parse().map(Discovery::Cancels) };
        let digits = rest.len() - rest.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
        let (window, matter) = rest.split_at(digits);
        let matter = match matter {
            "l" => Matter::Locks,
            "a" => Matter::Accesses,
            "f" => Matter::File,
            _ => Matter::Element(number(matter.strip_prefix('a').ok_or(())?)?),
        };
        Ok(Discovery::Orders(ServerName { target: WorldRank(number(target)?), window: number(window)?, matter }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discoveries_survive_being_numbers_and_text() {
        for text in [
            "0.4",
            "12.30",
            "12.4294967295.268435455",
            "3c268435455",
            "7w0l",
            "4294967295w268435455a",
            "3w1a16",
            "0w0a18446744073709551615",
            "2w3f",
            "2s1s4s4294967295",
        ] {
            let discovery: Discovery = text.parse().unwrap();
            assert_eq!(discovery.to_string(), text);
            assert_eq!(Discovery::of_bits(discovery.to_bits()), discovery);
        }
        for text in [
            "",
            "+1",
            "-1",
            "a",
            "1",
            "1.",
            ".1",
            "1.+1",
            "1.1.",
            "1.1.0",
            "1.1.1.1",
            "1.1.268435456",
            "1c",
            "c1",
            "1c0",
            "1w",
            "w1l",
            "1wl",
            "1w0",
            "1w0b",
            "1w0a+1",
            "1w0l0",
        ] {
            assert!(text.parse::<Discovery>().is_err(), "{text}");
        }
    }
}
