// C++ streams on files that are open when a choice is made.
// smpi: ranks 3
// smpi: expect-no-finding
// smpi: expect-complete
// smpi: expect-executions zero=2 infinite=2
#include <cassert>
#include <fstream>
#include <mpi.h>
#include <string>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::string name = "files_cxx_" + std::to_string(rank) + ".txt";
    std::fstream file(name, std::ios::in | std::ios::out | std::ios::trunc);
    file << "before\n";
    if (rank == 0) {
        for (int i = 0; i < 2; i++) {
            int value = 0;
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            file << "message of " << value << std::endl;
            assert(file);
        }
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        file << "message of 0\nmessage of 1" << std::endl;
    }
    file.seekg(0);
    std::string line;
    int lines = 0;
    while (std::getline(file, line))
        assert(line.rfind(lines++ ? "message of " : "before", 0) == 0);
    assert(lines == 3);
    MPI_Finalize();
    return 0;
}
