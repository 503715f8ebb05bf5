//! Topologies and zones in TOML: which hosts there are, which ways messages take, and what is refused.

use smpi_base::HostId;
use smpi_platform::{Platform, Route, Sharing};

fn parse(text: &str) -> Platform {
    Platform::parse("p.toml", text).unwrap_or_else(|e| panic!("{e}"))
}

/// Names of the links of a route, split-duplex ones with their direction, and its latency.
fn way(platform: &Platform, src: &str, dst: &str) -> (Vec<String>, f64) {
    let host = |name| platform.host_named(name).unwrap_or_else(|| panic!("no host {name}"));
    let mut route = Route::default();
    platform.route(host(src), host(dst), &mut route);
    let name = |c: &smpi_platform::Channel| {
        let link = &platform.links()[c.link().index()];
        let direction = if link.sharing == Sharing::SplitDuplex { ["↑", "↓"][c.index() % 2] } else { "" };
        format!("{}{direction}", link.name)
    };
    (route.channels.iter().map(name).collect(), route.latency_secs)
}

#[track_caller]
fn assert_way(platform: &Platform, src: &str, dst: &str, links: &[&str], latency_secs: f64) {
    let (found, latency) = way(platform, src, dst);
    assert_eq!(found, links, "{src} to {dst}");
    assert!((latency - latency_secs).abs() < 1e-12, "{src} to {dst}: {latency} s, not {latency_secs} s");
}

#[track_caller]
fn assert_refused(text: &str, place: &str, message: &str) {
    let error = Platform::parse("p.toml", text).expect_err("this platform must be refused").to_string();
    assert_eq!(error, format!("{place}: {message}"));
}

/// A cluster of six lines and these.
fn cluster(lines: &str) -> String {
    format!("[[cluster]]\nname = \"n\"\nspeed = \"1Gf\"\nbandwidth = \"1GBps\"\nlatency = \"1us\"\n{lines}\n")
}

#[test]
fn a_torus() {
    let platform = parse(&cluster("torus = [4, 3]"));
    assert_eq!(platform.hosts().len(), 12);
    assert_eq!(platform.links().len(), 24);
    assert_way(&platform, "n-0", "n-6", &["n-0-to-1↑", "n-1-to-2↑", "n-2-to-6↑"], 3e-6);
    assert_way(&platform, "n-6", "n-5", &["n-5-to-6↓"], 1e-6);
    assert_way(&platform, "n-7", "n-7", &[], 0.0);
    let limited =
        parse(&cluster("torus = [4, 3]\nlimiter = \"2GBps\"\nloopback = { bandwidth = \"9GBps\", latency = \"0\" }"));
    assert_way(&limited, "n-0", "n-4", &["n-0-limiter", "n-0-to-4↑", "n-4-limiter"], 1e-6);
    assert_way(&limited, "n-1", "n-1", &["n-loopback"], 0.0);
}

#[test]
fn a_fat_tree() {
    let platform =
        parse(&cluster("fat-tree = { down = [2, 2], up = [1, 2] }\nhosts = \"h[10-13]\"\nsharing = \"shared\""));
    assert_eq!(platform.hosts()[3].name, "h13");
    assert_way(&platform, "h10", "h11", &["n-level0-0-to-0-cable0", "n-level0-1-to-0-cable0"], 2e-6);
    let links =
        ["n-level0-0-to-0-cable0", "n-level1-0-to-1-cable0", "n-level1-1-to-1-cable0", "n-level0-3-to-1-cable0"];
    assert_way(&platform, "h10", "h13", &links, 4e-6);
}

#[test]
fn a_dragonfly() {
    let sizes = "{ groups = 2, chassis = 2, routers = 2, nodes = 1, group-links = 3 }";
    let platform = parse(&cluster(&format!("dragonfly = {sizes}")));
    assert_eq!(platform.hosts().len(), 8);
    assert_eq!(platform.links().last().map(|link| link.bandwidth_bytes_per_sec), Some(3e9));
    let links = ["n-2-to-router2↑", "n-chassis1-router0-to-1↑", "n-group0-router1-chassis0-to-1↓", "n-group0-to-1↑"];
    assert_way(&platform, "n-2", "n-4", &[&links[..], &["n-4-to-router4↓"]].concat(), 5e-6);
}

/// Memory and time in proportion to the hosts; a route stored per pair would take hundreds of gigabytes.
#[test]
fn a_hundred_thousand_hosts() {
    for topology in ["torus = [50, 50, 40]", "dragonfly = { groups = 50, chassis = 5, routers = 50, nodes = 8 }"] {
        let platform = parse(&cluster(topology));
        assert_eq!(platform.hosts().len(), 100_000);
        assert!(!way(&platform, "n-17", "n-99999").0.is_empty());
    }
}

#[test]
fn limiters_of_a_switch() {
    let platform =
        parse(&cluster("hosts = 2\nlimiter = \"1GBps\"\nbackbone = { bandwidth = \"2GBps\", latency = \"1us\" }"));
    let links = ["n-0-limiter", "n-0-link↑", "n-backbone", "n-1-link↓", "n-1-limiter"];
    assert_way(&platform, "n-0", "n-1", &links, 3e-6);
    assert_way(&platform, "n-0", "n-0", &["n-0-limiter", "n-0-link↑", "n-backbone", "n-0-link↓"], 3e-6);
}

#[test]
fn topologies_that_cannot_be() {
    assert_refused(
        &cluster("torus = [4, 0]"),
        "p.toml:6:13",
        "torus = 0 is out of range, expected 1 to 10000000; change the number",
    );
    assert_refused(
        &cluster("torus = [100000, 100000]"),
        "p.toml:6:9",
        "more than 10000000 hosts, expected a torus that exists; change the numbers",
    );
    assert_refused(
        &cluster("torus = [4]\nfat-tree = { down = [4], up = [1] }"),
        "p.toml:7:12",
        "\"fat-tree\" beside \"torus\", expected one topology; remove one",
    );
    assert_refused(
        &cluster("torus = [4]\nhosts = 5"),
        "p.toml:7:9",
        "hosts = 5 does not fit the topology, expected 4 hosts; change one of them",
    );
    assert_refused(
        &cluster("dragonfly = { groups = 3, chassis = 1, routers = 2, nodes = 1 }"),
        "p.toml:6:13",
        "3 groups and 2 routers in a chassis: every other group needs a router of its own, expected a dragonfly that \
         exists; change the numbers",
    );
    assert_refused(
        &cluster("hosts = \"node\""),
        "p.toml:6:9",
        "hosts: no list of numbers, expected one list of numbers in brackets, as in \"node[0-63,70].site\"; correct the \
         pattern",
    );
    assert_refused(
        &cluster("torus = [4]\nbackbone = { bandwidth = \"1GBps\", latency = \"0\" }"),
        "p.toml:7:12",
        "a backbone in a topology without a middle, expected it at a switch only; remove it",
    );
}

/// Zones in zones, as in docs/platforms.md, with a star beside them.
const ZONES: &str = r#"
[[zone]]
name = "site"
routing = "dijkstra"
gateway = "door"
[[host]]
name = "a"
in = "site"
speed = "1Gf"
[[router]]
name = "door"
in = "site"
[[cluster]]
name = "node"
hosts = 4
speed = "1Gf"
bandwidth = "1GBps"
latency = "1us"
[[zone]]
name = "ring"
routing = "star"
[[host]]
name = "s"
in = "ring"
speed = "1Gf"
[[router]]
name = "hub"
in = "ring"
[[link]]
name = "lan"
bandwidth = "1Gbps"
latency = "10us"
[[link]]
name = "wan"
bandwidth = "1Gbps"
latency = "1ms"
sharing = "split-duplex"
[[spoke]]
of = "s"
up = ["lan", "wan"]
own = ["lan"]
[[route]]
src = "a"
dst = "door"
links = ["lan"]
[[route]]
src = "site"
dst = "node"
links = ["wan"]
[[route]]
src = "ring"
dst = "node"
gateways = ["hub", "node-3"]
links = ["lan"]
[[route]]
src = "ring"
dst = "site"
gateways = ["hub", "door"]
links = ["lan", "lan"]
[[route]]
src = "a"
dst = "node-2"
links = ["lan"]
bypass = true
"#;

#[test]
fn zones_in_zones() {
    let platform = parse(ZONES);
    assert_way(&platform, "a", "node-1", &["lan", "wan↑", "node-1-link↓"], 1.011e-3);
    assert_way(&platform, "node-1", "a", &["node-1-link↑", "wan↓", "lan"], 1.011e-3);
    assert_way(&platform, "a", "node-2", &["lan"], 1e-5);
    assert_way(&platform, "node-2", "a", &["node-2-link↑", "wan↓", "lan"], 1.011e-3);
    assert_way(&platform, "s", "a", &["lan", "wan↑", "lan", "lan", "lan"], 1.04e-3);
    assert_way(&platform, "a", "s", &["lan", "lan", "lan", "wan↓", "lan"], 1.04e-3);
    assert_way(&platform, "s", "node-0", &["lan", "wan↑", "lan", "node-3-link↑", "node-0-link↓"], 1.022e-3);
    assert_way(&platform, "s", "node-3", &["lan", "wan↑", "lan"], 1.02e-3);
    assert_way(&platform, "s", "s", &["lan"], 1e-5);
}

#[test]
fn zones_with_mistakes() {
    let changed = |from: &str, to: &str| {
        assert!(ZONES.contains(from), "{from}");
        ZONES.replacen(from, to, 1)
    };
    assert_refused(
        &changed("\"dijkstra\"", "\"dikstra\""),
        "p.toml:4:11",
        "routing = \"dikstra\" does not exist, expected \"full\", \"dijkstra\", \"floyd\", \"star\" or \"vivaldi\"; did \
         you mean \"dijkstra\"?",
    );
    assert_refused(
        &changed("in = \"site\"", "in = \"node\""),
        "p.toml:8:6",
        "no [[zone]] above is named \"node\", expected one of them; write the zone before this",
    );
    assert_refused(
        &changed("gateway = \"door\"", "gateway = \"hub\""),
        "p.toml:5:11",
        "the gateway \"hub\" is not inside \"site\", expected a host or router of this zone; name another one",
    );
    assert_refused(
        &changed("gateways = [\"hub\", \"node-3\"]\n", ""),
        "p.toml:50:1",
        "the zone \"ring\" has no gateway, expected one route per pair; correct or remove this one",
    );
    assert_refused(
        &changed("gateways = [\"hub\", \"node-3\"]", "gateways = [\"hub\"]"),
        "p.toml:53:12",
        "\"gateways\" has not two names, expected that of src and that of dst; correct it",
    );
    assert_refused(
        &changed("of = \"s\"", "of = \"a\""),
        "p.toml:38:1",
        "\"a\" is not a member of a star, expected a member of a zone with routing = \"star\"; correct \"of\"",
    );
    assert_refused(
        &changed("[[route]]\nsrc = \"a\"\ndst = \"door\"\nlinks = [\"lan\"]\n", ""),
        "p.toml",
        "no route from \"a\" to \"door\", expected one between every two clusters and lone hosts; add [[route]] src = \
         \"a\" dst = \"door\" links = [...]",
    );
    let place = "routing = \"vivaldi\"\n[[host]]\nname = \"a\"\nspeed = \"1Gf\"\n";
    assert_refused(
        place,
        "p.toml:2:1",
        "[[host]] has no \"place\", expected place = [25.5, 9.4, 1.4] in a zone with routing = \"vivaldi\"; add the line",
    );
    let closed = "routing = \"star\"\n[[zone]]\nname = \"z\"\n[[host]]\nname = \"a\"\nin = \"z\"\nspeed = \"1Gf\"\n";
    assert_refused(
        closed,
        "p.toml",
        "the zone \"z\" in a star has no gateway, expected a host or router inside it; add gateway = \"...\" to the zone",
    );
}

/// Clusters around a middle: their switches are their gateways, unless they say otherwise.
#[test]
fn a_star_of_clusters() {
    let one = |name: &str, more: &str| {
        format!(
            "[[cluster]]\nname = \"{name}\"\nhosts = 2\nspeed = \"1Gf\"\nbandwidth = \"1GBps\"\nlatency = \"1us\"\n{more}\n"
        )
    };
    let link =
        "[[link]]\nname = \"up\"\nbandwidth = \"1GBps\"\nlatency = \"5us\"\n[[spoke]]\nof = \"a\"\nup = [\"up\"]\n";
    let text = format!("routing = \"star\"\n{}{}{link}", one("a", ""), one("b", "gateway = \"b-1\""));
    let platform = parse(&text);
    assert_way(&platform, "a-0", "b-0", &["a-0-link↑", "up", "b-1-link↑", "b-0-link↓"], 8e-6);
    assert_way(&platform, "b-1", "a-1", &["up", "a-1-link↓"], 6e-6);
    assert_eq!(parse(&platform.to_toml().unwrap()).to_toml(), platform.to_toml());
}

#[test]
fn messages_may_be_spread_over_the_shortest_ways() {
    let cluster = |topology: &str, more: &str| {
        parse(&format!(
            "[[cluster]]\nname = \"n\"\n{topology}\nspeed = \"1Gf\"\nbandwidth = \"1GBps\"\nlatency = \"1us\"\n{more}"
        ))
    };
    for topology in [
        "torus = [4, 4, 4]",
        "fat-tree = { down = [4, 4, 4], up = [1, 4, 4] }",
        "dragonfly = { groups = 4, chassis = 4, routers = 4, nodes = 1 }",
    ] {
        let (rule, spread) = (cluster(topology, ""), cluster(topology, "spread = true\n"));
        let (mut one, mut other) = (Route::default(), Route::default());
        let mut loads = [vec![0; 2 * rule.links().len()], vec![0; 2 * rule.links().len()]];
        for (src, dst) in (0..64).flat_map(|src| (0..64).map(move |dst| (HostId(src), HostId(dst)))) {
            rule.route(src, dst, &mut one);
            spread.route(src, dst, &mut other);
            // By SimGrid's rule a message in a dragonfly may leave a link out.
            let is_as_long = other.channels.len() == one.channels.len() || topology.starts_with("dragonfly");
            assert!(is_as_long, "{topology}: {src:?} {dst:?}");
            one.channels.iter().for_each(|channel| loads[0][channel.index()] += 1);
            other.channels.iter().for_each(|channel| loads[1][channel.index()] += 1);
        }
        assert_ne!(loads[0], loads[1], "{topology}");
        let again = cluster(topology, "spread = true\n");
        again.route(HostId(3), HostId(60), &mut one);
        spread.route(HostId(3), HostId(60), &mut other);
        assert_eq!(one, other);
        assert_eq!(Platform::parse("p.toml", &spread.to_toml().unwrap()).unwrap().to_toml(), spread.to_toml());
    }
}
