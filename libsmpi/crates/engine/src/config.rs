//! Constants of the models, and how `--cfg=key:value` or a platform's `[network]` table changes them.
//!
//! Figures: the models of SimGrid by their names (`SMPI` is what its `smpirun` uses). A constant that the user sets
//! wins over the model's own, whichever is named first.

use crate::factors::FactorTable;
use smpi_base::quantity::{Bytes, Rate, Unit, parse_duration};
use std::fmt;

/// Latency factors of the SMPI model: (bytes, factor for larger messages).
const SMPI_LATENCY: [(f64, f64); 9] = [
    (0.0, 2.01467),
    (257.0, 1.95341),
    (732.0, 1.9503),
    (1426.0, 1.61075),
    (3484.0, 1.88101),
    (5776.0, 2.18796),
    (9376.0, 2.59299),
    (15424.0, 3.48845),
    (65472.0, 11.6436),
];

/// Bandwidth factors of the SMPI model: (bytes, factor for larger messages).
const SMPI_BANDWIDTH: [(f64, f64); 9] = [
    (0.0, 0.812084),
    (257.0, 0.338112),
    (732.0, 0.341987),
    (1426.0, 0.608902),
    (3484.0, 0.77493),
    (5776.0, 1.08739),
    (9376.0, 0.58729),
    (15424.0, 0.697866),
    (65472.0, 0.940694),
];

/// The network models.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Model {
    Smpi,
    Lv08,
    Cm02,
    Raw,
    Constant,
}

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
    model: Model,
    latency_factor: Option<FactorTable>,
    bandwidth_factor: Option<FactorTable>,
    weight_s: Option<f64>,
    tcp_gamma: Option<f64>,
    crosstraffic: Option<bool>,
    loopback_bytes_per_sec: f64,
    loopback_latency_secs: f64,
    timing_precision_secs: f64,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            model: Model::Smpi,
            latency_factor: None,
            bandwidth_factor: None,
            weight_s: None,
            tcp_gamma: None,
            crosstraffic: None,
            loopback_bytes_per_sec: 10e9,
            loopback_latency_secs: 0.0,
            timing_precision_secs: 1e-9,
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
            "network/model" => self.model = model(value).map_err(refused)?,
            "network/latency-factor" | "smpi/lat-factor" => {
                self.latency_factor = Some(FactorTable::parse(value).map_err(refused)?);
            }
            "network/bandwidth-factor" | "smpi/bw-factor" => {
                self.bandwidth_factor = Some(FactorTable::parse(value).map_err(refused)?);
            }
            "network/weight-S" => self.weight_s = Some(bytes(value).map_err(refused)?),
            "network/TCP-gamma" => self.tcp_gamma = Some(bytes(value).map_err(refused)?),
            "network/crosstraffic" => self.crosstraffic = Some(flag(value).map_err(refused)?),
            "network/loopback-bw" => {
                let rate = Rate::parse(value, Unit::Optional).map_err(|e| refused(e.to_string()))?;
                if rate.0 <= 0.0 {
                    return Err(refused("the bandwidth is zero, expected more".to_owned()));
                }
                self.loopback_bytes_per_sec = rate.0;
            }
            "network/loopback-lat" => {
                self.loopback_latency_secs =
                    parse_duration(value, Unit::Optional).map_err(|e| refused(e.to_string()))?.0;
            }
            "precision/timing" | "surf/precision" => {
                self.timing_precision_secs =
                    parse_duration(value, Unit::Optional).map_err(|e| refused(e.to_string()))?.0;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub(crate) fn latency_factor(&self) -> FactorTable {
        self.latency_factor.clone().unwrap_or_else(|| match self.model {
            Model::Smpi => FactorTable::steps(SMPI_LATENCY.to_vec()),
            Model::Lv08 => FactorTable::constant(13.01),
            _ => FactorTable::constant(1.0),
        })
    }

    pub(crate) fn bandwidth_factor(&self) -> FactorTable {
        self.bandwidth_factor.clone().unwrap_or_else(|| match self.model {
            Model::Smpi => FactorTable::steps(SMPI_BANDWIDTH.to_vec()),
            Model::Lv08 => FactorTable::constant(0.97),
            _ => FactorTable::constant(1.0),
        })
    }

    pub(crate) fn weight_s(&self) -> f64 {
        self.weight_s.unwrap_or(match self.model {
            Model::Smpi => 8775.0,
            Model::Lv08 => 20537.0,
            _ => 0.0,
        })
    }

    pub(crate) fn tcp_gamma(&self) -> f64 {
        self.tcp_gamma.unwrap_or(if self.model == Model::Raw { 0.0 } else { 4_194_304.0 })
    }

    pub(crate) fn crosstraffic(&self) -> bool {
        self.crosstraffic.unwrap_or(self.model != Model::Raw)
    }

    /// Every communication takes this long, if set.
    pub(crate) fn constant_secs(&self) -> Option<f64> {
        (self.model == Model::Constant).then_some(1.0)
    }

    pub(crate) fn loopback(&self) -> (f64, f64) {
        (self.loopback_bytes_per_sec, self.loopback_latency_secs)
    }

    pub(crate) fn timing_precision_secs(&self) -> f64 {
        self.timing_precision_secs
    }
}

fn model(value: &str) -> Result<Model, String> {
    Ok(match value {
        "SMPI" => Model::Smpi,
        "LV08" => Model::Lv08,
        "CM02" => Model::Cm02,
        "raw" => Model::Raw,
        "Constant" => Model::Constant,
        "IB" | "ns-3" => {
            return Err(format!("the model {value} is not available here, expected SMPI, LV08, CM02, raw or Constant"));
        }
        _ => return Err(format!("no model is named \"{value}\", expected SMPI, LV08, CM02, raw or Constant")),
    })
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
        assert!(Config::default().set("network/model", "IB").is_err());
    }
}
