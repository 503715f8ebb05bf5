//! Profiles and watts: what files mean, how they are refused, and that TOML says all of them.

use smpi_base::HostId;
use smpi_platform::{HostWatts, LinkId, LinkWatts, Platform, Powered, Quantity};

const BASE: &str = "[[cluster]]\nname = \"n\"\nhosts = 3\nspeed = \"1Gf\"\nbandwidth = \"1GBps\"\nlatency = \"1us\"\n";

fn parse(more: &str) -> Platform {
    Platform::parse("p.toml", &format!("{BASE}{more}")).unwrap_or_else(|e| panic!("{e}"))
}

#[track_caller]
fn assert_refused(more: &str, place: &str, message: &str) {
    let error = Platform::parse("p.toml", &format!("{BASE}{more}")).expect_err("refused").to_string();
    assert_eq!(error, format!("p.toml:{place}: {message}"));
}

#[test]
fn profiles_name_hosts_and_links() {
    let platform = parse(
        "[[profile]]\nhost = \"n-[0-1]\"\nspeed = [[\"0s\", 0.5], [\"20s\", 1]]\nperiod = \"1m\"\n\
         [[profile]]\nlink = \"n-2-link\"\nstate = [[\"1ms\", \"off\"]]\n\
         [[profile]]\nlink = \"n-2-link\"\nbandwidth = [[\"1s\", \"10MBps\"]]\n\
         [[profile]]\nlink = \"n-2-link\"\nlatency = [[\"1s\", \"3us\"]]\n",
    );
    let of: Vec<Quantity> = platform.profiles().iter().map(|profile| profile.of).collect();
    let (speeds, link) = ([Quantity::Speed(HostId(0)), Quantity::Speed(HostId(1))], LinkId(2));
    assert_eq!(of[..2], speeds);
    assert_eq!(of[2..], [Quantity::LinkState(link), Quantity::Bandwidth(link), Quantity::Latency(link)]);
    assert_eq!(platform.profiles()[1].changes.points(), [(0.0, 0.5), (20.0, 1.0)]);
    assert_eq!(platform.profiles()[1].changes.period_secs(), Some(60.0));
    assert_eq!(platform.profiles()[2].changes.at(0), Some((0.001, 0.0)));
    let again = Platform::parse("q.toml", &platform.to_toml().unwrap()).unwrap();
    assert_eq!(again.profiles(), platform.profiles());
}

#[test]
fn watts_are_those_of_hosts_and_links() {
    let platform = parse(
        "watts = { idle = 90, full = 200.5 }\nlink-watts = { idle = 1, full = 2 }\n\
         [[host]]\nname = \"h\"\nspeed = \"1Gf\"\nwatts = { idle = 5, busy = 6, full = 7, off = 1 }\n\
         [[link]]\nname = \"l\"\nbandwidth = \"1GBps\"\nlatency = \"1us\"\n\
         [[route]]\nsrc = \"h\"\ndst = \"n\"\nlinks = [\"l\"]\n",
    );
    let hosts = [(0..3, [90.0, 90.0, 200.5, 0.0]), (3..4, [5.0, 6.0, 7.0, 1.0])];
    let hosts =
        hosts.map(|(range, [idle, busy, full, off])| Powered { range, watts: HostWatts { idle, busy, full, off } });
    assert_eq!(platform.host_watts(), hosts);
    // The link of the file comes before those of clusters.
    assert_eq!(platform.link_watts(), [Powered { range: 1..4, watts: LinkWatts { idle: 1.0, full: 2.0 } }]);
    let again = Platform::parse("q.toml", &platform.to_toml().unwrap()).unwrap();
    assert_eq!(again.host_watts(), platform.host_watts());
    assert_eq!(again.link_watts().len(), 1);
}

#[test]
fn bad_profiles_and_watts_are_refused_where_they_stand() {
    let cases = [
        (
            "[[profile]]\nspeed = [[\"0s\", 1]]\n",
            "7:1",
            "the profile has not one of \"host\" and \"link\", expected host = \"...\" or link = \"...\"; say what changes",
        ),
        (
            "[[profile]]\nhost = \"m-0\"\nspeed = [[\"0s\", 1]]\n",
            "8:8",
            "no host is named \"m-0\", expected a name of this file; did you mean \"n-0\"?",
        ),
        (
            "[[profile]]\nhost = \"n-0\"\nlatency = [[\"0s\", \"1us\"]]\n",
            "9:11",
            "the latency of a host, expected one of speed, state; correct it",
        ),
        (
            "[[profile]]\nhost = \"n-0\"\nspeed = [[\"0s\", 1]]\nstate = [[\"0s\", \"on\"]]\n",
            "7:1",
            "2 quantities change here, expected one of speed, state; write a [[profile]] for each",
        ),
        (
            "[[profile]]\nhost = \"n-0\"\nspeed = [[\"0s\", \"1\"]]\n",
            "9:10",
            "this is no change of a speed, expected a date and a value, as in [\"20s\", 0.5]; correct it",
        ),
        (
            "[[profile]]\nhost = \"n-0\"\nspeed = [[\"0s\", 0]]\n",
            "9:9",
            "\"n-0\": the speed is always zero, expected more at some date; correct the profile",
        ),
        (
            "[[profile]]\nlink = \"n-0-link\"\nbandwidth = [[\"0s\", \"0\"]]\n",
            "9:13",
            "\"n-0-link\": a bandwidth of zero, expected more; a link that carries nothing is off; correct the profile",
        ),
        (
            "[[profile]]\nhost = \"n-0\"\nspeed = [[\"2s\", 1], [\"1s\", 2]]\n",
            "9:9",
            "the date 1 s comes after 2 s, expected ascending dates; correct the profile",
        ),
        (
            "[[profile]]\nhost = \"n-0\"\nspeed = \"nowhere.profile\"\n",
            "9:9",
            "cannot read the profile nowhere.profile (no such file or directory), expected a file of \
             SimGrid's; correct the file's name",
        ),
        (
            "watts = { idle = 90 }\n",
            "7:9",
            "watts without \"idle\" and \"full\", expected watts = { idle = 95, full = 200 }; add them",
        ),
    ];
    for (more, place, message) in cases {
        assert_refused(more, place, message);
    }
}

#[test]
fn xml_has_profiles_in_its_text_and_energy_in_properties() {
    let text = "<platform version=\"4.1\"><trace id=\"t\" periodicity=\"21\">0 1.0\n11 0.5\n</trace><zone id=\"z\" \
                routing=\"Full\"><host id=\"a\" speed=\"2f,1f\" pstate=\"1\"><prop id=\"wattage_per_state\" \
                value=\"100:120:200, 93:110:170\"/><prop id=\"wattage_off\" value=\"10\"/></host></zone>\
                <trace_connect kind=\"HOST_AVAIL\" trace=\"t\" element=\"a\"/></platform>";
    let platform = Platform::parse("p.xml", text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(platform.profiles()[0].of, Quantity::HostState(HostId(0)));
    assert_eq!(platform.profiles()[0].changes.period_secs(), Some(21.0));
    let watts = HostWatts { idle: 93.0, busy: 110.0, full: 170.0, off: 10.0 };
    assert_eq!(platform.host_watts(), [Powered { range: 0..1, watts }]);
    let two = Platform::parse("p.xml", &text.replace("93:110:170", "93:170")).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(two.host_watts()[0].watts, HostWatts { busy: 93.0, ..watts });
    let refused = |text: &str| Platform::parse("p.xml", text).expect_err("refused").to_string();
    assert_eq!(
        refused(&text.replace("trace=\"t\"", "trace=\"u\"")),
        "p.xml:3:219: no trace is named \"u\", expected a <trace> before this; correct the name"
    );
    assert_eq!(
        refused(&text.replace("11 0.5", "x 0.5")),
        "p.xml:1:25: \"x 0.5\" is no change, expected a date in seconds and a value, as in \"11 0.5\"; correct the trace"
    );
}
