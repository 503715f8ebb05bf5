#define _GNU_SOURCE
/* Every rank has its own working directory and its own file mode creation mask, as processes have. */
/* smpi: ranks 4 */
/* smpi: expect-pass */
#include "../check.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char start[4096];

static int exists(const char *path) { return access(path, F_OK) == 0; }

static void check_masks(int rank) {
    struct stat found;
    CHECK_INT(umask((mode_t)(rank * 010)), 022);
    MPI_Barrier(MPI_COMM_WORLD);
    remove("mask");
    int file = open("mask", O_CREAT | O_WRONLY, 0666);
    CHECK(fstat(file, &found) == 0);
    CHECK_INT(found.st_mode & 0777, 0666 & ~(rank * 010));
    close(file);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(umask(022), rank * 010);
}

int main(int argc, char **argv) {
    char name[100], here[8192], expected[8192];
    check_begin(&argc, &argv);
    umask(022);
    CHECK(getcwd(start, sizeof start) != NULL);
    sprintf(name, "directory_of_%d", check_rank);
    mkdir(name, 0700);
    if (check_rank != 3)
        CHECK(chdir(name) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(getcwd(here, sizeof here) != NULL);
    snprintf(expected, sizeof expected, check_rank == 3 ? "%s" : "%s/%s", start, name);
    CHECK(strcmp(here, expected) == 0);
    remove("own");
    MPI_Barrier(MPI_COMM_WORLD);
    FILE *file = fopen("own", "w");
    CHECK(file && fprintf(file, "%d", check_rank) == 1 && fclose(file) == 0);
    CHECK(chdir("no such directory") == -1);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(exists("own"));
    CHECK(exists(check_rank == 3 ? "directory_of_2/own" : "../directory_of_2/own"));
    CHECK(!exists("directory_of_3/own"));
    check_masks(check_rank);
    int directory = open(start, O_RDONLY | O_DIRECTORY);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(fchdir(directory) == 0);
    close(directory);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(getcwd(here, sizeof here) && strcmp(here, start) == 0);
    return check_end();
}
