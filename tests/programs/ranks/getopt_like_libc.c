// smpi: ranks 2
// smpi: requires smpi
// smpi: expect-stdout 0: 20000 command lines parsed as libc does
// smpi: expect-stdout 1: 20000 command lines parsed as libc does
/* A rank's getopt_long against libc's own, which dlvsym still finds, on random options and arguments. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <getopt.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 8

typedef int Parse(int, char *const *, const char *, const struct option *, int *);

/* One parser with its variables. */
struct parser {
    Parse *parse;
    int *index, *letter, *messages;
    char **argument;
};

static const struct option options[] = {{"alpha", no_argument, NULL, 'a'},      {"beta", required_argument, NULL, 'b'},
                                        {"gamma", optional_argument, NULL, 'c'}, {"alpine", no_argument, NULL, 'A'},
                                        {"b", no_argument, NULL, 'B'},           {NULL, 0, NULL, 0}};
static const char *const words[] = {"-a",     "-b",      "-c",       "-ab",    "-bx",     "-cy",  "-abc", "-acb",
                                    "-q",     "-",       "--",       "plain",  "other",   "--al", "--alpha", "--beta",
                                    "--be=1", "--gamma", "--gamma=", "--al=1", "--alp=2", "--b",  "--none",  "-Wx"};
static const char *const letters[] = {"ab:c::", "+ab:c::", "-ab:c::", ":ab:c::", "+:a:bc", "", "-:abc"};

/* Writes everything that a parser does with a command line to `record`. */
static void run(const struct parser *parser, int count, char **arguments, const char *short_options, char *record)
{
    int option, which;
    char *end = record;
    *parser->index = 0;
    *parser->messages = 0;
    *parser->letter = 0;
    for (int calls = 0; calls < 30; calls++) {
        which = -1;
        option = parser->parse(count, arguments, short_options, options, &which);
        end += sprintf(end, "%d@%d:%d/%d=%s ", option, *parser->index, which, option == '?' ? *parser->letter : 0,
                       *parser->argument ? *parser->argument : "(null)");
        if (option == -1)
            break;
    }
    for (int i = 0; i < count; i++)
        end += sprintf(end, "%s,", arguments[i]);
}

int main(int argc, char **argv)
{
    static char ours[4000], theirs[4000];
    int rank, same = 0;
    void *libc = dlopen("libc.so.6", RTLD_NOW);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* As with the dynamic linker, libc's variables are the program's. */
    struct parser own = {(Parse *)(void *)getopt_long, &optind, &optopt, &opterr, &optarg}, real = own;
    srand(5 + (unsigned)rank);
    for (int i = 0; i < 20000; i++) {
        int only = rand() % 2;
        char *mine[MOST + 2] = {"program"}, *yours[MOST + 2] = {"program"};
        int count = 1 + rand() % MOST;
        const char *short_options = letters[rand() % (int)(sizeof letters / sizeof *letters)];
        for (int w = 1; w < count; w++)
            mine[w] = yours[w] = (char *)words[rand() % (int)(sizeof words / sizeof *words)];
        own.parse = only ? (Parse *)(void *)getopt_long_only : (Parse *)(void *)getopt_long;
        *(void **)&real.parse = dlvsym(libc, only ? "getopt_long_only" : "getopt_long", "GLIBC_2.2.5");
        run(&own, count, mine, short_options, ours);
        run(&real, count, yours, short_options, theirs);
        if (strcmp(ours, theirs) == 0)
            same++;
        else if (same == i) {
            printf("%d: \"%s\"%s differs\n  ours %s\n  libc %s\n", rank, short_options, only ? " only" : "", ours, theirs);
        }
    }
    printf("%d: %d command lines parsed as libc does\n", rank, same);
    MPI_Finalize();
    return 0;
}
