/* Data that was never written, and its right neighbours, as in c.c: what C++ does with memory. */
#include <mpi.h>
#include <complex>
#include <cstring>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <valarray>
#include <vector>

static int rank, size;

struct point {
    double x, y;
};

template <class T> static void pass(const T *from, int count, MPI_Datatype type) {
    alignas(16) static char into[1 << 16];
    if (rank == 0)
        MPI_Send(from, count, type, size - 1, 0, MPI_COMM_WORLD); /* unwritten */
    if (rank == size - 1)
        MPI_Recv(into, count, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const T *all = reinterpret_cast<const T *>(into);
    for (int i = 0; i < count; i++)
        std::cout << all[i] << '\n';
}

/* Its constructor forgets a member. */
struct half {
    double x, y;
    half() : x(1) {}
};

struct whole {
    double x = 0, y = 0;
};

struct shape {
    virtual ~shape() {}
    char kind = 'a';
    double area = 1;
};

static void wrong_new() {
    std::unique_ptr<double[]> all(new double[4]);
    all[0] = all[1] = all[3] = 1;
    pass(all.get(), 4, MPI_DOUBLE);
}

static void wrong_new_structures() {
    std::unique_ptr<point[]> all(new point[3]);
    for (int i = 0; i < 3; i++)
        all[i].x = i;
    pass(&all[0].x, 6, MPI_DOUBLE);
}

static void wrong_constructor() {
    std::unique_ptr<half> one(new half);
    pass(&one->x, 2, MPI_DOUBLE);
}

static void wrong_vector_of_halves() {
    std::list<std::vector<half>> all;
    all.emplace_back();
    all.back().reserve(4);
    for (int i = 0; i < 4; i++)
        all.back().emplace_back();
    pass(&all.back()[0].x, 8, MPI_DOUBLE);
}

static void wrong_sum() {
    std::unique_ptr<int[]> all(new int[5]);
    int sum = std::accumulate(all.get(), all.get() + 5, 0);
    pass(&sum, 1, MPI_INT);
}

static void wrong_copied_vector() {
    std::unique_ptr<int[]> all(new int[5]);
    std::vector<int> copy(all.get(), all.get() + 5);
    pass(copy.data(), 5, MPI_INT);
}

static void wrong_capacity() {
    std::vector<int> all;
    all.reserve(10);
    all.push_back(1);
    pass(all.data(), 10, MPI_INT);
}

static void right_vector() {
    std::vector<double> all(100);
    pass(all.data(), 100, MPI_DOUBLE);
    all.resize(1000);
    pass(all.data(), 1000, MPI_DOUBLE);
}

static void right_pushed() {
    std::vector<int> all;
    for (int i = 0; i < 100; i++)
        all.push_back(i);
    pass(all.data(), int(all.size()), MPI_INT);
}

static void right_string() {
    std::ostringstream text;
    text << "value " << 3.25 << " of " << rank;
    std::string all = text.str();
    all.reserve(1000);
    pass(all.c_str(), int(all.size()) + 1, MPI_CHAR);
}

static void right_value_initialised() {
    std::unique_ptr<point[]> all(new point[3]());
    pass(&all[0].x, 6, MPI_DOUBLE);
}

static void right_members() {
    std::unique_ptr<whole[]> all(new whole[3]);
    pass(&all[0].x, 6, MPI_DOUBLE);
}

static void right_complex() {
    std::unique_ptr<std::complex<double>[]> all(new std::complex<double>[3]);
    pass(all.get(), 3, MPI_CXX_DOUBLE_COMPLEX);
}

static void right_valarray() {
    std::valarray<float> all(2.0f, 50);
    all[std::slice(0, 10, 5)] = 3.0f;
    pass(&all[0], 50, MPI_FLOAT);
}

static void right_object_as_bytes() {
    std::unique_ptr<shape> one(new shape);
    std::vector<char> received(sizeof(shape)); // not an object: it holds a pointer of rank 0
    MPI_Bcast(rank == 0 ? (void *)one.get() : received.data(), sizeof(shape), MPI_BYTE, 0, MPI_COMM_WORLD);
    std::cout << one->area << '\n';
}

static void right_keys_in_order() {
    std::map<const int *, int> numbers;
    std::vector<std::unique_ptr<int>> owned;
    for (int i = 0; i < 20; i++) {
        owned.emplace_back(new int(i));
        numbers[owned.back().get()] = i;
    }
    std::vector<int> all;
    for (auto &entry : numbers)
        all.push_back(entry.second);
    pass(all.data(), 20, MPI_INT);
}

static const std::map<std::string, void (*)()> cases = {
#define CASE(name) {#name, name}
    CASE(wrong_new),
    CASE(wrong_new_structures),
    CASE(wrong_constructor),
    CASE(wrong_vector_of_halves),
    CASE(wrong_sum),
    CASE(wrong_copied_vector),
    CASE(wrong_capacity),
    CASE(right_vector),
    CASE(right_pushed),
    CASE(right_string),
    CASE(right_value_initialised),
    CASE(right_members),
    CASE(right_complex),
    CASE(right_valarray),
    CASE(right_object_as_bytes),
    CASE(right_keys_in_order),
};

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    cases.at(argv[1])();
    MPI_Finalize();
}
