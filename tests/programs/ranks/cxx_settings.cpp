// smpi: ranks 3
// smpi: compile-args -std=c++17
// smpi: expect-pass
// What a program sets for its whole process belongs to a rank: the locales of C++ and C, the handlers of the C++ library, and
// its default memory resource.
#include <mpi.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <locale.h>
#include <locale>
#include <memory_resource>
#include <new>
#include <sstream>
#include <string>

static int rank;
static int failures;

static void expect(bool right, const char *what)
{
    if (!right) {
        std::printf("FAIL: rank %d: %s\n", rank, what);
        failures++;
    }
}

static void handler_one() { throw std::bad_alloc(); }
static void handler_two() { throw std::bad_alloc(); }
static void end_one() { std::abort(); }
static void end_two() { std::abort(); }

struct Separator : std::numpunct<char> {
    char own;
    explicit Separator(char own) : own(own) {}
    char do_thousands_sep() const override { return own; }
    std::string do_grouping() const override { return "\3"; }
};

struct Counting : std::pmr::memory_resource {
    int calls = 0;
    void *do_allocate(std::size_t bytes, std::size_t align) override
    {
        calls++;
        return std::pmr::new_delete_resource()->allocate(bytes, align);
    }
    void do_deallocate(void *p, std::size_t bytes, std::size_t align) override
    {
        std::pmr::new_delete_resource()->deallocate(p, bytes, align);
    }
    bool do_is_equal(const memory_resource &other) const noexcept override { return this == &other; }
};

static Counting counting;

static std::string written()
{
    std::ostringstream stream;
    stream << 1234567;
    return stream.str();
}

static void set()
{
    // Rank 2 leaves all as it is.
    if (rank == 2) {
        return;
    }
    std::locale old = std::locale::global(std::locale(std::locale::classic(), new Separator(rank == 0 ? '_' : '\'')));
    expect(old == std::locale::classic(), "the first locale is the classic one");
    expect(std::set_new_handler(rank == 0 ? handler_one : handler_two) == nullptr, "there was no new handler");
    std::set_terminate(rank == 0 ? end_one : end_two);
    if (rank == 0) {
        expect(std::pmr::set_default_resource(&counting) == std::pmr::new_delete_resource(), "the first resource");
        expect(std::strcmp(std::setlocale(LC_ALL, "C.UTF-8"), "C.UTF-8") == 0, "C.UTF-8 is there");
    } else {
        expect(std::setlocale(LC_CTYPE, "C.UTF-8") != nullptr, "C.UTF-8 is there");
        expect(std::setlocale(LC_ALL, "nowhere") == nullptr, "there is no such locale");
    }
}

static void check(std::terminate_handler first)
{
    static const char *const numbers[] = {"1_234_567", "1'234'567", "1234567"};
    static const char *const names[] = {"C.UTF-8", "C", "C"};
    static const char *const types[] = {"C.UTF-8", "C.UTF-8", "C"};
    expect(written() == numbers[rank], "the locale of C++");
    expect(std::string(std::setlocale(LC_NUMERIC, nullptr)) == names[rank], "the name of C's locale");
    expect(std::string(std::setlocale(LC_CTYPE, nullptr)) == types[rank], "the name of C's locale for characters");
    expect(MB_CUR_MAX == (rank == 2 ? 1 : 6), "the characters of C's locale");
    std::new_handler handlers[] = {handler_one, handler_two, nullptr};
    std::terminate_handler ends[] = {end_one, end_two, first};
    expect(std::get_new_handler() == handlers[rank], "the new handler");
    expect(std::get_terminate() == ends[rank], "the terminate handler");
    expect((std::pmr::get_default_resource() == &counting) == (rank == 0), "the default resource");
    std::pmr::string text("a text that is too long to be inside of the string object itself");
    expect((counting.calls > 0) == (rank == 0), "allocations by the default resource");
}

static void own_locale()
{
    locale_t mine = newlocale(LC_ALL_MASK, rank == 1 ? "C" : "C.UTF-8", nullptr);
    locale_t old = uselocale(mine);
    expect(old == LC_GLOBAL_LOCALE, "the thread had no locale of its own");
    MPI_Barrier(MPI_COMM_WORLD);
    expect(MB_CUR_MAX == (rank == 1 ? 1 : 6), "the thread's own locale");
    expect(uselocale(nullptr) == mine, "the thread's own locale is told");
    uselocale(LC_GLOBAL_LOCALE);
    freelocale(mine);
    expect(MB_CUR_MAX == (rank == 2 ? 1 : 6), "the locale of setlocale again");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::terminate_handler first = std::get_terminate();
    MPI_Barrier(MPI_COMM_WORLD);
    set();
    MPI_Barrier(MPI_COMM_WORLD);
    check(first);
    MPI_Barrier(MPI_COMM_WORLD);
    own_locale();
    MPI_Barrier(MPI_COMM_WORLD);
    check(first);
    // Back to what was.
    std::locale::global(std::locale::classic());
    std::pmr::set_default_resource(nullptr);
    MPI_Barrier(MPI_COMM_WORLD);
    expect(written() == "1234567", "the classic locale");
    expect(std::string(std::setlocale(LC_ALL, nullptr)) == "C", "C's locale follows that of C++");
    expect(std::pmr::get_default_resource() == std::pmr::new_delete_resource(), "the first resource again");
    int all = 0;
    MPI_Reduce(&failures, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && all == 0) {
        std::puts("PASS");
    }
    MPI_Finalize();
    return 0;
}
