/* Listening sockets: HOST:PORT made or taken over from the service manager. Before threads and sandbox. */
#pragma once

#include <stdint.h>

#define EL_LISTENERS_MAX 32
#define EL_WEB_PORT      "10450"

struct el_listener {
    int fd;
    char address[64]; /* as bound: "[::]:10450" */
};

struct el_listeners {
    uint32_t n;
    struct el_listener at[EL_LISTENERS_MAX];
};

/* One more: "0.0.0.0:10450", "[::]:10450", "localhost:0", or ":10450" (every address of both families). IPv6 sockets
 * are V6ONLY, so that both families can be listened to apart. 0 or -errno; the reason is logged with the address. */
int el_listen_add(struct el_listeners *l, const char *address);

/* [::] and 0.0.0.0 on EL_WEB_PORT; a host without one family listens on the other. */
int el_listen_default(struct el_listeners *l);

/* Sockets passed by systemd (LISTEN_FDS). How many, 0 without socket activation, or -errno. */
int el_listen_inherit(struct el_listeners *l);

void el_listen_close(struct el_listeners *l);
