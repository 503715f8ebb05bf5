/* A byte of the type map is read; its gaps are read and written, too, which is allowed. */
/* smpi: requires smpi */
/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding race/buffer */
/* smpi: expect-stderr-contains access_datatype.c:25 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    static int values[12];
    MPI_Datatype every_third;
    MPI_Type_vector(4, 1, 3, MPI_INT, &every_third);
    MPI_Type_commit(&every_third);
    if (rank == 0) {
        MPI_Request request;
        MPI_Irecv(values, 1, every_third, 1, 0, MPI_COMM_WORLD, &request);
        int sum = 0;
        for (int i = 0; i < 10; i++)
            if (i % 3 != 0)
                values[i]++;
        sum += values[9];
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(values, 1, every_third, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Type_free(&every_third);
    MPI_Finalize();
    return 0;
}
