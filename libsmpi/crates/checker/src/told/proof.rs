//! Whether combinations of what several groups of ranks are told show anything that none of them shows by itself.
//!
//! The executions of each group were explored while all others were told what the first execution told them, and no
//! rank is told different things by two groups. An execution M of the program combines one execution of each group, as
//! far as it comes: see [`crate::reduction::histories`]. Two things could be new in it.
//!
//! *A candidate* that comes for a choice although, in the group's own executions, it follows from what was chosen.
//! [`Proof::joined`] looks for one. A token is *behind* a choice if each place where it may be given lies behind a step
//! that waits for a token that is behind it, or behind the choice itself. "May be given" means, of a rank of the
//! choice's group, in this execution of the group; of any other, in all executions. So whatever is behind the choice
//! comes after it in each M. What could be a candidate, and is behind it in the group's own execution only, may come
//! in some M.
//!
//! *Ranks that get stuck.* [`Proof::stuck`] looks for some ranks, each at a place where it waits, such that for all
//! that it could go on with something is needed that another one of them has not given at its place, or never gives in
//! its execution. In an M that gets stuck, the ranks that wait are such. First all places are dropped from which this
//! cannot be, until none is left to drop, and mostly none is left at all: no M gets stuck. Else places are combined
//! one by one. What is found is executed by the caller: it may be wrong, as a place that waits for a message which was
//! chosen early is taken to have no other way on.
//!
//! Both look at too much rather than too little, and both end after so much work ([`LIMIT`]): then nothing is proved.

use std::rc::Rc;

use smpi_base::WorldRank;
use smpi_base::map::{Map, Set};
use smpi_mailbox::Pattern;

use super::trie::Gift;
use super::{Offers, Sent, Step, Token, Told, Tries};

/// Places looked at before a proof is given up.
const LIMIT: u64 = 50_000_000;

/// Places tried for each place that may be stuck.
const TRIES: u64 = 20_000;

/// An execution of a group, beside the first one of the program.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The group whose choices were explored.
    pub group: usize,
    /// What ranks were told.
    pub told: &'a Told,
}

/// Places at which ranks may get stuck, as an execution to make: of each group that is told something else than in the
/// first execution, which of its executions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stuck {
    /// Groups, and places of executions among those that there are beside the first one.
    pub runs: Vec<(usize, usize)>,
    /// The places.
    places: Vec<usize>,
}

/// What the executions of all groups show together.
pub struct Proof {
    /// By rank.
    groups: Vec<usize>,
    tries: Tries,
    /// By execution: of the first one, none; the others follow.
    group_of: Vec<Option<usize>>,
    /// By place: executions of its rank's group that come by, and the first one if it does.
    runs: Vec<Vec<usize>>,
    /// By token: what waits for it beside the steps before it, and where that is given.
    dependent: Map<usize, Vec<(usize, usize)>>,
    /// By token, where somebody has asked: the token, and what it waits for beside the steps of its ranks.
    all_of: Map<usize, Rc<[usize]>>,
    work: u64,
    /// By place, where a rank may be stuck there: for each way on, what it needs.
    waits: Vec<Option<Vec<Vec<usize>>>>,
    /// By rank: places where it may be stuck.
    places: Vec<Vec<usize>>,
    /// Places that were found already.
    known: Set<usize>,
}

/// A proof was given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooMuch;

/// What could come for a choice.
struct Coming {
    /// The tokens that it needs.
    needed: Vec<usize>,
    /// It does come in the execution that is looked at, sooner or later.
    is_here: bool,
}

/// Where what follows from a choice begins.
struct Origin {
    /// From here on its rank knows of it, if it ever does.
    seen: Option<usize>,
    /// What nobody is given before it is made.
    tokens: Vec<usize>,
}

/// Whether an execution is one of a rank's group: the first one is of all.
fn is_of(run: Option<usize>, group: usize) -> bool {
    run.is_none_or(|run| run == group)
}

impl Proof {
    /// For ranks in these groups, after the first execution of the program and these.
    pub fn new(groups: Vec<usize>, first: &Told, runs: &[Run<'_>]) -> Proof {
        let mut tries = Tries::new(groups.len());
        tries.add(first, |_| true);
        runs.iter().for_each(|run| tries.add(run.told, |rank| groups[rank] == run.group));
        tries.finish();
        let group_of: Vec<Option<usize>> = [None].into_iter().chain(runs.iter().map(|run| Some(run.group))).collect();
        let mut of_places = vec![Vec::new(); tries.nodes.len()];
        for (number, leaves) in tries.leaves.iter().enumerate() {
            let its = leaves.iter().enumerate().filter(|(rank, _)| is_of(group_of[number], groups[*rank]));
            for (_, &leaf) in its {
                let path = std::iter::successors(Some(leaf), |&place| tries.nodes[place].parent);
                path.for_each(|place| of_places[place].push(number));
            }
        }
        let mut dependent: Map<usize, Vec<(usize, usize)>> = Map::default();
        for (place, node) in tries.nodes.iter().enumerate() {
            for gift in &node.gives {
                for own in gift.own.iter().filter_map(|own| tries.id(own)) {
                    dependent.entry(own).or_default().push((place, gift.token));
                }
            }
        }
        let mut proof = Proof {
            places: vec![Vec::new(); groups.len()],
            groups,
            waits: vec![None; tries.nodes.len()],
            tries,
            group_of,
            runs: of_places,
            dependent,
            all_of: Map::default(),
            work: 0,
            known: Set::default(),
        };
        proof.find_waits();
        proof
    }

    /// By rank: its group.
    pub fn groups(&self) -> &[usize] {
        &self.groups
    }

    fn pay(&mut self, work: usize) -> Result<(), TooMuch> {
        self.work += work as u64;
        if self.work > LIMIT { Err(TooMuch) } else { Ok(()) }
    }

    // Candidates.

    /// Groups that have to be one, because what one of them chooses among may depend on the other: some, if any.
    ///
    /// # Errors
    /// If that is too much work.
    pub fn joined(&mut self) -> Result<Vec<usize>, TooMuch> {
        let told = (0..self.tries.tokens.len()).find_map(|token| self.joined_by_contents(token));
        if let Some(told) = told {
            return Ok(told);
        }
        for run in 0..self.group_of.len() {
            for rank in 0..self.groups.len() {
                if !is_of(self.group_of[run], self.groups[rank]) {
                    continue;
                }
                let path: Vec<usize> = self.path(run, rank).collect();
                for place in path {
                    let joined = self.joined_by(run, rank, place)?;
                    if !joined.is_empty() {
                        return Ok(joined);
                    }
                }
            }
        }
        Ok(Vec::new())
    }

    /// The same because of a message to a rank of one group, of which the other one decides what it is, or whether it
    /// is sent at all.
    fn joined_by_contents(&self, token: usize) -> Option<Vec<usize>> {
        let Token::Sent(sent) = self.tries.tokens[token] else { return None };
        let (giver, receiver) = (self.groups[sent.from.index()], self.groups[sent.to.index()]);
        if giver == receiver {
            return None;
        }
        let places = &self.tries.given[token].at;
        let gifts = places.iter().flat_map(|&at| &self.tries.nodes[at].gives).filter(|gift| gift.token == token);
        let mut contents = gifts.map(|gift| gift.contents);
        let first = contents.next()?;
        let is_same = contents.all(|other| other == first);
        let runs: usize = places.iter().map(|&at| self.runs[at].len()).sum();
        // A rank's place before its first step has its number.
        let is_always = runs == self.runs[sent.from.index()].len();
        (!is_same || !is_always).then(|| vec![giver, receiver])
    }

    /// The same because of the choice that is the step to this place in an execution.
    fn joined_by(&mut self, run: usize, rank: usize, place: usize) -> Result<Vec<usize>, TooMuch> {
        let Some((coming, from)) = self.could_come(run, rank, place)? else { return Ok(Vec::new()) };
        if coming.is_empty() {
            return Ok(Vec::new());
        }
        let group = self.groups[rank];
        let always = self.behind(run, rank, &from, true)?;
        let is_behind = |one: &Coming, behind: &Set<usize>| one.needed.iter().any(|token| behind.contains(token));
        let open: Vec<&Coming> = coming.iter().filter(|one| !is_behind(one, &always)).collect();
        if open.is_empty() {
            return Ok(Vec::new());
        }
        let here = self.behind(run, rank, &from, false)?;
        let missing = open.iter().find(|one| is_behind(one, &here) || !one.is_here);
        let Some(missing) = missing else { return Ok(Vec::new()) };
        let later = here.iter().filter(|token| !always.contains(token)).chain(missing.needed.iter());
        let givers = later.flat_map(|&token| &self.tries.given[token].at);
        let mut joined: Vec<usize> = givers.map(|&at| self.groups[self.tries.nodes[at].rank]).collect();
        joined.push(group);
        joined.sort_unstable();
        joined.dedup();
        Ok(if joined.len() > 1 { joined } else { Vec::new() })
    }

    /// What the choice before this place could be given to choose among, and where what follows from it begins.
    /// `None` if it is no choice among what others do.
    fn could_come(&mut self, run: usize, rank: usize, place: usize) -> Result<Option<(Vec<Coming>, Origin)>, TooMuch> {
        let (coming, from) = match self.tries.nodes[place].step.clone() {
            Some(Step::Chose { offers: Offers::Messages(pattern), started, .. }) => {
                (self.messages(run, rank, &pattern, started)?, Origin { seen: Some(place), tokens: Vec::new() })
            }
            Some(Step::Posts { pattern, started, .. }) => {
                // Whose message it has learns that, too, if it waits for it.
                let posted = self.tries.nodes[place].took.map(Token::Posted);
                let tokens = posted.into_iter().chain([Token::Had(WorldRank(rank as u32), started)]);
                let tokens = tokens.filter_map(|token| self.tries.id(&token)).collect();
                let seen = self.takes(run, rank, started);
                (self.messages(run, rank, &pattern, started)?, Origin { seen, tokens })
            }
            Some(Step::Chose { offers: Offers::Requests(requests), .. }) => {
                let mut coming = Vec::new();
                for &request in requests.iter() {
                    coming.extend(self.completions(run, rank, request)?);
                }
                (coming, Origin { seen: Some(place), tokens: Vec::new() })
            }
            _ => return Ok(None),
        };
        Ok(Some((coming, from)))
    }

    /// What a request may be completed by that a rank starts in an execution.
    fn completions(&mut self, run: usize, rank: usize, request: u32) -> Result<Vec<Coming>, TooMuch> {
        let taken = self.takes(run, rank, request).and_then(|at| self.tries.nodes[at].step.as_ref());
        if let Some(Step::Takes { tokens, .. }) = taken {
            let needed = tokens.iter().filter_map(|token| self.tries.id(token)).collect();
            return Ok(vec![Coming { needed, is_here: true }]);
        }
        let other = |token: usize| match self.tries.tokens[token] {
            Token::Sent(sent) => self.tries.id(&Token::Posted(sent)),
            Token::Posted(sent) => self.tries.id(&Token::Sent(sent)),
            Token::Met(..) => Some(token),
            Token::Had(..) => None,
        };
        let its = self.path(run, rank).flat_map(|place| &self.tries.nodes[place].gives);
        let its: Vec<usize> = its.filter(|gift| gift.started == request).map(|gift| gift.token).collect();
        let patterns = self.tries.receives.get(&(rank, request)).cloned().unwrap_or_default();
        let is_matched = its.iter().any(|&token| matches!(self.tries.tokens[token], Token::Posted(_)));
        let its = its.into_iter().filter_map(other);
        let mut coming: Vec<Coming> =
            its.map(|token| Coming { needed: vec![token], is_here: self.gift(run, token).is_some() }).collect();
        if !is_matched {
            for pattern in patterns {
                coming.extend(self.messages(run, rank, &pattern, request)?);
            }
        }
        Ok(coming)
    }

    /// Messages for a rank that a pattern accepts: of each sender the first that no receive has taken in this execution
    /// that was posted before the request with this number, and that is such a message in any execution.
    fn messages(&mut self, run: usize, rank: usize, pattern: &Pattern, started: u32) -> Result<Vec<Coming>, TooMuch> {
        self.pay(self.tries.tokens.len())?;
        let taken_before = self.taken_before(run, rank, started);
        let mut all: Vec<(Sent, usize)> = Vec::new();
        for (id, token) in self.tries.tokens.iter().enumerate() {
            if let Token::Sent(sent) = token
                && sent.to.index() == rank
                && sent.context == pattern.context
                && !taken_before.contains(&id)
            {
                all.push((*sent, id));
            }
        }
        all.sort_unstable();
        let accepts = |gift: &Gift| gift.contents.is_some_and(|(envelope, _)| pattern.matches(&envelope));
        let mut over = None;
        let mut coming = Vec::new();
        for (sent, id) in all {
            let line = (sent.from, sent.lane);
            let gifts = self.tries.given[id].at.iter().flat_map(|&at| &self.tries.nodes[at].gives);
            let gifts: Vec<&Gift> = gifts.filter(|gift| gift.token == id).collect();
            if over == Some(line) || !gifts.iter().any(|gift| accepts(gift)) {
                continue;
            }
            if gifts.iter().all(|gift| accepts(gift)) {
                over = Some(line);
            }
            coming.push(Coming { needed: vec![id], is_here: self.gift(run, id).is_some_and(accepts) });
        }
        Ok(coming)
    }

    /// What is given as this token in an execution.
    fn gift(&self, run: usize, token: usize) -> Option<&Gift> {
        let leads = |&&at: &&usize| self.tries.leads_to(at, self.tries.leaves[run][self.tries.nodes[at].rank]);
        let at = self.tries.given[token].at.iter().find(leads)?;
        self.tries.nodes[*at].gives.iter().find(|gift| gift.token == token)
    }

    /// The places that a rank comes by in an execution, the last one first.
    fn path(&self, run: usize, rank: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(self.tries.leaves[run][rank]), |&place| self.tries.nodes[place].parent)
    }

    /// Where a rank takes the completion of a request in an execution, first.
    fn takes(&self, run: usize, rank: usize, request: u32) -> Option<usize> {
        let is_it = |&place: &usize| match self.tries.nodes[place].step {
            Some(Step::Takes { started, .. }) => started == Some(request),
            _ => false,
        };
        self.path(run, rank).filter(is_it).last()
    }

    /// Messages that receives of a rank have taken in an execution that were posted before the request with this
    /// number.
    fn taken_before(&self, run: usize, rank: usize, started: u32) -> Set<usize> {
        let gives = self.path(run, rank).flat_map(|place| &self.tries.nodes[place].gives);
        let before = gives.filter(|gift| gift.started < started);
        let message = |gift: &Gift| match self.tries.tokens[gift.token] {
            Token::Posted(sent) => self.tries.id(&Token::Sent(sent)),
            _ => None,
        };
        before.filter_map(message).collect()
    }

    /// Whether a place may be come to together with this execution of this rank's group: in any execution of other
    /// groups if `always`, else in the first one.
    fn is_with(&self, place: usize, run: usize, group: usize, always: bool) -> bool {
        let rank = self.tries.nodes[place].rank;
        if self.groups[rank] == group || !always {
            return self.tries.leads_to(place, self.tries.leaves[run][rank]);
        }
        true
    }

    /// The tokens that follow from a choice.
    fn behind(&mut self, run: usize, rank: usize, from: &Origin, always: bool) -> Result<Set<usize>, TooMuch> {
        let group = self.groups[rank];
        let mut tokens: Set<usize> = from.tokens.iter().copied().collect();
        let mut marked: Set<usize> = Set::default();
        let mut left: Map<(usize, usize), usize> = Map::default();
        let mut open: Vec<usize> = from.seen.into_iter().collect();
        open.extend(from.tokens.iter().flat_map(|&token| &self.tries.given[token].taken));
        let mut new = from.tokens.clone();
        let mut work = 0;
        loop {
            // What waits for a token beside the steps before it may do so in one execution, and not in another.
            while let Some(token) = new.pop() {
                for &(at, other) in self.dependent.get(&token).into_iter().flatten() {
                    if !always && self.is_with(at, run, group, always) && tokens.insert(other) {
                        new.push(other);
                        open.extend(&self.tries.given[other].taken);
                    }
                }
            }
            let Some(place) = open.pop() else { break };
            if !self.is_with(place, run, group, always) || !marked.insert(place) {
                continue;
            }
            work += 1;
            let node = &self.tries.nodes[place];
            open.extend(&node.children);
            for &Gift { token, .. } in &node.gives {
                let all = || {
                    let at = self.tries.given[token].at.iter();
                    at.filter(|&&at| self.tries.nodes[at].rank == node.rank && self.is_with(at, run, group, always))
                        .count()
                };
                let left = left.entry((token, node.rank)).or_insert_with(all);
                *left -= 1;
                if *left == 0 && tokens.insert(token) {
                    new.push(token);
                    open.extend(&self.tries.given[token].taken);
                }
            }
        }
        self.pay(work)?;
        Ok(tokens)
    }

    // Ranks that get stuck.

    /// Finds out what is waited for at each place.
    fn find_waits(&mut self) {
        for place in 0..self.tries.nodes.len() {
            let waits = self.waits_at(place);
            if waits.is_some() {
                self.places[self.tries.nodes[place].rank].push(place);
            }
            self.waits[place] = waits;
        }
    }

    /// For each way on from a place, what it needs; `None` if its rank goes on anyway.
    fn waits_at(&self, place: usize) -> Option<Vec<Vec<usize>>> {
        let node = &self.tries.nodes[place];
        let ways = node.children.iter().filter(|&&child| {
            let child = &self.tries.nodes[child];
            // A receive that takes nothing is no way on.
            !(matches!(child.step, Some(Step::Posts { .. })) && child.took.is_none() && child.children.is_empty())
        });
        let needed = ways.map(|&child| self.needed(child)).collect::<Option<Vec<Vec<usize>>>>()?;
        Some(needed)
    }

    /// What a rank must have been given to come to this place by its last step, and by those that take what that step
    /// has chosen; `None` if it needs nothing.
    fn needed(&self, place: usize) -> Option<Vec<usize>> {
        let nodes = &self.tries.nodes;
        let chosen = nodes[place].step.as_ref()?;
        let is_chosen = |request: Option<u32>| match chosen {
            Step::Posts { started, .. } => request == Some(*started),
            // The message that a probe sees.
            Step::Chose { offers: Offers::Messages(_), .. } => request.is_none(),
            Step::Chose { offers: Offers::Requests(all), .. } => request.is_some_and(|one| all.contains(&one)),
            Step::Chose { offers: Offers::Nothing, .. } | Step::Takes { .. } => false,
        };
        let taken = |place: usize| match &nodes[place].step {
            Some(Step::Takes { started, tokens, .. }) => Some((*started, tokens)),
            _ => None,
        };
        let own = taken(place).into_iter();
        let next = std::iter::successors(nodes[place].children.first(), |&&place| nodes[place].children.first());
        let next = next.map_while(|&place| taken(place)).take_while(|(request, _)| is_chosen(*request));
        let tokens = own.chain(next).flat_map(|(_, tokens)| tokens.iter());
        let needed: Vec<usize> = tokens.filter_map(|token| self.tries.id(token)).collect();
        (!needed.is_empty()).then_some(needed)
    }

    /// What a rank that is stuck at this place waits for; `None` if it cannot be, or has no way on.
    fn ways_of(&self, place: usize) -> Option<Vec<Vec<usize>>> {
        self.waits[place].clone().filter(|ways| !ways.is_empty())
    }

    /// Drops places where no rank can be stuck.
    fn drop_places(&mut self) -> Result<(), TooMuch> {
        loop {
            let mut dropped = false;
            for place in 0..self.tries.nodes.len() {
                let Some(ways) = self.ways_of(place) else { continue };
                let mut stays = true;
                for way in &ways {
                    let mut is_blocked = false;
                    for &token in way {
                        is_blocked = is_blocked || self.has_blocker(place, token)?;
                    }
                    stays &= is_blocked;
                }
                if !stays {
                    self.waits[place] = None;
                    dropped = true;
                }
            }
            let waits = &self.waits;
            self.places.iter_mut().for_each(|places| places.retain(|&place| waits[place].is_some()));
            if !dropped {
                return Ok(());
            }
        }
    }

    /// Whether somebody may be stuck who has not given a token, or what it waits for, while a rank is at a place.
    fn has_blocker(&mut self, place: usize, token: usize) -> Result<bool, TooMuch> {
        let tokens = self.all_of(token);
        for &token in tokens.iter() {
            for giver in self.givers(token) {
                self.pay(self.places[giver].len() + 1)?;
                let mut others = self.places[giver].iter().copied();
                if others.any(|other| {
                    self.waits[other].is_some() && !self.has_given(other, token) && self.are_together(place, other)
                }) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// A token and all that it waits for beside the steps of its ranks.
    fn all_of(&mut self, token: usize) -> Rc<[usize]> {
        if let Some(all) = self.all_of.get(&token) {
            return Rc::clone(all);
        }
        let mut all = vec![token];
        let mut next = 0;
        while let Some(&token) = all.get(next) {
            next += 1;
            let places = self.tries.given[token].at.iter().map(|&at| &self.tries.nodes[at]);
            let gifts = places.flat_map(|node| &node.gives).filter(|gift| gift.token == token);
            for own in gifts.flat_map(|gift| gift.own.iter()).filter_map(|own| self.tries.id(own)) {
                if !all.contains(&own) {
                    all.push(own);
                }
            }
        }
        let all: Rc<[usize]> = all.into();
        self.all_of.insert(token, Rc::clone(&all));
        all
    }

    fn givers(&self, token: usize) -> Vec<usize> {
        let mut ranks: Vec<usize> = self.tries.given[token].at.iter().map(|&at| self.tries.nodes[at].rank).collect();
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }

    /// Whether a rank has given a token at this place.
    fn has_given(&self, place: usize, token: usize) -> bool {
        self.tries.given[token].at.iter().any(|&at| self.tries.leads_to(at, place))
    }

    /// Whether two places of ranks can be come to in one execution.
    fn are_together(&self, one: usize, other: usize) -> bool {
        let (one_rank, other_rank) = (self.tries.nodes[one].rank, self.tries.nodes[other].rank);
        if self.groups[one_rank] != self.groups[other_rank] {
            return true;
        }
        let (one, other) = (&self.runs[one], &self.runs[other]);
        let (few, many) = if one.len() < other.len() { (one, other) } else { (other, one) };
        few.iter().any(|run| many.binary_search(run).is_ok())
    }

    /// The next ranks that may be stuck together as they are in no execution that was explored.
    ///
    /// # Errors
    /// If that is too much work.
    pub fn stuck(&mut self) -> Result<Option<Stuck>, TooMuch> {
        self.drop_places()?;
        for place in 0..self.tries.nodes.len() {
            let Some(ways) = self.ways_of(place).filter(|_| !self.known.contains(&place)) else { continue };
            let mut search = Search { proof: self, at: Map::default(), runs: Map::default(), tries: 0 };
            let found = if search.puts(place).is_some() {
                search.goes_on(&mut ways.into_iter().map(Rc::from).collect())?
            } else {
                None
            };
            if let Some(found) = found {
                self.known.extend(&found.places);
                return Ok(Some(found));
            }
            self.known.insert(place);
        }
        Ok(None)
    }
}

/// Combines places.
struct Search<'a> {
    proof: &'a mut Proof,
    /// By rank.
    at: Map<usize, usize>,
    /// By group: executions that come by all its places.
    runs: Map<usize, Vec<usize>>,
    tries: u64,
}

impl Search<'_> {
    /// Puts a rank at a place. Returns the executions that its group had before, if it can be there.
    fn puts(&mut self, place: usize) -> Option<Option<Vec<usize>>> {
        let rank = self.proof.tries.nodes[place].rank;
        let group = self.proof.groups[rank];
        let here = &self.proof.runs[place];
        let before = self.runs.get(&group).cloned();
        let left: Vec<usize> = match &before {
            Some(runs) => runs.iter().copied().filter(|run| here.binary_search(run).is_ok()).collect(),
            None => here.clone(),
        };
        if left.is_empty() {
            return None;
        }
        self.runs.insert(group, left);
        self.at.insert(rank, place);
        Some(before)
    }

    fn takes_back(&mut self, place: usize, before: Option<Vec<usize>>) {
        let rank = self.proof.tries.nodes[place].rank;
        let group = self.proof.groups[rank];
        self.at.remove(&rank);
        match before {
            Some(runs) => _ = self.runs.insert(group, runs),
            None => _ = self.runs.remove(&group),
        }
    }

    /// Goes on until each of these ways needs something that somebody has not given.
    fn goes_on(&mut self, ways: &mut Vec<Rc<[usize]>>) -> Result<Option<Stuck>, TooMuch> {
        self.tries += 1;
        if self.tries > TRIES {
            return Err(TooMuch);
        }
        let Some(way) = ways.pop() else { return Ok(self.found()) };
        for &token in way.iter() {
            for &token in self.proof.all_of(token).iter() {
                for giver in self.proof.givers(token) {
                    if let Some(found) = self.blocks(giver, token, ways)? {
                        return Ok(Some(found));
                    }
                }
            }
        }
        ways.push(way);
        Ok(None)
    }

    /// The same if this rank is the one that has not given it.
    fn blocks(&mut self, giver: usize, token: usize, ways: &mut Vec<Rc<[usize]>>) -> Result<Option<Stuck>, TooMuch> {
        if let Some(&at) = self.at.get(&giver) {
            return if self.proof.has_given(at, token) { Ok(None) } else { self.goes_on(ways) };
        }
        for other in self.proof.places[giver].clone() {
            self.proof.pay(1)?;
            if self.proof.has_given(other, token) {
                continue;
            }
            let Some(before) = self.puts(other) else { continue };
            let length = ways.len();
            ways.extend(self.proof.ways_of(other).into_iter().flatten().map(Rc::from));
            let found = self.goes_on(ways)?;
            if found.is_some() {
                return Ok(found);
            }
            ways.truncate(length);
            self.takes_back(other, before);
        }
        Ok(None)
    }

    /// What was found, unless it is in an execution that was explored.
    fn found(&self) -> Option<Stuck> {
        let others = self.runs.iter().filter(|(_, runs)| !runs.contains(&0));
        let mut runs: Vec<(usize, usize)> = others.map(|(&group, runs)| (group, runs[0] - 1)).collect();
        runs.sort_unstable();
        let mut places: Vec<usize> = self.at.values().copied().collect();
        places.sort_unstable();
        (runs.len() > 1).then_some(Stuck { runs, places })
    }
}
