/* The floor of any exporter here: a bare libmicrohttpd server that answers every request with the bytes of one file
 * under the given headers. floor_http PORT FILE ["NAME: VALUE"...]; over TLS with the certificate and key whose files
 * TLS_CERT and TLS_KEY name. */
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct MHD_Response *response;

static enum MHD_Result answer(void *cls, struct MHD_Connection *c, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **context)
{
    (void)cls, (void)url, (void)method, (void)version, (void)upload, (void)upload_size;
    if (!*context) {
        *context = &response;
        return MHD_YES;
    }
    return MHD_queue_response(c, MHD_HTTP_OK, response);
}

/* What the file that a variable names says, or NULL. */
static char *pem(const char *variable)
{
    static char room[2][32 << 10], *next = room[0];
    const char *path = getenv(variable);
    FILE *f = path ? fopen(path, "r") : NULL;
    char *text = next;

    if (!f)
        return NULL;
    text[fread(text, 1, sizeof room[0] - 1, f)] = '\0';
    fclose(f);
    next = room[1];
    return text;
}

int main(int argc, char **argv)
{
    char *cert = pem("TLS_CERT"), *key = pem("TLS_KEY");
    struct MHD_OptionItem secure[] = {{MHD_OPTION_HTTPS_MEM_CERT, 0, cert},
                                      {MHD_OPTION_HTTPS_MEM_KEY, 0, key},
                                      {MHD_OPTION_END, 0, NULL}};
    static char body[32 << 20];
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    FILE *f = argc > 2 ? fopen(argv[2], "rb") : NULL;
    struct MHD_Daemon *d;

    if (!f)
        return 2;
    response = MHD_create_response_from_buffer(fread(body, 1, sizeof body, f), body, MHD_RESPMEM_PERSISTENT);
    for (int i = 3; i < argc; i++) {
        char *value = strstr(argv[i], ": ");

        if (!value)
            return 2;
        *value = '\0';
        MHD_add_response_header(response, argv[i], value + 2);
    }
    at.sin_port = htons((uint16_t)atoi(argv[1]));
    d = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | (cert ? MHD_USE_TLS : 0), 0, NULL, NULL, answer, NULL,
                         MHD_OPTION_SOCK_ADDR, &at, MHD_OPTION_ARRAY, cert ? secure : secure + 2, MHD_OPTION_END);
    if (!d)
        return 1;
    pause();
    MHD_stop_daemon(d);
    return 0;
}
