/* smpi: ranks 1 */
/* smpi: expect-pass */
/* The "external32" representation is big-endian with fixed sizes (MPI 5.0 sections 5.3, 14.5.2). */
#include "../check.h"

int main(int argc, char **argv)
{
    static const unsigned char expected[] = {
        0x01, 0x02, 0x03, 0x04, 0xff, 0xff, 0xff, 0xfe,             /* two ints */
        0x3f, 0xf8, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,             /* 1.5 as double */
        0x12, 0x34,                                                 /* a short */
        'o',  'k',                                                  /* chars */
        0xc0, 0x20, 0x00, 0x00,                                     /* -2.5 as float */
    };
    int ints[2] = {0x01020304, -2}, ints_back[2];
    double number = 1.5, number_back;
    short small = 0x1234, small_back;
    float real = -2.5f, real_back;
    char text[2] = {'o', 'k'}, text_back[2], buffer[64];
    MPI_Aint position = 0, size;

    check_begin(&argc, &argv);
    MPI_Pack_external_size("external32", 2, MPI_INT, &size);
    CHECK_INT(size, 8);
    MPI_Pack_external_size("external32", 3, MPI_DOUBLE, &size);
    CHECK_INT(size, 24);
    MPI_Pack_external("external32", ints, 2, MPI_INT, buffer, sizeof buffer, &position);
    CHECK_INT(position, 8);
    MPI_Pack_external("external32", &number, 1, MPI_DOUBLE, buffer, sizeof buffer, &position);
    MPI_Pack_external("external32", &small, 1, MPI_SHORT, buffer, sizeof buffer, &position);
    MPI_Pack_external("external32", text, 2, MPI_CHAR, buffer, sizeof buffer, &position);
    MPI_Pack_external("external32", &real, 1, MPI_FLOAT, buffer, sizeof buffer, &position);
    CHECK_INT(position, (MPI_Aint)sizeof expected);
    CHECK(memcmp(buffer, expected, sizeof expected) == 0);

    size = position;
    position = 0;
    MPI_Unpack_external("external32", buffer, size, &position, ints_back, 2, MPI_INT);
    MPI_Unpack_external("external32", buffer, size, &position, &number_back, 1, MPI_DOUBLE);
    MPI_Unpack_external("external32", buffer, size, &position, &small_back, 1, MPI_SHORT);
    MPI_Unpack_external("external32", buffer, size, &position, text_back, 2, MPI_CHAR);
    MPI_Unpack_external("external32", buffer, size, &position, &real_back, 1, MPI_FLOAT);
    CHECK_INT(position, size);
    CHECK(ints_back[0] == ints[0] && ints_back[1] == ints[1] && number_back == number &&
          small_back == small && real_back == real && memcmp(text, text_back, 2) == 0);
    return check_end();
}
