#include "control/proc.h"

#include <dirent.h>
#include <sys/resource.h>

#include "base/clock.h"

static void memory(struct el_daemon *d)
{
    EL_AUTO_FCLOSE FILE *f = fopen("/proc/self/statm", "re");
    unsigned long long vsz, rss, page = (unsigned long long)sysconf(_SC_PAGESIZE);

    if (f && fscanf(f, "%llu %llu", &vsz, &rss) == 2) {
        d->vsz_bytes = vsz * page;
        d->rss_bytes = rss * page;
    }
}

static uint32_t entries(const char *path)
{
    DIR *dir = opendir(path);
    uint32_t n = 0;

    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n > 2 ? n - 2 : 0; /* . and .. */
}

void el_proc_self(struct el_daemon *d)
{
    struct rlimit l;
    uint32_t n;

    memory(d);
    if ((n = entries("/proc/self/fd")) > 0)
        d->open_fds = n - 1; /* less the one that looked */
    if ((n = entries("/proc/self/task")) > 0)
        d->threads = n;
    if (getrlimit(RLIMIT_NOFILE, &l) == 0)
        d->max_fds = l.rlim_cur == RLIM_INFINITY ? 0 : l.rlim_cur;
    d->process_cpu_us = el_clock_process_cpu_us();
}
