/* C++: a vector that is being received is summed up too early, a member of a class that is being sent is changed, and copies
 * are made of both, by a persistent and by a combined operation. */
/* smpi: requires smpi */
/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: verify --buffering zero --keep-going */
/* smpi: expect-finding race/buffer */
/* smpi: expect-stderr-contains 2 errors */
/* smpi: expect-stderr-contains access_cxx.cpp:33 */
/* smpi: expect-stderr-contains access_cxx.cpp:18 */
#include <mpi.h>
#include <algorithm>
#include <vector>

struct Counter {
    int steps = 0;
    virtual ~Counter() = default;
    void step() { steps++; }
};

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int other = 1 - rank;
    std::vector<int> out(50, rank), in(50);
    MPI_Request request;
    MPI_Isendrecv(out.data(), 50, MPI_INT, other, 0, in.data(), 50, MPI_INT, other, 0, MPI_COMM_WORLD, &request);
    std::vector<int> copy(out);
    int sum = 0;
    if (rank == 0) {
        const int *first = in.data();
        sum = first[7];
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    std::sort(in.begin(), in.end());

    Counter counter;
    counter.steps = sum;
    if (rank == 0) {
        MPI_Send_init(&counter.steps, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        counter.step();
        MPI_Start(&request);
    } else {
        MPI_Recv_init(&sum, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
    }
    counter.step();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    counter.step();
    MPI_Finalize();
    return 0;
}
