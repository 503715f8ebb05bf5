/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* A status as Fortran's array of INTEGER, as the structure of mpi_f08, and back (MPI 5.0 section 19.3.5): on each of the
 * six ways nothing is lost, not even the count and the mark of a cancelled request. (MPICH's library of the standard ABI
 * does not have them.) */
#include "../check.h"

static void judge(const MPI_Status *status, int source, int tag, int elements, int cancelled)
{
    int count = -1, flag = -1;

    CHECK_INT(status->MPI_SOURCE, source);
    CHECK_INT(status->MPI_TAG, tag);
    CHECK_OK(MPI_Get_count(status, MPI_SHORT, &count));
    CHECK_INT(count, elements);
    CHECK_OK(MPI_Test_cancelled(status, &flag));
    CHECK_INT(flag, cancelled);
}

/* There and back by each of the six functions. */
static void convert(const MPI_Status *status, int source, int tag, int elements, int cancelled)
{
    MPI_Fint numbers[MPI_F_STATUS_SIZE], again[MPI_F_STATUS_SIZE];
    MPI_F08_status structure;
    MPI_Status found;

    memset(numbers, 0xff, sizeof numbers);
    memset(again, 0xff, sizeof again);
    memset(&structure, 0xff, sizeof structure);
    memset(&found, 0xff, sizeof found);
    CHECK_OK(MPI_Status_c2f(status, numbers));
    CHECK(numbers[MPI_F_SOURCE] == source && numbers[MPI_F_TAG] == tag);
    CHECK_OK(MPI_Status_f2c(numbers, &found));
    judge(&found, source, tag, elements, cancelled);
    memset(&found, 0xff, sizeof found);
    CHECK_OK(MPI_Status_c2f08(status, &structure));
    CHECK(structure.MPI_SOURCE == source && structure.MPI_TAG == tag);
    CHECK_OK(MPI_Status_f082c(&structure, &found));
    judge(&found, source, tag, elements, cancelled);
    CHECK_OK(MPI_Status_f082f(&structure, again));
    CHECK(again[MPI_F_SOURCE] == source && again[MPI_F_TAG] == tag && again[MPI_F_ERROR] == numbers[MPI_F_ERROR]);
    memset(&structure, 0xff, sizeof structure);
    CHECK_OK(MPI_Status_f2f08(again, &structure));
    memset(&found, 0xff, sizeof found);
    CHECK_OK(MPI_Status_f082c(&structure, &found));
    judge(&found, source, tag, elements, cancelled);
}

int main(int argc, char **argv)
{
    MPI_Status status;
    MPI_Request request;
    short out[7] = {0}, in[7];

    check_begin(&argc, &argv);
    MPI_Sendrecv(out, 5 + check_rank, MPI_SHORT, 1 - check_rank, 20 + check_rank, in, 7, MPI_SHORT, 1 - check_rank,
                 MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    status.MPI_ERROR = MPI_ERR_OTHER;
    convert(&status, 1 - check_rank, 21 - check_rank, 6 - check_rank, 0);
    MPI_Irecv(in, 7, MPI_SHORT, 1 - check_rank, 99, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    status.MPI_SOURCE = 3;
    status.MPI_TAG = 4;
    CHECK_OK(MPI_Status_set_elements_c(&status, MPI_SHORT, 1 << 20));
    convert(&status, 3, 4, 1 << 20, 1);
    CHECK_OK(MPI_Status_set_elements_c(&status, MPI_SHORT, (MPI_Count)1 << 40));
    convert(&status, 3, 4, MPI_UNDEFINED, 1);
    return check_end();
}
