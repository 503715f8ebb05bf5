//! What a rank of the larger trace does, as rules: how partners and amounts follow from the place and the number of
//! ranks. It is found by comparison with the rank of the smaller trace that stands for it.

use smpi_base::map::Map;
use smpi_mailbox::Context;
use smpi_mpi::comm::WORLD_CONTEXT;
use smpi_trace::{Action, Items, Message};

use crate::grid::{Grid, Pattern, Preference, Relation};
use crate::stream::{Comms, Stream, amounts, context, kind, partners};

/// How far apart two traces may be before they meet again, in actions.
const LOOK_AHEAD: usize = 100;
/// So many actions in a row say that they have met.
const IN_A_ROW: usize = 3;

/// Of the steps of a rank, at most this part may be new, once there are more than a few.
const MOST_NEW: (usize, usize) = (3, 5);
const FEW_STEPS: usize = 200;

/// Amounts that are rounded may change this much more than the numbers of ranks say.
const MOST_CHANGE: f64 = 1.5;

/// One step of a rank.
#[derive(Clone, Debug)]
pub struct Rule {
    /// As it is in the larger trace.
    pub action: Action,
    /// How many communicators the rank had made before.
    pub epoch: u32,
    /// Whom it speaks with.
    pub relations: Vec<Relation>,
    /// What each of the [`amounts`] is alike to.
    pub likes: Vec<Like>,
    /// Their counts in the smaller trace.
    pub before: Vec<i64>,
    /// What they are multiplied with.
    pub factors: Vec<f64>,
    /// What the entries of lists of counts are multiplied with.
    pub lists: f64,
    /// What is computed before is multiplied with this.
    pub flops: f64,
    /// The smaller trace does not have it.
    pub is_new: bool,
    /// How often it happens.
    pub times: u64,
    /// Flops before all of them.
    pub total_flops: f64,
}

/// A stretch of steps that the smaller trace does not have, and that a larger one has more often.
#[derive(Clone, Debug)]
pub struct Growth {
    /// Its steps.
    pub steps: std::ops::Range<usize>,
    /// How many bits further the next repetition goes.
    pub rounds: u32,
}

/// What a rank does.
#[derive(Debug)]
pub struct Plan {
    /// The different steps.
    pub rules: Vec<Rule>,
    /// In which order they happen.
    pub steps: Vec<u32>,
    /// What grows, in this order.
    pub growth: Vec<Growth>,
}

/// How amounts grow from the larger trace to the result.
#[derive(Debug)]
pub struct Laws {
    /// How many times as much as from the smaller trace to the larger one, in orders of magnitude of ranks.
    pub power: f64,
    /// Factors of the computation before a kind of action.
    pub compute: Map<String, f64>,
    /// Factors of the entries of lists of counts, by kinds of calls.
    pub lists: Map<String, f64>,
}

impl Laws {
    /// What an amount that was `small` and is `large` is multiplied with.
    pub fn factor(&self, small: f64, large: f64) -> f64 {
        if small > 0.0 && large > 0.0 { (large / small).powf(self.power) } else { 1.0 }
    }
}

/// A trace, its grid, and the kinds of its actions.
#[derive(Debug)]
pub struct Side<'a> {
    /// What each rank does.
    pub streams: &'a [Stream],
    /// The kind of each action of each rank.
    pub kinds: &'a [Vec<String>],
    /// The grid of its ranks.
    pub grid: &'a Grid,
}

/// The kinds of all actions of a trace.
pub fn kinds(streams: &[Stream]) -> Vec<Vec<String>> {
    let ranks = streams.len() as u32;
    streams.iter().map(|stream| stream.actions.iter().map(|action| kind(action, ranks)).collect()).collect()
}

/// A place in the trace of a rank.
struct Cursor<'a> {
    side: &'a Side<'a>,
    rank: u32,
    stream: &'a Stream,
    next: usize,
    comms: Comms,
    epoch: u32,
}

impl Plan {
    /// How many steps the smaller trace does not have.
    pub fn new_steps(&self) -> usize {
        self.growth.iter().map(|growth| growth.steps.len()).sum()
    }
}

impl<'a> Cursor<'a> {
    fn new(side: &'a Side<'a>, rank: u32) -> Cursor<'a> {
        let stream = &side.streams[rank as usize];
        Cursor { side, rank, stream, next: 0, comms: Comms::default(), epoch: 0 }
    }

    fn at(&self, ahead: usize) -> Option<u32> {
        self.stream.events.get(self.next + ahead).map(|event| event.action)
    }

    fn advance(&mut self, by: usize) {
        for _ in 0..by {
            let action = &self.stream.actions[self.stream.events[self.next].action as usize];
            if matches!(action, Action::Comm(..)) {
                self.comms.note(action);
                self.epoch += 1;
            }
            self.next += 1;
        }
    }

    fn kind(&self, action: u32) -> &str {
        &self.side.kinds[self.rank as usize][action as usize]
    }

    fn likes(&self, action: u32) -> Vec<Like> {
        likes(&self.stream.actions[action as usize])
    }

    /// For each partner that the action names, what could explain it.
    fn relations(&self, action: u32, preference: Preference) -> Vec<Vec<Relation>> {
        let mut action = self.stream.actions[action as usize].clone();
        let place: Context = context(&mut action).copied().unwrap_or(WORLD_CONTEXT);
        let own = own_place(&action, self.rank);
        let itself = || vec![Relation::Offset(vec![0; self.side.grid.extents.len()])];
        let explain = |(slot, peer): (usize, &mut i32)| {
            if own == Some(slot) {
                return itself();
            }
            let peer = self.comms.in_world(place, self.rank, *peer);
            self.side.grid.relations(self.rank, peer, preference)
        };
        partners(&mut action).into_iter().enumerate().map(explain).collect()
    }
}

/// Which of its partners the rank itself is, where an action names both ends of a message. A wait for a message to
/// oneself is taken to be one for a receive.
fn own_place(action: &Action, rank: u32) -> Option<usize> {
    match action {
        Action::WaitFor(from, to, _) | Action::TestFor(from, to, _) => {
            let is_own = |end: i32| end == rank as i32;
            if is_own(*to) { Some(1) } else { is_own(*from).then_some(0) }
        }
        _ => None,
    }
}

/// Finds the rules of a rank of `large`.
pub struct Planner<'a> {
    small: Cursor<'a>,
    large: Cursor<'a>,
    preference: Preference,
    laws: &'a Laws,
    /// Rules by their actions in the larger and in the smaller trace, and the number of communicators; `None`: they
    /// are not the same step.
    known: Map<(u32, Option<u32>, u32, Preference), Option<u32>>,
    /// The counts in the smaller trace of what has been seen.
    pairs: Map<Like, i64>,
    /// Of the last partners in a hypercube that are not new: new ones go on in the same direction.
    direction: Preference,
    rules: Vec<Rule>,
    steps: Vec<u32>,
}

impl<'a> Planner<'a> {
    /// A rank of `large`, for which a rank of `small` stands.
    pub fn new(
        small: &'a Side<'a>,
        large: &'a Side<'a>,
        rank: u32,
        pattern: Pattern,
        preference: Preference,
        laws: &'a Laws,
    ) -> Planner<'a> {
        let counterpart = pattern.counterpart(rank, small.grid, large.grid);
        Planner {
            small: Cursor::new(small, counterpart),
            large: Cursor::new(large, rank),
            preference,
            laws,
            known: Map::default(),
            pairs: Map::default(),
            direction: preference,
            rules: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// The rule of an action that both have, or only the larger one.
    fn rule(&mut self, large: u32, small: Option<u32>) -> Option<u32> {
        let goes_on = small.is_none() && matches!(self.preference, Preference::High | Preference::Low);
        let preference = if goes_on { self.direction } else { self.preference };
        let key = (large, small, self.large.epoch, preference);
        if let Some(rule) = self.known.get(&key) {
            return *rule;
        }
        let rule = self.make(large, small, preference).map(|rule| {
            self.rules.push(rule);
            self.rules.len() as u32 - 1
        });
        self.known.insert(key, rule);
        rule
    }

    fn make(&mut self, large: u32, small: Option<u32>, preference: Preference) -> Option<Rule> {
        let mut found = self.large.relations(large, preference);
        let action = self.large.stream.actions[large as usize].clone();
        let (likes, mut before) = (self.large.likes(large), Vec::new());
        if let Some(small) = small {
            if self.small.kind(small) != self.large.kind(large) {
                return None;
            }
            let others = self.small.relations(small, preference);
            for (relations, others) in found.iter_mut().zip(&others) {
                relations.retain(|relation| others.contains(relation));
            }
            before = self.small.likes(small).into_iter().map(|(_, count, _)| count).collect();
            if before.iter().zip(&likes).any(|(&before, &(_, after, _))| !self.is_plausible(before, after)) {
                return None;
            }
        }
        let relations: Option<Vec<Relation>> =
            found.into_iter().map(|relations| relations.into_iter().next()).collect();
        let law = |of: &Map<String, f64>| of.get(self.large.kind(large)).copied().unwrap_or(1.0);
        Some(Rule {
            action,
            epoch: self.large.epoch,
            relations: relations?,
            likes,
            before,
            factors: Vec::new(),
            lists: law(&self.laws.lists),
            flops: law(&self.laws.compute),
            is_new: small.is_none(),
            times: 0,
            total_flops: 0.0,
        })
    }

    /// Data of which each rank has its part, or a part for each other rank, changes no more than that.
    fn is_plausible(&self, before: i64, after: i64) -> bool {
        let ranks = self.large.side.grid.ranks() as f64 / self.small.side.grid.ranks() as f64;
        let most = MOST_CHANGE * ranks * ranks;
        let (before, after) = (before as f64, after as f64);
        before == after || before > 0.0 && after > 0.0 && before <= after * most && after <= before * most
    }

    /// Whether these can be the same step, and amounts correspond as they did before.
    fn agrees(&mut self, large: u32, small: u32) -> bool {
        let Some(rule) = self.rule(large, Some(small)) else { return false };
        let Rule { likes, before, .. } = &self.rules[rule as usize];
        likes.iter().zip(before).all(|(like, before)| self.pairs.get(like).is_none_or(|known| known == before))
    }

    fn meets(&mut self, skip_small: usize, skip_large: usize) -> bool {
        (0..IN_A_ROW).all(|ahead| match (self.large.at(skip_large + ahead), self.small.at(skip_small + ahead)) {
            (Some(large), Some(small)) => self.agrees(large, small),
            (None, None) => true,
            _ => false,
        })
    }

    fn take(&mut self, small: Option<u32>) {
        let Some(large) = self.large.at(0) else { return };
        let Some(rule) = self.rule(large, small) else { return };
        let known = &mut self.rules[rule as usize];
        known.times += 1;
        known.total_flops += self.large.stream.events[self.large.next].flops;
        self.steps.push(rule);
        self.large.advance(1);
        if small.is_some() {
            for relation in &known.relations {
                match relation {
                    Relation::High(..) => self.direction = Preference::High,
                    Relation::Low(..) => self.direction = Preference::Low,
                    _ => {}
                }
            }
            for (&like, &before) in known.likes.iter().zip(&known.before) {
                self.pairs.entry(like).or_insert(before);
            }
            self.small.advance(1);
        }
    }

    /// Compares the two ranks from the beginning to the end.
    ///
    /// # Errors
    /// They have too little in common.
    pub fn plan(mut self) -> Result<Plan, String> {
        let mut new_steps = 0;
        while let Some(large) = self.large.at(0) {
            let same = self.small.at(0).filter(|&small| self.rule(large, Some(small)).is_some());
            let mut way = None;
            if same.is_none_or(|small| !self.agrees(large, small)) {
                let mut ways = (1..=LOOK_AHEAD).flat_map(|skip| [(0, skip), (skip, 0), (skip, skip)]);
                way = ways.find(|&(small, large)| self.meets(small, large));
            }
            if way.is_none() && same.is_some() {
                self.take(same);
                continue;
            }
            let (small, new) = way.unwrap_or((1, 1));
            let left = self.small.stream.events.len() - self.small.next;
            self.small.advance(small.min(left));
            (0..new).for_each(|_| self.take(None));
            new_steps += new;
            if new_steps > FEW_STEPS && new_steps * MOST_NEW.1 > self.steps.len() * MOST_NEW.0 {
                let (rank, counterpart) = (self.large.rank, self.small.rank);
                return Err(format!("rank {rank} and rank {counterpart} of fewer have little in common"));
            }
        }
        let growth = self.growth();
        Ok(Plan { rules: self.rules, steps: self.steps, growth })
    }

    /// Stretches of new steps.
    fn growth(&self) -> Vec<Growth> {
        let mut found: Vec<Growth> = Vec::new();
        for (place, &rule) in self.steps.iter().enumerate() {
            if !self.rules[rule as usize].is_new {
                continue;
            }
            match found.last_mut() {
                Some(last) if last.steps.end == place => last.steps.end = place + 1,
                _ => found.push(Growth { steps: place..place + 1, rounds: 0 }),
            }
        }
        for stretch in &mut found {
            let rules = self.steps[stretch.steps.clone()].iter().map(|&rule| &self.rules[rule as usize]);
            let bits = rules.flat_map(|rule| &rule.relations).filter_map(|relation| match relation {
                Relation::High(_, bit) | Relation::Low(_, bit) => Some(*bit),
                _ => None,
            });
            let (least, most) = bits.fold((u32::MAX, 0), |(least, most), bit| (least.min(bit), most.max(bit)));
            stretch.rounds = (most + 1).saturating_sub(least);
        }
        found
    }
}

/// Amounts that are taken to grow alike: tag (calls have none), count and bytes of an element.
pub type Like = (Option<i32>, i64, u64);

/// What each of the [`amounts`] is alike to.
fn likes(action: &Action) -> Vec<Like> {
    let tags = match action {
        Action::Message(_, _, Message::Send { tag, .. } | Message::Recv { tag, .. }) => [Some(*tag); 2],
        Action::Message(_, _, Message::Both { send, recv }) => [Some(send.1), Some(recv.1)],
        _ => [None; 2],
    };
    let like = |(items, tag): (&mut Items, Option<i32>)| (tag, items.count, items.size);
    amounts(&mut action.clone()).into_iter().zip(tags).map(like).collect()
}

/// Finds how the amounts of all ranks grow. Messages with the same tag and the same count grow alike, so that who sends
/// and who receives agree, and new ones as others: most of those that the smaller trace has decide.
pub fn settle(plans: &mut [Plan], laws: &Laws) {
    let mut votes: Map<Like, Map<i64, u64>> = Map::default();
    for rule in plans.iter().flat_map(|plan| &plan.rules).filter(|rule| rule.times > 0) {
        for (&like, before) in rule.likes.iter().zip(&rule.before) {
            *votes.entry(like).or_default().entry(*before).or_default() += rule.times;
        }
    }
    let factor = |like: &Like| {
        let most = votes.get(like).and_then(|votes| votes.iter().max_by_key(|(before, times)| (**times, **before)));
        most.map_or(1.0, |(before, _)| laws.factor(*before as f64, like.1 as f64))
    };
    for rule in plans.iter_mut().flat_map(|plan| &mut plan.rules) {
        rule.factors = rule.likes.iter().map(factor).collect();
    }
}
