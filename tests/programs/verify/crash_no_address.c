/* The kernel does not tell the address of an access to what can be no address: it is no null pointer. */
/* smpi: ranks 1 */
/* smpi: expect-finding crash */
/* smpi: expect-stderr-contains through a pointer that is no address */
/* smpi: compile-args -O0 -g */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    volatile unsigned long bits = 0x4142434445464748;
    int found = *(volatile int *)bits;
    MPI_Finalize();
    return found;
}
