//! One line on a terminal that says how far an exploration or a simulation is; nothing at all when stderr is no
//! terminal, unless notes are wanted: then a line now and then.
//!
//! A line of its own making instead of a progress bar library: the whole of it is one carriage return, a text that is
//! known to fit 79 columns, and a clock that keeps it from being written more than ten times a second.

use crate::coverage::{Estimate, large};
use smpi_base::words::{grouped, plural};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Time between two lines.
const INTERVAL: Duration = Duration::from_millis(100);
/// Time between two notes.
const NOTES: Duration = Duration::from_secs(60);
/// Columns of the line: one less than a screen has, because the last column makes some terminals wrap.
const WIDTH: usize = 79;

/// How far an exploration is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// Executions seen to their end.
    pub executions: u64,
    /// Transitions taken.
    pub transitions: u64,
    /// Choices known and not yet explored, or parts: they can become more. `None` when nobody counts them.
    pub choices_left: Option<u64>,
    /// The number of all executions. `None` when nobody has looked.
    pub estimate: Option<Estimate>,
    /// Explored part, between 0 and 1: an estimate. `None` when nobody estimates it.
    pub explored: Option<f64>,
    /// The call that multiplies executions most, as short as `app.c:31`.
    pub dearest: Option<String>,
    /// Findings so far.
    pub findings: u64,
}

/// The progress line.
pub struct Progress {
    out: Option<Box<dyn Write>>,
    started: Instant,
    next: Instant,
    interval: Duration,
    /// The line is on the screen.
    is_shown: bool,
}

impl Default for Progress {
    fn default() -> Progress {
        Progress::new()
    }
}

impl Progress {
    /// A line on stderr when that is a terminal, else a silent one.
    pub fn new() -> Progress {
        let stderr = std::io::stderr();
        let out: Option<Box<dyn Write>> = if stderr.is_terminal() { Some(Box::new(stderr)) } else { None };
        Progress::to(out)
    }

    /// A line on stderr when that is a terminal, or is forwarded to one; else notes every minute, if they are wanted.
    pub fn of(is_forwarded: bool, has_notes: bool) -> Progress {
        let stderr = std::io::stderr();
        match (is_forwarded || stderr.is_terminal(), has_notes) {
            (true, _) => Progress::to(Some(Box::new(stderr))),
            (false, true) => Progress::to(Some(Box::new(stderr))).noting(NOTES),
            (false, false) => Progress::silent(),
        }
    }

    /// The same with notes, so often, instead of a line that is written anew.
    fn noting(mut self, interval: Duration) -> Progress {
        (self.next, self.interval) = (self.started + interval, interval);
        self
    }

    /// A silent one, for `-quiet`.
    pub fn silent() -> Progress {
        Progress::to(None)
    }

    /// The same, which first shows after some time.
    pub fn after(mut self, time: Duration) -> Progress {
        self.next = self.started + time;
        self
    }

    #[allow(clippy::disallowed_methods, reason = "progress tells the wall time; no result depends on it")]
    fn to(out: Option<Box<dyn Write>>) -> Progress {
        let started = Instant::now();
        Progress { out, started, next: started + INTERVAL, interval: INTERVAL, is_shown: false }
    }

    /// Writes the line anew when it is time, and only then asks for the counts. Cheap enough to be called at every
    /// execution; costs nothing when silent.
    pub fn update(&mut self, counts: impl FnOnce() -> Counts) {
        self.show(|elapsed| line(&counts(), elapsed));
    }

    /// The same with a text of at most 79 columns, which is told the time since the beginning.
    pub fn show(&mut self, text: impl FnOnce(Duration) -> String) {
        if self.out.is_some() {
            #[allow(clippy::disallowed_methods, reason = "progress tells the wall time; no result depends on it")]
            let now = Instant::now();
            if now >= self.next {
                self.next = now + self.interval;
                self.is_shown = self.interval == INTERVAL;
                let line = text(now - self.started);
                match &mut self.out {
                    // A log that is gone is no reason to stop, either.
                    Some(out) if !self.is_shown => drop(writeln!(out, "smpirun: note: {line}")),
                    _ => self.write(&line),
                }
            }
        }
    }

    /// Takes the line away, so that something else can be printed; the next update brings it back.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            self.write("");
        }
    }

    fn write(&mut self, line: &str) {
        if let Some(out) = &mut self.out {
            // A terminal that is gone is no reason to stop. `ESC [K` erases the rest of the line.
            let _ = write!(out, "\r{line}\x1b[K").and_then(|()| out.flush());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// The line: `1,234 executions of ~9000 (8000 to 12000), ~12 %, 35 open, most by app.c:31, 20,100 transitions,
/// 5,600/s, 2.2 s`; what is open are choices or parts, and the call is the one that multiplies executions most. If it
/// does not fit, it does without what is least important, one after the other.
pub fn line(counts: &Counts, elapsed: Duration) -> String {
    let mut parts = parts(counts, elapsed);
    loop {
        let line: String = parts.iter().map(|(_, words)| words.as_str()).collect();
        if line.chars().count() <= WIDTH {
            return line;
        }
        let least = parts.iter().map(|(worth, _)| *worth).min().filter(|worth| *worth < NEEDED);
        let Some(least) = least else { return line.chars().take(WIDTH - 1).chain(['…']).collect() };
        parts.retain(|(worth, _)| *worth > least);
    }
}

/// The worth of parts that the line never does without.
const NEEDED: u32 = 7;

/// The parts of the line, with their worth.
fn parts(counts: &Counts, elapsed: Duration) -> Vec<(u32, String)> {
    let seconds = elapsed.as_secs_f64();
    let mut parts = vec![(NEEDED, format!("{} execution{}", grouped(counts.executions), plural(counts.executions)))];
    if let Some(estimate) = &counts.estimate {
        let about = if estimate.at_least { "at least " } else { "~" };
        parts.push((6, format!(" of {about}{}", large(estimate.log10_executions))));
        parts.extend(estimate.range().map(|range| (4, format!(" ({range})"))));
    }
    if let Some(part) = counts.explored {
        // Never 100 % before the end: the estimate does not know.
        parts.push((2, format!(", ~{:.0} %", (100.0 * part).clamp(0.0, 99.0).floor())));
    }
    parts.extend(counts.choices_left.map(|choices| (3, format!(", {} open", grouped(choices)))));
    parts.extend(counts.dearest.as_ref().map(|call| (5, format!(", most by {call}"))));
    parts.push((0, format!(", {} transition{}", grouped(counts.transitions), plural(counts.transitions))));
    if seconds > 0.0 {
        parts.push((1, format!(", {}/s", grouped((counts.executions as f64 / seconds) as u64))));
    }
    if counts.findings > 0 {
        parts.push((NEEDED, format!(", {} found", counts.findings)));
    }
    parts.push((NEEDED, format!(", {}", duration(seconds))));
    parts
}

/// A duration in words: `2.2 s`, `3:05 min`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds as u64;
    match whole {
        0..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{}:{:02} min", whole / 60, whole % 60),
        _ => format!("{}:{:02} h", whole / 3600, whole / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;

    #[derive(Clone, Default)]
    struct Terminal(Rc<RefCell<Vec<u8>>>);

    impl Write for Terminal {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.borrow_mut().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn estimate(number: f64, range: Option<[f64; 2]>) -> Option<Estimate> {
        let log10_range = range.map(|range| range.map(f64::log10));
        Some(Estimate { log10_executions: number.log10(), log10_range, ..Estimate::default() })
    }

    #[test]
    fn the_line_has_counts_rate_and_time() {
        let counts = Counts {
            executions: 12_345,
            transitions: 1_000_000,
            choices_left: Some(35),
            explored: Some(0.129),
            ..Counts::default()
        };
        let text = line(&counts, Duration::from_millis(2000));
        assert_eq!(text, "12,345 executions, ~12 %, 35 open, 1,000,000 transitions, 6,172/s, 2.0 s");
        let text = line(&Counts { explored: Some(1.0), findings: 2, ..Counts::default() }, Duration::from_secs(3725));
        assert_eq!(text, "0 executions, ~99 %, 0 transitions, 0/s, 2 found, 1:02 h");
        let estimate = estimate(362_911.0, None);
        let estimated = Counts { executions: 12_345, estimate, ..Counts::default() };
        assert_eq!(
            line(&estimated, Duration::from_millis(2000)),
            "12,345 executions of ~362911, 0 transitions, 6,172/s, 2.0 s"
        );
        let least = estimate.map(|estimate| Estimate { at_least: true, ..estimate });
        let text = line(&Counts { estimate: least, ..estimated }, Duration::from_millis(2000));
        assert!(text.starts_with("12,345 executions of at least 362911, "), "{text}");
    }

    #[test]
    fn the_line_fits_the_screen() {
        let counts = Counts {
            executions: 7_320,
            transitions: 19_903,
            choices_left: Some(40),
            estimate: estimate(4e7, Some([3e7, 6.1e7])),
            explored: Some(0.0),
            dearest: Some("app.c:31".into()),
            findings: 0,
        };
        let text = line(&counts, Duration::from_millis(200));
        assert_eq!(text, "7,320 executions of ~4.0e7 (3.0e7 to 6.1e7), 40 open, most by app.c:31, 0.2 s");
        let long = Counts { dearest: Some("a_long_name.c:1031".into()), findings: 3, ..counts };
        let text = line(&long, Duration::from_secs(3725));
        assert_eq!(text, "7,320 executions of ~4.0e7, most by a_long_name.c:1031, 3 found, 1:02 h");
        let most = u64::MAX;
        let counts = Counts { executions: most, transitions: most, choices_left: Some(most), findings: most, ..long };
        assert_eq!(line(&counts, Duration::from_secs(1 << 40)).chars().count(), WIDTH);
    }

    #[test]
    fn lines_are_rare_and_leave_no_trace() {
        let terminal = Terminal::default();
        let mut progress = Progress::to(Some(Box::new(terminal.clone())));
        progress.clear();
        assert!(terminal.0.borrow().is_empty(), "nothing was shown, so nothing is taken away");
        // The first line is due at once.
        progress.next = progress.started;
        for executions in 0..100_000 {
            progress.update(|| Counts { executions, ..Counts::default() });
        }
        let elapsed = progress.started.elapsed();
        drop(progress);
        let text = String::from_utf8(terminal.0.borrow().clone()).unwrap();
        // The first line, one for each interval, and the one that takes the last away.
        let lines = text.matches('\r').count() as u128;
        assert!(lines <= elapsed.as_millis() / INTERVAL.as_millis() + 2, "{lines} lines in {elapsed:?}");
        assert!(text.ends_with("\r\x1b[K"), "{text:?}");
    }

    #[test]
    fn notes_are_whole_lines() {
        let terminal = Terminal::default();
        let mut progress = Progress::to(Some(Box::new(terminal.clone()))).noting(NOTES);
        progress.update(Counts::default);
        assert!(terminal.0.borrow().is_empty(), "the first one is due after a while");
        progress.next = progress.started;
        progress.update(|| Counts { executions: 7, ..Counts::default() });
        progress.update(|| Counts { executions: 8, ..Counts::default() });
        drop(progress);
        let text = String::from_utf8(terminal.0.borrow().clone()).unwrap();
        assert!(text.starts_with("smpirun: note: 7 executions, ") && text.ends_with(" s\n"), "{text:?}");
        assert_eq!((text.lines().count(), text.contains('\r')), (1, false), "{text:?}");
    }

    #[test]
    fn a_silent_one_writes_nothing() {
        let mut progress = Progress::silent();
        progress.update(Counts::default);
        assert!(progress.out.is_none());
    }
}
