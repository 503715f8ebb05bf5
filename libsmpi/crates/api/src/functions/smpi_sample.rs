//! Sampled loops (`SMPI_SAMPLE_LOCAL` and its kin in `include/smpi/smpi.h`): some iterations are executed and measured,
//! the others are charged the mean.
//!
//! A measurement belongs to a place in the source and a tag, on each rank (local) or for all ranks (global). Criterion
//! to stop: `iters` iterations, or a relative standard error of the mean, s / (mean · √n), below the threshold.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_double, c_int};

use smpi_abi::Function;
use smpi_base::map::Map;
use smpi_mpi::world::Clock;

use super::smpi_ext::{ensure_running, text_of};
use smpi_process::HostCell;
use smpi_runtime::{cpu_seconds, current_rank, with};

// SAFETY: only calls that the boundary lets through get here: those of the hosting thread.
static SAMPLES: HostCell<RefCell<Option<Samples>>> = unsafe { HostCell::new(RefCell::new(None)) };

fn with_samples<R>(action: impl FnOnce(&mut Samples) -> R) -> R {
    action(SAMPLES.borrow_mut().get_or_insert_default())
}

/// All measurements, and the iterations under way.
#[derive(Debug, Default)]
struct Samples {
    sites: Map<Site, usize>,
    means: Vec<Mean>,
    /// Iterations under way by rank, the innermost last.
    under_way: Map<u32, Vec<Iteration>>,
    recent: Option<Recent>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Site {
    /// `None` for the global forms.
    rank: Option<u32>,
    file: String,
    line: c_int,
    tag: Vec<u8>,
}

/// The measurement used last: loops ask for the same one again and again. The file is compared by address, which can
/// only make this look-up fail.
#[derive(Debug)]
struct Recent {
    rank: u32,
    global: bool,
    file: usize,
    line: c_int,
    tag: Vec<u8>,
    index: usize,
}

#[derive(Debug)]
struct Iteration {
    index: usize,
    /// CPU time at which the body began; `None` when it is skipped.
    since: Option<f64>,
}

/// Running mean and variance (Welford 1962).
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    count: u32,
    mean: f64,
    /// Sum of squared differences from the mean.
    squares: f64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.count += 1;
        let difference = value - self.mean;
        self.mean += difference / f64::from(self.count);
        self.squares += difference * (value - self.mean);
    }

    /// Standard error of the mean, relative to the mean; infinite below two values.
    fn relative_error(&self) -> f64 {
        if self.count < 2 {
            return f64::INFINITY;
        }
        let variance = self.squares / f64::from(self.count - 1);
        if self.squares == 0.0 { 0.0 } else { (variance / f64::from(self.count)).sqrt() / self.mean }
    }

    /// Whether another iteration is to be executed. Where nothing is measured, the number of iterations decides alone.
    fn wants_more(&self, iters: c_int, thres: f64, measured: bool) -> bool {
        let below_count = iters <= 0 || i64::from(self.count) < i64::from(iters);
        let unsure = self.count < 2 || self.relative_error() >= thres;
        match (measured, thres >= 0.0) {
            (true, true) => below_count && unsure,
            (false, true) if iters <= 0 => self.count < 2,
            _ => below_count,
        }
    }
}

impl Samples {
    fn index(&mut self, rank: u32, global: bool, file: *const c_char, line: c_int, tag: &[u8]) -> usize {
        let address = file.addr();
        if let Some(recent) = &self.recent
            && (recent.rank, recent.global, recent.file, recent.line) == (rank, global, address, line)
            && recent.tag == tag
        {
            return recent.index;
        }
        // SAFETY: by MPI's contract `file`, an argument of `smpi_sample_open`, is a text.
        let file = unsafe { text_of(file) };
        let site = Site { rank: (!global).then_some(rank), file, line, tag: tag.to_owned() };
        let index = *self.sites.entry(site).or_insert_with(|| {
            self.means.push(Mean::default());
            self.means.len() - 1
        });
        self.recent = Some(Recent { rank, global, file: address, line, tag: tag.to_owned(), index });
        index
    }
}

/// Begins an iteration: decides whether the body is executed, and charges the mean if not. Always 1.
///
/// # Safety
/// `file` and `tag` are null or strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn smpi_sample_open(
    global: c_int,
    file: *const c_char,
    line: c_int,
    iters: c_int,
    thres: c_double,
    tag: *const c_char,
) -> c_int {
    ensure_running(Function::smpi_sample_open);
    // SAFETY: `tag` is a text, which nobody changes during the call.
    let tag = if tag.is_null() { &[] } else { unsafe { CStr::from_ptr(tag) }.to_bytes() };
    let rank = current_rank();
    // What we do here is not the program's computation.
    with(|runtime| runtime.driver.burst_pauses(rank));
    let measures = with(|runtime| runtime.driver.measures());
    let skipped = with_samples(|samples| {
        let index = samples.index(rank.0, global != 0, file, line, tag);
        let mean = samples.means[index];
        let execute = mean.wants_more(iters, thres, measures);
        let under_way = samples.under_way.entry(rank.0).or_default();
        // A body that was left by `break` never closed its iteration.
        if let Some(left) = under_way.iter().position(|iteration| iteration.index == index) {
            under_way.truncate(left);
        }
        under_way.push(Iteration { index, since: execute.then(cpu_seconds) });
        (!execute).then_some(mean.mean)
    });
    with(|runtime| {
        skipped.into_iter().for_each(|secs| runtime.driver.add_to_burst(rank, secs));
        runtime.driver.burst_goes_on(rank);
    });
    1
}

/// Whether the iteration under way executes the body.
#[unsafe(no_mangle)]
pub extern "C" fn smpi_sample_executes() -> c_int {
    with_samples(|samples| {
        let under_way = samples.under_way.get(&current_rank().0);
        let iteration = under_way.and_then(|iterations| iterations.last());
        c_int::from(iteration.is_some_and(|iteration| iteration.since.is_some()))
    })
}

/// Ends the iteration under way.
#[unsafe(no_mangle)]
pub extern "C" fn smpi_sample_close() {
    let now = cpu_seconds();
    with_samples(|samples| {
        let iteration = samples.under_way.get_mut(&current_rank().0).and_then(Vec::pop);
        if let Some(Iteration { index, since: Some(since) }) = iteration {
            samples.means[index].add((now - since).max(0.0));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_of(values: &[f64]) -> Mean {
        let mut mean = Mean::default();
        values.iter().for_each(|value| mean.add(*value));
        mean
    }

    #[test]
    fn standard_error_of_the_mean() {
        // s² = ((1-2)² + 0 + (3-2)²) / 2 = 1, so s / (mean √n) = 1 / (2 √3).
        let mean = mean_of(&[1.0, 2.0, 3.0]);
        assert_eq!(mean.mean, 2.0);
        assert!((mean.relative_error() - 1.0 / (2.0 * 3f64.sqrt())).abs() < 1e-15);
        assert_eq!(mean_of(&[1.0]).relative_error(), f64::INFINITY);
        assert_eq!(mean_of(&[0.0, 0.0]).relative_error(), 0.0);
    }

    #[test]
    fn stops_at_the_count_or_when_sure() {
        let sure = mean_of(&[1.0, 1.0, 1.0]);
        assert!(!sure.wants_more(10, 0.01, true), "the error is below the threshold");
        assert!(sure.wants_more(10, -1.0, true), "no threshold: only the count decides");
        assert!(!sure.wants_more(3, -1.0, true));
        assert!(sure.wants_more(10, 0.01, false), "nothing is measured: only the count decides");
        assert!(mean_of(&[1.0, 5.0]).wants_more(0, 0.01, true), "no count: only the error decides");
        assert!(!mean_of(&[1.0, 5.0]).wants_more(0, 0.01, false));
    }
}
