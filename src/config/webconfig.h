/* The web configuration file: the format of the Prometheus exporters' `--web.config.file`. Every field is honoured or
 * refused. */
#pragma once

#include "config/config.h"
#include "model/webconfig.h"

/* 0 or -errno with the reason in `err` (file:line: path: what is wrong). Free with el_web_config_free. */
int el_web_config_load(const char *path, struct el_web_config **out, struct el_config_error *err);
int el_web_config_parse(const char *path, const void *bytes, size_t n, struct el_web_config **out,
                        struct el_config_error *err);
