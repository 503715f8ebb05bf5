/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: stdout-order exact */
/* smpi: expect-stdout rank 0: 1 of äöü, 2.5 */
/* smpi: expect-stdout ß wide */
/* smpi: expect-stdout rank 1: 9 8 7 6 5 4 3 2 1 0 1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 9.0 */
/* smpi: expect-stdout ß wide */
/* Wide characters on the standard streams (C11 7.29.2, 7.29.3): in the rank's locale, whole lines, in order. */
#include <locale.h>
#include <mpi.h>
#include <stdio.h>
#include <wchar.h>

int main(int argc, char **argv)
{
    int rank, count;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    setlocale(LC_ALL, "C.UTF-8");
    if (fwide(stdout, 0) > 0)
        return 1;
    if (rank == 0)
        count = wprintf(L"rank %d: %s of %ls, %g\n", rank, "1", L"äöü", 2.5) - 22;
    else
        count = fwprintf(stdout, L"rank %d: %d %d %d %d %d %d %d %d %d %d %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f\n",
                         rank, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)
                - 64;
    fputwc(L'ß', stdout);
    fputws(L" wide", stdout);
    putwchar(L'\n');
    if (fwide(stdout, 0) <= 0)
        return 2;
    MPI_Finalize();
    return count;
}
