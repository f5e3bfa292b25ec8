/* Getters for fields as they stand. Each finds its field `offset` bytes into the row, `stride` further per sub index.
 */
#include <math.h>
#include <string.h>

#include "model/catalog_private.h"

static const void *field(const struct el_catalog_context *c, const struct el_metric *m, uint32_t row, uint32_t sub)
{
    return (const char *)el_catalog_row(c, m->scope, row) + m->offset + (size_t)m->stride * sub;
}

/* A stored integer times the row's factor. Beyond 64 bits a double is as exact as what reads the text. */
static struct el_value scaled(const struct el_metric *m, el_u128 v)
{
    if (v == 0 && m->absent_zero)
        return el_absent;
    if (v > UINT64_MAX / m->factor) {
        el_u128 exact;
        bool over = __builtin_mul_overflow(v, (el_u128)m->factor, &exact);

        return (struct el_value){.kind = EL_VALUE_DOUBLE, .d = over ? (double)v * m->factor : (double)exact};
    }
    return m->decimals ? el_fixed((int64_t)(uint64_t)(v * m->factor), m->decimals)
                       : el_unsigned((uint64_t)v * m->factor);
}

#define INTEGER(name, type)                                                                                            \
    EL_READER(name)                                                                                                    \
    {                                                                                                                  \
        return scaled(m, *(const type *)field(c, m, row, sub));                                                        \
    }
INTEGER(u8, uint8_t)
INTEGER(u32, uint32_t)
INTEGER(u64, uint64_t)
INTEGER(u128, el_u128)
INTEGER(flag, bool)

/* The specification allows 0 to 100 and nothing else. */
EL_READER(percent)
{
    return *(const uint8_t *)field(c, m, row, sub) <= 100 ? el_read_u8(c, m, row, sub) : el_absent;
}

struct el_value el_rounded(double v, uint32_t decimals)
{
    static const double scale[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};

    if (!isfinite(v))
        return el_absent;
    if (fabs(v) * scale[decimals] >= 9e15)
        return (struct el_value){.kind = EL_VALUE_DOUBLE, .d = v};
    return el_fixed(llround(v * scale[decimals]), decimals);
}

EL_READER(double)
{
    double v = *(const double *)field(c, m, row, sub);

    return v == 0 && m->absent_zero ? el_absent : el_rounded(v, m->decimals);
}

EL_READER(us)
{
    return el_fixed(*(const int64_t *)field(c, m, row, sub), 6);
}

static struct el_value epoch_seconds(int64_t realtime_us)
{
    return el_fixed(realtime_us / 1000, 3);
}

EL_READER(realtime)
{
    int64_t v = *(const int64_t *)field(c, m, row, sub);

    return v ? epoch_seconds(v) : el_absent;
}

EL_READER(boottime)
{
    int64_t v = *(const int64_t *)field(c, m, row, sub);

    return v ? epoch_seconds(c->s->realtime_us - (c->s->time_us - v)) : el_absent;
}

EL_READER(reading)
{
    const struct el_reading *r = field(c, m, row, sub);

    return el_reading_usable(r) ? el_fixed(r->value, m->decimals) : el_absent;
}

EL_READER(reading_origin)
{
    const struct el_reading *r = field(c, m, row, 0);

    return el_reading_usable(r) && r->origin == sub ? el_fixed(r->value, m->decimals) : el_absent;
}

EL_READER(state)
{
    return el_unsigned(*(const uint32_t *)field(c, m, row, 0) == sub);
}

EL_READER(bit)
{
    return el_unsigned(*(const uint8_t *)field(c, m, row, 0) >> sub & 1);
}

/* Limits as the drive reports them, odd ones included. Nothing compares with them unchecked. */
EL_READER(kelvin)
{
    uint16_t v = *(const uint16_t *)field(c, m, row, sub);

    return v ? el_fixed(v - 273, 0) : el_absent;
}

EL_READER(one)
{
    return el_unsigned(1);
}

EL_READER(ps_u32)
{
    return sub < el_snapshot_slots(c->s)[row].identify.power_states ? el_read_u32(c, m, row, sub) : el_absent;
}

EL_READER(ps_flag)
{
    return sub < el_snapshot_slots(c->s)[row].identify.power_states ? el_read_flag(c, m, row, sub) : el_absent;
}

/* `factor` is the kind of sensor that the metric stands for. */
EL_READER(sensor)
{
    const struct el_sensor *s = &el_snapshot_sensors(c->s)[row];

    return s->kind == m->factor && el_reading_usable(&s->value) ? el_fixed(s->value.value, m->decimals) : el_absent;
}

static bool process_stats(const struct el_catalog_context *c, uint32_t which, struct el_process_stats *out)
{
    const struct el_daemon *d = &c->s->daemon;

    if (which == 1) {
        if (c->exporter)
            *out = c->exporter->process;
        return c->exporter != NULL;
    }
    *out = (struct el_process_stats){
        .cpu_us = d->process_cpu_us,
        .start_realtime_us = d->start_realtime_us,
        .rss_bytes = d->rss_bytes,
        .vsz_bytes = d->vsz_bytes,
        .open_fds = d->open_fds,
        .max_fds = d->max_fds,
    };
    return !c->stale;
}

static uint64_t process_field(const struct el_process_stats *p, size_t offset)
{
    uint64_t v;

    memcpy(&v, (const char *)p + offset, sizeof v);
    return v;
}

EL_READER(process)
{
    struct el_process_stats p;
    uint64_t v = process_stats(c, sub, &p) ? process_field(&p, m->offset) : 0;

    return v ? el_unsigned(v) : el_absent;
}

EL_READER(process_us)
{
    struct el_process_stats p;
    int64_t v = process_stats(c, sub, &p) ? (int64_t)process_field(&p, m->offset) : 0;

    return v <= 0 ? el_absent : m->decimals == 3 ? epoch_seconds(v) : el_fixed(v, m->decimals);
}
