//! What random programs may contain, and what is compared: one name each, so that a campaign can leave something out.

/// What can be switched on and off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Feature {
    /// `MPI_Cancel`.
    Cancel,
    /// Collective operations.
    Collectives,
    /// Nonblocking and persistent collective operations.
    Immediate,
    /// Duplicated and split communicators.
    Communicators,
    /// An intercommunicator.
    Intercommunicators,
    /// Probes of all kinds.
    Probes,
    /// Tests and polling loops.
    Tests,
    /// Persistent sends and receives.
    Persistent,
    /// Partitioned sends and receives.
    Partitioned,
    /// Requests that are given up before their operations are over.
    Freed,
    /// Ready sends.
    Ready,
    /// Messages of a rank to itself.
    Selves,
    /// Operations that depend on what was seen.
    Branches,
    /// Programs that were changed at random places, so that many of them get stuck.
    Mistakes,
    /// Messages of two sizes, of which simulations buffer one.
    Mixtures,
    /// Outcomes of programs with collective operations are looked for in those of `--collectives atomic`.
    Messages,
}

use Feature::*;

const ALL: [(&str, Feature); 16] = [
    ("cancel", Cancel),
    ("collectives", Collectives),
    ("immediate", Immediate),
    ("communicators", Communicators),
    ("intercommunicators", Intercommunicators),
    ("probes", Probes),
    ("tests", Tests),
    ("persistent", Persistent),
    ("partitioned", Partitioned),
    ("freed", Freed),
    ("ready", Ready),
    ("selves", Selves),
    ("branches", Branches),
    ("mistakes", Mistakes),
    ("mixtures", Mixtures),
    ("messages", Messages),
];

/// A set of features.
#[derive(Clone, Debug)]
pub struct Features(Vec<Feature>);

impl Features {
    /// All of them.
    pub fn all() -> Features {
        Features(ALL.iter().map(|entry| entry.1).collect())
    }

    /// All but some.
    pub fn all_but(without: &[Feature]) -> Features {
        Features::all().without(without)
    }

    /// These, but some.
    pub fn without(&self, without: &[Feature]) -> Features {
        let mut features = self.clone();
        features.0.retain(|feature| !without.contains(feature));
        features
    }

    /// `tests,probes`: these; `-cancel,-messages`: all but these.
    ///
    /// # Errors
    /// Text that names a word that is no feature.
    pub fn parse(text: &str) -> Result<Features, String> {
        let mut chosen = Vec::new();
        let mut without = Vec::new();
        for word in text.split(',').filter(|word| !word.is_empty()) {
            let (name, list) = word.strip_prefix('-').map_or((word, &mut chosen), |name| (name, &mut without));
            match ALL.iter().find(|entry| entry.0 == name) {
                Some(entry) => list.push(entry.1),
                None => {
                    let names: Vec<&str> = ALL.iter().map(|entry| entry.0).collect();
                    return Err(format!("`{name}` is no feature; these are: {}", names.join(", ")));
                }
            }
        }
        let mut features = if chosen.is_empty() { Features::all() } else { Features(chosen) };
        features.0.retain(|feature| !without.contains(feature));
        Ok(features)
    }

    /// Whether a feature is among them.
    pub fn has(&self, feature: Feature) -> bool {
        self.0.contains(&feature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_names() {
        let two = Features::parse("tests,probes").unwrap();
        assert!(two.has(Tests) && two.has(Probes) && !two.has(Cancel));
        let others = Features::parse("-tests").unwrap();
        assert!(!others.has(Tests) && others.has(Cancel));
        assert!(Features::parse("nothing").unwrap_err().contains("`nothing` is no feature; these are: cancel"));
    }
}
