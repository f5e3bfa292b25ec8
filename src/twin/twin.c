#include "twin/twin.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/text.h"
#include "twin/machine.h"

#define VIRTUAL_START_US (1000 * EL_USEC_PER_SEC) /* BOOTTIME 0 would mean "never" */
#define WARM_S           300.0 /* in real time, how long the card has been working at the start: nobody wants to wait for that \
                                */
#define WARM_BELOW_C   5.0
#define CATCH_UP_MAX_S 600.0 /* after a suspend, the plant does not catch up on the whole night */

static void advance(struct el_twin *t, double dt_s)
{
    t->pending_s += dt_s;
    while (t->pending_s >= EL_PLANT_STEP_S - 1e-9) {
        for (uint32_t i = 0; i < t->cards; i++) {
            struct el_twin_card *c = &t->card[i];

            el_twin_events(t, i);
            el_plant_step(&c->plant);
            for (uint32_t s = 0; s < t->profile.slots; s++)
                el_twin_controller_tick(&c->controller[s], &c->plant.drive[s], EL_PLANT_STEP_S);
        }
        t->pending_s -= EL_PLANT_STEP_S;
    }
}

void el_twin_sync(struct el_twin *t)
{
    int64_t now;

    if (t->virtual_time)
        return;
    now = el_clock_boottime_us();
    advance(t, fmin((double)(now - t->time_us) / EL_USEC_PER_SEC, CATCH_UP_MAX_S));
    t->time_us = now;
}

void el_twin_advance(struct el_twin *t, double dt_s)
{
    advance(t, dt_s);
    t->time_us += llround(dt_s * EL_USEC_PER_SEC);
}

struct el_twin_card *el_twin_drive(struct el_twin *t, uint32_t key, uint32_t *slot)
{
    *slot = key % EL_TWIN_CARD_KEYS;
    return key / EL_TWIN_CARD_KEYS < t->cards && *slot < t->profile.slots ? &t->card[key / EL_TWIN_CARD_KEYS] : NULL;
}

int el_twin_reach(struct el_twin *t, uint32_t key, struct el_twin_card **card, uint32_t *slot)
{
    const struct el_twin_controller *c;

    el_twin_sync(t);
    *card = el_twin_drive(t, key, slot);
    if (!*card || !(*card)->plant.drive[*slot].present)
        return -ENODEV;
    c = &(*card)->controller[*slot];
    return c->hung ? -ETIMEDOUT : c->resetting ? -EAGAIN : 0;
}

int el_twin_admin(void *dev, uint32_t key, struct el_admin *cmd)
{
    struct el_twin_card *card;
    uint32_t slot;
    int r = el_twin_reach(dev, key, &card, &slot);

    return r < 0 ? r : el_twin_controller_admin(card, slot, cmd);
}

static int twin_read_io(void *dev, uint32_t key, struct el_slot_io *io)
{
    struct el_twin *t = dev;
    struct el_twin_card *card;
    const struct el_plant_drive *d;
    uint32_t slot;

    el_twin_sync(t);
    card = el_twin_drive(t, key, &slot);
    if (!card || !card->plant.drive[slot].present)
        return -ENODEV;
    d = &card->plant.drive[slot];
    *io = (struct el_slot_io){.read_bytes = (uint64_t)d->read_bytes,
                              .write_bytes = (uint64_t)d->write_bytes,
                              .read_ops = (uint64_t)d->read_ops,
                              .write_ops = (uint64_t)d->write_ops,
                              .time_us = t->time_us,
                              .valid = true};
    return 0;
}

static int twin_event_fd(void *dev)
{
    (void)dev;
    return -1;
}

static bool twin_changed(void *dev)
{
    struct el_twin *t = dev;
    bool changed;

    el_twin_sync(t);
    changed = t->changed;
    t->changed = false;
    return changed;
}

static int64_t twin_now_us(void *dev)
{
    struct el_twin *t = dev;

    return t->virtual_time ? t->time_us : el_clock_boottime_us();
}

static void *twin_close(void *dev)
{
    struct el_twin *t = dev;

    if (!t)
        return NULL;
    for (uint32_t i = 0; t->card && i < t->cards; i++)
        free(t->card[i].controller);
    free(t->card);
    free(t->event);
    free(t->drives);
    free(t);
    return NULL;
}

static const struct el_device_ops twin_ops = {
    .name = "twin",
    .discover = el_twin_discover,
    .event_fd = twin_event_fd,
    .changed = twin_changed,
    .admin = el_twin_admin,
    .read_links = el_twin_read_links,
    .read_sensors = el_twin_read_sensors,
    .read_io = twin_read_io,
    .actuator_usable = el_twin_actuator_usable,
    .actuator_save = el_twin_actuator_save,
    .actuator_write = el_twin_actuator_write,
    .actuator_read = el_twin_actuator_read,
    .actuator_restore = el_twin_actuator_restore,
    .now_us = twin_now_us,
    .close = twin_close,
};

static int check_workloads(const struct el_twin_options *o, char *why, size_t why_size)
{
    EL_AUTO_BUF struct el_buf names = {0};
    const char *bad = o->workload && !el_twin_workload_known(o->card, o->workload) ? o->workload : NULL;

    for (uint32_t i = 0; !bad && o->scenario && i < o->scenario->events; i++)
        if (o->scenario->event[i].kind == EL_SCENARIO_WORKLOAD &&
            !el_twin_workload_known(o->card, o->scenario->event[i].text))
            bad = o->scenario->event[i].text;
    if (!bad)
        return 0;
    for (uint32_t i = 0; i < o->card->workloads; i++)
        el_buf_printf(&names, "%s, ", o->card->workload[i].name);
    snprintf(why, why_size, "no workload \"%.60s\": expected idle, mixed, or one of %sor bursty-NAME with one of these",
             bad, names.data ? names.data : "");
    return -EINVAL;
}

static int check_options(const struct el_twin_options *o, char *why, size_t why_size)
{
    int r = check_workloads(o, why, why_size);

    if (r < 0)
        return r;
    if (o->cards < 1 || o->cards > 4096) {
        snprintf(why, why_size, "got %u cards, expected 1 to 4096", o->cards);
        return -EINVAL;
    }
    if (!(o->inlet_c >= -40 && o->inlet_c <= 100) || !(o->airflow_lfm >= 0 && o->airflow_lfm <= 5000)) {
        snprintf(why, why_size, "inlet must be -40 to 100 C, airflow 0 to 5000 LFM");
        return -EINVAL;
    }
    for (uint32_t i = 0; o->scenario && i < o->scenario->events; i++)
        if (o->scenario->event[i].slot >= (int32_t)o->card->slots || o->scenario->event[i].card >= (int32_t)o->cards) {
            snprintf(why, why_size, "event %u of the scenario means card %d, slot %d: there are %u cards of %u slots",
                     i + 1, o->scenario->event[i].card, o->scenario->event[i].slot, o->cards, o->card->slots);
            return -EINVAL;
        }
    return 0;
}

/* As if a governor had held it until now: somewhat below its limits. */
static void warm(struct el_plant *p, const struct el_twin_options *o)
{
    struct el_twin_oracle hold = {.card_limit_w = o->card_limit_w > 0 ? o->card_limit_w : NAN,
                                  .switch_limit_c = o->switch_limit_c > 0 ? o->switch_limit_c : NAN};

    for (uint32_t s = 0; s < p->slots; s++)
        hold.limit_c[s] = fmin(p->drive[s].profile->wctemp_c, o->limit_c > 0 ? o->limit_c : NAN) - WARM_BELOW_C;
    el_plant_warm(p, WARM_S, &hold);
}

static int init_card(struct el_twin *t, uint32_t i, const struct el_twin_options *o)
{
    struct el_twin_card *c = &t->card[i];
    uint64_t seed = o->seed ? o->seed + (uint64_t)i * 1000003 : 0;

    c->controller = calloc(t->profile.slots, sizeof *c->controller);
    if (!c->controller)
        return -ENOMEM;
    c->airflow_base_lfm = o->airflow_lfm;
    c->pwm_ratio = EL_TWIN_PWM_START;
    c->rng = el_rng_seed(seed ^ 0x73656e736f7273);
    c->inlet_offset_c = o->seed ? el_rng_between(&c->rng, -1, 1) : 0; /* assumed accuracy of board sensors */
    c->airflow_factor = o->seed ? el_rng_between(&c->rng, 0.93, 1.07) : 1;
    el_plant_init(&c->plant, &t->profile, t->drives, o->array, seed, o->inlet_c, o->airflow_lfm);
    for (uint32_t s = 0; s < t->profile.slots; s++)
        el_twin_controller_init(&c->controller[s], &t->drives[s], o->seed, i, s);
    c->plant.submitters = t->scenario.submitters;
    c->plant.io_max = t->scenario.io_max;
    el_plant_set_workload(&c->plant, t->workload);
    if (!t->virtual_time)
        warm(&c->plant, o);
    el_twin_set_airflow(t, c);
    return 0;
}

int el_twin_open(const struct el_twin_options *o, struct el_device *out, char *why, size_t why_size)
{
    struct el_twin *t;
    int r = check_options(o, why, why_size);

    if (r < 0)
        return r;
    t = calloc(1, sizeof *t);
    if (!t)
        return -ENOMEM;
    t->profile = *o->card;
    t->cards = o->cards;
    t->seed = o->seed;
    t->virtual_time = o->virtual_time;
    if (o->scenario)
        t->scenario = *o->scenario;
    el_text_copy(t->workload, sizeof t->workload, o->workload ? o->workload : el_twin_default_workload(o->card));
    t->time_us = o->virtual_time ? VIRTUAL_START_US : el_clock_boottime_us();
    t->drives = calloc(t->profile.slots, sizeof *t->drives);
    t->card = calloc(t->cards, sizeof *t->card);
    t->event = calloc((size_t)t->cards * EL_SCENARIO_EVENTS_MAX, sizeof *t->event);
    if (!t->drives || !t->card || !t->event) {
        twin_close(t);
        return -ENOMEM;
    }
    memcpy(t->drives, o->drives, t->profile.slots * sizeof *t->drives);
    for (uint32_t i = 0; i < t->cards; i++) {
        r = init_card(t, i, o);
        if (r < 0) {
            twin_close(t);
            return r;
        }
    }
    *out = (struct el_device){.ops = &twin_ops, .dev = t};
    return 0;
}

void el_twin_set_oracle(struct el_twin *t, const struct el_twin_oracle *o)
{
    for (uint32_t i = 0; i < t->cards; i++) {
        t->card[i].plant.oracle_on = true;
        t->card[i].plant.oracle = *o;
    }
}

void el_twin_truth(struct el_twin *t, uint32_t card, struct el_twin_truth *out)
{
    const struct el_plant *p = &t->card[card].plant;

    el_twin_sync(t);
    *out = (struct el_twin_truth){
        .time_s = p->time_s,
        .inlet_c = p->inlet_c,
        .airflow_lfm = p->airflow_lfm,
        .switch_c = p->t_switch,
        .card_w = p->card_w,
        .demand_ops = p->demand_ops,
        .served_ops = p->served_ops,
        .iops = p->iops,
        .demand_iops = p->demand_iops,
        .outstanding_seconds = p->outstanding_seconds,
        .energy_j = p->energy_j,
        .slots = p->slots,
    };
    for (uint32_t i = 0; i < p->slots; i++) {
        const struct el_plant_drive *d = &p->drive[i];

        out->slot[i] = (struct el_twin_slot_truth){
            .temp_c = el_plant_composite_c(d),
            .controller_c = d->t_ctl,
            .nand_c = d->t_nand,
            .power_w = d->power_w,
            .background_w = d->background_w,
            .demand_ops = d->demand_ops,
            .served_ops = d->read_ops + d->write_ops,
            .read_ops = d->read_ops,
            .write_ops = d->write_ops,
            .read_bytes = d->read_bytes,
            .write_bytes = d->write_bytes,
            .demand_iops = d->demand_iops,
            .iops = d->read_iops + d->write_iops,
            .cap_ratio = d->cap.ratio,
            .present = d->present,
            .firmware_throttled = d->throttled,
        };
    }
}
