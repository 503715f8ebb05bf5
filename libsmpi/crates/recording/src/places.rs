//! Places: calls of MPI in the source of a program, and what is counted for each.

use smpi_abi::Function;
use smpi_base::map::Map;

/// A place, by its number in the order in which places were met. 0 is the start of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Place(pub u32);

impl Place {
    /// The start of the program: before any call.
    pub const START: Place = Place(0);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Calls before the one of MPI that tell places apart.
pub const CALLERS: usize = 2;

/// What tells places apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Spot {
    /// A number of the program, the same for all ranks that run it.
    pub program: u32,
    /// The address of the call in the program's image; 0 where it is not known.
    pub site: u64,
    /// The addresses of the calls that led to it, the inner first; 0 where they are not known.
    pub callers: [u64; CALLERS],
    /// What is called.
    pub function: Function,
}

impl Spot {
    /// Where in a table of [`RECENT`] places it is remembered.
    fn hash(&self) -> usize {
        self.callers.iter().fold(self.site, |hash, caller| hash.wrapping_mul(3) ^ caller) as usize % RECENT
    }
}

/// Why a rank waits in a call, by the names of Scalasca (Zhukov et al., "Scalasca v2: Back to the Future", 2015).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    /// A receiver is there before its sender.
    LateSender,
    /// A sender that waits for its receiver is there before it.
    LateReceiver,
    /// In a collective operation, a synchronisation of windows or the like: others come later.
    LatePartner,
}

/// How the time in a call is made up, in seconds. What is missing to its duration has no name.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Parts {
    /// A receiver waited for its sender.
    pub late_sender: f64,
    /// Of this, while other messages were there that it asked for later.
    pub wrong_order: f64,
    /// A sender waited for its receiver.
    pub late_receiver: f64,
    /// It waited for others in another way.
    pub late_partner: f64,
    /// A message travelled, as long as it would have alone; or data of a file.
    pub transfer: f64,
    /// A message travelled longer, because it shared links with others.
    pub contention: f64,
    /// The rank was busy: overheads of sends, receives and polls.
    pub overhead: f64,
}

impl Parts {
    /// Adds seconds of waiting.
    pub fn wait(&mut self, wait: Wait, secs: f64) {
        match wait {
            Wait::LateSender => self.late_sender += secs,
            Wait::LateReceiver => self.late_receiver += secs,
            Wait::LatePartner => self.late_partner += secs,
        }
    }

    /// Seconds of waiting for others.
    pub fn waiting(&self) -> f64 {
        self.late_sender + self.late_receiver + self.late_partner
    }

    /// Adds those of another call.
    pub fn add(&mut self, other: &Parts) {
        self.late_sender += other.late_sender;
        self.wrong_order += other.wrong_order;
        self.late_receiver += other.late_receiver;
        self.late_partner += other.late_partner;
        self.transfer += other.transfer;
        self.contention += other.contention;
        self.overhead += other.overhead;
    }
}

/// What is counted for a place, over all ranks. Durations are in simulated seconds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Counted {
    /// Calls that are over.
    pub calls: u64,
    /// Time in them.
    pub secs: f64,
    /// The longest of them.
    pub longest_secs: f64,
    /// What it is made up of.
    pub parts: Parts,
    /// Messages that they sent.
    pub messages: u64,
    /// Payload of these.
    pub sent_bytes: u64,
    /// Payload that they received.
    pub received_bytes: u64,
    /// Computations after them, up to the next call.
    pub computations: u64,
    /// Time of these.
    pub computation_secs: f64,
}

/// Spots that are remembered beside the map of all, which takes longer. A power of two.
const RECENT: usize = 256;

/// All places that were met.
#[derive(Debug)]
pub struct Places {
    numbers: Map<Spot, Place>,
    /// The spots that were met last, each at a place that follows from its address.
    recent: Vec<Option<(Spot, Place)>>,
    spots: Vec<Option<Spot>>,
    /// By place.
    pub counted: Vec<Counted>,
}

impl Default for Places {
    fn default() -> Places {
        let recent = vec![None; RECENT];
        Places { numbers: Map::default(), recent, spots: vec![None], counted: vec![Counted::default()] }
    }
}

impl Places {
    /// The number of a place, a new one for a place that was not met before.
    #[inline]
    pub fn number(&mut self, spot: Spot) -> Place {
        match self.recent[spot.hash()] {
            Some((recent, place)) if recent == spot => place,
            _ => self.look_up(spot),
        }
    }

    #[inline(never)]
    fn look_up(&mut self, spot: Spot) -> Place {
        let next = Place(self.spots.len() as u32);
        let place = *self.numbers.entry(spot).or_insert(next);
        if place == next {
            self.spots.push(Some(spot));
            self.counted.push(Counted::default());
        }
        self.recent[spot.hash()] = Some((spot, place));
        place
    }

    /// What is counted for a place.
    pub fn at(&mut self, place: Place) -> &mut Counted {
        &mut self.counted[place.index()]
    }

    /// What a place is; `None` of the start.
    pub fn spot(&self, place: Place) -> Option<Spot> {
        self.spots[place.index()]
    }

    /// All places with what was counted, in the order in which they were met.
    pub fn all(&self) -> impl Iterator<Item = (Place, Option<Spot>, &Counted)> {
        self.spots
            .iter()
            .zip(&self.counted)
            .enumerate()
            .map(|(index, (spot, counted))| (Place(index as u32), *spot, counted))
    }
}
