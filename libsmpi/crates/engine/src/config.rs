//! Constants of the models: what the settings say, and what the model has where they say nothing.
//!
//! A constant that the user sets wins over the model's own (`models.rs`), whichever is named first.

use smpi_settings::{FactorTable, FatPipes, Network, Penalties, WhatIf, Wrong};

use crate::models::{Kind, of};

/// What the settings say to an [`crate::Engine`]. The default is SMPI's model.
#[derive(Clone, Debug, Default)]
pub struct Config {
    network: Network,
    what_if: WhatIf,
}

impl Config {
    /// What these settings say.
    pub fn new(network: Network, what_if: WhatIf) -> Config {
        Config { network, what_if }
    }

    /// Changes one constant. `Ok(false)`: the key is not the engine's.
    ///
    /// # Errors
    /// The key is the engine's and the value is not usable.
    pub fn set(&mut self, key: &str, value: &str) -> Result<bool, Wrong> {
        match self.network.set(key, value).or_else(|| self.what_if.set(key, value)) {
            Some(outcome) => outcome.map(|()| true),
            None => Ok(false),
        }
    }

    /// The constants to calculate with. A setting of [`Network`] that is not used here does not compile.
    pub(crate) fn constants(self) -> Constants {
        let Network {
            model,
            latency_factor,
            bandwidth_factor,
            weight_s,
            tcp_gamma,
            crosstraffic,
            fat_pipes,
            loopback_bytes_per_sec,
            loopback_latency_secs,
            gap_secs,
            penalties,
            timing_precision_secs,
        } = self.network;
        let model = of(model);
        let steps = |steps: &[(f64, f64)]| FactorTable::steps(steps.to_vec());
        Constants {
            kind: model.kind,
            latency_factor: latency_factor.unwrap_or_else(|| steps(model.latency)),
            bandwidth_factor: bandwidth_factor.unwrap_or_else(|| steps(model.bandwidth)),
            weight_s: weight_s.unwrap_or(model.weight_s),
            tcp_gamma: tcp_gamma.unwrap_or(model.tcp_gamma),
            crosstraffic: crosstraffic.unwrap_or(model.crosstraffic),
            fat_pipes_have_levels: fat_pipes == FatPipes::Level,
            loopback: (loopback_bytes_per_sec, loopback_latency_secs),
            gap_secs,
            penalties,
            timing_precision_secs,
            what_if: self.what_if,
        }
    }
}

/// The constants of an [`crate::Engine`].
#[derive(Clone, Debug)]
pub(crate) struct Constants {
    pub kind: Kind,
    pub latency_factor: FactorTable,
    pub bandwidth_factor: FactorTable,
    pub weight_s: f64,
    pub tcp_gamma: f64,
    pub crosstraffic: bool,
    /// All flows on a fat pipe stop when one of them fills it, as in SimGrid.
    pub fat_pipes_have_levels: bool,
    /// Bandwidth and latency of messages inside a host.
    pub loopback: (f64, f64),
    /// Time between two messages of an interface (LogGOPS).
    pub gap_secs: f64,
    pub penalties: Penalties,
    pub timing_precision_secs: f64,
    pub what_if: WhatIf,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_sets_wins_over_the_model() {
        let mut config = Config::default();
        assert_eq!(config.set("network/weight-S", "20000"), Ok(true));
        assert_eq!(config.set("network/model", "LV08"), Ok(true));
        assert_eq!(config.set("smpi/async-small-thresh", "0"), Ok(false));
        assert_eq!(config.set("network/loopback-bw", "498MBps"), Ok(true));
        let constants = config.constants();
        assert_eq!(constants.weight_s, 20000.0);
        assert_eq!(constants.latency_factor.at(1.0), 13.01);
        assert_eq!(constants.loopback.0, 498e6);
    }

    #[test]
    fn bad_values_name_the_key() {
        let error = Config::default().set("network/crosstraffic", "maybe").unwrap_err();
        assert_eq!(error.to_string(), "network/crosstraffic: \"maybe\" is not valid; expected yes or no");
        for (key, value) in [("latency", "-1"), ("latency", "inf"), ("bandwidth", "0"), ("contention", "some")] {
            assert!(Config::default().set(&format!("what-if/{key}"), value).is_err(), "{key}");
        }
        let error = Config::default().set("network/model", "ns-3").unwrap_err();
        assert!(error.to_string().contains("expected SMPI, LV08"), "{error}");
        assert!(Config::default().set("smpi/IB-penalty-factors", "0.9;1").is_err());
    }
}
