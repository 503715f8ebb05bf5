//! How values of settings are written, and what they are then.

use std::fmt::{self, Debug};

use smpi_base::quantity::{Bytes, Flops, Rate, Unit, parse_duration};

use crate::factors::FactorTable;

/// What a value is for a tool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A real number.
    Number,
    /// A number from 0.
    Count,
    /// Yes or no.
    Flag,
    /// A text.
    Text,
}

/// A value for a tool.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A real number.
    Number(f64),
    /// A number from 0.
    Count(u64),
    /// Yes or no.
    Flag(bool),
    /// A text.
    Text(String),
}

/// A way to write a value.
pub trait Form {
    /// What is read.
    type Value: Clone + Debug;
    /// What it is for a tool.
    const KIND: Kind;
    /// What is expected of a text, with an example.
    fn expected() -> String;
    /// The value of a text without blanks around it.
    fn read(text: &str) -> Option<Self::Value>;
    /// A value for a tool.
    fn value(value: &Self::Value) -> Value;
    /// What a value becomes when another one is given.
    fn put(into: &mut Self::Value, value: Self::Value) {
        *into = value;
    }
}

/// `yes` and `no`, and SMPI's other words for them.
pub fn flag(text: &str) -> Option<bool> {
    match text {
        "yes" | "1" | "true" | "on" => Some(true),
        "no" | "0" | "false" | "off" => Some(false),
        _ => None,
    }
}

/// A number that is at least 0, and not infinite.
fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0)
}

/// A form whose values are numbers, counts, flags or texts themselves.
macro_rules! form {
    ($(#[$about:meta])* $Form:ident -> $Type:ty, $kind:ident, $expected:literal, $read:expr, $show:expr) => {
        $(#[$about])*
        pub struct $Form;

        impl Form for $Form {
            type Value = $Type;
            const KIND: Kind = Kind::$kind;
            fn expected() -> String {
                $expected.to_string()
            }
            fn read(text: &str) -> Option<$Type> {
                let read: fn(&str) -> Option<$Type> = $read;
                read(text)
            }
            fn value(value: &$Type) -> Value {
                let show: fn(&$Type) -> _ = $show;
                Value::$kind(show(value))
            }
        }
    };
}

form!(
    /// Yes or no.
    Flag -> bool, Flag, "yes or no", flag, |value| *value
);
form!(
    /// A time in seconds.
    Seconds -> f64, Number, "a time such as 1e-4 (seconds) or 100us",
    |text| parse_duration(text, Unit::Optional).ok().map(|time| time.0), |value| *value
);
form!(
    /// A time in seconds; a negative one is longer than all.
    Shortest -> f64, Number, "a time such as 1e-6 (seconds) or 1us, or -1 for none",
    |text| if text.parse::<f64>().is_ok_and(|time| time < 0.0) { Some(f64::INFINITY) } else { Seconds::read(text) },
    |value| *value
);
form!(
    /// Bytes of a message.
    Size -> u64, Count, "a size such as 65536 or 64KiB",
    |text| Bytes::parse(text, Unit::Optional).ok().map(|size| size.0), |value| *value
);
form!(
    /// Bytes that are calculated with.
    Amount -> f64, Number, "a size such as 65536 or 64KiB",
    |text| number(text).or_else(|| Size::read(text).map(|size| size as f64)), |value| *value
);
form!(
    /// Bytes per second.
    Bandwidth -> f64, Number, "a bandwidth above zero, such as 498MBps",
    |text| Rate::parse(text, Unit::Optional).ok().map(|rate| rate.0).filter(|rate| *rate > 0.0), |value| *value
);
form!(
    /// A number of ranks.
    Ranks -> u32, Count, "a number of ranks", |text| text.parse().ok(), |value| u64::from(*value)
);
form!(
    /// A number of KiB.
    Kib -> u64, Count, "a number of KiB", |text| text.parse().ok(), |value| *value
);
form!(
    /// A factor of what there is, perhaps 0.
    Part -> f64, Number, "a factor of 0 or more", number, |value| *value
);
form!(
    /// A factor of what there is, perhaps infinite.
    Multiple -> f64, Number, "a factor above 0, or inf",
    |text| text.parse().ok().filter(|factor: &f64| *factor > 0.0), |value| *value
);
form!(
    /// Anything.
    Text -> String, Text, "a text", |text| Some(text.to_string()), |value| value.clone()
);
form!(
    /// Factors by size.
    Factors -> FactorTable, Text, "a factor above 0 such as 0.97, or a table \"size:factor;size:factor\"",
    |text| FactorTable::parse(text).ok(), |value| value.to_string()
);
form!(
    /// Seconds by size.
    Overheads -> Overhead, Text,
    "size:start:perbyte;…, a size in bytes and two times, such as 0:1us:0.1ns;64KiB:2us:0",
    Overhead::parse, |value| value.to_string()
);
form!(
    /// The factors of the model IB.
    PenaltyFactors -> Penalties, Text, "three factors above 0, for example 0.965;0.925;1.35",
    Penalties::parse, |value| format!("{};{};{}", value.inbound, value.outbound, value.crowded)
);

/// A value that is said, or else follows from other settings.
pub struct Said<F>(F);

impl<F: Form> Form for Said<F> {
    type Value = Option<F::Value>;
    const KIND: Kind = Kind::Text;
    fn expected() -> String {
        F::expected()
    }
    fn read(text: &str) -> Option<Self::Value> {
        if text.is_empty() { Some(None) } else { F::read(text).map(Some) }
    }
    fn value(value: &Self::Value) -> Value {
        let shown = value.as_ref().map(F::value);
        Value::Text(match shown {
            None => String::new(),
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::Count(count)) => count.to_string(),
            Some(Value::Flag(flag)) => if flag { "yes" } else { "no" }.to_string(),
            Some(Value::Text(text)) => text,
        })
    }
}

/// One of several words, in whatever case.
macro_rules! words {
    ($(#[$about:meta])* $Words:ident: $($(#[$what:meta])* $word:ident $text:literal,)*) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $Words { $($(#[$what])* $word,)* }

        impl $Words {
            /// All of them, with their words.
            pub const ALL: &[($Words, &str)] = &[$(($Words::$word, $text)),*];
        }

        impl Form for $Words {
            type Value = $Words;
            const KIND: Kind = Kind::Text;
            fn expected() -> String {
                let words: Vec<&str> = $Words::ALL.iter().map(|(_, word)| *word).collect();
                match words.split_last() {
                    Some((last, others)) => format!("{} or {last}", others.join(", ")),
                    None => String::new(),
                }
            }
            fn read(text: &str) -> Option<$Words> {
                $Words::ALL.iter().find(|(_, word)| word.eq_ignore_ascii_case(text)).map(|(value, _)| *value)
            }
            fn value(value: &$Words) -> Value {
                let word = $Words::ALL.iter().find(|(known, _)| known == value).map_or("", |(_, word)| word);
                Value::Text(word.to_string())
            }
        }
    };
}

words!(
    /// A model of networks; what is in each is known by the engine.
    Model:
    /// What SMPI's `smpirun` uses.
    Smpi "SMPI",
    /// Velho and Legrand, 2009.
    Lv08 "LV08",
    /// Without corrections.
    Cm02 "CM02",
    /// InfiniBand: messages of a host hinder each other.
    Ib "IB",
    /// Only the ends of messages are shared.
    LogGops "LogGOPS",
    /// Without corrections and windows.
    Raw "raw",
    /// Every message takes one second.
    Constant "Constant",
);
words!(
    /// What a fat pipe does with several flows.
    FatPipes:
    /// It bounds each by itself.
    Bound "bound",
    /// All stop at one level, as in SimGrid.
    Level "level",
);

/// β_e, β_s and γ_s of the model IB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalties {
    /// For messages that reach a host together.
    pub inbound: f64,
    /// For messages that leave a host together.
    pub outbound: f64,
    /// For messages to a receiver with more than two.
    pub crowded: f64,
}

impl Penalties {
    fn parse(text: &str) -> Option<Penalties> {
        let numbers: Option<Vec<f64>> = text.split(';').map(|text| text.trim().parse().ok()).collect();
        match numbers?[..] {
            [inbound, outbound, crowded] if [inbound, outbound, crowded].iter().all(|x| *x > 0.0 && x.is_finite()) => {
                Some(Penalties { inbound, outbound, crowded })
            }
            _ => None,
        }
    }
}

/// The speed of the machine that runs the simulation. Programs use it differently well, so each may have its own.
#[derive(Clone, Debug, PartialEq)]
pub struct HostSpeed {
    /// Of all programs that have none of their own, in flop/s.
    pub flops: f64,
    /// Whether that is to be measured, when a run begins.
    pub is_measured: bool,
    /// Programs, as the command line names them or without their folders, and what it is for them.
    pub of_programs: Vec<(String, f64)>,
}

impl Form for HostSpeed {
    type Value = HostSpeed;
    const KIND: Kind = Kind::Number;
    fn expected() -> String {
        "a speed above zero, for example 10Gf, or auto, and those of single programs, as in 10Gf,server=5Gf".to_string()
    }
    /// Reads `10Gf`, `auto` or `10Gf,server=5Gf`; a missing first one is 0.
    fn read(text: &str) -> Option<HostSpeed> {
        let speed = |text: &str| {
            let speed = Flops::parse(text.trim(), Unit::Optional).ok()?.0;
            (speed > 0.0 && speed.is_finite()).then_some(speed)
        };
        let mut read = HostSpeed { flops: 0.0, is_measured: false, of_programs: Vec::new() };
        for (index, part) in text.split(',').enumerate() {
            match part.rsplit_once('=') {
                Some((program, of_program)) => read.of_programs.push((program.trim().to_string(), speed(of_program)?)),
                None if index == 0 && part.trim() == "auto" => read.is_measured = true,
                None if index == 0 => read.flops = speed(part)?,
                None => return None,
            }
        }
        Some(read)
    }
    fn value(value: &HostSpeed) -> Value {
        Value::Number(value.flops)
    }
    fn put(into: &mut HostSpeed, value: HostSpeed) {
        let is_said = value.flops > 0.0 || value.is_measured;
        let flops = if value.flops > 0.0 { value.flops } else { into.flops };
        *into = HostSpeed { flops, is_measured: if is_said { value.is_measured } else { into.is_measured }, ..value };
    }
}

/// A date, in seconds since 1970: those, or a day as `2000-01-01`.
pub struct Date;

/// The last second of the year 9999, up to which a day is written with four digits.
const LAST_SECOND: i64 = 253_402_300_799;

impl Form for Date {
    type Value = i64;
    const KIND: Kind = Kind::Number;
    fn expected() -> String {
        "a day, for example 2000-01-01, or seconds since 1970".to_string()
    }
    fn read(text: &str) -> Option<i64> {
        let mut parts = text.split('-');
        let number = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
            text.parse::<i64>().ok().filter(|_| is_number)
        };
        let first = number(parts.next()?)?;
        let secs = match (parts.next(), parts.next(), parts.next()) {
            (None, ..) => first,
            (Some(month), Some(day), None) => days(first, number(month)?, number(day)?)? * 86_400,
            _ => return None,
        };
        (0..=LAST_SECOND).contains(&secs).then_some(secs)
    }
    fn value(value: &i64) -> Value {
        Value::Number(*value as f64)
    }
}

/// Days from the first of January 1970 to a day from that year on; `None` if there is no such day.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let february = if is_leap(year) { 29 } else { 28 };
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let place = usize::try_from(month).ok()?.checked_sub(1)?;
    let is_day = (1970..10_000).contains(&year) && (1..=*months.get(place)?).contains(&day);
    let years: i64 = (1970..year).map(|year| if is_leap(year) { 366 } else { 365 }).sum();
    is_day.then(|| years + months[..place].iter().sum::<i64>() + day - 1)
}

/// Seconds as a function of the message size: sections of `start + per_byte · size`.
#[derive(Clone, Debug, Default)]
pub struct Overhead(Vec<Section>);

#[derive(Clone, Copy, Debug)]
struct Section {
    from_size: u64,
    start_secs: f64,
    per_byte_secs: f64,
}

impl Overhead {
    /// True when it is always zero.
    #[inline]
    pub fn is_free(&self) -> bool {
        self.0.is_empty()
    }

    /// Seconds for a message of `size` bytes: the last section whose start it exceeds, else the first one.
    #[inline]
    pub fn seconds(&self, size: u64) -> f64 {
        let exceeded = self.0.iter().rev().find(|section| section.from_size < size);
        let section = exceeded.or(self.0.first());
        section.map_or(0.0, |section| section.start_secs + section.per_byte_secs * size as f64)
    }

    fn parse(text: &str) -> Option<Overhead> {
        let mut sections: Vec<Section> = Vec::new();
        for part in text.split(';').filter(|part| !part.is_empty()) {
            let mut terms = part.split(':');
            let from_size = Size::read(terms.next()?)?;
            let mut seconds = terms.map(Seconds::read);
            let start_secs = seconds.next()??;
            // SMPI sections may have several terms; the second is the linear one.
            let per_byte_secs = seconds.next().unwrap_or(Some(0.0))?;
            if seconds.any(|term| term.is_none()) {
                return None;
            }
            sections.push(Section { from_size, start_secs, per_byte_secs });
        }
        sections.sort_by_key(|section| section.from_size);
        Some(Overhead(sections))
    }
}

/// As the setting is written.
impl fmt::Display for Overhead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, Section { from_size, start_secs, per_byte_secs }) in self.0.iter().enumerate() {
            write!(f, "{}{from_size}:{start_secs}:{per_byte_secs}", if place > 0 { ";" } else { "" })?;
        }
        Ok(())
    }
}
