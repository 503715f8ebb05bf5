// The same for C++: classes with bases, std::array, std::complex, std::pair, vectors, enumerations, references.
#include <array>
#include <complex>
#include <cstdint>
#include <mpi.h>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

static int rank;
static char sink[1 << 16];

#define SEND(buffer, count, type)                                                              \
    (rank == 0 ? MPI_Send(buffer, count, type, 1, 0, MPI_COMM_WORLD)                           \
               : MPI_Recv(sink, sizeof sink, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE))

struct Empty {};
struct Base {
    double weight = 1;
    virtual ~Base() = default;
};
struct Particle : Base, Empty {
    std::array<double, 3> place{};
    int charge = 0;
    static int made;
};
int Particle::made = 0;
template <typename T, int N> struct Field {
    T values[N];
};
enum class Colour : std::uint8_t { Red, Green };
enum class Wide : long { One };

namespace model {
static Field<float, 6> field;
static Field<std::complex<double>, 4> waves;
static Particle particles[3];
inline std::array<std::array<int, 3>, 2> table{};
} // namespace model

static void classes() {
    Particle one;
    auto &another = model::particles[1];
    SEND(one.place.data(), 3, MPI_DOUBLE);
    SEND(one.place.data(), 3, MPI_LONG); // other type
    SEND(&one.weight, 1, MPI_DOUBLE);
    SEND(&one.weight, 1, MPI_LONG_LONG); // other type
    SEND(&another.charge, 1, MPI_INT);
    SEND(&another.charge, 1, MPI_FLOAT); // other type
    SEND(&another, (int)sizeof another, MPI_BYTE);
    SEND(&Particle::made, 1, MPI_INT);
    SEND(&Particle::made, 1, MPI_FLOAT); // other type
    SEND(model::field.values, 6, MPI_FLOAT);
    SEND(&model::field, 3, MPI_DOUBLE); // other type
    SEND(&model::waves, 4, MPI_CXX_DOUBLE_COMPLEX);
    SEND(&model::waves, 8, MPI_DOUBLE);
    SEND(&model::waves, 8, MPI_CXX_FLOAT_COMPLEX); // other type
    SEND(&model::waves.values[2], 2, MPI_C_DOUBLE_COMPLEX);
    SEND(&model::table, 6, MPI_INT);
    SEND(&model::table[1][0], 3, MPI_INT);
    SEND(&model::table[1][0], 3, MPI_FLOAT); // other type
}

static void values() {
    std::array<int, 5> five{};
    std::complex<float> number{1, 2};
    std::pair<double, int> best{1, 2};
    std::tuple<int, double> both{1, 2};
    std::vector<double> many(10);
    std::vector<int> none;
    std::string text = "abc";
    std::optional<double> maybe = 1.0;
    std::variant<int, float> either = 1;
    Colour colour = Colour::Green;
    Wide wide = Wide::One;
    bool flag = true, flags[4] = {};
    SEND(five.data(), 5, MPI_INT);
    SEND(five.data(), 5, MPI_FLOAT); // other type
    SEND(&five[2], 3, MPI_UINT32_T);
    SEND(&number, 1, MPI_CXX_FLOAT_COMPLEX);
    SEND(&number, 2, MPI_FLOAT);
    SEND(&number, 1, MPI_DOUBLE); // other type
    SEND(&best, 1, MPI_DOUBLE_INT);
    SEND(&best, 1, MPI_LONG_INT); // other type
    SEND(&std::get<1>(both), 1, MPI_DOUBLE);
    SEND(&std::get<1>(both), 1, MPI_LONG); // other type
    SEND(many.data(), 10, MPI_DOUBLE);
    SEND(&many, 1, MPI_DOUBLE); // other type: the vector, not what is in it
    SEND(none.data(), 0, MPI_INT);
    SEND(&text[0], 3, MPI_CHAR);
    SEND(&*maybe, 1, MPI_DOUBLE);
    SEND(&std::get<int>(either), 1, MPI_INT);
    SEND(&colour, 1, MPI_UINT8_T);
    SEND(&wide, 1, MPI_LONG);
    SEND(&wide, 1, MPI_DOUBLE); // other type
    SEND(&flag, 1, MPI_CXX_BOOL);
    SEND(flags, 4, MPI_CXX_BOOL);
    SEND(flags, 1, MPI_INT); // other type
    SEND((std::array<float, 3>{}.data()), 3, MPI_INT);
    auto generic = [&](auto &reference) { SEND(&reference, 1, MPI_INT); }; // other type, the second time
    int right = 1;
    float wrong = 2;
    generic(right);
    generic(wrong);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    classes();
    values();
    MPI_Finalize();
    return 0;
}
