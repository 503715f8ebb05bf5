//! Chrome's trace event format, as JSON: <https://ui.perfetto.dev> opens it. A rank is a thread, a message a flow.
//!
//! Source: "Trace Event Format" (Google, 2016): phases B and E (begin and end), s and f (flow), M (metadata); times in
//! microseconds.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::json;

use super::{Names, Writer};

/// Writes the format.
#[derive(Debug)]
pub struct Perfetto<'a, W> {
    out: W,
    names: &'a Names,
}

impl<'a, W: Write> Perfetto<'a, W> {
    /// Begins a trace.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(mut out: W, names: &'a Names) -> io::Result<Perfetto<'a, W>> {
        let run = json!({ "ph": "M", "pid": 0, "name": "process_name", "args": { "name": names.run } });
        write!(out, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{run}")?;
        for (rank, host) in names.hosts.iter().enumerate() {
            let name = json!({ "name": format!("rank {rank} on {host}") });
            let named = json!({ "ph": "M", "pid": 0, "tid": rank, "name": "thread_name", "args": name });
            let order = json!({ "ph": "M", "pid": 0, "tid": rank, "name": "thread_sort_index", "args": { "sort_index": rank } });
            write!(out, ",\n{named},\n{order}")?;
        }
        Ok(Perfetto { out, names })
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        self.out.write_all(b",\n")?;
        Ok(serde_json::to_writer(&mut self.out, event)?)
    }
}

/// An event of a rank: what does not depend on its kind, and fields that kinds may have.
#[derive(Debug, Default, Serialize)]
struct Event<'a> {
    ts: f64,
    pid: u32,
    tid: u32,
    ph: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bp: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cat: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Arguments<'a>>,
}

/// What is shown of an event when one clicks on it.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Arguments<'a> {
    Call { source: &'a str },
    Departure { to: u32, bytes: u64 },
    Arrival { from: u32 },
}

impl Event<'_> {
    /// At a date in seconds.
    fn new(ph: &'static str, date: f64, tid: u32) -> Event<'static> {
        Event { ts: date * 1e6, tid, ph, ..Event::default() }
    }
}

impl<W: Write> Writer for Perfetto<'_, W> {
    fn enter(&mut self, date: f64, rank: u32, place: u32) -> io::Result<()> {
        let (call, source) = self.names.place(place);
        let args = source.map(|source| Arguments::Call { source });
        self.event(&Event { cat: Some("mpi"), name: Some(call), args, ..Event::new("B", date, rank) })
    }

    fn leave(&mut self, date: f64, rank: u32) -> io::Result<()> {
        self.event(&Event::new("E", date, rank))
    }

    fn compute(&mut self, date: f64, rank: u32, begins: bool) -> io::Result<()> {
        match begins {
            true => self.event(&Event {
                cat: Some("computation"),
                name: Some("computation"),
                ..Event::new("B", date, rank)
            }),
            false => self.leave(date, rank),
        }
    }

    fn depart(&mut self, date: f64, rank: u32, message: u64, to: u32, bytes: u64) -> io::Result<()> {
        let args = Some(Arguments::Departure { to, bytes });
        let (cat, name, id) = (Some("message"), Some("message"), Some(message));
        self.event(&Event { cat, name, id, args, ..Event::new("s", date, rank) })
    }

    fn arrive(&mut self, date: f64, rank: u32, message: u64, from: u32, _bytes: u64) -> io::Result<()> {
        let args = Some(Arguments::Arrival { from });
        let (cat, name, id) = (Some("message"), Some("message"), Some(message));
        // It ends in what the thread does then, not in what comes next.
        self.event(&Event { bp: Some("e"), cat, name, id, args, ..Event::new("f", date, rank) })
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
