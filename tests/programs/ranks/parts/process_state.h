/* What POSIX, C11 and glibc keep once for a process, as a table: each row puts something there that depends on a value,
   and looks whether it still is there. The rows follow the chapters of the GNU C Library Reference Manual.

   A row is ROW(name, what puts the value V there, whether it is there). */
#define _REGEX_RE_COMP
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <fenv.h>
#include <getopt.h>
#include <grp.h>
#include <libintl.h>
#include <locale.h>
#include <math.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <obstack.h>
#include <argp.h>
#include <printf.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <syslog.h>
#include <time.h>
#include <uchar.h>
#include <unistd.h>
#include <wchar.h>
#include <wordexp.h>

static char kept_text[64];
static void *kept_pointer;

/* Keeps what a function has returned, and what that is when it returns. */
static void keep(char *text)
{
    kept_pointer = text;
    snprintf(kept_text, sizeof kept_text, "%s", text);
}

static int is_kept(void)
{
    return strcmp(kept_pointer, kept_text) == 0;
}

static void handle_nothing(int signal)
{
    (void)signal;
}

static int print_value(FILE *stream, const struct printf_info *info, const void *const *arguments)
{
    (void)info;
    return fprintf(stream, "<%d>", *(const int *)arguments[0]);
}

static int print_square(FILE *stream, const struct printf_info *info, const void *const *arguments)
{
    int value = *(const int *)arguments[0];
    (void)info;
    return fprintf(stream, "[%d]", value * value);
}

static int one_argument(const struct printf_info *info, size_t count, int *types, int *size)
{
    (void)info;
    if (count > 0) {
        types[0] = PA_INT;
        size[0] = sizeof(int);
    }
    return 1;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
static int prints_as(int value, const char *wanted)
{
    char text[32];
    (void)value;
    snprintf(text, sizeof text, "%Y", 3);
    return strcmp(text, wanted) == 0;
}
#pragma GCC diagnostic pop

static int file_number(int descriptor)
{
    struct stat about;
    return fstat(descriptor, &about) == 0 ? (int)about.st_ino : -1;
}

static int number_of_path(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? (int)about.st_ino : -2;
}

static const char *path_of(int v)
{
    return v % 2 ? "/dev/null" : "/dev/full";
}

static const char *zone_of(int v)
{
    static const char *const ZONES[] = {"AAA1", "BBB2", "CCC3", "DDD4"};
    return ZONES[v % 4];
}

static int hour_in_zone(void)
{
    time_t start = 86400;
    return localtime(&start)->tm_hour;
}

static int expands_to(const char *text, const char *wanted)
{
    wordexp_t words;
    int same = wordexp(text, &words, 0) == 0 && words.we_wordc == 1 && strcmp(words.we_wordv[0], wanted) == 0;
    wordfree(&words);
    return same;
}

static char *named(const char *what, int v)
{
    static char text[8][32];
    snprintf(text[v % 8], sizeof text[0], "%s%d", what, v % 8);
    return text[v % 8];
}

static int place_of_passwd(int step)
{
    struct passwd *entry = getpwent();
    return entry ? (int)entry->pw_uid : -step;
}

static int nth_user(int n)
{
    int user = -1;
    struct passwd entry, *found;
    char text[4096];
    FILE *file = fopen("/etc/passwd", "r");
    for (int i = 0; file && i <= n && fgetpwent_r(file, &entry, text, sizeof text, &found) == 0; i++)
        user = (int)found->pw_uid;
    if (file)
        fclose(file);
    return user;
}

static int in_table(const char *key)
{
    ENTRY wanted = {(char *)key, NULL};
    return hsearch(wanted, FIND) != NULL;
}

#define FEATURES ((int[]){FE_INVALID, FE_DIVBYZERO, FE_OVERFLOW, FE_UNDERFLOW, FE_INEXACT})
#define TEXT_OF(v) ((const char *[]){"zero", "one", "two", "three"}[(v) % 4])

#define ROWS(ROW)                                                                                                      \
    /* 2 Errors */                                                                                                     \
    ROW(errno, errno = 10 + v, errno == 10 + v)                                                                        \
    ROW(strerror, keep(strerror(1000 + v)), is_kept())                                                                 \
    ROW(program_invocation_name, program_invocation_name = named("program", v),                                        \
        strcmp(program_invocation_name, named("program", v)) == 0)                                                     \
    ROW(error_message_count, error_message_count = (unsigned)v, error_message_count == (unsigned)v)                    \
    ROW(error_one_per_line, error_one_per_line = v, error_one_per_line == v)                                           \
    /* 3 Memory */                                                                                                     \
    ROW(obstack_exit_failure, obstack_exit_failure = v, obstack_exit_failure == v)                                     \
    /* 5 Strings */                                                                                                    \
    ROW(strtok, ({ strcpy(kept_text, v % 2 ? "a b" : "a c"); strtok(kept_text, " "); }),                                 \
        ({ char *next = strtok(NULL, " "); next == kept_text + 2 && *next == (v % 2 ? 'b' : 'c'); }))                  \
    ROW(l64a, keep(l64a(1000 + v)), is_kept())                                                                         \
    /* 6 Characters */                                                                                                 \
    ROW(mbtowc, ({ setlocale(LC_ALL, "C.UTF-8"); mbtowc(NULL, NULL, 0); if (v % 2) mbtowc(NULL, "\xc3", 1); }),          \
        mbtowc(NULL, "\xa4", 1) == (v % 2 ? 1 : -1) && (mbtowc(NULL, NULL, 0) || 1)                                    \
            && (v % 2 == 0 || mbtowc(NULL, "\xc3", 1) == -1))                                                          \
    ROW(mbrtowc, ({ setlocale(LC_ALL, "C.UTF-8"); mbrtowc(NULL, "\xa4", 1, NULL); if (v % 2) mbrtowc(NULL, "\xc3", 1, NULL); }), \
        mbrtowc(NULL, "\xa4", 1, NULL) == (v % 2 ? (size_t)1 : (size_t)-1)                                             \
            && (v % 2 == 0 || mbrtowc(NULL, "\xc3", 1, NULL) == (size_t)-2))                                           \
    /* 7 Locales */                                                                                                    \
    ROW(setlocale, setlocale(LC_ALL, v % 2 ? "C.UTF-8" : "C"), MB_CUR_MAX == (v % 2 ? 6 : 1))                          \
    /* 8 Messages */                                                                                                   \
    ROW(textdomain, textdomain(named("domain", v)), strcmp(textdomain(NULL), named("domain", v)) == 0)                 \
    /* 9 Searching */                                                                                                  \
    ROW(hsearch, ({ ENTRY entry = {named("key", v), NULL}; hdestroy(); hcreate(8); hsearch(entry, ENTER); }),            \
        in_table(named("key", v)) && !in_table(named("key", v + 1)))                                                   \
    /* 10 Patterns */                                                                                                  \
    ROW(re_syntax_options, re_set_syntax((reg_syntax_t)v), re_syntax_options == (reg_syntax_t)v)                       \
    ROW(re_comp, re_comp(TEXT_OF(v)), re_exec(TEXT_OF(v)) == 1 && re_exec(TEXT_OF(v + 1)) == 0)                        \
    /* 12 to 14 Streams, descriptors, file system */                                                                   \
    ROW(register_printf_specifier, register_printf_specifier('Y', v % 2 ? print_value : print_square, one_argument),   \
        prints_as(v, v % 2 ? "<3>" : "[9]"))                                                                           \
    ROW(stdin, stdin = v % 2 ? fopen("/dev/null", "r") : fopen("/dev/zero", "r"), getchar() == (v % 2 ? EOF : 0))      \
    ROW(freopen, freopen(path_of(v), "r", stderr), file_number(2) == number_of_path(path_of(v)))                       \
    ROW(dup2, ({ int f = open(path_of(v), O_RDONLY); dup2(f, 0); close(f); }), file_number(0) == number_of_path(path_of(v))) \
    ROW(umask, umask((mode_t)v), umask((mode_t)v) == (mode_t)v)                                                        \
    ROW(chdir, chdir(v % 2 ? "/dev" : "/proc"), strcmp(getcwd(kept_text, sizeof kept_text), v % 2 ? "/dev" : "/proc") == 0) \
    /* 16 Sockets and hosts */                                                                                         \
    ROW(inet_ntoa, ({ struct in_addr address = {htonl(0x7f000000u + (unsigned)v)}; keep(inet_ntoa(address)); }), is_kept()) \
    ROW(ether_ntoa, ({ struct ether_addr address = {{1, 2, 3, 4, 5, (unsigned char)v}}; keep(ether_ntoa(&address)); }), is_kept()) \
    ROW(h_errno, h_errno = v, h_errno == v)                                                                            \
    /* 18 Logs */                                                                                                      \
    ROW(setlogmask, setlogmask(v + 1), setlogmask(0) == v + 1)                                                         \
    /* 19, 20 Numbers */                                                                                               \
    ROW(signgam, ({ volatile double x = v % 2 ? -0.5 : 0.5; (void)lgamma(x); }), signgam == (v % 2 ? -1 : 1))            \
    ROW(rand, ({ srand((unsigned)v); kept_pointer = (void *)(size_t)rand(); srand((unsigned)v); }),                      \
        rand() == (int)(size_t)kept_pointer && (srand((unsigned)v), 1))                                                \
    ROW(drand48, ({ srand48(v); kept_pointer = (void *)(size_t)lrand48(); srand48(v); }),                                \
        lrand48() == (long)(size_t)kept_pointer && (srand48(v), 1))                                                    \
    ROW(rounding, fesetround(v % 2 ? FE_UPWARD : FE_DOWNWARD), fegetround() == (v % 2 ? FE_UPWARD : FE_DOWNWARD))      \
    ROW(flags, ({ feclearexcept(FE_ALL_EXCEPT); feraiseexcept(FEATURES[v % 4]); }),                                      \
        fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW) == FEATURES[v % 4])                       \
    ROW(fcvt, ({ int point, sign; keep(fcvt(1.5 + v, 3, &point, &sign)); }), is_kept())                                  \
    ROW(ecvt, ({ int point, sign; keep(ecvt(1.5 + v, 3, &point, &sign)); }), is_kept())                                  \
    /* 21 Time */                                                                                                      \
    ROW(gmtime, ({ time_t t = 86400L * v; kept_pointer = gmtime(&t); }), ((struct tm *)kept_pointer)->tm_yday == v)      \
    ROW(asctime, ({ struct tm day = {.tm_mday = 1 + v, .tm_year = 70}; keep(asctime(&day)); }), is_kept())               \
    ROW(TZ, setenv("TZ", zone_of(v), 1), hour_in_zone() == 23 - v % 4)                                                 \
    ROW(tzname, ({ setenv("TZ", zone_of(v), 1); tzset(); }), strncmp(tzname[0], zone_of(v), 3) == 0)                     \
    ROW(timezone, ({ setenv("TZ", zone_of(v), 1); tzset(); }), timezone == 3600 * (1 + v % 4))                           \
    ROW(getdate_err, getdate_err = v, getdate_err == v)                                                                \
    /* 24 Signals */                                                                                                   \
    ROW(sigaction, signal(SIGUSR1, v % 2 ? handle_nothing : SIG_IGN),                                                  \
        signal(SIGUSR1, v % 2 ? handle_nothing : SIG_IGN) == (v % 2 ? handle_nothing : SIG_IGN))                       \
    ROW(sigmask, ({ sigset_t set; sigemptyset(&set); sigaddset(&set, SIGUSR1 + 2 * (v % 2)); sigprocmask(SIG_SETMASK, &set, NULL); }), \
        ({ sigset_t set; sigprocmask(SIG_SETMASK, NULL, &set); sigismember(&set, SIGUSR1 + 2 * (v % 2)) == 1; }))      \
    ROW(strsignal, keep(strsignal(100 + v)), is_kept())                                                                \
    /* 25, 26 Programs and processes */                                                                                \
    ROW(optind, ({ optind = 10 + v; opterr = v; }), optind == 10 + v && opterr == v)                                     \
    ROW(argp_err_exit_status, argp_err_exit_status = v, argp_err_exit_status == v)                                     \
    ROW(getenv, setenv("PROCESS_STATE", named("value", v), 1), strcmp(getenv("PROCESS_STATE"), named("value", v)) == 0) \
    ROW(wordexp, setenv("PROCESS_STATE", named("word", v), 1), expands_to("$PROCESS_STATE", named("word", v)))         \
    ROW(HOME, setenv("HOME", named("/home", v), 1), expands_to("~", named("/home", v)))                                \
    /* 22 Resources */                                                                                                 \
    ROW(setrlimit, ({ struct rlimit l; getrlimit(RLIMIT_CORE, &l); l.rlim_cur = 0; setrlimit(RLIMIT_CORE, &l); getrlimit(RLIMIT_FSIZE, &l); l.rlim_cur = 1u << (20 + v % 8); setrlimit(RLIMIT_FSIZE, &l); }), \
        ({ struct rlimit l; getrlimit(RLIMIT_FSIZE, &l); l.rlim_cur == 1u << (20 + v % 8); }))                         \
    ROW(setpriority, setpriority(PRIO_PROCESS, 0, 5 + v % 8), getpriority(PRIO_PROCESS, 0) == 5 + v % 8)               \
    ROW(prctl, prctl(PR_SET_NAME, named("name", v)),                                                                   \
        ({ char name[17] = ""; prctl(PR_GET_NAME, name); strcmp(name, named("name", v)) == 0; }))                      \
    /* 30 Users and groups */                                                                                          \
    ROW(getpwuid, kept_pointer = getpwuid(v % 2 ? 0 : 1), ((struct passwd *)kept_pointer)->pw_uid == (v % 2 ? 0u : 1u)) \
    ROW(getgrgid, kept_pointer = getgrgid(v % 2 ? 0 : 1), ((struct group *)kept_pointer)->gr_gid == (v % 2 ? 0u : 1u)) \
    ROW(getpwent, ({ setpwent(); for (int i = 0; i < v % 4; i++) getpwent(); }), place_of_passwd(1) == nth_user(v % 4))   \
    /* Dynamic linking */                                                                                              \
    ROW(dlerror, dlopen(named("/nowhere", v), RTLD_NOW),                                                               \
        ({ const char *text = dlerror(); text && strncmp(text, named("/nowhere", v), 9) == 0; }))

#define ROW(name, put, is_there)                                                                                       \
    static void put_##name(int v)                                                                                      \
    {                                                                                                                  \
        (void)v;                                                                                                       \
        (void)(put);                                                                                                   \
    }                                                                                                                  \
    static int is_there_##name(int v)                                                                                  \
    {                                                                                                                  \
        (void)v;                                                                                                       \
        return (is_there);                                                                                             \
    }
ROWS(ROW)
#undef ROW

static const struct row {
    const char *name;
    void (*put)(int value);
    int (*is_there)(int value);
} TABLE[] = {
#define ROW(name, put, is_there) {#name, put_##name, is_there_##name},
    ROWS(ROW)
#undef ROW
};

enum { COUNT = sizeof TABLE / sizeof TABLE[0] };
