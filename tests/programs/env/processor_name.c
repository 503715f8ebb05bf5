/* smpi: ranks 3 */
/* smpi: expect-pass */
/* MPI_Get_processor_name gives a terminated, stable name and its length (MPI 5.0 section 9.1.2). */
#include "../check.h"

int main(int argc, char **argv)
{
    char name[MPI_MAX_PROCESSOR_NAME], again[MPI_MAX_PROCESSOR_NAME];
    int length = -1, second = -1;

    check_begin(&argc, &argv);
    MPI_Get_processor_name(name, &length);
    CHECK(length > 0 && length < MPI_MAX_PROCESSOR_NAME);
    CHECK_INT(strlen(name), length);
    MPI_Get_processor_name(again, &second);
    CHECK(length == second && strcmp(name, again) == 0);
    return check_end();
}
