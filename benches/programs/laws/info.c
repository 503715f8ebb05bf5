/*
 * One rank sets as many keys of an info object as the argument says, sets each again, asks for each by name and by
 * number, and deletes them, from both ends.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int keys = argc > 1 ? atoi(argv[1]) : 1000, flag, len;
    char key[MPI_MAX_INFO_KEY], value[64];
    MPI_Info info;

    MPI_Init(&argc, &argv);
    MPI_Info_create(&info);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < keys; i++) {
            snprintf(key, sizeof key, "key %d", i);
            MPI_Info_set(info, key, round == 0 ? "first" : "second");
        }
    for (int i = 0; i < keys; i++) {
        MPI_Info_get_nthkey(info, i, key);
        len = sizeof value;
        MPI_Info_get_string(info, key, &len, value, &flag);
    }
    for (int left = keys; left > 0; left--) {
        MPI_Info_get_nthkey(info, left % 2 == 0 ? 0 : left - 1, key);
        MPI_Info_delete(info, key);
    }
    MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}
