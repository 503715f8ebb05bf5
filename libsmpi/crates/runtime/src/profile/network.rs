//! Messages and links in a profile: by size, by ranks, by hosts, and what links carried.

use std::collections::BTreeMap;

use smpi_base::HostId;
use smpi_platform::Sharing;
use smpi_recording::{Place, Recorder, Volume};
use smpi_report::profile::{HostPairRow, LinkRow, LinkUser, PairRow, SizeRow};

use super::Names;
use crate::state::Runtime;

/// Links that are described.
const MOST_LINKS: usize = 64;
/// Calls that are named for each of them.
const MOST_USERS: usize = 4;

pub(super) fn sizes(recorder: &Recorder) -> Vec<SizeRow> {
    let used = recorder.sizes.iter().enumerate().filter(|(_, volume)| volume.messages > 0);
    used.map(|(index, volume)| SizeRow {
        below_bytes: 1u64.checked_shl(index as u32).unwrap_or(u64::MAX),
        messages: volume.messages,
        bytes: volume.bytes,
    })
    .collect()
}

pub(super) fn matrix(recorder: &Recorder) -> Vec<PairRow> {
    let row = |&((from, to), volume): &((u32, u32), Volume)| PairRow {
        from,
        to,
        messages: volume.messages,
        bytes: volume.bytes,
    };
    let mut rows: Vec<PairRow> = recorder.pairs.iter().map(row).collect();
    rows.sort_unstable_by_key(|row| (row.from, row.to));
    rows
}

/// Messages between hosts, by their places on the platform; `host_of` has that of each rank.
pub(super) fn host_matrix(
    recorder: &Recorder,
    host_of: &[HostId],
    name: impl Fn(HostId) -> String,
) -> Vec<HostPairRow> {
    let mut sums: BTreeMap<(HostId, HostId), Volume> = BTreeMap::new();
    for &((from, to), volume) in &recorder.pairs {
        let sum = sums.entry((host_of[from as usize], host_of[to as usize])).or_default();
        sum.messages += volume.messages;
        sum.bytes += volume.bytes;
    }
    let row =
        |((from, to), Volume { messages, bytes })| HostPairRow { from: name(from), to: name(to), messages, bytes };
    sums.into_iter().map(row).collect()
}

pub(super) fn links(runtime: &mut Runtime, names: &Names, whole_secs: f64) -> Vec<LinkRow> {
    let platform = runtime.platform.clone();
    let is_contended = runtime.settings.what_if.contention;
    let is_unshared =
        |channel: u32| !is_contended || platform.links()[channel as usize / 2].sharing == Sharing::FatPipe;
    let Some(recorder) = runtime.driver.recorder() else { return Vec::new() };
    let interval_secs = recorder.links.interval_secs();
    let mut used: Vec<(u32, f64)> = recorder.links.all().map(|(channel, secs, _)| (channel, secs)).collect();
    used.sort_by(|one, other| {
        let shared_first = is_unshared(one.0).cmp(&is_unshared(other.0));
        shared_first.then(other.1.total_cmp(&one.1)).then(one.0.cmp(&other.0))
    });
    used.truncate(MOST_LINKS);
    let row = |(channel, busy_secs): (u32, f64)| {
        let (_, _, row) = recorder.links.all().find(|(other, _, _)| *other == channel)?;
        let is_unshared = is_unshared(channel);
        // What messages take is spread evenly over their time, and they may have had more of the link in a part of it;
        // its bandwidth may have changed.
        let most = if is_unshared { f64::INFINITY } else { 1.0 };
        let over_time: Vec<f32> = row.iter().map(|secs| (secs / interval_secs as f32).min(most as f32)).collect();
        let peak = (0..over_time.len())
            .max_by(|&one, &other| over_time[one].total_cmp(&over_time[other]).then(other.cmp(&one)))?;
        let direction = if channel % 2 == 1 { " (down)" } else { "" };
        Some(LinkRow {
            name: format!("{}{direction}", platform.links()[channel as usize / 2].name),
            is_unshared,
            busy_secs,
            share: if whole_secs > 0.0 { (busy_secs / whole_secs).min(most) } else { 0.0 },
            peak_share: f64::from(over_time[peak]),
            peak_from_secs: peak as f64 * interval_secs,
            interval_secs,
            users: users(&recorder.links.users(channel), names),
            over_time,
        })
    };
    used.into_iter().filter_map(row).collect()
}

/// The calls that use a link most; calls of one name are one.
fn users(of_places: &[(Place, f64)], names: &Names) -> Vec<LinkUser> {
    let mut users: Vec<LinkUser> = Vec::new();
    for &(place, secs) in of_places {
        let place = names.name(place);
        match users.iter_mut().find(|user| user.place == *place) {
            Some(user) => user.secs += secs,
            None => users.push(LinkUser { place: place.clone(), secs }),
        }
    }
    users.sort_by(|one, other| other.secs.total_cmp(&one.secs));
    users.truncate(MOST_USERS);
    users
}
