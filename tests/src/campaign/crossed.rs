//! Which features random programs bring together, and which calls ask what an earlier one has told.

use super::program::{COLLECTIVES, Number, Op, Program};
use crate::covered::Covered;
use std::collections::BTreeSet;

/// Calls that tell a rank something about its requests and messages.
const TELLING: [&str; 23] = [
    "recv",
    "mrecv",
    "sendrecv",
    "probe",
    "iprobe",
    "imrecv",
    "pollprobe",
    "status",
    "arrived",
    "cancel",
    "wait",
    "test",
    "poll",
    "turns",
    "inturn",
    "retry",
    "waitany",
    "waitsome",
    "waitall",
    "testany",
    "testsome",
    "testall",
    "pollall",
];

/// Calls that may be answered by "no", and must not be where the rank knows better.
const ASKING: [&str; 14] = [
    "iprobe",
    "imrecv",
    "pollprobe",
    "status",
    "arrived",
    "test",
    "poll",
    "turns",
    "inturn",
    "retry",
    "testany",
    "testsome",
    "testall",
    "pollall",
];

/// The features that an operation belongs to.
fn features(op: &Op) -> Vec<&'static str> {
    let name = op.name.as_str();
    let stem = op.stem();
    let form = name.strip_suffix(stem).unwrap_or_default();
    let is_collective = COLLECTIVES.contains(&stem);
    let all = [
        ("collective", is_collective && form.is_empty()),
        ("nonblocking collective", is_collective && form == "i"),
        ("persistent collective", is_collective && form == "p"),
        ("nonblocking", !is_collective && form == "i"),
        ("persistent", !is_collective && form == "p"),
        ("partitioned", name.starts_with("part")),
        ("probe", ["probe", "iprobe", "mrecv", "imrecv", "pollprobe"].contains(&name)),
        ("test", name.starts_with("test") || ["status", "arrived"].contains(&name)),
        ("poll", name.starts_with("poll")),
        ("counted poll", name == "retry"),
        ("uneven poll", name == "turns"),
        ("polls in turn", name == "inturn"),
        ("any of several", name.ends_with("any") || name.ends_with("some")),
        ("cancel", name == "cancel"),
        ("free", name == "free"),
        ("ready", stem == "rsend"),
        ("buffered", stem == "bsend"),
        ("synchronous", stem == "ssend"),
        ("wildcard", op.number == Number::Any),
        ("large", op.large),
        ("another communicator", op.comm == 'd' || op.comm == 'h' || ["dup", "split"].contains(&name)),
        ("intercommunicator", op.comm == 'x'),
        ("branch", name == "if"),
    ];
    all.into_iter().filter(|feature| feature.1).map(|feature| feature.0).collect()
}

/// Counts the pairs of a program: once each.
pub fn cover(program: &Program, covered: &mut Covered) {
    let all: BTreeSet<&str> = program.ranks.iter().flatten().flat_map(features).collect();
    for (index, one) in all.iter().enumerate() {
        all.iter().skip(index).for_each(|other| covered.add("programs with both features", one, other, 1));
    }
    let mut pairs = BTreeSet::new();
    for ops in &program.ranks {
        for (at, asking) in ops.iter().enumerate().filter(|(_, op)| ASKING.contains(&op.name.as_str())) {
            let told =
                ops[..at].iter().filter(|op| TELLING.contains(&op.stem()) || TELLING.contains(&op.name.as_str()));
            pairs.extend(told.map(|op| (op.name.clone(), asking.name.clone())));
        }
    }
    pairs.iter().for_each(|(told, asking)| covered.add("calls that tell before calls that ask", told, asking, 1));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_those_of_a_program() {
        let mut covered = Covered::default();
        cover(&Program::parse("irecv*,status0,test0 send0").unwrap(), &mut covered);
        let lines = covered.lines();
        for pair in ["status\ttest\t1", "nonblocking\twildcard\t1", "test\ttest\t1"] {
            assert!(lines.contains(pair), "{lines}");
        }
        assert!(!lines.contains("test\tstatus"), "{lines}");
    }
}
