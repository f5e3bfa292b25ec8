#include <dirent.h>
#include <math.h>

#include "config/config.h"
#include "config/yaml.h"
#include "support/scratch.h"

#define PROFILES EL_SOURCE_DIR "/deploy/profiles"

static struct el_config_error err;

/* Calls `check` for each shipped profile. */
static void each_profile(void (*check)(const char *path, const char *name))
{
    DIR *d = opendir(PROFILES);
    struct dirent *e;
    unsigned seen = 0;

    assert_non_null(d);
    while ((e = readdir(d))) {
        char path[512], name[256];
        char *dot;

        snprintf(name, sizeof name, "%s", e->d_name);
        dot = strrchr(name, '.');
        if (!dot || strcmp(dot, ".yaml") != 0)
            continue;
        *dot = 0;
        snprintf(path, sizeof path, PROFILES "/%s", e->d_name);
        check(path, name);
        seen++;
    }
    closedir(d);
    assert_true(seen > 40);
}

static void loads(const char *path, const char *name)
{
    EL_AUTO_YAML struct el_yaml *y = NULL;
    struct el_card_profile card;
    struct el_drive_profile drive;

    assert_int_equal(el_yaml_load(path, &y, &err), 0);
    if (el_yaml_get(y, "drive") == y->child[0]) {
        if (el_config_load_drive(PROFILES, name, &drive, &err) < 0)
            fail_msg("%s", err.text);
        return;
    }
    if (el_config_load_card(PROFILES, name, &card, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(card.workloads == 16);
    for (uint32_t i = 0; i < card.slots; i++)
        if (el_config_load_drive(PROFILES, card.drive[i], &drive, &err) < 0)
            fail_msg("%s: %s", name, err.text);
}

static void every_profile_loads(void **state)
{
    each_profile(loads);
}

/* A line that states a value says where the value comes from. */
static void names_sources(const char *path, const char *name)
{
    FILE *f = fopen(path, "r");
    char line[512];
    unsigned n = 0;
    bool list_with_source = false;

    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        n++;
        if (line[0] == '#' || strncmp(line, "card:", 5) == 0 || strncmp(line, "drive:", 6) == 0 ||
            strncmp(line, "derives_from:", 13) == 0)
            continue;
        if (strncmp(line, "power_states:", 13) == 0)
            continue;
        if (strstr(line, "# assumed") || strstr(line, "# source: ")) {
            list_with_source = strncmp(line, "workloads:", 10) == 0;
            continue;
        }
        if (!(list_with_source && line[0] == ' '))
            fail_msg("%s:%u: no \"# source: ...\" and no \"# assumed\"", name, n);
    }
    fclose(f);
}

static void every_number_has_a_source(void **state)
{
    each_profile(names_sources);
}

static void reference_cards(void **state)
{
    struct el_card_profile c;
    struct el_drive_profile d;

    assert_int_equal(el_config_load_card(PROFILES, "element-aic", &c, &err), 0);
    assert_int_equal(c.slots, 4);
    assert_true(c.has_switch && c.link_gts10 == 80 && c.link_width == 8);
    assert_true(c.workload[0].iops == 1454406 && c.workload[0].block_origin == EL_MEASURED);
    assert_true(c.workload[4].block_origin == EL_ASSUMED);
    assert_int_equal(el_config_load_card(PROFILES, "element-aic-ent-12t8", &c, &err), 0);
    assert_true(c.rated_endurance_bytes == 30765e12 && c.slots == 4 && c.workloads == 16);
    assert_string_equal(c.drive[3], "samsung-sm963-m2-3t2");
    assert_int_equal(el_config_load_card(PROFILES, "single-intel-p4510", &c, &err), 0);
    assert_false(c.has_switch);
    assert_int_equal(el_config_load_drive(PROFILES, "toshiba-xg5p-2tb", &d, &err), 0);
    assert_int_equal(d.power_states, 5);
    assert_true(d.power_state[0].operational && !d.power_state[4].operational && d.power_state[4].max_w == 0.003);
    assert_int_equal(d.nvme_version, 0x10201);
    assert_false(d.hctm);
    assert_int_equal(el_config_load_drive(PROFILES, "toshiba-px04-1t6", &d, &err), 0);
    assert_string_equal(d.derived_from, "generic-u2");
}

/* Every published fact of the two cards that a profile can state, written down a second time from the publications. */
static void published_facts_of_the_cards(void **state)
{
    static const char *const names[] = {"element-aic", "lqd4500"};
    static const struct {
        const char *name;
        double iops[2], latency_us[2]; /* of the Element AIC, the LQD4500 */
    } peaks[] = {
        {"random-read-4k", {1454406, 2185469}, {273.4, 455}},
        {"random-write-4k", {664399, 819815}, {30.7, 944}},
        {"sequential-read-64k", {106935, 218000}, {597, 1000}},
        {"sequential-write-64k", {40679, 52059}, {1431.1, 2400}},
        {"sql", {686486, 989819}, {184.5, 266}},
        {"sql-90-10", {561899, 618010}, {224.2, 347}},
        {"sql-80-20", {459010, 572844}, {271.4, 405}},
        {"oracle", {396492, 493325}, {334.5, 476}},
        {"oracle-90-10", {486053, 563626}, {179.7, 274}},
        {"oracle-80-20", {417434, 450701}, {207.6, 343}},
        {"vdi-full-clone-boot", {294803, 499859}, {443.7, 442}},
        {"vdi-full-clone-initial-login", {128741, 149324}, {906.5, 1400}},
        {"vdi-full-clone-monday-login", {97380, 114793}, {651.5, 895}},
        {"vdi-linked-clone-boot", {182415, 322332}, {348.7, 310}},
        {"vdi-linked-clone-initial-login", {57987, 63144}, {547.8, 802}},
        {"vdi-linked-clone-monday-login", {72412, 93103}, {878.9, 1100}},
    };

    for (int k = 0; k < 2; k++) {
        struct el_card_profile c;

        assert_int_equal(el_config_load_card(PROFILES, names[k], &c, &err), 0);
        assert_int_equal(c.workloads, EL_ARRAY_SIZE(peaks));
        for (size_t w = 0; w < EL_ARRAY_SIZE(peaks); w++) {
            assert_string_equal(c.workload[w].name, peaks[w].name);
            if (c.workload[w].iops != peaks[w].iops[k] || c.workload[w].latency_us != peaks[w].latency_us[k])
                fail_msg("%s: %s: %g IOPS at %g us", names[k], peaks[w].name, c.workload[w].iops,
                         c.workload[w].latency_us);
        }
        assert_int_equal(c.slots, k ? 8 : 4);
        assert_true(c.has_switch && c.link_gts10 == (k ? 160 : 80) && c.link_width == (k ? 16 : 8));
        assert_true(c.airflow_min_lfm == 400 && c.inlet_min_c == 0 && c.inlet_max_c == 55);
        assert_true(c.humidity_min_ratio == 0.05 && c.humidity_max_ratio == 0.95 && c.warranty_years == 3);
        assert_true(k ? isnan(c.typical_w) && c.max_w == 65 : c.typical_w == 25 && c.max_w == 37 && c.switch_w == 5);
        assert_string_equal(c.drive[0], k ? "toshiba-xg5p-2tb" : "samsung-sm963-m2-1t92");
    }
}

/* Likewise, from the drives' own Identify pages. */
static void published_facts_of_the_drives(void **state)
{
    static const struct {
        const char *name;
        double wctemp_c, cctemp_c, max_w;
        uint32_t power_states, exit_us; /* of the last of them */
    } drives[] = {
        {"samsung-pm963-m2-1t92", 77, 80, 9, 1, 5},  {"samsung-sm963-m2-1t92", 77, 80, 9, 1, 5},
        {"samsung-pm983-m2-1t92", 86, 87, 8, 1, 0},  {"samsung-pm983-m2-3t84", 87, 88, 8, 1, 0},
        {"samsung-983dct-1t92", 87, 88, 10.6, 1, 0}, {"samsung-pm9a3-m2-960g", 77, 85, 8.25, 1, 70},
        {"toshiba-xg5p-1tb", 78, 82, 6, 5, 80000},   {"toshiba-xg5p-2tb", 78, 82, 6, 5, 80000},
        {"toshiba-xg5-1tb", 78, 82, 6, 5, 90000},    {"samsung-pm1725a-1t6", 79, 86, 25, 1, 100},
        {"intel-p4510-4tb", 70, 80, 20, 1, 0},       {"huawei-es3000-v5-3t2", 78, 85, 25, 3, 0},
    };

    for (size_t i = 0; i < EL_ARRAY_SIZE(drives); i++) {
        struct el_drive_profile d;

        if (el_config_load_drive(PROFILES, drives[i].name, &d, &err) < 0)
            fail_msg("%s", err.text);
        if (d.wctemp_c != drives[i].wctemp_c || d.cctemp_c != drives[i].cctemp_c ||
            d.power_states != drives[i].power_states || d.power_state[0].max_w != drives[i].max_w ||
            d.power_state[d.power_states - 1].exit_us != drives[i].exit_us)
            fail_msg("%s", drives[i].name);
    }
}

static void refuses(const char *kind, const char *text, const char *message)
{
    struct el_card_profile card;
    struct el_drive_profile drive;
    int r;

    put("x.yaml", text);
    r = strcmp(kind, "card") == 0 ? el_config_load_card(scratch, "x", &card, &err)
                                  : el_config_load_drive(scratch, "x", &drive, &err);
    assert_true(r < 0);
    if (!strstr(err.text, message))
        fail_msg("got \"%s\", expected \"%s\"", err.text, message);
}

static void bad_profiles(void **state)
{
    refuses("drive", "card: x\n", "x.yaml:1: not a drive profile");
    refuses("drive", "drive: y\n", "x.yaml:1: drive: must be the name of the file");
    refuses("drive", "drive: x\nmodle: a\n", "x.yaml:2: modle: unknown key");
    refuses("drive", "drive: x\nmodel: a\n", "firmware is missing");
    refuses("drive", "drive: x\nderives_from: x\n", "too long a chain");
    refuses("drive", "drive: x\nderives_from: ../x\n", "is not the name of a drive profile");
    refuses("card", "card: x\ntitle: t\nslots: 40\n",
            "x.yaml:3: slots: got \"40\", expected a whole number from 1 to 32");
    refuses("card", "card: x\nderives_from: none\n", "no card profile \"none\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_profile_loads),
        cmocka_unit_test(every_number_has_a_source),
        cmocka_unit_test(reference_cards),
        cmocka_unit_test(published_facts_of_the_cards),
        cmocka_unit_test(published_facts_of_the_drives),
        cmocka_unit_test(bad_profiles),
    };

    return cmocka_run_group_tests(tests, scratch_set_up, scratch_tear_down);
}
