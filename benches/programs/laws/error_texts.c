/* One rank adds as many error classes as the argument says, with a text each, reads the texts and removes all again. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int classes = argc > 1 ? atoi(argv[1]) : 1000, class = 0, len;
    char text[MPI_MAX_ERROR_STRING];

    MPI_Init(&argc, &argv);
    for (int i = 0; i < classes; i++) {
        MPI_Add_error_class(&class);
        snprintf(text, sizeof text, "class %d", class);
        MPI_Add_error_string(class, text);
    }
    for (int i = 0; i < classes; i++)
        MPI_Error_string(class - i, text, &len);
    for (int i = 0; i < classes; i++) {
        MPI_Remove_error_string(class - i);
        MPI_Remove_error_class(class - i);
    }
    MPI_Finalize();
    return 0;
}
