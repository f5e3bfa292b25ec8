/* ENTITY-MIB (RFC 6933) and ENTITY-SENSOR-MIB (RFC 3433): what managers find without any file of ours.
 * Containment: card > switch > slot > drive > sensor; board sensors stand on their card, or alone.
 * entPhysicalIndex is kind, card, slot, sensor in fixed bits, so that it survives restarts and other things' coming and
 * going: kind 29..27, card number + 1 26..14, slot + 1 13..8, sensor + 1 7..0; a board sensor has the number of its
 * name in 26..0. */
#include <string.h>

#include "exporter/snmp_get.h"

enum kind { KIND_CARD = 1, KIND_SWITCH, KIND_SLOT, KIND_DRIVE, KIND_DRIVE_SENSOR, KIND_CARD_SENSOR, KIND_BOARD_SENSOR };

/* IANAPhysicalClass */
enum { CLASS_OTHER = 1, CLASS_CONTAINER = 5, CLASS_SENSOR = 8, CLASS_MODULE = 9 };

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
static const struct {
    int32_t type, scale, divisor;
    const char *unit;
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

static uint32_t number(enum kind k, uint32_t card, uint32_t slot, uint32_t sensor)
{
    return (uint32_t)k << 27 | card << 14 | slot << 8 | sensor;
}

static enum kind kind_of(const struct el_snmp_row *r)
{
    return (enum kind)(r->index[0] >> 27);
}

static const struct el_card *card_of(const struct el_snmp_at *at)
{
    return &el_snapshot_cards(at->view->snapshot)[at->row->ref];
}

static const struct el_slot *slot_of(const struct el_snmp_at *at)
{
    return &el_snapshot_slots(at->view->snapshot)[at->row->ref];
}

static const struct el_sensor *board_of(const struct el_snmp_at *at)
{
    return &el_snapshot_sensors(at->view->snapshot)[at->row->ref];
}

/* Rows. */

static void mix(struct el_snmp_view *v, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        v->entity_mark = (v->entity_mark ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3ULL;
}

/* `parent` 0: stands alone. */
static void add(struct el_snmp_view *v, uint32_t index, uint32_t parent, uint32_t ref, uint32_t sub)
{
    enum kind k = (enum kind)(index >> 27);

    el_snmp_rows_add(v, EL_ROWS_ENTITY, (struct el_snmp_row){.index = {index}, .ref = ref, .sub = sub});
    if (k >= KIND_DRIVE_SENSOR)
        el_snmp_rows_add(v, EL_ROWS_SENSOR, (struct el_snmp_row){.index = {index}, .ref = ref, .sub = sub});
    if (parent)
        el_snmp_rows_add(v, EL_ROWS_CONTAINS, (struct el_snmp_row){.index = {parent, index}, .ref = ref, .sub = sub});
    mix(v, &index, sizeof index);
}

static uint32_t below_card(const struct el_card *c)
{
    return number(c->has_switch ? KIND_SWITCH : KIND_CARD, c->number + 1, 0, 0);
}

static void add_card(struct el_snmp_view *v, uint32_t ref)
{
    const struct el_card *c = el_snmp_card(v, ref);
    uint32_t card = number(KIND_CARD, c->number + 1, 0, 0);

    add(v, card, 0, ref, 0);
    if (c->has_switch)
        add(v, below_card(c), card, ref, 0);
    for (uint32_t i = 0; i < EL_ARRAY_SIZE(card_sensors); i++) {
        const struct el_reading *r = (const void *)((const char *)c + card_sensors[i].offset);

        if (r->quality != EL_ABSENT && r->origin == EL_MEASURED)
            add(v, number(KIND_CARD_SENSOR, c->number + 1, 0, i + 1), card, ref, i);
    }
    mix(v, c->serial, sizeof c->serial);
}

static bool holds_drive(const struct el_slot *t)
{
    return t->state != EL_SLOT_EMPTY && t->state != EL_SLOT_GONE;
}

void el_snmp_add_entities(struct el_snmp_view *v)
{
    const struct el_snmp_rows *slots = &v->rows[EL_ROWS_SLOT], *sensors = &v->rows[EL_ROWS_DRIVE_SENSOR],
                              *boards = &v->rows[EL_ROWS_BOARD];

    for (size_t i = 0; i < v->rows[EL_ROWS_CARD].n; i++)
        add_card(v, v->rows[EL_ROWS_CARD].row[i].ref);
    for (size_t i = 0; i < slots->n; i++) {
        const struct el_snmp_row *r = &slots->row[i];
        const struct el_slot *t = el_snmp_slot(v, r->ref);
        uint32_t slot = number(KIND_SLOT, r->index[0], r->index[1], 0);

        add(v, slot, below_card(el_snmp_card(v, t->card)), r->ref, 0);
        if (holds_drive(t))
            add(v, number(KIND_DRIVE, r->index[0], r->index[1], 0), slot, r->ref, 0);
        mix(v, t->identify.serial, sizeof t->identify.serial);
    }
    for (size_t i = 0; i < sensors->n; i++) {
        const struct el_snmp_row *r = &sensors->row[i];
        uint32_t drive = number(KIND_DRIVE, r->index[0], r->index[1], 0);

        if (holds_drive(el_snmp_slot(v, r->ref)))
            add(v, number(KIND_DRIVE_SENSOR, r->index[0], r->index[1], r->index[2]), drive, r->ref, r->sub);
    }
    for (size_t i = 0; i < boards->n; i++) {
        const struct el_snmp_row *r = &boards->row[i];
        const struct el_card *c = el_snmp_card(v, el_snapshot_sensors(v->snapshot)[r->ref].card);

        if (el_snapshot_sensors(v->snapshot)[r->ref].value.quality != EL_ABSENT)
            add(v, (uint32_t)KIND_BOARD_SENSOR << 27 | r->index[0], c ? number(KIND_CARD, c->number + 1, 0, 0) : 0,
                r->ref, 0);
    }
}

/* entPhysicalTable. */

static bool get_name(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    switch (kind_of(at->row)) {
    case KIND_CARD:
        return el_snmp_set_text(out, card_of(at)->name, EL_NAME_MAX);
    case KIND_SWITCH:
        return el_snmp_set_format(out, "%.47s switch", card_of(at)->name);
    case KIND_SLOT:
        return el_snmp_slot_text(at->view, slot_of(at), "", out);
    case KIND_DRIVE:
        return el_snmp_slot_text(at->view, slot_of(at), "drive", out);
    case KIND_DRIVE_SENSOR:
        return el_snmp_sensor_text(at->view, slot_of(at), at->row->sub, "", out);
    case KIND_CARD_SENSOR:
        return el_snmp_set_format(out, "%.47s %s", card_of(at)->name, card_sensors[at->row->sub].name);
    case KIND_BOARD_SENSOR:
        return el_snmp_set_text(out, board_of(at)->name, sizeof board_of(at)->name);
    }
    return false;
}

static bool get_descr(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    switch (kind_of(at->row)) {
    case KIND_CARD:
        return el_snmp_set_format(out, "%.95s", *card_of(at)->title ? card_of(at)->title : "NVMe card");
    case KIND_SWITCH:
        return el_snmp_set_format(out, "PCIe switch");
    case KIND_SLOT:
        return el_snmp_set_format(out, "M.2 or U.2 slot");
    case KIND_DRIVE:
        return el_snmp_set_format(out, "NVMe drive %.120s", slot_of(at)->identify.model);
    case KIND_DRIVE_SENSOR:
        return el_snmp_sensor_text(at->view, slot_of(at), at->row->sub, " temperature", out);
    case KIND_CARD_SENSOR:
        return el_snmp_set_format(out, "%.47s %s", card_of(at)->name, card_sensors[at->row->sub].descr);
    case KIND_BOARD_SENSOR:
        return el_snmp_set_format(out, "%.63s %.47s %s", board_of(at)->name, board_of(at)->label,
                                  el_sensor_kind_name(board_of(at)->kind));
    }
    return false;
}

static bool get_no_type(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    out->oid[0] = out->oid[1] = 0;
    out->len = 2;
    return true;
}

static uint32_t parent_of(const struct el_snmp_at *at)
{
    uint32_t card = at->row->index[0] >> 14 & 0x1fff, slot = at->row->index[0] >> 8 & 0x3f;
    const struct el_card *c;

    switch (kind_of(at->row)) {
    case KIND_SWITCH:
    case KIND_CARD_SENSOR:
        return number(KIND_CARD, card, 0, 0);
    case KIND_SLOT:
        return below_card(el_snmp_card(at->view, slot_of(at)->card));
    case KIND_DRIVE:
        return number(KIND_SLOT, card, slot, 0);
    case KIND_DRIVE_SENSOR:
        return number(KIND_DRIVE, card, slot, 0);
    case KIND_BOARD_SENSOR:
        c = el_snmp_card(at->view, board_of(at)->card);
        return c ? number(KIND_CARD, c->number + 1, 0, 0) : 0;
    default:
        return 0;
    }
}

static bool get_parent(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    out->integer = (int32_t)parent_of(at);
    return true;
}

static bool get_class(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    static const uint8_t class_of[] = {
        [KIND_CARD] = CLASS_MODULE,        [KIND_SWITCH] = CLASS_MODULE,       [KIND_SLOT] = CLASS_CONTAINER,
        [KIND_DRIVE] = CLASS_MODULE,       [KIND_DRIVE_SENSOR] = CLASS_SENSOR, [KIND_CARD_SENSOR] = CLASS_SENSOR,
        [KIND_BOARD_SENSOR] = CLASS_SENSOR};

    out->integer = class_of[kind_of(at->row)];
    return true;
}

/* Place among those with the same parent, from 1; -1 = none that means anything. */
static bool get_position(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    switch (kind_of(at->row)) {
    case KIND_CARD:
        out->integer = (int32_t)(at->row->index[0] >> 14 & 0x1fff);
        break;
    case KIND_SLOT:
        out->integer = (int32_t)(at->row->index[0] >> 8 & 0x3f);
        break;
    case KIND_DRIVE_SENSOR:
    case KIND_CARD_SENSOR:
        out->integer = (int32_t)(at->row->index[0] & 0xff);
        break;
    case KIND_BOARD_SENSOR:
        out->integer = -1;
        break;
    default:
        out->integer = 1;
    }
    return true;
}

static bool get_nothing(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    out->len = 0;
    return true;
}

static bool get_firmware(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    return kind_of(at->row) == KIND_DRIVE
               ? el_snmp_set_text(out, slot_of(at)->identify.firmware, sizeof slot_of(at)->identify.firmware)
               : get_nothing(at, out);
}

static bool get_serial(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    switch (kind_of(at->row)) {
    case KIND_CARD:
        return el_snmp_set_text(out, card_of(at)->serial, sizeof card_of(at)->serial);
    case KIND_DRIVE:
        return el_snmp_set_text(out, slot_of(at)->identify.serial, sizeof slot_of(at)->identify.serial);
    default:
        return get_nothing(at, out);
    }
}

static bool get_model(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    switch (kind_of(at->row)) {
    case KIND_CARD:
        return el_snmp_set_text(out, card_of(at)->title, sizeof card_of(at)->title);
    case KIND_DRIVE:
        return el_snmp_set_text(out, slot_of(at)->identify.model, sizeof slot_of(at)->identify.model);
    default:
        return get_nothing(at, out);
    }
}

static bool get_fru(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    out->integer = kind_of(at->row) == KIND_CARD || kind_of(at->row) == KIND_DRIVE ? 1 : 2;
    return true;
}

static bool get_child(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    out->integer = (int32_t)at->row->index[1];
    return true;
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
    *kind = EL_SENSOR_TEMPERATURE;
    switch (kind_of(at->row)) {
    case KIND_DRIVE_SENSOR:
        return &slot_of(at)->temp_mc[at->row->sub];
    case KIND_CARD_SENSOR:
        *kind = card_sensors[at->row->sub].kind;
        return (const void *)((const char *)card_of(at) + card_sensors[at->row->sub].offset);
    default:
        *kind = (unsigned)board_of(at)->kind < EL_SENSOR_KIND_COUNT ? board_of(at)->kind : EL_SENSOR_TEMPERATURE;
        return &board_of(at)->value;
    }
}

static bool get_sensor_type(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    enum el_sensor_kind k;

    reading_of(at, &k);
    out->integer = units[k].type;
    return true;
}

static bool get_sensor_scale(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    enum el_sensor_kind k;

    reading_of(at, &k);
    out->integer = units[k].scale;
    return true;
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

static bool get_sensor_unit(const struct el_snmp_at *at, struct el_snmp_value *out)
{
    enum el_sensor_kind k;

    reading_of(at, &k);
    return el_snmp_set_format(out, "%s", units[k].unit);
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
    out->gauge = kind_of(at->row) == KIND_DRIVE_SENSOR ? slot_of(at)->poll_period_ms : at->view->snapshot->period_ms;
    return true;
}

static const struct el_snmp_column physical_columns[] = {
    {2, EL_SNMP_TEXT, "entPhysicalDescr", get_descr},
    {3, EL_SNMP_OID, "entPhysicalVendorType", get_no_type},
    {4, EL_SNMP_INTEGER, "entPhysicalContainedIn", get_parent},
    {5, EL_SNMP_INTEGER, "entPhysicalClass", get_class},
    {6, EL_SNMP_INTEGER, "entPhysicalParentRelPos", get_position},
    {7, EL_SNMP_TEXT, "entPhysicalName", get_name},
    {8, EL_SNMP_TEXT, "entPhysicalHardwareRev", get_nothing},
    {9, EL_SNMP_TEXT, "entPhysicalFirmwareRev", get_firmware},
    {10, EL_SNMP_TEXT, "entPhysicalSoftwareRev", get_nothing},
    {11, EL_SNMP_TEXT, "entPhysicalSerialNum", get_serial},
    {12, EL_SNMP_TEXT, "entPhysicalMfgName", get_nothing},
    {13, EL_SNMP_TEXT, "entPhysicalModelName", get_model},
    {14, EL_SNMP_TEXT, "entPhysicalAlias", get_nothing},
    {15, EL_SNMP_TEXT, "entPhysicalAssetID", get_nothing},
    {16, EL_SNMP_INTEGER, "entPhysicalIsFRU", get_fru},
};
static const struct el_snmp_column contains_columns[] = {{1, EL_SNMP_INTEGER, "entPhysicalChildIndex", get_child}};
static const struct el_snmp_column general_columns[] = {{1, EL_SNMP_TICKS, "entLastChangeTime", get_last_change}};
static const struct el_snmp_column sensor_columns[] = {
    {1, EL_SNMP_INTEGER, "entPhySensorType", get_sensor_type},
    {2, EL_SNMP_INTEGER, "entPhySensorScale", get_sensor_scale},
    {3, EL_SNMP_INTEGER, "entPhySensorPrecision", get_sensor_precision},
    {4, EL_SNMP_INTEGER, "entPhySensorValue", get_sensor_value},
    {5, EL_SNMP_INTEGER, "entPhySensorOperStatus", get_sensor_status},
    {6, EL_SNMP_TEXT, "entPhySensorUnitsDisplay", get_sensor_unit},
    {7, EL_SNMP_TICKS, "entPhySensorValueTimeStamp", get_sensor_time},
    {8, EL_SNMP_GAUGE, "entPhySensorValueUpdateRate", get_sensor_period},
};

#define MIB_2 1, 3, 6, 1, 2, 1
#define TABLE(name, len, set, columns, ...)                                                                            \
    {                                                                                                                  \
        name, {MIB_2, __VA_ARGS__}, len, true, set, NULL, columns, EL_ARRAY_SIZE(columns)                              \
    }

const struct el_snmp_table el_snmp_entity_tables[] = {
    TABLE("entPhysicalTable", 11, EL_ROWS_ENTITY, physical_columns, 47, 1, 1, 1, 1),
    TABLE("entPhysicalContainsTable", 11, EL_ROWS_CONTAINS, contains_columns, 47, 1, 3, 3, 1),
    TABLE("entityGeneral", 9, EL_ROWS_ONE, general_columns, 47, 1, 4),
    TABLE("entPhySensorTable", 10, EL_ROWS_SENSOR, sensor_columns, 99, 1, 1, 1),
};
const size_t el_snmp_entity_tables_n = EL_ARRAY_SIZE(el_snmp_entity_tables);
