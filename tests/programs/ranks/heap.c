// smpi: ranks 4
// smpi: twice
// smpi: shuffled
// smpi: expect-stdout 0: ok
// smpi: expect-stdout 1: ok
// smpi: expect-stdout 2: ok
// smpi: expect-stdout 3: ok
/* The whole malloc family, with contents that must survive other ranks' use of theirs. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS 200

static int rank, failures;

static void check(int condition, const char *what)
{
    if (!condition) {
        failures++;
        printf("%d: failed: %s\n", rank, what);
    }
}

static int all_are(const unsigned char *block, size_t size, int value)
{
    for (size_t i = 0; i < size; i++)
        if (block[i] != value)
            return 0;
    return 1;
}

static void many_blocks(void)
{
    unsigned char *blocks[BLOCKS];
    size_t sizes[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        sizes[i] = (size_t)((i * 7919 + rank * 31) % 5000) + 1;
        blocks[i] = malloc(sizes[i]);
        memset(blocks[i], i + rank, sizes[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < BLOCKS; i += 2)
        free(blocks[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < BLOCKS; i += 2) {
        blocks[i] = calloc(sizes[i], 1);
        check(all_are(blocks[i], sizes[i], 0), "calloc gives zeros");
    }
    for (int i = 1; i < BLOCKS; i += 2) {
        check(all_are(blocks[i], sizes[i], (unsigned char)(i + rank)), "blocks keep their contents");
        blocks[i] = realloc(blocks[i], sizes[i] * 3);
        check(all_are(blocks[i], sizes[i], (unsigned char)(i + rank)), "realloc keeps the contents");
    }
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);
}

static void aligned(void)
{
    for (size_t align = 16; align <= 65536; align *= 2) {
        void *block = NULL, *other = aligned_alloc(align, 3 * align), *third = memalign(align, 10);
        check(posix_memalign(&block, align, 100) == 0, "posix_memalign");
        check((uintptr_t)block % align == 0 && (uintptr_t)other % align == 0 && (uintptr_t)third % align == 0, "alignment");
        check(malloc_usable_size(block) >= 100, "usable size");
        memset(other, 1, 3 * align);
        free(block);
        free(other);
        free(third);
    }
    void *block = NULL;
    check(posix_memalign(&block, 24, 10) == EINVAL, "posix_memalign refuses odd alignments");
    block = valloc(10);
    check((uintptr_t)block % 4096 == 0, "valloc");
    free(block);
}

static void large(void)
{
    size_t size = 40u << 20;
    unsigned char *block = malloc(size), *bigger;
    block[0] = 1;
    block[size - 1] = (unsigned char)rank;
    MPI_Barrier(MPI_COMM_WORLD);
    bigger = realloc(block, 2 * size);
    check(bigger[0] == 1 && bigger[size - 1] == rank, "large blocks grow with their contents");
    free(bigger);
    block = calloc(size, 1);
    check(block[0] == 0 && block[size - 1] == 0, "large calloc");
    free(block);
}

/* Blocks that libc allocates for the program. */
static void of_libc(void)
{
    char *copy = strdup("a string"), *printed = NULL, *line = NULL, *memory = NULL;
    size_t length = 0, memory_length = 0;
    FILE *file = tmpfile(), *stream = open_memstream(&memory, &memory_length);
    check(asprintf(&printed, "%d and %s", rank, copy) > 0, "asprintf");
    fprintf(file, "%s\n%2000d\n", printed, rank);
    rewind(file);
    MPI_Barrier(MPI_COMM_WORLD);
    check(getline(&line, &length, file) > 0 && strncmp(line, printed, strlen(printed)) == 0, "getline");
    check(getline(&line, &length, file) == 2001, "getline of a longer line");
    fprintf(stream, "rank %d", rank);
    fclose(stream);
    check(memory_length == 6 && memory[5] == '0' + rank, "open_memstream");
    copy = realloc(copy, 1000);
    check(strcmp(copy, "a string") == 0, "realloc of strdup");
    free(copy);
    free(printed);
    free(line);
    free(memory);
    fclose(file);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    many_blocks();
    aligned();
    large();
    of_libc();
    free(NULL);
    volatile size_t too_much = SIZE_MAX - 10;
    errno = 0;
    check(malloc(too_much) == NULL && errno == ENOMEM, "malloc of too much");
    check(calloc(too_much / 2, 3) == NULL, "calloc of too much");
    printf("%d: %s\n", rank, failures ? "failed" : "ok");
    MPI_Finalize();
    return failures != 0;
}
