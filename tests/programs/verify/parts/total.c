/* The second file of several_files.c: without main, so that what the compiler adds to it lies in no function's unit. */
int total(const int *values, int count);

int total(const int *values, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum;
}
