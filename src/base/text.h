/* Text from outside, made safe to show. Thread-safe. */
#pragma once

#include "base/buf.h"

/* Copies at most `n` bytes of a fixed, space- or NUL-padded field to `out`: stops at NUL, trims trailing spaces and
 * control characters, replaces control characters inside by a space and each byte that is no UTF-8 by U+FFFD.
 * `out` needs 3 x n + 1 bytes to hold every case; a smaller `size` cuts at a character border. */
void el_text_from_field(char *out, size_t size, const void *field, size_t n);

/* The same for NUL-terminated text. */
void el_text_clean(char *out, size_t size, const char *text);

/* Signs that a settings file was cut short while it was being written. */
struct el_text_shape {
    bool empty;      /* states nothing */
    bool open_ended; /* its last line has no end */
};
/* NULL, or what is wrong with `next` as the successor of `now`. */
const char *el_text_cut_short(struct el_text_shape now, struct el_text_shape next);

/* Bounded copy, always terminated; true when all of it fitted. */
bool el_text_copy(char *out, size_t size, const char *text);

/* The part of a path behind its last slash, or all of it; points into `path`. */
const char *el_text_last_part(const char *path);

/* Appends `text` escaped as the inside of a JSON string; invalid UTF-8 becomes U+FFFD. */
void el_text_json_escape(struct el_buf *b, const char *text);

/* Appends `text` escaped as the inside of a Prometheus label value: backslash, quote and newline as the format says,
 * other control characters as a space, invalid UTF-8 as U+FFFD. */
void el_text_label_escape(struct el_buf *b, const char *text);

/* Appends `text` escaped for XML and HTML, in text and in quoted attributes. */
void el_text_xml_escape(struct el_buf *b, const char *text);

/* "2026-01-31T12:00:00.123Z" */
void el_text_rfc3339(int64_t realtime_us, char out[32]);

/* The first second of a day such as "2026-01-31", UTC, since the epoch. 0, or -EINVAL: no date. */
int el_text_parse_date(const char *text, int64_t *out_s);

/* "3 s", "5 min", "2 h", "4 d": a duration as a person says it. */
void el_text_duration(int64_t us, char out[32]);
