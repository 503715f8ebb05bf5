//! Reading platforms: what they mean, and where and why they are refused.

use smpi_base::HostId;
use smpi_platform::{DiskId, Platform, Route, Sharing};
use std::path::Path;

fn parse(text: &str) -> Platform {
    Platform::parse("p.toml", text).unwrap_or_else(|e| panic!("{e}"))
}

/// Names of the links of a route, split-duplex ones with their direction, and its latency.
fn way(platform: &Platform, src: &str, dst: &str) -> (Vec<String>, f64) {
    let host = |name| platform.host_named(name).expect("a host of the platform");
    let mut route = Route::default();
    platform.route(host(src), host(dst), &mut route);
    let name = |c: &smpi_platform::Channel| {
        let link = &platform.links()[c.link().index()];
        let direction = if link.sharing == Sharing::SplitDuplex { ["↑", "↓"][c.index() % 2] } else { "" };
        format!("{}{direction}", link.name)
    };
    (route.channels.iter().map(name).collect(), route.latency_secs)
}

const SMALLEST: &str = r#"
[[cluster]]
name = "node"            # hosts node-0 … node-63
hosts = 64
cores = 1
speed = "1Gf"            # per core
bandwidth = "125MBps"    # every host's own split-duplex link
latency = "50us"
"#;

#[test]
fn the_smallest_file() {
    let platform = parse(SMALLEST);
    assert_eq!(platform.hosts().len(), 64);
    assert_eq!(platform.hosts()[63].name, "node-63");
    assert_eq!(platform.hosts()[0].speed_flops_per_sec, 1e9);
    assert_eq!(platform.host_named("node-5"), Some(HostId(5)));
    assert_eq!(platform.host_named("node-64"), None);
    assert_eq!(way(&platform, "node-3", "node-5"), (vec!["node-3-link↑".into(), "node-5-link↓".into()], 1e-4));
    assert_eq!(way(&platform, "node-3", "node-3"), (vec!["node-3-link↑".into(), "node-3-link↓".into()], 1e-4));
}

#[test]
fn backbone_and_loopback() {
    let more = "backbone = { bandwidth = \"2.25GBps\", latency = \"500us\" }\n\
                loopback = { bandwidth = \"5GBps\", latency = \"1us\" }\n";
    let platform = parse(&format!("{SMALLEST}{more}"));
    let (links, latency) = way(&platform, "node-0", "node-1");
    assert_eq!(links, ["node-0-link↑", "node-backbone", "node-1-link↓"]);
    assert!((latency - 6e-4).abs() < 1e-15);
    assert_eq!(way(&platform, "node-1", "node-1"), (vec!["node-loopback".into()], 1e-6));
}

#[test]
fn a_route_joins_two_clusters() {
    let platform = parse(
        r#"
        [[cluster]]
        name = "a"
        hosts = 2
        speed = "1Gf"
        bandwidth = "1GBps"
        latency = "1us"
        backbone = { bandwidth = "2GBps", latency = "1us" }
        [[host]]
        name = "front"
        speed = "1Gf"
        [[cluster]]
        name = "b"
        hosts = 2
        speed = "1Gf"
        bandwidth = "1GBps"
        latency = "1us"
        [[link]]
        name = "wan"
        bandwidth = "10Gbps"
        latency = "1ms"
        sharing = "split-duplex"
        [[link]]
        name = "lan"
        bandwidth = "1Gbps"
        latency = "10us"
        [[route]]
        src = "a"
        dst = "b"
        links = ["lan", "wan"]
        [[route]]
        src = "front"
        dst = "a"
        links = ["lan"]
        [[route]]
        src = "front"
        dst = "b"
        links = ["wan:down"]
        [[route]]
        src = "a-1"
        dst = "b-1"
        links = ["lan"]
        symmetric = false
        "#,
    );
    let names: Vec<&str> = platform.hosts().iter().map(|h| h.name.as_str()).collect();
    assert_eq!(names, ["a-0", "a-1", "front", "b-0", "b-1"], "hosts are numbered in the order of the file");
    assert_eq!(way(&platform, "a-0", "b-1").0, ["a-0-link↑", "a-backbone", "lan", "wan↑", "b-1-link↓"]);
    assert_eq!(way(&platform, "b-1", "a-0").0, ["b-1-link↑", "wan↓", "lan", "a-backbone", "a-0-link↓"]);
    assert_eq!(way(&platform, "front", "b-0").0, ["wan↓", "b-0-link↓"]);
    assert_eq!(way(&platform, "b-0", "front").0, ["b-0-link↑", "wan↑"]);
    assert_eq!(way(&platform, "a-1", "front").0, ["a-1-link↑", "a-backbone", "lan"]);
    // A route between two hosts wins, here in one direction only.
    assert_eq!(way(&platform, "a-1", "b-1").0, ["lan"]);
    assert_eq!(way(&platform, "b-1", "a-1").0.len(), 5);
    assert_eq!(way(&platform, "front", "front").0, Vec::<String>::new());
}

#[test]
fn settings_keep_their_order_and_place() {
    let text = "[[host]]\nname = \"h\"\nspeed = \"1Gf\"\n[network]\nweight-S = 1000\nTCP-gamma = \"1e6\"\n\
                crosstraffic = false\n[mpi]\nasync-small-thresh = 1024\nos = \"0:1e-6:0\"\n";
    let platform = parse(text);
    let expected = [
        ("network/weight-S", "1000"),
        ("network/TCP-gamma", "1e6"),
        ("network/crosstraffic", "no"),
        ("smpi/async-small-thresh", "1024"),
        ("smpi/os", "0:1e-6:0"),
    ];
    let found: Vec<(&str, &str)> = platform.settings().iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    assert_eq!(found, expected);
    assert_eq!(platform.setting_place(1), "p.toml:6:13");
}

#[test]
fn every_setting_of_mpi_and_the_network_may_stand_in_a_file_and_others_may_not() {
    let table = |key: &str| if key.starts_with("smpi/") { "mpi" } else { "network" };
    let host = "[[host]]\nname = \"h\"\nspeed = \"1Gf\"\n";
    let mut known = smpi_settings::known_to_platforms().filter(|key| !key.starts_with("surf/")).peekable();
    assert!(known.peek().is_some());
    for key in known {
        let name = key.split_once('/').map_or("", |(_, name)| name);
        let platform = parse(&format!("{host}[{}]\n{name} = \"1\"\n", table(&key)));
        assert_eq!(platform.settings(), [(key, "1".to_string())]);
    }
    for name in ["np", "map", "replay", "no-such-setting"] {
        assert!(Platform::parse("p.toml", &format!("{host}[mpi]\n{name} = \"1\"\n")).is_err(), "{name}");
    }
}

#[test]
fn the_ready_made_platforms_are_valid() {
    assert_eq!(Platform::builtin_laptop().hosts().len(), 1);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../platforms");
    for (file, hosts) in [("laptop", 1), ("gigabit-64", 64), ("infiniband-256", 256)] {
        let platform = Platform::load(&folder.join(format!("{file}.toml"))).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(platform.hosts().len(), hosts, "{file}");
    }
}

#[track_caller]
fn assert_refused(text: &str, place: &str, message: &str) {
    let error = Platform::parse("p.toml", text).expect_err("this platform must be refused").to_string();
    assert_eq!(error, format!("{place}: {message}"));
}

/// A cluster with one line replaced or added; the refused line is the second.
fn cluster(line: &str) -> String {
    let key = line.split('=').next().unwrap_or_default().trim();
    let lines = ["name = \"node\"", "hosts = 2", "speed = \"1Gf\"", "bandwidth = \"1GBps\"", "latency = \"1us\""];
    let others: Vec<&str> =
        lines.into_iter().filter(|l| l.split('=').next().is_some_and(|k| k.trim() != key)).collect();
    format!("[[cluster]]\n{line}\n{}\n", others.join("\n"))
}

#[test]
fn quantities_are_refused_where_they_stand() {
    assert_refused(
        &cluster("bandwidth = \"125MBqs\""),
        "p.toml:2:13",
        "bandwidth: \"125MBqs\": unknown unit \"MBqs\", expected a bandwidth such as \"125MBps\", \"100Gbps\" or \
         \"2.5GiBps\"; write for example bandwidth = \"125MBps\"",
    );
    assert_refused(
        &cluster("latency = 5"),
        "p.toml:2:11",
        "\"latency\" is of type integer, expected \"50us\"; write latency = \"50us\"",
    );
    assert_refused(
        &cluster("speed = \"0f\""),
        "p.toml:2:9",
        "speed is zero, expected more than that; write for example speed = \"1Gf\"",
    );
    assert_refused(
        &cluster("backbone = { bandwidth = \"1GBps\", latency = \"0\", sharing = \"split-duplex\" }"),
        "p.toml:2:60",
        "a backbone has no direction to split, expected \"shared\" or \"fatpipe\"; choose one",
    );
    assert_refused(
        &cluster("hosts = 0"),
        "p.toml:2:9",
        "hosts = 0 is out of range, expected 1 to 10000000; change the number",
    );
}

#[test]
fn unknown_words_get_a_suggestion() {
    let keys = "name, hosts, cores, speed, bandwidth, latency, sharing, backbone, loopback, limiter, \
                torus, fat-tree, dragonfly, spread, in, gateway, place, watts, link-watts";
    assert_refused(
        &cluster("bandwith = \"1GBps\""),
        "p.toml:2:1",
        &format!("unknown key \"bandwith\" in [[cluster]], expected {keys}; did you mean \"bandwidth\"?"),
    );
    assert_refused(
        &cluster("sharing = \"fatpip\""),
        "p.toml:2:11",
        "sharing = \"fatpip\" does not exist, expected \"shared\", \"split-duplex\" or \"fatpipe\"; did you mean \"fatpipe\"?",
    );
    assert_refused(
        &format!("{SMALLEST}[network]\nweigth-S = 1\n"),
        "p.toml:10:1",
        "unknown setting \"weigth-S\", expected a setting of [network]; did you mean \"weight-S\"?",
    );
    assert_refused(
        "[[clusters]]\nname = \"x\"\n",
        "p.toml:1:3",
        "unknown key \"clusters\" in the file, expected cluster, host, link, route, zone, router, spoke, \
         profile, disk, filesystem, routing, network, mpi; did you mean \"cluster\"?",
    );
    assert_refused(
        &format!("{SMALLEST}[[route]]\nsrc = \"nod\"\ndst = \"node\"\nlinks = []\n"),
        "p.toml:10:7",
        "no host or cluster is named \"nod\", expected a name of this file; did you mean \"node\"?",
    );
}

#[test]
fn what_is_missing_is_named() {
    assert_refused(
        "[[cluster]]\nname = \"n\"\nhosts = 2\nspeed = \"1Gf\"\nbandwidth = \"1GBps\"\n",
        "p.toml:1:1",
        "[[cluster]] has no \"latency\", expected latency = \"50us\"; add the line",
    );
    assert_refused("", "p.toml", "the platform has no host, expected a [[cluster]] or a [[host]]; add one");
    assert_refused(
        "[[host]]\nname = \"a\"\nspeed = \"1f\"\n[[host]]\nname = \"b\"\nspeed = \"1f\"\n",
        "p.toml",
        "no route from \"a\" to \"b\", expected one between every two clusters and lone hosts; \
         add [[route]] src = \"a\" dst = \"b\" links = [...]",
    );
    let missing = Platform::load(Path::new("/nowhere/p.toml")).unwrap_err().to_string();
    assert!(missing.starts_with("/nowhere/p.toml: cannot read the platform ("), "{missing}");
}

#[test]
fn names_are_unique_and_routes_too() {
    assert_refused(
        &format!("{SMALLEST}[[host]]\nname = \"node-7\"\nspeed = \"1Gf\"\n"),
        "p.toml:10:8",
        "a second host named \"node-7\", expected unique names; rename one",
    );
    let two = "[[host]]\nname = \"a\"\nspeed = \"1f\"\n[[host]]\nname = \"b\"\nspeed = \"1f\"\n\
               [[link]]\nname = \"l\"\nbandwidth = \"1Bps\"\nlatency = \"0\"\n\
               [[route]]\nsrc = \"a\"\ndst = \"b\"\nlinks = [\"l\"]\n[[route]]\nsrc = \"b\"\ndst = \"a\"\nlinks = [\"l\"]\n";
    assert_refused(
        two,
        "p.toml:15:1",
        "a second route from \"b\" to \"a\" (a route is symmetric unless symmetric = false), expected one route per pair; \
         correct or remove this one",
    );
}

#[test]
fn other_formats_are_recognised() {
    assert_refused(
        "<?xml version='1.0'?>\n<platform/>",
        "p.toml:2:1",
        "this is version 0 of SimGrid's platform files, expected 4 or 4.1; convert it with simgrid_update_xml",
    );
    let error = Platform::parse("p.toml", "[[cluster]\nname = 1").unwrap_err();
    assert_eq!(error.place.map(|p| p.0), Some(1), "{error}");
}

/// Whatever the text, reading it ends with a platform or a message.
#[test]
fn garbage_is_refused_without_panic() {
    let mut rng = smpi_base::rng::Rng::new(5);
    for _ in 0..20_000 {
        let mut text = SMALLEST.as_bytes().to_vec();
        for _ in 0..1 + rng.below(6) {
            let at = rng.below(text.len());
            match rng.below(3) {
                0 => text[at] = b" \n\"[]={}0.-eu#a"[rng.below(15)],
                1 => drop(text.remove(at)),
                _ => text.insert(at, b"\"[]{}=\n9"[rng.below(8)]),
            }
        }
        // A large number of hosts is valid and takes memory; this test is about the text.
        let text = String::from_utf8_lossy(&text).replace("99", "9");
        drop(Platform::parse("p.toml", &text));
    }
}

const DISK: &str =
    "[[disk]]\nhost = \"node-[0-1]\"\nread-bandwidth = \"2GBps\"\nwrite-bandwidth = \"1GBps\"\nlatency = \"1ms\"\n";

fn with_storage(text: &str) -> String {
    format!("{text}{}", cluster("hosts = 3"))
}

#[test]
fn disks_and_file_systems() {
    let systems = "[[filesystem]]\nmount = \"/\"\nservers = [\"node-1\"]\n\
                   [[filesystem]]\nmount = \"/scratch\"\nservers = [\"node-1\", \"node-0\"]\nstripe-size = \"64KiB\"\n";
    let platform = parse(&with_storage(&format!("{DISK}{systems}")));
    let disk = |host: u32| platform.disk_of(HostId(host));
    assert_eq!([disk(0), disk(1), disk(2)], [Some(DiskId(0)), Some(DiskId(1)), None]);
    let first = &platform.disks()[0];
    assert_eq!((first.read_bytes_per_sec, first.write_bytes_per_sec, first.latency_secs), (2e9, 1e9, 1e-3));
    let of = |path: &str| platform.file_system_of(Path::new(path)).unwrap();
    assert_eq!((of("/scratches").servers.len(), of("/scratches").stripe_bytes), (1, 1 << 20));
    assert_eq!((&of("/scratch/a/b").servers[..], of("/scratch").stripe_bytes), (&[DiskId(1), DiskId(0)][..], 65536));
    let again = parse(&platform.to_toml().unwrap());
    assert_eq!((again.disks(), again.file_systems()), (platform.disks(), platform.file_systems()));
}

#[test]
fn disks_and_file_systems_are_refused_where_they_are_wrong() {
    let refused = |storage: String, place: &str, message: &str| assert_refused(&with_storage(&storage), place, message);
    refused(
        DISK.replace("\"1GBps\"", "\"0\""),
        "p.toml:4:19",
        "write-bandwidth is zero, expected more than that; write for example write-bandwidth = \"125MBps\"",
    );
    refused(
        DISK.replace("node-[0-1]", "nod-1"),
        "p.toml:2:8",
        "no host is named \"nod-1\", expected a name of this file; did you mean \"node-1\"?",
    );
    refused(
        format!("{DISK}{DISK}"),
        "p.toml:7:8",
        "a second disk of \"node-0\", expected one disk for each host; remove one, or write one with what both do together",
    );
    let system = |rest: &str| format!("{DISK}[[filesystem]]\n{rest}\n");
    refused(
        system("mount = \"scratch\"\nservers = [\"node-0\"]"),
        "p.toml:7:9",
        "mount = \"scratch\" is not absolute, expected a path from the root; begin it with /",
    );
    refused(
        system("mount = \"/\"\nservers = [\"node-[1-2]\"]"),
        "p.toml:8:12",
        "the server \"node-2\" has no disk, expected hosts with one; add a [[disk]] with host = \"node-2\"",
    );
    refused(
        system("mount = \"/\"\nservers = [\"node-0\", \"node-0\"]"),
        "p.toml:8:22",
        "\"node-0\" is a server twice, expected different ones; remove one",
    );
    refused(
        system("mount = \"/\"\nservers = []"),
        "p.toml:8:11",
        "there are no servers, expected at least one host with a disk; name it",
    );
    refused(
        system("mount = \"/\"\nservers = [\"node-0\"]\nstripe-size = \"0B\""),
        "p.toml:9:15",
        "stripe-size is zero, expected more than that; write for example stripe-size = \"1MiB\"",
    );
    refused(
        system("mount = \"/\"\nservers = [\"node-0\"]\n[[filesystem]]\nmount = \"/\"\nservers = [\"node-0\"]"),
        "p.toml:10:9",
        "a second file system at /, expected one at each place; change one of the mounts",
    );
    refused(
        system("mount = \"/\"\nservers = [\"node-0\"]\nstripe_size = \"1MB\""),
        "p.toml:9:1",
        "unknown key \"stripe_size\" in [[filesystem]], expected mount, servers, stripe-size; did you mean \
         \"stripe-size\"?",
    );
}
