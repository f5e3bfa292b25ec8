#include "device/uevent.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include "base/base.h"

#define KERNEL_GROUP 1
#define MESSAGE_MAX  8192

int el_uevent_open(void)
{
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP};
    int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
    int r;

    if (fd < 0)
        return -errno;
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        r = -errno;
        close(fd);
        return r;
    }
    return fd;
}

static const char *value_of(const char *message, const char *end, const char *key)
{
    size_t n = strlen(key);

    for (const char *p = message; p < end; p += strlen(p) + 1)
        if (strncmp(p, key, n) == 0 && p[n] == '=')
            return p + n + 1;
    return "";
}

bool el_uevents_name(const struct el_uevents *news, const char *controller)
{
    for (uint32_t i = 0; i < news->n; i++)
        if (strcmp(news->controller[i], controller) == 0)
            return true;
    return news->all;
}

static void name(struct el_uevents *news, const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash || strlen(slash + 1) >= sizeof *news->controller || news->n == EL_UEVENT_NAMES)
        news->all = true;
    else if (!el_uevents_name(news, slash + 1))
        strcpy(news->controller[news->n++], slash + 1);
}

void el_uevents_take(const char *message, size_t n, struct el_uevents *news)
{
    static const char *const devices[] = {"nvme", "nvme-subsystem", "pci", "hwmon"};
    const char *end = message + n, *subsystem = value_of(message, end, "SUBSYSTEM");
    bool change = strncmp(message, "change@", 7) == 0, trigger = value_of(message, end, "SYNTH_UUID")[0];
    enum el_uevent what = EL_UEVENT_NONE;

    for (size_t i = 0; i < EL_ARRAY_SIZE(devices); i++)
        if (strcmp(subsystem, devices[i]) == 0)
            what = change || trigger ? EL_UEVENT_LOOK : EL_UEVENT_DEVICE;
    if (strcmp(subsystem, "block") == 0 && (strstr(message, "/nvme") || strstr(message, "/block/md")))
        what = EL_UEVENT_LOOK;
    if (strcmp(subsystem, "nvme") == 0 && change && !trigger)
        name(news, value_of(message, end, "DEVPATH"));
    news->most = EL_MAX(news->most, what);
}

void el_uevents_drain(int fd, struct el_uevents *news)
{
    char message[MESSAGE_MAX + 1];
    for (;;) {
        struct sockaddr_nl from = {.nl_pid = UINT32_MAX};
        socklen_t from_size = sizeof from;
        ssize_t n = recvfrom(fd, message, MESSAGE_MAX, 0, (struct sockaddr *)&from, &from_size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == ENOBUFS) { /* more came than the socket holds; what it holds is still to be read */
            news->most = EL_UEVENT_DEVICE;
            news->all = true;
            continue;
        }
        if (n < 0)
            return;
        message[n] = '\0';
        if (from.nl_pid == 0) /* from the kernel, not from another process */
            el_uevents_take(message, (size_t)n, news);
    }
}
