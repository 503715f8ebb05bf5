//! What the exploration itself costs: a system whose steps cost next to nothing, in the two shapes that matter.
//!
//! `orders` is listing 4.3: n messages, n receives, closed choices; `late` the same with open ones, so that every state
//! is remembered. `lattice` has independent choices that are expanded at every state.

#![allow(missing_docs)] // criterion's macros generate public items

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use smpi_base::WorldRank;
use smpi_checker::below::{Arrival, Arriving, Causes};
use smpi_checker::history::PassedOn;
use smpi_checker::{
    Caller, ChoiceId, ChoiceKind, Choices, Configuration, Event, Influence, Limits, Prospect, Settled, System, Told,
    Unobserved, explore,
};

/// What a system has that neither fails nor knows its states.
macro_rules! nothing_else {
    () => {
        fn seen(&mut self, _: &mut Vec<ChoiceId>) {}

        fn tick(&self) -> Option<u32> {
            None
        }

        fn arrived(&mut self, _: &mut Vec<Arrival>) {}

        fn recall(
            &mut self,
            _: &mut PassedOn,
            _: &Causes,
            _: &mut dyn Iterator<Item = Arriving>,
            _: &mut Vec<Arrival>,
        ) {
        }

        fn may_take(&mut self, _: Event) -> bool {
            false
        }

        fn marks(&mut self, _: &mut Vec<Event>) {}

        fn fingerprint(&mut self) -> Option<Configuration> {
            None
        }

        fn given(&mut self) -> Option<u128> {
            None
        }

        fn prospect(&self, _: &Choices) -> Prospect {
            Prospect::Open
        }

        fn caller(&mut self, event: Event) -> Caller {
            Caller { rank: event.choice.rank(), site: 0, what: 0 }
        }

        fn influence(&self) -> Option<Influence> {
            None
        }

        fn told(&self) -> Option<Told> {
            None
        }

        fn has_met(&self) -> bool {
            true
        }

        fn failed(&self) -> bool {
            false
        }

        fn left_out(&self) -> bool {
            false
        }
    };
}

/// One rank takes all of `count` messages, in any order.
struct Orders {
    count: u32,
    closed: bool,
    taken: u32,
    left: u64,
}

impl Orders {
    fn new(count: u32, closed: bool) -> Orders {
        Orders { count, closed, taken: 0, left: (1 << count) - 1 }
    }
}

impl System for Orders {
    type Snapshot = (u32, u64);

    fn reset(&mut self) {
        *self = Orders::new(self.count, self.closed);
    }

    fn settle(&mut self) -> Settled {
        if self.left == 0 { Settled::Finished } else { Settled::Choices }
    }

    fn choices(&mut self, out: &mut Choices) {
        out.open(ChoiceId::of(WorldRank(0), self.taken), ChoiceKind::Receive, self.closed);
        (0..self.count)
            .filter(|message| self.left >> message & 1 == 1)
            .for_each(|message| out.candidate(message.into()));
    }

    fn take(&mut self, event: Event) {
        self.taken += 1;
        self.left &= !(1 << event.candidate);
    }

    fn late(&mut self, _: &mut Vec<ChoiceId>) {}

    nothing_else!();

    fn snapshot(&mut self) -> Option<(u32, u64)> {
        Some((self.taken, self.left))
    }

    fn restore(&mut self, snapshot: &(u32, u64)) {
        (self.taken, self.left) = *snapshot;
    }
}

/// Each of `count` ranks draws one of two values; every choice seems to have late arrivals.
struct Lattice {
    count: u32,
    open: u64,
    late: Vec<ChoiceId>,
}

impl System for Lattice {
    type Snapshot = u64;

    fn reset(&mut self) {
        self.open = (1 << self.count) - 1;
    }

    fn settle(&mut self) -> Settled {
        if self.open == 0 { Settled::Finished } else { Settled::Choices }
    }

    fn choices(&mut self, out: &mut Choices) {
        for rank in (0..self.count).filter(|rank| self.open >> rank & 1 == 1) {
            out.open(ChoiceId::of(WorldRank(rank), 0), ChoiceKind::Random, false);
            out.candidate(0);
            out.candidate(1);
        }
    }

    fn take(&mut self, event: Event) {
        self.open &= !(1 << event.choice.rank().0);
        self.late.push(event.choice);
    }

    fn late(&mut self, out: &mut Vec<ChoiceId>) {
        out.append(&mut self.late);
    }

    nothing_else!();

    fn snapshot(&mut self) -> Option<u64> {
        Some(self.open)
    }

    fn restore(&mut self, snapshot: &u64) {
        self.open = *snapshot;
    }
}

fn overhead(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("per_state");
    group.sample_size(10);
    for (name, closed) in [("orders", true), ("late", false)] {
        let run = || explore(&mut Orders::new(8, closed), &Limits::default(), &mut Unobserved);
        assert_eq!(run().stats.executions, 40_320);
        group.throughput(Throughput::Elements(run().stats.configurations));
        group.bench_function(BenchmarkId::new(name, 8), |bencher| bencher.iter(|| black_box(run())));
    }
    let run = || {
        let mut system = Lattice { count: 9, open: 0, late: Vec::new() };
        explore(&mut system, &Limits::default(), &mut Unobserved)
    };
    assert_eq!((run().stats.executions, run().stats.configurations), (512, 19_683));
    group.throughput(Throughput::Elements(run().stats.transitions));
    group.bench_function(BenchmarkId::new("lattice", 9), |bencher| bencher.iter(|| black_box(run())));
    group.finish();
}

criterion_group!(benches, overhead);
criterion_main!(benches);
