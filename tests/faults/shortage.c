/* Preloaded into a program: of its own calls for memory or a descriptor (not of those of libraries, some of which
 * abort) the one whose number is in SHORTAGE fails, and says so. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

static uintptr_t from, to; /* the program's code */
static atomic_long left;

static int first_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            to = from + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *n = getenv("SHORTAGE");

    dl_iterate_phdr(first_object, NULL);
    left = n ? atol(n) : 0;
}

static bool fails(const void *caller, int error)
{
    static const char said[] = "shortage: felt\n";

    if ((uintptr_t)caller < from || (uintptr_t)caller >= to || left <= 0 || atomic_fetch_sub(&left, 1) != 1)
        return false;
    (void)!write(STDERR_FILENO, said, sizeof said - 1);
    errno = error;
    return true;
}

void *malloc(size_t n)
{
    return fails(__builtin_return_address(0), ENOMEM) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return fails(__builtin_return_address(0), ENOMEM) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return fails(__builtin_return_address(0), ENOMEM) ? NULL : __libc_realloc(p, n);
}

void *reallocarray(void *p, size_t n, size_t size)
{
    return fails(__builtin_return_address(0), ENOMEM) ? NULL : __libc_realloc(p, n * size);
}

char *strdup(const char *s)
{
    char *copy = fails(__builtin_return_address(0), ENOMEM) ? NULL : __libc_malloc(strlen(s) + 1);

    return copy ? strcpy(copy, s) : NULL;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int open(const char *path, int flags, ...)
{
    va_list ap;

    va_start(ap, flags);
    unsigned mode = flags & O_CREAT ? va_arg(ap, unsigned) : 0;
    va_end(ap);
    return fails(__builtin_return_address(0), EMFILE) ? -1 : NEXT(openat)(AT_FDCWD, path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
    va_list ap;

    va_start(ap, flags);
    unsigned mode = flags & O_CREAT ? va_arg(ap, unsigned) : 0;
    va_end(ap);
    return fails(__builtin_return_address(0), EMFILE) ? -1 : NEXT(openat)(dir, path, flags, mode);
}

int socket(int domain, int type, int protocol)
{
    return fails(__builtin_return_address(0), EMFILE) ? -1 : NEXT(socket)(domain, type, protocol);
}
