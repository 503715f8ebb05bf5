/* Of 8 GB of uninitialised data and 300 MB on the heap every rank writes a few pages, others in each execution: the rest
   stays untouched and zero, and nothing but these pages is ever copied. */
/* smpi: ranks 3 */
/* smpi: compile-args -mcmodel=large */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DATA (8L << 30)
#define HEAP (300L << 20)
#define STEPS 16

static char data[DATA];

/* A byte in each of so many places, away from the borders of pages. */
static char *at(char *block, long size, int step, int place) {
    return block + size / STEPS * step + 4096L * 3 * place + 777;
}

/* Memory of the whole process in MB. */
static long resident(void) {
    char text[200] = "";
    int file = open("/proc/self/statm", O_RDONLY);
    long all = 0, pages = 0;
    if (file < 0 || read(file, text, sizeof text - 1) < 0 || sscanf(text, "%ld %ld", &all, &pages) != 2)
        return -1;
    close(file);
    return pages * 4096 >> 20;
}

/* Whether rank 0 finds in a block what this execution has written, and nothing of others. */
static int is_as_written(char *block, long size, const int *from) {
    for (int step = 0; step < STEPS; step++)
        for (int place = 0; place < 3; place++) {
            int first = step == 5 && place == 0;
            int wanted = first || (step == 7 && place == from[0]) || (step == 8 && place == from[1]);
            if (*at(block, size, step, place) != wanted)
                return 0;
        }
    return 1;
}

int main(int argc, char **argv) {
    int rank, from[2] = {0, 0};
    char *heap = calloc(HEAP, 1);
    if (!heap)
        return 3;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    *at(data, DATA, 5, rank) = *at(heap, HEAP, 5, rank) = 1;
    if (rank == 0) {
        for (int i = 0; i < 2; i++) {
            MPI_Recv(&from[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            *at(data, DATA, 7 + i, from[i]) += 1;
            *at(heap, HEAP, 7 + i, from[i]) += 1;
        }
        if (!is_as_written(data, DATA, from) || !is_as_written(heap, HEAP, from))
            return 4;
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    /* A block that only exists in some executions, beyond what the others have. */
    char *more = from[0] == 1 ? malloc(HEAP) : NULL;
    if (more)
        *at(more, HEAP, 3, 0) = 7;
    MPI_Barrier(MPI_COMM_WORLD);
    free(more);
    free(heap);
    MPI_Finalize();
    return resident() > 150 ? 5 : 0;
}
