/*
 * What all benchmarks here share around their kernels: reading the class from
 * the command line, refusing a run that cannot be done, and the closing report.
 *
 * The report is a block of `label = value` lines in the order of the NAS
 * benchmarks, so that scripts written for those read these too. Times are
 * those of MPI_Wtime: simulated seconds under smpirun.
 */
#ifndef NAS_REPORT_H
#define NAS_REPORT_H

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* What a finished run has to say about itself. */
struct report {
    const char *benchmark;     /* "CG", "EP" ... */
    char problem_class;        /* 'S', 'W', 'A' ... */
    const char *size;          /* size of the problem, as text */
    int iterations;
    double seconds;
    int ranks;                 /* how many take part */
    int active_ranks;          /* how many of them compute */
    double million_operations; /* in the whole run; the rate is derived from it */
    const char *operation;     /* what one operation is */
    int verified;
};

/* Says on rank 0 why the run cannot be done, and ends the program with exit code 2. Collective. */
static inline void refuse(const char *format, ...)
{
    va_list arguments;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        va_start(arguments, format);
        fprintf(stderr, "error: ");
        vfprintf(stderr, format, arguments);
        fprintf(stderr, "\n");
        va_end(arguments);
    }
    MPI_Finalize();
    exit(2);
}

/* The problem class given as argument number `position`; refuses the run if there is no valid one. */
static inline char class_argument(int argc, char **argv, int position, const char *usage)
{
    if (argc != position + 1)
        refuse("expected %d argument%s, found %d; usage: %s", position, position == 1 ? "" : "s",
               argc - 1, usage);
    if (argv[position][0] == '\0' || argv[position][1] != '\0')
        refuse("unknown class '%s': expected one letter such as S, W, A or B; usage: %s", argv[position], usage);
    return argv[position][0];
}

/* Memory for an array, cleared; ends the whole run if there is none. */
static inline void *new_array(size_t count, size_t element_size)
{
    void *array = calloc(count ? count : 1, element_size);

    if (array == NULL) {
        fprintf(stderr, "error: no memory for %zu elements of %zu bytes\n", count, element_size);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return array;
}

/* Prints the report. To be called on one rank only. */
static inline void print_report(const struct report *report)
{
    double rate = report->seconds > 0 ? report->million_operations / report->seconds : 0;

    printf("\n\n %s Benchmark Completed\n", report->benchmark);
    printf(" Class           = %24c\n", report->problem_class);
    printf(" Size            = %24s\n", report->size);
    printf(" Iterations      = %24d\n", report->iterations);
    printf(" Time in seconds = %24.9f\n", report->seconds);
    printf(" Total processes = %24d\n", report->ranks);
    printf(" Active processes= %24d\n", report->active_ranks);
    printf(" Mop/s total     = %24.2f\n", rate);
    printf(" Mop/s/process   = %24.2f\n", rate / report->active_ranks);
    printf(" Operation type  = %24s\n", report->operation);
    printf(" Verification    = %24s\n", report->verified ? "SUCCESSFUL" : "UNSUCCESSFUL");
    printf(" Version         = %24s\n", "libsmpi 1");
    printf(" Compile date    = %24s\n", __DATE__);
#ifdef __OPTIMIZE__
    printf(" Compile options = %24s\n", "optimised");
#else
    printf(" Compile options = %24s\n", "not optimised");
#endif
    fflush(stdout);
}

#endif
