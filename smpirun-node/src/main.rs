//! What `smpirun verify --launch "mpiexec -n 64"` has the launcher start: a process of that MPI which forwards frames
//! between the messages of the others and an explorer below it ([`explorer`]).
//!
//! It has nothing of libsmpi and nothing of the program, because both MPIs have the same names. Nobody waits in a
//! call of MPI: messages are sent and received without blocking, so a process that hangs holds up nobody. All of them
//! say that they are alive; what process 0 has not heard of for some seconds counts as gone until it is heard of
//! again.
#![warn(missing_docs)]

mod explorer;
mod mpi;

use std::time::{Duration, Instant};

use explorer::Explorer;
use mpi::{Mpi, Sending};
use smpi_base::eprintln;
use smpi_base::exit::REFUSED;
use smpi_base::frames::{Frame, Kind, Unread};

/// How often a process says that it is alive.
const ALIVE: Duration = Duration::from_secs(1);
/// After how long without that it counts as gone.
const SILENT: Duration = Duration::from_secs(10);
/// How long is waited for the last messages, on machines that are busy with something else as well.
const LAST: Duration = Duration::from_secs(30);
/// How long a launcher has to print what was said last.
const SAID: Duration = Duration::from_millis(500);
/// The shortest and the longest time between two looks for messages, in microseconds: processes that have nothing to
/// do leave the processor to the explorers.
const LOOKS_MICROS: [u64; 2] = [100, 1_000];

/// One of the other processes, as this one knows it.
struct Other {
    heard: Instant,
    is_silent: bool,
    /// It has said the last that it says.
    is_over: bool,
    /// Messages on their way to it.
    sending: Vec<Sending>,
}

/// This process.
struct Node {
    mpi: Mpi,
    explorer: Explorer,
    others: Vec<Other>,
    alive: Instant,
    /// Messages and bytes that this process has sent and received, by kind.
    counts: [[u64; 2]; Kind::ALL.len()],
    /// The explorer of process 0 has ended.
    is_over: bool,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let code = run(&words).unwrap_or_else(|message| {
        if !is_later() {
            eprintln!("smpirun: error: --launch: {message}");
        }
        REFUSED
    });
    std::process::exit(code);
}

/// Whether a launcher says that this is not its first process: what is wrong before MPI begins is told once.
fn is_later() -> bool {
    let numbers = ["PMI_RANK", "PMIX_RANK", "SLURM_PROCID"].map(|name| std::env::var(name).unwrap_or_default());
    numbers.iter().any(|number| number.parse::<u64>().is_ok_and(|number| number > 0))
}

/// The time, of which nothing depends but who counts as gone.
#[allow(clippy::disallowed_methods, reason = "when others were heard of; never reaches what is explored")]
fn now() -> Instant {
    Instant::now()
}

fn run(words: &[String]) -> Result<i32, String> {
    if words.is_empty() {
        return Err("smpirun-node is started by smpirun verify --launch; expected the words of smpirun".to_string());
    }
    let mpi = Mpi::begin()?;
    let explorer = Explorer::start(words, mpi.rank(), mpi.size())?;
    let other = || Other { heard: now(), is_silent: false, is_over: false, sending: Vec::new() };
    let others = (0..mpi.size()).map(|_| other()).collect();
    let counts = [[0; 2]; Kind::ALL.len()];
    let mut node = Node { mpi, explorer, others, alive: now(), counts, is_over: false };
    let has_notes = words.iter().take_while(|word| *word != "--").any(|word| word == "--notes" || word == "-notes");
    Ok(if node.mpi.rank() == 0 { node.coordinate(has_notes) } else { node.help() })
}

impl Node {
    /// Process 0: as long as its explorer explores.
    fn coordinate(&mut self, has_notes: bool) -> i32 {
        let mut pause = LOOKS_MICROS[0];
        while let Some(frames) = self.explorer.exchange() {
            let mut is_quiet = frames.is_empty();
            frames.into_iter().for_each(|frame| self.send(frame));
            is_quiet &= !self.receive();
            self.say_alive(1..self.mpi.size());
            self.look_for_silence();
            self.rest(&mut pause, is_quiet);
        }
        let code = self.explorer.code();
        for process in 1..self.mpi.size() {
            self.send(Frame { process, kind: Kind::Over, bytes: Vec::new() });
        }
        if has_notes {
            self.tell_counts();
        }
        self.end(code)
    }

    /// Any other: until process 0 says that it is over, or is silent.
    fn help(&mut self) -> i32 {
        let (mut pause, mut has_explorer) = (LOOKS_MICROS[0], true);
        while !self.is_over && now() - self.others[0].heard < SILENT * 3 {
            let mut is_quiet = true;
            match self.explorer.exchange().filter(|_| has_explorer) {
                Some(frames) => {
                    is_quiet &= frames.is_empty();
                    frames.into_iter().for_each(|frame| self.send(frame));
                }
                None if has_explorer => {
                    has_explorer = false;
                    let code = self.explorer.code();
                    let why = format!("its explorer ended with {code}: {}", self.explorer.last_words());
                    self.send(Frame { process: 0, kind: Kind::Gone, bytes: why.into_bytes() });
                }
                None => {}
            }
            is_quiet &= !self.receive();
            self.say_alive(0..1);
            self.rest(&mut pause, is_quiet);
        }
        self.explorer.end();
        if self.is_over {
            self.send(Frame { process: 0, kind: Kind::Over, bytes: Vec::new() });
        }
        self.end(0)
    }

    /// Sends a frame to the process that it names.
    fn send(&mut self, frame: Frame) {
        let mut bytes = Vec::new();
        let process = frame.process;
        Frame { process: self.mpi.rank(), ..frame }.write(&mut bytes);
        self.count(frame.kind, bytes.len());
        let sending = self.mpi.send(process, bytes);
        if let Some(other) = self.others.get_mut(process as usize) {
            other.sending.extend(sending);
        }
    }

    /// Hands on what has come; whether there was something.
    fn receive(&mut self) -> bool {
        let mut has_come = false;
        while let Some((from, bytes)) = self.mpi.receive() {
            let mut unread = Unread::default();
            unread.add(&bytes);
            let Some(frame) = unread.frame() else { continue };
            self.count(frame.kind, bytes.len());
            let other = &mut self.others[from as usize];
            other.heard = now();
            if std::mem::take(&mut other.is_silent) {
                self.explorer.tell(&Frame { process: from, kind: Kind::Back, bytes: Vec::new() });
            }
            match frame.kind {
                Kind::Alive => {}
                Kind::Over => (self.is_over, other.is_over) = (true, true),
                _ => {
                    self.explorer.tell(&Frame { process: from, ..frame });
                    has_come = true;
                }
            }
        }
        for other in &mut self.others {
            other.sending.retain_mut(|sending| !self.mpi.is_sent(sending));
        }
        has_come
    }

    /// Tells these processes that this one is alive, unless they have yet to take what they were sent before.
    fn say_alive(&mut self, to: std::ops::Range<u32>) {
        if now() - self.alive < ALIVE {
            return;
        }
        self.alive = now();
        for process in to {
            if self.others[process as usize].sending.is_empty() {
                self.send(Frame { process, kind: Kind::Alive, bytes: Vec::new() });
            }
        }
    }

    /// Tells the explorer who has been silent for too long.
    fn look_for_silence(&mut self) {
        for process in 1..self.mpi.size() {
            let other = &mut self.others[process as usize];
            if !other.is_silent && now() - other.heard > SILENT {
                other.is_silent = true;
                let why = format!("nothing was heard of it for {} s", SILENT.as_secs());
                self.explorer.tell(&Frame { process, kind: Kind::Gone, bytes: why.into_bytes() });
            }
        }
    }

    /// Waits for the explorer, for a time that grows as long as nothing happens.
    fn rest(&mut self, pause: &mut u64, is_quiet: bool) {
        *pause = if is_quiet { (*pause * 2).min(LOOKS_MICROS[1]) } else { LOOKS_MICROS[0] };
        let mut fd = libc::pollfd { fd: self.explorer.descriptor(), events: libc::POLLIN, revents: 0 };
        let time = libc::timespec { tv_sec: 0, tv_nsec: (*pause * 1000) as i64 };
        // SAFETY: valid places.
        unsafe { libc::ppoll(&mut fd, 1, &time, std::ptr::null()) };
        // The end of an explorer is told at once, again and again.
        if fd.revents & libc::POLLHUP != 0 {
            std::thread::sleep(Duration::from_micros(*pause));
        }
    }

    /// Waits for the last messages, and ends together with the others; without those that do not answer. An MPI may end
    /// only once all that was sent was received, so process 0 hears the last of each.
    fn end(&mut self, code: i32) -> i32 {
        let since = now();
        let hears_all = self.mpi.rank() == 0;
        self.others[0].is_over |= hears_all;
        let is_left = |other: &Other| !other.sending.is_empty() || hears_all && !other.is_over && !other.is_silent;
        while self.others.iter().any(is_left) && now() - since < LAST {
            self.receive();
            if hears_all {
                self.look_for_silence();
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let mute = self.others.iter().enumerate().filter(|(_, other)| is_left(other) || other.is_silent);
        let mute: Vec<String> = mute.map(|(process, _)| process.to_string()).collect();
        if !mute.is_empty() {
            eprintln!(
                "smpirun: warning: these processes of the launcher do not answer: {}; the job is aborted now that the report \
                 is out, and the exit code is the launcher's",
                mute.join(", ")
            );
            // What the explorer has said is on its way through the launcher, which forgets it where a job is aborted.
            std::thread::sleep(SAID);
            self.mpi.abort(code);
        }
        self.mpi.finalize();
        code
    }

    fn count(&mut self, kind: Kind, len: usize) {
        let [messages, bytes] = &mut self.counts[kind as usize];
        *messages += 1;
        *bytes += len as u64;
    }

    /// All messages go through process 0.
    fn tell_counts(&self) {
        let of_kind = |kind: &Kind| {
            let [messages, bytes] = self.counts[*kind as usize];
            format!("{kind:?} {messages} ({bytes} bytes)").to_lowercase()
        };
        let told: Vec<String> =
            Kind::ALL.iter().filter(|kind| self.counts[**kind as usize][0] > 0).map(of_kind).collect();
        let size = self.mpi.size();
        let processes = if size == 1 { "process" } else { "processes" };
        eprintln!("smpirun: note: {size} {processes} of the launcher; messages: {}", told.join(", "));
    }
}
