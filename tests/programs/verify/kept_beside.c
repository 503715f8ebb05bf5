/* What a rank has done beside its memory when a choice is made, it has done just so often in every execution: a handler
 * for its end, a signal that waits, a stack for handlers, a group of options of which some are read, random bytes, a
 * value under a key, a stream of wide characters. */
/* smpi: ranks 3 */
/* smpi: args -abc -d e */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-executions zero=2 infinite=2 */
#define _GNU_SOURCE
#include "parts/choices.h"
#include <pthread.h>
#include <signal.h>
#include <sys/random.h>
#include <unistd.h>
#include <wchar.h>

static int ended, counted;
static volatile sig_atomic_t handled;
static char **arguments;

static void note(int signal) { handled += signal == SIGUSR1; }

static void end(void) {
    ended++;
    assert(ended <= counted);
}

/* A handler more, and it is the only one that was added. */
static void add_end(void) {
    counted++;
    atexit(end);
}

static int is_pending(int signal) {
    sigset_t set;
    sigpending(&set);
    return sigismember(&set, signal);
}

static void stack_of(size_t size) {
    static char memory[1 << 16];
    stack_t stack = {.ss_sp = memory, .ss_size = size};
    assert(sigaltstack(&stack, NULL) == 0);
}

static size_t stack_now(void) {
    stack_t stack;
    sigaltstack(NULL, &stack);
    return stack.ss_flags & SS_DISABLE ? 0 : stack.ss_size;
}

static int option(void) { return getopt(4, arguments, "abcd"); }

static void work(int rank) {
    sigset_t set;
    char bytes[16];
    pthread_key_t key;
    (void)rank;
    signal(SIGUSR1, note);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    assert(pthread_key_create(&key, NULL) == 0 && pthread_setspecific(key, bytes) == 0);
    add_end();
    stack_of(1 << 14);
    assert(option() == 'a');
    raise(SIGUSR1);
    int first = receive();
    assert(is_pending(SIGUSR1) && !is_pending(SIGUSR2) && stack_now() == 1 << 14 && counted == 1 && handled == 0);
    assert(option() == 'b' && pthread_getspecific(key) == bytes && fwide(stdout, 0) == 0);
    pthread_setspecific(key, first == 1 ? &own_file : NULL);
    fwide(stdout, first == 1 ? 1 : -1);
    add_end();
    stack_of(1 << 15);
    assert(getrandom(bytes, sizeof bytes, 0) == sizeof bytes);
    signal(SIGUSR2, SIG_IGN);
    signal(SIGUSR2, SIG_DFL);
    if (first == 1)
        raise(SIGUSR2);
    sigdelset(&set, SIGUSR2);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    assert(handled == 1 && !is_pending(SIGUSR1) && is_pending(SIGUSR2) == (first == 1));
    receive();
    assert(handled == 1 && !is_pending(SIGUSR1) && is_pending(SIGUSR2) == (first == 1));
    assert(option() == 'c' && option() == 'd' && option() == -1 && stack_now() == 1 << 15 && counted == 2);
    /* Whoever ignores a signal has none that waits (POSIX.1-2017 §2.4.3). */
    signal(SIGUSR2, SIG_IGN);
    assert(!is_pending(SIGUSR2));
}

int main(int argc, char **argv) {
    arguments = argv;
    return choices(&argc, &argv, work);
}
