/* What a capture hides of a drive's pages, and what it leaves as it is. */
#include "device/capture.h"
#include "support/tree.h"

static struct el_slot slots[4];
static struct el_inventory inv = {.slots = slots, .n.slots = 4};
static uint8_t page[EL_NVME_IDENTIFY_SIZE], kept[EL_NVME_IDENTIFY_SIZE];

static void capture(uint32_t row, uint32_t cns)
{
    const struct el_admin cmd = {
        .kind = EL_ADMIN_IDENTIFY, .id = cns, .nsid = cns ? 0 : 1, .data = page, .size = sizeof page};
    char path[64];

    snprintf(slots[row].controller, sizeof slots[row].controller, "nvme%u", row);
    assert_int_equal(el_capture_answer(scratch, &inv, row, &cmd, 0), 0);
    snprintf(path, sizeof path, "nvme/nvme%u/%s", row, cns ? "identify.bin" : "identify-ns-1.bin");
    assert_int_equal(el_sysfs_head(&fs, "", path, kept, sizeof kept), sizeof kept);
}

static void serials_that_are_the_same_stay_the_same(void **state)
{
    static const char *const serials[] = {"A", "SAME", "", "SAME"};
    static const char *const hidden[] = {"SCRUBBED0000", "SCRUBBED0001", "SCRUBBED0002", "SCRUBBED0001"};
    char text[21];

    for (uint32_t i = 0; i < 4; i++)
        strcpy(slots[i].identify.serial, serials[i]);
    for (uint32_t i = 0; i < 4; i++) {
        el_capture_serial(&inv, i, text);
        assert_string_equal(text, hidden[i]);
    }
}

static void what_names_a_drive_is_replaced(void **state)
{
    memset(page, 0, sizeof page);
    memcpy(page + 4, "SAME                ", 20);
    memcpy(page + 24, "MODEL", 5);
    memcpy(page + 768, "nqn.x", 5);
    capture(3, 1);
    assert_memory_equal(kept + 4, "SCRUBBED0001        ", 20);
    assert_memory_equal(kept + 24, "MODEL", 5);
    assert_int_equal(kept[768], 0);
    memset(page + 104, 7, 24); /* NGUID and EUI64 of a namespace */
    capture(3, 0);
    for (int i = 104; i < 128; i++)
        assert_int_equal(kept[i], 0);
}

static void a_page_that_says_nothing_stays_so(void **state)
{
    for (int fill = 0; fill < 256; fill += 255)
        for (uint32_t cns = 0; cns < 2; cns++) {
            memset(page, fill, sizeof page);
            capture(1, cns);
            assert_memory_equal(kept, page, sizeof page);
        }
    memset(page, 0, sizeof page);
    page[24] = 'M'; /* a serial that is blank */
    capture(2, 1);
    assert_memory_equal(kept, page, sizeof page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(serials_that_are_the_same_stay_the_same),
        cmocka_unit_test(what_names_a_drive_is_replaced),
        cmocka_unit_test(a_page_that_says_nothing_stays_so),
    };

    return cmocka_run_group_tests(tests, tree_set_up, tree_tear_down);
}
