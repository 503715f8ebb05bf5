//! The platform that SMPI makes up from a hostfile without a platform: every host with one link, and between any two
//! hosts a route over the links of both.

use smpi_base::plan::Mesh;
use smpi_platform::{Link, Platform, PlatformBuilder, Sharing};

/// The platform of a plan's mesh. Messages inside a host use the global loopback, at the mesh's speed.
///
/// # Errors
/// Text for the user when two hosts have the same name.
pub fn platform(mesh: &Mesh) -> Result<Platform, String> {
    let mut builder = PlatformBuilder::default();
    let link = Link {
        name: Box::default(),
        bandwidth_bytes_per_sec: mesh.bandwidth_bytes_per_sec,
        latency_secs: mesh.latency_secs,
        sharing: Sharing::Shared,
    };
    builder.mesh(&mesh.hosts, mesh.speed_flops, &link)?;
    builder.setting("network/loopback-bw", &mesh.loopback_bytes_per_sec.to_string(), None);
    builder.build("generated from the hostfile")
}

#[cfg(test)]
mod tests {
    use smpi_base::HostId;
    use smpi_platform::Route;

    use super::*;

    fn mesh(hosts: &[&str]) -> Mesh {
        Mesh {
            hosts: hosts.iter().map(ToString::to_string).collect(),
            bandwidth_bytes_per_sec: 1e8,
            latency_secs: 1e-5,
            loopback_bytes_per_sec: 5e8,
            speed_flops: 1e9,
        }
    }

    #[test]
    fn any_two_hosts_are_two_links_apart() {
        let platform = platform(&mesh(&["a", "b", "c"])).unwrap();
        let mut route = Route::default();
        for (source, target) in [(0, 1), (1, 0), (2, 0), (1, 2)] {
            platform.route(HostId(source), HostId(target), &mut route);
            assert_eq!((route.channels.len(), route.latency_secs), (2, 2e-5), "{source} to {target}");
        }
        platform.route(HostId(1), HostId(1), &mut route);
        assert!(route.channels.is_empty());
        assert_eq!(platform.settings(), [("network/loopback-bw".to_string(), "500000000".to_string())]);
    }

    #[test]
    fn many_hosts_take_memory_for_themselves_and_not_for_their_pairs() {
        let names: Vec<String> = (0..100_000).map(|index| format!("h{index}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let platform = platform(&mesh(&names)).unwrap();
        assert_eq!((platform.hosts().len(), platform.links().len()), (100_000, 100_000));
    }

    #[test]
    fn two_hosts_of_one_name_are_refused() {
        assert!(platform(&mesh(&["a", "b", "a"])).unwrap_err().contains("\"a\""));
    }
}
