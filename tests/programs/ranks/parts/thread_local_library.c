/* A library that is not private, with a variable of each thread. */
__thread int library_variable = 4;

int library_bump(void)
{
    return ++library_variable;
}
