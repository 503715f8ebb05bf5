/* smpi: ranks 6 */
/* smpi: expect-pass */
/* smpi: requires smpi */
/* MPI_Comm_split_type by hardware and by process set: hosts are all there is (MPI 5.0 section 7.4.2). */
#include "../check.h"

static int size_of(int type, MPI_Info info)
{
    MPI_Comm part;
    int size = 0;

    MPI_Comm_split_type(MPI_COMM_WORLD, type, 0, info, &part);
    if (part == MPI_COMM_NULL)
        return 0;
    MPI_Comm_size(part, &size);
    MPI_Comm_free(&part);
    return size;
}

int main(int argc, char **argv)
{
    MPI_Info info;
    MPI_Comm part, again;
    int on_host;

    check_begin(&argc, &argv);
    check_errors_return();
    on_host = size_of(MPI_COMM_TYPE_SHARED, MPI_INFO_NULL);
    CHECK(on_host >= 1);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory");
    CHECK_INT(size_of(MPI_COMM_TYPE_HW_GUIDED, info), on_host);
    CHECK_INT(size_of(MPI_COMM_TYPE_RESOURCE_GUIDED, info), on_host);
    MPI_Info_set(info, "mpi_hw_resource_type", "a socket");
    CHECK_INT(size_of(MPI_COMM_TYPE_HW_GUIDED, info), 0);
    CHECK_INT(size_of(MPI_COMM_TYPE_HW_GUIDED, MPI_INFO_NULL), 0);
    MPI_Info_set(info, "mpi_pset_name", "mpi://WORLD");
    CHECK_INT(size_of(MPI_COMM_TYPE_RESOURCE_GUIDED, info), check_size);
    MPI_Info_set(info, "mpi_pset_name", "mpi://SELF");
    CHECK_INT(size_of(MPI_COMM_TYPE_RESOURCE_GUIDED, info), 1);
    MPI_Info_free(&info);
    /* Unguided splits as long as the parts get smaller. */
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &part);
    CHECK((part == MPI_COMM_NULL) == (on_host == check_size));
    if (part != MPI_COMM_NULL) {
        MPI_Comm_split_type(part, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &again);
        CHECK(again == MPI_COMM_NULL);
        MPI_Comm_free(&part);
    }
    CHECK_ERROR(MPI_Comm_split_type(MPI_COMM_WORLD, 4711, 0, MPI_INFO_NULL, &part), MPI_ERR_ARG);
    return check_end();
}
