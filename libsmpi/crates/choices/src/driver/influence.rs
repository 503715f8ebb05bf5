//! What choices have an effect on ([`Influence`]), where the exploration asks for it.

use smpi_abi::Function;
use smpi_base::WorldRank;
use smpi_checker::Told;
use smpi_checker::influence::Influence;
use smpi_mpi::p2p::request::Body;
use smpi_mpi::world::World;

use super::Verification;

/// Beginnings of the names of functions by which ranks act on each other otherwise than by messages and barriers:
/// windows, files, and ranks that come and go.
const NOT_FOLLOWED: [&str; 8] = [
    "MPI_Win_",
    "MPI_File_",
    "MPI_Comm_spawn",
    "MPI_Comm_accept",
    "MPI_Comm_connect",
    "MPI_Comm_join",
    "MPI_Cancel",
    "MPI_T_",
];

/// Whether the name of a function has one of these beginnings.
pub(super) fn is_one_of(function: Function, beginnings: &[&str]) -> bool {
    beginnings.iter().any(|beginning| function.name().starts_with(beginning))
}

impl Verification {
    /// Whether to follow from now on, before the first choice, what choices have an effect on.
    pub fn follow_influence(&mut self, ranks: u32, is_followed: bool) {
        self.state.influence = is_followed.then(|| Influence::new(ranks));
    }

    /// What the choices of this execution have had an effect on, if that is followed.
    pub fn influence(&self) -> Option<Influence> {
        let is_followed = !self.reluctant_sends && self.cancels.are_none();
        self.state.influence.clone().filter(|_| is_followed)
    }

    #[inline]
    pub(super) fn follow(&mut self, note: impl FnOnce(&mut Influence)) {
        if let Some(influence) = &mut self.state.influence {
            note(influence);
        }
    }

    /// One rank tells another one something, by the request in this slot if it has one. The messages of a barrier among
    /// all ranks have no contents, and come when all have called it.
    pub(super) fn follow_message(&mut self, world: &World, (from, to): (WorldRank, WorldRank), slot: Option<u32>) {
        let Some(influence) = &mut self.state.influence else { return };
        let request = slot.and_then(|slot| world.request_at(from, slot));
        let is_barrier_of_all = request.is_some_and(|request| match &request.body {
            Body::Collective(of) if of.call.name == Function::Barrier && of.comm.remote.is_none() => {
                of.schedule.gated && of.comm.group.size() as usize == influence.ranks()
            }
            _ => false,
        });
        if !is_barrier_of_all {
            influence.told(from, to);
        }
    }

    /// A rank calls a function.
    pub(super) fn follow_call(&mut self, rank: WorldRank, function: Function) {
        if self.state.influence.is_none() && self.state.told.is_none() {
            return;
        }
        if is_one_of(function, &NOT_FOLLOWED) {
            self.follow(Influence::lose);
            self.tell(Told::lose);
        } else {
            self.tell_call(rank, function);
        }
    }
}
