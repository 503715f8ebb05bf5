//! From lines to actions. What is wrong with a line is said as what was found, and what was expected instead.

use smpi_base::Agent;
use smpi_mailbox::Context;
use smpi_mpi::collective::select::Operation;
use smpi_mpi::collective::{Root, Shape};
use smpi_mpi::comm::WORLD_CONTEXT;
use smpi_mpi::topology::Neighbours;

use crate::action::{
    Access, AccessKind, Action, Blocks, Collective, Items, Message, Named, Probe, Reduction, Run, Settled, Start,
};

/// Bytes of the elements of SMPI's types, by their numbers.
const SIZES: [u64; 57] = [
    8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8, 8, 16, 4, 1, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16, 32, 8, 8, 8, 16, 16, 8, 8, 8,
    16, 16, 4, 4, 8, 16, 8, 16, 16, 4, 2, 4, 8, 16, 32, 1, 8, 16, 32, 0, 0,
];

/// Most ranks that a trace may speak of, and most elements of a list in it.
const MOST: u64 = Agent::MOST_RANKS as u64;

/// What is wrong with a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// What is there.
    pub found: String,
    /// What should be.
    pub expected: String,
}

fn problem<T>(found: impl Into<String>, expected: impl Into<String>) -> Result<T, Problem> {
    Err(Problem { found: found.into(), expected: expected.into() })
}

/// What a line is read for.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// Ranks of `MPI_COMM_WORLD`.
    pub ranks: u32,
    /// The rank whose line it is.
    pub rank: u32,
    /// Bytes of elements whose type is left out.
    pub default_size: u64,
}

/// The rank that a line begins with, and the rest of it; `None` for comments and empty lines.
///
/// # Errors
/// When the line does not begin with a rank.
pub fn rank_of(line: &str) -> Result<Option<(u32, &str)>, Problem> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    match word.parse::<Agent>() {
        Ok(agent) if agent.thread() != 0 => problem(
            format!("\"{word}\", another thread than the first"),
            "a rank: what its other threads do is not replayed",
        ),
        Ok(agent) => Ok(Some((agent.rank().0, rest))),
        Err(_) => problem(format!("\"{}\"", shown(word)), "the number of a rank, and then an action"),
    }
}

/// A word that is not too long for a message.
fn shown(word: &str) -> String {
    if word.chars().count() <= 40 { word.to_string() } else { word.chars().take(40).chain(['…']).collect() }
}

/// The words of an action, taken one by one.
struct Words<'a> {
    name: &'a str,
    words: Vec<&'a str>,
    next: usize,
}

impl<'a> Words<'a> {
    fn left(&self) -> usize {
        self.words.len() - self.next
    }

    fn word(&mut self, what: &str) -> Result<&'a str, Problem> {
        let Some(word) = self.words.get(self.next) else {
            return problem(format!("{} with {} arguments", self.name, self.words.len()), format!("{what} after them"));
        };
        self.next += 1;
        Ok(word)
    }

    fn wrong<T>(&self, word: &str, what: &str) -> Result<T, Problem> {
        problem(format!("\"{}\" as argument {} of {}", shown(word), self.next, self.name), what)
    }

    fn number(&mut self, what: &str) -> Result<f64, Problem> {
        let word = self.word(what)?;
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
            _ => self.wrong(word, &format!("{what}: a number that is 0 or more")),
        }
    }

    /// An integer, maybe written as a floating-point number as in `1e6`.
    fn integer(&mut self, what: &str) -> Result<i64, Problem> {
        let word = self.word(what)?;
        match integer(word) {
            Some(number) => Ok(number),
            None => self.wrong(word, &format!("{what}: an integer")),
        }
    }

    fn count(&mut self, what: &str) -> Result<i64, Problem> {
        let number = self.integer(what)?;
        if number >= 0 { Ok(number) } else { self.wrong(&number.to_string(), &format!("{what}: 0 or more")) }
    }

    fn small(&mut self, what: &str) -> Result<i32, Problem> {
        let number = self.integer(what)?;
        i32::try_from(number).or_else(|_| self.wrong(&number.to_string(), &format!("{what}: a number of 32 bits")))
    }

    fn unsigned(&mut self, what: &str) -> Result<u32, Problem> {
        let number = self.integer(what)?;
        u32::try_from(number).or_else(|_| self.wrong(&number.to_string(), &format!("{what}: 0 or more")))
    }

    fn all_unsigned(&mut self, what: &str) -> Result<Vec<u32>, Problem> {
        (0..self.left()).map(|_| self.unsigned(what)).collect()
    }

    /// The size of a type that may be left out.
    fn size(&mut self, reader: Reader) -> Result<u64, Problem> {
        if self.left() == 0 {
            return Ok(reader.default_size);
        }
        let word = self.word("a type")?;
        match size(word) {
            Some(size) => Ok(size),
            None => self.wrong(word, "a type: its number in SMPI's traces (0 to 56), or b and bytes, as in b12"),
        }
    }

    fn counts(&mut self, ranks: u32) -> Result<Vec<i64>, Problem> {
        if (self.left() as u64) < u64::from(ranks) {
            let found = format!("{} with {} more arguments", self.name, self.left());
            return problem(found, format!("a count for each of {ranks} ranks"));
        }
        (0..ranks).map(|_| self.count("a count")).collect()
    }

    /// The root, which may be left out.
    fn root(&mut self, reader: Reader) -> Result<u32, Problem> {
        if self.left() == 0 {
            return Ok(0);
        }
        let root = self.unsigned("the root")?;
        if root < reader.ranks {
            return Ok(root);
        }
        self.wrong(&root.to_string(), &format!("the root: a rank from 0 to {}", reader.ranks.saturating_sub(1)))
    }

    /// A number, or `-` for none.
    fn maybe(&mut self, what: &str) -> Result<Option<u64>, Problem> {
        if self.words.get(self.next) == Some(&"-") {
            self.next += 1;
            return Ok(None);
        }
        self.count(&format!("{what}, or -")).map(|number| Some(number as u64))
    }

    fn flag(&mut self, yes: &str, no: &str) -> Result<bool, Problem> {
        let word = self.word(&format!("{yes} or {no}"))?;
        if word == yes || word == no { Ok(word == yes) } else { self.wrong(word, &format!("{yes} or {no}")) }
    }

    fn end(&mut self) -> Result<(), Problem> {
        if self.left() == 0 {
            return Ok(());
        }
        let first = shown(self.words[self.next]);
        problem(format!("\"{first}\" behind the arguments of {}", self.name), "the end of the line")
    }
}

fn integer(word: &str) -> Option<i64> {
    word.parse::<i64>().ok().or_else(|| {
        let number = word.parse::<f64>().ok()?.trunc();
        (number.abs() < 9.0e15).then_some(number as i64)
    })
}

fn size(word: &str) -> Option<u64> {
    match word.strip_prefix('b') {
        Some(bytes) => bytes.parse().ok().filter(|bytes| *bytes <= u64::from(u32::MAX)),
        None => SIZES.get(word.parse::<usize>().ok()?).copied(),
    }
}

/// Splits `isend@10` into the action and its context.
fn placed(name: &str) -> Option<(&str, Context)> {
    match name.split_once('@') {
        None => Some((name, WORLD_CONTEXT)),
        Some((name, context)) => Some((name, context.parse().ok()?)),
    }
}

impl Reader {
    /// Reads what follows the rank of a line.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn action(self, text: &str) -> Result<Action, Problem> {
        let mut words = text.split_whitespace();
        let Some(whole) = words.next() else { return problem("a rank and nothing else", "an action behind it") };
        let mut words = Words { name: whole, words: words.collect(), next: 0 };
        let Some((name, context)) = placed(whole) else {
            return problem(format!("\"{}\"", shown(whole)), "the context of a communicator behind @, as in send@10");
        };
        let words = &mut words;
        if let Some(action) = self.plain(name, words)? {
            return Ok(action);
        }
        let message = self.message(name, context, words)?;
        let action = match message {
            Some(action) => Some(action),
            None => self.collective(name, words)?,
        };
        match action {
            Some(action) => words.end().map(|()| action),
            None => problem(
                format!("the action \"{}\"", shown(whole)),
                "an action that docs/replay.md lists; is the file a trace for SMPI's -replay?",
            ),
        }
    }

    /// Actions that are neither messages nor collective.
    fn plain(self, name: &str, words: &mut Words) -> Result<Option<Action>, Problem> {
        let action = match name {
            // Whatever stands behind it means another default.
            "init" => return Ok(Some(Action::Init(if words.left() > 0 { 8 } else { 1 }))),
            "finalize" => return Ok(Some(Action::Finalize)),
            // What SMPI writes about communicators and places takes no time.
            "comm_size" | "comm_split" | "comm_dup" | "location" | "nothing" => return Ok(Some(Action::Nothing)),
            "missing" => return Ok(Some(Action::Missing(words.words.join(" ")))),
            "compute" => {
                let word = words.word("flops")?;
                let flops: Option<Vec<f64>> =
                    word.split(',').map(|one| one.parse().ok().filter(|one: &f64| one.is_finite())).collect();
                match flops.filter(|flops| flops.iter().all(|one| *one >= 0.0)) {
                    Some(flops) => Action::Compute(flops),
                    None => return words.wrong(word, "flops, 0 or more; those of threads behind commas"),
                }
            }
            "sleep" => Action::Sleep(words.number("seconds")?),
            "clock" => Action::Clock,
            "wait" | "test" => {
                let (from, to, tag) =
                    (words.small("the sender")?, words.small("the receiver")?, words.small("the tag")?);
                if name == "wait" { Action::WaitFor(from, to, tag) } else { Action::TestFor(from, to, tag) }
            }
            // SMPI writes how many there are.
            "waitall" => return Ok(Some(Action::WaitOpen)),
            "wait_request" => Action::Wait(words.unsigned("a request")?),
            "wait_requests" => Action::WaitAll(words.all_unsigned("a request")?),
            "drain" => Action::Drain,
            "test_requests" => Action::Test(words.flag("yes", "no")?),
            "test_nothing" => Action::TestNothing(words.flag("yes", "no")?),
            "show_request" => Action::Show(words.unsigned("a request")?),
            "free_request" => Action::Free(words.unsigned("a request")?),
            "cancel_request" => Action::Cancel(words.unsigned("a request")?),
            "comm" => {
                let (context, rank) = (words.unsigned("a context")?, words.unsigned("the own rank")?);
                let own = self.runs(words)?;
                Action::Comm(context, rank, own, self.runs(words)?)
            }
            _ => return self.window(name, words),
        };
        words.end().map(|()| Some(action))
    }

    /// Actions about windows.
    fn window(self, name: &str, words: &mut Words) -> Result<Option<Action>, Problem> {
        const WINDOW: &str = "the context of a window";
        const TARGET: &str = "a target";
        let action = match name {
            "window" => Action::Window(words.unsigned(WINDOW)?),
            "access" => self.access(words)?,
            "settle" => {
                let window = words.unsigned(WINDOW)?;
                let target = words.maybe(TARGET)?;
                let target = target.map(|target| u32::try_from(target).unwrap_or(u32::MAX));
                Action::Settle(
                    window,
                    target,
                    match words.word("local, arrived or known")? {
                        "local" => Settled::Local,
                        "arrived" => Settled::Arrived,
                        "known" => Settled::Known,
                        other => return words.wrong(other, "local, arrived or known"),
                    },
                )
            }
            "lock" | "ilock" => {
                let start = if name == "lock" { Start::Blocking } else { Start::Immediate };
                let (window, target) = (words.unsigned(WINDOW)?, words.unsigned(TARGET)?);
                Action::Lock(start, window, target, words.flag("exclusive", "shared")?)
            }
            "release" => Action::Release(words.unsigned(WINDOW)?, words.unsigned(TARGET)?),
            "word" => Action::Word(words.unsigned(WINDOW)?, words.unsigned("a rank")?, words.small("a tag")?),
            _ => return Ok(None),
        };
        words.end().map(|()| Some(action))
    }

    fn access(self, words: &mut Words) -> Result<Action, Problem> {
        let (window, target) = (words.unsigned("the context of a window")?, words.small("a target")?);
        let kind = match words.word("what the access does")? {
            "put" => AccessKind::Put,
            "get" => AccessKind::Get,
            "combine" => AccessKind::Combine,
            "fetch" => AccessKind::Fetch,
            "swap" => AccessKind::Swap,
            other => return words.wrong(other, "put, get, combine, fetch or swap"),
        };
        let there = words.count("bytes at the target")? as u64;
        let (brings, result) = (words.maybe("bytes brought")?, words.maybe("bytes taken back")?);
        let by_request = words.left() > 0 && words.flag("request", "")?;
        Ok(Action::Access(Access { window, target, kind, there, brings, result, by_request }))
    }

    /// Members of a group.
    fn runs(self, words: &mut Words) -> Result<Vec<Run>, Problem> {
        let word = words.word("ranks, as in 0-3,5,8-12:2")?;
        if word == "-" {
            return Ok(Vec::new());
        }
        let run = |text: &str| -> Option<Run> {
            let (ends, step) = match text.split_once(':') {
                Some((ends, step)) => (ends, step.parse().ok().filter(|step| *step > 0)?),
                None => (text, 1),
            };
            let (first, last) = match ends.split_once('-') {
                Some((first, last)) => (first.parse().ok()?, last.parse().ok()?),
                None => (ends.parse().ok()?, ends.parse().ok()?),
            };
            (first <= last && last < self.ranks).then_some((first, last, step))
        };
        let expected = format!("ranks below {}, as in 0-3,5,8-12:2", self.ranks);
        word.split(',').map(run).collect::<Option<Vec<Run>>>().map_or_else(|| words.wrong(word, &expected), Ok)
    }

    fn message(self, name: &str, context: Context, words: &mut Words) -> Result<Option<Action>, Problem> {
        if let Some((take, waits)) = match name {
            "probe" => Some((false, true)),
            "iprobe" => Some((false, false)),
            "mprobe" => Some((true, true)),
            "improbe" => Some((true, false)),
            _ => None,
        } {
            let (from, tag) = (words.small("the sender")?, words.small("the tag")?);
            let found = if waits { None } else { Some(words.flag("yes", "no")?) };
            return Ok(Some(Action::Probe(context, Probe { from, tag, take, found })));
        }
        if name == "sendRecv" {
            let (sent, to) = (words.count("the number of elements sent")?, words.small("the receiver")?);
            let (got, from) = (words.count("the number of elements received")?, words.small("the sender")?);
            let send = (to, 0, Items { count: sent, size: words.size(self)? });
            let recv = (from, 0, Items { count: got, size: words.size(self)? });
            return Ok(Some(Action::Message(Start::Blocking, context, Message::Both { send, recv })));
        }
        const KINDS: [&str; 7] = ["send", "bsend", "ssend", "rsend", "recv", "sendrecv", "mrecv"];
        const STARTS: [(&str, Start); 3] = [("i", Start::Immediate), ("p", Start::Persistent), ("x", Start::Internal)];
        let started = STARTS.iter().find_map(|(prefix, start)| {
            name.strip_prefix(prefix).filter(|kind| KINDS.contains(kind)).map(|kind| (*start, kind))
        });
        let Some((start, kind)) = KINDS.contains(&name).then_some((Start::Blocking, name)).or(started) else {
            return Ok(None);
        };
        let message = match kind {
            "recv" => {
                let (from, tag) = (words.small("the sender")?, words.small("the tag")?);
                let count = words.integer("the number of elements")?;
                Message::Recv { from, tag, items: Items { count, size: words.size(self)? } }
            }
            "sendrecv" => {
                let send = (words.small("the receiver")?, words.small("its tag")?, self.items(words)?);
                let recv = (words.small("the sender")?, words.small("its tag")?, self.items(words)?);
                Message::Both { send, recv }
            }
            "mrecv" => Message::Matched { message: words.unsigned("a message")?, items: self.items(words)? },
            _ => {
                let mode = match kind {
                    "bsend" => Named::Buffered,
                    "ssend" => Named::Synchronous,
                    "rsend" => Named::Ready,
                    _ => Named::Standard,
                };
                let (to, tag) = (words.small("the receiver")?, words.small("the tag")?);
                Message::Send { mode, to, tag, items: self.items(words)? }
            }
        };
        Ok(Some(Action::Message(start, context, message)))
    }

    fn items(self, words: &mut Words) -> Result<Items, Problem> {
        let count = words.count("the number of elements")?;
        Ok(Items { count, size: words.size(self)? })
    }

    /// A collective action in SMPI's words, or in those of the extension.
    fn collective(self, name: &str, words: &mut Words) -> Result<Option<Action>, Problem> {
        if name == "coll" {
            return self.extended(words).map(|call| Some(Action::Collective(Box::new(call))));
        }
        let Some(shape) = Shape::all().find(|shape| shape.name() == name && is_of_smpi(*shape)) else {
            return Ok(None);
        };
        let mut call = Collective::new(shape, WORLD_CONTEXT);
        match shape {
            Shape::Of(Operation::Barrier) => {}
            Shape::Of(Operation::Bcast) => {
                let count = words.count("the number of elements")?;
                call.root = Some(Root::Rank(words.root(self)?));
                call.recv = Some(Blocks::Even(Items { count, size: words.size(self)? }));
            }
            Shape::Of(Operation::Reduce)
            | Shape::Of(Operation::Allreduce)
            | Shape::Of(Operation::Scan)
            | Shape::Of(Operation::Exscan) => self.reduction(&mut call, words)?,
            Shape::Of(Operation::ReduceScatter) => {
                call.counts = words.counts(self.ranks)?;
                call.flops = words.number("flops")?;
                let size = words.size(self)?;
                let own = call.counts.get(self.rank as usize).copied().unwrap_or(0);
                call.send = Some(Blocks::Even(Items { count: call.counts.iter().sum(), size }));
                call.recv = Some(Blocks::Even(Items { count: own, size }));
                call.op = Some(Reduction::Predefined);
            }
            Shape::Of(Operation::Gather)
            | Shape::Of(Operation::Scatter)
            | Shape::Of(Operation::Allgather)
            | Shape::Of(Operation::Alltoall) => {
                let (sent, got) = (words.count("elements sent")?, words.count("elements received")?);
                let is_rooted = matches!(shape, Shape::Of(Operation::Gather) | Shape::Of(Operation::Scatter));
                let root = if is_rooted { Some(words.root(self)?) } else { None };
                let send = Blocks::Even(Items { count: sent, size: words.size(self)? });
                let recv = Blocks::Even(Items { count: got, size: words.size(self)? });
                call.root = root.map(Root::Rank);
                let is_root = root.is_none_or(|root| root == self.rank);
                call.send = (shape != Shape::Of(Operation::Scatter) || is_root).then_some(send);
                call.recv = (shape != Shape::Of(Operation::Gather) || is_root).then_some(recv);
            }
            _ => self.varying(&mut call, words)?,
        }
        Ok(Some(Action::Collective(Box::new(call))))
    }

    fn reduction(self, call: &mut Collective, words: &mut Words) -> Result<(), Problem> {
        let count = words.count("the number of elements")?;
        call.flops = words.number("flops")?;
        let root = if call.shape == Shape::Of(Operation::Reduce) { Some(words.root(self)?) } else { None };
        let items = Items { count, size: words.size(self)? };
        call.root = root.map(Root::Rank);
        call.op = Some(Reduction::Predefined);
        call.send = Some(Blocks::Even(items));
        call.recv = root.is_none_or(|root| root == self.rank).then_some(Blocks::Even(items));
        Ok(())
    }

    /// The operations with a count for each rank.
    fn varying(self, call: &mut Collective, words: &mut Words) -> Result<(), Problem> {
        match call.shape {
            Shape::Of(Operation::Gatherv) => {
                let own = words.count("elements sent")?;
                let counts = words.counts(self.ranks)?;
                let root = words.root(self)?;
                call.root = Some(Root::Rank(root));
                call.send = Some(Blocks::Even(Items { count: own, size: words.size(self)? }));
                let size = words.size(self)?;
                call.recv = (root == self.rank).then_some(Blocks::Varying { counts, size });
            }
            Shape::Of(Operation::Scatterv) => {
                let counts = words.counts(self.ranks)?;
                let own = words.count("elements received")?;
                let root = words.root(self)?;
                call.root = Some(Root::Rank(root));
                let size = words.size(self)?;
                call.send = (root == self.rank).then_some(Blocks::Varying { counts, size });
                call.recv = Some(Blocks::Even(Items { count: own, size: words.size(self)? }));
            }
            Shape::Of(Operation::Allgatherv) => {
                let own = words.count("elements sent")?;
                let counts = words.counts(self.ranks)?;
                // Displacements take no time, and may come with types or without.
                let ranks = self.ranks as usize;
                let (sent, got) = if words.left() == ranks && ranks > 2 {
                    (self.default_size, self.default_size)
                } else {
                    (words.size(self)?, words.size(self)?)
                };
                if words.left() == ranks {
                    words.counts(self.ranks)?;
                }
                call.send = Some(Blocks::Even(Items { count: own, size: sent }));
                call.recv = Some(Blocks::Varying { counts, size: got });
            }
            _ => {
                words.count("the size of the send buffer")?;
                let sent = words.counts(self.ranks)?;
                words.count("the size of the receive buffer")?;
                let got = words.counts(self.ranks)?;
                call.send = Some(Blocks::Varying { counts: sent, size: words.size(self)? });
                call.recv = Some(Blocks::Varying { counts: got, size: words.size(self)? });
            }
        }
        Ok(())
    }

    fn extended(self, words: &mut Words) -> Result<Collective, Problem> {
        let name = words.word("a collective operation")?;
        let Some(shape) = Shape::all().find(|shape| shape.name() == name) else {
            return words.wrong(name, "a collective operation that docs/replay.md lists");
        };
        let start = match words.word("b, i, p or x")? {
            "b" => Start::Blocking,
            "i" => Start::Immediate,
            "p" => Start::Persistent,
            "x" => Start::Internal,
            other => return words.wrong(other, "b, i, p or x"),
        };
        let mut call = Collective { start, ..Collective::new(shape, words.unsigned("a context")?) };
        call.number = match words.word("a number")? {
            "-" => None,
            word => match word.parse::<u32>() {
                Ok(number) => Some(number),
                Err(_) => return words.wrong(word, "the number of the call on its communicator, or -"),
            },
        };
        call.root = match words.word("the root")? {
            "-" => None,
            "here" => Some(Root::Here),
            "elsewhere" => Some(Root::Elsewhere),
            word => match word.parse() {
                Ok(root) => Some(Root::Rank(root)),
                Err(_) => return words.wrong(word, "the root: a rank, here, elsewhere or -"),
            },
        };
        call.op = match words.word("an operation")? {
            "-" => None,
            "op" => Some(Reduction::Predefined),
            "user" => Some(Reduction::User { commutes: true }),
            "ordered" => Some(Reduction::User { commutes: false }),
            word => return words.wrong(word, "op, user, ordered or -"),
        };
        call.send = blocks(words)?;
        call.recv = blocks(words)?;
        while words.left() > 0 {
            let word = words.word("an argument")?;
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            let is_read = match key {
                "counts" => unfolded(value).map(|counts| call.counts = counts),
                "around" => around(value).map(|around| call.around = Some(around)),
                "flops" => value.parse().ok().filter(|flops: &f64| *flops >= 0.0).map(|flops| call.flops = flops),
                _ => None,
            };
            if is_read.is_none() {
                return words.wrong(word, "counts=…, around=… or flops=…");
            }
        }
        Ok(call)
    }
}

/// Whether SMPI has an action for it.
fn is_of_smpi(shape: Shape) -> bool {
    matches!(shape, Shape::Of(operation) if !matches!(operation, Operation::Alltoallw | Operation::ReduceScatterBlock))
}

/// Numbers, with `5x16` for sixteen fives.
fn unfolded(text: &str) -> Option<Vec<i64>> {
    let mut numbers = Vec::new();
    for word in text.split(',').filter(|_| !text.is_empty()) {
        let (number, times) = match word.split_once('x') {
            Some((number, times)) => (number, times.parse::<u64>().ok()?),
            None => (word, 1),
        };
        let number: i64 = number.parse().ok().filter(|number| *number >= 0)?;
        if numbers.len() as u64 + times > MOST {
            return None;
        }
        numbers.extend(std::iter::repeat_n(number, times as usize));
    }
    Some(numbers)
}

fn item(text: &str) -> Option<Items> {
    let (count, kind) = text.split_once('*')?;
    Some(Items { count: count.parse().ok().filter(|count| *count >= 0)?, size: size(kind)? })
}

fn blocks(words: &mut Words) -> Result<Option<Blocks>, Problem> {
    let word = words.word("blocks")?;
    let read = match (word, word.chars().next()) {
        ("-", _) => return Ok(None),
        (_, Some('v')) => word[1..]
            .split_once(':')
            .and_then(|(kind, counts)| Some(Blocks::Varying { counts: unfolded(counts)?, size: size(kind)? })),
        ("w", _) => Some(Blocks::Typed(Vec::new())),
        (_, Some('w')) => word[1..].split(',').map(item).collect::<Option<Vec<Items>>>().map(Blocks::Typed),
        _ => item(word).map(Blocks::Even),
    };
    match read {
        Some(blocks) => Ok(Some(blocks)),
        None => words.wrong(word, "blocks: -, 10*0, v0:10,20 or w10*0,20*1"),
    }
}

fn around(text: &str) -> Option<(Neighbours, bool)> {
    let mut parts = text.split(':');
    let mut flag = || match parts.next()? {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    };
    let (opposite, each) = (flag()?, flag()?);
    let mut list = || -> Option<Vec<Option<u32>>> {
        let text = parts.next()?;
        if text.is_empty() {
            return Some(Vec::new());
        }
        text.split(',').map(|word| if word == "-" { Some(None) } else { word.parse().ok().map(Some) }).collect()
    };
    let (sources, destinations) = (list()?, list()?);
    let is_sound = parts.next().is_none() && (!opposite || sources.len() % 2 == 0);
    is_sound.then_some((Neighbours { sources, destinations, opposite }, each))
}
