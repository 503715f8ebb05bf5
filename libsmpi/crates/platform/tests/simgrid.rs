//! SimGrid's XML platforms: the same routes and latencies as SimGrid's, and what is refused.
//!
//! `simgrid/*.xml` are our own platforms, one for each kind of zone. The `.routes` beside them were recorded with
//! SimGrid, as their first lines say.

use smpi_base::HostId;
use smpi_base::map::Map;
use smpi_platform::{Platform, Route};
use std::path::{Path, PathBuf};

const PLATFORMS: [&str; 6] = ["torus", "fat-tree", "dragonfly", "zones", "shortest", "space"];

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/simgrid").join(name)
}

fn host(platform: &Platform, name: &str) -> HostId {
    platform.host_named(name).unwrap_or_else(|| panic!("no host {name}"))
}

/// Links have other names here: every channel has one name of SimGrid's and every name one channel. Loopbacks are one
/// link here and one for each host there.
#[derive(Default)]
struct Names {
    of_channel: Map<u32, String>,
    channel_of: Map<String, u32>,
}

impl Names {
    fn check(&mut self, channel: u32, name: &str, pair: &str) {
        if name.ends_with("_loopback") {
            return;
        }
        let known = self.of_channel.entry(channel).or_insert_with(|| name.to_owned());
        assert_eq!(known, name, "{pair}: one channel of two names");
        let known = *self.channel_of.entry(name.to_owned()).or_insert(channel);
        assert_eq!(known, channel, "{pair}: two channels of the name {name}");
    }
}

fn assert_routes(platform: &Platform, recorded: &str) {
    let mut names = Names::default();
    let mut route = Route::default();
    for line in recorded.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let [src, dst, latency, links @ ..] = &words[..] else { panic!("not a route: {line}") };
        let pair = format!("{src} to {dst}");
        platform.route(host(platform, src), host(platform, dst), &mut route);
        let latency: f64 = latency.parse().unwrap();
        assert!((route.latency_secs - latency).abs() < 1e-12, "{pair}: {} s, not {latency} s", route.latency_secs);
        assert_eq!(route.channels.len(), links.len(), "{pair}");
        for (channel, name) in route.channels.iter().zip(links) {
            names.check(channel.0, name, &pair);
        }
    }
}

#[test]
fn routes_are_those_of_simgrid() {
    for name in PLATFORMS {
        let platform = Platform::load(&file(&format!("{name}.xml"))).unwrap_or_else(|e| panic!("{e}"));
        let recorded = std::fs::read_to_string(file(&format!("{name}.routes"))).unwrap();
        assert!(recorded.lines().count() > 5);
        assert_routes(&platform, &recorded);
        assert_eq!(platform.check_ways(None), Ok(()), "{name}");
    }
}

/// What SimGrid 3 calls otherwise is not lost.
#[test]
fn settings_have_their_names_of_today_in_toml() {
    let config = "<config><prop id=\"surf/precision\" value=\"1e-4\"/></config>";
    let text = std::fs::read_to_string(file("zones.xml")).unwrap();
    let at = text.find("<config").unwrap();
    let text = format!("{}{config}{}", &text[..at], &text[at..]);
    let toml = Platform::parse("p.xml", &text).unwrap().to_toml().unwrap();
    assert!(toml.contains("timing = \"1e-4\""), "{toml}");
}

#[test]
fn hosts_and_settings() {
    let platform = Platform::load(&file("zones.xml")).unwrap_or_else(|e| panic!("{e}"));
    let n2 = &platform.hosts()[host(&platform, "n2").index()];
    assert_eq!((n2.speed_flops_per_sec, n2.cores), (1e9, 2), "the second state of the processor");
    // The first one is what SMPI does on its platforms.
    let settings = [("smpi/hosts-by-name", "yes"), ("network/crosstraffic", "no"), ("tracing", "no")];
    assert_eq!(platform.settings(), settings.map(|(key, value)| (key.to_owned(), value.to_owned())));
    assert!(platform.setting_place(1).ends_with("zones.xml:5:37"), "{}", platform.setting_place(1));
    let torus = Platform::load(&file("torus.xml")).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(torus.hosts()[40].name, "g100.site");
}

/// A platform of one zone with these lines in it, from line 3 on.
fn zone(routing: &str, lines: &str) -> String {
    format!("<platform version=\"4.1\">\n<zone id=\"z\" routing=\"{routing}\">\n{lines}\n</zone>\n</platform>\n")
}

const HOST: &str = "<host id=\"a\" speed=\"1Gf\"/>";

#[track_caller]
fn assert_refused(text: &str, place: &str, message: &str) {
    let error = Platform::parse("p.xml", text).expect_err("this platform must be refused").to_string();
    assert_eq!(error, format!("p.xml:{place}: {message}"));
}

#[test]
fn what_is_out_of_scope_is_named() {
    assert_refused(&zone("Wifi", HOST), "2:14", "Wi-Fi is out of scope, expected another routing; remove the zone");
    assert_refused(
        &zone("Full", "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\" sharing_policy=\"WIFI\"/>"),
        "3:46",
        "Wi-Fi is out of scope, expected another sharing policy; remove the link",
    );
    assert_refused(
        &zone("Full", "<host id=\"a\" speed=\"1Gf\" state_file=\"a.state\"/>"),
        "3:26",
        "cannot read the profile a.state (no such file or directory), expected a file of SimGrid's; correct \
         the file's name",
    );
    assert_refused(
        &zone("Full", "<storage id=\"disk\"/>"),
        "3:1",
        "<storage> was removed from SimGrid's format, expected none; remove it",
    );
    assert_refused(
        "<platform version=\"3\"/>",
        "1:1",
        "this is version 3 of SimGrid's platform files, expected 4 or 4.1; convert it with simgrid_update_xml",
    );
}

#[test]
fn mistakes_are_refused_where_they_stand() {
    assert_refused(
        "<platform version=\"4.1\"/>",
        "1:1",
        "the platform has no host, expected a <host> or a <cluster>; add one",
    );
    assert_refused(
        "<platform>\n<zone\n</platform>",
        "3:1",
        "invalid name token, expected XML; correct the syntax here",
    );
    assert_refused("<html/>", "1:1", "the file is a <html>, expected a <platform> of SimGrid; give another file");
    assert_refused(
        &zone("Full", "<host id=\"a\" sped=\"1Gf\"/>"),
        "3:14",
        "unknown attribute \"sped\" of <host>, expected id, speed, core, coordinates, pstate, speed_file, \
         availability_file, state_file; did you mean \"speed\"?",
    );
    assert_refused(
        &zone("Full", "<host id=\"a\" speed=\"1Gb\"/>"),
        "3:14",
        "speed: \"1Gb\": unknown unit \"Gb\", expected a speed such as \"1Gf\", \"2.5Tf\" or \"800Mf\"; \
         write for example speed=\"1Gf\"",
    );
    assert_refused(
        &zone("Ful", HOST),
        "2:14",
        "routing=\"Ful\" does not exist, expected Full, Floyd, Dijkstra, DijkstraCache, Vivaldi, Cluster, None, Wifi; \
         choose one of them",
    );
    assert_refused(
        &zone("Full", &format!("{HOST}\n{HOST}")),
        "4:7",
        "a second host named \"a\", expected unique names; rename one",
    );
    let hosts = format!(
        "{HOST}<host id=\"b\" speed=\"1Gf\"/><link id=\"lnk\" bandwidth=\"1GBps\" sharing_policy=\"SPLITDUPLEX\"/>"
    );
    assert_refused(
        &zone("Full", &format!("{hosts}\n<route src=\"a\" dst=\"b\"><link_ctn id=\"link\" direction=\"UP\"/></route>")),
        "4:34",
        "no link is named \"link\", expected a link of this file; did you mean \"lnk\"?",
    );
    assert_refused(
        &zone("Full", &format!("{hosts}\n<route src=\"a\" dst=\"b\"><link_ctn id=\"lnk\"/></route>")),
        "4:24",
        "the link \"lnk\" has two directions, expected one; add direction=\"UP\" or \"DOWN\"",
    );
    assert_refused(
        &zone(
            "Full",
            "<cluster id=\"c\" prefix=\"c\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" bw=\"1GBps\" lat=\"0\"\n\
                       topology=\"TORUS\" topo_parameters=\"3,x\"/>",
        ),
        "4:18",
        "\"x\" is not a number, expected for example topo_parameters=\"3,2,2\"; change the numbers",
    );
}

/// SimGrid loads platforms whose hosts are not all joined; a run asks about those that it uses.
#[test]
fn gaps_are_found_among_the_hosts_in_use() {
    let hosts = "<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/><host id=\"c\" speed=\"1Gf\"/>\
                 <link id=\"l\" bandwidth=\"1GBps\"/><route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route>";
    for routing in ["Full", "Floyd", "Dijkstra"] {
        let platform = Platform::parse("p.xml", &zone(routing, hosts)).unwrap_or_else(|e| panic!("{e}"));
        let [a, b, c] = ["a", "b", "c"].map(|name| host(&platform, name));
        assert_eq!(platform.check_ways(Some(&[a, b])), Ok(()), "{routing}");
        assert!(platform.has_route(b, a) && !platform.has_route(a, c));
        assert!(platform.check_ways(Some(&[a, c])).is_err(), "{routing}");
    }
}

/// A route between two hosts of which one is in a zone is for these two, and enough where only they have ranks.
#[test]
fn hosts_may_have_a_way_where_their_zones_have_none() {
    let lines = "<host id='m' speed='1Gf'/><link id='l' bandwidth='1GBps'/>\
                 <cluster id='c' prefix='n' suffix='' radical='0-3' speed='1Gf' bw='1GBps' lat='1us'/>\
                 <route src='m' dst='n0'><link_ctn id='l'/></route>";
    let platform = Platform::parse("p.xml", &zone("Full", lines)).unwrap_or_else(|e| panic!("{e}"));
    let [m, n0, n1] = ["m", "n0", "n1"].map(|name| host(&platform, name));
    assert_eq!(platform.check_ways(Some(&[m, n0])), Ok(()));
    assert_eq!(platform.check_ways(Some(&[n0, n1])), Ok(()));
    let gap = platform.check_ways(Some(&[m, n0, n1])).unwrap_err();
    assert_eq!((gap.src.as_str(), gap.dst.as_str()), ("m", "n1"));
}

/// What SimGrid's scanner lets pass says nothing; what its document type asks for must be there.
#[test]
fn files_are_as_strict_as_in_simgrid() {
    let cluster = "<cluster id='c' prefix='n' suffix='' radical='0-3' speed='1Gf' bw='1GBps' lat='1us'/>";
    let good = zone("Full", &format!("<!-- a -- b --->{cluster}"));
    for before in ["", "\n", "\u{feff}", "words\n"] {
        let platform = Platform::parse("p.xml", &format!("{before}<?xml version='1.0'?>\n{good}"));
        platform.unwrap_or_else(|why| panic!("{before:?}: {why}"));
    }
    let without = zone("Full", &cluster.replace(" lat='1us'", ""));
    assert!(Platform::parse("p.xml", &without).unwrap_err().to_string().contains("<cluster> has no \"lat\""));
    let deep = zone("Full", &("<zone id='z' routing='Full'>".repeat(10_000) + &"</zone>".repeat(10_000)));
    assert!(Platform::parse("p.xml", &deep).unwrap_err().to_string().contains("nested"));
}

/// Whatever the text, reading it ends with a platform or a message.
#[test]
fn garbage_is_refused_without_panic() {
    let mut rng = smpi_base::rng::Rng::new(7);
    let files = PLATFORMS.map(|name| std::fs::read(file(&format!("{name}.xml"))).unwrap());
    for round in 0..6_000 {
        let mut text = files[round % files.len()].clone();
        for _ in 0..1 + rng.below(4) {
            let at = rng.below(text.len());
            match rng.below(3) {
                0 => text[at] = b" \n\"<>/=0.-,;:a"[rng.below(14)],
                1 => drop(text.remove(at)),
                _ => text.insert(at, b"\"<>=\n1/"[rng.below(7)]),
            }
        }
        if let Ok(platform) = Platform::parse("p.xml", &String::from_utf8_lossy(&text)) {
            let last = HostId(platform.hosts().len() as u32 - 1);
            if platform.check_ways(Some(&[HostId(0), last])).is_ok() {
                platform.route(HostId(0), last, &mut Route::default());
            }
        }
    }
}

/// Written as TOML and read again, a platform has the same routes and is written the same.
#[test]
fn platforms_as_toml() {
    for name in PLATFORMS {
        let platform = Platform::load(&file(&format!("{name}.xml"))).unwrap_or_else(|e| panic!("{e}"));
        let text = platform.to_toml().unwrap_or_else(|e| panic!("{name}: {e}"));
        let read = Platform::parse("p.toml", &text).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_routes(&read, &std::fs::read_to_string(file(&format!("{name}.routes"))).unwrap());
        assert_eq!(read.to_toml().as_deref(), Ok(text.as_str()), "{name}");
    }
    let text = std::fs::read_to_string(file("torus.xml")).unwrap();
    let toml = Platform::parse("p.xml", &text).unwrap().to_toml().unwrap();
    assert_eq!(
        toml,
        "[[cluster]]\nname = \"grid\"\nhosts = \"g[0-39,100-119].site\"\ntorus = [5, 4, 3]\nspeed = \"2Gf\"\ncores = 4\n\
         bandwidth = \"1GBps\"\nlatency = \"2us\"\nloopback = { bandwidth = \"5GBps\", latency = \"1us\" }\n\
         limiter = \"1.5GBps\"\n\n[mpi]\nhosts-by-name = \"yes\"\n"
    );
    let blank = zone("Full", "<host id=\"a b\" speed=\"1Gf\"/>");
    let refused = Platform::parse("p.xml", &blank).unwrap().to_toml().unwrap_err();
    assert_eq!(refused, "the name \"a b\" is empty or holds a blank, ':' or '#', which TOML platforms refuse");
}
