//! Reads TOML platform descriptions. The format is documented in `docs/platforms.md`.
//!
//! The tables are walked by hand rather than deserialised, because every refusal has to name its place, what was
//! expected and one next step; see [`section`].

mod section;

use crate::build::{Cluster, PlatformBuilder, RouteLink};
use crate::error::{PlatformError, line_and_column, nearest};
use crate::model::{Direction, Link, Platform, Sharing};
use crate::settings::{is_without_meaning, known_settings};
use section::{Section, Source};
use std::ops::Range;
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// The platform that is used when none is given.
const LAPTOP: &str = include_str!("../../../../../platforms/laptop.toml");

const TOP_LEVEL: &[&str] = &["cluster", "host", "link", "route", "network", "mpi"];
const CLUSTER_KEYS: &[&str] =
    &["name", "hosts", "cores", "speed", "bandwidth", "latency", "sharing", "backbone", "loopback"];

impl Platform {
    /// Reads a platform file.
    pub fn load(path: &Path) -> Result<Platform> {
        let name = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => Platform::parse(&name, &text),
            Err(why) => Err(PlatformError {
                message: format!(
                    "cannot read the platform ({why}), expected a TOML file; give an existing file with -platform"
                ),
                file: name,
                place: None,
            }),
        }
    }

    /// Reads a platform from its text; `name` stands for the file in messages.
    pub fn parse(name: &str, text: &str) -> Result<Platform> {
        let source = Source { name, text };
        if text.trim_start().starts_with('<') {
            return Err(source.error(
                0..0,
                "this is XML, expected TOML; docs/platforms.md shows how each SimGrid element is written".to_owned(),
            ));
        }
        let root = DeTable::parse(text).map_err(|e| {
            let place = e.span().map(|s| line_and_column(text, s.start));
            let message = format!("{}, expected TOML; correct the syntax here", e.message().trim_end_matches('.'));
            PlatformError { file: name.to_owned(), place, message }
        })?;
        Reader { source, builder: PlatformBuilder::new() }.read(root.get_ref())
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
        for link in self.tables(root, "link")? {
            self.link(&link)?;
        }
        // Hosts are numbered in the order of the file, whichever kind of table they come from.
        type Read<'a> = fn(&mut Reader<'a>, &Section<'a>) -> Result<()>;
        let mut of_hosts: Vec<(Section<'a>, Read<'a>)> = Vec::new();
        of_hosts.extend(self.tables(root, "host")?.into_iter().map(|section| (section, Reader::host as Read<'a>)));
        of_hosts
            .extend(self.tables(root, "cluster")?.into_iter().map(|section| (section, Reader::cluster as Read<'a>)));
        of_hosts.sort_by_key(|(section, _)| section.span.start);
        for (section, read) in &of_hosts {
            read(&mut self, section)?;
        }
        for route in self.tables(root, "route")? {
            self.route(&route)?;
        }
        self.settings(root, "network", &["network/", "precision/"])?;
        self.settings(root, "mpi", &["smpi/"])?;
        let Reader { source, builder } = self;
        builder.build(source.name).map_err(|m| PlatformError { file: source.name.to_owned(), place: None, message: m })
    }

    /// The `[[key]]` tables.
    fn tables(&self, root: &'a DeTable<'a>, key: &str) -> Result<Vec<Section<'a>>> {
        let Some(value) = root.get(key) else { return Ok(Vec::new()) };
        let title: &'static str = match key {
            "link" => "[[link]]",
            "host" => "[[host]]",
            "cluster" => "[[cluster]]",
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
        section.only(&["name", "bandwidth", "latency", "sharing"])?;
        let link = Link {
            name: section.name()?.to_owned(),
            bandwidth_bytes_per_sec: section.bandwidth("bandwidth")?,
            latency_secs: section.latency("latency")?,
            sharing: section.sharing(Sharing::Shared)?,
        };
        self.builder.link(link).map(drop).map_err(|m| renamed(section, m))
    }

    fn host(&mut self, section: &Section<'a>) -> Result<()> {
        section.only(&["name", "speed", "cores"])?;
        let (speed, cores) = (section.speed("speed")?, section.count("cores", Some(1))?);
        self.builder.host(section.name()?, speed, cores).map(drop).map_err(|m| renamed(section, m))
    }

    fn cluster(&mut self, section: &Section<'a>) -> Result<()> {
        section.only(CLUSTER_KEYS)?;
        let backbone = match section.table("backbone")? {
            None => None,
            Some(inner) => {
                inner.only(&["bandwidth", "latency", "sharing"])?;
                let sharing = inner.sharing(Sharing::Shared)?;
                if sharing == Sharing::SplitDuplex {
                    let span = inner.entry("sharing").map_or(inner.span.clone(), |v| v.span());
                    let message =
                        "a backbone has no direction to split, expected \"shared\" or \"fatpipe\"; choose one";
                    return Err(self.source.error(span, message.to_owned()));
                }
                Some((inner.bandwidth("bandwidth")?, inner.latency("latency")?, sharing))
            }
        };
        let loopback = match section.table("loopback")? {
            None => None,
            Some(inner) => {
                inner.only(&["bandwidth", "latency"])?;
                Some((inner.bandwidth("bandwidth")?, inner.latency("latency")?))
            }
        };
        let cluster = Cluster {
            name: section.name()?.to_owned(),
            hosts: section.count("hosts", None)?,
            cores: section.count("cores", Some(1))?,
            speed_flops_per_sec: section.speed("speed")?,
            bandwidth_bytes_per_sec: section.bandwidth("bandwidth")?,
            latency_secs: section.latency("latency")?,
            sharing: section.sharing(Sharing::SplitDuplex)?,
            backbone,
            loopback,
        };
        self.builder.cluster(&cluster).map(drop).map_err(|m| renamed(section, m))
    }

    fn route(&mut self, section: &Section<'a>) -> Result<()> {
        section.only(&["src", "dst", "links", "symmetric"])?;
        let mut ends = [None, None];
        for (end, key) in ends.iter_mut().zip(["src", "dst"]) {
            let (name, span) = section.text(key)?;
            *end = self.builder.endpoint_named(name);
            if end.is_none() {
                let names = self.builder.endpoint_names();
                return Err(self.unknown(span, "host or cluster", name, &names));
            }
        }
        let mut links = Vec::new();
        for (name, span) in section.texts("links")? {
            match self.route_link(name) {
                Some(link) => links.push(link),
                None => return Err(self.unknown(span, "link", name, &self.builder.link_names())),
            }
        }
        let symmetric = section.flag("symmetric", true)?;
        let [Some(src), Some(dst)] = ends else { return Ok(()) };
        self.builder
            .route(src, dst, &links, symmetric)
            .map_err(|m| section.error(format!("{m}, expected one route per pair; correct or remove this one")))
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
            let known = || known_settings().iter().map(|s| s.key);
            let found = known().find(|k| prefixes.iter().any(|p| k.strip_prefix(p) == Some(name))).map(String::from);
            let without_meaning = || prefixes.iter().map(|p| format!("{p}{name}")).find(|key| is_without_meaning(key));
            let Some(full) = found.or_else(without_meaning) else {
                let candidates: Vec<&str> =
                    known().filter_map(|k| prefixes.iter().find_map(|p| k.strip_prefix(p))).collect();
                let hint = match nearest(name, candidates.iter().copied()) {
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
