// smpi: ranks 3
// smpi: compile-args -pthread -std=c++17
// smpi: expect-pass
// The C++ library's ways to call something once, and what is built on them, work on threads that a rank starts: libstdc++
// keeps what is to be called in thread-local variables that the program's code reaches, too.
#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static std::once_flag once;
static std::atomic<int> calls{0};

static int several_threads()
{
    std::vector<std::thread> threads;
    std::atomic<int> seen{0};
    for (int i = 0; i < 4; i++) {
        threads.emplace_back([&seen] {
            std::call_once(once, [] { calls++; });
            seen += calls;
        });
    }
    for (auto &thread : threads) {
        thread.join();
    }
    return seen == 4 && calls == 1;
}

static int promises(int value)
{
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread setter([&promise, value] { promise.set_value(value); });
    int got = future.get();
    setter.join();
    std::promise<void> broken;
    auto failure = broken.get_future();
    std::thread thrower([&broken] {
        try {
            throw std::runtime_error("wanted");
        } catch (...) {
            broken.set_exception(std::current_exception());
        }
    });
    thrower.join();
    try {
        failure.get();
        return 0;
    } catch (const std::runtime_error &) {
        return got == value;
    }
}

static int tasks(int value)
{
    auto first = std::async(std::launch::async, [value] { return value + 1; });
    auto second = std::async(std::launch::async, [value] { return value + 2; });
    std::packaged_task<int(int)> task([](int x) { return 2 * x; });
    auto third = task.get_future();
    std::thread runner(std::move(task), value);
    int sum = first.get() + second.get() + third.get();
    runner.join();
    return sum == 4 * value + 3;
}

int main(int argc, char **argv)
{
    int rank, right, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    right = several_threads();
    MPI_Barrier(MPI_COMM_WORLD);
    right = right && promises(rank);
    MPI_Barrier(MPI_COMM_WORLD);
    right = right && tasks(rank);
    MPI_Reduce(&right, &all, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        std::puts(all ? "PASS" : "FAIL");
    }
    MPI_Finalize();
    return 0;
}
