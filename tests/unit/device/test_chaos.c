/* A machine whose files go missing, turn to garbage, errors, folders or loops between two reads, a few hundred times:
 * nothing crashes, every call says what it must, and rows always refer to rows that exist. */
#include <ftw.h>

#include "base/rng.h"
#include "device/device.h"
#include "device/recorded.h"
#include "support/scratch.h"

#define ROUNDS 300

static char (*path)[512];
static size_t paths;

static void build(void)
{
    char name[256];

    for (int i = 0; i < 4; i++) {
        const char *up = "sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0";

        snprintf(name, sizeof name, "%s/0000:02:%02x.0/0000:%02x:00.0/nvme/nvme%d", up, i, i + 3, i);
        static const char *const attrs[][2] = {
            {"state", "live\n"}, {"transport", "pcie\n"}, {"serial", "S\n"}, {"model", "M\n"}};
        for (size_t a = 0; a < EL_ARRAY_SIZE(attrs); a++) {
            char file[400];

            snprintf(file, sizeof file, "%s/%s", name, attrs[a][0]);
            put(file, attrs[a][1]);
        }
        char command[8192];
        snprintf(
            command, sizeof command,
            "cd %s; mkdir -p sys/class/nvme sys/bus/pci/devices nvme/nvme%d; ln -s ../../../%s sys/class/nvme/nvme%d; "
            "F=$(dirname $(dirname %s)); ln -s ../../../../$F sys/bus/pci/devices/$(basename $F); echo 0x010802 > "
            "$F/class; "
            "echo '8.0 GT/s PCIe' > $F/current_link_speed; echo 4 > $F/current_link_width; echo 'RxErr 1' > "
            "$F/aer_dev_correctable; "
            "mkdir -p %s/nvme%dn1; echo 8 > %s/nvme%dn1/size; echo 1 2 3 4 5 6 7 > %s/nvme%dn1/stat; "
            "head -c 512 /dev/urandom > nvme/nvme%d/smart.bin; head -c 4096 /dev/urandom > nvme/nvme%d/identify.bin; "
            "mkdir -p sys/class/hwmon/hwmon%d; echo chip > sys/class/hwmon/hwmon%d/name; echo 1 > "
            "sys/class/hwmon/hwmon%d/temp1_input",
            scratch, i, name, i, name, name, i, name, i, name, i, i, i, i, i, i);
        assert_int_equal(system(command), 0);
    }
}

static int remember(const char *name, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    if (ftw->level == 0 || (kind != FTW_F && kind != FTW_SL && !(kind == FTW_DP && ftw->level > 3)))
        return 0;
    path = realloc(path, sizeof *path * (paths + 1));
    snprintf(path[paths++], sizeof *path, "%s", name);
    return 0;
}

static void overwrite(const char *name, const void *bytes, size_t n)
{
    FILE *f = fopen(name, "w");

    if (f) {
        fwrite(bytes, 1, n, f);
        fclose(f);
    }
}

static void harm(struct el_rng *rng)
{
    const char *name = path[el_rng_u64(rng) % paths];
    uint64_t bytes[80];

    switch (el_rng_u64(rng) % 7) {
    case 0:
        (void)!remove(name);
        break;
    case 1:
        overwrite(name, "", 0);
        break;
    case 2:
        overwrite(name, "!EIO\n", 5);
        break;
    case 3:
        (void)!remove(name);
        (void)!symlink(name, name); /* a loop */
        break;
    case 4:
        (void)!remove(name);
        (void)!symlink("/proc/version", name); /* out of the folder; cannot be written through */
        break;
    case 5:
        overwrite(name, "18446744073709551616 -1 0x 63 \xff\n", 32);
        break;
    default:
        for (size_t i = 0; i < EL_ARRAY_SIZE(bytes); i++)
            bytes[i] = el_rng_u64(rng);
        overwrite(name, bytes, 1 + el_rng_u64(rng) % sizeof bytes);
    }
}

static void look(const struct el_device *d, struct el_inventory *inv)
{
    if (d->ops->discover(d->dev, inv) < 0)
        return;
    d->ops->read_links(d->dev, inv->links, inv->n.links);
    d->ops->read_sensors(d->dev, inv->sensors, inv->n.sensors);
    for (uint32_t i = 0; i < inv->n.slots; i++) {
        uint8_t page[EL_NVME_SMART_SIZE];
        struct el_admin cmd = {.kind = EL_ADMIN_GET_LOG, .id = EL_NVME_LID_SMART, .data = page, .size = sizeof page};
        struct el_slot_io io;

        assert_true(inv->slots[i].card < inv->n.cards);
        if (inv->slots[i].key) {
            (void)d->ops->admin(d->dev, inv->slots[i].key, &cmd);
            (void)d->ops->read_io(d->dev, inv->slots[i].key, &io);
        }
    }
    for (uint32_t i = 0; i < inv->n.links; i++) {
        assert_true(inv->links[i].card < inv->n.cards && inv->links[i].slot < (int32_t)inv->n.slots);
        assert_true(inv->links[i].current_mts <= 64000 && inv->links[i].current_width <= 32);
    }
    for (uint32_t i = 0; i < inv->n.namespaces; i++)
        assert_true(inv->namespaces[i].slot < inv->n.slots);
    for (uint32_t i = 0; i < inv->n.sensors; i++)
        if (inv->sensors[i].value.quality == EL_GOOD && inv->sensors[i].kind == EL_SENSOR_TEMPERATURE)
            assert_in_range(inv->sensors[i].value.value + 200000, 50000, 450000);
}

static void survives(void **state)
{
    struct el_rng rng = el_rng_seed(*(const uint64_t *)*state);
    struct el_inventory inv = {0};
    struct el_device d;
    char why[256];

    build();
    paths = 0;
    nftw(scratch, remember, 16, FTW_PHYS | FTW_DEPTH);
    assert_true(paths > 40);
    assert_int_equal(el_recorded_open(scratch, &d, why, sizeof why), 0);
    look(&d, &inv);
    assert_int_equal(inv.n.slots, 4);
    assert_int_equal(inv.n.cards, 1);
    for (int i = 0; i < ROUNDS; i++) {
        harm(&rng);
        look(&d, &inv);
    }
    el_inventory_free(&inv);
    d.ops->close(d.dev);
    free(path);
    path = NULL;
}

int main(void)
{
    static uint64_t seeds[] = {1, 2, 3};
#define SEED(i) cmocka_unit_test_prestate_setup_teardown(survives, scratch_set_up, scratch_tear_down, &seeds[i])
    const struct CMUnitTest tests[] = {SEED(0), SEED(1), SEED(2)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
