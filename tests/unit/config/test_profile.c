#include <dirent.h>

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
        cmocka_unit_test(bad_profiles),
    };

    return cmocka_run_group_tests(tests, scratch_set_up, scratch_tear_down);
}
