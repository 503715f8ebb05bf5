/* A library with state: a variable that programs see, one that they do not, and what its end does. */
#include <stdio.h>
#include <stdlib.h>

int counter;
static int hidden = 100;
static int started;
int calls(int by);
int get_counter(void);

__attribute__((constructor)) static void start(void)
{
    started++;
}

int calls(int by)
{
    counter += by;
    hidden += by;
    return started * 1000 + hidden;
}

int get_counter(void)
{
    return counter;
}

__attribute__((destructor)) static void end(void)
{
    if (getenv("SMPI_TEST_SAY_END"))
        printf("library ends with %d\n", counter);
}
