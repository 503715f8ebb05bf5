//! Profiles (`speed_file`, …, `<trace>`, `<trace_connect>`) and energy (`<prop id="wattage_per_state">`).

use super::Reader;
use super::element::{Element, Result};
use crate::model::LinkId;
use crate::profile::{Changes, Quantity};
use crate::read::over_time::{FileError, read_file};
use crate::watts::{HostWatts, LinkWatts};
use smpi_base::HostId;

impl<'a> Reader<'a> {
    /// The profiles that attributes of a host name.
    pub(super) fn host_profiles(&mut self, element: Element<'a>, host: HostId) -> Result<()> {
        for key in ["speed_file", "availability_file"] {
            self.profile_in(element, key, Quantity::Speed(host))?;
        }
        self.profile_in(element, "state_file", Quantity::HostState(host))
    }

    /// The profiles that attributes of a link name.
    pub(super) fn link_profiles(&mut self, element: Element<'a>, link: LinkId) -> Result<()> {
        self.profile_in(element, "bandwidth_file", Quantity::Bandwidth(link))?;
        self.profile_in(element, "latency_file", Quantity::Latency(link))?;
        self.profile_in(element, "state_file", Quantity::LinkState(link))
    }

    fn profile_in(&mut self, element: Element<'a>, key: &str, of: Quantity) -> Result<()> {
        let Some(file) = element.optional(key) else { return Ok(()) };
        let changes = read_file(element.file, file, None).map_err(|why| match why {
            FileError::Unreadable(why) => element.error_in(key, format!("{why}; correct the file's name")),
            FileError::Unfit(why) => why,
        })?;
        self.builder.profile(of, changes).map_err(|why| element.error_in(key, format!("{why}; correct the profile")))
    }

    /// `<trace>`: a profile that `<trace_connect>` gives to something.
    pub(super) fn trace(&mut self, element: Element<'a>) -> Result<()> {
        element.only(&["id", "periodicity", "file"])?;
        let period = match element.optional("periodicity") {
            None => None,
            Some(text) => match text.trim().parse::<f64>() {
                // Zero and less say that it does not repeat.
                Ok(secs) => Some(secs).filter(|secs| *secs > 0.0),
                Err(_) => {
                    let message =
                        format!("periodicity=\"{text}\" is not a number of seconds, expected one; correct it");
                    return Err(element.error_in("periodicity", message));
                }
            },
        };
        let changes = match element.optional("file") {
            Some(file) => read_file(element.file, file, period).map_err(|why| match why {
                FileError::Unreadable(why) => element.error_in("file", format!("{why}; correct the file's name")),
                FileError::Unfit(why) => why,
            })?,
            None => Changes::parse(element.node.text().unwrap_or_default(), period)
                .map_err(|(_, why)| element.error(format!("{why}; correct the trace")))?,
        };
        match self.traces.insert(element.required("id")?, changes) {
            None => Ok(()),
            Some(_) => {
                Err(element.error_in("id", "a second trace of this name, expected unique names; rename one".into()))
            }
        }
    }

    pub(super) fn trace_connect(&mut self, element: Element<'a>) -> Result<()> {
        element.only(&["kind", "trace", "element"])?;
        let (trace, name) = (element.required("trace")?, element.required("element")?);
        let Some(changes) = self.traces.get(trace).cloned() else {
            let message = format!("no trace is named \"{trace}\", expected a <trace> before this; correct the name");
            return Err(element.error_in("trace", message));
        };
        let kinds: [(&str, u8); 6] =
            [("SPEED", 0), ("POWER", 0), ("HOST_AVAIL", 1), ("BANDWIDTH", 2), ("LATENCY", 3), ("LINK_AVAIL", 4)];
        element.required("kind")?;
        let kind = element.choice("kind", &kinds, 0)?;
        let host = self.builder.host_named(name).filter(|_| kind <= 1);
        let link = self.builder.any_link_named(name).filter(|_| kind >= 2);
        let of = match (kind, host, link) {
            (0, Some(host), _) => Quantity::Speed(host),
            (1, Some(host), _) => Quantity::HostState(host),
            (2, _, Some(link)) => Quantity::Bandwidth(link),
            (3, _, Some(link)) => Quantity::Latency(link),
            (4, _, Some(link)) => Quantity::LinkState(link),
            _ => {
                let what = if kind <= 1 { "host" } else { "link" };
                let message = format!("no {what} is named \"{name}\", expected one of this file; correct the name");
                return Err(element.error_in("element", message));
            }
        };
        self.builder.profile(of, changes).map_err(|why| element.error(format!("{why}; correct the trace")))
    }

    /// What the hosts draw that an element has added since there were `from`: the properties of SimGrid's plugin
    /// `host_energy`, those of the processor's state `state`.
    pub(super) fn host_energy(&mut self, element: Element<'a>, state: usize, from: u32) -> Result<()> {
        let Some((prop, text)) = property(element, &["wattage_per_state", "watt_per_state"]) else { return Ok(()) };
        let of_state = text.split(',').nth(state).unwrap_or_default();
        let unfit = || {
            let message = "the value is not \"Idle:Epsilon:AllCores\" in watts, expected for example \
                           \"95.0:120.0:200.0\"; correct it";
            prop.error_in("value", message.to_owned())
        };
        let (idle, busy, full) = match watts(of_state).ok_or_else(unfit)?[..] {
            [idle, busy, full] => (idle, busy, full),
            // With two values the power grows from that of an idle host.
            [idle, full] => (idle, idle, full),
            _ => return Err(unfit()),
        };
        let off = match property(element, &["wattage_off", "watt_off"]) {
            None => 0.0,
            Some((prop, text)) => match watts(text).as_deref() {
                Some([off]) => *off,
                _ => {
                    return Err(
                        prop.error_in("value", "the value is no number of watts, expected one; correct it".into())
                    );
                }
            },
        };
        self.builder.host_watts(from, HostWatts { idle, busy, full, off });
        Ok(())
    }

    /// The same for links (plugin `link_energy`).
    pub(super) fn link_energy(&mut self, element: Element<'a>, from: u32) -> Result<()> {
        let Some((prop, text)) = property(element, &["wattage_range"]) else { return Ok(()) };
        match watts(text).as_deref() {
            Some([idle, full]) => {
                self.builder.link_watts(from, LinkWatts { idle: *idle, full: *full });
                Ok(())
            }
            _ => {
                let message = "the value is not \"Idle:Busy\" in watts, expected for example \"10.3:12.5\"; correct it";
                Err(prop.error_in("value", message.to_owned()))
            }
        }
    }
}

/// The value of the first of these properties that an element has.
fn property<'a>(element: Element<'a>, names: &[&str]) -> Option<(Element<'a>, &'a str)> {
    let is_one = |prop: &Element<'a>| prop.tag() == "prop" && prop.optional("id").is_some_and(|id| names.contains(&id));
    let prop = element.children().find(is_one)?;
    Some((prop, prop.optional("value").unwrap_or_default()))
}

fn watts(text: &str) -> Option<Vec<f64>> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
    text.split(':').map(number).collect()
}
