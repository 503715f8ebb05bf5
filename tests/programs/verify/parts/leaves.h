/* The exchange of the tests each_leaves*.c. Rank 1 hears of rank 0 before it joins the first broadcast only if rank 0, its root, leaves
 * that early. Then rank 1 sends what rank 0 waits for behind the second broadcast, of which it is the root: right only if it
 * leaves that early, too; unless `right`. */

static void leaves(int right) {
    int rank, value = 0;
    MPI_Status first;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        MPI_Bcast(&value, 1, MPI_INT, 0, comm);
        MPI_Ssend(&value, 1, MPI_INT, 1, 0, comm);
        MPI_Recv(&value, 1, MPI_INT, 1, 1, comm, MPI_STATUS_IGNORE);
        MPI_Bcast(&value, 1, MPI_INT, 1, comm);
    } else if (rank == 1) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, &first);
        MPI_Bcast(&value, 1, MPI_INT, 0, comm);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
        if (first.MPI_SOURCE == 2 || right)
            MPI_Ssend(&value, 1, MPI_INT, 0, 1, comm);
        MPI_Bcast(&value, 1, MPI_INT, 1, comm);
        if (first.MPI_SOURCE != 2 && !right)
            MPI_Ssend(&value, 1, MPI_INT, 0, 1, comm);
    } else {
        MPI_Request send;
        int mine = rank;
        MPI_Issend(&mine, 1, MPI_INT, 1, 0, comm, &send);
        MPI_Bcast(&value, 1, MPI_INT, 0, comm);
        MPI_Bcast(&value, 1, MPI_INT, 1, comm);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
    }
}
