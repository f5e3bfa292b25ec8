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

/* "action@path\0KEY=value\0..." */
static enum el_uevent subject(const char *message, size_t n)
{
    static const char *const devices[] = {"nvme", "nvme-subsystem", "pci", "hwmon"};
    const char *end = message + n, *name = "SUBSYSTEM=";

    for (const char *p = message; p < end; p += strlen(p) + 1) {
        const char *value = p + strlen(name);

        if (strncmp(p, name, strlen(name)) != 0)
            continue;
        for (size_t i = 0; i < EL_ARRAY_SIZE(devices); i++)
            if (strcmp(value, devices[i]) == 0)
                return EL_UEVENT_DEVICE;
        if (strcmp(value, "block") == 0 && (strstr(message, "/nvme") || strstr(message, "/block/md")))
            return EL_UEVENT_DISK;
    }
    return EL_UEVENT_NONE;
}

enum el_uevent el_uevent_drain(int fd)
{
    char message[MESSAGE_MAX + 1];
    struct sockaddr_nl from;
    enum el_uevent most = EL_UEVENT_NONE;

    for (;;) {
        socklen_t from_size = sizeof from;
        ssize_t n = recvfrom(fd, message, MESSAGE_MAX, 0, (struct sockaddr *)&from, &from_size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == ENOBUFS ? EL_UEVENT_DEVICE : most;
        message[n] = '\0';
        if (from.nl_pid == 0) /* from the kernel, not from another process */
            most = EL_MAX(most, subject(message, (size_t)n));
    }
}
