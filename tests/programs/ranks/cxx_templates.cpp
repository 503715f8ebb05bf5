// smpi: ranks 4
// smpi: std c++17
// smpi: expect-pass
// smpi: shuffled
// smpi: verified deadlock
// A C++ program as people write them: datatypes chosen by templates, containers sent as bytes, errors of MPI turned into
// exceptions that unwind through frames with destructors, in every rank at its own time.
#include "../check.h"
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

// The MPI datatype of a C++ type.
template <typename T> struct datatype;
template <> struct datatype<int> {
    static MPI_Datatype get() { return MPI_INT; }
};
template <> struct datatype<double> {
    static MPI_Datatype get() { return MPI_DOUBLE; }
};
template <> struct datatype<char> {
    static MPI_Datatype get() { return MPI_CHAR; }
};

struct mpi_error : std::runtime_error {
    int error_class;
    mpi_error(int code, const char *text) : std::runtime_error(text) { MPI_Error_class(code, &error_class); }
};

template <typename Function, typename... Arguments> void checked(Function function, Arguments... arguments)
{
    int code = function(arguments...);
    if (code != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING];
        int length;
        MPI_Error_string(code, text, &length);
        throw mpi_error(code, text);
    }
}

// A communicator that frees itself, also when an exception passes.
class communicator {
public:
    static int alive;
    explicit communicator(MPI_Comm from)
    {
        checked(MPI_Comm_dup, from, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        alive++;
    }
    ~communicator()
    {
        MPI_Comm_free(&comm);
        alive--;
    }
    communicator(const communicator &) = delete;

    template <typename T> void send(const std::vector<T> &values, int to)
    {
        checked(MPI_Send, values.data(), static_cast<int>(values.size()), datatype<T>::get(), to, 0, comm);
    }
    template <typename T> std::vector<T> receive(int from)
    {
        MPI_Status status;
        int count;
        checked(MPI_Probe, from, 0, comm, &status);
        checked(MPI_Get_count, &status, datatype<T>::get(), &count);
        std::vector<T> values(static_cast<std::size_t>(count));
        checked(MPI_Recv, values.data(), count, datatype<T>::get(), from, 0, comm, MPI_STATUS_IGNORE);
        return values;
    }
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>> T sum(T mine)
    {
        T all{};
        checked(MPI_Allreduce, &mine, &all, 1, datatype<T>::get(), MPI_SUM, comm);
        return all;
    }

private:
    MPI_Comm comm;
};
int communicator::alive = 0;

static std::vector<char> to_bytes(const std::map<std::string, int> &map)
{
    std::string text;
    for (const auto &[key, value] : map)
        text += key + "=" + std::to_string(value) + ";";
    return {text.begin(), text.end()};
}

// Sends to a rank that does not exist when `depth` is 0; a destructor runs in every frame.
static void fail_below(communicator &world, int depth, int &unwound)
{
    struct counter {
        int &count;
        ~counter() { count++; }
    } guard{unwound};
    if (depth == 0)
        world.send(std::vector<double>{1.0}, check_size);
    else
        std::function<void()>([&] { fail_below(world, depth - 1, unwound); })();
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    try {
        auto world = std::make_unique<communicator>(MPI_COMM_WORLD);
        CHECK_INT(world->sum(check_rank), 6);
        CHECK(world->sum(0.5) == 2.0);
        std::vector<char> bytes = to_bytes({{"rank", check_rank}, {"answer", 42}});
        world->send(bytes, (check_rank + 1) % check_size);
        std::vector<char> received = world->receive<char>((check_rank + check_size - 1) % check_size);
        std::string previous = std::to_string((check_rank + check_size - 1) % check_size);
        CHECK(std::string(received.begin(), received.end()) == "answer=42;rank=" + previous + ";");

        int unwound = 0;
        try {
            fail_below(*world, check_rank, unwound);
            CHECK(!"unreachable");
        } catch (const mpi_error &error) {
            CHECK_INT(error.error_class, MPI_ERR_RANK);
            // The rank waits inside the handler while others throw.
            CHECK_INT(world->sum(unwound), 1 + 2 + 3 + 4);
        }
        CHECK_INT(unwound, check_rank + 1);
        communicator second(MPI_COMM_WORLD);
        CHECK_INT(communicator::alive, 2);
        throw std::pair<int, std::string>(check_rank, "thrown past two communicators");
    } catch (const std::exception &) {
        CHECK(!"another exception");
    } catch (const std::pair<int, std::string> &thrown) {
        CHECK_INT(thrown.first, check_rank);
    }
    CHECK_INT(communicator::alive, 0);
    return check_end();
}
