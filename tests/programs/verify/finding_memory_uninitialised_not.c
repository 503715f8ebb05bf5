/* What was never written may be sent where nobody looks at it: padding, the rest of a line, a corner of an array, a
 * message that only says that it is there. Written by the program, by libc or by MPI, it is all right anyway. */
/* smpi: passes memory/uninitialised */
/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char kind;
    double value;
} item;

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, *token = malloc(sizeof(int)), *known = malloc(2 * sizeof(int));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    item *one = malloc(sizeof(item));
    char *line = malloc(80);
    double *field = malloc(9 * sizeof(double));
    one->kind = 'a';
    one->value = rank;
    snprintf(line, 80, "rank %d", rank);
    for (int i = 1; i < 8; i++)
        field[i] = rank;
    sscanf("5 6", "%d %d", &known[0], &known[1]);
    MPI_Bcast(token, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(one, sizeof *one, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(line, 80, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Bcast(field, 9, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, known, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("%c %g %s %g %d\n", one->kind, one->value, line, field[4], known[0]);
    free(token);
    free(known);
    free(one);
    free(line);
    free(field);
    MPI_Finalize();
    return 0;
}
