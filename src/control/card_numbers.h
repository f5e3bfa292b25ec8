/* The numbers of cards, remembered by the serials of their drives: `card1` stays `card1` over a restart, a reboot that
 * assigns other addresses, and a move to another PCI slot. Where there is no serial, the address decides. The same
 * memory also reveals a drive that was swapped while the daemon was not running. The saver writes it. */
#pragma once

#include "base/buf.h"
#include "model/device.h"

#define EL_CARD_NUMBERS_FILE     "cards"
#define EL_CARD_NUMBERS_FILE_MAX (1u << 20)

struct el_card_numbers;

struct el_card_numbers *el_card_numbers_new(void);                       /* knows no card; NULL: out of memory */
struct el_card_numbers *el_card_numbers_free(struct el_card_numbers *n); /* takes NULL, returns NULL */

/* Takes what `save` wrote. 0, -EBADMSG (nothing taken), -ENOMEM. */
int el_card_numbers_load(struct el_card_numbers *n, const char *text);
/* The file in a state directory. 0 (also when there is none), or as `load`. */
int el_card_numbers_read(struct el_card_numbers *n, const char *state_dir);
void el_card_numbers_save(const struct el_card_numbers *n, struct el_buf *out);

/* Numbers and names the cards of an inventory, whose own numbers are only today's order. No two cards ever get the same
 * number. Where a slot's drive is not the last one known there, sets `last_serial` and `replaced`. 1: learnt something
 * worth saving, 0: everything was known, -ENOMEM (nothing changed). */
int el_card_numbers_apply(struct el_card_numbers *n, struct el_inventory *inv);
