#include "model/fill.h"
#include "model/nvme_layout.h"
#include "support/unit.h"
#include "profiles.h"

static struct bench b;
static struct el_inventory inv;

static void open_with(const struct el_scenario *s)
{
    char why[400] = "";

    bench_init(&b);
    b.options.scenario = s;
    if (el_twin_open(&b.options, &b.dev, why, sizeof why) < 0)
        fail_msg("%s", why);
    assert_int_equal(b.dev.ops->discover(b.dev.dev, &inv), 0);
}

static void shut(void)
{
    b.dev.ops->close(b.dev.dev);
    el_inventory_free(&inv);
}

static int admin(uint32_t key, enum el_admin_kind kind, uint8_t id, uint32_t value, void *data, uint32_t size,
                 uint32_t *result)
{
    struct el_admin cmd = {
        .kind = kind, .id = id, .nsid = EL_NVME_NSID_ALL, .value = value, .data = data, .size = size};
    int r = b.dev.ops->admin(b.dev.dev, key, &cmd);

    if (result)
        *result = cmd.result;
    return r;
}

static struct el_slot *poll_slot(uint32_t i)
{
    static uint8_t page[4096];

    assert_int_equal(admin(inv.slots[i].key, EL_ADMIN_IDENTIFY, 1, 0, page, 4096, NULL), 0);
    assert_int_equal(el_fill_page(&inv.slots[i], EL_READ_IDENTIFY, page, EL_NVME_IDENTIFY_SIZE, 1), 0);
    assert_int_equal(admin(inv.slots[i].key, EL_ADMIN_GET_LOG, EL_NVME_LID_SMART, 0, page, 512, NULL), 0);
    assert_int_equal(el_fill_page(&inv.slots[i], EL_READ_SMART, page, EL_NVME_SMART_SIZE, b.dev.ops->now_us(b.dev.dev)),
                     0);
    return &inv.slots[i];
}

static void inventory_is_whole(void **state)
{
    open_with(NULL);
    assert_int_equal(inv.n.cards, 1);
    assert_int_equal(inv.n.slots, 4);
    assert_int_equal(inv.n.links, 2 + 4 + 4);
    assert_int_equal(inv.n.namespaces, 4);
    assert_int_equal(inv.n.sensors, 8); /* inlet, airflow, power, switch, humidity, pwm, two fans */
    for (uint32_t i = 0; i < inv.n.links; i++)
        assert_true(inv.links[i].up && !inv.links[i].degraded && inv.links[i].current_mts == 8000);
    for (uint32_t i = 0; i < inv.n.sensors; i++)
        assert_int_equal(inv.sensors[i].value.quality, EL_GOOD);
    shut();
}

static void pages_decode(void **state)
{
    uint8_t page[4096];
    const struct el_slot *s;

    open_with(NULL);
    el_twin_advance(b.dev.dev, 600);
    s = poll_slot(2);
    assert_string_equal(s->identify.model, "Test M.2");
    assert_int_equal(s->identify.power_states, 3);
    assert_int_equal(s->identify.power_state[0].max_uw, 9000000);
    assert_int_equal(s->identify.power_state[2].max_uw, 50000);
    assert_true(s->identify.power_state[1].operational && !s->identify.power_state[2].operational);
    assert_int_equal(s->identify.wctemp_k, 350);
    assert_true(s->identify.hctm);
    assert_true(s->temp_mc[0].quality == EL_GOOD && s->temp_mc[0].value > 30000 && s->temp_mc[0].value < 70000);
    assert_true(s->temp_mc[2].quality == EL_GOOD && s->temp_mc[3].quality == EL_ABSENT);
    assert_true(s->temp_mc[0].value % 1000 == 0);
    assert_int_equal(admin(2, EL_ADMIN_IDENTIFY, 0, 0, page, 4096, NULL), 0);
    assert_int_equal(el_fill_namespace(&inv.namespaces[2], page), 0);
    assert_true(inv.namespaces[2].size_bytes == 1920383410176);
    assert_int_equal(admin(2, EL_ADMIN_GET_LOG, EL_NVME_LID_OCP_SMART, 0, page, 512, NULL), 0);
    assert_int_equal(el_fill_page(&inv.slots[2], EL_READ_OCP, page, EL_NVME_LOG_SIZE, 1), 0);
    assert_int_equal(admin(2, EL_ADMIN_GET_LOG, EL_NVME_LID_SELF_TEST, 0, page, 564, NULL), 0);
    assert_int_equal(admin(2, EL_ADMIN_GET_LOG, EL_NVME_LID_SUPPORTED, 0, page, 1024, NULL), 0);
    assert_int_equal(page[4 * 0xc0], 1);
    shut();
}

static void locks_close_and_open(void **state)
{
    struct el_scenario s = {
        .events = 1, .event[0] = {.at_s = 60, .for_s = 60, .kind = EL_SCENARIO_DRIVE_LOCKED, .card = -1, .slot = 1}};
    const struct el_nvme_security *now;
    uint8_t page[EL_NVME_SECURITY_SIZE];

    open_with(&s);
    now = &inv.slots[1].logs.security;
    assert_int_equal(admin(1, EL_ADMIN_SECURITY_RECEIVE, EL_SECP_INFORMATION, 0, page, 512, NULL), 0);
    assert_true(el_nvme_security_lists(page, 512, EL_SECP_TCG));
    assert_true(admin(1, EL_ADMIN_SECURITY_RECEIVE, 0x02, 0, page, 512, NULL) > 0);
    for (int minute = 0; minute < 3; minute++) {
        assert_int_equal(admin(1, EL_ADMIN_SECURITY_RECEIVE, EL_SECP_TCG, EL_TCG_DISCOVERY, page, sizeof page, NULL),
                         0);
        assert_int_equal(el_fill_page(&inv.slots[1], EL_READ_SECURITY, page, sizeof page, 1), 0);
        assert_true(now->locking_supported && now->media_encryption && now->locked == (minute == 1));
        assert_string_equal(el_nvme_ssc_name(now->ssc), "opal-2");
        el_twin_advance(b.dev.dev, 65);
    }
    shut();
}

static void refused_commands_leave_an_error_entry(void **state)
{
    uint8_t page[512];
    el_u128 before;

    open_with(NULL);
    before = poll_slot(0)->smart.error_log_entries;
    assert_true(admin(0, EL_ADMIN_GET_LOG, 0xca, 0, page, 512, NULL) > 0);
    assert_true(poll_slot(0)->smart.error_log_entries == before + 1);
    shut();
}

static void features_are_kept_and_reset(void **state)
{
    uint32_t v;

    open_with(NULL);
    assert_int_equal(admin(1, EL_ADMIN_SET_FEATURE, EL_NVME_FID_POWER_MANAGEMENT, 1, NULL, 0, NULL), 0);
    assert_int_equal(admin(1, EL_ADMIN_GET_FEATURE, EL_NVME_FID_POWER_MANAGEMENT, 0, NULL, 0, &v), 0);
    assert_int_equal(v, 1);
    assert_true(admin(1, EL_ADMIN_SET_FEATURE, EL_NVME_FID_POWER_MANAGEMENT, 9, NULL, 0, NULL) > 0);
    assert_int_equal(admin(1, EL_ADMIN_GET_FEATURE, EL_NVME_FID_TEMPERATURE_THRESHOLD, 0, NULL, 0, &v), 0);
    assert_int_equal(v, 350);
    assert_true(admin(1, EL_ADMIN_SET_FEATURE, EL_NVME_FID_HCTM, (20 + 273) << 16, NULL, 0, NULL) > 0);
    assert_int_equal(admin(1, EL_ADMIN_SET_FEATURE, EL_NVME_FID_HCTM, (60 + 273) << 16 | (70 + 273), NULL, 0, NULL), 0);
    shut();
}

static void a_low_power_state_saves_power(void **state)
{
    struct el_actuator_value v = {.power_state = 1};
    struct el_twin_truth t;
    char why[100], text[200];

    open_with(NULL);
    assert_int_equal(b.dev.ops->actuator_usable(b.dev.dev, EL_ACTUATOR_POWER_STATE, 0, why, sizeof why), 0);
    assert_int_equal(b.dev.ops->actuator_save(b.dev.dev, EL_ACTUATOR_POWER_STATE, 0, text, sizeof text), 0);
    assert_int_equal(b.dev.ops->actuator_write(b.dev.dev, EL_ACTUATOR_POWER_STATE, 0, &v), 0);
    el_twin_advance(b.dev.dev, 10);
    el_twin_truth(b.dev.dev, 0, &t);
    assert_true(t.slot[0].power_w < 5.5 && t.slot[1].power_w > 6);
    assert_int_equal(b.dev.ops->actuator_restore(b.dev.dev, EL_ACTUATOR_POWER_STATE, 0, text), 0);
    el_twin_advance(b.dev.dev, 10);
    el_twin_truth(b.dev.dev, 0, &t);
    assert_true(t.slot[0].power_w > 6);
    shut();
}

static void a_budget_is_saved_and_restored(void **state)
{
    struct el_actuator_value v = {.cap = {.ratio = 0.4,
                                          .budget_w = 2.2,
                                          .read_j_per_byte = 1e-9,
                                          .write_j_per_byte = 2e-9,
                                          .read_j_per_op = 1e-6,
                                          .write_j_per_op = 1e-5}},
                             r;
    char text[200];

    open_with(NULL);
    assert_int_equal(b.dev.ops->actuator_write(b.dev.dev, EL_ACTUATOR_IO_BUDGET, 3, &v), 0);
    assert_int_equal(b.dev.ops->actuator_save(b.dev.dev, EL_ACTUATOR_IO_BUDGET, 3, text, sizeof text), 0);
    v.cap.ratio = 1;
    assert_int_equal(b.dev.ops->actuator_write(b.dev.dev, EL_ACTUATOR_IO_BUDGET, 3, &v), 0);
    assert_int_equal(b.dev.ops->actuator_restore(b.dev.dev, EL_ACTUATOR_IO_BUDGET, 3, text), 0);
    assert_int_equal(b.dev.ops->actuator_read(b.dev.dev, EL_ACTUATOR_IO_BUDGET, 3, &r), 0);
    assert_true(r.cap.ratio == 0.4 && r.cap.write_j_per_op == 1e-5);
    assert_int_equal(b.dev.ops->actuator_restore(b.dev.dev, EL_ACTUATOR_IO_BUDGET, 3, "rubbish"), -EINVAL);
    shut();
}

static struct el_scenario_event event(enum el_scenario_kind kind, int32_t slot, double value)
{
    return (struct el_scenario_event){.at_s = 10, .for_s = 20, .kind = kind, .card = -1, .slot = slot, .value = value};
}

static void scenario_events_come_and_go(void **state)
{
    static struct el_scenario s;
    uint8_t page[512];
    char serial[61];

    s = (struct el_scenario){.events = 7};
    s.event[0] = event(EL_SCENARIO_DRIVE_HUNG, 0, 0);
    s.event[1] = event(EL_SCENARIO_DRIVE_GONE, 1, 0);
    s.event[2] = event(EL_SCENARIO_SENSOR_LYING, 2, 20);
    s.event[3] = event(EL_SCENARIO_LINK_DOWNTRAINED, 3, 1);
    s.event[4] = event(EL_SCENARIO_INLET, -1, 45);
    s.event[5] = event(EL_SCENARIO_FAN_DEAD, -1, 0);
    s.event[6] = event(EL_SCENARIO_ACTUATOR_REFUSED, 3, 0);
    open_with(&s);
    el_twin_advance(b.dev.dev, 5);
    assert_false(b.dev.ops->changed(b.dev.dev));
    el_twin_advance(b.dev.dev, 10);
    assert_int_equal(admin(0, EL_ADMIN_GET_LOG, EL_NVME_LID_SMART, 0, page, 512, NULL), -ETIMEDOUT);
    assert_int_equal(admin(1, EL_ADMIN_GET_LOG, EL_NVME_LID_SMART, 0, page, 512, NULL), -ENODEV);
    assert_true(b.dev.ops->changed(b.dev.dev));
    assert_true(poll_slot(2)->temp_mc[0].value > poll_slot(3)->temp_mc[0].value + 10000);
    assert_int_equal(b.dev.ops->actuator_write(b.dev.dev, EL_ACTUATOR_IO_BUDGET, 3,
                                               &(struct el_actuator_value){.cap = {.ratio = 0.5, .budget_w = 1}}),
                     -EIO);
    assert_int_equal(b.dev.ops->discover(b.dev.dev, &inv), 0);
    assert_int_equal(inv.slots[1].state, EL_SLOT_GONE);
    assert_int_equal(inv.n.namespaces, 3);
    assert_true(inv.links[9].degraded && inv.links[9].current_width == 1);
    for (uint32_t i = 0; i < inv.n.sensors; i++)
        if (inv.sensors[i].role == EL_ROLE_INLET)
            assert_true(inv.sensors[i].value.value > 43000);
        else if (inv.sensors[i].role == EL_ROLE_AIRFLOW)
            assert_true(inv.sensors[i].value.value < 230000); /* one fan of two is dead */
    el_twin_advance(b.dev.dev, 20);
    assert_int_equal(b.dev.ops->discover(b.dev.dev, &inv), 0);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(inv.slots[i].state, EL_SLOT_UP);
    assert_false(inv.links[9].degraded);
    strcpy(serial, poll_slot(0)->identify.serial);
    shut();

    s = (struct el_scenario){.events = 1};
    s.event[0] = event(EL_SCENARIO_DRIVE_SWAPPED, 0, 0);
    open_with(&s);
    el_twin_advance(b.dev.dev, 15);
    assert_string_not_equal(poll_slot(0)->identify.serial, serial);
    shut();
}

static void in_real_time_the_card_is_warm_and_counts_from_zero(void **state)
{
    struct el_twin_truth t;
    char why[200];

    bench_init(&b);
    b.options.virtual_time = false;
    b.options.workload = NULL;
    b.options.inlet_c = 50;
    assert_int_equal(el_twin_open(&b.options, &b.dev, why, sizeof why), 0);
    el_twin_truth(b.dev.dev, 0, &t);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(t.slot[i].temp_c > 68 && t.slot[i].temp_c < 75); /* 5 below the warning temperature at most */
        assert_true(t.slot[i].served_ops < 1e6);
    }
    assert_true(t.time_s < 5);
    b.dev.ops->close(b.dev.dev);
}

/* Whoever holds a card at less finds it so. */
static void a_warm_card_was_held_at_the_operators_limits(void **state)
{
    struct el_twin_truth t;
    char why[200];

    for (int by_watts = 0; by_watts < 2; by_watts++) {
        bench_init(&b);
        b.options.virtual_time = false;
        b.options.workload = NULL;
        b.options.inlet_c = 35;
        b.options.limit_c = by_watts ? NAN : 60;
        b.options.card_limit_w = by_watts ? 22 : NAN;
        assert_int_equal(el_twin_open(&b.options, &b.dev, why, sizeof why), 0);
        el_twin_truth(b.dev.dev, 0, &t);
        for (uint32_t i = 0; i < 4; i++)
            assert_true(t.slot[i].temp_c > 45 && t.slot[i].temp_c < (by_watts ? 62 : 57));
        b.dev.ops->close(b.dev.dev);
    }
}

static void ramps_move_slowly(void **state)
{
    static struct el_scenario s;
    struct el_twin_truth t;

    s = (struct el_scenario){.events = 1};
    s.event[0] = (struct el_scenario_event){
        .at_s = 100, .ramp_s = 100, .kind = EL_SCENARIO_AIRFLOW, .card = -1, .slot = -1, .value = 200};
    open_with(&s);
    el_twin_advance(b.dev.dev, 150);
    el_twin_truth(b.dev.dev, 0, &t);
    assert_true(fabs(t.airflow_lfm - 300) < 2);
    el_twin_advance(b.dev.dev, 100);
    el_twin_truth(b.dev.dev, 0, &t);
    assert_true(t.airflow_lfm == 200);
    shut();
}

/* Not even fans that stand still from the first moment on make a temperature that is no number. */
static void starts_in_still_air(void **state)
{
    struct el_twin_truth truth;
    char why[400];

    bench_init(&b);
    b.options.airflow_lfm = 0;
    assert_int_equal(el_twin_open(&b.options, &b.dev, why, sizeof why), 0);
    el_twin_advance(b.dev.dev, 600);
    el_twin_truth(b.dev.dev, 0, &truth);
    assert_true(isfinite(truth.card_w) && truth.slot[0].temp_c > 40 && truth.slot[0].temp_c < 200);
    b.dev.ops->close(b.dev.dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inventory_is_whole),
        cmocka_unit_test(starts_in_still_air),
        cmocka_unit_test(pages_decode),
        cmocka_unit_test(locks_close_and_open),
        cmocka_unit_test(refused_commands_leave_an_error_entry),
        cmocka_unit_test(features_are_kept_and_reset),
        cmocka_unit_test(a_low_power_state_saves_power),
        cmocka_unit_test(a_budget_is_saved_and_restored),
        cmocka_unit_test(scenario_events_come_and_go),
        cmocka_unit_test(in_real_time_the_card_is_warm_and_counts_from_zero),
        cmocka_unit_test(a_warm_card_was_held_at_the_operators_limits),
        cmocka_unit_test(ramps_move_slowly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
