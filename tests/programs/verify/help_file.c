/* A program that writes a file is not simulated on the side: what it writes would stay. */
/* smpi: ranks 3 */
/* smpi: verify --explain-within 60 */
/* smpi: expect-finding assertion */
/* smpi: expect-help would help: with the sources named at help_file.c:17 (rank 0: 1, 2): no error in 2 executions; complete */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, from[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Recv(&from[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        /* Would be there in the next verification, were this one to simulate. */
        assert(access("help_file.result", F_OK) != 0);
        FILE *result = fopen("help_file.result", "w");
        fprintf(result, "%d\n", from[0]);
        fclose(result);
        assert(from[0] == 1);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
