//! The page of a sweep: for each program time, speed-up, efficiency and cost against ranks, then all runs, then what
//! failed. It needs nothing else: no network, no fonts, no script. Its style is that of the other pages.

use std::fmt::Write;

use smpi_base::markup::escaped;
use smpi_base::words::counted;

use super::chart::{Chart, Line, Scale, class};
use super::study::{Compute, Study};
use super::table::{self, Row};

/// The page; `name` is that of the study.
pub fn page(name: &str, study: &Study, rows: &[Row]) -> String {
    let failed = rows.iter().filter(|row| row.failed.is_some()).count();
    let mut page = String::from("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
    page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
    page.push_str("<meta name=\"color-scheme\" content=\"light dark\"/>\n");
    let of = |number: usize, noun: &str| counted(number as u64, noun);
    let headline = format!("{} on {}", of(study.programs.len(), "program"), of(study.platforms.len(), "platform"));
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(page, "<title>{headline} · {}</title>", escaped(name));
    let style = concat!(include_str!("../../../libsmpi/crates/report/src/page.css"), include_str!("page.css"));
    let _ = writeln!(page, "<style>\n{style}</style>\n</head>\n<body>");
    let (sign, state) = if failed > 0 { ("!", "error") } else { ("⇄", "ok") };
    let _ = writeln!(
        page,
        "<header class=\"{state}\"><div class=\"sign\" aria-hidden=\"true\">{sign}</div><div><h1>{headline}</h1>\
         <p><code>smpirun sweep {}</code></p></div></header>\n<main>",
        escaped(name)
    );
    facts(&mut page, study, rows, failed);
    for (program, app) in study.programs.iter().enumerate() {
        let of_program: Vec<&Row> = rows.iter().filter(|row| row.program == program).collect();
        let _ = writeln!(page, "<section class=\"card\"><h2>{}</h2>", escaped(&app.name));
        let words = escaped(
            &[app.path.as_str()].into_iter().chain(app.args.iter().map(String::as_str)).collect::<Vec<_>>().join(" "),
        );
        let grows = if app.is_weak { ": its work grows with the ranks" } else { "" };
        let _ = writeln!(page, "<p class=\"meta\"><code>{words}</code>{grows}</p>");
        charts(&mut page, study, &of_program);
        page.push_str("</section>\n");
    }
    runs(&mut page, study, rows);
    failures(&mut page, study, rows);
    let _ = writeln!(page, "</main>\n<footer>libsmpi {}</footer>\n</body>\n</html>", env!("CARGO_PKG_VERSION"));
    page
}

fn facts(page: &mut String, study: &Study, rows: &[Row], failed: usize) {
    let compute = match study.compute {
        Compute::Off => "takes no time",
        Compute::Recorded => "recorded",
        Compute::Measured => "measured",
    };
    let facts = [
        ("rows", rows.len().to_string()),
        ("failed", failed.to_string()),
        ("settings", study.settings.len().to_string()),
        ("computation between calls", compute.to_string()),
        ("runs a row", study.repeat.to_string()),
    ];
    page.push_str("<section class=\"facts\">\n<dl>\n");
    for (name, value) in facts {
        let _ = writeln!(page, "<div><dt>{name}</dt><dd>{value}</dd></div>");
    }
    page.push_str("</dl>\n</section>\n");
}

/// The charts of a program, and the legend that they share.
fn charts(page: &mut String, study: &Study, rows: &[&Row]) {
    let lines = |value: fn(&Row) -> Option<f64>| -> Vec<Line> {
        let groups = rows.chunk_by(|one, other| one.series() == other.series());
        let line = |group: &[&Row]| {
            let points = group.iter().filter_map(|row| Some((f64::from(row.ranks), value(row)?))).collect();
            Some(Line { name: series(study, group.first()?), number: number(study, group.first()?), points })
        };
        groups.filter_map(line).filter(|line| !line.points.is_empty()).collect()
    };
    let percent = |value: f64| format!("{:.0} %", 100.0 * value);
    let secs = lines(|row| row.figures.as_ref().map(|ran| ran.simulated_time_secs).filter(|secs| *secs > 0.0));
    let pop = lines(|row| row.figures.as_ref().map(|ran| ran.parallel).filter(|factor| *factor > 0.0));
    let all = [
        Chart { title: "simulated time", scale: Scale::Tens, ideal: None, words: duration, lines: secs },
        Chart {
            title: "speed-up",
            scale: Scale::Twos,
            ideal: Some(|ranks| ranks),
            words: |value| {
                if value < 1.0 { format!("{value:.3}") } else { format!("{}", (100.0 * value).round() / 100.0) }
            },
            lines: lines(|row| row.speed_up),
        },
        Chart {
            title: "efficiency beside the fewest ranks",
            scale: Scale::Linear,
            ideal: Some(|_| 1.0),
            words: percent,
            lines: lines(|row| row.efficiency),
        },
        Chart { title: "parallel efficiency", scale: Scale::Linear, ideal: Some(|_| 1.0), words: percent, lines: pop },
        Chart { title: "cost", scale: Scale::Linear, ideal: None, words: cost, lines: lines(|row| row.cost) },
    ];
    page.push_str("<div class=\"legend\">");
    for group in rows.chunk_by(|one, other| one.series() == other.series()) {
        if let Some(first) = group.first() {
            let _ = write!(
                page,
                "<span class=\"{}\">{}</span>",
                class(number(study, first)),
                escaped(&series(study, first))
            );
        }
    }
    page.push_str("<span class=\"ideal\">ideal</span></div>\n<div class=\"charts\">\n");
    all.iter().for_each(|chart| page.push_str(&chart.svg()));
    page.push_str("</div>\n");
}

/// The name of a line: its platform and setting.
fn series(study: &Study, row: &Row) -> String {
    let (platform, setting) = (&study.platforms[row.platform].name, &study.settings[row.setting].name);
    if setting.is_empty() { platform.clone() } else { format!("{platform}, {setting}") }
}

/// The number of a line: the same in all charts, whatever failed.
fn number(study: &Study, row: &Row) -> usize {
    row.platform * study.settings.len() + row.setting
}

fn duration(secs: f64) -> String {
    let units = [("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)];
    // Marks such as 0.001 are not always that in binary.
    let (unit, size) = units.into_iter().find(|(_, size)| secs >= size * (1.0 - 1e-9)).unwrap_or(units[3]);
    format!("{} {unit}", three(secs / size))
}

fn cost(value: f64) -> String {
    if value == 0.0 || (0.01..1e6).contains(&value) { three(value) } else { format!("{value:.1e}") }
}

/// A number with three digits, without zeros at its end.
fn three(value: f64) -> String {
    let digits = if value > 0.0 { (2.0 - value.log10().floor()).clamp(0.0, 6.0) as usize } else { 0 };
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

fn runs(page: &mut String, study: &Study, rows: &[Row]) {
    page.push_str("<section class=\"card\" id=\"runs\"><h2>Runs</h2>\n");
    page.push_str(
        "<p class=\"meta\">Speed-up and efficiency are beside the fewest ranks of the same program, platform and setting, \
         which count as perfectly parallel. Below each run stands what costs most in it.</p>\n<div class=\"scroll\"><table><thead><tr>",
    );
    let columns = table::columns(study, rows);
    let class = |is_number: bool| if is_number { " class=\"n\"" } else { "" };
    for (name, is_number, _) in &columns {
        let _ = write!(page, "<th{}>{name}</th>", class(*is_number));
    }
    page.push_str("</tr></thead><tbody>\n");
    for row in rows {
        page.push_str(if row.failed.is_some() { "<tr class=\"bad\">" } else { "<tr>" });
        for (_, is_number, cell) in &columns {
            let _ = write!(page, "<td{}>{}</td>", class(*is_number), escaped(&cell(study, row)));
        }
        page.push_str("</tr>\n");
        if let Some((share, words)) = row.figures.as_ref().and_then(|ran| ran.cause.as_ref()) {
            let (count, words) = (columns.len(), escaped(words));
            let _ =
                writeln!(page, "<tr class=\"cause\"><td colspan=\"{count}\">{:.1} %: {words}</td></tr>", 100.0 * share);
        }
    }
    page.push_str("</tbody></table></div></section>\n");
}

fn failures(page: &mut String, study: &Study, rows: &[Row]) {
    let failures: Vec<_> = rows.iter().filter_map(|row| Some((row, row.failed.as_ref()?))).collect();
    if failures.is_empty() {
        return;
    }
    page.push_str("<section class=\"card\" id=\"failed\"><h2>Failed runs</h2>\n");
    for (row, failed) in failures {
        let _ = writeln!(page, "<h3>{}: {}</h3>", escaped(&table::words(study, row)), row.ending());
        let _ = writeln!(page, "<pre>{}</pre>", escaped(&failed.message));
    }
    page.push_str("</section>\n");
}

#[cfg(test)]
mod tests {
    use super::super::run::jobs;
    use super::super::table::rows;
    use super::super::table::tests::{failed, ran, study};
    use super::*;

    #[test]
    fn the_page_has_charts_and_failures_and_no_markup_of_others() {
        let study = study(false);
        let rows = rows(&study, &jobs(&study), &[ran(8.0), ran(5.0), failed(), ran(1.0)]);
        let page = page("s<b>.toml", &study, &rows);
        for part in ["simulated time", "speed-up", "efficiency beside", "cost", "said &quot;a&quot;", "fast, dear"] {
            assert!(page.contains(part), "{part}");
        }
        // There was no computation.
        assert!(!page.contains(">parallel efficiency<") && !page.contains("<b>") && !page.contains("NaN"));
    }

    #[test]
    fn values_have_three_digits() {
        assert_eq!([0.5, 0.001, 2e-5, 12.0, 1.23456].map(duration), ["500 ms", "1 ms", "20 µs", "12 s", "1.23 s"]);
        assert_eq!([0.0, 0.02, 1.5, 2.5e-7].map(cost), ["0", "0.02", "1.5", "2.5e-7"]);
    }
}
