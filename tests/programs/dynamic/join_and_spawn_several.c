/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Two ranks that share a socket make an intercommunicator of it (MPI 5.0 section 11.10.5); copies of the program with
 * different arguments are spawned by one call, and each knows which of the commands it is (section 11.8.3). */
#include "../check.h"
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

/* A TCP connection of both ranks. The first waits for the message of the second before it accepts, so that it does not
 * block in the system. */
static int connected(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int first = socket(AF_INET, SOCK_STREAM, 0), second;

    if (check_rank == 1) {
        MPI_Recv(&address.sin_port, sizeof address.sin_port, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(connect(first, (struct sockaddr *)&address, length) == 0);
        MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        return first;
    }
    CHECK(bind(first, (struct sockaddr *)&address, length) == 0 && listen(first, 1) == 0);
    CHECK(getsockname(first, (struct sockaddr *)&address, &length) == 0);
    MPI_Send(&address.sin_port, sizeof address.sin_port, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    second = accept(first, NULL, NULL);
    close(first);
    return second;
}

static void join(void)
{
    int place = connected(), size = -1, value = 40 + check_rank, found = -1;
    MPI_Comm other = MPI_COMM_NULL;

    CHECK_OK(MPI_Comm_join(place, &other));
    CHECK_OK(MPI_Comm_remote_size(other, &size));
    CHECK_INT(size, 1);
    CHECK_OK(MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, &found, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE));
    CHECK_INT(found, 41 - check_rank);
    CHECK_OK(MPI_Comm_disconnect(&other));
    close(place);
}

/* Two commands: one copy with the argument "a", two with "b". */
static void spawn(char *program)
{
    char *commands[2] = {program, program}, *first[] = {"a", NULL}, *second[] = {"b", NULL}, **arguments[] = {first, second};
    int counts[2] = {1, 2}, codes[3] = {-1, -1, -1}, said[3] = {-1, -1, -1};
    MPI_Info infos[2] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm children;

    CHECK_OK(MPI_Comm_spawn_multiple(2, commands, arguments, counts, infos, 0, MPI_COMM_WORLD, &children, codes));
    for (int i = 0; i < 3; i++)
        CHECK_INT(codes[i], MPI_SUCCESS);
    MPI_Gather(NULL, 0, MPI_INT, said, 1, MPI_INT, check_rank == 0 ? MPI_ROOT : MPI_PROC_NULL, children);
    CHECK(check_rank != 0 || (said[0] == 'a' * 10 && said[1] == 'b' * 10 + 1 && said[2] == 'b' * 10 + 1));
    CHECK_OK(MPI_Comm_disconnect(&children));
}

static int child(MPI_Comm parents, const char *argument)
{
    int *which, found, said;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &which, &found);
    said = 10 * argument[0] + (found ? *which : 5);
    MPI_Gather(&said, 1, MPI_INT, NULL, 0, MPI_INT, 0, parents);
    MPI_Comm_disconnect(&parents);
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Comm parents;

    check_begin(&argc, &argv);
    MPI_Comm_get_parent(&parents);
    if (parents != MPI_COMM_NULL)
        return child(parents, argv[1]);
    join();
    spawn(argv[0]);
    return check_end();
}
