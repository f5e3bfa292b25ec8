/* ENTITY-MIB (RFC 6933) and ENTITY-SENSOR-MIB (RFC 3433): what managers find without any file of ours.
 * Containment: card > switch > slot > drive > sensor; board sensors stand on their card, or alone.
 * entPhysicalIndex is kind, card, slot, sensor in fixed bits, so that it survives restarts and other things' coming and
 * going: kind 29..27, card number + 1 26..14, slot + 1 13..8, sensor + 1 7..0; a board sensor has the number of its
 * name in 26..0. */
#include <string.h>

#include "base/rows.h"
#include "exporter/snmp_get.h"

enum kind { KIND_CARD = 1, KIND_SWITCH, KIND_SLOT, KIND_DRIVE, KIND_DRIVE_SENSOR, KIND_CARD_SENSOR, KIND_BOARD_SENSOR };

#define KIND_SHIFT 27
#define CARD_SHIFT 14
#define SLOT_SHIFT 8

/* IANAPhysicalClass */
enum { CLASS_CONTAINER = 5, CLASS_SENSOR = 8, CLASS_MODULE = 9 };

/* EntitySensorDataType, EntitySensorDataScale, EntitySensorStatus: RFC 3433 */
enum {
    TYPE_OTHER = 1,
    TYPE_VOLTS_DC = 4,
    TYPE_AMPERES = 5,
    TYPE_WATTS = 6,
    TYPE_CELSIUS = 8,
    TYPE_PERCENT_RH = 9,
    TYPE_RPM = 10
};
enum { SCALE_MILLI = 8, SCALE_UNITS = 9 };
enum { STATUS_OK = 1, STATUS_UNAVAILABLE = 2, STATUS_NONOPERATIONAL = 3 };

static const struct card_sensor {
    const char *name, *descr;
    size_t offset;
    enum el_sensor_kind kind;
} card_sensors[] = {
    {"inlet", "inlet temperature", offsetof(struct el_card, inlet_mc), EL_SENSOR_TEMPERATURE},
    {"switch temperature", "switch temperature", offsetof(struct el_card, switch_mc), EL_SENSOR_TEMPERATURE},
    {"power", "card power", offsetof(struct el_card, power_mw), EL_SENSOR_POWER},
    {"airflow", "airflow", offsetof(struct el_card, airflow_mlfm), EL_SENSOR_AIRFLOW},
    {"humidity", "inlet humidity", offsetof(struct el_card, humidity_ppm), EL_SENSOR_HUMIDITY},
};

/* What ENTITY-SENSOR-MIB says of each kind of sensor: value = reading / divisor, times 10^-3 when the scale is milli.
 */
static const struct unit {
    int32_t type, scale, divisor;
    const char *name;
} units[EL_SENSOR_KIND_COUNT] = {
    [EL_SENSOR_TEMPERATURE] = {TYPE_CELSIUS, SCALE_MILLI, 1, "Celsius"},
    [EL_SENSOR_FAN] = {TYPE_RPM, SCALE_UNITS, 1, "RPM"},
    [EL_SENSOR_PWM] = {TYPE_OTHER, SCALE_MILLI, 10, "% of full speed"},
    [EL_SENSOR_VOLTAGE] = {TYPE_VOLTS_DC, SCALE_MILLI, 1, "V"},
    [EL_SENSOR_CURRENT] = {TYPE_AMPERES, SCALE_MILLI, 1, "A"},
    [EL_SENSOR_POWER] = {TYPE_WATTS, SCALE_MILLI, 1, "W"},
    [EL_SENSOR_HUMIDITY] = {TYPE_PERCENT_RH, SCALE_MILLI, 10, "%RH"},
    [EL_SENSOR_AIRFLOW] = {TYPE_OTHER, SCALE_MILLI, 1, "LFM"},
};

struct field {
    uint16_t offset, size;
};
#define FIELD(T, f)                                                                                                    \
    {                                                                                                                  \
        offsetof(struct T, f), sizeof(((struct T *)0)->f)                                                              \
    }

/* What is the same for all of one kind. Position: place among those with the same parent, from 1: bits of the index, or
 * else fixed; -1 = none that means anything. */
static const struct kind_info {
    int32_t class, fru; /* fru: TruthValue */
    int32_t fixed;
    uint32_t shift, bits;
    struct field model, serial, firmware; /* of its object; no size: it has none */
} kinds[] = {
    [KIND_CARD] = {CLASS_MODULE, 1, 0, CARD_SHIFT, 0x1fff, FIELD(el_card, title), FIELD(el_card, serial)},
    [KIND_SWITCH] = {CLASS_MODULE, 2, 1},
    [KIND_SLOT] = {CLASS_CONTAINER, 2, 0, SLOT_SHIFT, 0x3f},
    [KIND_DRIVE] = {CLASS_MODULE, 1, 1, 0, 0, FIELD(el_slot, identify.model), FIELD(el_slot, identify.serial),
                    FIELD(el_slot, identify.firmware)},
    [KIND_DRIVE_SENSOR] = {CLASS_SENSOR, 2, 0, 0, 0xff},
    [KIND_CARD_SENSOR] = {CLASS_SENSOR, 2, 0, 0, 0xff},
    [KIND_BOARD_SENSOR] = {CLASS_SENSOR, 2, -1},
};

static uint32_t number(enum kind k, uint32_t card, uint32_t slot, uint32_t sensor)
{
    return (uint32_t)k << KIND_SHIFT | card << CARD_SHIFT | slot << SLOT_SHIFT | sensor;
}

static enum kind kind_of(const struct el_snmp_at *at)
{
    return (enum kind)(at->row->index[0] >> KIND_SHIFT);
}

/* Rows: an entity's own has its parent behind its index, where no lookup sees it. */

/* `parent` 0: stands alone. */
static void add(struct el_snmp_view *v, uint32_t index, uint32_t parent, const void *object, uint32_t sub)
{
    struct el_snmp_row row = {.index = {index, parent}, .sub = sub, .object = object};

    el_snmp_rows_add(v, EL_ROWS_ENTITY, row);
    if (kinds[index >> KIND_SHIFT].class == CLASS_SENSOR)
        el_snmp_rows_add(v, EL_ROWS_SENSOR, row);
    if (parent)
        el_snmp_rows_add(v, EL_ROWS_CONTAINS, (struct el_snmp_row){.index = {parent, index}});
    v->entity_mark = el_hash(v->entity_mark, &index, sizeof index);
}

static const struct el_reading *card_reading(const struct el_card *c, uint32_t sensor)
{
    return (const void *)((const char *)c + card_sensors[sensor].offset);
}

static void add_card(struct el_snmp_view *v, const struct el_card *c)
{
    uint32_t card = number(KIND_CARD, c->number + 1, 0, 0);

    add(v, card, 0, c, 0);
    if (c->has_switch)
        add(v, number(KIND_SWITCH, c->number + 1, 0, 0), card, c, 0);
    for (uint32_t i = 0; i < EL_ARRAY_SIZE(card_sensors); i++) {
        const struct el_reading *r = card_reading(c, i);

        if (r->quality != EL_ABSENT && r->origin == EL_MEASURED)
            add(v, number(KIND_CARD_SENSOR, c->number + 1, 0, i + 1), card, c, i);
    }
    v->entity_mark = el_hash(v->entity_mark, c->serial, sizeof c->serial);
}

static void add_slot(struct el_snmp_view *v, const struct el_snmp_row *r)
{
    const struct el_slot *t = r->object;
    uint32_t slot = number(KIND_SLOT, r->index[0], r->index[1], 0);
    bool has_switch = el_snmp_card(v, t->card)->has_switch;

    add(v, slot, number(has_switch ? KIND_SWITCH : KIND_CARD, r->index[0], 0, 0), t, 0);
    if (el_snmp_holds_drive(t))
        add(v, number(KIND_DRIVE, r->index[0], r->index[1], 0), slot, t, 0);
    v->entity_mark = el_hash(v->entity_mark, t->identify.serial, sizeof t->identify.serial);
}

void el_snmp_add_entities(struct el_snmp_view *v)
{
    const struct el_snmp_rows *rows = v->rows;

    for (size_t i = 0; i < rows[EL_ROWS_CARD].n; i++)
        add_card(v, rows[EL_ROWS_CARD].row[i].object);
    for (size_t i = 0; i < rows[EL_ROWS_SLOT].n; i++)
        add_slot(v, &rows[EL_ROWS_SLOT].row[i]);
    for (size_t i = 0; i < rows[EL_ROWS_DRIVE_SENSOR].n; i++) {
        const struct el_snmp_row *r = &rows[EL_ROWS_DRIVE_SENSOR].row[i];

        if (el_snmp_holds_drive(r->object))
            add(v, number(KIND_DRIVE_SENSOR, r->index[0], r->index[1], r->index[2]),
                number(KIND_DRIVE, r->index[0], r->index[1], 0), r->object, r->sub);
    }
    for (size_t i = 0; i < rows[EL_ROWS_BOARD].n; i++) {
        const struct el_snmp_row *r = &rows[EL_ROWS_BOARD].row[i];
        const struct el_sensor *sensor = r->object;
        uint32_t card = el_snmp_card_number(v, sensor->card);

        if (sensor->value.quality != EL_ABSENT)
            add(v, number(KIND_BOARD_SENSOR, 0, 0, r->index[0]), card ? number(KIND_CARD, card, 0, 0) : 0, sensor, 0);
    }
    el_snmp_rows_sort(v, EL_ROWS_ENTITY, EL_ROWS_COUNT);
}

/* entPhysicalTable. */

static bool get_name(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    const struct el_card *c = at->object;

    switch (kind_of(at)) {
    case KIND_CARD:
        return el_snmp_set_text(out, c->name, sizeof c->name);
    case KIND_SWITCH:
        return el_snmp_set_format(out, "%.47s switch", c->name);
    case KIND_SLOT:
        return el_snmp_slot_text(at->view, at->object, "", out);
    case KIND_DRIVE:
        return el_snmp_slot_text(at->view, at->object, "drive", out);
    case KIND_DRIVE_SENSOR:
        return el_snmp_sensor_text(at->view, at->object, at->row->sub, "", out);
    case KIND_CARD_SENSOR:
        return el_snmp_set_format(out, "%.47s %s", c->name, card_sensors[at->row->sub].name);
    case KIND_BOARD_SENSOR:
        return el_snmp_set_text(out, ((const struct el_sensor *)at->object)->name, 64);
    }
    return false;
}

/* "CPUTIN temperature", "Airflow": what the chip calls it, or else its name, and its kind where neither says it. */
static bool describe_board(const struct el_sensor *sensor, struct el_snmp_value *out)
{
    const char *name = *sensor->label ? sensor->label : sensor->name, *kind = el_sensor_kind_name(sensor->kind);

    return el_snmp_set_format(out, strcasestr(name, kind) ? "%.63s" : "%.63s %s", name, kind);
}

static bool get_descr(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    const struct el_card *c = at->object;

    switch (kind_of(at)) {
    case KIND_CARD:
        return el_snmp_set_format(out, "%.95s", *c->title ? c->title : "NVMe card");
    case KIND_SWITCH:
        return el_snmp_set_format(out, "PCIe switch");
    case KIND_SLOT:
        return el_snmp_set_format(out, "M.2 or U.2 slot");
    case KIND_DRIVE:
        return el_snmp_set_format(out, "NVMe drive %.120s", ((const struct el_slot *)at->object)->identify.model);
    case KIND_DRIVE_SENSOR:
        return el_snmp_sensor_text(at->view, at->object, at->row->sub, " temperature", out);
    case KIND_CARD_SENSOR:
        return el_snmp_set_format(out, "%.47s %s", c->name, card_sensors[at->row->sub].descr);
    case KIND_BOARD_SENSOR:
        return describe_board(at->object, out);
    }
    return false;
}

static bool get_no_type(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    out->oid[0] = out->oid[1] = 0;
    out->len = 2;
    return true;
}

static bool get_second_index(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    out->integer = (int32_t)at->row->index[1];
    return true;
}

static bool get_position(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    const struct kind_info *k = &kinds[kind_of(at)];

    out->integer = k->bits ? (int32_t)(at->row->index[0] >> k->shift & k->bits) : k->fixed;
    return true;
}

/* `offset`: of a number in struct kind_info. */
static bool get_kind_number(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    out->integer = *(const int32_t *)((const char *)&kinds[kind_of(at)] + at->column->offset);
    return true;
}

/* `offset`: of a field in struct kind_info. */
static bool get_kind_text(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    const struct field *f = (const void *)((const char *)&kinds[kind_of(at)] + at->column->offset);

    return el_snmp_set_text(out, (const char *)at->object + f->offset, f->size);
}

static bool get_last_change(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    const struct el_snmp_self *self = at->view->options.self;

    out->gauge = self && self->entity_changed_us > self->start_us
                     ? (uint32_t)((self->entity_changed_us - self->start_us) / 10000)
                     : 0;
    return true;
}

/* entPhySensorTable. */

static const struct el_reading *reading_of(const struct el_snmp_at *at, enum el_sensor_kind *kind)
{
    const struct el_sensor *board = at->object;

    *kind = EL_SENSOR_TEMPERATURE;
    switch (kind_of(at)) {
    case KIND_DRIVE_SENSOR:
        return &((const struct el_slot *)at->object)->temp_mc[at->row->sub];
    case KIND_CARD_SENSOR:
        *kind = card_sensors[at->row->sub].kind;
        return card_reading(at->object, at->row->sub);
    default:
        *kind = (unsigned)board->kind < EL_SENSOR_KIND_COUNT ? board->kind : EL_SENSOR_TEMPERATURE;
        return &board->value;
    }
}

/* `offset`: of a number in struct unit. */
static bool get_unit_number(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    enum el_sensor_kind k;

    reading_of(at, &k);
    out->integer = *(const int32_t *)((const char *)&units[k] + at->column->offset);
    return true;
}

static bool get_unit_name(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    enum el_sensor_kind k;

    reading_of(at, &k);
    return el_snmp_set_format(out, "%s", units[k].name);
}

/* The scale says it all: with a precision beside it, readers that apply both show a thousandth. */
static bool get_sensor_precision(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    out->integer = 0;
    return true;
}

static bool get_sensor_value(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    enum el_sensor_kind k;
    const struct el_reading *r = reading_of(at, &k);

    return el_snmp_set_integer(
        out, EL_CLAMP((double)r->value / units[k].divisor, -1e9, 1e9)); /* range of EntitySensorValue */
}

static bool get_sensor_status(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    enum el_sensor_kind k;
    enum el_quality q = el_snmp_quality(at->view, reading_of(at, &k));

    out->integer = q == EL_GOOD ? STATUS_OK : q == EL_STALE ? STATUS_UNAVAILABLE : STATUS_NONOPERATIONAL;
    return true;
}

static bool get_sensor_time(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    const struct el_snmp_self *self = at->view->options.self;
    enum el_sensor_kind k;
    int64_t t = reading_of(at, &k)->time_us;

    out->gauge = self && t > self->start_us ? (uint32_t)((t - self->start_us) / 10000) : 0;
    return true;
}

static bool get_sensor_period(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    out->gauge = kind_of(at) == KIND_DRIVE_SENSOR ? ((const struct el_slot *)at->object)->poll_period_ms
                                                  : at->view->snapshot->period_ms;
    return true;
}

static const struct el_snmp_column physical_columns[] = {
    {2, EL_SNMP_TEXT, "entPhysicalDescr", get_descr},
    {3, EL_SNMP_OID, "entPhysicalVendorType", get_no_type},
    {4, EL_SNMP_INTEGER, "entPhysicalContainedIn", get_second_index},
    {5, EL_SNMP_INTEGER, "entPhysicalClass", get_kind_number, offsetof(struct kind_info, class)},
    {6, EL_SNMP_INTEGER, "entPhysicalParentRelPos", get_position},
    {7, EL_SNMP_TEXT, "entPhysicalName", get_name},
    {8, EL_SNMP_TEXT, "entPhysicalHardwareRev", el_snmp_get_nothing},
    {9, EL_SNMP_TEXT, "entPhysicalFirmwareRev", get_kind_text, offsetof(struct kind_info, firmware)},
    {10, EL_SNMP_TEXT, "entPhysicalSoftwareRev", el_snmp_get_nothing},
    {11, EL_SNMP_TEXT, "entPhysicalSerialNum", get_kind_text, offsetof(struct kind_info, serial)},
    {12, EL_SNMP_TEXT, "entPhysicalMfgName", el_snmp_get_nothing},
    {13, EL_SNMP_TEXT, "entPhysicalModelName", get_kind_text, offsetof(struct kind_info, model)},
    {14, EL_SNMP_TEXT, "entPhysicalAlias", el_snmp_get_nothing},
    {15, EL_SNMP_TEXT, "entPhysicalAssetID", el_snmp_get_nothing},
    {16, EL_SNMP_INTEGER, "entPhysicalIsFRU", get_kind_number, offsetof(struct kind_info, fru)},
};
static const struct el_snmp_column contains_columns[] = {
    {1, EL_SNMP_INTEGER, "entPhysicalChildIndex", get_second_index}};
static const struct el_snmp_column general_columns[] = {{1, EL_SNMP_TICKS, "entLastChangeTime", get_last_change}};
static const struct el_snmp_column sensor_columns[] = {
    {1, EL_SNMP_INTEGER, "entPhySensorType", get_unit_number, offsetof(struct unit, type)},
    {2, EL_SNMP_INTEGER, "entPhySensorScale", get_unit_number, offsetof(struct unit, scale)},
    {3, EL_SNMP_INTEGER, "entPhySensorPrecision", get_sensor_precision},
    {4, EL_SNMP_INTEGER, "entPhySensorValue", get_sensor_value},
    {5, EL_SNMP_INTEGER, "entPhySensorOperStatus", get_sensor_status},
    {6, EL_SNMP_TEXT, "entPhySensorUnitsDisplay", get_unit_name},
    {7, EL_SNMP_TICKS, "entPhySensorValueTimeStamp", get_sensor_time},
    {8, EL_SNMP_GAUGE, "entPhySensorValueUpdateRate", get_sensor_period},
};

#define TABLE(name, tree, len, set, columns, ...)                                                                      \
    {                                                                                                                  \
        name, EL_SNMP_TREE_##tree, {__VA_ARGS__}, len, set, columns, EL_ARRAY_SIZE(columns)                            \
    }

const struct el_snmp_table el_snmp_entity_tables[] = {
    TABLE("entPhysicalTable", ENTITY, 3, EL_ROWS_ENTITY, physical_columns, 1, 1, 1),
    TABLE("entPhysicalContainsTable", ENTITY, 3, EL_ROWS_CONTAINS, contains_columns, 3, 3, 1),
    TABLE("entityGeneral", ENTITY, 1, EL_ROWS_ONE, general_columns, 4),
    TABLE("entPhySensorTable", ENTITY_SENSOR, 2, EL_ROWS_SENSOR, sensor_columns, 1, 1),
};
const size_t el_snmp_entity_tables_n = EL_ARRAY_SIZE(el_snmp_entity_tables);
