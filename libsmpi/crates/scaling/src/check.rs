//! Whether scaled ranks fit together: all that is sent is received, collective calls are made by all, and the ranks
//! are not parted into groups that know nothing of each other.

use smpi_base::map::Map;
use smpi_mailbox::Context;
use smpi_trace::action::{ANY_SOURCE, ANY_TAG};
use smpi_trace::{Action, Message, Start};

use crate::stream::{Comms, Stream, Totals};

/// Messages of one sender to one receiver with one tag, on one communicator.
type Line = (u32, u32, Context, i32);

/// What is counted.
#[derive(Debug)]
pub struct Check {
    /// For each line how many are sent and received, and of how many bytes.
    lines: Map<Line, [u64; 4]>,
    /// For each receiver and communicator how many it receives without saying from whom.
    open: Map<(u32, Context), u64>,
    /// For each rank, sender, receiver and tag how many messages are started and not waited for.
    started: Map<(u32, i32, i32, i32), i64>,
    /// For each communicator how many calls each rank makes.
    calls: Map<Context, Vec<u64>>,
    /// For each rank one of its group, at last the first of it.
    group: Vec<u32>,
    /// Of all ranks.
    pub totals: Totals,
}

impl Check {
    /// Of so many ranks.
    pub fn new(ranks: u32) -> Check {
        let (lines, open, started, calls) = (Map::default(), Map::default(), Map::default(), Map::default());
        Check { lines, open, started, calls, group: (0..ranks).collect(), totals: Totals::default() }
    }

    /// What the ranks of a trace do.
    pub fn of(streams: &[Stream]) -> Check {
        let mut check = Check::new(streams.len() as u32);
        for (rank, stream) in (0..).zip(streams) {
            let mut comms = Comms::default();
            for event in &stream.events {
                let action = &stream.actions[event.action as usize];
                comms.note(action);
                check.note(rank, &comms, action, 1, event.flops);
            }
        }
        check
    }

    /// An action of a rank that happens so often.
    pub fn note(&mut self, rank: u32, comms: &Comms, action: &Action, times: u64, flops: f64) {
        self.totals.add(action, times, flops);
        match action {
            Action::WaitFor(from, to, tag) => {
                *self.started.entry((rank, *from, *to, *tag)).or_default() -= times as i64;
            }
            Action::Message(start, context, message) => {
                let (sent, got) = match message {
                    Message::Send { to, tag, items, .. } => (Some((*to, *tag, *items)), None),
                    Message::Recv { from, tag, items } => (None, Some((*from, *tag, *items))),
                    Message::Both { send, recv } => (Some(*send), Some(*recv)),
                    Message::Matched { .. } => (None, None),
                };
                let own = rank as i32;
                let ends = match (sent, got) {
                    (Some((to, tag, _)), None) => Some((rank, own, to, tag)),
                    (None, Some((from, tag, _))) => Some((rank, from, own, tag)),
                    _ => None,
                };
                if let (Start::Immediate, Some(ends)) = (start, ends) {
                    *self.started.entry(ends).or_default() += times as i64;
                }
                if let Some((to, tag, items)) = sent
                    && let Ok(to) = u32::try_from(comms.in_world(*context, rank, to))
                {
                    self.join(rank, to);
                    let line = self.lines.entry((rank, to, *context, tag)).or_default();
                    line[0] += times;
                    line[1] += times * items.bytes();
                }
                if let Some((from, tag, items)) = got {
                    if from == ANY_SOURCE || tag == ANY_TAG {
                        *self.open.entry((rank, *context)).or_default() += times;
                    } else if let Ok(from) = u32::try_from(comms.in_world(*context, rank, from)) {
                        let line = self.lines.entry((from, rank, *context, tag)).or_default();
                        line[2] += times;
                        line[3] += times * items.bytes();
                    }
                }
            }
            Action::Collective(call) => {
                let ranks = self.group.len();
                self.calls.entry(call.comm).or_insert_with(|| vec![0; ranks])[rank as usize] += times;
            }
            _ => {}
        }
    }

    fn find(&mut self, mut rank: u32) -> u32 {
        while self.group[rank as usize] != rank {
            let above = self.group[self.group[rank as usize] as usize];
            self.group[rank as usize] = above;
            rank = above;
        }
        rank
    }

    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.find(one), self.find(other));
        self.group[one.max(other) as usize] = one.min(other);
    }

    /// How many groups of ranks there are that exchange no messages.
    pub fn groups(&mut self) -> usize {
        let ranks = self.group.len() as u32;
        (0..ranks).filter(|&rank| self.find(rank) == rank).count()
    }

    /// Whether everything fits.
    ///
    /// # Errors
    /// What does not.
    pub fn fits(&mut self) -> Result<(), String> {
        let mut lines: Vec<(Line, [u64; 4])> = self.lines.iter().map(|(line, counts)| (*line, *counts)).collect();
        lines.sort_unstable();
        for ((from, to, context, tag), [sent, bytes, received, room]) in lines {
            let open = self.open.get_mut(&(to, context));
            let taken = sent.saturating_sub(received);
            match open {
                Some(open) if *open >= taken && sent >= received => *open -= taken,
                _ if sent != received => {
                    return Err(format!(
                        "rank {from} sends {sent} messages with tag {tag} to rank {to}, which receives {received}"
                    ));
                }
                _ => {}
            }
            if taken == 0 && bytes > room {
                return Err(format!(
                    "rank {from} sends {bytes} bytes with tag {tag} to rank {to}, which has room for {room}"
                ));
            }
        }
        if let Some(((rank, from, to, _), _)) = self.started.iter().filter(|(_, left)| **left < 0).min() {
            return Err(format!("rank {rank} waits for a message from {from} to {to} that it has not started"));
        }
        for calls in self.calls.values() {
            let mut made = calls.iter().copied().filter(|&made| made > 0);
            let first = made.next();
            if made.any(|made| Some(made) != first) {
                return Err("the ranks make different numbers of collective calls".to_string());
            }
        }
        Ok(())
    }
}
