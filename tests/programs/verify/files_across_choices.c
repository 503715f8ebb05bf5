#define _GNU_SOURCE
/* Files that are open when a choice is made are put back with the ranks: offsets, flags, contents, files that were closed
 * or opened since, C streams with what they have buffered, directories. */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int receive(void) {
    int value = 0;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
}

static void stream(void) {
    char line[100], expected[100];
    FILE *file = fopen("files_stream.txt", "w+");
    assert(file);
    fputs("before\n", file);
    int first = receive();
    fprintf(file, "first %d%s\n", first, first == 2 ? " and more" : "");
    fflush(file);
    int second = receive();
    fprintf(file, "second %d\n", second);
    rewind(file);
    assert(fgets(line, sizeof line, file) && !strcmp(line, "before\n"));
    sprintf(expected, "first %d%s\n", first, first == 2 ? " and more" : "");
    assert(fgets(line, sizeof line, file) && !strcmp(line, expected));
    sprintf(expected, "second %d\n", second);
    assert(fgets(line, sizeof line, file) && !strcmp(line, expected));
    assert(!fgets(line, sizeof line, file) && feof(file));
    rewind(file);
    fputs("BEFORE", file);
    assert(fclose(file) == 0);
}

static void descriptors(int rank) {
    char name[100], text[10] = "";
    sprintf(name, "files_plain_%d.txt", rank);
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert(file >= 0 && write(file, "0123456789", 10) == 10);
    assert(lseek(file, 2, SEEK_SET) == 2);
    int twin = dup(file), flags = fcntl(file, F_GETFL);
    assert(!(flags & O_APPEND));
    DIR *directory = opendir(".");
    int entries = 0, rest = 0;
    while (entries < 2 && readdir(directory))
        entries++;
    int value = rank ? rank : receive();
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    while (readdir(directory))
        rest++;
    assert(rest > 0);
    assert(read(twin, text, 2) == 2 && !memcmp(text, "23", 2) && lseek(file, 0, SEEK_CUR) == 4);
    assert(fcntl(file, F_GETFL) == flags && fcntl(file, F_SETFL, flags | O_APPEND) == 0);
    assert(write(file, "abc", (size_t)value) == value && lseek(twin, 0, SEEK_END) == 10 + value);
    close(file);
    closedir(directory);
    int other = open("/dev/null", O_WRONLY);
    assert(other >= 0 && other <= file);
    assert(lseek(twin, 1, SEEK_SET) == 1 && read(twin, text, 1) == 1 && text[0] == '1');
    assert(write(twin, "X", 1) == 1);
    /* Both stay open: what follows must not depend on that. */
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        stream();
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0 || rank == 1)
        descriptors(rank);
    MPI_Finalize();
    return 0;
}
