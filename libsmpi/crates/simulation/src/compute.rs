//! What the computation between MPI calls costs: measured CPU time, nothing, or what an earlier run recorded.
//!
//! A *burst* is the time between leaving one MPI call and entering the next. Bursts shorter than the threshold are not
//! dropped: they accumulate until they reach it. What threads of the rank computed meanwhile is part of the burst: the
//! rank goes on when all of it is done, on the cores of its host.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use smpi_base::WorldRank;
use smpi_base::plan;
use smpi_base::print::reason;

/// What measures the computation of the rank that runs.
#[derive(Clone, Copy, Debug)]
pub struct Meter {
    /// CPU time of the thread that runs the ranks, in seconds.
    pub cpu_seconds: fn() -> f64,
    /// From now on, threads of ranks are measured.
    pub want_threads: fn(),
    /// Hands over what threads computed for a rank since somebody asked last: number of the thread and seconds.
    pub take_threads: fn(WorldRank, &mut dyn FnMut(u32, f64)),
}

/// How often an empty burst is measured to learn what looking at the meter costs; the shortest counts.
const LOOKS: u32 = 100;

/// Charging of computation.
pub struct Compute {
    mode: Mode,
    meter: Meter,
    /// Seconds of a burst in which nothing is computed: what looking at the meter costs.
    idle_secs: f64,
    /// Flop/s that one second of CPU time of this machine stands for, by rank.
    flops_per_sec: Vec<f64>,
    /// Bursts below this many seconds wait for the next ones.
    threshold_secs: f64,
    clocks: Vec<Clock>,
    /// Flops of the threads in the burst that has just ended.
    beside: Vec<f64>,
}

enum Mode {
    Off,
    Measured,
    Record { path: String, programs: String, bursts: Vec<Recording> },
    Replay { path: String, bursts: Vec<Playing> },
}

/// Flops of a rank's bursts, and by their index those of its threads.
#[derive(Clone, Default)]
struct Recording {
    own: Vec<f64>,
    beside: BTreeMap<usize, Vec<f64>>,
}

/// A recording and how much of it is over.
struct Playing {
    recording: Recording,
    next: usize,
}

#[derive(Clone, Debug, Default)]
struct Clock {
    /// CPU time at which the burst began or went on, when the rank computes.
    since: Option<f64>,
    /// Seconds not charged yet.
    pending: f64,
    /// Those of its threads, with their numbers.
    beside: Vec<(u32, f64)>,
}

impl Clock {
    /// Collects what threads computed for the rank.
    fn collect(&mut self, meter: Meter, rank: WorldRank) {
        (meter.take_threads)(
            rank,
            &mut |thread, seconds| match self.beside.iter_mut().find(|known| known.0 == thread) {
                Some(known) => known.1 += seconds,
                None => self.beside.push((thread, seconds)),
            },
        );
    }

    fn is_worth(&self, threshold_secs: f64) -> bool {
        self.pending >= threshold_secs || self.beside.iter().any(|thread| thread.1 >= threshold_secs)
    }
}

impl Compute {
    /// The charging that the plan asks for. `flops_per_sec` is the speed that this machine is taken to have, by rank;
    /// `programs` tells the programs of the run from others, in one line.
    ///
    /// # Errors
    /// Text for the user when a recording cannot be used.
    pub fn new(
        choice: &plan::Compute,
        meter: Meter,
        ranks: u32,
        programs: impl FnOnce() -> String,
        mut flops_per_sec: Vec<f64>,
        threshold: f64,
    ) -> Result<Compute, String> {
        let mut factor = 1.0;
        let mode = match choice {
            plan::Compute::Off => Mode::Off,
            plan::Compute::Measured => Mode::Measured,
            plan::Compute::Scaled(by) => {
                factor = *by;
                Mode::Measured
            }
            plan::Compute::Recorded(path) => match std::fs::read_to_string(path) {
                Ok(text) => {
                    Mode::Replay { path: path.clone(), bursts: parse_recording(path, &text, ranks, &programs())? }
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Mode::Record {
                    path: path.clone(),
                    programs: programs(),
                    bursts: vec![Recording::default(); ranks as usize],
                },
                Err(error) => return Err(format!("{path}: cannot read the recorded computation: {}", reason(&error))),
            },
        };
        let clocks = if matches!(mode, Mode::Off) { Vec::new() } else { vec![Clock::default(); ranks as usize] };
        let mut idle_secs = 0.0;
        if matches!(mode, Mode::Measured | Mode::Record { .. }) {
            (meter.want_threads)();
            let idle = || -(meter.cpu_seconds)() + (meter.cpu_seconds)();
            idle_secs = (0..LOOKS).map(|_| idle()).fold(f64::INFINITY, f64::min).max(0.0);
        }
        flops_per_sec.iter_mut().for_each(|speed| *speed *= factor);
        Ok(Compute { mode, meter, idle_secs, flops_per_sec, threshold_secs: threshold, clocks, beside: Vec::new() })
    }

    /// The rank enters an MPI call; returns the flops to charge now, and leaves those of its threads in
    /// [`Compute::beside`].
    pub fn burst(&mut self, rank: WorldRank) -> f64 {
        let flops = match &mut self.mode {
            Mode::Off => return 0.0,
            Mode::Replay { bursts, .. } => {
                let playing = &mut bursts[rank.index()];
                let index = playing.next;
                playing.next += 1;
                self.beside.extend(playing.recording.beside.get(&index).into_iter().flatten());
                return playing.recording.own.get(index).copied().unwrap_or(0.0);
            }
            Mode::Measured | Mode::Record { .. } => {
                let clock = &mut self.clocks[rank.index()];
                clock.collect(self.meter, rank);
                match clock.since.take() {
                    Some(since) => clock.pending += ((self.meter.cpu_seconds)() - since - self.idle_secs).max(0.0),
                    // Before the first call nothing is charged; it is a burst of the recording like the others.
                    None => clock.beside.clear(),
                }
                if clock.is_worth(self.threshold_secs) {
                    let speed = self.flops_per_sec[rank.index()];
                    self.beside.extend(clock.beside.drain(..).map(|thread| thread.1 * speed));
                    std::mem::take(&mut clock.pending) * speed
                } else {
                    0.0
                }
            }
        };
        if let Mode::Record { bursts, .. } = &mut self.mode {
            let recording = &mut bursts[rank.index()];
            if !self.beside.is_empty() {
                recording.beside.insert(recording.own.len(), self.beside.clone());
            }
            recording.own.push(flops);
        }
        flops
    }

    /// Flops of the threads of the rank that entered an MPI call last.
    pub fn beside(&mut self) -> &mut Vec<f64> {
        &mut self.beside
    }

    /// Whether computation takes simulated time.
    #[inline]
    pub fn is_on(&self) -> bool {
        !matches!(self.mode, Mode::Off)
    }

    /// The rank leaves an MPI call: a burst begins.
    pub fn begin(&mut self, rank: WorldRank) {
        if let Some(clock) = self.clocks.get_mut(rank.index()) {
            clock.since = Some((self.meter.cpu_seconds)());
        }
    }

    /// The rank is suspended in the middle of a burst (a simulated sleep).
    pub fn stop(&mut self, rank: WorldRank) {
        if let Some(clock) = self.clocks.get_mut(rank.index())
            && let Some(since) = clock.since.take()
        {
            clock.pending += ((self.meter.cpu_seconds)() - since - self.idle_secs).max(0.0);
            // Threads that work for whoever runs have worked for this rank until now.
            clock.collect(self.meter, rank);
            // Marks that the burst goes on when the rank does.
            clock.since = Some(f64::NAN);
        }
    }

    /// The rank goes on after [`Compute::stop`].
    pub fn go_on(&mut self, rank: WorldRank) {
        if let Some(clock) = self.clocks.get_mut(rank.index())
            && clock.since.is_some_and(f64::is_nan)
        {
            clock.since = Some((self.meter.cpu_seconds)());
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
        let Mode::Record { path, programs, bursts } = &self.mode else { return Ok(()) };
        let mut text = format!("libsmpi computation 1\nranks {}\nprograms {programs}\n", bursts.len());
        for (rank, bursts) in bursts.iter().enumerate() {
            let _ = write!(text, "{rank}");
            for (index, flops) in bursts.own.iter().enumerate() {
                let _ = write!(text, " {flops}");
                bursts.beside.get(&index).into_iter().flatten().for_each(|flops| {
                    let _ = write!(text, ",{flops}");
                });
            }
            text.push('\n');
        }
        smpi_base::whole::write(path, text)
            .map_err(|error| format!("{path}: cannot write the recorded computation: {}", reason(&error)))
    }

    /// A warning when the recording does not fit the run that has just ended.
    pub fn leftover(&self) -> Option<String> {
        let Mode::Replay { path, bursts } = &self.mode else { return None };
        let has = |playing: &Playing| playing.recording.own.len();
        let (rank, playing) = bursts.iter().enumerate().find(|(_, playing)| playing.next != has(playing))?;
        Some(format!(
            "{path} holds {} bursts of computation for rank {rank}, but this run had {} MPI calls; it was recorded from a \
             different run. Delete the file to record again.",
            has(playing),
            playing.next
        ))
    }
}

fn parse_recording(path: &str, text: &str, ranks: u32, programs: &str) -> Result<Vec<Playing>, String> {
    let mut lines = text.lines().peekable();
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
    // A recording that somebody wrote need not say which program it is for.
    let mut first = 3;
    if let Some(others) = lines.next_if(|line| line.starts_with("programs ")) {
        first += 1;
        if others.strip_prefix("programs ") != Some(programs) {
            return Err(format!(
                "{path}:3: recorded from another program, or another build of it. Record this run into a new file, or delete \
                 this line to use the recording all the same."
            ));
        }
    }
    let parse_line = |(number, line): (usize, &str)| {
        let mut recording = Recording::default();
        for burst in line.split(' ').skip(1) {
            let mut numbers = burst.split(',').map(|word| {
                word.parse::<f64>().map_err(|error| {
                    format!("{path}:{}: {error}; expected flops, of threads behind commas", number + first)
                })
            });
            let own = numbers.next().unwrap_or(Ok(0.0))?;
            let beside: Vec<f64> = numbers.collect::<Result<_, _>>()?;
            if !beside.is_empty() {
                recording.beside.insert(recording.own.len(), beside);
            }
            recording.own.push(own);
        }
        Ok(Playing { recording, next: 0 })
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
