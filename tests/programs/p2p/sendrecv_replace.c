/* smpi: ranks 4 */
/* smpi: expect-pass */
/* MPI_Sendrecv_replace sends and receives with one buffer, also with a type that has gaps (MPI 5.0 section 3.10). */
#include "../check.h"

#define COUNT 30000

int main(int argc, char **argv)
{
    static double values[COUNT];
    MPI_Status status;
    MPI_Datatype every_other;
    int wrong = 0;

    check_begin(&argc, &argv);
    int right = (check_rank + 1) % check_size;
    int left = (check_rank + check_size - 1) % check_size;
    for (int i = 0; i < COUNT; i++)
        values[i] = check_rank + i * 0.5;
    MPI_Sendrecv_replace(values, COUNT, MPI_DOUBLE, right, 3, left, 3, MPI_COMM_WORLD, &status);
    for (int i = 0; i < COUNT; i++)
        wrong += values[i] != left + i * 0.5;
    CHECK_INT(wrong, 0);
    CHECK_INT(status.MPI_SOURCE, left);

    MPI_Type_vector(4, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    int gaps[8];
    for (int i = 0; i < 8; i++)
        gaps[i] = check_rank * 10 + i;
    MPI_Sendrecv_replace(gaps, 1, every_other, left, 4, right, 4, MPI_COMM_WORLD, &status);
    for (int i = 0; i < 8; i++)
        CHECK_INT(gaps[i], (i % 2 == 0 ? right : check_rank) * 10 + i);
    MPI_Type_free(&every_other);
    return check_end();
}
