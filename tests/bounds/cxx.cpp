// The same for what C++'s library allocates.
#include <mpi.h>
#include <array>
#include <memory>
#include <string>
#include <vector>

static int rank;
static char sink[4096];

template <typename T> static void send(const T *buffer, int count, MPI_Datatype type) {
    if (rank == 0) MPI_Send(buffer, count, type, 1, 0, MPI_COMM_WORLD);
    else MPI_Recv(sink, sizeof sink, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

struct Cell {
    double value = 0;
    std::vector<float> around{1, 2, 3};
    virtual ~Cell() = default;
};

static std::array<long, 4> fixed;
static std::vector<int> global(20);

// Each line has a message of its own, so that the line of the call tells them apart.
#define SEND(buffer, count, type)                                                    \
    (rank == 0 ? MPI_Send(buffer, count, type, 1, 0, MPI_COMM_WORLD)                 \
               : MPI_Recv(sink, sizeof sink, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE))

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::vector<int> numbers(100);
    SEND(numbers.data(), 100, MPI_INT);
    SEND(numbers.data(), 101, MPI_INT); // beyond
    SEND(&numbers[50], 51, MPI_INT); // beyond
    numbers.reserve(200);
    SEND(numbers.data(), 200, MPI_INT);
    SEND(numbers.data(), 201, MPI_INT); // beyond
    SEND(fixed.data(), 4, MPI_LONG);
    SEND(fixed.data(), 5, MPI_LONG); // beyond
    SEND(global.data(), 21, MPI_INT); // beyond
    auto cell = std::make_unique<Cell>();
    SEND(&cell->value, 1, MPI_DOUBLE);
    SEND(cell->around.data(), 3, MPI_FLOAT);
    SEND(cell->around.data(), 4, MPI_FLOAT); // beyond
    auto *raw = new double[7]();
    SEND(raw, 7, MPI_DOUBLE);
    SEND(raw, 8, MPI_DOUBLE); // beyond
    delete[] raw;
    SEND(raw, 7, MPI_DOUBLE); // freed
    std::string text(40, 'x');
    SEND(text.data(), 41, MPI_CHAR);
    SEND(text.data(), 60, MPI_CHAR); // beyond
    const int *gone = nullptr;
    {
        std::vector<int> local(30);
        gone = local.data();
        SEND(gone, 30, MPI_INT);
    }
    SEND(gone, 30, MPI_INT); // freed
    send(numbers.data(), 100, MPI_INT);
    MPI_Finalize();
}
