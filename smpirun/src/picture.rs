//! A platform as a picture: zones as boxes in boxes, hosts as squares, routers and switches as circles, ways as lines.
//!
//! Large things are cut, and say so: clusters to [`MOST_HOSTS`] hosts, tori to a plane, ways to their first links.

use std::fmt::Write;

use smpi_base::markup::escaped;
use smpi_platform::{Dragonfly, FatTree, Member, Outline, Platform, Topology, Torus};

/// Hosts of a cluster that are drawn.
pub const MOST_HOSTS: usize = 64;
/// Names of links at a way that are written.
const MOST_NAMES: usize = 3;

/// Pixels: side of a host, distance of hosts, margin of a box, height of a line of text, width of a letter.
const HOST: f64 = 12.0;
const STEP: f64 = 22.0;
const MARGIN: f64 = 16.0;
const LINE: f64 = 16.0;
const LETTER: f64 = 6.7;

/// Something drawn, with its upper left corner at (0, 0).
struct Drawing {
    width: f64,
    height: f64,
    svg: String,
}

/// Where something is drawn.
struct Frame {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Frame {
    fn centre(&self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// Where the line from the centre to a point outside leaves the frame.
    fn edge_towards(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let (cx, cy) = self.centre();
        let (dx, dy) = (x - cx, y - cy);
        let part = |half: f64, distance: f64| if distance == 0.0 { f64::INFINITY } else { half / distance.abs() };
        let part = part(self.width / 2.0, dx).min(part(self.height / 2.0, dy)).min(1.0);
        (cx + dx * part, cy + dy * part)
    }
}

/// The picture of a platform as an SVG document.
pub fn of(platform: &Platform) -> String {
    let outline = platform.outline(MOST_HOSTS);
    // A box around nothing but a box says nothing.
    let Drawing { width, height, svg } = match &outline.members[..] {
        [Member::Zone(only)] => zone(only),
        _ => zone(&outline),
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} \
         {height:.0}\" font-family=\"sans-serif\" font-size=\"12\">\n<title>{}</title>\n<rect width=\"100%\" \
         height=\"100%\" fill=\"white\"/>\n{svg}</svg>\n",
        escaped(platform.name())
    )
}

/// A box with a title around something.
fn boxed(name: &str, kind: &str, inner: Drawing) -> Drawing {
    let title = if name.is_empty() { kind.to_owned() } else { format!("{name} ({kind})") };
    let width = (inner.width + 2.0 * MARGIN).max(title.chars().count() as f64 * LETTER + 2.0 * MARGIN);
    let height = inner.height + 2.0 * MARGIN + LINE;
    let mut svg = format!(
        "<rect x=\"2\" y=\"2\" width=\"{:.0}\" height=\"{:.0}\" rx=\"6\" fill=\"#4477aa\" fill-opacity=\"0.06\" \
         stroke=\"#4477aa\"/>\n<text x=\"{MARGIN}\" y=\"18\">{}</text>\n",
        width - 4.0,
        height - 4.0,
        escaped(&title)
    );
    placed(&mut svg, MARGIN, MARGIN + LINE, &inner.svg);
    Drawing { width, height, svg }
}

fn placed(svg: &mut String, x: f64, y: f64, inner: &str) {
    let _ = write!(svg, "<g transform=\"translate({x:.1} {y:.1})\">\n{inner}</g>\n");
}

fn line(svg: &mut String, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
    let _ = writeln!(
        svg,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"#888\" stroke-width=\"0.8\"/>"
    );
}

fn host(svg: &mut String, (x, y): (f64, f64), name: &str) {
    let (x, y) = (x - HOST / 2.0, y - HOST / 2.0);
    let name = escaped(name);
    let _ = writeln!(
        svg,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{HOST}\" height=\"{HOST}\" fill=\"#ddaa33\"><title>{name}</title></rect>"
    );
}

fn switch(svg: &mut String, (x, y): (f64, f64), name: &str) {
    let name = escaped(name);
    let _ =
        writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"6\" fill=\"#4477aa\"><title>{name}</title></circle>");
}

fn label(svg: &mut String, (x, y): (f64, f64), text: &str) {
    let text = escaped(text);
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" font-size=\"10\">{text}</text>");
}

/// A zone or cluster in its box.
fn zone(outline: &Outline) -> Drawing {
    let inner = match &outline.topology {
        Some(topology) => cluster(outline, topology),
        None => members(outline),
    };
    boxed(&outline.name, &outline.kind, inner)
}

/// Members side by side, in rows of about equal length, and the ways between them.
fn members(outline: &Outline) -> Drawing {
    let drawings: Vec<Drawing> = outline.members.iter().map(member).collect();
    let area: f64 = drawings.iter().map(|drawing| (drawing.width + STEP) * (drawing.height + 2.0 * STEP)).sum();
    let widest = drawings.iter().map(|drawing| drawing.width).fold(0.0, f64::max);
    let limit = (1.6 * area).sqrt().max(widest);
    let (mut x, mut y, mut row, mut width) = (0.0, 0.0, 0.0, 0.0_f64);
    let (mut svg, mut frames) = (String::new(), Vec::new());
    for drawing in &drawings {
        if x > 0.0 && x + drawing.width > limit {
            (x, y, row) = (0.0, y + row + 2.0 * STEP, 0.0);
        }
        placed(&mut svg, x, y, &drawing.svg);
        frames.push(Frame { x, y, width: drawing.width, height: drawing.height });
        row = f64::max(row, drawing.height);
        x += drawing.width + 2.0 * STEP;
        width = width.max(x - 2.0 * STEP);
    }
    let height = y + row;
    let middle = (width / 2.0, height + STEP);
    let point = Frame { x: middle.0, y: middle.1, width: 0.0, height: 0.0 };
    // Where there are many ways, names would lie upon each other.
    let is_labelled = outline.joins.len() <= outline.members.len();
    let mut ways = String::new();
    let is_star = outline.joins.iter().any(|join| join.1.is_none());
    for (from, to, links) in &outline.joins {
        let (one, other) = (&frames[*from], to.map_or(&point, |to| &frames[to]));
        let (a, b) = (one.edge_towards(other.centre()), other.edge_towards(one.centre()));
        line(&mut ways, a, b);
        if is_labelled {
            let names: Vec<&str> = links.iter().take(MOST_NAMES).map(String::as_str).collect();
            let more = if links.len() > MOST_NAMES { " …" } else { "" };
            label(&mut ways, ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0 - 3.0), &format!("{}{more}", names.join(" ")));
        }
    }
    if is_star {
        switch(&mut ways, middle, "the middle");
    }
    Drawing { width, height: if is_star { height + 2.0 * STEP } else { height }, svg: svg + &ways }
}

fn member(member: &Member) -> Drawing {
    let name = match member {
        Member::Zone(outline) => return zone(outline),
        Member::Host(name) | Member::Router(name) => name,
    };
    let width = (name.chars().count() as f64 * LETTER).max(STEP);
    let mut svg = String::new();
    match member {
        Member::Router(_) => switch(&mut svg, (width / 2.0, HOST), name),
        _ => host(&mut svg, (width / 2.0, HOST), name),
    }
    label(&mut svg, (width / 2.0, 2.0 * HOST + 6.0), name);
    Drawing { width, height: 2.0 * HOST + 10.0, svg }
}

fn cluster(outline: &Outline, topology: &Topology) -> Drawing {
    let names: Vec<&str> = outline
        .members
        .iter()
        .filter_map(|member| if let Member::Host(name) = member { Some(name.as_str()) } else { None })
        .collect();
    let mut drawing = match topology {
        Topology::Switch => around_switch(&names),
        Topology::Torus(torus) => plane(torus, &names),
        Topology::FatTree(tree) => levels(tree, &names),
        Topology::Dragonfly(dragonfly) => groups(dragonfly, &names),
    };
    let (first, last) = (names.first().copied().unwrap_or(""), names.last().copied().unwrap_or(""));
    let caption = format!("drawn: {first} to {last}");
    drawing.width = drawing.width.max(caption.chars().count() as f64 * LETTER);
    label(&mut drawing.svg, (drawing.width / 2.0, drawing.height + 12.0), &caption);
    drawing.height += LINE;
    drawing
}

/// Hosts in rows of 16 under a switch.
fn around_switch(names: &[&str]) -> Drawing {
    let columns = names.len().clamp(1, 16);
    let width = columns as f64 * STEP;
    let (mut svg, top) = (String::new(), (width / 2.0, 8.0));
    let place =
        |index: usize| ((index % columns) as f64 * STEP + STEP / 2.0, 2.0 * STEP + (index / columns) as f64 * STEP);
    (0..names.len()).for_each(|index| line(&mut svg, top, place(index)));
    names.iter().enumerate().for_each(|(index, name)| host(&mut svg, place(index), name));
    switch(&mut svg, top, "switch");
    Drawing { width, height: place(names.len().saturating_sub(1)).1 + HOST, svg }
}

/// The first two dimensions of a torus.
fn plane(torus: &Torus, names: &[&str]) -> Drawing {
    let size = |dimension: usize| torus.dimensions().get(dimension).copied().unwrap_or(1) as usize;
    let columns = size(0).min(names.len());
    let rows = size(1).min(names.len() / columns);
    let is_whole = columns == size(0);
    let place = |column: usize, row: usize| ((column as f64 + 1.0) * STEP, (row as f64 + 1.0) * STEP);
    let mut svg = String::new();
    for (column, row) in (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row))) {
        let (x, y) = place(column, row);
        // Lines at the edges lead round to the other side.
        line(&mut svg, (x - STEP / 2.0, y), (x + STEP / 2.0, y));
        if size(1) > 1 {
            line(&mut svg, (x, y - STEP / 2.0), (x, y + STEP / 2.0));
        }
        if size(2) > 1 {
            line(&mut svg, (x - STEP / 3.0, y + STEP / 3.0), (x + STEP / 3.0, y - STEP / 3.0));
        }
    }
    for (column, row) in (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row))) {
        let index = column + row * size(0);
        host(&mut svg, place(column, row), if is_whole { names.get(index).copied().unwrap_or("") } else { "" });
    }
    Drawing { width: (columns as f64 + 1.0) * STEP, height: (rows as f64 + 1.0) * STEP, svg }
}

/// The hosts below, and above them the switches of each level.
fn levels(tree: &FatTree, names: &[&str]) -> Drawing {
    let width = names.len() as f64 * STEP;
    let sizes = tree.level_sizes();
    let top = sizes.len() - 1;
    let is_whole = names.len() == sizes[0] as usize;
    let place = |level: usize, index: u32| {
        let count = if level == 0 { names.len() } else { sizes[level] as usize } as f64;
        ((f64::from(index) + 0.5) * width / count, (top - level) as f64 * 3.0 * STEP + STEP)
    };
    let mut svg = String::new();
    if is_whole {
        for (level, child, parent) in tree.edges() {
            line(&mut svg, place(level, child), place(level + 1, parent));
        }
        for (level, size) in sizes.iter().enumerate().skip(1) {
            (0..*size).for_each(|index| switch(&mut svg, place(level, index), &format!("level {level}")));
        }
    } else {
        let text = sizes.iter().skip(1).map(u32::to_string).collect::<Vec<_>>().join(", ");
        label(&mut svg, (width / 2.0, STEP), &format!("switches by level, from below: {text}"));
    }
    names.iter().enumerate().for_each(|(index, name)| host(&mut svg, place(0, index as u32), name));
    Drawing { width, height: place(0, 0).1 + HOST, svg }
}

/// The first groups, their chassis as rows of routers with hosts.
fn groups(dragonfly: &Dragonfly, names: &[&str]) -> Drawing {
    let per_group = (dragonfly.chassis * dragonfly.routers * dragonfly.nodes) as usize;
    let pitch = STEP + f64::from(dragonfly.nodes.min(8)) * HOST;
    let (mut svg, mut width, mut height) = (String::new(), 0.0, 0.0);
    for (number, hosts) in names.chunks(per_group).enumerate() {
        let mut inner = String::new();
        let per_chassis = (dragonfly.routers * dragonfly.nodes) as usize;
        for (chassis, hosts) in hosts.chunks(per_chassis).enumerate() {
            let y = chassis as f64 * 2.5 * STEP + STEP;
            let place = |router: usize| (router as f64 * pitch + pitch / 2.0, y);
            let routers = hosts.len().div_ceil(dragonfly.nodes as usize);
            line(&mut inner, place(0), place(routers - 1));
            for (router, hosts) in hosts.chunks(dragonfly.nodes as usize).enumerate() {
                switch(&mut inner, place(router), &format!("chassis {chassis}, router {router}"));
                for (index, name) in hosts.iter().enumerate().take(8) {
                    let x = place(router).0 + (index as f64 - (hosts.len().min(8) as f64 - 1.0) / 2.0) * (HOST + 1.0);
                    host(&mut inner, (x, y + STEP), name);
                }
            }
        }
        let chassis = hosts.len().div_ceil(per_chassis) as f64;
        let inner =
            Drawing { width: f64::from(dragonfly.routers) * pitch, height: chassis * 2.5 * STEP + HOST, svg: inner };
        let group = boxed(&format!("group {number}"), "all joined", inner);
        placed(&mut svg, width, 0.0, &group.svg);
        width += group.width + STEP;
        height = f64::max(height, group.height);
    }
    Drawing { width: width - STEP, height, svg }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_switch_and_way_is_drawn_and_names_are_escaped() {
        let text = "[[cluster]]\nname = \"n\"\nfat-tree = { down = [4, 2], up = [1, 2] }\nspeed = \"1Gf\"\n\
                    bandwidth = \"1GBps\"\nlatency = \"1us\"\n[[host]]\nname = \"a&b\"\nspeed = \"1Gf\"\n[[link]]\n\
                    name = \"lan<1>\"\nbandwidth = \"1GBps\"\nlatency = \"1us\"\n[[route]]\nsrc = \"a&b\"\ndst = \"n\"\n\
                    links = [\"lan<1>\"]\n";
        let platform = Platform::parse("p.toml", text).unwrap_or_else(|why| panic!("{why}"));
        let svg = of(&platform);
        assert_eq!(svg.matches("fill=\"#ddaa33\"").count(), 9);
        assert_eq!(svg.matches("<circle").count(), 4);
        // Eight hosts to their switches, two switches to two parents each, and the route.
        assert_eq!(svg.matches("<line").count(), 8 + 4 + 1);
        assert!(svg.contains("<title>a&amp;b</title>") && svg.contains(">lan&lt;1&gt;</text>"));
        assert!(svg.contains("n (fat tree 4 × 2, 8 hosts)"));
        assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
    }

    #[test]
    fn large_clusters_are_cut() {
        for topology in
            ["torus = [100, 100]", "hosts = 10000", "dragonfly = { groups = 9, chassis = 6, routers = 16, nodes = 2 }"]
        {
            let text = format!(
                "[[cluster]]\nname = \"n\"\n{topology}\nspeed = \"1Gf\"\nbandwidth = \"1GBps\"\nlatency = \"1us\"\n"
            );
            let svg = of(&Platform::parse("p.toml", &text).unwrap_or_else(|why| panic!("{why}")));
            assert!(svg.matches("fill=\"#ddaa33\"").count() <= MOST_HOSTS, "{topology}");
            assert!(svg.contains("drawn: n-0 to n-63"), "{topology}");
        }
    }
}
