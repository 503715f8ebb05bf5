/* One rank adds as many error codes as the argument says to one class, and removes them again. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int codes = argc > 1 ? atoi(argv[1]) : 1000, class, code = 0;

    MPI_Init(&argc, &argv);
    MPI_Add_error_class(&class);
    for (int i = 0; i < codes; i++)
        MPI_Add_error_code(class, &code);
    for (int i = 0; i < codes; i++)
        MPI_Remove_error_code(code - i);
    MPI_Remove_error_class(class);
    MPI_Finalize();
    return 0;
}
