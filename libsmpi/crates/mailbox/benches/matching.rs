//! Cost of matching: it must not grow with the number of pending operations, of ranks, or with wildcards.
//!
//! `cargo bench -p smpi-mailbox`. Every measured step posts a send and a receive that join, and finishes the
//! communication.

use criterion::{BenchmarkId, Criterion};
use smpi_base::WorldRank;
use smpi_mailbox::{Envelope, Mailboxes, Pattern};
use std::hint::black_box;
use std::time::Duration;

const AT: WorldRank = WorldRank(1);
const FROM: WorldRank = WorldRank(0);

fn message(tag: i32) -> Envelope {
    Envelope { context: 0, source: 0, tag }
}

/// Pre-posted receive, then its send: the hot path of a well-written program.
fn hot_path(c: &mut Criterion) {
    let mut group = c.benchmark_group("post both, finish");
    let mut boxes = Mailboxes::new(2);
    group.bench_function("receive first", |b| {
        b.iter(|| {
            boxes.recv(AT, black_box(Pattern::from(message(3))), 1);
            let joined = boxes.send(FROM, AT, black_box(message(3)), 8, 2);
            boxes.finish(joined.comm);
        });
    });
    group.bench_function("send first", |b| {
        b.iter(|| {
            boxes.send(FROM, AT, black_box(message(3)), 8, 2);
            let joined = boxes.recv(AT, black_box(Pattern::from(message(3))), 1);
            boxes.finish(joined.comm);
        });
    });
    group.finish();
}

/// `pending` other receives are posted; the newest one is joined.
fn posted_receives(c: &mut Criterion) {
    let mut group = c.benchmark_group("newest of n posted receives");
    for pending in [0, 4, 8, 64, 1024, 65_536] {
        let mut boxes = Mailboxes::new(2);
        for tag in 0..pending {
            boxes.recv(AT, Pattern::from(message(tag)), 0);
        }
        group.bench_with_input(BenchmarkId::from_parameter(pending), &pending, |b, &pending| {
            b.iter(|| {
                boxes.recv(AT, Pattern::from(message(pending)), 0);
                let joined = boxes.send(FROM, AT, message(pending), 8, 0);
                boxes.finish(joined.comm);
            });
        });
    }
    group.finish();
}

/// `pending` other sends wait; the newest one is taken, by patterns of each kind.
fn waiting_sends(c: &mut Criterion) {
    let mut group = c.benchmark_group("newest of n waiting sends");
    let kinds = [("exact", false, false), ("any source", true, false), ("any tag", false, true)];
    for (name, any_source, any_tag) in kinds {
        for pending in [0, 4, 8, 64, 1024, 65_536] {
            let mut boxes = Mailboxes::new(2);
            for tag in 0..pending {
                boxes.send(FROM, AT, message(tag), 8, 0);
            }
            let envelope = Envelope { context: 0, source: 1, tag: pending };
            let (source, tag) = ((!any_source).then_some(1), (!any_tag).then_some(pending));
            let pattern = Pattern { context: 0, source, tag };
            group.bench_function(BenchmarkId::new(name, pending), |b| {
                b.iter(|| {
                    boxes.send(FROM, AT, envelope, 8, 0);
                    let joined = boxes.recv(AT, pattern, 0);
                    boxes.finish(joined.comm);
                });
            });
        }
    }
    group.finish();
}

/// Messages go round all ranks, so that caches are cold for large numbers of ranks.
fn many_ranks(c: &mut Criterion) {
    let mut group = c.benchmark_group("ring over n ranks");
    for ranks in [16u32, 1024, 50_000] {
        let mut boxes = Mailboxes::new(ranks);
        let mut at = 0;
        group.bench_with_input(BenchmarkId::from_parameter(ranks), &ranks, |b, &ranks| {
            b.iter(|| {
                at = (at + 7919) % ranks;
                boxes.recv(WorldRank(at), Pattern::from(message(1)), 0);
                let joined = boxes.send(FROM, WorldRank(at), message(1), 8, 0);
                boxes.finish(joined.comm);
            });
        });
    }
    group.finish();
}

/// Everything is posted before anything matches: `n` receives from different sources, then their sends in reverse.
fn flood(c: &mut Criterion) {
    let mut group = c.benchmark_group("flood, per n messages");
    for messages in [1000u32, 100_000] {
        let mut boxes = Mailboxes::new(2);
        group.throughput(criterion::Throughput::Elements(u64::from(messages)));
        group.bench_with_input(BenchmarkId::from_parameter(messages), &messages, |b, &messages| {
            b.iter(|| {
                let envelope = |source| Envelope { context: 0, source, tag: 0 };
                for source in 0..messages {
                    boxes.recv(AT, Pattern::from(envelope(source)), 0);
                }
                for source in (0..messages).rev() {
                    let joined = boxes.send(FROM, AT, envelope(source), 8, 0);
                    boxes.finish(joined.comm);
                }
            });
        });
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .measurement_time(Duration::from_millis(500))
        .warm_up_time(Duration::from_millis(200))
        .configure_from_args();
    for benchmark in [hot_path, posted_receives, waiting_sends, many_ranks, flood] {
        benchmark(&mut criterion);
    }
    criterion.final_summary();
}
