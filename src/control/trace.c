#include "control/trace.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/num.h"
#include "base/text.h"

#define TRACE_MAGIC "# elementd trace 1, law "

enum type { DOUBLE, U32, I32, I64, U64, BOOL, U8, TEXT61, READING, ENUM32 };

struct column {
    const char *name;
    size_t offset;
    enum type type;
    uint32_t repeat; /* elements of an array, 0 = one */
    size_t size;     /* of one element */
};

/* One column of a member, or of each element of an array. */
#define ONE(s, member, type)                                                                                           \
    {                                                                                                                  \
#member, offsetof(struct s, member), type, 0, 0                                                                \
    }
#define EACH(s, member, type)                                                                                          \
    {                                                                                                                  \
#member, offsetof(struct s, member), type,                                                                     \
            sizeof(((struct s *)0)->member) / sizeof(((struct s *)0)->member[0]), sizeof(((struct s *)0)->member[0])   \
    }

static const struct column card_facts[] = {
    ONE(el_governor_card, slots, U32),
    ONE(el_governor_card, arrays, U32),
    EACH(el_governor_card, array_level, ENUM32),
    ONE(el_governor_card, card_limit_w, DOUBLE),
    ONE(el_governor_card, switch_limit_c, DOUBLE),
    ONE(el_governor_card, switch_w, DOUBLE),
    ONE(el_governor_card, inlet_max_c, DOUBLE),
    ONE(el_governor_card, airflow_min_lfm, DOUBLE),
    ONE(el_governor_card, margin_c, DOUBLE),
    ONE(el_governor_card, period_s, DOUBLE),
    ONE(el_governor_card, write_budget_per_hour, DOUBLE),
    ONE(el_governor_card, preference, ENUM32),
    ONE(el_governor_card, fans, U32),
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
    ONE(el_governor_slot, limit_c, DOUBLE),         ONE(el_governor_slot, warning_c, DOUBLE),
    ONE(el_governor_slot, critical_c, DOUBLE),      EACH(el_governor_slot, sensor_limit_c, DOUBLE),
    ONE(el_governor_slot, idle_w, DOUBLE),          ONE(el_governor_slot, full_w, DOUBLE),
    ONE(el_governor_slot, read_j_per_byte, DOUBLE), ONE(el_governor_slot, write_j_per_byte, DOUBLE),
    ONE(el_governor_slot, read_j_per_op, DOUBLE),   ONE(el_governor_slot, write_j_per_op, DOUBLE),
    ONE(el_governor_slot, weight, DOUBLE),          ONE(el_governor_slot, floor_ratio, DOUBLE),
    ONE(el_governor_slot, power_states, U32),       EACH(el_governor_slot, power_state_w, DOUBLE),
    EACH(el_governor_slot, power_state_id, U8),     ONE(el_governor_slot, can_cap, BOOL),
    ONE(el_governor_slot, can_power_state, BOOL),   ONE(el_governor_slot, array, I32),
    ONE(el_governor_slot, serial, TEXT61),
};
static const struct column card_inputs[] = {
    ONE(el_governor_input, inlet_mc, READING),      ONE(el_governor_input, airflow_mlfm, READING),
    ONE(el_governor_input, card_power_mw, READING), ONE(el_governor_input, switch_mc, READING),
    EACH(el_governor_input, fan_rpm, READING),
};
static const struct column slot_inputs[] = {
    ONE(el_governor_slot_input, present, BOOL),         ONE(el_governor_slot_input, temp_mc, READING),
    EACH(el_governor_slot_input, sensor_mc, READING),   ONE(el_governor_slot_input, read_bytes, U64),
    ONE(el_governor_slot_input, write_bytes, U64),      ONE(el_governor_slot_input, read_ops, U64),
    ONE(el_governor_slot_input, write_ops, U64),        ONE(el_governor_slot_input, io_valid, BOOL),
    ONE(el_governor_slot_input, power_mw, READING),     ONE(el_governor_slot_input, cap_ratio_in_force, DOUBLE),
    ONE(el_governor_slot_input, actuator_failed, BOOL),
};
static const struct column card_outputs[] = {
    ONE(el_decision, fan_pwm_ratio, DOUBLE),
    ONE(el_decision, fan_write, BOOL),
    ONE(el_decision, failsafe, ENUM32),
    ONE(el_decision, failsafe_reason, ENUM32),
    ONE(el_decision, card_power_estimate_w, DOUBLE),
    ONE(el_decision, card_limit_w, DOUBLE),
    ONE(el_decision, sink_resistance_c_per_w, DOUBLE),
    ONE(el_decision, unknown_heat_w, DOUBLE),
    ONE(el_decision, airflow_estimate_lfm, DOUBLE),
    ONE(el_decision, airflow_wish_lfm, DOUBLE),
    ONE(el_decision, switch_headroom_c, DOUBLE),
    ONE(el_decision, air_failing, BOOL),
};
static const struct column slot_outputs[] = {
    ONE(el_slot_decision, cap_ratio, DOUBLE),       ONE(el_slot_decision, budget_w, DOUBLE),
    ONE(el_slot_decision, power_state, I32),        ONE(el_slot_decision, constraint, ENUM32),
    ONE(el_slot_decision, since_us, I64),           ONE(el_slot_decision, lift_us, I64),
    ONE(el_slot_decision, limit_c, DOUBLE),         ONE(el_slot_decision, headroom_c, DOUBLE),
    ONE(el_slot_decision, temp_estimate_c, DOUBLE), ONE(el_slot_decision, power_estimate_w, DOUBLE),
    ONE(el_slot_decision, withheld_ratio, DOUBLE),  ONE(el_slot_decision, write, BOOL),
    ONE(el_slot_decision, sensor_valid, BOOL),
};
static const struct column slot_truth[] = {
    ONE(el_twin_slot_truth, temp_c, DOUBLE),       ONE(el_twin_slot_truth, power_w, DOUBLE),
    ONE(el_twin_slot_truth, background_w, DOUBLE), ONE(el_twin_slot_truth, demand_iops, DOUBLE),
    ONE(el_twin_slot_truth, iops, DOUBLE),
};

/* Everything a line holds; the same walk writes names, writes values and reads them. */
struct row {
    double t_s;
    struct el_governor_input in;
    struct el_decision out;
};

typedef void visit(void *ctx, const char *name, enum type type, void *value);

static void walk(const struct column *columns, size_t n, const char *prefix, void *base, visit *v, void *ctx)
{
    for (size_t i = 0; i < n; i++) {
        const struct column *c = &columns[i];

        for (uint32_t k = 0; k < EL_MAX(c->repeat, 1u); k++) {
            char name[96];

            if (c->repeat)
                snprintf(name, sizeof name, "%s%s%u", prefix, c->name, k);
            else
                snprintf(name, sizeof name, "%s%s", prefix, c->name);
            v(ctx, name, c->type, (char *)base + c->offset + k * c->size);
        }
    }
}

#define WALK(columns, prefix, base, v, ctx)                                                                            \
    walk(columns, EL_ARRAY_SIZE(columns), prefix, (void *)(uintptr_t)(base), v, ctx)

static void slot_prefix(char out[16], const char *what, uint32_t slot)
{
    snprintf(out, 16, "%s%u.", what, slot);
}

static void walk_facts(struct el_governor_card *f, visit *v, void *ctx)
{
    char prefix[16];

    WALK(card_facts, "", f, v, ctx);
    for (uint32_t i = 0; i < EL_MIN(f->slots, (uint32_t)EL_CARD_SLOTS_MAX); i++) {
        slot_prefix(prefix, "slot", i);
        WALK(slot_facts, prefix, &f->slot[i], v, ctx);
    }
}

static void walk_inputs(const struct el_governor_input *in, uint32_t slots, visit *v, void *ctx)
{
    char prefix[16];

    v(ctx, "now_us", I64, (void *)(uintptr_t)&in->now_us);
    WALK(card_inputs, "", in, v, ctx);
    for (uint32_t i = 0; i < slots; i++) {
        slot_prefix(prefix, "in", i);
        WALK(slot_inputs, prefix, &in->slot[i], v, ctx);
    }
}

static void walk_outputs(const struct el_decision *d, uint32_t slots, visit *v, void *ctx)
{
    char prefix[16];

    WALK(card_outputs, "", d, v, ctx);
    for (uint32_t i = 0; i < slots; i++) {
        slot_prefix(prefix, "out", i);
        WALK(slot_outputs, prefix, &d->slot[i], v, ctx);
    }
}

static void put_value(struct el_buf *b, enum type type, const void *p, int64_t now_us)
{
    const struct el_reading *r = p;
    double v;

    switch (type) {
    case DOUBLE:
        memcpy(&v, p, sizeof v);
        if (!isnan(v))
            el_buf_double(b, v);
        return;
    case U32:
    case ENUM32:
        el_buf_u64(b, *(const uint32_t *)p);
        return;
    case I32:
        el_buf_i64(b, *(const int32_t *)p);
        return;
    case I64:
        el_buf_i64(b, *(const int64_t *)p);
        return;
    case U64:
        el_buf_u64(b, *(const uint64_t *)p);
        return;
    case BOOL:
        el_buf_putc(b, *(const bool *)p ? '1' : '0');
        return;
    case U8:
        el_buf_u64(b, *(const uint8_t *)p);
        return;
    case TEXT61:
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

static bool get_value(const char *text, enum type type, void *p, int64_t now_us)
{
    double v = NAN;
    uint64_t u = 0;
    int64_t i = 0;

    switch (type) {
    case DOUBLE:
        if (strcmp(text, "+Inf") == 0 || strcmp(text, "-Inf") == 0)
            v = text[0] == '-' ? -INFINITY : INFINITY;
        else if (*text && el_num_parse_double(text, &v) < 0)
            return false;
        memcpy(p, &v, sizeof v);
        return true;
    case TEXT61:
        return el_text_copy(p, 61, text);
    case READING:
        return get_reading(text, p, now_us);
    case I32:
    case I64:
        if (el_num_parse_i64(text, &i) < 0)
            return false;
        if (type == I64)
            *(int64_t *)p = i;
        else
            *(int32_t *)p = (int32_t)i;
        return true;
    default:
        if (el_num_parse_u64(text, &u) < 0)
            return false;
        break;
    }
    if (type == U64)
        *(uint64_t *)p = u;
    else if (type == U8)
        *(uint8_t *)p = (uint8_t)u;
    else if (type == BOOL)
        *(bool *)p = u;
    else
        *(uint32_t *)p = (uint32_t)u;
    return true;
}

struct put {
    struct el_buf *b;
    int64_t now_us;
};

static void put_fact(void *ctx, const char *name, enum type type, void *value)
{
    struct put *p = ctx;

    el_buf_printf(p->b, "# %s ", name);
    put_value(p->b, type, value, 0);
    el_buf_putc(p->b, '\n');
}

static void put_name(void *ctx, const char *name, enum type type, void *value)
{
    struct put *p = ctx;
    (void)type;
    (void)value;

    el_buf_printf(p->b, ",%s", name);
}

static void put_cell(void *ctx, const char *name, enum type type, void *value)
{
    struct put *p = ctx;
    (void)name;

    el_buf_putc(p->b, ',');
    put_value(p->b, type, value, p->now_us);
}

static void put_truth(struct put *p, const struct el_twin_truth *t, uint32_t slots, visit *v)
{
    char prefix[16];

    for (uint32_t i = 0; t && i < slots; i++) {
        slot_prefix(prefix, "true", i);
        WALK(slot_truth, prefix, &t->slot[i], v, p);
    }
}

void el_trace_write(struct el_trace_writer *w, const struct el_simulate_tick *tick)
{
    struct put p = {&w->line, tick->in->now_us};
    uint32_t slots = tick->facts->slots;

    el_buf_clear(&w->line);
    if (!w->started) {
        el_buf_printf(&w->line, TRACE_MAGIC "%s\n", w->law);
        walk_facts((struct el_governor_card *)(uintptr_t)tick->facts, put_fact, &p);
        el_buf_puts(&w->line, "t_s");
        walk_inputs(tick->in, slots, put_name, &p);
        walk_outputs(tick->decision, slots, put_name, &p);
        put_truth(&p, tick->truth, slots, put_name);
        el_buf_putc(&w->line, '\n');
        w->started = true;
    }
    el_buf_double(&w->line, tick->t_s);
    walk_inputs(tick->in, slots, put_cell, &p);
    walk_outputs(tick->decision, slots, put_cell, &p);
    put_truth(&p, tick->truth, slots, put_cell);
    el_buf_putc(&w->line, '\n');
    if (w->error == 0 && (w->line.failed || fwrite(w->line.data, 1, w->line.len, w->file) != w->line.len))
        w->error = w->line.failed ? -ENOMEM : errno ? -errno : -EIO;
}

/* Reading back. */
struct take {
    char *rest; /* of the line */
    int64_t now_us;
    const char *bad; /* first name that could not be read */
    char bad_name[96];
};

static const char *next_cell(struct take *t)
{
    const char *cell = t->rest ? strsep(&t->rest, ",") : NULL;

    return cell ? cell : "";
}

static void take_cell(void *ctx, const char *name, enum type type, void *value)
{
    struct take *t = ctx;

    if (!t->bad && !get_value(next_cell(t), type, value, t->now_us)) {
        el_text_copy(t->bad_name, sizeof t->bad_name, name);
        t->bad = t->bad_name;
    }
    if (!t->bad && strcmp(name, "now_us") == 0)
        t->now_us = *(int64_t *)value;
}

struct same {
    struct take *line;
    struct el_buf made;
    int64_t now_us;
    struct el_trace_replay *out;
    bool different;
};

static void compare_cell(void *ctx, const char *name, enum type type, void *value)
{
    struct same *s = ctx;
    const char *was = next_cell(s->line);

    el_buf_clear(&s->made);
    put_value(&s->made, type, value, s->now_us);
    if (strcmp(was, s->made.data ? s->made.data : "") == 0 || s->different)
        return;
    s->different = true;
    if (s->out->different == 0)
        snprintf(s->out->first_what, sizeof s->out->first_what, "%s: %s in the trace, %s now", name,
                 *was ? was : "nothing", s->made.len ? s->made.data : "nothing");
}

/* "# name value" lines into the facts; names in their order. */
struct take_fact {
    FILE *file;
    char *line;
    size_t size;
    bool bad;
};

static void take_fact(void *ctx, const char *name, enum type type, void *value)
{
    struct take_fact *t = ctx;
    size_t n = strlen(name);

    if (t->bad || getline(&t->line, &t->size, t->file) < 0) {
        t->bad = true;
        return;
    }
    t->line[strcspn(t->line, "\n")] = 0;
    t->bad = strncmp(t->line, "# ", 2) != 0 || strncmp(t->line + 2, name, n) != 0 || t->line[2 + n] != ' ' ||
             !get_value(t->line + 3 + n, type, value, 0);
}

static int read_head(struct take_fact *t, struct el_governor_card *facts, struct el_trace_replay *out, char *why,
                     size_t why_size)
{
    if (getline(&t->line, &t->size, t->file) < 0 || strncmp(t->line, TRACE_MAGIC, sizeof TRACE_MAGIC - 1) != 0) {
        el_text_copy(why, why_size, "not a trace of this version of elementd");
        return -EBADMSG;
    }
    t->line[strcspn(t->line, "\n")] = 0;
    el_text_copy(out->law, sizeof out->law, t->line + sizeof TRACE_MAGIC - 1);
    memset(facts, 0, sizeof *facts);
    walk_facts(facts, take_fact, t);
    if (t->bad || facts->slots > EL_CARD_SLOTS_MAX ||
        getline(&t->line, &t->size, t->file) < 0) { /* the line of names */
        el_text_copy(why, why_size, "what the law was told beforehand is not whole");
        return -EBADMSG;
    }
    return 0;
}

static int replay_line(char *line, struct row *row, struct el_governor *g, uint32_t slots, struct el_trace_replay *out,
                       char *why, size_t why_size)
{
    struct take t = {.rest = line};
    struct same s = {.line = &t, .out = out};

    line[strcspn(line, "\n")] = 0;
    if (el_num_parse_double(next_cell(&t), &row->t_s) < 0)
        t.bad = "t_s";
    walk_inputs(&row->in, slots, take_cell, &t);
    if (t.bad || !t.rest) {
        snprintf(why, why_size, "tick %ju: %s is not readable", (uintmax_t)out->ticks + 1, t.bad ? t.bad : "the end");
        return -EBADMSG;
    }
    el_governor_step(g, &row->in, &row->out);
    s.now_us = row->in.now_us;
    walk_outputs(&row->out, slots, compare_cell, &s);
    el_buf_free(&s.made);
    out->ticks++;
    if (s.different && out->different++ == 0)
        out->first_t_s = row->t_s;
    return 0;
}

int el_trace_replay(FILE *file, struct el_trace_replay *out, char *why, size_t why_size)
{
    struct el_governor_card *facts = calloc(1, sizeof *facts);
    struct row *row = calloc(1, sizeof *row);
    struct take_fact t = {.file = file};
    const struct el_governor_law *law;
    struct el_governor *g = NULL;
    int r = facts && row ? 0 : -ENOMEM;

    *out = (struct el_trace_replay){.first_t_s = NAN};
    el_text_copy(why, why_size, "out of memory");
    if (r == 0)
        r = read_head(&t, facts, out, why, why_size);
    law = r == 0 ? el_simulate_law(out->law) : NULL;
    if (r == 0 && !law) {
        snprintf(why, why_size, "made by law \"%s\", which makes no decisions here", out->law);
        r = -EBADMSG;
    }
    if (r == 0 && !(g = el_governor_new(law, facts)))
        r = -ENOMEM;
    while (r == 0 && getline(&t.line, &t.size, file) > 0)
        r = replay_line(t.line, row, g, facts->slots, out, why, why_size);
    if (r == 0 && out->ticks == 0) {
        el_text_copy(why, why_size, "no tick in it");
        r = -EBADMSG;
    }
    el_governor_free(g);
    free(t.line);
    free(row);
    free(facts);
    return r;
}
