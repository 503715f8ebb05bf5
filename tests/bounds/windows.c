/* Memory of windows, and buffers for buffered sends, compared with what they lie in: those lines say "beyond" or "freed". */
#include <mpi.h>
#include <stdlib.h>

static int numbers[10], one;
static double room[200];

static void create(void *base, MPI_Aint size, int unit) {
    MPI_Win window;
    MPI_Win_create(base, size, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &window); /* beyond */
    MPI_Win_free(&window);
}

static void windows(void) {
    int own[4] = {0};
    MPI_Win window;
    double *block = (double *)calloc(5, sizeof(double));
    MPI_Win_create(numbers, sizeof numbers, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_free(&window);
    MPI_Win_create(numbers + 4, 6 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_free(&window);
    MPI_Win_create(numbers + 4, 10 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window); /* beyond */
    MPI_Win_free(&window);
    MPI_Win_create(&one, 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_free(&window);
    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_free(&window);
    MPI_Win_create(own, sizeof own, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_free(&window);
    MPI_Win_create(own, sizeof own + 1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window); /* beyond */
    MPI_Win_free(&window);
    MPI_Win_create(block, 5 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_free(&window);
    MPI_Win_create(block, 6 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window); /* beyond */
    MPI_Win_free(&window);
    MPI_Win_create(&one, sizeof(long), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window); /* beyond */
    MPI_Win_free(&window);
    create(room, sizeof room, sizeof(double));
    create(room, sizeof room + 8, sizeof(double));
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, numbers, sizeof numbers);
    MPI_Win_detach(window, numbers);
    MPI_Win_attach(window, numbers, sizeof numbers + 4); /* beyond */
    MPI_Win_detach(window, numbers);
    MPI_Win_attach(window, block, 5 * sizeof(double));
    MPI_Win_detach(window, block);
    free(block);
    MPI_Win_attach(window, block, 5 * sizeof(double)); /* freed */
    MPI_Win_detach(window, block);
    MPI_Win_free(&window);
}

static void buffers(void) {
    void *address;
    int size;
    MPI_Buffer_attach(room, sizeof room);
    MPI_Buffer_detach(&address, &size);
    MPI_Buffer_attach(room, sizeof room + 1); /* beyond */
    MPI_Buffer_detach(&address, &size);
    MPI_Buffer_attach(&room[100], (int)sizeof room / 2);
    MPI_Buffer_detach(&address, &size);
    MPI_Buffer_attach(&room[100], (int)sizeof room); /* beyond */
    MPI_Buffer_detach(&address, &size);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    windows();
    buffers();
    MPI_Finalize();
    return 0;
}
