// smpi: ranks 2
// smpi: compile-args -pthread
// smpi: expect-stdout 0: value 0 of its rank, a date after 2020
// smpi: expect-stdout 1: value 1 of its rank, a date after 2020
// A thread sees the environment of the rank that started it, and real time: system_clock tells the date, not the time since
// the machine started.
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

int main(int argc, char **argv)
{
    int rank;
    std::string seen = "none";
    bool is_date = false;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    setenv("OWN_VALUE", std::to_string(rank).c_str(), 1);
    MPI_Barrier(MPI_COMM_WORLD);
    std::thread thread([&] {
        if (const char *value = std::getenv("OWN_VALUE"))
            seen = value;
        using namespace std::chrono;
        is_date = system_clock::now().time_since_epoch() > hours(24 * 365 * 50) &&
                  steady_clock::now().time_since_epoch() < hours(24 * 365 * 50);
    });
    thread.join();
    std::printf("%d: value %s of its rank, %s\n", rank, seen.c_str(), is_date ? "a date after 2020" : "no date");
    MPI_Finalize();
    return 0;
}
