//! Formulas in negation normal form: negations only before propositions, and few operators.
//!
//! Equal formulas are stored once, so what is shared stays small, and comparing is comparing numbers. Formulas are
//! simplified while they are made: by the laws of the operators, and by those of Etessami and Holzmann ("Optimizing
//! Büchi automata", 2000) about formulas that hold earlier if they hold later, or later if they hold earlier.

use crate::formula::{Binary, Formula, Unary};
use smpi_base::map::{Map, Set};

/// The number of a stored formula.
pub(crate) type Id = u32;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    Constant(bool),
    Literal {
        proposition: u8,
        positive: bool,
    },
    Next(Id),
    /// `F b` is `true U b`.
    Until(Id, Id),
    /// `G b` is `false R b`.
    Release(Id, Id),
    /// At least two parts, ordered, none of which is an `And`.
    And(Vec<Id>),
    /// At least two parts, ordered, none of which is an `Or`.
    Or(Vec<Id>),
}

/// What is known of a formula φ and all sequences.
#[derive(Clone, Copy, Default)]
struct Traits {
    /// If φ holds later, then also now.
    eventual: bool,
    /// If φ holds now, then also later.
    universal: bool,
}

/// A store of formulas. `FALSE` and `TRUE` are always in it.
pub(crate) struct Normal {
    nodes: Vec<Node>,
    traits: Vec<Traits>,
    known: Map<Node, Id>,
}

pub(crate) const FALSE: Id = 0;
pub(crate) const TRUE: Id = 1;

impl Normal {
    pub(crate) fn new() -> Normal {
        let mut store = Normal { nodes: Vec::new(), traits: Vec::new(), known: Map::default() };
        store.store(Node::Constant(false));
        store.store(Node::Constant(true));
        store
    }

    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }

    /// Whether `part` is a part of the formula `whole`, or the same.
    pub(crate) fn contains(&self, whole: Id, part: Id) -> bool {
        let (mut todo, mut seen) = (vec![whole], Set::default());
        while let Some(id) = todo.pop() {
            if id == part {
                return true;
            }
            if seen.insert(id) {
                match self.node(id) {
                    Node::Constant(_) | Node::Literal { .. } => {}
                    Node::Next(a) => todo.push(*a),
                    Node::Until(a, b) | Node::Release(a, b) => todo.extend([*a, *b]),
                    Node::And(parts) | Node::Or(parts) => todo.extend(parts),
                }
            }
        }
        false
    }

    /// The formula and its negation. `numbers` are the propositions' names.
    pub(crate) fn add(&mut self, formula: &Formula, numbers: &[String]) -> (Id, Id) {
        match formula {
            Formula::Constant(true) => (TRUE, FALSE),
            Formula::Constant(false) => (FALSE, TRUE),
            Formula::Proposition(name) => {
                let proposition = numbers.iter().position(|n| n == name).expect("the formula's names are listed") as u8;
                let literal = |positive| Node::Literal { proposition, positive };
                (self.store(literal(true)), self.store(literal(false)))
            }
            Formula::Unary(op, operand) => {
                let (yes, no) = self.add(operand, numbers);
                match op {
                    Unary::Not => (no, yes),
                    Unary::Next => (self.next(yes), self.next(no)),
                    Unary::Finally => (self.until(TRUE, yes), self.release(FALSE, no)),
                    Unary::Globally => (self.release(FALSE, yes), self.until(TRUE, no)),
                }
            }
            Formula::Binary(op, left, right) => {
                let (left, right) = (self.add(left, numbers), self.add(right, numbers));
                self.binary(*op, left, right)
            }
        }
    }

    /// `left op right` and its negation, where both operands come with their negations.
    fn binary(&mut self, op: Binary, (a, not_a): (Id, Id), (b, not_b): (Id, Id)) -> (Id, Id) {
        match op {
            Binary::And => (self.and(vec![a, b]), self.or(vec![not_a, not_b])),
            Binary::Or => (self.or(vec![a, b]), self.and(vec![not_a, not_b])),
            Binary::Implies => (self.or(vec![not_a, b]), self.and(vec![a, not_b])),
            Binary::Iff | Binary::Xor => {
                let (both, none) = (self.and(vec![a, b]), self.and(vec![not_a, not_b]));
                let (first, second) = (self.and(vec![a, not_b]), self.and(vec![not_a, b]));
                let (same, different) = (self.or(vec![both, none]), self.or(vec![first, second]));
                if op == Binary::Iff { (same, different) } else { (different, same) }
            }
            Binary::Until => (self.until(a, b), self.release(not_a, not_b)),
            Binary::Release => (self.release(a, b), self.until(not_a, not_b)),
            // a W b = b R (a or b), a M b = b U (a and b).
            Binary::WeakUntil => {
                let (either, neither) = (self.or(vec![a, b]), self.and(vec![not_a, not_b]));
                (self.release(b, either), self.until(not_b, neither))
            }
            Binary::StrongRelease => {
                let (both, not_both) = (self.and(vec![a, b]), self.or(vec![not_a, not_b]));
                (self.until(b, both), self.release(not_b, not_both))
            }
        }
    }

    fn next(&mut self, a: Id) -> Id {
        let Traits { eventual, universal } = self.traits[a as usize];
        if eventual && universal { a } else { self.store(Node::Next(a)) }
    }

    fn until(&mut self, a: Id, b: Id) -> Id {
        if a == FALSE || a == b || self.traits[b as usize].eventual {
            return b;
        }
        match (self.node(a).clone(), self.node(b).clone()) {
            (_, Node::Until(c, _)) if c == a => b,
            // F (c U d) = F d.
            (Node::Constant(true), Node::Until(_, d)) => self.until(TRUE, d),
            (Node::Constant(true), Node::Next(d)) => {
                let later = self.until(TRUE, d);
                self.next(later)
            }
            (Node::Next(c), Node::Next(d)) => {
                let later = self.until(c, d);
                self.next(later)
            }
            _ => self.store(Node::Until(a, b)),
        }
    }

    fn release(&mut self, a: Id, b: Id) -> Id {
        if a == TRUE || a == b || self.traits[b as usize].universal {
            return b;
        }
        match (self.node(a).clone(), self.node(b).clone()) {
            (_, Node::Release(c, _)) if c == a => b,
            // G (c R d) = G d.
            (Node::Constant(false), Node::Release(_, d)) => self.release(FALSE, d),
            (Node::Constant(false), Node::Next(d)) => {
                let later = self.release(FALSE, d);
                self.next(later)
            }
            (Node::Next(c), Node::Next(d)) => {
                let later = self.release(c, d);
                self.next(later)
            }
            _ => self.store(Node::Release(a, b)),
        }
    }

    fn and(&mut self, parts: Vec<Id>) -> Id {
        let parts = self.joined(parts, true);
        self.list(parts, true)
    }

    fn or(&mut self, parts: Vec<Id>) -> Id {
        let parts = self.joined(parts, false);
        self.list(parts, false)
    }

    /// Parts of a conjunction or disjunction with those joined that can be one: `X a ∧ X b = X (a ∧ b)`,
    /// `(a R b) ∧ (a R c) = a R (b ∧ c)`, `(a U c) ∧ (b U c) = (a ∧ b) U c`, and the same for `∨` with U and R changed.
    fn joined(&mut self, parts: Vec<Id>, conjunction: bool) -> Vec<Id> {
        // What they share ((0, _) next, (1, left), (2, right)), the first of them, and what is joined.
        let mut groups: Vec<((u8, Id), Id, Vec<Id>)> = Vec::new();
        let mut result = Vec::new();
        for part in self.flat(&parts, conjunction) {
            let (key, own) = match *self.node(part) {
                Node::Next(a) => ((0, 0), a),
                Node::Release(a, b) if conjunction => ((1, a), b),
                Node::Until(a, b) if conjunction => ((2, b), a),
                Node::Until(a, b) => ((1, a), b),
                Node::Release(a, b) => ((2, b), a),
                _ => {
                    result.push(part);
                    continue;
                }
            };
            match groups.iter_mut().find(|(k, ..)| *k == key) {
                Some((.., group)) => group.push(own),
                None => groups.push((key, part, vec![own])),
            }
        }
        for ((kind, shared), first, group) in groups {
            if group.len() == 1 {
                result.push(first);
                continue;
            }
            let own = if conjunction { self.and(group) } else { self.or(group) };
            result.push(match (kind, conjunction) {
                (0, _) => self.next(own),
                (1, true) => self.release(shared, own),
                (1, false) => self.until(shared, own),
                (_, true) => self.until(own, shared),
                (_, false) => self.release(own, shared),
            });
        }
        result
    }

    fn parts(&self, id: Id, conjunction: bool) -> Option<&[Id]> {
        match self.node(id) {
            Node::And(parts) if conjunction => Some(parts),
            Node::Or(parts) if !conjunction => Some(parts),
            _ => None,
        }
    }

    /// The parts, ordered and each once, without conjunctions in conjunctions or disjunctions in disjunctions.
    fn flat(&self, parts: &[Id], conjunction: bool) -> Vec<Id> {
        let inner = parts.iter().flat_map(|part| self.parts(*part, conjunction).unwrap_or(std::slice::from_ref(part)));
        let mut flat: Vec<Id> = inner.copied().collect();
        flat.sort_unstable();
        flat.dedup();
        flat
    }

    fn list(&mut self, parts: Vec<Id>, conjunction: bool) -> Id {
        let (absorbing, neutral) = if conjunction { (FALSE, TRUE) } else { (TRUE, FALSE) };
        let mut flat = self.flat(&parts, conjunction);
        flat.retain(|&part| part != neutral);
        let opposite = |part: Id| match *self.node(part) {
            Node::Literal { proposition, positive } => {
                self.known.get(&Node::Literal { proposition, positive: !positive }).copied()
            }
            _ => None,
        };
        if flat.contains(&absorbing)
            || flat.iter().any(|&p| opposite(p).is_some_and(|o| flat.binary_search(&o).is_ok()))
        {
            return absorbing;
        }
        // a ∧ (a ∨ b) = a.
        let all = flat.clone();
        flat.retain(|&part| {
            !self.parts(part, !conjunction).is_some_and(|inner| inner.iter().any(|i| all.binary_search(i).is_ok()))
        });
        match flat.len() {
            0 => neutral,
            1 => flat[0],
            _ => self.store(if conjunction { Node::And(flat) } else { Node::Or(flat) }),
        }
    }

    fn store(&mut self, node: Node) -> Id {
        if let Some(id) = self.known.get(&node) {
            return *id;
        }
        let id = self.nodes.len() as Id;
        self.traits.push(self.traits_of(&node));
        self.known.insert(node.clone(), id);
        self.nodes.push(node);
        id
    }

    fn traits_of(&self, node: &Node) -> Traits {
        let of = |id: &Id| self.traits[*id as usize];
        match node {
            Node::Constant(_) => Traits { eventual: true, universal: true },
            Node::Literal { .. } => Traits::default(),
            Node::Next(a) => of(a),
            Node::Until(a, b) => Traits { eventual: *a == TRUE, universal: of(b).universal },
            Node::Release(a, b) => Traits { eventual: of(b).eventual, universal: *a == FALSE },
            Node::And(parts) | Node::Or(parts) => Traits {
                eventual: parts.iter().all(|part| of(part).eventual),
                universal: parts.iter().all(|part| of(part).universal),
            },
        }
    }
}
