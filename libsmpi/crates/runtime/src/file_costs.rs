//! What accesses of files cost in a simulation. Data moves at once ([`crate::files`]); the ranks are told when the
//! simulated machine would have moved it.
//!
//! ```text
//! write   data to each server, while its disk writes          then an empty answer of each
//! read    an empty request to each server                     then data back, while its disk reads
//! ```
//!
//! A file is on the file system of the platform that its name leads to, else on the disk of the rank's own host, else
//! nowhere, and then it costs nothing. Data for a disk of the own host crosses no network. With the hint `cb_nodes`, a
//! collective access is one in two phases (Thakur, Gropp and Lusk, "Data Sieving and Collective I/O in ROMIO",
//! Frontiers 1999): ranks on so many hosts access one contiguous part of the file each, in pieces of
//! `cb_buffer_size`, and exchange them with the others, one piece after another.

use std::collections::BTreeMap;
use std::ops::Range;

use smpi_base::{HostId, WorldRank};
use smpi_files::layout::{Domains, Layout};
use smpi_files::{Id, Moved};
use smpi_mpi::p2p::protocol::ENVELOPE_BYTES;
use smpi_mpi::world::Clock;
use smpi_platform::{DiskId, Platform};
use smpi_simulation::{Stage, Step};

use crate::file_jobs::Answer;
use crate::files::{Access, Data, Reply};
use crate::state::Runtime;

/// An access whose data was moved.
pub(crate) struct Done {
    pub rank: WorldRank,
    pub reply: Reply,
    pub access: Access,
    pub moved: Moved,
}

/// Where a file is.
struct Place {
    disks: Vec<DiskId>,
    layout: Layout,
}

impl Done {
    /// Reports the ranges of bytes that were moved, in a file of so many bytes.
    fn each_range(&self, file_size: u64, report: &mut dyn FnMut(Range<u64>)) {
        let Access { view, position, etypes, data, writes, .. } = &self.access;
        let (start, whole) = (position.unwrap_or(0) * view.unit(), etypes * view.unit());
        // Bytes of memory are those of the file, unless they were converted.
        let len = match data {
            Data::Native(_) if *writes => self.moved.bytes,
            _ if *writes && self.moved.error.is_some() => 0,
            _ => whole,
        };
        let end = if *writes { u64::MAX } else { file_size };
        let walked: Result<(), ()> = view.each_run(start..start + len, &mut |at, len| {
            report(at.min(end)..(at + len).min(end));
            Ok(())
        });
        debug_assert!(walked.is_ok());
    }
}

/// Messages and accesses of disks for so many bytes of each server.
fn stages(platform: &Platform, client: HostId, pieces: &[(DiskId, u64)], writes: bool) -> [Stage; 2] {
    let (mut with_data, mut empty) = (Stage::new(), Stage::new());
    for &(disk, bytes) in pieces.iter().filter(|(_, bytes)| *bytes > 0) {
        with_data.push(Step::Disk { disk, bytes, writes });
        let server = platform.disks()[disk.index()].host;
        if server == client {
            continue;
        }
        let message = |is_there: bool, bytes: u64| {
            let (from, to) = if is_there { (client, server) } else { (server, client) };
            Step::Message { from, to, bytes: bytes + ENVELOPE_BYTES }
        };
        with_data.push(message(writes, bytes));
        empty.push(message(!writes, 0));
    }
    if writes { [with_data, empty] } else { [empty, with_data] }
}

/// A piece that a rank accesses for others.
#[derive(Default)]
struct Piece {
    /// From the first byte that somebody wants to the last.
    range: Range<u64>,
    /// Bytes of each host's ranks.
    of_hosts: BTreeMap<HostId, u64>,
}

impl Runtime {
    /// Whether accesses of files may take time.
    pub fn files_may_cost(&self) -> bool {
        self.driver.simulation().is_some() && !self.platform.disks().is_empty()
    }

    /// Tells ranks that their accesses are over: now, or when the simulated machine has moved the data. Those of a
    /// collective access are over `together` where ranks access the file for each other.
    pub(crate) fn conclude_accesses(&mut self, file: Id, list: Vec<Done>, together: bool) {
        if !self.files_may_cost() {
            return list.into_iter().for_each(|done| self.reply(done.rank, done.reply, done.moved));
        }
        // What lies beyond the end is not read.
        let size = self.files.table.size(file).unwrap_or(0);
        let buffering = list.first().and_then(|first| first.access.shape.buffering);
        if let (Some((nodes, buffer_bytes)), true) = (buffering, together) {
            return self.conclude_in_two_phases((file, size), list, (nodes, buffer_bytes));
        }
        for done in list {
            let host = self.layout.placement[done.rank.index()];
            let place = self.place_of(file, host, &done);
            self.note_spent(&done, size, place.is_some());
            let job = place.map(|place| {
                let mut sums = vec![0; place.disks.len()];
                done.each_range(size, &mut |range| place.layout.add(range, &mut sums));
                let pieces: Vec<(DiskId, u64)> = place.disks.into_iter().zip(sums).collect();
                stages(&self.platform, host, &pieces, done.access.writes).to_vec()
            });
            self.begin_group(job.into_iter().collect(), vec![(done.rank, done.reply, done.moved)]);
        }
    }

    /// Where a file is for a rank on a host; `None` when that is on no disk of the platform.
    fn place_of(&self, file: Id, host: HostId, done: &Done) -> Option<Place> {
        let path = &self.files.table.get(file).ok()?.path;
        let Some(system) = self.platform.file_system_of(path) else {
            let layout = Layout { servers: 1, stripe_bytes: u64::MAX };
            return Some(Place { disks: vec![self.platform.disk_of(host)?], layout });
        };
        let shape = done.access.shape;
        let servers = shape.servers.unwrap_or(u32::MAX).min(system.servers.len() as u32);
        let stripe_bytes = shape.stripe_bytes.unwrap_or(system.stripe_bytes);
        let disks = system.servers[..servers as usize].to_vec();
        Some(Place { disks, layout: Layout { servers, stripe_bytes } })
    }

    fn note_spent(&mut self, done: &Done, size: u64, takes_time: bool) {
        let mut bytes = 0;
        done.each_range(size, &mut |range| bytes += range.end - range.start);
        let spent = &mut self.asked.file_jobs.spent;
        let sum = match (takes_time, done.access.writes) {
            (false, _) => &mut spent.free_bytes,
            (true, true) => &mut spent.written_bytes,
            (true, false) => &mut spent.read_bytes,
        };
        *sum += bytes;
    }

    /// A collective access for which ranks on `nodes` hosts access the file.
    fn conclude_in_two_phases(&mut self, (file, size): (Id, u64), list: Vec<Done>, (nodes, buffer_bytes): (u32, u64)) {
        // The first rank of each of the first hosts, in the order of ranks.
        let mut hosts: Vec<HostId> = Vec::new();
        for done in &list {
            let host = self.layout.placement[done.rank.index()];
            if hosts.len() < nodes as usize && !hosts.contains(&host) {
                hosts.push(host);
            }
        }
        let (mut first, mut end) = (u64::MAX, 0);
        for done in &list {
            done.each_range(size, &mut |range| {
                if !range.is_empty() {
                    (first, end) = (first.min(range.start), end.max(range.end));
                }
            });
        }
        let wanted = first..end;
        let mut jobs = Vec::new();
        let place = list.first().and_then(|first| self.place_of(file, hosts[0], first));
        list.iter().for_each(|done| self.note_spent(done, size, place.is_some()));
        if let (Some(place), Some(first)) = (place, list.first().filter(|_| !wanted.is_empty())) {
            // A disk of the own host has no stripes.
            let stripe_bytes = if place.layout.stripe_bytes == u64::MAX { 1 } else { place.layout.stripe_bytes };
            let domains = Domains::new(wanted, hosts.len() as u32, stripe_bytes, buffer_bytes);
            let mut parts: Vec<BTreeMap<u64, Piece>> = hosts.iter().map(|_| BTreeMap::new()).collect();
            for done in &list {
                let host = self.layout.placement[done.rank.index()];
                done.each_range(size, &mut |range| {
                    domains.cut(range, &mut |part, number, range| {
                        let piece = parts[part as usize].entry(number).or_default();
                        piece.add(host, range);
                    });
                });
            }
            for (host, pieces) in hosts.iter().zip(parts) {
                let Some(place) = self.place_of(file, *host, first) else { continue };
                let of_pieces = pieces.into_values();
                jobs.push(of_pieces.flat_map(|piece| self.phases(&place, *host, piece, first.access.writes)).collect());
            }
        }
        self.begin_group(jobs, list.into_iter().map(|done| (done.rank, done.reply, done.moved)).collect());
    }

    /// The stages of one piece: what others want of it goes to the host that writes, or comes from the one that reads.
    fn phases(&self, place: &Place, host: HostId, piece: Piece, writes: bool) -> Vec<Stage> {
        let others = piece.of_hosts.iter().filter(|(other, _)| **other != host);
        let exchange = others.map(|(&other, &bytes)| {
            let (from, to) = if writes { (other, host) } else { (host, other) };
            Step::Message { from, to, bytes: bytes + ENVELOPE_BYTES }
        });
        let exchange: Stage = exchange.collect();
        let mut sums = vec![0; place.disks.len()];
        place.layout.add(piece.range, &mut sums);
        let pieces: Vec<(DiskId, u64)> = place.disks.iter().copied().zip(sums).collect();
        let [first, second] = stages(&self.platform, host, &pieces, writes);
        if writes { vec![exchange, first, second] } else { vec![first, second, exchange] }
    }

    /// Tells ranks when all of these jobs are over.
    fn begin_group(&mut self, jobs: Vec<Vec<Stage>>, answers: Vec<Answer>) {
        let started = jobs.into_iter().filter_map(|stages| self.driver.start_job(stages));
        let started: Vec<u32> = started.collect();
        if started.is_empty() {
            return answers.into_iter().for_each(|(rank, reply, moved)| self.reply(rank, reply, moved));
        }
        self.asked.file_jobs.begin(self.driver.now(), &started, answers);
    }

    /// A job is over.
    pub(crate) fn job_over(&mut self, job: u32) {
        let answers = self.asked.file_jobs.end(self.driver.now(), job);
        answers.into_iter().for_each(|(rank, reply, moved)| self.reply(rank, reply, moved));
    }
}

impl Piece {
    fn add(&mut self, host: HostId, range: Range<u64>) {
        *self.of_hosts.entry(host).or_default() += range.end - range.start;
        let is_first = self.range.is_empty();
        let (start, end) = (self.range.start.min(range.start), self.range.end.max(range.end));
        self.range = if is_first { range } else { start..end };
    }
}
