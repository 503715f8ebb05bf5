//! Collectives of intercommunicators (MPI 5.0 §6.2.3), for all pairs of small groups and both tables of algorithms.

use super::moves::{block, scattered};
use super::reductions::{op, operand, reduced};
use super::*;
use crate::collective::tests::machine::Shape;
use crate::collective::{Part, Parts, Root, allgather, allreduce, alltoall, barrier, bcast, gather, reduce};
use crate::collective::{reduce_scatter, scatter};

/// The two groups, by size, and which ranks of the machine they are.
#[derive(Clone, Copy)]
struct Sides {
    sizes: [u32; 2],
}

impl Sides {
    fn machine(self) -> Machine {
        Machine::new(&self.sizes)
    }

    /// Ranks of the machine on a side.
    fn of(self, side: usize) -> std::ops::Range<u32> {
        if side == 0 { 0..self.sizes[0] } else { self.sizes[0]..self.sizes[0] + self.sizes[1] }
    }

    fn all(self) -> std::ops::Range<u32> {
        0..self.sizes[0] + self.sizes[1]
    }

    fn side(self, world: u32) -> usize {
        usize::from(world >= self.sizes[0])
    }

    /// The root argument of a rank, when the root is rank `root` of side 1.
    fn root(self, world: u32, root: u32) -> Root {
        match self.side(world) {
            0 => Root::Rank(root),
            _ if world == self.sizes[0] + root => Root::Here,
            _ => Root::Elsewhere,
        }
    }
}

fn for_all_sides(trial: impl Fn(Sides, &Selection, &mut Rng)) {
    for selection in tables() {
        for (first, second) in (1..6).flat_map(|first| (1..6).map(move |second| (first, second))) {
            for seed in 0..4 {
                let mut rng = Rng::new(u64::from(first * 64 + second * 8) + seed);
                trial(Sides { sizes: [first, second] }, &selection, &mut rng);
            }
        }
    }
}

#[test]
fn barrier_waits_for_the_other_side() {
    for_all_sides(|sides, selection, rng| {
        let mut machine = sides.machine();
        sides.all().for_each(|world| machine.build(world, |b| barrier::build(b, selection)));
        let late = rng.below(sides.all().len()) as u32;
        machine.stuck_without_among(late, &sides.of(1 - sides.side(late)).collect::<Vec<_>>(), rng);
        machine.run(rng);
    });
}

#[test]
fn bcast_reaches_the_other_side_only() {
    for_all_sides(|sides, selection, rng| {
        let mut machine = sides.machine();
        let (root, length) = (rng.below(sides.sizes[1] as usize) as u32, length(rng));
        let parts: Vec<Part> = sides.all().map(|world| machine.buffer(world, length, Shape::any(rng))).collect();
        let source = sides.sizes[0] + root;
        machine.write(source, &parts[source as usize], &values(9, length));
        for world in sides.all() {
            let root = sides.root(world, root);
            machine.build(world, |b| bcast::build(b, selection, &parts[world as usize], root));
        }
        machine.run(rng);
        let reached: Vec<(u32, Part)> = sides.of(0).map(|world| (world, parts[world as usize].clone())).collect();
        assert!(reached.iter().all(|(world, part)| machine.read(*world, part) == values(9, length)));
        machine.only_changed(&reached);
    });
}

#[test]
fn gather_and_scatter_connect_the_root_with_the_other_side() {
    for_all_sides(|sides, selection, rng| {
        for (varying, gathers) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut machine = sides.machine();
            let [others, roots] = sides.sizes;
            let root = rng.below(roots as usize) as u32;
            let even = length(rng);
            let lengths: Vec<usize> = (0..others).map(|_| if varying { length(rng) } else { even }).collect();
            let shape = Shape::any(rng);
            let blocks = if varying {
                scattered(&mut machine, others + root, &lengths, shape, rng).1
            } else {
                let all = machine.buffer(others + root, even * others as usize, shape);
                Parts::Even(all.slice(0, shape.count(even)))
            };
            let mut own = Vec::new();
            for world in 0..others {
                let length = lengths[world as usize];
                own.push(machine.buffer(world, length, Shape::any(rng)));
                if gathers {
                    machine.write(world, &own[world as usize], &values(world, length));
                } else {
                    machine.write(others + root, &blocks.part(world), &values(world, length));
                }
            }
            for world in sides.all() {
                let (own, place) = (own.get(world as usize), sides.root(world, root));
                let blocks = (place == Root::Here).then_some(&blocks);
                let first = blocks.and_then(|blocks| if let Parts::Even(first) = blocks { Some(first) } else { None });
                machine.build(world, |b| match (varying, gathers) {
                    (false, true) => gather::build(b, selection, own, first, place),
                    (true, true) => gather::build_varying(b, selection, own, blocks, place),
                    (false, false) => scatter::build(b, selection, first, own, place),
                    (true, false) => scatter::build_varying(b, selection, blocks, own, place),
                });
            }
            machine.run(rng);
            let result = |world: u32| {
                if gathers { (others + root, blocks.part(world)) } else { (world, own[world as usize].clone()) }
            };
            let results: Vec<(u32, Part)> = (0..others).map(result).collect();
            for (world, (place, part)) in results.iter().enumerate() {
                assert_eq!(machine.read(*place, part), values(world as u32, lengths[world]));
            }
            machine.only_changed(&results);
        }
    });
}

#[test]
fn allgather_gives_each_side_the_others_blocks() {
    for_all_sides(|sides, selection, rng| {
        for varying in [false, true] {
            let mut machine = sides.machine();
            let even = [length(rng), length(rng)];
            let lengths: Vec<usize> =
                sides.all().map(|world| if varying { length(rng) } else { even[sides.side(world)] }).collect();
            let mut calls = Vec::new();
            for world in sides.all() {
                let (shape, other) = (Shape::any(rng), 1 - sides.side(world));
                let theirs: Vec<usize> = sides.of(other).map(|w| lengths[w as usize]).collect();
                let blocks = if varying {
                    scattered(&mut machine, world, &theirs, shape, rng).1
                } else {
                    let all = machine.buffer(world, even[other] * theirs.len(), shape);
                    Parts::Even(all.slice(0, shape.count(even[other])))
                };
                let own = machine.buffer(world, lengths[world as usize], Shape::any(rng));
                machine.write(world, &own, &values(world, lengths[world as usize]));
                calls.push((own, blocks));
            }
            for (world, (own, blocks)) in calls.iter().enumerate() {
                machine.build(world as u32, |b| allgather::build(b, selection, Some(own), blocks, varying));
            }
            machine.run(rng);
            let mut results = Vec::new();
            for (world, (_, blocks)) in calls.iter().enumerate() {
                for (number, other) in sides.of(1 - sides.side(world as u32)).enumerate() {
                    let part = blocks.part(number as u32);
                    assert_eq!(machine.read(world as u32, &part), values(other, lengths[other as usize]));
                    results.push((world as u32, part));
                }
            }
            machine.only_changed(&results);
        }
    });
}

#[test]
fn alltoall_exchanges_between_the_sides() {
    for_all_sides(|sides, selection, rng| {
        let mut machine = sides.machine();
        let lengths = [length(rng), length(rng)];
        let mut calls = Vec::new();
        for world in sides.all() {
            let side = sides.side(world);
            let partners = sides.of(1 - side);
            let [send, recv] = [side, 1 - side].map(|from| {
                let shape = Shape::any(rng);
                let all = machine.buffer(world, lengths[from] * partners.len(), shape);
                Parts::Even(all.slice(0, shape.count(lengths[from])))
            });
            for (number, other) in partners.enumerate() {
                machine.write(world, &send.part(number as u32), &block(world, other, lengths[side]));
            }
            calls.push((send, recv));
        }
        for (world, (send, recv)) in calls.iter().enumerate() {
            machine.build(world as u32, |b| alltoall::build(b, selection, Some(send), recv));
        }
        machine.run(rng);
        for (world, (_, recv)) in calls.iter().enumerate() {
            let side = sides.side(world as u32);
            for (number, other) in sides.of(1 - side).enumerate() {
                let expected = block(other, world as u32, lengths[1 - side]);
                assert_eq!(machine.read(world as u32, &recv.part(number as u32)), expected);
            }
        }
    });
}

#[test]
fn reductions_deliver_to_the_other_side() {
    for_all_sides(|sides, selection, rng| {
        for (commutes, all) in [(true, false), (true, true), (false, false), (false, true)] {
            let mut machine = sides.machine();
            let (root, length) = (rng.below(sides.sizes[1] as usize) as u32, [0, 1, 7, 40][rng.below(4)]);
            let mut calls = Vec::new();
            for world in sides.all() {
                let shape = Shape::single(rng);
                let (send, recv) = (machine.buffer(world, length, shape), machine.buffer(world, length, shape));
                machine.write(world, &send, &operand(world, length));
                calls.push((send, recv));
            }
            for (world, (send, recv)) in calls.iter().enumerate() {
                let place = sides.root(world as u32, root);
                machine.build(world as u32, |b| {
                    b.set_op(op(commutes), 0);
                    if all {
                        allreduce::build(b, selection, Some(send), recv);
                    } else {
                        reduce::build(b, selection, Some(send), (place == Root::Here).then_some(recv), place);
                    }
                });
            }
            machine.run(rng);
            let reached: Vec<u32> = if all { sides.all().collect() } else { vec![sides.sizes[0] + root] };
            let results: Vec<(u32, Part)> = reached.iter().map(|&w| (w, calls[w as usize].1.clone())).collect();
            for (world, part) in &results {
                let expected = reduced(sides.of(1 - sides.side(*world)), length, commutes);
                assert_eq!(machine.read(*world, part), expected);
            }
            machine.only_changed(&results);
        }
    });
}

#[test]
fn reduce_scatter_divides_the_other_sides_reduction() {
    for_all_sides(|sides, selection, rng| {
        let mut machine = sides.machine();
        let commutes = rng.below(2) == 0;
        // Both sides divide vectors of the same length.
        let total = (sides.sizes[0] * sides.sizes[1]) as usize;
        let counts = [0, 1].map(|side| vec![total as i64 / i64::from(sides.sizes[side]); sides.sizes[side] as usize]);
        let mut calls = Vec::new();
        for world in sides.all() {
            let shape = Shape::single(rng);
            let own = counts[sides.side(world)][0] as usize;
            let (send, recv) = (machine.buffer(world, total, shape), machine.buffer(world, own, shape));
            machine.write(world, &send, &operand(world, total));
            calls.push((send, recv));
        }
        for (world, (send, recv)) in calls.iter().enumerate() {
            let counts = &counts[sides.side(world as u32)];
            machine.build(world as u32, |b| {
                b.set_op(op(commutes), 0);
                reduce_scatter::build(b, selection, Operation::ReduceScatter, Some(send), recv, counts);
            });
        }
        machine.run(rng);
        for side in [0, 1] {
            let all = reduced(sides.of(1 - side), total, commutes);
            let own = counts[side][0] as usize;
            for (number, world) in sides.of(side).enumerate() {
                let part = &calls[world as usize].1;
                assert_eq!(machine.read(world, part), all[number * own..(number + 1) * own]);
            }
        }
    });
}
