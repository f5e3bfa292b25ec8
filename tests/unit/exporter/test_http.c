/* The server over real loopback sockets, with a fake of the content. */
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "exporter/http.h"
#include "exporter/packer.h"
#include "support/unit.h"

static struct el_body *body, *packed; /* the same */
static struct el_http *http;
static struct el_listeners listeners;
static int wake_fd;
static pthread_t thread;
static uint16_t port;

static int fake_get(void *ctx, const struct el_request *r, int64_t now_us, struct el_body **out)
{
    if (strcmp(r->path, "/metrics") == 0) {
        *out = el_body_ref(body);
        return 0;
    }
    if (strcmp(r->path, "/packed") == 0)
        return (*out = el_body_unpacked(packed)) ? 0 : -ENOMEM;
    return strcmp(r->path, "/broken") == 0 ? -ENOMEM : -ENOENT;
}

static const struct el_content content = {.get = fake_get};

static bool on_wake(void *ctx)
{
    return false;
}

static void *run(void *arg)
{
    el_http_run(http);
    return NULL;
}

static int start(void **state)
{
    struct el_buf bytes = {0};
    struct el_packer *packer;
    struct el_http_options o = {
        .listeners = &listeners,
        .content = &content,
        .max_connections = 16,
        .header_timeout_ms = 300,
        .total_timeout_ms = 1000,
        .wake = on_wake,
    };

    for (int i = 0; i < 20000; i++)
        el_buf_printf(&bytes, "line %d of the body\n", i);
    packer = el_packer_new();
    el_packer_put(packer, bytes.data, bytes.len);
    packed = el_packer_end(packer, "text/plain; version=0.0.4; charset=utf-8");
    el_packer_free(packer);
    body = el_body_keep(el_body_new(200, "text/plain; version=0.0.4; charset=utf-8", &bytes));
    o.wake_fd = wake_fd = eventfd(0, 0);
    if (el_listen_add(&listeners, "127.0.0.1:0") < 0 || el_http_new(&o, &http) < 0)
        return -1;
    port = (uint16_t)atoi(strrchr(listeners.at[0].address, ':') + 1);
    return pthread_create(&thread, NULL, run, NULL);
}

static int stop(void **state)
{
    eventfd_write(wake_fd, 1);
    pthread_join(thread, NULL);
    http = el_http_free(http);
    el_listen_close(&listeners);
    body = el_body_retire(body);
    assert_int_equal(packed->refs, 1); /* nobody who was sent it holds it still */
    packed = el_body_retire(packed);
    close(wake_fd);
    return 0;
}

static int dial(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct timeval wait = {.tv_sec = 5};

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static void say(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* Everything until the other side closes. */
static size_t hear(int fd, char *out, size_t size)
{
    size_t n = 0;
    ssize_t r;

    while (n < size - 1 && (r = recv(fd, out + n, size - 1 - n, 0)) > 0)
        n += (size_t)r;
    out[n] = '\0';
    close(fd);
    return n;
}

static char answer[1 << 20];

static size_t ask(const char *request)
{
    int fd = dial();

    say(fd, request);
    return hear(fd, answer, sizeof answer);
}

#define TAIL "\r\nHost: x\r\nConnection: close\r\n\r\n"

static void assert_has(const char *text)
{
    if (!strstr(answer, text))
        fail_msg("\"%s\" is missing in:\n%.600s", text, answer);
}

static void serves(void **state)
{
    ask("GET /metrics HTTP/1.1" TAIL);
    assert_has("HTTP/1.1 200 OK\r\n");
    assert_has("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n");
    assert_has("X-Content-Type-Options: nosniff\r\n");
    assert_has("Vary: Accept, Accept-Encoding\r\n");
    assert_has("line 19999 of the body\n");
    ask("GET /metrics?collect=x HTTP/1.1" TAIL);
    assert_has("HTTP/1.1 200 OK\r\n");
    ask("GET /metrics HTTP/1.0\r\n\r\n");
    assert_has(" 200 OK\r\n");
}

/* Two clients at different places of one body that is there packed only, and one who leaves in the midst of it. */
static void unpacks_as_it_sends(void **state)
{
    int slow = dial(), gone = dial();
    char length[64], head[512];
    const char *text;

    say(slow, "GET /packed HTTP/1.1" TAIL);
    say(gone, "GET /packed HTTP/1.1" TAIL);
    assert_true(recv(slow, head, sizeof head, MSG_PEEK) > 0);
    assert_true(recv(gone, head, sizeof head, 0) > 0);
    close(gone);
    snprintf(length, sizeof length, "Content-Length: %zu\r\n", body->bytes.len);
    for (int i = 0; i < 2; i++) {
        if (i == 0)
            ask("GET /packed HTTP/1.1" TAIL);
        else
            hear(slow, answer, sizeof answer);
        assert_has("HTTP/1.1 200 OK\r\n");
        assert_has(length);
        assert_null(strstr(answer, "Content-Encoding"));
        text = strstr(answer, "\r\n\r\n");
        assert_non_null(text);
        assert_string_equal(text + 4, body->bytes.data);
    }
    ask("HEAD /packed HTTP/1.1" TAIL);
    assert_has(length);
    assert_string_equal(strstr(answer, "\r\n\r\n"), "\r\n\r\n");
}

static void head_has_no_body(void **state)
{
    char length[64];

    snprintf(length, sizeof length, "Content-Length: %zu\r\n", body->bytes.len);
    ask("HEAD /metrics HTTP/1.1" TAIL);
    assert_has("HTTP/1.1 200 OK\r\n");
    assert_has(length);
    assert_string_equal(strstr(answer, "\r\n\r\n"), "\r\n\r\n");
}

static void refuses_politely(void **state)
{
    static const char *const methods[] = {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "BREW", "get"};
    static const char *const missing[] = {"/nothing",   "/metrics/",   "//metrics", "/metrics%00",
                                          "/%6detrics", "/../metrics", "*"};
    char request[256];

    for (size_t i = 0; i < EL_ARRAY_SIZE(methods); i++) {
        snprintf(request, sizeof request, "%s /metrics HTTP/1.1" TAIL, methods[i]);
        ask(request);
        assert_has("HTTP/1.1 405 Method Not Allowed\r\n");
        assert_has("Allow: GET, HEAD\r\n");
    }
    for (size_t i = 0; i < EL_ARRAY_SIZE(missing); i++) {
        snprintf(request, sizeof request, "GET %s HTTP/1.1" TAIL, missing[i]);
        ask(request);
        assert_has("HTTP/1.1 404 Not Found\r\n");
    }
    ask("GET /broken HTTP/1.1" TAIL);
    assert_has("HTTP/1.1 503 ");
    ask("POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello");
    assert_has("HTTP/1.1 405 ");
}

static void bad_requests(void **state)
{
    static const char *const bad[] = {"\r\n\r\nHELLO\r\n\r\n", "GET /metrics HTTP/1.1\r\nHost x\r\n\r\n",
                                      "GET /metrics HTTP/1.1\r\n\r\n",
                                      "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"};
    struct el_buf big = {0};

    for (size_t i = 0; i < EL_ARRAY_SIZE(bad); i++) {
        ask(bad[i]);
        if (answer[0] && !strstr(answer, "HTTP/1.1 400 ") && !strstr(answer, "HTTP/1.0 400 "))
            fail_msg("request %zu got %.80s", i, answer);
    }
    el_buf_puts(&big, "GET /metrics HTTP/1.1\r\nHost: x\r\nX-Big: ");
    for (int i = 0; i < 100000; i++)
        el_buf_putc(&big, 'a');
    el_buf_puts(&big, "\r\n\r\n");
    int fd = dial();
    (void)!send(fd, big.data, big.len, MSG_NOSIGNAL);
    hear(fd, answer, sizeof answer);
    if (answer[0])
        assert_has(" 431 ");
    el_buf_free(&big);
    ask("GET /metrics HTTP/1.1" TAIL);
    assert_has(" 200 OK");
}

static void conditional(void **state)
{
    char request[256];

    snprintf(request, sizeof request, "GET /metrics HTTP/1.1\r\nIf-None-Match: W/\"a\", %s" TAIL, body->etag);
    ask(request);
    assert_has("HTTP/1.1 304 Not Modified\r\n");
    ask("GET /metrics HTTP/1.1\r\nIf-None-Match: \"other\"" TAIL);
    assert_has(" 200 OK");
}

static void keeps_alive_and_pipelines(void **state)
{
    int fd = dial();
    size_t n = 0, count = 0;

    for (int i = 0; i < 5; i++)
        say(fd, "HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    say(fd, "HEAD /metrics HTTP/1.1" TAIL);
    n = hear(fd, answer, sizeof answer);
    for (const char *p = answer; (p = strstr(p, "200 OK")); p++)
        count++;
    assert_int_equal(count, 6);
    assert_true(n > 0);
}

/* Slow: a byte now and then does not buy time. Quick ones are not hurt. */
static void slow_header_is_cut(void **state)
{
    uint64_t before = el_http_counters(http)->header_timeout;
    int64_t begin = el_clock_boottime_us();
    int fd = dial();

    for (int i = 0; i < 60; i++) {
        struct pollfd p = {.fd = fd, .events = POLLIN | POLLRDHUP};

        if (send(fd, "G", 1, MSG_NOSIGNAL) < 0 || poll(&p, 1, 50) > 0)
            break;
    }
    assert_in_range((el_clock_boottime_us() - begin) / 1000, 250, 1500);
    close(fd);
    assert_int_equal(el_http_counters(http)->header_timeout, before + 1);
}

/* Between requests silence is fine, a dripping header is not. */
static void idle_may_be_silent(void **state)
{
    static const char *const request[] = {
        "HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
        "HEAD /metrics HTTP/1.1\r\nHost: x\r\nX-Folded: a\r\n b\r\n\r\n",
        "\r\nHEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
        "HEAD /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
        "HEAD /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    };

    for (size_t i = 0; i < EL_ARRAY_SIZE(request); i++) {
        int fd = dial();
        struct pollfd p = {.fd = fd, .events = POLLIN | POLLRDHUP};

        say(fd, request[i]);
        assert_true(recv(fd, answer, sizeof answer, 0) > 0);
        assert_int_equal(poll(&p, 1, 900), 0);
        say(fd, "HEAD /metr");
        assert_int_equal(poll(&p, 1, 60000), 1);
        assert_true(recv(fd, answer, sizeof answer, 0) <= 0);
        close(fd);
    }
}

/* A client that says at once that it sends no more gets its answers, then the end: also when both came together. */
static void end_of_sending_is_seen(void **state)
{
    struct timeval wait = {.tv_sec = 60}; /* without a look at it an idle connection stays for minutes */
    const char *both = "HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\nHEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n";

    for (int i = 0; i < 10; i++) {
        int fd = dial();
        size_t n = 0;
        ssize_t r;

        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
        say(fd, both);
        shutdown(fd, SHUT_WR);
        while ((r = recv(fd, answer + n, sizeof answer - 1 - n, 0)) > 0)
            n += (size_t)r;
        assert_int_equal(r, 0);
        answer[n] = '\0';
        assert_has(" 200 OK");
        assert_non_null(strstr(strstr(answer, "200 OK") + 1, "200 OK"));
        close(fd);
    }
}

/* A reader who never reads is cut after the total deadline. */
static void unread_reply_is_cut(void **state)
{
    uint64_t before = el_http_counters(http)->total_timeout;
    int small = 4096, fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct el_buf many = {0};

    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    for (int i = 0; i < 60; i++)
        el_buf_puts(&many, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    say(fd, many.data);
    for (int i = 0; i < 40 && el_http_counters(http)->total_timeout == before; i++)
        poll(NULL, 0, 100);
    assert_int_equal(el_http_counters(http)->total_timeout, before + 1);
    el_buf_free(&many);
    close(fd);
}

/* More silent sockets than there are places: a good request always gets through. */
static void crowd_does_not_shut_out(void **state)
{
    int fd[100];

    for (int round = 0; round < 5; round++) {
        for (size_t i = 0; i < EL_ARRAY_SIZE(fd); i++) {
            fd[i] = dial();
            (void)!send(fd[i], "GET /met", 8, MSG_NOSIGNAL);
        }
        ask("GET /metrics HTTP/1.1" TAIL);
        assert_has(" 200 OK");
        for (size_t i = 0; i < EL_ARRAY_SIZE(fd); i++)
            close(fd[i]);
    }
    assert_true(el_http_counters(http)->crowded_out > 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)
    const struct CMUnitTest tests[] = {
        TEST(serves),
        TEST(unpacks_as_it_sends),
        TEST(head_has_no_body),
        TEST(refuses_politely),
        TEST(bad_requests),
        TEST(conditional),
        TEST(keeps_alive_and_pipelines),
        TEST(slow_header_is_cut),
        TEST(idle_may_be_silent),
        TEST(end_of_sending_is_seen),
        TEST(unread_reply_is_cut),
        TEST(crowd_does_not_shut_out),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
