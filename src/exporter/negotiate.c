#include "exporter/negotiate.h"

#include <string.h>
#include <strings.h>

#include "base/base.h"

/* A piece of the header between two pointers, white space trimmed. */
struct piece {
    const char *at, *end;
};

static struct piece next_piece(const char **p, char separator)
{
    struct piece s = {.at = *p, .end = strchrnul(*p, separator)};

    *p = *s.end ? s.end + 1 : s.end;
    while (s.at < s.end && (*s.at == ' ' || *s.at == '\t'))
        s.at++;
    while (s.end > s.at && (s.end[-1] == ' ' || s.end[-1] == '\t'))
        s.end--;
    return s;
}

static bool is(struct piece s, const char *word)
{
    return (size_t)(s.end - s.at) == strlen(word) && strncasecmp(s.at, word, strlen(word)) == 0;
}

/* qvalue in thousandths; anything malformed counts as 0: not wanted. */
static int quality(struct piece s)
{
    int q = 0, scale = 1000;

    if (s.at == s.end || (*s.at != '0' && *s.at != '1'))
        return 0;
    q = (*s.at++ - '0') * 1000;
    if (s.at < s.end && *s.at++ != '.')
        return 0;
    for (; s.at < s.end; s.at++) {
        if (*s.at < '0' || *s.at > '9' || scale == 1)
            return 0;
        scale /= 10;
        q += (*s.at - '0') * scale;
    }
    return q > 1000 ? 0 : q;
}

struct range {
    struct piece name, version; /* version.at NULL: not given */
    int q;
};

/* One element of the list. Parameters other than q and version do not matter to us. */
static struct range parse_range(struct piece element)
{
    char text[256];
    struct range r = {.q = 1000};
    size_t n = (size_t)(element.end - element.at), cut = 0;
    const char *p = element.at;

    while (cut < n && p[cut] != ';')
        cut++;
    r.name = (struct piece){p, p + cut};
    while (r.name.end > r.name.at && (r.name.end[-1] == ' ' || r.name.end[-1] == '\t'))
        r.name.end--;
    while (cut < n) {
        size_t from = ++cut;
        struct piece value;
        const char *q;

        while (cut < n && p[cut] != ';')
            cut++;
        if (cut - from >= sizeof text)
            continue;
        memcpy(text, p + from, cut - from);
        text[cut - from] = '\0';
        q = text;
        value = next_piece(&q, '=');
        if (is(value, "q")) {
            value = next_piece(&q, '\0');
            r.q = quality(value);
        } else if (is(value, "version")) {
            value = next_piece(&q, '\0');
            r.version = (struct piece){p + from + (value.at - text), p + from + (value.end - text)};
            if (value.at < value.end && *value.at == '"' && value.end[-1] == '"' && value.end - value.at >= 2)
                r.version = (struct piece){r.version.at + 1, r.version.end - 1};
        }
    }
    return r;
}

static bool version_is(const struct range *r, const char *version, bool when_absent)
{
    return r->version.at ? is(r->version, version) : when_absent;
}

static bool accepts(const struct range *r, enum el_media m)
{
    switch (m) {
    case EL_MEDIA_OPENMETRICS_100:
        return is(r->name, "application/openmetrics-text") && version_is(r, "1.0.0", true);
    case EL_MEDIA_OPENMETRICS_001:
        return is(r->name, "application/openmetrics-text") && version_is(r, "0.0.1", false);
    case EL_MEDIA_TEXT_004:
        return (is(r->name, "text/plain") && version_is(r, "0.0.4", true)) || is(r->name, "text/*") ||
               is(r->name, "*/*");
    case EL_MEDIA_COUNT:
        break;
    }
    return false;
}

enum el_media el_negotiate_media(const char *accept)
{
    int best_q = 0;
    enum el_media best = EL_MEDIA_TEXT_004;

    while (accept && *accept) {
        struct range r = parse_range(next_piece(&accept, ','));

        for (int m = 0; m < EL_MEDIA_COUNT; m++)
            if (r.q > 0 && accepts(&r, (enum el_media)m) && (r.q > best_q || (r.q == best_q && m > (int)best))) {
                best = (enum el_media)m;
                best_q = r.q;
            }
    }
    return best;
}

bool el_negotiate_gzip(const char *accept_encoding)
{
    int gzip = -1, any = -1;

    while (accept_encoding && *accept_encoding) {
        struct range r = parse_range(next_piece(&accept_encoding, ','));

        if (is(r.name, "gzip") || is(r.name, "x-gzip"))
            gzip = r.q;
        else if (is(r.name, "*"))
            any = r.q;
    }
    return gzip >= 0 ? gzip > 0 : any > 0;
}

bool el_negotiate_etag(const char *if_none_match, const char *etag)
{
    return if_none_match && etag[0] && (strcmp(if_none_match, "*") == 0 || strstr(if_none_match, etag));
}
