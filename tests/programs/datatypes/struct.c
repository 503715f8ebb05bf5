/* smpi: ranks 1 */
/* smpi: expect-pass */
/* MPI_Type_create_struct: members of different types, with the alignment of the C struct (MPI 5.0 section 5.1.2). */
#include "../check.h"

#include <stddef.h>

struct record {
    char tag;
    double value[2];
    int count;
    short small;
};

int main(int argc, char **argv)
{
    struct record out[3], in[3];
    int lengths[4] = {1, 2, 1, 1}, size, position = 0;
    MPI_Aint places[4] = {offsetof(struct record, tag), offsetof(struct record, value),
                          offsetof(struct record, count), offsetof(struct record, small)};
    MPI_Datatype members[4] = {MPI_CHAR, MPI_DOUBLE, MPI_INT, MPI_SHORT}, type;
    MPI_Aint low, extent;
    char packed[256];

    check_begin(&argc, &argv);
    MPI_Type_create_struct(4, lengths, places, members, &type);
    MPI_Type_commit(&type);
    MPI_Type_size(type, &size);
    CHECK_INT(size, 1 + 16 + 4 + 2);
    MPI_Type_get_extent(type, &low, &extent);
    CHECK_INT(low, 0);
    CHECK_INT(extent, (MPI_Aint)sizeof(struct record)); /* padded at the end like the C struct */
    MPI_Type_get_true_extent(type, &low, &extent);
    CHECK_INT(extent, (MPI_Aint)offsetof(struct record, small) + 2);

    memset(in, 0, sizeof in);
    for (int i = 0; i < 3; i++) {
        memset(&out[i], 0, sizeof out[i]);
        out[i].tag = (char)('a' + i);
        out[i].value[0] = i + 0.5;
        out[i].value[1] = -i;
        out[i].count = 1000 * i;
        out[i].small = (short)(i - 5);
    }
    MPI_Sendrecv(out, 3, type, 0, 0, in, 3, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    CHECK(memcmp(in, out, sizeof in) == 0);
    MPI_Pack(out, 2, type, packed, sizeof packed, &position, MPI_COMM_WORLD);
    CHECK_INT(position, 46);
    CHECK(packed[0] == 'a' && packed[23] == 'b');
    CHECK(memcmp(packed + 1, out[0].value, 16) == 0);
    MPI_Type_free(&type);
    return check_end();
}
