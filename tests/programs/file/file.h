/*
 * What the programs about files share: a name that no other program uses, the same on all ranks.
 */
#ifndef FILE_H
#define FILE_H

#include "../check.h"
#include <limits.h>
#include <unistd.h>

static char file_path[PATH_MAX];

/* The name of a file that does not exist, in a directory for temporary files. */
static inline const char *file_name(const char *base)
{
    const char *directory = getenv("TMPDIR");

    if (check_rank == 0) {
        snprintf(file_path, sizeof file_path, "%s/smpi-%s-%ld", directory ? directory : "/tmp", base, (long)getpid());
        MPI_File_delete(file_path, MPI_INFO_NULL);
    }
    MPI_Bcast(file_path, sizeof file_path, MPI_CHAR, 0, MPI_COMM_WORLD);
    return file_path;
}

/* Elements that a status counts. */
static inline int file_count(MPI_Status *status, MPI_Datatype datatype)
{
    int count = -1;

    MPI_Get_count(status, datatype, &count);
    return count;
}

/* What one rank has written is there for all ranks (MPI 5.0 section 14.6.1). */
static inline void file_settle(MPI_File file)
{
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
}

#endif
