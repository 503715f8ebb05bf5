//! `smpirun replay --step`: going through an execution forwards and backwards, by commands from standard input. That
//! all is put back as it was is seen by the names of states: at random moments, come to in any order, each is the one
//! that another session comes to from the beginning.
//!
//! `SMPI_STEPPING_SEED=S SMPI_STEPPING_PROGRAMS=N` steps through N programs of the list from another seed, with 100
//! steps each: `cargo xtask campaign stepping`.
#![forbid(unsafe_code)]

use smpi_base::rng::Rng;
use smpi_tests::place::Place;
use smpi_tests::stepping::{PROGRAMS, compiled, events, session, token_of};
use std::collections::BTreeMap;

/// Fails where the first message of the second half is not that of rank 1.
const TWICE: &str = "#include <assert.h>\n#include <mpi.h>\n\
    static int first_of_two(void) {\n\
      int from[2] = {0, 0};\n\
      for (int i = 0; i < 2; i++)\n\
        MPI_Recv(&from[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
      return from[0]; }\n\
    int main(int argc, char **argv) {\n\
      MPI_Init(&argc, &argv); int rank; MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
      if (rank == 0) {\n\
        first_of_two();\n\
        MPI_Barrier(MPI_COMM_WORLD);\n\
        assert(first_of_two() == 1);\n\
      } else {\n\
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);\n\
        MPI_Barrier(MPI_COMM_WORLD);\n\
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); }\n\
      MPI_Finalize(); return 0; }\n";

/// A schedule of it that fails.
const FAILS: &str = "1/zero/0.0:1/0.1:2/0.2:2/0.3:1";

/// Requests that are completed elsewhere than they are posted.
const REQUESTS: &str = "#include <mpi.h>\n\
    int main(int argc, char **argv) {\n\
      MPI_Init(&argc, &argv); int rank, value = 0; MPI_Request request;\n\
      MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
      if (rank == 0) MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);\n\
      else MPI_Isend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);\n\
      MPI_Barrier(MPI_COMM_WORLD);\n\
      MPI_Wait(&request, MPI_STATUS_IGNORE);\n\
      MPI_Finalize(); return value - 1 + rank; }\n";

fn lines_of(said: &str) -> Vec<String> {
    said.lines().map(String::from).collect()
}

#[track_caller]
fn assert_says(said: &[String], parts: &[&str]) {
    let mut lines = said.iter();
    for part in parts {
        assert!(
            lines.any(|line| line.contains(part)),
            "`{part}` is not said, or not in this order:\n{}",
            said.join("\n")
        );
    }
}

#[test]
fn a_session_goes_to_events_of_all_and_of_one_rank() {
    let place = Place::new("stepping-events");
    let program = place.compile("twice", TWICE, &["-g"]);
    let lines = "next\nnext\nnext 2\nback 0\ngoto 13\nwhere\nback\nback\nback 1\nlist\ngoto 0\n";
    let said = lines_of(&session(&place, &[FAILS, "-np", "3", &program], lines));
    assert!(
        said[0].contains("4 choices; at the end: assertion: the assertion `first_of_two() == 1` is false"),
        "{}",
        said[0]
    );
    assert_says(
        &said,
        &[
            "1  rank 0 calls MPI_Init at twice.c:9",
            "2  rank 0 calls MPI_Recv at twice.c:6",
            "5  rank 2 calls MPI_Init at twice.c:9",
            "2  rank 0 calls MPI_Recv at twice.c:6",
            "13  MPI_Barrier takes place on 3 ranks",
            "rank 0: MPI_Barrier at twice.c:12, which is over: goes on next",
            "rank 2: MPI_Barrier at twice.c:16, which is over: goes on next",
            "12  rank 2 calls MPI_Barrier at twice.c:16",
            "11  rank 0 calls MPI_Barrier at twice.c:12",
            "9  rank 1 calls MPI_Barrier at twice.c:16",
            "> 9  rank 1 calls MPI_Barrier at twice.c:16",
            "0  the beginning",
        ],
    );
}

#[test]
fn the_choice_that_it_failed_by_is_taken_otherwise() {
    let place = Place::new("stepping-choices");
    let program = place.compile("twice", TWICE, &["-g"]);
    let lines = "decision\nchoices\nexplore\ntoken\ntake 1\nfinding\nexplore\noriginal\nfinding\n";
    let said = lines_of(&session(&place, &[FAILS, "-np", "3", &program], lines));
    assert_says(
        &said,
        &[
            "inevitable since rank 0's 3rd MPI_Recv at twice.c:6 took the message that rank 2 sent at twice.c:17",
            "a choice is next",
            "  1  rank 0: MPI_Recv(MPI_ANY_SOURCE, tag 0) took the message of rank 1 [twice.c:6]",
            "* 2  rank 0: MPI_Recv(MPI_ANY_SOURCE, tag 0) took the message of rank 2 [twice.c:6]",
            "after 2 choices of this execution:",
            "1 error found in 2 executions",
            "1/zero/0.0:1/0.1:2",
            "took the message of rank 1 (candidates: rank 1, rank 2) [twice.c:6], sent at twice.c:17",
            "it ends without an error",
            "it ends without an error",
            "after 3 choices of this execution:",
            "no error found in 1 execution; exploration complete",
            "assertion: the assertion",
        ],
    );
}

#[test]
fn operations_are_followed_to_where_they_are_posted_and_over() {
    let place = Place::new("stepping-requests");
    let program = place.compile("requests", REQUESTS, &["-g"]);
    let find = "goto 0\nnext 0\nnext 0\n";
    let lines = format!("{find}completed\ncompleted\nposted\ncompleted\nsent\ncompleted\nposted\ngoto 0\nposted\n");
    let said = lines_of(&session(&place, &["1/infinite", "-np", "2", &program], &lines));
    let took = "rank 0: MPI_Irecv at requests.c:5 takes the message that rank 1 sent at requests.c:6";
    assert_says(
        &said,
        &[
            "rank 0 calls MPI_Irecv at requests.c:5",
            took,
            "rank 0 calls MPI_Wait at requests.c:8",
            "rank 0 calls MPI_Irecv at requests.c:5",
            took,
            "rank 1 calls MPI_Isend at requests.c:6 and sends 4 bytes with tag 0 to rank 0",
            took,
            "rank 0 calls MPI_Irecv at requests.c:5",
            "this is the beginning",
        ],
    );
}

#[test]
fn what_cannot_be_done_is_said_and_loses_nothing() {
    let place = Place::new("stepping-refused");
    let program = place.compile("twice", TWICE, &["-g"]);
    let lines =
        "goto 4\ngotoo 3\nnext 3\nback x\ngoto 999\ntake 1\nchoices\ntake\nwhere 9\ngdb 7\ndecision now\nsent\nlist\n";
    let said = lines_of(&session(&place, &[FAILS, "-np", "3", &program], lines));
    assert_says(
        &said,
        &[
            "4  ",
            "gotoo: unknown command; did you mean goto?",
            "next 3: there is no rank 3; expected 0 to 2",
            "back x: expected a rank, 0 to 2",
            "goto 999: there is no event 999; expected 0 to ",
            "nothing is to be chosen here: what happens next is no choice; the next choice is made after event ",
            "nothing is to be chosen here",
            "expected a number that choices shows",
            "where 9: there is no rank 9",
            "gdb 7: there is no rank 7",
            "decision takes nothing; leave out now",
            "sent: this event has taken no message",
            "> 4  ",
        ],
    );
    place.refused(
        &["replay", "--step", "1/zero/7.0:1", "-np", "3", &program],
        &["choice 7.0", "is it the same program"],
    );
    place
        .refused(&["replay", "--step", "1/zero+1/zero/0.0:2", "-np", "3", &program], &["two schedules", "one of them"]);
    place.refused(&["--step", "-np", "3", &program], &["--replay TOKEN"]);
    place.refused(&["replay", "--step", "--replay-step", FAILS, "-np", "3", &program], &["--step"]);
}

#[test]
fn a_token_may_stand_in_a_file() {
    let place = Place::new("stepping-file");
    let program = place.compile("twice", TWICE, &["-g"]);
    place.write("token", &format!("{FAILS}\n"));
    let said = session(&place, &["token", "-np", "3", &program], "token\n");
    assert!(said.starts_with("25 events, 4 choices; at the end: assertion"), "{said}");
    place.smpirun(&["replay", "token", "-np", "3", &program], 1);
    place.smpirun(&["--replay", "token", "-np", "3", &program], 1);
}

/// What ranks print belongs to a state, and is not written again; commands are not their input.
#[test]
fn what_was_printed_goes_back_too() {
    let place = Place::new("stepping-output");
    let source = "#include <mpi.h>\n#include <stdio.h>\nint main(int argc, char **argv) {\n\
        MPI_Init(&argc, &argv); int letter = getchar(), rank; MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
        printf(\"first %d\\n\", letter == EOF); MPI_Barrier(MPI_COMM_WORLD); printf(\"second\\n\");\n\
        MPI_Finalize(); return 0; }\n";
    let program = place.compile("output", source, &["-g"]);
    let said = session(
        &place,
        &["1/zero", "-np", "2", &program],
        "output\ngoto 7\noutput\nback\ngoto 2\noutput\ngoto 8\noutput 1\n",
    );
    let printed: Vec<&str> = said.lines().filter(|line| line.contains("first") || line.contains("second")).collect();
    assert!(printed.starts_with(&["rank 0: first 1"]), "{said}");
    assert_eq!(said.matches("nothing was printed").count(), 1, "{said}");
    assert_eq!(said.matches("rank 1: second").count(), 2, "{said}");
}

/// Steps through an execution of a program at random, and compares each state with the one that another session comes
/// to from the beginning.
fn step_at_random(place: &Place, name: &str, steps: usize, rng: &mut Rng) {
    let run = compiled(place, name);
    let token = token_of(place, name, &run);
    let run: Vec<&str> = run.iter().map(String::as_str).collect();
    let words = [&[&*token, "--cfg=smpi/self-check:yes"], &run[..]].concat();
    let last = events(place, &words);
    let moments: Vec<usize> = (0..steps).map(|_| rng.below(last + 1)).collect();
    let lines: String = moments.iter().map(|moment| format!("goto {moment}\nstate\n")).collect();
    let said = session(place, &words, &lines);
    let states: Vec<&str> = said.lines().filter(|line| line.starts_with("memory ")).collect();
    assert_eq!(states.len(), steps, "{name}: {said}");
    let mut known: BTreeMap<usize, &str> = BTreeMap::new();
    for (moment, state) in moments.iter().zip(&states) {
        assert_eq!(*known.entry(*moment).or_insert(state), *state, "{name}: event {moment} has two states");
    }
    // What the system tells of files, such as their times, is another thing in another process.
    let fresh = if name.contains("file") { 0 } else { steps.div_ceil(10) };
    for _ in 0..fresh {
        let moment = moments[rng.below(moments.len())];
        let fresh = session(place, &words, &format!("goto {moment}\nstate\n"));
        assert!(
            fresh.contains(known[&moment]),
            "{name}: event {moment} has another state from the beginning:\n{fresh}"
        );
    }
}

#[test]
fn random_steps_come_to_the_states_of_a_replay_from_the_beginning() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let place = Place::new("stepping-random");
    let count = number("SMPI_STEPPING_PROGRAMS");
    let mut rng = Rng::new(number("SMPI_STEPPING_SEED").unwrap_or(1));
    match count {
        None => PROGRAMS.iter().take(4).for_each(|name| step_at_random(&place, name, 15, &mut rng)),
        Some(count) => {
            for _ in 0..count {
                let name = PROGRAMS[rng.below(PROGRAMS.len())];
                step_at_random(&place, name, 100, &mut rng);
            }
        }
    }
}
