//! `smpirun platform show` and `smpirun platform convert`: questions about platform files, answered without a run.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use smpi_base::HostId;
use smpi_engine::{Config, Engine, Token};
use smpi_platform::{Disk, FileSystem, Host, Link, Platform, Route, Sharing};

use crate::failure::Failure;
use crate::{picture, units};

const USAGE: &str =
    "expected `smpirun platform show FILE [HOST HOST [SIZE] | --svg]` or `smpirun platform convert FILE`";

const HELP: &str = "\
Usage: smpirun platform show FILE                    hosts and links of a platform (TOML, or SimGrid's XML)
       smpirun platform show FILE --svg              a picture of it, as SVG on the standard output
       smpirun platform show FILE HOST HOST [SIZE]   the route between two hosts, and the time of a message of that size
       smpirun platform convert FILE                 the platform as TOML
";

/// Bytes that a message is longer than what it carries.
const ENVELOPE: u64 = 16;

/// The answer, if the words after `smpirun` ask one of the questions about a platform.
pub fn answer(words: &[String]) -> Option<Result<String, Failure>> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (question, arguments) = match &words[..] {
        ["platform", question @ ("show" | "convert"), arguments @ ..] => (question, arguments),
        ["platform", "--help" | "-h" | "help"] => return Some(Ok(HELP.into())),
        ["platform"] => return Some(Err(Failure::Refused(format!("smpirun platform, {USAGE}")))),
        _ => return None,
    };
    let answer = match (*question, arguments) {
        ("show", [file]) => load(file).map(|platform| whole(&platform)),
        ("show", [file, "--svg"]) => load(file).map(|platform| picture::of(&platform)),
        ("show", [file, src, dst]) => load(file).and_then(|platform| way(&platform, src, dst, None)),
        ("show", [file, src, dst, size]) => match units::size(size) {
            Some(bytes) => load(file).and_then(|platform| way(&platform, src, dst, Some(bytes))),
            None => Err(format!("\"{size}\" is not a size, expected bytes or for example 64KiB; correct it")),
        },
        ("convert", [file]) => load(file)
            .and_then(|platform| platform.to_toml().map_err(|why| format!("{file} cannot be written as TOML: {why}"))),
        _ => Err(format!("smpirun platform {question} with {} arguments, {USAGE}", arguments.len())),
    };
    Some(answer.map_err(Failure::Refused))
}

fn load(file: &str) -> Result<Platform, String> {
    Platform::load(Path::new(file)).map_err(|why| why.to_string())
}

/// Refuses a platform file that no run could read, or whose settings have values that no run could take.
///
/// # Errors
/// What and where, in words.
pub fn check(file: &Path) -> Result<(), String> {
    let platform = Platform::load(file).map_err(|why| why.to_string())?;
    config(&platform).map(drop)
}

/// The settings of a platform, as far as they are the network's.
fn config(platform: &Platform) -> Result<Config, String> {
    let mut config = Config::default();
    for (index, (key, value)) in platform.settings().iter().enumerate() {
        config.set(key, value).map_err(|why| format!("{}: {why}", platform.setting_place(index)))?;
    }
    Ok(config)
}

/// All hosts and links. Neighbours that differ in their names only are one line.
fn whole(platform: &Platform) -> String {
    let (hosts, links) = (platform.hosts(), platform.links());
    let mut text = format!("{}: {}, {}\n", platform.name(), count(hosts.len(), "host"), count(links.len(), "link"));
    text.push_str("hosts\n");
    let same = |a: &Host, b: &Host| (a.speed_flops_per_sec, a.cores) == (b.speed_flops_per_sec, b.cores);
    for group in hosts.chunk_by(same) {
        let (name, cores) = (span(group, |host| &host.name), count(group[0].cores as usize, "core"));
        row(&mut text, &name, &[cores, scaled(group[0].speed_flops_per_sec, "f")]);
    }
    text.push_str("links\n");
    let facts = |l: &Link| (l.bandwidth_bytes_per_sec, l.latency_secs, l.sharing);
    for group in links.chunk_by(|a, b| facts(a) == facts(b)) {
        row(&mut text, &span(group, |link| &link.name), &facts_of(&group[0]));
    }
    storage(platform, &mut text);
    text
}

/// Disks and file systems, if there are any.
fn storage(platform: &Platform, text: &mut String) {
    let name = |disk: &Disk| platform.hosts()[disk.host.index()].name.clone();
    if !platform.disks().is_empty() {
        text.push_str("disks\n");
    }
    let facts = |disk: &Disk| (disk.read_bytes_per_sec, disk.write_bytes_per_sec, disk.latency_secs);
    for group in platform.disks().chunk_by(|a, b| facts(a) == facts(b)) {
        let (read, write, latency) = facts(&group[0]);
        let facts = [format!("{} read", scaled(read, "Bps")), format!("{} write", scaled(write, "Bps")), time(latency)];
        let names: Vec<String> = group.iter().map(name).collect();
        row(text, &span(&names, |name| name), &facts);
    }
    if !platform.file_systems().is_empty() {
        text.push_str("file systems\n");
    }
    for FileSystem { mount, servers, stripe_bytes } in platform.file_systems() {
        let first = name(&platform.disks()[servers[0].index()]);
        let servers = format!("{} from {first} on", count(servers.len(), "server"));
        row(text, &mount.display().to_string(), &[servers, format!("stripes of {stripe_bytes} B")]);
    }
}

/// The way from one host to another.
fn way(platform: &Platform, src: &str, dst: &str, size: Option<u64>) -> Result<String, String> {
    let [from, to] = [src, dst].map(|name| {
        let hosts = platform.hosts();
        let missing = || {
            let (first, last) = (&hosts[0].name, &hosts[hosts.len() - 1].name);
            let file = platform.name();
            format!("{file} has no host \"{name}\", expected one of \"{first}\" to \"{last}\"; correct the name")
        };
        platform.host_named(name).ok_or_else(missing)
    });
    let (from, to) = (from?, to?);
    if !platform.has_route(from, to) {
        return Err(format!("{}: no route from \"{src}\" to \"{dst}\", expected one; add it", platform.name()));
    }
    let mut route = Route::default();
    platform.route(from, to, &mut route);
    let links = count(route.channels.len(), "link");
    let mut text = format!("{src} to {dst}: {links}, latency {}\n", time(route.latency_secs));
    if route.channels.is_empty() && from == to {
        text.push_str("  the global loopback (network/loopback-bw, network/loopback-lat)\n");
    }
    for channel in &route.channels {
        let link = &platform.links()[channel.link().index()];
        let direction = match link.sharing {
            Sharing::SplitDuplex => [" (up)", " (down)"][channel.index() % 2],
            _ => "",
        };
        row(&mut text, &format!("{}{direction}", link.name), &facts_of(link));
    }
    if let Some(bytes) = size {
        let secs = alone(platform, (from, to), bytes)?;
        let _ = writeln!(text, "{} take {} if nothing else is on the way", count(bytes as usize, "byte"), time(secs));
    }
    Ok(text)
}

/// Seconds of a message that has the network for itself.
fn alone(platform: &Platform, (from, to): (HostId, HostId), bytes: u64) -> Result<f64, String> {
    let mut engine = Engine::new(Arc::new(platform.clone()), config(platform)?);
    engine.start_flow(from, to, bytes.saturating_add(ENVELOPE), Token(0));
    let mut ended = Vec::new();
    // Where hosts are turned off or on, the clock stops too.
    while ended.is_empty() && engine.advance(&mut ended).is_some() {}
    match ended[..] {
        [] => Err(format!("{}: the message never arrives, because a link of its way is off", platform.name())),
        _ => Ok(engine.now().0),
    }
}

fn facts_of(link: &Link) -> [String; 3] {
    let sharing = match link.sharing {
        Sharing::Shared => "shared",
        Sharing::SplitDuplex => "split-duplex",
        Sharing::FatPipe => "fatpipe",
    };
    [scaled(link.bandwidth_bytes_per_sec, "Bps"), time(link.latency_secs), sharing.to_owned()]
}

/// The names of a group: the first and the last one, and how many there are.
fn span<T>(group: &[T], name: impl Fn(&T) -> &str) -> String {
    match group {
        [only] => name(only).to_owned(),
        [first, .., last] => format!("{} … {} ({})", name(first), name(last), group.len()),
        [] => String::new(),
    }
}

fn row(text: &mut String, name: &str, facts: &[String]) {
    let facts: Vec<String> = facts.iter().map(|fact| format!("{fact:<12}")).collect();
    let _ = writeln!(text, "  {name:<40} {}", facts.join(" ").trim_end());
}

fn count(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// A number with its unit and a prefix, to six digits.
fn scaled(value: f64, unit: &str) -> String {
    let (factor, prefix) =
        [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")].into_iter().find(|(f, _)| value >= *f).unwrap_or((1.0, ""));
    format!("{} {prefix}{unit}", digits(value / factor))
}

fn time(secs: f64) -> String {
    let (factor, unit) = match secs {
        0.0 => (1.0, "s"),
        s if s < 1e-6 => (1e9, "ns"),
        s if s < 1e-3 => (1e6, "us"),
        s if s < 1.0 => (1e3, "ms"),
        _ => (1.0, "s"),
    };
    format!("{} {unit}", digits(secs * factor))
}

fn digits(value: f64) -> String {
    let text = format!("{value:.6}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    short.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(words: &[&str]) -> Option<Result<String, Failure>> {
        answer(&words.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn only_questions_are_answered() {
        assert!(ask(&["platform", "4"]).is_none());
        assert!(ask(&["./platform", "show", "x"]).is_none());
        assert_eq!(ask(&["platform", "--help"]).unwrap().ok().as_deref(), Some(HELP));
        for words in [&["platform"][..], &["platform", "show"]] {
            let refused = ask(words).unwrap().unwrap_err();
            assert!(matches!(refused, Failure::Refused(text) if text.contains("HOST HOST [SIZE]")));
        }
        let refused = ask(&["platform", "show", "x", "a", "b", "many"]).unwrap().unwrap_err();
        assert!(matches!(refused, Failure::Refused(text) if text.contains("\"many\" is not a size")));
    }

    #[test]
    fn platforms_and_ways() {
        let text =
            "[[cluster]]\nname = \"n\"\nhosts = 3\nspeed = \"1Gf\"\nbandwidth = \"125MBps\"\nlatency = \"50us\"\n";
        let platform = Platform::parse("p.toml", text).unwrap();
        let columns = |text: &str| -> Vec<String> {
            text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
        };
        assert_eq!(
            columns(&whole(&platform)),
            [
                "p.toml: 3 hosts, 3 links",
                "hosts",
                "n-0 … n-2 (3) 1 core 1 Gf",
                "links",
                "n-0-link … n-2-link (3) 125 MBps 50 us split-duplex"
            ]
        );
        // f_lat · 100 us + S / (f_bw · 125 MB/s) with the factors of the SMPI model for 1048592 bytes.
        assert_eq!(
            columns(&way(&platform, "n-0", "n-2", Some(1 << 20)).unwrap()),
            [
                "n-0 to n-2: 2 links, latency 100 us",
                "n-0-link (up) 125 MBps 50 us split-duplex",
                "n-2-link (down) 125 MBps 50 us split-duplex",
                "1048576 bytes take 10.081963 ms if nothing else is on the way"
            ]
        );
        let missing = way(&platform, "n-0", "n-3", None).unwrap_err();
        assert_eq!(missing, "p.toml has no host \"n-3\", expected one of \"n-0\" to \"n-2\"; correct the name");
    }
}
