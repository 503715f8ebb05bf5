//! The Paje format, as ViTE and pj_dump read it. Containers and types have the names that SMPI's traces have: a
//! container `rank-N` for each rank, the state `MPI_STATE`, the link `MPI_LINK`.
//!
//! Source: Kergommeaux, Stein, "Paje trace file format" (2003); Schnorr, "Paje Trace File Format" (2014).

use std::io::{self, Write};

use super::line::Line;
use super::{Names, Writer};

/// Kinds of events with their fields, by the numbers that they have here.
const DEFINITIONS: &str = "\
%EventDef PajeDefineContainerType 0
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineLinkType 2
%       Alias string
%       Type string
%       StartContainerType string
%       EndContainerType string
%       Name string
%EndEventDef
%EventDef PajeDefineEntityValue 3
%       Alias string
%       Type string
%       Name string
%       Color color
%EndEventDef
%EventDef PajeCreateContainer 4
%       Time date
%       Alias string
%       Type string
%       Container string
%       Name string
%EndEventDef
%EventDef PajeDestroyContainer 5
%       Time date
%       Type string
%       Name string
%EndEventDef
%EventDef PajePushState 6
%       Time date
%       Type string
%       Container string
%       Value string
%EndEventDef
%EventDef PajePopState 7
%       Time date
%       Type string
%       Container string
%EndEventDef
%EventDef PajeStartLink 8
%       Time date
%       Type string
%       Container string
%       Value string
%       StartContainer string
%       Key string
%EndEventDef
%EventDef PajeEndLink 9
%       Time date
%       Type string
%       Container string
%       Value string
%       EndContainer string
%       Key string
%EndEventDef
";

/// Writes the format.
#[derive(Debug)]
pub struct Paje<'a, W> {
    out: W,
    names: &'a Names,
    /// The event that is being written.
    line: Line,
}

impl<'a, W: Write> Paje<'a, W> {
    /// Begins a trace.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(mut out: W, names: &'a Names) -> io::Result<Paje<'a, W>> {
        out.write_all(DEFINITIONS.as_bytes())?;
        out.write_all(b"0 RUN 0 RUN\n0 MPI RUN MPI\n1 STATE MPI MPI_STATE\n2 LINK RUN MPI MPI MPI_LINK\n")?;
        let mut calls: Vec<&str> =
            names.places.iter().map(|(call, _)| call.as_str()).filter(|call| !call.is_empty()).collect();
        calls.sort_unstable();
        calls.dedup();
        writeln!(out, "3 computing STATE computing \"0.3 0.6 0.9\"")?;
        for (index, call) in calls.iter().enumerate() {
            // Colours that differ from each other.
            let hue = index as f64 * 0.618_033_988_75 % 1.0;
            let part = |offset: f64| 0.35 + 0.6 * ((hue + offset) % 1.0);
            writeln!(out, "3 {call} STATE {call} \"{:.2} {:.2} {:.2}\"", part(0.0), part(0.33), part(0.67))?;
        }
        writeln!(out, "4 0.000000000 run RUN 0 \"{}\"", names.run.replace('"', "'"))?;
        for rank in 0..names.hosts.len() {
            writeln!(out, "4 0.000000000 rank-{rank} MPI run rank-{rank}")?;
        }
        Ok(Paje { out, names, line: Line::default() })
    }
}

impl<W: Write> Paje<'_, W> {
    /// Begins a line: what kind of event, and when.
    fn event(&mut self, kind: &str, date: f64) -> &mut Line {
        self.line.begin(kind).text(" ").date(date, 1.0, 9)
    }

    /// Begins one about a rank's state.
    fn state(&mut self, kind: &str, date: f64, rank: u32) -> &mut Line {
        self.event(kind, date).text(" STATE rank-").number(rank.into())
    }

    /// One end of a message. Both have the same value.
    fn link(&mut self, kind: &str, date: f64, rank: u32, message: u64, bytes: u64) -> io::Result<()> {
        let line = self.event(kind, date).text(" LINK run ").number(bytes);
        line.text(" rank-").number(rank.into()).text(" m").number(message);
        self.end()
    }

    fn end(&mut self) -> io::Result<()> {
        self.out.write_all(self.line.text("\n").bytes())
    }
}

impl<W: Write> Writer for Paje<'_, W> {
    fn enter(&mut self, date: f64, rank: u32, place: u32) -> io::Result<()> {
        let names = self.names;
        let call = names.place(place).0;
        self.state("6", date, rank).text(" ").text(call);
        self.end()
    }

    fn leave(&mut self, date: f64, rank: u32) -> io::Result<()> {
        self.state("7", date, rank);
        self.end()
    }

    fn compute(&mut self, date: f64, rank: u32, begins: bool) -> io::Result<()> {
        if !begins {
            return self.leave(date, rank);
        }
        self.state("6", date, rank).text(" computing");
        self.end()
    }

    fn depart(&mut self, date: f64, rank: u32, message: u64, _to: u32, bytes: u64) -> io::Result<()> {
        self.link("8", date, rank, message, bytes)
    }

    fn arrive(&mut self, date: f64, rank: u32, message: u64, _from: u32, bytes: u64) -> io::Result<()> {
        self.link("9", date, rank, message, bytes)
    }

    fn finish(&mut self) -> io::Result<()> {
        let end = self.names.end_secs;
        for rank in 0..self.names.hosts.len() {
            writeln!(self.out, "5 {end:.9} MPI rank-{rank}")?;
        }
        writeln!(self.out, "5 {end:.9} RUN run")?;
        self.out.flush()
    }
}
