//! What the computation between MPI calls costs: measured CPU time, nothing, or what an earlier run recorded.
//!
//! A *burst* is the time between leaving one MPI call and entering the next. Bursts shorter than the threshold are not
//! dropped: they accumulate until they reach it.

use std::fmt::Write as _;

use smpi_base::WorldRank;
use smpi_base::plan;

/// Charging of computation.
pub struct Compute {
    mode: Mode,
    /// Flop/s that one second of CPU time of this machine stands for.
    flops_per_sec: f64,
    /// Bursts below this many seconds wait for the next ones.
    threshold_secs: f64,
    clocks: Vec<Clock>,
}

enum Mode {
    Off,
    Measured,
    Record { path: String, bursts: Vec<Vec<f64>> },
    Replay { path: String, bursts: Vec<std::vec::IntoIter<f64>> },
}

#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    /// CPU time at which the burst began or went on, when the rank computes.
    since: Option<f64>,
    /// Seconds not charged yet.
    pending: f64,
}

impl Compute {
    /// The charging that the plan asks for. `flops_per_sec` is the speed that this machine is taken to have.
    ///
    /// # Errors
    /// Text for the user when a recording cannot be used.
    pub fn new(choice: &plan::Compute, ranks: u32, flops_per_sec: f64, threshold: f64) -> Result<Compute, String> {
        let mut factor = 1.0;
        let mode = match choice {
            plan::Compute::Off => Mode::Off,
            plan::Compute::Measured => Mode::Measured,
            plan::Compute::Scaled(by) => {
                factor = *by;
                Mode::Measured
            }
            plan::Compute::Recorded(path) => match std::fs::read_to_string(path) {
                Ok(text) => Mode::Replay { path: path.clone(), bursts: parse_recording(path, &text, ranks)? },
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    Mode::Record { path: path.clone(), bursts: vec![Vec::new(); ranks as usize] }
                }
                Err(error) => return Err(format!("{path}: cannot read the recorded computation: {error}")),
            },
        };
        let clocks = if matches!(mode, Mode::Off) { Vec::new() } else { vec![Clock::default(); ranks as usize] };
        Ok(Compute { mode, flops_per_sec: flops_per_sec * factor, threshold_secs: threshold, clocks })
    }

    /// The rank enters an MPI call; returns the flops to charge now.
    pub fn burst(&mut self, rank: WorldRank) -> f64 {
        let flops = match &mut self.mode {
            Mode::Off => return 0.0,
            Mode::Replay { bursts, .. } => return bursts[rank.index()].next().unwrap_or(0.0),
            Mode::Measured | Mode::Record { .. } => {
                let clock = &mut self.clocks[rank.index()];
                let Some(since) = clock.since.take() else { return 0.0 };
                clock.pending += (cpu_seconds() - since).max(0.0);
                if clock.pending < self.threshold_secs {
                    0.0
                } else {
                    std::mem::take(&mut clock.pending) * self.flops_per_sec
                }
            }
        };
        if let Mode::Record { bursts, .. } = &mut self.mode {
            bursts[rank.index()].push(flops);
        }
        flops
    }

    /// The rank leaves an MPI call: a burst begins.
    pub fn begin(&mut self, rank: WorldRank) {
        if let Some(clock) = self.clocks.get_mut(rank.index()) {
            clock.since = Some(cpu_seconds());
        }
    }

    /// The rank is suspended in the middle of a burst (a simulated sleep).
    pub fn stop(&mut self, rank: WorldRank) {
        if let Some(clock) = self.clocks.get_mut(rank.index())
            && let Some(since) = clock.since.take()
        {
            clock.pending += (cpu_seconds() - since).max(0.0);
            // Marks that the burst goes on when the rank does.
            clock.since = Some(f64::NAN);
        }
    }

    /// The rank goes on after [`Compute::stop`].
    pub fn go_on(&mut self, rank: WorldRank) {
        if let Some(clock) = self.clocks.get_mut(rank.index())
            && clock.since.is_some_and(f64::is_nan)
        {
            clock.since = Some(cpu_seconds());
        }
    }

    /// Whether what happens may depend on measured times. A recording must not: its replay could not do the same.
    pub fn measures(&self) -> bool {
        matches!(self.mode, Mode::Measured)
    }

    /// Charges seconds to the current burst that were not spent, because the program skipped what it measured before.
    pub fn add(&mut self, rank: WorldRank, seconds: f64) {
        if let Some(clock) = self.clocks.get_mut(rank.index()) {
            clock.pending += seconds;
        }
    }

    /// Writes the recording, if this run made one.
    ///
    /// # Errors
    /// Text for the user when the file cannot be written.
    pub fn save(&self) -> Result<(), String> {
        let Mode::Record { path, bursts } = &self.mode else { return Ok(()) };
        let mut text = format!("libsmpi computation 1\nranks {}\n", bursts.len());
        for (rank, bursts) in bursts.iter().enumerate() {
            let _ = write!(text, "{rank}");
            for flops in bursts {
                let _ = write!(text, " {flops}");
            }
            text.push('\n');
        }
        std::fs::write(path, text).map_err(|error| format!("{path}: cannot write the recorded computation: {error}"))
    }

    /// A warning when the recording does not fit the run that has just ended.
    pub fn leftover(&self) -> Option<String> {
        let Mode::Replay { path, bursts } = &self.mode else { return None };
        let (rank, left) = bursts.iter().enumerate().find(|(_, left)| left.len() > 0)?;
        Some(format!(
            "{path} holds {} more bursts of computation for rank {rank} than this run had MPI calls; it was recorded from a \
             different run. Delete the file to record again.",
            left.len()
        ))
    }
}

fn parse_recording(path: &str, text: &str, ranks: u32) -> Result<Vec<std::vec::IntoIter<f64>>, String> {
    let mut lines = text.lines();
    if lines.next() != Some("libsmpi computation 1") {
        return Err(format!(
            "{path}:1: not a recording of computation; expected the line \"libsmpi computation 1\". Name a file that does \
             not exist to record into it."
        ));
    }
    let recorded = lines.next().and_then(|line| line.strip_prefix("ranks ")).and_then(|n| n.parse::<u32>().ok());
    if recorded != Some(ranks) {
        let recorded = recorded.map_or("an unknown number of".to_string(), |n| n.to_string());
        return Err(format!(
            "{path}:2: recorded with {recorded} ranks, this run has {ranks}. Record this run into a new file."
        ));
    }
    let parse_line = |(number, line): (usize, &str)| {
        let numbers: Result<Vec<f64>, _> = line.split(' ').skip(1).map(str::parse).collect();
        numbers.map(Vec::into_iter).map_err(|error| format!("{path}:{}: {error}; expected flops", number + 3))
    };
    let bursts: Vec<_> = lines.enumerate().map(parse_line).collect::<Result<_, String>>()?;
    if bursts.len() != ranks as usize {
        return Err(format!(
            "{path}: has bursts of {} ranks, expected {ranks}. Delete it to record again.",
            bursts.len()
        ));
    }
    Ok(bursts)
}

/// CPU time of this thread in seconds.
pub fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the result.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
