// smpi: ranks 2
// smpi: requires smpi
// smpi: expect-stdout 0.1: value 100
// smpi: expect-stdout 0.2: thread-local gone
// smpi: expect-stdout 0.3: static gone
// smpi: expect-stdout 1.1: value 101
// smpi: expect-stdout 1.2: thread-local gone
// smpi: expect-stdout 1.3: static gone
// thread_local objects are constructed on first use and destroyed before static ones, per rank.
#include <mpi.h>

#include <cstdio>

static int rank, line;

struct Noted {
    const char *name;
    int value;
    explicit Noted(const char *n, int v) : name(n), value(v) {}
    ~Noted() { std::printf("%d.%d: %s gone\n", rank, ++line, name); }
};

static Noted fixed("static", 0);
static thread_local Noted own("thread-local", 100);

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    own.value += rank;
    MPI_Barrier(MPI_COMM_WORLD);
    std::printf("%d.%d: value %d\n", rank, ++line, own.value);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
