/* Pages of every byte value: what is exported stays inside what the specification allows a field to say, or is absent.
 */
#include "support/unit.h"

#include "base/rng.h"
#include "model/catalog.h"
#include "model/fill.h"
#include "model/nvme_layout.h"
#include "support/make_snapshot.h"

#define PAGES 3000

static struct el_snapshot *s;
static struct el_slot *slot;

/* NVMe Base 2.1, 5.1.12.1.3 (SMART), .9 (endurance groups), .7 (self-test), OCP 2.5 (C0h): what a value may be. */
static const struct {
    enum el_metric_id id;
    double min, max;
} ranges[] = {
    {EL_METRIC_DRIVE_SPARE, 0, 2.55}, /* what a drive says of its wear is passed on, as with smartctl and nvme-cli */
    {EL_METRIC_DRIVE_SPARE_THRESHOLD, 0, 2.55},
    {EL_METRIC_DRIVE_USED, 0, 2.55},
    {EL_METRIC_DRIVE_TEMPERATURE, -59, 226},
    {EL_METRIC_DRIVE_THRESHOLD, -59, 226},
    {EL_METRIC_DRIVE_CRITICAL_WARNING, 0, 1},
    {EL_METRIC_DRIVE_POWER_STATE, 0, 31},
    {EL_METRIC_DRIVE_GROUP_SPARE, 0, 1},
    {EL_METRIC_DRIVE_GROUP_USED, 0, 2.55},
    {EL_METRIC_DRIVE_SELF_TEST_PROGRESS, 0, 1},
    {EL_METRIC_DRIVE_SANITIZE_PROGRESS, 0, 1},
    {EL_METRIC_DRIVE_FIRMWARE_ACTIVE, 0, 7},
    {EL_METRIC_OCP_FREE, 0, 1},
    {EL_METRIC_OCP_THROTTLE_STATUS, 0, 3},
};

static double value_of(enum el_metric_id id, uint32_t sub)
{
    return el_value_double(el_metric_value(&(struct el_catalog_context){.s = s}, el_metric(id), 0, sub));
}

static void check_all(void)
{
    for (int id = 0; id < EL_METRIC_ID_COUNT; id++) {
        const struct el_metric *m = el_metric((enum el_metric_id)id);

        for (uint32_t sub = 0; m->scope == EL_SCOPE_SLOT && sub < el_metric_subs(m); sub++) {
            double v = value_of((enum el_metric_id)id, sub);

            if (isinf(v) || (m->type == EL_METRIC_COUNTER && v < 0))
                fail_msg("%s is %g", m->name, v);
            for (size_t r = 0; r < EL_ARRAY_SIZE(ranges); r++)
                if ((int)ranges[r].id == id && (v < ranges[r].min || v > ranges[r].max))
                    fail_msg("%s is %g", m->name, v);
        }
    }
}

static void random_pages(void **state)
{
    static uint64_t page[EL_NVME_IDENTIFY_SIZE / 8];
    struct el_rng rng = el_rng_seed(11);

    for (int i = 0; i < PAGES; i++) {
        enum el_read what = (enum el_read)(el_rng_u64(&rng) % EL_READ_COUNT);
        uint8_t *bytes = (uint8_t *)page;

        for (size_t k = 0; k < EL_ARRAY_SIZE(page); k++)
            page[k] = el_rng_u64(&rng);
        if (what == EL_READ_OCP) /* else it is another vendor's */
            memcpy(bytes + EL_OCP_GUID, (const uint8_t[])EL_OCP_GUID_BYTES, 16);
        (void)el_fill_page(slot, what, bytes, el_fill_size(what) ? el_fill_size(what) : 512, 1000);
        el_fill_feature(slot, (uint8_t)(page[0] % 20), (uint32_t)page[1], (uint32_t)page[2], 1000);
        check_all();
    }
}

static void wear_is_told_as_the_drive_tells_it(void **state)
{
    for (int v = 0; v < 256; v++) {
        uint8_t page[EL_NVME_SMART_SIZE] = {0};

        page[EL_SMART_TEMPERATURE] = 0x2c;
        page[EL_SMART_TEMPERATURE + 1] = 1;
        page[EL_SMART_SPARE] = page[EL_SMART_PERCENTAGE_USED] = (uint8_t)v;
        assert_int_equal(el_fill_page(slot, EL_READ_SMART, page, sizeof page, 1000), 0);
        assert_true(value_of(EL_METRIC_DRIVE_USED, 0) == v / 100.0);
        assert_true(value_of(EL_METRIC_DRIVE_SPARE, 0) == v / 100.0);
    }
}

/* Half of a link's registers read as nonsense: neither up nor down is known. */
static void unknown_link_is_neither_up_nor_down(void **state)
{
    struct el_link *l = &el_snapshot_links(s)[0];

    assert_true(s->links.count > 0);
    *l = (struct el_link){.up = true, .known = true, .current_mts = 8000, .current_width = 4};
    assert_true(value_of(EL_METRIC_LINK_UP, 0) == 1);
    *l = (struct el_link){.up = true, .current_width = 4};
    assert_true(isnan(value_of(EL_METRIC_LINK_UP, 0)) && isnan(value_of(EL_METRIC_LINK_DEGRADED, 0)));
    *l = (struct el_link){.known = true}; /* width 0: down, and known to be */
    assert_true(value_of(EL_METRIC_LINK_UP, 0) == 0);
}

static int set_up(void **state)
{
    s = el_test_snapshot_new(&(struct el_test_snapshot){.drives = 1, .sensors = 8, .seed = 1});
    slot = s ? &el_snapshot_slots(s)[0] : NULL;
    return s ? 0 : -1;
}

static int tear_down(void **state)
{
    el_snapshot_free(s);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wear_is_told_as_the_drive_tells_it),
        cmocka_unit_test(random_pages),
        cmocka_unit_test(unknown_link_is_neither_up_nor_down),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
