//! A dragonfly: groups of chassis of routers (Faanes and others, "Cray Cascade: a Scalable HPC System Based on a
//! Dragonfly Network", 2012).
//!
//! ```text
//!   group 0 ═══════════ group 1      between two groups: one link, from router 1 of the first chassis of group 0
//!   ┌───────────────┐                to router 0 of the first chassis of group 1
//!   │ ◯──◯──◯──◯ … │ chassis 0      in a chassis: every router is joined to every other
//!   │ │  │  │  │   │
//!   │ ◯──◯──◯──◯ … │ chassis 1      in a group: routers of the same place in their chassis are joined
//!   └─┬┬────────────┘
//!     0 1 …   hosts of a router
//! ```
//!
//! A message takes one way, which is meant to be the shortest: to the router of its chassis that leads to the other
//! group, to the first chassis, to the other group, then along the chassis and at last to the chassis of the receiver.
//! As in SimGrid, a message that changes its place in the chassis continues in the first chassis of the group.

use super::{Dice, HOSTS, LINKS, Step, bounded, by};
use crate::model::Direction;

/// Groups of chassis of routers.
#[derive(Clone, Debug, PartialEq)]
pub struct Dragonfly {
    /// Number of groups.
    pub groups: u32,
    /// Chassis of each group.
    pub chassis: u32,
    /// Routers of each chassis.
    pub routers: u32,
    /// Hosts of each router.
    pub nodes: u32,
    /// Links that each connection between groups bundles.
    pub group_links: u32,
    /// Links that each connection between chassis bundles.
    pub chassis_links: u32,
    /// Links that each connection in a chassis bundles.
    pub router_links: u32,
}

/// A router by its group, chassis and place in the chassis.
#[derive(Clone, Copy, PartialEq)]
struct Router {
    group: u32,
    chassis: u32,
    place: u32,
}

/// Number of pairs of different things.
fn pairs(count: u32) -> u32 {
    (u64::from(count) * u64::from(count.saturating_sub(1)) / 2).min(u64::from(u32::MAX)) as u32
}

/// Number of a pair `low < high` among all pairs, in their order.
fn pair(low: u32, high: u32, count: u32) -> u32 {
    low * (2 * count - low - 1) / 2 + high - low - 1
}

impl Dragonfly {
    /// Checks the numbers.
    ///
    /// # Errors
    /// A sentence without a place: a zero, more groups than routers in a chassis, too many hosts or links.
    pub fn check(&self) -> Result<(), String> {
        let Dragonfly { groups, chassis, routers, nodes, group_links, chassis_links, router_links } = *self;
        if [groups, chassis, routers, nodes, group_links, chassis_links, router_links].contains(&0) {
            return Err("no number of a dragonfly is zero".to_owned());
        }
        if groups > routers {
            return Err(format!(
                "{groups} groups and {routers} routers in a chassis: every other group needs a router of its own"
            ));
        }
        bounded([groups, chassis, routers, nodes], HOSTS)?;
        bounded([groups, chassis, pairs(routers)], LINKS)?;
        bounded([groups, pairs(chassis), routers], LINKS)?;
        bounded([pairs(groups)], LINKS).map(drop)
    }

    /// Its key in platform files, which has the value [`Dragonfly::written`].
    pub(crate) const KEY: &str = "dragonfly";

    pub(super) fn written(&self) -> String {
        let Dragonfly { groups, chassis, routers, nodes, group_links, chassis_links, router_links } = self;
        format!(
            "{{ groups = {groups}, chassis = {chassis}, routers = {routers}, nodes = {nodes}, group-links = {group_links}, \
             chassis-links = {chassis_links}, router-links = {router_links} }}"
        )
    }

    pub(super) fn words(&self) -> String {
        format!("dragonfly {}", by(&[self.groups, self.chassis, self.routers, self.nodes]))
    }

    pub(super) fn hosts(&self) -> u32 {
        self.all_routers() * self.nodes
    }

    pub(super) fn nodes(&self) -> u32 {
        self.hosts() + self.all_routers()
    }

    fn all_routers(&self) -> u32 {
        self.groups * self.chassis * self.routers
    }

    pub(super) fn links(&self, add: &mut dyn FnMut(String, u32) -> Result<(), String>) -> Result<(), String> {
        for host in 0..self.hosts() {
            add(format!("{host}-to-router{}", host / self.nodes), 1)?;
        }
        for chassis in 0..self.groups * self.chassis {
            for low in 0..self.routers {
                for high in low + 1..self.routers {
                    add(format!("chassis{chassis}-router{low}-to-{high}"), self.router_links)?;
                }
            }
        }
        for group in 0..self.groups {
            for low in 0..self.chassis {
                for high in low + 1..self.chassis {
                    for place in 0..self.routers {
                        add(format!("group{group}-router{place}-chassis{low}-to-{high}"), self.chassis_links)?;
                    }
                }
            }
        }
        for low in 0..self.groups {
            for high in low + 1..self.groups {
                add(format!("group{low}-to-{high}"), self.group_links)?;
            }
        }
        Ok(())
    }

    pub(super) fn walk(&self, src: u32, dst: u32, dice: Option<Dice>, step: &mut impl FnMut(Step)) {
        match dice {
            None => self.walk_by_rule(src, dst, step),
            Some(dice) => self.walk_by_chance(src, dst, dice, step),
        }
    }

    /// A shortest way: in a group, whether a message goes along its chassis first or across is by chance.
    fn walk_by_chance(&self, src: u32, dst: u32, mut dice: Dice, step: &mut impl FnMut(Step)) {
        let (sender, receiver) = (self.router_of(src), self.router_of(dst));
        step(Step::Node(src));
        step(Step::Link(src, Direction::Up));
        let mut at = sender;
        if at.group != receiver.group {
            let door = Router { group: at.group, chassis: 0, place: receiver.group };
            self.walk_in_group(at, door, &mut dice, step);
            step(Step::Node(self.node_of(door)));
            step(self.across_groups(at.group, receiver.group));
            at = Router { group: receiver.group, chassis: 0, place: sender.group };
        }
        self.walk_in_group(at, receiver, &mut dice, step);
        step(Step::Node(self.node_of(receiver)));
        step(Step::Link(dst, Direction::Down));
        step(Step::Node(dst));
    }

    /// From a router to another one of its group, which is not passed itself.
    fn walk_in_group(&self, mut at: Router, to: Router, dice: &mut Dice, step: &mut impl FnMut(Step)) {
        let is_along_first = dice.below(2) == 0;
        for along in [is_along_first, !is_along_first] {
            if along && at.place != to.place {
                step(Step::Node(self.node_of(at)));
                step(self.along_chassis(at, to.place));
                at.place = to.place;
            }
            if !along && at.chassis != to.chassis {
                step(Step::Node(self.node_of(at)));
                step(self.across_chassis(at, to.chassis));
                at.chassis = to.chassis;
            }
        }
    }

    fn walk_by_rule(&self, src: u32, dst: u32, step: &mut impl FnMut(Step)) {
        let (sender, receiver) = (self.router_of(src), self.router_of(dst));
        let mut at = sender;
        step(Step::Node(src));
        step(Step::Link(src, Direction::Up));
        if at != receiver {
            if at.group != receiver.group {
                if at.place != receiver.group {
                    step(Step::Node(self.node_of(at)));
                    step(self.along_chassis(at, receiver.group));
                    at.place = receiver.group;
                }
                if at.chassis != 0 {
                    step(Step::Node(self.node_of(at)));
                    step(self.across_chassis(at, 0));
                    at.chassis = 0;
                }
                step(self.across_groups(at.group, receiver.group));
                step(Step::Node(self.node_of(at)));
                at = Router { group: receiver.group, chassis: 0, place: sender.group };
            }
            if at.place != receiver.place {
                step(Step::Node(self.node_of(at)));
                step(self.along_chassis(at, receiver.place));
                at = Router { group: receiver.group, chassis: 0, place: receiver.place };
            }
            if at.chassis != receiver.chassis {
                step(Step::Node(self.node_of(at)));
                step(self.across_chassis(at, receiver.chassis));
            }
        }
        step(Step::Node(self.node_of(receiver)));
        step(Step::Link(dst, Direction::Down));
        step(Step::Node(dst));
    }

    fn router_of(&self, host: u32) -> Router {
        let router = host / self.nodes;
        let chassis = router / self.routers;
        Router { group: chassis / self.chassis, chassis: chassis % self.chassis, place: router % self.routers }
    }

    fn node_of(&self, router: Router) -> u32 {
        self.hosts() + (router.group * self.chassis + router.chassis) * self.routers + router.place
    }

    fn along_chassis(&self, from: Router, place: u32) -> Step {
        let (low, high, direction) = ordered(from.place, place);
        let chassis = from.group * self.chassis + from.chassis;
        Step::Link(self.hosts() + chassis * pairs(self.routers) + pair(low, high, self.routers), direction)
    }

    fn across_chassis(&self, from: Router, chassis: u32) -> Step {
        let (low, high, direction) = ordered(from.chassis, chassis);
        let first = self.hosts() + self.groups * self.chassis * pairs(self.routers);
        let pair = from.group * pairs(self.chassis) + pair(low, high, self.chassis);
        Step::Link(first + pair * self.routers + from.place, direction)
    }

    fn across_groups(&self, from: u32, to: u32) -> Step {
        let (low, high, direction) = ordered(from, to);
        let in_groups = self.chassis * pairs(self.routers) + pairs(self.chassis) * self.routers;
        Step::Link(self.hosts() + self.groups * in_groups + pair(low, high, self.groups), direction)
    }
}

/// The ends of a link in their order, and which way a message from the first one named crosses it.
fn ordered(from: u32, to: u32) -> (u32, u32, Direction) {
    if from < to { (from, to, Direction::Up) } else { (to, from, Direction::Down) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dragonfly() -> Dragonfly {
        let (groups, chassis, routers, nodes) = (3, 4, 5, 2);
        Dragonfly { groups, chassis, routers, nodes, group_links: 4, chassis_links: 3, router_links: 1 }
    }

    fn links(src: u32, dst: u32) -> Vec<String> {
        links_with(src, dst, None)
    }

    fn links_with(src: u32, dst: u32, dice: Option<Dice>) -> Vec<String> {
        let dragonfly = dragonfly();
        let mut names = Vec::new();
        dragonfly
            .links(&mut |name, bundled| {
                names.push(format!("{name}×{bundled}"));
                Ok(())
            })
            .unwrap();
        let mut way = Vec::new();
        dragonfly.walk(src, dst, dice, &mut |step| {
            if let Step::Link(link, direction) = step {
                way.push(format!("{} {direction:?}", names[link as usize]));
            }
        });
        way
    }

    #[test]
    fn to_the_router_of_the_other_group_and_across() {
        assert_eq!(dragonfly().hosts(), 120);
        // From group 0, chassis 1, place 0 to group 2, chassis 0, place 3.
        assert_eq!(
            links(10, 86),
            [
                "10-to-router5×1 Up",
                "chassis1-router0-to-2×1 Up",
                "group0-router2-chassis0-to-1×3 Down",
                "group0-to-2×4 Up",
                "chassis8-router0-to-3×1 Up",
                "86-to-router43×1 Down",
            ]
        );
        assert_eq!(links(0, 1), ["0-to-router0×1 Up", "1-to-router0×1 Down"]);
    }

    #[test]
    fn shortest_ways_by_chance() {
        // In a group: two links besides those of the hosts, in one of two orders. Never on in the first chassis, as by
        // SimGrid's rule. Between groups five links at most.
        let ways: std::collections::BTreeSet<Vec<String>> = (10..20)
            .flat_map(|src| (20..30).map(move |dst| links_with(src, dst, Some(Dice::new(src, dst)))))
            .map(|way| way[1..way.len() - 1].to_vec())
            .filter(|way| way.len() > 1)
            .collect();
        assert!(ways.iter().all(|way| way.len() == 2), "{ways:?}");
        assert!(ways.iter().any(|way| way[0].starts_with("chassis1")));
        assert!(ways.iter().any(|way| way[0].starts_with("group0")));
        for (src, dst) in (0..120).flat_map(|src| (0..120).map(move |dst| (src, dst))).filter(|(a, b)| a / 2 != b / 2) {
            let way = links_with(src, dst, Some(Dice::new(src, dst)));
            assert!(way.len() <= 7, "{way:?}");
        }
    }

    #[test]
    fn senseless_sizes_are_refused() {
        assert!(dragonfly().check().is_ok());
        assert!(Dragonfly { nodes: 0, ..dragonfly() }.check().is_err());
        assert!(Dragonfly { groups: 6, ..dragonfly() }.check().unwrap_err().contains("6 groups and 5 routers"));
        assert!(Dragonfly { nodes: 1 << 30, ..dragonfly() }.check().is_err());
        assert!(Dragonfly { routers: 1 << 20, ..dragonfly() }.check().is_err());
    }
}
