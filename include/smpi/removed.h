/* What MPI-1 had and MPI 3.0 removed (MPI 5.0 chapter 18), for old programs: each name as an inline function over its
 * successor. mpi.h includes this file; nothing of it is in the library, and the ABI is the same with it.
 *
 * MPI_LB and MPI_UB are known to MPI_Type_struct only, which makes a resized type of them. Bounds of that kind that are
 * hidden in the members of a structure count like those of any resized type: as its extent.
 * A program that defines some of these names itself, a tracing tool for example, defines SMPI_REMOVED_H before mpi.h.
 */
#ifndef SMPI_REMOVED_H
#define SMPI_REMOVED_H

#include <stdlib.h>
#include "../mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef MPI_Comm_errhandler_function MPI_Handler_function;

#define MPI_LB ((MPI_Datatype)-1)
#define MPI_UB ((MPI_Datatype)-2)

static __inline__ int MPI_Address(const void *location, MPI_Aint *address)
{
    return MPI_Get_address(location, address);
}

static __inline__ int MPI_Errhandler_create(MPI_Handler_function *function, MPI_Errhandler *errhandler)
{
    return MPI_Comm_create_errhandler(function, errhandler);
}

static __inline__ int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler)
{
    return MPI_Comm_get_errhandler(comm, errhandler);
}

static __inline__ int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler)
{
    return MPI_Comm_set_errhandler(comm, errhandler);
}

static __inline__ int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint *extent)
{
    MPI_Aint lb;
    return MPI_Type_get_extent(datatype, &lb, extent);
}

static __inline__ int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint *displacement)
{
    MPI_Aint extent;
    return MPI_Type_get_extent(datatype, displacement, &extent);
}

static __inline__ int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint *displacement)
{
    MPI_Aint extent;
    int code = MPI_Type_get_extent(datatype, displacement, &extent);
    if (code == MPI_SUCCESS)
        *displacement += extent;
    return code;
}

static __inline__ int MPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                                   MPI_Datatype *newtype)
{
    return MPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype);
}

static __inline__ int MPI_Type_hindexed(int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
                                    MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    return MPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
}

/* The structure without its markers, and then with the bounds that they set. */
static __inline__ int smpi_marked_struct(int count, const int lengths[], const MPI_Aint places[],
                                     const MPI_Datatype types[], MPI_Datatype *newtype)
{
    const size_t room = (size_t)count;
    int *some_lengths = (int *)malloc(room * sizeof(int));
    MPI_Aint *some_places = (MPI_Aint *)malloc(room * sizeof(MPI_Aint));
    MPI_Datatype *some_types = (MPI_Datatype *)malloc(room * sizeof(MPI_Datatype));
    MPI_Datatype plain;
    MPI_Aint lb = 0, ub = 0, extent;
    int members = 0, has_lb = 0, has_ub = 0, i, code;

    for (i = 0; i < count; i++) {
        if (types[i] == MPI_LB) {
            lb = has_lb && lb < places[i] ? lb : places[i];
            has_lb = 1;
        } else if (types[i] == MPI_UB) {
            ub = has_ub && ub > places[i] ? ub : places[i];
            has_ub = 1;
        } else {
            some_lengths[members] = lengths[i];
            some_places[members] = places[i];
            some_types[members++] = types[i];
        }
    }
    code = MPI_Type_create_struct(members, some_lengths, some_places, some_types, &plain);
    free(some_lengths);
    free(some_places);
    free(some_types);
    if (code != MPI_SUCCESS)
        return code;
    if (!has_lb || !has_ub) {
        MPI_Aint natural;
        MPI_Type_get_extent(plain, &natural, &extent);
        ub = has_ub ? ub : natural + extent;
        lb = has_lb ? lb : natural;
    }
    code = MPI_Type_create_resized(plain, lb, ub - lb, newtype);
    MPI_Type_free(&plain);
    return code;
}

static __inline__ int MPI_Type_struct(int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
                                  MPI_Datatype array_of_types[], MPI_Datatype *newtype)
{
    int i;
    for (i = 0; i < count; i++)
        if (array_of_types[i] == MPI_LB || array_of_types[i] == MPI_UB)
            return smpi_marked_struct(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
    return MPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SMPI_REMOVED_H */
