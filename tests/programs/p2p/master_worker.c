/* smpi: ranks 5 */
/* smpi: expect-pass */
/* A master hands out tasks to whoever asks: wildcard receives, answers by source, a tag that ends the work. */
#include "../check.h"

enum { RESULT_TAG, TASK_TAG, END_TAG };
#define TASKS 60

/* Gives every worker one task after the other; returns the sum of their results. */
static long master(int workers)
{
    long sum = 0;
    int next = 1;

    while (workers > 0) {
        MPI_Status status;
        long result;
        MPI_Recv(&result, 1, MPI_LONG, MPI_ANY_SOURCE, RESULT_TAG, MPI_COMM_WORLD, &status);
        sum += result;
        if (next <= TASKS) {
            MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, TASK_TAG, MPI_COMM_WORLD);
            next++;
        } else {
            MPI_Send(NULL, 0, MPI_INT, status.MPI_SOURCE, END_TAG, MPI_COMM_WORLD);
            workers--;
        }
    }
    return sum;
}

/* Asks for work with a result (at first 0) until told to end. */
static void worker(void)
{
    long result = 0;

    for (;;) {
        MPI_Status status;
        int task;
        MPI_Send(&result, 1, MPI_LONG, 0, RESULT_TAG, MPI_COMM_WORLD);
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == END_TAG)
            return;
        result = (long)task * task;
    }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    if (check_rank == 0)
        CHECK_INT(master(check_size - 1), (long)TASKS * (TASKS + 1) * (2 * TASKS + 1) / 6);
    else
        worker();
    return check_end();
}
