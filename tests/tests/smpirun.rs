//! `smpirun` from the outside: what it refuses and how, exit codes, interruption, large plans.
//!
//! Refused input has exit code 2, a message that names the culprit, and leaves nothing behind. The tests compare codes
//! and the names that a message must contain, never sentences.
#![forbid(unsafe_code)]

use smpi_tests::place::{Place, text};
use smpi_tests::toolchain::root;
use std::path::Path;
use std::process::{Command, Stdio};

/// Exit code of a deadlock.
const DEADLOCK: i32 = 3;

const HELLO: &str = "#include <mpi.h>\n#include <stdio.h>\nint main(int argc, char **argv) { int r;\n\
    MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &r); printf(\"hello %d\\n\", r); MPI_Finalize(); return 0; }\n";

/// A platform of SimGrid, of two hosts without a route.
const ISLANDS: &str = "<platform version='4.1'><zone id='z' routing='Full'>\
                       <host id='a' speed='1Gf'/><host id='b' speed='1Gf'/></zone></platform>";

const CLUSTER: &str = "[[cluster]]\nname = \"node\"\nhosts = 4\ncores = 1\nspeed = \"1Gf\"\nbandwidth = \"125MBps\"\n\
    latency = \"50us\"\n";

#[test]
fn options_and_files_that_do_not_exist() {
    let place = Place::new("missing");
    let hello = place.compile("hello", HELLO, &[]);
    place.refused(&["-np", "2", "./nothing"], &["./nothing"]);
    place.refused(&["-np", "2", "hello"], &["./hello"]);
    place.refused(&["-platform", "nowhere.toml", &hello], &["nowhere.toml"]);
    place.refused(&["-hostfile", "nowhere", &hello], &["nowhere"]);
    place.refused(&["-np", "many", &hello], &["many", "np"]);
    place.refused(&["--no-such-option", &hello], &["--no-such-option"]);
    place.refused(&["-analyze", &hello], &["-analyze"]);
    place.refused(&["--cfg=network/nonsense:1", &hello], &["network/nonsense"]);
    place.refused(&["--cfg=smpi/allreduce:nonsense", &hello], &["nonsense"]);
}

#[test]
fn numbers_beyond_all_measure() {
    let place = Place::new("measure");
    let hello = place.compile("hello", HELLO, &[]);
    for option in ["--call-timeout", "--time-limit"] {
        place.refused(&["--verify", option, "1e300", &hello], &[option, "1e300"]);
    }
    for option in ["--stack-size", "--heap-size"] {
        place.refused(&[option, "18446744073709551615", &hello], &[option, "18446744073709551615"]);
        place.refused(&[option, "1000GiB", &hello], &["1024", option]);
    }
    for (size, kib) in [("1", "1"), ("16KiB", "16"), ("65535", "63")] {
        place.refused(&["--stack-size", size, &hello], &[&format!("--stack-size {size}"), "at least 64KiB"]);
        place.refused(&[&format!("--cfg=contexts/stack-size:{kib}"), &hello], &["contexts/stack-size", "from 64 to"]);
    }
    place.refused(&["--cfg=contexts/stack-size:18446744073709551615", &hello], &["contexts/stack-size"]);
    for (ranks, name) in [("2147483648", "ranks"), ("2147483647", "ranks"), ("200000000000", "np")] {
        place.refused(&["-np", ranks, &hello], &[name]);
    }
    place.refused(&["-np", "2147483647", &hello, ":", "-np", "2147483647", &hello], &["4294967294"]);
}

#[test]
fn recordings_that_cannot_be_written_are_refused_before_anything_runs() {
    let place = Place::new("recordings");
    let hello = place.compile("hello", HELLO, &[]);
    for (path, reason) in [("/dev/full", "device"), ("/nowhere/x", "/nowhere"), ("/tmp", "directory")] {
        let words = [place.tool("smpirun"), format!("--compute=recorded:{path}"), hello.clone()];
        let finished = place.run_words(&words.each_ref().map(String::as_str), 2);
        assert!(finished.stdout.is_empty(), "{path}: {}", text(&finished.stdout));
        let said = text(&finished.stderr);
        assert!(said.contains(path) && said.contains(reason), "{path}: {said}");
    }
}

/// What is read is not written, whatever it is called, and no file is written twice.
#[test]
fn outputs_over_inputs_are_refused() {
    let place = Place::new("outputs");
    let hello = place.compile("hello", HELLO, &[]);
    let platform = place.write("cluster.toml", CLUSTER);
    std::os::unix::fs::symlink("cluster.toml", place.directory.join("link.json")).unwrap();
    place.smpirun(&["-np", "2", "-trace-ti", &hello], 0);
    place.write("copy.txt", "smpi_simgrid.txt_files/rank-0.txt\nsmpi_simgrid.txt_files/rank-1.txt\n");
    place.write("hosts", "node-0\nnode-1\n");
    let base = ["-platform", platform.as_str(), "-hostfile", "hosts"];
    for (words, names) in [
        (&["--summary-json", "cluster.toml"][..], &["--summary-json cluster.toml", "-platform"][..]),
        (&["--summary-json", "./cluster.toml"], &["-platform"]),
        (&["--report-html", "link.json"], &["--report-html", "-platform"]),
        (&["--profile-json", "hello"], &["--profile-json hello", "the program"]),
        (&["--profile-json", "hosts"], &["-hostfile"]),
        (&["--summary-json", "x", "--profile-json", "./x"], &["--summary-json", "--profile-json"]),
        (&["--verify", "--report", "x", "--report-html", "x"], &["--report ", "--report-html"]),
    ] {
        place.refused(&[&base[..], words, &[&hello]].concat(), names);
    }
    for trace in ["smpi_simgrid.txt", "copy.txt", "smpi_simgrid.txt_files/rank-0.txt"] {
        let words = ["-replay", trace, "--profile-json", "smpi_simgrid.txt_files/rank-0.txt"];
        place.refused(&words, &["--profile-json", "-replay", "expected another"]);
    }
    place.refused(&["-replay", "smpi_simgrid.txt", "-trace-ti"], &["--trace-ti", "leave it out"]);
    place.refused(&["replay", "smpi_simgrid.txt", "--verify"], &["--verify", "leave it out"]);
    place.smpirun(&["-replay", "smpi_simgrid.txt", "--profile-json", "again.json"], 0);
    place.refused(&["--coll-auto", "no/such/table", &hello], &["--coll-auto", "no directory"]);
    place.refused(&[&base[..], &["--coll-auto", "cluster.toml", &hello]].concat(), &["--coll-auto", "-platform"]);
    place.refused(&["--coll-auto", "hello", "-np", "2", &hello], &["--coll-auto", "the program"]);
    place.write("table.txt", "allreduce @mpich\n");
    let table = "--cfg=smpi/coll-selector:./table.txt";
    place.refused(&[table, "--summary-json", "table.txt", &hello], &["--summary-json", "coll-selector"]);
    place
        .refused(&["--timeline", "a.otf2", "--summary-json", "a.def", &hello], &["--timeline a.def", "--summary-json"]);
    place.write("b.def", "");
    place.refused(&["--timeline", "b.otf2", &hello], &["--timeline b.otf2", "b.def already"]);
    place.refused(&["--summary-json", "", &hello], &["--summary-json", "the name is empty"]);
    // A file that cannot be written to its end is as it was before.
    place.write("summary.json", "before");
    let line = format!("ulimit -f 0; {} -np 2 --summary-json summary.json {hello} >/dev/null", place.tool("smpirun"));
    place.run_words(&["bash", "-c", &line], 128 + 25);
    assert_eq!(std::fs::read_to_string(place.directory.join("summary.json")).unwrap(), "before");
    place.smpirun(&["--summary-json", "summary.json", "--profile-json", "/dev/null", &hello], 0);
    assert!(std::fs::read_to_string(place.directory.join("summary.json")).unwrap().starts_with('{'));
}

#[test]
fn platforms_and_hostfiles_with_mistakes() {
    let place = Place::new("platforms");
    let hello = place.compile("hello", HELLO, &[]);
    let good = place.write("good.toml", CLUSTER);
    let unit = place.write("unit.toml", &CLUSTER.replace("125MBps", "125MBsp"));
    place.refused(&["-platform", &unit, &hello], &["unit.toml:6:", "125MBsp"]);
    let key = place.write("key.toml", &CLUSTER.replace("latency", "latencies"));
    place.refused(&["-platform", &key, &hello], &["key.toml:", "latencies"]);
    let syntax = place.write("syntax.toml", "[[cluster]\n");
    place.refused(&["-platform", &syntax, &hello], &["syntax.toml:1:"]);
    let xml = place.write("platform.xml", "<?xml version='1.0'?>\n<platform version=\"4.1\"/>\n");
    place.refused(&["-platform", &xml, &hello], &["platform.xml:2:1", "<host>"]);
    let islands = place.write("islands.xml", ISLANDS);
    place.refused(&["-platform", &islands, "-np", "2", &hello], &["islands.xml", "no route from \"a\" to \"b\""]);
    let hosts = place.write("hosts", "node-0\nnode-9\n");
    place.refused(&["-platform", &good, "-hostfile", &hosts, &hello], &["hosts:2", "node-9"]);
    let counts = place.write("counts", "node-0:two\n");
    place.refused(&["-platform", &good, "-hostfile", &counts, &hello], &["counts:1", "two"]);
}

#[test]
fn platforms_and_deployments_of_simgrid() {
    let place = Place::new("simgrid");
    let hello = place.compile("hello", HELLO, &[]);
    let torus = smpi_tests::toolchain::root().join("libsmpi/crates/platform/tests/simgrid/torus.xml");
    let torus = torus.display().to_string();
    let actors = "<actor host='g7.site' function='0'/><actor host='g119.site' function='1'/>";
    let deployment = place.write("deployment.xml", &format!("<platform version='4.1'>{actors}</platform>"));
    let finished = place.smpirun(&["-platform", &torus, "-hostfile", &deployment, "-map", &hello], 0);
    let said = text(&finished.stdout);
    assert!(said.contains("[rank 0] -> g7.site\n[rank 1] -> g119.site\n") && said.contains("hello 1"), "{said}");
    let ask =
        |words: &[&str], code| place.run_words(&[&[place.tool("smpirun").as_str(), "platform"], words].concat(), code);
    let shown = text(&ask(&["show", &torus, "g0.site", "g1.site", "1MiB"], 0).stdout);
    assert!(shown.contains("g0.site to g1.site: 3 links") && shown.contains("1048576 bytes take"), "{shown}");
    let converted = text(&ask(&["convert", &torus], 0).stdout);
    let toml = place.write("torus.toml", &converted);
    assert_eq!(text(&ask(&["show", &toml, "g0.site", "g1.site", "1MiB"], 0).stdout), shown);
    assert!(text(&ask(&["show", &torus, "g0.site"], 2).stderr).contains("HOST HOST [SIZE]"));
    assert!(text(&ask(&["convert", "nowhere.xml"], 2).stderr).contains("nowhere.xml"));
}

/// As SMPI does: by name. So does the same platform as TOML, and a hostfile still says its own.
#[test]
fn ranks_on_a_platform_of_simgrid_go_to_hosts_by_name() {
    let place = Place::new("by-name");
    let hello = place.compile("hello", HELLO, &[]);
    let cluster = "<cluster id='c' prefix='a-' suffix='' radical='0-10' speed='1Gf' bw='1GBps' lat='1us'/>";
    let xml = place.write("p.xml", &format!("<platform version='4.1'>{cluster}</platform>"));
    let hosts = |words: &[&str]| {
        let printed = text(&place.smpirun(&[&["-map"], words, &[&hello]].concat(), 0).stdout);
        printed.lines().filter_map(|line| line.split("-> ").nth(1)).map(String::from).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(hosts(&["-platform", &xml, "-np", "4"]), "a-0 a-1 a-10 a-2");
    assert_eq!(hosts(&["-platform", &xml, "-host", "a-9,a-10"]), "a-9 a-10");
    assert_eq!(hosts(&["-platform", &xml, "--cfg=smpi/hosts-by-name:no", "-np", "3"]), "a-0 a-1 a-2");
    let converted = text(&place.run_words(&[&place.tool("smpirun"), "platform", "convert", &xml], 0).stdout);
    let toml = place.write("p.toml", &converted);
    assert_eq!(hosts(&["-platform", &toml, "-np", "4"]), "a-0 a-1 a-10 a-2");
}

#[test]
fn programs_that_cannot_be_ranks() {
    let place = Place::new("programs");
    place.write("script", "#!/bin/sh\necho hello\n");
    Command::new("chmod").args(["+x", "script"]).current_dir(&place.directory).status().unwrap();
    place.refused(&["./script"], &["./script", "/bin/sh", "interpreter"]);
    place.refused(&["/bin/sh", "-c", "true"], &["/bin/sh", "interpreter"]);
    // It has an interpreter, because it can print its version.
    place.refused(&["/lib/x86_64-linux-gnu/libc.so.6"], &["libc.so.6", "shared library"]);
    place.refused(&["--verify", "/lib/x86_64-linux-gnu/libc.so.6"], &["libc.so.6", "shared library"]);

    place.write("plain.c", "int main(void) { return 0; }\n");
    place.run_words(&["gcc", "-no-pie", "plain.c", "-o", "fixed"], 0);
    place.refused(&["./fixed"], &["./fixed", "-pie"]);

    // Nothing of a program that has nothing to do with MPI runs.
    let finished = place.smpirun(&["/bin/ls"], 2);
    assert!(finished.stdout.is_empty() && text(&finished.stderr).contains("MPI"), "{}", text(&finished.stderr));
    let no_init = place.compile("no_init", "int main(void) { return 0; }\n", &[]);
    place.refused(&["-np", "2", &no_init], &["MPI_Init"]);

    place.write("part.c", "int part(void) { return 0; }\n");
    place.run_words(&["gcc", "-shared", "-fPIC", "part.c", "-o", "libpart.so"], 0);
    let needs = place.compile(
        "needs",
        &HELLO.replace("return 0", "return part()").replacen("int main", "int part(void);\nint main", 1),
        &["libpart.so"],
    );
    std::fs::remove_file(place.directory.join("libpart.so")).unwrap();
    place.refused(&[&needs], &["libpart.so"]);

    // The identification of a 32-bit executable is enough to refuse it; a compiler for it may not be there.
    let mut bytes = std::fs::read(place.directory.join("fixed")).unwrap();
    bytes[4] = 1;
    std::fs::write(place.directory.join("fixed"), bytes).unwrap();
    place.refused(&["./fixed"], &["./fixed", "32-bit"]);
}

#[test]
fn help_and_version_are_answers() {
    let place = Place::new("help");
    for option in ["-help", "--help", "--help-all", "-version", "--version"] {
        let finished = place.smpirun(&[option], 0);
        assert!(text(&finished.stdout).contains("smpirun"), "{option}");
        assert!(finished.stderr.is_empty(), "{option}");
    }
}

#[test]
fn tables_of_algorithms_are_files() {
    let place = Place::new("tables");
    let hello = place.compile("hello", HELLO, &[]);
    let said = place.smpirun(&["--help-coll"], 0);
    for name in ["mpich-4", "reduce_scatter_block", "ompi_butterfly"] {
        assert!(text(&said.stdout).contains(name), "{name}");
    }
    std::fs::write(place.directory.join("good.txt"), "barrier ompi_tree ranks 1-3\n").unwrap();
    std::fs::write(place.directory.join("bad.txt"), "# mine\nbarrier oak\n").unwrap();
    place.smpirun(&["-np", "2", "--coll-table", "good.txt", &hello], 0);
    place.refused(&["-np", "2", "--coll-table", "bad.txt", &hello], &["bad.txt", "line 2", "oak", "ompi_tree"]);
    place.refused(&["-np", "2", "--coll-table", "none.txt", &hello], &["none.txt"]);
    place.refused(&["-np", "2", "--cfg=smpi/coll-selector:none", &hello], &["none", "ompi-5"]);
}

#[test]
fn exit_codes_are_those_of_the_first_failing_rank() {
    let place = Place::new("codes");
    let program = "#include <mpi.h>\n#include <stdlib.h>\n#include <signal.h>\n#include <string.h>\n\
        int main(int argc, char **argv) { int r, x;\n MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &r);\n\
        if (!strcmp(argv[1], \"abort\") && r == 1) MPI_Abort(MPI_COMM_WORLD, 42);\n\
        if (!strcmp(argv[1], \"crash\") && r == 1) raise(SIGSEGV);\n\
        if (!strcmp(argv[1], \"deadlock\")) MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
        MPI_Finalize();\n\
        if (!strcmp(argv[1], \"exit\") && r > 0) exit(10 + r);\n return 0; }\n";
    let program = place.compile("codes", program, &[]);
    place.smpirun(&["-np", "3", &program, "fine"], 0);
    place.smpirun(&["-np", "3", &program, "exit"], 11);
    place.smpirun(&["-np", "3", &program, "abort"], 42);
    let crash = place.smpirun(&["-np", "3", &program, "crash"], 128 + 11);
    assert!(text(&crash.stderr).contains("rank 1"), "{}", text(&crash.stderr));
    let deadlock = place.smpirun(&["-np", "3", &program, "deadlock"], DEADLOCK);
    for line in ["0 MPI_Recv", "2 MPI_Recv"] {
        let message = text(&deadlock.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(message.contains(line), "{line}: {message}");
    }
}

#[test]
fn several_programs_and_large_hostfiles() {
    let place = Place::new("large");
    let hello = place.compile("hello", HELLO, &[]);
    let other = place.compile("other", &HELLO.replace("hello", "other"), &[]);
    let finished = place.smpirun(&["-np", "2", &hello, ":", "-np", "3", &other], 0);
    let mut lines: Vec<String> = text(&finished.stdout).lines().map(String::from).collect();
    lines.sort();
    assert_eq!(lines, ["hello 0", "hello 1", "other 2", "other 3", "other 4"]);
    // The plan of this run is longer than an environment string may be.
    let cluster = place.write("cluster.toml", CLUSTER);
    let hosts: String = (0..20_000).map(|i| format!("node-{}\n", i % 4)).collect();
    let hosts = place.write("hosts", &hosts);
    let finished =
        place.smpirun(&["-platform", &cluster, "-hostfile", &hosts, "-np", "5", "-map", "-quiet", &hello], 0);
    assert!(text(&finished.stdout).contains("hello 4"));
}

#[test]
fn a_hostfile_without_a_platform_makes_one_up() {
    let place = Place::new("mesh");
    let hello = place.compile("hello", HELLO, &[]);
    let hosts = place.write("hosts", "here:2\nthere\n");
    let finished = place.smpirun(&["-hostfile", &hosts, "-bandwidth", "1Gbps", "-latency", "10us", "-map", &hello], 0);
    let said = format!("{}{}", text(&finished.stdout), text(&finished.stderr));
    assert!(said.contains("hello 2") && said.contains("there"), "{said}");
    // Its hosts compute as fast as this machine: what took a moment here takes a moment there.
    let busy = HELLO.replace("MPI_Finalize", "for (volatile int i = 0; i < 100000000; i++); MPI_Finalize");
    let busy = place.compile("busy", &busy, &[]);
    let words = ["-hostfile", &hosts, "--compute=measured", "--summary-json=out.json", "-np", "1", &busy];
    place.smpirun(&words, 0);
    let json = std::fs::read_to_string(place.directory.join("out.json")).unwrap();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let simulated = value["simulated_time_secs"].as_f64().unwrap();
    assert!(simulated > 0.001 && simulated < 60.0, "{simulated}");
    // Many hosts: this took minutes when every two of them had a route of their own.
    let many: String = (0..100_000).map(|i| format!("host{i}\n")).collect();
    let many = place.write("many", &many);
    assert!(text(&place.smpirun(&["-hostfile", &many, "-np", "2", &hello], 0).stdout).contains("hello 1"));
}

/// What a run prints to stderr besides the program's own lines.
fn said(place: &Place, words: &[&str]) -> String {
    text(&place.smpirun(words, 0).stderr)
}

#[test]
fn notes_are_printed_when_asked_for() {
    let place = Place::new("notes");
    let hello = place.compile("hello", HELLO, &[]);
    let ignored = "--cfg=smpi/privatization:yes";
    for words in [&["-np", "2"][..], &["-np", "2", "--verify", "-quiet"], &["-np", "2", "--strict"]] {
        let said = said(&place, &[words, &[ignored, "--log=root.thres:info", &hello]].concat());
        assert!(!said.contains("note"), "{words:?}: {said}");
    }
    assert_eq!(said(&place, &["-np", "2", ignored, &hello]), "");
    for option in ["--notes", "--summary"] {
        let said = said(&place, &["-np", "2", option, ignored, "--log=root.thres:info", "--bind-to", "core", &hello]);
        for note in ["2 ranks on 1 host", "smpi/privatization", "--log", "--bind-to"] {
            assert!(said.contains(note), "{option}: no note of {note}: {said}");
        }
    }
}

#[test]
fn hostfiles_and_options_of_other_launchers_place_ranks() {
    let place = Place::new("launchers");
    let hello = place.compile("hello", HELLO, &[]);
    let cluster = place.write("cluster.toml", CLUSTER);
    place.write("openmpi", "node-1 slots=2 max_slots=4\nnode-0\n");
    place.write("mpich", "node-1:2\nnode-0\n");
    let hosts = |words: &[&str]| {
        let finished = place.smpirun(&[&["-platform", &cluster, "-map"], words, &[&hello]].concat(), 0);
        assert_eq!(text(&finished.stderr), "", "{words:?}");
        let printed = text(&finished.stdout);
        let of_rank = |line: &str| line.split("node-").nth(1).map(String::from);
        printed.lines().filter_map(of_rank).collect::<Vec<_>>().join(" ")
    };
    for words in [&["-hostfile", "openmpi"][..], &["-f", "mpich"], &["--host", "node-1:2,node-0"]] {
        assert_eq!(hosts(words), "1 1 0", "{words:?}");
        assert_eq!(hosts(&[words, &["-n", "5"]].concat()), "1 1 0 1 1", "{words:?}");
        for spread in [&["--map-by", "node"][..], &["-ppn", "1"], &["--pernode"], &["-N", "1"]] {
            assert_eq!(hosts(&[words, spread, &["-c", "4"]].concat()), "1 0 1 0", "{words:?} {spread:?}");
        }
        assert_eq!(hosts(&[words, &["--map-by", "ppr:2:node"]].concat()), "1 1 0 0", "{words:?}");
    }
    assert_eq!(hosts(&["-hosts", "node-2,node-3", "-perhost", "2"]), "2 2 3 3");
    assert_eq!(hosts(&["-H", "node-2", "-H", "node-3"]), "2 3");
    assert_eq!(hosts(&["-np", "4", "-ppn", "3"]), "0 0 0 1");
    assert_eq!(hosts(&["-ppn", "2"]), "0 0 1 1 2 2 3 3");
    // A slot is an entry of the hostfile, or a core of a host.
    place.write("two", "node-1\nnode-0\nnode-1\n");
    for slots in [&["--map-by", "slot"][..], &["--map-by", "core"], &["--map-by=socket"], &["-byslot"], &["--bysocket"]]
    {
        assert_eq!(hosts(&[slots, &["-f", "two", "-np", "4"]].concat()), "1 1 0 1", "{slots:?}");
        assert_eq!(hosts(&[slots, &["-np", "5"]].concat()), "0 1 2 3 0", "{slots:?}");
    }
    let cores = place.write("cores.toml", &CLUSTER.replace("cores = 1", "cores = 2"));
    assert_eq!(hosts(&["-platform", &cores, "--map-by", "slot", "-np", "9"]), "0 0 1 1 2 2 3 3 0");
    place.refused(&["-platform", &cluster, "-ppn", "2", "-byslot", &hello], &["ppn", "byslot"]);
    place.refused(&["-hostfile", "mpich", "-host", "node-1", &hello], &["-hostfile", "-host"]);
    place.refused(&["-platform", &cluster, "-host", "node-1,other", &hello], &["other"]);
}

#[test]
fn options_of_other_launchers_are_understood_or_refused_by_their_names() {
    let place = Place::new("foreign-options");
    let program = HELLO
        .replace("#include <stdio.h>", "#include <stdio.h>\n#include <stdlib.h>")
        .replace("\"hello %d\\n\", r", "\"%s %s %s\\n\", getenv(\"A\"), getenv(\"B\"), getenv(\"OMP_NUM_THREADS\")");
    let program = place.compile("environment", &program, &[]);
    let words = ["-x", "A=1", "-genv", "B", "two words", "-x", "OMP_NUM_THREADS=3", "-x", "PATH", &program];
    assert_eq!(text(&place.smpirun(&words, 0).stdout), "1 two words 3\n");
    let ignored = [
        &["--oversubscribe"][..],
        &["--allow-run-as-root", "--bind-to", "none", "--mca", "btl", "self,vader"],
        &["--bind-to=core", "--map-by", "core:oversubscribe", "--report-bindings", "-q"],
        &["-launcher", "ssh", "-genvall", "-l", "-iface", "lo", "-prepend-rank"],
    ];
    for words in ignored {
        let words = [words, &["-x", "A=1", "-env", "B", "2", "-np", "2", &program]].concat();
        let finished = place.smpirun(&words, 0);
        assert_eq!(text(&finished.stdout), "1 2 1\n1 2 1\n", "{words:?}");
        assert_eq!(text(&finished.stderr), "", "{words:?}");
    }
    for words in [&["-wdir", "/tmp"][..], &["--rankfile", "f"], &["-configfile", "f"], &["-timeout", "3"]] {
        place.refused(&[words, &[&program]].concat(), &[words[0]]);
    }
    place.refused(&["-x", "LD_PRELOAD=a.so", &program], &["-x", "LD_PRELOAD"]);
    place.refused(&["-np", "1", &program, ":", "-np", "1", "-x", "A=1", &program], &["A"]);
    for map in ["ppr:1:socket", "rankfile:file=f", "seq", "slot:PE=2", "nod"] {
        place.refused(&["--map-by", map, &program], &["--map-by", map, "expected"]);
    }
    place.refused(&["--rank-by", "node", &program], &["--rank-by", "hostfile"]);
}

#[test]
fn every_setting_of_simgrid_is_applied_or_ignored() {
    let place = Place::new("settings");
    let hello = place.compile("hello", HELLO, &[]);
    for list in ["simgrid-3.32.txt", "simgrid-4.2.txt"] {
        let settings = std::fs::read_to_string(root().join("tests/settings").join(list)).unwrap();
        let settings = settings.lines().filter(|line| !line.starts_with('#'));
        // An empty value is as good as no setting.
        let settings: Vec<String> = settings.map(|setting| format!("--cfg={setting}")).collect();
        let words: Vec<&str> = settings.iter().map(String::as_str).chain(["-quiet", hello.as_str()]).collect();
        assert_eq!(text(&place.smpirun(&words, 0).stdout), "hello 0\n", "{list}");
    }
    let notes = ["network/optim:Full", "tracing/categorized:yes", "smpi/display-allocs:yes", "smpi/papi-events:x"];
    for setting in notes {
        let said = said(&place, &["--notes", &format!("--cfg={setting}"), &hello]);
        assert!(said.contains(setting.split(':').next().unwrap()), "{said}");
    }
    place.refused(&["--cfg=smpi/replay:trace.txt", &hello], &["smpi/replay"]);
    place.refused(&["--cfg=smpi/no-such-thing:1", &hello], &["smpi/no-such-thing"]);
}

#[test]
fn settings_take_units_and_name_their_place() {
    let place = Place::new("units");
    let hello = place.compile("hello", HELLO, &[]);
    let with = |name: &str, table: &str| place.write(name, &format!("{CLUSTER}[mpi]\n{table}\n"));
    let good = with(
        "good.toml",
        "send-is-detached-thresh = \"64KiB\"\nwtime = \"1us\"\nos = \"0:1us:0.1ns\"\ndisplay-allocs = true\n\
         simulate-computation = false",
    );
    place.smpirun(&["-platform", &good, "--cfg=smpi/async-small-thresh:1KiB", "--cfg=smpi/init:1ms", &hello], 0);
    for (name, table, place_of_it) in [
        ("time.toml", "wtime = \"soon\"", "time.toml:9:9"),
        ("size.toml", "\nasync-small-thresh = \"1s\"", "size.toml:10:22"),
        ("flag.toml", "errors-are-fatal = \"maybe\"", "flag.toml:9:20"),
    ] {
        let platform = with(name, table);
        place.refused(&["-platform", &platform, &hello], &[place_of_it]);
    }
    place.refused(&["--cfg=smpi/wtime:soon", &hello], &["--cfg=smpi/wtime:soon"]);
}

/// A task that is spelt wrong is not taken for a program that is missing.
#[test]
fn misspelt_tasks_are_named() {
    let place = Place::new("tasks");
    place.refused(&["waht-if", "-np", "2", "./app"], &["waht-if", "did you mean the task: smpirun what-if?"]);
    place.refused(&["verfy", "./app"], &["verfy", "did you mean the task: smpirun verify?"]);
    place.refused(&["what-if", "waht", "./app"], &["program waht: not found in PATH"]);
}

/// What is accepted has an effect; else it is refused, with the nearest setting or a next step.
#[test]
fn settings_that_do_nothing_are_refused() {
    let place = Place::new("effects");
    let hello = place.compile("hello", HELLO, &[]);
    for (words, parts) in [
        (&["--cfg=smpi/asinc-small-thresh:1"][..], &["did you mean smpi/async-small-thresh?"][..]),
        (&["--cfg=smpi/self-check:yes"], &["smpi/self-check", "add --verify"]),
        (&["--cfg=smpi/page-tracking:no"], &["smpi/page-tracking", "add --verify"]),
        (&["--cfg=host/model:ptask_L07"], &["host/model", "parallel tasks", "leave it out"]),
        (&["--cfg=smpi/comp-adjustment-file:f"], &["smpi/comp-adjustment-file", "--compute=scaled"]),
        (&["--verify", "--cfg=smpi/wtime:1us"], &["smpi/wtime", "times", "leave it out"]),
        (&["--verify", "--cfg=network/weight-S:1"], &["network/weight-S", "leave it out"]),
        (&["--verify", "--cfg=smpi/window-races:no"], &["smpi/window-races", "always", "leave it out"]),
    ] {
        place.refused(&[words, &[&hello]].concat(), parts);
    }
    // A platform file is for all kinds of runs.
    let platform = place.write(
        "all.toml",
        &format!("{CLUSTER}[mpi]\nspawn = \"1ms\"\nspawn-ranks = 2\nwtime = 0\nself-check = true\n"),
    );
    place.smpirun(&["-platform", &platform, &hello], 0);
    place.smpirun(&["-platform", &platform, "--verify", &hello], 0);
    let trace = place.write("trace.txt", "0 init\n0 compute 1e9\n");
    let said = |words: &[&str]| text(&place.smpirun(&[words, &["--notes", "-replay", &trace]].concat(), 0).stderr);
    assert!(said(&["--cfg=smpi/host-speed:1Gf"]).contains("smpi/host-speed has no effect where a trace is replayed"));
    place.refused(&["--cfg=smpi/window-races:no", "-replay", &trace], &["smpi/window-races", "leave it out"]);
    let listed = text(&place.smpirun(&["--help-cfg"], 0).stdout);
    assert!(listed.contains("smpi/spawn-ranks") && listed.contains("contexts/stack-size"), "{listed}");
}

#[test]
fn tasks_are_what_their_options_are() {
    let place = Place::new("tasks");
    let hello = place.compile("verify", HELLO, &[]);
    for words in [&["verify", "-np", "2"][..], &["--compute=off", "verify", "-np", "2"], &["--verify", "-np", "2"]] {
        let said = text(&place.smpirun(&[words, &[&hello]].concat(), 0).stderr);
        assert!(said.contains("no error found in 2 executions"), "{words:?}: {said}");
    }
    assert_eq!(text(&place.smpirun(&["-np", "1", "./verify"], 0).stdout), "hello 0\n");
    assert_eq!(text(&place.smpirun(&["replay", "1/zero", "-np", "1", &hello], 0).stdout), "hello 0\n");
    assert!(text(&place.smpirun(&["profile", "-np", "2", &hello], 0).stderr).contains("profile: 2 ranks"));
    let trace = place.write("trace.txt", "0 init\n0 compute 1e9\n");
    for words in [&["replay", "--summary", &trace][..], &["-replay", &trace, "--summary"]] {
        assert!(text(&place.smpirun(words, 0).stderr).contains("simulated"), "{words:?}");
    }
    place.refused(&["replay", &trace, &hello], &["without a program", &hello]);
    for task in ["verify", "replay", "profile"] {
        let help = text(&place.smpirun(&[task, "--help"], 0).stdout);
        assert!(help.starts_with(&format!("Usage: smpirun {task} ")), "{help}");
    }
    for (words, parts) in [
        (&["--depth", "3"][..], &["--depth", "add --verify"][..]),
        (&["verify", "--profile"], &["--profile", "leave it out"]),
        (&["verify", "--buffering", "some"], &["--buffering", "expected zero, infinite"]),
        (&["-gdb", "-lldb"], &["--gdb", "--lldb", "leave one of them out"]),
        (&["verify", "--ltl", "p", "--keep-going"], &["--ltl with --keep-going", "leave out --keep-going"]),
        (&["what-if", "--summary"], &["--summary", "leave it out"]),
    ] {
        place.refused(&[words, &["-np", "2", &hello]].concat(), parts);
    }
}

#[test]
fn interruption_ends_cleanly() {
    let place = Place::new("interrupted");
    let program = "#include <mpi.h>\nint main(int argc, char **argv) { MPI_Init(&argc, &argv);\n\
        for (volatile int i = 0;; i++) MPI_Barrier(MPI_COMM_WORLD); }\n";
    let endless = place.compile("endless", program, &[]);
    let child = place
        .as_of_a_terminal("smpirun")
        .args(["-np", "2", &endless])
        .current_dir(&place.directory)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    use std::os::unix::process::ExitStatusExt;
    let status = output.status;
    assert!(status.code() == Some(130) || status.signal() == Some(2), "{status:?}: {}", text(&output.stderr));
}

#[test]
fn summaries_are_text_and_data() {
    let place = Place::new("summary");
    let hello = place.compile("hello", HELLO, &[]);
    let platform = root().join("platforms/gigabit-64.toml").display().to_string();
    let words = ["-platform", &platform, "-np", "4", "--summary", "--summary-json=out.json", hello.as_str()];
    let finished = place.smpirun(&words, 0);
    assert!(text(&finished.stderr).contains("simulated time: "), "{}", text(&finished.stderr));
    let json = std::fs::read_to_string(place.directory.join("out.json")).unwrap();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["ranks"].as_array().unwrap().len(), 4);
    assert_eq!(value["exit_code"], 0);
    assert!(value["simulated_time_secs"].is_number() && value["wall_time_secs"].is_number());
}

/// A platform of one host with so many cores of 1 Gf.
fn one_host(cores: u32) -> String {
    format!("[[host]]\nname = \"node\"\ncores = {cores}\nspeed = \"1Gf\"\n")
}

#[test]
fn threads_share_the_cores_of_their_host() {
    let place = Place::new("threads-share-cores");
    let hello = place.compile("hello", HELLO, &[]);
    // Before its second MPI call the rank has computed for a second, and so have three threads, and one for half a
    // second.
    place.write(
        "recorded",
        "libsmpi computation 1\nranks 1\n0 0 1000000000,1000000000,1000000000,1000000000,500000000\n",
    );
    for (cores, seconds) in [(1, 4.5), (2, 2.25), (3, 1.5), (5, 1.0)] {
        place.write("platform.toml", &one_host(cores));
        let words =
            ["-platform", "platform.toml", "--compute=recorded:recorded", "--summary-json=out.json", "-np", "1"];
        place.smpirun(&[&words[..], &[hello.as_str()]].concat(), 0);
        let json = std::fs::read_to_string(place.directory.join("out.json")).unwrap();
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        let found = value["simulated_time_secs"].as_f64().unwrap();
        assert!((found - seconds).abs() < 1e-6, "{cores} cores: {found} s, not {seconds} s");
    }
}

/// Four threads each compute the same; an argument makes them threads of C11. Prints how long they took together.
const FOUR_THREADS: &str = "#include <mpi.h>\n#include <pthread.h>\n#include <stdio.h>\n#include <threads.h>\n\
    static void *work(void *p) { for (volatile int i = 0; i < 9000000; i++); return p; }\n\
    static int work11(void *p) { work(p); return 0; }\n\
    int main(int argc, char **argv) { MPI_Init(&argc, &argv);\n\
      pthread_t t[4]; thrd_t u[4]; double start = MPI_Wtime();\n\
      for (int i = 0; i < 4; i++) argc > 1 ? thrd_create(&u[i], work11, t) : pthread_create(&t[i], 0, work, t);\n\
      for (int i = 0; i < 4; i++) argc > 1 ? thrd_join(u[i], 0) : pthread_join(t[i], 0);\n\
      double four = MPI_Wtime() - start; int rank; MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
      printf(\"%d: %.17g\\n\", rank, four); MPI_Finalize(); return 0; }\n";

/// The same with a pool of an OpenMP library, of which each rank has its own.
const POOL_OF_FOUR: &str = "#include <mpi.h>\n#include <stdio.h>\n\
    static void work(int n) { for (volatile int i = 0; i < n; i++); }\n\
    int main(int argc, char **argv) { MPI_Init(&argc, &argv); double start = MPI_Wtime();\n\
      _Pragma(\"omp parallel num_threads(4)\") work(9000000);\n\
      double four = MPI_Wtime() - start; int rank; MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
      printf(\"%d: %.17g\\n\", rank, four); MPI_Finalize(); return 0; }\n";

/// The seconds that four threads took, rank by rank, from what a run prints.
fn times(printed: &str) -> Vec<f64> {
    let number = |line: &str| {
        let (rank, seconds) = line.split_once(": ").unwrap();
        (rank.parse::<usize>().unwrap(), seconds.parse::<f64>().unwrap())
    };
    let mut times: Vec<_> = printed.lines().map(number).collect();
    times.sort_by_key(|&(rank, _)| rank);
    times.into_iter().map(|(_, seconds)| seconds).collect()
}

#[test]
fn a_recording_charges_what_was_measured_where_it_was() {
    let place = Place::new("recording");
    let program = "#include <mpi.h>\n#include <stdio.h>\nint main(int argc, char **argv) { MPI_Init(&argc, &argv);\n\
        double start = MPI_Wtime(); for (volatile int i = 0; i < 10000000; i++);\n\
        printf(\"%.17g\\n\", MPI_Wtime() - start); MPI_Finalize(); return 0; }\n";
    let program = place.compile("program", program, &[]);
    let words = ["-quiet", "--compute=recorded:recorded", "-np", "1", &program];
    let (first, second) = (place.smpirun(&words, 0), place.smpirun(&words, 0));
    assert_eq!(text(&first.stdout), text(&second.stdout));
    // What another program did says nothing about this one, nor does another number of ranks.
    let other = place.compile("other", HELLO, &[]);
    place.refused(&["--compute=recorded:recorded", "-np", "1", &other], &["recorded:3", "another program"]);
    place.refused(&["--compute=recorded:recorded", "-np", "2", &program], &["recorded:2", "2"]);
}

/// What `recording` has of each rank, in flop: of its threads together, of the one that has most, and of all together.
fn recorded(recording: &Path) -> Vec<[f64; 3]> {
    let text = std::fs::read_to_string(recording).unwrap();
    let numbers = |words: &str| words.split(',').map(|word| word.parse::<f64>().unwrap()).collect::<Vec<f64>>();
    let row = |line: &str| {
        let pieces: Vec<Vec<f64>> = line.split(' ').skip(2).map(numbers).collect();
        let threads = pieces.iter().max_by_key(|piece| piece.len()).unwrap();
        assert!(threads.len() >= 4, "{line}");
        let most = threads.iter().copied().fold(0.0, f64::max);
        [threads.iter().sum(), most, pieces.iter().flatten().sum()]
    };
    text.lines().skip(3).map(row).collect()
}

/// Threads of a rank share the cores of its host. What they computed is read in the recording that the run makes, so
/// that the processor which measures may be as slow and as fast as it likes.
#[test]
fn computation_of_threads_takes_time() {
    let place = Place::new("threads-take-time");
    let pool = place.compile("pool", POOL_OF_FOUR, &["-fopenmp"]);
    let program = place.compile("threads", FOUR_THREADS, &["-pthread"]);
    let platform = |name: &str| root().join("platforms").join(name).display().to_string();
    let (one_core, eight_cores) = (platform("gigabit-64.toml"), platform("laptop.toml"));
    let commands = [(&[program.as_str()][..], 8), (&[&program, "c11"], 8), (&[&pool], 6)];
    for (index, (command, threads)) in commands.into_iter().enumerate() {
        let compute = format!("--compute=recorded:recorded{index}");
        let run = |platform: &str| {
            let words = ["-platform", platform, &compute, "--summary", "-np", "2"];
            let finished = place.smpirun(&[&words[..], command].concat(), 0);
            let line = format!("threads:        {threads} started by ranks");
            assert!(text(&finished.stderr).contains(&line), "{}", text(&finished.stderr));
            text(&finished.stdout)
        };
        let measured = run(&one_core);
        assert_eq!(measured, run(&one_core), "a recording has what threads computed, too");
        // A core of the one platform computes 1 Gflop/s, of the other 10 Gflop/s.
        let flop =
            |printed: &str, rate: f64| times(printed).into_iter().map(|seconds| seconds * rate).collect::<Vec<_>>();
        let pieces = recorded(&place.directory.join(format!("recorded{index}")));
        let (serial, parallel) = (flop(&measured, 1e9), flop(&run(&eight_cores), 1e10));
        assert_eq!([serial.len(), parallel.len(), pieces.len()], [2, 2, 2]);
        for (rank, [threads, most, all]) in pieces.into_iter().enumerate() {
            assert!((0.999 * threads..1.001 * all).contains(&serial[rank]), "rank {rank}: {serial:?}, {threads} {all}");
            // Ten threads of two ranks at most share the eight cores.
            let bounds = 0.999 * most..1.25 * (most + all - threads);
            assert!(bounds.contains(&parallel[rank]), "rank {rank}: {parallel:?}, {bounds:?}");
        }
    }
}
