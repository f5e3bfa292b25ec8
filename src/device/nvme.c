#include "device/nvme.h"

#include <errno.h>
#include <fcntl.h>
#include <libnvme.h>

#define STATUS_MASK 0x7ff /* type and code; without "more" and "do not retry" */
#define LOG_CHUNK   4096  /* the smallest MDTS that a drive may have */

int el_nvme_open(const char *controller)
{
    char path[32];
    int fd;

    snprintf(path, sizeof path, "/dev/%s", controller);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static int identify(int fd, struct el_admin *cmd, uint32_t timeout_ms)
{
    struct nvme_identify_args args = {
        .args_size = sizeof args,
        .fd = fd,
        .timeout = timeout_ms,
        .cns = cmd->id,
        .nsid = cmd->nsid,
        .data = cmd->data,
        .result = &cmd->result,
        .cntid = NVME_CNTLID_NONE,
        .csi = NVME_CSI_NVM,
    };

    return nvme_identify(&args);
}

/* Without "retain asynchronous event": reading the log is what lets the drive raise its next event. */
static int get_log(int fd, struct el_admin *cmd, uint32_t timeout_ms)
{
    struct nvme_get_log_args args = {
        .args_size = sizeof args,
        .fd = fd,
        .timeout = timeout_ms,
        .lid = cmd->id,
        .nsid = cmd->nsid,
        .log = cmd->data,
        .len = cmd->size,
        .result = &cmd->result,
        .lsi = (uint16_t)cmd->value,
        .lsp = NVME_LOG_LSP_NONE,
        .csi = NVME_CSI_NVM,
        .uuidx = NVME_UUID_NONE,
    };

    return cmd->size > LOG_CHUNK ? nvme_get_log_page(fd, LOG_CHUNK, &args) : nvme_get_log(&args);
}

static int get_feature(int fd, struct el_admin *cmd, uint32_t timeout_ms)
{
    struct nvme_get_features_args args = {
        .args_size = sizeof args,
        .fd = fd,
        .timeout = timeout_ms,
        .fid = cmd->id,
        .nsid = cmd->nsid,
        .sel = cmd->select,
        .cdw11 = cmd->value,
        .result = &cmd->result,
        .uuidx = NVME_UUID_NONE,
    };

    return nvme_get_features(&args);
}

static int set_feature(int fd, struct el_admin *cmd, uint32_t timeout_ms)
{
    struct nvme_set_features_args args = {
        .args_size = sizeof args,
        .fd = fd,
        .timeout = timeout_ms,
        .fid = cmd->id,
        .nsid = cmd->nsid,
        .cdw11 = cmd->value,
        .save = false,
        .result = &cmd->result,
        .uuidx = NVME_UUID_NONE,
    };

    return nvme_set_features(&args);
}

static int security_receive(int fd, struct el_admin *cmd, uint32_t timeout_ms)
{
    struct nvme_security_receive_args args = {
        .args_size = sizeof args,
        .fd = fd,
        .timeout = timeout_ms,
        .nsid = cmd->nsid,
        .secp = cmd->id,
        .spsp0 = (uint8_t)cmd->value,
        .spsp1 = (uint8_t)(cmd->value >> 8),
        .al = cmd->size,
        .data_len = cmd->size,
        .data = cmd->data,
        .result = &cmd->result,
    };

    return nvme_security_receive(&args);
}

int el_nvme_command(int fd, struct el_admin *cmd, uint32_t timeout_ms)
{
    static int (*const send[EL_ADMIN_KIND_COUNT])(int, struct el_admin *, uint32_t) = {
        [EL_ADMIN_IDENTIFY] = identify,
        [EL_ADMIN_GET_LOG] = get_log,
        [EL_ADMIN_GET_FEATURE] = get_feature,
        [EL_ADMIN_SET_FEATURE] = set_feature,
        [EL_ADMIN_SECURITY_RECEIVE] = security_receive,
    };
    int r;

    if ((unsigned)cmd->kind >= EL_ADMIN_KIND_COUNT)
        return -EINVAL;
    errno = 0;
    r = send[cmd->kind](fd, cmd, timeout_ms);
    if (r < 0)
        return errno ? -errno : -EIO;
    if (r == 0)
        return 0;
    return r & STATUS_MASK ? r & STATUS_MASK : -EIO;
}
