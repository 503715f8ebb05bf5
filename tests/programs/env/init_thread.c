/* smpi: ranks 2 */
/* smpi: expect-pass */
/* MPI_Init_thread provides one of the four ordered levels; MPI_Query_thread repeats it; MPI_Is_thread_main (MPI 5.0 section 11.2.1). */
#include "../check.h"

int main(int argc, char **argv)
{
    int provided = -1, queried = -2, main_thread = 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
    CHECK(provided == MPI_THREAD_SINGLE || provided == MPI_THREAD_FUNNELED ||
          provided == MPI_THREAD_SERIALIZED || provided == MPI_THREAD_MULTIPLE);
    MPI_Query_thread(&queried);
    CHECK_INT(queried, provided);
    MPI_Is_thread_main(&main_thread);
    CHECK_INT(main_thread, 1);
    CHECK(MPI_THREAD_SINGLE < MPI_THREAD_FUNNELED && MPI_THREAD_FUNNELED < MPI_THREAD_SERIALIZED &&
          MPI_THREAD_SERIALIZED < MPI_THREAD_MULTIPLE);
    return check_end();
}
