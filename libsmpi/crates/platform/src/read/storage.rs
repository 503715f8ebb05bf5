//! `[[disk]]` and `[[filesystem]]`: where files are, and what reading and writing them costs.

use super::section::Section;
use super::{Reader, Result};
use crate::names::HostNames;
use crate::storage::{Disk, FileSystem};
use smpi_base::HostId;
use std::ops::Range;
use std::path::PathBuf;

/// The stripe of a file system that says nothing: that of Lustre (`lfs setstripe -S`).
const STRIPE_BYTES: u64 = 1 << 20;

impl<'a> Reader<'a> {
    pub(super) fn disk(&mut self, section: &Section<'a>) -> Result<()> {
        section.only(&["host", "read-bandwidth", "write-bandwidth", "latency"])?;
        let (read_bytes_per_sec, write_bytes_per_sec) =
            (section.bandwidth("read-bandwidth")?, section.bandwidth("write-bandwidth")?);
        let latency_secs = if section.entry("latency").is_some() { section.latency("latency")? } else { 0.0 };
        let (pattern, span) = section.text("host")?;
        for host in self.hosts(pattern, span)? {
            let disk = Disk { host, read_bytes_per_sec, write_bytes_per_sec, latency_secs };
            self.builder.disk(disk).map_err(|why| {
                let message = format!(
                    "{why}, expected one disk for each host; remove one, or write one with what both do together"
                );
                self.source.error(section.key_span("host"), message)
            })?;
        }
        Ok(())
    }

    pub(super) fn file_system(&mut self, section: &Section<'a>) -> Result<()> {
        section.only(&["mount", "servers", "stripe-size"])?;
        let (mount, span) = section.text("mount")?;
        let mount = PathBuf::from(mount);
        if !mount.is_absolute() {
            let message = format!("mount = {mount:?} is not absolute, expected a path from the root; begin it with /");
            return Err(self.source.error(span, message));
        }
        let mut servers = Vec::new();
        for (pattern, span) in section.texts("servers")? {
            for host in self.hosts(pattern, span.clone())? {
                let name = self.builder.host_name(host);
                let Some(disk) = self.builder.disk_of(host) else {
                    let message = format!(
                        "the server \"{name}\" has no disk, expected hosts with one; add a [[disk]] with host = \
                         \"{name}\""
                    );
                    return Err(self.source.error(span, message));
                };
                if servers.contains(&disk) {
                    let message = format!("\"{name}\" is a server twice, expected different ones; remove one");
                    return Err(self.source.error(span, message));
                }
                servers.push(disk);
            }
        }
        if servers.is_empty() {
            let message = "there are no servers, expected at least one host with a disk; name it".to_owned();
            return Err(self.source.error(section.key_span("servers"), message));
        }
        let stripe_bytes = section.size("stripe-size", STRIPE_BYTES)?;
        self.builder.file_system(FileSystem { mount, servers, stripe_bytes }).map_err(|why| {
            self.source.error(span, format!("{why}, expected one at each place; change one of the mounts"))
        })
    }

    /// The hosts that a name or a pattern of names stands for.
    fn hosts(&self, pattern: &str, span: Range<usize>) -> Result<Vec<HostId>> {
        let host = |name: &str| {
            let unknown = || self.unknown(span.clone(), "host", name, &self.builder.point_names());
            self.builder.host_named(name).ok_or_else(unknown)
        };
        if !pattern.contains('[') {
            return Ok(vec![host(pattern)?]);
        }
        let names = HostNames::parse(pattern)
            .map_err(|why| self.source.error(span.clone(), format!("{why}; correct the pattern")))?;
        (0..names.count()).map(|index| host(&names.name(index))).collect()
    }
}
