//! Ranks as a mesh: whole vectors are gathered along one direction after the other, and in the last direction each rank
//! sends only what the other one needs.
//!
//! Few, long messages: with n ranks in a square, 2 (√n − 1) of √n blocks at least. Every rank needs room for the
//! vectors of its row (or of its layer). Source: Faraj, Yuan, ICS 2005; the shape is that of [`mesh`].

use crate::collective::select::Selection;
use crate::collective::{Builder, Part, Parts, mesh};
use crate::datatype::Datatype;

/// Vectors of some ranks, of one block for each rank of the group.
struct Vectors {
    all: Part,
    /// Elements of a block.
    block: i64,
    ranks: i64,
}

impl Vectors {
    fn new(b: &mut Builder, number: u32, block: &Part) -> Vectors {
        let ranks = i64::from(b.size);
        let all = b.scratch(i64::from(number) * ranks * block.count, &block.datatype);
        Vectors { all, block: block.count, ranks }
    }

    /// The vectors `first` to `first + number`.
    fn range(&self, first: u32, number: u32) -> Part {
        let length = self.ranks * self.block;
        self.all.slice(i64::from(first) * length, i64::from(number) * length)
    }

    /// The block for `rank` of each of the first `number` vectors.
    fn blocks_for(&self, rank: u32, number: u32) -> Part {
        let stride = self.ranks * self.block;
        let datatype = Datatype::vector(i64::from(number), self.block, stride, &self.all.datatype);
        let at = self.all.slice(i64::from(rank) * self.block, 0).at;
        Part { at, count: 1, datatype: datatype.expect("the blocks lie in one buffer") }
    }
}

pub(super) fn two(b: &mut Builder, _: &Selection, send: &Parts, recv: &Parts) {
    let block = recv.part(0);
    if block.size() == 0 {
        return;
    }
    let (rows, columns) = mesh::two(b.size).unwrap_or((1, b.size));
    let (row, column) = (b.rank / columns, b.rank % columns);
    let vectors = Vectors::new(b, columns, &block);
    gather(b, send, &vectors, column, (0..columns).map(|place| (row * columns + place, place)));
    for place in 0..columns {
        b.copy(
            &vectors.range(place, 1).slice(i64::from(b.rank) * block.count, block.count),
            &recv.part(row * columns + place),
        );
    }
    let others: Vec<u32> = (0..rows).filter(|&other| other != row).collect();
    for &other in &others {
        b.recv(other * columns + column, &blocks(recv, other * columns, columns));
    }
    for &other in &others {
        let to = other * columns + column;
        b.send_in_turn(to, &vectors.blocks_for(to, columns));
    }
    b.fence();
}

pub(super) fn three(b: &mut Builder, _: &Selection, send: &Parts, recv: &Parts) {
    let block = recv.part(0);
    if block.size() == 0 {
        return;
    }
    let (side, layers) = mesh::three(b.size).unwrap_or((1, b.size));
    let plane = side * side;
    let (layer, row, column) = (b.rank / plane, b.rank % plane / side, b.rank % side);
    let vectors = Vectors::new(b, plane, &block);
    let first = layer * plane;
    gather(b, send, &vectors, row * side + column, (row * side..(row + 1) * side).map(|place| (first + place, place)));
    let others: Vec<u32> = (0..side).filter(|&other| other != row).collect();
    for &other in &others {
        b.recv(first + other * side + column, &vectors.range(other * side, side));
    }
    for &other in &others {
        b.send_in_turn(first + other * side + column, &vectors.range(row * side, side));
    }
    b.fence();
    for place in 0..plane {
        b.copy(&vectors.range(place, 1).slice(i64::from(b.rank) * block.count, block.count), &recv.part(first + place));
    }
    for distance in 1..layers {
        let from = b.after(distance * plane);
        b.recv(from, &blocks(recv, from / plane * plane, plane));
    }
    for distance in 1..layers {
        let to = b.after(distance * plane);
        b.send_in_turn(to, &vectors.blocks_for(to, plane));
    }
    b.fence();
}

/// Exchanges whole vectors with some ranks; the own one is at `place`, those of others at the places beside them.
fn gather(b: &mut Builder, send: &Parts, vectors: &Vectors, place: u32, row: impl Iterator<Item = (u32, u32)> + Clone) {
    let own = blocks(send, 0, b.size);
    b.copy(&own, &vectors.range(place, 1));
    let this = b.rank;
    let others = row.filter(|&(rank, _)| rank != this);
    others.clone().for_each(|(rank, place)| b.recv(rank, &vectors.range(place, 1)));
    others.for_each(|(rank, _)| b.send_in_turn(rank, &own));
    b.fence();
}

/// Consecutive blocks of even ones.
fn blocks(parts: &Parts, first: u32, number: u32) -> Part {
    let part = parts.part(first);
    part.slice(0, i64::from(number) * part.count)
}
