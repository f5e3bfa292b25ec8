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

bool el_client_auth_requires(enum el_client_auth a)
{
    return a == EL_CLIENT_AUTH_REQUIRE_ANY || a == EL_CLIENT_AUTH_REQUIRE_VERIFY;
}

const char *el_web_config_drops(const struct el_web_config *now, const struct el_web_config *next)
{
    static const struct el_web_config plain;

    if (!now)
        now = &plain;
    if (!next)
        next = &plain;
    if (now->tls && !next->tls)
        return "TLS";
    if ((el_client_auth_requires(now->client_auth) && !el_client_auth_requires(next->client_auth)) ||
        (now->client_auth >= EL_CLIENT_AUTH_VERIFY_GIVEN && next->client_auth < EL_CLIENT_AUTH_VERIFY_GIVEN))
        return "the check of client certificates";
    if (now->client_sans_n && !next->client_sans_n)
        return "the names that client certificates must carry";
    if (now->users_n && !next->users_n)
        return "all users";
    return now->tls && now->min_version > next->min_version ? "the least TLS version" : NULL;
}
