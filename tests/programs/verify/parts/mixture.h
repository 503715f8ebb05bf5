/* The exchange of the tests each_mixture_*.c: rank 1 sends to 0 and then to 2, which sends to 0 when it hears of it. If 0 takes the
 * message of 2 first, 0 and 1 both send before they receive, unless `right`. */

static void mixture(int right) {
    int rank, value = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm comm = MPI_COMM_WORLD;
    if (rank == 0) {
        MPI_Status first, second;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, &first);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, &second);
        if (first.MPI_SOURCE == 2 && !right) {
            MPI_Send(&value, 1, MPI_INT, 1, 1, comm);
            MPI_Recv(&value, 1, MPI_INT, 1, 1, comm, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&value, 1, MPI_INT, 1, 1, comm, MPI_STATUS_IGNORE);
            MPI_Send(&value, 1, MPI_INT, 1, 1, comm);
        }
    } else if (rank == 1) {
        MPI_Send(&value, 1, MPI_INT, 0, 0, comm);
        MPI_Send(&value, 1, MPI_INT, 2, 0, comm);
        MPI_Send(&value, 1, MPI_INT, 0, 1, comm);
        MPI_Recv(&value, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 1, 0, comm, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 0, 0, comm);
    }
}
