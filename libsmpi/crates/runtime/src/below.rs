//! What is below MPI in this run: one of the two drivers.

use smpi_abi::Callee;
use smpi_base::{HostId, SimTime, WorldRank};
use smpi_choices::Verification;
use smpi_engine::HostChange;
use smpi_mailbox::{CommId, Context, Pattern, Posted};
use smpi_mpi::p2p::request::{Operation, Owner, RequestKey};
use smpi_mpi::world::{
    Chooser, Clock, Driver, Ended, Hints, HowMany, Notice, Numbers, Order, Picked, Poll, ServerName, Spawning, World,
};
use smpi_recording::Recorder;
use smpi_simulation::{Simulation, Stage};

/// The driver of this run. Each of its methods is that of the driver that it is.
#[expect(clippy::large_enum_variant, reason = "there is one, in the runtime, and it stays there")]
pub enum Below {
    /// Durations and a clock.
    Simulation(Simulation),
    /// Choices.
    Verification(Box<Verification>),
}

impl Below {
    /// The driver of a simulation, if this is one.
    pub fn simulation(&self) -> Option<&Simulation> {
        match self {
            Below::Simulation(simulation) => Some(simulation),
            Below::Verification(_) => None,
        }
    }

    /// Who is told what happens in a simulation, if anybody is.
    #[inline]
    pub fn recorder(&mut self) -> Option<&mut Recorder> {
        match self {
            Below::Simulation(simulation) => simulation.recorder(),
            Below::Verification(_) => None,
        }
    }

    /// Starts what the simulated machine has to do beside messages and computations; gives its number, by which its end
    /// is told, unless there is nothing to do. In a verification there never is.
    pub fn start_job(&mut self, stages: Vec<Stage>) -> Option<u32> {
        match self {
            Below::Simulation(simulation) => simulation.start_job(stages),
            Below::Verification(_) => None,
        }
    }

    /// Hosts that were turned off or on since somebody asked last; never in a verification, which has no time.
    pub fn take_host_changes(&mut self) -> Vec<HostChange> {
        match self {
            Below::Simulation(simulation) => simulation.take_host_changes(),
            Below::Verification(_) => Vec::new(),
        }
    }

    /// A rank runs on this host.
    pub fn place(&mut self, rank: WorldRank, host: HostId) {
        match self {
            Below::Simulation(simulation) => simulation.place(rank, host),
            Below::Verification(_) => {}
        }
    }

    /// The driver of a verification, if this is one.
    pub fn verification(&mut self) -> Option<&mut Verification> {
        match self {
            Below::Simulation(_) => None,
            Below::Verification(verification) => Some(verification),
        }
    }
}

impl Below {
    /// The arguments of the call that a rank is blocked in, in words, and the context of its communicator for messages.
    pub fn describe_call(&self, world: &World, rank: WorldRank, call: Callee) -> (String, Option<Context>) {
        match self {
            Below::Simulation(_) => world.describe_call(rank, call),
            Below::Verification(driver) => driver.describe_call(world, rank, call),
        }
    }

    /// What a rank looks for that is told by choices whether it is there.
    pub fn probed(&self, rank: WorldRank) -> Option<Pattern> {
        match self {
            Below::Simulation(_) => None,
            Below::Verification(driver) => driver.probed(rank),
        }
    }

    /// The slots of the requests that a rank asks about, where choices answer.
    pub fn asked_slots(&self, rank: WorldRank) -> Vec<u32> {
        match self {
            Below::Simulation(_) => Vec::new(),
            Below::Verification(driver) => driver.asked_slots(rank),
        }
    }

    /// What a rank asks that waits for an answer, in words.
    pub fn describe_question(&self, world: &World, rank: WorldRank) -> String {
        match self {
            Below::Simulation(_) => "an answer".to_string(),
            Below::Verification(driver) => driver.describe_question(world, rank),
        }
    }
}

/// Methods that are handed on as they are. Which there are the compiler knows: none has a default.
macro_rules! handed_on {
    ($(fn $name:ident(&mut self $(, $argument:ident: $type:ty)*) $(-> $result:ty)?;)*) => {$(
        #[inline]
        fn $name(&mut self $(, $argument: $type)*) $(-> $result)? {
            match self {
                Below::Simulation(driver) => driver.$name($($argument),*),
                Below::Verification(driver) => driver.$name($($argument),*),
            }
        }
    )*};
    (&self: $(fn $name:ident($($argument:ident: $type:ty)?) -> $result:ty;)*) => {$(
        #[inline]
        fn $name(&self $(, $argument: $type)?) -> $result {
            match self {
                Below::Simulation(driver) => driver.$name($($argument)?),
                Below::Verification(driver) => driver.$name($($argument)?),
            }
        }
    )*};
}

impl Clock for Below {
    handed_on! { &self:
        fn now() -> SimTime;
        fn time_passes() -> bool;
        fn measures() -> bool;
    }

    handed_on! {
        fn start_transfer(&mut self, comm: CommId, from: WorldRank, to: WorldRank, wire_size: u64);
        fn start_delay(&mut self, rank: WorldRank, duration: SimTime);
        fn start_computation(&mut self, rank: WorldRank, flops: f64);
        fn set_alarm(&mut self, rank: WorldRank, date: SimTime);
        fn advance(&mut self, ended: &mut Vec<Ended>) -> bool;
        fn poll_takes(&mut self, rank: WorldRank, poll: Poll) -> Option<f64>;
        fn look_takes(&mut self, rank: WorldRank) -> f64;
        fn burst_begins(&mut self, rank: WorldRank);
        fn burst_ends(&mut self, rank: WorldRank) -> bool;
        fn burst_pauses(&mut self, rank: WorldRank);
        fn burst_goes_on(&mut self, rank: WorldRank);
        fn add_to_burst(&mut self, rank: WorldRank, secs: f64);
    }
}

impl Chooser for Below {
    handed_on! { &self:
        fn explores() -> bool;
        fn order(server: ServerName) -> Order;
        fn is_asking(rank: WorldRank) -> bool;
    }

    handed_on! {
        fn look(&mut self, world: &mut World, rank: WorldRank) -> Option<f64>;
        fn random(&mut self, world: &mut World, rank: WorldRank, min: i64, max: i64) -> Option<i64>;
        fn show(&mut self, world: &mut World, rank: WorldRank) -> bool;
        fn looks_again(&mut self, world: &mut World, rank: WorldRank, site: u64) -> bool;
        fn cancelling(&mut self, world: &mut World, rank: WorldRank, key: RequestKey) -> bool;
        fn numbers_of(&mut self, spawned: Spawning) -> Numbers;
        fn receive(&mut self, world: &mut World, at: WorldRank, pattern: Pattern, owner: Owner) -> Option<Posted>;
        fn forget_receive(&mut self, rank: WorldRank, owner: Owner) -> bool;
        fn probes(&mut self, world: &World, rank: WorldRank, pattern: Pattern, take: bool, block: bool) -> bool;
        fn cancels(&mut self, world: &mut World, rank: WorldRank, key: RequestKey) -> bool;
        fn may_leave(&mut self, world: &mut World, rank: WorldRank, slot: u32) -> bool;
    }

    fn wait_any(
        &mut self,
        world: &mut World,
        rank: WorldRank,
        keys: impl Iterator<Item = RequestKey> + Clone,
        how_many: HowMany,
        hints: &mut Hints,
    ) -> Option<Picked> {
        match self {
            Below::Simulation(driver) => driver.wait_any(world, rank, keys, how_many, hints),
            Below::Verification(driver) => driver.wait_any(world, rank, keys, how_many, hints),
        }
    }

    fn test(
        &mut self,
        world: &mut World,
        rank: WorldRank,
        keys: impl Iterator<Item = RequestKey> + Clone,
        how_many: HowMany,
        hints: &mut Hints,
    ) -> Option<Picked> {
        match self {
            Below::Simulation(driver) => driver.test(world, rank, keys, how_many, hints),
            Below::Verification(driver) => driver.test(world, rank, keys, how_many, hints),
        }
    }
}

impl Driver for Below {
    #[inline(always)]
    fn told(&mut self, world: &World, notice: Notice<'_>) {
        match self {
            Below::Simulation(driver) => driver.told(world, notice),
            Below::Verification(driver) => driver.told(world, notice),
        }
    }

    handed_on! {
        fn started(&mut self, world: &mut World, rank: WorldRank, key: RequestKey);
        fn sent(&mut self, world: &mut World, comm: CommId, owner: Option<u32>);
        fn unmatched(&mut self, world: &mut World, comm: CommId);
        fn matched(&mut self, world: &mut World, comm: CommId, receiver: Owner);
        fn cancelled(&mut self, world: &mut World, rank: WorldRank);
        fn all_called(&mut self, world: &mut World, operation: Operation);
    }
}
