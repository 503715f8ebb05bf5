//! `smpirun scale`: traces of regular programs with few ranks predict a run with many, and irregular ones are refused.
#![forbid(unsafe_code)]

use serde_json::Value;
use smpi_tests::place::{Place, text};

/// Neighbours in a square with borders, whose rows reduce; amounts are a side's share of the data.
const STENCIL: &str = "
#include <math.h>
#include <mpi.h>
#include <smpi/smpi.h>
static double sent[4][960], got[4][960];
int main(int argc, char **argv) {
    int rank, size, side, x, y, n, dx[] = {1, -1, 0, 0}, dy[] = {0, 0, 1, -1};
    double norm = 1, all;
    MPI_Comm row;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    side = (int)(sqrt(size) + 0.5);
    x = rank % side, y = rank / side, n = 960 / side;
    MPI_Comm_split(MPI_COMM_WORLD, y, x, &row);
    for (int round = 0; round < 5; round++) {
        MPI_Request requests[8];
        int open = 0;
        for (int way = 0; way < 4; way++) {
            int tox = x + dx[way], toy = y + dy[way];
            if (tox < 0 || toy < 0 || tox >= side || toy >= side) continue;
            MPI_Irecv(got[way], n, MPI_DOUBLE, toy * side + tox, way ^ 1, MPI_COMM_WORLD, &requests[open++]);
            MPI_Isend(sent[way], n, MPI_DOUBLE, toy * side + tox, way, MPI_COMM_WORLD, &requests[open++]);
        }
        smpi_execute_flops(1e5 * n * n);
        MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
        MPI_Allreduce(&norm, &all, 1, MPI_DOUBLE, MPI_MAX, row);
    }
    MPI_Comm_free(&row);
    MPI_Finalize();
    return 0;
}
";

/// Rounds of a hypercube, from the farthest partner to the nearest and back, and counts for each rank.
const CUBE: &str = "
#include <mpi.h>
#include <stdlib.h>
static double sent[4096], got[4096];
int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *counts = malloc(size * sizeof(int)), *places = malloc(size * sizeof(int));
    for (int i = 0; i < size; i++) counts[i] = 4096 / size / 4, places[i] = i * counts[i];
    for (int round = 0; round < 3; round++) {
        for (int bit = size / 2; bit > 0; bit /= 2) {
            MPI_Request requests[2];
            MPI_Irecv(got, 4096 / size, MPI_DOUBLE, rank ^ bit, 1, MPI_COMM_WORLD, &requests[0]);
            MPI_Isend(sent, 4096 / size, MPI_DOUBLE, rank ^ bit, 1, MPI_COMM_WORLD, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
        MPI_Alltoallv(sent, counts, places, MPI_DOUBLE, got, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
        for (int bit = 1; bit < size; bit *= 2)
            MPI_Sendrecv(sent, 3, MPI_INT, rank ^ bit, 2, got, 3, MPI_INT, rank ^ bit, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    free(counts);
    free(places);
    MPI_Finalize();
    return 0;
}
";

/// Everybody writes to rank 0, which answers who comes first.
const MASTER: &str = "
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, size, value = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int task = 1; rank == 0 && task < size; task++) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        MPI_Send(&value, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD);
    }
    if (rank > 0) MPI_Sendrecv_replace(&value, 1, MPI_INT, 0, 0, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
";

fn record(place: &Place, program: &str, ranks: u32) -> String {
    let trace = format!("{ranks}.txt");
    let (file, number) = (format!("-trace-file={trace}"), ranks.to_string());
    place.smpirun(&["-trace-ti", &file, "--compute=off", "-np", &number, program], 0);
    trace
}

/// Simulated time in seconds, messages and bytes of a replay.
fn replayed(place: &Place, trace: &str) -> (f64, u64, u64) {
    place.smpirun(&["-replay", trace, "--summary-json=summary.json"], 0);
    let json = std::fs::read_to_string(place.directory.join("summary.json")).unwrap();
    let value: Value = serde_json::from_str(&json).unwrap();
    let number = |name: &str| value[name].as_u64().unwrap();
    (value["simulated_time_secs"].as_f64().unwrap(), number("messages"), number("bytes"))
}

/// Records the program with three numbers of ranks, and predicts the last from the others.
fn is_predicted(name: &str, program: &str, ranks: [u32; 3], grids: &str) {
    let place = Place::new(name);
    let program = place.compile("program", program, &["-O1", "-lm"]);
    let [small, large, real] = ranks.map(|ranks| record(&place, &program, ranks));
    let number = ranks[2].to_string();
    let finished = place.run_words(&[&place.tool("smpirun"), "scale", "-np", &number, &small, &large], 0);
    let said = text(&finished.stdout);
    assert!(said.contains(grids), "{said}");
    let (real, scaled) = (replayed(&place, &real), replayed(&place, "scaled.txt"));
    assert_eq!((real.1, real.2), (scaled.1, scaled.2), "messages and bytes");
    assert!((real.0 - scaled.0).abs() <= 1e-9 * real.0, "{} is predicted as {}", real.0, scaled.0);
}

#[test]
fn a_stencil_with_borders_is_predicted() {
    is_predicted("scaling-stencil", STENCIL, [16, 64, 256], "4x4, 8x8, 16x16, with borders");
}

#[test]
fn a_hypercube_that_grows_is_predicted() {
    is_predicted("scaling-cube", CUBE, [16, 64, 256], "16, 64, 256, repeated, hypercube");
}

#[test]
fn an_output_that_cannot_be_written_is_named() {
    let place = Place::new("scaling-output");
    let program = place.compile("program", STENCIL, &["-O1", "-lm"]);
    let [small, large] = [16, 64].map(|ranks| record(&place, &program, ranks));
    // A file is where the folder of the ranks' traces must be, and a folder where the file that names them must be.
    place.write("taken.txt_files", "");
    std::fs::create_dir(place.directory.join("folder.txt")).unwrap();
    for (output, path) in [("taken.txt", "taken.txt_files"), ("folder.txt", "folder.txt")] {
        let words = [&place.tool("smpirun"), "scale", "-np", "256", "-o", output, &small, &large];
        let said = text(&place.run_words(&words, 2).stderr);
        assert!(said.starts_with(&format!("smpirun: error: scale -o: {path}: cannot write")), "{said}");
    }
    // A trace that is read stays.
    let before = std::fs::read(place.directory.join(&small)).unwrap();
    let words = [&place.tool("smpirun"), "scale", "-np", "256", "-o", &small, &small, &large];
    let said = text(&place.run_words(&words, 2).stderr);
    assert!(said.contains("SMALL reads this file"), "{said}");
    assert_eq!(std::fs::read(place.directory.join(&small)).unwrap(), before);
}

#[test]
fn what_is_not_regular_is_refused() {
    let place = Place::new("scaling-refused");
    let program = place.compile("program", MASTER, &[]);
    let [small, large] = [4, 8].map(|ranks| record(&place, &program, ranks));
    let refused = |words: &[&str], expected: &[&str]| {
        let smpirun = place.tool("smpirun");
        let finished = place.run_words(&[&[smpirun.as_str(), "scale"], words].concat(), 2);
        let said = text(&finished.stderr);
        assert!(expected.iter().all(|word| said.contains(word)), "{expected:?}: {said}");
    };
    refused(&["-np", "16", &small, &large], &["not regular enough", "4, 8, 16, repeated"]);
    refused(&["-np", "8", &small, &large], &["4 ranks", "a still larger -np"]);
    refused(&["-np", "16", "--grid", "2x2,2x4", &small, &large], &["--grid", "three"]);
    refused(&["-np", "16", "--grid", "2x2,2x3,4x4", &small, &large], &["--grid", "of 8 ranks"]);
    refused(&["-np", "16", "none.txt", &large], &["none.txt"]);
    let window = place.write("window.txt", "# libsmpi time-independent trace 1\n0 init\n1 init\n0 window 10\n");
    refused(&["-np", "16", &window, &large], &["window.txt:4", "a window"]);
}
