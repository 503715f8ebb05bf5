// The same for C++: temporaries, objects of classes, references, lambdas and exceptions.
#include <array>
#include <complex>
#include <mpi.h>
#include <string>
#include <vector>

static int rank;
static char sink[1 << 16];

template <typename T> static void send(const T *buffer, int count, MPI_Datatype type) {
    if (rank == 0)
        MPI_Send(buffer, count, type, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(sink, sizeof sink, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
#define SEND(buffer, count, type)                                                              \
    (rank == 0 ? MPI_Send(buffer, count, type, 1, 0, MPI_COMM_WORLD)                           \
               : MPI_Recv(sink, sizeof sink, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE))

struct Base {
    double weight = 1;
    virtual ~Base() = default;
};
struct Particle : Base {
    std::array<double, 3> place{};
    int charge = 0;
};

static std::array<double, 8> made() { return {1, 2, 3, 4, 5, 6, 7, 8}; }
static std::array<int, 40> large() { return {}; }

static void classes() {
    Particle one, several[3];
    std::array<int, 5> five{};
    std::complex<double> number{1, 2};
    std::vector<int> many(10);
    std::string text = "abc";
    SEND(one.place.data(), 3, MPI_DOUBLE);
    SEND(one.place.data(), 5, MPI_DOUBLE); // beyond
    SEND(&several[1], (int)sizeof(Particle) * 2, MPI_BYTE);
    SEND(&several[1], (int)sizeof(Particle) * 2 + 1, MPI_BYTE); // beyond
    SEND(five.data(), 5, MPI_INT);
    SEND(five.data(), 6, MPI_INT); // beyond
    SEND(&number, 2, MPI_DOUBLE);
    SEND(&number, 3, MPI_DOUBLE); // beyond
    SEND(&number, 1, MPI_CXX_DOUBLE_COMPLEX);
    SEND(many.data(), 10, MPI_INT);
    SEND(many.data(), 11, MPI_INT); // beyond
    SEND(&text[0], 3, MPI_CHAR);
}

static void temporaries() {
    SEND(made().data(), 8, MPI_DOUBLE);
    SEND(large().data(), 40, MPI_INT);
    {
        float later[20] = {};
        SEND(later, 20, MPI_FLOAT);
        SEND(later, 21, MPI_FLOAT); // beyond
    }
    int last[6] = {};
    SEND(last, 6, MPI_INT);
    SEND(last, 7, MPI_INT); // beyond
    SEND(std::vector<double>(3).data(), 3, MPI_DOUBLE);
}

static void references() {
    double value = 1, other[4] = {};
    double &alias = value, (&whole)[4] = other;
    SEND(&alias, 1, MPI_DOUBLE);
    SEND(&alias, 2, MPI_DOUBLE); // beyond
    SEND(&whole[2], 2, MPI_DOUBLE);
    SEND(&whole[2], 3, MPI_DOUBLE); // beyond
    auto captured = [&] { SEND(other, 4, MPI_DOUBLE); };
    auto copied = [other] { SEND(other, 4, MPI_DOUBLE); };
    captured();
    copied();
    try {
        int thrown[3] = {};
        SEND(thrown, 3, MPI_INT);
        SEND(thrown, 4, MPI_INT); // beyond
        throw 7;
    } catch (int caught) {
        SEND(&caught, 1, MPI_INT);
        SEND(&caught, 2, MPI_INT); // beyond
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    classes();
    temporaries();
    references();
    const float passed[2] = {};
    send(passed, 2, MPI_FLOAT);
    MPI_Finalize();
    return 0;
}
