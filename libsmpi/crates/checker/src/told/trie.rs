//! The traces of several executions, rank by rank: what is the same at their beginning is there once.

use std::rc::Rc;

use smpi_base::map::Map;
use smpi_mailbox::{Envelope, Pattern};

use super::{Give, Sent, Step, Token, Told};
use crate::choice::ChoiceId;

/// What tells steps at one place of a trace apart.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Key {
    Chose(ChoiceId, u64),
    /// The message that the receive has taken in the end.
    Posts(ChoiceId, Option<Sent>),
    Takes(Option<u32>, Rc<[Token]>, u64),
}

/// A place in the traces of a rank: what happened up to there is the same in all executions that come by.
#[derive(Debug)]
pub struct Node {
    /// The rank.
    pub rank: usize,
    /// The place before its last step.
    pub parent: Option<usize>,
    /// That step.
    pub step: Option<Step>,
    /// The places after the next step.
    pub children: Vec<usize>,
    /// What is given there.
    pub gives: Vec<Gift>,
    /// The message that the receive took whose posting is the last step.
    pub took: Option<Sent>,
    /// Places of its rank that come after it are numbered from its own number up to this one.
    pub last: usize,
    /// Its number among the places of its rank: those after it follow it.
    pub number: usize,
}

/// What is given at a place.
#[derive(Debug)]
pub struct Gift {
    /// The token.
    pub token: usize,
    /// What it waits for beside the steps before.
    pub own: Rc<[Token]>,
    /// The number of the request that gives it.
    pub started: u32,
    /// Of a message, its envelope and a digest of its contents.
    pub contents: Option<(Envelope, u64)>,
}

/// Who gives something, and who waits for it.
#[derive(Default, Debug)]
pub struct Given {
    /// Places where it is given.
    pub at: Vec<usize>,
    /// Places behind a step that waits for it.
    pub taken: Vec<usize>,
}

/// The traces of all ranks.
#[derive(Default, Debug)]
pub struct Tries {
    /// All places. Those without a step come first, in the order of ranks.
    pub nodes: Vec<Node>,
    /// All tokens.
    pub tokens: Vec<Token>,
    /// By token.
    pub given: Vec<Given>,
    /// Of each execution, the last place of each rank.
    pub leaves: Vec<Vec<usize>>,
    /// What receives accept, by rank and number of the request, in any execution.
    pub receives: Map<(usize, u32), Vec<Pattern>>,
    ids: Map<Token, usize>,
    next: Map<(usize, Key), usize>,
}

impl Tries {
    /// No executions yet of so many ranks.
    pub fn new(ranks: usize) -> Tries {
        let mut tries = Tries::default();
        (0..ranks).for_each(|rank| _ = tries.node(rank, None, None));
        tries
    }

    fn node(&mut self, rank: usize, parent: Option<usize>, step: Option<Step>) -> usize {
        let node = Node { rank, parent, step, children: Vec::new(), gives: Vec::new(), took: None, last: 0, number: 0 };
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// The number of a token, if anybody gives it or waits for it.
    pub fn id(&self, token: &Token) -> Option<usize> {
        self.ids.get(token).copied()
    }

    fn intern(&mut self, token: Token) -> usize {
        let next = self.tokens.len();
        let id = *self.ids.entry(token).or_insert(next);
        if id == next {
            self.tokens.push(token);
            self.given.push(Given::default());
        }
        id
    }

    /// Adds an execution: the traces of the ranks for which that is asked, while the others have those of the first.
    pub fn add(&mut self, told: &Told, is_of: impl Fn(usize) -> bool) {
        let ranks = 0..told.ranks();
        let leaves = ranks.map(|rank| if is_of(rank) { self.add_rank(told, rank) } else { self.leaves[0][rank] });
        let leaves = leaves.collect();
        self.leaves.push(leaves);
    }

    fn add_rank(&mut self, told: &Told, rank: usize) -> usize {
        let gives = told.gives(rank);
        let took: Map<u32, Sent> = gives
            .iter()
            .filter_map(|give| match give.token {
                Token::Posted(sent) => Some((give.started, sent)),
                _ => None,
            })
            .collect();
        for (started, pattern) in told.receives(rank) {
            let known = self.receives.entry((rank, started)).or_default();
            if !known.contains(&pattern) {
                known.push(pattern);
            }
        }
        let mut path = vec![rank];
        for &step in &told.steps(rank) {
            let at = path[path.len() - 1];
            path.push(self.follow(at, step, &took));
        }
        for give in gives {
            let token = self.intern(give.token);
            let at = path[give.after as usize];
            if self.nodes[at].gives.iter().all(|other| other.token != token) {
                let &Give { ref own, started, contents, .. } = give;
                self.nodes[at].gives.push(Gift { token, own: Rc::clone(own), started, contents });
                self.given[token].at.push(at);
            }
        }
        path[path.len() - 1]
    }

    fn follow(&mut self, at: usize, step: &Step, took: &Map<u32, Sent>) -> usize {
        let (key, takes) = match step {
            Step::Chose { choice, answer, .. } => (Key::Chose(*choice, *answer), None),
            Step::Posts { choice, started, .. } => (Key::Posts(*choice, took.get(started).copied()), None),
            Step::Takes { started, tokens, told } => {
                (Key::Takes(*started, Rc::clone(tokens), *told), Some(Rc::clone(tokens)))
            }
        };
        let message = if let Key::Posts(_, message) = key { message } else { None };
        if let Some(&child) = self.next.get(&(at, key.clone())) {
            return child;
        }
        let child = self.node(self.nodes[at].rank, Some(at), Some(step.clone()));
        self.nodes[child].took = message;
        self.nodes[at].children.push(child);
        self.next.insert((at, key), child);
        for token in takes.iter().flat_map(|tokens| tokens.iter()) {
            let id = self.intern(*token);
            self.given[id].taken.push(child);
        }
        child
    }

    /// Numbers the places, once all executions are there.
    pub fn finish(&mut self) {
        for rank in 0..self.leaves.first().map_or(0, Vec::len) {
            let mut next = 0;
            let mut open = vec![(rank, 0)];
            self.nodes[rank].number = next;
            while let Some((node, child)) = open.pop() {
                match self.nodes[node].children.get(child).copied() {
                    Some(below) => {
                        next += 1;
                        self.nodes[below].number = next;
                        open.push((node, child + 1));
                        open.push((below, 0));
                    }
                    None => self.nodes[node].last = next,
                }
            }
        }
    }

    /// Whether one place is another one of its rank, or comes before it.
    pub fn leads_to(&self, before: usize, after: usize) -> bool {
        let (before, after) = (&self.nodes[before], &self.nodes[after]);
        before.rank == after.rank && (before.number..=before.last).contains(&after.number)
    }
}
