#include "exporter/snmp_get.h"

#include <math.h>
#include <string.h>

#include "model/alarm.h"
#include "model/catalog.h"

static const void *field(const struct el_snmp_at *at)
{
    return (const char *)at->object + at->column->offset;
}

/* Values. */

/* Counters of 32 bits wrap, as managers expect; gauges and integers end at their limit. */
static bool set_unsigned(struct el_snmp_value *out, uint64_t v)
{
    if (out->type == EL_SNMP_COUNTER64)
        out->counter64 = v;
    else if (out->type == EL_SNMP_COUNTER)
        out->gauge = (uint32_t)v;
    else if (out->type == EL_SNMP_INTEGER)
        out->integer = (int32_t)EL_MIN(v, (uint64_t)INT32_MAX);
    else
        out->gauge = (uint32_t)EL_MIN(v, (uint64_t)UINT32_MAX);
    return true;
}

static bool set_truth(struct el_snmp_value *out, bool v)
{
    out->integer = v ? 1 : 2;
    return true;
}

static uint64_t load_unsigned(const struct el_snmp_at *at)
{
    uint64_t v8 = 0;
    uint32_t v4;
    uint16_t v2;

    switch (at->column->size) {
    case 1:
        return *(const uint8_t *)field(at);
    case 2:
        memcpy(&v2, field(at), sizeof v2);
        return v2;
    case 4:
        memcpy(&v4, field(at), sizeof v4);
        return v4;
    default:
        memcpy(&v8, field(at), sizeof v8);
        return v8;
    }
}

/* Any field. */

bool el_snmp_get_text(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    return el_snmp_set_text(out, field(at), at->column->size);
}

bool el_snmp_get_date(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    return el_snmp_set_date(out, *(const int64_t *)field(at));
}

bool el_snmp_get_uint(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    return set_unsigned(out, load_unsigned(at));
}

bool el_snmp_get_nonzero(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    return load_unsigned(at) != 0 && el_snmp_get_uint(at, out);
}

bool el_snmp_get_enum(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    return set_unsigned(out, load_unsigned(at) + 1);
}

bool el_snmp_get_bool(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    return set_truth(out, *(const bool *)field(at));
}

enum el_quality el_snmp_quality(const struct el_snmp_view *v, const struct el_reading *r)
{
    return v->options.stale && r->quality == EL_GOOD ? EL_STALE : r->quality;
}

bool el_snmp_get_reading(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    const struct el_reading *r = field(at);

    return el_snmp_quality(at->view, r) == EL_GOOD && el_snmp_set_integer(out, (double)r->value);
}

bool el_snmp_get_origin(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    const struct el_reading *r = field(at);

    return el_snmp_quality(at->view, r) == EL_GOOD && set_unsigned(out, r->origin + 1);
}

bool el_snmp_get_quality(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    return set_unsigned(out, (uint64_t)el_snmp_quality(at->view, field(at)) + 1);
}

bool el_snmp_get_real(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    return el_snmp_set_integer(out, *(const double *)field(at) * at->column->scale);
}

static bool set_seconds(struct el_snmp_value *out, int64_t us)
{
    return el_snmp_set_integer(out, floor((double)EL_MAX(us, 0) / EL_USEC_PER_SEC));
}

bool el_snmp_get_since(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    int64_t t = *(const int64_t *)field(at);

    return t > 0 && set_seconds(out, at->view->snapshot->time_us - t);
}

bool el_snmp_get_until(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    int64_t t = *(const int64_t *)field(at);

    return t > 0 && set_seconds(out, t - at->view->snapshot->time_us);
}

bool el_snmp_get_not_negative(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    int32_t v = *(const int32_t *)field(at);

    return v >= 0 && set_unsigned(out, (uint64_t)v);
}

bool el_snmp_get_limit(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    int64_t v = *(const int64_t *)field(at);

    return v != INT64_MIN && v != INT64_MAX && el_snmp_set_integer(out, (double)v);
}

bool el_snmp_get_card_name(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    const struct el_card *c = el_snmp_card(at->view, *(const int32_t *)field(at));

    return el_snmp_set_text(out, c ? c->name : "", sizeof c->name);
}

bool el_snmp_get_slot_of(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    const struct el_slot *t = el_snmp_slot(at->view, *(const int32_t *)field(at));

    return el_snmp_set_integer(out, t ? (double)t->number : -1);
}

/* Values of the metric catalog. */

static struct el_value metric(const struct el_snmp_at *at, uint32_t row, uint32_t sub)
{
    const struct el_catalog_context c = {.s = at->view->snapshot, .stale = at->view->options.stale};

    return el_metric_value(&c, el_metric((enum el_metric_id)at->column->offset), row, sub);
}

static bool set_metric(struct el_snmp_value *out, struct el_value v, double decimals)
{
    int64_t scaled;

    if (v.kind == EL_VALUE_ABSENT)
        return false;
    if (v.kind == EL_VALUE_UNSIGNED && decimals == 0)
        return set_unsigned(out, v.u64);
    if (v.kind == EL_VALUE_DOUBLE)
        return el_snmp_set_integer(out, v.d);
    if (!el_value_scaled(v, (unsigned)decimals, &scaled))
        return el_snmp_set_integer(out, el_value_double(v) * pow(10, decimals)); /* beyond 64 bits: ends at the limit */
    return scaled < 0 ? el_snmp_set_integer(out, (double)scaled) : set_unsigned(out, (uint64_t)scaled);
}

bool el_snmp_get_metric(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    return set_metric(out, metric(at, at->row->ref, at->column->size), at->column->scale);
}

bool el_snmp_get_metric_flag(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    struct el_value v = metric(at, at->row->ref, 0);

    return v.kind != EL_VALUE_ABSENT && set_truth(out, el_value_double(v) != 0);
}

bool el_snmp_get_metric_sensor(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    uint32_t sub = at->row->sub * (at->column->size >> 8) + (at->column->size & 0xff);

    return set_metric(out, metric(at, at->row->ref, sub), at->column->scale);
}

bool el_snmp_get_metric_mega(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    struct el_value v = metric(at, at->row->ref, at->column->size);

    return v.kind != EL_VALUE_ABSENT && el_snmp_set_integer(out, el_value_double(v) / 1e6);
}

/* One column each. */

bool el_snmp_get_nothing(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    out->len = 0;
    return true;
}

bool el_snmp_get_age(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    const struct el_snmp_self *self = at->view->options.self;

    return self &&
           el_snmp_set_integer(out, floor((double)EL_MAX(self->now_us - at->view->snapshot->time_us, 0) / 1000));
}

bool el_snmp_get_uptime(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    const struct el_snmp_self *self = at->object;

    out->gauge = (uint32_t)((self->now_us - self->start_us) / 10000);
    return true;
}

bool el_snmp_get_stale(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    return set_truth(out, at->view->options.stale);
}

bool el_snmp_slot_text(const struct el_snmp_view *v, const struct el_slot *t, const char *what,
                       struct el_snmp_value *out)
{
    const struct el_card *c = el_snmp_card(v, t->card);

    return el_snmp_set_format(out, "%.*s slot %u%s%s", EL_NAME_MAX - 1, c ? c->name : "", t->number, *what ? " " : "",
                              what);
}

bool el_snmp_sensor_text(const struct el_snmp_view *v, const struct el_slot *t, uint32_t sensor, const char *what,
                         struct el_snmp_value *out)
{
    char name[64];

    if (sensor == 0)
        snprintf(name, sizeof name, "composite%s", what);
    else
        snprintf(name, sizeof name, "sensor %u%s", sensor, what);
    return el_snmp_slot_text(v, t, name, out);
}

bool el_snmp_get_slot_name(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    return el_snmp_slot_text(at->view, at->object, "", out);
}

static enum el_slot_state slot_state(const struct el_snmp_at *at)
{
    const struct el_slot *t = at->object;

    return at->view->options.stale && t->state == EL_SLOT_UP ? EL_SLOT_STALE : t->state;
}

bool el_snmp_get_slot_state(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    return set_unsigned(out, (uint64_t)slot_state(at) + 1);
}

bool el_snmp_get_slot_uptime(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    const struct el_slot *t = at->object;

    return slot_state(at) == EL_SLOT_UP && t->up_since_us > 0 &&
           set_seconds(out, at->view->snapshot->time_us - t->up_since_us);
}

bool el_snmp_get_nvme_version(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    uint32_t v = ((const struct el_slot *)at->object)->identify.version;

    return v != 0 && el_snmp_set_format(out, "%u.%u.%u", v >> 16, v >> 8 & 0xff, v & 0xff);
}

/* BITS: bit 0 is the highest of the first byte; NVMe counts from the lowest. */
bool el_snmp_get_warning(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    uint8_t warning = ((const struct el_slot *)at->object)->smart.critical_warning, bits = 0;

    for (int i = 0; i < 6; i++)
        if (warning >> i & 1)
            bits |= (uint8_t)(0x80 >> i);
    out->text[0] = (char)bits;
    out->len = 1;
    return true;
}

bool el_snmp_get_sensor_number(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    return set_unsigned(out, at->row->sub);
}

bool el_snmp_get_sensor_name(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    return el_snmp_sensor_text(at->view, at->object, at->row->sub, "", out);
}

bool el_snmp_get_sensor_quality(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    return set_unsigned(
        out, (uint64_t)el_snmp_quality(at->view, &((const struct el_slot *)at->object)->temp_mc[at->row->sub]) + 1);
}

bool el_snmp_get_aer(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    const struct el_link *l = at->object;

    return l->aer[at->column->offset].valid && set_unsigned(out, l->aer[at->column->offset].total);
}

bool el_snmp_get_sensor_card(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    const struct el_card *c = el_snmp_card(at->view, ((const struct el_sensor *)at->object)->card);

    return el_snmp_set_text(out, c ? c->name : "", sizeof c->name);
}

bool el_snmp_get_writes(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    const uint64_t *writes = field(at);
    uint64_t sum = 0;

    for (int i = 0; i < EL_ACTUATOR_COUNT; i++)
        sum += writes[i];
    return set_unsigned(out, sum);
}

bool el_snmp_get_alarm_name(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    const struct el_alarm_kind *k = el_alarm_kind(((const struct el_alarm *)at->object)->id);

    return el_snmp_set_format(out, "%s", k ? k->name : "");
}
