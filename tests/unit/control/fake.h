/* A machine for tests of control/: one card, a few drives that answer with made-up pages, every call counted, and knobs
 * for what can go wrong. */
#pragma once

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "model/device.h"
#include "model/nvme_layout.h"

#define FAKE_SLOTS 4

struct fake_drive {
    bool present;
    char serial[21];
    uint16_t temp_k, wctemp_k;
    uint8_t lpa;
    uint16_t oacs;
    bool tcg; /* answers security commands, its locks closed */
    unsigned security;
    _Atomic int smart_status; /* what Get Log 02h returns; 0 = a page */
    _Atomic bool hang;        /* commands wait until it is false */
    bool mute;                /* commands time out */
    bool given_up;            /* by the kernel: its controller is dead */
    _Atomic unsigned admin, identify, smart, features, logs, refused;
    uint64_t error_entries;
    _Atomic double cap; /* in force */
    bool ignore_cap;
    _Atomic bool cap_hang, save_hang, read_hang;
    _Atomic bool no_budget; /* the I/O budget cannot be used */
    _Atomic int cap_error;
    _Atomic unsigned saves, cap_writes, cap_reads, restores;
};

struct fake {
    struct fake_drive drive[FAKE_SLOTS];
    _Atomic bool changed;
    bool serials;                  /* the kernel tells them */
    bool names, named[FAKE_SLOTS]; /* names: says of which drives something may have changed */
    uint32_t key_base;
    int discover_error;
    _Atomic unsigned closed;
};

/* The machine's clock is BOOTTIME plus what tests skipped: nobody waits for time just to pass. */
static _Atomic int64_t fake_skipped_us;

static inline int64_t fake_now_us(void *dev)
{
    (void)dev;
    return el_clock_boottime_us() + fake_skipped_us;
}

static inline struct fake_drive *fake_drive(void *dev, uint32_t key)
{
    return &((struct fake *)dev)->drive[key % 100];
}

static inline void fake_wait(_Atomic bool *gate)
{
    while (*gate)
        el_clock_sleep_until_us(el_clock_boottime_us() + 2000, NULL);
}

static inline int fake_discover(void *dev, struct el_inventory *inv)
{
    struct fake *f = dev;

    memset(inv, 0, sizeof *inv);
    if (f->discover_error)
        return f->discover_error;
    inv->n = (struct el_snapshot_counts){.cards = 1, .slots = FAKE_SLOTS, .namespaces = 1, .links = 2, .sensors = 1};
    inv->cards = calloc(1, sizeof *inv->cards);
    inv->slots = calloc(FAKE_SLOTS, sizeof *inv->slots);
    inv->namespaces = calloc(1, sizeof *inv->namespaces);
    inv->links = calloc(2, sizeof *inv->links);
    inv->sensors = calloc(1, sizeof *inv->sensors);
    strcpy(inv->cards->name, "fake-0");
    strcpy(inv->cards->address, "0000:01:00.0");
    inv->cards->slots = FAKE_SLOTS;
    inv->cards->links = 2;
    for (uint32_t i = 0; i < FAKE_SLOTS; i++) {
        inv->slots[i].number = i;
        inv->slots[i].key = f->key_base + i;
        inv->slots[i].state = f->drive[i].present ? EL_SLOT_UP : EL_SLOT_EMPTY;
        inv->slots[i].numa_node = -1;
        if (f->drive[i].given_up) {
            inv->slots[i].state = EL_SLOT_FAILED;
            strcpy(inv->slots[i].ctrl_state, "dead");
        }
        if (f->drive[i].present)
            snprintf(inv->slots[i].controller, sizeof inv->slots[i].controller, "nvme%u", i);
        if (f->drive[i].mute || (f->serials && f->drive[i].present)) /* the kernel tells who it is */
            strcpy(inv->slots[i].identify.serial, f->drive[i].serial);
    }
    if (f->names && (inv->named = calloc(FAKE_SLOTS, sizeof *inv->named)))
        memcpy(inv->named, f->named, sizeof f->named);
    inv->namespaces->nsid = 1;
    inv->links[0].slot = -1;
    inv->links[1].slot = 0;
    strcpy(inv->sensors->name, "fake/inlet");
    inv->sensors->role = EL_ROLE_INLET;
    inv->sensors->card = 0;
    return 0;
}

static inline bool fake_changed(void *dev)
{
    return atomic_exchange(&((struct fake *)dev)->changed, false);
}

static inline void fake_smart(struct fake_drive *d, uint8_t *page)
{
    page[1] = (uint8_t)d->temp_k;
    page[2] = (uint8_t)(d->temp_k >> 8);
    page[3] = 100;
    page[4] = 10;
    memcpy(page + 176, &d->error_entries, 8);
}

static inline int fake_admin(void *dev, uint32_t key, struct el_admin *c)
{
    struct fake_drive *d = fake_drive(dev, key);
    uint8_t *page = c->data;

    d->admin++;
    fake_wait(&d->hang);
    if (!d->present)
        return -ENODEV;
    if (d->mute)
        return -ETIMEDOUT;
    if (c->kind == EL_ADMIN_IDENTIFY && c->id == 1) {
        d->identify++;
        memset(page, 0, c->size);
        memset(page + 4, ' ', 68);
        memcpy(page + 4, d->serial, strlen(d->serial));
        memcpy(page + 24, "FAKE", 4);
        memcpy(page + 256, &d->oacs, 2);
        page[261] = d->lpa;
        memcpy(page + 266, &d->wctemp_k, 2);
        return 0;
    }
    if (c->kind == EL_ADMIN_IDENTIFY)
        return 0x0b; /* no such namespace */
    if (c->kind == EL_ADMIN_GET_FEATURE) {
        d->features++;
        return 0;
    }
    if (c->kind == EL_ADMIN_GET_LOG && c->id == EL_NVME_LID_SMART) {
        d->smart++;
        if (d->smart_status)
            return d->smart_status;
        fake_smart(d, page);
        return 0;
    }
    if (c->kind == EL_ADMIN_SECURITY_RECEIVE) {
        d->security++;
        if (!d->tcg)
            return 0x001;
        if (c->id == EL_SECP_INFORMATION)
            page[EL_SECP_LENGTH + 1] = 1, page[EL_SECP_LIST] = EL_SECP_TCG;
        else
            page[3] = EL_TCG_HEADER_SIZE + 12, memcpy(page + EL_TCG_HEADER_SIZE, "\0\2\20\14\7", 5);
        return 0;
    }
    d->logs++;
    if (c->id == EL_NVME_LID_ERROR || c->id == EL_NVME_LID_FIRMWARE)
        return 0;
    d->refused++;
    d->error_entries++;
    return 0x109;
}

static inline int fake_sensors(void *dev, struct el_sensor *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        s[i].value = el_reading_good(30000, el_clock_boottime_us());
    return 0;
}

static inline int fake_links(void *dev, struct el_link *l, uint32_t n)
{
    return 0;
}

static inline int fake_io(void *dev, uint32_t key, struct el_slot_io *io)
{
    *io = (struct el_slot_io){.valid = true, .time_us = el_clock_boottime_us()};
    return 0;
}

static inline int fake_usable(void *dev, enum el_actuator a, uint32_t key, char *why, size_t size)
{
    snprintf(why, size, "fake");
    return a == EL_ACTUATOR_IO_BUDGET && !fake_drive(dev, key)->no_budget ? 0 : -ENOTSUP;
}

static inline int fake_save(void *dev, enum el_actuator a, uint32_t key, char *text, size_t size)
{
    fake_drive(dev, key)->saves++;
    fake_wait(&fake_drive(dev, key)->save_hang);
    snprintf(text, size, "original %d", (int)(fake_drive(dev, key)->cap * 100));
    return 0;
}

static inline int fake_write(void *dev, enum el_actuator a, uint32_t key, const struct el_actuator_value *v)
{
    struct fake_drive *d = fake_drive(dev, key);

    d->cap_writes++;
    fake_wait(&d->cap_hang);
    if (d->cap_error)
        return d->cap_error;
    if (!d->ignore_cap)
        d->cap = v->cap.ratio;
    return 0;
}

static inline int fake_read(void *dev, enum el_actuator a, uint32_t key, struct el_actuator_value *out)
{
    fake_wait(&fake_drive(dev, key)->read_hang);
    *out = (struct el_actuator_value){.cap.ratio = fake_drive(dev, key)->cap};
    fake_drive(dev, key)->cap_reads++;
    return 0;
}

static inline int fake_restore(void *dev, enum el_actuator a, uint32_t key, const char *text)
{
    struct fake_drive *d = fake_drive(dev, key);
    int percent;

    if (!d->present)
        return -ENODEV;
    if (sscanf(text, "original %d", &percent) != 1)
        return -EINVAL;
    d->restores++;
    d->cap = percent / 100.0;
    return 0;
}

static inline void *fake_close(void *dev)
{
    ((struct fake *)dev)->closed++;
    return NULL;
}

#define FAKE_OPS(may_block_)                                                                                           \
    {                                                                                                                  \
        .name = "fake", .may_block = may_block_, .discover = fake_discover, .changed = fake_changed,                   \
        .admin = fake_admin, .read_links = fake_links, .read_sensors = fake_sensors, .read_io = fake_io,               \
        .actuator_usable = fake_usable, .actuator_save = fake_save, .actuator_write = fake_write,                      \
        .actuator_read = fake_read, .actuator_restore = fake_restore, .now_us = fake_now_us, .close = fake_close       \
    }
static const struct el_device_ops fake_ops_inline = FAKE_OPS(false), fake_ops_blocking = FAKE_OPS(true);

static inline void fake_init(struct fake *f)
{
    memset(f, 0, sizeof *f);
    for (int i = 0; i < FAKE_SLOTS; i++) {
        struct fake_drive *d = &f->drive[i];

        d->present = i < 3;
        snprintf(d->serial, sizeof d->serial, "SERIAL%d", i);
        d->temp_k = 313;
        d->wctemp_k = 350;
        d->cap = 1;
    }
}
