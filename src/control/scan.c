#include "control/scan.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/text.h"
#include "control/board.h"
#include "control/card_numbers.h"
#include "control/card_setup.h"
#include "control/drive_set.h"
#include "control/profiles.h"

#define WAIT_US (4 * EL_USEC_PER_SEC)

/* The numbers the daemon knows the cards of this machine by. */
static int number_cards(const struct el_device *dev, const struct el_settings *settings, struct el_inventory *inv)
{
    struct el_card_numbers *n = dev->ops->by_order && dev->ops->may_block ? el_card_numbers_new() : NULL;
    int r = 0;

    if (n) {
        (void)el_card_numbers_read(n, settings->state_dir); /* unreadable for this user: the order of the day */
        r = el_card_numbers_apply(n, inv);
    }
    el_card_numbers_free(n);
    return EL_MIN(r, 0);
}

static void ask_hands(const struct el_device *dev, struct el_scan *s)
{
    for (uint32_t i = 0; i < s->world.s->slots.count; i++) {
        struct el_slot *slot = &el_snapshot_slots(s->world.s)[i];

        for (int a = 0; a < EL_ACTUATOR_FAN; a++) {
            struct el_scan_hand *h = &s->hand[i][a];

            if (!el_slot_pollable(slot))
                el_text_copy(h->why, sizeof h->why, "no drive");
            else if (el_world_shares_serial(&s->world, i))
                el_text_copy(h->why, sizeof h->why, "another slot shows a drive of this serial");
            else if (!dev->ops->actuator_usable)
                el_text_copy(h->why, sizeof h->why, "a recorded machine cannot be changed");
            else
                h->usable =
                    dev->ops->actuator_usable(dev->dev, (enum el_actuator)a, slot->key, h->why, sizeof h->why) == 0;
            slot->action.usable |= (uint32_t)h->usable << a;
        }
    }
}

static void set_limits(const struct el_settings *settings, struct el_profiles *profiles, struct el_world *w)
{
    for (uint32_t c = 0; c < w->s->cards.count; c++) {
        struct el_card *card = &el_snapshot_cards(w->s)[c];
        struct el_slot *slots = &el_snapshot_slots(w->s)[card->first_slot];
        struct el_card_facts f = {.card = card, .slots = slots};
        struct el_card_settings cs;

        el_card_settings_of(settings, card, slots, &cs);
        if (cs.profile[0])
            el_text_copy(card->profile, sizeof card->profile, cs.profile);
        f.profile = el_profiles_card(profiles, card->profile);
        if (f.profile)
            el_card_links(f.profile, &el_snapshot_links(w->s)[card->first_link], card->links);
        el_card_limits(settings, &f, card);
        for (uint32_t i = 0; i < card->slots; i++)
            slots[i].decision.limit_c = el_card_slot_limit(
                &cs, &slots[i], el_profiles_drive(profiles, slots[i].profile, slots[i].identify.model));
    }
}

static void read_all(struct el_drive_set *drives, struct el_board *board, struct el_world *w,
                     const struct el_settings *settings, int fd)
{
    int64_t start = el_clock_boottime_us();
    struct pollfd p = {.fd = fd, .events = POLLIN};
    eventfd_t done;

    el_board_start(board, start);
    el_drive_set_start(drives, w, settings, start);
    while ((el_board_busy(board) || el_drive_set_waiting(drives, start)) && el_clock_boottime_us() - start < WAIT_US) {
        (void)poll(&p, 1, 100);
        (void)eventfd_read(fd, &done);
    }
    w->s->time_us = el_clock_boottime_us();
    w->s->realtime_us = el_clock_realtime_us();
    el_board_collect(board, w, w->s->time_us, WAIT_US);
    el_drive_set_collect(drives, w, settings, w->s->time_us);
}

int el_scan_read(const struct el_device *dev, const struct el_settings *settings, struct el_scan *out, bool *hung)
{
    EL_AUTO_CLOSE int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct el_profiles *profiles = el_profiles_new(settings->profiles_dir);
    struct el_board *board = el_board_new(dev, fd);
    struct el_inventory inv = {0};
    struct el_remap remap = {0};
    struct el_drive_set drives;
    int r;

    memset(out, 0, sizeof *out);
    *hung = false;
    el_drive_set_init(&drives, dev, fd);
    r = fd < 0 ? -errno : !profiles || !board ? -ENOMEM : el_world_init(&out->world);
    if (r == 0)
        r = dev->ops->discover(dev->dev, &inv);
    if (r == 0)
        r = number_cards(dev, settings, &inv);
    if (r == 0)
        r = el_world_merge(&out->world, &inv, &remap);
    el_inventory_free(&inv);
    if (r == 0)
        r = el_drive_set_remap(&drives, &out->world, &remap);
    if (r == 0)
        r = el_board_remap(board, &out->world);
    if (r == 0) {
        out->hand = calloc(out->world.s->slots.count + 1, sizeof *out->hand);
        r = out->hand ? 0 : -ENOMEM;
    }
    if (r == 0) {
        read_all(&drives, board, &out->world, settings, fd);
        set_limits(settings, profiles, &out->world);
        ask_hands(dev, out);
        *hung = el_board_busy(board);
    }
    el_remap_free(&remap);
    el_drive_set_free(&drives);
    *hung |= drives.hung;
    el_board_free(board);
    el_profiles_free(profiles);
    if (r < 0)
        el_scan_free(out);
    return r;
}

void el_scan_free(struct el_scan *s)
{
    el_world_free(&s->world);
    free(s->hand);
    s->hand = NULL;
}
