//! Several workers, one verdict: a program is cut into parts, the parts are explored separately, and their results are
//! united.
//!
//! The states near the beginning form a tree, whose leaves are the parts. The cut does not depend on the number of
//! workers, and the verdict does not depend on the cut:
//!
//! - Which states are visited and which branches are taken from them are functions of the state alone (the subtree of a
//!   state decides whether it is expanded). So the union over the parts is what one worker would visit, and its size
//!   gives the counts. Parts below closed choices only are disjoint, and their counts are added. The other parts report
//!   their visited states.
//! - The first error in the order of exploration is in the first part (in tree order, parts of an expansion last) that
//!   has one: a state that a single worker would skip as visited was visited in an earlier part.
//!
//! The limit on executions and the caller's time limit stop the workers at arbitrary points. Then only
//! `complete: false` is reproducible.

use std::sync::Mutex;

use smpi_base::map::{Map, Set};

use crate::choice::Event;
use crate::configuration::Configuration;
use crate::logarithms::ln_add;
use crate::reduction::cursor::Cursor;
use crate::reduction::expansion::{Branching, Evidence, Missing};
use crate::reduction::matches::{Part, PartResult, Visited, explore_part};
use crate::system::{Settled, System};
use crate::tolls::{Caller, Tolls};
use crate::verdict::{Limits, Observer, Stats, Stop, Verdict};

/// Parts that a program is cut into by default: enough to keep some dozen workers busy, few enough to plan in no time.
pub const PARTS: usize = 256;

/// Names a part of a plan.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PartId(usize);

/// A state near the beginning.
#[derive(Debug)]
struct Node {
    /// The choices that lead there.
    prefix: Vec<Event>,
    /// Some state on the way may be expanded, so that other paths may meet those that lead through this one.
    shared: bool,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// A part, and what came of it.
    Leaf(Option<PartResult>),
    Inner(Inner),
}

/// A state at which the program was cut: each of its branches is a node.
#[derive(Debug)]
struct Inner {
    key: Configuration,
    branching: Branching,
    /// Whose choice comes first.
    caller: Caller,
    /// What the last step to this state has shown.
    shown: Evidence,
    children: Vec<usize>,
    /// The children from this one on are those of the expansion. Invariant: there if the state was expanded.
    others: Option<usize>,
}

/// A program cut into parts.
#[derive(Debug)]
pub struct Plan {
    /// Invariant: the first one is the beginning of the program, and children come after their parents.
    nodes: Vec<Node>,
    keep_going: bool,
    executions: u64,
    /// Alternatives were left out while it was cut.
    left_out: bool,
}

impl Plan {
    /// Cuts a program into about this many parts, if it has so many branches.
    pub fn new<S: System>(system: &mut S, limits: &Limits, parts: usize) -> Plan {
        let root = Node { prefix: Vec::new(), shared: false, kind: Kind::Leaf(None) };
        let mut plan =
            Plan { nodes: vec![root], keep_going: limits.keep_going, executions: limits.executions, left_out: false };
        plan.cut_into(system, 0, parts, limits.depth);
        plan
    }

    /// Cuts a part that has no result into about this many, if it has so many branches. Where parts are cut makes no
    /// difference to the verdict. False where it has no branches to be told apart.
    pub fn split<S: System>(&mut self, system: &mut S, id: PartId, parts: usize, limits: &Limits) -> bool {
        let known = self.nodes.len();
        self.cut_into(system, id.0, parts, limits.depth);
        self.nodes.len() > known
    }

    fn cut_into<S: System>(&mut self, system: &mut S, at: usize, parts: usize, depth: usize) {
        let mut leaves = 1;
        // New nodes are numbered breadth first: cutting them in this order cuts the shallowest first.
        let (mut next, mut behind) = (at, self.nodes.len());
        while next < self.nodes.len() && leaves < parts {
            if self.nodes[next].prefix.len() < depth {
                leaves += self.cut(system, next);
            }
            next = behind;
            behind += 1;
        }
        self.left_out |= system.left_out();
    }

    /// Makes a leaf an inner node. Returns by how much the number of leaves grew.
    fn cut<S: System>(&mut self, system: &mut S, at: usize) -> usize {
        let prefix = &self.nodes[at].prefix;
        let mut cursor = Cursor::new(system);
        if cursor.replay(prefix) != Settled::Choices || cursor.system.failed() {
            return 0;
        }
        let mut branches = Vec::new();
        let branching = Branching::new(cursor.choices(), &mut branches);
        // Where all are reluctant, the branches are not cut into parts: they meet again.
        if branching.first().is_none() {
            return 0;
        }
        let Some(&first) = branches.first() else { return 0 };
        let caller = cursor.system.caller(first);
        let key = cursor.key(Configuration::of(prefix));
        let inner = Inner { key, branching, caller, shown: cursor.shown, children: Vec::new(), others: None };
        self.nodes[at].kind = Kind::Inner(inner);
        self.add(at, &branches);
        branches.len() - 1
    }

    /// Adds children to an inner node.
    fn add(&mut self, at: usize, branches: &[Event]) {
        let children = self.nodes.len()..self.nodes.len() + branches.len();
        let node = &mut self.nodes[at];
        let Kind::Inner(inner) = &mut node.kind else { return };
        let shared = node.shared || inner.branching.is_open();
        inner.children.extend(children);
        let prefix = node.prefix.clone();
        self.nodes.extend(branches.iter().map(|&branch| {
            let prefix = prefix.iter().copied().chain([branch]).collect();
            Node { prefix, shared, kind: Kind::Leaf(None) }
        }));
    }

    /// Parts without a result, in the order in which one worker would explore them. Without `keep_going`, those after
    /// the first known error are left out.
    pub fn open_parts(&self) -> Vec<PartId> {
        let mut open = Vec::new();
        for leaf in self.leaves() {
            match &self.nodes[leaf].kind {
                Kind::Leaf(Some(result)) if self.stops_in(result) => break,
                Kind::Leaf(None) => open.push(PartId(leaf)),
                _ => {}
            }
        }
        open
    }

    /// All parts in the order in which one worker would explore them, up to the first in which it would have stopped.
    pub fn parts(&self) -> Vec<PartId> {
        let mut parts = Vec::new();
        for leaf in self.leaves() {
            parts.push(PartId(leaf));
            if matches!(&self.nodes[leaf].kind, Kind::Leaf(Some(result)) if self.stops_in(result)) {
                break;
            }
        }
        parts
    }

    /// The number, in the order of one worker, of the execution that was the `local`-th of a part (both from 1). An
    /// execution that an earlier part has met, too, is not counted again.
    pub fn execution_number(&self, id: PartId, local: u64) -> u64 {
        let mut seen: Set<Configuration> = Set::default();
        let mut number = 0;
        for leaf in self.leaves() {
            let Node { shared, kind: Kind::Leaf(Some(result)), .. } = &self.nodes[leaf] else { continue };
            let most = if leaf == id.0 { local } else { result.verdict.stats.executions };
            if *shared {
                let ends = result.visited.iter().filter(|visited| visited.end).take(most as usize);
                number += ends.filter(|end| seen.insert(end.key)).count() as u64;
            } else {
                number += most;
            }
            if leaf == id.0 {
                break;
            }
        }
        number
    }

    /// What a worker is to explore.
    pub fn part(&self, id: PartId) -> Part<'_> {
        Part { prefix: &self.nodes[id.0].prefix, shared: self.nodes[id.0].shared }
    }

    /// What came of a part.
    pub fn finish(&mut self, id: PartId, result: PartResult) {
        self.nodes[id.0].kind = Kind::Leaf(Some(result));
    }

    /// When no part is open: cuts off further parts that turned out to be necessary. False when there are none, so that
    /// [`Plan::verdict`] is final.
    pub fn expand<S: System>(&mut self, system: &mut S) -> bool {
        let mut incomplete = Vec::new();
        self.found_below(0, &mut incomplete);
        for (at, found) in &incomplete {
            let node = &mut self.nodes[*at];
            let Kind::Inner(inner) = &mut node.kind else { continue };
            let mut branches = Vec::new();
            match inner.branching.missing(found) {
                None => continue,
                Some(Missing::Withheld) => inner.branching.release(found, &mut branches),
                Some(Missing::Others) => {
                    inner.others = Some(inner.children.len());
                    let mut cursor = Cursor::new(system);
                    cursor.replay(&node.prefix);
                    inner.branching.expand(cursor.choices(), &mut branches);
                }
            }
            self.add(*at, &branches);
        }
        self.left_out |= system.left_out();
        !incomplete.is_empty()
    }

    /// What was found below a node and on the step to it, about choices made before. Collects the inner nodes that need
    /// more children, each with what was found below it, and those nearest to the leaves first: what a node needs is
    /// decided when nothing below it is open. `None` when one worker would have stopped in it.
    fn found_below(&self, at: usize, incomplete: &mut Vec<(usize, Evidence)>) -> Option<Evidence> {
        match &self.nodes[at].kind {
            Kind::Leaf(None) => None,
            Kind::Leaf(Some(result)) if self.stops_in(result) => None,
            Kind::Leaf(Some(result)) => Some(result.found.clone()),
            Kind::Inner(inner) => {
                let known = incomplete.len();
                let mut found = Evidence::default();
                for &child in &inner.children {
                    found.join(&self.found_below(child, incomplete)?);
                }
                if incomplete.len() == known && inner.branching.missing(&found).is_some() {
                    incomplete.push((at, found.clone()));
                }
                inner.branching.pass_on(&mut found);
                found.join(&inner.shown);
                Some(found)
            }
        }
    }

    /// Natural logarithm of the explored part, if all subtrees of a state are equally large.
    pub fn ln_explored(&self) -> f64 {
        self.ln_explored_below(0)
    }

    fn ln_explored_below(&self, at: usize) -> f64 {
        match &self.nodes[at].kind {
            Kind::Leaf(result) => result.as_ref().map_or(f64::NEG_INFINITY, |result| result.verdict.ln_explored),
            Kind::Inner(Inner { children, .. }) => {
                let all = children.iter().map(|&child| self.ln_explored_below(child));
                all.fold(f64::NEG_INFINITY, ln_add) - (children.len() as f64).ln()
            }
        }
    }

    /// What the choices of calls have cost in all parts that have a result, and on the way there.
    pub fn tolls(&self) -> Tolls {
        let mut tolls = Tolls::default();
        self.pay(0, &mut tolls);
        tolls
    }

    /// Adds the tolls at and below a node; returns how many executions have paid them.
    fn pay(&self, at: usize, tolls: &mut Tolls) -> u64 {
        match &self.nodes[at].kind {
            Kind::Leaf(None) => 0,
            Kind::Leaf(Some(result)) => {
                tolls.join(&result.verdict.tolls);
                result.verdict.tolls.executions
            }
            Kind::Inner(Inner { caller, children, .. }) => {
                let executions = children.iter().map(|&child| self.pay(child, tolls)).sum();
                let id = tolls.id(*caller);
                tolls.pay(id, children.len(), executions);
                executions
            }
        }
    }

    /// True when one worker would have stopped in the part that gave this.
    fn stops_in(&self, result: &PartResult) -> bool {
        match result.verdict.stopped {
            Some(Stop::Error) => !self.keep_going,
            Some(_) => true,
            None => false,
        }
    }

    /// Leaves in the order of exploration.
    fn leaves(&self) -> Vec<usize> {
        let mut leaves = Vec::new();
        let mut stack = vec![0];
        while let Some(at) = stack.pop() {
            match &self.nodes[at].kind {
                Kind::Leaf(_) => leaves.push(at),
                Kind::Inner(inner) => stack.extend(inner.children.iter().rev()),
            }
        }
        leaves
    }

    /// The verdict over all parts that have a result, up to the first that one worker would have stopped in.
    pub fn verdict(&self) -> Verdict {
        let mut union = Union::default();
        self.gather(0, &mut union);
        let Union { mut verdict, shared, work } = union;
        verdict.stats.restores = work.restores;
        verdict.stats.replayed = work.replayed;
        for visited in shared.values() {
            count(&mut verdict, visited);
        }
        let stats = &mut verdict.stats;
        if stats.executions > self.executions {
            stats.executions = self.executions;
            verdict.stopped = verdict.stopped.or(Some(Stop::Executions));
        }
        // Every state but the first was entered by one branch; all other branches led to states already visited.
        stats.revisits = (stats.transitions + 1).saturating_sub(stats.configurations);
        if verdict.is_cut_short() {
            verdict.tolls = self.tolls();
            verdict.ln_explored = self.ln_explored();
        }
        verdict.conclude(self.left_out);
        verdict
    }

    /// Adds what is below a node; false when one worker would have stopped in it.
    fn gather(&self, at: usize, union: &mut Union) -> bool {
        let node = &self.nodes[at];
        match &node.kind {
            Kind::Leaf(None) => {
                union.verdict.stopped = Some(Stop::Asked);
                false
            }
            Kind::Leaf(Some(result)) => {
                union.part(result, node.shared);
                !self.stops_in(result)
            }
            &Kind::Inner(Inner { key, ref children, others, .. }) => {
                let mut branches: u32 = 0;
                let through = children.iter().all(|&child| {
                    branches += 1;
                    self.gather(child, union)
                });
                // One worker that stopped before the expansion never made it.
                let expanded = others.is_some_and(|others| through || branches as usize > others);
                let visited = Visited { key, branches, end: false, error: false, expanded };
                union.add(visited, node.shared);
                through
            }
        }
    }
}

/// The results of several parts, united.
#[derive(Default)]
struct Union {
    /// Without the states in `shared`.
    verdict: Verdict,
    /// States that several parts may have visited.
    shared: Map<Configuration, Visited>,
    /// What coming back to states has cost, all parts together.
    work: Stats,
}

impl Union {
    fn part(&mut self, result: &PartResult, shared: bool) {
        let (into, part) = (&mut self.verdict, &result.verdict);
        into.bounded |= part.bounded;
        into.left_out |= part.left_out;
        into.stopped = into.stopped.or(part.stopped);
        if into.first.is_none() {
            into.first.clone_from(&part.first);
        }
        into.stats.depth = into.stats.depth.max(part.stats.depth);
        self.work.restores += part.stats.restores;
        self.work.replayed += part.stats.replayed;
        if shared {
            result.visited.iter().for_each(|&visited| self.add(visited, true));
        } else {
            into.errors += part.errors;
            into.stats.executions += part.stats.executions;
            into.stats.configurations += part.stats.configurations;
            into.stats.transitions += part.stats.transitions;
            into.stats.expansions += part.stats.expansions;
        }
    }

    fn add(&mut self, visited: Visited, shared: bool) {
        if !shared {
            return count(&mut self.verdict, &visited);
        }
        let known = self.shared.entry(visited.key).or_insert(visited);
        known.branches = known.branches.max(visited.branches);
        known.expanded |= visited.expanded;
        // A deadlock that need not be is left by reluctant choices.
        known.end |= visited.end;
        known.error |= visited.error;
    }
}

fn count(verdict: &mut Verdict, visited: &Visited) {
    verdict.errors += u64::from(visited.error);
    verdict.stats.configurations += 1;
    verdict.stats.executions += u64::from(visited.end);
    verdict.stats.transitions += u64::from(visited.branches);
    verdict.stats.expansions += u64::from(visited.expanded);
}

/// Explores a program with several threads. `make` makes a system and `watch` an observer for each.
pub fn explore_with_threads<S, O>(
    make: &(dyn Fn() -> S + Sync),
    watch: &(dyn Fn() -> O + Sync),
    limits: &Limits,
    jobs: usize,
) -> Verdict
where
    S: System,
    O: Observer<S>,
{
    let mut system = make();
    let mut plan = Plan::new(&mut system, limits, PARTS);
    loop {
        let open = plan.open_parts().into_iter().rev().collect();
        let shared = Mutex::new(Work { plan, open });
        std::thread::scope(|scope| {
            for _ in 0..jobs.max(1) {
                scope.spawn(|| work(&mut make(), &mut watch(), limits, &shared));
            }
        });
        plan = shared.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).plan;
        if !plan.expand(&mut system) {
            return plan.verdict();
        }
    }
}

/// What the threads have in common.
struct Work {
    plan: Plan,
    /// Parts that nobody has begun, the next one last.
    open: Vec<PartId>,
}

fn lock(work: &Mutex<Work>) -> std::sync::MutexGuard<'_, Work> {
    work.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Explores open parts as long as there are any.
fn work<S: System>(system: &mut S, observer: &mut dyn Observer<S>, limits: &Limits, shared: &Mutex<Work>) {
    loop {
        let (id, prefix, is_shared) = {
            let mut work = lock(shared);
            let Some(id) = work.open.pop() else { return };
            let part = work.plan.part(id);
            (id, part.prefix.to_vec(), part.shared)
        };
        let result = explore_part(system, Part { prefix: &prefix, shared: is_shared }, limits, observer);
        let mut work = lock(shared);
        let stops = work.plan.stops_in(&result);
        work.plan.finish(id, result);
        if stops {
            // What comes later in the order does not matter any more.
            let open = work.plan.open_parts();
            work.open.retain(|id| open.contains(id));
        }
    }
}
