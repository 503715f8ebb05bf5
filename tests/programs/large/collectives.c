/* smpi: ranks 3 */
/* smpi: expect-pass */
/* Collective operations whose displacements lie beyond 2^31 elements, and one whose count does (MPI 5.0 chapter 6). */
#include "large.h"

enum { RANKS = 3 };

static const MPI_Count apart = BEYOND + 7;
static short *memory;

static short *of(int block) { return memory + block * apart; }

static void clear(void)
{
    for (int block = 0; block < RANKS; block++)
        *of(block) = -1;
}

static void displacements(void)
{
    MPI_Count counts[RANKS] = {1, 1, 1};
    MPI_Aint places[RANKS], bytes[RANKS];
    MPI_Datatype types[RANKS] = {MPI_SHORT, MPI_SHORT, MPI_SHORT};
    short mine[RANKS], found = -1;

    for (int i = 0; i < RANKS; i++) {
        places[i] = i * apart;
        bytes[i] = 2 * i * apart;
        mine[i] = (short)(10 * check_rank + i);
    }
    clear();
    CHECK_OK(MPI_Gatherv_c(mine, 1, MPI_SHORT, memory, counts, places, MPI_SHORT, 1, MPI_COMM_WORLD));
    for (int i = 0; i < RANKS; i++)
        CHECK_INT(*of(i), check_rank == 1 ? 10 * i : -1);
    CHECK_OK(MPI_Scatterv_c(memory, counts, places, MPI_SHORT, &found, 1, MPI_SHORT, 1, MPI_COMM_WORLD));
    CHECK_INT(found, 10 * check_rank);
    clear();
    CHECK_OK(MPI_Allgatherv_c(mine, 1, MPI_SHORT, memory, counts, places, MPI_SHORT, MPI_COMM_WORLD));
    for (int i = 0; i < RANKS; i++)
        CHECK_INT(*of(i), 10 * i);
    for (int i = 0; i < RANKS; i++)
        *of(i) = mine[i];
    CHECK_OK(MPI_Alltoallv_c(MPI_IN_PLACE, counts, places, MPI_SHORT, memory, counts, places, MPI_SHORT,
                             MPI_COMM_WORLD));
    for (int i = 0; i < RANKS; i++)
        CHECK_INT(*of(i), 10 * i + check_rank);
    CHECK_OK(MPI_Alltoallw_c(MPI_IN_PLACE, counts, bytes, types, memory, counts, bytes, types, MPI_COMM_WORLD));
    for (int i = 0; i < RANKS; i++)
        CHECK_INT(*of(i), mine[i]);
}

/* The second block of a rank lies beyond, because the blocks are that large: of each, one number is real. */
static void extents(void)
{
    MPI_Datatype wide;
    short mine = (short)(5 + check_rank), parts[RANKS] = {1, 2, 3}, found = -1;

    CHECK_OK(MPI_Type_create_resized_c(MPI_SHORT, 0, 2 * apart, &wide));
    CHECK_OK(MPI_Type_commit(&wide));
    clear();
    CHECK_OK(MPI_Allgather_c(&mine, 1, MPI_SHORT, memory, 1, wide, MPI_COMM_WORLD));
    for (int i = 0; i < RANKS; i++)
        CHECK_INT(*of(i), 5 + i);
    for (int i = 0; i < RANKS; i++)
        *of(i) = (short)(parts[i] + 10 * check_rank);
    CHECK_OK(MPI_Scatter_c(memory, 1, wide, &found, 1, MPI_SHORT, 2, MPI_COMM_WORLD));
    CHECK_INT(found, 20 + parts[check_rank]);
    CHECK_OK(MPI_Type_free(&wide));
}

static void count(void)
{
    MPI_Count size = BEYOND + 3;
    char *bytes = large_repeated(size);

    bytes[size - 1] = (char)(check_rank == 2 ? 33 : 0);
    CHECK_OK(MPI_Bcast_c(bytes, size, MPI_BYTE, 2, MPI_COMM_WORLD));
    CHECK_INT(bytes[size - 1], 33);
    large_unmap(bytes, size);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    memory = (short *)large_sparse(RANKS * 2 * apart);
    displacements();
    extents();
    count();
    return check_end();
}
