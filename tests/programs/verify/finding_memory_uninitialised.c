/* The last of ten numbers is never written, and the receiver prints it. */
/* smpi: requires smpi */
/* smpi: ranks 2 */
/* smpi: expect-finding memory/uninitialised */
/* smpi: expect-stderr-contains rank 0: MPI_Send is given 10 elements, of which element 9 */
/* smpi: expect-stderr-contains what rank 1 prints, or its exit code, depends on such */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, *numbers = malloc(10 * sizeof(int)), sum = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 9; i++)
        numbers[i] = i;
    if (rank == 0) {
        MPI_Send(numbers, 10, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(numbers, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 10; i++)
            sum += numbers[i];
        printf("%d\n", sum);
    }
    free(numbers);
    MPI_Finalize();
    return 0;
}
