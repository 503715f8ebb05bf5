//! The exploration's present schedule, in memory shared with its supervisor. If the exploring process is lost, the
//! supervisor reports this schedule.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering};

use smpi_base::Agent;
use smpi_checker::{ChoiceId, Event};
use smpi_choices::{Discoveries, Discovery};
use smpi_process::{LastWords, Reason};
use smpi_report::finding::{Buffering, Location};
use smpi_report::{Finding, FindingKey};
use smpi_watch::checks::located;

/// Choices of the schedule that are kept. Pages that are never written cost nothing.
const MAX_EVENTS: usize = 1 << 20;
/// Discoveries that are kept.
const MAX_FORESEEN: usize = 1 << 16;
/// Bytes of last words.
const MAX_WORDS: usize = 2048;
/// Bytes of the place that they are about.
const MAX_PLACE: usize = 8192;
/// Bytes of findings; what does not fit is only lost when the process is.
const MAX_FINDINGS: usize = 16 << 20;

/// The shared memory.
#[repr(C)]
pub struct Trail {
    mode: AtomicU32,
    over: AtomicU32,
    executions: AtomicU64,
    transitions: AtomicU64,
    states: AtomicU64,
    memory: AtomicU32,
    words_len: AtomicU32,
    words: [AtomicU8; MAX_WORDS],
    place_len: AtomicU32,
    /// A [`Location`] as JSON.
    place: [AtomicU8; MAX_PLACE],
    len: AtomicU32,
    events: [[AtomicU64; 2]; MAX_EVENTS],
    foreseen_len: AtomicU32,
    foreseen: [[AtomicU64; 2]; MAX_FORESEEN],
    findings_len: AtomicU32,
    /// Findings as JSON, each followed by a line end.
    findings: [AtomicU8; MAX_FINDINGS],
}

static CURRENT: AtomicPtr<Trail> = AtomicPtr::new(ptr::null_mut());

/// How much was explored, in all modes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Executions seen to their end.
    pub executions: u64,
    /// Transitions taken.
    pub transitions: u64,
    /// States at rest, where these are recognised whatever led to them.
    pub states: u64,
}

impl Counts {
    /// These, and what was explored since.
    pub fn and(self, executions: u64, transitions: u64, states: u64) -> Counts {
        Counts {
            executions: self.executions + executions,
            transitions: self.transitions + transitions,
            states: self.states + states,
        }
    }
}

/// What a lost process said last.
pub struct Words {
    /// It was about an invalid access to memory.
    pub memory: bool,
    /// In words.
    pub text: String,
    /// Which rank ran, and where.
    pub place: Option<Location>,
}

impl Words {
    /// Of a process that is about to end.
    pub fn of(said: &LastWords<'_>) -> Words {
        let place = said.rank.map(|rank| located(Location::new(rank.0, said.call), said.place.as_ref()));
        Words { memory: said.reason == Reason::Access, text: said.text.to_string(), place }
    }

    /// The finding that they are, if they are about the program. Outside of ranks only buffers are touched that ranks
    /// have passed; inside of calls what is passed, and the rank's stack.
    pub fn finding(&self) -> Option<Finding> {
        let finding = Finding::new(FindingKey::Crash, self.text.replace("\n  ", " "));
        self.memory.then(|| self.place.iter().fold(finding, |finding, place| finding.located(place.clone())))
    }
}

impl Trail {
    /// Memory that this process shares with those that it forks.
    pub fn new() -> Option<&'static Trail> {
        let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping of zero bytes, which are valid atomics; it is never unmapped.
        unsafe {
            let at = libc::mmap(ptr::null_mut(), size_of::<Trail>(), libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            if at == libc::MAP_FAILED { None } else { at.cast::<Trail>().as_ref() }
        }
    }

    /// From now on this process leaves its trail here.
    pub fn follow(&'static self) {
        CURRENT.store(ptr::from_ref(self).cast_mut(), Ordering::Relaxed);
        smpi_process::set_last_words(|words| {
            note_words(&Words::of(words));
            None
        });
    }

    /// The exploration ended by itself.
    pub fn set_over(&self) {
        self.over.store(1, Ordering::Release);
    }

    /// Whether the exploration ended by itself.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire) != 0
    }

    /// How much was explored so far.
    pub fn counts(&self) -> Counts {
        let [executions, transitions, states] =
            [&self.executions, &self.transitions, &self.states].map(|count| count.load(Ordering::Relaxed));
        Counts { executions, transitions, states }
    }

    /// The buffering that was explored last.
    pub fn mode(&self) -> Buffering {
        match self.mode.load(Ordering::Relaxed) {
            0 => Buffering::Zero,
            1 => Buffering::Infinite,
            _ => Buffering::Each,
        }
    }

    /// The schedule that was executed last.
    pub fn path(&self) -> Vec<Event> {
        let len = (self.len.load(Ordering::Acquire) as usize).min(MAX_EVENTS);
        let read = |[id, candidate]: &[AtomicU64; 2]| {
            let id = id.load(Ordering::Relaxed);
            let choice = ChoiceId { agent: Agent::from_bits((id >> 32) as u32), number: id as u32 };
            Event { choice, candidate: candidate.load(Ordering::Relaxed) }
        };
        self.events[..len].iter().map(read).collect()
    }

    /// What the exploration knew of the program.
    pub fn foreseen(&self) -> Discoveries {
        let len = (self.foreseen_len.load(Ordering::Acquire) as usize).min(MAX_FORESEEN);
        let read = |bits: &[AtomicU64; 2]| Discovery::of_bits([0, 1].map(|place| bits[place].load(Ordering::Relaxed)));
        self.foreseen[..len].iter().map(read).collect()
    }

    /// What was found so far, each cause once.
    pub fn findings(&self) -> Vec<Finding> {
        let text = text_of(&self.findings, &self.findings_len);
        // A line that was being written when the process died is no JSON.
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// The last words, if there are any.
    pub fn words(&self) -> Option<Words> {
        let text = text_of(&self.words, &self.words_len);
        let len = text.len();
        let place = serde_json::from_str(&text_of(&self.place, &self.place_len)).ok();
        (len > 0).then(|| Words { memory: self.memory.load(Ordering::Relaxed) != 0, text, place })
    }
}

/// From now on this process leaves no trail: what it does is none of the exploration.
pub fn leave() {
    CURRENT.store(ptr::null_mut(), Ordering::Relaxed);
}

fn text_of(bytes: &[AtomicU8], len: &AtomicU32) -> String {
    let len = (len.load(Ordering::Acquire) as usize).min(bytes.len());
    let bytes: Vec<u8> = bytes[..len].iter().map(|byte| byte.load(Ordering::Relaxed)).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn current() -> Option<&'static Trail> {
    // SAFETY: null or a mapping that is never unmapped.
    unsafe { CURRENT.load(Ordering::Relaxed).as_ref() }
}

/// A choice is made now, the `index`-th of its execution. The path ends with it.
#[inline]
pub fn note_choice(index: usize, event: Event) {
    if let Some(trail) = current()
        && let Some([id, candidate]) = trail.events.get(index)
    {
        id.store(u64::from(event.choice.agent.to_bits()) << 32 | u64::from(event.choice.number), Ordering::Relaxed);
        candidate.store(event.candidate, Ordering::Relaxed);
        trail.len.store(index as u32 + 1, Ordering::Release);
    }
}

/// An execution begins.
pub fn note_start() {
    if let Some(trail) = current() {
        trail.len.store(0, Ordering::Release);
    }
}

/// How standard-mode sends behave from now on.
pub fn note_mode(mode: Buffering) {
    if let Some(trail) = current() {
        trail.mode.store(mode as u32, Ordering::Relaxed);
    }
}

/// What the exploration knows of the program, as far as there is room.
pub fn note_foreseen(known: &Discoveries) {
    let Some(trail) = current() else { return };
    let len = known.len().min(MAX_FORESEEN);
    for (to, discovery) in trail.foreseen.iter().zip(known) {
        to.iter().zip(discovery.to_bits()).for_each(|(to, bits)| to.store(bits, Ordering::Relaxed));
    }
    trail.foreseen_len.store(len as u32, Ordering::Release);
}

/// How much was explored so far.
#[inline]
pub fn note_counts(counts: Counts) {
    if let Some(trail) = current() {
        trail.executions.store(counts.executions, Ordering::Relaxed);
        trail.transitions.store(counts.transitions, Ordering::Relaxed);
        trail.states.store(counts.states, Ordering::Relaxed);
    }
}

/// A finding of a new cause; warnings are no findings.
pub fn note_finding(finding: &Finding) {
    let Some(trail) = current().filter(|_| !finding.is_warning()) else { return };
    let Ok(mut line) = serde_json::to_vec(finding) else { return };
    line.push(b'\n');
    let from = trail.findings_len.load(Ordering::Relaxed) as usize;
    if let Some(room) = trail.findings.get(from..from + line.len()) {
        room.iter().zip(&line).for_each(|(to, &byte)| to.store(byte, Ordering::Relaxed));
        trail.findings_len.store((from + line.len()) as u32, Ordering::Release);
    }
}

/// Only these findings were made: an exploration begins again.
pub fn forget_findings(left: &[Finding]) {
    if let Some(trail) = current() {
        trail.findings_len.store(0, Ordering::Release);
        left.iter().for_each(note_finding);
    }
}

/// Makes the trail of a lost worker that of this process.
pub fn adopt(worker: &Trail) {
    worker.findings().iter().for_each(note_finding);
    note_mode(worker.mode());
    note_foreseen(&worker.foreseen());
    note_start();
    worker.path().iter().enumerate().for_each(|(index, &event)| note_choice(index, event));
    if let Some(words) = worker.words() {
        note_words(&words);
    }
}

fn note_words(words: &Words) {
    let Some(trail) = current() else { return };
    let place = words.place.as_ref().and_then(|place| serde_json::to_string(place).ok()).unwrap_or_default();
    note_text(&trail.place, &trail.place_len, &place);
    trail.memory.store(u32::from(words.memory), Ordering::Relaxed);
    note_text(&trail.words, &trail.words_len, &words.text);
}

/// Writes as much of a text as there is room for.
fn note_text(bytes: &[AtomicU8], len: &AtomicU32, text: &str) {
    let most = text.len().min(bytes.len());
    bytes.iter().zip(text.as_bytes()).for_each(|(to, &byte)| to.store(byte, Ordering::Relaxed));
    len.store(most as u32, Ordering::Release);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(rank: u32, number: u32, candidate: u64) -> Event {
        Event { choice: ChoiceId::of(smpi_base::WorldRank(rank), number), candidate }
    }

    /// One test: a process has one trail.
    #[test]
    fn a_trail_tells_what_was_noted_and_is_adopted() {
        let (own, worker) = (Trail::new().unwrap(), Trail::new().unwrap());
        worker.follow();
        assert!(worker.path().is_empty() && worker.words().is_none() && !worker.is_over());

        // The path ends with the last choice: what an execution before it did further on is gone.
        let path = [event(0, 3, 2), event(70_000, u32::MAX - 1, u64::MAX), event(1, 0, 1)];
        note_start();
        path.iter().enumerate().for_each(|(index, &event)| note_choice(index, event));
        assert_eq!(worker.path(), path);
        note_choice(1, event(5, 6, 7));
        assert_eq!(worker.path(), [path[0], event(5, 6, 7)]);
        note_choice(MAX_EVENTS, path[0]);
        assert_eq!(worker.path().len(), 2);

        for mode in [Buffering::Zero, Buffering::Infinite, Buffering::Each] {
            note_mode(mode);
            assert_eq!(worker.mode(), mode);
        }
        let known: Discoveries = ["0.4", "12.30", "5w0l", "5w1a8"].iter().map(|text| text.parse().unwrap()).collect();
        note_foreseen(&known);
        assert_eq!(worker.foreseen(), known);
        let counts = Counts { executions: 5, transitions: 1 << 40, states: 7 };
        note_counts(counts);
        assert_eq!(worker.counts(), counts);

        // Findings, of which the last one was being written when the process died; a warning is none.
        let finding = Finding::new(FindingKey::Deadlock, "two\nlines");
        note_finding(&finding);
        note_finding(&Finding::new(FindingKey::RequestNeverStarted, "a warning"));
        let end = worker.findings_len.load(Ordering::Relaxed) as usize;
        note_finding(&Finding::new(FindingKey::Crash, "cut off"));
        worker.findings_len.store(end as u32 + 5, Ordering::Relaxed);
        let messages =
            |trail: &Trail| trail.findings().iter().map(|finding| finding.message.clone()).collect::<Vec<_>>();
        assert_eq!(messages(worker), ["two\nlines"]);
        // Last words are cut in the middle of a letter, if need be.
        let place = Location::new(3, "").at("a.c", 7);
        let say = |text: String, place| note_words(&Words { memory: true, text, place });
        say("é".repeat(MAX_WORDS), None);
        assert!(worker.words().unwrap().place.is_none());
        say(format!("x{}", "é".repeat(MAX_WORDS)), Some(place.clone()));
        let words = worker.words().unwrap();
        assert_eq!(words.finding().unwrap().locations, [place]);
        // What is not about memory may be a bug of ours.
        assert!(Words { memory: false, text: "SIGABRT".into(), place: words.place.clone() }.finding().is_none());
        assert!(words.memory && words.text.starts_with("xé") && words.text.chars().count() > MAX_WORDS / 2);

        // Another process goes on with it.
        own.follow();
        note_finding(&Finding::new(FindingKey::Crash, "own"));
        note_choice(0, path[2]);
        adopt(worker);
        assert_eq!((own.path(), own.mode(), own.foreseen()), (worker.path(), Buffering::Each, known));
        assert_eq!(messages(own), ["own", "two\nlines"]);
        let adopted = own.words().unwrap();
        assert_eq!((adopted.text, adopted.place), (words.text, words.place));
        forget_findings(&[finding]);
        assert_eq!(messages(own), ["two\nlines"]);
        own.set_over();
        assert!(own.is_over() && !worker.is_over());
    }
}
