/* A page of which half is kept from the one before, as it is or compressed, is the page made from nothing. */
#include <zlib.h>

#include "exporter/packer.h"
#include "exporter/view.h"
#include "support/make_snapshot.h"
#include "support/unit.h"

#define PAGES 160

static struct el_snapshot *machine(unsigned i)
{
    /* Mostly other values of the same machine; now and then others drives, cards or labels. */
    struct el_test_snapshot o = {.drives = i % 41 == 40 ? 3 : 9,
                                 .sensors = i % 29 == 28 ? 1 : 2,
                                 .seq = i + 1,
                                 .time_us = 1000000000,
                                 .seed = i / 7,
                                 .odd = i % 31 > 25,
                                 .turned = i % 37 > 33};

    return el_test_snapshot_new(&o);
}

/* One or two values of one drive. */
static void change_little(struct el_snapshot *s, unsigned i)
{
    struct el_slot *slot = el_snapshot_slots(s) + i % 3;

    slot->temp_mc[0].value += (int64_t)(i % 5) * 1000;
    s->daemon.ticks += i;
}

static struct el_buf inflate_all(const struct el_body *b)
{
    struct el_buf text = {0};
    z_stream z = {.next_in = (Bytef *)b->bytes.data, .avail_in = (uInt)b->bytes.len};

    assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
    assert_int_equal(el_buf_reserve(&text, 4 << 20), 0);
    z.next_out = (Bytef *)text.data;
    z.avail_out = (uInt)text.cap - 1;
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END); /* its checksum is right, too */
    assert_int_equal(z.avail_in, 0);
    text.len = z.total_out;
    text.data[text.len] = '\0';
    inflateEnd(&z);
    return text;
}

static uint64_t groups = UINT64_MAX;

static void check_page(struct el_snapshot *s, enum el_view_format format, unsigned i, struct el_view_memo *memo,
                       struct el_packer *packer)
{
    struct el_exporter_stats stats = {.http_requests = i / 3};
    struct el_view_options o = {
        .groups = groups, .now_us = s->time_us + 1000 * (int64_t)(i / 5), .stale = i % 23 == 22, .exporter = &stats};
    EL_AUTO_BUF struct el_buf want = {0}, moving = {0}, both = {0}, got = {0};
    struct el_body *b;

    assert_int_equal(el_view_metrics(s, format, &o, &want), 0);
    o.memo = memo;
    assert_int_equal(el_view_metrics(s, format, &o, &moving), 0);
    el_buf_put(&both, memo->text.data, memo->text.len);
    el_buf_put(&both, moving.data, moving.len);
    assert_int_equal(both.len, want.len);
    assert_memory_equal(both.data, want.data, want.len);
    if (i % 4 == 3) /* not every page is asked for compressed */
        return;
    el_packer_put_first(packer, &memo->text, memo->edition);
    el_packer_put(packer, moving.data, moving.len);
    b = el_packer_end(packer, "text/plain");
    assert_non_null(b);
    got = inflate_all(b);
    assert_string_equal(got.data, want.data);
    el_body_retire(b);
}

static void pages_from_pages(void **state)
{
    for (int format = 0; format < 2; format++) {
        struct el_view_memo memo = {0};
        struct el_packer *packer = el_packer_new();

        for (unsigned i = 0; i < PAGES; i++) {
            struct el_snapshot *s = machine(i);

            change_little(s, i);
            check_page(s, (enum el_view_format)format, i, &memo, packer);
            el_snapshot_free(s);
        }
        el_view_memo_free(&memo);
        el_packer_free(packer);
    }
}

static void nothing_changed_nothing_made(void **state)
{
    struct el_snapshot *s = machine(0);
    struct el_view_options o = {.groups = UINT64_MAX, .now_us = s->time_us};
    struct el_view_memo memo = {0};
    EL_AUTO_BUF struct el_buf moving = {0};
    size_t before;

    o.memo = &memo;
    for (int i = 0; i < 3; i++) {
        change_little(s, 1);
        el_buf_clear(&moving);
        assert_int_equal(el_view_metrics(s, EL_VIEW_PROMETHEUS, &o, &moving), 0);
        assert_int_equal(memo.edition, 1);
    }
    before = moving.len;
    assert_true(before > 0 && before < memo.text.len);
    el_snapshot_slots(s)[0].smart.available_spare--;
    assert_int_equal(el_view_metrics(s, EL_VIEW_PROMETHEUS, &o, &moving), 0);
    assert_int_equal(memo.edition, 2);
    el_view_memo_free(&memo);
    assert_int_not_equal(memo.edition, 2); /* a packer still has that one */
    el_snapshot_free(s);
}

/* Of groups in which nothing moves, or everything. */
static void one_half_alone(void **state)
{
    static const enum el_metric_group alone[] = {EL_GROUP_aer, EL_GROUP_thresholds, EL_GROUP_polling};

    for (size_t i = 0; i < EL_ARRAY_SIZE(alone); i++) {
        struct el_snapshot *s = machine(0);
        struct el_view_memo memo = {0};
        struct el_packer *packer = el_packer_new();

        groups = 1ull << alone[i];
        for (unsigned k = 0; k < 3; k++)
            check_page(s, EL_VIEW_PROMETHEUS, k, &memo, packer);
        el_view_memo_free(&memo);
        el_packer_free(packer);
        el_snapshot_free(s);
    }
    groups = UINT64_MAX;
}

/* The same values under other names. */
static void labels_alone_change(void **state)
{
    struct el_test_snapshot made = {.drives = 9, .sensors = 2, .odd = true, .alarms = 2, .time_us = 1000000000};
    struct el_snapshot *s = el_test_snapshot_new(&made);
    struct el_view_memo memo = {0};
    struct el_packer *packer = el_packer_new();
    struct el_link *link = el_snapshot_links(s);

    for (uint32_t i = 0; i < s->links.count && !link->aer_errors; i++)
        link++;
    assert_true(link->aer_errors);
    check_page(s, EL_VIEW_PROMETHEUS, 0, &memo, packer);
    link->aer_error[0].name[0]++;
    check_page(s, EL_VIEW_PROMETHEUS, 0, &memo, packer);
    el_snapshot_cards(s)[0].name[0]++;
    check_page(s, EL_VIEW_PROMETHEUS, 0, &memo, packer);
    el_snapshot_slots(s)[1].number += 100;
    check_page(s, EL_VIEW_PROMETHEUS, 0, &memo, packer);
    el_view_memo_free(&memo);
    el_packer_free(packer);
    el_snapshot_free(s);
}

/* The kept half is another one by the time that it is asked for compressed again. */
static void changed_while_not_packed(void **state)
{
    struct el_snapshot *s = machine(0);
    struct el_view_memo memo = {0};
    struct el_packer *packer = el_packer_new();

    check_page(s, EL_VIEW_PROMETHEUS, 0, &memo, packer);
    el_snapshot_slots(s)[0].smart.available_spare--;
    check_page(s, EL_VIEW_PROMETHEUS, 3, &memo, packer);
    el_snapshot_slots(s)[0].smart.available_spare--;
    check_page(s, EL_VIEW_PROMETHEUS, 3, &memo, packer);
    check_page(s, EL_VIEW_PROMETHEUS, 4, &memo, packer);
    el_view_memo_free(&memo);
    el_packer_free(packer);
    el_snapshot_free(s);
}

static void pieces_of_anything(void **state)
{
    struct el_packer *p = el_packer_new();

    for (int i = 0; i < 3; i++) { /* one after the other */
        EL_AUTO_BUF struct el_buf text = {0}, want = {0};
        struct el_body *b;

        for (int k = 0; k < 50 * i; k++) {
            el_packer_put(p, "some text\n", 10);
            el_buf_puts(&want, "some text\n");
        }
        b = el_packer_end(p, "text/plain");
        assert_non_null(b);
        assert_string_equal(b->encoding, "gzip");
        text = inflate_all(b);
        assert_int_equal(text.len, want.len);
        assert_true(!want.len || memcmp(text.data, want.data, want.len) == 0);
        el_body_retire(b);
    }
    el_packer_free(p);
    assert_null(el_packer_free(NULL));
}

/* What is unpacked while it is sent, in blocks of any size, is what was packed. */
static void unpacks_for_a_client(void **state)
{
    static const size_t blocks[] = {1, 7, 4096, 1 << 20};
    struct el_packer *p = el_packer_new();
    EL_AUTO_BUF struct el_buf want = {0};
    struct el_body *b, *plain;

    for (int i = 0; i < 20000; i++)
        el_buf_printf(&want, "line %d\n", i * 7919 % 20011);
    el_packer_put(p, want.data, want.len);
    b = el_packer_end(p, "text/plain");
    plain = el_body_unpacked(b);
    assert_int_equal(plain->plain_size, want.len);
    assert_null(plain->encoding);
    for (size_t i = 0; i < EL_ARRAY_SIZE(blocks); i++) {
        struct el_unpacker *u = el_unpacker_new(plain->packed);
        EL_AUTO_BUF struct el_buf got = {0};
        ssize_t n;

        assert_int_equal(el_buf_reserve(&got, want.len + (1 << 20)), 0);
        while ((n = el_unpacker_read(u, got.len, got.data + got.len, blocks[i])) > 0)
            got.len += (size_t)n;
        assert_int_equal(n, -1);
        assert_int_equal(got.len, want.len);
        assert_memory_equal(got.data, want.data, want.len);
        el_unpacker_free(u);
    }
    b->bytes.data[b->bytes.len / 2] ^= 0x55;
    struct el_unpacker *u = el_unpacker_new(b);
    char block[4096];
    ssize_t n;
    while ((n = el_unpacker_read(u, 0, block, sizeof block)) > 0)
        ;
    assert_int_equal(n, -2); /* broken: the client is cut off, not told of an end */
    el_body_retire(b);
    el_unpacker_free(u);
    el_body_retire(plain);
    el_unpacker_free(NULL);
    el_packer_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_from_pages),     cmocka_unit_test(nothing_changed_nothing_made),
        cmocka_unit_test(labels_alone_change),  cmocka_unit_test(changed_while_not_packed),
        cmocka_unit_test(one_half_alone),       cmocka_unit_test(pieces_of_anything),
        cmocka_unit_test(unpacks_for_a_client),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
