/* smpi: ranks 3 */
/* smpi: timeout 30 */
/* smpi: expect-pass */
/* Locks of files exclude other ranks, as they exclude other processes (POSIX.1-2017 fcntl, lockf; flock(2)): a counter
   in a file behind each of them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include "../check.h"

static void lock(int how, int file, int on)
{
    struct flock whole = {.l_type = on ? F_WRLCK : F_UNLCK};
    if (how == 0)
        CHECK_INT(fcntl(file, on ? F_SETLKW : F_SETLK, &whole), 0);
    else if (how == 1)
        CHECK_INT(flock(file, on ? LOCK_EX : LOCK_UN), 0);
    else
        CHECK_INT(lockf(file, on ? F_LOCK : F_ULOCK, 0), 0);
}

int main(int argc, char **argv)
{
    char name[64];
    int parent = (int)getppid(), value, file;
    struct flock asked = {.l_type = F_WRLCK};

    check_begin(&argc, &argv);
    MPI_Bcast(&parent, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "/tmp/file_locks.%d", parent);
    for (int how = 0; how < 3; how++) {
        if (check_rank == 0)
            unlink(name);
        MPI_Barrier(MPI_COMM_WORLD);
        file = open(name, O_CREAT | O_RDWR, 0600);
        for (int i = 0; i < 3; i++) {
            lock(how, file, 1);
            value = 0;
            if (pread(file, &value, sizeof value, 0) < 0)
                CHECK(0);
            usleep(1000);
            value++;
            CHECK(pwrite(file, &value, sizeof value, 0) == sizeof value);
            lock(how, file, 0);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(pread(file, &value, sizeof value, 0) == sizeof value);
        CHECK_INT(value, 3 * check_size);
        MPI_Barrier(MPI_COMM_WORLD);
        /* One has it, the others are told so. */
        if (check_rank == 0)
            lock(how, file, 1);
        MPI_Barrier(MPI_COMM_WORLD);
        if (check_rank == 1) {
            errno = 0;
            if (how == 1)
                CHECK(flock(file, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK);
            else
                CHECK(lockf(file, F_TLOCK, 0) == -1 && (errno == EAGAIN || errno == EACCES));
            if (how == 0) {
                CHECK_INT(fcntl(file, F_GETLK, &asked), 0);
                CHECK_INT(asked.l_type, F_WRLCK);
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
        close(file);
    }
    if (check_rank == 0)
        unlink(name);
    return check_end();
}
