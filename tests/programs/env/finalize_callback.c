/* smpi: ranks 2 */
/* smpi: expect-pass */
/* MPI_Finalize first deletes the attributes of MPI_COMM_SELF, the last set first; MPI still works in the callbacks (MPI 5.0 section 11.2.4). */
#include <mpi.h>
#include <stdio.h>

static int calls, wrong;

static int on_finalize(MPI_Comm comm, int keyval, void *value, void *state)
{
    int rank = -1, sum = 0, one = 1, order = *(int *)value;
    (void)comm, (void)keyval, (void)state;

    wrong += order != 3 - calls;
    calls++;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (calls < 3)
        return MPI_SUCCESS;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong += sum != 2;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf(wrong ? "FAIL finalize_callback.c\n" : "PASS finalize_callback.c\n");
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int keys[3], orders[3] = {1, 2, 3};

    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &keys[i], NULL);
        MPI_Comm_set_attr(MPI_COMM_SELF, keys[i], &orders[i]);
    }
    MPI_Finalize();
    return wrong || calls != 3;
}
