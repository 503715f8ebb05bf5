/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Every predefined operation on types that it is defined for (MPI 5.0 §12.3.4, §6.9.2): MPI_Get_accumulate computes
 * what MPI_Reduce_local does; MPI_REPLACE and MPI_NO_OP take all types. */
#include "../check.h"

#define COUNT 50

static unsigned char memory[COUNT * 32], mine[COUNT * 32], others[COUNT * 32], before[COUNT * 32];
static MPI_Win win;

static void fill(unsigned char *place, MPI_Datatype datatype, int seed)
{
    for (int i = 0; i < COUNT; i++) {
        int value = (seed + i * 7) % 11 - 3;
        if (datatype == MPI_INT)
            ((int *)place)[i] = value;
        else if (datatype == MPI_SHORT)
            ((short *)place)[i] = (short)value;
        else if (datatype == MPI_UNSIGNED_LONG)
            ((unsigned long *)place)[i] = (unsigned long)value;
        else if (datatype == MPI_SIGNED_CHAR || datatype == MPI_BYTE)
            ((signed char *)place)[i] = (signed char)value;
        else if (datatype == MPI_FLOAT)
            ((float *)place)[i] = (float)value / 2;
        else if (datatype == MPI_DOUBLE)
            ((double *)place)[i] = value / 4.0;
        else if (datatype == MPI_C_BOOL)
            place[i] = value > 0;
        else if (datatype == MPI_C_DOUBLE_COMPLEX) {
            ((double *)place)[2 * i] = value;
            ((double *)place)[2 * i + 1] = 1 - value;
        } else if (datatype == MPI_2INT) {
            ((int *)place)[2 * i] = value;
            ((int *)place)[2 * i + 1] = seed + i;
        }
    }
}

static void check(MPI_Datatype datatype, MPI_Op op)
{
    int size, other = 1 - check_rank;

    MPI_Type_size(datatype, &size);
    fill(memory, datatype, check_rank);
    fill(mine, datatype, 5 + check_rank);
    fill(others, datatype, 5 + other);
    MPI_Win_fence(0, win);
    MPI_Get_accumulate(mine, COUNT, datatype, before, COUNT, datatype, other, 0, COUNT, datatype, op, win);
    MPI_Win_fence(0, win);
    fill(mine, datatype, other);
    CHECK(memcmp(before, mine, (size_t)(COUNT * size)) == 0);
    fill(mine, datatype, check_rank);
    if (op == MPI_REPLACE)
        memcpy(mine, others, sizeof mine);
    else if (op != MPI_NO_OP)
        MPI_Reduce_local(others, mine, COUNT, datatype, op);
    CHECK(memcmp(memory, mine, (size_t)(COUNT * size)) == 0);
}

int main(int argc, char **argv)
{
    const MPI_Datatype integers[] = {MPI_INT, MPI_SHORT, MPI_UNSIGNED_LONG, MPI_SIGNED_CHAR};
    const MPI_Datatype others[] = {MPI_BYTE, MPI_C_BOOL, MPI_C_DOUBLE_COMPLEX, MPI_2INT, MPI_FLOAT, MPI_DOUBLE};
    const MPI_Op arithmetic[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
    const MPI_Op bits[] = {MPI_BAND, MPI_BOR, MPI_BXOR}, logic[] = {MPI_LAND, MPI_LOR, MPI_LXOR};

    check_begin(&argc, &argv);
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++)
            check(integers[i], arithmetic[j]);
        for (int j = 0; j < 3; j++) {
            check(integers[i], bits[j]);
            check(integers[i], logic[j]);
        }
        check(integers[i], MPI_REPLACE);
        check(integers[i], MPI_NO_OP);
        check(MPI_FLOAT, arithmetic[i]);
        check(MPI_DOUBLE, arithmetic[i]);
    }
    for (int j = 0; j < 3; j++) {
        check(MPI_BYTE, bits[j]);
        check(MPI_C_BOOL, logic[j]);
    }
    check(MPI_C_DOUBLE_COMPLEX, MPI_SUM);
    check(MPI_C_DOUBLE_COMPLEX, MPI_PROD);
    check(MPI_2INT, MPI_MAXLOC);
    check(MPI_2INT, MPI_MINLOC);
    for (int i = 0; i < 6; i++) {
        check(others[i], MPI_REPLACE);
        check(others[i], MPI_NO_OP);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
    return check_end();
}
