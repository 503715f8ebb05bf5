//! The platform that SMPI makes up from a hostfile without a platform: every host with one link, and between any two
//! hosts a route over the links of both.

use smpi_base::plan::Mesh;
use smpi_platform::{Direction, Endpoint, Link, Platform, PlatformBuilder, RouteLink, Sharing};

/// The platform of a plan's mesh. Messages inside a host use the global loopback, at the mesh's speed.
///
/// # Errors
/// Text for the user when two hosts have the same name.
pub fn platform(mesh: &Mesh) -> Result<Platform, String> {
    let mut builder = PlatformBuilder::new();
    let mut ends = Vec::with_capacity(mesh.hosts.len());
    for name in &mesh.hosts {
        let host = builder.host(name, mesh.speed_flops, 1)?;
        let link = builder.link(Link {
            name: format!("{name}-link"),
            bandwidth_bytes_per_sec: mesh.bandwidth_bytes_per_sec,
            latency_secs: mesh.latency_secs,
            sharing: Sharing::Shared,
        })?;
        ends.push((Endpoint::Host(host), RouteLink { link, direction: Direction::Up }));
    }
    for (index, &(source, up)) in ends.iter().enumerate() {
        for &(target, down) in &ends[index + 1..] {
            builder.route(source, target, &[up, down], true)?;
        }
    }
    builder.setting("network/loopback-bw", &mesh.loopback_bytes_per_sec.to_string(), None);
    builder.build("generated from the hostfile")
}
