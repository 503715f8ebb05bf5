// smpi: ranks 3
// smpi: verify --buffering zero
// smpi: expect-no-finding
// smpi: expect-complete
// smpi: expect-executions zero=2
// What a rank sets in the C and C++ libraries behind a choice is not there when the checker goes back to the choice.
#include <mpi.h>
#include <smpi/smpi.h>

#include <clocale>
#include <cstdlib>
#include <cstring>
#include <locale>
#include <memory_resource>
#include <new>
#include <sstream>

struct Separator : std::numpunct<char> {
    char do_decimal_point() const override { return '!'; }
};

static void handler() { throw std::bad_alloc(); }

static bool is_untouched()
{
    std::ostringstream stream;
    stream << 1.5;
    return stream.str() == "1.5" && std::get_new_handler() == nullptr && MB_CUR_MAX == 1 &&
           std::strcmp(std::setlocale(LC_ALL, nullptr), "C") == 0;
}

int main(int argc, char **argv)
{
    int rank, first, second;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MC_assert(is_untouched());
        std::locale::global(std::locale(std::locale::classic(), new Separator));
        std::set_new_handler(handler);
        std::setlocale(LC_ALL, "C.UTF-8");
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        std::ostringstream stream;
        stream << 1.5;
        MC_assert(stream.str() == "1!5" && std::get_new_handler() == handler && MB_CUR_MAX == 6);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MC_assert(is_untouched());
    }
    MPI_Finalize();
    return 0;
}
