//! What the measuring program (`measure.c`) printed, sorted by kind and size.
//!
//! Launchers may print lines of their own in between; lines of another form are passed over.

use std::collections::BTreeMap;

/// Samples of one run of the measuring program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// What the MPI library calls itself.
    pub library: String,
    /// Where the two ranks ran.
    pub hosts: Vec<String>,
    /// Cores of the first host; 0 if it was not told.
    pub cores: u32,
    /// `MPI_Send` waits for its receiver from this size on, in bytes; beyond the largest size if it never did.
    pub waiting_from: u64,
    /// What disturbed the measurement, if anything did ([`crate::quiet`]): from lines that are added to the output.
    pub disturbances: Vec<String>,
    /// Seconds by kind, then by bytes; the kinds are those of `measure.c`.
    kinds: BTreeMap<String, BTreeMap<u64, Vec<f64>>>,
}

/// The share of samples below the value that stands for all of them. Everything that disturbs a measurement makes it
/// longer, so the lowest decile moves less than the median; the minimum would be a single lucky sample.
const QUANTILE: f64 = 0.1;

/// What lines about disturbances begin with.
const DISTURBED: &str = "disturbed";

impl Samples {
    /// Lines for the output of a measurement: what disturbed it.
    pub fn disturbed(disturbances: &[String]) -> String {
        disturbances.iter().map(|what| format!("{DISTURBED} {what}\n")).collect()
    }

    /// Whether the ranks were simulated, so that nothing on this machine disturbs them: libsmpi says so in its name.
    pub fn is_simulated(&self) -> bool {
        self.library.contains("simulated MPI")
    }

    /// Reads the output of the measuring program.
    ///
    /// # Errors
    /// Text for the user, which begins with what the output lacks.
    pub fn parse(text: &str) -> Result<Samples, String> {
        let mut samples = Samples::default();
        let (mut is_complete, mut ranks) = (false, Vec::new());
        for line in text.lines() {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "library" => samples.library = rest.to_owned(),
                "host" => samples.hosts.push(rest.to_owned()),
                "cores" => samples.cores = rest.parse().unwrap_or(0),
                "ranks" => ranks.push(rest.to_owned()),
                "waiting-from" => samples.waiting_from = rest.parse().unwrap_or(0),
                "end" => is_complete = true,
                DISTURBED => samples.disturbances.push(rest.to_owned()),
                "sample" => samples.add(rest),
                _ => {}
            }
        }
        match &ranks[..] {
            [] => Err("there is nothing that the measuring program has printed".to_owned()),
            [two] if two == "2" => {
                let sizes = samples.sizes("oneway");
                let is_usable =
                    is_complete && samples.hosts.len() == 2 && sizes.len() >= 8 && sizes.first() == Some(&0);
                is_usable.then_some(samples).ok_or_else(|| "the measuring program ended too early".to_owned())
            }
            [one] => Err(format!("the measuring program ran with {one} ranks, expected 2")),
            several => Err(format!(
                "{} processes started, each alone in its MPI_COMM_WORLD, in the library \"{}\": they do not belong to \
                 this launcher's MPI",
                several.len(),
                samples.library
            )),
        }
    }

    fn add(&mut self, words: &str) {
        let mut words = words.split(' ');
        if let (Some(kind), Some(Ok(bytes)), Some(Ok(seconds)), None) =
            (words.next(), words.next().map(str::parse), words.next().map(str::parse::<f64>), words.next())
            && seconds.is_finite()
        {
            self.kinds.entry(kind.to_owned()).or_default().entry(bytes).or_default().push(seconds);
        }
    }

    /// All sizes of a kind, in bytes, ascending.
    pub fn sizes(&self, kind: &str) -> Vec<u64> {
        self.kinds.get(kind).map(|sizes| sizes.keys().copied().collect()).unwrap_or_default()
    }

    /// The lowest decile of the samples of a kind and size, in seconds.
    pub fn usual(&self, kind: &str, bytes: u64) -> Option<f64> {
        self.quantile(kind, bytes, QUANTILE)
    }

    /// The value, in seconds, that this share of the samples of a kind and size does not exceed.
    pub fn quantile(&self, kind: &str, bytes: u64, share: f64) -> Option<f64> {
        let mut values = self.kinds.get(kind)?.get(&bytes)?.clone();
        values.sort_by(f64::total_cmp);
        values.get((values.len() as f64 * share) as usize).or(values.last()).copied()
    }

    /// The best of a kind that has one size: this size, and the least seconds.
    pub fn best(&self, kind: &str) -> Option<(u64, f64)> {
        let (bytes, values) = self.kinds.get(kind)?.first_key_value()?;
        Some((*bytes, values.iter().copied().min_by(f64::total_cmp)?))
    }

    /// How many samples of a kind there are, of all sizes.
    pub fn count(&self, kind: &str) -> usize {
        self.kinds.get(kind).map_or(0, |sizes| sizes.values().map(Vec::len).sum())
    }

    /// Whether the ranks were on one host.
    pub fn is_one_host(&self) -> bool {
        self.hosts.windows(2).all(|pair| pair[0] == pair[1])
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The output of a run in which each kind takes as long as the function says.
    pub(crate) fn output(sizes: &[u64], waiting_from: u64, time: impl Fn(&str, u64) -> f64) -> String {
        let mut text = "library test\nranks 2\nhost a\nhost b\ncores 4\n".to_owned();
        for &bytes in sizes {
            for kind in ["oneway", "isend", "send", "arrived", "late"] {
                if matches!(kind, "oneway" | "isend") || bytes < waiting_from {
                    text.push_str(&format!("sample {kind} {bytes} {:.9e}\n", time(kind, bytes)));
                }
            }
        }
        text + &format!("waiting-from {waiting_from}\nend\n")
    }

    #[test]
    fn quantiles_and_what_is_not_ours() {
        let lines = "sample oneway 8 4\nsample oneway 8 1\n[1,0] hello\nsample oneway 8 3\nsample oneway 8 2\n";
        let text = output(&(0..20).map(|i| i * i).collect::<Vec<_>>(), 100, |_, _| 1.0) + lines;
        let samples = Samples::parse(&text).unwrap();
        assert_eq!((samples.usual("oneway", 8), samples.quantile("oneway", 8, 1.0)), (Some(1.0), Some(4.0)));
        assert_eq!((samples.usual("oneway", 7), samples.best("oneway")), (None, Some((0, 1.0))));
        assert!(!samples.is_one_host() && !samples.is_simulated() && samples.disturbances.is_empty());
        let disturbed = ["a core was busy".to_string(), "steal".to_string()];
        let again = Samples::parse(&(text + &Samples::disturbed(&disturbed))).unwrap();
        assert_eq!(again.disturbances, disturbed);
    }

    #[test]
    fn what_is_missing_is_told() {
        let whole = output(&(0..20).collect::<Vec<_>>(), 100, |_, _| 1.0);
        let refused = |text: &str| Samples::parse(text).unwrap_err();
        assert!(refused("").contains("nothing that the measuring program"));
        assert!(refused(&whole.replace("ranks 2", "ranks 4")).contains("4 ranks, expected 2"));
        assert!(refused(&whole.replace("end\n", "")).contains("too early"));
        assert!(refused("library L\nranks 1\nlibrary L\nranks 1\n").contains("2 processes started, each alone"));
    }
}
