//! Random programs: messages that can all be received, collective operations that all members call, and between them
//! what makes a difference: waits, tests, probes, cancellations, branches. Some programs are then damaged a little.

use super::features::{Feature, Features};
use super::program::{COLLECTIVES, Number, Op, Program};
use smpi_base::rng::Rng;

/// The program of a seed.
pub fn program(seed: u64, features: &Features) -> Program {
    let mut rng = Rng::new(seed);
    let ranks = [2, 2, 3, 3, 3, 4][rng.below(6)];
    let mut maker = Maker {
        features,
        ranks,
        code: vec![Vec::new(); ranks],
        made: 0,
        target: rng.below(ranks),
        wild: 1 + rng.below(3),
        blocking: rng.below(4),
        tags: 1 + rng.below(2),
        comms: 1 + rng.below(4),
        mixed: features.has(Feature::Mixtures) && rng.below(3) == 0,
        rng,
    };
    let events = 2 + maker.rng.below(if ranks == 2 { 6 } else { 5 });
    for _ in 0..events {
        maker.event();
    }
    for _ in 0..maker.rng.below(2 * ranks + 1) {
        maker.look();
    }
    if features.has(Feature::Branches) && maker.rng.below(3) == 0 {
        maker.branch();
    }
    if features.has(Feature::Mistakes) && maker.rng.below(4) == 0 {
        maker.damage();
    }
    Program { ranks: maker.code }
}

/// The program of a seed whose ranks begin again whenever they are through.
///
/// Its ranks must not be far apart, or there are states without end where sends are buffered: most programs have a
/// collective operation in each round that waits for all, in some all sends wait for their receives. The remaining
/// ones come to an end with zero buffering only ([`Program::is_paced`]).
pub fn endless(seed: u64, features: &Features) -> Program {
    // What is given up may be used for long.
    let features = features.without(&[Feature::Freed]);
    let mut rng = Rng::new(seed);
    let ranks = [2, 2, 3, 3, 4][rng.below(5)];
    let mut maker = Maker {
        features: &features,
        ranks,
        code: vec![Vec::new(); ranks],
        made: 0,
        target: rng.below(ranks),
        wild: 1 + rng.below(3),
        blocking: rng.below(4),
        tags: 1 + rng.below(2),
        comms: 1 + rng.below(4),
        mixed: false,
        rng,
    };
    for _ in 0..1 + maker.rng.below(4) {
        maker.event();
    }
    for _ in 0..maker.rng.below(2 * ranks) {
        maker.look();
    }
    for _ in 0..maker.rng.below(3) {
        maker.failing();
    }
    for _ in 0..maker.rng.below(4) {
        let rank = if maker.chance(2) { maker.target } else { maker.rng.below(ranks) };
        let at = maker.place_before_end(rank);
        maker.code[rank].insert(at, Op::new("tell", Number::None));
    }
    if features.has(Feature::Branches) && maker.chance(3) {
        maker.branch();
    }
    if features.has(Feature::Mistakes) && maker.chance(5) {
        maker.damage();
    }
    maker.begin_again();
    Program { ranks: maker.code }
}

struct Maker<'a> {
    features: &'a Features,
    ranks: usize,
    code: Vec<Vec<Op>>,
    /// Requests so far.
    made: u32,
    /// Most traffic goes to one rank: that is where outcomes differ.
    target: usize,
    /// One of so many receives names its sender.
    wild: usize,
    /// So many of four transfers block.
    blocking: usize,
    tags: usize,
    /// One of so many messages is not in the communicator of all.
    comms: usize,
    mixed: bool,
    rng: Rng,
}

impl Maker<'_> {
    fn has(&self, feature: Feature) -> bool {
        self.features.has(feature)
    }

    fn chance(&mut self, of: usize) -> bool {
        self.rng.below(of) == 0
    }

    fn pick<'b>(&mut self, names: &[&'b str]) -> &'b str {
        names[self.rng.below(names.len())]
    }

    /// Adds something that several ranks take part in.
    fn event(&mut self) {
        match self.rng.below(12) {
            0 | 1 if self.has(Feature::Collectives) => self.collective(),
            2 if self.has(Feature::Ready) => self.ready(),
            3 if self.has(Feature::Selves) => self.own_message(),
            4 if self.has(Feature::Cancel) => self.cancelled(),
            5 if self.chance(2) => self.exchange(),
            6 if self.has(Feature::Partitioned) => self.partitioned(),
            _ => self.message(),
        }
    }

    fn two_ranks(&mut self) -> (usize, usize) {
        let to = if self.chance(2) { self.target } else { self.rng.below(self.ranks) };
        let from = (to + 1 + self.rng.below(self.ranks - 1)) % self.ranks;
        (from, to)
    }

    /// A communicator for a message between two ranks, with the ranks as it numbers them.
    fn comm_between(&mut self, from: usize, to: usize) -> (char, usize, usize) {
        if !self.has(Feature::Communicators) || !self.chance(self.comms) || self.comms == 1 {
            return ('w', from, to);
        }
        // In `h`, the last rank is the first.
        let place = |rank: usize| (self.ranks - 1 - rank) / 2;
        match (from % 2 == to % 2, self.rng.below(3)) {
            (true, 0 | 1) => ('h', place(from), place(to)),
            (false, 0 | 1) if self.features.has(Feature::Intercommunicators) => ('x', from / 2, to / 2),
            _ => ('d', from, to),
        }
    }

    fn op(&mut self, name: &str, number: Number, tag: usize, comm: char) -> Op {
        let mut op = Op::new(name, number);
        (op.tag, op.comm) = (Some(tag as u32), comm);
        if op.makes_request() {
            op.makes = Some(self.made);
            self.made += 1;
        }
        op
    }

    /// A request that is made, started if it has to be, and sometimes over at once.
    fn add(&mut self, rank: usize, at: usize, op: Op) {
        let id = op.makes.filter(|_| op.name.starts_with('p'));
        self.code[rank].insert(at, op);
        let Some(id) = id else { return };
        self.code[rank].insert(at + 1, Op::new("start", Number::Request(id)));
    }

    fn send_name(&mut self) -> &'static str {
        let kinds: &[&str] = match self.rng.below(8) {
            _ if self.rng.below(4) < self.blocking => &["send", "send", "ssend", "bsend"],
            0 if self.has(Feature::Persistent) => &["psend", "pssend", "pbsend"],
            _ => &["isend", "isend", "issend", "ibsend"],
        };
        self.pick(kinds)
    }

    fn receive_name(&mut self) -> &'static str {
        match self.rng.below(8) {
            0 if self.has(Feature::Probes) => "mrecv",
            _ if self.rng.below(4) < self.blocking => "recv",
            1 if self.has(Feature::Persistent) => "precv",
            _ => "irecv",
        }
    }

    /// A message and its receive, which may come a little before what its rank did last.
    fn message(&mut self) {
        let (from, to) = self.two_ranks();
        let (comm, source, target) = self.comm_between(from, to);
        let tag = self.rng.below(self.tags);
        let name = self.send_name();
        let mut send = self.op(name, Number::Is(target as u32), tag, comm);
        send.large = self.mixed && self.chance(2);
        let at = self.code[from].len();
        self.add(from, at, send);
        let source = if self.chance(self.wild) { Number::Is(source as u32) } else { Number::Any };
        let name = self.receive_name();
        let mut receive = self.op(name, source, tag, comm);
        if self.chance(3) {
            receive.tag = None;
        }
        let at = self.place_before_end(to);
        if self.has(Feature::Freed) && receive.name == "irecv" && self.chance(8) {
            let id = receive.makes.map_or(Number::None, Number::Request);
            self.add(to, at, receive);
            self.code[to].insert(at + 1, Op::new("free", id));
        } else if self.has(Feature::Probes) && self.chance(8) {
            let name = self.pick(&["probe", "iprobe", "pollprobe", "imrecv"]);
            let probe = Op { name: name.into(), makes: None, ..receive.clone() };
            let again = Op { name: self.pick(&["iprobe", "iprobe", "imrecv"]).into(), ..probe.clone() };
            self.add(to, at, receive);
            if self.chance(3) {
                self.code[to].insert(at, again);
            }
            self.code[to].insert(at, probe);
        } else {
            self.add(to, at, receive);
        }
    }

    /// A place near the end that does not part a request from its start, or change the order of collective operations.
    fn place_before_end(&mut self, rank: usize) -> usize {
        let code = &self.code[rank];
        let most = code.iter().rev().take(2).take_while(|op| !op.is_collective() && op.name != "start").count();
        code.len() - self.rng.below(most + 1)
    }

    /// A partitioned message, whose partitions become ready in any order, and looks at what has arrived.
    fn partitioned(&mut self) {
        let (from, to) = self.two_ranks();
        if self.has(Feature::Freed) && self.chance(2) {
            self.given_up(to);
        }
        let (comm, source, target) = self.comm_between(from, to);
        let tag = self.rng.below(self.tags);
        let send = self.op("partsend", Number::Is(target as u32), tag, comm);
        let (id, at) = (send.makes, self.code[from].len());
        self.add(from, at, send);
        let sender = id.map_or(Number::None, Number::Request);
        let first = self.rng.below(2) as u32;
        let ready = |partition| Op { tag: Some(partition), ..Op::new("ready", sender) };
        self.code[from].extend([ready(first), ready(1 - first)]);
        let receive = self.op("partrecv", Number::Is(source as u32), tag, comm);
        let (id, at) = (receive.makes, self.code[to].len());
        let receiver = id.map_or(Number::None, Number::Request);
        self.add(to, at, receive);
        let looks = if self.has(Feature::Tests) { self.rng.below(3) } else { 0 };
        for _ in 0..looks {
            let name = self.pick(&["arrived", "arrived", "pollpart"]);
            let op = Op { tag: Some(self.rng.below(3) as u32), ..Op::new(name, receiver) };
            self.code[to].push(op);
        }
        if self.chance(2) {
            self.answer(to);
        }
        if self.chance(3) {
            let again = |request| [Op::new("wait", request), Op::new("start", request)];
            self.code[from].extend(again(sender));
            self.code[from].extend([ready(1), ready(0)]);
            self.code[to].extend(again(receiver));
        }
    }

    /// A rank receives a message from anybody, and never learns whose it was: only, by another message behind it, that
    /// there is one.
    fn given_up(&mut self, rank: usize) {
        let from = (rank + 1 + self.rng.below(self.ranks - 1)) % self.ranks;
        let receive = self.op("irecv", Number::Any, 0, 'w');
        let id = receive.makes.map_or(Number::None, Number::Request);
        self.code[rank].extend([receive, Op::new("free", id)]);
        let name = self.pick(&["send", "bsend", "isend"]);
        let (send, at) = (self.op(name, Number::Is(rank as u32), 0, 'w'), self.code[from].len());
        self.add(from, at, send);
        let behind = Op { tag: Some(2), ..Op::new("send", Number::Is(rank as u32)) };
        self.code[from].push(behind);
        let source = if self.chance(2) { Number::Any } else { Number::Is(from as u32) };
        self.code[rank].push(Op { tag: Some(2), ..Op::new("recv", source) });
    }

    /// Another rank hears of what a rank has seen, and answers.
    fn answer(&mut self, rank: usize) {
        let other = (rank + 1 + self.rng.below(self.ranks - 1)) % self.ranks;
        let source = if self.chance(3) { Number::Is(other as u32) } else { Number::Any };
        let question = Op { tag: Some(1), ..Op::new("send", Number::Is(other as u32)) };
        self.code[rank].extend([question, Op::new("recv", source)]);
        let heard = Op { tag: Some(1), ..Op::new("recv", Number::Is(rank as u32)) };
        self.code[other].extend([heard, Op::new("send", Number::Is(rank as u32))]);
    }

    /// Two ranks that send to each other and receive from anybody.
    fn exchange(&mut self) {
        let (one, other) = self.two_ranks();
        for (from, to) in [(one, other), (other, one)] {
            let op = Op::new("sendrecv", Number::Is(to as u32));
            self.code[from].push(op);
        }
    }

    /// A ready send, whose receive is there because the receiver says so.
    fn ready(&mut self) {
        let (from, to) = self.two_ranks();
        let receive = self.op("irecv", Number::Is(from as u32), 1, 'w');
        self.code[to].push(receive);
        if self.has(Feature::Collectives) && self.chance(2) {
            self.code.iter_mut().for_each(|code| code.push(Op::new("barrier", Number::None)));
        } else {
            self.code[to].push(Op::new("send", Number::Is(from as u32)));
            self.code[from].push(Op::new("recv", Number::Is(to as u32)));
        }
        let names: &[&str] =
            if self.has(Feature::Persistent) { &["rsend", "irsend", "prsend"] } else { &["rsend", "irsend"] };
        let name = self.pick(names);
        let send = self.op(name, Number::Is(to as u32), 1, 'w');
        let at = self.code[from].len();
        self.add(from, at, send);
    }

    fn own_message(&mut self) {
        let rank = self.rng.below(self.ranks);
        let source = if self.chance(2) { Number::Is(rank as u32) } else { Number::Any };
        let name = self.pick(&["isend", "issend", "ibsend", "bsend"]);
        let send = self.op(name, Number::Is(rank as u32), 0, 'w');
        let name = self.pick(&["recv", "irecv", "irecv"]);
        let receive = self.op(name, source, 0, 'w');
        let both = if receive.makes.is_some() && self.chance(2) { [receive, send] } else { [send, receive] };
        self.code[rank].extend(both);
    }

    /// A request that is cancelled: one that nobody needs, or one that was made before.
    fn cancelled(&mut self) {
        let (rank, other) = self.two_ranks();
        let id = match self.rng.below(3) {
            0 => {
                let source = if self.chance(2) { Number::Is(other as u32) } else { Number::Any };
                let receive = self.op("irecv", source, 0, 'w');
                let (id, at) = (receive.makes, self.place_before_end(rank));
                self.add(rank, at, receive);
                id
            }
            1 => {
                let name = self.pick(&["isend", "issend"]);
                let send = self.op(name, Number::Is(other as u32), 0, 'w');
                let id = send.makes;
                self.code[rank].push(send);
                id
            }
            _ => self.some_request(rank, |op| !op.is_collective()),
        };
        if let Some(id) = id {
            self.code[rank].push(Op::new("cancel", Number::Request(id)));
        }
    }

    fn some_request(&mut self, rank: usize, is: impl Fn(&Op) -> bool) -> Option<u32> {
        let ids: Vec<u32> = self.code[rank].iter().filter(|op| is(op)).filter_map(|op| op.makes).collect();
        if ids.is_empty() { None } else { Some(ids[self.rng.below(ids.len())]) }
    }

    /// A collective operation, which all members of its communicator call.
    fn collective(&mut self) {
        let comm = match self.rng.below(6) {
            _ if !self.has(Feature::Communicators) => 'w',
            0 => 'd',
            1 => 'h',
            2 if self.has(Feature::Intercommunicators) => 'x',
            _ => 'w',
        };
        let members: Vec<usize> = match comm {
            'h' => {
                let parity = self.rng.below(2);
                (0..self.ranks).filter(|rank| rank % 2 == parity).collect()
            }
            _ => (0..self.ranks).collect(),
        };
        let most = if comm == 'x' { 8 } else { COLLECTIVES.len() };
        let mut name =
            if self.chance(2) { self.pick(&["barrier", "bcast", "reduce"]) } else { COLLECTIVES[self.rng.below(most)] }
                .to_string();
        let rooted = ["bcast", "reduce", "gather", "scatter"].contains(&name.as_str());
        let root = if rooted { Number::Is(self.rng.below(members.len()) as u32) } else { Number::None };
        if self.has(Feature::Immediate) && self.chance(3) {
            name.insert(0, if self.has(Feature::Persistent) && self.chance(3) { 'p' } else { 'i' });
        } else if self.has(Feature::Communicators) && self.chance(10) && comm != 'x' {
            name = if comm == 'h' || self.chance(2) { "dup".into() } else { "split".into() };
        }
        let root = if ["dup", "split"].contains(&name.as_str()) { Number::None } else { root };
        for rank in members {
            let op = self.op(&name, root, 0, comm);
            let at = self.code[rank].len();
            self.add(rank, at, op);
        }
    }

    /// Adds something that one rank does with its requests.
    fn look(&mut self) {
        let rank = self.rng.below(self.ranks);
        let at = self.rng.below(self.code[rank].len() + 1);
        let before: Vec<u32> = self.code[rank][..at].iter().filter_map(|op| op.makes).collect();
        if before.is_empty() {
            return;
        }
        let id = before[self.rng.below(before.len())];
        let tests = self.has(Feature::Tests);
        let (name, of_one) = match self.rng.below(14) {
            0..2 => ("wait", true),
            2..5 => ("waitany", false),
            5 => ("waitsome", false),
            6 => ("waitall", false),
            7 if tests => ("test", true),
            8 if tests => (self.pick(&["testany", "testany", "testsome", "testall"]), false),
            9 if tests => ("status", true),
            10 if tests => (self.pick(&["poll", "poll", "turns", "retry", "inturn", "inturn"]), true),
            11 if tests && self.chance(2) => ("pollall", false),
            12 if self.has(Feature::Persistent) => return self.again(rank),
            _ => ("waitany", false),
        };
        let number = if of_one { Number::Request(id) } else { Number::None };
        // A start belongs to what it starts, and partitions become ready behind it.
        let belongs = |op: &&Op| op.name == "start" || op.name == "ready";
        let at = at + self.code[rank][at..].iter().take_while(belongs).count();
        let mut op = Op::new(name, number);
        if name == "inturn" {
            op.tag = Some(self.rng.below(4) as u32);
        }
        self.code[rank].insert(at, op);
    }

    /// Waits for a persistent request and starts it again, with a partner for the message.
    fn again(&mut self, rank: usize) {
        let code = &self.code[rank];
        let persistent =
            |op: &&Op| op.stem() != op.name && op.name.starts_with('p') && !op.is_collective() && op.comm == 'w';
        let Some(op) = code.iter().find(persistent).cloned() else { return };
        let (Some(id), tag) = (op.makes, op.tag.unwrap_or(0) as usize) else { return };
        self.code[rank].extend([Op::new("wait", Number::Request(id)), Op::new("start", Number::Request(id))]);
        let other = match op.number {
            Number::Is(peer) => peer as usize,
            _ => (rank + 1) % self.ranks,
        };
        if other == rank {
            return;
        }
        let partner = if op.is_send() {
            self.op("irecv", Number::Is(rank as u32), tag, 'w')
        } else {
            self.op("isend", Number::Is(rank as u32), tag, 'w')
        };
        self.code[other].push(partner);
    }

    /// Makes an operation depend on what its rank has seen.
    fn branch(&mut self) {
        let rank = self.target;
        let plain = |op: &Op| op.makes.is_none() && !op.is_collective() && op.name != "start";
        let places: Vec<usize> = (1..self.code[rank].len()).filter(|&at| plain(&self.code[rank][at])).collect();
        if places.is_empty() {
            return;
        }
        let (at, value) = (places[self.rng.below(places.len())], self.rng.below(self.ranks) as u32);
        self.code[rank].insert(at, Op::new("if", Number::Is(value)));
    }

    /// Lets a rank end by a signal where it has seen a certain number.
    fn failing(&mut self) {
        let rank = if self.chance(2) { self.target } else { self.rng.below(self.ranks) };
        if self.code[rank].is_empty() {
            return;
        }
        // Also long after the number was seen, when only memory tells it.
        let at = 1 + self.rng.below(self.code[rank].len());
        // Nothing comes between a condition and what depends on it, a request and its start.
        if self.code[rank].get(at).is_some_and(|op| op.name == "start" || op.name == "fail") {
            return;
        }
        let (seen, signal) = (self.rng.below(self.ranks) as u32, self.rng.below(4) as u32);
        let ops = [Op::new("if", Number::Is(seen)), Op::new("fail", Number::Is(signal))];
        self.code[rank].splice(at..at, ops);
    }

    /// Ends the ranks' words so that they begin again; of some programs, one rank does not.
    ///
    /// There is no `MPI_Bsend`: whether its buffer is large enough depends on how far receivers are behind for ever,
    /// which is not explored in all ways ("Programs that run for ever" in docs/verification.md).
    fn begin_again(&mut self) {
        for op in self.code.iter_mut().flatten() {
            op.name = op.name.replace("bsend", "send");
            // Only where states are recognised: such a loop has any number of polls.
            if op.name == "poll" && self.rng.below(3) == 0 {
                op.name = "pollcall".into();
            }
        }
        match self.rng.below(8) {
            0..5 if self.has(Feature::Collectives) => {
                let name = self.pick(&["barrier", "barrier", "allreduce", "alltoall"]);
                self.code.iter_mut().for_each(|code| code.push(Op::new(name, Number::None)));
            }
            5 | 6 => {
                for op in self.code.iter_mut().flatten().filter(|op| op.is_send()) {
                    op.name = op.name.replace("ssend", "send").replace("send", "ssend");
                }
            }
            _ => {}
        }
        let spared = if self.chance(10) { self.rng.below(self.ranks) } else { self.ranks };
        for (_, code) in self.code.iter_mut().enumerate().filter(|&(rank, _)| rank != spared) {
            // A rank that does nothing in a round would not come to rest.
            if !code.is_empty() {
                code.push(Op::new("again", Number::None));
            }
        }
    }

    /// Takes an operation away, or changes the order of two.
    fn damage(&mut self) {
        let rank = self.rng.below(self.ranks);
        let len = self.code[rank].len();
        if len < 2 {
            return;
        }
        let at = self.rng.below(len - 1);
        let code = &mut self.code[rank];
        let depends = |op: &Op| matches!(op.number, Number::Request(_)) || op.name == "if";
        if self.rng.below(3) == 0 {
            if code[at].makes.is_none() && code[at].name != "if" {
                code.remove(at);
            }
        } else if !depends(&code[at + 1]) && !depends(&code[at]) {
            code.swap(at, at + 1);
        }
    }
}
