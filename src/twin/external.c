#include "twin/external.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"

#define LINE_MAX_BYTES (1u << 20)
#define NUMBER_MAX     1e15   /* larger than this is garbage, not a measurement; */
#define LIMIT_MIN_C    -100.0 /* limits beyond these are mistakes in unit or sign */
#define LIMIT_MAX_C    1000.0
#define COUNT_MAX      1.8e19 /* counters of a lifetime may be larger */
#define DURATION_MAX_S 1e9
#define FALLS_MAX      8 /* resets of one drive's counts; with more, they do not count since the start */
#define SLOW_US        (5 * EL_USEC_PER_SEC)
#define END_WAIT_US    (2 * EL_USEC_PER_SEC)

struct el_external {
    pid_t pid, group; /* `pid` 0: has ended */
    int to, from;
    struct el_buf in; /* bytes read and not yet taken */
    struct el_buf out;
    uint64_t lines;
    struct el_external_slot last[EL_CARD_SLOTS_MAX]; /* last known counts of the present drive */
    uint32_t falls[EL_CARD_SLOTS_MAX];
    char *why; /* the caller's: receives the reason of a failure */
    size_t why_size;
    int wrong; /* first error in the answer that is being read, 0 = none */
};

static int fail(struct el_external *x, int error, const char *fmt, ...) EL_PRINTF(3, 4);
static int fail(struct el_external *x, int error, const char *fmt, ...)
{
    char text[512]; /* may hold anything the plant said */
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    el_text_clean(x->why, x->why_size, text);
    return error;
}

static void become_plant(const char *command, const int to[2], const int from[2])
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    if (dup2(to[0], STDIN_FILENO) < 0 || dup2(from[1], STDOUT_FILENO) < 0)
        _exit(126);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

int el_external_start(const char *command, struct el_external **out, char *why, size_t why_size)
{
    struct el_external *x = calloc(1, sizeof *x);
    int to[2] = {-1, -1}, from[2] = {-1, -1};

    if (!x) {
        snprintf(why, why_size, "out of memory");
        return -ENOMEM;
    }
    x->why = why;
    x->why_size = why_size;
    if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0 || (x->pid = fork()) < 0) {
        int error = -errno;

        for (int i = 0; i < 2; i++) {
            close(to[i]);
            close(from[i]);
        }
        fail(x, error, "cannot start the plant: %s", strerror(-error));
        free(x);
        return error;
    }
    if (x->pid == 0)
        become_plant(command, to, from);
    setpgid(x->pid, x->pid);
    x->group = x->pid;
    close(to[0]);
    close(from[1]);
    x->to = to[1];
    x->from = from[0];
    *out = x;
    return 0;
}

/* Waits for the end of the process until `until_us`. True: ended, `status` filled. */
static bool wait_end(struct el_external *x, int64_t until_us, int *status)
{
    for (;;) {
        pid_t r = waitpid(x->pid, status, WNOHANG);

        if (r == x->pid || r < 0) {
            if (r < 0)
                *status = 0;
            x->pid = 0;
            return true;
        }
        if (el_clock_boottime_us() >= until_us)
            return false;
        el_clock_sleep_until_us(el_clock_boottime_us() + 2000, NULL);
    }
}

struct el_external *el_external_free(struct el_external *x)
{
    int status;

    if (!x)
        return NULL;
    if (x->to >= 0)
        close(x->to);
    if (x->from >= 0)
        close(x->from);
    if (x->pid > 0 && !wait_end(x, el_clock_boottime_us() + END_WAIT_US, &status)) {
        kill(-x->group, SIGKILL);
        waitpid(x->pid, &status, 0);
    }
    kill(-x->group, SIGKILL); /* and whatever it left running */
    el_buf_free(&x->in);
    el_buf_free(&x->out);
    free(x);
    return NULL;
}

/* The plant's output has ended: 1 when it ended well and between lines, else why it did not. */
static int ended(struct el_external *x)
{
    int status = 0;

    if (!wait_end(x, el_clock_boottime_us() + END_WAIT_US, &status))
        return fail(x, -EPIPE, "the plant closed its output after %ju lines but goes on running", (uintmax_t)x->lines);
    if (WIFSIGNALED(status))
        return fail(x, -EPIPE, "the plant died of signal %d after %ju lines", WTERMSIG(status), (uintmax_t)x->lines);
    if (WEXITSTATUS(status) != 0)
        return fail(x, -EPIPE, "the plant ended with status %d after %ju lines", WEXITSTATUS(status),
                    (uintmax_t)x->lines);
    if (x->in.len)
        return fail(x, -EBADMSG, "the plant ended in the middle of line %ju", (uintmax_t)x->lines + 1);
    return 1;
}

static int send_line(struct el_external *x)
{
    size_t done = 0;

    if (x->in.len) /* what it said before it was asked is no answer to this question */
        return fail(x, -EBADMSG, "the plant says more than one line at once after line %ju", (uintmax_t)x->lines);
    el_buf_putc(&x->out, '\n');
    if (x->out.failed)
        return fail(x, -ENOMEM, "out of memory");
    while (done < x->out.len) {
        struct pollfd p = {.fd = x->to, .events = POLLOUT};
        ssize_t n;

        if (poll(&p, 1, EL_EXTERNAL_TIMEOUT_S * 1000) == 0)
            return fail(x, -ETIMEDOUT, "the plant reads nothing for %d s", EL_EXTERNAL_TIMEOUT_S);
        n = write(x->to, x->out.data + done, x->out.len - done);
        if (n < 0 && errno == EPIPE)
            return 0; /* what it still said, or why it ended, shows when reading */
        if (n < 0 && errno != EINTR)
            return fail(x, -errno, "writing to the plant: %s", strerror(errno));
        done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* One line into `line` (without its newline). 0, 1 (ended well), or what is wrong. */
static int read_line(struct el_external *x, struct el_buf *line)
{
    int64_t asked_us = el_clock_boottime_us(), until_us = asked_us + EL_EXTERNAL_TIMEOUT_S * EL_USEC_PER_SEC;
    bool said = false;

    for (;;) {
        char *end = x->in.len ? memchr(x->in.data, '\n', x->in.len) : NULL, chunk[4096];
        int64_t now_us = el_clock_boottime_us(), left_us = (said ? until_us : asked_us + SLOW_US) - now_us;
        struct pollfd p = {.fd = x->from, .events = POLLIN};
        ssize_t n;

        if (end) {
            size_t length = (size_t)(end - x->in.data);

            el_buf_put(line, x->in.data, length);
            memmove(x->in.data, end + 1, x->in.len - length - 1);
            x->in.len -= length + 1;
            x->lines++;
            return line->failed ? fail(x, -ENOMEM, "out of memory") : 0;
        }
        if (x->in.len > LINE_MAX_BYTES)
            return fail(x, -EBADMSG, "line %ju of the plant is longer than 1 MiB", (uintmax_t)x->lines + 1);
        if (now_us >= until_us)
            return fail(x, -ETIMEDOUT, "the plant is mute: no answer to line %ju within %d s", (uintmax_t)x->lines + 1,
                        EL_EXTERNAL_TIMEOUT_S);
        if (left_us <= 0 || poll(&p, 1, (int)(left_us / 1000) + 1) == 0) {
            if (!said)
                el_log_info("waiting for the plant's answer to line %ju, %d s at most", (uintmax_t)x->lines + 1,
                            EL_EXTERNAL_TIMEOUT_S);
            said = true;
            continue;
        }
        n = read(x->from, chunk, sizeof chunk);
        if (n == 0)
            return ended(x);
        if (n > 0)
            el_buf_put(&x->in, chunk, (size_t)n);
        else if (errno != EINTR)
            return fail(x, -errno, "reading from the plant: %s", strerror(errno));
    }
}

/* Sends the line in `out` and reads the answer, a JSON object that the caller must decref. */
static int ask(struct el_external *x, json_t **out)
{
    EL_AUTO_BUF struct el_buf line = {0};
    json_error_t error;
    int r = send_line(x);

    if (r == 0)
        r = read_line(x, &line);
    if (r != 0)
        return r;
    *out = json_loadb(line.data ? line.data : "", line.len, JSON_REJECT_DUPLICATES, &error);
    if (!*out)
        return fail(x, -EBADMSG, "line %ju of the plant is no JSON: %s: \"%.60s\"", (uintmax_t)x->lines, error.text,
                    line.data ? line.data : "");
    if (!json_is_object(*out)) {
        json_decref(*out);
        *out = NULL;
        return fail(x, -EBADMSG, "line %ju of the plant is no JSON object", (uintmax_t)x->lines);
    }
    return 0;
}

/* Of several errors in an answer the first is kept. */
static void wrong(struct el_external *x, const char *key, const char *expected)
{
    if (x->wrong == 0)
        x->wrong = fail(x, -EBADMSG, "line %ju of the plant: %s: expected %s", (uintmax_t)x->lines, key, expected);
}

static double bounded(struct el_external *x, const json_t *v, const char *key, double most)
{
    if (!v || json_is_null(v))
        return NAN;
    if (!json_is_number(v) || !(fabs(json_number_value(v)) <= most)) {
        wrong(x, key, "a number or null");
        return NAN;
    }
    return json_number_value(v);
}

static double number(struct el_external *x, const json_t *v, const char *key)
{
    return bounded(x, v, key, NUMBER_MAX);
}

static double member(struct el_external *x, const json_t *object, const char *key)
{
    return number(x, json_object_get(object, key), key);
}

/* A limit. */
static double celsius(struct el_external *x, const json_t *object, const char *key)
{
    double c = member(x, object, key);

    if (c < LIMIT_MIN_C || c > LIMIT_MAX_C)
        wrong(x, key, "-100 to 1000 C");
    return c;
}

/* 4 and 4.0 are the same number, whoever wrote it. */
static bool whole(const json_t *v, double lo, double hi)
{
    double n = json_number_value(v);

    return json_is_number(v) && n >= lo && n <= hi && n == floor(n);
}

static uint32_t count(struct el_external *x, const json_t *object, const char *key, uint32_t otherwise, uint32_t lo,
                      uint32_t hi)
{
    const json_t *v = json_object_get(object, key);

    if (!v || json_is_null(v))
        return otherwise;
    if (!whole(v, lo, hi)) {
        char expected[64];

        (void)snprintf(expected, sizeof expected, "a whole number from %u to %u", lo, hi);
        wrong(x, key, expected);
        return otherwise;
    }
    return (uint32_t)json_number_value(v);
}

/* `taken`: bit per slot that is in an array already. */
static void read_array(struct el_external *x, const json_t *v, const struct el_external_facts *f, uint32_t *taken,
                       struct el_external_array *out)
{
    const char *level = json_string_value(json_object_get(v, "level"));
    const json_t *slots = json_object_get(v, "slots");

    if (!level || (strcmp(level, "raid0") != 0 && strcmp(level, "raid1") != 0)) {
        wrong(x, "arrays.level", "\"raid0\" or \"raid1\"");
        return;
    }
    if (!json_is_array(slots) || json_array_size(slots) > f->slots) {
        wrong(x, "arrays.slots", "a list of slot numbers");
        return;
    }
    *out = (struct el_external_array){.mirror = level[4] == '1', .slots = (uint32_t)json_array_size(slots)};
    for (uint32_t i = 0; i < out->slots; i++) {
        const json_t *s = json_array_get(slots, i);

        if (!whole(s, 0, f->slots - 1))
            wrong(x, "arrays.slots", "numbers of slots that are there");
        else if (*taken >> (uint32_t)json_number_value(s) & 1)
            wrong(x, "arrays.slots", "each slot once, in one array");
        else
            *taken |= 1u << (out->slot[i] = (uint32_t)json_number_value(s));
    }
}

static void read_facts(struct el_external *x, const json_t *v, uint32_t slots, struct el_external_facts *f)
{
    const json_t *arrays = json_object_get(v, "arrays");
    uint32_t taken = 0;

    *f = (struct el_external_facts){
        .slots = count(x, v, "slots", slots, 1, EL_CARD_SLOTS_MAX),
        .limit_c = celsius(x, v, "limit_c"),
        .warning_c = celsius(x, v, "warning_c"),
        .critical_c = celsius(x, v, "critical_c"),
        .idle_w = member(x, v, "idle_watts"),
        .full_w = member(x, v, "full_watts"),
        .duration_s = member(x, v, "duration_s"),
        .read_j_per_byte = member(x, v, "read_joules_per_byte"),
        .write_j_per_byte = member(x, v, "write_joules_per_byte"),
        .read_j_per_op = member(x, v, "read_joules_per_op"),
        .write_j_per_op = member(x, v, "write_joules_per_op"),
        .card_limit_w = member(x, v, "card_limit_watts"),
        .switch_limit_c = celsius(x, v, "switch_limit_c"),
        .fans = count(x, v, "fans", 0, 0, EL_EXTERNAL_FANS_MAX),
    };
    if (f->duration_s <= 0 || f->duration_s > DURATION_MAX_S)
        wrong(x, "duration_s", "more than 0 s, at most 1e9");
    if (f->idle_w < 0 || f->full_w <= 0 || f->full_w <= f->idle_w)
        wrong(x, "idle_watts, full_watts", "0 or more, and full power above idle");
    if (f->card_limit_w <= 0)
        wrong(x, "card_limit_watts", "more than 0 W");
    if (f->read_j_per_byte < 0 || f->write_j_per_byte < 0 || f->read_j_per_op < 0 || f->write_j_per_op < 0)
        wrong(x, "prices", "joules of 0 or more");
    if (!arrays || json_is_null(arrays))
        return;
    if (!json_is_array(arrays) || json_array_size(arrays) > EL_CARD_SLOTS_MAX) {
        wrong(x, "arrays", "a list");
        return;
    }
    f->arrays = (uint32_t)json_array_size(arrays);
    for (uint32_t i = 0; i < f->arrays; i++)
        read_array(x, json_array_get(arrays, i), f, &taken, &f->array[i]);
}

int el_external_hello(struct el_external *x, const char *card, uint32_t slots, double dt_s,
                      struct el_external_facts *out)
{
    struct el_external_facts f;
    json_t *v;
    int r;

    el_buf_clear(&x->out);
    el_buf_printf(&x->out, "{\"hello\":1,\"card\":\"%s\",\"slots\":%u,\"dt_s\":", card, slots);
    el_buf_double(&x->out, dt_s);
    el_buf_putc(&x->out, '}');
    r = ask(x, &v);
    if (r == 1)
        return fail(x, -EPIPE, "the plant ended before it answered hello");
    if (r != 0)
        return r;
    read_facts(x, v, slots, &f);
    json_decref(v);
    if (x->wrong == 0)
        *out = f;
    return x->wrong;
}

static void put_command(struct el_buf *b, const struct el_external_facts *f, const struct el_external_command *c)
{
    el_buf_puts(b, "{\"t_s\":");
    el_buf_double(b, c->t_s);
    el_buf_puts(b, ",\"slots\":[");
    for (uint32_t i = 0; i < f->slots; i++) {
        el_buf_puts(b, i ? ",{\"cap_ratio\":" : "{\"cap_ratio\":");
        el_buf_double(b, c->slot[i].cap_ratio);
        el_buf_puts(b, ",\"budget_watts\":");
        el_buf_double(b, c->slot[i].budget_w);
        el_buf_printf(b, ",\"power_state\":%d}", c->slot[i].power_state);
    }
    el_buf_puts(b, "],\"fans\":[");
    for (uint32_t i = 0; i < f->fans; i++) {
        el_buf_puts(b, i ? ",{\"pwm_ratio\":" : "{\"pwm_ratio\":");
        el_buf_double(b, c->pwm_ratio[i]);
        el_buf_putc(b, '}');
    }
    el_buf_puts(b, "]}");
}

static uint64_t counter(struct el_external *x, const json_t *slot, const char *key, bool *valid)
{
    const json_t *n = json_object_get(slot, key);
    double v = bounded(x, n, key, COUNT_MAX);

    if (isnan(v))
        *valid = false;
    else if (v < 0)
        wrong(x, key, "a count, not negative");
    return !(v >= 0) ? 0 : json_is_integer(n) ? (uint64_t)json_integer_value(n) : (uint64_t)v;
}

static void read_slot(struct el_external *x, const json_t *v, struct el_external_slot *out)
{
    const json_t *sensors = json_object_get(v, "sensors_c");

    *out = (struct el_external_slot){.present = true, .io_valid = true};
    for (size_t k = 0; k < EL_ARRAY_SIZE(out->sensor_c); k++)
        out->sensor_c[k] = NAN;
    if (json_is_null(v)) {
        *out = (struct el_external_slot){.temp_c = NAN};
        return;
    }
    if (!json_is_object(v)) {
        wrong(x, "slots", "an object or null for each slot");
        return;
    }
    out->temp_c = member(x, v, "temperature_c");
    if (sensors && !json_is_null(sensors) &&
        (!json_is_array(sensors) || json_array_size(sensors) > EL_ARRAY_SIZE(out->sensor_c)))
        wrong(x, "sensors_c", "a list of at most 8");
    for (size_t k = 0; k < EL_ARRAY_SIZE(out->sensor_c) && k < json_array_size(sensors); k++)
        out->sensor_c[k] = number(x, json_array_get(sensors, k), "sensors_c");
    out->read_bytes = counter(x, v, "read_bytes", &out->io_valid);
    out->write_bytes = counter(x, v, "write_bytes", &out->io_valid);
    out->read_ops = counter(x, v, "read_ops", &out->io_valid);
    out->write_ops = counter(x, v, "write_ops", &out->io_valid);
}

/* Another drive counts from 0 again, whether or not it was seen to be gone in between. Counts that fall again and again
 * are not counts since the start. */
static void check_counts(struct el_external *x, uint32_t slot, const struct el_external_slot *now)
{
    struct el_external_slot *last = &x->last[slot];

    if (now->present && !now->io_valid)
        return;
    if (now->io_valid && last->io_valid &&
        (now->read_bytes < last->read_bytes || now->write_bytes < last->write_bytes || now->read_ops < last->read_ops ||
         now->write_ops < last->write_ops) &&
        ++x->falls[slot] > FALLS_MAX)
        wrong(x, "slots", "counts since the start; one drive's have fallen nine times");
    *last = *now;
}

static void read_state(struct el_external *x, const json_t *v, const struct el_external_facts *f,
                       struct el_external_state *out)
{
    const json_t *slots = json_object_get(v, "slots"), *fans = json_object_get(v, "fan_rpm");

    *out = (struct el_external_state){.inlet_c = member(x, v, "inlet_c"),
                                      .airflow_lfm = member(x, v, "airflow_lfm"),
                                      .card_w = member(x, v, "card_watts"),
                                      .switch_c = member(x, v, "switch_c")};
    if (!json_is_array(slots) || json_array_size(slots) != f->slots) {
        wrong(x, "slots", "a list of as many slots as were declared");
        return;
    }
    for (uint32_t i = 0; i < f->slots; i++)
        read_slot(x, json_array_get(slots, i), &out->slot[i]);
    if (fans && !json_is_null(fans) && (!json_is_array(fans) || json_array_size(fans) > EL_EXTERNAL_FANS_MAX))
        wrong(x, "fan_rpm", "a list of at most 8");
    for (uint32_t i = 0; i < EL_EXTERNAL_FANS_MAX; i++)
        out->fan_rpm[i] = i < json_array_size(fans) ? number(x, json_array_get(fans, i), "fan_rpm") : NAN;
}

int el_external_step(struct el_external *x, const struct el_external_facts *facts, const struct el_external_command *c,
                     struct el_external_state *out)
{
    struct el_external_state s;
    json_t *v;
    int r;

    el_buf_clear(&x->out);
    put_command(&x->out, facts, c);
    r = ask(x, &v);
    if (r != 0)
        return r;
    read_state(x, v, facts, &s);
    json_decref(v);
    for (uint32_t i = 0; i < facts->slots && x->wrong == 0; i++)
        check_counts(x, i, &s.slot[i]);
    if (x->wrong == 0)
        *out = s;
    return x->wrong;
}
