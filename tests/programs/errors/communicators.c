/* smpi: ranks 2 */
/* smpi: expect-pass */
/* MPI_COMM_NULL is refused with MPI_ERR_COMM by functions of every chapter, and predefined communicators cannot be freed. */
#include "../check.h"

int main(int argc, char **argv)
{
    int value = 0, other = 0, flag, counts[2] = {1, 1}, places[2] = {0, 1};
    MPI_Request request;
    MPI_Comm comm = MPI_COMM_NULL, made, world = MPI_COMM_WORLD;
    MPI_Group group;
    MPI_Message message;
    void *attribute;
    char name[MPI_MAX_OBJECT_NAME] = "x";

    check_begin(&argc, &argv);
    check_errors_return();
    CHECK_ERROR(MPI_Comm_rank(MPI_COMM_NULL, &value), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Comm_size(MPI_COMM_NULL, &value), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL, &request), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL, MPI_STATUS_IGNORE), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Send_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL, &request), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, &other, 1, MPI_INT, 0, 0, MPI_COMM_NULL,
                             MPI_STATUS_IGNORE), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Probe(0, 0, MPI_COMM_NULL, MPI_STATUS_IGNORE), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Iprobe(0, 0, MPI_COMM_NULL, &flag, MPI_STATUS_IGNORE), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Mprobe(0, 0, MPI_COMM_NULL, &message, MPI_STATUS_IGNORE), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Ibarrier(MPI_COMM_NULL, &request), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Allreduce(&value, &other, 1, MPI_INT, MPI_SUM, MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Alltoallv(&value, counts, places, MPI_INT, &other, counts, places, MPI_INT,
                              MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Comm_dup(MPI_COMM_NULL, &made), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Comm_split(MPI_COMM_NULL, 0, 0, &made), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Comm_group(MPI_COMM_NULL, &group), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Comm_compare(MPI_COMM_NULL, MPI_COMM_WORLD, &value), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Comm_test_inter(MPI_COMM_NULL, &value), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Comm_get_attr(MPI_COMM_NULL, MPI_TAG_UB, &attribute, &flag), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Comm_set_name(MPI_COMM_NULL, name), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Comm_free(&comm), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Comm_free(&world), MPI_ERR_COMM);
    CHECK(world == MPI_COMM_WORLD);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD)); /* nothing is broken */
    return check_end();
}
