/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: stdout-order exact */
/* smpi: expect-stdout wide line of rank 0 */
/* smpi: expect-stdout wide line of rank 1 */
/* smpi: expect-stderr-contains wide error of rank 1 */
/* std::wcout and std::wcerr print by way of the C streams. */
#include <iostream>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::wcout << L"wide line of rank " << rank << std::endl;
    std::wcerr << L"wide error of rank " << rank << std::endl;
    MPI_Finalize();
    return 0;
}
