//! Which messages a receive could take, and which it took: what `--fair-messages` asks for.
//!
//! Messages are told apart by their receiver, sender and tag. Of those that agree in all three, and are of one
//! communicator, a receive takes the first that was sent (MPI 5.0 section 3.5). So if the first one can be taken again
//! and again, and none of them ever is, that is one message that is left out for ever. Messages of other communicators
//! count as the same, which lets more executions count, not fewer.
//!
//! A message is taken by whatever receive it finds, and where a probe tells of it.

use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_checker::Event;
use smpi_runtime::with;

use crate::program::driven;

/// Receiver, sender and tag.
type Message = (WorldRank, WorldRank, i32);

/// Numbers of messages.
#[derive(Default)]
pub(super) struct Messages(Map<Message, u32>);

impl Messages {
    fn number(&mut self, message: Message) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(message).or_insert(next)
    }

    /// The messages that receives and probes take or see by these events of the present state.
    pub fn offered(&mut self, events: &[Event]) -> Vec<u32> {
        let messages: Vec<Message> =
            driven(|driver, world| events.iter().filter_map(|event| driver.message_of(world, *event)).collect());
        messages.into_iter().map(|message| self.number(message)).collect()
    }

    /// The messages that have found their receives since the last time.
    pub fn matched(&mut self) -> Vec<u32> {
        let matched = with(|runtime| runtime.world.observers.matched.as_mut().map(std::mem::take)).unwrap_or_default();
        matched.into_iter().map(|message| self.number(message)).collect()
    }
}
