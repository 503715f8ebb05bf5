//! Chrome's trace event format, as JSON: <https://ui.perfetto.dev> opens it. A rank is a thread, a message a flow.
//!
//! Source: "Trace Event Format" (Google, 2016): phases B and E (begin and end), s and f (flow), M (metadata); times in
//! microseconds.

use std::io::{self, Write};

use serde_json::json;

use super::line::Line;
use super::{Names, Writer};

/// What both ends of a flow say.
const MESSAGE: &str = ",\"cat\":\"message\",\"name\":\"message\",\"id\":";
/// How the event of a call ends that nobody knows.
const NO_CALL: &str = ",\"cat\":\"mpi\",\"name\":\"MPI\"}";

/// Writes the format.
#[derive(Debug)]
pub struct Perfetto<W> {
    out: W,
    /// By place: how the event of a call there ends.
    calls: Vec<String>,
    /// The event that is being written.
    line: Line,
}

impl<W: Write> Perfetto<W> {
    /// Begins a trace.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(mut out: W, names: &Names) -> io::Result<Perfetto<W>> {
        let run = json!({ "ph": "M", "pid": 0, "name": "process_name", "args": { "name": names.run } });
        write!(out, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{run}")?;
        for (rank, host) in names.hosts.iter().enumerate() {
            let name = json!({ "name": format!("rank {rank} on {host}") });
            let named = json!({ "ph": "M", "pid": 0, "tid": rank, "name": "thread_name", "args": name });
            let order = json!({ "ph": "M", "pid": 0, "tid": rank, "name": "thread_sort_index", "args": { "sort_index": rank } });
            write!(out, ",\n{named},\n{order}")?;
        }
        let call = |(call, source): &(String, Option<String>)| {
            let arguments = source.as_ref().map_or_else(|| json!({}), |source| json!({ "source": source }));
            format!(",\"cat\":\"mpi\",\"name\":{},\"args\":{arguments}}}", json!(call))
        };
        Ok(Perfetto { out, calls: names.places.iter().map(call).collect(), line: Line::default() })
    }

    /// Begins an event of a rank with what all have.
    fn event(&mut self, phase: &str, date: f64, rank: u32) -> &mut Line {
        let line = self.line.begin(",\n{\"ts\":").date(date, 1e6, 6);
        line.text(",\"pid\":0,\"tid\":").number(rank.into()).text(",\"ph\":\"").text(phase).text("\"")
    }

    fn end(&mut self, rest: &str) -> io::Result<()> {
        self.out.write_all(self.line.text(rest).bytes())
    }
}

impl<W: Write> Writer for Perfetto<W> {
    fn enter(&mut self, date: f64, rank: u32, place: u32) -> io::Result<()> {
        self.event("B", date, rank);
        let call = self.calls.get(place as usize).map_or(NO_CALL, String::as_str);
        self.out.write_all(self.line.text(call).bytes())
    }

    fn leave(&mut self, date: f64, rank: u32) -> io::Result<()> {
        self.event("E", date, rank);
        self.end("}")
    }

    fn compute(&mut self, date: f64, rank: u32, begins: bool) -> io::Result<()> {
        match begins {
            true => {
                self.event("B", date, rank);
                self.end(",\"cat\":\"computation\",\"name\":\"computation\"}")
            }
            false => self.leave(date, rank),
        }
    }

    fn depart(&mut self, date: f64, rank: u32, message: u64, to: u32, bytes: u64) -> io::Result<()> {
        let line = self.event("s", date, rank).text(MESSAGE).number(message);
        line.text(",\"args\":{\"to\":").number(to.into()).text(",\"bytes\":").number(bytes);
        self.end("}}")
    }

    fn arrive(&mut self, date: f64, rank: u32, message: u64, from: u32, _bytes: u64) -> io::Result<()> {
        let line = self.event("f", date, rank).text(MESSAGE).number(message);
        // It ends in what the thread does then, not in what comes next.
        line.text(",\"bp\":\"e\",\"args\":{\"from\":").number(from.into());
        self.end("}}")
    }

    fn finish(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n]}\n")?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_json_with_the_events() {
        let names = Names {
            run: "a \"run\"".into(),
            hosts: vec!["h0".into(), "h1".into()],
            places: vec![(String::new(), None), ("MPI_Send".into(), Some("a.c:3".into()))],
            end_secs: 1.0,
        };
        let mut out = Vec::new();
        let mut trace = Perfetto::begin(&mut out, &names).unwrap();
        trace.enter(0.5, 0, 1).unwrap();
        trace.depart(0.5, 0, 0, 1, 8).unwrap();
        trace.arrive(0.75, 1, 0, 0, 8).unwrap();
        trace.leave(0.75, 0).unwrap();
        trace.finish().unwrap();
        let read: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let events = read["traceEvents"].as_array().unwrap();
        assert_eq!((events.len(), &events[5]["name"], &events[5]["ts"]), (9, &json!("MPI_Send"), &json!(5e5)));
        assert_eq!((&events[5]["args"]["source"], &events[7]["id"]), (&json!("a.c:3"), &json!(0)));
    }
}
