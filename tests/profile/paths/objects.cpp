// MPI is called by a template, a lambda, a destructor that an exception leads to, its handler, and a virtual function.
#include <mpi.h>
#include <algorithm>
#include <stdexcept>
#include <vector>
#define ALONE __attribute__((noinline))
namespace grid {
static int sum;
template <class T, int N> struct Field {
    std::vector<T> data = std::vector<T>(N);
    ALONE void exchange(T value)
    {
        data[0] = value;
        MPI_Bcast(data.data(), N, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        data[1] += 1;
    }
};
struct Guard {
    ALONE ~Guard()
    {
        int one = 1, all;
        MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        sum += all;
    }
};
ALONE void check(int number)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (number % 2)
        throw std::runtime_error("odd");
    sum += number;
}
ALONE void attempt(int number)
{
    try {
        Guard guard;
        check(number);
    } catch (const std::runtime_error &) {
        int most = 0;
        MPI_Reduce(&number, &most, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
        sum += most;
    }
}
struct Base {
    virtual ~Base() = default;
    virtual void act(int number) = 0;
};
struct Derived : Base {
    ALONE void act(int number) override
    {
        int all;
        MPI_Scan(&number, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        sum += all;
    }
};
ALONE void through(Base *base, int number)
{
    base->act(number);
    sum += number;
}
}
int main(int argc, char **argv)
{
    using namespace grid;
    MPI_Init(&argc, &argv);
    Field<double, 8> field;
    field.exchange(argc);
    for (int number = 0; number < 4; number++)
        attempt(number);
    std::vector<int> values{1, 2, 3};
    std::for_each(values.begin(), values.end(), [](int value) {
        MPI_Exscan(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        sum += value;
    });
    Base *base = new Derived;
    through(base, argc);
    delete base;
    MPI_Finalize();
    return sum == 0;
}
