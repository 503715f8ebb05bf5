//! Cost of a flow in seven communication patterns, in the engine alone (no MPI, no ranks).
//!
//! `cargo bench -p smpi-engine`; the throughput line is flows per second. `-- --profile-time 10 halo` repeats
//! one pattern for a profiler.
#![allow(missing_docs)] // criterion's macros generate public items

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use smpi_base::rng::Rng;
use smpi_base::{HostId, SimTime};
use smpi_engine::{Config, Engine, Token};
use smpi_platform::Platform;
use std::sync::Arc;

fn cluster(hosts: u32) -> Arc<Platform> {
    let text = format!(
        "[[cluster]]\nname = \"node\"\nhosts = {hosts}\nspeed = \"1Gf\"\nbandwidth = \"125MBps\"\nlatency = \"50us\"\n"
    );
    Arc::new(Platform::parse("cluster.toml", &text).expect("the text above is a platform"))
}

fn engine(hosts: u32) -> Engine {
    Engine::new(cluster(hosts), Config::default())
}

/// One message at a time between two hosts: what every small message costs at least.
fn lone_flow(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("lone flow");
    group.throughput(Throughput::Elements(1));
    let mut engine = engine(2);
    let mut done = Vec::new();
    group.bench_function("24 bytes", |bencher| {
        bencher.iter(|| {
            engine.start_flow(HostId(0), HostId(1), 24, Token(0));
            engine.advance(&mut done);
            done.clear();
        });
    });
}

/// Everybody sends to everybody at the same instant: one system of 65,280 flows on 512 channels.
fn alltoall(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("alltoall");
    let ranks = 256;
    group.throughput(Throughput::Elements(u64::from(ranks * (ranks - 1))));
    group.sample_size(10);
    let mut engine = engine(ranks);
    let mut done = Vec::new();
    group.bench_function("256 ranks, 1 KiB", |bencher| {
        bencher.iter(|| {
            for src in 0..ranks {
                for dst in (0..ranks).filter(|dst| *dst != src) {
                    engine.start_flow(HostId(src), HostId(dst), 1040, Token(0));
                }
            }
            while engine.advance(&mut done).is_some() {}
            done.clear();
        });
    });
}

/// A periodic grid whose ranks exchange 8 KiB with four neighbours; a flow starts when both ends have come to the
/// iteration. `jitter` is the largest computation before it: with some, every flow ends at an instant of its own.
struct Halo {
    engine: Engine,
    side: u32,
    jitter: f64,
    iterations: u32,
    rng: Rng,
    /// Iteration of every rank, flows it still waits for, and ranks that came to it (per edge).
    pending: Vec<u32>,
    iteration: Vec<u32>,
    ready: Vec<[u8; 4]>,
    flows: u64,
}

const TIMER: u64 = 1 << 40;

impl Halo {
    fn new(side: u32, jitter: f64, iterations: u32) -> Halo {
        let ranks = (side * side) as usize;
        Halo {
            engine: engine(side * side),
            side,
            jitter,
            iterations,
            rng: Rng::new(1),
            pending: vec![0; ranks],
            iteration: vec![0; ranks],
            ready: vec![[0; 4]; ranks],
            flows: 0,
        }
    }

    fn neighbour(&self, rank: u32, direction: usize) -> u32 {
        let (x, y, side) = (rank % self.side, rank / self.side, self.side);
        let (x, y) = [(x + 1, y), (x + side - 1, y), (x, y + 1), (x, y + side - 1)][direction];
        x % side + y % side * side
    }

    fn compute(&mut self, rank: u32) {
        let part = self.rng.below(1 << 20) as f64 / f64::from(1 << 20);
        self.engine.start_timer(SimTime(part * self.jitter), Token(TIMER + u64::from(rank)));
    }

    fn exchange(&mut self, rank: u32) {
        self.pending[rank as usize] += 8;
        for direction in 0..4 {
            let other = self.neighbour(rank, direction);
            self.meet(rank, other, direction);
            self.meet(other, rank, direction ^ 1);
        }
    }

    /// One end of the flow in `direction` from `src` is ready; the second one starts it.
    fn meet(&mut self, src: u32, dst: u32, direction: usize) {
        let ready = &mut self.ready[src as usize][direction];
        *ready += 1;
        if *ready == 2 {
            *ready = 0;
            self.flows += 1;
            self.engine.start_flow(HostId(src), HostId(dst), 8208, Token(u64::from(src) << 20 | u64::from(dst)));
        }
    }

    fn finish(&mut self, rank: u32) {
        self.pending[rank as usize] -= 1;
        if self.pending[rank as usize] == 0 {
            self.iteration[rank as usize] += 1;
            if self.iteration[rank as usize] < self.iterations {
                self.compute(rank);
            }
        }
    }

    fn run(mut self) -> u64 {
        for rank in 0..self.side * self.side {
            self.compute(rank);
        }
        let mut done = Vec::new();
        while self.engine.advance(&mut done).is_some() {
            for token in done.drain(..) {
                if token.0 >= TIMER {
                    self.exchange((token.0 - TIMER) as u32);
                } else {
                    self.finish((token.0 >> 20) as u32);
                    self.finish((token.0 & 0xf_ffff) as u32);
                }
            }
        }
        self.flows
    }
}

fn halo(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("halo 32x32, 8 KiB");
    group.sample_size(10);
    let iterations = 10;
    group.throughput(Throughput::Elements(u64::from(32 * 32 * 4 * iterations)));
    for (name, jitter) in [("in step", 0.0), ("1 us jitter", 1e-6), ("100 us jitter", 1e-4), ("1 ms jitter", 1e-3)] {
        group.bench_function(name, |bencher| {
            bencher.iter_batched(|| Halo::new(32, jitter, iterations), Halo::run, BatchSize::PerIteration);
        });
    }
}

/// Pairs that never meet; as one flow ends the next starts, at instants that all differ.
fn pairs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("disjoint pairs");
    group.sample_size(10);
    for pairs in [32, 2048, 32768_u32] {
        group.throughput(Throughput::Elements(u64::from(pairs)));
        let mut engine = engine(2 * pairs);
        let mut rng = Rng::new(3);
        let mut done = Vec::new();
        let mut start = |engine: &mut Engine, pair: u64| {
            let size = 1000 + rng.below(100_000) as u64;
            engine.start_flow(HostId(2 * pair as u32), HostId(2 * pair as u32 + 1), size, Token(pair));
        };
        for pair in 0..pairs {
            start(&mut engine, u64::from(pair));
        }
        group.bench_function(pairs.to_string(), |bencher| {
            bencher.iter(|| {
                let mut ended = 0;
                while ended < pairs {
                    engine.advance(&mut done);
                    for token in done.drain(..) {
                        ended += 1;
                        start(&mut engine, token.0);
                    }
                }
            });
        });
    }
}

/// Everybody sends another size to one host: each end changes the rates of all flows that are left.
fn incast(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("incast");
    let flows = 256;
    group.throughput(Throughput::Elements(u64::from(flows)));
    let mut engine = engine(flows + 1);
    let mut rng = Rng::new(2);
    let mut done = Vec::new();
    group.bench_function("256 different sizes", |bencher| {
        bencher.iter(|| {
            for src in 1..=flows {
                engine.start_flow(HostId(src), HostId(0), 1000 + rng.below(100_000) as u64, Token(0));
            }
            while engine.advance(&mut done).is_some() {}
            done.clear();
        });
    });
}

/// Everybody sends another size to everybody, as in a sort by buckets: 4,032 flows on 128 channels, and each end
/// changes nearly all rates that are left.
fn alltoallv(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("alltoallv");
    let ranks = 64;
    group.throughput(Throughput::Elements(u64::from(ranks * (ranks - 1))));
    group.sample_size(10);
    let mut engine = engine(ranks);
    let mut rng = Rng::new(5);
    let mut done = Vec::new();
    group.bench_function("crossbar 64, sizes spread", |bencher| {
        bencher.iter(|| {
            for src in 0..ranks {
                for dst in (0..ranks).filter(|dst| *dst != src) {
                    engine.start_flow(HostId(src), HostId(dst), 40 + 4 * rng.below(64) as u64, Token(0));
                }
            }
            while engine.advance(&mut done).is_some() {}
            done.clear();
        });
    });
}

/// Every host sends other sizes to others at starts that all differ: 65,536 flows, most of them at the same time.
fn scattered(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("scattered");
    let (hosts, each) = (512, 128);
    group.throughput(Throughput::Elements(u64::from(hosts * each)));
    group.sample_size(10);
    let mut engine = engine(hosts);
    let mut rng = Rng::new(6);
    let mut done = Vec::new();
    group.bench_function("512 hosts, 128 flows each, 100 us jitter", |bencher| {
        bencher.iter(|| {
            for src in 0..hosts {
                let part = rng.below(1 << 20) as f64 / f64::from(1 << 20);
                engine.start_timer(SimTime(part * 1e-4), Token(u64::from(src)));
            }
            while engine.advance(&mut done).is_some() {
                for token in done.drain(..).filter(|token| token.0 < u64::from(hosts)) {
                    let src = token.0 as u32;
                    for _ in 0..each {
                        let dst = (src + 1 + rng.below(hosts as usize - 1) as u32) % hosts;
                        engine.start_flow(HostId(src), HostId(dst), 8208, Token(TIMER));
                    }
                }
            }
        });
    });
}

criterion_group!(benches, lone_flow, alltoall, halo, pairs, incast, alltoallv, scattered);
criterion_main!(benches);
