/* smpi: ranks 1 */
/* smpi: expect-pass */
/* MPI_Status_set_elements and MPI_Status_set_cancelled are what Get_elements, Get_count and Test_cancelled read (MPI 5.0 section 13.3). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Status status;
    MPI_Datatype triple;
    int count, elements, flag;
    MPI_Count large;

    check_begin(&argc, &argv);
    memset(&status, 0, sizeof status);
    MPI_Status_set_elements(&status, MPI_INT, 6);
    MPI_Status_set_cancelled(&status, 1);
    MPI_Test_cancelled(&status, &flag);
    CHECK_INT(flag, 1);
    MPI_Status_set_cancelled(&status, 0);
    MPI_Test_cancelled(&status, &flag);
    CHECK_INT(flag, 0);
    MPI_Type_contiguous(3, MPI_INT, &triple);
    MPI_Type_commit(&triple);
    MPI_Get_count(&status, triple, &count);
    MPI_Get_elements(&status, triple, &elements);
    CHECK_INT(count, 2);
    CHECK_INT(elements, 6);
    MPI_Status_set_elements_x(&status, MPI_BYTE, (MPI_Count)5000000000);
    MPI_Get_elements_x(&status, MPI_BYTE, &large);
    CHECK_INT(large, 5000000000);
    MPI_Get_count(&status, MPI_BYTE, &count); /* does not fit into an int */
    CHECK_INT(count, MPI_UNDEFINED);
    MPI_Type_free(&triple);
    return check_end();
}
