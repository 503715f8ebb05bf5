//! Random programs.

use smpi_base::rng::Rng;
use smpi_mailbox::Pattern;

use super::program::{Buffering, Mode, Op, Program};

/// How large the programs are, and which operations they may have.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub ranks: usize,
    pub operations: usize,
}

/// Half of the programs are sequences of random operations; they often get stuck early. The others are made of messages
/// that can all be received.
pub fn program(rng: &mut Rng, size: Size) -> Program {
    if rng.below(2) == 0 { operations(rng, size) } else { messages(rng, size) }
}

/// Starts with messages: a send and a receive each, at random places of their ranks.
fn messages(rng: &mut Rng, size: Size) -> Program {
    let ranks = 2 + rng.below(size.ranks - 1);
    let tags = 1 + rng.below(2);
    let wild = 1 + rng.below(4);
    let blocking = rng.below(4);
    let polls = rng.below(3);
    let mut code: Vec<Vec<Op>> = vec![Vec::new(); ranks];
    let target = rng.below(ranks);
    for _ in 0..ranks * size.operations {
        let from = rng.below(ranks);
        // Most traffic goes to one rank: that is where outcomes differ.
        let to = if rng.below(2) == 0 { target } else { rng.below(ranks) };
        if from == to || code[from].len() >= size.operations || code[to].len() >= size.operations {
            continue;
        }
        let mode = [Mode::Standard, Mode::Standard, Mode::Synchronous, Mode::Buffered][rng.below(4)];
        let tag = rng.below(tags) as i32;
        let send = if rng.below(4) < blocking {
            Op::Send { to: to as u32, context: 0, tag, mode }
        } else {
            Op::Isend { to: to as u32, context: 0, tag, mode }
        };
        code[from].push(send);
        let source = (rng.below(wild) == 0).then_some(from as u32);
        let pattern = Pattern { context: 0, source, tag: (rng.below(2) == 0).then_some(tag) };
        let receive = if rng.below(4) < blocking { Op::Recv(pattern) } else { Op::Irecv(pattern) };
        let place = code[to].len() - rng.below(1 + code[to].len().min(2));
        code[to].insert(place, receive);
    }
    let members = (0..ranks).map(|_| rng.below(4) != 0).collect();
    for (rank, code) in code.iter_mut().enumerate() {
        for _ in 0..size.operations.saturating_sub(code.len()) {
            let op = match rng.below(8) {
                0..2 => Op::Waitany,
                2 => Op::Wait(rng.below(3)),
                3 if polls > 0 => Op::Test(rng.below(3)),
                4 if polls > 1 => Op::Poll(rng.below(3)),
                _ => operation(rng, ranks, rank, tags, 1, polls),
            };
            if !matches!(op, Op::Send { .. } | Op::Recv(_)) {
                code.insert(rng.below(code.len() + 1), op);
            }
        }
        if rng.below(2) == 0 {
            code.push(Op::Waitall);
        }
    }
    Program { ranks: code, members, buffering: buffering(rng) }
}

/// Two programs beside each other. Most of them meet in barriers of all, or some message goes from one to the other, or
/// some rank waits for two of each in the order that it likes.
pub fn apart(rng: &mut Rng, size: Size) -> Program {
    let part = |rng: &mut Rng| match rng.below(6) {
        0 => operations(rng, size),
        1 => messages(rng, size),
        _ => answering(rng, size.ranks),
    };
    let (one, other) = (part(rng), part(rng));
    let first = one.ranks.len() as u32;
    let mut code = one.ranks;
    let moved = |pattern: Pattern| Pattern { source: pattern.source.map(|source| source + first), ..pattern };
    code.extend(other.ranks.into_iter().map(|code| {
        let moved = code.into_iter().map(|op| match op {
            Op::Send { to, context, tag, mode } => Op::Send { to: to + first, context, tag, mode },
            Op::Isend { to, context, tag, mode } => Op::Isend { to: to + first, context, tag, mode },
            Op::Recv(pattern) => Op::Recv(moved(pattern)),
            Op::Irecv(pattern) => Op::Irecv(moved(pattern)),
            Op::Probe(pattern) => Op::Probe(moved(pattern)),
            Op::Iprobe(pattern) => Op::Iprobe(moved(pattern)),
            op => op,
        });
        moved.collect()
    }));
    let mut members = one.members;
    members.extend(other.members);
    // Barriers of the one would wait for the other.
    code.iter_mut().for_each(|code| code.retain(|op| *op != Op::Barrier(0)));
    if rng.below(2) == 0 {
        let anywhere = rng.below(2) == 0;
        for code in &mut code {
            let place = if anywhere { rng.below(code.len() + 1) } else { code.len() };
            code.insert(place, Op::Barrier(0));
        }
    }
    for _ in 0..rng.below(4) / 2 {
        let ranks = code.len();
        let (from, to) = (rng.below(ranks), rng.below(ranks));
        let (tag, mode) = (rng.below(2) as i32, [Mode::Standard, Mode::Buffered][rng.below(2)]);
        let send = Op::Send { to: to as u32, context: 0, tag, mode };
        let place = rng.below(code[from].len() + 1);
        code[from].insert(place, send);
        let source = (rng.below(2) == 0).then_some(from as u32);
        let place = rng.below(code[to].len() + 1);
        code[to].insert(place, Op::Recv(Pattern { context: 0, source, tag: (rng.below(2) == 0).then_some(tag) }));
        if rng.below(2) == 0 {
            code[from].insert(0, Op::SkipIfOdd);
            code[from].insert(0, Op::Random(2));
        }
    }
    Program { ranks: code, members, buffering: one.buffering }
}

fn buffering(rng: &mut Rng) -> Buffering {
    if rng.below(2) == 0 { Buffering::Zero } else { Buffering::Infinite }
}

fn operations(rng: &mut Rng, size: Size) -> Program {
    let ranks = 2 + rng.below(size.ranks - 1);
    // Most programs use few tags and one context: otherwise little ever meets.
    let tags = 1 + rng.below(2);
    let contexts = 1 + usize::from(rng.below(4) == 0);
    let members = (0..ranks).map(|_| contexts == 2 && rng.below(4) != 0).collect();
    let polls = rng.below(3);
    let code = (0..ranks)
        .map(|rank| {
            let length = 1 + rng.below(size.operations);
            (0..length).map(|_| operation(rng, ranks, rank, tags, contexts, polls)).collect()
        })
        .collect();
    let mut program = Program { ranks: code, members, buffering: buffering(rng) };
    if rng.below(2) == 0 {
        balance(rng, &mut program, size.operations);
    }
    for (rank, code) in program.ranks.iter_mut().enumerate() {
        code.retain(|op| match *op {
            Op::Send { context: 1, to, .. } | Op::Isend { context: 1, to, .. } => {
                program.members[rank] && program.members[to as usize]
            }
            _ => true,
        });
    }
    program
}

fn pattern(rng: &mut Rng, ranks: usize, tags: usize, contexts: usize) -> Pattern {
    Pattern {
        context: rng.below(contexts) as u32,
        source: (rng.below(3) == 0).then(|| rng.below(ranks) as u32),
        tag: (rng.below(3) != 0).then(|| rng.below(tags) as i32),
    }
}

fn operation(rng: &mut Rng, ranks: usize, rank: usize, tags: usize, contexts: usize, polls: usize) -> Op {
    let mode = [Mode::Standard, Mode::Standard, Mode::Synchronous, Mode::Buffered][rng.below(4)];
    let mut to = rng.below(ranks);
    if to == rank && rng.below(8) != 0 {
        to = (to + 1) % ranks;
    }
    let (to, context, tag) = (to as u32, rng.below(contexts) as u32, rng.below(tags) as i32);
    let pattern = pattern(rng, ranks, tags, contexts);
    match rng.below(22) {
        0..3 => Op::Send { to, context, tag, mode },
        3..6 => Op::Isend { to, context, tag, mode },
        6..9 => Op::Recv(pattern),
        9..12 => Op::Irecv(pattern),
        12 => Op::Wait(rng.below(3)),
        13 if polls > 0 => Op::Test(rng.below(3)),
        13 => Op::Waitany,
        14 if polls > 1 => [Op::Poll(rng.below(3)), Op::Iprobe(pattern)][rng.below(2)],
        14 | 15 => Op::Waitany,
        16 => [Op::Waitall, Op::Wait(rng.below(3))][rng.below(2)],
        17 => Op::Probe(pattern),
        18 => [Op::RecvProbed, Op::Barrier(context)][rng.below(2)],
        19 => Op::Barrier(context),
        20 => [Op::AssertNot(16 * rng.below(ranks) as u32 + rng.below(4) as u32), Op::SkipIfOdd][rng.below(2)],
        _ => [Op::Random(2), Op::SkipIfOdd][rng.below(2)],
    }
}

/// Adds a wildcard receive somewhere for sends that nobody receives, so that more programs get far.
fn balance(rng: &mut Rng, program: &mut Program, longest: usize) {
    let ranks = program.ranks.len();
    for to in 0..ranks {
        let sends = |op: &&Op| matches!(**op, Op::Send { to: t, .. } | Op::Isend { to: t, .. } if t as usize == to);
        let sends: usize = program.ranks.iter().map(|code| code.iter().filter(sends).count()).sum();
        let code = &mut program.ranks[to];
        let receives = code.iter().filter(|op| matches!(op, Op::Recv(_) | Op::Irecv(_))).count();
        for _ in receives..sends {
            if code.len() < longest {
                let any = Pattern { context: 0, source: None, tag: None };
                let op = if rng.below(2) == 0 { Op::Recv(any) } else { Op::Irecv(any) };
                code.insert(rng.below(code.len() + 1), op);
            }
        }
    }
}

/// Adds cancellations of nonblocking operations, and takes out what looks at messages without receiving them.
pub fn cancelling(rng: &mut Rng, mut program: Program) -> Program {
    for code in &mut program.ranks {
        code.retain(|op| !matches!(op, Op::Probe(_) | Op::Iprobe(_) | Op::RecvProbed));
        let starts: Vec<usize> =
            (0..code.len()).filter(|&at| matches!(code[at], Op::Isend { .. } | Op::Irecv(_))).collect();
        let Some(n) = (!starts.is_empty()).then(|| rng.below(starts.len())) else { continue };
        if rng.below(4) == 0 {
            continue;
        }
        let behind = starts[n] + 1;
        let place = behind + rng.below(code.len() + 1 - behind);
        code.insert(place, Op::Cancel(n));
        if rng.below(2) == 0 {
            code.insert(place + 1 + rng.below(code.len() - place), Op::Wait(n));
        }
    }
    program
}

/// Adds probes of what is received next, several in a row.
pub fn probing(rng: &mut Rng, mut program: Program) -> Program {
    for code in &mut program.ranks {
        let receives: Vec<usize> =
            (0..code.len()).filter(|&at| matches!(code[at], Op::Recv(_) | Op::Irecv(_))).collect();
        if receives.is_empty() {
            continue;
        }
        let at = receives[rng.below(receives.len())];
        let (Op::Recv(pattern) | Op::Irecv(pattern)) = code[at] else { continue };
        for _ in 0..2 + rng.below(2) {
            let wider = Pattern {
                source: pattern.source.filter(|_| rng.below(3) > 0),
                tag: pattern.tag.filter(|_| rng.below(3) > 0),
                ..pattern
            };
            let probe = if rng.below(4) == 0 { Op::Probe(wider) } else { Op::Iprobe(wider) };
            code.insert((at + rng.below(2)).min(code.len()), probe);
        }
    }
    program
}

/// One rank receives from all others, and sends messages that depend on what it has seen.
pub fn answering(rng: &mut Rng, ranks: usize) -> Program {
    let mut code: Vec<Vec<Op>> = vec![Vec::new(); ranks];
    let mut receives = 0;
    for code in &mut code[1..] {
        for _ in 0..1 + rng.below(2) {
            // The parity of the value that is sent depends on the place of the send.
            (0..rng.below(2)).for_each(|_| code.push(Op::Waitall));
            let (tag, mode) = (rng.below(2) as i32, [Mode::Standard, Mode::Standard, Mode::Synchronous][rng.below(3)]);
            code.push(match rng.below(2) {
                0 => Op::Send { to: 0, context: 0, tag, mode },
                _ => Op::Isend { to: 0, context: 0, tag, mode },
            });
            receives += 1;
        }
    }
    for _ in 0..receives {
        let source = (rng.below(4) == 0).then(|| 1 + rng.below(ranks - 1) as u32);
        let any = Pattern { context: 0, source, tag: None };
        code[0].push(if rng.below(3) == 0 { Op::Irecv(any) } else { Op::Recv(any) });
        match rng.below(5) {
            0 => code[0].push(Op::Waitany),
            1 => code[0].push(Op::Test(rng.below(2))),
            _ => {}
        }
        if rng.below(2) == 0 {
            let (to, tag) = (1 + rng.below(ranks - 1) as u32, rng.below(2) as i32);
            code[0].extend([Op::SkipIfOdd, Op::Isend { to, context: 0, tag, mode: Mode::Buffered }]);
        }
    }
    code[0].push(Op::Waitall);
    for code in &mut code[1..] {
        if rng.below(2) == 0 {
            let any = Pattern { context: 0, source: Some(0), tag: (rng.below(2) == 0).then_some(0) };
            code.extend([Op::Irecv(any), [Op::Test(0), Op::Waitany, Op::SkipIfOdd][rng.below(3)]]);
        }
    }
    Program { ranks: code, members: vec![true; ranks], buffering: buffering(rng) }
}

/// Some ranks receive from senders of their own, and then deal with each other: what they are told by each other is
/// mostly the same, whomever they have heard of first, and what they do depends on that.
pub fn combining(rng: &mut Rng, most: usize) -> Program {
    let receivers = 2 + rng.below(most - 1);
    let mut code: Vec<Vec<Op>> = vec![Vec::new(); receivers];
    let (swaps, polls) = (1 + rng.below(3), rng.below(4) / 2);
    for receiver in 0..receivers {
        for sender in 0..2 {
            // The parity of the value that is sent depends on the place of the send.
            let mut sends = vec![Op::Waitall; sender];
            let mode = [Mode::Standard, Mode::Standard, Mode::Buffered][rng.below(3)];
            sends.push(Op::Send { to: receiver as u32, context: 0, tag: 0, mode });
            code.push(sends);
        }
    }
    for code in code.iter_mut().take(receivers) {
        let any = Pattern { context: 0, source: None, tag: (rng.below(6) != 0).then_some(0) };
        let mut ops = match rng.below(8) {
            0 => vec![Op::Irecv(any), Op::Waitany],
            1 => vec![Op::Probe(any), Op::RecvProbed],
            2 if polls > 0 => vec![Op::Iprobe(any), Op::Recv(any)],
            _ => vec![Op::Recv(any)],
        };
        if rng.below(3) == 0 {
            ops.push(Op::Recv(any));
        }
        *code = ops;
    }
    for round in 0..1 + rng.below(3) {
        let ring = rng.below(2) == 0;
        for receiver in 0..receivers {
            let other = (receiver + 1 + if ring { 0 } else { rng.below(receivers - 1) }) % receivers;
            let (to, context, tag) = (other as u32, 0, 1 + rng.below(2) as i32);
            let mode = [Mode::Standard, Mode::Buffered, Mode::Buffered][rng.below(3)];
            let send = match rng.below(4) {
                0 => Op::Isend { to, context, tag, mode },
                _ => Op::Send { to, context, tag, mode },
            };
            let source = (rng.below(12) != 0).then_some(receiver as u32);
            let from = Pattern { context, source, tag: (rng.below(6) == 0).then_some(tag) };
            let receive = match rng.below(6) {
                0 => Op::Irecv(from),
                1 if polls > 0 => Op::Iprobe(from),
                _ => Op::Recv(from),
            };
            let place = code[receiver].len() - usize::from(round > 0 && rng.below(2) == 0);
            code[receiver].insert(place, send);
            let place = code[other].len() - [0, 0, 1, 2][rng.below(4)].min(code[other].len());
            code[other].insert(place, receive);
        }
        let meet = rng.below(4) == 0;
        for code in &mut code[..receivers] {
            match rng.below(8) {
                _ if meet => code.push(Op::Barrier(1)),
                1 if polls > 0 => code.push([Op::Test(0), Op::Waitany][rng.below(2)]),
                2 => code.push(Op::Wait(rng.below(2))),
                _ => {}
            }
        }
    }
    for code in &mut code[..receivers] {
        for _ in 0..swaps {
            let place = 1 + rng.below(code.len());
            code.insert(place, if rng.below(8) == 0 { Op::SkipIfOdd } else { Op::SwapIfOdd });
        }
    }
    let members = (0..code.len()).map(|rank| rank < receivers).collect();
    Program { ranks: code, members, buffering: if rng.below(3) == 0 { Buffering::Zero } else { Buffering::Infinite } }
}

/// Lets most ranks begin anew, again and again. Sends wait for their receives, so that there are few states.
pub fn looping(rng: &mut Rng, mut program: Program) -> Program {
    for code in &mut program.ranks {
        for op in code.iter_mut() {
            if let Op::Send { mode, .. } | Op::Isend { mode, .. } = op
                && *mode == Mode::Buffered
            {
                *mode = Mode::Synchronous;
            }
        }
        if rng.below(2) == 0 {
            code.push(Op::Waitall);
        }
        let receives: Vec<usize> = (0..code.len()).filter(|&at| matches!(code[at], Op::Recv(_))).collect();
        if !receives.is_empty() && rng.below(2) == 0 {
            // A value that another rank may have sent.
            let value = 16 * rng.below(4) as u32 + rng.below(3) as u32;
            code.insert(receives[rng.below(receives.len())] + 1, Op::AssertNot(value));
        }
        if rng.below(5) != 0 {
            code.push(Op::Again(rng.below(4)));
        }
    }
    Program { buffering: Buffering::Zero, ..program }
}

/// Ranks that go round until they receive a word of rank 0, which may keep it to itself.
pub fn told_to_end(rng: &mut Rng, ranks: usize) -> Program {
    let send = |to: usize| Op::Send { to: to as u32, context: 0, tag: 0, mode: Mode::Synchronous };
    let isend = |to: usize| Op::Isend { to: to as u32, context: 0, tag: 0, mode: Mode::Synchronous };
    let any = Pattern { context: 0, source: None, tag: None };
    let mut teller = vec![Op::Random(2), Op::EndIf(1)];
    teller.extend((1..ranks).filter(|_| rng.below(5) != 0).map(send));
    if rng.below(3) == 0 {
        teller.insert(rng.below(teller.len() + 1), Op::Recv(any));
    }
    let words = 0..teller.len() as u32;
    let mut code = vec![teller];
    for rank in 1..ranks {
        let other = if rng.below(6) == 0 { rng.below(ranks) } else { 1 + rank % (ranks - 1) };
        let mut round = match rng.below(4) {
            0 => vec![send(other), Op::Recv(any)],
            1 => vec![Op::Recv(any), isend(other)],
            2 => vec![Op::Irecv(any), isend(other), Op::Waitany],
            _ => vec![isend(other), Op::Recv(any)],
        };
        if rng.below(4) == 0 {
            round.push(Op::Random(2));
        }
        round.extend(words.clone().filter(|_| rng.below(8) != 0).map(Op::EndIf));
        round.extend([Op::Waitall, Op::Again(rng.below(2))]);
        code.push(round);
    }
    Program { ranks: code, members: vec![false; ranks], buffering: Buffering::Zero }
}
