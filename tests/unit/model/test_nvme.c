#include "base/rng.h"
#include "model/fill.h"
#include "model/nvme_layout.h"
#include "support/unit.h"

static uint8_t page[EL_NVME_IDENTIFY_SIZE];

static int clear_page(void **state)
{
    memset(page, 0, sizeof page);
    return 0;
}

static void kelvin_is_signed_and_bounded(void **state)
{
    static const struct {
        uint16_t kelvin;
        bool good;
        int64_t mc;
    } cases[] = {{0, false, 0},       {57, false, 0},      {213, false, 0},  {214, true, -59000}, {255, true, -18000},
                 {256, true, -17000}, {263, true, -10000}, {273, true, 0},   {358, true, 85000},  {499, true, 226000},
                 {500, false, 0},     {32768, false, 0},   {65535, false, 0}};

    for (size_t i = 0; i < EL_ARRAY_SIZE(cases); i++) {
        int64_t mc = 0;

        assert_int_equal(el_nvme_kelvin_mc(cases[i].kelvin, &mc), cases[i].good);
        assert_int_equal(mc, cases[i].mc);
    }
}

static void power_scales(void **state)
{
    struct el_nvme_identify id;
    uint8_t *d = page + EL_IDCTRL_PSD;

    el_le_put(d + EL_PSD_MP, 2, 450);
    d[EL_PSD_FLAGS] = EL_PSD_FLAG_MXPS | EL_PSD_FLAG_NOPS;
    el_le_put(d + EL_PSD_IDLP, 2, 50);
    d[EL_PSD_IPS] = 0x80; /* 0.01 W */
    el_le_put(d + EL_PSD_ACTP, 2, 7000);
    d[EL_PSD_APS] = 0x40 | 2; /* 0.0001 W, workload 2 */
    d += EL_IDCTRL_PSD_SIZE;
    el_le_put(d + EL_PSD_MP, 2, 2500);
    el_le_put(d + EL_PSD_IDLP, 2, 50);
    d[EL_PSD_IPS] = 0x03; /* the wrong bits: not a scale */
    el_le_put(d + EL_PSD_ACTP, 2, 65535);
    d[EL_PSD_APS] = 0x80;
    d += EL_IDCTRL_PSD_SIZE;
    el_le_put(d + EL_PSD_IDLP, 2, 50);
    el_le_put(d + EL_PSD_ACTP, 2, 50);
    d[EL_PSD_IPS] = d[EL_PSD_APS] = 0xc0; /* a scale that is not defined */
    page[EL_IDCTRL_NPSS] = 2;

    el_nvme_decode_identify(&id, page);
    assert_int_equal(id.power_states, 3);
    assert_int_equal(id.power_state[0].max_uw, 45000);
    assert_false(id.power_state[0].operational);
    assert_int_equal(id.power_state[0].idle_uw, 500000);
    assert_int_equal(id.power_state[0].active_uw, 700000);
    assert_int_equal(id.power_state[1].max_uw, 25000000);
    assert_true(id.power_state[1].operational);
    assert_int_equal(id.power_state[1].idle_uw, 0);
    assert_int_equal(id.power_state[1].active_uw, 655350000);
    assert_int_equal(id.power_state[2].idle_uw, 0);
    assert_int_equal(id.power_state[2].active_uw, 0);
}

static void text_stops_at_its_field(void **state)
{
    struct el_nvme_identify id;

    memset(page + EL_IDCTRL_SN, 'S', 20);
    memset(page + EL_IDCTRL_MN, 'M', 40);
    memcpy(page + EL_IDCTRL_FR, "FW1\n    ", 8);
    memset(page + EL_IDCTRL_SUBNQN, 0xff, 256); /* no byte is UTF-8: each takes three */
    el_nvme_decode_identify(&id, page);
    assert_int_equal(strlen(id.serial), 20);
    assert_int_equal(strlen(id.model), 40);
    assert_string_equal(id.firmware, "FW1");
    assert_true(strlen(id.subnqn) < sizeof id.subnqn);
}

static void namespace_block_sizes(void **state)
{
    struct el_namespace ns = {.lba_bytes = 77};

    el_le_put(page + EL_IDNS_NSZE, 8, 1000);
    el_le_put(page + EL_IDNS_NUSE, 8, 10);
    page[EL_IDNS_FLBAS] = 1;
    page[EL_IDNS_LBAF + 4 + EL_IDNS_LBADS] = 12;
    assert_int_equal(el_fill_namespace(&ns, page), 0);
    assert_int_equal(ns.lba_bytes, 4096);
    assert_int_equal(ns.size_bytes, 4096000);
    assert_int_equal(ns.used_bytes, 40960);

    el_le_put(page + EL_IDNS_NSZE, 8, UINT64_MAX); /* a lie saturates */
    assert_int_equal(el_fill_namespace(&ns, page), 0);
    assert_true(ns.size_bytes == UINT64_MAX);

    page[EL_IDNS_LBAF + 4 + EL_IDNS_LBADS] = 40;
    assert_true(el_fill_namespace(&ns, page) < 0);
    assert_int_equal(ns.lba_bytes, 4096);
}

static void namespace_format_index_above_15(void **state)
{
    struct el_nvme_namespace ns;

    page[EL_IDNS_LBAF + EL_IDNS_LBADS] = 9;
    page[EL_IDNS_LBAF + 16 * 4 + EL_IDNS_LBADS] = 12;
    page[EL_IDNS_FLBAS] = 0x20;
    el_nvme_decode_namespace(&ns, page); /* few formats: the high bits are reserved */
    assert_int_equal(ns.lba_bytes, 512);
    page[EL_IDNS_NLBAF] = 16;
    el_nvme_decode_namespace(&ns, page);
    assert_int_equal(ns.lba_bytes, 4096);
}

static void energy_only_from_controllers_that_have_it(void **state)
{
    struct el_slot slot = {0};

    page[EL_SMART_TEMPERATURE] = 50;
    page[EL_SMART_TEMPERATURE + 1] = 1;
    el_le_put(page + EL_SMART_ENERGY_WH, 8, 1234);
    el_le_put(page + EL_SMART_INTERVAL_POWER, 4, 512 | 2u << 16);
    slot.stamp[EL_READ_IDENTIFY].quality = EL_GOOD;
    slot.identify.version = 0x10400;
    assert_int_equal(el_fill_page(&slot, EL_READ_SMART, page, EL_NVME_SMART_SIZE, 1), 0);
    assert_int_equal(slot.smart.energy_wh, 0);
    assert_int_equal(slot.power_mw.quality, EL_ABSENT);

    slot.identify.ctratt = EL_CTRATT_POWER_MEASUREMENT;
    assert_int_equal(el_fill_page(&slot, EL_READ_SMART, page, EL_NVME_SMART_SIZE, 1), 0);
    assert_int_equal(slot.smart.energy_wh, 1234);
    assert_int_equal(slot.power_mw.value, 5120);
}

static void pages_that_are_no_reading(void **state)
{
    struct el_slot slot = {0};

    page[1] = 44, page[2] = 1, page[3] = 100;
    assert_int_equal(el_fill_page(&slot, EL_READ_SMART, page, EL_NVME_SMART_SIZE, 5), 0);
    assert_int_equal(slot.temp_mc[0].value, 27000);

    memset(page, 0, sizeof page);
    page[400] = 7; /* reserved bytes do not make it a reading */
    assert_int_equal(el_fill_page(&slot, EL_READ_SMART, page, EL_NVME_SMART_SIZE, 6), -61 /* ENODATA */);
    assert_int_equal(slot.stamp[EL_READ_SMART].quality, EL_FAILED);
    assert_int_equal(slot.stamp[EL_READ_SMART].time_us, 5);
    assert_int_equal(slot.temp_mc[0].value, 27000); /* as it was */

    memset(page, 0xff, sizeof page);
    assert_int_equal(el_fill_page(&slot, EL_READ_SMART, page, EL_NVME_SMART_SIZE, 7), -19 /* ENODEV */);
    assert_int_equal(el_fill_page(&slot, EL_READ_IDENTIFY, page, EL_NVME_IDENTIFY_SIZE, 7), -19);
    memset(page, 0, sizeof page);
    assert_int_equal(el_fill_page(&slot, EL_READ_IDENTIFY, page, EL_NVME_IDENTIFY_SIZE, 7), -61);
    assert_int_equal(slot.read_faults[EL_READ_SMART][EL_FAULT_PAGE], 2);
    assert_int_equal(slot.read_faults[EL_READ_IDENTIFY][EL_FAULT_PAGE], 2);
}

static void failed_reads_are_counted_by_reason(void **state)
{
    struct el_slot slot = {0};

    el_fill_unread(&slot, EL_READ_SMART, -110 /* ETIMEDOUT */);
    el_fill_unread(&slot, EL_READ_SMART, -5);
    el_fill_unread(&slot, EL_READ_ERROR_LOG, 0x2002);
    assert_int_equal(slot.stamp[EL_READ_SMART].quality, EL_FAILED);
    assert_int_equal(slot.stamp[EL_READ_SMART].error, -5);
    assert_int_equal(slot.stamp[EL_READ_ERROR_LOG].error, 0x2002);
    assert_int_equal(slot.read_faults[EL_READ_SMART][EL_FAULT_TIMEOUT], 1);
    assert_int_equal(slot.read_faults[EL_READ_SMART][EL_FAULT_IO], 1);
    assert_int_equal(slot.read_faults[EL_READ_ERROR_LOG][EL_FAULT_REFUSED], 1);
    el_fill_forget(&slot);
    assert_int_equal(slot.read_faults[EL_READ_SMART][EL_FAULT_IO], 1); /* ours, not the drive's */
}

static void celsius_where_kelvin_belongs(void **state)
{
    struct el_slot slot = {0};

    el_le_put(page + EL_SMART_TEMPERATURE, 2, 312);
    el_le_put(page + EL_SMART_SENSORS, 2, 57);
    assert_int_equal(el_fill_page(&slot, EL_READ_SMART, page, EL_NVME_SMART_SIZE, 1), 0);
    assert_int_equal(slot.temp_mc[0].quality, EL_GOOD);
    assert_int_equal(slot.temp_mc[1].quality, EL_IMPLAUSIBLE);
    assert_int_equal(slot.temp_mc[2].quality, EL_ABSENT);
}

static void optional_logs(void **state)
{
    static const uint8_t guid[16] = EL_OCP_GUID_BYTES;
    struct el_slot slot = {0};

    el_le_put(page + EL_ERRLOG_ENTRY_SIZE + EL_ERRLOG_COUNT, 8, 14810000);
    el_le_put(page + EL_ERRLOG_ENTRY_SIZE + EL_ERRLOG_STATUS, 2, 0x4005);
    el_le_put(page + EL_ERRLOG_COUNT, 8, 3);
    assert_int_equal(el_fill_page(&slot, EL_READ_ERROR_LOG, page, 4 * EL_ERRLOG_ENTRY_SIZE, 1), 0);
    assert_int_equal(slot.logs.error.count, 14810000);
    assert_int_equal(slot.logs.error.last_status, 0x2002);

    memset(page, 0, sizeof page);
    assert_int_equal(el_fill_page(&slot, EL_READ_ERROR_LOG, page, 64, 1), 0); /* no error ever is a sound answer */
    assert_int_equal(el_fill_page(&slot, EL_READ_OCP, page, EL_NVME_LOG_SIZE, 1), -61);
    el_le_put(page + EL_OCP_MEDIA_WRITTEN, 16, (el_u128)1 << 70);
    assert_int_equal(el_fill_page(&slot, EL_READ_OCP, page, EL_NVME_LOG_SIZE, 1),
                     -93 /* EPROTONOSUPPORT: another vendor's page */);
    memcpy(page + EL_OCP_GUID, guid, sizeof guid);
    el_le_put(page + EL_OCP_VERSION, 2, 6);
    el_le_put(page + EL_OCP_LINK_RETRAININGS, 8, 9);
    assert_int_equal(el_fill_page(&slot, EL_READ_OCP, page, EL_NVME_LOG_SIZE, 1), 0);
    assert_true(slot.logs.ocp.media_written_bytes == (el_u128)1 << 70);
    assert_int_equal(slot.logs.ocp.retraining_count, 9);

    memset(page, 0, sizeof page);
    page[EL_FWLOG_AFI] = 0x21;
    memcpy(page + EL_FWLOG_REVISIONS + 8, "2.0     ", 8);
    assert_int_equal(el_fill_page(&slot, EL_READ_FIRMWARE, page, EL_NVME_LOG_SIZE, 1), 0);
    assert_int_equal(slot.logs.firmware.active_slot, 1);
    assert_int_equal(slot.logs.firmware.next_slot, 2);
    assert_string_equal(slot.logs.firmware.revision[0], "");
    assert_string_equal(slot.logs.firmware.revision[1], "2.0");

    memset(page, 0, sizeof page);
    el_le_put(page + EL_ENDGRP_DATA_WRITTEN, 16, 5);
    el_le_put(page + EL_ENDGRP_MEDIA_WRITTEN, 16, ~(el_u128)0);
    assert_int_equal(el_fill_page(&slot, EL_READ_ENDURANCE, page, EL_NVME_LOG_SIZE, 1), 0);
    assert_true(slot.logs.endurance.data_written_bytes == 5000000000u);
    assert_true(slot.logs.endurance.media_written_bytes == ~(el_u128)0);

    memset(page, 0, sizeof page);
    page[EL_SELFTEST_RESULTS + EL_SELFTEST_STATUS] = 0x17; /* short test, failed a segment */
    el_le_put(page + EL_SELFTEST_RESULTS + EL_SELFTEST_POWER_ON_HOURS, 8, 99);
    assert_int_equal(el_fill_page(&slot, EL_READ_SELF_TEST, page, EL_NVME_SELF_TEST_SIZE, 1), 0);
    assert_true(slot.logs.self_test.last_valid);
    assert_int_equal(slot.logs.self_test.last_result, 7);
    page[EL_SELFTEST_RESULTS] = 0xf;
    assert_int_equal(el_fill_page(&slot, EL_READ_SELF_TEST, page, EL_NVME_SELF_TEST_SIZE, 1), 0);
    assert_false(slot.logs.self_test.last_valid);
}

static void features(void **state)
{
    struct el_slot slot = {0};

    el_fill_feature(&slot, EL_NVME_FID_POWER_MANAGEMENT, 0, 0x42, 1);
    assert_int_equal(slot.power_state.value, 2);
    el_fill_feature(&slot, EL_NVME_FID_TEMPERATURE_THRESHOLD, EL_FEAT_THRESHOLD(0, false), 356, 1);
    assert_int_equal(slot.threshold_mc[0][0].value, 83000);
    el_fill_feature(&slot, EL_NVME_FID_TEMPERATURE_THRESHOLD, EL_FEAT_THRESHOLD(2, false), 0xffff, 1);
    assert_int_equal(slot.threshold_mc[2][0].quality, EL_IMPLAUSIBLE);
    el_fill_feature(&slot, EL_NVME_FID_TEMPERATURE_THRESHOLD, EL_FEAT_THRESHOLD(2, true), 0, 1);
    assert_int_equal(slot.threshold_mc[2][1].quality, EL_ABSENT);
    el_fill_feature(&slot, EL_NVME_FID_TEMPERATURE_THRESHOLD, EL_FEAT_THRESHOLD(15, false), 356,
                    1); /* all sensors: no row */
    el_fill_feature(&slot, EL_NVME_FID_HCTM, 0, 350u << 16 | 355, 1);
    assert_int_equal(slot.hctm_mc[0].value, 77000);
    assert_int_equal(slot.hctm_mc[1].value, 82000);
}

static void old_readings_turn_stale_and_lost_drives_are_forgotten(void **state)
{
    struct el_slot slot = {.number = 3};

    el_le_put(page + EL_SMART_TEMPERATURE, 2, 312);
    assert_int_equal(el_fill_page(&slot, EL_READ_SMART, page, EL_NVME_SMART_SIZE, 100), 0);
    el_fill_expire(&slot, 100);
    assert_int_equal(slot.temp_mc[0].quality, EL_GOOD);
    el_fill_expire(&slot, 101);
    assert_int_equal(slot.temp_mc[0].quality, EL_STALE);
    assert_int_equal(slot.stamp[EL_READ_SMART].quality, EL_STALE);

    strcpy(slot.identify.serial, "ABC");
    el_fill_forget(&slot);
    assert_string_equal(slot.last_serial, "ABC");
    assert_string_equal(slot.identify.serial, "");
    assert_int_equal(slot.temp_mc[0].quality, EL_ABSENT);
    assert_int_equal(slot.number, 3);
    el_fill_forget(&slot); /* twice: the serial stays known */
    assert_string_equal(slot.last_serial, "ABC");
}

/* Bytes are bytes: no page may harm a decoder (run under ASan and UBSan). */
static void any_page_decodes(void **state)
{
    struct el_rng rng = el_rng_seed(20260131);
    struct el_slot slot = {0};
    struct el_namespace ns = {0};

    for (int round = 0; round < 3000; round++) {
        for (size_t i = 0; i < sizeof page; i += 8) {
            uint64_t bits = el_rng_u64(&rng);

            memcpy(page + i, &bits, 8);
        }
        if (round % 3 == 0)
            memset(page + el_rng_u64(&rng) % 2048, round % 2 ? 0xff : 0, 2048);
        if (round % 5 == 0)
            memcpy(page + EL_OCP_GUID, (uint8_t[])EL_OCP_GUID_BYTES, 16);
        el_fill_page(&slot, EL_READ_IDENTIFY, page, EL_NVME_IDENTIFY_SIZE, round);
        el_fill_page(&slot, EL_READ_SMART, page, EL_NVME_SMART_SIZE, round);
        el_fill_namespace(&ns, page);
        el_fill_page(&slot, EL_READ_ERROR_LOG, page, sizeof page, round);
        el_fill_page(&slot, EL_READ_FIRMWARE, page, EL_NVME_LOG_SIZE, round);
        el_fill_page(&slot, EL_READ_SELF_TEST, page, EL_NVME_SELF_TEST_SIZE, round);
        el_fill_page(&slot, EL_READ_ENDURANCE, page, EL_NVME_LOG_SIZE, round);
        el_fill_page(&slot, EL_READ_SANITIZE, page, EL_NVME_LOG_SIZE, round);
        el_fill_page(&slot, EL_READ_OCP, page, EL_NVME_LOG_SIZE, round);
        el_fill_page(&slot, EL_READ_SECURITY, page, el_rng_u64(&rng) % (sizeof page + 1), round);
        el_nvme_security_lists(page, el_rng_u64(&rng) % (sizeof page + 1), 1);
        el_fill_feature(&slot, page[0], el_le32(page + 4), el_le32(page + 8), round);
        assert_in_range(slot.identify.power_states, 0, 32);
        for (int i = 0; i < EL_SLOT_SENSORS; i++)
            if (slot.temp_mc[i].quality == EL_GOOD)
                assert_true(slot.temp_mc[i].value >= -59000 && slot.temp_mc[i].value <= 226000);
    }
}

static size_t put_descriptor(size_t at, uint16_t code, uint8_t length, uint8_t bits)
{
    el_be_put(page + at, 2, code);
    page[at + EL_TCG_FEATURE_LENGTH] = length;
    page[at + EL_TCG_FEATURE_DATA] = bits;
    el_be_put(page + EL_TCG_LENGTH, 4, at + EL_TCG_FEATURE_DATA + length - EL_TCG_LENGTH_COUNTS_FROM);
    return at + EL_TCG_FEATURE_DATA + length;
}

static void security_state(void **state)
{
    struct el_slot slot = {0};
    const struct el_nvme_security *s = &slot.logs.security;
    size_t at;

    assert_int_equal(el_fill_page(&slot, EL_READ_SECURITY, page, EL_NVME_SECURITY_SIZE, 1), -ENODATA);
    assert_int_equal(slot.read_faults[EL_READ_SECURITY][EL_FAULT_PAGE], 1);
    el_fill_no_security(&slot, 1); /* no security protocol at all */
    assert_true(slot.stamp[EL_READ_SECURITY].quality == EL_GOOD && !s->tcg && !s->locking_supported);

    at = put_descriptor(EL_TCG_HEADER_SIZE, EL_TCG_FEATURE_TPER, 12, 0xff); /* bits of another feature mean nothing */
    at = put_descriptor(at, EL_TCG_FEATURE_LOCKING, 12, EL_TCG_LOCKING_SUPPORTED | EL_TCG_MEDIA_ENCRYPTION);
    at = put_descriptor(at, 0xc001, 0, 0); /* a vendor's own, empty */
    at = put_descriptor(at, EL_TCG_FEATURE_OPAL_2, 16, 0);
    assert_int_equal(el_fill_page(&slot, EL_READ_SECURITY, page, EL_NVME_SECURITY_SIZE, 1), 0);
    assert_true(s->tcg && s->locking_supported && s->media_encryption && !s->locking_enabled && !s->locked);
    assert_string_equal(el_nvme_ssc_name(s->ssc), "opal-2");

    page[EL_TCG_HEADER_SIZE + 16 + EL_TCG_FEATURE_DATA] |= EL_TCG_LOCKING_ENABLED | EL_TCG_LOCKED;
    assert_int_equal(el_fill_page(&slot, EL_READ_SECURITY, page, EL_NVME_SECURITY_SIZE, 1), 0);
    assert_true(s->locking_enabled && s->locked);
    /* Cut inside the locking feature: what stands behind the cut is not believed. */
    assert_int_equal(el_fill_page(&slot, EL_READ_SECURITY, page, EL_TCG_HEADER_SIZE + 16 + EL_TCG_FEATURE_DATA, 1), 0);
    assert_true(s->tcg && !s->locked && !s->ssc);
    el_be_put(page + EL_TCG_LENGTH, 4, 0xffffffff); /* claims more than there is */
    assert_int_equal(el_fill_page(&slot, EL_READ_SECURITY, page, EL_NVME_SECURITY_SIZE, 1), 0);
    assert_true(s->locked);
    el_be_put(page + EL_TCG_LENGTH, 4, 20); /* shorter than its header: refused, what was known stays */
    assert_int_equal(el_fill_page(&slot, EL_READ_SECURITY, page, EL_NVME_SECURITY_SIZE, 1), -EBADMSG);
    assert_true(s->locked && slot.stamp[EL_READ_SECURITY].quality == EL_FAILED);
}

static void security_protocols(void **state)
{
    page[EL_SECP_LENGTH + 1] = 2;
    page[EL_SECP_LIST + 1] = EL_SECP_TCG;
    page[EL_SECP_LIST + 2] = 0xef; /* behind the end of the list */
    assert_true(el_nvme_security_lists(page, 512, EL_SECP_TCG));
    assert_false(el_nvme_security_lists(page, 512, 0xef));
    assert_false(el_nvme_security_lists(page, EL_SECP_LIST + 1, EL_SECP_TCG));
    assert_false(el_nvme_security_lists(page, 3, EL_SECP_INFORMATION));
    page[EL_SECP_LENGTH] = 0xff;
    assert_true(el_nvme_security_lists(page, 512, 0xef));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(kelvin_is_signed_and_bounded, clear_page),
        cmocka_unit_test_setup(power_scales, clear_page),
        cmocka_unit_test_setup(text_stops_at_its_field, clear_page),
        cmocka_unit_test_setup(namespace_block_sizes, clear_page),
        cmocka_unit_test_setup(namespace_format_index_above_15, clear_page),
        cmocka_unit_test_setup(energy_only_from_controllers_that_have_it, clear_page),
        cmocka_unit_test_setup(pages_that_are_no_reading, clear_page),
        cmocka_unit_test_setup(failed_reads_are_counted_by_reason, clear_page),
        cmocka_unit_test_setup(celsius_where_kelvin_belongs, clear_page),
        cmocka_unit_test_setup(optional_logs, clear_page),
        cmocka_unit_test_setup(features, clear_page),
        cmocka_unit_test_setup(security_state, clear_page),
        cmocka_unit_test_setup(security_protocols, clear_page),
        cmocka_unit_test_setup(old_readings_turn_stale_and_lost_drives_are_forgotten, clear_page),
        cmocka_unit_test_setup(any_page_decodes, clear_page),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
