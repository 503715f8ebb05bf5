//! What smpirun says when a run has ended: which rank failed, what ranks did with their time, how many left something
//! behind.
#![forbid(unsafe_code)]

use smpi_tests::place::{Place, text};

/// Rank 2 fails at once, rank 1 a second later, and rank 3 after that; the others return 0.
const FAILURES: &str = "#include <mpi.h>\n#include <unistd.h>\n#include <stdlib.h>\n\
    int main(int argc, char **argv) { int rank; volatile double x = 0;\n\
      MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Finalize();\n\
      if (rank == 2) exit(7);\n\
      sleep(rank); for (int i = 0; i < 1000 * rank; i++) x += i;\n\
      return rank == 1 ? 5 : rank == 3 ? 9 : 0; }\n";

#[test]
fn the_lowest_rank_that_failed_is_named_and_gives_the_code() {
    let place = Place::new("failures");
    let program = place.compile("failures", FAILURES, &["-g"]);
    for compute in ["--compute=off", "--compute=measured", "--compute=scaled:100"] {
        let said = text(&place.smpirun(&[compute, "-np", "5", &program], 5).stderr);
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.contains("rank 1 ended with exit code 5") && said.contains("2 more ranks"), "{compute}: {said}");
    }
    let program = place.compile("fine", &FAILURES.replace("5 :", "0 :").replace("exit(7)", "exit(0)"), &["-g"]);
    let said = text(&place.smpirun(&["-np", "4", &program], 9).stderr);
    assert!(said.contains("rank 3 ended with exit code 9") && !said.contains("more"), "{said}");
    assert_eq!(text(&place.smpirun(&["-np", "3", &program], 0).stderr), "");
}

#[test]
fn sleep_is_no_computation() {
    let place = Place::new("sleep");
    let program = "#include <mpi.h>\n#include <unistd.h>\n\
        int main(int argc, char **argv) { MPI_Init(&argc, &argv); sleep(3); usleep(500000);\n\
          MPI_Finalize(); return 0; }\n";
    let program = place.compile("sleeper", program, &[]);
    let said = text(&place.smpirun(&["-np", "2", "--summary", "--summary-json=out.json", &program], 0).stderr);
    assert!(said.contains("sleep"), "{said}");
    let json = std::fs::read_to_string(place.directory.join("out.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    for rank in json["ranks"].as_array().unwrap() {
        let secs = |key: &str| rank[key].as_f64().unwrap();
        assert!((secs("sleep_secs") - 3.5).abs() < 1e-9, "{rank}");
        assert!(secs("computation_secs") < 1e-9, "{rank}");
    }
}

#[test]
fn all_ranks_that_leave_something_behind_are_named() {
    let place = Place::new("leaks");
    let program = "#include <mpi.h>\n\
        int main(int argc, char **argv) { MPI_Group all; MPI_Init(&argc, &argv);\n\
          MPI_Comm_group(MPI_COMM_WORLD, &all); MPI_Finalize(); return 0; }\n";
    let program = place.compile("leak", program, &["-g"]);
    let said = text(&place.smpirun(&["--verify", "--buffering=zero", "-np", "200", &program], 1).stderr);
    assert!(said.contains("ranks 0-199:"), "{said}");
    let said = text(&place.smpirun(&["--verify", "--buffering=zero", "-np", "1", &program], 1).stderr);
    assert!(said.contains("rank 0:") && !said.contains("1 ranks") && !said.contains("1 executions"), "{said}");
}
