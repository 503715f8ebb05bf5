//! What a trace holds, in memory: for each rank the different actions, and in which order they happen.

use smpi_base::map::Map;
use smpi_mailbox::Context;
use smpi_mpi::collective::Root;
use smpi_mpi::comm::{SELF_CONTEXT, WORLD_CONTEXT};
use smpi_trace::action::members;
use smpi_trace::parse::Reader;
use smpi_trace::source::in_words;
use smpi_trace::{Action, Blocks, Items, Message, Source};

/// One action of a rank, and what it computed before.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Its place among the different actions.
    pub action: u32,
    /// In flops.
    pub flops: f64,
}

/// What a rank does.
#[derive(Debug, Default)]
pub struct Stream {
    /// The different actions. Requests in them are not numbers of requests but how far these are behind the next one.
    pub actions: Vec<Action>,
    /// What happens.
    pub events: Vec<Event>,
}

/// Sums over all ranks of a trace.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// Messages that the program sends.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Flops.
    pub flops: f64,
}

impl Totals {
    /// Adds an action that happens so often, with what is computed before all of them.
    pub fn add(&mut self, action: &Action, times: u64, flops: f64) {
        self.flops += flops;
        let sent = match action {
            Action::Message(_, _, Message::Send { items, .. }) => items,
            Action::Message(_, _, Message::Both { send: (_, _, items), .. }) => items,
            _ => return,
        };
        self.messages += times;
        self.bytes += times * sent.bytes();
    }
}

/// How many requests an action counts.
pub fn requests(action: &Action) -> u32 {
    u32::from(matches!(action, Action::Message(..) | Action::Collective(_)))
}

/// The requests that an action names.
pub fn named_requests(action: &mut Action) -> &mut [u32] {
    match action {
        Action::Wait(number) | Action::Show(number) | Action::Free(number) | Action::Cancel(number) => {
            std::slice::from_mut(number)
        }
        Action::WaitAll(numbers) => numbers,
        _ => &mut [],
    }
}

/// The context of an action on a communicator.
pub fn context(action: &mut Action) -> Option<&mut Context> {
    match action {
        Action::Message(_, context, _) | Action::Probe(context, _) | Action::Comm(context, ..) => Some(context),
        Action::Collective(call) => Some(&mut call.comm),
        _ => None,
    }
}

/// The partners that an action names.
pub fn partners(action: &mut Action) -> Vec<&mut i32> {
    match action {
        Action::Message(_, _, Message::Send { to, .. }) => vec![to],
        Action::Message(_, _, Message::Recv { from, .. }) => vec![from],
        Action::Message(_, _, Message::Both { send, recv }) => vec![&mut send.0, &mut recv.0],
        Action::WaitFor(from, to, _) | Action::TestFor(from, to, _) => vec![from, to],
        Action::Probe(_, probe) => vec![&mut probe.from],
        _ => Vec::new(),
    }
}

/// The amounts of an action that are no lists.
pub fn amounts(action: &mut Action) -> Vec<&mut Items> {
    match action {
        Action::Message(_, _, Message::Send { items, .. } | Message::Recv { items, .. }) => vec![items],
        Action::Message(_, _, Message::Both { send, recv }) => vec![&mut send.2, &mut recv.2],
        Action::Collective(call) => [&mut call.send, &mut call.recv]
            .into_iter()
            .filter_map(|blocks| if let Some(Blocks::Even(items)) = blocks { Some(items) } else { None })
            .collect(),
        _ => Vec::new(),
    }
}

/// An action without its amounts, partners and requests: what has the same text can be the same step of a program.
pub fn kind(action: &Action, ranks: u32) -> String {
    let mut plain = action.clone();
    partners(&mut plain).into_iter().for_each(|partner| *partner = 0);
    amounts(&mut plain).into_iter().for_each(|items| items.count = 0);
    named_requests(&mut plain).fill(0);
    match &mut plain {
        Action::WaitAll(numbers) => numbers.clear(),
        Action::Compute(flops) => flops.fill(0.0),
        Action::Comm(context, rank, own, other) => {
            (*context, *rank) = (0, 0);
            own.clear();
            other.clear();
        }
        Action::Collective(call) => {
            (call.comm, call.flops) = (WORLD_CONTEXT, 0.0);
            call.counts.clear();
            for blocks in [&mut call.send, &mut call.recv].into_iter().flatten() {
                match blocks {
                    Blocks::Even(_) => {}
                    Blocks::Varying { counts, .. } => counts.clear(),
                    Blocks::Typed(items) => items.clear(),
                }
            }
        }
        Action::Message(_, context, _) | Action::Probe(context, _) => *context = WORLD_CONTEXT,
        _ => {}
    }
    let mut text = String::new();
    plain.write(ranks, &mut text);
    text
}

/// The communicators of a rank: their members, as ranks of the world.
#[derive(Clone, Debug, Default)]
pub struct Comms(Map<Context, Vec<u32>>);

impl Comms {
    /// Takes notice of a new communicator.
    pub fn note(&mut self, action: &Action) {
        if let Action::Comm(context, _, own, _) = action {
            self.0.insert(*context, members(own).collect());
        }
    }

    /// The members of a communicator of `rank` of so many ranks.
    pub fn members(&self, context: Context, rank: u32, ranks: u32) -> Vec<u32> {
        match context {
            WORLD_CONTEXT => (0..ranks).collect(),
            SELF_CONTEXT => vec![rank],
            _ => self.0.get(&context).cloned().unwrap_or_default(),
        }
    }

    /// A rank of a communicator as a rank of the world; what is no rank stays as it is.
    pub fn in_world(&self, context: Context, rank: u32, peer: i32) -> i32 {
        match (u32::try_from(peer), context) {
            (Err(_), _) | (_, WORLD_CONTEXT) => peer,
            (_, SELF_CONTEXT) => rank as i32,
            (Ok(peer), _) => {
                self.0.get(&context).and_then(|members| members.get(peer as usize)).map_or(-1, |&member| member as i32)
            }
        }
    }

    /// A rank of the world as a rank of a communicator.
    pub fn in_comm(&self, context: Context, peer: i32) -> Option<i32> {
        match (u32::try_from(peer), context) {
            (Err(_), _) | (_, WORLD_CONTEXT) => Some(peer),
            (_, SELF_CONTEXT) => Some(0),
            (Ok(peer), _) => {
                let members = self.0.get(&context)?;
                members.iter().position(|&member| member == peer).map(|place| place as i32)
            }
        }
    }
}

/// What an action does that cannot be scaled.
fn refused(action: &Action) -> Option<&'static str> {
    match action {
        Action::Window(_)
        | Action::Access(_)
        | Action::Settle(..)
        | Action::Lock(..)
        | Action::Release(..)
        | Action::Word(..) => Some("a window"),
        Action::Missing(_) => Some("something that the trace does not hold"),
        Action::Message(_, _, Message::Matched { .. }) => Some("a message that a probe took"),
        Action::Comm(.., other) if !other.is_empty() => Some("an intercommunicator"),
        Action::Collective(call) if matches!(call.root, Some(Root::Here | Root::Elsewhere)) => {
            Some("an intercommunicator")
        }
        Action::Collective(call) if call.around.is_some() => Some("a neighbourhood operation"),
        _ => None,
    }
}

/// Reads a trace.
///
/// # Errors
/// Text for the user.
pub fn read(file: &str) -> Result<Vec<Stream>, String> {
    let mut source = Source::open(file, 0)?;
    let ranks = source.ranks();
    (0..ranks).map(|rank| read_rank(&mut source, rank, ranks)).collect()
}

fn read_rank(source: &mut Source, rank: u32, ranks: u32) -> Result<Stream, String> {
    const NUMBERED: [&str; 4] = ["wait_request", "show_request", "free_request", "cancel_request"];
    let mut reader = Reader { ranks, rank, default_size: 1 };
    let (mut stream, mut known) = (Stream::default(), Map::<String, u32>::default());
    let (mut flops, mut count) = (0.0, 0u32);
    let index = rank as usize;
    while let Some(text) = source.next(index)? {
        let mut text = text.to_string();
        let mut place = known.get(&text).copied();
        if place.is_none() || NUMBERED.iter().any(|name| text.starts_with(name)) {
            let parsed = reader.action(&text).map_err(|problem| in_words(&source.place(index), &problem));
            let mut action = parsed?;
            match &action {
                Action::Compute(threads) if threads.len() == 1 => {
                    flops += threads[0];
                    continue;
                }
                Action::Init(size) => reader.default_size = *size,
                _ => {}
            }
            if let Some(what) = refused(&action) {
                let place = source.place(index);
                return Err(format!("{place}: {what}, expected messages and collective calls, which can be scaled"));
            }
            let requests = named_requests(&mut action);
            if !requests.is_empty() {
                requests.iter_mut().for_each(|number| *number = count.wrapping_sub(*number));
                text.clear();
                action.write(ranks, &mut text);
            }
            place = Some(*known.entry(text).or_insert_with(|| {
                stream.actions.push(action);
                stream.actions.len() as u32 - 1
            }));
        }
        let action = place.unwrap_or_default();
        count += requests(&stream.actions[action as usize]);
        stream.events.push(Event { action, flops });
        flops = 0.0;
    }
    if flops > 0.0 {
        stream.actions.push(Action::Nothing);
        stream.events.push(Event { action: stream.actions.len() as u32 - 1, flops });
    }
    Ok(stream)
}
