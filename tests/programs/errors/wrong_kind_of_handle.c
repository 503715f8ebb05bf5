/* smpi: ranks 1 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* Handles of another kind, and values that never were handles, give the right class (a promise of this library). */
#include "../check.h"

#include <stdint.h>

int main(int argc, char **argv)
{
    int value = 0, size;
    MPI_Group group;

    check_begin(&argc, &argv);
    check_errors_return();
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    CHECK_ERROR(MPI_Comm_size((MPI_Comm)group, &size), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Comm_size((MPI_Comm)MPI_INT, &size), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Comm_size((MPI_Comm)(intptr_t)0x7ffffffff, &size), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Send(&value, 1, (MPI_Datatype)MPI_COMM_WORLD, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    CHECK_ERROR(MPI_Group_size((MPI_Group)MPI_COMM_WORLD, &size), MPI_ERR_GROUP);
    CHECK_ERROR(MPI_Reduce_local(&value, &size, 1, MPI_INT, (MPI_Op)MPI_INT), MPI_ERR_OP);
    MPI_Group_free(&group);
    return check_end();
}
