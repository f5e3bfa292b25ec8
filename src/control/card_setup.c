#include "control/card_setup.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/text.h"

#define INLET_ASSUMED_C     35.0 /* assumed: a warm aisle; what it is wrong by shows as unknown heat and is learnt */
#define MARGIN_BELOW_WARN_C 1.0  /* some firmware throttles or logs at its warning threshold itself */

/* assumed, for drives without a profile: a PCIe 3.0 M.2 drive of 8 W */
#define READ_J_PER_BYTE  0.9e-9
#define WRITE_J_PER_BYTE 1.5e-9
#define READ_J_PER_OP    1e-6
#define WRITE_J_PER_OP   2e-6

static bool means(const struct el_card_settings *e, const struct el_card *card, const struct el_slot *slots)
{
    if (strcmp(e->card, "*") == 0 || strcmp(e->card, card->name) == 0 ||
        (card->serial[0] && strcmp(e->card, card->serial) == 0))
        return true;
    for (uint32_t i = 0; i < card->slots; i++)
        if (slots[i].identify.serial[0] && strcmp(e->card, slots[i].identify.serial) == 0)
            return true;
    return false;
}

static void take(double *into, double from, double unset)
{
    if (isfinite(from) && from != unset)
        *into = from;
}

void el_card_settings_of(const struct el_settings *s, const struct el_card *card, const struct el_slot *slots,
                         struct el_card_settings *out)
{
    struct el_card_settings nothing;

    el_card_settings_default(&nothing);
    *out = nothing;
    el_text_copy(out->card, sizeof out->card, "*");
    for (uint32_t k = 0; k < s->cards; k++) {
        const struct el_card_settings *e = &s->card[k];

        if (!means(e, card, slots))
            continue;
        take(&out->limit_c, e->limit_c, NAN);
        take(&out->sensor_limit_c, e->sensor_limit_c, NAN);
        take(&out->card_limit_w, e->card_limit_w, NAN);
        take(&out->switch_limit_c, e->switch_limit_c, NAN);
        take(&out->margin_c, e->margin_c, NAN);
        take(&out->airflow_lfm, e->airflow_lfm, NAN);
        take(&out->inlet_c, e->inlet_c, NAN);
        take(&out->floor_ratio, e->floor_ratio, nothing.floor_ratio);
        for (uint32_t i = 0; i < EL_CARD_SLOTS_MAX; i++)
            take(&out->weight[i], e->weight[i], 1);
        if (e->profile[0])
            el_text_copy(out->profile, sizeof out->profile, e->profile);
        if (e->warranty_start[0])
            el_text_copy(out->warranty_start, sizeof out->warranty_start, e->warranty_start);
        out->composite_only |= e->composite_only;
    }
}

static double otherwise(double v, double fallback)
{
    return isfinite(v) ? v : fallback;
}

/* A threshold that a drive could have: at 40 C or less it would never work, above 150 C it is none. */
static double threshold_c(uint16_t kelvin)
{
    double c = el_nvme_kelvin_c(kelvin);

    return c > 40 && c <= 150 ? c : NAN;
}

/* The drive's warning, or its profile's; at most the critical temperature (some name them the wrong way round). */
static double warning_c(const struct el_slot *slot, const struct el_drive_profile *drive)
{
    return fmin(otherwise(threshold_c(slot->identify.wctemp_k), drive ? drive->wctemp_c : NAN),
                threshold_c(slot->identify.cctemp_k));
}

double el_card_slot_limit(const struct el_card_settings *cs, const struct el_slot *slot,
                          const struct el_drive_profile *drive)
{
    double warning = warning_c(slot, drive);
    double margin = otherwise(cs->margin_c, 0), below = otherwise(cs->margin_c, MARGIN_BELOW_WARN_C);

    return fmin(cs->limit_c - margin, warning - below); /* fmin takes the number when the other is NAN */
}

/* Operational states that save power, strongest first. Equal or senseless ones are left out. */
static void set_power_states(struct el_governor_slot *g, const struct el_nvme_identify *id)
{
    for (uint32_t i = 0; i < id->power_states && g->power_states < EL_ARRAY_SIZE(g->power_state_w); i++) {
        double w = id->power_state[i].max_uw / 1e6;

        if (!id->power_state[i].operational || w <= 0 ||
            (g->power_states && w >= g->power_state_w[g->power_states - 1]))
            continue;
        g->power_state_w[g->power_states] = w;
        g->power_state_id[g->power_states++] = (uint8_t)i;
    }
}

static void set_slot(struct el_governor_slot *g, const struct el_settings *s, const struct el_card_settings *cs,
                     const struct el_card_facts *f, uint32_t i)
{
    const struct el_slot *slot = &f->slots[i];
    const struct el_drive_profile *d = f->drive[i];

    *g = (struct el_governor_slot){
        .limit_c = el_card_slot_limit(cs, slot, d),
        .warning_c = warning_c(slot, d),
        .critical_c = otherwise(threshold_c(slot->identify.cctemp_k), d ? d->cctemp_c : NAN),
        .idle_w = d ? d->idle_w : NAN,
        .full_w = d                             ? d->full_w
                  : slot->identify.power_states ? slot->identify.power_state[0].max_uw / 1e6
                                                : NAN,
        .read_j_per_byte = d ? d->read_j_per_byte : READ_J_PER_BYTE,
        .write_j_per_byte = d ? d->write_j_per_byte : WRITE_J_PER_BYTE,
        .read_j_per_op = d ? d->read_j_per_op : READ_J_PER_OP,
        .write_j_per_op = d ? d->write_j_per_op : WRITE_J_PER_OP,
        .weight = cs->weight[i],
        .floor_ratio = cs->floor_ratio,
        .can_cap = s->governor.use_io_budget && (f->usable[i] & EL_ACTUATOR_CAPS),
        .array = -1,
    };
    if (!(g->full_w > 0))
        g->full_w = NAN;
    for (uint32_t k = 0; k < EL_ARRAY_SIZE(g->sensor_limit_c); k++)
        g->sensor_limit_c[k] = cs->composite_only ? NAN : cs->sensor_limit_c;
    set_power_states(g, &slot->identify);
    g->can_power_state =
        s->governor.use_power_state && g->power_states > 1 && (f->usable[i] & 1u << EL_ACTUATOR_POWER_STATE);
    el_text_copy(g->serial, sizeof g->serial, slot->identify.serial);
}

/* Members of one md array point at one another. */
static void set_arrays(struct el_governor_card *g, const struct el_card_facts *f)
{
    for (uint32_t i = 0; i < g->slots; i++) {
        const struct el_slot *slot = &f->slots[i];

        if (!slot->array[0] || slot->array_level == EL_ARRAY_NONE)
            continue;
        for (uint32_t k = 0; k < i && g->slot[i].array < 0; k++)
            if (strcmp(f->slots[k].array, slot->array) == 0)
                g->slot[i].array = g->slot[k].array;
        if (g->slot[i].array < 0) {
            g->array_level[g->arrays] = slot->array_level;
            g->slot[i].array = (int32_t)g->arrays++;
        }
    }
}

void el_card_setup(const struct el_settings *s, const struct el_card_facts *f, struct el_governor_card *out)
{
    const struct el_card_profile *p = f->profile;
    struct el_card_settings cs;

    el_card_settings_of(s, f->card, f->slots, &cs);
    memset(out, 0, sizeof *out);
    out->slots = EL_MIN(f->card->slots, (uint32_t)EL_CARD_SLOTS_MAX);
    for (uint32_t i = 0; i < out->slots; i++)
        set_slot(&out->slot[i], s, &cs, f, i);
    set_arrays(out, f);
    out->card_limit_w = cs.card_limit_w;
    out->switch_limit_c = otherwise(cs.switch_limit_c, p ? p->switch_limit_c : NAN);
    out->switch_w = p ? p->switch_w : f->card->has_switch ? NAN : 0;
    out->inlet_max_c = p ? p->inlet_max_c : NAN;
    out->airflow_min_lfm = p ? p->airflow_min_lfm : NAN;
    out->margin_c = 0; /* it is in each limit_c already */
    out->period_s = s->poll.tick_ms / 1000.0;
    out->write_budget_per_hour = s->governor.write_budget_per_hour;
    out->preference = (enum el_preference)s->governor.preference;
    out->fans = s->governor.use_fans ? f->fans : 0;
    out->fan_max_w = NAN;
    out->sink_r400_c_per_w = p ? p->sink_r400_c_per_w : NAN;
    out->sink_r_exponent = p ? p->sink_r_exponent : NAN;
    out->sink_c_j_per_k = p ? p->sink_c_j_per_k : NAN;
    out->drive_r_c_per_w = p ? p->drive_r_c_per_w : NAN;
    out->drive_c_j_per_k = p ? p->drive_c_j_per_k : NAN;
    out->airflow_assumed_lfm = otherwise(cs.airflow_lfm, p ? p->airflow_min_lfm : NAN);
    out->inlet_assumed_c = f->inlet_sensor ? NAN : otherwise(cs.inlet_c, INLET_ASSUMED_C);
}

void el_card_limits(const struct el_settings *s, const struct el_card_facts *f, struct el_card *card)
{
    const struct el_card_profile *p = f->profile;
    struct el_card_settings cs;

    el_card_settings_of(s, card, f->slots, &cs);
    card->card_limit_w = cs.card_limit_w;
    card->switch_limit_c = otherwise(cs.switch_limit_c, p ? p->switch_limit_c : NAN);
    card->inlet_min_c = p ? p->inlet_min_c : NAN;
    card->inlet_max_c = p ? p->inlet_max_c : NAN;
    card->airflow_min_lfm = p ? p->airflow_min_lfm : NAN;
    card->humidity_min_ratio = p ? p->humidity_min_ratio : NAN;
    card->humidity_max_ratio = p ? p->humidity_max_ratio : NAN;
    card->rated_endurance_bytes = p ? p->rated_endurance_bytes : 0;
    if (p && !card->title[0])
        el_text_copy(card->title, sizeof card->title, p->title);
}

static uint32_t at_most(uint32_t v, uint32_t limit)
{
    return !limit ? v : v ? EL_MIN(v, limit) : limit;
}

void el_card_links(const struct el_card_profile *p, struct el_link *links, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct el_link *l = &links[i];
        bool host = l->role == EL_LINK_UPSTREAM;

        if (!el_link_is_lower_end(l))
            continue;
        l->expected_mts = at_most(l->expected_mts, (host ? p->link_gts10 : p->slot_link_gts10) * 100);
        l->expected_width = at_most(l->expected_width, host ? p->link_width : p->slot_link_width);
        l->degraded = el_link_is_degraded(l);
    }
}
