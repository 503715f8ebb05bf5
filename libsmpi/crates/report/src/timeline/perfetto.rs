//! Chrome's trace event format, as JSON: <https://ui.perfetto.dev> opens it. A rank is a thread, a message a flow.
//!
//! Source: "Trace Event Format" (Google, 2016): phases B and E (begin and end), s and f (flow), M (metadata); times in
//! microseconds.

use std::io::{self, Write};

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

    fn event(&mut self, date: f64, rank: u32, rest: serde_json::Value) -> io::Result<()> {
        let mut event = json!({ "ts": date * 1e6, "pid": 0, "tid": rank });
        if let (Some(event), serde_json::Value::Object(rest)) = (event.as_object_mut(), rest) {
            event.extend(rest);
        }
        write!(self.out, ",\n{event}")
    }
}

impl<W: Write> Writer for Perfetto<'_, W> {
    fn enter(&mut self, date: f64, rank: u32, place: u32) -> io::Result<()> {
        let (call, source) = self.names.place(place);
        let arguments = source.map_or_else(|| json!({}), |source| json!({ "source": source }));
        self.event(date, rank, json!({ "ph": "B", "cat": "mpi", "name": call, "args": arguments }))
    }

    fn leave(&mut self, date: f64, rank: u32) -> io::Result<()> {
        self.event(date, rank, json!({ "ph": "E" }))
    }

    fn compute(&mut self, date: f64, rank: u32, begins: bool) -> io::Result<()> {
        match begins {
            true => self.event(date, rank, json!({ "ph": "B", "cat": "computation", "name": "computation" })),
            false => self.leave(date, rank),
        }
    }

    fn depart(&mut self, date: f64, rank: u32, message: u64, to: u32, bytes: u64) -> io::Result<()> {
        let arguments = json!({ "to": to, "bytes": bytes });
        self.event(
            date,
            rank,
            json!({ "ph": "s", "cat": "message", "name": "message", "id": message, "args": arguments }),
        )
    }

    fn arrive(&mut self, date: f64, rank: u32, message: u64, from: u32, _bytes: u64) -> io::Result<()> {
        let arguments = json!({ "from": from });
        let rest =
            json!({ "ph": "f", "bp": "e", "cat": "message", "name": "message", "id": message, "args": arguments });
        self.event(date, rank, rest)
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
