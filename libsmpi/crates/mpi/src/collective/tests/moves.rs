//! Operations that only move data, within one group.

use super::*;
use crate::collective::tests::machine::Shape;
use crate::collective::{Part, Parts, Root, allgather, alltoall, barrier, bcast, gather, scatter};

fn ranks(size: u32) -> std::ops::Range<u32> {
    0..size
}

/// Blocks of any sizes in one buffer, in another order and with holes between them.
pub(super) fn scattered(
    machine: &mut Machine,
    world: u32,
    lengths: &[usize],
    shape: Shape,
    rng: &mut Rng,
) -> (Part, Parts) {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    rng.shuffle(&mut order);
    let counts: Vec<i64> = lengths.iter().map(|&length| shape.count(length)).collect();
    let mut displs = vec![0; lengths.len()];
    let mut next = 1;
    for index in order {
        displs[index] = next;
        next += counts[index] + 1;
    }
    let whole = machine.buffer(world, next as usize * 2, shape);
    let whole = whole.slice(0, next);
    (whole.clone(), Parts::Varying { at: whole.at, counts, displs, datatype: whole.datatype })
}

fn lengths(size: u32, rng: &mut Rng) -> Vec<usize> {
    ranks(size).map(|_| length(rng)).collect()
}

#[test]
fn barrier_holds_everybody_until_all_are_there() {
    for_all(Operation::Barrier, |size, selection, rng| {
        let mut machine = Machine::on_hosts(size, rng);
        ranks(size).for_each(|rank| machine.build(rank, |b| barrier::build(b, selection)));
        // Everybody but one rank runs: nobody may get through.
        if size > 1 {
            machine.stuck_without(rng.below(size as usize) as u32, rng);
        }
        machine.run(rng);
    });
}

#[test]
fn bcast_gives_everybody_the_roots_vector() {
    for_all(Operation::Bcast, |size, selection, rng| {
        let mut machine = Machine::on_hosts(size, rng);
        let root = rng.below(size as usize) as u32;
        // Sometimes more than one segment of a pipeline: of 8 KiB, or of 128 KiB.
        let length = match rng.below(24) {
            0 if size <= SIZES => 20_000,
            1 | 2 => 3_000,
            _ => length(rng),
        };
        let parts: Vec<Part> = ranks(size).map(|rank| machine.buffer(rank, length, Shape::any(rng))).collect();
        machine.write(root, &parts[root as usize], &values(root, length));
        for rank in ranks(size) {
            machine.build(rank, |b| bcast::build(b, selection, &parts[rank as usize], Root::Rank(root)));
        }
        machine.run(rng);
        for rank in ranks(size) {
            assert_eq!(machine.read(rank, &parts[rank as usize]), values(root, length));
        }
        let others = ranks(size).filter(|&rank| rank != root);
        machine.only_changed(&others.map(|rank| (rank, parts[rank as usize].clone())).collect::<Vec<_>>());
    });
}

#[test]
fn gather_collects_blocks_in_rank_order() {
    for_all(Operation::Gather, |size, selection, rng| {
        let mut machine = Machine::on_hosts(size, rng);
        let (root, length, in_place) = (rng.below(size as usize) as u32, length(rng), rng.below(2) == 0);
        let shape = Shape::any(rng);
        let all = machine.buffer(root, length * size as usize, shape);
        let first = all.slice(0, shape.count(length));
        let mut sends = Vec::new();
        for rank in ranks(size) {
            let own = machine.buffer(rank, length, Shape::any(rng));
            machine.write(rank, &own, &values(rank, length));
            sends.push(own);
        }
        machine.write(root, &first.slice(i64::from(root) * first.count, first.count), &values(root, length));
        for rank in ranks(size) {
            let send = (rank != root || !in_place).then(|| &sends[rank as usize]);
            let recv = (rank == root).then_some(&first);
            machine.build(rank, |b| gather::build(b, selection, send, recv, Root::Rank(root)));
        }
        machine.run(rng);
        let expected: Vec<i64> = ranks(size).flat_map(|rank| values(rank, length)).collect();
        assert_eq!(machine.read(root, &all), expected);
        machine.only_changed(&[(root, all)]);
    });
}

#[test]
fn gatherv_puts_blocks_where_the_root_wants_them() {
    for_all(Operation::Gatherv, |size, selection, rng| {
        let mut machine = Machine::on_hosts(size, rng);
        let (root, lengths, in_place) = (rng.below(size as usize) as u32, lengths(size, rng), rng.below(2) == 0);
        let (_, blocks) = scattered(&mut machine, root, &lengths, Shape::any(rng), rng);
        let mut sends = Vec::new();
        for rank in ranks(size) {
            let own = machine.buffer(rank, lengths[rank as usize], Shape::any(rng));
            machine.write(rank, &own, &values(rank, lengths[rank as usize]));
            sends.push(own);
        }
        machine.write(root, &blocks.part(root), &values(root, lengths[root as usize]));
        for rank in ranks(size) {
            let send = (rank != root || !in_place).then(|| &sends[rank as usize]);
            let recv = (rank == root).then_some(&blocks);
            machine.build(rank, |b| gather::build_varying(b, selection, send, recv, Root::Rank(root)));
        }
        machine.run(rng);
        for rank in ranks(size) {
            assert_eq!(machine.read(root, &blocks.part(rank)), values(rank, lengths[rank as usize]));
        }
        machine.only_changed(&ranks(size).map(|rank| (root, blocks.part(rank))).collect::<Vec<_>>());
    });
}

#[test]
fn scatter_and_scatterv_hand_out_blocks() {
    for operation in [Operation::Scatter, Operation::Scatterv] {
        for_all(operation, |size, selection, rng| {
            let mut machine = Machine::on_hosts(size, rng);
            let (root, in_place) = (rng.below(size as usize) as u32, rng.below(2) == 0);
            let even = operation == Operation::Scatter;
            let lengths = if even { vec![length(rng); size as usize] } else { lengths(size, rng) };
            let shape = Shape::any(rng);
            let blocks = if even {
                let all = machine.buffer(root, lengths[0] * size as usize, shape);
                Parts::Even(all.slice(0, shape.count(lengths[0])))
            } else {
                scattered(&mut machine, root, &lengths, shape, rng).1
            };
            let mut recvs = Vec::new();
            for rank in ranks(size) {
                machine.write(root, &blocks.part(rank), &values(rank, lengths[rank as usize]));
                recvs.push(machine.buffer(rank, lengths[rank as usize], Shape::any(rng)));
            }
            for rank in ranks(size) {
                let recv = (rank != root || !in_place).then(|| &recvs[rank as usize]);
                let send = (rank == root).then_some(&blocks);
                machine.build(rank, |b| match send {
                    _ if !even => scatter::build_varying(b, selection, send, recv, Root::Rank(root)),
                    Some(Parts::Even(first)) => scatter::build(b, selection, Some(first), recv, Root::Rank(root)),
                    _ => scatter::build(b, selection, None, recv, Root::Rank(root)),
                });
            }
            machine.run(rng);
            let received: Vec<u32> = ranks(size).filter(|&rank| rank != root || !in_place).collect();
            for &rank in &received {
                assert_eq!(machine.read(rank, &recvs[rank as usize]), values(rank, lengths[rank as usize]));
            }
            machine.only_changed(&received.iter().map(|&r| (r, recvs[r as usize].clone())).collect::<Vec<_>>());
        });
    }
}

#[test]
fn allgather_and_allgatherv_give_everybody_all_blocks() {
    for operation in [Operation::Allgather, Operation::Allgatherv] {
        for_all(operation, |size, selection, rng| {
            let mut machine = Machine::on_hosts(size, rng);
            let (varying, in_place) = (operation == Operation::Allgatherv, rng.below(2) == 0);
            let lengths = if varying { lengths(size, rng) } else { vec![length(rng); size as usize] };
            let mut calls = Vec::new();
            for rank in ranks(size) {
                let shape = Shape::any(rng);
                let blocks = if varying {
                    scattered(&mut machine, rank, &lengths, shape, rng).1
                } else {
                    let all = machine.buffer(rank, lengths[0] * size as usize, shape);
                    Parts::Even(all.slice(0, shape.count(lengths[0])))
                };
                let length = lengths[rank as usize];
                let own = machine.buffer(rank, length, Shape::any(rng));
                machine.write(rank, &own, &values(rank, length));
                if in_place {
                    machine.write(rank, &blocks.part(rank), &values(rank, length));
                }
                calls.push((own, blocks));
            }
            for (rank, (own, blocks)) in calls.iter().enumerate() {
                let send = (!in_place).then_some(own);
                machine.build(rank as u32, |b| allgather::build(b, selection, send, blocks, varying));
            }
            machine.run(rng);
            let mut results = Vec::new();
            for (rank, (_, blocks)) in calls.iter().enumerate() {
                for other in ranks(size) {
                    let part = blocks.part(other);
                    assert_eq!(machine.read(rank as u32, &part), values(other, lengths[other as usize]));
                    results.push((rank as u32, part));
                }
            }
            machine.only_changed(&results);
        });
    }
}

/// What `from` sends to `to`.
pub(super) fn block(from: u32, to: u32, length: usize) -> Vec<i64> {
    (0..length).map(|place| value(from, place) * 64 + i64::from(to)).collect()
}

#[test]
fn alltoall_exchanges_even_blocks() {
    for_all(Operation::Alltoall, |size, selection, rng| {
        let mut machine = Machine::on_hosts(size, rng);
        let (length, in_place) = (length(rng), rng.below(2) == 0);
        let mut calls = Vec::new();
        for rank in ranks(size) {
            let blocks = [(); 2].map(|()| {
                let shape = Shape::any(rng);
                let all = machine.buffer(rank, length * size as usize, shape);
                Parts::Even(all.slice(0, shape.count(length)))
            });
            for other in ranks(size) {
                machine.write(rank, &blocks[usize::from(in_place)].part(other), &block(rank, other, length));
            }
            calls.push(blocks);
        }
        for (rank, [send, recv]) in calls.iter().enumerate() {
            machine.build(rank as u32, |b| alltoall::build(b, selection, (!in_place).then_some(send), recv));
        }
        machine.run(rng);
        let mut results = Vec::new();
        for (rank, [_, recv]) in calls.iter().enumerate() {
            for other in ranks(size) {
                let part = recv.part(other);
                assert_eq!(machine.read(rank as u32, &part), block(other, rank as u32, length));
                results.push((rank as u32, part));
            }
        }
        machine.only_changed(&results);
    });
}

/// The blocks of `varying` as alltoallw names them: each with its own type, and displacements in bytes.
pub(super) fn typed(blocks: &Parts, size: u32) -> Parts {
    let parts: Vec<Part> = ranks(size).map(|rank| blocks.part(rank)).collect();
    let at = parts[0].at;
    Parts::Typed {
        at,
        counts: parts.iter().map(|part| part.count).collect(),
        displs: parts.iter().map(|part| part.at.0.wrapping_sub(at.0) as i64).collect(),
        datatypes: parts.into_iter().map(|part| part.datatype).collect(),
    }
}

#[test]
fn alltoallv_and_alltoallw_exchange_blocks_of_any_size() {
    for operation in [Operation::Alltoallv, Operation::Alltoallw] {
        for_all(operation, |size, selection, rng| {
            let mut machine = Machine::on_hosts(size, rng);
            let in_place = rng.below(2) == 0;
            // lengths[from][to]; in place they have to be symmetric.
            let mut table: Vec<Vec<usize>> = ranks(size).map(|_| lengths(size, rng)).collect();
            for (from, to) in ranks(size).flat_map(|from| (0..from).map(move |to| (from as usize, to as usize))) {
                table[from][to] = if in_place { table[to][from] } else { table[from][to] };
            }
            let column = |to: usize| table.iter().map(|row| row[to]).collect::<Vec<_>>();
            let mut calls = Vec::new();
            for rank in ranks(size) {
                let index = rank as usize;
                let mut blocks = [table[index].clone(), column(index)]
                    .map(|lengths| scattered(&mut machine, rank, &lengths, Shape::any(rng), rng).1);
                if operation == Operation::Alltoallw {
                    blocks = blocks.map(|blocks| typed(&blocks, size));
                }
                for other in ranks(size) {
                    let data = block(rank, other, table[index][other as usize]);
                    machine.write(rank, &blocks[usize::from(in_place)].part(other), &data);
                }
                calls.push(blocks);
            }
            for (rank, [send, recv]) in calls.iter().enumerate() {
                let send = (!in_place).then_some(send);
                machine.build(rank as u32, |b| alltoall::build_varying(b, selection, operation, send, recv));
            }
            machine.run(rng);
            let mut results = Vec::new();
            for (rank, [_, recv]) in calls.iter().enumerate() {
                for other in ranks(size) {
                    let part = recv.part(other);
                    let expected = block(other, rank as u32, table[other as usize][rank]);
                    assert_eq!(machine.read(rank as u32, &part), expected);
                    results.push((rank as u32, part));
                }
            }
            machine.only_changed(&results);
        });
    }
}
