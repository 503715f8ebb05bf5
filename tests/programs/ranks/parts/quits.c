/* A library that ends the program. */
#include <stdlib.h>

void quit_with(int code);

void quit_with(int code)
{
    exit(code);
}
