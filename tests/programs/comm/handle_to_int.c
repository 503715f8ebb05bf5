/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* Handles as integers and back, predefined and own ones (MPI 5.0 section 20.5). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Group group;
    int sum = 0;

    check_begin(&argc, &argv);
    CHECK(MPI_Comm_fromint(MPI_Comm_toint(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
    CHECK(MPI_Type_fromint(MPI_Type_toint(MPI_DOUBLE)) == MPI_DOUBLE);
    CHECK(MPI_Op_fromint(MPI_Op_toint(MPI_SUM)) == MPI_SUM);
    CHECK(MPI_Request_fromint(MPI_Request_toint(MPI_REQUEST_NULL)) == MPI_REQUEST_NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_Comm_fromint(MPI_Comm_toint(comm)));
    CHECK_INT(sum, 1);
    MPI_Type_contiguous(2, MPI_INT, &type);
    CHECK(MPI_Type_fromint(MPI_Type_toint(type)) == type);
    MPI_Comm_group(comm, &group);
    CHECK(MPI_Group_fromint(MPI_Group_toint(group)) == group);
    MPI_Group_free(&group);
    MPI_Type_free(&type);
    MPI_Comm_free(&comm);
    return check_end();
}
