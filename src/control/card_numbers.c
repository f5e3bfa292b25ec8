#include "control/card_numbers.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "base/text.h"
#include "model/profile.h"
#include "model/settings.h"

#define HEADER    "elementd-cards 1\n"
#define CARDS_MAX 1024 /* remembered; beyond it one that is not there is forgotten */

struct card {
    uint32_t number;
    bool here;        /* in the last inventory */
    char address[64]; /* see place_of */
    char serial[EL_CARD_SLOTS_MAX][61];
    int32_t slot[EL_CARD_SLOTS_MAX]; /* number of the slot that each was last in; -1 = another is in it since */
    uint32_t serials;
};

struct el_card_numbers {
    struct card *card;
    uint32_t n;
};

struct el_card_numbers *el_card_numbers_new(void)
{
    return calloc(1, sizeof(struct el_card_numbers));
}

struct el_card_numbers *el_card_numbers_free(struct el_card_numbers *n)
{
    if (n)
        free(n->card);
    free(n);
    return NULL;
}

static bool has_serial(const struct card *c, const char *serial)
{
    for (uint32_t i = 0; i < c->serials; i++)
        if (strcmp(c->serial[i], serial) == 0)
            return true;
    return false;
}

/* The slot that a drive was last in, -1 = none. */
static int32_t slot_of(const struct card *c, const char *serial)
{
    for (uint32_t i = 0; i < c->serials; i++)
        if (strcmp(c->serial[i], serial) == 0)
            return c->slot[i];
    return -1;
}

/* The serial of the drive that was last in a slot, "" = not known. */
static const char *serial_in(const struct card *c, int64_t slot)
{
    for (uint32_t i = 0; i < c->serials; i++)
        if (c->slot[i] == slot)
            return c->serial[i];
    return "";
}

static void add_serial(struct card *c, const char *serial, int64_t slot)
{
    if (!serial[0] || c->serials >= EL_CARD_SLOTS_MAX || has_serial(c, serial))
        return;
    c->slot[c->serials] = slot < 0 || slot > INT32_MAX || serial_in(c, slot)[0] ? -1 : (int32_t)slot;
    el_text_copy(c->serial[c->serials++], sizeof c->serial[0], serial);
}

/* ---- the text: a line a card, "number<tab>address<tab>slot=serial<tab>serial..." ---- */

void el_card_numbers_save(const struct el_card_numbers *n, struct el_buf *out)
{
    el_buf_puts(out, HEADER);
    for (uint32_t i = 0; i < n->n; i++) {
        const struct card *c = &n->card[i];

        el_buf_printf(out, "%" PRIu32 "\t%s", c->number, c->address);
        for (uint32_t k = 0; k < c->serials; k++)
            if (c->slot[k] < 0)
                el_buf_printf(out, "\t%s", c->serial[k]);
            else
                el_buf_printf(out, "\t%" PRId32 "=%s", c->slot[k], c->serial[k]);
        el_buf_putc(out, '\n');
    }
}

/* The next piece of a line; false when it was the last. */
static bool piece(const char **at, char *out, size_t size)
{
    size_t len = strcspn(*at, "\t\n");
    char text[128];

    snprintf(text, sizeof text, "%.*s", (int)EL_MIN(len, sizeof text - 1), *at);
    el_text_clean(out, size, text);
    *at += len;
    if (**at != '\t')
        return false;
    ++*at;
    return true;
}

static bool known_number(const struct el_card_numbers *n, uint32_t number)
{
    for (uint32_t i = 0; i < n->n; i++)
        if (n->card[i].number == number)
            return true;
    return false;
}

static void parse_serial(char *word, struct card *out)
{
    char *serial = strchr(word, '=');
    uint64_t slot;

    if (serial)
        *serial = '\0';
    if (serial && el_num_parse_u64(word, &slot) == 0 && slot <= INT32_MAX) {
        add_serial(out, serial + 1, (int64_t)slot);
        return;
    }
    if (serial)
        *serial = '=';
    add_serial(out, word, -1);
}

static int parse_card(const char **at, struct card *out)
{
    char word[64];
    uint64_t number;
    bool more = piece(at, word, sizeof word);

    *out = (struct card){0};
    if (el_num_parse_u64(word, &number) < 0 || number >= UINT32_MAX || !more)
        return -EBADMSG;
    out->number = (uint32_t)number;
    more = piece(at, out->address, sizeof out->address);
    while (more) {
        more = piece(at, word, sizeof word);
        parse_serial(word, out);
    }
    return **at == '\n' ? 0 : -EBADMSG;
}

int el_card_numbers_load(struct el_card_numbers *n, const char *text)
{
    struct el_card_numbers fresh = {0};
    int r = strncmp(text, HEADER, strlen(HEADER)) == 0 ? 0 : -EBADMSG;

    fresh.card = r == 0 ? calloc(CARDS_MAX, sizeof *fresh.card) : NULL;
    if (r == 0 && !fresh.card)
        return -ENOMEM;
    for (const char *at = text + strlen(HEADER); r == 0 && *at; at++) {
        struct card c;

        r = fresh.n < CARDS_MAX ? parse_card(&at, &c) : -EBADMSG;
        if (r == 0 && known_number(&fresh, c.number))
            r = -EBADMSG;
        if (r == 0)
            fresh.card[fresh.n++] = c;
    }
    if (r < 0) {
        free(fresh.card);
        return r;
    }
    free(n->card);
    *n = fresh;
    return 0;
}

int el_card_numbers_read(struct el_card_numbers *n, const char *state_dir)
{
    EL_AUTO_BUF struct el_buf b = {0};
    char path[EL_PATH_MAX + 16];

    snprintf(path, sizeof path, "%s/" EL_CARD_NUMBERS_FILE, state_dir);
    return el_file_read(AT_FDCWD, path, EL_CARD_NUMBERS_FILE_MAX, &b) == 0 && b.data ? el_card_numbers_load(n, b.data)
                                                                                     : 0;
}

/* ---- matching ---- */

/* Where a card is: its PCI address; of a fabric its target; with neither the controller's name of the day, which is
 * better than a new number at each look. */
static const char *place_of(const struct el_inventory *inv, const struct el_card *card)
{
    const struct el_slot *first = &inv->slots[card->first_slot];

    if (card->address[0] || !card->slots)
        return card->address;
    return first->address[0] ? first->address : first->controller;
}

/* How much speaks for `c` being this card of the inventory: serials first, the address among equals; 0 = nothing. */
static uint32_t likeness(const struct card *c, const struct el_inventory *inv, const struct el_card *card)
{
    uint32_t same = 0;

    for (uint32_t i = 0; i < card->slots; i++) {
        const char *serial = inv->slots[card->first_slot + i].identify.serial;

        same += serial[0] && has_serial(c, serial);
    }
    return 2 * same + (c->address[0] && strcmp(c->address, place_of(inv, card)) == 0);
}

/* Pairs of record and card, the likeliest first; `of` tells the record of each card, -1 = none. */
static void match(struct el_card_numbers *n, const struct el_inventory *inv, int64_t *of)
{
    for (uint32_t i = 0; i < n->n; i++)
        n->card[i].here = false;
    for (;;) {
        uint32_t most = 0, record = 0, card = 0;

        for (uint32_t i = 0; i < n->n; i++)
            for (uint32_t k = 0; !n->card[i].here && k < inv->n.cards; k++) {
                uint32_t like = of[k] < 0 ? likeness(&n->card[i], inv, &inv->cards[k]) : 0;

                if (like > most) {
                    most = like;
                    record = i;
                    card = k;
                }
            }
        if (!most)
            return;
        of[card] = record;
        n->card[record].here = true;
    }
}

/* A record for a card never seen; the place of one that is not here when all are taken. */
static struct card *new_card(struct el_card_numbers *n)
{
    struct card *c = NULL;
    uint32_t number = 0;

    while (known_number(n, number))
        number++;
    for (uint32_t i = 0; n->n == CARDS_MAX && !c && i < n->n; i++)
        if (!n->card[i].here)
            c = &n->card[i];
    if (n->n < CARDS_MAX)
        c = &n->card[n->n++];
    if (c)
        *c = (struct card){.number = number, .here = true};
    return c;
}

static bool elsewhere(const struct el_inventory *inv, const char *serial)
{
    for (uint32_t i = 0; i < inv->n.slots; i++)
        if (strcmp(inv->slots[i].identify.serial, serial) == 0)
            return true;
    return false;
}

/* A drive that was not on the card stands where one stood that is gone: it was swapped while nobody looked. Drives that
 * only changed places were not: the machine may have dealt out other numbers. */
static void note_swap(const struct card *c, const struct el_inventory *inv, struct el_slot *slot)
{
    const char *before = serial_in(c, slot->number), *now = slot->identify.serial;

    if (!before[0] || !now[0] || strcmp(before, now) == 0 || slot_of(c, now) >= 0 || elsewhere(inv, before))
        return;
    el_text_copy(slot->last_serial, sizeof slot->last_serial, before);
    slot->replaced = 1; /* counts for a slot that is new to the snapshot: there the daemon's own look tells */
}

/* The record as the card is now: its drives, then those it had that are nowhere else. True when anything is new. */
static bool renew(struct card *c, struct el_inventory *inv, const struct el_card *card)
{
    struct card fresh = {.number = c->number, .here = true};
    bool changed;

    el_text_clean(fresh.address, sizeof fresh.address, place_of(inv, card));
    for (uint32_t i = 0; i < card->slots; i++) {
        struct el_slot *slot = &inv->slots[card->first_slot + i];

        note_swap(c, inv, slot);
        add_serial(&fresh, slot->identify.serial, slot->number);
    }
    changed = strcmp(fresh.address, c->address) != 0;
    for (uint32_t i = 0; i < fresh.serials; i++)
        changed |= !has_serial(c, fresh.serial[i]) || slot_of(c, fresh.serial[i]) != fresh.slot[i];
    for (uint32_t i = 0; i < c->serials; i++)
        if (!elsewhere(inv, c->serial[i]))
            add_serial(&fresh, c->serial[i], c->slot[i]);
    *c = fresh;
    return changed;
}

int el_card_numbers_apply(struct el_card_numbers *n, struct el_inventory *inv)
{
    EL_AUTO_FREE int64_t *of = malloc(sizeof *of * (inv->n.cards + 1));
    bool changed = false;

    if (!n->card)
        n->card = calloc(CARDS_MAX, sizeof *n->card);
    if (!of || !n->card || inv->n.cards > CARDS_MAX)
        return -ENOMEM;
    memset(of, -1, sizeof *of * inv->n.cards);
    match(n, inv, of);
    for (uint32_t k = 0; k < inv->n.cards; k++) {
        struct card *c = of[k] >= 0 ? &n->card[of[k]] : new_card(n);

        changed |= of[k] < 0;
        changed |= renew(c, inv, &inv->cards[k]);
        inv->cards[k].number = c->number;
        snprintf(inv->cards[k].name, sizeof inv->cards[k].name, "card%" PRIu32, c->number);
    }
    return changed;
}
