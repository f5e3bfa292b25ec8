/* What pure work costs: cost WHAT [DRIVES [ROUNDS]] prints microseconds of CPU per round. Under callgrind two runs with
 * different ROUNDS give instructions per round. WHAT: text, openmetrics, json, check, copy, smart; again, packed: the
 * text, or its gzip, when one temperature of each drive changed since the last; gzip: of all of it, by the library
 * alone; ioctl: the way into the kernel and back once per drive, the least that a poller of any kind spends. */
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/clock.h"
#include "exporter/packer.h"
#include "exporter/view.h"
#include "model/fill.h"
#include "support/make_snapshot.h"

struct bench {
    struct el_snapshot *s;
    struct el_buf out;
    void *copy;
    struct el_view_memo memo;
    struct el_packer *packer;
};

static void text(struct bench *b)
{
    struct el_view_options o = {0};

    el_buf_clear(&b->out);
    if (el_view_metrics(b->s, EL_VIEW_PROMETHEUS, &o, &b->out) < 0)
        abort();
}

static void openmetrics(struct bench *b)
{
    struct el_view_options o = {0};

    el_buf_clear(&b->out);
    if (el_view_metrics(b->s, EL_VIEW_OPENMETRICS, &o, &b->out) < 0)
        abort();
}

static void again(struct bench *b)
{
    struct el_view_options o = {.memo = &b->memo};

    el_buf_clear(&b->out);
    for (uint32_t i = 0; i < b->s->slots.count; i++)
        el_snapshot_slots(b->s)[i].temp_mc[0].value ^= 1024;
    if (el_view_metrics(b->s, EL_VIEW_PROMETHEUS, &o, &b->out) < 0)
        abort();
}

static void packed(struct bench *b)
{
    struct el_body *body;

    again(b);
    if (!b->packer && !(b->packer = el_packer_new()))
        abort();
    el_packer_put_first(b->packer, &b->memo.text, b->memo.edition);
    el_packer_put(b->packer, b->out.data, b->out.len);
    body = el_packer_end(b->packer, "text/plain");
    if (!body)
        abort();
    el_body_retire(body);
}

static void gzip(struct bench *b)
{
    if (!b->out.len)
        text(b);
    if (!b->packer && !(b->packer = el_packer_new()))
        abort();
    el_packer_put(b->packer, b->out.data, b->out.len);
    el_body_retire(el_packer_end(b->packer, "text/plain"));
}

static void json(struct bench *b)
{
    struct el_view_options o = {0};

    el_buf_clear(&b->out);
    if (el_view_json(b->s, &o, &b->out) < 0)
        abort();
}

static void check(struct bench *b)
{
    const char *why;

    if (!el_snapshot_check(b->s, b->s->size, &why))
        abort();
}

static void copy(struct bench *b)
{
    memcpy(b->copy, b->s, b->s->size);
    __asm__ volatile("" : : "r"(b->copy) : "memory");
}

static void smart(struct bench *b)
{
    static uint8_t page[EL_NVME_SMART_SIZE] = {[1] = 0x45, [2] = 0x01, [3] = 100, [4] = 10, [5] = 3};
    struct el_slot *slot = el_snapshot_slots(b->s);

    if (el_fill_page(slot, EL_READ_SMART, page, EL_NVME_SMART_SIZE, 1000000) < 0)
        abort();
}

static void ioctls(struct bench *b)
{
    static int fd = -1;

    if (fd < 0)
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (uint32_t i = 0; i < b->s->slots.count; i++)
        (void)ioctl(fd, _IOC(_IOC_READ | _IOC_WRITE, 'N', 0x41, 72), b->copy); /* an admin command: refused at once */
}

static const struct {
    const char *name;
    void (*run)(struct bench *b);
} works[] = {{"text", text},     {"openmetrics", openmetrics},
             {"json", json},     {"again", again},
             {"packed", packed}, {"check", check},
             {"copy", copy},     {"smart", smart},
             {"ioctl", ioctls},  {"gzip", gzip}};

int main(int argc, char **argv)
{
    struct el_test_snapshot o = {
        .drives = argc > 2 ? (uint32_t)atoi(argv[2]) : 8, .sensors = 2, .seq = 7, .time_us = 1000000000};
    long rounds = argc > 3 ? atol(argv[3]) : 100;
    struct bench b = {.s = el_test_snapshot_new(&o)};

    b.copy = b.s ? malloc(b.s->size) : NULL;
    for (size_t i = 0; b.copy && argc > 1 && i < EL_ARRAY_SIZE(works); i++)
        if (strcmp(works[i].name, argv[1]) == 0) {
            int64_t began_us;

            for (int k = 0; k < 3; k++)
                works[i].run(&b); /* buffers grow once, and what will change again is known */
            began_us = el_clock_thread_cpu_us();
            for (long k = 0; k < rounds; k++)
                works[i].run(&b);
            printf("%.3f\n", (double)(el_clock_thread_cpu_us() - began_us) / (double)(rounds ? rounds : 1));
            el_buf_free(&b.out);
            el_view_memo_free(&b.memo);
            el_packer_free(b.packer);
            free(b.copy);
            el_snapshot_free(b.s);
            return 0;
        }
    fputs("usage: cost text|openmetrics|json|again|packed|gzip|check|copy|smart|ioctl [DRIVES [ROUNDS]]\n", stderr);
    return 2;
}
