#include "control/trace.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/num.h"
#include "base/text.h"

#define TRACE_MAGIC "# elementd trace 1, law "

enum type { DOUBLE, SIGNED, UNSIGNED, TEXT, READING };

struct column {
    const char *name;
    size_t offset, size; /* of one element */
    enum type type;
    uint32_t repeat; /* elements of an array, 0 = one */
    bool boolean;    /* UNSIGNED, and no more than 1 */
};

#define MEMBER(s, member) ((struct s *)0)->member
/* clang-format off */
#define IS_BOOL(s, member) _Generic(MEMBER(s, member), bool: true, default: false)
/* clang-format on */
/* One column of a member, or of each element of an array. */
#define ONE(s, member, type)                                                                                           \
    {                                                                                                                  \
#member, offsetof(struct s, member), sizeof(MEMBER(s, member)), type, 0, IS_BOOL(s, member)                    \
    }
#define EACH(s, member, type)                                                                                          \
    {                                                                                                                  \
#member, offsetof(struct s, member), sizeof(MEMBER(s, member)[0]), type, EL_ARRAY_SIZE(MEMBER(s, member))      \
    }

static const struct column card_facts[] = {
    ONE(el_governor_card, slots, UNSIGNED),
    ONE(el_governor_card, arrays, UNSIGNED),
    EACH(el_governor_card, array_level, UNSIGNED),
    ONE(el_governor_card, card_limit_w, DOUBLE),
    ONE(el_governor_card, switch_limit_c, DOUBLE),
    ONE(el_governor_card, switch_w, DOUBLE),
    ONE(el_governor_card, inlet_max_c, DOUBLE),
    ONE(el_governor_card, airflow_min_lfm, DOUBLE),
    ONE(el_governor_card, margin_c, DOUBLE),
    ONE(el_governor_card, period_s, DOUBLE),
    ONE(el_governor_card, write_budget_per_hour, DOUBLE),
    ONE(el_governor_card, preference, UNSIGNED),
    ONE(el_governor_card, fans, UNSIGNED),
    ONE(el_governor_card, fan_max_w, DOUBLE),
    ONE(el_governor_card, sink_r400_c_per_w, DOUBLE),
    ONE(el_governor_card, sink_r_exponent, DOUBLE),
    ONE(el_governor_card, sink_c_j_per_k, DOUBLE),
    ONE(el_governor_card, drive_r_c_per_w, DOUBLE),
    ONE(el_governor_card, drive_c_j_per_k, DOUBLE),
    ONE(el_governor_card, airflow_assumed_lfm, DOUBLE),
    ONE(el_governor_card, inlet_assumed_c, DOUBLE),
};
static const struct column slot_facts[] = {
    ONE(el_governor_slot, limit_c, DOUBLE),
    ONE(el_governor_slot, warning_c, DOUBLE),
    ONE(el_governor_slot, critical_c, DOUBLE),
    EACH(el_governor_slot, sensor_limit_c, DOUBLE),
    ONE(el_governor_slot, idle_w, DOUBLE),
    ONE(el_governor_slot, full_w, DOUBLE),
    ONE(el_governor_slot, read_j_per_byte, DOUBLE),
    ONE(el_governor_slot, write_j_per_byte, DOUBLE),
    ONE(el_governor_slot, read_j_per_op, DOUBLE),
    ONE(el_governor_slot, write_j_per_op, DOUBLE),
    ONE(el_governor_slot, weight, DOUBLE),
    ONE(el_governor_slot, floor_ratio, DOUBLE),
    ONE(el_governor_slot, power_states, UNSIGNED),
    EACH(el_governor_slot, power_state_w, DOUBLE),
    EACH(el_governor_slot, power_state_id, UNSIGNED),
    ONE(el_governor_slot, can_cap, UNSIGNED),
    ONE(el_governor_slot, can_power_state, UNSIGNED),
    ONE(el_governor_slot, array, SIGNED),
    ONE(el_governor_slot, serial, TEXT),
};
static const struct column card_inputs[] = {
    ONE(el_governor_input, now_us, SIGNED),        ONE(el_governor_input, inlet_mc, READING),
    ONE(el_governor_input, airflow_mlfm, READING), ONE(el_governor_input, card_power_mw, READING),
    ONE(el_governor_input, switch_mc, READING),    EACH(el_governor_input, fan_rpm, READING),
};
static const struct column slot_inputs[] = {
    ONE(el_governor_slot_input, present, UNSIGNED),         ONE(el_governor_slot_input, temp_mc, READING),
    EACH(el_governor_slot_input, sensor_mc, READING),       ONE(el_governor_slot_input, read_bytes, UNSIGNED),
    ONE(el_governor_slot_input, write_bytes, UNSIGNED),     ONE(el_governor_slot_input, read_ops, UNSIGNED),
    ONE(el_governor_slot_input, write_ops, UNSIGNED),       ONE(el_governor_slot_input, io_valid, UNSIGNED),
    ONE(el_governor_slot_input, power_mw, READING),         ONE(el_governor_slot_input, cap_ratio_in_force, DOUBLE),
    ONE(el_governor_slot_input, actuator_failed, UNSIGNED),
};
static const struct column card_outputs[] = {
    ONE(el_decision, fan_pwm_ratio, DOUBLE),
    ONE(el_decision, fan_write, UNSIGNED),
    ONE(el_decision, failsafe, UNSIGNED),
    ONE(el_decision, failsafe_reason, UNSIGNED),
    ONE(el_decision, card_power_estimate_w, DOUBLE),
    ONE(el_decision, card_limit_w, DOUBLE),
    ONE(el_decision, sink_resistance_c_per_w, DOUBLE),
    ONE(el_decision, unknown_heat_w, DOUBLE),
    ONE(el_decision, airflow_estimate_lfm, DOUBLE),
    ONE(el_decision, airflow_wish_lfm, DOUBLE),
    ONE(el_decision, switch_headroom_c, DOUBLE),
    ONE(el_decision, air_failing, UNSIGNED),
};
static const struct column slot_outputs[] = {
    ONE(el_slot_decision, cap_ratio, DOUBLE),       ONE(el_slot_decision, budget_w, DOUBLE),
    ONE(el_slot_decision, power_state, SIGNED),     ONE(el_slot_decision, constraint, UNSIGNED),
    ONE(el_slot_decision, since_us, SIGNED),        ONE(el_slot_decision, lift_us, SIGNED),
    ONE(el_slot_decision, limit_c, DOUBLE),         ONE(el_slot_decision, headroom_c, DOUBLE),
    ONE(el_slot_decision, temp_estimate_c, DOUBLE), ONE(el_slot_decision, power_estimate_w, DOUBLE),
    ONE(el_slot_decision, withheld_ratio, DOUBLE),  ONE(el_slot_decision, write, UNSIGNED),
    ONE(el_slot_decision, sensor_valid, UNSIGNED),
};
static const struct column slot_truth[] = {
    ONE(el_twin_slot_truth, temp_c, DOUBLE),       ONE(el_twin_slot_truth, power_w, DOUBLE),
    ONE(el_twin_slot_truth, background_w, DOUBLE), ONE(el_twin_slot_truth, demand_iops, DOUBLE),
    ONE(el_twin_slot_truth, iops, DOUBLE),
};

/* Columns of a structure, once or for each slot. */
struct part {
    const struct column *columns;
    size_t n;
    const char *slot_prefix; /* NULL = once */
    size_t offset, stride;   /* of the slots */
};
#define ONCE(columns)                                                                                                  \
    {                                                                                                                  \
        columns, EL_ARRAY_SIZE(columns)                                                                                \
    }
#define PER_SLOT(columns, prefix, s)                                                                                   \
    {                                                                                                                  \
        columns, EL_ARRAY_SIZE(columns), prefix, offsetof(struct s, slot), sizeof(MEMBER(s, slot)[0])                  \
    }
static const struct part facts_parts[] = {ONCE(card_facts), PER_SLOT(slot_facts, "slot", el_governor_card)};
static const struct part input_parts[] = {ONCE(card_inputs), PER_SLOT(slot_inputs, "in", el_governor_input)};
static const struct part output_parts[] = {ONCE(card_outputs), PER_SLOT(slot_outputs, "out", el_decision)};
static const struct part truth_parts[] = {PER_SLOT(slot_truth, "true", el_twin_truth)};

/* The same walk writes names, writes values and reads them. */
typedef void visit(void *ctx, const char *name, const struct column *c, void *value);

static void walk_columns(const struct part *p, const char *prefix, char *base, visit *v, void *ctx)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct column *c = &p->columns[i];

        for (uint32_t k = 0; k < EL_MAX(c->repeat, 1u); k++) {
            char name[96];
            int n = snprintf(name, sizeof name, "%s%s", prefix, c->name);

            if (c->repeat)
                snprintf(name + n, sizeof name - (size_t)n, "%u", k);
            v(ctx, name, c, base + c->offset + k * c->size);
        }
    }
}

/* `slots` may be one of the values that are walked over, before any slot. */
static void walk(const struct part *parts, size_t n, const void *base, const uint32_t *slots, visit *v, void *ctx)
{
    char *bytes = (char *)(uintptr_t)base; /* visitors that read leave it as it is */

    for (const struct part *p = parts; p < parts + n; p++) {
        if (!p->slot_prefix)
            walk_columns(p, "", bytes, v, ctx);
        for (uint32_t i = 0; p->slot_prefix && i < EL_MIN(*slots, (uint32_t)EL_CARD_SLOTS_MAX); i++) {
            char prefix[16];

            snprintf(prefix, sizeof prefix, "%s%u.", p->slot_prefix, i);
            walk_columns(p, prefix, bytes + p->offset + i * p->stride, v, ctx);
        }
    }
}
#define WALK(parts, base, slots, v, ctx) walk(parts, EL_ARRAY_SIZE(parts), base, slots, v, ctx)

static uint64_t load(const void *p, size_t size)
{
    return size == 1 ? *(const uint8_t *)p : size == 4 ? *(const uint32_t *)p : *(const uint64_t *)p;
}

static void store(void *p, size_t size, uint64_t v)
{
    if (size == 1)
        *(uint8_t *)p = (uint8_t)v;
    else if (size == 4)
        *(uint32_t *)p = (uint32_t)v;
    else
        *(uint64_t *)p = v;
}

static void put_value(struct el_buf *b, const struct column *c, const void *p, int64_t now_us)
{
    const struct el_reading *r = p;

    switch (c->type) {
    case DOUBLE:
        if (!isnan(*(const double *)p))
            el_buf_double(b, *(const double *)p);
        return;
    case SIGNED:
        el_buf_i64(b, c->size == 4 ? *(const int32_t *)p : *(const int64_t *)p);
        return;
    case UNSIGNED:
        el_buf_u64(b, load(p, c->size));
        return;
    case TEXT:
        el_buf_puts(b, p);
        return;
    case READING:
        if (r->quality == EL_ABSENT)
            return;
        el_buf_i64(b, r->value);
        if (r->time_us != now_us || r->quality != EL_GOOD)
            el_buf_printf(b, "@%jd!%u", (intmax_t)r->time_us, r->quality);
        return;
    }
}

static bool get_reading(const char *text, struct el_reading *r, int64_t now_us)
{
    intmax_t value, time_us = now_us;
    unsigned quality = EL_GOOD;
    int used = 0, used_all = 0;

    *r = (struct el_reading){.quality = EL_ABSENT};
    if (!*text)
        return true;
    if (sscanf(text, "%jd%n@%jd!%u%n", &value, &used, &time_us, &quality, &used_all) < 1 ||
        text[used_all ? used_all : used] || quality > EL_FAILED)
        return false;
    *r = (struct el_reading){.value = value, .time_us = time_us, .quality = (enum el_quality)quality};
    return true;
}

static bool get_value(const char *text, const struct column *c, void *p, int64_t now_us)
{
    uint64_t u;
    int64_t i;

    switch (c->type) {
    case DOUBLE:
        *(double *)p = strcmp(text, "+Inf") == 0 ? INFINITY : strcmp(text, "-Inf") == 0 ? -INFINITY : NAN;
        return !*text || isinf(*(double *)p) || el_num_parse_double(text, p) == 0;
    case SIGNED:
        if (el_num_parse_i64(text, &i) < 0)
            return false;
        store(p, c->size, (uint64_t)i);
        return true;
    case UNSIGNED:
        if (el_num_parse_u64(text, &u) < 0 || u > (c->boolean ? 1 : UINT64_MAX >> (64 - 8 * c->size)))
            return false;
        store(p, c->size, u);
        return true;
    case TEXT:
        return el_text_copy(p, c->size, text);
    case READING:
        return get_reading(text, p, now_us);
    }
    return false;
}

struct put {
    struct el_buf *b;
    int64_t now_us;
};

static void put_fact(void *ctx, const char *name, const struct column *c, void *value)
{
    struct put *p = ctx;

    el_buf_printf(p->b, "# %s ", name);
    put_value(p->b, c, value, 0);
    el_buf_putc(p->b, '\n');
}

static void put_name(void *ctx, const char *name, const struct column *c, void *value)
{
    struct put *p = ctx;

    el_buf_printf(p->b, ",%s", name);
}

static void put_cell(void *ctx, const char *name, const struct column *c, void *value)
{
    struct put *p = ctx;

    el_buf_putc(p->b, ',');
    put_value(p->b, c, value, p->now_us);
}

/* Everything of one tick. */
static void put_tick(struct put *p, const struct el_simulate_tick *tick, visit *v)
{
    const uint32_t *slots = &tick->facts->slots;

    WALK(input_parts, tick->in, slots, v, p);
    WALK(output_parts, tick->decision, slots, v, p);
    if (tick->truth)
        WALK(truth_parts, tick->truth, slots, v, p);
    el_buf_putc(p->b, '\n');
}

void el_trace_write(struct el_trace_writer *w, const struct el_simulate_tick *tick)
{
    struct put p = {&w->line, tick->in->now_us};

    el_buf_clear(&w->line);
    if (!w->started) {
        el_buf_printf(&w->line, TRACE_MAGIC "%s\n", w->law);
        WALK(facts_parts, tick->facts, &tick->facts->slots, put_fact, &p);
        el_buf_puts(&w->line, "t_s");
        put_tick(&p, tick, put_name);
        w->started = true;
    }
    el_buf_double(&w->line, tick->t_s);
    put_tick(&p, tick, put_cell);
    if (w->error == 0 && (w->line.failed || fwrite(w->line.data, 1, w->line.len, w->file) != w->line.len))
        w->error = w->line.failed ? -ENOMEM : errno ? -errno : -EIO;
}

/* ---- reading back ---- */

struct replay {
    FILE *file;
    char *line, *rest; /* of which `rest` is not taken yet */
    size_t size;
    uintmax_t line_no;
    char bad[96];        /* first name that could not be read, "" = none */
    struct el_buf made;  /* what a cell would be now */
    bool line_different; /* some cell of this line */
    struct el_governor_card facts;
    struct el_governor *law;
    struct el_governor_input in;
    struct el_decision out;
    struct el_trace_replay *found;
};

static bool next_line(struct replay *r)
{
    if (getline(&r->line, &r->size, r->file) <= 0)
        return false;
    r->line_no++;
    r->line[strcspn(r->line, "\n")] = '\0';
    r->rest = r->line;
    return true;
}

static const char *next_cell(struct replay *r)
{
    const char *cell = r->rest ? strsep(&r->rest, ",") : NULL;

    return cell ? cell : "";
}

/* "# name value" lines into the facts; names in their order. */
static void take_fact(void *ctx, const char *name, const struct column *c, void *value)
{
    struct replay *r = ctx;
    size_t n = strlen(name);

    if (r->bad[0] || (next_line(r) && strncmp(r->line, "# ", 2) == 0 && strncmp(r->line + 2, name, n) == 0 &&
                      r->line[2 + n] == ' ' && get_value(r->line + 3 + n, c, value, 0)))
        return;
    el_text_copy(r->bad, sizeof r->bad, name);
}

/* `now_us` is the first of the cells: the others count from it. */
static void take_cell(void *ctx, const char *name, const struct column *c, void *value)
{
    struct replay *r = ctx;

    if (!r->bad[0] && !get_value(next_cell(r), c, value, r->in.now_us))
        el_text_copy(r->bad, sizeof r->bad, name);
}

static void compare_cell(void *ctx, const char *name, const struct column *c, void *value)
{
    struct replay *r = ctx;
    const char *was = next_cell(r);

    el_buf_clear(&r->made);
    put_value(&r->made, c, value, r->in.now_us);
    if (strcmp(was, r->made.data ? r->made.data : "") == 0 || r->line_different)
        return;
    r->line_different = true;
    if (r->found->different == 0)
        snprintf(r->found->first_what, sizeof r->found->first_what, "%s: %s in the trace, %s now", name,
                 *was ? was : "nothing", r->made.len ? r->made.data : "nothing");
}

/* The line of names, in their order; more may follow them. */
static void take_name(void *ctx, const char *name, const struct column *c, void *value)
{
    struct replay *r = ctx;

    if (!r->bad[0] && strcmp(next_cell(r), name) != 0)
        el_text_copy(r->bad, sizeof r->bad, name);
}

static int unreadable(const struct replay *r, char *why, size_t why_size)
{
    snprintf(why, why_size, "line %ju: %s is not readable", r->line_no, r->bad);
    return -EBADMSG;
}

static int read_head(struct replay *r, char *why, size_t why_size)
{
    if (!next_line(r) || strncmp(r->line, TRACE_MAGIC, sizeof TRACE_MAGIC - 1) != 0) {
        el_text_copy(why, why_size, "not a trace of this version of elementd");
        return -EBADMSG;
    }
    el_text_copy(r->found->law, sizeof r->found->law, r->line + sizeof TRACE_MAGIC - 1);
    WALK(facts_parts, &r->facts, &r->facts.slots, take_fact, r);
    if (r->facts.slots < 1 || r->facts.slots > EL_CARD_SLOTS_MAX)
        el_text_copy(r->bad, sizeof r->bad, "slots");
    if (!r->bad[0] && (!next_line(r) || strcmp(next_cell(r), "t_s") != 0))
        el_text_copy(r->bad, sizeof r->bad, "the line of names");
    WALK(input_parts, &r->in, &r->facts.slots, take_name, r);
    WALK(output_parts, &r->out, &r->facts.slots, take_name, r);
    return r->bad[0] ? unreadable(r, why, why_size) : 0;
}

static int make_law(struct replay *r, char *why, size_t why_size)
{
    const struct el_governor_law *law = el_simulate_law(r->found->law);

    if (!law) {
        snprintf(why, why_size, "made by law \"%s\", which makes no decisions here", r->found->law);
        return -EBADMSG;
    }
    r->law = el_governor_new(law, &r->facts);
    return r->law ? 0 : -ENOMEM;
}

static int replay_line(struct replay *r, char *why, size_t why_size)
{
    double t_s;

    r->line_different = false;
    if (el_num_parse_double(next_cell(r), &t_s) < 0)
        el_text_copy(r->bad, sizeof r->bad, "t_s");
    WALK(input_parts, &r->in, &r->facts.slots, take_cell, r);
    if (!r->bad[0] && !r->rest)
        el_text_copy(r->bad, sizeof r->bad, "the end");
    if (r->bad[0])
        return unreadable(r, why, why_size);
    el_governor_step(r->law, &r->in, &r->out);
    WALK(output_parts, &r->out, &r->facts.slots, compare_cell, r);
    r->found->ticks++;
    if (r->line_different && r->found->different++ == 0)
        r->found->first_t_s = t_s;
    return 0;
}

int el_trace_replay(FILE *file, struct el_trace_replay *out, char *why, size_t why_size)
{
    struct replay *r = calloc(1, sizeof *r);
    int result;

    *out = (struct el_trace_replay){.first_t_s = NAN};
    el_text_copy(why, why_size, "out of memory");
    if (!r)
        return -ENOMEM;
    r->file = file;
    r->found = out;
    result = read_head(r, why, why_size);
    if (result == 0)
        result = make_law(r, why, why_size);
    while (result == 0 && next_line(r))
        result = replay_line(r, why, why_size);
    if (result == 0 && out->ticks == 0) {
        el_text_copy(why, why_size, "no tick in it");
        result = -EBADMSG;
    }
    el_governor_free(r->law);
    el_buf_free(&r->made);
    free(r->line);
    free(r);
    return result;
}
