#define _GNU_SOURCE
/* What libc keeps per thread is a rank's own, and is put back with it: the record of dlerror, the locale of the thread, the
 * text buffers of strerror_l and strsignal, and h_errno. Each lies on both sides of a choice. */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include <assert.h>
#include <dlfcn.h>
#include <locale.h>
#include <mpi.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail_to_find(int number) {
    char name[100];
    sprintf(name, "no_such_function_%d", number);
    void *block = malloc(100 + (size_t)number);
    assert(dlsym(RTLD_DEFAULT, name) == NULL);
    free(block);
}

static void expect_failure(int number) {
    char name[100];
    sprintf(name, "no_such_function_%d", number);
    const char *text = dlerror();
    assert(text && strstr(text, name));
    assert(dlerror() == NULL);
}

int main(int argc, char **argv) {
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    assert(dlerror() == NULL);
    assert(uselocale((locale_t)0) == LC_GLOBAL_LOCALE);
    assert(h_errno == 0);
    locale_t own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (rank == 0) {
        for (int i = 1; i < 3; i++) {
            fail_to_find(i);
            const char *text = strerror_l(5000 + i, own);
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            char expected[100];
            sprintf(expected, "%d", 5000 + i);
            assert(strstr(text, expected));
            expect_failure(i);
            fail_to_find(10 * value);
            assert(strsignal(100 + value));
            assert((h_errno == 0) == (i == 1));
            h_errno = HOST_NOT_FOUND;
        }
        uselocale(own);
        expect_failure(10 * value);
        fail_to_find(3);
    } else {
        fail_to_find(100 + rank);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        expect_failure(100 + rank);
        assert(uselocale(own) == LC_GLOBAL_LOCALE);
        fail_to_find(200 + rank);
    }
    MPI_Finalize();
    return 0;
}
