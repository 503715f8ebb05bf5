/* smpi: ranks 2 */
/* smpi: compile-args -pthread */
/* smpi: expect-pass */
/* A thread of rank 0 reads standard input like the rank itself, and goes on where that stopped. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../check.h"

static void *read_second(void *argument)
{
    CHECK_INT(scanf("%d", (int *)argument), 1);
    return NULL;
}

int main(int argc, char **argv)
{
    static const char text[] = "12 34 56\n";
    pthread_t thread;

    check_begin(&argc, &argv);
    if (check_rank == 0) {
        int ends[2], number = 0;
        CHECK_INT(pipe(ends), 0);
        CHECK_INT(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
        CHECK_INT(write(ends[1], text, strlen(text)), (int)strlen(text));
        close(ends[1]);
        CHECK_INT(scanf("%d", &number), 1);
        CHECK_INT(number, 12);
        pthread_create(&thread, NULL, read_second, &number);
        pthread_join(thread, NULL);
        CHECK_INT(number, 34);
        CHECK_INT(scanf("%d", &number), 1);
        CHECK_INT(number, 56);
        CHECK_INT(scanf("%d", &number), EOF);
    }
    return check_end();
}
