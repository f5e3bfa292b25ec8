#include "device/pcie.h"
#include "support/tree.h"

static int set_up(void **state)
{
    int r = tree_set_up(state);

    fs.recorded = true;
    return r;
}

/* A header with a power management capability before the PCIe one at 60h. */
static void make_config(uint8_t c[256], uint8_t flags_low, uint8_t flags_high, uint32_t device, uint32_t slot)
{
    memset(c, 0, 256);
    c[6] = 0x10;
    c[0x34] = 0x40;
    c[0x40] = 0x01;
    c[0x41] = 0x60;
    c[0x60] = 0x10;
    c[0x62] = flags_low;
    c[0x63] = flags_high;
    for (int i = 0; i < 4; i++) {
        c[0x64 + i] = (uint8_t)(device >> 8 * i);
        c[0x74 + i] = (uint8_t)(slot >> 8 * i);
    }
}

static void config_tells_type_and_power(void **state)
{
    uint8_t c[256];
    struct el_pcie_config out;

    make_config(c, 0x62, 1, 0, 75u << 7); /* a downstream port with a slot of 75 x 1 W */
    put_bytes("config", c, sizeof c);
    assert_int_equal(el_pcie_config_read(&fs, "", &out), 0);
    assert_int_equal(out.type, EL_PCIE_DOWNSTREAM);
    assert_true(out.slot_implemented);
    assert_int_equal(out.slot_power_limit_mw, 75000);
    make_config(c, 0x42, 1, 0, 250u << 7 | 1u << 15); /* 250 x 0.1 W */
    put_bytes("config", c, sizeof c);
    assert_int_equal(el_pcie_config_read(&fs, "", &out), 0);
    assert_int_equal(out.type, EL_PCIE_ROOT_PORT);
    assert_int_equal(out.slot_power_limit_mw, 25000);
    make_config(c, 0x42, 1, 0, 0xf1u << 7); /* 275 W has a code of its own */
    put_bytes("config", c, sizeof c);
    assert_int_equal(el_pcie_config_read(&fs, "", &out), 0);
    assert_int_equal(out.slot_power_limit_mw, 275000);
    make_config(c, 0x62, 0, 0, 75u << 7); /* no slot: the register means nothing */
    put_bytes("config", c, sizeof c);
    assert_int_equal(el_pcie_config_read(&fs, "", &out), 0);
    assert_int_equal(out.slot_power_limit_mw, 0);
    make_config(c, 0x52, 0, 25u << 18, 0); /* an upstream port that was told 25 W */
    put_bytes("config", c, sizeof c);
    assert_int_equal(el_pcie_config_read(&fs, "", &out), 0);
    assert_int_equal(out.type, EL_PCIE_UPSTREAM);
    assert_int_equal(out.slot_power_limit_mw, 25000);
}

static void config_may_be_closed_or_nonsense(void **state)
{
    uint8_t c[256];
    struct el_pcie_config out;

    make_config(c, 0x62, 1, 0, 0);
    put_bytes("config", c, 64); /* what the kernel shows without CAP_SYS_ADMIN */
    assert_int_equal(el_pcie_config_read(&fs, "", &out), -EACCES);
    memset(c, 0xff, sizeof c); /* off the bus */
    put_bytes("config", c, sizeof c);
    assert_int_equal(el_pcie_config_read(&fs, "", &out), -ENOENT);
    make_config(c, 0, 0, 0, 0);
    c[0x40] = 0x01;
    c[0x41] = 0x40; /* a list that bites its tail */
    put_bytes("config", c, sizeof c);
    assert_int_equal(el_pcie_config_read(&fs, "", &out), -ENOENT);
    unlinkat(fs.root, "config", 0);
    assert_int_equal(el_pcie_config_read(&fs, "", &out), -ENOENT);
}

static void addresses(void **state)
{
    assert_true(el_pcie_is_address("0000:05:00.0") && el_pcie_is_address("10001:80:05.0") &&
                el_pcie_is_address("abcdef01:00:1f.7"));
    assert_false(el_pcie_is_address("0000:05:00") || el_pcie_is_address("0000:05:00.8") ||
                 el_pcie_is_address("000:05:00.0") || el_pcie_is_address("0000:05:00.0x") || el_pcie_is_address("") ||
                 el_pcie_is_address("123456789:05:00.0"));
    assert_true(el_pcie_address_key("0000:0a:00.0") < el_pcie_address_key("0000:10:00.0"));
    assert_true(el_pcie_address_key("0000:ff:1f.7") < el_pcie_address_key("10000:00:00.0"));
}

static void rates(void **state)
{
    assert_int_equal(el_pcie_speed_mts("64.0 GT/s PCIe"), 64000);
    assert_int_equal(el_pcie_speed_mts("128.0 GT/s PCIe"), 128000);
    assert_int_equal(el_pcie_speed_mts("2.5 GT/s"), 2500);
    assert_int_equal(el_pcie_speed_mts("2.5 GT/sec"), 0);
    assert_int_equal(el_pcie_speed_mts("Unknown speed"), 0);
    assert_int_equal(el_pcie_speed_mts("80 GT/s"), 0);
    assert_int_equal(el_pcie_width(12), 12);
    assert_int_equal(el_pcie_width(3) + el_pcie_width(63) + el_pcie_width(255) + el_pcie_width(-1), 0);
    assert_int_equal(el_pcie_bytes_per_s(2500, 1), 250000000);
    assert_int_equal(el_pcie_bytes_per_s(16000, 4) / 1000000, 7876);
    assert_int_equal(el_pcie_bytes_per_s(0, 4), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(config_tells_type_and_power),
        cmocka_unit_test(config_may_be_closed_or_nonsense),
        cmocka_unit_test(addresses),
        cmocka_unit_test(rates),
    };

    return cmocka_run_group_tests(tests, set_up, tree_tear_down);
}
