// What MPI wrote is what streams of C++ read, and what its file system library sees.
// smpi: ranks 2
// smpi: expect-no-finding
// smpi: passes race/file
// smpi: expect-complete
#include <cassert>
#include <filesystem>
#include <fstream>
#include <mpi.h>
#include <string>

int main(int argc, char **argv) {
    const char *name = "file_then_streams_cxx.dat";
    MPI_File file;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    std::string text = "rank " + std::to_string(rank) + "\n";
    MPI_File_write_at_all(file, 7 * rank, text.data(), 7, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
    std::ifstream stream(name);
    std::string line;
    for (int i = 0; i < 2; i++)
        assert(std::getline(stream, line) && line == "rank " + std::to_string(i));
    assert(!std::getline(stream, line));
    assert(std::filesystem::exists(name) && std::filesystem::file_size(name) == 14);
    stream.close();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        assert(std::filesystem::remove(name) && !std::filesystem::exists(name));
    MPI_Finalize();
    return 0;
}
