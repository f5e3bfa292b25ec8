/* Scenario files: surroundings, schedule and expectations of a simulated machine. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "config/config.h"
#include "config/field.h"

static const char *const sensor_names[] = {"composite", "sensor1",    "sensor2", "sensor3", "sensor4",
                                           "sensor5",   "sensor6",    "sensor7", "sensor8", "inlet",
                                           "airflow",   "card-power", "switch",  "fan",     NULL};

/* What each kind of event must state, besides `at`. */
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

static int read_kind(const struct el_yaml *n, void *kind, struct el_config_error *err)
{
    const char *kinds[EL_SCENARIO_KIND_COUNT];

    for (unsigned k = 0; k < EL_SCENARIO_KIND_COUNT; k++)
        kinds[k] = el_scenario_kind_name(k);
    return el_yaml_enum(n, kinds, EL_SCENARIO_KIND_COUNT, kind, err);
}

#define E(member) EL_FIELD_AT(el_scenario_event, member)
static const struct el_field event_fields[] = {
    {"at", EL_FIELD_DOUBLE, E(at_s), 0, 1e7, true},
    {"for", EL_FIELD_DOUBLE, E(for_s), 0, 1e7},
    {"ramp", EL_FIELD_DOUBLE, E(ramp_s), 0, 1e7},
    {"event", EL_FIELD_OTHER, E(kind), 0, 0, true, read_kind},
    {"value", EL_FIELD_DOUBLE, E(value), -1000, 5000},
    {"card", EL_FIELD_UNSIGNED, E(card), 0, 4095},
    {"slot", EL_FIELD_UNSIGNED, E(slot), 0, EL_CARD_SLOTS_MAX - 1},
    {"sensor", EL_FIELD_ENUM, E(sensor), .names = sensor_names},
    {"index", EL_FIELD_UNSIGNED, E(index), 0, 7},
    {"workload", EL_FIELD_TEXT, E(text)},
    {0},
};

static int read_events(const struct el_yaml *list, void *scenario, struct el_config_error *err)
{
    struct el_scenario *s = scenario;
    int r = el_yaml_list(list, EL_SCENARIO_EVENTS_MAX, err);

    for (; r == 0 && s->events < list->n; s->events++) {
        struct el_scenario_event *e = &s->event[s->events];

        *e = (struct el_scenario_event){.card = -1, .slot = -1};
        r = el_fields_read(list->child[s->events], event_fields, e,
                           ": an event needs at (seconds) and event (what happens)", err);
        if (r == 0)
            r = check_event(list->child[s->events], e, err);
    }
    return r;
}

static int read_absent(const struct el_yaml *list, void *absent, struct el_config_error *err)
{
    unsigned which;

    if (el_yaml_expect(list, EL_YAML_LIST, err) < 0)
        return -EINVAL;
    for (size_t i = 0; i < list->n; i++) {
        if (el_yaml_enum(list->child[i], sensor_names + EL_SCENARIO_BOARD_INLET,
                         EL_SCENARIO_SENSOR_COUNT - EL_SCENARIO_BOARD_INLET, &which, err) < 0)
            return -EINVAL;
        *(uint32_t *)absent |= 1u << which;
    }
    return 0;
}

static const struct el_field expect_fields[] = {
    {"min", EL_FIELD_DOUBLE, EL_FIELD_AT(el_scenario_expect, min), -1e15, 1e15},
    {"max", EL_FIELD_DOUBLE, EL_FIELD_AT(el_scenario_expect, max), -1e15, 1e15},
    {0},
};

static int read_expect(const struct el_yaml *map, void *scenario, struct el_config_error *err)
{
    struct el_scenario *s = scenario;
    int r = el_yaml_expect(map, EL_YAML_MAP, err);

    if (r == 0 && map->n > EL_SCENARIO_EXPECT_MAX)
        r = el_yaml_error(map, err, "got %zu expectations, at most %d", map->n, EL_SCENARIO_EXPECT_MAX);
    for (; r == 0 && s->expects < map->n; s->expects++) {
        struct el_scenario_expect *e = &s->expect[s->expects];

        *e = (struct el_scenario_expect){.min = NAN, .max = NAN};
        if (!el_text_copy(e->figure, sizeof e->figure, map->child[s->expects]->key))
            return el_yaml_error(map->child[s->expects], err, "no figure has so long a name");
        r = el_fields_read(map->child[s->expects], expect_fields, e, NULL, err);
    }
    return r;
}

#define S(member) EL_FIELD_AT(el_scenario, member)
static const struct el_field scenario_fields[] = {
    {"title", EL_FIELD_TEXT, S(title)},
    {"card", EL_FIELD_TEXT, S(card)},
    {"workload", EL_FIELD_TEXT, S(workload)},
    {"governor", EL_FIELD_TEXT, S(governor)},
    {"array", EL_FIELD_ENUM, S(array), .names = el_scenario_arrays},
    {"inlet", EL_FIELD_DOUBLE, S(inlet_c), -40, 90},
    {"airflow", EL_FIELD_DOUBLE, S(airflow_lfm), 0, 5000},
    {"hours", EL_FIELD_DOUBLE, S(hours), 0.001, 10000},
    {"seed", EL_FIELD_UNSIGNED, S(seed), 0, 1e18},
    {"seeds", EL_FIELD_UNSIGNED, S(seeds), 0, 100000},
    {"limit", EL_FIELD_DOUBLE, S(limit_c), 20, 120},
    {"card_watts", EL_FIELD_DOUBLE, S(card_watts), 1, 1000},
    {"switch_limit", EL_FIELD_DOUBLE, S(switch_limit_c), 20, 150},
    {"margin", EL_FIELD_DOUBLE, S(margin_c), -5, 30},
    {"drive_fans", EL_FIELD_BOOL, S(drive_fans)},
    {"io_max", EL_FIELD_BOOL, S(io_max)},
    {"no_caps", EL_FIELD_BOOL, S(no_caps)},
    {"submitters", EL_FIELD_UNSIGNED, S(submitters), 0, 1000000},
    {"absent", EL_FIELD_OTHER, S(absent), .read = read_absent},
    {"events", EL_FIELD_OTHER, .read = read_events},
    {"expect", EL_FIELD_OTHER, .read = read_expect},
    {0},
};

int el_config_load_scenario(const char *path, struct el_scenario *out, struct el_config_error *err)
{
    EL_AUTO_YAML struct el_yaml *y = NULL;
    struct el_scenario s;
    int r = el_yaml_load(path, &y, err);

    el_scenario_clear(&s);
    if (r == 0)
        r = el_fields_read(y, scenario_fields, &s, NULL, err);
    if (r == 0)
        *out = s;
    return r;
}
