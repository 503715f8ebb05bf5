/* One file that is changed by MPI and without: both find what the other has written, in each execution. */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: passes race/file */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include "parts/choices.h"
#include "parts/texts.h"

#define NAME "by_mpi_and_without.dat"

static void write_by_mpi(MPI_Offset at, const char *text)
{
    MPI_File file;
    assert(!MPI_File_open(MPI_COMM_SELF, NAME, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    assert(!MPI_File_write_at(file, at, text, (int)strlen(text), MPI_CHAR, MPI_STATUS_IGNORE));
    assert(!MPI_File_close(&file));
}

static void read_by_mpi(const char *expected)
{
    MPI_File file;
    MPI_Status status;
    char text[100];
    int count;
    assert(!MPI_File_open(MPI_COMM_SELF, NAME, MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    assert(!MPI_File_read_at(file, 0, text, 100, MPI_CHAR, &status) && !MPI_Get_count(&status, MPI_CHAR, &count));
    assert(count == (int)strlen(expected) && !memcmp(text, expected, strlen(expected)));
    assert(!MPI_File_close(&file));
}

static void work(int rank)
{
    char text[100];
    assert(!is_there(NAME));
    write_by_mpi(0, "mpi");
    assert(contents(NAME, text) && !strcmp(text, "mpi"));
    int first = receive();
    put(NAME, "a", first == 1 ? " one" : " two");
    read_by_mpi(first == 1 ? "mpi one" : "mpi two");
    write_by_mpi(0, "MPI");
    receive();
    assert(contents(NAME, text) && !strcmp(text, first == 1 ? "MPI one" : "MPI two"));
    assert(rename(NAME, NAME ".old") == 0 && is_there(NAME ".old"));
    write_by_mpi(1, "x");
    assert(contents(NAME, text) && !text[0] && text[1] == 'x');
    assert(!MPI_File_delete(NAME ".old", MPI_INFO_NULL) && !is_there(NAME ".old"));
    (void)rank;
}

int main(int argc, char **argv)
{
    return choices(&argc, &argv, work);
}
