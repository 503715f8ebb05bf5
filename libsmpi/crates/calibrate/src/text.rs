//! A fitted model as a platform file.

use std::fmt::Write;

use crate::model::{Model, Section, Site};
use crate::samples::Samples;

impl Model {
    /// The platform, as TOML that `smpirun -platform` reads.
    pub fn platform(&self, samples: &Samples, site: &Site) -> String {
        let mut text = self.head(samples, site) + "[[cluster]]\n";
        let mut key = |name: &str, value: String, meaning: &str| {
            let line = format!("{name} = {value}");
            let _ = match meaning {
                "" => writeln!(text, "{line}"),
                _ => writeln!(text, "{line:<40} # {meaning}"),
            };
        };
        let (latency, bandwidth) = (self.latency(), self.bandwidth());
        let is_one_host = samples.is_one_host();
        // Two links of a cluster make a way.
        let share = if is_one_host { 1.0 } else { 2.0 };
        key("name", "\"node\"".into(), "hosts node-0, node-1, …");
        key("hosts", site.hosts.to_string(), if is_one_host { "" } else { "two were measured; more of them: --hosts" });
        key("cores", samples.cores.max(1).to_string(), "");
        key(
            "speed",
            quoted(&speed(self.speed_or_default())),
            self.speed.map_or("not measured: smpirun's default", |_| ""),
        );
        key("bandwidth", quoted(&rate(bandwidth)), "");
        key(
            "latency",
            quoted(&time(latency / share)),
            if is_one_host { "" } else { "of each of the two links of a way" },
        );
        let local = if is_one_host { Some((latency, bandwidth)) } else { self.local };
        if let Some((latency, bandwidth)) = local {
            let value = format!("{{ latency = \"{}\", bandwidth = \"{}\" }}", time(latency), rate(bandwidth));
            key("loopback", value, "");
        }
        text.push('\n');
        self.settings(&mut text, site);
        // The tables of algorithms that were made from these libraries' sources.
        let tables =
            [("MPICH Version:      4", "mpich-4"), ("MPICH Version:      5", "mpich-4"), ("Open MPI v5", "ompi-5")];
        if let Some((_, table)) = tables.iter().find(|(name, _)| samples.library.starts_with(name)) {
            let _ = writeln!(text, "coll-selector = \"{table}\"");
        }
        text
    }

    fn head(&self, samples: &Samples, site: &Site) -> String {
        let (median, worst) = self.errors();
        let mut text = format!("# Written by: smpirun calibrate --with \"{}\"\n", site.command.replace('\n', " "));
        let _ = writeln!(text, "# MPI library: {}", samples.library);
        let _ = writeln!(text, "# Measured between {}.", samples.hosts.join(" and "));
        if !samples.disturbances.is_empty() {
            let _ = writeln!(text, "# Of a busy machine: {}.", samples.disturbances.join("; "));
        }
        let _ = writeln!(
            text,
            "# {} sizes up to {} bytes, {} round trips; the fit is {:.1} % off in the median, {:.1} % at worst.",
            self.points.len(),
            self.points.last().map_or(0, |point| point.bytes),
            samples.count("oneway"),
            100.0 * median,
            100.0 * worst
        );
        if let Some(copies) = self.copy_rate {
            let _ = writeln!(text, "# memcpy: {}", rate(copies));
        }
        if !samples.is_one_host() && self.local.is_none() {
            text.push_str(
                "# Messages inside a host were not measured (--local-with): they take the host's link up and down.\n",
            );
        }
        text.push('\n');
        text
    }

    fn settings(&self, text: &mut String, site: &Site) {
        let factors = self.factors();
        let table = |factor: fn(&(u64, f64, f64)) -> f64| -> String {
            let steps: Vec<String> =
                factors.iter().map(|step| format!("{}:{}", step.0, digits(factor(step)))).collect();
            steps.join(";")
        };
        let _ = writeln!(text, "[network]");
        let _ = writeln!(text, "latency-factor = \"{}\"", table(|step| step.1));
        let _ = writeln!(text, "bandwidth-factor = \"{}\"", table(|step| step.2));
        let _ = writeln!(text, "TCP-gamma = 0\n\n[mpi]");
        let _ = writeln!(text, "send-is-detached-thresh = {}", self.detached_below);
        let _ = writeln!(text, "async-small-thresh = {}", self.eager_below);
        for (key, sections) in [("os", &self.send), ("ois", &self.isend), ("or", &self.receive)] {
            if !sections.is_empty() {
                // What is measured below a size is not continued above it: these calls wait, and are not charged.
                let end = if key == "ois" { String::new() } else { format!(";{}:0:0", self.detached_below) };
                let _ = writeln!(text, "{key} = \"{}{end}\"", overhead(sections));
            }
        }
        for (key, seconds) in ["wtime", "test", "iprobe"].iter().zip(self.polls) {
            if let Some(seconds) = seconds {
                let _ = writeln!(text, "{key} = \"{}\"", time(seconds));
            }
        }
        let _ = writeln!(text, "host-speed = \"{}\"", speed(site.own_speed.unwrap_or(self.speed_or_default())));
    }
}

fn overhead(sections: &[Section]) -> String {
    let section =
        |section: &Section| format!("{}:{}:{}", section.above, digits(section.line.start), digits(section.line.slope));
    sections.iter().map(section).collect::<Vec<_>>().join(";")
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

/// A number to six digits, so that it can be read.
fn digits(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let magnitude = value.abs().log10().floor() as i32;
    if (-3..6).contains(&magnitude) {
        let text = format!("{value:.*}", (5 - magnitude).max(0) as usize);
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    } else {
        format!("{value:.5e}")
    }
}

fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    let (factor, unit) = units.iter().find(|(factor, _)| value >= *factor).unwrap_or(&units[units.len() - 1]);
    format!("{}{unit}", digits(value / factor))
}

/// Seconds as a platform file writes them.
pub(crate) fn time(seconds: f64) -> String {
    scaled(seconds, &[(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"), (1e-12, "ps")])
}

/// Bytes per second as a platform file writes them.
pub(crate) fn rate(rate: f64) -> String {
    scaled(rate, &[(1e9, "GBps"), (1e6, "MBps"), (1e3, "kBps"), (1.0, "Bps")])
}

/// Flop/s as a platform file writes them.
pub(crate) fn speed(speed: f64) -> String {
    scaled(speed, &[(1e9, "Gf"), (1e6, "Mf"), (1e3, "kf"), (1.0, "f")])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::tests::sizes;
    use crate::samples::tests::output;
    use smpi_platform::Platform;

    #[test]
    fn numbers_are_short_and_exact_enough() {
        assert_eq!(
            (digits(0.2), digits(1234567.0), digits(65536.0)),
            ("0.2".into(), "1.23457e6".into(), "65536".into())
        );
        assert_eq!(
            (time(1.5e-6), time(0.0), rate(5e9), speed(3.6e9)),
            ("1.5us".into(), "0ps".into(), "5GBps".into(), "3.6Gf".into())
        );
    }

    #[test]
    fn what_is_written_can_be_read() {
        for hosts in ["host a\nhost b", "host a\nhost a"] {
            let text = output(&sizes(), 65536, |_, bytes| 1e-6 + 1e-9 * bytes as f64).replace("host a\nhost b", hosts);
            let text = text.replace("library test", "library MPICH Version:      5.0.2");
            let samples = Samples::parse(&text).unwrap();
            let local = samples.is_one_host().then_some(&samples);
            let model = Model::fit(&samples, local);
            let site = Site { command: "mpiexec -n 2".into(), hosts: 3, own_speed: None };
            let written = model.platform(&samples, &site);
            let platform = Platform::parse("p.toml", &written).unwrap_or_else(|why| panic!("{why}\n{written}"));
            assert_eq!((platform.hosts().len(), platform.hosts()[0].cores), (3, 4));
            let keys: Vec<&str> = platform.settings().iter().map(|(key, _)| key.as_str()).collect();
            for key in [
                "network/latency-factor",
                "smpi/send-is-detached-thresh",
                "smpi/os",
                "smpi/host-speed",
                "smpi/coll-selector",
            ] {
                assert!(keys.contains(&key), "{key} is missing:\n{written}");
            }
        }
    }
}
