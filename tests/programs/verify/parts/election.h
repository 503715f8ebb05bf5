/* Elections on a ring for ever, after Chang and Roberts ("An improved algorithm for decentralized extrema-finding in
 * circular configurations of processes", 1979). In each round rank 0 wants to lead, and every other rank may want to. A
 * token with the number of each that wants goes round: who wants passes higher numbers on and keeps lower ones, the
 * others pass everything on. Whose own number comes back leads, and says so to everybody.
 *
 * A careless rank passes lower numbers on, too: then several may lead. */
#include <mpi.h>
#include <smpi/smpi.h>

enum { TOKEN, ELECTED };

static int me, size, leads;

static void pass_on(int tag, int number) {
    MPI_Send(&number, 1, MPI_INT, (me + 1) % size, tag, MPI_COMM_WORLD);
}

static void elect(int is_careless) {
    const int wants = me == 0 || MC_random(0, 1);
    if (wants)
        pass_on(TOKEN, me);
    for (;;) {
        MPI_Status status;
        int number;
        MPI_Recv(&number, 1, MPI_INT, (me + size - 1) % size, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == ELECTED) {
            /* Never two leaders: nobody else says so to one that leads. */
            MC_assert(!leads || number == me);
            if (number != me)
                pass_on(ELECTED, number);
            return;
        }
        if (!wants || number > me || (is_careless && number < me)) {
            pass_on(TOKEN, number);
        } else if (number == me) {
            leads = 1;
            pass_on(ELECTED, me);
        }
    }
}

static void run(int argc, char **argv, int is_careless) {
    static const char *const names[] = {"leader0", "leader1", "leader2", "leader3"};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (me < 4)
        MC_proposition(names[me], &leads);
    for (;;) {
        elect(is_careless);
        leads = 0;
    }
}
