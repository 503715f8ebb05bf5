// smpi: smpirun-args --cfg=smpi/date:2024-02-29
// smpi: requires smpi
// smpi: expect-stdout 2024-02-29 1
// A date of one's own, by the clocks of C++ as well.
#include <chrono>
#include <cstdio>
#include <ctime>
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    char text[32];
    std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
    bool begins = std::chrono::steady_clock::now().time_since_epoch() < std::chrono::seconds(1);
    std::printf("%s %d\n", text, begins);
    MPI_Finalize();
    return 0;
}
