/* smpi/smpi.h of libsmpi: what a program may tell the simulation beyond MPI.
 *
 * The names and meanings are those of SMPI and Mc SimGrid, so that programs written for them compile unchanged.
 * smpicc defines nothing for it; guard the uses with `#ifdef SMPI_H` if the program must also compile elsewhere.
 */

#ifndef SMPI_H
#define SMPI_H

#include <stddef.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Computation that is told rather than measured -------------------------------------------------------------------
 *
 * A duration is in seconds of this machine, and takes longer or shorter on a simulated host that is slower or faster;
 * flops are done at the speed of the simulated host. The `_benched` forms first charge the computation that was
 * measured since the last MPI call; the others leave the measurement running. All of them return when the simulated
 * time has passed, also with `--compute=off`.
 */
void smpi_execute(double duration);
void smpi_execute_flops(double flops);
void smpi_execute_benched(double duration);
void smpi_execute_flops_benched(double flops);

/* Stand in for a block of computation that is not executed at all:
 *     SMPI_SAMPLE_FLOPS(n * n * n) { multiply(a, b, c, n); }
 */
#define SMPI_SAMPLE_DELAY(duration) for (smpi_execute(duration); 0;)
#define SMPI_SAMPLE_FLOPS(flops) for (smpi_execute_flops(flops); 0;)

/* How much of the calling rank's work is done, from 0 to 1. The line that says how far a simulation is, and the answer
 * to SIGUSR1, tell the least of what ranks have said, and the line how long the rest takes at this rate. It takes no
 * simulated time, and changes nothing.
 */
void smpi_progress(double done);

/* Loops of which only some iterations are executed ----------------------------------------------------------------
 *
 *     int i;
 *     SMPI_SAMPLE_LOCAL(i = 0, i < n, i++, 10, 0.01) { kernel(i); }
 *
 * stands for `for (i = 0; i < n; i++) { kernel(i); }`. The body is executed and measured until it has been executed
 * `iters` times, or until the standard error of the mean, relative to the mean, is below `thres` (at least two times;
 * a negative `thres`: never). Every further iteration skips the body and is charged the mean. The LOCAL forms measure
 * on every rank; the GLOBAL forms measure on all ranks together, `iters` times in all. The loop variable always takes
 * all its values. A place in the source is one measurement, or several if it has different tags. The body must not
 * call MPI. With `--compute=off`, or a recorded computation, exactly `iters` iterations execute the body, so that runs
 * are the same each time.
 */
#define SMPI_SAMPLE_LOCAL(loop_init, loop_end, loop_iter, iters, thres) \
    SMPI_SAMPLE_LOOP(loop_init, loop_end, loop_iter, 0, iters, thres, "")
#define SMPI_SAMPLE_GLOBAL(loop_init, loop_end, loop_iter, iters, thres) \
    SMPI_SAMPLE_LOOP(loop_init, loop_end, loop_iter, 1, iters, thres, "")
#define SMPI_SAMPLE_LOCAL_TAG(loop_init, loop_end, loop_iter, iters, thres, tag) \
    SMPI_SAMPLE_LOOP(loop_init, loop_end, loop_iter, 0, iters, thres, tag)
#define SMPI_SAMPLE_GLOBAL_TAG(loop_init, loop_end, loop_iter, iters, thres, tag) \
    SMPI_SAMPLE_LOOP(loop_init, loop_end, loop_iter, 1, iters, thres, tag)

#define SMPI_SAMPLE_LOOP(loop_init, loop_end, loop_iter, global, iters, thres, tag) \
    for (loop_init; (loop_end) && smpi_sample_open((global), __FILE__, __LINE__, (iters), (thres), (tag)); \
         smpi_sample_close(), loop_iter) \
        if (smpi_sample_executes())

/* For the macros above. */
int smpi_sample_open(int global, const char *file, int line, int iters, double thres, const char *tag);
int smpi_sample_executes(void);
void smpi_sample_close(void);

/* Memory that ranks share -----------------------------------------------------------------------------------------
 *
 * For programs whose results do not matter, only their behaviour: all ranks that allocate the same size at the same
 * place in the source get the same memory, and overwrite each other's data there. Messages from and to it take their
 * time and carry nothing, and no rank has a copy on the way. SMPI_PARTIAL_SHARED_MALLOC shares
 * only the bytes from offsets[2 * i] up to offsets[2 * i + 1] (rounded inwards to pages), for `count` such ranges in
 * ascending order; the rest is private. All of it is given back with SMPI_SHARED_FREE, which also takes what malloc gave.
 */
#define SMPI_SHARED_MALLOC(size) smpi_shared_malloc((size), __FILE__, __LINE__)
#define SMPI_PARTIAL_SHARED_MALLOC(size, offsets, count) \
    smpi_shared_malloc_partial_at((size), (offsets), (count), __FILE__, __LINE__)
#define SMPI_SHARED_FREE(data) smpi_shared_free(data)

void *smpi_shared_malloc(size_t size, const char *file, int line);
void *smpi_shared_malloc_partial(size_t size, const size_t *shared_block_offsets, int nb_shared_blocks);
void *smpi_shared_malloc_partial_at(size_t size, const size_t *shared_block_offsets, int nb_shared_blocks,
    const char *file, int line);
void smpi_shared_free(void *data);

/* Calls `func` once for every different `input` (a string that names the arguments) on the first rank that comes here;
 * that and all further ranks get its result, a pointer. C99 or C++11 is needed for the variable number of arguments.
 *     table = SMPI_SHARED_CALL(compute_table, "n=100", 100);
 */
#if (defined(__cplusplus) && __cplusplus >= 201103L) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
#define SMPI_SHARED_CALL(func, input, ...) \
    (smpi_shared_known_call(#func, (input)) ? smpi_shared_get_call(#func, (input)) \
                                            : smpi_shared_set_call(#func, (input), (func)(__VA_ARGS__)))
#endif

int smpi_shared_known_call(const char *func, const char *input);
void *smpi_shared_get_call(const char *func, const char *input);
void *smpi_shared_set_call(const char *func, const char *input, void *data);

/* The rank and its host -------------------------------------------------------------------------------------------
 *
 * A pointer that the program may keep with its rank, and the speed of the rank's host in flop/s. Hosts have one state
 * of power, numbered 0.
 */
void smpi_process_set_user_data(void *data);
void *smpi_process_get_user_data(void);
double smpi_get_host_power_peak_at(int pstate_index);
double smpi_get_host_current_power_peak(void);
int smpi_get_host_nb_pstates(void);
int smpi_get_host_pstate(void);
void smpi_set_host_pstate(int pstate_index);

/* Verification ----------------------------------------------------------------------------------------------------
 *
 * MC_assert states what must hold in every execution; elsewhere than under verification a false statement ends the
 * program as a failed assert() does. MC_random is an integer from min to max: every one of them is explored under
 * verification, elsewhere it is drawn from a sequence that is the same in each run. MC_is_active tells whether the run
 * is a verification.
 */
#define MC_assert(prop) smpi_mc_assert((prop) ? 1 : 0, #prop, __FILE__, __LINE__)

/* MC_ignore declares that nothing which the calling rank does depends on these bytes of its memory: a counter of
 * statistics, say. States that differ in nothing else are one, and a loop that counts its polls there comes back to where
 * it was. In Fortran: call MC_ignore(variable, bytes). It means nothing in a simulation.
 */
void MC_ignore(void *memory, size_t size);

void smpi_mc_assert(int prop, const char *text, const char *file, int line);
void (MC_assert)(int prop);
int MC_random(int min, int max);
int MC_is_active(void);

/* A proposition for formulas of linear temporal logic (smpirun --verify --ltl): it is true whenever the variable, which
 * belongs to the calling rank and must stay, is not 0; or whenever the function, which the rank runs at the beginning of
 * each of its calls of MPI, returns something else than 0. The function must not call MPI. Names are those of the whole
 * program: put the rank's number into them. Others see a change at the rank's next call of MPI. The names that begin with
 * MC_automaton are SimGrid's.
 *
 * In Fortran (with mpif.h, use mpi or use mpi_f08 alike): call MC_proposition('name', variable) with a LOGICAL that has
 * the attributes SAVE and VOLATILE, and call MC_proposition_function('name', function) with an external LOGICAL function
 * that has no arguments; also call MC_assert(logical), and the functions integer MC_random(min, max) and logical
 * MC_is_active().
 */
void MC_proposition(const char *name, const int *variable);
void MC_proposition_function(const char *name, int (*function)(void));
void MC_automaton_new_propositional_symbol_pointer(const char *id, int *value);
void MC_automaton_new_propositional_symbol(const char *id, int (*function)(void));

/* Requests of a Waitany of which it does not matter which one is returned -----------------------------------------
 *
 * Verification tries every completed request that Waitany, Waitsome, Testany or Testsome could return. A program that does
 * not look at the index, or compares it with some values only, can say so right before the call:
 *     int matters[3] = {1, 0, 0};
 *     SMPI_ANNOTATE(3, matters);
 *     MPI_Waitany(3, requests, &index, &status);
 *     if (index == 0) { ... }
 * Requests with a 1 are tried each; of those with a 0 one is taken, and only where none with a 1 is complete. There is one
 * value for each element of the array of requests, null ones included. Nothing of it means anything in a simulation.
 * This is MPI_Pcontrol(SMPI_INDEX_VEC, count, vector), which other MPIs ignore; ISP_C_INDEX_VEC and ISP_INDEX_VEC are the
 * names in "Static-analysis Assisted Dynamic Verification to Efficiently Handle Waitany Non-determinism".
 */
#define SMPI_INDEX_VEC 0x534d5049
#define ISP_C_INDEX_VEC SMPI_INDEX_VEC
#define ISP_INDEX_VEC SMPI_INDEX_VEC
#define SMPI_ANNOTATE(count, vector) MPI_Pcontrol(SMPI_INDEX_VEC, (int)(count), (const int *)(vector))

#ifdef __cplusplus
}
#endif

#endif /* SMPI_H */
