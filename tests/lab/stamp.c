/* LD_PRELOAD: stamps what a round of the daemon waits for and what it does then, into the file $EL_STAMP: 16 bytes
 * each, nanoseconds of MONOTONIC and a letter: 's' a sample was read (an admin command of a drive, its I/O counters),
 * 'd' a worker told that it is done, 'f' a round begins (the daemon looks whether its runtime directory has changed), 'k'
 * a thread is woken, 'w' a cap was written. The first 8 bytes of the file are the number of entries.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ROOM 200000
#define FDS  1024

struct entry {
    int64_t ns;
    int64_t what;
};

static struct {
    _Atomic int64_t n;
    int64_t unused;
    struct entry e[ROOM];
} * log_file;
static _Atomic char is_stat[FDS];

#define REAL(name)                                                                                                     \
    static __typeof__(&name) real;                                                                                     \
    if (!real)                                                                                                         \
    *(void **)&real = dlsym(RTLD_NEXT, #name)

static void stamp(int64_t what)
{
    struct timespec t;
    int64_t i;

    if (!log_file || (i = atomic_fetch_add(&log_file->n, 1)) >= ROOM)
        return;
    clock_gettime(CLOCK_MONOTONIC, &t);
    log_file->e[i] = (struct entry){t.tv_sec * 1000000000LL + t.tv_nsec, what};
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("EL_STAMP");
    int fd = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1;

    if (fd >= 0 && ftruncate(fd, sizeof *log_file) == 0) {
        void *map = mmap(NULL, sizeof *log_file, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

        log_file = map == MAP_FAILED ? NULL : map;
    }
    if (fd >= 0)
        close(fd);
}

int openat(int dir, const char *path, int flags, ...)
{
    va_list ap;
    mode_t mode;
    size_t n = strlen(path);
    int fd;

    REAL(openat);
    va_start(ap, flags);
    mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
    va_end(ap);
    fd = real(dir, path, flags, mode);
    if (fd >= 0 && fd < FDS)
        is_stat[fd] = n > 5 && strcmp(path + n - 5, "/stat") == 0;
    return fd;
}

ssize_t read(int fd, void *buffer, size_t n)
{
    ssize_t got;

    REAL(read);
    got = real(fd, buffer, n);
    if (fd >= 0 && fd < FDS && is_stat[fd])
        stamp('s');
    return got;
}

ssize_t pread(int fd, void *buffer, size_t n, off_t at)
{
    ssize_t got;

    REAL(pread);
    got = real(fd, buffer, n, at);
    if (fd >= 0 && fd < FDS && is_stat[fd])
        stamp('s');
    return got;
}

static int is_model(const char *text, size_t n)
{
    const char *space = n > 64 ? memchr(text, ' ', 24) : NULL;

    return space && memcmp(space, " ctrl=user model=linear ", 24) == 0;
}

ssize_t write(int fd, const void *text, size_t n)
{
    ssize_t put;

    REAL(write);
    put = real(fd, text, n);
    if (is_model(text, n))
        stamp('w');
    return put;
}

ssize_t pwrite(int fd, const void *text, size_t n, off_t at)
{
    ssize_t put;

    REAL(pwrite);
    put = real(fd, text, n, at);
    if (is_model(text, n))
        stamp('w');
    return put;
}

int ioctl(int fd, unsigned long request, ...)
{
    void *argument;
    va_list ap;
    int r;

    REAL(ioctl);
    va_start(ap, request);
    argument = va_arg(ap, void *);
    va_end(ap);
    r = real(fd, request, argument);
    if (request == NVME_IOCTL_ADMIN_CMD)
        stamp('s');
    return r;
}

int eventfd_write(int fd, eventfd_t value)
{
    REAL(eventfd_write);
    stamp('d');
    return real(fd, value);
}

int fstat(int fd, struct stat *out)
{
    int r;

    REAL(fstat);
    r = real(fd, out);
    if (r == 0 && S_ISDIR(out->st_mode)) /* the runtime directory: the only one that a round looks at */
        stamp('f');
    return r;
}

int pthread_cond_signal(pthread_cond_t *c)
{
    REAL(pthread_cond_signal);
    stamp('k');
    return real(c);
}
