//! `smpirun calibrate`, with `smpirun` as the launcher of the MPI that is measured: what it is told about its platform
//! is what must be found. And what it says when a launcher does not do what it should.
#![forbid(unsafe_code)]

use smpi_platform::Platform;
use smpi_tests::place::{Place, text};

/// Two hosts whose constants are all different from the defaults.
const KNOWN: &str = r#"
[[cluster]]
name = "n"
hosts = 2
cores = 3
speed = "1Gf"
bandwidth = "2GBps"
latency = "4us"
loopback = { bandwidth = "8GBps", latency = "1us" }
[network]
latency-factor = "0:1;2064:1.5;16400:3"
bandwidth-factor = "0:0.4;2064:0.6;16400:0.9"
[mpi]
os = "0:1us:0.1ns"
ois = "0:0.5us:0"
or = "0:2us:0.2ns"
async-small-thresh = 4096
send-is-detached-thresh = 16384
wtime = "20ns"
test = "3us"
iprobe = "5us"
"#;

/// The words of a calibration with this launcher, short enough for a test.
fn calibrate(place: &Place, options: &[&str], code: i32) -> String {
    let smpirun = place.tool("smpirun");
    let short = ["--largest", "1MiB", "--passes", "1", "--sizes", "160"];
    let short = if options.contains(&"--from") { &[][..] } else { &short };
    let finished = place.run_words(&[&[smpirun.as_str(), "calibrate"], options, short].concat(), code);
    text(if code == 0 { &finished.stdout } else { &finished.stderr })
}

fn launcher(place: &Place, options: &str) -> String {
    format!("{} --compute=off {options}", place.tool("smpirun"))
}

fn setting(platform: &Platform, key: &str) -> String {
    let found = platform.settings().iter().find(|(name, _)| name == key);
    found.unwrap_or_else(|| panic!("{key} is not in the platform")).1.clone()
}

/// The rows of a table `size:number:…;…`.
fn table(platform: &Platform, key: &str) -> Vec<Vec<f64>> {
    let numbers = |row: &str| row.split(':').map(|number| number.parse().unwrap()).collect();
    setting(platform, key).split(';').map(numbers).collect()
}

fn assert_close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance * expected.abs(), "{what}: {found}, expected {expected}");
}

#[test]
fn a_simulated_platform_is_found_again() {
    let place = Place::new("calibrate-known");
    place.write("known.toml", KNOWN);
    let across = launcher(&place, "-platform known.toml -np 2");
    let inside = launcher(&place, "-platform known.toml -np 2 -host n-0:2");
    calibrate(&place, &["--with", &across, "--local-with", &inside, "-o", "found.toml", "--hosts", "16"], 0);
    let found = Platform::load(&place.directory.join("found.toml")).unwrap();
    assert_eq!(found.hosts().len(), 16);

    // Both links of a way have the latency 4 us; factors refer to the smallest and to the largest messages.
    let link = &found.links()[0];
    assert_close(link.latency_secs, 4e-6, 0.01, "latency");
    assert_close(link.bandwidth_bytes_per_sec, 0.9 * 2e9, 0.01, "bandwidth");
    for (key, factors) in [("latency", [1.0, 1.5, 3.0]), ("bandwidth", [0.4 / 0.9, 0.6 / 0.9, 1.0])] {
        let rows = table(&found, &format!("network/{key}-factor"));
        assert_eq!(rows.len(), 3, "{rows:?}");
        for ((row, factor), above) in rows.iter().zip(factors).zip([0.0, 2064.0, 16400.0]) {
            assert_close(row[0], above, 0.01, key);
            assert_close(row[1], factor, 0.01, key);
        }
    }
    assert_eq!(setting(&found, "smpi/send-is-detached-thresh"), "16384");
    // Between two sizes that are measured, the roundest number.
    assert_eq!(setting(&found, "smpi/async-small-thresh"), "4096");
    for (key, start, slope) in [("os", 1e-6, 1e-10), ("ois", 0.5e-6, 0.0), ("or", 2e-6, 2e-10)] {
        let row = &table(&found, &format!("smpi/{key}"))[0];
        assert_close(row[1] + 8192.0 * row[2], start + 8192.0 * slope, 0.03, key);
        assert_close(row[1], start, 0.03, key);
    }
    for (key, expected) in [("wtime", "20ns"), ("test", "3us"), ("iprobe", "5us")] {
        assert_eq!(setting(&found, &format!("smpi/{key}")), expected);
    }
    let written = std::fs::read_to_string(place.directory.join("found.toml")).unwrap();
    let loopback = written.lines().find(|line| line.starts_with("loopback")).unwrap();
    let numbers: Vec<&str> = loopback.split('"').collect();
    assert_close(numbers[1].trim_end_matches("ns").trim_end_matches("us").parse().unwrap(), 1.0, 0.02, loopback);
    assert_close(numbers[3].trim_end_matches("GBps").parse().unwrap(), 0.9 * 8.0, 0.02, loopback);
    assert!(place.directory.join("found.html").is_file());
}

#[test]
fn a_calibrated_platform_behaves_like_its_original() {
    let place = Place::new("calibrate-again");
    place.write("known.toml", KNOWN);
    for (platform, output) in [("known.toml", "first"), ("first.toml", "second")] {
        let launcher = launcher(&place, &format!("-platform {platform} -np 2"));
        let (file, samples) = (format!("{output}.toml"), format!("{output}.samples"));
        calibrate(&place, &["--with", &launcher, "-o", &file, "--samples", &samples], 0);
    }
    let samples = ["first", "second"].map(|name| {
        let text = std::fs::read_to_string(place.directory.join(format!("{name}.samples"))).unwrap();
        let sample = |line: &str| {
            let (bytes, seconds) = line.strip_prefix("sample oneway ")?.split_once(' ')?;
            Some((bytes.parse::<u64>().ok()?, seconds.parse::<f64>().ok()?))
        };
        text.lines().filter_map(sample).collect::<Vec<_>>()
    });
    assert!(samples[0].len() > 100 && samples[0].len() == samples[1].len());
    for (first, second) in samples[0].iter().zip(&samples[1]) {
        assert_eq!(first.0, second.0);
        assert_close(second.1, first.1, 0.01, &format!("{} bytes", first.0));
    }
}

#[test]
fn samples_can_be_fitted_again() {
    let place = Place::new("calibrate-from");
    place.write("known.toml", KNOWN);
    let across = launcher(&place, "-platform known.toml -np 2");
    calibrate(&place, &["--with", &across, "-o", "a.toml", "--samples", "kept"], 0);
    let said = calibrate(&place, &["--from", "kept", "-o", "b.toml"], 0);
    assert!(said.contains(" sizes up to 1048576 bytes"), "{said}");
    let read = |name: &str| std::fs::read_to_string(place.directory.join(name)).unwrap();
    // Besides the command, and the speed of this machine, which no sample has.
    let same = |text: String| {
        let is_same = |line: &&str| !line.starts_with("# Written by") && !line.starts_with("host-speed");
        text.lines().filter(is_same).map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(same(read("a.toml")), same(read("b.toml")));
}

#[test]
fn launchers_that_do_something_else() {
    let place = Place::new("calibrate-refused");
    place.write("known.toml", KNOWN);
    place.write("slow", "exec sleep 60");
    let refused = |options: &[&str], names: &[&str]| {
        let message = calibrate(&place, options, 2);
        for name in names {
            assert!(message.contains(name), "the message does not name `{name}`:\n{message}");
        }
        let left = std::fs::read_dir(&place.directory).unwrap().count();
        assert_eq!(left, 2, "something was left behind");
    };
    refused(&["--with", "no-such-launcher -n 2"], &["--with", "no-such-launcher", "path"]);
    refused(&["--with", "false"], &["--with", "failed (exit status: 1)"]);
    refused(&["--with", "true"], &["nothing that the measuring program has printed", "standard ABI"]);
    // The program itself is a job of one rank.
    refused(&["--with", "env"], &["1 ranks, expected 2", "LD_LIBRARY_PATH"]);
    let three = launcher(&place, "-platform known.toml -np 3");
    refused(&["--with", &three], &["3 ranks, expected 2"]);
    let two = launcher(&place, "-platform known.toml -np 2");
    refused(&["--with", &two, "--local-with", &two], &["--local-with", "n-0 and n-1", "one host"]);
    refused(&["--with", "sh slow", "--timeout", "1"], &["has not ended after 1 s", "--timeout"]);
    refused(&["--with", &two, "-o", "/no/such/folder/x.toml"], &["/no/such/folder"]);
    refused(&["--with", &two, "-o", "x.html"], &["x.html", "-o writes this file"]);
    refused(&["--with", &two, "--samples", "calibrated.toml"], &["--samples", "-o writes this file"]);
    refused(&["--from", "known.toml", "-o", "known.toml"], &["-o known.toml", "--from reads this file"]);
    refused(&[], &["--with"]);
}
