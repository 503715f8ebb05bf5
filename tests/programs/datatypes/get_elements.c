/* smpi: ranks 2 */
/* smpi: expect-pass */
/* MPI_Get_count counts whole elements of the type, MPI_Get_elements its basic parts, also of a message that ends in the middle (MPI 5.0 section 5.1.11). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Datatype pair, mixed;
    double doubles[8];
    char bytes[64] = {0};

    check_begin(&argc, &argv);
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_create_struct(3, (int[]){1, 2, 1}, (MPI_Aint[]){0, 4, 8},
                           (MPI_Datatype[]){MPI_INT, MPI_SHORT, MPI_DOUBLE}, &mixed);
    MPI_Type_commit(&mixed);
    for (int i = 0; i < 8; i++)
        doubles[i] = i;
    if (check_rank == 0) {
        MPI_Send(doubles, 4, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        MPI_Send(doubles, 3, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
        MPI_Send(doubles, 0, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
        MPI_Send(bytes, 2, mixed, 1, 3, MPI_COMM_WORLD);
        MPI_Send(bytes, 22, MPI_BYTE, 1, 4, MPI_COMM_WORLD); /* one element, an int and a short */
    } else {
        static const struct {
            int count, elements;
        } expected[5] = {{2, 4}, {MPI_UNDEFINED, 3}, {0, 0}, {2, 8}, {MPI_UNDEFINED, 6}};
        for (int tag = 0; tag < 5; tag++) {
            MPI_Datatype type = tag < 3 ? pair : mixed;
            MPI_Status status;
            int count, elements;
            MPI_Count elements_x;
            if (tag == 4) /* bytes match bytes; the status is then read with another type */
                MPI_Recv(bytes, 64, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &status);
            else
                MPI_Recv(tag < 3 ? (void *)doubles : bytes, 4, type, 0, tag, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, type, &count);
            MPI_Get_elements(&status, type, &elements);
            MPI_Get_elements_x(&status, type, &elements_x);
            CHECK_INT(count, expected[tag].count);
            CHECK_INT(elements, expected[tag].elements);
            CHECK_INT(elements_x, expected[tag].elements);
        }
    }
    MPI_Type_free(&pair);
    MPI_Type_free(&mixed);
    return check_end();
}
