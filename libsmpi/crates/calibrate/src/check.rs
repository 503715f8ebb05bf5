//! Predicted times beside measured ones.

use crate::quiet::told;

/// What a run told with the library of [`crate::shim`].
#[derive(Clone, Debug, PartialEq)]
pub struct Times {
    /// Seconds of each rank from `MPI_Init` to `MPI_Finalize`, and how many of them inside MPI.
    ranks: Vec<(f64, f64)>,
}

impl Times {
    /// Reads the file that the library has written.
    ///
    /// # Errors
    /// Text for the user.
    pub fn parse(text: &str) -> Result<Times, String> {
        let rank = |line: &str| {
            let (all, inside) = line.strip_prefix("rank ")?.split_once(' ')?;
            Some((all.parse::<f64>().ok()?, inside.parse::<f64>().ok()?))
        };
        let ranks: Option<Vec<(f64, f64)>> = text.lines().map(rank).collect();
        let ranks = ranks.filter(|ranks| !ranks.is_empty());
        ranks.map(|ranks| Times { ranks }).ok_or_else(|| "the run told no times".to_owned())
    }

    /// Number of ranks.
    pub fn count(&self) -> usize {
        self.ranks.len()
    }

    /// Seconds of the slowest rank.
    pub fn elapsed(&self) -> f64 {
        self.ranks.iter().map(|rank| rank.0).fold(0.0, f64::max)
    }

    /// Mean seconds inside MPI.
    pub fn inside(&self) -> f64 {
        self.ranks.iter().map(|rank| rank.1).sum::<f64>() / self.ranks.len() as f64
    }

    /// Seconds inside MPI of the rank with the fewest: it waits least for others.
    pub fn least_inside(&self) -> f64 {
        self.ranks.iter().map(|rank| rank.1).fold(f64::INFINITY, f64::min)
    }

    /// Mean seconds outside MPI.
    pub fn outside(&self) -> f64 {
        self.ranks.iter().map(|rank| rank.0 - rank.1).sum::<f64>() / self.ranks.len() as f64
    }

    /// The run that ended first. Whatever disturbs a run makes it longer.
    pub fn best(runs: Vec<Times>) -> Option<Times> {
        runs.into_iter().min_by(|a, b| a.elapsed().total_cmp(&b.elapsed()))
    }
}

/// A line of the table, and what it shows of a run.
type Row = (&'static str, fn(&Times) -> f64);

/// A table of both. Where something disturbed the measurement it is no comparison, and has no errors but what that was.
pub fn table(predicted: &Times, measured: &Times, disturbances: &[String]) -> String {
    let is_comparison = disturbances.is_empty();
    let title = if is_comparison { "error" } else { "" };
    let mut text = format!("{:<28}{:>14}{:>14}{title:>10}", "", "predicted", "measured");
    text.truncate(text.trim_end().len());
    text.push('\n');
    let rows: [Row; 4] = [
        ("slowest rank, seconds", Times::elapsed),
        ("inside MPI, mean of ranks", Times::inside),
        ("inside MPI, least of ranks", Times::least_inside),
        ("outside MPI, mean of ranks", Times::outside),
    ];
    for (name, value) in rows {
        let (ours, theirs) = (value(predicted), value(measured));
        let error = match theirs > 0.0 && is_comparison {
            true => format!("{:>10}", format!("{:+.1} %", 100.0 * (ours / theirs - 1.0))),
            false => String::new(),
        };
        text.push_str(&format!("{name:<28}{ours:>14.6}{theirs:>14.6}{error}\n"));
    }
    if !is_comparison {
        text.push_str(&format!("\nThis is no comparison: {}", told(disturbances)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_errors() {
        let measured = Times::parse("rank 2.0 0.5\nrank 1.0 0.7\n").unwrap();
        assert_eq!((measured.count(), measured.elapsed(), measured.inside()), (2, 2.0, 0.6));
        let predicted = Times::parse("rank 1.5 0.9\n").unwrap();
        let disturbed = table(&predicted, &measured, &["8 ranks shared 2 cores".into(), "steal".into()]);
        assert!(disturbed.contains("no comparison: while it was measured, 8 ranks shared 2 cores; steal."));
        assert!(!disturbed.contains('%') && !disturbed.contains("error"), "{disturbed}");
        let table = table(&predicted, &measured, &[]);
        for part in ["-25.0 %", "+50.0 %", "0.600000"] {
            assert!(table.contains(part), "{part} is not in\n{table}");
        }
        assert_eq!(Times::best(vec![measured, predicted.clone()]), Some(predicted));
        assert!(Times::parse("").is_err() && Times::parse("rank x y\n").is_err());
    }
}
