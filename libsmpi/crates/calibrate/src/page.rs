//! The result of a calibration as one HTML page that needs nothing else: points, fit, residuals, constants.

use std::fmt::Write;

use smpi_base::markup::escaped;

use crate::model::{Model, Section, Site};
use crate::plot::{Plot, Scale};
use crate::samples::Samples;
use crate::text::{rate, speed, time};

/// The page. `platform`: the file that was written, as text.
pub fn page(model: &Model, samples: &Samples, site: &Site, platform: &str) -> String {
    let mut page = String::from("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
    let _ = writeln!(
        page,
        "<title>Calibration: {}</title>\n<style>\n{}</style>\n</head>\n<body>\n<h1>Calibration of {}</h1>",
        escaped(&samples.hosts.join(", ")),
        include_str!("page.css"),
        escaped(&samples.library)
    );
    let (median, worst) = model.errors();
    let _ = writeln!(
        page,
        "<p><code>smpirun calibrate --with \"{}\"</code>, between {}. The fit is {:.1} % off in the median of {} sizes, \
         {:.1} % at worst.</p>",
        escaped(&site.command),
        escaped(&samples.hosts.join(" and ")),
        100.0 * median,
        model.points.len(),
        100.0 * worst
    );
    if !samples.disturbances.is_empty() {
        let _ = writeln!(page, "<p>Of a busy machine: {}.</p>", escaped(&samples.disturbances.join("; ")));
    }
    facts(&mut page, model);
    page.push_str("<section><h2>From rank to rank</h2>\n");
    page.push_str(
        "<p><span class=\"key measured\">measured</span>: lowest decile, with a bar from the least to the median; \
         <span class=\"key fit\">model</span>; <span class=\"key send\">MPI_Send</span> and <span class=\"key \
         receive\">receive of a message that is there</span>, as far as they are part of it. Dotted: breaks of the \
         network's factors; dashed: from this size on MPI_Send waits for its receiver.</p>\n",
    );
    page.push_str(&times(model));
    page.push_str("</section>\n<section><h2>Residuals</h2>\n<p>Model over measured, minus 1.</p>\n");
    page.push_str(&residuals(model));
    page.push_str("</section>\n<section><h2>Pieces</h2>\n");
    tables(&mut page, model);
    let _ = writeln!(
        page,
        "</section>\n<section><h2>The platform</h2>\n<pre>{}</pre></section>\n<p>libsmpi {}</p>\n</body>\n</html>",
        escaped(platform),
        env!("CARGO_PKG_VERSION")
    );
    page
}

fn facts(page: &mut String, model: &Model) {
    let known = |value: Option<String>| value.unwrap_or_else(|| "not measured".into());
    let mut rows = vec![
        ("latency", time(model.latency())),
        ("bandwidth of large messages", rate(model.bandwidth())),
        ("MPI_Send waits from", format!("{} bytes on", model.detached_below)),
        ("messages leave without a receive below", format!("{} bytes", model.eager_below)),
        ("speed of a core", known(model.speed.map(speed))),
        ("memcpy", known(model.copy_rate.map(rate))),
    ];
    if let Some((latency, bandwidth)) = model.local {
        rows.push(("inside a host", format!("{}, {}", time(latency), rate(bandwidth))));
    }
    let polls = ["MPI_Wtime", "MPI_Test", "MPI_Iprobe"].into_iter().zip(model.polls);
    rows.extend(polls.map(|(name, seconds)| (name, known(seconds.map(time)))));
    page.push_str("<section><table>\n");
    for (name, value) in rows {
        let _ = writeln!(page, "<tr><td>{name}</td><td>{value}</td></tr>");
    }
    page.push_str("</table></section>\n");
}

fn largest(model: &Model) -> u64 {
    model.points.last().map_or(1, |point| point.bytes)
}

fn times(model: &Model) -> String {
    let parts = |point: &crate::model::Measured| [Some(point.seconds), point.send, point.receive];
    let values = || model.points.iter().flat_map(parts).flatten().filter(|value| *value > 1e-9);
    let range = (values().fold(f64::INFINITY, f64::min) * 0.7, values().fold(0.0, f64::max) * 1.4);
    let mut plot = Plot::new(430.0, Scale::Logarithmic, largest(model), range);
    marks(&mut plot, model);
    for point in &model.points {
        plot.bar(point.bytes, point.range);
        for (class, value) in ["measured", "send", "receive"].into_iter().zip(parts(point)) {
            if let Some(value) = value.filter(|value| *value > 0.0) {
                plot.point(class, point.bytes, value, &format!("{} bytes: {}", point.bytes, time(value)));
            }
        }
    }
    for (low, high) in spans(model) {
        plot.curve("fit", (low, high), |bytes| model.predict(bytes.round() as u64));
    }
    plot.finish("time by size", time)
}

fn residuals(model: &Model) -> String {
    let most = model.errors().1.clamp(0.02, 1.0);
    let mut plot = Plot::new(240.0, Scale::Linear, largest(model), (-most, most));
    marks(&mut plot, model);
    for (bytes, error) in model.residuals() {
        plot.point("measured", bytes, error, &format!("{bytes} bytes: {:+.1} %", 100.0 * error));
    }
    plot.finish("residuals by size", |value| format!("{:+.1} %", 100.0 * value))
}

/// Where the prediction is one line: between all places where it may jump.
fn spans(model: &Model) -> Vec<(u64, u64)> {
    let sections = [&model.network, &model.send, &model.receive];
    let mut ends: Vec<u64> = sections.iter().flat_map(|all| all.iter().map(|section| section.above)).collect();
    ends.extend([0, largest(model), model.detached_below.saturating_sub(1).min(largest(model))]);
    ends.sort_unstable();
    ends.dedup();
    ends.windows(2).map(|pair| (if pair[0] == 0 { 0 } else { pair[0] + 1 }, pair[1])).collect()
}

fn marks(plot: &mut Plot, model: &Model) {
    for section in model.network.iter().skip(1) {
        plot.mark("break", section.above, &format!("above {} bytes", section.above));
    }
    if model.detached_below <= largest(model) {
        plot.mark("switch", model.detached_below, &format!("MPI_Send waits from {} bytes on", model.detached_below));
    }
}

fn tables(page: &mut String, model: &Model) {
    page.push_str("<table>\n<tr><th>network, above</th><th>latency</th><th>rate</th><th>latency factor</th><th>bandwidth factor</th></tr>\n");
    for (section, (_, latency, bandwidth)) in model.network.iter().zip(model.factors()) {
        let _ = writeln!(
            page,
            "<tr><td>{} B</td><td>{}</td><td>{}</td><td>{latency:.4}</td><td>{bandwidth:.4}</td></tr>",
            section.above,
            time(section.line.start),
            rate_of(section)
        );
    }
    page.push_str("</table>\n");
    for (name, sections) in
        [("os: MPI_Send", &model.send), ("ois: MPI_Isend", &model.isend), ("or: receive", &model.receive)]
    {
        let _ = writeln!(page, "<table>\n<tr><th>{name}, above</th><th>start</th><th>rate</th></tr>");
        for section in sections {
            let (start, rate) = (time(section.line.start), rate_of(section));
            let _ = writeln!(page, "<tr><td>{} B</td><td>{start}</td><td>{rate}</td></tr>", section.above);
        }
        page.push_str("</table>\n");
    }
}

fn rate_of(section: &Section) -> String {
    if section.line.slope > 0.0 { rate(1.0 / section.line.slope) } else { "∞".into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::tests::sizes;
    use crate::samples::tests::output;

    #[test]
    fn the_page_has_all_points_and_is_well_formed() {
        let text = output(&sizes(), 65536, |_, bytes| 1e-6 + 1e-9 * bytes as f64);
        let text = text.replace("library test", "library <a> & b") + &Samples::disturbed(&["2 < 3".into()]);
        let samples = Samples::parse(&text).unwrap();
        let model = Model::fit(&samples, None);
        let site = Site { command: "x \"<y>\"".into(), hosts: 2, own_speed: None };
        let page = page(&model, &samples, &site, "# <platform>");
        let body = page.strip_prefix("<!DOCTYPE html>\n").unwrap();
        let tree = roxmltree::Document::parse(body).unwrap_or_else(|why| panic!("{why}"));
        let circles = tree
            .descendants()
            .filter(|node| node.has_tag_name("circle") && node.attribute("class") == Some("measured"));
        // Once among the times, once among the residuals.
        assert_eq!(circles.count(), 2 * model.points.len());
        assert_eq!(page, super::page(&model, &samples, &site, "# <platform>"));
    }
}
