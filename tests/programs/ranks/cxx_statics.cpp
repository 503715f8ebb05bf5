// smpi: ranks 2
// smpi: requires smpi
// smpi: expect-stdout 0.1: made file-static, template 1, inline 7
// smpi: expect-stdout 0.2: local made
// smpi: expect-stdout 0.3: after the barrier file-static local, template 101
// smpi: expect-stdout 0.4: local gone
// smpi: expect-stdout 0.5: file-static gone
// smpi: expect-stdout 1.1: made file-static, template 1, inline 7
// smpi: expect-stdout 1.2: local made
// smpi: expect-stdout 1.3: after the barrier file-static local, template 102
// smpi: expect-stdout 1.4: local gone
// smpi: expect-stdout 1.5: file-static gone
// Static objects are constructed before main, local ones when they are reached, and destroyed in reverse order at the
// end of their rank.
#include <mpi.h>

#include <cstdio>
#include <string>

static int rank = -1, line;

struct Named {
    std::string name;
    explicit Named(const char *n) : name(n)
    {
        if (rank >= 0)
            std::printf("%d.%d: %s made\n", rank, ++line, name.c_str());
    }
    ~Named() { std::printf("%d.%d: %s gone\n", rank, ++line, name.c_str()); }
};

static Named file_static("file-static");

template <class T> struct Counter {
    static T value;
};
template <class T> T Counter<T>::value = T(1);

inline int seven()
{
    static int value = 7;
    return value;
}

static Named &local()
{
    static Named object("local");
    return object;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::printf("%d.%d: made %s, template %d, inline %d\n", rank, ++line, file_static.name.c_str(), Counter<int>::value, seven());
    Counter<int>::value += 100 + rank;
    MPI_Barrier(MPI_COMM_WORLD);
    Named &object = local();
    std::printf("%d.%d: after the barrier %s %s, template %d\n", rank, ++line, file_static.name.c_str(), object.name.c_str(),
                Counter<int>::value);
    MPI_Finalize();
    return 0;
}
