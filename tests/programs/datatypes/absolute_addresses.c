/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Types of absolute addresses with MPI_BOTTOM gather scattered variables; MPI_Aint_add and MPI_Aint_diff (MPI 5.0 sections 5.1.5, 5.1.12). */
#include "../check.h"

static int global_value;

int main(int argc, char **argv)
{
    double local = 0, *heap = malloc(3 * sizeof *heap);
    MPI_Aint places[3], first, second;
    MPI_Datatype members[3] = {MPI_INT, MPI_DOUBLE, MPI_DOUBLE}, type;

    check_begin(&argc, &argv);
    MPI_Get_address(&global_value, &places[0]);
    MPI_Get_address(&local, &places[1]);
    MPI_Get_address(heap, &places[2]);
    MPI_Type_create_struct(3, (int[]){1, 1, 3}, places, members, &type);
    MPI_Type_commit(&type);
    if (check_rank == 0) {
        global_value = 7;
        local = 1.5;
        for (int i = 0; i < 3; i++)
            heap[i] = 10 + i;
        MPI_Send(MPI_BOTTOM, 1, type, 1, 0, MPI_COMM_WORLD);
    } else
        MPI_Recv(MPI_BOTTOM, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(MPI_BOTTOM, 1, type, 1, MPI_COMM_WORLD);
    CHECK_INT(global_value, 7);
    CHECK(local == 1.5 && heap[0] == 10 && heap[2] == 12);
    MPI_Get_address(&heap[1], &first);
    MPI_Get_address(&heap[2], &second);
    CHECK_INT(MPI_Aint_diff(second, first), (MPI_Aint)sizeof(double));
    CHECK_INT(MPI_Aint_add(first, sizeof(double)), second);
    MPI_Type_free(&type);
    free(heap);
    return check_end();
}
