// smpi: ranks 2
// smpi: compile-args -pthread
// smpi: timeout 20
// smpi: expect-pass
/* No more is provided than is kept: MPI_THREAD_FUNNELED, whatever is asked for (MPI 5.0 section 11.6). A thread that is
   not the main one may still ask what time it is, who its rank is in a communicator, and where. */
#include "../check.h"
#include <pthread.h>
#include <string.h>

static MPI_Comm half;

struct answers {
    int rank, size, own, length, in_half, of_half, wrong;
    double first, second, tick;
    char host[MPI_MAX_PROCESSOR_NAME];
};

static void *ask(void *argument)
{
    struct answers *answers = argument;
    answers->first = MPI_Wtime();
    MPI_Comm_rank(MPI_COMM_WORLD, &answers->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &answers->size);
    MPI_Comm_size(MPI_COMM_SELF, &answers->own);
    MPI_Comm_rank(half, &answers->in_half);
    MPI_Comm_size(half, &answers->of_half);
    answers->wrong = MPI_Comm_rank(MPI_COMM_NULL, &answers->length);
    MPI_Get_processor_name(answers->host, &answers->length);
    answers->tick = MPI_Wtick();
    /* Time goes on for a thread that waits for it. */
    while ((answers->second = MPI_Wtime()) < answers->first + 1e-3)
        ;
    return NULL;
}

int main(int argc, char **argv)
{
    int provided = -1, level = -1, rank, length;
    char host[MPI_MAX_PROCESSOR_NAME];
    struct answers answers = {-1};
    pthread_t thread;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK_INT(provided, MPI_THREAD_FUNNELED);
    MPI_Query_thread(&level);
    CHECK_INT(level, MPI_THREAD_FUNNELED);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);
    double before = MPI_Wtime();
    CHECK_INT(pthread_create(&thread, NULL, ask, &answers), 0);
    CHECK_INT(pthread_join(thread, NULL), 0);
    MPI_Get_processor_name(host, &length);
    CHECK_INT(answers.rank, rank);
    CHECK_INT(answers.size, 2);
    CHECK_INT(answers.own, 1);
    CHECK_INT(answers.in_half, 0);
    CHECK_INT(answers.of_half, 1);
    CHECK_INT(answers.length, length);
    CHECK(strcmp(answers.host, host) == 0);
    CHECK_INT(answers.wrong, MPI_ERR_COMM);
    CHECK(answers.tick == MPI_Wtick());
    CHECK(answers.first >= before);
    MPI_Comm_free(&half);
    return check_end();
}
