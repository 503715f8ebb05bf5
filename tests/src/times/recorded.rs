//! `tests/times/smpi.csv`: what SMPI said, and what we say where that is something else on purpose.

use crate::times::{Measurement, is_same};

/// The file, from the root of the source tree.
pub const FILE: &str = "tests/times/smpi.csv";

/// One measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Name of the run.
    pub run: String,
    /// SMPI's figures.
    pub smpi: Measurement,
    /// Ours, where the run deviates.
    pub ours: Option<Vec<f64>>,
}

impl Row {
    /// What our tools must measure.
    pub fn expected(&self) -> &[f64] {
        self.ours.as_deref().unwrap_or(&self.smpi.secs)
    }
}

/// The rows of the file's text.
///
/// # Errors
/// The number of a line that is no row.
pub fn parse(text: &str) -> Result<Vec<Row>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.is_empty());
    lines.map(|(index, line)| row(line).ok_or_else(|| format!("{FILE}:{}: not a row", index + 1))).collect()
}

fn row(line: &str) -> Option<Row> {
    let mut cells = line.split(',');
    let (run, name) = (cells.next()?.to_string(), cells.next()?.to_string());
    let mut figures = || -> Option<Vec<f64>> {
        let pair = [cells.next()?, cells.next()?];
        pair.iter().filter(|cell| !cell.is_empty()).map(|cell| cell.parse().ok()).collect()
    };
    let (secs, ours) = (figures()?, figures()?);
    let is_row = !secs.is_empty() && cells.next().is_none();
    is_row.then(|| Row { run, smpi: Measurement { name, secs }, ours: (!ours.is_empty()).then_some(ours) })
}

/// A row as a line.
pub fn line(row: &Row) -> String {
    let both = [Some(&row.smpi.secs), row.ours.as_ref()];
    let figures = both.iter().flat_map(|secs| (0..2).map(move |index| secs.and_then(|secs| secs.get(index))));
    let cells: String = figures.map(|secs| secs.map_or(",".into(), |secs| format!(",{}", figure(*secs)))).collect();
    format!("{},{}{cells}\n", row.run, row.smpi.name)
}

/// Seconds with twelve digits.
fn figure(secs: f64) -> String {
    format!("{secs:.11e}")
}

/// Figures for people.
pub fn figures(secs: &[f64]) -> String {
    secs.iter().map(|secs| format!("{} s", figure(*secs))).collect::<Vec<_>>().join(", ")
}

/// What is wrong with the measurements of a run, one line each; empty when they are as recorded.
pub fn complaints(found: &[Measurement], recorded: &[&Row]) -> Vec<String> {
    let mut complaints = Vec::new();
    for row in recorded {
        let name = &row.smpi.name;
        match found.iter().find(|measurement| measurement.name == *name) {
            None => complaints.push(format!("{name}: not measured")),
            Some(measurement) if is_same(&measurement.secs, row.expected()) => {}
            Some(measurement) => {
                let whose = if row.ours.is_some() { "expected here" } else { "SMPI" };
                let [found, expected] = [&measurement.secs, row.expected()].map(figures);
                complaints.push(format!("{name}: {found}; {whose}: {expected}"));
            }
        }
    }
    let is_known = |measurement: &&Measurement| recorded.iter().any(|row| row.smpi.name == measurement.name);
    let unknown = found.iter().filter(|measurement| !is_known(measurement));
    complaints.extend(unknown.map(|measurement| format!("{}: not recorded", measurement.name)));
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, secs: &[f64], ours: Option<&[f64]>) -> Row {
        let smpi = Measurement { name: name.into(), secs: secs.to_vec() };
        Row { run: "a/b".into(), smpi, ours: ours.map(<[f64]>::to_vec) }
    }

    #[test]
    fn rows_are_read_as_written() {
        let rows = [row("x 1 B", &[0.5, 0.25], None), row("y", &[2.0], None), row("z", &[1.0, 1.0], Some(&[3.0, 4.0]))];
        let text: String = rows.iter().map(line).collect();
        assert!(text.starts_with("a/b,x 1 B,5.00000000000e-1,2.50000000000e-1,,\n"), "{text}");
        assert_eq!(parse(&format!("# about\n{text}")).unwrap(), rows);
        assert_eq!(rows[2].expected(), [3.0, 4.0]);
        for bad in ["a/b,x,1,2", "a/b,x,,,,", "a/b,x,1,2,,,", "a/b,x,one,2,,"] {
            assert!(parse(bad).unwrap_err().ends_with(":1: not a row"), "{bad}");
        }
    }

    #[test]
    fn every_difference_is_told() {
        let rows = [row("same", &[1.0], None), row("other", &[1.0], None), row("gone", &[1.0], None)];
        let rows: Vec<&Row> = rows.iter().collect();
        let found = ["same", "other", "new"].map(|name| {
            let secs = if name == "other" { 1.1 } else { 1.0 };
            Measurement { name: name.into(), secs: vec![secs] }
        });
        let complaints = complaints(&found, &rows);
        let about: Vec<&str> = complaints.iter().map(|line| line.split(':').next().unwrap()).collect();
        assert_eq!(about, ["other", "gone", "new"]);
    }
}
