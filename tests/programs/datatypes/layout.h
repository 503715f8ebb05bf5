/*
 * Checks a datatype against a list of byte offsets written by hand: what MPI_Pack
 * takes, what MPI_Unpack fills, and what a message between different types moves.
 *
 * Not a program of its own.
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include "../check.h"

#define LAYOUT_BYTES 2048 /* of the buffer the types are applied to */
#define LAYOUT_ORIGIN 512 /* where the buffer passed to MPI starts within it: room for negative offsets */

/* The type's map is `count` ints at these byte offsets, in this order; `extents`: lower bound, extent,
 * true lower bound, true extent. */
static inline void check_layout(MPI_Datatype type, int count, const int *offsets, const int extents[4])
{
    static char from[LAYOUT_BYTES], to[LAYOUT_BYTES], packed[LAYOUT_BYTES], expected[LAYOUT_BYTES];
    int size, position = 0, needed;
    MPI_Aint low, extent;

    MPI_Type_size(type, &size);
    CHECK_INT(size, count * (int)sizeof(int));
    MPI_Type_get_extent(type, &low, &extent);
    CHECK_INT(low, extents[0]);
    CHECK_INT(extent, extents[1]);
    MPI_Type_get_true_extent(type, &low, &extent);
    CHECK_INT(low, extents[2]);
    CHECK_INT(extent, extents[3]);

    for (int i = 0; i < LAYOUT_BYTES; i++)
        from[i] = (char)(i * 7 + i / 256);
    MPI_Pack_size(1, type, MPI_COMM_WORLD, &needed);
    CHECK(needed >= size);
    MPI_Pack(from + LAYOUT_ORIGIN, 1, type, packed, LAYOUT_BYTES, &position, MPI_COMM_WORLD);
    CHECK_INT(position, size);
    for (int i = 0; i < count; i++)
        CHECK(memcmp(packed + i * sizeof(int), from + LAYOUT_ORIGIN + offsets[i], sizeof(int)) == 0);

    memset(to, 0x55, sizeof to);
    memset(expected, 0x55, sizeof expected);
    for (int i = 0; i < count; i++)
        memcpy(expected + LAYOUT_ORIGIN + offsets[i], from + LAYOUT_ORIGIN + offsets[i], sizeof(int));
    position = 0;
    MPI_Unpack(packed, size, &position, to + LAYOUT_ORIGIN, 1, type, MPI_COMM_WORLD);
    CHECK_INT(position, size);
    CHECK(memcmp(to, expected, sizeof to) == 0);

    /* A message from this type to plain ints, and back. */
    int *ints = malloc((size_t)size + 1);
    MPI_Sendrecv(from + LAYOUT_ORIGIN, 1, type, 0, 0, ints, count, MPI_INT, 0, 0, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    CHECK(memcmp(ints, packed, (size_t)size) == 0);
    memset(to, 0x55, sizeof to);
    MPI_Sendrecv(ints, count, MPI_INT, 0, 0, to + LAYOUT_ORIGIN, 1, type, 0, 0, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    CHECK(memcmp(to, expected, sizeof to) == 0);
    free(ints);
}

/* Commits, checks and frees. */
static inline void check_and_free(MPI_Datatype type, int count, const int *offsets, const int extents[4])
{
    MPI_Type_commit(&type);
    check_layout(type, count, offsets, extents);
    MPI_Type_free(&type);
    CHECK(type == MPI_DATATYPE_NULL);
}

#endif
