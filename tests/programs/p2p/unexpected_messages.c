/* smpi: ranks 3 */
/* smpi: expect-pass */
/* smpi: verified deadlock */
/* Messages that come before their receives are kept, and may be received in any order of tags (MPI 5.0 section 3.5). */
#include "../check.h"

#define MESSAGES 200

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    if (check_rank > 0) {
        for (int tag = 0; tag < MESSAGES; tag++) {
            int value = check_rank * 1000 + tag;
            MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Barrier(MPI_COMM_WORLD); /* now all of them are there or under way */
        for (int tag = MESSAGES - 1; tag >= 0; tag--)
            for (int source = 1; source < check_size; source++) {
                int value = -1;
                MPI_Recv(&value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                CHECK_INT(value, source * 1000 + tag);
            }
    }
    return check_end();
}
