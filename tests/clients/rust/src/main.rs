//! A client of the `mpi` crate: ranks exchange values and slices, and split up.
#![forbid(unsafe_code)]

use mpi::collective::SystemOperation;
use mpi::datatype::PartitionMut;
use mpi::topology::Color;
use mpi::traits::*;

fn main() {
    let universe = mpi::initialize().expect("MPI was not initialised before");
    let world = universe.world();
    let (rank, size) = (world.rank(), world.size());

    // A ring with nonblocking messages whose buffers are borrowed for as long as they travel.
    let (mine, mut received) = ([rank, rank * rank], [0; 2]);
    mpi::request::scope(|scope| {
        let next = world.process_at_rank((rank + 1) % size).immediate_send(scope, &mine[..]);
        let previous = world.process_at_rank((rank + size - 1) % size).immediate_receive_into(scope, &mut received[..]);
        next.wait();
        previous.wait();
    });
    let previous = (rank + size - 1) % size;
    assert_eq!(received, [previous, previous * previous]);

    // Collectives.
    let mut sum = 0;
    world.all_reduce_into(&rank, &mut sum, SystemOperation::sum());
    assert_eq!(sum, size * (size - 1) / 2);
    let mut all = vec![0; size as usize];
    world.all_gather_into(&(rank * 2), &mut all[..]);
    assert_eq!(all, (0..size).map(|i| i * 2).collect::<Vec<_>>());

    // Rank i contributes i elements.
    let counts: Vec<i32> = (0..size).collect();
    let places: Vec<i32> = (0..size).map(|i| i * (i - 1) / 2).collect();
    let (part, mut parts) = (vec![rank; rank as usize], vec![0; sum as usize]);
    world.all_gather_varcount_into(&part[..], &mut PartitionMut::new(&mut parts[..], counts, &places[..]));
    assert_eq!(parts, (0..size).flat_map(|i| vec![i; i as usize]).collect::<Vec<_>>());

    // Neighbours in pairs swap a float, and what is packed has the size of what it holds.
    if rank < size - size % 2 {
        let other = world.process_at_rank(rank ^ 1);
        let (theirs, status): (f64, _) = mpi::point_to_point::send_receive(&(f64::from(rank) + 0.5), &other, &other);
        assert_eq!((theirs, status.source_rank()), (f64::from(rank ^ 1) + 0.5, rank ^ 1));
    }
    assert_eq!(world.pack(&[1_u16, 2, 3][..]).len(), 6);

    // Halves of the world.
    let half = world.split_by_color(Color::with_value(rank % 2)).expect("every rank has a colour");
    let mut ranks_here = 0;
    half.all_reduce_into(&1, &mut ranks_here, SystemOperation::sum());
    assert_eq!(ranks_here, half.size());
    println!("rank {rank} of {size}: number {} of {} in its half", half.rank(), half.size());
}
