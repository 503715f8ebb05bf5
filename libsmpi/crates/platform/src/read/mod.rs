//! Reads TOML platform descriptions, and those of SimGrid ([`xml`]). The TOML format is documented in
//! `docs/platforms.md`.
//!
//! The tables are walked by hand rather than deserialised, because every refusal has to name its place, what was
//! expected and one next step; see [`section`].

mod cluster;
mod over_time;
mod section;
mod storage;
mod xml;
mod zones;

use crate::build::{PlatformBuilder, RouteLink};
use crate::error::{PlatformError, line_and_column};
use crate::model::{Direction, Link, Point, Sharing};
use crate::platform::Platform;
use section::{Section, Source};
use smpi_base::print::reason;
use smpi_base::words::nearest;
use smpi_settings::{for_platforms, known_to_platforms, meant};
use std::ops::Range;
use std::path::Path;
use toml::de::{DeTable, DeValue};
pub use xml::deployment;

/// The platform that is used when none is given.
const LAPTOP: &str = include_str!("../../../../../platforms/laptop.toml");

const TOP_LEVEL: &[&str] = &[
    "cluster",
    "host",
    "link",
    "route",
    "zone",
    "router",
    "spoke",
    "profile",
    "disk",
    "filesystem",
    "routing",
    "network",
    "mpi",
];

impl Platform {
    /// Reads a platform file.
    pub fn load(path: &Path) -> Result<Platform> {
        let name = path.display().to_string();
        let refused = |message: String| Err(PlatformError { message, file: name.clone(), place: None });
        match std::fs::read(path).map(String::from_utf8) {
            Ok(Ok(text)) => Platform::parse(&name, &text),
            Ok(Err(binary)) if binary.as_bytes().starts_with(b"\x7fELF") => refused(
                "this is a program or a shared library, and SimGrid's platforms that are programs cannot be read; \
                 write it as a TOML file, or as SimGrid's XML"
                    .to_owned(),
            ),
            Ok(Err(_)) => refused("this is no text, expected a TOML file or SimGrid's XML; give one".to_owned()),
            Err(why) => refused(format!(
                "cannot read the platform ({}), expected a TOML file; give an existing file with -platform",
                reason(&why)
            )),
        }
    }

    /// Reads a platform from its text; `name` stands for the file in messages.
    pub fn parse(name: &str, text: &str) -> Result<Platform> {
        // Some editors begin files with a mark of their order of bytes.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let source = Source { name, text };
        if text.trim_start().starts_with('<') || text.contains("<?xml ") {
            return xml::read(name, text);
        }
        let root = DeTable::parse(text).map_err(|e| {
            let place = e.span().map(|s| line_and_column(text, s.start));
            let message = format!("{}, expected TOML; correct the syntax here", e.message().trim_end_matches('.'));
            PlatformError { file: name.to_owned(), place, message }
        })?;
        Reader { source, builder: PlatformBuilder::default() }.read(root.get_ref())
    }

    /// The platform that is used when none is given: one laptop.
    pub fn builtin_laptop() -> Platform {
        match Platform::parse("platforms/laptop.toml", LAPTOP) {
            Ok(platform) => platform,
            Err(why) => unreachable!("the built-in platform is valid: {why}"),
        }
    }
}

struct Reader<'a> {
    source: Source<'a>,
    builder: PlatformBuilder,
}

type Result<T> = std::result::Result<T, PlatformError>;

impl<'a> Reader<'a> {
    fn read(mut self, root: &'a DeTable<'a>) -> Result<Platform> {
        let whole = Section::new(self.source, "the file", 0..0, root);
        whole.only(TOP_LEVEL)?;
        self.builder = PlatformBuilder::new(self.routing(&whole)?);
        for link in self.tables(root, "link")? {
            self.link(&link)?;
        }
        // Hosts are numbered in the order of the file, whichever kind of table they come from.
        type Read<'a> = fn(&mut Reader<'a>, &Section<'a>) -> Result<()>;
        let kinds: [(&str, Read<'a>); 4] =
            [("zone", Reader::zone), ("host", Reader::host), ("cluster", Reader::cluster), ("router", Reader::router)];
        let mut members: Vec<(Section<'a>, Read<'a>)> = Vec::new();
        for (key, read) in kinds {
            members.extend(self.tables(root, key)?.into_iter().map(|section| (section, read)));
        }
        members.sort_by_key(|(section, _)| section.span.start);
        for (section, read) in &members {
            read(&mut self, section)?;
        }
        for (section, _) in &members {
            self.gateway(section)?;
        }
        for spoke in self.tables(root, "spoke")? {
            self.spoke(&spoke)?;
        }
        for route in self.tables(root, "route")? {
            self.route(&route)?;
        }
        for profile in self.tables(root, "profile")? {
            self.profile(&profile)?;
        }
        for disk in self.tables(root, "disk")? {
            self.disk(&disk)?;
        }
        for system in self.tables(root, "filesystem")? {
            self.file_system(&system)?;
        }
        self.settings(root, "network", &["network/", "precision/"])?;
        self.settings(root, "mpi", &["smpi/"])?;
        let Reader { source, builder } = self;
        builder.build(source.name).map_err(|why| PlatformError {
            file: source.name.to_owned(),
            place: None,
            message: why,
        })
    }

    /// The `[[key]]` tables.
    fn tables(&self, root: &'a DeTable<'a>, key: &str) -> Result<Vec<Section<'a>>> {
        let Some(value) = root.get(key) else { return Ok(Vec::new()) };
        let title: &'static str = match key {
            "link" => "[[link]]",
            "host" => "[[host]]",
            "cluster" => "[[cluster]]",
            "zone" => "[[zone]]",
            "router" => "[[router]]",
            "spoke" => "[[spoke]]",
            "profile" => "[[profile]]",
            "disk" => "[[disk]]",
            "filesystem" => "[[filesystem]]",
            _ => "[[route]]",
        };
        let wrong = |span: Range<usize>| {
            self.source
                .error(span, format!("\"{key}\" is not a list of tables, expected {title}; write double brackets"))
        };
        let DeValue::Array(items) = value.get_ref() else { return Err(wrong(value.span())) };
        let section = |item: &'a toml::Spanned<DeValue<'a>>| match item.get_ref() {
            DeValue::Table(table) => Ok(Section::new(self.source, title, item.span(), table)),
            _ => Err(wrong(item.span())),
        };
        items.iter().map(section).collect()
    }

    fn link(&mut self, section: &Section<'a>) -> Result<()> {
        section.only(&["name", "bandwidth", "latency", "sharing", "watts"])?;
        let (_, links) = self.builder.counts();
        let link = Link {
            name: section.name()?.into(),
            bandwidth_bytes_per_sec: section.bandwidth("bandwidth")?,
            latency_secs: section.latency("latency")?,
            sharing: section.sharing(Sharing::Shared)?,
        };
        self.builder.link(link).map(drop).map_err(|m| renamed(section, m))?;
        self.link_watts(section, "watts", links)
    }

    fn host(&mut self, section: &Section<'a>) -> Result<()> {
        section.only(&["name", "speed", "cores", "in", "place", "watts"])?;
        let (hosts, _) = self.builder.counts();
        let (speed, cores) = (section.speed("speed")?, section.count("cores", Some(1))?);
        let zone = self.zone_of(section)?;
        let host = self.builder.host(section.name()?, speed, cores, zone).map_err(|m| renamed(section, m))?;
        self.host_watts(section, hosts)?;
        self.place(section, Point::Host(host))
    }

    fn route(&mut self, section: &Section<'a>) -> Result<()> {
        section.only(&["src", "dst", "links", "symmetric", "gateways", "bypass"])?;
        let ends = (self.point(section.text("src")?)?, self.point(section.text("dst")?)?);
        let links = self.links(section.texts("links")?)?;
        let gateways = match section.optional_texts("gateways")? {
            None => (None, None),
            Some(names) => {
                let [src, dst] = <[_; 2]>::try_from(names).map_err(|_| {
                    let span = section.entry("gateways").map_or(section.span.clone(), |v| v.span());
                    let message = "\"gateways\" has not two names, expected that of src and that of dst; correct it";
                    self.source.error(span, message.to_owned())
                })?;
                (Some(self.point(src)?), Some(self.point(dst)?))
            }
        };
        let refused =
            |m: String| section.error(format!("{m}, expected one route per pair; correct or remove this one"));
        if section.flag("bypass", false)? {
            return self.builder.bypass(ends, gateways, &links).map_err(refused);
        }
        let symmetric = section.flag("symmetric", true)?;
        if ends.0 == ends.1 && self.builder.is_lone(ends.0) {
            return self.builder.own_way(ends.0, &links).map_err(refused);
        }
        self.builder.route(ends, gateways, &links, symmetric).map_err(refused)
    }

    /// The host, cluster, zone or router of this name.
    fn point(&self, (name, span): (&str, Range<usize>)) -> Result<Point> {
        let known = || self.unknown(span.clone(), "host or cluster", name, &self.builder.point_names());
        self.builder.point_named(name).ok_or_else(known)
    }

    fn links(&self, names: Vec<(&str, Range<usize>)>) -> Result<Vec<RouteLink>> {
        let link = |(name, span): (&str, Range<usize>)| {
            self.route_link(name).ok_or_else(|| self.unknown(span, "link", name, &self.builder.link_names()))
        };
        names.into_iter().map(link).collect()
    }

    /// A link by its name, optionally followed by `:up` or `:down`.
    fn route_link(&self, name: &str) -> Option<RouteLink> {
        let find = |name: &str, direction| Some(RouteLink { link: self.builder.link_named(name)?, direction });
        let down = || name.strip_suffix(":down").and_then(|n| find(n, Direction::Down));
        let up = || name.strip_suffix(":up").and_then(|n| find(n, Direction::Up));
        find(name, Direction::Up).or_else(down).or_else(up)
    }

    fn unknown(&self, span: Range<usize>, what: &str, name: &str, known: &[&str]) -> PlatformError {
        let hint = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("add it to the file, or use {}", listed(known)),
        };
        self.source.error(span, format!("no {what} is named \"{name}\", expected a name of this file; {hint}"))
    }

    /// `[network]` and `[mpi]`: the same keys as `--cfg`, without their prefix.
    fn settings(&mut self, root: &'a DeTable<'a>, table: &str, prefixes: &[&str]) -> Result<()> {
        let Some(value) = root.get(table) else { return Ok(()) };
        let DeValue::Table(entries) = value.get_ref() else {
            let message = format!("\"{table}\" is not a table, expected [{table}]; write it in brackets");
            return Err(self.source.error(value.span(), message));
        };
        let mut entries: Vec<_> = entries.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            let name = key.get_ref().as_ref();
            let found = prefixes.iter().map(|prefix| format!("{prefix}{name}")).find(|key| for_platforms(key));
            let Some(full) = found else {
                let known: Vec<String> = known_to_platforms().collect();
                let names = known.iter().filter_map(|key| prefixes.iter().find_map(|prefix| key.strip_prefix(prefix)));
                let names: Vec<String> = names.map(String::from).collect();
                let hint = match meant(name, &names) {
                    Some(near) => format!("did you mean \"{near}\"?"),
                    None => "see the list in docs/smpirun.md, Settings".to_owned(),
                };
                let message = format!("unknown setting \"{name}\", expected a setting of [{table}]; {hint}");
                return Err(self.source.error(key.span(), message));
            };
            let text = match value.get_ref() {
                DeValue::String(s) => s.to_string(),
                DeValue::Integer(i) => i.to_string(),
                DeValue::Float(x) => x.to_string(),
                DeValue::Boolean(b) => if *b { "yes" } else { "no" }.to_owned(),
                _ => {
                    let message =
                        format!("\"{name}\" is a list or table, expected a text, number or boolean; quote it");
                    return Err(self.source.error(value.span(), message));
                }
            };
            self.builder.setting(&full, &text, Some(line_and_column(self.source.text, value.span().start)));
        }
        Ok(())
    }
}

/// The refusal of a name that is taken, with the usual remedy.
fn renamed(section: &Section<'_>, message: String) -> PlatformError {
    let span = section.entry("name").map_or(section.span.clone(), |v| v.span());
    section.source.error(span, format!("{message}, expected unique names; rename one"))
}

/// A few names for a message.
fn listed(names: &[&str]) -> String {
    match names {
        [] => "none so far".to_owned(),
        _ => {
            let shown: Vec<String> = names.iter().take(5).map(|n| format!("\"{n}\"")).collect();
            let more = if names.len() > 5 { ", …" } else { "" };
            format!("{}{more}", shown.join(", "))
        }
    }
}
