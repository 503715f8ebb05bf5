// smpi: ranks 3
// smpi: expect-stdout 0: vector 1000 map 3 text rank 0 rank 0 aligned 0 array 10
// smpi: expect-stdout 1: vector 1001 map 3 text rank 1 rank 1 aligned 0 array 11
// smpi: expect-stdout 2: vector 1002 map 3 text rank 2 rank 2 aligned 0 array 12
// new and delete, containers and strings of the C++ library.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

struct alignas(128) Wide {
    double values[16];
};

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::vector<int> numbers;
    std::map<std::string, std::string> words;
    for (int i = 0; i < 1000 + rank; i++) {
        numbers.push_back(i);
        if (i % 300 == 0)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    std::string text = "rank " + std::to_string(rank);
    words["a"] = text;
    words["b"] = text + " " + text;
    words["a rather long key that is not stored inside the string object"] = "c";
    auto wide = std::make_unique<Wide>();
    std::unique_ptr<int[]> array(new int[100]());
    array[50] = 10 + rank;
    MPI_Barrier(MPI_COMM_WORLD);
    bool refused = false;
    try {
        volatile std::size_t too_much = SIZE_MAX / 4;
        delete[] new char[too_much];
    } catch (const std::bad_alloc &) {
        refused = true;
    }
    std::printf("%d: vector %zu map %zu text %s aligned %d array %d\n", rank, numbers.size(), words.size(),
                words["b"].c_str(), (int)(reinterpret_cast<std::uintptr_t>(wide.get()) % 128), array[50]);
    MPI_Finalize();
    return refused ? 0 : 1;
}
