//! Functions of libc under the checker that use names of files which MPI has changed: where they use the disk, the
//! verdict is not complete and names them; and nothing is said where MPI has not touched the file.
#![forbid(unsafe_code)]

use smpi_tests::place::{Place, text};

/// Calls the function that its first argument names, for files that MPI has made or for others.
const PROGRAM: &str = r#"#define _GNU_SOURCE
#include <mpi.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <fts.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>
#include <wordexp.h>

static int visit(const char *path, const struct stat *about, int kind) { return 0; }
static int nvisit(const char *path, const struct stat *about, int kind, struct FTW *where) { return 0; }
static int nobody(const char *path, int error) { return 0; }

/* Calls the function for a directory and a file in it. */
static void call(const char *function, char *directory, char *file)
{
    char room[5000], *paths[] = {directory, NULL};
    struct stat about;
    struct statfs system;
    struct statvfs portable;
    struct dirent **list;
    glob_t found;
    wordexp_t words;
#define IS(name) if (strcmp(function, #name) == 0)
    IS(mkdir) mkdir(file, 0700);
    IS(mkdirat) mkdirat(AT_FDCWD, file, 0700);
    IS(rmdir) rmdir(directory);
    IS(mkfifo) mkfifo(file, 0600);
    IS(mknod) mknod(file, S_IFREG | 0600, 0);
    IS(chmod) chmod(file, 0600);
    IS(fchmodat) fchmodat(AT_FDCWD, file, 0600, 0);
    IS(chown) chown(file, -1, -1);
    IS(utime) utime(file, NULL);
    IS(utimes) utimes(file, NULL);
    IS(utimensat) utimensat(AT_FDCWD, file, NULL, 0);
    IS(symlink) symlink("nothing", file);
    IS(readlink) readlink(file, room, sizeof room);
    IS(realpath) realpath(file, room);
    IS(canonicalize_file_name) free(canonicalize_file_name(file));
    IS(statfs) statfs(file, &system);
    IS(statvfs) statvfs(file, &portable);
    IS(pathconf) pathconf(file, _PC_NAME_MAX);
    IS(truncate) truncate(file, 1);
    IS(rename) rename(file, "elsewhere");
    IS(link) link(file, "elsewhere");
    IS(opendir) closedir(opendir(directory));
    IS(open) close(open(directory, O_RDONLY));
    IS(scandir) scandir(directory, &list, NULL, alphasort);
    IS(scandirat) scandirat(AT_FDCWD, directory, &list, NULL, alphasort);
    IS(glob) { sprintf(room, "%s/*", directory); glob(room, 0, nobody, &found); }
    IS(wordexp) { sprintf(room, "%s/*", directory); wordexp(room, &words, 0); }
    IS(ftw) ftw(directory, visit, 9);
    IS(nftw) nftw(directory, nvisit, 9, 0);
    IS(fts_open) fts_close(fts_open(paths, FTS_PHYSICAL, NULL));
    IS(syscall) syscall(SYS_newfstatat, AT_FDCWD, file, &about, 0);
    IS(syscall_open) close(syscall(SYS_openat, AT_FDCWD, file, O_WRONLY));
    IS(syscall_unlink) syscall(SYS_unlinkat, AT_FDCWD, file, 0);
}

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Init(&argc, &argv);
    mkdir("made", 0700);
    mkdir("other", 0700);
    fclose(fopen("other/file", "w"));
    MPI_File_open(MPI_COMM_WORLD, "made/file", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    MPI_File_write(file, "data", 4, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    if (strcmp(argv[2], "made") == 0)
        call(argv[1], "made", "made/file");
    else
        call(argv[1], "other", "other/file");
    MPI_Finalize();
    return 0;
}
"#;

/// Words of the program whose functions show what ranks have changed, and change nothing else.
const SHOWN: [&str; 28] = [
    "mkdir",
    "mkdirat",
    "rmdir",
    "mkfifo",
    "mknod",
    "chmod",
    "fchmodat",
    "chown",
    "utime",
    "utimes",
    "utimensat",
    "symlink",
    "readlink",
    "realpath",
    "canonicalize_file_name",
    "statfs",
    "statvfs",
    "pathconf",
    "truncate",
    "rename",
    "link",
    "opendir",
    "open",
    "scandir",
    "scandirat",
    "syscall",
    "syscall_open",
    "syscall_unlink",
];

/// Those that find the disk, of which smpirun says so.
const ON_DISK: [&str; 5] = ["glob", "wordexp", "ftw", "nftw", "fts_open"];

/// What smpirun says of a run, on one line.
fn said(place: &Place, word: &str, whose: &str) -> String {
    let run = place.smpirun(&["--verify", "-np", "1", "./calls", word, whose], 0);
    text(&run.stderr).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn functions_that_use_the_disk_are_named() {
    let place = Place::new("file-calls");
    place.compile("calls", PROGRAM, &["-O1"]);
    let is_there = |name: &str| place.directory.join(name).symlink_metadata().is_ok();
    for whose in ["made", "other"] {
        for word in SHOWN {
            let said = said(&place, word, whose);
            assert!(!said.contains("NOT complete") && said.contains("complete"), "{word} {whose}: {said}");
            assert!(!["made", "other", "elsewhere"].into_iter().any(is_there), "{word}");
        }
        for word in ON_DISK {
            let said = said(&place, word, whose);
            assert!(
                said.contains("NOT complete") && said.contains(word.trim_end_matches("_open")),
                "{word} {whose}: {said}"
            );
        }
    }
}
