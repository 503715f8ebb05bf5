//! How a rank's tool reads and sets variables, and listens to events: what [`crate::tool`] describes, in a run.

use std::ffi::c_int;

use smpi_base::WorldRank;
use smpi_base::table::Key;
use smpi_mpi::collective::select::CollectiveKind;
use smpi_mpi::tool::{Extreme, Listener};
use smpi_mpi::world::{Chooser, Clock};
use smpi_settings::Value as Given;

use crate::phase::MpiPhase;
use crate::state::Runtime;
use crate::tool::control::{Control, Refused, What as Setting};
use crate::tool::event::{self, Registration};
use crate::tool::performance::{ALL, Amount, Class, Handle, Performance, What};
use crate::tool::{Bound, Enumeration, Value};

/// The value of a variable for a rank; `chosen` is what was chosen on the communicator that it is bound to.
pub fn read_control(
    runtime: &Runtime,
    rank: WorldRank,
    control: &Control,
    chosen: &[(CollectiveKind, &'static str)],
) -> Value {
    let settings = &runtime.settings;
    let own = runtime.objects[rank.index()].tool.as_ref().map(|tool| tool.own).unwrap_or_default();
    // Not those of the world: a verification has others, in turn.
    let thresholds = own.thresholds.unwrap_or(settings.thresholds());
    match control.what {
        Setting::EagerBelow => Value::Unsigned(thresholds.eager_below),
        Setting::DetachedBelow => Value::Unsigned(thresholds.detached_below),
        Setting::Barrier => Value::Int(own.barrier.unwrap_or(c_int::from(settings.mpi.barrier_in_finalize))),
        Setting::Given(row) => match settings.value(row.name) {
            Some(Given::Number(number)) => Value::Real(number),
            Some(Given::Count(count)) => Value::Unsigned(count),
            Some(Given::Flag(flag)) => Value::Int(flag.into()),
            Some(Given::Text(text)) => Value::Text(text),
            None => Value::Text(String::new()),
        },
        Setting::Table => Value::Int(Enumeration::of_table(settings.selection.selector())),
        Setting::Algorithm(kind) => {
            let own = chosen.iter().find(|entry| entry.0 == kind).map(|entry| entry.1);
            let name = own.or_else(|| settings.selection.forced(kind));
            let items = Enumeration::Algorithms(kind.operation).items();
            Value::Int(name.and_then(|name| items.iter().position(|item| *item == name)).unwrap_or(0) as c_int)
        }
    }
}

/// Whether `MPI_Finalize` of a rank begins with a barrier.
pub fn has_barrier_in_finalize(runtime: &Runtime, rank: WorldRank) -> bool {
    let own = runtime.objects[rank.index()].tool.as_ref().and_then(|tool| tool.own.barrier);
    own.map_or(runtime.settings.mpi.barrier_in_finalize, |own| own != 0)
}

/// Sets a variable of a rank that is bound to nothing.
///
/// # Errors
/// Why it cannot be set.
pub fn write_control(runtime: &mut Runtime, rank: WorldRank, control: &Control, value: &Value) -> Result<(), Refused> {
    let phase = runtime.run(rank).phase;
    let before = runtime.settings.thresholds();
    let explores = runtime.driver.explores();
    let Some(tool) = &mut runtime.objects[rank.index()].tool else { return Err(Refused::NotNow) };
    match (control.what, value) {
        (Setting::EagerBelow | Setting::DetachedBelow, &Value::Unsigned(bytes)) => {
            let thresholds = tool.own.thresholds.get_or_insert(before);
            match control.what {
                Setting::EagerBelow => thresholds.eager_below = bytes,
                _ => thresholds.detached_below = bytes,
            }
            let thresholds = *thresholds;
            if !explores {
                runtime.world.set_thresholds_of(rank, thresholds);
            }
        }
        (Setting::Barrier, _) if phase == MpiPhase::After => return Err(Refused::NotNow),
        (Setting::Barrier, &Value::Int(value)) => tool.own.barrier = Some(value),
        _ => return Err(Refused::Never),
    }
    Ok(())
}

impl Handle {
    /// A new handle of a rank, which is not started if it can be.
    pub fn new(
        runtime: &mut Runtime,
        rank: WorldRank,
        session: Key,
        index: usize,
        bound: Option<Bound>,
    ) -> Option<Handle> {
        let variable = ALL[index];
        let tally = runtime.world.tally(rank);
        if let Some(bound) = bound {
            tally.follow(bound.context);
        }
        let mut extreme = None;
        if let (true, What::Queue(queue)) = (variable.class.is_extreme(), variable.what) {
            let is_highest = variable.class == Class::Highest;
            extreme = Some(tally.extremes.insert(Extreme { queue, is_highest, is_running: false, value: None })?);
        }
        let is_running = !variable.class.is_started();
        let (sum, since) = Default::default();
        Some(Handle { session, index, bound, is_running, sum, since, extreme })
    }

    /// Nobody reads it any more.
    pub fn free(self, runtime: &mut Runtime, rank: WorldRank) {
        if let Some(key) = self.extreme {
            runtime.world.tally(rank).extremes.remove(key);
        }
    }

    /// Its variable.
    pub fn variable(&self) -> &'static Performance {
        ALL[self.index]
    }

    /// What it says now.
    pub fn read(&self, runtime: &mut Runtime, rank: WorldRank) -> Value {
        let variable = self.variable();
        if let Some(key) = self.extreme {
            let seen = runtime.world.tally(rank).extremes.get(key).and_then(|extreme| extreme.value);
            return Value::Unsigned(seen.unwrap_or(0));
        }
        let now = raw(runtime, rank, variable, self.bound);
        if !variable.class.grows() {
            return now;
        }
        let now = if self.is_running { Amount::of(&now) } else { self.since };
        self.sum.plus(self.since, now).value(variable.value_type)
    }

    /// From now on it follows its variable, or does not.
    pub fn run(&mut self, runtime: &mut Runtime, rank: WorldRank, is_running: bool) {
        let now = self.now(runtime, rank);
        if let Some(extreme) = self.extreme(runtime, rank) {
            extreme.is_running = is_running;
            if is_running {
                extreme.see(now.count);
            }
        } else if is_running {
            self.since = now;
        } else {
            self.sum = self.sum.plus(self.since, now);
            self.since = now;
        }
        self.is_running = is_running;
    }

    /// It begins again.
    pub fn reset(&mut self, runtime: &mut Runtime, rank: WorldRank) {
        let now = self.now(runtime, rank);
        match self.extreme(runtime, rank) {
            Some(extreme) => extreme.value = Some(now.count),
            None => (self.sum, self.since) = (Amount::default(), now),
        }
    }

    /// It goes on from this value.
    pub fn write(&mut self, runtime: &mut Runtime, rank: WorldRank, value: &Value) {
        let now = self.now(runtime, rank);
        let written = Amount::of(value);
        match self.extreme(runtime, rank) {
            Some(extreme) => extreme.value = Some(written.count),
            None => (self.sum, self.since) = (written, now),
        }
    }

    fn now(&self, runtime: &mut Runtime, rank: WorldRank) -> Amount {
        Amount::of(&raw(runtime, rank, self.variable(), self.bound))
    }

    fn extreme<'a>(&self, runtime: &'a mut Runtime, rank: WorldRank) -> Option<&'a mut Extreme> {
        runtime.world.tally(rank).extremes.get_mut(self.extreme?)
    }
}

/// What the rank has of a variable, since its tool counts.
fn raw(runtime: &mut Runtime, rank: WorldRank, variable: &Performance, bound: Option<Bound>) -> Value {
    let context = bound.map(|bound| bound.context);
    match variable.what {
        What::Traffic(count) | What::Arrived(count) => {
            Value::Unsigned(count(&runtime.world.tally(rank).traffic(context)))
        }
        What::Tally(count) => Value::Unsigned(count(runtime.world.tally(rank))),
        What::Queue(queue) => Value::Unsigned(runtime.world.queue_length(rank, queue, context)),
        What::Time => Value::Real(runtime.driver.now().secs()),
        What::TimeInMpi => {
            let now = runtime.driver.now();
            let run = runtime.run(rank);
            let present = if run.doing.is_call() { now - run.entered } else { Default::default() };
            Value::Real((run.communication + present).secs())
        }
        What::Phase => Value::Int(runtime.run(rank).phase as i32),
        What::Cores => {
            let host = runtime.layout.placement[rank.index()];
            Value::Unsigned(runtime.platform.hosts()[host.index()].cores.into())
        }
        What::LinkUse => Value::Real(link_use(runtime, rank)),
    }
}

/// How much is used of the link by which messages leave the host of a rank: the first one on the way to another host.
fn link_use(runtime: &Runtime, rank: WorldRank) -> f64 {
    let host = runtime.layout.placement[rank.index()];
    let other = runtime.layout.placement.iter().find(|other| **other != host);
    match (runtime.driver.simulation(), other) {
        (Some(simulation), Some(&other)) => simulation.use_on_way(host, other),
        _ => 0.0,
    }
}

/// A registration has callbacks, or has none any more: it listens accordingly.
pub fn listen(runtime: &mut Runtime, rank: WorldRank, key: Key, registration: Option<&Registration>) {
    let wanted = registration.filter(|registration| registration.callback().is_some());
    let tally = runtime.world.tally(rank);
    let listens = tally.listeners.iter().any(|listener| listener.registration == key);
    match wanted {
        Some(registration) if !listens => {
            let context = registration.bound.map(|bound| bound.context);
            let kind = event::ALL[registration.index].kind;
            tally.listeners.push(Listener { registration: key, kind, context, dropped: 0 });
        }
        Some(_) => {}
        None => {
            tally.listeners.retain(|listener| listener.registration != key);
            tally.waiting.retain(|event| event.registration != key);
        }
    }
    let is_heard = !tally.listeners.is_empty();
    runtime.run(rank).is_observed = is_heard;
}
