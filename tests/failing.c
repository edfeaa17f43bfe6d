/* An allocator that fails when it is told to: the one way to see what the program does without
 * memory, at each of the places where it can happen.
 *
 * It stands in front of the real malloc, calloc and realloc, and so also under what the C library
 * allocates for us (open_memstream, fopen, strdup). A test that links it drives it by the functions
 * of failing.h. As a shared library before a whole program (LD_PRELOAD) it is told by FAIL_AT=N that
 * the N-th allocation fails, with FAIL_ALL=1 all after it too, and with FAIL_OURS=1 that only those
 * count that the program itself asks for; FAIL_LOG names a file that takes a line with how many there
 * were, whether one failed, the most bytes held at once, the largest piece, and what is left. */
#define _GNU_SOURCE 1
#include "failing.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A sanitizer has an allocator of its own in front already, which cannot be pushed back: there the
 * linker gives us the calls of our own objects (--wrap), and leaks are the sanitizer's business. */
#ifdef FAILING_WRAPPED
void *__real_malloc(size_t size);
void *__real_calloc(size_t number, size_t size);
void *__real_realloc(void *piece, size_t size);
void __real_free(void *piece);
static void *(*real_malloc)(size_t) = __real_malloc;
static void *(*real_calloc)(size_t, size_t) = __real_calloc;
static void *(*real_realloc)(void *, size_t) = __real_realloc;
static void (*real_free)(void *) = __real_free;
#define malloc __wrap_malloc
#define calloc __wrap_calloc
#define realloc __wrap_realloc
#define free __wrap_free
#else
static void *(*real_malloc)(size_t);
static void *(*real_calloc)(size_t, size_t);
static void *(*real_realloc)(void *, size_t);
static void (*real_free)(void *);
#endif

static atomic_long count, fail_at, failed, held, live, most, largest;
static bool is_all, is_ours;
static uintptr_t own_start, own_end; /* the program's code, where only its allocations count */

/* What dlsym itself needs before there is anything to call; never freed. */
static char early[16384];
static atomic_size_t early_used;

static void *take_early(size_t size)
{
    size_t at = atomic_fetch_add(&early_used, (size + 15) / 16 * 16);
    return at + size <= sizeof early ? early + at : NULL;
}

static bool is_early(const void *piece)
{
    return (const char *)piece >= early && (const char *)piece < early + sizeof early;
}

static void find_real(void)
{
    static bool is_finding;

    if (is_finding)
        return;
    is_finding = true;
    *(void **)&real_calloc = dlsym(RTLD_NEXT, "calloc");
    *(void **)&real_realloc = dlsym(RTLD_NEXT, "realloc");
    *(void **)&real_free = dlsym(RTLD_NEXT, "free");
    *(void **)&real_malloc = dlsym(RTLD_NEXT, "malloc");
    is_finding = false;
}

/* Is this the one that has to fail? */
static bool fails(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;

    if (is_ours && (at < own_start || at >= own_end))
        return false;
    long number = atomic_fetch_add(&count, 1) + 1, wanted = atomic_load(&fail_at);
    if (wanted == 0 || (is_all ? number < wanted : number != wanted))
        return false;
    atomic_fetch_add(&failed, 1);
    errno = ENOMEM;
    return true;
}

static void raise_to(atomic_long *bound, long value)
{
    long now = atomic_load(bound);

    while (value > now && !atomic_compare_exchange_weak(bound, &now, value))
        ;
}

static void *note(void *piece, size_t size)
{
    if (piece != NULL) {
        atomic_fetch_add(&live, 1);
        raise_to(&most, atomic_fetch_add(&held, (long)malloc_usable_size(piece)) +
                            (long)malloc_usable_size(piece));
        raise_to(&largest, (long)size);
    }
    return piece;
}

static void forget(void *piece)
{
    if (piece != NULL) {
        atomic_fetch_sub(&live, 1);
        atomic_fetch_sub(&held, (long)malloc_usable_size(piece));
    }
}

void *malloc(size_t size)
{
    if (real_malloc == NULL)
        find_real();
    if (real_malloc == NULL)
        return take_early(size);
    return fails(__builtin_return_address(0)) ? NULL : note(real_malloc(size), size);
}

void *calloc(size_t number, size_t size)
{
    if (real_malloc == NULL)
        find_real();
    if (real_malloc == NULL)
        return take_early(number * size);
    return fails(__builtin_return_address(0)) ? NULL : note(real_calloc(number, size), number * size);
}

void *realloc(void *piece, size_t size)
{
    if (real_malloc == NULL)
        find_real();
    if (is_early(piece) || real_malloc == NULL) {
        void *moved = malloc(size);
        if (moved != NULL && piece != NULL)
            memcpy(moved, piece, size); /* of what is early there is enough behind it */
        return moved;
    }
    if (fails(__builtin_return_address(0)))
        return NULL;
    size_t old = piece == NULL ? 0 : malloc_usable_size(piece);
    void *moved = real_realloc(piece, size);
    if (moved == NULL)
        return NULL;
    if (piece != NULL) {
        atomic_fetch_sub(&live, 1);
        atomic_fetch_sub(&held, (long)old);
    }
    return note(moved, size);
}

void free(void *piece)
{
    if (is_early(piece))
        return;
    if (real_malloc == NULL)
        find_real();
    forget(piece);
    real_free(piece);
}

/* ---- for tests that link it ---- */

void failing_start(long at, bool all)
{
    is_all = all;
    atomic_store(&count, 0);
    atomic_store(&failed, 0);
    atomic_store(&fail_at, at);
}

bool failing_stop(void)
{
    atomic_store(&fail_at, 0);
    return atomic_load(&failed) > 0;
}

long failing_live(void)
{
#ifdef FAILING_WRAPPED
    return 0;
#else
    return atomic_load(&live);
#endif
}

/* ---- for whole programs ---- */

/* The code of the program itself: the first mapping of its file that can be run. */
static void find_own(void)
{
    static char line[1024];
    char own[512];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    FILE *maps = fopen("/proc/self/maps", "r");

    own[length > 0 ? length : 0] = '\0';
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        unsigned long start, end;
        char mode[8];
        if (sscanf(line, "%lx-%lx %7s", &start, &end, mode) == 3 && strchr(mode, 'x') != NULL &&
            strstr(line, own) != NULL) {
            own_start = start;
            own_end = end;
        }
    }
    if (maps != NULL)
        fclose(maps);
}

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("FAIL_AT"), *ours = getenv("FAIL_OURS");

    if (ours != NULL)
        find_own();
    is_ours = ours != NULL;
    failing_start(at == NULL ? 0 : strtol(at, NULL, 10), getenv("FAIL_ALL") != NULL);
}

__attribute__((destructor)) static void end(void)
{
    const char *log = getenv("FAIL_LOG");
    char line[160];
    int file;

    atomic_store(&fail_at, 0);
    if (log == NULL || (file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600)) < 0)
        return;
    int length = snprintf(line, sizeof line, "%ld %ld %ld %ld %ld\n", atomic_load(&count),
                          atomic_load(&failed), atomic_load(&most), atomic_load(&largest),
                          atomic_load(&live));
    if (write(file, line, (size_t)length) != length)
        abort();
    close(file);
}
