//! Ranks as a mesh: blocks are gathered along rows, rows along columns, and in three dimensions layers across layers.
//!
//! With n ranks in a square, 2 (√n − 1) messages a rank, as many bytes as with a ring. Source: Faraj, Yuan, ICS 2005;
//! the shape is that of [`mesh`].

use crate::collective::select::Selection;
use crate::collective::{Builder, Part, Parts, mesh};

pub(super) fn two(b: &mut Builder, _: &Selection, blocks: &Parts) {
    let (rows, columns) = mesh::two(b.size).unwrap_or((1, b.size));
    let (row, column) = (b.rank / columns, b.rank % columns);
    let first = row * columns;
    exchange(b, (0..columns).map(|place| first + place), |rank| (rank, 1), blocks);
    exchange(b, (0..rows).map(|row| row * columns + column), |rank| (rank / columns * columns, columns), blocks);
}

pub(super) fn three(b: &mut Builder, _: &Selection, blocks: &Parts) {
    let (side, layers) = mesh::three(b.size).unwrap_or((1, b.size));
    let plane = side * side;
    let (layer, row, column) = (b.rank / plane, b.rank % plane / side, b.rank % side);
    let first = layer * plane + row * side;
    exchange(b, first..first + side, |rank| (rank, 1), blocks);
    let in_column = (0..side).map(|row| layer * plane + row * side + column);
    exchange(b, in_column, |rank| (rank / side * side, side), blocks);
    let this = b.rank;
    // From the next one on, going round.
    let across = (0..layers).map(|distance| this % plane + (layer + distance) % layers * plane);
    exchange(b, across, |rank| (rank / plane * plane, plane), blocks);
}

/// Each of some ranks sends what it has, `had` tells which blocks, to all others of them.
fn exchange(
    b: &mut Builder,
    ranks: impl Iterator<Item = u32> + Clone,
    had: impl Fn(u32) -> (u32, u32),
    blocks: &Parts,
) {
    let range = |(first, number): (u32, u32)| -> Part {
        let block = blocks.part(first);
        block.slice(0, i64::from(number) * block.count)
    };
    let this = b.rank;
    let own = range(had(this));
    if own.size() == 0 {
        return;
    }
    let others: Vec<u32> = ranks.filter(|&rank| rank != this).collect();
    others.iter().for_each(|&rank| b.recv(rank, &range(had(rank))));
    others.iter().for_each(|&rank| b.send_in_turn(rank, &own));
    b.fence();
}
