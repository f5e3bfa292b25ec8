/* The SNMP view without an agent: order, GET of all, GETNEXT from each instance to the next, from between, from past
 * the end. */
#include <math.h>

#include "exporter/snmp_table.h"
#include "exporter/snmp_text.h"
#include "support/make_snapshot.h"
#include "support/unit.h"

#define BASE "1.3.6.1.4.1.8072.9999.9999.10450"

struct instance {
    el_oid oid[EL_OID_MAX];
    size_t len;
    struct el_snmp_value value;
};

struct walk {
    struct instance *i;
    size_t n;
};

static struct el_snmp_self self = {.version = "0.1.0", .now_us = 20000000, .start_us = 10000000};

static struct el_snmp_view_options options(bool entity)
{
    struct el_snmp_view_options o = {.entity = entity, .system = entity, .self = &self};

    o.base_len = el_oid_parse(BASE, o.base);
    assert_int_equal(o.base_len, 10);
    return o;
}

/* What an agent makes of it: the first tree that has more. */
static int next_of(const struct el_snmp_view *v, const el_oid *oid, size_t len, el_oid *name, size_t *name_len,
                   struct el_snmp_value *value)
{
    int r = -ENOENT;

    for (int tree = 0; r < 0 && tree < EL_SNMP_TREES; tree++) {
        struct el_snmp_place at = el_snmp_view_find(v, (enum el_snmp_tree)tree, oid, len, false);

        r = el_snmp_view_step(v, &at, name, name_len, value);
    }
    return r;
}

static int get(const struct el_snmp_view *v, const el_oid *oid, size_t len, struct el_snmp_value *value)
{
    int r = -ENOENT;

    for (int tree = 0; r == -ENOENT && tree < EL_SNMP_TREES; tree++)
        r = el_snmp_view_get(v, (enum el_snmp_tree)tree, oid, len, value);
    return r;
}

static struct walk walk_all(const struct el_snmp_view *v)
{
    struct walk w = {0};
    size_t cap = 0;
    el_oid at[EL_OID_MAX] = {1, 3};
    size_t len = 2;

    for (;;) {
        if (w.n == cap) {
            cap = cap ? cap * 2 : 1024;
            w.i = realloc(w.i, cap * sizeof *w.i);
            assert_non_null(w.i);
        }
        if (next_of(v, at, len, w.i[w.n].oid, &w.i[w.n].len, &w.i[w.n].value) < 0)
            return w;
        memcpy(at, w.i[w.n].oid, sizeof at);
        len = w.i[w.n].len;
        w.n++;
    }
}

static bool same_value(const struct el_snmp_value *a, const struct el_snmp_value *b)
{
    if (a->type != b->type)
        return false;
    switch (a->type) {
    case EL_SNMP_INTEGER:
        return a->integer == b->integer;
    case EL_SNMP_COUNTER64:
        return a->counter64 == b->counter64;
    case EL_SNMP_TEXT:
        return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
    case EL_SNMP_OID:
        return a->len == b->len && memcmp(a->oid, b->oid, a->len * sizeof *a->oid) == 0;
    default:
        return a->gauge == b->gauge;
    }
}

static void expect_next(const struct el_snmp_view *v, const el_oid *from, size_t len, const struct instance *to)
{
    struct instance got;

    if (!to) {
        assert_int_equal(next_of(v, from, len, got.oid, &got.len, &got.value), -ENOENT);
        return;
    }
    assert_int_equal(next_of(v, from, len, got.oid, &got.len, &got.value), 0);
    assert_int_equal(el_oid_compare(got.oid, got.len, to->oid, to->len), 0);
    assert_true(same_value(&got.value, &to->value));
}

static const struct instance *find(const struct el_snmp_view *v, const char *oid_below_base, struct instance *out)
{
    char text[128];

    snprintf(text, sizeof text, BASE ".%s", oid_below_base);
    out->len = el_oid_parse(text, out->oid);
    return get(v, out->oid, out->len, &out->value) == 0 ? out : NULL;
}

static enum el_snmp_tree tree_of(const struct instance *i)
{
    return i->oid[4] == 4    ? EL_SNMP_TREE_ELEMENT
           : i->oid[6] == 47 ? EL_SNMP_TREE_ENTITY
           : i->oid[6] == 99 ? EL_SNMP_TREE_ENTITY_SENSOR
                             : EL_SNMP_TREE_SYSTEM;
}

/* From any instance on, steps give what lookups give, up to the end of the tree. */
static void expect_steps(const struct el_snmp_view *v, const struct walk *w)
{
    for (size_t from = 0; from < w->n; from += 97) {
        enum el_snmp_tree tree = tree_of(&w->i[from]);
        struct el_snmp_place at = el_snmp_view_find(v, tree, w->i[from].oid, w->i[from].len, from % 2);
        struct instance got;
        size_t i = from + !(from % 2);

        for (; i < w->n && i < from + 150 && tree_of(&w->i[i]) == tree; i++) {
            assert_int_equal(el_snmp_view_step(v, &at, got.oid, &got.len, &got.value), 0);
            assert_int_equal(el_oid_compare(got.oid, got.len, w->i[i].oid, w->i[i].len), 0);
            assert_true(same_value(&got.value, &w->i[i].value));
        }
        if (i < from + 150) {
            assert_int_equal(el_snmp_view_step(v, &at, got.oid, &got.len, &got.value), -ENOENT);
            assert_int_equal(el_snmp_view_step(v, &at, got.oid, &got.len, &got.value), -ENOENT);
        }
    }
}

static void walks_in_order(void **state)
{
    struct el_snapshot *s = el_test_snapshot_new(
        &(struct el_test_snapshot){.drives = 13, .sensors = 3, .odd = true, .events = 20, .alarms = 12});
    struct el_snmp_view_options o = options(true);
    struct el_snmp_view *v = el_snmp_view_new(s, &o);
    struct walk w = walk_all(v);

    assert_true(w.n > 1000);
    for (size_t i = 0; i < w.n; i++) {
        const struct instance *now = &w.i[i], *next = i + 1 < w.n ? &w.i[i + 1] : NULL;
        struct el_snmp_value got;
        el_oid from[EL_OID_MAX + 1];

        if (next)
            assert_true(el_oid_compare(now->oid, now->len, next->oid, next->len) < 0);
        assert_int_equal(get(v, now->oid, now->len, &got), 0);
        assert_true(same_value(&got, &now->value));
        memcpy(from, now->oid, sizeof now->oid);
        expect_next(v, from, now->len, next);
        from[now->len] = 0; /* longer than the instance: behind it, before the next */
        assert_true(get(v, from, now->len + 1, &got) < 0);
        expect_next(v, from, now->len + 1, next);
        from[now->len - 1]--; /* between the one before and this one */
        from[now->len] = 0xffffffff;
        if (now->oid[now->len - 1] > 0 &&
            (i == 0 || el_oid_compare(w.i[i - 1].oid, w.i[i - 1].len, from, now->len + 1) < 0))
            expect_next(v, from, now->len + 1, now);
    }
    expect_steps(v, &w);
    expect_next(v, (el_oid[]){1, 3, 6, 1, 6}, 5, NULL);
    expect_next(v, (el_oid[]){0}, 1, &w.i[0]);
    expect_next(v, (el_oid[]){1, 3, 6, 1, 4, 1, 8072, 9999, 9999, 10450}, 10,
                find(v, "1.1.1.0", &(struct instance){0}));
    free(w.i);
    el_snmp_view_free(v);
    el_snapshot_free(s);
}

static void empty_snapshot_has_scalars_only(void **state)
{
    struct el_snapshot *s = el_snapshot_new(&(struct el_snapshot_counts){0});
    struct el_snmp_view_options o = options(true);
    struct el_snmp_view *v = el_snmp_view_new(s, &o);
    struct walk w = walk_all(v);

    for (size_t i = 0; i < w.n; i++)
        assert_int_equal(w.i[i].oid[w.i[i].len - 1], 0);
    assert_true(w.n > 10 && w.n < 40);
    free(w.i);
    el_snmp_view_free(v);
    el_snapshot_free(s);
}

static void rows_sort_as_integers(void **state)
{
    struct el_snapshot *s = el_test_snapshot_new(&(struct el_test_snapshot){.drives = 88});
    struct el_snmp_view_options o = options(false);
    struct el_snmp_view *v;
    el_oid name[EL_OID_MAX], at[] = {1, 3, 6, 1, 4, 1, 8072, 9999, 9999, 10450, 1, 3, 1, 2};
    size_t len = EL_ARRAY_SIZE(at);
    struct el_snmp_value value;

    el_snapshot_cards(s)[0].number = 9; /* numbers persist by serial: not the order of rows */
    el_snapshot_cards(s)[9].number = 0;
    v = el_snmp_view_new(s, &o);
    memcpy(name, at, sizeof at);
    for (el_oid card = 1; card <= 11; card++) {
        assert_int_equal(next_of(v, name, len, name, &len, &value), 0);
        assert_int_equal(name[len - 1], card);
        assert_int_equal(memcmp(value.text, card == 1 ? "lqd4500-9" : card == 10 ? "lqd4500-0" : value.text, 9), 0);
    }
    el_snmp_view_free(v);
    el_snapshot_free(s);
}

static void duplicate_numbers_give_one_row(void **state)
{
    struct el_snapshot *s = el_test_snapshot_new(&(struct el_test_snapshot){.drives = 24});
    struct el_snmp_view_options o = options(true);
    struct el_snmp_view *v;
    struct walk w;

    el_snapshot_cards(s)[2].number = 1;
    el_snapshot_cards(s)[0].number = 4000000; /* more than an index can carry: not shown */
    v = el_snmp_view_new(s, &o);
    w = walk_all(v);
    for (size_t i = 1; i < w.n; i++)
        assert_true(el_oid_compare(w.i[i - 1].oid, w.i[i - 1].len, w.i[i].oid, w.i[i].len) < 0);
    free(w.i);
    el_snmp_view_free(v);
    el_snapshot_free(s);
}

static void expect_board_name(const struct el_snmp_view *v, uint32_t number, const char *name)
{
    struct instance i;
    char oid[32];

    snprintf(oid, sizeof oid, "1.9.1.2.%u", number);
    assert_non_null(find(v, oid, &i));
    assert_int_equal(i.value.len, strlen(name));
    assert_memory_equal(i.value.text, name, i.value.len);
}

/* Two names with one number: each has a row, the same one in whatever order the snapshot has them. */
static void colliding_names_have_a_row_each(void **state)
{
    static const char *const names[] = {"nct6775-isa-0016/temp28", "nct6775-isa-00a8/in34"};
    struct el_snapshot *s = el_test_snapshot_new(&(struct el_test_snapshot){.drives = 1});
    struct el_snmp_view_options o = options(true);
    uint32_t n = el_snmp_name_number(names[0]);

    assert_int_equal(n, el_snmp_name_number(names[1]));
    for (int turn = 0; turn < 2; turn++) {
        struct el_snmp_view *v;
        size_t boards;

        snprintf(el_snapshot_sensors(s)[0].name, 64, "%s", names[turn]);
        snprintf(el_snapshot_sensors(s)[3].name, 64, "%s", names[!turn]);
        v = el_snmp_view_new(s, &o);
        expect_board_name(v, n, names[0]);
        expect_board_name(v, n + 1, names[1]);
        boards = v->rows[EL_ROWS_BOARD].n;
        assert_int_equal(boards, s->sensors.count);
        el_snmp_view_free(v);
    }
    snprintf(el_snapshot_sensors(s)[0].name, 64, "%s", el_snapshot_sensors(s)[3].name); /* the very same: one row */
    struct el_snmp_view *v = el_snmp_view_new(s, &o);

    assert_int_equal(v->rows[EL_ROWS_BOARD].n, s->sensors.count - 1);
    el_snmp_view_free(v);
    el_snapshot_free(s);
}

static void values_in_their_units(void **state)
{
    struct el_snapshot *s =
        el_test_snapshot_new(&(struct el_test_snapshot){.drives = 8, .sensors = 2, .odd = true, .seq = 77});
    struct el_snmp_view_options o = options(false);
    struct el_snmp_view *v;
    struct instance i;

    el_snapshot_slots(s)[0].smart.critical_warning = 0x05;
    v = el_snmp_view_new(s, &o);
    assert_non_null(find(v, "1.1.1.0", &i));
    assert_int_equal(i.value.gauge, 77);
    assert_non_null(find(v, "1.6.1.2.1.5", &i)); /* negative, below zero */
    assert_int_equal(i.value.integer, -10000);
    assert_non_null(find(v, "1.6.1.7.1.5", &i)); /* 2^128 - 1 units end at the largest Counter64 */
    assert_true(i.value.counter64 == UINT64_MAX);
    assert_non_null(find(v, "1.6.1.14.1.5", &i)); /* 2^32, unclipped */
    assert_true(i.value.counter64 == 4294967296ULL);
    assert_non_null(find(v, "1.6.1.1.1.1", &i)); /* bit 0 is the highest */
    assert_int_equal(i.value.len, 1);
    assert_int_equal((uint8_t)i.value.text[0], 0xa0);
    assert_non_null(find(v, "1.4.1.18.1.1", &i)); /* failed polls, whatever was asked of the drive */
    assert_int_equal(i.value.gauge, 1);
    assert_non_null(find(v, "1.4.1.3.1.4", &i));
    assert_memory_equal(i.value.text, "lqd4500-0 slot 3", i.value.len);
    assert_non_null(find(v, "1.1.2.0", &i)); /* DateAndTime */
    assert_int_equal(i.value.len, 11);
    el_snmp_view_free(v);
    el_snapshot_free(s);
}

static void expect_text(const struct el_snmp_view *v, const char *oid, const char *want)
{
    struct instance i;

    assert_non_null(find(v, oid, &i));
    if (i.value.len != strlen(want) || memcmp(i.value.text, want, i.value.len) != 0)
        fail_msg("%s: \"%.*s\", expected \"%s\"", oid, (int)i.value.len, i.value.text, want);
}

/* Whatever was put into a text, what is sent is UTF-8 without control characters, and an empty one is an empty one. */
static void odd_texts_are_mended(void **state)
{
    struct el_snapshot *s = el_test_snapshot_new(&(struct el_test_snapshot){.drives = 4, .alarms = 1});
    struct el_slot *t = el_snapshot_slots(s);
    struct el_snmp_view_options o = options(true);
    struct el_snmp_view *v;
    struct el_snmp_value long_one = {.type = EL_SNMP_TEXT};
    char much[600];

    snprintf(t[0].identify.model, sizeof t[0].identify.model,
             "Caf\xc3\xa9 \"\\ 2 \xc2\xb0"
             "C");
    snprintf(t[1].identify.model, sizeof t[1].identify.model, "bell \a latin1 \xe9 end");
    t[2].identify.model[0] = '\0';
    snprintf(t[0].identify.serial, sizeof t[0].identify.serial, "cut \xe2\x82");
    snprintf(el_snapshot_cards(s)[0].name, sizeof el_snapshot_cards(s)->name, "k\xc3\xa4rte\n0");
    snprintf(el_snapshot_sensors(s)[0].label, sizeof el_snapshot_sensors(s)->label, "\x01\x02");
    v = el_snmp_view_new(s, &o);
    expect_text(v, "1.5.1.1.1.1",
                "Caf\xc3\xa9 \"\\ 2 \xc2\xb0"
                "C");
    expect_text(v, "1.5.1.1.1.2", "bell   latin1 \xef\xbf\xbd end");
    expect_text(v, "1.5.1.1.1.3", "");
    expect_text(v, "1.5.1.2.1.1", "cut \xef\xbf\xbd\xef\xbf\xbd");
    expect_text(v, "1.4.1.3.1.2", "k\xc3\xa4rte 0 slot 1");
    memset(much, 'x', sizeof much);
    memcpy(much + 254, "\xc3\xa9", 2); /* the border goes through it */
    assert_true(el_snmp_set_text(&long_one, much, sizeof much));
    assert_int_equal(long_one.len, 254);
    assert_true(el_snmp_set_format(&long_one, "%.*s", 600, much));
    assert_int_equal(long_one.len, 254);
    el_snmp_view_free(v);
    el_snapshot_free(s);
}

/* Numbers end at the limits of their type, none wraps or changes its sign. */
static void numbers_end_at_their_limits(void **state)
{
    static const struct {
        double v;
        int32_t integer;
        uint32_t gauge;
        uint64_t counter64;
    } want[] = {{-1e300, INT32_MIN, 0, 0},
                {-10000, -10000, 0, 0},
                {-0.4, 0, 0, 0},
                {2147483647.4, INT32_MAX, 2147483647u, 2147483647u},
                {4294967296.0, INT32_MAX, UINT32_MAX, 4294967296ull},
                {0x1p64, INT32_MAX, UINT32_MAX, UINT64_MAX},
                {INFINITY, INT32_MAX, UINT32_MAX, UINT64_MAX}};
    struct el_snmp_value v;

    for (size_t i = 0; i < EL_ARRAY_SIZE(want); i++) {
        v = (struct el_snmp_value){.type = EL_SNMP_INTEGER};
        assert_true(el_snmp_set_integer(&v, want[i].v) && v.integer == want[i].integer);
        v = (struct el_snmp_value){.type = EL_SNMP_GAUGE};
        assert_true(el_snmp_set_integer(&v, want[i].v) && v.gauge == want[i].gauge);
        v = (struct el_snmp_value){.type = EL_SNMP_COUNTER64};
        assert_true(el_snmp_set_integer(&v, want[i].v) && v.counter64 == want[i].counter64);
        assert_false(el_snmp_set_integer(&v, NAN));
    }
}

static void absent_is_no_instance(void **state)
{
    struct el_snapshot *s = el_test_snapshot_new(&(struct el_test_snapshot){.drives = 8, .sensors = 2, .odd = true});
    struct el_snmp_view_options o = options(false);
    struct el_snmp_view *v = el_snmp_view_new(s, &o);
    struct instance i;
    char board[32];

    assert_non_null(find(v, "1.4.1.4.1.2", &i)); /* an empty slot has its row ... */
    assert_int_equal(i.value.integer, EL_SLOT_EMPTY + 1);
    assert_null(find(v, "1.6.1.2.1.2", &i)); /* ... and no temperature */
    assert_int_equal(get(v, i.oid, i.len, &i.value), -ENXIO);
    assert_null(find(v, "1.6.1.2.1.4", &i)); /* failed: no temperature either, but it is seen */
    assert_non_null(find(v, "1.7.1.5.1.4.1", &i));
    assert_int_equal(i.value.integer, EL_FAILED + 1);
    assert_null(find(v, "1.6.1.22.1.1", &i)); /* never measured */
    assert_null(find(v, "1.99.1", &i));
    assert_int_equal(get(v, i.oid, i.len, &i.value), -ENOENT);
    el_snmp_view_free(v);
    o.stale = true;
    v = el_snmp_view_new(s, &o);
    assert_null(find(v, "1.6.1.2.1.1", &i));
    assert_non_null(find(v, "1.4.1.4.1.1", &i));
    assert_int_equal(i.value.integer, EL_SLOT_STALE + 1);
    snprintf(board, sizeof board, "1.9.1.8.%u", el_snmp_name_number(el_snapshot_sensors(s)[0].name));
    assert_non_null(find(v, board, &i)); /* no value, and the quality says why */
    assert_int_equal(i.value.integer, EL_STALE + 1);
    board[strlen("1.9.1.")] = '7';
    assert_null(find(v, board, &i));
    el_snmp_view_free(v);
    el_snapshot_free(s);
}

static int32_t entity(const struct el_snmp_view *v, el_oid a, el_oid b, el_oid c, el_oid d, el_oid column, el_oid index,
                      struct el_snmp_value *value)
{
    el_oid oid[] = {1, 3, 6, 1, 2, 1, a, b, c, d, 1, column, index};
    size_t len = EL_ARRAY_SIZE(oid);

    if (a == 99) {
        oid[10] = column;
        oid[11] = index;
        len--;
    }
    assert_int_equal(get(v, oid, len, value), 0);
    return value->integer;
}

/* From each entity up to its card, without a gap or a ring. */
static void entities_are_contained(void **state)
{
    struct el_snapshot *s = el_test_snapshot_new(&(struct el_test_snapshot){.drives = 17, .sensors = 2, .odd = true});
    struct el_snmp_view_options o = options(true);
    struct el_snmp_view *v = el_snmp_view_new(s, &o);
    el_oid at[EL_OID_MAX] = {1, 3, 6, 1, 2, 1, 47, 1, 1, 1, 1, 4};
    size_t len = 12, seen = 0;
    struct el_snmp_value value;

    while (next_of(v, at, len, at, &len, &value) == 0 && at[11] == 4) {
        int depth = 0;

        for (int32_t parent = value.integer; parent; depth++)
            parent = entity(v, 47, 1, 1, 1, 4, (el_oid)parent, &value);
        assert_true(depth <= 4);
        seen++;
    }
    assert_true(seen > 60);
    el_snmp_view_free(v);
    el_snapshot_free(s);
}

static void entity_sensors_read_right(void **state)
{
    struct el_snapshot *s = el_test_snapshot_new(&(struct el_test_snapshot){.drives = 8, .sensors = 1, .odd = true});
    struct el_snmp_view_options o = options(true);
    struct el_snmp_value value;
    struct el_snmp_view *v;
    el_oid slot0 = 5u << 27 | 1 << 14 | 1 << 8 | 1, failed = 5u << 27 | 1 << 14 | 4 << 8 | 1;

    el_snapshot_slots(s)[0].temp_mc[0].value = 53703;
    el_snapshot_slots(s)[5].temp_mc[0].quality = EL_STALE;
    v = el_snmp_view_new(s, &o);
    assert_int_equal(entity(v, 99, 1, 1, 1, 1, slot0, &value), 8); /* celsius */
    assert_int_equal(entity(v, 99, 1, 1, 1, 2, slot0, &value), 8); /* milli ... */
    assert_int_equal(entity(v, 99, 1, 1, 1, 3, slot0, &value), 0); /* ... and no precision beside it */
    assert_int_equal(entity(v, 99, 1, 1, 1, 4, slot0, &value), 53703);
    assert_int_equal(entity(v, 99, 1, 1, 1, 5, slot0, &value), 1);                           /* ok */
    assert_int_equal(entity(v, 99, 1, 1, 1, 5, failed, &value), 3);                          /* nonoperational */
    assert_int_equal(entity(v, 99, 1, 1, 1, 5, 5u << 27 | 1 << 14 | 6 << 8 | 1, &value), 2); /* unavailable */
    entity(v, 47, 1, 1, 1, 7, failed, &value);
    assert_int_equal(value.len, strlen("lqd4500-0 slot 3 composite"));
    assert_memory_equal(value.text, "lqd4500-0 slot 3 composite", value.len);
    el_snmp_view_free(v);
    el_snapshot_free(s);
}

/* What a person reads: said once. */
static void board_sensors_are_described(void **state)
{
    static const struct {
        const char *name, *label, *descr;
        enum el_sensor_kind kind;
    } boards[] = {{"twin-0/airflow", "Airflow", "Airflow", EL_SENSOR_AIRFLOW},
                  {"nct6775-isa-0290/temp2", "CPUTIN", "CPUTIN temperature", EL_SENSOR_TEMPERATURE},
                  {"nct6775-isa-0290/fan1", "", "nct6775-isa-0290/fan1", EL_SENSOR_FAN},
                  {"ina219-i2c-1-40/in0", "", "ina219-i2c-1-40/in0 voltage", EL_SENSOR_VOLTAGE}};

    for (size_t i = 0; i < EL_ARRAY_SIZE(boards); i++) {
        struct el_snapshot *s = el_test_snapshot_new(&(struct el_test_snapshot){.drives = 1});
        struct el_sensor *sensor = &el_snapshot_sensors(s)[0];
        struct el_snmp_view_options o = options(true);
        struct el_snmp_value value;
        struct el_snmp_view *v;

        snprintf(sensor->name, sizeof sensor->name, "%s", boards[i].name);
        snprintf(sensor->label, sizeof sensor->label, "%s", boards[i].label);
        sensor->kind = boards[i].kind;
        v = el_snmp_view_new(s, &o);
        entity(v, 47, 1, 1, 1, 2, 7u << 27 | el_snmp_name_number(boards[i].name), &value);
        assert_int_equal(value.len, strlen(boards[i].descr));
        assert_memory_equal(value.text, boards[i].descr, value.len);
        el_snmp_view_free(v);
        el_snapshot_free(s);
    }
}

static void large_machine(void **state)
{
    struct el_snapshot *s = el_test_snapshot_new(&(struct el_test_snapshot){.drives = 1024, .sensors = 2});
    struct el_snmp_view_options o = options(true);
    struct el_snmp_view *v = el_snmp_view_new(s, &o);
    el_oid at[EL_OID_MAX] = {1, 3};
    size_t len = 2, n = 0;
    struct el_snmp_value value;
    uint64_t mark = el_snmp_view_entity_mark(v);

    while (next_of(v, at, len, at, &len, &value) == 0)
        n++;
    assert_true(n > 150000);
    el_snmp_view_free(v);
    v = el_snmp_view_new(s, &o);
    assert_true(mark == el_snmp_view_entity_mark(v));
    el_snmp_view_free(v);
    el_snapshot_slots(s)[900].identify.serial[3]++;
    v = el_snmp_view_new(s, &o);
    assert_true(mark != el_snmp_view_entity_mark(v));
    el_snmp_view_free(v);
    el_snapshot_free(s);
}

static void oids_from_text(void **state)
{
    static const char *const bad[] = {"",     ".",   "1", "1.", "1..3", "a.b", "1.3.x", "3.1", "1.40", "1.3.4294967296",
                                      "-1.3", " 1.3"};
    el_oid oid[EL_OID_MAX];

    assert_int_equal(el_oid_parse(".1.3.6.1", oid), 4);
    assert_int_equal(el_oid_parse("1.3.4294967295", oid), 3);
    assert_true(oid[2] == 4294967295u);
    for (size_t i = 0; i < EL_ARRAY_SIZE(bad); i++)
        assert_int_equal(el_oid_parse(bad[i], oid), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_in_order),
        cmocka_unit_test(empty_snapshot_has_scalars_only),
        cmocka_unit_test(rows_sort_as_integers),
        cmocka_unit_test(duplicate_numbers_give_one_row),
        cmocka_unit_test(colliding_names_have_a_row_each),
        cmocka_unit_test(board_sensors_are_described),
        cmocka_unit_test(values_in_their_units),
        cmocka_unit_test(odd_texts_are_mended),
        cmocka_unit_test(numbers_end_at_their_limits),
        cmocka_unit_test(absent_is_no_instance),
        cmocka_unit_test(entities_are_contained),
        cmocka_unit_test(entity_sensors_read_right),
        cmocka_unit_test(large_machine),
        cmocka_unit_test(oids_from_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
