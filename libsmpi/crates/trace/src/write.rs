//! From actions to text: SMPI's words where they say all of it, else those of the extension.

use std::fmt::Write as _;

use smpi_mailbox::Context;
use smpi_mpi::collective::select::Operation;
use smpi_mpi::collective::{Root, Shape};
use smpi_mpi::comm::WORLD_CONTEXT;

use crate::action::{
    Access, AccessKind, Action, Blocks, Collective, Items, Message, Named, Probe, Reduction, Run, Settled, Start,
};

/// Sizes of elements, and the number of a type of that size in SMPI's traces.
const CODES: [(u64, u8); 6] = [(8, 0), (4, 1), (1, 6), (2, 3), (16, 26), (32, 27)];

/// The word for elements of a size.
fn type_word(size: u64) -> String {
    match CODES.iter().find(|(bytes, _)| *bytes == size) {
        Some((_, code)) => code.to_string(),
        None => format!("b{size}"),
    }
}

/// The same elements as bytes, where SMPI has no type of their size.
fn known(items: Items) -> Items {
    let is_known = CODES.iter().any(|(bytes, _)| *bytes == items.size);
    if is_known { items } else { Items { count: items.bytes() as i64, size: 1 } }
}

impl Action {
    /// Appends the action without its rank; `ranks`: how many there are in `MPI_COMM_WORLD`.
    pub fn write(&self, ranks: u32, out: &mut String) {
        // Writing to a string never fails.
        let _ = match self {
            Action::Init(1) => write!(out, "init"),
            Action::Init(_) => write!(out, "init 1"),
            Action::Finalize => write!(out, "finalize"),
            Action::Nothing => write!(out, "nothing"),
            Action::Compute(flops) => write!(out, "compute {}", joined(flops, ",")),
            Action::Sleep(secs) => write!(out, "sleep {secs}"),
            Action::Clock => write!(out, "clock"),
            Action::Message(start, context, message) => return write_message(*start, *context, message, out),
            Action::Collective(call) => return call.write(ranks, out),
            Action::WaitFor(from, to, tag) => write!(out, "wait {from} {to} {tag}"),
            Action::TestFor(from, to, tag) => write!(out, "test {from} {to} {tag}"),
            Action::WaitOpen => write!(out, "waitall"),
            Action::Wait(request) => write!(out, "wait_request {request}"),
            Action::WaitAll(requests) => write!(out, "wait_requests {}", joined(requests, " ")),
            Action::Drain => write!(out, "drain"),
            Action::Test(found) => write!(out, "test_requests {}", if *found { "yes" } else { "no" }),
            Action::TestNothing(found) => write!(out, "test_nothing {}", if *found { "yes" } else { "no" }),
            Action::Show(request) => write!(out, "show_request {request}"),
            Action::Free(request) => write!(out, "free_request {request}"),
            Action::Cancel(request) => write!(out, "cancel_request {request}"),
            Action::Probe(context, probe) => return write_probe(*context, probe, out),
            Action::Comm(context, rank, own, other) => {
                let other = if other.is_empty() { "-".to_string() } else { run_words(other) };
                write!(out, "comm {context} {rank} {} {other}", run_words(own))
            }
            Action::Window(window) => write!(out, "window {window}"),
            Action::Access(access) => return write_access(access, out),
            Action::Settle(window, target, until) => {
                let target = target.map_or("-".to_string(), |target| target.to_string());
                let until = match until {
                    Settled::Local => "local",
                    Settled::Arrived => "arrived",
                    Settled::Known => "known",
                };
                write!(out, "settle {window} {target} {until}")
            }
            Action::Lock(start, window, target, exclusive) => {
                let kind = if *exclusive { "exclusive" } else { "shared" };
                write!(out, "{}lock {window} {target} {kind}", start_word(*start))
            }
            Action::Release(window, target) => write!(out, "release {window} {target}"),
            Action::Word(window, to, tag) => write!(out, "word {window} {to} {tag}"),
            Action::Missing(what) => write!(out, "missing {what}"),
        };
    }
}

fn joined<T: ToString>(values: &[T], with: &str) -> String {
    values.iter().map(T::to_string).collect::<Vec<String>>().join(with)
}

fn run_words(runs: &[Run]) -> String {
    let word = |&(first, last, step): &Run| match step {
        _ if first == last => first.to_string(),
        1 => format!("{first}-{last}"),
        _ => format!("{first}-{last}:{step}"),
    };
    runs.iter().map(word).collect::<Vec<String>>().join(",")
}

/// The ending of an action that is not about `MPI_COMM_WORLD`.
fn place(context: Context) -> String {
    if context == WORLD_CONTEXT { String::new() } else { format!("@{context}") }
}

fn start_word(start: Start) -> &'static str {
    match start {
        Start::Blocking => "",
        Start::Immediate => "i",
        Start::Persistent => "p",
        Start::Internal => "x",
    }
}

fn write_message(start: Start, context: Context, message: &Message, out: &mut String) {
    let (prefix, place) = (start_word(start), place(context));
    let _ = match *message {
        Message::Send { mode, to, tag, items } => {
            let name = match mode {
                Named::Standard => "send",
                Named::Buffered => "bsend",
                Named::Synchronous => "ssend",
                Named::Ready => "rsend",
            };
            let Items { count, size } = known(items);
            write!(out, "{prefix}{name}{place} {to} {tag} {count} {}", type_word(size))
        }
        Message::Recv { from, tag, items } => {
            let Items { count, size } = known(items);
            write!(out, "{prefix}recv{place} {from} {tag} {count} {}", type_word(size))
        }
        Message::Both { send, recv } => {
            let (sent, got) = (known(send.2), known(recv.2));
            let types = (type_word(sent.size), type_word(got.size));
            if start == Start::Blocking && context == WORLD_CONTEXT && (send.1, recv.1) == (0, 0) {
                write!(out, "sendRecv {} {} {} {} {} {}", sent.count, send.0, got.count, recv.0, types.0, types.1)
            } else {
                let own = format!("{} {} {} {}", send.0, send.1, sent.count, types.0);
                write!(out, "{prefix}sendrecv{place} {own} {} {} {} {}", recv.0, recv.1, got.count, types.1)
            }
        }
        Message::Matched { message, items } => {
            let Items { count, size } = known(items);
            write!(out, "{prefix}mrecv {message} {count} {}", type_word(size))
        }
    };
}

fn write_probe(context: Context, probe: &Probe, out: &mut String) {
    let name = match (probe.take, probe.found) {
        (false, None) => "probe",
        (false, Some(_)) => "iprobe",
        (true, None) => "mprobe",
        (true, Some(_)) => "improbe",
    };
    let _ = write!(out, "{name}{} {} {}", place(context), probe.from, probe.tag);
    if let Some(found) = probe.found {
        out.push_str(if found { " yes" } else { " no" });
    }
}

fn write_access(access: &Access, out: &mut String) {
    let kind = match access.kind {
        AccessKind::Put => "put",
        AccessKind::Get => "get",
        AccessKind::Combine => "combine",
        AccessKind::Fetch => "fetch",
        AccessKind::Swap => "swap",
    };
    let bytes = |bytes: Option<u64>| bytes.map_or("-".to_string(), |bytes| bytes.to_string());
    let Access { window, target, there, brings, result, by_request, .. } = *access;
    let _ = write!(out, "access {window} {target} {kind} {there} {} {}", bytes(brings), bytes(result));
    if by_request {
        out.push_str(" request");
    }
}

/// Numbers with equal ones in a row as one word.
fn folded(numbers: &[i64]) -> String {
    let runs = numbers.chunk_by(|a, b| a == b);
    let word = |run: &[i64]| if run.len() == 1 { run[0].to_string() } else { format!("{}x{}", run[0], run.len()) };
    runs.map(word).collect::<Vec<String>>().join(",")
}

/// A word for blocks, or for none.
fn block_word(blocks: Option<&Blocks>) -> String {
    match blocks {
        None => "-".to_string(),
        Some(Blocks::Even(items)) => format!("{}*{}", items.count, type_word(items.size)),
        Some(Blocks::Varying { counts, size }) => format!("v{}:{}", type_word(*size), folded(counts)),
        Some(Blocks::Typed(blocks)) => {
            let word = |items: &Items| format!("{}*{}", items.count, type_word(items.size));
            format!("w{}", blocks.iter().map(word).collect::<Vec<String>>().join(","))
        }
    }
}

impl Collective {
    fn write(&self, ranks: u32, out: &mut String) {
        if !self.write_as_smpi(ranks, out) {
            self.write_extended(out);
        }
    }

    /// Whether SMPI's words can say all of it, but for the buffers.
    fn is_plain(&self) -> bool {
        let is_plain_op = matches!(self.op, None | Some(Reduction::Predefined));
        let is_own = self.start == Start::Blocking && self.comm == WORLD_CONTEXT && self.number.is_none();
        is_own && is_plain_op && self.around.is_none() && !matches!(self.root, Some(Root::Here | Root::Elsewhere))
    }

    /// False, and nothing is written, where SMPI's words cannot say it.
    fn write_as_smpi(&self, ranks: u32, out: &mut String) -> bool {
        let root = if let Some(Root::Rank(root)) = self.root { root } else { 0 };
        let (name, flops) = (self.shape.name(), self.flops);
        let (send, recv) = (self.send.as_ref(), self.recv.as_ref());
        let nothing = Items { count: 0, size: 1 };
        if !self.is_plain() {
            return false;
        }
        // What is absent on ranks other than the root is written as nothing.
        let text = match (self.shape, send, recv) {
            (Shape::Of(Operation::Barrier), None, None) => name.to_string(),
            (Shape::Of(Operation::Bcast), None, Some(&Blocks::Even(Items { count, size }))) => {
                format!("{name} {count} {root} {}", type_word(size))
            }
            (Shape::Of(Operation::Reduce), Some(&Blocks::Even(items)), None) => {
                format!("{name} {} {flops} {root} {}", items.count, type_word(items.size))
            }
            (Shape::Of(Operation::Reduce), Some(&Blocks::Even(items)), Some(&Blocks::Even(result)))
                if items == result =>
            {
                format!("{name} {} {flops} {root} {}", items.count, type_word(items.size))
            }
            (
                Shape::Of(Operation::Allreduce) | Shape::Of(Operation::Scan) | Shape::Of(Operation::Exscan),
                Some(Blocks::Even(items)),
                Some(Blocks::Even(result)),
            ) if items == result => {
                format!("{name} {} {flops} {}", items.count, type_word(items.size))
            }
            (Shape::Of(Operation::Gather), Some(&Blocks::Even(own)), recv @ (None | Some(&Blocks::Even(_)))) => {
                rooted(name, own, even(recv).unwrap_or(nothing), root)
            }
            (Shape::Of(Operation::Scatter), send @ (None | Some(&Blocks::Even(_))), Some(&Blocks::Even(own))) => {
                rooted(name, even(send).unwrap_or(nothing), own, root)
            }
            (
                Shape::Of(Operation::Allgather) | Shape::Of(Operation::Alltoall),
                Some(Blocks::Even(sent)),
                Some(Blocks::Even(got)),
            ) => {
                format!("{name} {} {} {} {}", sent.count, got.count, type_word(sent.size), type_word(got.size))
            }
            _ => match self.varying(ranks, root) {
                Some(text) => text,
                None => return false,
            },
        };
        out.push_str(&text);
        true
    }

    /// The same of operations with counts of their own for each rank.
    fn varying(&self, ranks: u32, root: u32) -> Option<String> {
        let (name, flops) = (self.shape.name(), self.flops);
        let has_all = |counts: &[i64]| counts.len() == ranks as usize;
        Some(match (self.shape, self.send.as_ref(), self.recv.as_ref()) {
            (Shape::Of(Operation::Gatherv), Some(Blocks::Even(own)), None) => {
                let zeros = vec!["0"; ranks as usize].join(" ");
                format!("{name} {} {zeros} {root} {} {}", own.count, type_word(own.size), type_word(1))
            }
            (Shape::Of(Operation::Gatherv), Some(Blocks::Even(own)), Some(Blocks::Varying { counts, size }))
                if has_all(counts) =>
            {
                let types = format!("{} {}", type_word(own.size), type_word(*size));
                format!("{name} {} {} {root} {types}", own.count, joined(counts, " "))
            }
            (Shape::Of(Operation::Scatterv), None, Some(Blocks::Even(own))) => {
                let zeros = vec!["0"; ranks as usize].join(" ");
                format!("{name} {zeros} {} {root} {} {}", own.count, type_word(1), type_word(own.size))
            }
            (Shape::Of(Operation::Scatterv), Some(Blocks::Varying { counts, size }), Some(Blocks::Even(own)))
                if has_all(counts) =>
            {
                let types = format!("{} {}", type_word(*size), type_word(own.size));
                format!("{name} {} {} {root} {types}", joined(counts, " "), own.count)
            }
            (Shape::Of(Operation::Allgatherv), Some(Blocks::Even(own)), Some(Blocks::Varying { counts, size }))
                if has_all(counts) =>
            {
                let types = format!("{} {}", type_word(own.size), type_word(*size));
                format!("{name} {} {} {types}", own.count, joined(counts, " "))
            }
            (
                Shape::Of(Operation::Alltoallv),
                Some(Blocks::Varying { counts: sent, size: sent_size }),
                Some(Blocks::Varying { counts: got, size: got_size }),
            ) if has_all(sent) && has_all(got) => {
                let own = format!("{} {}", sent.iter().sum::<i64>(), joined(sent, " "));
                let others = format!("{} {}", got.iter().sum::<i64>(), joined(got, " "));
                format!("{name} {own} {others} {} {}", type_word(*sent_size), type_word(*got_size))
            }
            (Shape::Of(Operation::ReduceScatter), Some(Blocks::Even(items)), Some(Blocks::Even(_)))
                if has_all(&self.counts) =>
            {
                format!("{name} {} {flops} {}", joined(&self.counts, " "), type_word(items.size))
            }
            _ => return None,
        })
    }

    fn write_extended(&self, out: &mut String) {
        let start = match self.start {
            Start::Blocking => "b",
            Start::Immediate => "i",
            Start::Persistent => "p",
            Start::Internal => "x",
        };
        let number = self.number.map_or("-".to_string(), |number| number.to_string());
        let root = match self.root {
            None => "-".to_string(),
            Some(Root::Rank(rank)) => rank.to_string(),
            Some(Root::Here) => "here".to_string(),
            Some(Root::Elsewhere) => "elsewhere".to_string(),
        };
        let op = match self.op {
            None => "-",
            Some(Reduction::Predefined) => "op",
            Some(Reduction::User { commutes: true }) => "user",
            Some(Reduction::User { commutes: false }) => "ordered",
        };
        let (send, recv) = (block_word(self.send.as_ref()), block_word(self.recv.as_ref()));
        let shape = self.shape.name();
        let _ = write!(out, "coll {shape} {start} {} {number} {root} {op} {send} {recv}", self.comm);
        if !self.counts.is_empty() {
            let _ = write!(out, " counts={}", folded(&self.counts));
        }
        if let Some((around, each)) = &self.around {
            let list = |ranks: &[Option<u32>]| {
                let word = |rank: &Option<u32>| rank.map_or("-".to_string(), |rank| rank.to_string());
                ranks.iter().map(word).collect::<Vec<String>>().join(",")
            };
            let flags = (u8::from(around.opposite), u8::from(*each));
            let (from, to) = (list(&around.sources), list(&around.destinations));
            let _ = write!(out, " around={}:{}:{from}:{to}", flags.0, flags.1);
        }
        if self.flops != 0.0 {
            let _ = write!(out, " flops={}", self.flops);
        }
    }
}

fn even(blocks: Option<&Blocks>) -> Option<Items> {
    if let Some(Blocks::Even(items)) = blocks { Some(*items) } else { None }
}

/// A gather or scatter in SMPI's words.
fn rooted(name: &str, send: Items, recv: Items, root: u32) -> String {
    let types = format!("{} {}", type_word(send.size), type_word(recv.size));
    format!("{name} {} {} {root} {types}", send.count, recv.count)
}
