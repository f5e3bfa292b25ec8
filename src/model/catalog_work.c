/* Getters for values that are worked out from more than one field. */
#include <string.h>

#include "model/catalog_private.h"

static const struct el_slot *slot_of(const struct el_catalog_context *c, uint32_t row)
{
    return &el_snapshot_slots(c->s)[row];
}

EL_READER(snapshot_age)
{
    int64_t age = (c->now_us ? c->now_us : c->s->time_us) - c->s->time_us;

    return el_fixed(EL_MAX(age, 0), 6);
}

EL_READER(snapshot_stale)
{
    return el_unsigned(c->stale);
}

EL_READER(drives)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < c->s->slots.count; i++)
        n += slot_of(c, i)->state == sub;
    return el_unsigned(n);
}

EL_READER(agentx)
{
    int32_t connected = c->exporter->agentx_connected;

    return connected < 0 ? el_absent : el_unsigned(connected != 0);
}

EL_READER(snmp_waiting)
{
    int32_t waiting = c->exporter->snmp_waiting;

    return waiting < 0 ? el_absent : el_unsigned((uint64_t)waiting);
}

EL_READER(occupied)
{
    enum el_slot_state state = slot_of(c, row)->state;

    return el_unsigned(state != EL_SLOT_EMPTY && state != EL_SLOT_GONE);
}

/* A slot that never held a drive has nothing to be up or down. */
EL_READER(up)
{
    enum el_slot_state state = slot_of(c, row)->state;

    return state == EL_SLOT_EMPTY ? el_absent : el_unsigned(state == EL_SLOT_UP && !c->stale);
}

EL_READER(drive_info)
{
    return slot_of(c, row)->state == EL_SLOT_EMPTY ? el_absent : el_unsigned(1);
}

EL_READER(group_warning)
{
    static const uint8_t bits[] = {0, 2, 3}; /* spare, reliability, read-only: as in log 09h */
    const struct el_slot *t = slot_of(c, row);
    bool groups = t->identify.ctratt & 1u << 4;

    return groups || t->smart.endurance_group_warning ? el_unsigned(t->smart.endurance_group_warning >> bits[sub] & 1)
                                                      : el_absent;
}

EL_READER(endurance_used)
{
    const struct el_slot *t = slot_of(c, row);

    return t->rated_endurance_bytes > 0 ? el_rounded(el_nvme_written_bytes(&t->smart) / t->rated_endurance_bytes, 6)
                                        : el_absent;
}

/* Only when every drive of the card has reported: a sum with a gap would be too low. */
EL_READER(card_endurance_used)
{
    const struct el_card *card = &el_snapshot_cards(c->s)[row];
    double written = 0;

    if (!(card->rated_endurance_bytes > 0))
        return el_absent;
    for (uint32_t i = 0; i < card->slots; i++) {
        const struct el_slot *t = slot_of(c, card->first_slot + i);

        if (t->state == EL_SLOT_EMPTY)
            continue;
        if (t->state != EL_SLOT_UP || t->stamp[EL_READ_SMART].quality != EL_GOOD)
            return el_absent;
        written += el_nvme_written_bytes(&t->smart);
    }
    return el_rounded(written / card->rated_endurance_bytes, 6);
}

EL_READER(wear_remaining)
{
    const struct el_slot *t = slot_of(c, row);

    return t->wear_basis == sub + 1 ? el_rounded(t->wear_days_remaining * 86400, 0) : el_absent;
}

EL_READER(wear_low)
{
    return el_rounded(slot_of(c, row)->wear_days_low * 86400, 0);
}

EL_READER(wear_high)
{
    return el_rounded(slot_of(c, row)->wear_days_high * 86400, 0);
}

EL_READER(budget)
{
    const struct el_slot_decision *d = &slot_of(c, row)->decision;

    return d->cap_ratio < 1 ? el_rounded(d->budget_w, 3) : el_absent;
}

EL_READER(io_bytes)
{
    const struct el_slot_io *io = &slot_of(c, row)->io;

    return io->valid ? el_unsigned(sub ? io->write_bytes : io->read_bytes) : el_absent;
}

EL_READER(io_operations)
{
    const struct el_slot_io *io = &slot_of(c, row)->io;

    return io->valid ? el_unsigned(sub ? io->write_ops : io->read_ops) : el_absent;
}

/* Zeros are shown for SMART, the page that matters; of other pages only what has failed. */
EL_READER(read_faults)
{
    enum el_read what = sub / EL_FAULT_COUNT;
    uint32_t n = slot_of(c, row)->read_faults[what][sub % EL_FAULT_COUNT];

    return n || what == EL_READ_SMART ? el_unsigned(n) : el_absent;
}

EL_READER(actions)
{
    const struct el_slot_action *a = &slot_of(c, row)->action;
    uint32_t actuator = sub / 2;

    if (!(a->usable & 1u << actuator) && !a->lowered[actuator] && !a->raised[actuator])
        return el_absent;
    return el_unsigned(sub % 2 ? a->raised[actuator] : a->lowered[actuator]);
}

/* Without the drive's Identify Namespace only the size is known, from the kernel. */
EL_READER(namespace_used)
{
    const struct el_namespace *n = &el_snapshot_namespaces(c->s)[row];

    return n->capacity_bytes ? el_unsigned(n->used_bytes) : el_absent;
}

EL_READER(pci_power)
{
    const char *state = el_snapshot_links(c->s)[row].power_state;

    return state[0] ? el_unsigned(strcmp(state, el_sub_pci_power.value(sub)) == 0) : el_absent;
}

/* Sub index 0 of each severity is the kernel's total, then its errors by name. */
EL_READER(aer)
{
    const struct el_link *l = &el_snapshot_links(c->s)[row];
    uint32_t severity = sub / (1 + EL_AER_ERRORS), error = sub % (1 + EL_AER_ERRORS);

    if (!l->aer[severity].valid || (error && (error > l->aer_errors || l->aer_error[error - 1].severity != severity)))
        return el_absent;
    return el_unsigned(error ? l->aer_error[error - 1].count : l->aer[severity].total);
}

EL_READER(aer_total)
{
    const struct el_link *l = &el_snapshot_links(c->s)[row];
    uint64_t n = 0;
    bool valid = false;

    for (uint32_t severity = 0; severity < EL_AER_COUNT; severity++)
        if ((severity != EL_AER_CORRECTABLE) == sub && l->aer[severity].valid) {
            n += l->aer[severity].total;
            valid = true;
        }
    return valid ? el_unsigned(n) : el_absent;
}

EL_READER(alarms)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < c->s->alarms.count; i++)
        n += el_snapshot_alarms(c->s)[i].severity == sub;
    return el_unsigned(n);
}

EL_READER(error_status)
{
    const struct el_nvme_error_log *log = &slot_of(c, row)->logs.error;

    return log->count ? el_unsigned(log->last_status) : el_absent;
}

EL_READER(firmware_slot)
{
    return slot_of(c, row)->logs.firmware.revision[sub][0] ? el_unsigned(1) : el_absent;
}

EL_READER(self_test_running)
{
    return el_unsigned(slot_of(c, row)->logs.self_test.current != 0);
}

EL_READER(self_test_progress)
{
    const struct el_nvme_self_test *t = &slot_of(c, row)->logs.self_test;

    return t->current ? el_fixed(t->completion_percent, 2) : el_absent;
}

EL_READER(self_test_result)
{
    const struct el_nvme_self_test *t = &slot_of(c, row)->logs.self_test;

    return t->last_valid ? el_unsigned(t->last_result) : el_absent;
}

EL_READER(sanitize)
{
    return el_unsigned(slot_of(c, row)->logs.sanitize.status == sub);
}

EL_READER(sanitize_progress)
{
    const struct el_nvme_sanitize *s = &slot_of(c, row)->logs.sanitize;

    return s->status == 2 ? el_rounded(s->progress / 65536.0, 4) : el_absent;
}

EL_READER(capacitor)
{
    uint16_t percent = slot_of(c, row)->logs.ocp.capacitor_health_percent;

    return percent == EL_NVME_NO_CAPACITOR ? el_absent : el_fixed(percent, 2);
}

/* OCP Datacenter NVMe SSD, log C0h byte 97: more than 3 is reserved. */
EL_READER(throttle)
{
    uint8_t level = slot_of(c, row)->logs.ocp.throttle_status;

    return level <= 3 ? el_unsigned(level) : el_absent;
}

EL_READER(series)
{
    return el_unsigned(c->series + 1);
}
