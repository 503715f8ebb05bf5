//! What the runs mean: speed-up, efficiency and cost of each program with each number of ranks, platform and setting;
//! as a table and as CSV.
//!
//! In a row of runs that differ in their ranks only, the smallest that ended well counts as perfectly parallel: with p
//! ranks it has the speed-up p. If the work grows with the ranks, speed-up is that of doing so much more in this time.

use std::fmt::Write;

use super::cache::{Failed, Figures, Outcome};
use super::run::Job;
use super::study::Study;

/// Runs that differ in nothing but the measured computation.
#[derive(Debug)]
pub struct Row {
    /// Which program of the study.
    pub program: usize,
    /// Which platform.
    pub platform: usize,
    /// Which setting.
    pub setting: usize,
    /// How many ranks.
    pub ranks: u32,
    /// Of the median of the runs that ended well.
    pub figures: Option<Figures>,
    /// Simulated seconds from the fastest to the slowest run.
    pub spread_secs: f64,
    /// Beside the smallest number of ranks.
    pub speed_up: Option<f64>,
    /// Speed-up by ranks.
    pub efficiency: Option<f64>,
    /// Of the hosts, for as long as the run takes, where they have a price.
    pub cost: Option<f64>,
    /// The first run that failed.
    pub failed: Option<Failed>,
}

/// The rows of a study whose jobs ended so; those that were never made are left out.
pub fn rows(study: &Study, jobs: &[Job], outcomes: &[Option<Outcome>]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut all: Vec<Vec<&Outcome>> = Vec::new();
    for (job, outcome) in jobs.iter().zip(outcomes) {
        let Some(outcome) = outcome else { continue };
        let is_same = |row: &Row| {
            (row.program, row.platform, row.setting, row.ranks) == (job.program, job.platform, job.setting, job.ranks)
        };
        // Runs that are alike follow each other.
        if !rows.last().is_some_and(is_same) {
            rows.push(Row::new(job));
            all.push(Vec::new());
        }
        all.last_mut().into_iter().for_each(|runs| runs.push(outcome));
    }
    for (row, outcomes) in rows.iter_mut().zip(all) {
        row.fill(study, &outcomes);
    }
    for group in rows.chunk_by_mut(|one, other| one.series() == other.series()) {
        let time =
            |row: &Row| row.figures.as_ref().map(|figures| figures.simulated_time_secs).filter(|secs| *secs > 0.0);
        let Some((base, first)) = group.iter().find_map(|row| Some((time(row)?, f64::from(row.ranks)))) else {
            continue;
        };
        for row in group {
            let Some(secs) = time(row) else { continue };
            let ranks = f64::from(row.ranks);
            let work = if study.programs[row.program].is_weak { ranks / first } else { 1.0 };
            let speed_up = first * work * base / secs;
            (row.speed_up, row.efficiency) = (Some(speed_up), Some(speed_up / ranks));
        }
    }
    rows
}

impl Row {
    fn new(job: &Job) -> Row {
        Row {
            program: job.program,
            platform: job.platform,
            setting: job.setting,
            ranks: job.ranks,
            figures: None,
            spread_secs: 0.0,
            speed_up: None,
            efficiency: None,
            cost: None,
            failed: None,
        }
    }

    fn fill(&mut self, study: &Study, outcomes: &[&Outcome]) {
        let mut ran: Vec<&Figures> = Vec::new();
        for outcome in outcomes {
            match outcome {
                Outcome::Ran(figures) => ran.push(figures),
                Outcome::Failed(failed) => self.failed = self.failed.take().or(Some(failed.clone())),
            }
        }
        ran.sort_by(|one, other| one.simulated_time_secs.total_cmp(&other.simulated_time_secs));
        let [Some(fastest), Some(slowest)] = [ran.first(), ran.last()] else { return };
        self.spread_secs = slowest.simulated_time_secs - fastest.simulated_time_secs;
        let median = ran[(ran.len() - 1) / 2];
        let price = study.platforms[self.platform].cost_per_hour;
        self.cost = price.map(|price| price * f64::from(median.hosts) * median.simulated_time_secs / 3600.0);
        self.figures = Some(median.clone());
    }

    /// What is the same in runs whose ranks are compared.
    pub fn series(&self) -> (usize, usize, usize) {
        (self.program, self.platform, self.setting)
    }

    /// How the run ended, for tables.
    pub fn ending(&self) -> String {
        match &self.failed {
            None => String::new(),
            Some(Failed { code: Some(code), .. }) => format!("failed: {code}"),
            Some(Failed { code: None, .. }) => "failed".to_string(),
        }
    }
}

/// A column: its head, whether it is a number, and its cells.
type Column = (&'static str, bool, fn(&Study, &Row) -> String);

/// The columns that have anything to say.
pub fn columns(study: &Study, rows: &[Row]) -> Vec<Column> {
    let has = |what: fn(&Row) -> bool| rows.iter().any(what);
    let mut columns: Vec<Column> = vec![
        ("program", false, |study, row| study.programs[row.program].name.clone()),
        ("platform", false, |study, row| study.platforms[row.platform].name.clone()),
    ];
    if study.settings.iter().any(|setting| !setting.name.is_empty()) {
        columns.push(("setting", false, |study, row| study.settings[row.setting].name.clone()));
    }
    columns.push(("ranks", true, |_, row| row.ranks.to_string()));
    columns.push(("time [s]", true, |_, row| number(row.figures.as_ref().map(|ran| ran.simulated_time_secs), 9)));
    if has(|row| row.spread_secs > 0.0) {
        columns.push(("spread [s]", true, |_, row| number(row.figures.as_ref().map(|_| row.spread_secs), 9)));
    }
    columns.push(("speed-up", true, |_, row| number(row.speed_up, 2)));
    columns.push(("efficiency", true, |_, row| percent(row.efficiency)));
    if has(|row| row.figures.as_ref().is_some_and(|ran| ran.parallel > 0.0)) {
        columns.push(("parallel", true, |_, row| percent(row.figures.as_ref().map(|ran| ran.parallel))));
        columns.push(("balance", true, |_, row| percent(row.figures.as_ref().map(|ran| ran.load_balance))));
        columns.push(("serial.", true, |_, row| percent(row.figures.as_ref().map(|ran| ran.serialisation))));
        columns.push(("transfer", true, |_, row| percent(row.figures.as_ref().map(|ran| ran.transfer))));
        columns.push(("contention", true, |_, row| percent(row.figures.as_ref().map(|ran| ran.contention))));
    }
    if has(|row| row.cost.is_some()) {
        columns.push(("cost", true, |_, row| row.cost.map(|cost| format!("{cost:.3e}")).unwrap_or_default()));
    }
    if has(|row| row.failed.is_some()) {
        columns.push(("ended", false, |_, row| row.ending()));
    }
    columns
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or("-".to_string(), |value| format!("{value:.digits$}"))
}

fn percent(value: Option<f64>) -> String {
    value.map_or("-".to_string(), |value| format!("{:.1} %", 100.0 * value))
}

/// The table for a terminal; and behind it, what failed runs had to say.
pub fn text(study: &Study, rows: &[Row]) -> String {
    let columns = columns(study, rows);
    let mut lines: Vec<Vec<String>> = vec![columns.iter().map(|column| column.0.to_string()).collect()];
    lines.extend(rows.iter().map(|row| columns.iter().map(|column| (column.2)(study, row)).collect()));
    let width = |index: usize| lines.iter().map(|line| line[index].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let mut whole = String::new();
        for ((cell, width), (_, is_number, _)) in line.iter().zip(&widths).zip(&columns) {
            let space = " ".repeat(width - cell.chars().count());
            whole += &if *is_number { format!("{space}{cell}  ") } else { format!("{cell}{space}  ") };
        }
        text += whole.trim_end();
        text.push('\n');
    }
    for row in rows {
        if let Some(failed) = &row.failed {
            // Writing to a String cannot fail, here and below.
            let _ = write!(text, "\n{}: {}\n", words(study, row), row.ending());
            failed.message.lines().for_each(|line| text += &format!("  {line}\n"));
        }
    }
    text
}

/// `stencil with 4 ranks on gigabit-64`.
pub fn words(study: &Study, row: &Row) -> String {
    let setting = &study.settings[row.setting].name;
    let setting = if setting.is_empty() { String::new() } else { format!(", {setting}") };
    let (program, platform) = (&study.programs[row.program].name, &study.platforms[row.platform].name);
    let ranks = smpi_base::words::counted(row.ranks.into(), "rank");
    format!("{program} with {ranks} on {platform}{setting}")
}

/// The rows as CSV (RFC 4180), with all digits; what is not known is empty.
pub fn csv(study: &Study, rows: &[Row]) -> String {
    let mut text = String::from(
        "program,platform,setting,ranks,simulated_time_secs,spread_secs,speed_up,efficiency,parallel_efficiency,load_balance,\
         serialisation,transfer,contention,hosts,cost,exit_code,message\n",
    );
    for row in rows {
        let of = |value: fn(&Figures) -> f64| row.figures.as_ref().map(value);
        let pop = |value: fn(&Figures) -> f64| row.figures.as_ref().filter(|ran| ran.parallel > 0.0).map(value);
        let names = [
            &study.programs[row.program].name,
            &study.platforms[row.platform].name,
            &study.settings[row.setting].name,
            &row.ranks.to_string(),
        ];
        let mut cells: Vec<String> = names.map(|name| quoted(name)).to_vec();
        let numbers = [
            of(|ran| ran.simulated_time_secs),
            row.figures.as_ref().map(|_| row.spread_secs),
            row.speed_up,
            row.efficiency,
            pop(|ran| ran.parallel),
            pop(|ran| ran.load_balance),
            pop(|ran| ran.serialisation),
            pop(|ran| ran.transfer),
            pop(|ran| ran.contention),
            of(|ran| ran.hosts.into()),
            row.cost,
        ];
        cells.extend(numbers.map(|value| value.map(|value| value.to_string()).unwrap_or_default()));
        let code = row.failed.as_ref().map(|failed| failed.code.map(|code| code.to_string()).unwrap_or_default());
        cells.push(code.unwrap_or_else(|| "0".to_string()));
        cells.push(row.failed.as_ref().map(|failed| quoted(&failed.message)).unwrap_or_default());
        text += &cells.join(",");
        text.push('\n');
    }
    text
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_string() }
}

#[cfg(test)]
pub mod tests {
    use super::super::study::{Compute, Platform, Program, Setting};
    use super::*;
    use std::path::PathBuf;

    /// Two platforms, one of which has a price.
    pub fn study(is_weak: bool) -> Study {
        let program = Program {
            name: "a<b>".into(),
            path: "./a".into(),
            args: Vec::new(),
            files: Vec::new(),
            ranks: vec![2, 4],
            is_weak,
        };
        let platform = |name: &str, cost_per_hour| Platform { name: name.into(), path: "p".into(), cost_per_hour };
        Study {
            directory: PathBuf::from("."),
            programs: vec![program],
            platforms: vec![platform("slow", None), platform("fast, dear", Some(36.0))],
            settings: vec![Setting::default()],
            compute: Compute::Off,
            repeat: 1,
        }
    }

    pub fn ran(secs: f64) -> Option<Outcome> {
        Some(Outcome::Ran(Figures { simulated_time_secs: secs, hosts: 2, ..Figures::default() }))
    }

    pub fn failed() -> Option<Outcome> {
        Some(Outcome::Failed(Failed { code: Some(3), message: "all wait\nsaid \"a\"".into() }))
    }

    fn filled(study: &Study, outcomes: &[Option<Outcome>]) -> Vec<Row> {
        rows(study, &super::super::run::jobs(study), outcomes)
    }

    #[test]
    fn the_smallest_run_counts_as_parallel() {
        let strong = filled(&study(false), &[ran(8.0), ran(5.0), None, ran(1.0)]);
        let speed_ups: Vec<_> = strong.iter().map(|row| (row.speed_up, row.efficiency)).collect();
        assert_eq!(speed_ups, [(Some(2.0), Some(1.0)), (Some(3.2), Some(0.8)), (Some(4.0), Some(1.0))]);
        // Two hosts at 36 an hour are 0.02 a second.
        assert_eq!((strong[0].cost, strong[2].cost), (None, Some(0.02)));
        let weak = filled(&study(true), &[ran(8.0), ran(10.0), failed(), failed()]);
        assert_eq!((weak[1].speed_up, weak[1].efficiency), (Some(3.2), Some(0.8)));
        assert!(weak[2].failed.is_some() && weak[2].speed_up.is_none());
    }

    #[test]
    fn repeated_runs_have_a_median() {
        let repeated = Study { repeat: 3, ..study(false) };
        let rows = filled(&repeated, &[ran(3.0), ran(1.0), ran(1.5), failed(), ran(2.0)]);
        assert_eq!(rows[0].figures.as_ref().unwrap().simulated_time_secs, 1.5);
        assert_eq!((rows[0].spread_secs, rows[1].spread_secs), (2.0, 0.0));
        assert!(rows[1].failed.is_some() && rows[1].figures.is_some());
    }

    #[test]
    fn tables_and_csv() {
        let study = study(false);
        let rows = filled(&study, &[ran(8.0), ran(5.0), failed(), ran(1.0)]);
        let table = text(&study, &rows);
        assert_eq!(
            table,
            "program  platform    ranks     time [s]  speed-up  efficiency      cost  ended\n\
             a<b>     slow            2  8.000000000      2.00     100.0 %\n\
             a<b>     slow            4  5.000000000      3.20      80.0 %\n\
             a<b>     fast, dear      2            -         -           -            failed: 3\n\
             a<b>     fast, dear      4  1.000000000      4.00     100.0 %  2.000e-2\n\n\
             a<b> with 2 ranks on fast, dear: failed: 3\n  all wait\n  said \"a\"\n"
        );
        let lines: Vec<String> = csv(&study, &rows).lines().skip(1).map(String::from).collect();
        assert_eq!(lines[0], "a<b>,slow,,2,8,0,2,1,,,,,,2,,0,");
        assert_eq!(lines[2], "a<b>,\"fast, dear\",,2,,,,,,,,,,,,3,\"all wait");
        assert_eq!(lines[4], "a<b>,\"fast, dear\",,4,1,0,4,1,,,,,,2,0.02,0,");
    }
}
