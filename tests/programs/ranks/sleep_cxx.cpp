// smpi: ranks 2
// smpi: requires smpi
// smpi: timeout 20
// smpi: expect-stdout 0: steady 3600.0 system 0.250
// smpi: expect-stdout 1: steady 3600.0 system 0.250
// The clocks of std::chrono and std::this_thread::sleep_for are simulated.
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <thread>

int main(int argc, char **argv)
{
    using namespace std::chrono;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    auto steady = steady_clock::now();
    std::this_thread::sleep_for(hours(1));
    double hour = duration<double>(steady_clock::now() - steady).count();
    auto system = system_clock::now();
    std::this_thread::sleep_until(system + milliseconds(250));
    std::printf("%d: steady %.1f system %.3f\n", rank, hour, duration<double>(system_clock::now() - system).count());
    MPI_Finalize();
    return 0;
}
