//! A program as the interpreter `tests/programs/verify/script.c` reads it: a word for each rank.

use std::fmt;

/// The number after an operation's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    /// There is none.
    None,
    /// `*`: any source.
    Any,
    /// A rank, a root, a value.
    Is(u32),
    /// A request of the same rank, by [`Op::makes`].
    Request(u32),
}

/// One operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Op {
    /// Name.
    pub name: String,
    /// What follows it.
    pub number: Number,
    /// Tag; none: any.
    pub tag: Option<u32>,
    /// `w`, `d`, `h` or `x`.
    pub comm: char,
    /// A larger message.
    pub large: bool,
    /// The request that it makes. Any two requests of a rank have different ones.
    pub makes: Option<u32>,
}

/// The collective operations that have blocking, nonblocking and persistent forms.
pub const COLLECTIVES: [&str; 11] = [
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "gather",
    "scatter",
    "allgather",
    "alltoall",
    "scan",
    "exscan",
    "redscat",
];

const SENDS: [&str; 4] = ["send", "ssend", "bsend", "rsend"];
const PARTITIONED: [&str; 2] = ["partsend", "partrecv"];
const OF_ONE_REQUEST: [&str; 14] = [
    "start", "wait", "test", "poll", "pollcall", "turns", "retry", "status", "cancel", "free", "ready", "arrived",
    "pollpart", "inturn",
];

impl Op {
    /// An operation that makes no request.
    pub fn new(name: &str, number: Number) -> Op {
        Op { name: name.to_string(), number, tag: Some(0), comm: 'w', large: false, makes: None }
    }

    /// Without the `i` or `p` of nonblocking and persistent forms.
    pub(super) fn stem(&self) -> &str {
        let stem = self.name.strip_prefix(['i', 'p']).unwrap_or(&self.name);
        if COLLECTIVES.contains(&stem) || SENDS.contains(&stem) || stem == "recv" { stem } else { &self.name }
    }

    /// True for operations that make a request.
    pub fn makes_request(&self) -> bool {
        self.stem() != self.name || PARTITIONED.contains(&&*self.name)
    }

    /// True for operations of all ranks of a communicator.
    pub fn is_collective(&self) -> bool {
        COLLECTIVES.contains(&self.stem()) || ["dup", "split"].contains(&self.name.as_str())
    }

    /// True for sends.
    pub fn is_send(&self) -> bool {
        SENDS.contains(&self.stem())
    }
}

/// A program.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Program {
    /// The operations of every rank.
    pub ranks: Vec<Vec<Op>>,
}

impl Program {
    /// Reads words.
    ///
    /// # Errors
    /// Text for what cannot be read.
    pub fn parse(text: &str) -> Result<Program, String> {
        let word = |word: &str| if word == "-" { Ok(Vec::new()) } else { parse_word(word) };
        Ok(Program { ranks: text.split_whitespace().map(word).collect::<Result<_, _>>()? })
    }

    /// The word of each rank.
    pub fn words(&self) -> Vec<String> {
        let word = |ops: &Vec<Op>| ops.iter().map(|op| shown(op, ops)).collect::<Vec<_>>().join(",");
        // An empty word is easily lost on a command line.
        self.ranks.iter().map(word).map(|word| if word.is_empty() { "-".into() } else { word }).collect()
    }

    /// True when an operation is like this.
    pub fn has(&self, is: impl Fn(&Op) -> bool) -> bool {
        self.ranks.iter().flatten().any(is)
    }

    /// True when its ranks go on for ever.
    pub fn is_endless(&self) -> bool {
        self.has(|op| op.name == "again")
    }

    /// True when its ranks wait for each other in each round, or in each message, so that none runs away from the
    /// others where sends are buffered. (One of them may all the same if messages are left over.)
    pub fn is_paced(&self) -> bool {
        const ALL: [&str; 4] = ["barrier", "allreduce", "allgather", "alltoall"];
        let waits_for_all = |op: &Op| ALL.contains(&&*op.name) && op.comm == 'w';
        let waits = |op: &Op| match op.is_send() {
            true => op.stem() == "ssend",
            false => !["sendrecv", "partsend"].contains(&&*op.name) && (!op.is_collective() || waits_for_all(op)),
        };
        self.ranks.iter().all(|code| code.iter().any(waits_for_all)) || !self.has(|op| !waits(op))
    }

    /// Programs with a little less: without the last rank, an operation, two operations, or with a plainer one.
    pub fn smaller(&self) -> Vec<Program> {
        let mut all = Vec::new();
        if self.ranks.len() > 2 && self.ranks.last().is_some_and(Vec::is_empty) {
            all.push(Program { ranks: self.ranks[..self.ranks.len() - 1].to_vec() });
        }
        let places: Vec<(usize, usize)> =
            self.ranks.iter().enumerate().flat_map(|(rank, ops)| (0..ops.len()).map(move |at| (rank, at))).collect();
        // A collective operation goes from all ranks at once; the number of it in each rank is its name.
        let mut names: Vec<&str> =
            self.ranks.iter().flatten().filter(|op| op.is_collective()).map(|op| &*op.name).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let mut smaller = self.clone();
            for rank in 0..self.ranks.len() {
                if let Some(at) = self.ranks[rank].iter().position(|op| op.name == name) {
                    smaller = smaller.without(rank, at);
                }
            }
            all.push(smaller);
        }
        all.extend(places.iter().map(|&(rank, at)| self.without(rank, at)));
        for (index, &(rank, at)) in places.iter().enumerate() {
            let second = places[..index].iter().rev();
            all.extend(second.map(|&(other, place)| self.without(rank, at).without(other, place)));
        }
        for &(rank, at) in &places {
            all.extend(plainer(&self.ranks[rank][at]).into_iter().map(|op| {
                let mut program = self.clone();
                program.ranks[rank][at] = op;
                program
            }));
        }
        all
    }

    fn without(&self, rank: usize, at: usize) -> Program {
        let mut program = self.clone();
        let removed = program.ranks[rank].remove(at);
        if let Some(id) = removed.makes {
            program.ranks[rank].retain(|op| op.number != Number::Request(id));
        }
        program
    }
}

/// Operations that mean less.
fn plainer(op: &Op) -> Vec<Op> {
    let mut all = Vec::new();
    if op.large {
        all.push(Op { large: false, ..op.clone() });
    }
    // A buffered send in place of one that waits may make states without end.
    if op.is_send() && !op.makes_request() && op.name != "ssend" && op.name != "send" {
        all.push(Op { name: "send".into(), ..op.clone() });
    }
    if op.name == "mrecv" {
        all.push(Op { name: "recv".into(), ..op.clone() });
    }
    all
}

fn parse_word(word: &str) -> Result<Vec<Op>, String> {
    let mut ops: Vec<Op> = Vec::new();
    for text in word.split(',').filter(|text| !text.is_empty()) {
        let op = parse_op(text, ops.len() as u32, &ops).ok_or_else(|| format!("`{text}` is no operation"))?;
        ops.push(op);
    }
    Ok(ops)
}

fn parse_op(text: &str, at: u32, before: &[Op]) -> Option<Op> {
    let end = text.find(|letter: char| !letter.is_ascii_lowercase()).unwrap_or(text.len());
    let (name, mut rest) = text.split_at(end);
    let mut number = || -> Option<Option<u32>> {
        let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        if let Some(after) = rest.strip_prefix('*') {
            rest = after;
            return Some(None);
        }
        let (digits, after) = rest.split_at(end);
        rest = after;
        digits.parse().ok().map(Some)
    };
    let mut op = Op::new(name, Number::None);
    match number() {
        Some(None) => op.number = Number::Any,
        Some(Some(value)) => op.number = Number::Is(value),
        None => {}
    }
    if let Some(after) = rest.strip_prefix('.') {
        rest = after;
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '*').unwrap_or(rest.len());
        let (tag, after) = rest.split_at(end);
        op.tag = if tag == "*" { None } else { Some(tag.parse().ok()?) };
        rest = after;
    }
    if let Some(after) = rest.strip_prefix('@') {
        op.comm = after.chars().next()?;
        rest = &after[1..];
    }
    if let Some(after) = rest.strip_prefix('+') {
        op.large = true;
        rest = after;
    }
    if OF_ONE_REQUEST.contains(&name)
        && let Number::Is(place) = op.number
    {
        let id = before.iter().filter_map(|op| op.makes).nth(place as usize)?;
        op.number = Number::Request(id);
    }
    op.makes = op.makes_request().then_some(at);
    (rest.is_empty() && !name.is_empty()).then_some(op)
}

/// One operation among those of its rank.
fn shown(op: &Op, ops: &[Op]) -> String {
    let mut text = op.name.clone();
    match op.number {
        Number::None => {}
        Number::Any => text.push('*'),
        Number::Is(value) => text += &value.to_string(),
        Number::Request(id) => {
            let place = ops.iter().filter_map(|op| op.makes).position(|made| made == id);
            text += &place.map_or("?".to_string(), |place| place.to_string());
        }
    }
    match op.tag {
        Some(0) => {}
        Some(tag) => text += &format!(".{tag}"),
        None => text += ".*",
    }
    if op.comm != 'w' {
        text.extend(['@', op.comm]);
    }
    if op.large {
        text.push('+');
    }
    text
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words().join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_and_written() {
        let text = "irecv*.*,psend1+,start1,wait0,cancel0,bcast2@x,ibarrier@d,if3,partsend1.1,start3,ready3.1 - send0.1,recv*@h,probe0";
        let program = Program::parse(text).unwrap();
        assert_eq!(program.to_string(), text);
        assert_eq!(program.ranks[0][2].number, Number::Request(1));
        assert!(Program::parse("wait0").is_err());
        assert!(Program::parse("send0!").is_err());
    }

    #[test]
    fn requests_go_with_what_is_done_with_them() {
        let program = Program::parse("irecv*,isend1,wait0,wait1 -").unwrap();
        let all: Vec<String> = program.smaller().iter().map(Program::to_string).collect();
        assert!(all.contains(&"isend1,wait0 -".to_string()), "{all:?}");
    }
}
