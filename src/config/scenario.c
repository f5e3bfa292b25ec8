/* Scenario files: surroundings, schedule and expectations of a simulated machine. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "config/config.h"
#include "config/yaml.h"

static const char *const sensor_names[EL_SCENARIO_SENSOR_COUNT] = {
    "composite", "sensor1", "sensor2", "sensor3", "sensor4",    "sensor5", "sensor6",
    "sensor7",   "sensor8", "inlet",   "airflow", "card-power", "switch",  "fan",
};

static int optional_double(const struct el_yaml *map, const char *key, double lo, double hi, double *out,
                           struct el_config_error *err)
{
    const struct el_yaml *n = el_yaml_get(map, key);

    return n ? el_yaml_double(n, lo, hi, out, err) : 0;
}

static int optional_text(const struct el_yaml *map, const char *key, char *out, size_t size,
                         struct el_config_error *err)
{
    const struct el_yaml *n = el_yaml_get(map, key);

    return n ? el_yaml_text(n, out, size, err) : 0;
}

static int optional_u64(const struct el_yaml *map, const char *key, uint64_t hi, uint64_t *out,
                        struct el_config_error *err)
{
    const struct el_yaml *n = el_yaml_get(map, key);

    return n ? el_yaml_u64(n, 0, hi, out, err) : 0;
}

/* What each kind of event must say, beside `at`. */
static int check_event(const struct el_yaml *m, const struct el_scenario_event *e, struct el_config_error *err)
{
    const char *kind = el_scenario_kind_name(e->kind), *needs = NULL;

    switch (e->kind) {
    case EL_SCENARIO_INLET:
    case EL_SCENARIO_AIRFLOW:
    case EL_SCENARIO_SENSOR_JUMP:
    case EL_SCENARIO_SENSOR_LYING:
    case EL_SCENARIO_LINK_DOWNTRAINED:
        needs = "value";
        break;
    case EL_SCENARIO_WORKLOAD:
        needs = "workload";
        break;
    default:
        break;
    }
    if (needs && !el_yaml_get(m, needs))
        return el_yaml_error(m, err, "event %s needs %s", kind, needs);
    if (e->kind == EL_SCENARIO_AIRFLOW && e->value < 0)
        return el_yaml_error(m, err, "airflow cannot be negative");
    if (e->kind == EL_SCENARIO_LINK_DOWNTRAINED && !(e->value >= 1 && e->value <= 16))
        return el_yaml_error(m, err, "value is the number of lanes left, 1 to 16");
    return 0;
}

static int read_event(const struct el_yaml *m, struct el_scenario_event *e, struct el_config_error *err)
{
    static const char *const keys[] = {"at",   "for",    "ramp",  "event",    "value", "card",
                                       "slot", "sensor", "index", "workload", NULL};
    const char *kinds[EL_SCENARIO_KIND_COUNT];
    uint64_t card = UINT64_MAX, slot = UINT64_MAX, index = 0;
    const struct el_yaml *n;
    unsigned kind = 0, sensor = 0;

    for (unsigned k = 0; k < EL_SCENARIO_KIND_COUNT; k++)
        kinds[k] = el_scenario_kind_name(k);
    *e = (struct el_scenario_event){0};
    if (el_yaml_expect(m, EL_YAML_MAP, err) < 0 || el_yaml_known_keys(m, keys, err) < 0)
        return -EINVAL;
    if (!el_yaml_get(m, "at") || !(n = el_yaml_get(m, "event")))
        return el_yaml_error(m, err, "an event needs at (seconds) and event (what happens)");
    if (el_yaml_enum(n, kinds, EL_SCENARIO_KIND_COUNT, &kind, err) < 0 ||
        optional_double(m, "at", 0, 1e7, &e->at_s, err) < 0 || optional_double(m, "for", 0, 1e7, &e->for_s, err) < 0 ||
        optional_double(m, "ramp", 0, 1e7, &e->ramp_s, err) < 0 ||
        optional_double(m, "value", -1000, 5000, &e->value, err) < 0 || optional_u64(m, "card", 4095, &card, err) < 0 ||
        optional_u64(m, "slot", EL_CARD_SLOTS_MAX - 1, &slot, err) < 0 ||
        optional_u64(m, "index", 7, &index, err) < 0 || optional_text(m, "workload", e->text, sizeof e->text, err) < 0)
        return -EINVAL;
    n = el_yaml_get(m, "sensor");
    if (n && el_yaml_enum(n, sensor_names, EL_SCENARIO_SENSOR_COUNT, &sensor, err) < 0)
        return -EINVAL;
    e->kind = kind;
    e->sensor = sensor;
    e->card = card == UINT64_MAX ? -1 : (int32_t)card;
    e->slot = slot == UINT64_MAX ? -1 : (int32_t)slot;
    e->index = (uint32_t)index;
    return check_event(m, e, err);
}

static int read_events(const struct el_yaml *list, struct el_scenario *s, struct el_config_error *err)
{
    if (el_yaml_expect(list, EL_YAML_LIST, err) < 0)
        return -EINVAL;
    if (list->n > EL_SCENARIO_EVENTS_MAX)
        return el_yaml_error(list, err, "got %zu events, at most %d", list->n, EL_SCENARIO_EVENTS_MAX);
    for (; s->events < list->n; s->events++)
        if (read_event(list->child[s->events], &s->event[s->events], err) < 0)
            return -EINVAL;
    return 0;
}

static int read_absent(const struct el_yaml *list, struct el_scenario *s, struct el_config_error *err)
{
    unsigned which;

    if (el_yaml_expect(list, EL_YAML_LIST, err) < 0)
        return -EINVAL;
    for (size_t i = 0; i < list->n; i++) {
        if (el_yaml_enum(list->child[i], sensor_names + EL_SCENARIO_BOARD_INLET,
                         EL_SCENARIO_SENSOR_COUNT - EL_SCENARIO_BOARD_INLET, &which, err) < 0)
            return -EINVAL;
        s->absent |= 1u << which;
    }
    return 0;
}

static int read_expect(const struct el_yaml *map, struct el_scenario *s, struct el_config_error *err)
{
    static const char *const keys[] = {"min", "max", NULL};

    if (el_yaml_expect(map, EL_YAML_MAP, err) < 0)
        return -EINVAL;
    if (map->n > EL_SCENARIO_EXPECT_MAX)
        return el_yaml_error(map, err, "got %zu expectations, at most %d", map->n, EL_SCENARIO_EXPECT_MAX);
    for (; s->expects < map->n; s->expects++) {
        const struct el_yaml *m = map->child[s->expects];
        struct el_scenario_expect *e = &s->expect[s->expects];

        *e = (struct el_scenario_expect){.min = NAN, .max = NAN};
        if (!el_text_copy(e->figure, sizeof e->figure, m->key))
            return el_yaml_error(m, err, "no figure has so long a name");
        if (el_yaml_expect(m, EL_YAML_MAP, err) < 0 || el_yaml_known_keys(m, keys, err) < 0 ||
            optional_double(m, "min", -1e15, 1e15, &e->min, err) < 0 ||
            optional_double(m, "max", -1e15, 1e15, &e->max, err) < 0)
            return -EINVAL;
    }
    return 0;
}

static int read_scenario(const struct el_yaml *y, struct el_scenario *s, struct el_config_error *err)
{
    static const char *const keys[] = {"title",        "card",   "workload",   "governor", "array",   "inlet",
                                       "airflow",      "hours",  "seed",       "seeds",    "limit",   "card_watts",
                                       "switch_limit", "margin", "drive_fans", "io_max",   "no_caps", "submitters",
                                       "absent",       "events", "expect",     NULL};
    const struct el_yaml *n;

    if (el_yaml_known_keys(y, keys, err) < 0 || optional_text(y, "title", s->title, sizeof s->title, err) < 0 ||
        optional_text(y, "card", s->card, sizeof s->card, err) < 0 ||
        optional_text(y, "workload", s->workload, sizeof s->workload, err) < 0 ||
        optional_text(y, "governor", s->governor, sizeof s->governor, err) < 0 ||
        optional_text(y, "array", s->array, sizeof s->array, err) < 0 ||
        optional_double(y, "inlet", -40, 90, &s->inlet_c, err) < 0 ||
        optional_double(y, "airflow", 0, 5000, &s->airflow_lfm, err) < 0 ||
        optional_double(y, "hours", 0.001, 10000, &s->hours, err) < 0 ||
        optional_double(y, "limit", 20, 120, &s->limit_c, err) < 0 ||
        optional_double(y, "card_watts", 1, 1000, &s->card_watts, err) < 0 ||
        optional_double(y, "margin", -5, 30, &s->margin_c, err) < 0 ||
        optional_double(y, "switch_limit", 20, 150, &s->switch_limit_c, err) < 0 ||
        optional_u64(y, "seed", UINT64_MAX, &s->seed, err) < 0 ||
        optional_u64(y, "seeds", 100000, &s->seeds, err) < 0 ||
        optional_u64(y, "submitters", 1000000, &s->submitters, err) < 0)
        return -EINVAL;
    if ((n = el_yaml_get(y, "drive_fans")) && el_yaml_bool(n, &s->drive_fans, err) < 0)
        return -EINVAL;
    if ((n = el_yaml_get(y, "io_max")) && el_yaml_bool(n, &s->io_max, err) < 0)
        return -EINVAL;
    if ((n = el_yaml_get(y, "no_caps")) && el_yaml_bool(n, &s->no_caps, err) < 0)
        return -EINVAL;
    if ((n = el_yaml_get(y, "absent")) && read_absent(n, s, err) < 0)
        return -EINVAL;
    if ((n = el_yaml_get(y, "events")) && read_events(n, s, err) < 0)
        return -EINVAL;
    return (n = el_yaml_get(y, "expect")) ? read_expect(n, s, err) : 0;
}

int el_config_load_scenario(const char *path, struct el_scenario *out, struct el_config_error *err)
{
    EL_AUTO_YAML struct el_yaml *y = NULL;
    struct el_scenario s = {.inlet_c = NAN,
                            .airflow_lfm = NAN,
                            .hours = NAN,
                            .limit_c = NAN,
                            .card_watts = NAN,
                            .switch_limit_c = NAN,
                            .margin_c = NAN};
    int r = el_yaml_load(path, &y, err);

    if (r == 0)
        r = read_scenario(y, &s, err);
    if (r == 0)
        *out = s;
    return r;
}
