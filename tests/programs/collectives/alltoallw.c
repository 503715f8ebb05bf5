/* smpi: ranks 9 */
/* smpi: expect-pass */
/* MPI_Alltoallw and MPI_Ialltoallw: another type, count and byte offset for every peer (MPI 5.0 sections 6.8, 6.12.6).
 * MPICH 4.0.2 deviates: its MPI_Ialltoallw with MPI_IN_PLACE sends what was received already. */
#include "../check.h"

/* Peers with an even sum of ranks exchange three ints, the others two doubles. */
static void test(MPI_Comm comm, int rank, int size)
{
    for (int variant = 0; variant < 4; variant++) {
        int nonblocking = variant & 1, in_place = variant & 2;
        char out[9 * 16], in[9 * 16];
        int counts[9], places[9];
        MPI_Datatype types[9];
        MPI_Request request;

        memset(in, 0xff, sizeof in);
        for (int peer = 0; peer < size; peer++) {
            int ints = (rank + peer) % 2 == 0;
            counts[peer] = ints ? 3 : 2;
            types[peer] = ints ? MPI_INT : MPI_DOUBLE;
            places[peer] = 16 * (size - 1 - peer); /* in bytes */
            int int_values[3] = {rank, peer, 5};
            double double_values[2] = {rank + 0.25, peer + 0.5};
            if (ints)
                memcpy((in_place ? in : out) + places[peer], int_values, sizeof int_values);
            else
                memcpy((in_place ? in : out) + places[peer], double_values, sizeof double_values);
        }
        const void *from = in_place ? MPI_IN_PLACE : (const void *)out;
        if (nonblocking) {
            MPI_Ialltoallw(from, counts, places, types, in, counts, places, types, comm, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else
            MPI_Alltoallw(from, counts, places, types, in, counts, places, types, comm);
        for (int peer = 0; peer < size; peer++) {
            int int_values[3];
            double double_values[2];
            memcpy(int_values, in + places[peer], sizeof int_values);
            memcpy(double_values, in + places[peer], sizeof double_values);
            if (types[peer] == MPI_INT)
                CHECK(int_values[0] == peer && int_values[1] == rank && int_values[2] == 5);
            else
                CHECK(double_values[0] == peer + 0.25 && double_values[1] == rank + 0.5);
        }
    }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_size(test);
    return check_end();
}
