#include "model/webconfig.h"

#include <stdlib.h>
#include <string.h>

/* A key or a hash must not linger in freed memory. */
static void wipe(char *text)
{
    if (text)
        explicit_bzero(text, strlen(text));
    free(text);
}

struct el_web_config *el_web_config_free(struct el_web_config *c)
{
    if (!c)
        return NULL;
    free(c->cert_file);
    free(c->key_file);
    free(c->client_ca_file);
    free(c->cert);
    wipe(c->key);
    free(c->client_ca);
    for (size_t i = 0; i < c->client_sans_n; i++)
        free(c->client_sans[i]);
    free(c->client_sans);
    free(c->ciphers);
    free(c->curves);
    for (size_t i = 0; i < c->headers_n; i++) {
        free(c->headers[i].name);
        free(c->headers[i].value);
    }
    free(c->headers);
    for (size_t i = 0; i < c->users_n; i++) {
        free(c->users[i].name);
        wipe(c->users[i].hash);
    }
    free(c->users);
    free(c);
    return NULL;
}
