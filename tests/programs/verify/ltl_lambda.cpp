// A lambda as a proposition, and objects of C++ that it looks at: a queue that is filled and emptied, for ever.
// smpi: ranks 2
// smpi: verify --ltl=G(F(full))&&G(full->F(!full)) --buffering zero
// smpi: expect-no-finding
// smpi: expect-complete
#include <mpi.h>
#include <smpi/smpi.h>
#include <vector>

static std::vector<int> queue;

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    queue.reserve(4);
    if (rank == 0)
        MC_proposition_function("full", [] { return int(queue.size() == 4); });
    for (;;) {
        if (rank == 0) {
            for (int i = 0; i < 4; i++) {
                int value;
                MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                queue.push_back(value);
            }
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            queue.clear();
        } else {
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
    }
}
