/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* Rank 0 polls while it has a file mapped in two ways, a part of another one behind its first page, and one that has no
 * name. None of them changes, so nothing is left out. */
#define _GNU_SOURCE
#include <assert.h>
#include <mpi.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

static char *mapped(int file, int flags, long offset)
{
    char *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, flags, file, offset);

    assert(at != MAP_FAILED);
    return at;
}

int main(int argc, char **argv)
{
    char name[] = "uncounted-XXXXXX", room[2 * PAGE] = "file";
    int rank, value, found;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int file = mkstemp(name), memory = memfd_create("memory", 0);
        assert(write(file, room, sizeof room) == sizeof room && write(memory, room, 5) == 5);
        char *one = mapped(file, MAP_SHARED, 0), *other = mapped(file, MAP_PRIVATE, PAGE);
        char *last = mapped(memory, MAP_PRIVATE, 0);
        close(file);
        close(memory);
        for (int i = 0; i < 2; i++) {
            one[i] = other[i] = last[i] = 'x';
            for (found = 0; !found;)
                MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            assert(one[i] == 'x' && other[i] == 'x' && last[i] == 'x' && last[4] == 0);
        }
        unlink(name);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
