/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Types nested five deep, whose parts were freed, describe what they described (MPI 5.0 section 5.1.9). */
#include "../check.h"

int main(int argc, char **argv)
{
    static int cube[6][6][6], in[6][6][6];
    MPI_Datatype row, plane, half, both, all;
    int wrong = 0, count = 0;

    check_begin(&argc, &argv);
    MPI_Type_vector(3, 1, 2, MPI_INT, &row); /* every other element of a row */
    MPI_Type_create_hvector(3, 1, 2 * sizeof cube[0][0], row, &plane);
    MPI_Type_free(&row);
    MPI_Type_create_hindexed(2, (int[]){1, 1}, (MPI_Aint[]){0, 4 * sizeof cube[0]}, plane, &half);
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 2 * sizeof cube[0]},
                           (MPI_Datatype[]){half, plane}, &both);
    MPI_Type_free(&half);
    MPI_Type_free(&plane);
    MPI_Type_dup(both, &all);
    MPI_Type_free(&both);
    MPI_Type_commit(&all);
    for (int i = 0; i < 216; i++) {
        (&cube[0][0][0])[i] = i + 1;
        (&in[0][0][0])[i] = 0;
    }
    if (check_rank == 0)
        MPI_Send(cube, 1, all, 1, 0, MPI_COMM_WORLD);
    else {
        MPI_Status status;
        int elements;
        MPI_Recv(in, 1, all, 0, 0, MPI_COMM_WORLD, &status);
        MPI_Get_elements(&status, all, &elements);
        CHECK_INT(elements, 27);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                for (int k = 0; k < 6; k++) {
                    int taken = i % 2 == 0 && j % 2 == 0 && k % 2 == 0;
                    count += taken;
                    wrong += in[i][j][k] != (taken ? cube[i][j][k] : 0);
                }
        CHECK_INT(wrong, 0);
        CHECK_INT(count, 27);
    }
    MPI_Type_free(&all);
    return check_end();
}
