//! Constants of the models, and how `--cfg=key:value` or a platform's `[network]` table changes them.
//!
//! A constant that the user sets wins over the model's own (`models.rs`), whichever is named first.

use crate::factors::FactorTable;
use crate::infiniband::{PENALTIES, Penalties};
use crate::models::{Kind, Model, default_model, model_named};
use crate::what_if::{WhatIf, factor};
use smpi_base::quantity::{Bytes, Rate, Unit, parse_duration};
use std::fmt;

/// A setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The setting.
    pub key: String,
    /// The problem and what was expected.
    pub message: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.message)
    }
}

impl std::error::Error for ConfigError {}

/// The constants of an [`crate::Engine`]. The default is SMPI's model.
#[derive(Clone, Debug)]
pub struct Config {
    model: &'static Model,
    latency_factor: Option<FactorTable>,
    bandwidth_factor: Option<FactorTable>,
    weight_s: Option<f64>,
    tcp_gamma: Option<f64>,
    crosstraffic: Option<bool>,
    fat_pipes_have_levels: bool,
    loopback_bytes_per_sec: f64,
    loopback_latency_secs: f64,
    timing_precision_secs: f64,
    penalties: Penalties,
    gap_secs: f64,
    what_if: WhatIf,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            model: default_model(),
            latency_factor: None,
            bandwidth_factor: None,
            weight_s: None,
            tcp_gamma: None,
            crosstraffic: None,
            fat_pipes_have_levels: false,
            loopback_bytes_per_sec: 10e9,
            loopback_latency_secs: 0.0,
            timing_precision_secs: 1e-9,
            penalties: PENALTIES,
            gap_secs: 0.0,
            what_if: WhatIf::default(),
        }
    }
}

impl Config {
    /// Changes one constant. `Ok(false)`: the key is not the engine's.
    ///
    /// # Errors
    /// The key is the engine's and the value is not usable.
    pub fn set(&mut self, key: &str, value: &str) -> Result<bool, ConfigError> {
        let value = value.trim();
        let refused = |message: String| ConfigError { key: key.to_owned(), message };
        match key {
            "network/model" => self.model = model_named(value).map_err(refused)?,
            "network/latency-factor" | "smpi/lat-factor" => {
                self.latency_factor = Some(FactorTable::parse(value).map_err(refused)?);
            }
            "network/bandwidth-factor" | "smpi/bw-factor" => {
                self.bandwidth_factor = Some(FactorTable::parse(value).map_err(refused)?);
            }
            "network/weight-S" => self.weight_s = Some(bytes(value).map_err(refused)?),
            "network/TCP-gamma" => self.tcp_gamma = Some(bytes(value).map_err(refused)?),
            "network/crosstraffic" => self.crosstraffic = Some(flag(value).map_err(refused)?),
            "network/fat-pipes" => {
                self.fat_pipes_have_levels = match value {
                    "bound" => false,
                    "level" => true,
                    _ => {
                        return Err(refused(format!(
                            "{value:?} is neither of \"bound\" and \"level\", expected one of them"
                        )));
                    }
                }
            }
            "network/loopback-bw" => {
                let rate = Rate::parse(value, Unit::Optional).map_err(|e| refused(e.to_string()))?;
                if rate.0 <= 0.0 {
                    return Err(refused("the bandwidth is zero, expected more".to_owned()));
                }
                self.loopback_bytes_per_sec = rate.0;
            }
            "network/loopback-lat" => self.loopback_latency_secs = duration(value).map_err(refused)?,
            "network/gap" => self.gap_secs = duration(value).map_err(refused)?,
            "what-if/latency" => self.what_if.latency = factor(value, true).map_err(refused)?,
            "what-if/bandwidth" => self.what_if.bandwidth = factor(value, false).map_err(refused)?,
            "what-if/speed" => self.what_if.speed = factor(value, false).map_err(refused)?,
            "what-if/contention" => self.what_if.contention = flag(value).map_err(refused)?,
            "smpi/IB-penalty-factors" => self.penalties = penalties(value).map_err(refused)?,
            "precision/timing" | "surf/precision" => self.timing_precision_secs = duration(value).map_err(refused)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub(crate) fn what_if(&self) -> WhatIf {
        self.what_if
    }

    pub(crate) fn kind(&self) -> Kind {
        self.model.kind
    }

    pub(crate) fn latency_factor(&self) -> FactorTable {
        self.latency_factor.clone().unwrap_or_else(|| FactorTable::steps(self.model.latency.to_vec()))
    }

    pub(crate) fn bandwidth_factor(&self) -> FactorTable {
        self.bandwidth_factor.clone().unwrap_or_else(|| FactorTable::steps(self.model.bandwidth.to_vec()))
    }

    pub(crate) fn weight_s(&self) -> f64 {
        self.weight_s.unwrap_or(self.model.weight_s)
    }

    pub(crate) fn tcp_gamma(&self) -> f64 {
        self.tcp_gamma.unwrap_or(self.model.tcp_gamma)
    }

    pub(crate) fn crosstraffic(&self) -> bool {
        self.crosstraffic.unwrap_or(self.model.crosstraffic)
    }

    /// Whether all flows on a fat pipe stop when one of them fills it, as in SimGrid.
    pub(crate) fn fat_pipes_have_levels(&self) -> bool {
        self.fat_pipes_have_levels
    }

    pub(crate) fn penalties(&self) -> Penalties {
        self.penalties
    }

    /// Time between two messages of an interface (LogGOPS).
    pub(crate) fn gap_secs(&self) -> f64 {
        self.gap_secs
    }

    pub(crate) fn loopback(&self) -> (f64, f64) {
        (self.loopback_bytes_per_sec, self.loopback_latency_secs)
    }

    pub(crate) fn timing_precision_secs(&self) -> f64 {
        self.timing_precision_secs
    }
}

/// The factors of the model IB: `0.965;0.925;1.35`.
fn penalties(value: &str) -> Result<Penalties, String> {
    let numbers: Option<Vec<f64>> = value.split(';').map(|text| text.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[inbound, outbound, crowded])
            if [inbound, outbound, crowded].iter().all(|x| *x > 0.0 && x.is_finite()) =>
        {
            Ok(Penalties { inbound, outbound, crowded })
        }
        _ => Err(format!("\"{value}\" is not three factors, expected for example \"0.965;0.925;1.35\"")),
    }
}

fn duration(value: &str) -> Result<f64, String> {
    parse_duration(value, Unit::Optional).map(|secs| secs.0).map_err(|why| why.to_string())
}

fn bytes(value: &str) -> Result<f64, String> {
    let plain = value.parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
    match plain {
        Some(number) => Ok(number),
        None => Bytes::parse(value, Unit::Optional).map(|b| b.0 as f64).map_err(|e| e.to_string()),
    }
}

fn flag(value: &str) -> Result<bool, String> {
    match value {
        "yes" | "on" | "true" | "1" => Ok(true),
        "no" | "off" | "false" | "0" => Ok(false),
        _ => Err(format!("\"{value}\" is neither yes nor no, expected one of them")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_sets_wins_over_the_model() {
        let mut config = Config::default();
        assert_eq!(config.set("network/weight-S", "20000"), Ok(true));
        assert_eq!(config.set("network/model", "LV08"), Ok(true));
        assert_eq!(config.weight_s(), 20000.0);
        assert_eq!(config.latency_factor().at(1.0), 13.01);
        assert_eq!(config.set("smpi/async-small-thresh", "0"), Ok(false));
        assert_eq!(config.set("network/loopback-bw", "498MBps"), Ok(true));
        assert_eq!(config.loopback().0, 498e6);
    }

    #[test]
    fn bad_values_name_the_key() {
        let error = Config::default().set("network/crosstraffic", "maybe").unwrap_err();
        assert_eq!(error.to_string(), "network/crosstraffic: \"maybe\" is neither yes nor no, expected one of them");
        for (key, value) in [("latency", "-1"), ("latency", "inf"), ("bandwidth", "0"), ("contention", "some")] {
            assert!(Config::default().set(&format!("what-if/{key}"), value).is_err(), "{key}");
        }
        let error = Config::default().set("network/model", "ns-3").unwrap_err();
        assert!(error.message.contains("expected SMPI, LV08"), "{error}");
        assert!(Config::default().set("smpi/IB-penalty-factors", "0.9;1").is_err());
    }
}
