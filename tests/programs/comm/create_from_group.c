/* smpi: ranks 5 */
/* smpi: expect-pass */
/* smpi: requires smpi */
/* MPI_Comm_create_from_group makes a communicator without a parent; the string tag keeps calls apart (MPI 5.0 section 7.4.2). */
#include "../check.h"

static int calls;

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    calls++;
}

int main(int argc, char **argv)
{
    MPI_Group world, odd;
    MPI_Comm all, some;
    MPI_Errhandler errhandler;
    int members[2] = {3, 1}, rank, sum, value = 0;

    check_begin(&argc, &argv);
    check_errors_return();
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, members, &odd);
    MPI_Comm_create_errhandler(handler, &errhandler);
    CHECK_OK(MPI_Comm_create_from_group(world, "all", MPI_INFO_NULL, errhandler, &all));
    if (check_rank == 1 || check_rank == 3) {
        CHECK_OK(MPI_Comm_create_from_group(odd, "odd", MPI_INFO_NULL, MPI_ERRORS_RETURN, &some));
        MPI_Comm_rank(some, &rank);
        CHECK_INT(rank, check_rank == 3 ? 0 : 1);
        MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, some);
        CHECK_INT(sum, 4);
        MPI_Comm_free(&some);
    }
    MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, all);
    CHECK_INT(sum, 10);
    CHECK_ERROR(MPI_Send(&value, 1, MPI_INT, 99, 0, all), MPI_ERR_RANK);
    CHECK_INT(calls, 1);
    CHECK_ERROR(MPI_Comm_create_from_group(MPI_GROUP_NULL, "none", MPI_INFO_NULL, MPI_ERRORS_RETURN, &some),
                MPI_ERR_GROUP);
    MPI_Errhandler_free(&errhandler);
    MPI_Comm_free(&all);
    MPI_Group_free(&odd);
    MPI_Group_free(&world);
    return check_end();
}
