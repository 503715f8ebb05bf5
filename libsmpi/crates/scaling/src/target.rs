//! The ranks of the result: rules at another place, in a larger grid.

use smpi_base::map::Map;
use smpi_mailbox::Context;
use smpi_mpi::comm::WORLD_CONTEXT;
use smpi_trace::action::{Run, members, runs};
use smpi_trace::{Action, Blocks, Items};

use crate::grid::{Grid, Pattern, Relation};
use crate::plan::{Plan, Rule};
use crate::stream::{Comms, Stream, amounts, context, named_requests, partners, requests};

/// Numbers of communicators: ranks that are in the same one agree on it, others need not.
#[derive(Debug)]
pub struct Contexts {
    known: Map<(Context, Vec<Run>), Context>,
    taken: Map<Context, ()>,
    next: Context,
}

impl Contexts {
    /// Above all that the trace uses.
    pub fn new(streams: &[Stream]) -> Contexts {
        let all = streams.iter().flat_map(|stream| &stream.actions);
        let used = all.filter_map(|action| context(&mut action.clone()).copied());
        // Contexts are numbered in steps of that of the world.
        let next = used.max().unwrap_or(WORLD_CONTEXT) / WORLD_CONTEXT * WORLD_CONTEXT + WORLD_CONTEXT;
        Contexts { known: Map::default(), taken: Map::default(), next }
    }

    /// That of a communicator which had another in the trace, and now has these members.
    fn of(&mut self, before: Context, members: &[Run]) -> Context {
        if let Some(known) = self.known.get(&(before, members.to_vec())) {
            return *known;
        }
        let context = if self.taken.insert(before, ()).is_none() { before } else { self.next };
        if context == self.next {
            self.next += WORLD_CONTEXT;
        }
        self.known.insert((before, members.to_vec()), context);
        context
    }
}

/// What the result is made of.
#[derive(Debug)]
pub struct Target<'a> {
    /// What the ranks of the larger trace do.
    pub plans: &'a [Plan],
    /// Their events.
    pub streams: &'a [Stream],
    /// The grid of the larger trace.
    pub from: &'a Grid,
    /// The grid of the result.
    pub grid: &'a Grid,
    /// Which rank stands for which.
    pub pattern: Pattern,
    /// How often what is new in the larger trace comes again.
    pub repeats: u32,
}

/// A rank of the result on its way through its steps.
pub struct Walk<'a> {
    target: &'a Target<'a>,
    contexts: &'a mut Contexts,
    rank: u32,
    counterpart: u32,
    before: Comms,
    /// Contexts of the trace, and those of the result.
    renamed: Map<Context, Context>,
    comms: Comms,
}

impl<'a> Walk<'a> {
    /// A rank of the result at its beginning.
    pub fn new(target: &'a Target<'a>, contexts: &'a mut Contexts, rank: u32) -> Walk<'a> {
        let counterpart = target.pattern.counterpart(rank, target.from, target.grid);
        let (before, comms) = (Comms::default(), Comms::default());
        Walk { target, contexts, rank, counterpart, before, renamed: Map::default(), comms }
    }

    /// Each different step with how often it happens and what is computed before all of them, in the order of the
    /// communicators that they need.
    ///
    /// # Errors
    /// Why a step has no counterpart.
    pub fn summary(&mut self, mut tell: impl FnMut(&Comms, &Action, u64, f64)) -> Result<(), String> {
        let plan = &self.target.plans[self.counterpart as usize];
        let mut order: Vec<usize> = (0..plan.rules.len()).filter(|&rule| plan.rules[rule].times > 0).collect();
        // A communicator is made before the steps of the next epoch.
        order.sort_by_key(|&rule| (plan.rules[rule].epoch, matches!(plan.rules[rule].action, Action::Comm(..))));
        for rule in order {
            let rule = &plan.rules[rule];
            let action = self.place(rule, 0)?;
            tell(&self.comms, &action, rule.times, rule.total_flops * rule.flops);
        }
        for growth in plan.growth.iter().filter(|_| self.target.repeats > 0) {
            if growth.rounds == 0 {
                return Err("more ranks do more, which are no rounds of a hypercube".to_string());
            }
            for repeat in 1..=self.target.repeats {
                for &step in &plan.steps[growth.steps.clone()] {
                    let rule = &plan.rules[step as usize];
                    let action = self.place(rule, growth.rounds * repeat)?;
                    tell(&self.comms, &action, 1, 0.0);
                }
            }
        }
        Ok(())
    }

    /// Each step in its order, with what is computed before it, in flops.
    ///
    /// # Errors
    /// Why a step has no counterpart.
    pub fn steps(&mut self, mut tell: impl FnMut(f64, &Action)) -> Result<(), String> {
        let plan = &self.target.plans[self.counterpart as usize];
        let events = &self.target.streams[self.counterpart as usize].events;
        let mut numbers = Numbers::default();
        let mut growth = plan.growth.iter().peekable();
        for (place, &step) in plan.steps.iter().enumerate() {
            let rule = &plan.rules[step as usize];
            let mut action = self.place(rule, 0)?;
            numbers.rename(&mut action, None);
            tell(events[place].flops * rule.flops, &action);
            let Some(stretch) = growth.next_if(|stretch| stretch.steps.end == place + 1) else { continue };
            for repeat in 1..=self.target.repeats {
                let mut own = Vec::new();
                for at in stretch.steps.clone() {
                    let rule = &plan.rules[plan.steps[at] as usize];
                    let mut action = self.place(rule, stretch.rounds * repeat)?;
                    numbers.rename(&mut action, Some(&mut own));
                    tell(events[at].flops * rule.flops, &action);
                }
            }
        }
        Ok(())
    }

    /// A step of this rank; `further`: how many bits further its partners are.
    fn place(&mut self, rule: &Rule, further: u32) -> Result<Action, String> {
        let (grid, rank) = (self.target.grid, self.rank);
        let mut action = rule.action.clone();
        if let Action::Comm(..) = action {
            return self.comm(action);
        }
        let before = context(&mut action).copied();
        if let Some(context) = context(&mut action)
            && let Some(renamed) = self.renamed.get(context)
        {
            *context = *renamed;
        }
        let place = context(&mut action).copied().unwrap_or(WORLD_CONTEXT);
        for (peer, relation) in partners(&mut action).into_iter().zip(&rule.relations) {
            let relation = further_on(relation, further)?;
            let found = grid.peer(rank, &relation).and_then(|peer| self.comms.in_comm(place, peer));
            *peer = found.ok_or_else(|| format!("rank {rank} has no partner for {}", shown(&relation)))?;
        }
        for (items, factor) in amounts(&mut action).into_iter().zip(&rule.factors) {
            items.count = times(items.count, *factor);
        }
        if let Action::Collective(call) = &mut action {
            let factor = rule.lists;
            call.flops *= factor;
            let lists = [&mut call.send, &mut call.recv].into_iter().flatten();
            let is_list = |blocks: &Blocks| !matches!(blocks, Blocks::Even(_));
            let lists: Vec<&mut Blocks> = lists.filter(|blocks| is_list(blocks)).collect();
            if !lists.is_empty() || !call.counts.is_empty() {
                let sources = self.sources(before.unwrap_or(WORLD_CONTEXT), place);
                for blocks in lists {
                    match blocks {
                        Blocks::Even(_) => {}
                        Blocks::Varying { counts, .. } => *counts = spread(counts, &sources, |&n| times(n, factor))?,
                        Blocks::Typed(items) => {
                            let scaled = |items: &Items| Items { count: times(items.count, factor), ..*items };
                            *items = spread(items, &sources, scaled)?;
                        }
                    }
                }
                if !call.counts.is_empty() {
                    call.counts = spread(&call.counts, &sources, |&count| times(count, factor))?;
                }
            }
        }
        Ok(action)
    }

    /// For each member of a communicator, the member in the trace that stands for it.
    fn sources(&self, before: Context, now: Context) -> Vec<Option<usize>> {
        let Target { from, grid, pattern, .. } = *self.target;
        let old = self.before.members(before, self.counterpart, from.ranks());
        let new = self.comms.members(now, self.rank, grid.ranks());
        let source = |member: u32| {
            let counterpart = pattern.counterpart(member, from, grid);
            old.iter().position(|&old| old == counterpart)
        };
        new.into_iter().map(source).collect()
    }

    /// A communicator of all ranks along some dimensions.
    fn comm(&mut self, mut action: Action) -> Result<Action, String> {
        self.before.note(&action);
        let Action::Comm(context, place, own, _) = &mut action else { return Ok(action) };
        let (from, grid) = (self.target.from, self.target.grid);
        let old: Vec<u32> = members(own).collect();
        let mut is_free = Vec::new();
        for (dimension, &extent) in from.extents.iter().enumerate() {
            let mut seen: Vec<u32> = old.iter().map(|&member| from.coordinates(member)[dimension]).collect();
            seen.sort_unstable();
            seen.dedup();
            is_free.push(seen.len() > 1 || extent == 1);
        }
        let along = |grid: &Grid, rank: u32| -> Vec<u32> {
            let own = grid.coordinates(rank);
            let is_member = |&other: &u32| {
                let other = grid.coordinates(other);
                (0..own.len()).all(|dimension| is_free[dimension] || other[dimension] == own[dimension])
            };
            (0..grid.ranks()).filter(is_member).collect()
        };
        if along(from, self.counterpart) != old {
            return Err(format!("a communicator of {} ranks is no row, column or plane of the grid", old.len()));
        }
        let new = along(grid, self.rank);
        let before = *context;
        *own = runs(new.iter().copied());
        *place = new.iter().position(|&member| member == self.rank).unwrap_or_default() as u32;
        *context = self.contexts.of(before, own);
        self.renamed.insert(before, *context);
        self.comms.note(&action);
        Ok(action)
    }
}

/// Numbers of requests, in the trace and in the result.
#[derive(Default)]
struct Numbers {
    /// The number in the result of each request of the trace.
    new: Vec<u32>,
    next: u32,
}

impl Numbers {
    /// Puts the numbers of the result in the place of distances. `own` has those of a repetition of steps that have
    /// been.
    fn rename(&mut self, action: &mut Action, own: Option<&mut Vec<u32>>) {
        let count = requests(action);
        for distance in named_requests(action) {
            let back = *distance as usize;
            *distance = match &own {
                Some(own) if back <= own.len() => own[own.len() - back],
                _ => {
                    self.new.len().checked_sub(back).and_then(|place| self.new.get(place)).copied().unwrap_or_default()
                }
            };
        }
        if count > 0 {
            own.unwrap_or(&mut self.new).push(self.next);
            self.next += 1;
        }
    }
}

/// The same relation for a later repetition.
fn further_on(relation: &Relation, bits: u32) -> Result<Relation, String> {
    match relation {
        _ if bits == 0 => Ok(relation.clone()),
        Relation::High(dimension, bit) => Ok(Relation::High(*dimension, bit + bits)),
        Relation::Low(dimension, bit) => Ok(Relation::Low(*dimension, bit + bits)),
        Relation::Nobody(_) => Ok(relation.clone()),
        Relation::Offset(ways) if ways.iter().all(|&way| way == 0) => Ok(relation.clone()),
        _ => Err(format!("more ranks do more, and {} says not with whom", shown(relation))),
    }
}

fn shown(relation: &Relation) -> String {
    match relation {
        Relation::Transposed => "the transposed place".to_string(),
        Relation::High(..) | Relation::Low(..) => "a partner of a hypercube".to_string(),
        Relation::Offset(ways) => format!("a neighbour at {ways:?}"),
        Relation::Fixed(rank) => format!("rank {rank}"),
        Relation::Nobody(_) => "any source".to_string(),
    }
}

fn times(count: i64, factor: f64) -> i64 {
    (count as f64 * factor).round() as i64
}

/// Entries for the members of a larger communicator.
fn spread<T>(old: &[T], sources: &[Option<usize>], new: impl Fn(&T) -> T) -> Result<Vec<T>, String> {
    let entry = |source: &Option<usize>| source.and_then(|source| old.get(source)).map(&new);
    let entries: Option<Vec<T>> = sources.iter().map(entry).collect();
    entries.ok_or_else(|| "a list of counts has no entry for one of the ranks".to_string())
}
