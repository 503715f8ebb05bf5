//! Shortest ways in a graph of routes, computed when they are first asked for and then kept.
//!
//! The length of a way is the number of its links. Where several ways are equally short, which one is taken depends on
//! the algorithm and the order of the description; both are those of SimGrid 3.32.

use crate::model::{Point, Way};
use smpi_base::map::Map;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::OnceLock;

/// Marks what cannot be reached.
const NOWHERE: u32 = u32::MAX;

/// Which algorithm finds the ways.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shortest {
    /// Floyd and Warshall: all ways at once, n³ steps and n² memory for n members.
    Floyd,
    /// Dijkstra: the ways from one member when they are first needed.
    Dijkstra,
}

/// Members of a zone, and the ways that join some of them.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub algorithm: Shortest,
    /// Members in the order in which the algorithm numbers them.
    points: Vec<Point>,
    numbers: Map<Point, u32>,
    edges: Map<(u32, u32), Way>,
    /// The ends of the edges in the order of the description.
    order: Vec<(u32, u32)>,
    /// For each member those that an edge leads to, in the order of the description.
    nexts: Vec<Vec<u32>>,
    /// For each member, from where the shortest way from it comes to every other one.
    trees: Vec<OnceLock<Box<[u32]>>>,
    /// The same for Floyd, where all are computed at once.
    table: OnceLock<Vec<u32>>,
}

impl Graph {
    pub fn new(algorithm: Shortest) -> Graph {
        Graph {
            algorithm,
            points: Vec::new(),
            numbers: Map::default(),
            edges: Map::default(),
            order: Vec::new(),
            nexts: Vec::new(),
            trees: Vec::new(),
            table: OnceLock::new(),
        }
    }

    /// Adds a member, if it is not there yet.
    pub fn add(&mut self, point: Point) -> u32 {
        let next = self.points.len() as u32;
        let number = *self.numbers.entry(point).or_insert(next);
        if number == next {
            self.points.push(point);
            self.nexts.push(Vec::new());
            self.trees.push(OnceLock::new());
        }
        number
    }

    /// Adds an edge; false when there is one between the two already.
    pub fn join(&mut self, src: Point, dst: Point, way: Way) -> bool {
        let (from, to) = (self.add(src), self.add(dst));
        let is_new = self.edges.insert((from, to), way).is_none();
        if is_new {
            self.nexts[from as usize].push(to);
            self.order.push((from, to));
        }
        is_new
    }

    /// All edges, in the order of the description.
    pub fn edges(&self) -> impl Iterator<Item = (Point, Point, &Way)> {
        self.order.iter().filter_map(|ends| {
            let way = self.edges.get(ends)?;
            Some((self.points[ends.0 as usize], self.points[ends.1 as usize], way))
        })
    }

    /// The edges of the shortest way from one member to another one, in their order; none when there is no way.
    pub fn way(&self, src: Point, dst: Point) -> Option<Vec<&Way>> {
        let (from, to) = (*self.numbers.get(&src)?, *self.numbers.get(&dst)?);
        let before = match self.algorithm {
            Shortest::Dijkstra => &**self.trees[from as usize].get_or_init(|| self.dijkstra(from)),
            Shortest::Floyd => {
                let count = self.points.len();
                &self.table.get_or_init(|| self.floyd())[from as usize * count..][..count]
            }
        };
        if from == to {
            return self.edges.get(&(from, to)).map(|way| vec![way]);
        }
        let (mut edges, mut at) = (Vec::new(), to);
        while at != from {
            let previous = before[at as usize];
            if previous == NOWHERE {
                return None;
            }
            edges.push(self.edges.get(&(previous, at))?);
            at = previous;
        }
        edges.reverse();
        Some(edges)
    }

    fn length(&self, from: u32, to: u32) -> u64 {
        self.edges.get(&(from, to)).map_or(0, |way| way.channels.len() as u64)
    }

    fn dijkstra(&self, from: u32) -> Box<[u32]> {
        let mut before = vec![NOWHERE; self.points.len()];
        let mut lengths = vec![u64::MAX; self.points.len()];
        lengths[from as usize] = 0;
        let mut open = BinaryHeap::from([Reverse((0, from))]);
        while let Some(Reverse((length, at))) = open.pop() {
            if length > lengths[at as usize] {
                continue;
            }
            for &next in &self.nexts[at as usize] {
                let through = length + self.length(at, next);
                if through < lengths[next as usize] {
                    lengths[next as usize] = through;
                    before[next as usize] = at;
                    open.push(Reverse((through, next)));
                }
            }
        }
        before.into_boxed_slice()
    }

    fn floyd(&self) -> Vec<u32> {
        let count = self.points.len();
        let (mut before, mut lengths) = (vec![NOWHERE; count * count], vec![u64::MAX; count * count]);
        for (from, to) in self.edges.keys() {
            let place = *from as usize * count + *to as usize;
            before[place] = *from;
            lengths[place] = self.length(*from, *to);
        }
        for through in 0..count {
            for from in 0..count {
                let first = lengths[from * count + through];
                if first == u64::MAX {
                    continue;
                }
                for to in 0..count {
                    let second = lengths[through * count + to];
                    if second != u64::MAX && first + second < lengths[from * count + to] {
                        lengths[from * count + to] = first + second;
                        before[from * count + to] = before[through * count + to];
                    }
                }
            }
        }
        before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Channel;
    use smpi_base::HostId;
    use smpi_base::rng::Rng;

    fn point(index: u32) -> Point {
        Point::Host(HostId(index))
    }

    /// Both algorithms find ways of the same length, from the sender to the receiver without a gap.
    #[test]
    fn floyd_and_dijkstra_agree() {
        let mut rng = Rng::new(3);
        for _ in 0..50 {
            let count = 2 + rng.below(8) as u32;
            let (mut floyd, mut dijkstra) = (Graph::new(Shortest::Floyd), Graph::new(Shortest::Dijkstra));
            for index in 0..count {
                floyd.add(point(index));
                dijkstra.add(point(index));
            }
            for _ in 0..rng.below(20) {
                let (a, b) = (rng.below(count as usize) as u32, rng.below(count as usize) as u32);
                if a != b {
                    let channels = vec![Channel(0); 1 + rng.below(3)].into_boxed_slice();
                    let way = Way { gateways: (point(a), point(b)), channels };
                    assert_eq!(floyd.join(point(a), point(b), way.clone()), dijkstra.join(point(a), point(b), way));
                }
            }
            for (a, b) in (0..count).flat_map(|a| (0..count).map(move |b| (a, b))).filter(|(a, b)| a != b) {
                let length = |graph: &Graph| {
                    let way = graph.way(point(a), point(b))?;
                    assert_eq!((way[0].gateways.0, way[way.len() - 1].gateways.1), (point(a), point(b)));
                    assert!(way.windows(2).all(|pair| pair[0].gateways.1 == pair[1].gateways.0));
                    Some(way.iter().map(|way| way.channels.len()).sum::<usize>())
                };
                assert_eq!(length(&floyd), length(&dijkstra), "{a} to {b}");
            }
        }
    }
}
