/* What a function says of a rank's variables: the token is with one rank after the other, for ever. SimGrid's name for
 * such a proposition is the same function. */
/* smpi: ranks 3 */
/* smpi: verify --ltl=G(F(first))&&G(F(last))&&G(!(first&&last)) */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>
#include <smpi/smpi.h>

static struct {
    int rank, has_token;
} me;

static int has_token(void) {
    return me.has_token == 1 ? 0x100 : 0;
}

int main(int argc, char **argv) {
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (me.rank == 0)
        MC_proposition_function("first", has_token);
    if (me.rank == size - 1)
        MC_automaton_new_propositional_symbol("last", has_token);
    for (int round = 0;; round = 1) {
        if (me.rank > 0 || round > 0)
            MPI_Recv(NULL, 0, MPI_INT, (me.rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        me.has_token = 1;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        me.has_token = 0;
        MPI_Send(NULL, 0, MPI_INT, (me.rank + 1) % size, 0, MPI_COMM_WORLD);
    }
}
