/* Other names for the same representation: integers with and without sign, complex numbers as two real ones, a structure
 * member by member, bytes. */
/* smpi: passes memory/type */
/* smpi: compile-args -g */
/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <complex.h>
#include <mpi.h>

typedef struct {
    double x, y;
} place;

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    unsigned number = 1;
    double _Complex wave = 2;
    place places[3] = {{1, 2}, {3, 4}, {5, 6}};
    char raw[8] = {0};
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&wave, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(places, 6, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(places, sizeof places, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(raw, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
