//! The settings of a run: what `--cfg` and the platform's tables say (`smpi-settings` has the table), and what of it
//! has to be looked up.
//!
//! Keys of SimGrid that have no meaning here (`smpi/privatization`, `contexts/…`) are accepted and ignored, with a
//! note.

use smpi_base::print::reason;
use smpi_mpi::collective::select::Selection;
use smpi_mpi::p2p::protocol::Thresholds;
use smpi_settings::{Effect, Found, Group, Mode, Mpi, Network, Value, WhatIf, find, ignored, lacking};

/// Everything that `--cfg` and the platform's tables can change.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The models of networks.
    pub network: Network,
    /// Another world.
    pub what_if: WhatIf,
    /// MPI and the machine above the network.
    pub mpi: Mpi,
    /// Which algorithm each collective operation uses.
    pub selection: Selection,
    /// No notes and warnings.
    pub quiet: bool,
    /// Errors that calls return to the program are no warnings, but findings.
    pub errors_returned_are_findings: bool,
}

/// What became of a setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Applied {
    /// It took effect.
    Yes,
    /// SMPI knows it, here it changes nothing.
    Ignored,
    /// No such key.
    Unknown,
}

impl Settings {
    /// Applies one setting.
    ///
    /// # Errors
    /// Text for the user when the value does not fit the key.
    pub fn set(&mut self, key: &str, value: &str) -> Result<Applied, String> {
        if let Some(why) = lacking(key, value) {
            return Err(format!("{key}: {why}"));
        }
        if ignored(key) {
            return Ok(Applied::Ignored);
        }
        match find(key) {
            None => return Ok(Applied::Unknown),
            // SMPI's default: the table chooses.
            Some(Found::Algorithm(_)) if value.is_empty() => {}
            Some(Found::Algorithm(name)) => self.selection.set(name, value)?,
            Some(Found::Row(row)) => {
                let taken = match row.group {
                    Group::Network => self.network.set(key, value),
                    Group::WhatIf => self.what_if.set(key, value),
                    Group::Mpi => self.mpi.set(key, value),
                    Group::Options => return Ok(Applied::Ignored),
                };
                taken.unwrap_or(Ok(())).map_err(|why| why.to_string())?;
                match row.name {
                    "smpi/coll-selector" => self.take_table()?,
                    "smpi/init-smp" => self.selection.set_asking_takes_messages(self.mpi.init_smp),
                    _ => {}
                }
            }
        }
        Ok(Applied::Yes)
    }

    /// Looks up the table of algorithms.
    fn take_table(&mut self) -> Result<(), String> {
        let table = &self.mpi.coll_selector;
        if table.contains('/') {
            let text = std::fs::read_to_string(table).map_err(|error| {
                format!("{table}: cannot read the table of algorithms: {}; name another file", reason(&error))
            })?;
            return self.selection.read_table(&text).map_err(|why| format!("{table}: {why}"));
        }
        if table.is_empty() { Ok(()) } else { self.selection.set("coll-selector", table) }
    }

    /// Message sizes at which protocols change.
    pub fn thresholds(&self) -> Thresholds {
        Thresholds { eager_below: self.mpi.eager_below, detached_below: self.mpi.detached_below }
    }

    /// The value of the setting of this name.
    pub fn value(&self, name: &str) -> Option<Value> {
        self.network.value(name).or_else(|| self.what_if.value(name)).or_else(|| self.mpi.value(name))
    }
}

/// What a setting does in a run of this kind.
pub fn effect(key: &str, mode: Mode) -> Effect {
    match find(key) {
        Some(Found::Row(row)) => row.modes.effect(mode),
        Some(Found::Algorithm(_)) | None => Effect::Some,
    }
}

#[cfg(test)]
mod tests {
    use smpi_mpi::collective::select::{CollectiveKind, Operation};
    use smpi_settings::{OPERATIONS, rows};

    use super::*;

    /// What is described can be set, and read as it was set.
    #[test]
    fn every_setting_is_applied() {
        for row in rows() {
            let expected = match row.group {
                Group::Options => Applied::Ignored,
                Group::Network | Group::WhatIf | Group::Mpi => Applied::Yes,
            };
            for name in row.names() {
                let mut settings = Settings::default();
                assert_eq!(settings.set(name, row.default), Ok(expected), "{name}");
                assert_eq!(settings.value(row.name), Settings::default().value(row.name), "{name}");
            }
        }
        for kind in CollectiveKind::all() {
            assert_eq!(Settings::default().set(&format!("smpi/{}", kind.name()), ""), Ok(Applied::Yes));
        }
        assert_eq!(Operation::ALL.map(Operation::name), OPERATIONS);
        assert_eq!(Settings::default().thresholds(), Thresholds::default());
    }

    #[test]
    fn overhead_sections() {
        let mut settings = Settings::default();
        assert_eq!(settings.set("smpi/os", "0:1e-6:1e-9;1000:2e-6:0"), Ok(Applied::Yes));
        assert_eq!(settings.mpi.send_overhead.seconds(0), 1e-6);
        assert_eq!(settings.mpi.send_overhead.seconds(1000), 1e-6 + 1e-9 * 1000.0);
        assert_eq!(settings.mpi.send_overhead.seconds(1001), 2e-6);
        assert_eq!(settings.set("smpi/no-such-key", "1"), Ok(Applied::Unknown));
        assert!(settings.set("smpi/wtime", "soon").is_err());
    }

    #[test]
    fn values_may_have_units() {
        let mut settings = Settings::default();
        for (key, value) in [
            ("smpi/send-is-detached-thresh", "64KiB"),
            ("smpi/async-small-thresh", "1kB"),
            ("smpi/wtime", "1us"),
            ("smpi/cpu-threshold", "2ms"),
            ("smpi/os", "0:1us:1ns;1kB:2us:0"),
            ("smpi/host-speed", "2Gf"),
            ("smpi/host-speed", "2Gf,./server=1Gf"),
            ("smpi/host-speed", "server=1Gf,client=2Gf"),
        ] {
            assert_eq!(settings.set(key, value), Ok(Applied::Yes), "{key}");
        }
        assert_eq!(settings.thresholds(), Thresholds { detached_below: 65536, eager_below: 1000 });
        assert_eq!((settings.mpi.wtime_secs, settings.mpi.cpu_threshold_secs), (1e-6, 2e-3));
        assert_eq!((settings.mpi.host_speed.flops, settings.mpi.host_speed.of_programs.len()), (2e9, 2));
        assert_eq!(settings.mpi.send_overhead.seconds(1001), 2e-6);
        assert_eq!(settings.set("smpi/cpu-threshold", "-1"), Ok(Applied::Yes));
        assert_eq!(settings.mpi.cpu_threshold_secs, f64::INFINITY);
        let bad = [
            ("smpi/wtime", "1KiB"),
            ("smpi/init", "-1"),
            ("smpi/os", "0:1:2:x"),
            ("smpi/host-speed", "0"),
            ("smpi/host-speed", "1Gf,2Gf"),
        ];
        for (key, value) in bad {
            assert!(settings.set(key, value).is_err(), "{key}:{value}");
        }
    }
}
