//! Typed access to one XML element: every getter either gives the value or a refusal with place, expectation and next
//! step.

use crate::error::{PlatformError, line_and_column};
use roxmltree::Node;
use smpi_base::quantity::{Flops, QuantityError, Rate, Unit, parse_duration};
use smpi_base::words::nearest;

pub(super) type Result<T> = std::result::Result<T, PlatformError>;

/// An element of the file.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    pub file: &'a str,
    pub node: Node<'a, 'a>,
}

impl<'a> Element<'a> {
    pub fn tag(&self) -> &'a str {
        self.node.tag_name().name()
    }

    /// The elements inside.
    pub fn children(&self) -> impl Iterator<Item = Element<'a>> + use<'a> {
        let file = self.file;
        self.node.children().filter(Node::is_element).map(move |node| Element { file, node })
    }

    /// A refusal at this element.
    pub fn error(&self, message: String) -> PlatformError {
        self.error_at(self.node.range().start, message)
    }

    fn error_at(&self, offset: usize, message: String) -> PlatformError {
        let text = self.node.document().input_text();
        PlatformError { file: self.file.to_owned(), place: Some(line_and_column(text, offset)), message }
    }

    /// A refusal at the value of an attribute.
    pub fn error_in(&self, key: &str, message: String) -> PlatformError {
        let offset = self.node.attribute_node(key).map_or(self.node.range().start, |a| a.range().start);
        self.error_at(offset, message)
    }

    /// Refuses attributes other than these.
    pub fn only(&self, keys: &[&str]) -> Result<()> {
        let Some(unknown) = self.node.attributes().find(|a| !keys.contains(&a.name())) else { return Ok(()) };
        let hint = match nearest(unknown.name(), keys.iter().copied()) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => "remove it".to_owned(),
        };
        let message = format!(
            "unknown attribute \"{}\" of <{}>, expected {}; {hint}",
            unknown.name(),
            self.tag(),
            keys.join(", ")
        );
        Err(self.error_at(unknown.range().start, message))
    }

    /// The value of an attribute that is there and not empty.
    pub fn optional(&self, key: &str) -> Option<&'a str> {
        self.node.attribute(key).filter(|value| !value.is_empty())
    }

    pub fn required(&self, key: &str) -> Result<&'a str> {
        self.node.attribute(key).ok_or_else(|| {
            let tag = self.tag();
            self.error(format!("<{tag}> has no \"{key}\", expected <{tag} {key}=\"...\">; add the attribute"))
        })
    }

    /// One of several words, whatever their case.
    pub fn choice<T: Copy>(&self, key: &str, words: &[(&str, T)], default: T) -> Result<T> {
        let Some(value) = self.optional(key) else { return Ok(default) };
        if let Some((_, meaning)) = words.iter().find(|(word, _)| word.eq_ignore_ascii_case(value)) {
            return Ok(*meaning);
        }
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let message = format!("{key}=\"{value}\" does not exist, expected {}; choose one of them", known.join(", "));
        Err(self.error_in(key, message))
    }

    pub fn count(&self, key: &str, default: u32) -> Result<u32> {
        let Some(value) = self.optional(key) else { return Ok(default) };
        match value.trim().parse() {
            Ok(count) if count > 0 => Ok(count),
            _ => Err(self
                .error_in(key, format!("{key}=\"{value}\" is not a number from 1, expected {key}=\"1\"; correct it"))),
        }
    }

    /// Bytes per second, more than zero.
    pub fn bandwidth(&self, key: &str) -> Result<f64> {
        let value = self.quantity(key, "125MBps", |t| Rate::parse(t, Unit::Optional).map(|r| r.0))?;
        self.positive(key, value, "125MBps")
    }

    /// Bytes per second; zero says that there is no such link.
    pub fn optional_bandwidth(&self, key: &str) -> Result<Option<f64>> {
        if self.optional(key).is_none() {
            return Ok(None);
        }
        let value = self.quantity(key, "125MBps", |t| Rate::parse(t, Unit::Optional).map(|r| r.0))?;
        Ok(Some(value).filter(|value| *value > 0.0))
    }

    /// Bandwidth and latency of a link that may be there; a latency alone makes no link.
    pub fn optional_link(&self, bandwidth: &str, latency: &str) -> Result<Option<(f64, f64)>> {
        match (self.optional_bandwidth(bandwidth)?, self.latency(latency)?) {
            (None, secs) if secs > 0.0 => {
                let message = format!("{latency} without {bandwidth}, expected both; add {bandwidth}=\"1GBps\"");
                Err(self.error_in(latency, message))
            }
            (rate, secs) => Ok(rate.map(|rate| (rate, secs))),
        }
    }

    /// Seconds; zero if the attribute is not there.
    pub fn latency(&self, key: &str) -> Result<f64> {
        match self.optional(key) {
            None => Ok(0.0),
            Some(_) => self.quantity(key, "50us", |t| parse_duration(t, Unit::Optional).map(|t| t.0)),
        }
    }

    /// The flop/s of one core: the list has a speed for each state of a processor, of which `state` is the one in use.
    pub fn speed(&self, key: &str, state: usize) -> Result<f64> {
        let list = self.required(key)?;
        let speeds: Vec<&str> = list.split(',').map(str::trim).collect();
        let Some(speed) = speeds.get(state) else {
            let message = format!(
                "{key} has {} states and no state {state}, expected a state of the list; correct one",
                speeds.len()
            );
            return Err(self.error_in(key, message));
        };
        let value = Flops::parse(&short_unit(speed), Unit::Optional).map(|f| f.0);
        let value = value.map_err(|why| self.unfit(key, &why, "1Gf"))?;
        self.positive(key, value, "1Gf")
    }

    fn positive(&self, key: &str, value: f64, example: &str) -> Result<f64> {
        match value > 0.0 {
            true => Ok(value),
            false => {
                Err(self.error_in(key, format!("{key} is zero, expected more; write for example {key}=\"{example}\"")))
            }
        }
    }

    fn quantity(
        &self,
        key: &str,
        example: &str,
        parse: impl Fn(&str) -> std::result::Result<f64, QuantityError>,
    ) -> Result<f64> {
        parse(self.required(key)?.trim()).map_err(|why| self.unfit(key, &why, example))
    }

    fn unfit(&self, key: &str, why: &QuantityError, example: &str) -> PlatformError {
        self.error_in(key, format!("{key}: {why}; write for example {key}=\"{example}\""))
    }

    /// Three coordinates in milliseconds.
    pub fn coordinates(&self) -> Result<Option<[f64; 3]>> {
        let Some(text) = self.optional("coordinates") else { return Ok(None) };
        let numbers: Option<Vec<f64>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
        numbers.and_then(|list| list.try_into().ok()).map(Some).ok_or_else(|| {
            let message =
                format!("coordinates=\"{text}\" are not three numbers, expected \"25.5 9.4 1.4\"; correct them");
            self.error_in("coordinates", message)
        })
    }
}

/// A speed with the short form of its unit: SimGrid has `1gigaflops` besides `1Gf`.
fn short_unit(speed: &str) -> String {
    let long = [
        ("exaflops", "Ef"),
        ("petaflops", "Pf"),
        ("teraflops", "Tf"),
        ("gigaflops", "Gf"),
        ("megaflops", "Mf"),
        ("kiloflops", "kf"),
        ("flops", "f"),
    ];
    let found = long.iter().find_map(|(name, unit)| speed.strip_suffix(name).map(|number| format!("{number}{unit}")));
    found.unwrap_or_else(|| speed.to_owned())
}
