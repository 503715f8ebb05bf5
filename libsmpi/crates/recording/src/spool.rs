//! All events in the order of their dates, in a file that has no name and goes with the run: for traces in the formats
//! of other tools, which are written from it at the end, when places have names.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use crate::places::Place;

/// What happened to a rank.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Event {
    /// It enters a call.
    Enter(Place),
    /// It leaves the call.
    Leave,
    /// It begins to compute.
    Compute,
    /// It has computed.
    Computed,
    /// A message of its begins to travel.
    Depart {
        /// The message's number, from 0.
        message: u64,
        /// To this rank.
        to: u32,
        /// With this payload.
        bytes: u64,
    },
    /// A message for it has arrived.
    Arrive {
        /// The message's number.
        message: u64,
        /// From this rank.
        from: u32,
        /// With this payload.
        bytes: u64,
    },
}

/// An event with its date in simulated seconds, and whose it is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Dated {
    /// When.
    pub date: f64,
    /// Whose.
    pub rank: u32,
    /// What.
    pub event: Event,
}

/// Bytes of an event in the file: date, kind and rank, peer or place, message, payload.
const LENGTH: usize = 40;

impl Dated {
    fn bytes(&self) -> [u8; LENGTH] {
        let (kind, peer, message, payload) = match self.event {
            Event::Enter(place) => (0u32, place.0, 0, 0),
            Event::Leave => (1, 0, 0, 0),
            Event::Compute => (2, 0, 0, 0),
            Event::Computed => (3, 0, 0, 0),
            Event::Depart { message, to, bytes } => (4, to, message, bytes),
            Event::Arrive { message, from, bytes } => (5, from, message, bytes),
        };
        let mut record = [0; LENGTH];
        record[..8].copy_from_slice(&self.date.to_le_bytes());
        record[8..12].copy_from_slice(&kind.to_le_bytes());
        record[12..16].copy_from_slice(&self.rank.to_le_bytes());
        record[16..20].copy_from_slice(&peer.to_le_bytes());
        record[24..32].copy_from_slice(&message.to_le_bytes());
        record[32..].copy_from_slice(&payload.to_le_bytes());
        record
    }

    fn of(record: &[u8; LENGTH]) -> Option<Dated> {
        let short = |at: usize| Some(u32::from_le_bytes(record[at..at + 4].try_into().ok()?));
        let long = |at: usize| Some(u64::from_le_bytes(record[at..at + 8].try_into().ok()?));
        let (peer, message, bytes) = (short(16)?, long(24)?, long(32)?);
        let event = match short(8)? {
            0 => Event::Enter(Place(peer)),
            1 => Event::Leave,
            2 => Event::Compute,
            3 => Event::Computed,
            4 => Event::Depart { message, to: peer, bytes },
            5 => Event::Arrive { message, from: peer, bytes },
            _ => return None,
        };
        Some(Dated { date: f64::from_bits(long(0)?), rank: short(12)?, event })
    }
}

/// The file.
#[derive(Debug)]
pub struct Spool {
    file: BufWriter<File>,
    messages: u64,
    /// The first error, after which nothing is written any more.
    error: Option<io::Error>,
}

impl Spool {
    /// An empty one, in the directory for temporary files.
    ///
    /// # Errors
    /// When no file can be made there.
    pub fn new() -> io::Result<Spool> {
        let path = std::env::temp_dir().join(format!("smpirun-events-{}", std::process::id()));
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        std::fs::remove_file(&path)?;
        Ok(Spool { file: BufWriter::with_capacity(1 << 16, file), messages: 0, error: None })
    }

    /// Adds an event that is not before those already there.
    pub fn add(&mut self, date: f64, rank: u32, event: Event) {
        if self.error.is_none()
            && let Err(error) = self.file.write_all(&Dated { date, rank, event }.bytes())
        {
            self.error = Some(error);
        }
    }

    /// The number of a new message.
    pub fn next_message(&mut self) -> u64 {
        self.messages += 1;
        self.messages - 1
    }

    /// Shows all events in their order.
    ///
    /// # Errors
    /// When an event could not be written or read, or `each` fails.
    pub fn replay(&mut self, mut each: impl FnMut(Dated) -> io::Result<()>) -> io::Result<()> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        self.file.flush()?;
        let mut file = self.file.get_ref();
        file.rewind()?;
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let mut record = [0; LENGTH];
        loop {
            match reader.read_exact(&mut record) {
                Ok(()) => Dated::of(&record).map_or(Ok(()), &mut each)?,
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_back() {
        let events = [
            Event::Enter(Place(3)),
            Event::Depart { message: 7, to: 2, bytes: 1 << 40 },
            Event::Arrive { message: 7, from: 1, bytes: 1 << 40 },
            Event::Leave,
            Event::Compute,
            Event::Computed,
        ];
        let mut spool = Spool::new().unwrap();
        for (date, event) in (0..).zip(events) {
            spool.add(f64::from(date), 9, event);
        }
        let mut read = Vec::new();
        spool
            .replay(|dated| {
                read.push(dated);
                Ok(())
            })
            .unwrap();
        assert!(read.iter().map(|dated| dated.event).eq(events));
        assert!(read.iter().all(|dated| dated.rank == 9) && read[5].date == 5.0);
    }
}
