//! The model IB: messages that leave or reach one host together hinder each other beyond their share of its link.
//!
//! The bound of a message from `s` to `d` is divided by the larger one of two penalties (Vienne's thesis, 2010; β and γ
//! are `smpi/IB-penalty-factors`):
//!
//! ```text
//! out   1 if s sends one message, else (messages from s) · β_s, and · γ_s if a receiver of s has more than two
//! in    1 if d receives one message, else (messages from s to d) · β_e · (senders to d)
//! ```
//!
//! Messages inside a host do not count. When a message ends, all that it hindered become faster. (SimGrid updates those
//! that the sender of the ended one still reaches.)
//!
//! Penalties are worked out when the shares are, not at each change, and until then a host's messages are named once,
//! however many of them begin or end: `n²` messages that begin at one instant cost `n²`.

use smpi_base::map::Map;
use smpi_settings::Penalties;

/// The messages of a host.
#[derive(Clone, Debug, Default)]
struct Node {
    /// Messages that it sends: slot and receiver.
    sent: Vec<(u32, u32)>,
    /// How many messages it receives from each sender.
    senders: Map<u32, u32>,
    /// How many it receives.
    received: u32,
    /// The messages that it sends have been named since [`InfiniBand::settle`].
    is_named: bool,
    /// And so have all messages of the hosts that send to it.
    are_senders_named: bool,
}

/// All messages between two hosts.
#[derive(Debug)]
pub(crate) struct InfiniBand {
    penalties: Penalties,
    nodes: Vec<Node>,
    /// Hosts of which something has been named, some twice.
    named: Vec<u32>,
}

impl InfiniBand {
    pub fn new(hosts: usize, penalties: Penalties) -> InfiniBand {
        InfiniBand { penalties, nodes: vec![Node::default(); hosts], named: Vec::new() }
    }

    /// A message begins; `changed` gets the slots whose penalty may be another one, unless it got them since the
    /// penalties were asked for last ([`InfiniBand::settle`]).
    pub fn begin(&mut self, slot: u32, src: u32, dst: u32, changed: impl FnMut(u32)) {
        if src == dst {
            return;
        }
        self.nodes[src as usize].sent.push((slot, dst));
        let receiver = &mut self.nodes[dst as usize];
        *receiver.senders.entry(src).or_default() += 1;
        receiver.received += 1;
        self.name_affected(src, dst, Some(slot), changed);
    }

    /// A message ends, likewise.
    pub fn end(&mut self, slot: u32, src: u32, dst: u32, changed: impl FnMut(u32)) {
        let sent = &mut self.nodes[src as usize].sent;
        // Those that end at one instant do so in the reverse order of their start.
        let Some(index) = sent.iter().rposition(|message| message.0 == slot) else { return };
        sent.remove(index);
        let receiver = &mut self.nodes[dst as usize];
        receiver.received -= 1;
        if let Some(count) = receiver.senders.get_mut(&src) {
            *count -= 1;
            if *count == 0 {
                receiver.senders.remove(&src);
            }
        }
        self.name_affected(src, dst, None, changed);
    }

    /// Names the messages of all hosts that send to where a message from `src` to `dst` has begun (`new`) or ended.
    fn name_affected(&mut self, src: u32, dst: u32, new: Option<u32>, mut changed: impl FnMut(u32)) {
        let receiver = &mut self.nodes[dst as usize];
        let mut senders = vec![src];
        // Senders that come later have their messages named when they do.
        if !std::mem::replace(&mut receiver.are_senders_named, true) {
            self.named.push(dst);
            senders.extend(receiver.senders.keys());
            senders.sort_unstable();
            senders.dedup();
        }
        for host in senders {
            let sender = &mut self.nodes[host as usize];
            if !std::mem::replace(&mut sender.is_named, true) {
                self.named.push(host);
                sender.sent.iter().for_each(|message| changed(message.0));
            } else if host == src {
                new.into_iter().for_each(&mut changed);
            }
        }
    }

    /// The penalties of all messages that were named are asked for now: what changes from here on is named again.
    pub fn settle(&mut self) {
        for host in self.named.drain(..) {
            let node = &mut self.nodes[host as usize];
            (node.is_named, node.are_senders_named) = (false, false);
        }
    }

    /// The penalty of the messages that a host sends to others.
    fn outbound(&self, src: u32) -> f64 {
        let sender = &self.nodes[src as usize];
        match sender.sent.len() {
            1 => 1.0,
            count => {
                let crowded = sender.sent.iter().any(|message| self.nodes[message.1 as usize].received > 2);
                count as f64 * self.penalties.outbound * if crowded { self.penalties.crowded } else { 1.0 }
            }
        }
    }

    /// By what the bound of a message is divided. `known` has the sender that was asked about last, with the penalty of
    /// what it sends; nothing begins or ends as long as the caller keeps it.
    pub fn penalty(&self, src: u32, dst: u32, known: &mut Option<(u32, f64)>) -> f64 {
        if src == dst {
            return 1.0;
        }
        let outbound = match *known {
            Some((host, penalty)) if host == src => penalty,
            _ => self.outbound(src),
        };
        *known = Some((src, outbound));
        let receiver = &self.nodes[dst as usize];
        let inbound = match receiver.received {
            1 => 1.0,
            _ => {
                let of_sender = receiver.senders.get(&src).copied().unwrap_or(0);
                f64::from(of_sender) * self.penalties.inbound * receiver.senders.len() as f64
            }
        };
        f64::max(outbound, inbound)
    }
}
