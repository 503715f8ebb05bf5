//! Piecewise constant factors by message size: how SMPI corrects latency and bandwidth for what MPI libraries do.
//!
//! Source: Bedaride et al., "Toward Better Simulation of MPI Applications on Ethernet/TCP Networks" (PMBS 2013);
//! figures fitted on TACC Stampede, as SMPI ships them.

use std::fmt;

/// A factor for every message size.
#[derive(Clone, Debug, PartialEq)]
pub struct FactorTable {
    /// Boundaries in ascending order, each with the factor of the sizes strictly greater.
    steps: Vec<(f64, f64)>,
    /// The factor of sizes up to the first boundary.
    first: f64,
}

impl FactorTable {
    /// The same factor for all sizes.
    pub fn constant(factor: f64) -> FactorTable {
        FactorTable { steps: Vec::new(), first: factor }
    }

    /// Factors for sizes strictly greater than each boundary; smaller sizes have factor 1. Sorts `steps`.
    pub fn steps(mut steps: Vec<(f64, f64)>) -> FactorTable {
        steps.sort_by(|a, b| a.0.total_cmp(&b.0));
        FactorTable { steps, first: 1.0 }
    }

    /// Reads `"0.97"` or `"0:2.01467;257:1.95341"`.
    pub fn parse(text: &str) -> Result<FactorTable, String> {
        let number = |t: &str| match t.trim().parse::<f64>() {
            Ok(x) if x.is_finite() && x >= 0.0 => Ok(x),
            _ => Err(format!("\"{t}\" is not a number, expected one factor or a table \"size:factor;size:factor\"")),
        };
        if !text.contains(':') {
            return positive(number(text)?).map(FactorTable::constant);
        }
        let mut steps = Vec::new();
        for part in text.split(';').filter(|p| !p.trim().is_empty()) {
            let Some((size, factor)) = part.split_once(':') else {
                return Err(format!("\"{part}\" has no ':', expected size:factor"));
            };
            steps.push((number(size)?, positive(number(factor)?)?));
        }
        Ok(FactorTable::steps(steps))
    }

    /// The factor of a message of this many bytes.
    pub fn at(&self, size: f64) -> f64 {
        // Nine steps at most in practice: walking down beats a binary search.
        self.steps.iter().rev().find(|(boundary, _)| size > *boundary).map_or(self.first, |(_, factor)| *factor)
    }
}

/// As the setting is written.
impl fmt::Display for FactorTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return write!(f, "{}", self.first);
        }
        for (place, (size, factor)) in self.steps.iter().enumerate() {
            write!(f, "{}{size}:{factor}", if place > 0 { ";" } else { "" })?;
        }
        Ok(())
    }
}

fn positive(factor: f64) -> Result<f64, String> {
    if factor > 0.0 { Ok(factor) } else { Err(format!("factor {factor} is out of range, expected more than 0")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_holds_above_its_boundary() {
        let table = FactorTable::parse("257:0.5;0:2").unwrap();
        assert_eq!(table.at(0.0), 1.0);
        assert_eq!(table.at(1.0), 2.0);
        assert_eq!(table.at(257.0), 2.0);
        assert_eq!(table.at(258.0), 0.5);
        assert_eq!(FactorTable::parse("0.97").unwrap().at(5.0), 0.97);
    }

    #[test]
    fn bad_tables_are_refused() {
        for text in ["", "x", "1:2;3", "0:0", "-1", "1:inf"] {
            assert!(FactorTable::parse(text).is_err(), "{text}");
        }
    }
}
