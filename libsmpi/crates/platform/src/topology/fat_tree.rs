//! A fat tree: levels of switches above the hosts (Zahavi, "D-Mod-K Routing Providing Non-Blocking Traffic for Shift
//! Permutations on Real Life Fat Trees", 2010).
//!
//! ```text
//!   level 2      ◯       ◯           down = [4, 4]: a node of level 1 has 4 children, one of level 2 has 4
//!              ╱╱ ╲╲   ╱╱ ╲╲         up = [1, 2]: a host has 1 parent, a node of level 1 has 2
//!   level 1   ◯ ◯ ◯ ◯  (4)           parallel = [1, 2]: cables between a node and each of its parents
//!            ╱││╲ …
//!   hosts    0123 …   (16)
//! ```
//!
//! A node of level `l` has a label of one digit per level: below `l` which of several equal switches it is, from `l` on
//! which subtree it belongs to. A node and its parent differ in the digit of the child's level only. A message goes up
//! until it is above its receiver. Which parent it takes depends on the receiver's number (modulo the number of ports,
//! after division by the ports of lower levels); going down, the cable depends on the sender's number.

use super::{Dice, LINKS, SWITCHES, Step, bounded, by};
use crate::model::Direction;

/// More levels than any machine has.
const MOST_LEVELS: usize = 16;

/// Levels of switches above the hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct FatTree {
    down: Vec<u32>,
    up: Vec<u32>,
    parallel: Vec<u32>,
    /// Number of the first node of each level, and at the end how many there are.
    first_node: Vec<u32>,
    /// Number of the first link above each level, and at the end how many there are.
    first_link: Vec<u32>,
}

/// A node on a way.
#[derive(Clone, Copy)]
struct Node {
    level: usize,
    label: [u32; MOST_LEVELS],
}

impl FatTree {
    /// A tree by its levels, from the hosts up: children of each switch, parents of each node below it, cables to each.
    ///
    /// # Errors
    /// A sentence without a place: lists of different lengths, a zero, too many levels, hosts or links.
    pub fn new(down: &[u32], up: &[u32], parallel: &[u32]) -> Result<FatTree, String> {
        let levels = down.len();
        if levels == 0 || levels > MOST_LEVELS || up.len() != levels || parallel.len() != levels {
            return Err(format!(
                "a fat tree has 1 to {MOST_LEVELS} levels and three lists of one number per level, not of {}, {} and {}",
                levels,
                up.len(),
                parallel.len()
            ));
        }
        if [down, up, parallel].iter().any(|list| list.contains(&0)) {
            return Err("no level of a fat tree has zero children, parents or cables".to_owned());
        }
        let (mut first_node, mut first_link) = (vec![0], vec![0]);
        for level in 0..=levels {
            let nodes = bounded(up[..level].iter().chain(&down[level..]).copied(), SWITCHES)?;
            first_node.push(bounded([nodes], SWITCHES)? + first_node[level]);
            if level < levels {
                let links = bounded([nodes, up[level], parallel[level]], LINKS)?;
                first_link.push(first_link[level] + links);
            }
        }
        Ok(FatTree { down: down.to_vec(), up: up.to_vec(), parallel: parallel.to_vec(), first_node, first_link })
    }

    /// Number of nodes of each level, hosts first.
    pub fn level_sizes(&self) -> Vec<u32> {
        self.first_node.windows(2).map(|ends| ends[1] - ends[0]).collect()
    }

    /// Which nodes are joined: level and place of the lower one, place of the upper one.
    pub fn edges(&self) -> Vec<(usize, u32, u32)> {
        let mut edges = Vec::new();
        for level in 0..self.down.len() {
            for child in 0..self.first_node[level + 1] - self.first_node[level] {
                let node = self.node(level, child);
                let parents = (0..self.up[level]).map(|parent| self.position(&node.above(parent)));
                edges.extend(parents.map(|parent| (level, child, parent)));
            }
        }
        edges
    }

    /// Its key in platform files, which has the value [`FatTree::written`].
    pub(crate) const KEY: &str = "fat-tree";

    pub(super) fn written(&self) -> String {
        let FatTree { down, up, parallel, .. } = self;
        format!("{{ down = {down:?}, up = {up:?}, parallel = {parallel:?} }}")
    }

    pub(super) fn words(&self) -> String {
        format!("fat tree {}", by(&self.down))
    }

    pub(super) fn hosts(&self) -> u32 {
        self.first_node[1]
    }

    pub(super) fn nodes(&self) -> u32 {
        self.first_node[self.down.len() + 1]
    }

    pub(super) fn links(&self, add: &mut dyn FnMut(String, u32) -> Result<(), String>) -> Result<(), String> {
        for level in 0..self.down.len() {
            for child in 0..self.first_node[level + 1] - self.first_node[level] {
                let node = self.node(level, child);
                for parent in 0..self.up[level] {
                    let above = self.position(&node.above(parent));
                    for cable in 0..self.parallel[level] {
                        add(format!("level{level}-{child}-to-{above}-cable{cable}"), 1)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// With `dice`, parents and cables are by chance.
    pub(super) fn walk(&self, src: u32, dst: u32, mut dice: Option<Dice>, step: &mut impl FnMut(Step)) {
        let receiver = self.node(0, dst);
        let mut at = self.node(0, src);
        while !self.is_above(&at, &receiver) {
            let level = at.level;
            let lower: u32 = self.up[..level].iter().product();
            let ports = self.up[level] * self.parallel[level];
            let port = dice.as_mut().map_or(dst / lower % ports, |dice| dice.below(ports));
            let (parent, cable) = (port % self.up[level], port / self.up[level]);
            step(Step::Node(self.number(&at)));
            step(Step::Link(self.link(&at, parent, cable), Direction::Up));
            at = at.above(parent);
        }
        // The ports of a switch are searched on from the last one that was taken, also when that was at another switch;
        // then from the first port of the cable that the sender's number chooses.
        let mut taken: Option<u32> = None;
        while at.level > 0 {
            let level = at.level - 1;
            let (children, wanted) = (self.down[level], receiver.label[level]);
            let after = |port: u32| port + 1 + (wanted + children - (port + 1) % children) % children;
            let on = taken.map(after).filter(|port| *port < children * self.parallel[level]);
            let port = match &mut dice {
                None => on.unwrap_or(src % self.parallel[level] * children + wanted),
                Some(dice) => dice.below(self.parallel[level]) * children + wanted,
            };
            let above = at;
            at = above.below(wanted);
            step(Step::Link(self.link(&at, above.label[level], port / children), Direction::Down));
            step(Step::Node(self.number(&above)));
            taken = Some(port);
        }
        step(Step::Node(dst));
    }

    fn is_above(&self, node: &Node, host: &Node) -> bool {
        node.level > 0 && (node.level..self.down.len()).all(|level| node.label[level] == host.label[level])
    }

    /// How many values a digit of the labels of a level has.
    fn values(&self, level: usize, digit: usize) -> u32 {
        if digit < level { self.up[digit] } else { self.down[digit] }
    }

    fn node(&self, level: usize, position: u32) -> Node {
        let (mut label, mut rest) = ([0; MOST_LEVELS], position);
        for (digit, value) in label.iter_mut().enumerate().take(self.down.len()) {
            *value = rest % self.values(level, digit);
            rest /= self.values(level, digit);
        }
        Node { level, label }
    }

    fn position(&self, node: &Node) -> u32 {
        (0..self.down.len()).rev().fold(0, |sum, digit| sum * self.values(node.level, digit) + node.label[digit])
    }

    fn number(&self, node: &Node) -> u32 {
        self.first_node[node.level] + self.position(node)
    }

    /// The link of a node to one of its parents.
    fn link(&self, child: &Node, parent: u32, cable: u32) -> u32 {
        let (parents, cables) = (self.up[child.level], self.parallel[child.level]);
        self.first_link[child.level] + (self.position(child) * parents + parent) * cables + cable
    }
}

impl Node {
    fn above(mut self, parent: u32) -> Node {
        self.label[self.level] = parent;
        self.level += 1;
        self
    }

    fn below(mut self, child: u32) -> Node {
        self.level -= 1;
        self.label[self.level] = child;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(tree: &FatTree, src: u32, dst: u32) -> Vec<String> {
        links_with(tree, src, dst, None)
    }

    fn links_with(tree: &FatTree, src: u32, dst: u32, dice: Option<Dice>) -> Vec<String> {
        let mut names = Vec::new();
        tree.links(&mut |name, _| {
            names.push(name);
            Ok(())
        })
        .unwrap();
        let mut way = Vec::new();
        tree.walk(src, dst, dice, &mut |step| {
            if let Step::Link(link, direction) = step {
                way.push(format!("{} {direction:?}", names[link as usize]));
            }
        });
        way
    }

    #[test]
    fn the_receiver_decides_on_the_way_up_and_the_sender_on_the_way_down() {
        let tree = FatTree::new(&[4, 4], &[1, 2], &[1, 2]).unwrap();
        assert_eq!((tree.hosts(), tree.nodes()), (16, 22));
        assert_eq!(links(&tree, 0, 1), ["level0-0-to-0-cable0 Up", "level0-1-to-0-cable0 Down"]);
        let way = links(&tree, 1, 7);
        assert_eq!(way[..2], ["level0-1-to-0-cable0 Up", "level1-0-to-1-cable1 Up"]);
        assert_eq!(way[3], "level0-7-to-1-cable0 Down");
        assert!(way[2].starts_with("level1-1-to-1-cable"), "{way:?}");
    }

    #[test]
    fn every_way_leads_up_and_down_again() {
        let tree = FatTree::new(&[3, 2, 4], &[2, 3, 1], &[1, 2, 3]).unwrap();
        for src in 0..tree.hosts() {
            for dst in 0..tree.hosts() {
                for way in [links(&tree, src, dst), links_with(&tree, src, dst, Some(Dice::new(src, dst)))] {
                    let ups = way.iter().take_while(|l| l.ends_with("Up")).count();
                    assert!(ups > 0 && way.len() == 2 * ups, "{way:?}");
                    assert!(way[0].starts_with(&format!("level0-{src}-to-")), "{way:?}");
                    assert!(way[way.len() - 1].starts_with(&format!("level0-{dst}-to-")), "{way:?}");
                }
            }
        }
    }

    #[test]
    fn senseless_sizes_are_refused() {
        assert!(FatTree::new(&[], &[], &[]).is_err());
        assert!(FatTree::new(&[4], &[1, 1], &[1]).is_err());
        assert!(FatTree::new(&[4], &[0], &[1]).is_err());
        assert!(FatTree::new(&[40_000, 40_000], &[1, 1], &[1, 1]).is_err());
    }
}
