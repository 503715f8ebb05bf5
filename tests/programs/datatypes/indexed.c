/* smpi: ranks 1 */
/* smpi: expect-pass */
/* MPI_Type_indexed, hindexed, indexed_block, hindexed_block: any order, negative offsets, empty blocks (MPI 5.0 section 5.1.2).
 * The extent is rounded up to the alignment of the parts (section 5.1.6).
 * MPICH 4.0.2 deviates: it rounds the extents of structs only. */
#include "layout.h"

int main(int argc, char **argv)
{
    MPI_Datatype type;
    int lengths[] = {2, 0, 1, 3}, places[] = {5, 100, -3, 0};
    MPI_Aint bytes[] = {40, 4000, -10, 2};

    check_begin(&argc, &argv);
    MPI_Type_indexed(4, lengths, places, MPI_INT, &type);
    check_and_free(type, 6, (int[]){20, 24, -12, 0, 4, 8}, (int[]){-12, 40, -12, 40});
    MPI_Type_create_hindexed(4, lengths, bytes, MPI_INT, &type);
    check_and_free(type, 6, (int[]){40, 44, -10, 2, 6, 10}, (int[]){-10, 60, -10, 58});
    MPI_Type_create_indexed_block(3, 2, (int[]){6, 0, 3}, MPI_INT, &type);
    check_and_free(type, 6, (int[]){24, 28, 0, 4, 12, 16}, (int[]){0, 32, 0, 32});
    MPI_Type_create_hindexed_block(2, 2, (MPI_Aint[]){17, -5}, MPI_INT, &type);
    check_and_free(type, 4, (int[]){17, 21, -5, -1}, (int[]){-5, 32, -5, 30});
    MPI_Type_indexed(0, NULL, NULL, MPI_INT, &type);
    check_and_free(type, 0, NULL, (int[]){0, 0, 0, 0});
    return check_end();
}
