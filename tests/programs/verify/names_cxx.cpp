// Files of C++: streams and std::filesystem find what an execution has made, and each execution finds none of it.
/* smpi: ranks 3 */
/* smpi: std c++17 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include <cassert>
#include <filesystem>
#include <fstream>
#include <mpi.h>
#include <set>
#include <string>

namespace fs = std::filesystem;

static int receive()
{
    int value = 0;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
}

static std::set<std::string> list(const fs::path &directory)
{
    std::set<std::string> names;
    for (const auto &entry : fs::recursive_directory_iterator(directory))
        names.insert(entry.path().filename().string());
    return names;
}

static std::string read(const fs::path &name)
{
    std::ifstream stream(name);
    std::string text;
    std::getline(stream, text, '\0');
    return text;
}

static void work()
{
    fs::path top = "names_cxx.d", deep = top / "a" / "b";
    assert(!fs::exists(top) && fs::create_directories(deep));
    std::ofstream(deep / "file") << "one";
    int first = receive();
    assert((list(top) == std::set<std::string>{"a", "b", "file"}));
    std::ofstream(deep / "file", std::ios::app) << first;
    if (first == 1) {
        fs::rename(top / "a", top / "c");
        fs::copy_file(top / "c" / "b" / "file", top / "copy");
        fs::resize_file(top / "copy", 3);
        fs::create_symlink("copy", top / "link");
    } else {
        fs::remove_all(top / "a");
        assert(fs::is_empty(top));
    }
    receive();
    if (first == 1) {
        assert(read(top / "c" / "b" / "file") == "one1" && read(top / "link") == "one");
        assert(fs::canonical(top / "link") == fs::current_path() / top / "copy");
        assert(fs::file_size(top / "copy") == 3 && fs::remove_all(top) == 6);
    }
    assert(fs::exists(top) == (first == 2));
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        work();
    else
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
