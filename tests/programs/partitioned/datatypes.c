/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Derived datatypes on both sides, also where elements of the receiver reach over partitions of the sender, and large
 * partitions, whose sends wait for the receiver (MPI 5.0 §4.2.1). */
#include "../check.h"

/* The sender has 6 partitions of 2 numbers, the receiver 2 of 2 elements of 3 numbers with gaps. */
static void elements_across_partitions(void)
{
    int out[12], in[2 * 2 * 5];
    MPI_Datatype spaced;
    MPI_Request request;

    for (int i = 0; i < 12; i++)
        out[i] = 100 + i;
    for (int i = 0; i < 20; i++)
        in[i] = -1;
    /* Numbers at 0, 1 and 3 of 5. */
    CHECK_OK(MPI_Type_indexed(2, (int[]){ 2, 1 }, (int[]){ 0, 3 }, MPI_INT, &spaced));
    MPI_Datatype resized;
    CHECK_OK(MPI_Type_create_resized(spaced, 0, 5 * sizeof(int), &resized));
    CHECK_OK(MPI_Type_commit(&resized));
    if (check_rank == 0) {
        CHECK_OK(MPI_Psend_init(out, 6, 2, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
        CHECK_OK(MPI_Start(&request));
        CHECK_OK(MPI_Pready_list(6, (int[]){ 3, 1, 5, 0, 2, 4 }, request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
        CHECK_OK(MPI_Precv_init(in, 2, 2, resized, 0, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
        CHECK_OK(MPI_Start(&request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        for (int i = 0; i < 12; i++) {
            int place = i / 3 * 5 + (i % 3 == 2 ? 3 : i % 3);
            CHECK_INT(in[place], 100 + i);
        }
        CHECK_INT(in[2], -1);
        CHECK_INT(in[4], -1);
    }
    CHECK_OK(MPI_Request_free(&request));
    CHECK_OK(MPI_Type_free(&spaced));
    CHECK_OK(MPI_Type_free(&resized));
}

/* Columns of a matrix are partitions of the sender, rows those of the receiver: nothing is there before all is. */
static void transposed_and_large(void)
{
    enum { SIDE = 256 };
    double *matrix = malloc(SIDE * SIDE * sizeof *matrix);
    MPI_Datatype column, one;
    MPI_Request request;
    int flag;

    CHECK_OK(MPI_Type_vector(SIDE, 1, SIDE, MPI_DOUBLE, &column));
    CHECK_OK(MPI_Type_create_resized(column, 0, sizeof(double), &one));
    CHECK_OK(MPI_Type_commit(&one));
    for (int i = 0; i < SIDE * SIDE; i++)
        matrix[i] = check_rank == 0 ? i : -1;
    if (check_rank == 0) {
        CHECK_OK(MPI_Psend_init(matrix, 4, SIDE / 4, one, 1, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
        CHECK_OK(MPI_Start(&request));
        for (int i = 0; i < 3; i++)
            CHECK_OK(MPI_Pready(i, request));
        CHECK_OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
        CHECK_INT(flag, 0);
        CHECK_OK(MPI_Pready(3, request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
        CHECK_OK(MPI_Precv_init(matrix, SIDE, SIDE, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
        CHECK_OK(MPI_Start(&request));
        do
            CHECK_OK(MPI_Parrived(request, SIDE / 2, &flag));
        while (!flag);
        CHECK(matrix[SIDE / 2 * SIDE] == SIDE / 2);
        CHECK(matrix[SIDE / 2 * SIDE + SIDE - 1] == (SIDE - 1) * SIDE + SIDE / 2);
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        for (int i = 0; i < SIDE * SIDE; i++)
            CHECK(matrix[i] == (double)(i % SIDE * SIDE + i / SIDE));
    }
    CHECK_OK(MPI_Request_free(&request));
    CHECK_OK(MPI_Type_free(&column));
    CHECK_OK(MPI_Type_free(&one));
    free(matrix);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    elements_across_partitions();
    transposed_and_large();
    return check_end();
}
