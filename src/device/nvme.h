/* Admin commands to a live controller: the only user of libnvme. */
#pragma once

#include "model/device.h"

/* Opens /dev/`controller` for admin commands, read-only. The descriptor, or -errno. */
int el_nvme_open(const char *controller);

/* Sends one command and waits for at most `timeout_ms`, as far as the kernel keeps to it: a controller that hangs for
 * ever can block the caller for ever. 0, an NVMe status > 0 (type << 8 | code), or -errno (-EACCES and -EPERM:
 * CAP_SYS_ADMIN is missing; -EINTR, -EAGAIN: a reset interfered). Set Features never sets the save bit. Thread-safe. */
int el_nvme_command(int fd, struct el_admin *cmd, uint32_t timeout_ms);
