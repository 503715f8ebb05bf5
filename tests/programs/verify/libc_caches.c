#define _GNU_SOURCE
/* libc keeps what these functions allocate (locales, the user database, the time zone), also when the checker puts the
 * ranks back that called them first. */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <assert.h>
#include <iconv.h>
#include <locale.h>
#include <mpi.h>
#include <netdb.h>
#include <pwd.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void ask_libc(void) {
    time_t start = 0;
    struct addrinfo *found = NULL;
    iconv_t conversion = iconv_open("UTF-8", "LATIN1");
    locale_t own = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
    assert(setlocale(LC_ALL, "") == NULL || setlocale(LC_ALL, "C.UTF-8") == NULL || setlocale(LC_ALL, "C"));
    char text[100];
    assert(localtime(&start));
    strftime(text, sizeof text, "%c %Z", localtime(&start));
    assert(strerror(12345));
    getpwuid(getuid());
    gethostbyname("localhost");
    if (getaddrinfo("localhost", NULL, NULL, &found) == 0)
        freeaddrinfo(found);
    if (own != (locale_t)0)
        freelocale(own);
    if (conversion != (iconv_t)-1)
        iconv_close(conversion);
}

int main(int argc, char **argv) {
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 1; i < 3; i++) {
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            ask_libc();
        }
    } else {
        ask_libc();
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        ask_libc();
    }
    MPI_Finalize();
    return 0;
}
