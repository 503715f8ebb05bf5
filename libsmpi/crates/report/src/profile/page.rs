//! The page of a simulation: what costs most, efficiency, timeline, critical path, links, messages and calls. It needs
//! nothing else: no network, no fonts, and one script of its own, which draws.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::json;
use smpi_base::markup::escaped;
use smpi_base::words::counted;

use super::picture::{self, Picture};
use super::text::{bytes, seconds};
use super::{CallRow, Profile, RankRow, Time};
use smpi_base::words::grouped;

/// Rows of a table that is not folded away.
const ROWS: usize = 15;
/// Rows of a table at most.
const MOST_ROWS: usize = 500;
/// Links that are drawn.
const LINKS: usize = 12;
/// Steps of the critical path that are drawn.
const MOST_STEPS: usize = 4_000;

impl Profile {
    /// The page.
    pub fn html(&self, picture: &Picture) -> String {
        let mut page = String::from("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
        page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
        page.push_str("<meta name=\"color-scheme\" content=\"light dark\"/>\n");
        let headline = format!("{} on {}", seconds(self.simulated_time_secs), self.platform);
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(page, "<title>{} · {}</title>", escaped(&headline), escaped(&self.command));
        let _ = writeln!(
            page,
            "<style>\n{}{}</style>\n</head>\n<body>",
            include_str!("../page.css"),
            include_str!("page.css")
        );
        let _ = writeln!(
            page,
            "<header class=\"ok\"><div class=\"sign\" aria-hidden=\"true\">◷</div><div><h1>{}</h1>\
             <p><code>smpirun {}</code></p></div></header>\n<main>",
            escaped(&headline),
            escaped(&self.command)
        );
        self.facts(&mut page);
        self.reasons(&mut page);
        self.efficiency_card(&mut page);
        timeline(&mut page, picture);
        self.path_card(&mut page);
        self.calls_card(&mut page);
        self.collectives_card(&mut page);
        self.computations_card(&mut page);
        self.ranks_card(&mut page);
        self.network_card(&mut page);
        let _ = writeln!(
            page,
            "</main>\n<footer>libsmpi {}</footer>\n<script type=\"application/json\" id=\"data\">{}</script>\n<script>\n{}</script>\n\
             </body>\n</html>",
            env!("CARGO_PKG_VERSION"),
            // A script ends where the text says so; nothing else is special in it.
            self.data(picture).to_string().replace("</", "<\\/"),
            include_str!("page.js")
        );
        page
    }

    fn facts(&self, page: &mut String) {
        let messages: u64 = self.message_sizes.iter().map(|row| row.messages).sum();
        let sent: u64 = self.message_sizes.iter().map(|row| row.bytes).sum();
        let efficiency = &self.efficiency;
        let mut facts = vec![
            ("simulated time", seconds(self.simulated_time_secs)),
            ("ranks", self.ranks.to_string()),
            ("messages", format!("{}, {}", grouped(messages), bytes(sent))),
            (
                "in MPI",
                format!("{:.1} %", 100.0 * self.share(self.time.total() - self.time.computation - self.time.sleep)),
            ),
        ];
        if efficiency.parallel > 0.0 {
            facts.push(("parallel efficiency", format!("{:.1} %", 100.0 * efficiency.parallel)));
        }
        page.push_str("<section class=\"facts\">\n<dl>\n");
        for (name, value) in facts {
            let _ = writeln!(page, "<div><dt>{name}</dt><dd>{}</dd></div>", escaped(&value));
        }
        page.push_str("</dl>\n</section>\n");
    }

    fn reasons(&self, page: &mut String) {
        page.push_str("<section class=\"card\" id=\"reasons\"><h2>What costs most</h2>\n");
        if self.causes.is_empty() {
            page.push_str("<p class=\"meta\">Nothing but computation takes 1 % of the time.</p>\n");
        } else {
            page.push_str("<ol class=\"reasons\">\n");
            for cause in &self.causes {
                let share = 100.0 * self.share(cause.secs);
                let _ = writeln!(page, "<li><b>{share:.1} %</b>{}</li>", escaped(&cause.words));
            }
            page.push_str("</ol>\n");
        }
        let shown = |time: &Time| {
            [
                ("computation", time.computation),
                ("overhead", time.overhead),
                ("waiting", time.waiting()),
                ("transfer", time.transfer),
                ("contention", time.contention),
                ("sleep", time.sleep),
                ("ended and rest", time.ended + time.rest),
            ]
        };
        page.push_str("<div class=\"made\" role=\"img\" aria-label=\"what the time of all ranks is made up of\">");
        for (state, (name, secs)) in shown(&self.time).into_iter().enumerate() {
            let share = 100.0 * self.share(secs);
            let _ =
                write!(page, "<div class=\"s{state}\" style=\"flex:{share:.3}\" title=\"{name} {share:.1} %\"></div>");
        }
        page.push_str("</div>\n<div class=\"legend\">");
        for (state, (name, secs)) in shown(&self.time).into_iter().enumerate() {
            let _ = write!(page, "<span class=\"s{state}\">{name} {:.1} %</span>", 100.0 * self.share(secs));
        }
        page.push_str("</div>\n</section>\n");
    }

    fn efficiency_card(&self, page: &mut String) {
        let efficiency = &self.efficiency;
        if efficiency.parallel <= 0.0 {
            return;
        }
        page.push_str("<section class=\"card\" id=\"efficiency\"><h2>Efficiency</h2>\n<div class=\"factors\">\n");
        let factors = [
            ("load balance", efficiency.load_balance, "mean computation of a rank by the largest"),
            ("serialisation", efficiency.serialisation, "largest computation by the time on an ideal network"),
            ("transfer", efficiency.transfer, "time on an ideal network by the time without contention"),
            ("contention", efficiency.contention, "the time without contention by the simulated time"),
            ("parallel efficiency", efficiency.parallel, "the product of the four"),
        ];
        for (name, factor, meaning) in factors {
            let percent = 100.0 * factor;
            let class = if factor < 0.8 { "fill low" } else { "fill" };
            let _ = writeln!(
                page,
                "<div class=\"factor\" title=\"{meaning}\"><span>{name}</span><div class=\"track\"><div class=\"{class}\" \
                 style=\"width:{percent:.2}%\"></div></div><span class=\"number\">{percent:.1} %</span></div>"
            );
        }
        page.push_str("</div>\n</section>\n");
    }

    fn path_card(&self, page: &mut String) {
        let path = &self.critical_path;
        let _ = writeln!(page, "<section class=\"card\" id=\"path\"><h2>Critical path, {}</h2>", seconds(path.secs));
        page.push_str(
            "<p class=\"meta\">Activities without a gap from the start to the end: only what makes these shorter makes the run \
             shorter.</p>\n",
        );
        let rows = path.rows.iter().map(|row| {
            let of = if row.activity == "computation" { "after" } else { "of" };
            let share = row.secs / path.secs.max(f64::MIN_POSITIVE);
            vec![
                bar(share),
                seconds(row.secs),
                format!("{} {of} {}", row.activity, row.place.words()),
                row.count.to_string(),
            ]
        });
        table(page, &[("share", true), ("time", true), ("activity", false), ("times", true)], rows);
        page.push_str("</section>\n");
    }

    fn calls_card(&self, page: &mut String) {
        page.push_str("<section class=\"card\" id=\"calls\"><h2>Calls</h2>\n");
        let rows = self.calls.iter().map(|row| {
            let part =
                |secs: f64| if row.secs > 0.0 { format!("{:.0} %", 100.0 * secs / row.secs) } else { String::new() };
            let mut cells = vec![
                bar(self.share(row.secs)),
                seconds(row.secs),
                row.place.words(),
                row.calls.to_string(),
                part(row.time.waiting()),
                part(row.time.transfer),
                part(row.time.contention),
                part(row.time.overhead),
                bytes(row.sent_bytes),
                bytes(row.received_bytes),
                row.wait_state.clone(),
            ];
            cells.extend(self.paths_cell(row));
            cells
        });
        let columns = [
            ("share", true),
            ("time", true),
            ("call", false),
            ("calls", true),
            ("waiting", true),
            ("transfer", true),
            ("contention", true),
            ("overhead", true),
            ("sent", true),
            ("received", true),
            ("wait state", false),
        ];
        table(page, &columns, rows);
        page.push_str("</section>\n");
    }

    /// The paths that led to a call, folded away: markup; `None` where there is one.
    fn paths_cell(&self, row: &CallRow) -> Option<String> {
        let paths = row.different_paths();
        if paths.is_empty() {
            return None;
        }
        let mut cell = format!("<details><summary>by {} paths</summary><ul>", paths.len());
        for path in paths.iter().take(MOST_ROWS) {
            let share = 100.0 * self.share(path.secs);
            let waits = if path.secs > 0.0 { 100.0 * path.waiting_secs / path.secs } else { 0.0 };
            let words = escaped(&path.words());
            let calls = counted(path.calls, "call");
            let _ = write!(
                cell,
                "<li><b>{share:.1} %</b> {}, {calls}, {waits:.0} % waiting<br/>by {words}</li>",
                seconds(path.secs)
            );
        }
        cell.push_str("</ul></details>");
        Some(cell)
    }

    fn collectives_card(&self, page: &mut String) {
        if self.collectives.is_empty() {
            return;
        }
        page.push_str("<section class=\"card\" id=\"collectives\"><h2>Collective operations</h2>\n");
        page.push_str(
            "<p class=\"meta\">How far apart their ranks arrive, how long they take from the last arrival on, and how far apart \
             ranks are through: on average, and at most.</p>\n",
        );
        let rows = self.collectives.iter().map(|row| {
            vec![
                row.place.words(),
                row.algorithm.clone(),
                row.ranks.to_string(),
                row.bytes_words(),
                row.count.to_string(),
                row.arrivals.words(),
                row.duration.words(),
                row.ends.words(),
            ]
        });
        let columns = [
            ("call", false),
            ("algorithm", false),
            ("ranks", true),
            ("bytes", true),
            ("times", true),
            ("arrivals apart", true),
            ("takes from then on", true),
            ("ends apart", true),
        ];
        table(page, &columns, rows);
        page.push_str("</section>\n");
    }

    fn computations_card(&self, page: &mut String) {
        if self.computations.is_empty() {
            return;
        }
        page.push_str("<section class=\"card\" id=\"computations\"><h2>Computation between calls</h2>\n");
        let rows = self.computations.iter().map(|row| {
            vec![
                bar(self.share(row.secs)),
                seconds(row.secs),
                format!("after {}", row.after.words()),
                row.after.function.clone().unwrap_or_default(),
                row.count.to_string(),
                seconds(row.caused_secs),
            ]
        });
        let columns = [
            ("share", true),
            ("time", true),
            ("where", false),
            ("in the function", false),
            ("times", true),
            ("others wait meanwhile", true),
        ];
        table(page, &columns, rows);
        let functions = self.computing_functions();
        if functions.len() > 1 {
            page.push_str("<h3>By function, in which the call before is</h3>\n");
            let rows =
                functions.iter().map(|(name, secs)| vec![bar(self.share(*secs)), seconds(*secs), (*name).to_string()]);
            table(page, &[("share", true), ("time", true), ("function", false)], rows);
        }
        page.push_str("</section>\n");
    }

    /// Functions with the computation that follows their calls, in seconds; the longest first.
    fn computing_functions(&self) -> Vec<(&str, f64)> {
        let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
        for row in &self.computations {
            *sums.entry(row.after.function.as_deref().unwrap_or("(unknown)")).or_default() += row.secs;
        }
        let mut functions: Vec<(&str, f64)> = sums.into_iter().collect();
        functions.sort_by(|one, other| other.1.total_cmp(&one.1));
        functions
    }

    /// Ranks: those that compute longest first.
    fn ranks_card(&self, page: &mut String) {
        let mut ranks: Vec<&RankRow> = self.rank_rows.iter().collect();
        ranks.sort_by(|one, other| other.time.computation.total_cmp(&one.time.computation));
        let [first, .., last] = ranks[..] else { return };
        page.push_str("<section class=\"card\" id=\"ranks\"><h2>Ranks</h2>\n<p class=\"meta\">");
        let mean = self.time.computation / ranks.len() as f64;
        if mean > 0.0 {
            let times = |row: &RankRow| format!("{:.2} times", row.time.computation / mean);
            let _ = write!(
                page,
                "Rank {} computes for {} as long as the mean, {}; rank {} for {}. ",
                first.rank,
                times(first),
                seconds(mean),
                last.rank,
                times(last)
            );
        }
        page.push_str("Those that compute longest come first.</p>\n");
        let whole = self.simulated_time_secs.max(f64::MIN_POSITIVE);
        let rows = ranks.iter().map(|row| {
            let time = &row.time;
            vec![
                bar(time.computation / whole),
                row.rank.to_string(),
                row.host.clone(),
                seconds(time.computation),
                seconds(time.waiting()),
                seconds(time.transfer + time.contention),
                seconds(time.overhead),
                seconds(time.ended),
                seconds(row.caused_secs),
                bytes(row.heap_peak_bytes),
            ]
        });
        let columns = [
            ("computes", true),
            ("rank", true),
            ("host", false),
            ("computation", true),
            ("waiting", true),
            ("transfer", true),
            ("overhead", true),
            ("ended", true),
            ("others wait meanwhile", true),
            ("heap at most", true),
        ];
        table(page, &columns, rows);
        page.push_str("</section>\n");
    }

    fn network_card(&self, page: &mut String) {
        if self.message_sizes.is_empty() {
            return;
        }
        page.push_str("<section class=\"card\" id=\"network\"><h2>Network</h2>\n");
        if !self.links.is_empty() {
            page.push_str("<h3>Links over time</h3>\n");
            if self.drawn_links().next().is_some() {
                page.push_str("<div class=\"plot\"><canvas id=\"links\"></canvas></div>\n");
            }
            let rows = self.links.iter().map(|row| {
                let users: Vec<String> = row.users.iter().map(|user| user.place.words()).collect();
                let (busy, most) = match row.is_unshared {
                    true => ("not shared".to_string(), format!("{:.1} messages", row.peak_share)),
                    false => (bar(row.share), format!("{:.0} %", 100.0 * row.peak_share)),
                };
                vec![busy, row.name.clone(), most, users.join(", ")]
            });
            table(page, &[("busy", true), ("link", false), ("at most", true), ("whose messages", false)], rows);
        }
        page.push_str("<h3>Messages by sender (down) and receiver (across)</h3>\n<div class=\"plot\"><canvas id=\"matrix\"></canvas></div>\n");
        if self.shares_hosts() {
            page.push_str(
                "<h3>The same by their hosts</h3>\n<div class=\"plot\"><canvas id=\"host-matrix\"></canvas></div>\n",
            );
        }
        page.push_str("<h3>Messages by size</h3>\n");
        let rows = self
            .message_sizes
            .iter()
            .map(|row| vec![format!("below {}", bytes(row.below_bytes)), row.messages.to_string(), bytes(row.bytes)]);
        table(page, &[("size", false), ("messages", true), ("bytes", true)], rows);
        if self.communicators.len() > 1 {
            page.push_str("<h3>Communicators</h3>\n");
            let rows = self
                .communicators
                .iter()
                .map(|row| vec![row.name.clone(), row.calls.to_string(), seconds(row.secs), seconds(row.waiting_secs)]);
            table(page, &[("communicator", false), ("calls", true), ("time", true), ("waiting", true)], rows);
        }
        page.push_str("</section>\n");
    }

    /// The links whose use is drawn: those that can be full.
    fn drawn_links(&self) -> impl Iterator<Item = &super::LinkRow> {
        self.links.iter().filter(|link| !link.is_unshared).take(LINKS)
    }

    /// What the script draws.
    fn data(&self, picture: &Picture) -> serde_json::Value {
        let interval = picture.interval_secs;
        // Where nothing is drawn, intervals are short.
        let drawn = picture.intervals();
        let intervals =
            if interval > 0.0 { (self.simulated_time_secs / interval).ceil().min(drawn as f64) } else { 0.0 };
        let intervals = intervals as usize;
        let rows: Vec<_> = picture
            .fold(intervals)
            .into_iter()
            .map(|row| {
                json!({
                    "label": row.label, "first": row.ranks.first(), "last": row.ranks.last(),
                    "ranks": if row.ranks.len() > 1 { Some(&row.ranks) } else { None }, "states": base64(&row.states),
                })
            })
            .collect();
        let spans: Vec<_> = picture
            .spans
            .iter()
            .map(|span| {
                let kind = u8::from(span.is_call);
                json!([
                    span.rank,
                    span.start,
                    span.end,
                    kind,
                    span.wait,
                    span.transfer,
                    span.contention,
                    span.overhead,
                    span.place
                ])
            })
            .collect();
        let messages: Vec<_> =
            picture.messages.iter().map(|one| json!([one.from, one.to, one.start, one.end])).collect();
        let thinned = self.critical_path.steps.len().div_ceil(MOST_STEPS).max(1);
        let path: Vec<_> = (self.critical_path.steps.chunks(thinned))
            .filter_map(|steps| Some((steps.first()?, steps.last()?)))
            .map(|(first, last)| json!([first.rank, last.peer, first.start, last.end]))
            .collect();
        let of_link = |link: &super::LinkRow| {
            let used = (self.simulated_time_secs / link.interval_secs.max(f64::MIN_POSITIVE)).ceil() as usize;
            let shares: Vec<u8> =
                link.over_time.iter().take(used).map(|share| (share * 255.0).min(255.0) as u8).collect();
            json!({ "name": link.name, "interval": link.interval_secs, "use": base64(&shares) })
        };
        json!({
            "secs": self.simulated_time_secs, "interval": interval, "rows": rows, "spans": spans, "messages": messages,
            "places": picture.places, "path": path, "matrix": picture::matrix(self), "hostMatrix": picture::host_matrix(self),
            "links": self.drawn_links().map(of_link).collect::<Vec<_>>(),
        })
    }
}

fn timeline(page: &mut String, picture: &Picture) {
    page.push_str("<section class=\"card\" id=\"time\"><h2>Timeline</h2>\n<div class=\"tools\">");
    page.push_str("<button id=\"zoom-in\">zoom in</button><button id=\"zoom-out\">zoom out</button><button id=\"zoom-all\">all</button>");
    let (disabled, why) = match picture.messages.is_empty() {
        true => (" disabled=\"disabled\"", " title=\"too many to be drawn\""),
        false => ("", ""),
    };
    let _ = writeln!(
        page,
        "<label><input type=\"checkbox\" id=\"show-path\" checked=\"checked\"/> critical path</label>\
         <label{why}><input type=\"checkbox\" id=\"show-messages\"{disabled}/> messages</label>\
         <span>wheel: zoom, drag: move</span></div>"
    );
    page.push_str("<div class=\"plot\"><canvas id=\"timeline\"></canvas></div>\n<div class=\"legend\">");
    for (state, name) in ["computation", "overhead", "waiting", "transfer", "contention", "sleep"].iter().enumerate() {
        let _ = write!(page, "<span class=\"s{state}\">{name}</span>");
    }
    let count = picture.rows.len();
    let _ = writeln!(
        page,
        "</div>\n<noscript><p>The picture of {} is drawn by a script.</p></noscript></section>",
        counted(count as u64, "rank")
    );
}

/// How one begins that is a bar.
const BAR_BEGIN: &str = "<span class=\"bar\"";

/// A share as a bar and a number: markup, which [`table`] leaves as it is.
fn bar(share: f64) -> String {
    let percent = (100.0 * share).clamp(0.0, 100.0);
    format!("{BAR_BEGIN} style=\"width:{:.1}px\"></span>{percent:.1} %", 0.6 * percent)
}

/// A table; columns are their heads, and whether they are numbers. Rows beyond the first are folded away. A cell beyond
/// the last column is markup, and has a row for itself.
fn table(page: &mut String, columns: &[(&str, bool)], rows: impl ExactSizeIterator<Item = Vec<String>>) {
    let count = rows.len();
    let class = |is_number: bool| if is_number { " class=\"n\"" } else { "" };
    let head = |page: &mut String| {
        page.push_str("<div class=\"scroll\"><table><thead><tr>");
        for (name, is_number) in columns {
            let _ = write!(page, "<th{}>{name}</th>", class(*is_number));
        }
        page.push_str("</tr></thead><tbody>\n");
    };
    head(page);
    for (index, row) in rows.take(MOST_ROWS).enumerate() {
        if index == ROWS {
            let _ = write!(page, "</tbody></table></div>\n<details><summary>{} more</summary>", count - ROWS);
            head(page);
        }
        page.push_str("<tr>");
        for (cell, (_, is_number)) in row.iter().zip(columns) {
            let text = if cell.starts_with(BAR_BEGIN) { cell.clone() } else { escaped(cell) };
            let _ = write!(page, "<td{}>{text}</td>", class(*is_number));
        }
        page.push_str("</tr>\n");
        for cell in row.iter().skip(columns.len()) {
            let _ = writeln!(page, "<tr class=\"below\"><td colspan=\"{}\">{cell}</td></tr>", columns.len());
        }
    }
    page.push_str("</tbody></table></div>\n");
    if count > ROWS {
        page.push_str("</details>\n");
    }
}

/// RFC 4648 §4.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize] as char;
            text.push(if place <= chunk.len() { letter } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_as_letters() {
        assert_eq!([base64(b""), base64(b"f"), base64(b"fo"), base64(b"foobar")], ["", "Zg==", "Zm8=", "Zm9vYmFy"]);
    }

    #[test]
    fn names_of_programs_are_no_markup() {
        let profile = Profile { command: "-np 1 ./<b>".into(), platform: "</script>".into(), ..Profile::default() };
        let page = profile.html(&Picture { places: vec!["</script>".into()], ..Picture::default() });
        assert!(!page.contains("./<b>") && page.matches("</script>").count() == 2);
    }
}
