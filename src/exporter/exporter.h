/* The exporting daemon, put together: sockets, sandbox, HTTP, SNMP, reload. The caller brings the readers of the two
 * configuration files, so that this room stays free of YAML. */
#pragma once

#include "exporter/sandbox.h"
#include "model/settings.h"
#include "model/webconfig.h"

struct el_exporter_options {
    const char *snapshot_path; /* NULL = snapshot below the runtime directory of the settings */
    const char *state_dir;     /* its own, writable; NULL = none */
    const char *config_path;   /* settings file, for the sandbox; NULL = none */
    const char *user;          /* whose rights to take when started by root */
    enum el_sandbox_mode sandbox;

    /* Settings with the flags laid over them. 0 or -errno with the reason in `why`. Called at start and at each SIGHUP.
     */
    int (*load)(void *ctx, struct el_settings *out, char *why, size_t why_size);
    int (*load_web)(const char *path, struct el_web_config **out, char *why, size_t why_size);
    void *ctx;
};

/* Whether it could serve with this, read with the rights it will have: gives up the caller's. 0, or -errno with the
 * reason in `why`. */
int el_exporter_check(const struct el_exporter_options *o, const struct el_settings *settings, char *why,
                      size_t why_size);

/* Serves until SIGTERM or SIGINT. 0, or -errno when it could not serve (logged); -ENOTSUP: a sandbox that is required
 * and cannot be closed. */
int el_exporter_run(const struct el_exporter_options *o, const struct el_settings *settings);
