//! Whether a machine was quiet while something was measured on it: who else took its cores, and whether there were
//! enough of them. Only this machine is looked at; where ranks run elsewhere, nothing is said of their cores.
//!
//! Sources: proc(5) of Linux (`/proc/stat`, `/proc/self/stat`), and the kernel's documentation of `cpufreq`.

use std::fs;
use std::path::Path;

/// What others may take of the cores, beside ranks that take one each: less is what every system does.
const QUIET_CORES: f64 = 0.1;
/// What a hypervisor may take of the time.
const QUIET_STEAL: f64 = 0.01;
/// Part of their frequency below which cores are called slow.
const SLOW: f64 = 0.7;
/// Part of its wall time for which a launcher computes here if its ranks do.
const PRESENT: f64 = 0.05;

/// What the kernel had counted at some moment, in ticks.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Counts {
    /// Of all cores: everything, and what was neither idle nor stolen.
    all: u64,
    busy: u64,
    /// Taken by the hypervisor.
    stolen: u64,
    /// Cores.
    cores: u64,
    /// Of this process and of those that it has waited for.
    own: u64,
}

impl Counts {
    fn parse(stat: &str, own: &str) -> Option<Counts> {
        let mut lines = stat.lines();
        let numbers = lines.next()?.strip_prefix("cpu ")?.split_whitespace().map(|word| word.parse().ok());
        // User, nice, system, idle, waiting, interrupts, soft ones, stolen; guests are in the first two.
        let fields: Vec<u64> = numbers.take(8).collect::<Option<_>>()?;
        let [_, _, _, idle, waiting, _, _, stolen] = fields[..] else { return None };
        let all = fields.iter().sum();
        let cores = lines.take_while(|line| line.starts_with("cpu")).count() as u64;
        // Behind the name, which may have anything in it: utime, stime, cutime, cstime are fields 14 to 17.
        let own = own.rsplit_once(')')?.1.split_whitespace().skip(11).take(4);
        let own: Vec<u64> = own.map(|word| word.parse().ok()).collect::<Option<_>>()?;
        Some(Counts { all, busy: all - idle - waiting - stolen, stolen, cores, own: own.iter().sum() })
    }

    fn now() -> Option<Counts> {
        Counts::parse(&fs::read_to_string("/proc/stat").ok()?, &fs::read_to_string("/proc/self/stat").ok()?)
    }
}

/// Looks at this machine from now on.
#[derive(Debug)]
pub struct Watch {
    begin: Option<Counts>,
}

impl Watch {
    /// Begins to look.
    pub fn begin() -> Watch {
        Watch { begin: Counts::now() }
    }

    /// What has disturbed so many ranks on this machine so far, in a few words each; nothing where that is not known.
    pub fn end(&self, ranks: u32) -> Vec<String> {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
        let counts = self.begin.zip(Counts::now());
        counts.map_or(Vec::new(), |(begin, end)| disturbances(&begin, &end, ranks, cores, frequency()))
    }
}

/// The end of a sentence about a measurement that these have disturbed, and what to do.
pub fn told(disturbances: &[String]) -> String {
    format!(
        "while it was measured, {}.\nMeasure on a machine with nothing else to do and a core for each rank.\n",
        disturbances.join("; ")
    )
}

/// Frequency of the fastest core now, and the highest that it can have; `None` where the kernel does not tell.
fn frequency() -> Option<(f64, f64)> {
    let number = |path: &Path| fs::read_to_string(path).ok()?.trim().parse::<f64>().ok();
    let cores = fs::read_dir("/sys/devices/system/cpu").ok()?.flatten().map(|entry| entry.path().join("cpufreq"));
    let of_core = |core: std::path::PathBuf| {
        Some((number(&core.join("scaling_cur_freq"))?, number(&core.join("cpuinfo_max_freq"))?))
    };
    cores.filter_map(of_core).max_by(|one, other| (one.0 / one.1).total_cmp(&(other.0 / other.1)))
}

fn disturbances(begin: &Counts, end: &Counts, ranks: u32, cores: u32, frequency: Option<(f64, f64)>) -> Vec<String> {
    let since = |count: fn(&Counts) -> u64| count(end).saturating_sub(count(begin)) as f64;
    let wall = since(|counts| counts.all) / end.cores.max(1) as f64;
    let own = since(|counts| counts.own);
    if wall <= 0.0 || own < PRESENT * wall {
        return Vec::new();
    }
    let mut found = Vec::new();
    if ranks > cores {
        found.push(format!("{ranks} ranks shared {cores} cores"));
    }
    let others = (since(|counts| counts.busy) - own).max(0.0) / wall;
    if others > QUIET_CORES && others + f64::from(ranks) > f64::from(cores) {
        found.push(format!("other programs took {others:.1} of {cores} cores"));
    }
    let stolen = since(|counts| counts.stolen) / since(|counts| counts.all);
    if stolen > QUIET_STEAL {
        found.push(format!("the hypervisor took {:.0} % of the time (steal)", 100.0 * stolen));
    }
    if let Some((now, highest)) = frequency
        && now < SLOW * highest
    {
        found.push(format!("cores ran at {:.1} of {:.1} GHz", now / 1e6, highest / 1e6));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(cores: [u64; 8], own: u64) -> Counts {
        let fields = cores.map(|count| count.to_string()).join(" ");
        let stat = format!("cpu  {fields} 0 0\ncpu0 1 2 3\ncpu1 1 2 3\nintr 7 8\n");
        Counts::parse(&stat, &format!("7 (a) b) S 1 1 1 0 -1 0 0 0 0 0 {own} 0 0 0 20 0")).unwrap()
    }

    /// Ten seconds on two cores.
    fn told(user: u64, stolen: u64, own: u64, ranks: u32) -> Vec<String> {
        let begin = counts([100, 0, 0, 5000, 0, 0, 0, 7], 3);
        let end = counts([100 + user, 0, 0, 7000 - user - stolen, 0, 0, 0, 7 + stolen], 3 + own);
        disturbances(&begin, &end, ranks, 2, None)
    }

    #[test]
    fn quiet_machines_are_not_mentioned() {
        assert_eq!(told(2000, 0, 1950, 2), [""; 0]);
        // One rank leaves the other core to others.
        assert_eq!(told(1900, 0, 1000, 1), [""; 0]);
        // Ranks on other machines.
        assert_eq!(told(2000, 0, 10, 8), [""; 0]);
        assert_eq!(disturbances(&counts([1; 8], 1), &counts([1; 8], 1), 2, 2, None), [""; 0]);
    }

    #[test]
    fn all_that_disturbs_is_named() {
        assert_eq!(told(2000, 0, 1300, 2), ["other programs took 0.7 of 2 cores"]);
        assert_eq!(told(1900, 100, 1900, 4), ["4 ranks shared 2 cores", "the hypervisor took 5 % of the time (steal)"]);
        let (begin, end) = (counts([0; 8], 0), counts([1000, 0, 0, 1000, 0, 0, 0, 0], 1000));
        let slow = disturbances(&begin, &end, 1, 2, Some((1.2e6, 3.0e6)));
        assert_eq!(slow, ["cores ran at 1.2 of 3.0 GHz"]);
        assert!(Counts::parse("", "").is_none() && Counts::parse("cpu  1 2", "1 (a) S 1").is_none());
    }

    #[test]
    fn this_machine_can_be_looked_at() {
        assert!(Counts::now().is_some());
        Watch::begin().end(1);
    }
}
