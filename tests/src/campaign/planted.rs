//! Programs with a deadlock that neither extreme of buffering shows: one call has to go on early, and others have to
//! wait.
//!
//! One rank, the *taker*, receives two messages from anybody. Which one is the first tells whether some other rank went
//! on early: its send was buffered, or it left a broadcast of which it is the root. If so, the taker waits for a send
//! to its *partner* before it receives from it, and the partner does the same: stuck, unless one of these sends is
//! buffered.

use super::program::Program;
use smpi_base::rng::Rng;

/// The program of a seed, for four ranks.
///
/// # Panics
/// When what it writes is not a program.
pub fn program(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let mut ranks = [0, 1, 2, 3];
    for last in (1..4).rev() {
        ranks.swap(last, rng.below(last + 1));
    }
    let [taker, early, other, partner] = ranks;
    let mut code = [const { String::new() }; 4];
    let receive = ["recv", "mrecv"][rng.below(2)];
    let wait = ["wait0", "waitall", "waitany"][rng.below(3)];
    let leaves = rng.below(2) == 0;
    let first = if leaves { early } else { other };
    let join = if leaves { format!("bcast{early},") } else { String::new() };
    code[taker] = format!(
        "{},{receive}*,if{first},{wait},{join}{receive}{partner}.5,recv*",
        nonblocking(&mut rng, partner, ".5+")
    );
    code[partner] = format!("{join}{},recv{taker}.5", blocking(&mut rng, taker, ".5+"));
    if leaves {
        code[early] = format!("{join}ssend{taker}");
        code[other] = format!("issend{taker},{join}wait0");
    } else {
        code[early] = format!("{},send{other}", blocking(&mut rng, taker, ""));
        code[other] = format!("recv{early},{}send{taker}", ["", "s"][rng.below(2)]);
    }
    add_noise(&mut rng, &mut code);
    parsed(&code)
}

/// Another kind of program, for four ranks: one of them, the *taker*, receives from anybody and never learns from whom.
/// It sees partitions of a message, tells somebody of that, and gets an answer, which its first receive may have taken
/// just as well. So what the taker knows by its partitions must not be more, nor less, than they tell.
///
/// # Panics
/// When what it writes is not a program.
pub fn partitioned(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let mut ranks = [0, 1, 2, 3];
    for last in (1..4).rev() {
        ranks.swap(last, rng.below(last + 1));
    }
    let [taker, giver, asked, other] = ranks;
    let from = [giver, asked, other, other][rng.below(4)];
    let mut code = [const { String::new() }; 4];
    let partition = rng.below(2);
    code[from] = format!("partsend{taker}.1,start0,ready0.{partition},ready0.{},", 1 - partition);
    let how = ["send", "bsend", "ssend"];
    code[giver] += &format!("{}{taker},{}{taker}.2", ["send", "bsend"][rng.below(2)], how[rng.below(3)]);
    code[asked] += &format!("recv{taker}.3,{}{taker}", how[rng.below(3)]);
    let known = ["recv*.2".to_string(), format!("recv{giver}.2"), "probe*.2,recv*.2".to_string()];
    let known = &known[rng.below(3)];
    let look = |rng: &mut Rng, request: usize| {
        let (first, second) = (rng.below(3), rng.below(3));
        match rng.below(4) {
            0 => format!("pollpart{request}.{first},arrived{request}.{second}"),
            1 => format!("arrived{request}.{first},pollpart{request}.{second}"),
            2 => format!("pollpart{request}.{first},status{request}"),
            _ => format!("pollpart{request}.{first}"),
        }
    };
    let is_first = rng.below(3) == 0;
    let receive = format!("partrecv{from}.1,start{}", if is_first { 0 } else { 1 });
    let given_up = format!("irecv*,free{}", if is_first { 1 } else { 0 });
    let begin = match is_first {
        true => format!("{receive},{given_up},{known}"),
        false => format!("{given_up},{known},{receive}"),
    };
    let seen = look(&mut rng, if is_first { 0 } else { 1 });
    let last = ["recv*".to_string(), "irecv*,waitany".to_string(), format!("recv{asked}")];
    code[taker] = format!("{begin},{seen},send{asked}.3,{}", last[rng.below(3)]);
    add_noise(&mut rng, &mut code);
    parsed(&code)
}

/// A standard-mode send that is request 0 of its rank.
fn nonblocking(rng: &mut Rng, to: usize, how: &str) -> String {
    if rng.below(2) == 0 { format!("isend{to}{how}") } else { format!("psend{to}{how},start0") }
}

/// A standard-mode send, at the beginning of its rank, and a wait for it.
fn blocking(rng: &mut Rng, to: usize, how: &str) -> String {
    match rng.below(3) {
        0 => format!("send{to}{how}"),
        1 => format!("{},wait0", nonblocking(rng, to, how)),
        _ => format!("{},waitall", nonblocking(rng, to, how)),
    }
}

/// Adds what changes nothing: collective operations before and behind, messages that nobody waits for before the end.
fn add_noise(rng: &mut Rng, code: &mut [String; 4]) {
    let names = ["barrier", "allreduce", "bcast0", "dup"];
    if rng.below(3) == 0 {
        let name = names[rng.below(names.len())];
        code.iter_mut().for_each(|code| *code = format!("{name},{code}"));
    }
    if rng.below(3) == 0 {
        let from = rng.below(4);
        let to = (from + 1 + rng.below(3)) % 4;
        if rng.below(3) == 0 {
            for (rank, name, peer) in [(from, "partsend", to), (to, "partrecv", from)] {
                let request = requests_of(&code[rank]);
                code[rank] += &format!(",{name}{peer}.7@d,start{request}");
            }
        } else {
            code[from] += &format!(",{}{to}.7@d", ["isend", "issend"][rng.below(2)]);
            code[to] += &format!(",irecv{}.7@d", ["*".to_string(), from.to_string()][rng.below(2)]);
        }
    }
    if rng.below(3) == 0 {
        let name = names[rng.below(names.len())];
        code.iter_mut().for_each(|code| *code += &format!(",{name}"));
    }
}

/// The program of these ranks. An empty word would be lost, and the ranks behind it with their numbers.
fn parsed(code: &[String; 4]) -> Program {
    let words = code.each_ref().map(|code| if code.is_empty() { "-" } else { code });
    Program::parse(&words.join(" ")).unwrap_or_else(|message| panic!("{}: {message}", words.join(" ")))
}

/// How many requests a word makes.
fn requests_of(word: &str) -> usize {
    let program = Program::parse(word).unwrap_or_default();
    program.ranks.iter().flatten().filter(|op| op.makes_request()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_can_be_read() {
        (0..1000).for_each(|seed| assert_eq!(program(seed).ranks.len(), 4));
        (0..1000).for_each(|seed| assert_eq!(partitioned(seed).ranks.len(), 4));
    }
}
