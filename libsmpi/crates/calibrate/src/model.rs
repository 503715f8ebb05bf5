//! From samples to the constants of SMPI's model.
//!
//! What belongs to a processor and what to the network is told apart by measuring sends and receives alone: `os` is the
//! time of `MPI_Send` whose receive is posted, `or` that of `MPI_Wait` for a message that has arrived. The rest of the
//! way from rank to rank is the network's. Where both together take longer than the message (they overlap, or a call is
//! slower when it stands alone), `or` is shortened, so that the sum is right.

use crate::fit::{self, Line, Point};
use crate::samples::Samples;

/// Bytes that a message is longer than what it carries, in SMPI's model.
pub const ENVELOPE: u64 = 16;
/// Send and receive overhead take at most this share of a message: something is left to the network.
const OVERHEAD_SHARE: f64 = 0.95;
/// Smaller differences, as shares of a message's time, are not worth a piece of the network, or of an overhead.
const FINE: f64 = 5e-4;
const COARSE: f64 = 5e-3;
/// Overheads below this share of every message are not written.
const NEGLIGIBLE: f64 = 1e-3;
/// Sends that never wait for a receiver have this limit, in bytes.
const NEVER_WAITS: u64 = i32::MAX as u64;
/// A kernel that ran shorter than this, in seconds, was not measured: computation takes no time in some simulations.
const SHORTEST_KERNEL: f64 = 1e-4;
/// What a host is said to compute if nothing is known, in flop/s: smpirun's own default.
const DEFAULT_SPEED: f64 = 10e9;

/// A line that holds above a size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// It holds for messages with more bytes than this, and the first one for all smaller ones, too.
    pub above: u64,
    /// Seconds.
    pub line: Line,
}

/// What was measured for a size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Size of the message.
    pub bytes: u64,
    /// From rank to rank, in seconds.
    pub seconds: f64,
    /// Least and median of the same samples.
    pub range: (f64, f64),
    /// `MPI_Send`, if it does not wait.
    pub send: Option<f64>,
    /// The receive of a message that is there, likewise.
    pub receive: Option<f64>,
}

/// Constants that were fitted, and the points they were fitted to.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// `smpi/os`, in bytes that are sent.
    pub send: Vec<Section>,
    /// `smpi/ois`.
    pub isend: Vec<Section>,
    /// `smpi/or`.
    pub receive: Vec<Section>,
    /// Latency (start) and time per byte of the network; lines in bytes with envelope, `above` without it.
    pub network: Vec<Section>,
    /// `smpi/send-is-detached-thresh`, in bytes.
    pub detached_below: u64,
    /// `smpi/async-small-thresh`, in bytes.
    pub eager_below: u64,
    /// `smpi/wtime`, `smpi/test` and `smpi/iprobe`, in seconds.
    pub polls: [Option<f64>; 3],
    /// Flop/s of a core; `None` if computation takes no time there.
    pub speed: Option<f64>,
    /// Bytes per second that `memcpy` copies.
    pub copy_rate: Option<f64>,
    /// Latency in seconds and bandwidth in bytes per second between ranks of one host, if they were measured.
    pub local: Option<(f64, f64)>,
    /// The points, by size.
    pub points: Vec<Measured>,
}

/// What is known about the place besides samples.
#[derive(Clone, Debug, Default)]
pub struct Site {
    /// The launcher's command, for the head of the file.
    pub command: String,
    /// Hosts that the platform is to have.
    pub hosts: u32,
    /// Flop/s of this machine, where smpirun will run, if it is another one than the measured.
    pub own_speed: Option<f64>,
}

impl Model {
    /// Fits the model to samples; `local` are those of two ranks on one host, if `samples` are of two hosts.
    pub fn fit(samples: &Samples, local: Option<&Samples>) -> Model {
        let points = measured(samples);
        let waiting_from = samples.waiting_from;
        let send = overhead(&points, waiting_from, |point| point.send);
        let receive = overhead(&points, waiting_from, |point| point.receive);
        let isend = overhead(&points, waiting_from, |point| {
            samples.usual("isend", point.bytes).map(|seconds| seconds.min(OVERHEAD_SHARE * point.seconds))
        });
        let is_waiting = samples.sizes("oneway").last().is_some_and(|largest| *largest >= samples.waiting_from);
        let mut model = Model {
            send,
            isend,
            receive,
            network: Vec::new(),
            detached_below: if is_waiting { samples.waiting_from } else { NEVER_WAITS },
            eager_below: 0,
            polls: ["wtime", "test", "iprobe"].map(|kind| samples.best(kind).map(|(_, seconds)| seconds.max(0.0))),
            speed: speed(samples),
            copy_rate: samples.best("copy").filter(|best| best.1 > 0.0).map(|(bytes, seconds)| bytes as f64 / seconds),
            local: None,
            points,
        };
        model.network = model.fit_network();
        model.eager_below = eager_below(samples, &model);
        model.local = local.map(|local| model.fit_local(local));
        model
    }

    /// Seconds that the model predicts from rank to rank.
    pub fn predict(&self, bytes: u64) -> f64 {
        let overheads =
            if bytes < self.detached_below { at(&self.send, bytes) + at(&self.receive, bytes) } else { 0.0 };
        overheads + section(&self.network, bytes).line.at((bytes + ENVELOPE) as f64)
    }

    /// Predicted over measured, minus 1, of each point.
    pub fn residuals(&self) -> impl Iterator<Item = (u64, f64)> {
        self.points.iter().map(|point| (point.bytes, self.predict(point.bytes) / point.seconds - 1.0))
    }

    /// Median and greatest absolute value of the residuals.
    pub fn errors(&self) -> (f64, f64) {
        let mut errors: Vec<f64> = self.residuals().map(|(_, error)| error.abs()).collect();
        errors.sort_by(f64::total_cmp);
        (errors.get(errors.len() / 2).copied().unwrap_or(0.0), errors.last().copied().unwrap_or(0.0))
    }

    /// Latency in seconds, to which the latency factors refer: that of the smallest messages, if they have one.
    pub fn latency(&self) -> f64 {
        let starts = || self.network.iter().map(|section| section.line.start);
        let largest = starts().fold(0.0, f64::max);
        starts().next().filter(|first| *first > 1e-6 * largest).unwrap_or(largest)
    }

    /// Bandwidth in bytes per second, to which the bandwidth factors refer: that of the largest messages.
    pub fn bandwidth(&self) -> f64 {
        let slopes = self.network.iter().rev().map(|section| section.line.slope);
        slopes.into_iter().find(|slope| *slope > 0.0).map_or(1e12, |slope| 1.0 / slope)
    }

    /// Latency and bandwidth factor of each section of the network, with the bytes on the wire above which they hold.
    /// Factors have to be positive; the bounds are far beyond what matters.
    pub fn factors(&self) -> Vec<(u64, f64, f64)> {
        let (latency, bandwidth) = (self.latency(), self.bandwidth());
        let factor = |section: &Section| {
            let of_latency = if latency > 0.0 { (section.line.start / latency).max(1e-6) } else { 1.0 };
            let above = if section.above == 0 { 0 } else { section.above + ENVELOPE };
            (above, of_latency, (1.0 / (section.line.slope * bandwidth)).min(1e6))
        };
        self.network.iter().map(factor).collect()
    }

    /// The speed that hosts get, in flop/s.
    pub fn speed_or_default(&self) -> f64 {
        self.speed.unwrap_or(DEFAULT_SPEED)
    }

    /// The network's part, below and above the size from which on senders wait.
    fn fit_network(&self) -> Vec<Section> {
        let split = self.points.partition_point(|point| point.bytes < self.detached_below);
        let point = |point: &Measured| {
            let processors = match point.bytes < self.detached_below {
                true => at(&self.send, point.bytes) + at(&self.receive, point.bytes),
                false => 0.0,
            };
            let x = (point.bytes + ENVELOPE) as f64;
            Point { x, y: point.seconds - processors, weight: 1.0 / point.seconds }
        };
        let (below, above) = self.points.split_at(split);
        let mut sections = Vec::new();
        for (part, first_above) in [(below, 0), (above, self.detached_below.saturating_sub(1))] {
            let points: Vec<Point> = part.iter().map(point).collect();
            sections.extend(sections_of(&points, ENVELOPE, FINE, if sections.is_empty() { 0 } else { first_above }));
        }
        sections
    }

    /// Latency and bandwidth of a loopback, under the factors of the network.
    fn fit_local(&self, local: &Samples) -> (f64, f64) {
        let factors = self.factors();
        let points: Vec<Point> = measured(local)
            .iter()
            .map(|point| {
                let wire = point.bytes + ENVELOPE;
                let above = factors.iter().rev().find(|(above, ..)| wire > *above);
                let (_, latency, bandwidth) = above.copied().unwrap_or((0, 1.0, 1.0));
                let processors = match point.bytes < self.detached_below {
                    true => at(&self.send, point.bytes) + at(&self.receive, point.bytes),
                    false => 0.0,
                };
                let y = (point.seconds - processors).max(0.0) / latency;
                Point { x: wire as f64 / (bandwidth * latency), y, weight: latency / point.seconds }
            })
            .collect();
        let (line, _) = fit::line(&points, 0.05);
        (line.start, if line.slope > 0.0 { 1.0 / line.slope } else { 1e12 })
    }
}

fn measured(samples: &Samples) -> Vec<Measured> {
    let point = |bytes: u64| {
        let seconds = samples.usual("oneway", bytes).filter(|seconds| *seconds > 0.0)?;
        let range = (samples.quantile("oneway", bytes, 0.0)?, samples.quantile("oneway", bytes, 0.5)?);
        let is_detached = bytes < samples.waiting_from;
        let most = OVERHEAD_SHARE * seconds;
        let send = samples.usual("send", bytes).filter(|_| is_detached).map(|send| send.min(most));
        let receive = samples.usual("arrived", bytes).filter(|_| is_detached);
        let receive = receive.map(|receive| receive.min(most - send.unwrap_or(0.0)));
        Some(Measured { bytes, seconds, range, send, receive })
    };
    samples.sizes("oneway").into_iter().filter_map(point).collect()
}

/// Sections of an overhead, below and above the size from which on senders wait. Its errors count as parts of the
/// messages' whole times. None if it is nowhere a part that matters.
fn overhead(points: &[Measured], waiting_from: u64, part: impl Fn(&Measured) -> Option<f64>) -> Vec<Section> {
    let is_small = |point: &Measured| part(point).is_none_or(|seconds| seconds < NEGLIGIBLE * point.seconds);
    if points.iter().all(is_small) {
        return Vec::new();
    }
    let (below, above) = points.split_at(points.partition_point(|point| point.bytes < waiting_from));
    let mut sections = Vec::new();
    for (points, first_above) in [(below, 0), (above, waiting_from.saturating_sub(1))] {
        let with =
            |point: &Measured| part(point).map(|y| Point { x: point.bytes as f64, y, weight: 1.0 / point.seconds });
        let points: Vec<Point> = points.iter().filter_map(with).collect();
        sections.extend(sections_of(&points, 0, COARSE, if sections.is_empty() { 0 } else { first_above }));
    }
    sections
}

/// Fitted pieces as sections. `shift`: what `x` is larger than the bytes. Between two sizes that were measured, the
/// roundest number is taken for the place of a break: libraries switch at round sizes.
fn sections_of(points: &[Point], shift: u64, finest: f64, first_above: u64) -> Vec<Section> {
    let bytes = |index: usize| points[index].x as u64 - shift;
    let section = |piece: &fit::Piece| {
        let above = if piece.first == 0 { first_above } else { roundest(bytes(piece.first - 1), bytes(piece.first)) };
        Section { above, line: piece.line }
    };
    fit::pieces(points, finest).iter().map(section).collect()
}

/// The number from `low` to below `high` that the highest power of two divides.
fn roundest(low: u64, high: u64) -> u64 {
    let mut number = high - 1;
    // Clearing the lowest bit makes a number rounder.
    while number & number.wrapping_sub(1) >= low && number != 0 {
        number &= number - 1;
    }
    number
}

/// Messages below this leave without waiting for a receive: when a late receive asks for them, they are there. Where
/// the network's part is too small to see the difference, nothing says that they wait.
fn eager_below(samples: &Samples, model: &Model) -> u64 {
    let mut votes = Vec::new();
    for point in model.points.iter().filter(|point| point.bytes < samples.waiting_from) {
        if let (Some(late), Some(arrived)) = (samples.usual("late", point.bytes), samples.usual("arrived", point.bytes))
        {
            let network = section(&model.network, point.bytes).line.at((point.bytes + ENVELOPE) as f64);
            let is_waiting = network > 0.1 * point.seconds && late - arrived > 0.5 * network;
            votes.push((point.bytes, is_waiting));
        }
    }
    // The place that the fewest votes contradict: those that wait below it, and those that do not above it.
    let mut wrong = votes.iter().filter(|vote| !vote.1).count();
    let mut best = (wrong, 0);
    for (index, (_, is_waiting)) in votes.iter().enumerate() {
        if *is_waiting {
            wrong += 1;
        } else {
            wrong -= 1;
        }
        if wrong < best.0 {
            best = (wrong, index + 1);
        }
    }
    match best.1 {
        0 => 0,
        all if all == votes.len() => model.detached_below,
        some => roundest(votes[some - 1].0 + 1, votes[some].0 + 1),
    }
}

fn speed(samples: &Samples) -> Option<f64> {
    let kinds = ["flops", "flops1"].map(|kind| samples.best(kind).filter(|best| best.1 >= SHORTEST_KERNEL));
    let speeds: Vec<f64> = kinds.into_iter().flatten().map(|(flops, seconds)| flops as f64 / seconds).collect();
    (!speeds.is_empty()).then(|| speeds.iter().sum::<f64>() / speeds.len() as f64)
}

fn section(sections: &[Section], bytes: u64) -> Section {
    let found = sections.iter().rev().find(|section| bytes > section.above).or(sections.first());
    found.copied().unwrap_or(Section { above: 0, line: Line::default() })
}

/// Seconds of an overhead for a message of this many bytes.
fn at(sections: &[Section], bytes: u64) -> f64 {
    section(sections, bytes).line.at(bytes as f64)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::samples::tests::output;

    /// Sizes as the measuring program chooses them, one in an eighth of each octave.
    pub(crate) fn sizes() -> Vec<u64> {
        let mut sizes: Vec<u64> = (0..192).map(|i| 2f64.powf((f64::from(i) + 0.37) / 8.0) as u64).collect();
        sizes.insert(0, 0);
        sizes.dedup();
        sizes
    }

    fn close(a: f64, b: f64, tolerance: f64) -> bool {
        (a - b).abs() <= tolerance * b.abs()
    }

    /// A library with eager messages below 4,096 bytes, sends that wait from 65,536 on, and a network with a break.
    fn library(kind: &str, bytes: u64) -> f64 {
        let size = bytes as f64;
        let (send, receive) = (2e-7 + 1e-10 * size, 3e-7 + 2e-10 * size);
        let network = if bytes <= 1024 { 1e-6 + 1e-9 * (size + 16.0) } else { 2e-6 + 5e-10 * (size + 16.0) };
        match kind {
            "send" => send,
            "isend" => 1e-7,
            "arrived" => receive,
            "late" if bytes < 4096 => receive,
            "late" => receive + network,
            _ if bytes < 65536 => send + network + receive,
            _ => 5e-6 + 2e-10 * (size + 16.0),
        }
    }

    #[test]
    fn exact_samples_give_their_constants_back() {
        let model = Model::fit(&Samples::parse(&output(&sizes(), 65536, library)).unwrap(), None);
        assert_eq!(model.network.iter().map(|section| section.above).collect::<Vec<_>>(), [0, 1024, 65535]);
        assert_eq!((model.detached_below, model.eager_below), (65536, 4096));
        assert!(close(model.latency(), 1e-6, 1e-6) && close(model.bandwidth(), 5e9, 1e-6));
        let factors = model.factors();
        let expected = [(0, 1.0, 0.2), (1040, 2.0, 0.4), (65551, 5.0, 1.0)];
        for (found, wanted) in factors.iter().zip(expected) {
            assert!(
                found.0 == wanted.0 && close(found.1, wanted.1, 1e-6) && close(found.2, wanted.2, 1e-6),
                "{factors:?}"
            );
        }
        assert!(close(at(&model.send, 1000), 3e-7, 1e-6) && close(at(&model.receive, 1000), 5e-7, 1e-6));
        assert!(close(at(&model.isend, 1 << 20), 1e-7, 1e-6));
        assert!(model.errors().1 < 1e-6, "{:?}", model.errors());
    }

    #[test]
    fn overheads_leave_something_to_the_network() {
        // Receives that take longer than the whole message.
        let times = |kind: &str, bytes: u64| match kind {
            "arrived" => 5e-6,
            _ => library(kind, bytes),
        };
        let model = Model::fit(&Samples::parse(&output(&sizes(), 65536, times)).unwrap(), None);
        assert!(model.errors().1 < 0.1, "{:?}", model.errors());
        assert!(model.latency() > 0.0);
    }

    #[test]
    fn sends_that_never_wait_or_always_do() {
        let never = Model::fit(
            &Samples::parse(&output(&sizes(), 1 << 40, |_, bytes| 1e-6 + 1e-9 * bytes as f64)).unwrap(),
            None,
        );
        assert_eq!(never.detached_below, NEVER_WAITS);
        let always = Model::fit(&Samples::parse(&output(&sizes(), 0, library)).unwrap(), None);
        assert_eq!((always.detached_below, always.eager_below, always.send.len()), (0, 0, 0));
        assert!(always.errors().1 < 1e-6);
    }

    #[test]
    fn a_loopback_is_fitted_under_the_factors() {
        let samples = Samples::parse(&output(&sizes(), 65536, library)).unwrap();
        // Half the latency, twice the bandwidth.
        let halved = |kind: &str, bytes: u64| match kind {
            "oneway" if bytes < 65536 => {
                0.5 * (library(kind, bytes) + library("send", bytes) + library("arrived", bytes))
            }
            _ => 0.5 * library(kind, bytes),
        };
        let local = Samples::parse(&output(&sizes(), 65536, halved)).unwrap();
        let (latency, bandwidth) = Model::fit(&samples, Some(&local)).local.unwrap();
        assert!(close(latency, 0.5e-6, 1e-3) && close(bandwidth, 1e10, 1e-3), "{latency} {bandwidth}");
    }

    #[test]
    fn round_numbers() {
        assert_eq!(roundest(1000, 1100), 1024);
        assert_eq!(roundest(1025, 1030), 1028);
        assert_eq!((roundest(5, 6), roundest(0, 1), roundest(0, 9)), (5, 0, 0));
    }
}
