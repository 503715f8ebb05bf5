//! The events of a simulation as traces that other tools read.
//!
//! | file | format | tools |
//! |---|---|---|
//! | `perfetto.rs` | Chrome's trace events (JSON) | ui.perfetto.dev, chrome://tracing |
//! | `paje.rs` | Paje, with the names that SMPI uses | ViTE, pj_dump, PajeNG |
//!
//! `line.rs` puts their lines together. Both are written event by event. Who has the events names ranks, hosts and
//! places, and tells them in the order of their dates.

mod line;
pub mod paje;
pub mod perfetto;

use std::io;

/// What a trace is about, besides its events.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Name of the run.
    pub run: String,
    /// The host of each rank.
    pub hosts: Vec<String>,
    /// Places by their numbers: what is called, and where.
    pub places: Vec<(String, Option<String>)>,
    /// The date at which the run ended, in simulated seconds.
    pub end_secs: f64,
}

impl Names {
    fn place(&self, place: u32) -> (&str, Option<&str>) {
        let known = self.places.get(place as usize);
        known.map_or(("MPI", None), |(call, source)| (call.as_str(), source.as_deref()))
    }
}

/// Takes events. Dates are simulated seconds and never go back; `rank` is whose event it is.
pub trait Writer {
    /// A call is entered, at the place with this number.
    ///
    /// # Errors
    /// When it cannot be written, here and below.
    fn enter(&mut self, date: f64, rank: u32, place: u32) -> io::Result<()>;
    /// The call is left.
    ///
    /// # Errors
    /// See above.
    fn leave(&mut self, date: f64, rank: u32) -> io::Result<()>;
    /// A computation begins, or (`false`) ends.
    ///
    /// # Errors
    /// See above.
    fn compute(&mut self, date: f64, rank: u32, begins: bool) -> io::Result<()>;
    /// A message with a number begins to travel to another rank.
    ///
    /// # Errors
    /// See above.
    fn depart(&mut self, date: f64, rank: u32, message: u64, to: u32, bytes: u64) -> io::Result<()>;
    /// A message arrives from another rank.
    ///
    /// # Errors
    /// See above.
    fn arrive(&mut self, date: f64, rank: u32, message: u64, from: u32, bytes: u64) -> io::Result<()>;
    /// Nothing comes any more.
    ///
    /// # Errors
    /// See above.
    fn finish(&mut self) -> io::Result<()>;
}
