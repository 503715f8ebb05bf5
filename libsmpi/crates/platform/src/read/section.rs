//! Typed access to one TOML table: every getter either gives the value or a refusal with place, expectation and next
//! step.

use crate::error::{PlatformError, line_and_column};
use crate::model::Sharing;
use smpi_base::quantity::{Bytes, Flops, QuantityError, Rate, Unit, parse_duration};
use smpi_base::words::nearest;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

type Result<T> = std::result::Result<T, PlatformError>;

/// Texts of a list and where they stand.
pub(super) type Texts<'a> = Vec<(&'a str, Range<usize>)>;

/// The text being read, for messages.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub name: &'a str,
    pub text: &'a str,
}

impl Source<'_> {
    pub fn error(&self, span: Range<usize>, message: String) -> PlatformError {
        let place = Some(line_and_column(self.text, span.start));
        PlatformError { file: self.name.to_owned(), place, message }
    }
}

/// One table of the file.
pub(super) struct Section<'a> {
    pub source: Source<'a>,
    /// What messages call it: `[[cluster]]`.
    pub title: &'static str,
    pub span: Range<usize>,
    table: &'a DeTable<'a>,
}

impl<'a> Section<'a> {
    pub fn new(source: Source<'a>, title: &'static str, span: Range<usize>, table: &'a DeTable<'a>) -> Self {
        Section { source, title, span, table }
    }

    pub fn error(&self, message: String) -> PlatformError {
        self.source.error(self.span.clone(), message)
    }

    pub fn entry(&self, key: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.table.get(key)
    }

    /// Where the value of a key stands, or the table if there is none.
    pub fn key_span(&self, key: &str) -> Range<usize> {
        self.entry(key).map_or(self.span.clone(), |value| value.span())
    }

    /// Refuses keys other than these, the first one of the file first.
    pub fn only(&self, keys: &[&str]) -> Result<()> {
        let unknown =
            self.table.keys().filter(|k| !keys.contains(&k.get_ref().as_ref())).min_by_key(|k| k.span().start);
        let Some(key) = unknown else { return Ok(()) };
        let name = key.get_ref();
        let hint = match nearest(name, keys.iter().copied()) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => "remove it".to_owned(),
        };
        let message = format!("unknown key \"{name}\" in {}, expected {}; {hint}", self.title, keys.join(", "));
        Err(self.source.error(key.span(), message))
    }

    fn required(&self, key: &str, example: &str) -> Result<&'a Spanned<DeValue<'a>>> {
        let missing =
            || self.error(format!("{} has no \"{key}\", expected {key} = {example}; add the line", self.title));
        self.entry(key).ok_or_else(missing)
    }

    fn mismatch(&self, key: &str, value: &Spanned<DeValue<'a>>, expected: &str) -> PlatformError {
        let found = value.get_ref().type_str();
        self.source
            .error(value.span(), format!("\"{key}\" is of type {found}, expected {expected}; write {key} = {expected}"))
    }

    pub fn text(&self, key: &str) -> Result<(&'a str, Range<usize>)> {
        let value = self.required(key, "\"...\"")?;
        match value.get_ref() {
            DeValue::String(text) => Ok((text.as_ref(), value.span())),
            _ => Err(self.mismatch(key, value, "\"...\"")),
        }
    }

    /// A text, if the key is there.
    pub fn optional_text(&self, key: &str) -> Result<Option<(&'a str, Range<usize>)>> {
        self.entry(key).map(|_| self.text(key)).transpose()
    }

    /// A list of texts, if the key is there.
    pub fn optional_texts(&self, key: &str) -> Result<Option<Texts<'a>>> {
        self.entry(key).map(|_| self.texts(key)).transpose()
    }

    /// A list of whole numbers from 1.
    pub fn counts(&self, key: &str) -> Result<(Vec<u32>, Range<usize>)> {
        let value = self.required(key, "[4, 4]")?;
        let DeValue::Array(items) = value.get_ref() else { return Err(self.mismatch(key, value, "[4, 4]")) };
        let counts: Result<Vec<u32>> = items.iter().map(|item| self.count_of(key, item)).collect();
        Ok((counts?, value.span()))
    }

    /// Three numbers, if the key is there.
    pub fn place(&self, key: &str) -> Result<Option<[f64; 3]>> {
        let Some(value) = self.entry(key) else { return Ok(None) };
        let mismatch = || self.mismatch(key, value, "[25.5, 9.4, 1.4]");
        let DeValue::Array(items) = value.get_ref() else { return Err(mismatch()) };
        let number = |item: &Spanned<DeValue<'a>>| match item.get_ref() {
            DeValue::Integer(integer) => integer.as_str().parse().ok(),
            DeValue::Float(float) => float.as_str().parse().ok().filter(|x: &f64| x.is_finite()),
            _ => None,
        };
        let numbers: Option<Vec<f64>> = items.iter().map(number).collect();
        numbers.and_then(|list| list.try_into().ok()).map(Some).ok_or_else(mismatch)
    }

    pub fn texts(&self, key: &str) -> Result<Texts<'a>> {
        let value = self.required(key, "[\"...\"]")?;
        let DeValue::Array(items) = value.get_ref() else { return Err(self.mismatch(key, value, "[\"...\"]")) };
        let text = |item: &'a Spanned<DeValue<'a>>| match item.get_ref() {
            DeValue::String(text) => Ok((text.as_ref(), item.span())),
            _ => Err(self.mismatch(key, item, "\"...\"")),
        };
        items.iter().map(text).collect()
    }

    /// A power, if the key is there: a number of watts.
    pub fn watts(&self, key: &str) -> Result<Option<f64>> {
        let Some(value) = self.entry(key) else { return Ok(None) };
        let number = match value.get_ref() {
            DeValue::Integer(integer) => integer.as_str().parse().ok(),
            DeValue::Float(float) => float.as_str().parse().ok(),
            _ => None,
        };
        let number = number.filter(|watts: &f64| watts.is_finite() && *watts >= 0.0);
        number.map(Some).ok_or_else(|| self.mismatch(key, value, "a number of watts"))
    }

    /// A name: not empty, without blanks, `:` or `#`, which hostfiles use.
    pub fn name(&self) -> Result<&'a str> {
        let (name, span) = self.text("name")?;
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c == ':' || c == '#') {
            let message =
                format!("the name \"{name}\" is empty or holds a blank, ':' or '#', expected a plain word; rename it");
            return Err(self.source.error(span, message));
        }
        Ok(name)
    }

    pub fn flag(&self, key: &str, default: bool) -> Result<bool> {
        match self.entry(key) {
            None => Ok(default),
            Some(value) => value.get_ref().as_bool().ok_or_else(|| self.mismatch(key, value, "true or false")),
        }
    }

    /// A whole number from 1.
    pub fn count(&self, key: &str, default: Option<u32>) -> Result<u32> {
        let value = match (self.entry(key), default) {
            (None, Some(count)) => return Ok(count),
            _ => self.required(key, "1")?,
        };
        self.count_of(key, value)
    }

    fn count_of(&self, key: &str, value: &Spanned<DeValue<'a>>) -> Result<u32> {
        let DeValue::Integer(integer) = value.get_ref() else {
            return Err(self.mismatch(key, value, "a whole number"));
        };
        match u32::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(count) if (1..=MOST_COUNT).contains(&count) => Ok(count),
            _ => {
                let message =
                    format!("{key} = {integer} is out of range, expected 1 to {MOST_COUNT}; change the number");
                Err(self.source.error(value.span(), message))
            }
        }
    }

    pub fn bandwidth(&self, key: &str) -> Result<f64> {
        let (rate, span) = self.quantity(key, "\"125MBps\"", |t| Rate::parse(t, Unit::Required).map(|r| r.0))?;
        self.positive(key, rate, span, "\"125MBps\"")
    }

    pub fn speed(&self, key: &str) -> Result<f64> {
        let (speed, span) = self.quantity(key, "\"1Gf\"", |t| Flops::parse(t, Unit::Required).map(|f| f.0))?;
        self.positive(key, speed, span, "\"1Gf\"")
    }

    pub fn latency(&self, key: &str) -> Result<f64> {
        Ok(self.quantity(key, "\"50us\"", |t| parse_duration(t, Unit::Required).map(|t| t.0))?.0)
    }

    /// A number of bytes from 1, or the default where the key is not there.
    pub fn size(&self, key: &str, default: u64) -> Result<u64> {
        if self.entry(key).is_none() {
            return Ok(default);
        }
        let example = "\"1MiB\"";
        let (size, span) = self.quantity(key, example, |t| Bytes::parse(t, Unit::Required).map(|b| b.0 as f64))?;
        self.positive(key, size, span, example).map(|size| size as u64)
    }

    fn positive(&self, key: &str, value: f64, span: Range<usize>, example: &str) -> Result<f64> {
        if value > 0.0 {
            return Ok(value);
        }
        Err(self
            .source
            .error(span, format!("{key} is zero, expected more than that; write for example {key} = {example}")))
    }

    fn quantity(
        &self,
        key: &str,
        example: &str,
        parse: impl Fn(&str) -> std::result::Result<f64, QuantityError>,
    ) -> Result<(f64, Range<usize>)> {
        let value = self.required(key, example)?;
        let DeValue::String(text) = value.get_ref() else { return Err(self.mismatch(key, value, example)) };
        let refused = |why: QuantityError| {
            self.source.error(value.span(), format!("{key}: {why}; write for example {key} = {example}"))
        };
        parse(text).map(|q| (q, value.span())).map_err(refused)
    }

    pub fn sharing(&self, default: Sharing) -> Result<Sharing> {
        let Some(value) = self.entry("sharing") else { return Ok(default) };
        let expected = "\"shared\", \"split-duplex\" or \"fatpipe\"";
        match value.get_ref().as_str() {
            Some("shared") => Ok(Sharing::Shared),
            Some("split-duplex") => Ok(Sharing::SplitDuplex),
            Some("fatpipe") => Ok(Sharing::FatPipe),
            Some(other) => {
                let near = nearest(other, ["shared", "split-duplex", "fatpipe"].into_iter());
                let hint = near.map_or("choose one of them".to_owned(), |n| format!("did you mean \"{n}\"?"));
                let message = format!("sharing = \"{other}\" does not exist, expected {expected}; {hint}");
                Err(self.source.error(value.span(), message))
            }
            None => Err(self.mismatch("sharing", value, expected)),
        }
    }

    /// An inline table such as `backbone = { bandwidth = "…", latency = "…" }`.
    pub fn table(&self, key: &'static str) -> Result<Option<Section<'a>>> {
        let example = "{ bandwidth = \"2.25GBps\", latency = \"500us\" }";
        self.entry(key).map(|_| self.table_like(key, example)).transpose()
    }

    /// An inline table that has to be there.
    pub fn table_like(&self, key: &'static str, example: &str) -> Result<Section<'a>> {
        let value = self.required(key, example)?;
        match value.get_ref() {
            DeValue::Table(table) => Ok(Section::new(self.source, key, value.span(), table)),
            _ => Err(self.mismatch(key, value, example)),
        }
    }
}

/// Hosts of a cluster, and cores of a host, that make sense: beyond, a typing error is likelier.
const MOST_COUNT: u32 = 10_000_000;
