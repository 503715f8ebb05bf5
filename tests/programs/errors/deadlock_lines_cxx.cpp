// The line of a message that nearly is the one that a rank waits for, in C++: in a template that is inlined, of which the innermost
// line is told.
// smpi: ranks 2
// smpi: compile-args -g -O2
// smpi: requires smpi
// smpi: expect-exit 3
// smpi: expect-stderr-contains ; rank 1 has sent it one with tag 8 (
// smpi: expect-stderr-contains deadlock_lines_cxx.cpp:22)
#include <mpi.h>

namespace {

template <class T> MPI_Datatype datatype();
template <> MPI_Datatype datatype<int>() { return MPI_INT; }

class Peer {
public:
    explicit Peer(int rank) : rank_(rank) {}

    template <class T> void send(const T &value, int tag) const
    {
        MPI_Send(&value, 1, datatype<T>(), rank_, tag, MPI_COMM_WORLD);
    }

    template <class T> T receive(int tag) const
    {
        T value;
        MPI_Recv(&value, 1, datatype<T>(), rank_, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return value;
    }

private:
    int rank_;
};

}

int main(int argc, char **argv)
{
    int rank, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Peer other(1 - rank);
    if (rank == 1)
        other.send(value, 8);
    else
        value = other.receive<int>(7);
    MPI_Finalize();
    return value;
}
