/* smpi: ranks 2 */
/* smpi: compile-args -g -O0 */
/* smpi: verify --buffering zero */
/* smpi: expect-finding crash */
/* smpi: expect-stderr-contains access to the memory of rank 0 */
/* smpi: expect-stderr-contains which is another process under */
/* An object with virtual functions is sent as bytes, and with it the address of rank 0's table of these functions, which
   means nothing in another process (with MPICH: a segmentation fault). Rank 1 meets it in the destructor. */
#include <memory>
#include <mpi.h>

struct shape {
    virtual ~shape() {}
    double area = 1;
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    {
        std::unique_ptr<shape> one(new shape);
        MPI_Bcast(one.get(), sizeof(shape), MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
