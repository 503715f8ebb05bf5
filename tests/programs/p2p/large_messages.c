/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Messages of 1 B to 8 MB arrive whole, around every size at which libraries change their protocol. */
#include "../check.h"

static const int sizes[] = {1,     1023,  1024,   1025,    16383,   16384,  16385,
                            65535, 65536, 65537,  1000000, 1 << 20, 8 << 20};

static unsigned char pattern(int i, int size)
{
    return (unsigned char)(i * 31 + size * 7 + i / 251);
}

int main(int argc, char **argv)
{
    unsigned char *data = malloc(8 << 20);

    check_begin(&argc, &argv);
    for (int s = 0; s < (int)(sizeof sizes / sizeof *sizes); s++) {
        int size = sizes[s], wrong = 0, length = -1;
        if (check_rank == 0) {
            for (int i = 0; i < size; i++)
                data[i] = pattern(i, size);
            MPI_Send(data, size, MPI_BYTE, 1, s, MPI_COMM_WORLD);
            memset(data, 0, (size_t)size); /* the send is over: this must not reach the other side */
        } else {
            MPI_Status status;
            memset(data, 0xee, (size_t)size);
            MPI_Recv(data, 8 << 20, MPI_BYTE, 0, s, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_BYTE, &length);
            CHECK_INT(length, size);
            for (int i = 0; i < size; i++)
                wrong += data[i] != pattern(i, size);
            CHECK_INT(wrong, 0);
        }
    }
    free(data);
    return check_end();
}
