/* One field that a drive does not report costs its own cells and no other: never the row. */
#include <string.h>

#include "exporter/snmp_view.h"
#include "support/make_snapshot.h"
#include "support/unit.h"

#define BASE      "1.3.6.1.4.1.8072.9999.9999.10450"
#define CELLS_MAX 4096

struct cells {
    size_t n;
    struct {
        el_oid table, column, slot; /* slot: 0 when the row is of no slot */
    } cell[CELLS_MAX];
};

static void walk(const struct el_snapshot *s, struct cells *out)
{
    struct el_snmp_view_options o = {0};
    struct el_snmp_value value;
    struct el_snmp_view *v;
    struct el_snmp_place at;
    el_oid name[EL_OID_MAX];
    size_t len;

    o.base_len = el_oid_parse(BASE, o.base);
    v = el_snmp_view_new(s, &o);
    at = el_snmp_view_find(v, EL_SNMP_TREE_ELEMENT, o.base, o.base_len, false);
    for (out->n = 0; el_snmp_view_step(v, &at, name, &len, &value) == 0; out->n++) {
        assert_true(out->n < CELLS_MAX);
        out->cell[out->n].table = name[11];
        out->cell[out->n].column = name[13];
        out->cell[out->n].slot = len > 15 && name[11] >= 4 ? name[15] : 0;
    }
    el_snmp_view_free(v);
}

static void no_composite(struct el_slot *t)
{
    t->temp_mc[0].quality = EL_ABSENT;
}

static void no_power_state(struct el_slot *t)
{
    t->power_state.quality = EL_ABSENT;
}

static void no_write_cache(struct el_slot *t)
{
    t->write_cache.quality = EL_ABSENT;
}

static void no_threshold(struct el_slot *t)
{
    t->threshold_mc[0][1].quality = EL_ABSENT;
}

static void no_warning_temperature(struct el_slot *t)
{
    t->identify.wctemp_k = 0;
}

static void no_write_rate(struct el_slot *t)
{
    t->write_rate_30d = NAN;
}

static void no_identify(struct el_slot *t)
{
    t->stamp[EL_READ_IDENTIFY].quality = EL_FAILED;
}

/* What goes with each: its cells of slot 3, by table and column (0: the whole row). */
static const struct loss {
    void (*lose)(struct el_slot *t);
    struct {
        el_oid table, column;
    } gone[4];
} losses[] = {
    {no_composite, {{6, 2}, {7, 0}}}, /* of the sensors: the composite's row */
    {no_power_state, {{6, 23}}},        {no_write_cache, {{6, 24}}}, {no_threshold, {{7, 7}}},
    {no_warning_temperature, {{5, 8}}}, {no_write_rate, {{12, 4}}},  {no_identify, {{5, 0}}},
};

static bool is_expected(const struct loss *l, el_oid table, el_oid column)
{
    for (size_t i = 0; i < EL_ARRAY_SIZE(l->gone); i++)
        if (l->gone[i].table == table && (l->gone[i].column == column || l->gone[i].column == 0))
            return true;
    return false;
}

static void one_field_costs_its_own_cells(void **state)
{
    static struct cells all, left;

    for (size_t i = 0; i < EL_ARRAY_SIZE(losses); i++) {
        struct el_snapshot *s = el_test_snapshot_new(&(struct el_test_snapshot){.drives = 8, .sensors = 1});
        size_t at = 0, lost = 0;

        walk(s, &all);
        losses[i].lose(&el_snapshot_slots(s)[3]);
        walk(s, &left);
        for (size_t c = 0; c < all.n; c++) {
            if (at < left.n && memcmp(&all.cell[c], &left.cell[at], sizeof all.cell[c]) == 0) {
                at++;
                continue;
            }
            assert_int_equal(all.cell[c].slot, 4);
            if (!is_expected(&losses[i], all.cell[c].table, all.cell[c].column))
                fail_msg("loss %zu: table %lu column %lu is gone", i, all.cell[c].table, all.cell[c].column);
            lost++;
        }
        assert_int_equal(at, left.n); /* nothing new */
        assert_true(lost > 0);
        el_snapshot_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_field_costs_its_own_cells)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
