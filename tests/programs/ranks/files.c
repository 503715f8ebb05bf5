// smpi: ranks 3
// smpi: expect-stdout 0: wrote 30000 bytes, read them back, sum ok
// smpi: expect-stdout 1: wrote 30000 bytes, read them back, sum ok
// smpi: expect-stdout 2: wrote 30000 bytes, read them back, sum ok
/* Files of stdio belong to the rank that opened them, with buffers in its heap, across MPI calls. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    long sum = 0, expected = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FILE *file = tmpfile();
    for (int i = 0; i < 3000; i++) {
        fprintf(file, "%9d\n", i * (rank + 1));
        expected += i * (rank + 1);
        if (i % 1000 == 0)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    long bytes = ftell(file);
    rewind(file);
    for (int i = 0, number; i < 3000 && fscanf(file, "%d", &number) == 1; i++) {
        sum += number;
        if (i % 1000 == 0)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    fclose(file);
    printf("%d: wrote %ld bytes, read them back, sum %s\n", rank, bytes, sum == expected ? "ok" : "wrong");
    MPI_Finalize();
    return 0;
}
