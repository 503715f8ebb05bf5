//! `--cfg=key:value` settings of the MPI layer. Keys are those of SMPI's documentation ("Configuring SMPI"), so that
//! command lines keep working.
//!
//! Keys that start with `network/` or `precision/` belong to the engine. Keys of SimGrid that have no meaning here
//! (`smpi/privatization`, `contexts/…`; the platform's crate lists them) are accepted and ignored, with a note.

use std::fmt;

use smpi_base::quantity::{Bytes, Flops, Unit, parse_duration};
use smpi_mpi::collective::select::{Kind, Selection};
use smpi_mpi::p2p::protocol::Thresholds;

/// Everything that `--cfg` and the platform's tables can change above the engine.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Message sizes at which protocols change.
    pub thresholds: Thresholds,
    /// Processor time of `MPI_Send` (`smpi/os`).
    pub send_overhead: Overhead,
    /// Processor time of `MPI_Isend` (`smpi/ois`).
    pub isend_overhead: Overhead,
    /// Processor time of receiving a message whose sender did not wait (`smpi/or`).
    pub receive_overhead: Overhead,
    /// Time that a call of `MPI_Wtime` takes, in seconds.
    pub wtime_secs: f64,
    /// Time that a test takes, in seconds.
    pub test_secs: f64,
    /// Time that a probe without waiting takes, in seconds.
    pub iprobe_secs: f64,
    /// Whether failed polls take longer and longer.
    pub grow_polls: bool,
    /// Time that `MPI_Init` takes, in seconds.
    pub init_secs: f64,
    /// Time that spawning ranks takes, in seconds.
    pub spawn_secs: f64,
    /// The most ranks that may be spawned; `None`: as many as are usual.
    pub spawn_ranks: Option<u32>,
    /// What this machine is taken to do, to convert measured time into flops.
    pub host_speed: HostSpeed,
    /// Computation takes simulated time.
    pub simulate_computation: bool,
    /// Bursts of computation below this accumulate, in seconds.
    pub cpu_threshold_secs: f64,
    /// Which algorithm each collective operation uses.
    pub selection: Selection,
    /// A barrier in `MPI_Finalize`.
    pub barrier_in_finalize: bool,
    /// No notes and warnings.
    pub quiet: bool,
    /// Errors that calls return to the program are no warnings, but findings.
    pub errors_returned_are_findings: bool,
    /// The default error handler of communicators aborts the run.
    pub errors_are_fatal: bool,
    /// A simulation looks for races at windows.
    pub window_races: bool,
    /// Buffers are compared with the variables and blocks in which they lie.
    pub buffer_bounds: bool,
    /// They are also compared with what debug information says of variables.
    pub buffer_types: bool,
    /// A verification asks the kernel which pages of ranks change.
    pub page_tracking: bool,
    /// A verification looks whether ranks are put back to what they were.
    pub self_check: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            thresholds: Thresholds::default(),
            send_overhead: Overhead::default(),
            isend_overhead: Overhead::default(),
            receive_overhead: Overhead::default(),
            wtime_secs: 1e-8,
            test_secs: 1e-4,
            iprobe_secs: 1e-4,
            grow_polls: true,
            init_secs: 0.0,
            spawn_secs: 0.0,
            spawn_ranks: None,
            host_speed: HostSpeed { flops: 10e9, of_programs: Vec::new() },
            simulate_computation: true,
            cpu_threshold_secs: 1e-6,
            selection: Selection::default(),
            barrier_in_finalize: false,
            quiet: false,
            errors_returned_are_findings: false,
            errors_are_fatal: true,
            window_races: true,
            buffer_bounds: true,
            buffer_types: false,
            page_tracking: true,
            self_check: false,
        }
    }
}

/// The speed of the machine that runs the simulation. Programs use it differently well, so each may have its own.
#[derive(Clone, Debug, PartialEq)]
pub struct HostSpeed {
    /// Of all programs that have none of their own, in flop/s.
    pub flops: f64,
    /// Programs, as the command line names them or without their folders, and what it is for them.
    pub of_programs: Vec<(String, f64)>,
}

impl HostSpeed {
    /// Reads `10Gf` or `10Gf,server=5Gf`; where the first is missing, it is that of `before`.
    fn parse(text: &str, before: &HostSpeed) -> Option<HostSpeed> {
        let speed = |text: &str| {
            let speed = Flops::parse(text.trim(), Unit::Optional).ok()?.0;
            (speed > 0.0 && speed.is_finite()).then_some(speed)
        };
        let mut read = HostSpeed { flops: before.flops, of_programs: Vec::new() };
        for (index, part) in text.split(',').enumerate() {
            match part.rsplit_once('=') {
                Some((program, of_program)) => read.of_programs.push((program.trim().to_string(), speed(of_program)?)),
                None if index == 0 => read.flops = speed(part)?,
                None => return None,
            }
        }
        Some(read)
    }
}

/// Seconds as a function of the message size: sections of `start + per_byte · size`.
#[derive(Clone, Debug, Default)]
pub struct Overhead(Vec<Section>);

#[derive(Clone, Copy, Debug)]
struct Section {
    from_size: u64,
    start_secs: f64,
    per_byte_secs: f64,
}

impl Overhead {
    /// True when it is always zero.
    #[inline]
    pub fn is_free(&self) -> bool {
        self.0.is_empty()
    }

    /// Seconds for a message of `size` bytes: the last section whose start it exceeds, else the first one.
    #[inline]
    pub fn seconds(&self, size: u64) -> f64 {
        let exceeded = self.0.iter().rev().find(|section| section.from_size < size);
        let section = exceeded.or(self.0.first());
        section.map_or(0.0, |section| section.start_secs + section.per_byte_secs * size as f64)
    }

    fn parse(text: &str) -> Option<Overhead> {
        let mut sections: Vec<Section> = Vec::new();
        for part in text.split(';').filter(|part| !part.is_empty()) {
            let mut terms = part.split(':');
            let from_size = Bytes::parse(terms.next()?, Unit::Optional).ok()?.0;
            let mut seconds = terms.map(|term| parse_duration(term, Unit::Optional).ok().map(|time| time.0));
            let start_secs = seconds.next()??;
            // SMPI sections may have several terms; the second is the linear one.
            let per_byte_secs = seconds.next().unwrap_or(Some(0.0))?;
            if seconds.any(|term| term.is_none()) {
                return None;
            }
            sections.push(Section { from_size, start_secs, per_byte_secs });
        }
        sections.sort_by_key(|section| section.from_size);
        Some(Overhead(sections))
    }
}

/// As the setting is written.
impl fmt::Display for Overhead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, Section { from_size, start_secs, per_byte_secs }) in self.0.iter().enumerate() {
            write!(f, "{}{from_size}:{start_secs}:{per_byte_secs}", if place > 0 { ";" } else { "" })?;
        }
        Ok(())
    }
}

const SECONDS: &str = "a time such as 1e-4 (seconds) or 100us";
const BYTES: &str = "a size such as 65536 or 64KiB";
const OVERHEAD: &str = "size:start:perbyte;…, a size in bytes and two times, such as 0:1us:0.1ns;64KiB:2us:0";

/// Whether the rest of a `smpi/` key is about algorithms of collectives.
fn is_collective(name: &str) -> bool {
    name == "coll-selector" || Kind::from_name(name).is_some()
}

/// What became of a setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Applied {
    /// It took effect.
    Yes,
    /// SMPI knows it, here it changes nothing.
    Ignored,
    /// No such key.
    Unknown,
}

impl Settings {
    /// Applies one setting.
    ///
    /// # Errors
    /// Text for the user when the value does not fit the key.
    pub fn set(&mut self, key: &str, value: &str) -> Result<Applied, String> {
        let bad = |expected: &str| format!("{key}: \"{value}\" is not valid; expected {expected}");
        let seconds = || parse_duration(value, Unit::Optional).map(|time| time.0).map_err(|_| bad(SECONDS));
        let bytes = || Bytes::parse(value, Unit::Optional).map(|size| size.0).map_err(|_| bad(BYTES));
        let flag = || match value {
            "yes" | "1" | "true" | "on" => Ok(true),
            "no" | "0" | "false" | "off" => Ok(false),
            _ => Err(bad("yes or no")),
        };
        let overhead = || Overhead::parse(value).ok_or_else(|| bad(OVERHEAD));
        match key {
            "smpi/async-small-thresh" => self.thresholds.eager_below = bytes()?,
            "smpi/send-is-detached-thresh" => self.thresholds.detached_below = bytes()?,
            "smpi/os" => self.send_overhead = overhead()?,
            "smpi/ois" => self.isend_overhead = overhead()?,
            "smpi/or" => self.receive_overhead = overhead()?,
            "smpi/wtime" => self.wtime_secs = seconds()?,
            "smpi/test" => self.test_secs = seconds()?,
            "smpi/iprobe" => self.iprobe_secs = seconds()?,
            "smpi/init" => self.init_secs = seconds()?,
            "smpi/spawn" => self.spawn_secs = seconds()?,
            "smpi/spawn-ranks" => self.spawn_ranks = Some(value.parse().map_err(|_| bad("a number of ranks"))?),
            "smpi/grow-injected-times" => self.grow_polls = flag()?,
            "smpi/cpu-threshold" => {
                let never = value.parse::<f64>().is_ok_and(|number| number < 0.0);
                self.cpu_threshold_secs = if never { f64::INFINITY } else { seconds()? };
            }
            // SimGrid measures this machine then.
            "smpi/host-speed" if value == "auto" => return Ok(Applied::Ignored),
            "smpi/host-speed" => {
                self.host_speed = HostSpeed::parse(value, &self.host_speed).ok_or_else(|| {
                    bad("a speed above zero, for example 10Gf, and those of single programs, as in 10Gf,server=5Gf")
                })?;
            }
            "smpi/coll-selector" if value.contains('/') => {
                let text = std::fs::read_to_string(value).map_err(|error| format!("{key}: {value}: {error}"))?;
                self.selection.read_table(&text).map_err(|why| format!("{key}: {value}: {why}"))?;
            }
            "smpi/init-smp" => self.selection.set_asking_takes_messages(flag()?),
            "smpi/finalization-barrier" | "smpi/barrier-finalization" => self.barrier_in_finalize = flag()?,
            "smpi/simulate-computation" => self.simulate_computation = flag()?,
            "smpi/window-races" => self.window_races = flag()?,
            "smpi/buffer-bounds" => self.buffer_bounds = flag()?,
            "smpi/buffer-types" => self.buffer_types = flag()?,
            "smpi/page-tracking" => self.page_tracking = flag()?,
            "smpi/self-check" => self.self_check = flag()?,
            "smpi/errors-are-fatal" => self.errors_are_fatal = flag()?,
            _ if smpi_platform::is_without_meaning(key) => return Ok(Applied::Ignored),
            _ => match key.strip_prefix("smpi/").filter(|name| is_collective(name)) {
                // SMPI's default: the table chooses.
                Some(_) if value.is_empty() => {}
                Some(collective) => self.selection.set(collective, value)?,
                None => return Ok(Applied::Unknown),
            },
        }
        Ok(Applied::Yes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a platform file may hold and what the command line may are the same.
    #[test]
    fn settings_of_platform_files_are_those_of_the_command_line() {
        let known: Vec<&str> = smpi_platform::known_settings().iter().map(|setting| setting.key).collect();
        for kind in Kind::all() {
            assert!(known.contains(&format!("smpi/{}", kind.name()).as_str()), "{kind:?}");
        }
        let network = ["smpi/lat-factor", "smpi/bw-factor", "smpi/IB-penalty-factors"];
        for key in known.iter().filter(|key| key.starts_with("smpi/") && !network.contains(key)) {
            assert_ne!(Settings::default().set(key, "1").unwrap_or(Applied::Yes), Applied::Unknown, "{key}");
        }
    }

    #[test]
    fn overhead_sections() {
        let mut settings = Settings::default();
        assert_eq!(settings.set("smpi/os", "0:1e-6:1e-9;1000:2e-6:0"), Ok(Applied::Yes));
        assert_eq!(settings.send_overhead.seconds(0), 1e-6);
        assert_eq!(settings.send_overhead.seconds(1000), 1e-6 + 1e-9 * 1000.0);
        assert_eq!(settings.send_overhead.seconds(1001), 2e-6);
        assert_eq!(settings.set("smpi/no-such-key", "1"), Ok(Applied::Unknown));
        assert!(settings.set("smpi/wtime", "soon").is_err());
    }

    #[test]
    fn values_may_have_units() {
        let mut settings = Settings::default();
        for (key, value) in [
            ("smpi/send-is-detached-thresh", "64KiB"),
            ("smpi/async-small-thresh", "1kB"),
            ("smpi/wtime", "1us"),
            ("smpi/cpu-threshold", "2ms"),
            ("smpi/os", "0:1us:1ns;1kB:2us:0"),
            ("smpi/host-speed", "2Gf"),
            ("smpi/host-speed", "2Gf,./server=1Gf"),
            ("smpi/host-speed", "server=1Gf,client=2Gf"),
        ] {
            assert_eq!(settings.set(key, value), Ok(Applied::Yes), "{key}");
        }
        assert_eq!((settings.thresholds.detached_below, settings.thresholds.eager_below), (65536, 1000));
        assert_eq!((settings.wtime_secs, settings.cpu_threshold_secs), (1e-6, 2e-3));
        assert_eq!(settings.send_overhead.seconds(1001), 2e-6);
        assert_eq!(settings.set("smpi/cpu-threshold", "-1"), Ok(Applied::Yes));
        assert_eq!(settings.cpu_threshold_secs, f64::INFINITY);
        let bad = [
            ("smpi/wtime", "1KiB"),
            ("smpi/init", "-1"),
            ("smpi/os", "0:1:2:x"),
            ("smpi/host-speed", "0"),
            ("smpi/host-speed", "1Gf,2Gf"),
        ];
        for (key, value) in bad {
            assert!(settings.set(key, value).is_err(), "{key}:{value}");
        }
    }
}
