// smpi: ranks 5
// smpi: twice
// smpi: shuffled
// smpi: expect-stdout 0: caught 100 inner 0 rethrown 200 nested 2 kept message 0 uncaught 0
// smpi: expect-stdout 1: caught 101 inner 1 rethrown 201 nested 2 kept message 1 uncaught 0
// smpi: expect-stdout 2: caught 102 inner 2 rethrown 202 nested 2 kept message 2 uncaught 0
// smpi: expect-stdout 3: caught 103 inner 3 rethrown 203 nested 2 kept message 3 uncaught 0
// smpi: expect-stdout 4: caught 104 inner 4 rethrown 204 nested 2 kept message 4 uncaught 0
// Exceptions are thrown and caught around MPI calls: the ones in flight belong to the rank, also while others run.
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

struct Mark {
    int value;
};

// Its destructor calls MPI while an exception is in flight.
struct Waits {
    int *seen;
    ~Waits()
    {
        MPI_Barrier(MPI_COMM_WORLD);
        *seen = std::uncaught_exceptions();
    }
};

static int deep(int levels, int value)
{
    if (levels == 0)
        throw Mark{value};
    return deep(levels - 1, value) + 1;
}

int main(int argc, char **argv)
{
    int rank, caught = 0, inner = 0, rethrown = 0, nested = 0, in_destructor = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    try {
        Waits waits{&in_destructor};
        deep(20, 100 + rank);
    } catch (const Mark &mark) {
        MPI_Barrier(MPI_COMM_WORLD);
        try {
            throw std::runtime_error(std::to_string(rank));
        } catch (const std::exception &error) {
            MPI_Barrier(MPI_COMM_WORLD);
            inner = std::stoi(error.what());
        }
        caught = mark.value;
    }
    try {
        try {
            throw Mark{200 + rank};
        } catch (...) {
            nested = 1;
            MPI_Barrier(MPI_COMM_WORLD);
            throw;
        }
    } catch (Mark &mark) {
        nested++;
        rethrown = mark.value;
    }
    std::exception_ptr kept;
    try {
        throw std::out_of_range("message " + std::to_string(rank));
    } catch (...) {
        kept = std::current_exception();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    std::string text;
    try {
        std::rethrow_exception(kept);
    } catch (const std::out_of_range &error) {
        text = error.what();
    }
    std::printf("%d: caught %d inner %d rethrown %d nested %d kept %s uncaught %d\n", rank, caught, inner, rethrown,
                nested, text.c_str(), std::uncaught_exceptions());
    MPI_Finalize();
    return in_destructor == 1 ? 0 : 1;
}
