// std::filesystem changes the directory of its rank only, and streams open files there.
// smpi: ranks 3
// smpi: expect-pass
#include "../check.h"
#include <filesystem>
#include <fstream>
#include <string>

int main(int argc, char **argv) {
    check_begin(&argc, &argv);
    auto start = std::filesystem::current_path();
    auto own = start / ("cxx_directory_" + std::to_string(check_rank));
    std::filesystem::create_directories(own);
    std::filesystem::current_path(own);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(std::filesystem::current_path() == own);
    std::ofstream("own") << check_rank;
    MPI_Barrier(MPI_COMM_WORLD);
    int found = -1;
    std::ifstream(own / "own") >> found;
    CHECK_INT(found, check_rank);
    CHECK(std::filesystem::exists("own") && std::filesystem::absolute("own") == own / "own");
    return check_end();
}
