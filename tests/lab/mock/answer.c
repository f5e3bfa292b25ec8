/* LD_PRELOAD: answers NVMe admin ioctls on /dev/nvmeN from files, so that the unmodified libnvme meets drives that QEMU
 * does not have. Below $EL_MOCK/nvmeN/:
 *
 *   identify.bin smart.bin log-XX.bin   pages; a missing one is refused
 *   feature-XX                          dword 0 of a feature, a number; Set Features writes it back; a missing one is
 *                                       refused
 *   refuse-set-XX                       Set Features is refused; ignore-set-XX: it succeeds and changes nothing
 *   kill-before-XX, kill-after-XX       whoever sends Set Features is killed before it reaches the drive, or after
 *   errno                               every command fails with this number
 *   status                              every command ends with this NVMe status
 *   hang                                commands wait until it is gone
 *   commands                            written: one line per command, "opcode dword10 dword11"
 *   refusals                            written: how many commands ended with a status; SMART tells it as error log entries
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { GET_LOG = 0x02, IDENTIFY = 0x06, SET_FEATURES = 0x09, GET_FEATURES = 0x0a };
enum { INVALID_FIELD = 0x2, INVALID_LOG = 0x109, NOT_CHANGEABLE = 0x10e, DO_NOT_RETRY = 0x4000 };

static void path_of(char out[256], const char *drive, const char *name)
{
    const char *root = getenv("EL_MOCK");

    snprintf(out, 256, "%s/%s/%s", root ? root : "/nonexistent", drive, name);
}

static int there(const char *drive, const char *name)
{
    char path[256];

    path_of(path, drive, name);
    return access(path, F_OK) == 0;
}

static int number(const char *drive, const char *name, unsigned *out)
{
    char path[256];
    FILE *f;
    int ok;

    path_of(path, drive, name);
    f = fopen(path, "re");
    ok = f && fscanf(f, "%u", out) == 1;
    if (f)
        fclose(f);
    return ok;
}

static void put_number(const char *drive, const char *name, unsigned v)
{
    char path[256];
    FILE *f;

    path_of(path, drive, name);
    f = fopen(path, "we");
    if (f) {
        fprintf(f, "%u\n", v);
        fclose(f);
    }
}

static void note(const char *drive, const struct nvme_passthru_cmd *c)
{
    char path[256], line[64];
    int fd;

    path_of(path, drive, "commands");
    fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (fd >= 0) {
        (void)!write(fd, line, (size_t)snprintf(line, sizeof line, "%02x %08x %08x\n", c->opcode, c->cdw10, c->cdw11));
        close(fd);
    }
}

static void count_refusal(const char *drive)
{
    unsigned n = 0;

    (void)number(drive, "refusals", &n);
    put_number(drive, "refusals", n + 1);
}

/* Bytes 176 and on of a SMART page: what is in the file, and a strict drive's own refusals. */
static void add_refusals(const char *drive, uint8_t *smart)
{
    unsigned n;
    uint64_t entries;

    if (!number(drive, "refusals", &n))
        return;
    memcpy(&entries, smart + 176, sizeof entries);
    entries += n;
    memcpy(smart + 176, &entries, sizeof entries);
}

static int page(const char *drive, const char *name, const struct nvme_passthru_cmd *c, int missing)
{
    char path[256];
    int fd;

    path_of(path, drive, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return missing | DO_NOT_RETRY;
    memset((void *)(uintptr_t)c->addr, 0, c->data_len);
    (void)!read(fd, (void *)(uintptr_t)c->addr, c->data_len);
    close(fd);
    return 0;
}

static int feature(const char *drive, struct nvme_passthru_cmd *c)
{
    char name[32];
    unsigned fid = c->cdw10 & 0xff, v;

    snprintf(name, sizeof name, "feature-%02x", fid);
    if (!number(drive, name, &v))
        return INVALID_FIELD | DO_NOT_RETRY;
    c->result = v;
    if (c->opcode == GET_FEATURES)
        return 0;
    snprintf(name, sizeof name, "refuse-set-%02x", fid);
    if (there(drive, name))
        return NOT_CHANGEABLE | DO_NOT_RETRY;
    snprintf(name, sizeof name, "ignore-set-%02x", fid);
    if (there(drive, name))
        return 0;
    snprintf(name, sizeof name, "kill-before-%02x", fid);
    if (there(drive, name))
        kill(getpid(), SIGKILL);
    snprintf(name, sizeof name, "feature-%02x", fid);
    put_number(drive, name, c->cdw11);
    snprintf(name, sizeof name, "kill-after-%02x", fid);
    if (there(drive, name))
        kill(getpid(), SIGKILL);
    return 0;
}

static int carry_out(const char *drive, struct nvme_passthru_cmd *c)
{
    char name[32];
    unsigned v;
    while (there(drive, "hang"))
        usleep(20000);
    if (number(drive, "errno", &v)) {
        errno = (int)v;
        return -1;
    }
    if (number(drive, "status", &v))
        return (int)v;
    if (c->opcode == GET_FEATURES || c->opcode == SET_FEATURES)
        return feature(drive, c);
    if (c->opcode == IDENTIFY)
        return page(drive, (c->cdw10 & 0xff) == 1 ? "identify.bin" : "identify-ns.bin", c, INVALID_FIELD);
    if (c->opcode == GET_LOG && (c->cdw10 & 0xff) == 2)
        return page(drive, "smart.bin", c, INVALID_LOG);
    snprintf(name, sizeof name, "log-%02x.bin", c->cdw10 & 0xff);
    return c->opcode == GET_LOG ? page(drive, name, c, INVALID_LOG) : INVALID_FIELD;
}

static int answer(const char *drive, struct nvme_passthru_cmd *c)
{
    int r;

    note(drive, c);
    r = carry_out(drive, c);
    if (r > 0)
        count_refusal(drive);
    else if (r == 0 && c->opcode == GET_LOG && (c->cdw10 & 0xff) == 2 && c->data_len >= 184)
        add_refusals(drive, (uint8_t *)(uintptr_t)c->addr);
    return r;
}

int ioctl(int fd, unsigned long request, ...)
{
    static int (*real)(int, unsigned long, ...);
    char link[64], target[128];
    void *argument;
    va_list ap;
    ssize_t n;

    va_start(ap, request);
    argument = va_arg(ap, void *);
    va_end(ap);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "ioctl");
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, target, sizeof target - 1);
    target[n > 0 ? n : 0] = '\0';
    if (strncmp(target, "/dev/nvme", 9) != 0)
        return real(fd, request, argument);
    if (request == NVME_IOCTL_ADMIN_CMD)
        return answer(target + 5, argument);
    errno = ENOTTY;
    return -1;
}
