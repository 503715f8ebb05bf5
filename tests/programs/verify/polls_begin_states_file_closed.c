/* As polls_begin_states, after all ranks have written a file by MPI and closed it: states have names again. */
/* smpi: ranks 3 */
/* smpi: compile-args -O1 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-states zero=122 infinite=158 */
/* smpi: expect-stderr-contains zero buffering and infinite buffering: states were recognised */
#include "parts/looks.h"

int main(int argc, char **argv) {
    MPI_File file;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "polls_begin_states_file_closed.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, rank * (int)sizeof rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    for (int round = 0; round < 8; round++)
        look_and_wait(round);
    MPI_Finalize();
    return 0;
}
