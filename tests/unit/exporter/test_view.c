/* The views, over one composed snapshot: golden files, no series twice, series per drive, any locale, stale snapshots.
 * EL_UPDATE_GOLDEN=1 writes the golden files instead of comparing with them (target update-golden). */
#include <jansson.h>
#include <locale.h>

#include "base/clock.h"
#include "base/file.h"
#include "exporter/view.h"
#include "model/fill.h"
#include "model/nvme_layout.h"
#include "support/make_snapshot.h"
#include "support/scratch.h"

#define REALTIME_US 1769860800000000LL /* 2026-01-31T12:00:00Z */
#define GOLDEN      EL_SOURCE_DIR "/tests/golden/"

static const struct el_exporter_stats exporter = {
    .process = {.cpu_us = 1250000,
                .start_realtime_us = REALTIME_US - 60000000,
                .rss_bytes = 9000000,
                .vsz_bytes = 40000000,
                .open_fds = 20,
                .max_fds = 1024},
    .http_requests = 41,
    .http_rejects = {[EL_REJECT_NOT_FOUND] = 2},
    .render_us = 153,
    .config_ok = true,
};

/* Every optional log, all eight sensors, seven power states (six with active power, one with idle power), three
 * firmware slots, as far as a poll reads them: more than any captured drive has at once. (32 power states are legal, at
 * six series each.) */
static void fill_up(struct el_slot *t)
{
    uint8_t page[EL_NVME_IDENTIFY_SIZE] = {0};

    el_le_put(page + EL_IDCTRL_VER, 4, 0x20100);
    el_le_put(page + EL_IDCTRL_CTRATT, 4, EL_CTRATT_ENDURANCE_GROUPS | EL_CTRATT_POWER_MEASUREMENT);
    memcpy(page + EL_IDCTRL_SN, "FULL\"\\\n\xff SERIAL     ", 20);
    memset(page + EL_IDCTRL_MN, 'M', 40);
    memcpy(page + EL_IDCTRL_FR, "FW 1.0  ", 8);
    page[EL_IDCTRL_NPSS] = 6;
    page[EL_IDCTRL_HCTMA] = 1;
    el_le_put(page + EL_IDCTRL_TNVMCAP, 16, 3840755982336);
    for (unsigned f = EL_IDCTRL_WCTEMP; f <= EL_IDCTRL_CCTEMP; f += 2)
        el_le_put(page + f, 2, 353);
    for (unsigned f = EL_IDCTRL_MNTMT; f <= EL_IDCTRL_MXTMT; f += 2)
        el_le_put(page + f, 2, 313);
    for (unsigned i = 0; i < 7; i++) {
        uint8_t *d = page + EL_IDCTRL_PSD + EL_IDCTRL_PSD_SIZE * i;

        el_le_put(d + EL_PSD_MP, 2, 2500 - 100 * i);
        el_le_put(d + (i < 6 ? EL_PSD_ACTP : EL_PSD_IDLP), 2, 900);
        d[i < 6 ? EL_PSD_APS : EL_PSD_IPS] = 0x80;
    }
    assert_int_equal(el_fill_page(t, EL_READ_IDENTIFY, page, EL_NVME_IDENTIFY_SIZE, t->stamp[EL_READ_SMART].time_us),
                     0);

    memset(page, 0, sizeof page);
    for (unsigned i = 0; i < 9; i++)
        el_le_put(i ? page + EL_SMART_SENSORS + 2 * (i - 1) : page + EL_SMART_TEMPERATURE, 2, 313 + i);
    page[EL_SMART_SPARE] = 100;
    el_le_put(page + EL_SMART_DATA_UNITS_WRITTEN, 16, 55355155272);
    el_le_put(page + EL_SMART_MEDIA_ERRORS, 16, ~(el_u128)0);
    el_le_put(page + EL_SMART_ENERGY_WH, 8, 1000);
    el_le_put(page + EL_SMART_INTERVAL_POWER, 4, 1234 | 2u << 16);
    assert_int_equal(el_fill_page(t, EL_READ_SMART, page, EL_NVME_SMART_SIZE, t->stamp[EL_READ_SMART].time_us), 0);

    for (int under = 0; under < 2; under++)
        el_fill_feature(t, EL_NVME_FID_TEMPERATURE_THRESHOLD, EL_FEAT_THRESHOLD(0, under), under ? 270 : 350, 1);
    el_fill_feature(t, EL_NVME_FID_HCTM, 0, 340u << 16 | 350, 1);

    memset(page, 0, sizeof page);
    page[0] = 1, page[8] = 'A', page[16] = 'B', page[24] = 'C';
    page[EL_FWLOG_AFI] = 0x21;
    assert_int_equal(el_fill_page(t, EL_READ_FIRMWARE, page, EL_NVME_LOG_SIZE, 1), 0);
    page[EL_SELFTEST_RESULTS] = 0x10;
    assert_int_equal(el_fill_page(t, EL_READ_SELF_TEST, page, EL_NVME_SELF_TEST_SIZE, 1), 0);
    assert_int_equal(el_fill_page(t, EL_READ_ERROR_LOG, page, 64, 1), 0);
    assert_int_equal(el_fill_page(t, EL_READ_ENDURANCE, page, EL_NVME_LOG_SIZE, 1), 0);
    t->logs.endurance.endurance_estimate_bytes = 1;
    page[EL_SANITIZE_STATUS] = 2;
    assert_int_equal(el_fill_page(t, EL_READ_SANITIZE, page, EL_NVME_LOG_SIZE, 1), 0);
    memcpy(page + EL_OCP_GUID, (uint8_t[])EL_OCP_GUID_BYTES, 16);
    page[EL_OCP_VERSION] = 6, page[EL_OCP_ENDURANCE_ESTIMATE] = 1;
    assert_int_equal(el_fill_page(t, EL_READ_OCP, page, EL_NVME_LOG_SIZE, 1), 0);
    memset(page, 0, sizeof page);
    el_be_put(page + EL_TCG_LENGTH, 4, EL_TCG_HEADER_SIZE + 16 - EL_TCG_LENGTH_COUNTS_FROM);
    memcpy(page + EL_TCG_HEADER_SIZE, "\0\2\20\14\7", 5);
    assert_int_equal(el_fill_page(t, EL_READ_SECURITY, page, EL_NVME_SECURITY_SIZE, 1), 0);
    t->action.usable = 1u << EL_ACTUATOR_IO_BUDGET | 1u << EL_ACTUATOR_POWER_STATE | 1u << EL_ACTUATOR_HCTM;
}

static struct el_snapshot *compose(void)
{
    const struct el_test_snapshot o = {.drives = 9,
                                       .sensors = 2,
                                       .seq = 42,
                                       .time_us = 500000000000,
                                       .seed = 7,
                                       .events = 3,
                                       .alarms = 3,
                                       .odd = true};
    struct el_snapshot *s = el_test_snapshot_new(&o);
    int64_t shift = REALTIME_US - s->realtime_us;

    s->realtime_us += shift;
    s->daemon.config_success_realtime_us += shift;
    s->daemon.start_realtime_us += shift;
    for (uint32_t i = 0; i < s->slots.count; i++)
        if (el_snapshot_slots(s)[i].last_success_realtime_us)
            el_snapshot_slots(s)[i].last_success_realtime_us += shift;
    for (uint32_t i = 0; i < s->events.count; i++)
        el_snapshot_events(s)[i].realtime_us += shift;
    for (uint32_t i = 0; i < s->alarms.count; i++)
        el_snapshot_alarms(s)[i].since_realtime_us += shift;
    snprintf(s->daemon.version, sizeof s->daemon.version, "0.0.0");
    fill_up(el_snapshot_slots(s));
    el_snapshot_seal(s);
    return s;
}

static int setup(void **state)
{
    *state = compose();
    return 0;
}

static int teardown(void **state)
{
    el_snapshot_free(*state);
    return 0;
}

enum form { TEXT, OPEN, JSON };

static struct el_buf render(const struct el_snapshot *s, enum form form, uint64_t groups, bool stale)
{
    const struct el_view_options o = {
        .groups = groups, .now_us = s->time_us + 1500000, .stale = stale, .exporter = &exporter};
    struct el_buf b = {0};

    if (form == JSON)
        assert_int_equal(el_view_json(s, &o, &b), 0);
    else
        assert_int_equal(el_view_metrics(s, form == OPEN ? EL_VIEW_OPENMETRICS : EL_VIEW_PROMETHEUS, &o, &b), 0);
    return b;
}

static void compare(const struct el_snapshot *s, enum form form, bool stale, const char *path)
{
    EL_AUTO_BUF struct el_buf got = render(s, form, EL_GROUPS_ALL, stale), want = {0};

    if (getenv("EL_UPDATE_GOLDEN")) {
        assert_int_equal(el_file_replace(AT_FDCWD, path, got.data, got.len, 0644, false), 0);
        return;
    }
    assert_int_equal(el_file_read(AT_FDCWD, path, 1 << 20, &want), 0);
    assert_string_equal(got.data, want.data);
}

static void golden(void **state)
{
    compare(*state, TEXT, false, GOLDEN "metrics.prom");
    compare(*state, OPEN, false, GOLDEN "metrics.openmetrics");
    compare(*state, JSON, false, GOLDEN "snapshot.json");
    compare(*state, TEXT, true, GOLDEN "stale.prom");
    compare(*state, JSON, true, GOLDEN "stale.json");
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Splits in place; sample lines without their values. */
static uint32_t series_of(struct el_buf *page, char **out, uint32_t max)
{
    uint32_t n = 0;

    for (char *line = strtok(page->data, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] == '#')
            continue;
        assert_true(n < max);
        *strrchr(line, ' ') = '\0';
        out[n++] = line;
    }
    return n;
}

static void no_series_twice(void **state)
{
    static char *series[20000];
    const struct el_test_snapshot many = {.drives = 100, .sensors = 8, .odd = true, .alarms = 50};
    struct el_snapshot *large = el_test_snapshot_new(&many);

    for (int i = 0; i < 2; i++) {
        EL_AUTO_BUF struct el_buf page = render(i ? large : *state, TEXT, EL_GROUPS_ALL, false);
        uint32_t n = series_of(&page, series, EL_ARRAY_SIZE(series));

        qsort(series, n, sizeof *series, by_text);
        for (uint32_t k = 1; k < n; k++)
            assert_string_not_equal(series[k - 1], series[k]);
    }
    el_snapshot_free(large);
}

/* What one drive costs: its own series, with those of its link. */
static uint32_t count_of_drive(const struct el_snapshot *s, uint64_t groups)
{
    static char *series[5000];
    EL_AUTO_BUF struct el_buf page = render(s, TEXT, groups, false);
    uint32_t n = series_of(&page, series, EL_ARRAY_SIZE(series)), count = 0;
    const struct el_link *links = el_snapshot_links(s);
    char own[64];

    for (uint32_t i = 0; i < s->links.count; i++)
        if (links[i].slot == 0 && links[i].role == EL_LINK_DRIVE)
            snprintf(own, sizeof own, "address=\"%s\"", links[i].address);
    for (uint32_t i = 0; i < n; i++) {
        bool of_card = strstr(series[i], "card=\"lqd4500-0\"") != NULL;

        count += of_card &&
                 (strstr(series[i], "slot=\"0\"") || (strstr(series[i], own) && !strstr(series[i], "drive_info")));
    }
    return count;
}

static void series_per_drive(void **state)
{
    uint32_t usual = count_of_drive(*state, 0), all = count_of_drive(*state, EL_GROUPS_ALL);

    print_message("fullest drive: %u series by default, %u with everything on\n", usual, all);
    assert_in_range(usual, 60, 90);
    assert_in_range(all, 150, 220);
}

/* German as it is installed, or made for this test where the locale sources are. */
static bool set_decimal_comma(void)
{
    char command[200];

    if (setlocale(LC_ALL, "de_DE.UTF-8"))
        return true;
    if (scratch_set_up(NULL) < 0)
        return false;
    setenv("LOCPATH", scratch, 1);
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1", scratch, scratch);
    bool set = system(command) == 0 && setlocale(LC_ALL, "de_DE.UTF-8");
    return scratch_tear_down(NULL) == 0 && set;
}

static void locale_changes_nothing(void **state)
{
    EL_AUTO_BUF struct el_buf plain = render(*state, TEXT, EL_GROUPS_ALL, false), json = render(*state, JSON, 0, false);

    if (!set_decimal_comma()) {
        print_message("no locale with a decimal comma is installed\n");
        skip();
    }
    assert_string_equal(localeconv()->decimal_point, ",");
    EL_AUTO_BUF struct el_buf other = render(*state, TEXT, EL_GROUPS_ALL, false),
                              other_json = render(*state, JSON, 0, false);
    setlocale(LC_ALL, "C");
    assert_string_equal(plain.data, other.data);
    assert_string_equal(json.data, other_json.data);
}

static void stale_shows_only_what_is_still_true(void **state)
{
    EL_AUTO_BUF struct el_buf page = render(*state, TEXT, 0, true);

    assert_non_null(strstr(page.data, "element_snapshot_stale 1\n"));
    assert_non_null(strstr(page.data, "element_snapshot_age_seconds 1.5\n"));
    assert_non_null(strstr(page.data, "element_drive_up{card=\"lqd4500-0\",slot=\"0\"} 0\n"));
    assert_null(strstr(page.data, "temperature"));
    assert_null(strstr(page.data, "cap_ratio"));
    assert_null(strstr(page.data, "process=\"elementd\""));
}

static void lost_drives_keep_their_place_and_lose_their_values(void **state)
{
    EL_AUTO_BUF struct el_buf page = render(*state, TEXT, EL_GROUPS_ALL, false);

    assert_non_null(strstr(page.data, "element_drive_up{card=\"lqd4500-0\",slot=\"2\"} 0\n"));
    assert_non_null(strstr(page.data, "element_drive_up{card=\"lqd4500-0\",slot=\"3\"} 0\n"));
    assert_null(strstr(page.data, "element_drive_up{card=\"lqd4500-0\",slot=\"1\"}")); /* never held one */
    assert_non_null(strstr(page.data, "element_slot_occupied{card=\"lqd4500-0\",slot=\"1\"} 0\n"));
    assert_null(strstr(page.data, "element_drive_temperature_celsius{card=\"lqd4500-0\",slot=\"3\""));
    assert_null(strstr(page.data, "element_drive_percentage_used_ratio{card=\"lqd4500-0\",slot=\"2\""));
}

static void json_is_sound(void **state)
{
    EL_AUTO_BUF struct el_buf page = render(*state, JSON, 0, false);
    json_error_t error;
    json_t *root = json_loads(page.data, JSON_REJECT_DUPLICATES, &error), *slot;

    assert_non_null(root);
    slot = json_array_get(json_object_get(json_array_get(json_object_get(root, "cards"), 0), "slots"), 0);
    assert_int_equal(json_integer_value(json_object_get(
                         json_object_get(json_object_get(slot, "metrics"), "temperature_celsius"), "composite")),
                     40);
    json_decref(root);
}

static void groups_are_chosen_by_name(void **state)
{
    uint64_t mask = 0;
    char bad[32] = "";

    assert_int_equal(el_metric_groups_parse("", &mask, NULL, 0), 0);
    assert_true(mask == el_metric_groups_default());
    assert_int_equal(el_metric_groups_parse("smart, ocp", &mask, NULL, 0), 0);
    assert_true(mask == (1ull << EL_GROUP_smart | 1ull << EL_GROUP_ocp));
    assert_int_equal(el_metric_groups_parse("default,aer", &mask, NULL, 0), 0);
    assert_true(mask == (el_metric_groups_default() | 1ull << EL_GROUP_aer));
    assert_true(el_metric_groups_parse("smart,speed", &mask, bad, sizeof bad) < 0);
    assert_string_equal(bad, "speed");

    EL_AUTO_BUF struct el_buf page = render(*state, TEXT, 1ull << EL_GROUP_ocp, false);
    assert_int_equal(strncmp(page.data, "# HELP element_drive_ocp_", 25), 0);
    assert_null(strstr(page.data, "spare"));
}

/* Names, units and help of every row obey the rules of the formats. */
static void rows_obey_the_formats(void **state)
{
    for (uint32_t i = 0; i < EL_METRIC_ID_COUNT; i++) {
        const struct el_metric *m = el_metric(i);
        size_t n = strlen(m->name), u = strlen(m->unit);

        assert_non_null(m->read);
        assert_true(strncmp(m->name, "element_", 8) == 0 || strncmp(m->name, "process_", 8) == 0);
        assert_int_equal(strspn(m->name, "abcdefghijklmnopqrstuvwxyz0123456789_"), n);
        assert_true(!u || (n > u && m->name[n - u - 1] == '_' && strcmp(m->name + n - u, m->unit) == 0));
        assert_true(m->help[0] && m->help[strlen(m->help) - 1] == '.' && !strchr(m->help, '\n') &&
                    !strchr(m->help, '\\'));
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(el_metric(k)->name, m->name);
    }
}

/* A page for 1,024 drives within 30 ms of processor time, one for 8 within 0.3 ms; three times that here, for a busy
 * machine. */
static void fast_enough(void **state)
{
    const struct el_test_snapshot o = {.drives = 1024, .sensors = 2}, small = {.drives = 8, .sensors = 2};
    struct el_snapshot *s[] = {el_test_snapshot_new(&o), el_test_snapshot_new(&small)};
    static const int64_t most_us[] = {90000, 900};

    for (int i = 0; i < 2; i++) {
        int64_t best = INT64_MAX;

        for (int round = 0; round < 5; round++) {
            int64_t start = el_clock_thread_cpu_us();
            EL_AUTO_BUF struct el_buf page = render(s[i], TEXT, 0, false);

            best = EL_MIN(best, el_clock_thread_cpu_us() - start);
        }
        print_message("%u drives: %lld us\n", s[i]->slots.count, (long long)best);
#ifdef NDEBUG /* not under a sanitizer */
        assert_true(best <= most_us[i]);
#endif
        el_snapshot_free(s[i]);
    }
    (void)most_us;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden),
        cmocka_unit_test(no_series_twice),
        cmocka_unit_test(series_per_drive),
        cmocka_unit_test(locale_changes_nothing),
        cmocka_unit_test(stale_shows_only_what_is_still_true),
        cmocka_unit_test(lost_drives_keep_their_place_and_lose_their_values),
        cmocka_unit_test(json_is_sound),
        cmocka_unit_test(groups_are_chosen_by_name),
        cmocka_unit_test(rows_obey_the_formats),
        cmocka_unit_test(fast_enough),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
