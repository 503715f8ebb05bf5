//! `[[profile]]`: what changes over time; and the key `watts`.

use super::section::Section;
use super::{Reader, Result};
use crate::error::PlatformError;
use crate::model::LinkId;
use crate::names::HostNames;
use crate::profile::{Changes, Quantity};
use crate::watts::{HostWatts, LinkWatts};
use smpi_base::HostId;
use smpi_base::print::reason;
use smpi_base::quantity::{Rate, Unit, parse_duration};
use std::path::Path;
use toml::Spanned;
use toml::de::DeValue;

/// What a list of changes looks like, for messages.
const EXAMPLE: &str = "[[\"0s\", 0.5], [\"20s\", 1.0]]";

impl<'a> Reader<'a> {
    pub(super) fn profile(&mut self, section: &Section<'a>) -> Result<()> {
        section.only(&["host", "link", "speed", "bandwidth", "latency", "state", "period"])?;
        let (key, names) = self.things(section)?;
        let allowed: &[&str] = if key == "host" { &["speed", "state"] } else { &["bandwidth", "latency", "state"] };
        let given: Vec<&str> = ["speed", "bandwidth", "latency", "state"]
            .into_iter()
            .filter(|quantity| section.entry(quantity).is_some())
            .collect();
        let [quantity] = given[..] else {
            let message = format!("{} quantities change here, expected one of {}; ", given.len(), allowed.join(", "));
            return Err(section.error(message + "write a [[profile]] for each"));
        };
        if !allowed.contains(&quantity) {
            let message = format!("the {quantity} of a {key}, expected one of {}; correct it", allowed.join(", "));
            return Err(self.source.error(section.key_span(quantity), message));
        }
        let changes = self.changes(section, quantity)?;
        for name in names {
            let of = self.quantity(section, key, quantity, &name)?;
            self.builder.profile(of, changes.clone()).map_err(|why| {
                self.source.error(section.key_span(quantity), format!("\"{name}\": {why}; correct the profile"))
            })?;
        }
        Ok(())
    }

    /// `host` or `link`: which of them is given, and the names it stands for.
    fn things(&self, section: &Section<'a>) -> Result<(&'static str, Vec<String>)> {
        let key = match (section.entry("host"), section.entry("link")) {
            (Some(_), None) => "host",
            (None, Some(_)) => "link",
            _ => {
                let message = "the profile has not one of \"host\" and \"link\", expected host = \"...\" or link = \
                               \"...\"; say what changes";
                return Err(section.error(message.to_owned()));
            }
        };
        let (pattern, span) = section.text(key)?;
        if !pattern.contains('[') {
            return Ok((key, vec![pattern.to_owned()]));
        }
        let names = HostNames::parse(pattern)
            .map_err(|why| self.source.error(span, format!("{key}: {why}; correct the pattern")))?;
        Ok((key, (0..names.count()).map(|index| names.name(index)).collect()))
    }

    fn quantity(&self, section: &Section<'a>, key: &str, quantity: &str, name: &str) -> Result<Quantity> {
        let span = || section.key_span(key);
        if key == "host" {
            let host: Option<HostId> = self.builder.host_named(name);
            let host = host.ok_or_else(|| self.unknown(span(), "host", name, &self.builder.point_names()))?;
            return Ok(if quantity == "speed" { Quantity::Speed(host) } else { Quantity::HostState(host) });
        }
        let link: Option<LinkId> = self.builder.any_link_named(name);
        let link = link.ok_or_else(|| self.unknown(span(), "link", name, &self.builder.link_names()))?;
        Ok(match quantity {
            "bandwidth" => Quantity::Bandwidth(link),
            "latency" => Quantity::Latency(link),
            _ => Quantity::LinkState(link),
        })
    }

    /// The list of changes, or the file that holds them.
    fn changes(&self, section: &Section<'a>, quantity: &str) -> Result<Changes> {
        let period = match section.entry("period") {
            None => None,
            Some(_) => Some(section.latency("period")?),
        };
        let span = section.key_span(quantity);
        if let Some(DeValue::String(file)) = section.entry(quantity).map(Spanned::get_ref) {
            return read_file(self.source.name, file, period).map_err(|why| match why {
                FileError::Unreadable(why) => self.source.error(span, format!("{why}; correct the file's name")),
                FileError::Unfit(why) => why,
            });
        }
        let mismatch = |span| {
            let message =
                format!("\"{quantity}\" is no list of changes, expected {quantity} = {EXAMPLE} or a file's name");
            self.source.error(span, message + "; correct it")
        };
        let Some(DeValue::Array(items)) = section.entry(quantity).map(Spanned::get_ref) else {
            return Err(mismatch(span));
        };
        let mut points = Vec::new();
        for item in items.iter() {
            let DeValue::Array(pair) = item.get_ref() else { return Err(mismatch(item.span())) };
            let [date, value] = &pair[..] else { return Err(mismatch(item.span())) };
            let date = date.get_ref().as_str().and_then(|text| parse_duration(text, Unit::Required).ok());
            let (Some(date), Some(value)) = (date, value_of(quantity, value.get_ref())) else {
                return Err(self.source.error(item.span(), unfit(quantity)));
            };
            points.push((date.0, value));
        }
        Changes::new(points, period).map_err(|why| self.source.error(span, format!("{why}; correct the profile")))
    }

    /// The key `watts` of hosts: what those draw that were added since there were `from`.
    pub(super) fn host_watts(&mut self, section: &Section<'a>, from: u32) -> Result<()> {
        let example = "{ idle = 95, full = 200 }";
        if section.entry("watts").is_none() {
            return Ok(());
        }
        let inner = section.table_like("watts", example)?;
        inner.only(&["idle", "busy", "full", "off"])?;
        let (idle, full) = (inner.watts("idle")?, inner.watts("full")?);
        let (Some(idle), Some(full)) = (idle, full) else {
            return Err(
                inner.error(format!("watts without \"idle\" and \"full\", expected watts = {example}; add them"))
            );
        };
        let (busy, off) = (inner.watts("busy")?.unwrap_or(idle), inner.watts("off")?.unwrap_or(0.0));
        self.builder.host_watts(from, HostWatts { idle, busy, full, off });
        Ok(())
    }

    /// A key of links: what those draw that were added since there were `from`.
    pub(super) fn link_watts(&mut self, section: &Section<'a>, key: &'static str, from: u32) -> Result<()> {
        let example = "{ idle = 5, full = 10 }";
        if section.entry(key).is_none() {
            return Ok(());
        }
        let inner = section.table_like(key, example)?;
        inner.only(&["idle", "full"])?;
        let (Some(idle), Some(full)) = (inner.watts("idle")?, inner.watts("full")?) else {
            return Err(
                inner.error(format!("{key} without \"idle\" and \"full\", expected {key} = {example}; add them"))
            );
        };
        self.builder.link_watts(from, LinkWatts { idle, full });
        Ok(())
    }
}

fn unfit(quantity: &str) -> String {
    let example = match quantity {
        "speed" => "[\"20s\", 0.5]",
        "bandwidth" => "[\"20s\", \"125MBps\"]",
        "latency" => "[\"20s\", \"50us\"]",
        _ => "[\"20s\", \"off\"]",
    };
    format!("this is no change of a {quantity}, expected a date and a value, as in {example}; correct it")
}

/// The value of a change.
fn value_of(quantity: &str, value: &DeValue<'_>) -> Option<f64> {
    match (quantity, value) {
        ("speed", DeValue::Integer(number)) => number.as_str().parse().ok(),
        ("speed", DeValue::Float(number)) => number.as_str().parse().ok(),
        ("bandwidth", DeValue::String(text)) => Rate::parse(text, Unit::Required).ok().map(|rate| rate.0),
        ("latency", DeValue::String(text)) => parse_duration(text, Unit::Required).ok().map(|time| time.0),
        ("state", DeValue::String(text)) => match text.as_ref() {
            "on" => Some(1.0),
            "off" => Some(0.0),
            _ => None,
        },
        _ => None,
    }
}

/// Why a profile's file is of no use.
pub(super) enum FileError {
    /// What cannot be read, without a next step.
    Unreadable(String),
    /// What is wrong in it, and where.
    Unfit(PlatformError),
}

/// Reads a profile of SimGrid from a file, which is named from where the platform's file is.
pub(super) fn read_file(
    platform: &str,
    file: &str,
    period_secs: Option<f64>,
) -> std::result::Result<Changes, FileError> {
    let path = Path::new(platform).parent().unwrap_or(Path::new("")).join(file);
    let text = std::fs::read_to_string(&path).map_err(|why| {
        FileError::Unreadable(format!(
            "cannot read the profile {} ({}), expected a file of SimGrid's",
            path.display(),
            reason(&why)
        ))
    })?;
    Changes::parse(&text, period_secs).map_err(|(line, why)| {
        let message = format!("{why}; correct the profile");
        FileError::Unfit(PlatformError { file: path.display().to_string(), place: Some((line, 1)), message })
    })
}
