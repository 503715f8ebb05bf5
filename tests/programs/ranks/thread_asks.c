// smpi: ranks 2
// smpi: compile-args -pthread
// smpi: timeout 20
// smpi: expect-pass
/* Any thread may ask at any time whether MPI runs, at which level of thread support, whether it is the main thread, and
   which version it is (MPI 5.0 section 11.6): also a thread that a thread started, and before and after MPI. */
#include "../check.h"
#include <pthread.h>
#include <string.h>

struct answers {
    int initialized, finalized, is_main, level, version, subversion, length;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
};

static void *ask(void *argument)
{
    struct answers *answers = argument;
    MPI_Initialized(&answers->initialized);
    MPI_Finalized(&answers->finalized);
    if (answers->initialized && !answers->finalized) {
        MPI_Query_thread(&answers->level);
        MPI_Is_thread_main(&answers->is_main);
    }
    MPI_Get_version(&answers->version, &answers->subversion);
    MPI_Get_library_version(answers->library, &answers->length);
    return NULL;
}

static void *ask_in_another(void *argument)
{
    pthread_t thread;
    CHECK_INT(pthread_create(&thread, NULL, ask, argument), 0);
    CHECK_INT(pthread_join(thread, NULL), 0);
    return NULL;
}

static struct answers asked(void *(*start)(void *))
{
    struct answers answers = {-1, -1, -1, -1, -1, -1, -1, ""};
    pthread_t thread;
    CHECK_INT(pthread_create(&thread, NULL, start, &answers), 0);
    CHECK_INT(pthread_join(thread, NULL), 0);
    return answers;
}

static void expect(int initialized, int finalized)
{
    void *(*starts[])(void *) = {ask, ask_in_another};
    for (int i = 0; i < 2; i++) {
        struct answers theirs = asked(starts[i]);
        int version, subversion, length;
        char library[MPI_MAX_LIBRARY_VERSION_STRING];
        MPI_Get_version(&version, &subversion);
        MPI_Get_library_version(library, &length);
        CHECK_INT(theirs.initialized, initialized);
        CHECK_INT(theirs.finalized, finalized);
        CHECK_INT(theirs.version, version);
        CHECK_INT(theirs.subversion, subversion);
        CHECK_INT(theirs.length, length);
        CHECK(strcmp(theirs.library, library) == 0);
        if (initialized && !finalized) {
            int level;
            MPI_Query_thread(&level);
            CHECK_INT(theirs.level, level);
            CHECK_INT(theirs.is_main, 0);
        }
    }
}

int main(int argc, char **argv)
{
    int provided, rank, is_main = 0;
    expect(0, 0);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* Ranks end one after the other: a thread's answer is its own rank's. */
    if (rank == 1) MPI_Barrier(MPI_COMM_WORLD);
    expect(1, 0);
    MPI_Is_thread_main(&is_main);
    CHECK_INT(is_main, 1);
    if (rank == 0) MPI_Barrier(MPI_COMM_WORLD);
    check_end();
    expect(1, 1);
    return check_failures > 0;
}
