#include "exporter/self.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"

/* Since Linux 6.2 the directory's size tells; it is 0 before. */
static uint64_t open_descriptors(void)
{
    struct stat st;
    uint64_t n = 0;
    DIR *d;

    if (stat("/proc/self/fd", &st) == 0 && st.st_size > 0)
        return (uint64_t)st.st_size;
    d = opendir("/proc/self/fd");

    if (!d)
        return 0;
    while (readdir(d))
        n++;
    closedir(d);
    return n > 3 ? n - 3 : 0; /* ".", ".." and the one that is reading */
}

/* Pages: "size resident ..." */
static void memory(struct el_process_stats *out)
{
    unsigned long long size, resident;
    char line[128];

    if (el_file_read_line(AT_FDCWD, "/proc/self/statm", line, sizeof line) == 0 &&
        sscanf(line, "%llu %llu", &size, &resident) == 2) {
        out->vsz_bytes = size * (uint64_t)sysconf(_SC_PAGESIZE);
        out->rss_bytes = resident * (uint64_t)sysconf(_SC_PAGESIZE);
    }
}

void el_self_process(struct el_process_stats *out)
{
    static _Atomic int64_t start_realtime_us;
    struct rlimit l;

    if (!start_realtime_us)
        start_realtime_us = el_clock_realtime_us();
    *out = (struct el_process_stats){
        .cpu_us = el_clock_process_cpu_us(), .start_realtime_us = start_realtime_us, .open_fds = open_descriptors()};
    memory(out);
    if (getrlimit(RLIMIT_NOFILE, &l) == 0)
        out->max_fds = l.rlim_cur;
    if (getrlimit(RLIMIT_AS, &l) == 0 && l.rlim_cur != RLIM_INFINITY)
        out->vsz_max_bytes = l.rlim_cur;
}

void el_self_rejects(const struct el_http_counters *c, uint64_t rejects[EL_REJECT_COUNT])
{
    rejects[EL_REJECT_CONNECTIONS] = c->crowded_out + c->limited;
    rejects[EL_REJECT_TIMEOUT] = c->header_timeout + c->total_timeout;
    rejects[EL_REJECT_BAD_REQUEST] = c->bad_request + c->tls_failed;
    rejects[EL_REJECT_METHOD] = c->bad_method;
    rejects[EL_REJECT_NOT_FOUND] = c->not_found;
    rejects[EL_REJECT_UNAUTHORIZED] = c->unauthorized;
}
