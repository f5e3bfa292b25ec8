/* The numbers of cards, kept by the serials of the drives on them: over a restart, a reboot that deals out other
 * addresses, and a move to another slot, `card1` stays `card1`. Where no serial tells, the address does. By the
 * same memory a drive that was swapped while nothing ran is known for another. The saver writes it. */
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

/* Numbers and names the cards of an inventory whose numbers are only the order of the day. No two ever get one number.
 * Of a slot whose drive is another than the last one known, `last_serial` and `replaced` are set.
 * 1: something was learnt that is worth saving, 0: all was known, -ENOMEM (nothing changed). */
int el_card_numbers_apply(struct el_card_numbers *n, struct el_inventory *inv);
