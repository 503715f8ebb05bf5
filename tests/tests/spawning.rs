//! Spawning other programs: where they are found and run, what they are told, in simulations and verifications; and
//! whom an abort ends.
#![forbid(unsafe_code)]

use smpi_tests::place::{Place, text};

/// Says where it is, which of the programs it is, and which arguments it has.
const OTHER: &str = r##"#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char host[MPI_MAX_PROCESSOR_NAME], directory[1000];
    int rank, length, flag, *number;
    MPI_Comm parent;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    MPI_Get_processor_name(host, &length);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &flag);
    if (!getcwd(directory, sizeof directory))
        return 1;
    printf("%d of program %d on %s in %s with %s\n", rank, *number, host, strrchr(directory, '/') + 1,
           argc > 1 ? argv[1] : "nothing");
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    return 0;
}
"##;

/// Spawns it in several ways.
const SPAWNER: &str = r##"#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Comm others;
    MPI_Info info, infos[2];
    int universe, flag, *place, codes[3], counts[2] = {1, 2};
    char *commands[2] = {"bin/other", "other"}, *words[2] = {"a", NULL}, **arguments[2] = {words, MPI_ARGV_NULL};
    MPI_Init(&argc, &argv);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &place, &flag);
    universe = *place;
    printf("room for %d\n", universe);
    /* By a path, on the next hosts. */
    MPI_Comm_spawn("bin/other", words, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others, MPI_ERRCODES_IGNORE);
    MPI_Comm_disconnect(&others);
    /* Looked for, elsewhere, on these hosts, and no more than that. */
    MPI_Info_create(&info);
    MPI_Info_set(info, "path", "/no/such/directory:bin");
    MPI_Info_set(info, "wdir", "elsewhere");
    MPI_Info_set(info, "host", "node-9,node-7");
    MPI_Info_set(info, "soft", "1,3:9");
    MPI_Comm_spawn("other", MPI_ARGV_NULL, 3, info, 0, MPI_COMM_WORLD, &others, codes);
    MPI_Comm_disconnect(&others);
    MPI_Info_free(&info);
    /* Two at once, the second by a file of hosts. */
    MPI_Info_create(&info);
    MPI_Info_set(info, "hostfile", "hosts");
    MPI_Info_set(info, "path", "bin");
    infos[0] = MPI_INFO_NULL;
    infos[1] = info;
    MPI_Comm_spawn_multiple(2, commands, arguments, counts, infos, 0, MPI_COMM_WORLD, &others, codes);
    MPI_Comm_disconnect(&others);
    MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}
"##;

fn place(name: &str) -> Place {
    let place = Place::new(name);
    for directory in ["bin", "elsewhere"] {
        std::fs::create_dir(place.directory.join(directory)).unwrap();
    }
    place.compile("bin/other", OTHER, &["-O1"]);
    place.compile("spawner", SPAWNER, &["-O1"]);
    place.write("hosts", "# two\nnode-20:2\n");
    place
}

/// What they print; `names` are those of the two directories.
fn printed(name: &str) -> Vec<String> {
    let lines = [
        "room for 64".to_string(),
        format!("0 of program 0 on node-1 in {name} with a"),
        format!("1 of program 0 on node-2 in {name} with a"),
        "0 of program 0 on node-9 in elsewhere with nothing".to_string(),
        "1 of program 0 on node-7 in elsewhere with nothing".to_string(),
        "2 of program 0 on node-9 in elsewhere with nothing".to_string(),
        format!("0 of program 0 on node-6 in {name} with a"),
        format!("1 of program 1 on node-20 in {name} with nothing"),
        format!("2 of program 1 on node-20 in {name} with nothing"),
    ];
    lines.into()
}

fn platform() -> String {
    smpi_tests::toolchain::root().join("platforms/gigabit-64.toml").display().to_string()
}

#[test]
fn other_programs_are_found_and_placed() {
    let place = place("spawning-others");
    let finished = place.smpirun(&["-platform", &platform(), "-np", "1", "./spawner"], 0);
    let lines: Vec<String> = text(&finished.stdout).lines().map(String::from).collect();
    assert_eq!(lines, printed("spawning-others"));
}

#[test]
fn other_programs_are_verified() {
    let place = place("spawning-verified");
    let words =
        ["--verify", "--report=report.json", "--list-results", "-platform", &platform(), "-np", "1", "./spawner"];
    let finished = place.smpirun(&words, 0);
    assert!(text(&finished.stderr).contains("exploration complete"), "{}", text(&finished.stderr));
    let report = smpi_tests::verification::report(&place.directory.join("report.json")).unwrap();
    let ranks = report["modes"][0]["listed_results"][0].as_array().expect("a result has ranks");
    let said: Vec<&str> = ranks.iter().filter_map(|rank| rank["output"].as_str()).map(str::trim_end).collect();
    assert_eq!(said, printed("spawning-verified"));
}

/// What ranks 0 and 1 do, and those that they spawn: `a` aborts, `d` disconnects.
const ABORTS: &str = r##"#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank;
    char *arguments[] = {"a", NULL};
    MPI_Comm parent, child;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        if (strchr(argv[1], 'd'))
            MPI_Comm_disconnect(&parent);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Abort(MPI_COMM_WORLD, 7);
    }
    arguments[0] = argv[1];
    MPI_Comm_spawn(argv[0], arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child, MPI_ERRCODES_IGNORE);
    if (strchr(argv[1], 'd'))
        MPI_Comm_disconnect(&child);
    else
        MPI_Barrier(child);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d goes on\n", rank);
    MPI_Finalize();
    return 0;
}
"##;

#[test]
fn an_abort_leaves_those_that_are_not_connected() {
    let place = Place::new("spawning-aborts");
    place.compile("aborts", ABORTS, &["-O1"]);
    let connected = place.smpirun(&["-np", "2", "./aborts", "a"], 7);
    assert_eq!(text(&connected.stdout), "");
    let others = place.smpirun(&["-np", "2", "./aborts", "ad"], 7);
    assert_eq!(text(&others.stdout), "0 goes on\n1 goes on\n");
    assert_eq!(text(&others.stderr).matches("MPI_Abort with error code 7").count(), 2, "{}", text(&others.stderr));
}

/// Spawns more ranks than there is room for, if it is so.
const MANY: &str = r##"#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Comm parent, child;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child, MPI_ERRCODES_IGNORE);
        MPI_Comm_disconnect(&child);
    } else {
        MPI_Comm_disconnect(&parent);
    }
    MPI_Finalize();
    return 0;
}
"##;

#[test]
fn an_exploration_without_room_for_all_is_not_complete() {
    let place = Place::new("spawning-many");
    place.compile("many", MANY, &["-O1"]);
    let enough = place.smpirun(&["--verify", "--cfg=smpi/spawn-ranks:3", "-np", "1", "./many"], 0);
    assert!(text(&enough.stderr).contains("exploration complete"), "{}", text(&enough.stderr));
    let few = place.smpirun(&["--verify", "--cfg=smpi/spawn-ranks:2", "-np", "1", "./many"], 0);
    let said = text(&few.stderr);
    assert!(said.contains("not complete") && said.contains("smpi/spawn-ranks"), "{said}");
    let simulated = place.smpirun(&["--cfg=smpi/spawn-ranks:2", "-np", "1", "./many"], 1);
    assert!(text(&simulated.stderr).contains("--cfg=smpi/spawn-ranks"), "{}", text(&simulated.stderr));
    place.refused(&["--cfg=smpi/spawn-ranks:1000000", "-np", "1", "./many"], &["smpi/spawn-ranks", "1000000"]);
}
