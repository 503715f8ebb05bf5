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
}

/// All messages between two hosts.
#[derive(Debug)]
pub(crate) struct InfiniBand {
    penalties: Penalties,
    nodes: Vec<Node>,
}

impl InfiniBand {
    pub fn new(hosts: usize, penalties: Penalties) -> InfiniBand {
        InfiniBand { penalties, nodes: vec![Node::default(); hosts] }
    }

    /// A message begins; `changed` gets the slots whose penalty may be another one.
    pub fn begin(&mut self, slot: u32, src: u32, dst: u32, changed: impl FnMut(u32)) {
        if src == dst {
            return;
        }
        self.nodes[src as usize].sent.push((slot, dst));
        let receiver = &mut self.nodes[dst as usize];
        *receiver.senders.entry(src).or_default() += 1;
        receiver.received += 1;
        self.changed(src, dst, changed);
    }

    /// A message ends, likewise.
    pub fn end(&mut self, slot: u32, src: u32, dst: u32, changed: impl FnMut(u32)) {
        let sent = &mut self.nodes[src as usize].sent;
        let Some(index) = sent.iter().position(|message| message.0 == slot) else { return };
        sent.remove(index);
        let receiver = &mut self.nodes[dst as usize];
        receiver.received -= 1;
        if let Some(count) = receiver.senders.get_mut(&src) {
            *count -= 1;
            if *count == 0 {
                receiver.senders.remove(&src);
            }
        }
        self.changed(src, dst, changed);
    }

    /// The messages of all hosts that send to where a message from `src` to `dst` has begun or ended.
    fn changed(&self, src: u32, dst: u32, mut changed: impl FnMut(u32)) {
        let mut senders: Vec<u32> = self.nodes[dst as usize].senders.keys().copied().collect();
        senders.push(src);
        senders.sort_unstable();
        senders.dedup();
        for sender in senders {
            self.nodes[sender as usize].sent.iter().for_each(|message| changed(message.0));
        }
    }

    /// By what the bound of a message is divided.
    pub fn penalty(&self, src: u32, dst: u32) -> f64 {
        if src == dst {
            return 1.0;
        }
        let (sender, receiver) = (&self.nodes[src as usize], &self.nodes[dst as usize]);
        let outbound = match sender.sent.len() {
            1 => 1.0,
            count => {
                let crowded = sender.sent.iter().any(|message| self.nodes[message.1 as usize].received > 2);
                count as f64 * self.penalties.outbound * if crowded { self.penalties.crowded } else { 1.0 }
            }
        };
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
