//! The calls of MPI in a C source, line by line, with where their arguments stand.
//!
//! This is no parser of C: calls that go over several lines are not seen, and macros are text.

use std::ops::Range;

/// A call on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its line, from 0.
    pub line: usize,
    /// The bytes of the line from the name to the closing parenthesis.
    pub place: Range<usize>,
    /// Its name.
    pub name: String,
    /// The bytes of each argument.
    pub args: Vec<Range<usize>>,
}

/// Which of a call's arguments are what, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// The number of elements.
    pub count: Option<usize>,
    /// The source, the destination or the root.
    pub peer: Option<usize>,
    /// The tag.
    pub tag: Option<usize>,
    /// The communicator.
    pub comm: Option<usize>,
}

/// What kind of function a call is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It sends.
    Send,
    /// It receives.
    Receive,
    /// It probes.
    Probe,
    /// A collective operation of a communicator.
    Collective,
    /// Something else.
    Other,
}

/// A C source and its calls.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its lines.
    pub lines: Vec<String>,
    /// Its calls, in the order of the text.
    pub calls: Vec<Call>,
}

impl Source {
    /// Reads a source.
    pub fn read(text: &str) -> Source {
        let lines: Vec<String> = text.lines().map(String::from).collect();
        let is_comment = |line: &str| ["/*", "*", "//", "#"].iter().any(|begin| line.trim_start().starts_with(begin));
        let of = |(number, line): (usize, &String)| if is_comment(line) { Vec::new() } else { calls(number, line) };
        let calls = lines.iter().enumerate().flat_map(of).collect();
        Source { lines, calls }
    }

    /// The text of an argument.
    pub fn argument(&self, call: &Call, index: usize) -> &str {
        call.args.get(index).map_or("", |place| self.lines[call.line][place.clone()].trim())
    }

    /// The handle that a call is about, as it is written but without `&`: of functions of requests the request, else
    /// the last argument.
    pub fn handle(&self, call: &Call) -> String {
        let of_all = ["MPI_Waitall", "MPI_Startall", "MPI_Waitany", "MPI_Testall", "MPI_Testany"];
        let index = match call.name.as_str() {
            name if of_all.contains(&name) => 1,
            "MPI_Wait" | "MPI_Test" | "MPI_Start" | "MPI_Parrived" | "MPI_Request_free" => 0,
            "MPI_Pready" => 1,
            _ => call.args.len().saturating_sub(1),
        };
        self.argument(call, index).trim_start_matches(['&', '(']).trim_end_matches(')').to_string()
    }

    /// Whether two handles, as they are written, may be the same: an array and one of its elements may.
    pub fn may_be_same(one: &str, other: &str) -> bool {
        let array = |text: &str| text.split('[').next().unwrap_or_default().to_string();
        let is_known = |text: &str| {
            text.ends_with(']')
                && text.split('[').nth(1).is_some_and(|index| index.starts_with(|c: char| c.is_ascii_digit()))
        };
        !one.is_empty() && (one == other || array(one) == array(other) && !(is_known(one) && is_known(other)))
    }

    /// Whether a call is a statement of its own, alone or behind a condition on its line.
    pub fn is_statement(&self, call: &Call) -> bool {
        let line = &self.lines[call.line];
        let (before, after) = (line[..call.place.start].trim(), line[call.place.end..].trim());
        let is_behind = ["if (", "for (", "while (", "else", "} else"].iter().any(|begin| before.starts_with(begin));
        after == ";" && (before.is_empty() || is_behind && (before.ends_with(')') || before.ends_with("else")))
    }

    /// The text with another one at a place of a line.
    pub fn with(&self, line: usize, place: Range<usize>, text: &str) -> String {
        let mut lines = self.lines.clone();
        lines[line].replace_range(place, text);
        lines.join("\n") + "\n"
    }
}

fn calls(number: usize, line: &str) -> Vec<Call> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = line[from..].find("MPI_").map(|at| at + from) {
        let end = line[at..].find(|c: char| !c.is_alphanumeric() && c != '_').map_or(line.len(), |end| at + end);
        let is_whole = !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '"');
        if is_whole
            && line[end..].starts_with('(')
            && let Some((args, close)) = arguments(line, end)
        {
            found.push(Call { line: number, place: at..close, name: line[at..end].to_string(), args });
        }
        from = end;
    }
    found
}

/// The arguments from an opening parenthesis on, and the end behind the closing one; `None` where it is not closed.
fn arguments(line: &str, open: usize) -> Option<(Vec<Range<usize>>, usize)> {
    let (mut depth, mut begin, mut args) = (0, open + 1, Vec::new());
    for (at, letter) in line[open..].char_indices().map(|(at, letter)| (at + open, letter)) {
        match letter {
            '"' => return None,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || depth == 1 && letter == ',' {
            args.push(begin..at);
            begin = at + 1;
        }
        if depth == 0 {
            return Some((args, at + 1));
        }
    }
    None
}

impl Call {
    /// What its function does.
    pub fn role(&self) -> Role {
        let Some(name) = self.name.strip_prefix("MPI_") else { return Role::Other };
        let stem = name.strip_prefix(['I', 'P']).unwrap_or(name).trim_end_matches("_init").to_lowercase();
        match stem.as_str() {
            "send" | "ssend" | "bsend" | "rsend" => Role::Send,
            "recv" | "sendrecv" => Role::Receive,
            "probe" | "mprobe" | "robe" => Role::Probe,
            "barrier"
            | "bcast"
            | "reduce"
            | "allreduce"
            | "gather"
            | "scatter"
            | "allgather"
            | "alltoall"
            | "scan"
            | "exscan"
            | "reduce_scatter_block" => Role::Collective,
            _ => Role::Other,
        }
    }

    /// Where its arguments are.
    pub fn shape(&self) -> Shape {
        let some =
            |count, peer, tag, comm| Shape { count: Some(count), peer: Some(peer), tag: Some(tag), comm: Some(comm) };
        let of = |count, comm| Shape { count: Some(count), comm: Some(comm), ..Shape::default() };
        let rooted = |count, peer, comm| Shape { peer: Some(peer), ..of(count, comm) };
        match self.name.as_str() {
            "MPI_Psend_init" | "MPI_Precv_init" => some(2, 4, 5, 6),
            "MPI_Sendrecv" => some(1, 8, 9, 10),
            _ if matches!(self.role(), Role::Send | Role::Receive) => some(1, 3, 4, 5),
            _ if self.role() == Role::Probe => Shape { peer: Some(0), tag: Some(1), comm: Some(2), count: None },
            "MPI_Barrier" | "MPI_Ibarrier" => Shape { comm: Some(0), ..Shape::default() },
            "MPI_Bcast" | "MPI_Ibcast" => rooted(1, 3, 4),
            "MPI_Reduce" | "MPI_Ireduce" => rooted(2, 5, 6),
            "MPI_Gather" | "MPI_Igather" | "MPI_Scatter" | "MPI_Iscatter" => rooted(1, 6, 7),
            "MPI_Allreduce" | "MPI_Iallreduce" | "MPI_Scan" | "MPI_Exscan" => of(2, 5),
            "MPI_Allgather" | "MPI_Iallgather" | "MPI_Alltoall" | "MPI_Ialltoall" => of(1, 6),
            _ => Shape::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_their_arguments() {
        let source = Source::read(
            "if (rank == f(0, 1)) MPI_Send(&a[1], 2, MPI_INT, (rank + 1) % n, 3, MPI_COMM_WORLD);\n/* MPI_Recv(a) */\nx = MPI_Wait(\n",
        );
        let [call] = &source.calls[..] else { panic!("{:?}", source.calls) };
        assert_eq!((call.role(), source.is_statement(call)), (Role::Send, true));
        let words: Vec<&str> = (0..6).map(|index| source.argument(call, index)).collect();
        assert_eq!(words, ["&a[1]", "2", "MPI_INT", "(rank + 1) % n", "3", "MPI_COMM_WORLD"]);
        assert_eq!(call.shape(), Shape { count: Some(1), peer: Some(3), tag: Some(4), comm: Some(5) });
    }

    #[test]
    fn what_is_part_of_something_is_no_statement() {
        let source = Source::read("CHECK_OK(MPI_Wait(&requests[2], &status));\nx = MPI_Wtime();\n    MPI_Start(&r);\n");
        let is = |index: usize| source.is_statement(&source.calls[index]);
        assert_eq!((is(0), is(1), is(2)), (false, false, true));
        assert_eq!((&*source.handle(&source.calls[0]), &*source.handle(&source.calls[2])), ("requests[2]", "r"));
        let same = Source::may_be_same;
        assert_eq!((same("requests[2]", "requests"), same("r[2]", "r[i]"), same("r[2]", "r[3]")), (true, true, false));
    }
}
