#include "exporter/content.h"

#include "base/rows.h"

struct el_body *el_body_new(unsigned status, const char *type, struct el_buf *bytes)
{
    struct el_body *b = bytes->failed ? NULL : calloc(1, sizeof *b);

    if (!b) {
        el_buf_free(bytes);
        return NULL;
    }
    *b = (struct el_body){.refs = 1, .status = status, .type = type, .cache = "no-store", .bytes = *bytes};
    *bytes = (struct el_buf){0};
    return b;
}

struct el_body *el_body_keep(struct el_body *b)
{
    b->cache = "no-cache";
    snprintf(b->etag, sizeof b->etag, "\"%016jx\"", (uintmax_t)el_hash(EL_HASH_START, b->bytes.data, b->bytes.len));
    return b;
}

struct el_body *el_body_unpacked(struct el_body *packed)
{
    struct el_buf none = {0};
    struct el_body *b = el_body_new(packed->status, packed->type, &none);

    if (b) {
        b->packed = el_body_ref(packed);
        b->plain_size = packed->plain_size;
    }
    return b;
}

struct el_body *el_body_text(unsigned status, const char *text)
{
    struct el_buf bytes = {0};

    el_buf_puts(&bytes, text);
    el_buf_putc(&bytes, '\n');
    return el_body_new(status, "text/plain; charset=utf-8", &bytes);
}

struct el_body *el_body_refusal(enum el_refusal why)
{
    static const struct {
        unsigned status;
        const char *text, *header, *value;
    } refusal[EL_REFUSALS] = {
        [EL_REFUSE_PATH] = {404, "404: no such page; see / for what there is"},
        [EL_REFUSE_HOSTS] = {400, "400: more than one Host"},
        [EL_REFUSE_METHOD] = {405, "405: only GET and HEAD", "Allow", "GET, HEAD"},
        [EL_REFUSE_PASSWORD] = {401, "401: name and password, please", "WWW-Authenticate", "Basic realm=\"elementd\""},
        [EL_REFUSE_RATE] = {429, "429: more requests than rate_limit allows", "Retry-After", "1"},
        [EL_REFUSE_BUSY] = {503, "503: busy, try again", "Retry-After", "1"},
    };
    struct el_body *b = el_body_text(refusal[why].status, refusal[why].text);

    if (b) {
        b->header = refusal[why].header;
        b->value = refusal[why].value;
    }
    return b;
}

struct el_body *el_body_ref(struct el_body *b)
{
    b->refs++;
    return b;
}

struct el_body *el_body_unref(struct el_body *b)
{
    if (b && --b->refs == 0) {
        el_buf_free(&b->bytes);
        el_body_unref(b->packed);
        free(b);
    }
    return NULL;
}

void el_body_drop(void *b)
{
    el_body_unref(b);
}

struct el_body *el_body_retire(struct el_body *b)
{
    void *answer = b ? b->answer : NULL;

    if (answer) {
        b->answer = NULL;
        b->answer_free(answer);
    }
    return el_body_unref(b);
}
