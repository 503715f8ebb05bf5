#define _GNU_SOURCE
/* What is in pipes and in counters (eventfd) is put back. */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include "parts/choices.h"
#include "parts/texts.h"
#include <sys/eventfd.h>
#include <sys/mman.h>

static void work(int rank)
{
    int pipes[2], counter = eventfd(5, EFD_NONBLOCK), steps = eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK);
    int memory = memfd_create("channels", 0);
    eventfd_t count;
    char text[100];
    assert(pipe(pipes) == 0 && write(pipes[1], "before", 6) == 6 && write(memory, "memory", 6) == 6);
    int first = receive();
    assert(eventfd_read(counter, &count) == 0 && count == 5);
    assert(eventfd_read(steps, &count) == 0 && count == 1);
    assert(read(pipes[0], text, 3) == 3 && !memcmp(text, "bef", 3));
    assert(write(pipes[1], "after", (size_t)first) == first && pwrite(memory, "M", 1, 0) == 1);
    assert(eventfd_write(counter, (eventfd_t)first) == 0 && eventfd_write(steps, 7) == 0);
    receive();
    assert(read(pipes[0], text, 99) == 3 + first && !memcmp(text, "oreaf", (size_t)(3 + first)));
    assert(eventfd_read(counter, &count) == 0 && count == (eventfd_t)first);
    (void)rank;
}

int main(int argc, char **argv)
{
    return choices(&argc, &argv, work);
}
