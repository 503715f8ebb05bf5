//! What an exploration finds out about the program and should have known from its start, by names that mean the same in
//! every execution.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use smpi_base::WorldRank;

use super::{Name, anticipated::number};

/// Something about the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Discovery {
    /// It may cancel this request (`driver/cancel.rs`).
    Cancels(Name),
    /// The order matters in which this server does what it is asked for (`driver/order.rs`).
    Orders(WorldRank),
}

/// What is known.
pub type Discoveries = BTreeSet<Discovery>;

/// Tells a server from a request in the form of one number.
const SERVER: u64 = 1 << 63;

impl Discovery {
    /// As one number.
    pub fn to_bits(self) -> u64 {
        match self {
            Discovery::Cancels(Name { rank, start }) => u64::from(rank.0) << 32 | u64::from(start),
            Discovery::Orders(server) => SERVER | u64::from(server.0),
        }
    }

    /// Of [`Discovery::to_bits`].
    pub fn of_bits(bits: u64) -> Discovery {
        match bits & SERVER {
            0 => Discovery::Cancels(Name { rank: WorldRank((bits >> 32) as u32), start: bits as u32 }),
            _ => Discovery::Orders(WorldRank(bits as u32)),
        }
    }
}

impl fmt::Display for Discovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Discovery::Cancels(name) => name.fmt(f),
            Discovery::Orders(server) => write!(f, "{server}"),
        }
    }
}

impl FromStr for Discovery {
    type Err = ();

    fn from_str(text: &str) -> Result<Discovery, ()> {
        if text.contains('.') {
            text.parse().map(Discovery::Cancels)
        } else {
            Ok(Discovery::Orders(WorldRank(number(text)?)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discoveries_survive_being_numbers_and_text() {
        for text in ["0.4", "12.30", "7", "4294967295"] {
            let discovery: Discovery = text.parse().unwrap();
            assert_eq!(discovery.to_string(), text);
            assert_eq!(Discovery::of_bits(discovery.to_bits()), discovery);
        }
        assert!(["", "+1", "-1", "a", "1.", ".1", "1.+1"].iter().all(|text| text.parse::<Discovery>().is_err()));
    }
}
