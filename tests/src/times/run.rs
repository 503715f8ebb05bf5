//! A run: a program of `tests/times` or a NAS benchmark, on which platform, with which settings.

/// A program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Program {
    /// `tests/times/<name>.c`, which measures in slots of simulated time.
    Slots(&'static str),
    /// A NAS benchmark, of which the end of the whole run counts, and what it says about its timed part.
    Nas(&'static str),
}

impl Program {
    /// The source, from the root of the source tree.
    pub fn source(self) -> String {
        let ending = if self.is_fortran() { "f90" } else { "c" };
        match self {
            Program::Slots(name) => format!("tests/times/{name}.{ending}"),
            Program::Nas(name) => format!("nas-benchmarks/{name}/{name}.{ending}"),
        }
    }

    /// Name of the executable.
    pub fn file_name(self) -> &'static str {
        let (Program::Slots(name) | Program::Nas(name)) = self;
        name
    }

    /// Whether it is Fortran; otherwise it is C.
    pub fn is_fortran(self) -> bool {
        matches!(self, Program::Nas("bt" | "lu" | "sp"))
    }

    /// Whether it prints measurements of its own.
    pub fn has_slots(self) -> bool {
        matches!(self, Program::Slots(_))
    }
}

/// Platforms with 64 hosts `node-0` to `node-63` each.
pub(super) const TOPOLOGIES: [&str; 4] = ["torus", "fat-tree", "dragonfly", "zones"];

/// One run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Unique; no comma in it.
    pub name: String,
    /// What is run.
    pub program: Program,
    /// Arguments.
    pub args: Vec<String>,
    /// Number of ranks.
    pub ranks: u32,
    /// File in `tests/times/platforms` without its ending.
    pub platform: &'static str,
    /// Ranks on a host.
    pub per_host: u32,
    /// `key:value` for both sides.
    pub settings: Vec<String>,
    /// The same for us only.
    pub ours: Vec<String>,
    /// The same for the peer only.
    pub theirs: Vec<String>,
    /// Why our times are not SMPI's.
    pub deviates: Option<&'static str>,
}

impl Run {
    /// A run with SMPI's default algorithms, one rank on each host.
    pub(super) fn new(name: &str, program: Program, ranks: u32, platform: &'static str, args: &str) -> Run {
        Run {
            name: name.into(),
            program,
            args: words(args),
            ranks,
            platform,
            per_host: 1,
            // What is inside other collectives is the same on both sides.
            settings: words("smpi/coll-selector:default"),
            ours: Vec::new(),
            theirs: Vec::new(),
            deviates: None,
        }
    }

    /// The same with settings for both sides.
    pub(super) fn with(mut self, settings: &str) -> Run {
        self.settings.extend(words(settings));
        self
    }

    /// The same with so many ranks on each host.
    pub(super) fn per_host(self, per_host: u32) -> Run {
        Run { per_host, ..self }
    }

    /// The same, whose times are not SMPI's for a reason.
    pub(super) fn because(self, reason: &'static str) -> Run {
        Run { deviates: Some(reason), ..self }
    }

    /// Length of the slots that its measurements have.
    pub fn slot_secs(&self) -> f64 {
        match self.ranks {
            17.. => 4.0,
            // Some send a megabyte to everybody, or all that they have.
            _ if self.name.starts_with("rows/") => 10.0,
            _ => 1.0,
        }
    }

    /// The host of each rank.
    pub fn hosts(&self) -> Vec<String> {
        let host = |number: u32| match self.platform {
            // Neighbours are in different clusters.
            "two" if number.is_multiple_of(2) => format!("a-{}", number / 2),
            "two" => format!("b-{}", number / 2),
            "links" => ["a", "b", "c"][number as usize % 3].to_string(),
            // Neighbours are far from each other, and messages cross all that a topology has.
            platform if TOPOLOGIES.contains(&platform) => format!("node-{}", number * 29 % 64),
            _ => format!("node-{number}"),
        };
        (0..self.ranks).map(|rank| host(rank / self.per_host)).collect()
    }
}

/// The words of a text.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_placed_as_their_platform_says() {
        let mut run = Run::new("x", Program::Slots("messages"), 3, "two", "");
        assert_eq!(run.hosts(), ["a-0", "b-0", "a-1"]);
        run.platform = "crossbar";
        assert_eq!(run.per_host(2).hosts(), ["node-0", "node-0", "node-1"]);
    }
}
