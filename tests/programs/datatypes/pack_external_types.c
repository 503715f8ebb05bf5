/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Derived types in "external32": gaps are dropped, every element is converted by its own size (MPI 5.0 section 5.3).
 * MPICH 4.0.2 deviates: it crashes. */
#include "../check.h"

struct record {
    short small;
    double value;
};

int main(int argc, char **argv)
{
    struct record out[2] = {{0x0102, 1.0}, {0x0304, -1.0}}, in[2] = {{0, 0}, {0, 0}};
    static const unsigned char expected[] = {1, 2, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0,
                                             3, 4, 0xbf, 0xf0, 0, 0, 0, 0, 0, 0};
    char buffer[64];
    MPI_Aint position = 0, size;
    MPI_Datatype type;

    check_begin(&argc, &argv);
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_SHORT, MPI_DOUBLE},
                           &type);
    MPI_Type_commit(&type);
    MPI_Pack_external_size("external32", 2, type, &size);
    CHECK_INT(size, 20);
    MPI_Pack_external("external32", out, 2, type, buffer, sizeof buffer, &position);
    CHECK_INT(position, 20);
    CHECK(memcmp(buffer, expected, 20) == 0);
    position = 0;
    MPI_Unpack_external("external32", buffer, 20, &position, in, 2, type);
    CHECK(in[0].small == 0x0102 && in[1].small == 0x0304 && in[0].value == 1.0 && in[1].value == -1.0);
    MPI_Type_free(&type);
    return check_end();
}
