#include "control/card_setup.h"
#include "support/unit.h"

static struct el_settings settings;
static struct el_card card;
static struct el_slot slots[2];
static struct el_card_facts facts;

static int fresh(void **state)
{
    el_settings_default(&settings);
    card = (struct el_card){.name = "lqd4500-0", .slots = 2, .has_switch = true};
    memset(slots, 0, sizeof slots);
    for (int i = 0; i < 2; i++) {
        snprintf(slots[i].identify.serial, sizeof slots[i].identify.serial, "SN%d", i);
        slots[i].identify.wctemp_k = 273 + 78;
        slots[i].identify.cctemp_k = 273 + 82;
    }
    facts = (struct el_card_facts){.card = &card, .slots = slots};
    return 0;
}

static struct el_card_settings *entry(const char *name)
{
    struct el_card_settings *e = &settings.card[settings.cards++];

    strcpy(e->card, name);
    return e;
}

static double limit(void)
{
    struct el_governor_card g;

    el_card_setup(&settings, &facts, &g);
    return g.slot[0].limit_c;
}

static void limit_is_the_lower_of_operator_and_drive(void **state)
{
    assert_true(limit() == 77); /* one below the drive's own warning */
    entry("*")->limit_c = 70;
    assert_true(limit() == 70); /* as asked for, without a margin of ours */
    settings.card[0].limit_c = 90;
    assert_true(limit() == 77);
    settings.card[0].margin_c = 3;
    assert_true(limit() == 75);
    settings.card[0].limit_c = 70;
    assert_true(limit() == 67);
    slots[0].identify.wctemp_k = 0; /* a drive that says nothing */
    assert_true(limit() == 67);
    settings.card[0].limit_c = NAN;
    slots[0].identify.cctemp_k = 0;
    assert_true(isnan(limit()));
    settings.card[0].margin_c = NAN;
    slots[0].identify.wctemp_k = 274; /* it would be held back for ever */
    assert_true(isnan(limit()));
    slots[0].identify.wctemp_k = 0xffff; /* it would never be */
    assert_true(isnan(limit()));
    slots[0].identify.cctemp_k = 273 + 80; /* critical below, or without, warning */
    assert_true(limit() == 79);
    slots[0].identify.wctemp_k = 273 + 85;
    assert_true(limit() == 79);
}

static void later_entries_win_field_by_field(void **state)
{
    struct el_card_settings cs;

    entry("*")->limit_c = 70;
    settings.card[0].card_limit_w = 40;
    entry("lqd4500-0")->limit_c = 65;
    entry("SN1")->weight[1] = 4;
    entry("another")->limit_c = 20;
    el_card_settings_of(&settings, &card, slots, &cs);
    assert_true(cs.limit_c == 65 && cs.card_limit_w == 40);
    assert_true(cs.weight[0] == 1 && cs.weight[1] == 4);
}

static void power_states_fall_and_operate(void **state)
{
    static const struct {
        double w;
        bool operational;
    } states[] = {{6, true}, {6, true}, {2.4, true}, {3, true}, {0, true}, {0.05, false}};
    struct el_governor_card g;

    for (size_t i = 0; i < EL_ARRAY_SIZE(states); i++)
        slots[0].identify.power_state[i] =
            (struct el_nvme_power_state){.max_uw = (uint32_t)(states[i].w * 1e6), .operational = states[i].operational};
    slots[0].identify.power_states = EL_ARRAY_SIZE(states);
    facts.usable[0] = 1u << EL_ACTUATOR_POWER_STATE;
    el_card_setup(&settings, &facts, &g);
    assert_int_equal(g.slot[0].power_states, 2);
    assert_int_equal(g.slot[0].power_state_id[1], 2);
    assert_true(g.slot[0].can_power_state);
    assert_false(g.slot[0].can_cap);
    assert_false(g.slot[1].can_power_state); /* one state is no choice */
    settings.governor.use_power_state = false;
    el_card_setup(&settings, &facts, &g);
    assert_false(g.slot[0].can_power_state);
}

static void arrays_join_their_members(void **state)
{
    struct el_governor_card g;

    for (int i = 0; i < 2; i++) {
        strcpy(slots[i].array, "md0");
        slots[i].array_level = EL_ARRAY_STRIPE;
    }
    el_card_setup(&settings, &facts, &g);
    assert_int_equal(g.arrays, 1);
    assert_int_equal(g.slot[0].array, 0);
    assert_int_equal(g.slot[1].array, 0);
    slots[1].array[0] = '\0';
    el_card_setup(&settings, &facts, &g);
    assert_int_equal(g.slot[1].array, -1);
}

static void inlet_is_required_where_a_sensor_is_mapped(void **state)
{
    struct el_governor_card g;

    el_card_setup(&settings, &facts, &g);
    assert_true(g.inlet_assumed_c == 35);
    entry("*")->inlet_c = 28;
    el_card_setup(&settings, &facts, &g);
    assert_true(g.inlet_assumed_c == 28);
    facts.inlet_sensor = true;
    el_card_setup(&settings, &facts, &g);
    assert_true(isnan(g.inlet_assumed_c));
}

static void a_profile_bounds_its_links(void **state)
{
    const struct el_card_profile p = {.link_gts10 = 160, .link_width = 8, .slot_link_gts10 = 80, .slot_link_width = 4};
    struct el_link up = {.role = EL_LINK_UPSTREAM, .up = true, .known = true, .current_mts = 8000, .current_width = 8},
                   port = {.role = EL_LINK_DOWNSTREAM}, drive = up, l[3];
    struct el_card_settings cs;

    up.expected_mts = 16000, up.expected_width = 16;     /* the card has eight lanes only */
    drive.role = EL_LINK_DRIVE, drive.current_width = 2; /* nobody told what it could do: the profile does */
    l[0] = up, l[1] = port, l[2] = drive;
    el_card_links(&p, l, 3);
    assert_int_equal(l[0].expected_mts, 16000);
    assert_int_equal(l[0].expected_width, 8);
    assert_true(l[0].degraded && !l[1].expected_mts && !l[1].degraded && l[2].degraded);
    assert_int_equal(l[2].expected_mts, 8000);
    l[0].current_mts = 16000, l[2].current_width = 4;
    el_card_links(&p, l, 3);
    assert_false(l[0].degraded || l[2].degraded);
    strcpy(entry("*")->profile, "generic-quad");
    strcpy(entry(card.name)->profile, "lqd4500");
    entry("*")->limit_c = 70;
    el_card_settings_of(&settings, &card, slots, &cs);
    assert_string_equal(cs.profile, "lqd4500");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(limit_is_the_lower_of_operator_and_drive, fresh),
        cmocka_unit_test_setup(later_entries_win_field_by_field, fresh),
        cmocka_unit_test_setup(power_states_fall_and_operate, fresh),
        cmocka_unit_test_setup(arrays_join_their_members, fresh),
        cmocka_unit_test_setup(inlet_is_required_where_a_sensor_is_mapped, fresh),
        cmocka_unit_test_setup(a_profile_bounds_its_links, fresh),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
