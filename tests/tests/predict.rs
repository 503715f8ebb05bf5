//! `smpirun predict --check`, with `smpirun` on both sides: the same platform must give the same times, another one
//! its own.
#![forbid(unsafe_code)]

use smpi_tests::place::{Place, text};

/// A second of sleep, then ten messages of 1 MB from rank 0 to rank 1.
const PROGRAM: &str = "#include <mpi.h>\n#include <unistd.h>\nstatic char bytes[1000000];\n\
    int main(int argc, char **argv) { int rank; MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
      sleep(1);\n\
      for (int i = 0; i < 10; i++)\n\
        if (rank == 0) MPI_Send(bytes, sizeof bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);\n\
        else MPI_Recv(bytes, sizeof bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
      MPI_Finalize(); return argc > 1 ? 3 : 0; }\n";

/// A crossbar with one constant.
fn platform(place: &Place, name: &str, bandwidth: &str) {
    let text = format!(
        "[[cluster]]\nname = \"n\"\nhosts = 2\nspeed = \"1Gf\"\nlatency = \"0us\"\nbandwidth = \"{bandwidth}\"\n\
         [network]\nmodel = \"raw\"\n[mpi]\nwtime = 0\n"
    );
    place.write(name, &text);
}

/// The rows of the table: predicted and measured seconds.
fn compare(place: &Place, platform: &str, launcher: &str) -> Vec<[f64; 2]> {
    let smpirun = place.tool("smpirun");
    let check = ["predict", "--check", "--with", launcher, "--runs", "1", "--compute=off", "-platform", platform];
    let words = [&[smpirun.as_str()], &check[..], &["-np", "2", "./app"]].concat();
    let said = text(&place.run_words(&words, 0).stdout);
    let numbers =
        |line: &str| line.split_whitespace().filter_map(|word| word.parse::<f64>().ok()).take(2).collect::<Vec<_>>();
    said.lines().skip(1).map(|line| numbers(line).try_into().unwrap_or_else(|_| panic!("{said}"))).collect()
}

#[test]
fn both_sides_are_measured_alike() {
    let place = Place::new("predict");
    place.compile("app", PROGRAM, &[]);
    platform(&place, "slow.toml", "10MBps");
    platform(&place, "fast.toml", "100MBps");
    let launcher = format!("{} --compute=off -platform fast.toml", place.tool("smpirun"));
    for (name, seconds) in [("fast.toml", 0.1), ("slow.toml", 1.0)] {
        let rows = compare(&place, name, &launcher);
        // Slowest rank, inside MPI (mean, least), outside: a second of sleep. Ten messages of 1 MB with 16 bytes each.
        let expected = [1.0, 0.0, 0.0, 1.0];
        for (row, (outside, [predicted, measured])) in expected.iter().zip(&rows).enumerate() {
            let share = if row == 3 { 0.0 } else { 1.0 };
            for (found, wanted) in [(predicted, outside + share * seconds), (measured, outside + share * 0.1)] {
                assert!((found - wanted).abs() < 1e-4 * wanted, "row {row} of {name}: {found}, expected {wanted}");
            }
        }
        assert_eq!(rows.len(), 4);
    }
    assert_eq!(left(&place), ["app", "app.c", "fast.toml", "slow.toml"]);
}

fn left(place: &Place) -> Vec<String> {
    let entries = std::fs::read_dir(&place.directory).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn runs_that_cannot_be_compared() {
    let place = Place::new("predict-refused");
    place.compile("app", PROGRAM, &[]);
    let smpirun = place.tool("smpirun");
    let refused = |launcher: &str, program: &[&str], names: &[&str]| {
        let check = [smpirun.as_str(), "predict", "--check", "--with", launcher, "--runs", "1", "-np", "2"];
        let message = text(&place.run_words(&[&check[..], program].concat(), 2).stderr);
        for name in names {
            assert!(message.contains(name), "the message does not name `{name}`:\n{message}");
        }
    };
    let launcher = format!("{smpirun} --compute=off");
    refused(&launcher, &["./app", "fails"], &["the measured run", "exit status: 3"]);
    refused("no-such-launcher", &["./app"], &["--with no-such-launcher", "there is no such program", "path"]);
    // A launcher that starts one process for itself: `-n 2` are env's words, so it is refused by env.
    refused("env -i", &["./app"], &["the measured run", "failed"]);
    refused("true", &["./app"], &["told no times", "standard ABI"]);
    assert_eq!(left(&place), ["app", "app.c"]);
}
