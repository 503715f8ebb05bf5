//! What the settings of the run make of calls: the schedule of a collective one, the processor time of a send.

use smpi_base::WorldRank;
use smpi_mpi::collective::select::{CollectiveKind, Waits};
use smpi_mpi::collective::{Operands, creation};
use smpi_mpi::comm::CommCore;
use smpi_mpi::error::Result;
use smpi_mpi::op::Op;
use smpi_mpi::p2p::protocol::{Mode, Protocol};
use smpi_mpi::p2p::request::{Body, Collective, Request, RequestKey};
use smpi_mpi::usage::{Call, Form};

use crate::state::Runtime;

impl Runtime {
    /// Processor time of a send that is about to start, in seconds: `smpi/ois` of a nonblocking one, else `smpi/os`. A
    /// blocking send whose size makes it wait for its receiver takes none besides the transfer.
    pub fn send_secs(&mut self, rank: WorldRank, key: RequestKey, immediate: bool) -> f64 {
        let overhead = if immediate { &self.settings.mpi.isend_overhead } else { &self.settings.mpi.send_overhead };
        if overhead.is_free() {
            return 0.0;
        }
        let thresholds = self.world.thresholds_of(rank);
        let send = match self.world.request(rank, key).map(|request| &request.body) {
            Some(Body::Send(send)) => send,
            Some(Body::SendRecv(both)) => &both.send,
            _ => return 0.0,
        };
        let size = send.part.size();
        let is_held =
            !immediate && send.mode != Mode::Synchronous && thresholds.choose(send.mode, size) == Protocol::Rendezvous;
        if send.to.is_none() || is_held { 0.0 } else { overhead.seconds(size) }
    }

    /// Makes the request of a rank's collective call on a communicator, which has a handle and a tag for the call, and
    /// whose ranks know who shares a host, or not. An operation comes with the handle of its datatype. Also tells
    /// whether the ranks find out by this call who shares a host.
    ///
    /// # Errors
    /// Those of [`smpi_mpi::world::World::new_request`].
    pub fn new_collective(
        &mut self,
        rank: WorldRank,
        (core, handle): (CommCore, u64),
        (tag, knows, chosen): (i32, bool, &[(CollectiveKind, &'static str)]),
        (call, op): (Call, Option<(Op, u64)>),
        operands: &Operands,
    ) -> Result<(RequestKey, bool)> {
        let mut own = (!chosen.is_empty()).then(|| self.settings.selection.forcing(chosen));
        let selection = own.as_mut().unwrap_or(&mut self.settings.selection);
        if selection.asks_for_hosts() {
            selection.see_hosts(&self.layout.placement);
        }
        let mut finds_out = false;
        let (world, selection) = (&mut self.world, &*selection);
        let schedule = world.schedule(rank, &core, |builder| {
            if let Some((op, datatype)) = op {
                builder.set_op(op, datatype);
            }
            builder.set_form(call.form);
            if selection.waits() != Waits::Messages {
                builder.close_gate();
            }
            if let Some(hosts) = selection.hosts() {
                builder.set_hosts(hosts.clone(), core.group.clone());
            }
            let may_ask = !knows && call.form == Form::Blocking && selection.asking_takes_messages();
            if may_ask {
                builder.set_prelude(creation::neighbours);
            }
            operands.build(builder, selection);
            finds_out = may_ask && !builder.has_prelude();
        });
        let recorded = (core.clone(), (call.form, call.op));
        let is_persistent = call.form == Form::Persistent;
        let body = Body::Collective(Box::new(Collective { schedule, comm: core, tag, round: 0, call }));
        let key = self.world.new_request(rank, Request::new(body, is_persistent, handle))?;
        if let Some(trace) = &mut self.follows.trace {
            trace.prepared(rank, key, (&recorded.0, tag), recorded.1, operands);
        }
        Ok((key, finds_out))
    }
}
