/* smpi: ranks 7 */
/* smpi: expect-pass */
/* A reduction of a type with gaps, and with a type whose data do not start at its address, touches nothing but its data. */
#include "../check.h"

#define COUNT 500

static void add_pairs(void *in, void *inout, int *length, MPI_Datatype *type)
{
    /* Elements are 4 ints wide; ints 1 and 3 count. */
    (void)type;
    for (int i = 0; i < *length; i++)
        for (int part = 1; part < 4; part += 2)
            ((int *)inout)[4 * i + part] += ((int *)in)[4 * i + part];
}

static void test(MPI_Comm comm, int rank, int size)
{
    static int out[4 * COUNT], in[4 * COUNT];
    MPI_Datatype parts, type;
    MPI_Op op;
    int wrong = 0;

    MPI_Type_indexed(2, (int[]){1, 1}, (int[]){1, 3}, MPI_INT, &parts); /* starts at byte 4 */
    MPI_Type_create_resized(parts, 0, 4 * sizeof(int), &type);
    MPI_Type_commit(&type);
    MPI_Op_create(add_pairs, 1, &op);
    for (int variant = 0; variant < 3; variant++) {
        for (int i = 0; i < 4 * COUNT; i++) {
            out[i] = rank + i;
            in[i] = variant == 2 ? rank + i : -7;
        }
        if (variant == 0)
            MPI_Allreduce(out, in, COUNT, type, op, comm);
        else if (variant == 1)
            MPI_Scan(out, in, COUNT, type, op, comm);
        else
            MPI_Reduce(rank == 0 ? MPI_IN_PLACE : in, in, COUNT, type, op, 0, comm);
        int ranks = variant == 1 ? rank + 1 : size;
        for (int i = 0; i < 4 * COUNT; i++) {
            int data = i % 2 == 1 && (variant != 2 || rank == 0);
            int untouched = variant == 2 ? rank + i : -7;
            wrong += in[i] != (data ? ranks * (ranks - 1) / 2 + ranks * i : untouched);
        }
    }
    CHECK_INT(wrong, 0);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    MPI_Type_free(&parts);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_size(test);
    return check_end();
}
