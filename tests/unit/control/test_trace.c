#include "base/file.h"
#include "config/config.h"
#include "control/simulate_plot.h"
#include "control/trace.h"
#include "support/unit.h"

#define PROFILES EL_SOURCE_DIR "/deploy/profiles"

static struct el_card_profile card;
static struct el_drive_profile drives[EL_CARD_SLOTS_MAX];
static struct el_scenario scenario;
static struct el_trace_writer writer;
static struct el_sim_plot *plot;

static void watch(void *ctx, const struct el_simulate_tick *tick)
{
    (void)ctx;
    el_trace_write(&writer, tick);
    el_sim_plot_tick(plot, tick);
}

/* A day on which everything breaks, traced into an unnamed file. */
static void trace_bad_day(void)
{
    struct el_config_error err;
    struct el_simulate_result r;
    struct el_simulate_options o = {.card = &card,
                                    .drives = drives,
                                    .workload = "bursty-random-write-4k",
                                    .inlet_c = 45,
                                    .airflow_lfm = 350,
                                    .hours = 2,
                                    .seed = 1,
                                    .law = &el_law_element,
                                    .limit_c = NAN,
                                    .card_watts = NAN,
                                    .scenario = &scenario,
                                    .no_oracle = true,
                                    .watch = watch};
    char why[200];

    assert_int_equal(el_config_load_scenario(EL_SOURCE_DIR "/deploy/scenarios/bad-day.yaml", &scenario, &err), 0);
    assert_int_equal(el_config_load_card_drives(PROFILES, "lqd4500", &card, drives, &err), 0);
    writer = (struct el_trace_writer){.file = tmpfile(), .law = "element"};
    plot = el_sim_plot_new(7200, "A bad day");
    assert_non_null(writer.file);
    assert_non_null(plot);
    assert_int_equal(el_simulate(&o, &r, why, sizeof why), 0);
    assert_int_equal(writer.error, 0);
    el_buf_free(&writer.line);
}

static void every_fault_replays(void **state)
{
    struct el_trace_replay found;
    EL_AUTO_BUF struct el_buf svg = {0};
    char why[200] = "";

    trace_bad_day();
    rewind(writer.file);
    if (el_trace_replay(writer.file, &found, why, sizeof why) < 0)
        fail_msg("%s", why);
    if (found.different)
        fail_msg("%ju different, first at %g s: %s", (uintmax_t)found.different, found.first_t_s, found.first_what);
    assert_int_equal(found.ticks, 3600);
    assert_string_equal(found.law, "element");
    el_sim_plot_draw(plot, &svg);
    assert_true(!svg.failed && strstr(svg.data, "</svg>"));
    assert_null(strstr(svg.data, "nan"));
    plot = el_sim_plot_free(plot);
    fclose(writer.file);
}

static int replay_text(const char *text, char *why, size_t size)
{
    FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    struct el_trace_replay found;
    int r;

    assert_non_null(f);
    r = el_trace_replay(f, &found, why, size);
    fclose(f);
    return r;
}

static void what_is_no_trace_is_refused(void **state)
{
    char why[200];

    assert_int_equal(replay_text("t_s,a,b\n1,2,3\n", why, sizeof why), -EBADMSG);
    assert_int_equal(replay_text("# elementd trace 1, law element\n# slots 99\n", why, sizeof why), -EBADMSG);
    assert_int_equal(replay_text("# elementd trace 1, law element\n", why, sizeof why), -EBADMSG);
    assert_string_equal(why, "line 1: slots is not readable");
}

/* Each edit of one character is found, and where. */
static void edits_are_told(void **state)
{
    static const struct {
        const char *found;
        size_t at;
        char now;
        const char *said;
    } edits[] = {
        {"# margin_c ", 3, 'u', "margin_c is not readable"},
        {"# slots ", 8, '0', "slots is not readable"},
        {"\nt_s,", 1, 'T', "the line of names is not readable"},
        {",out0.cap_ratio,", 5, '1', "out0.cap_ratio is not readable"},
        {"\n0,", 1, 'x', "t_s is not readable"},
        {"\n0,", 3, 'x', "now_us is not readable"},
    };
    char why[200], *at;

    for (size_t i = 0; i < EL_ARRAY_SIZE(edits); i++) {
        struct el_buf text = {0};

        assert_int_equal(
            el_file_read(AT_FDCWD, EL_SOURCE_DIR "/tests/fuzz/corpus/control_trace/short.csv", 1 << 20, &text), 0);
        at = strstr(text.data, edits[i].found);
        assert_non_null(at);
        at[edits[i].at] = edits[i].now;
        assert_int_equal(replay_text(text.data, why, sizeof why), -EBADMSG);
        assert_int_equal(strncmp(why, "line ", 5), 0);
        if (!strstr(why, edits[i].said))
            fail_msg("%s: %s", edits[i].said, why);
        el_buf_free(&text);
    }
}

static void a_truth_value_is_0_or_1(void **state)
{
    struct el_buf text = {0};
    char why[200], *can_cap;

    assert_int_equal(el_file_read(AT_FDCWD, EL_SOURCE_DIR "/tests/fuzz/corpus/control_trace/short.csv", 1 << 20, &text),
                     0);
    assert_int_equal(replay_text(text.data, why, sizeof why), 0);
    can_cap = strstr(text.data, "slot0.can_cap 1");
    assert_non_null(can_cap);
    can_cap[strlen("slot0.can_cap ")] = '2';
    assert_int_equal(replay_text(text.data, why, sizeof why), -EBADMSG);
    el_buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_replays),
        cmocka_unit_test(what_is_no_trace_is_refused),
        cmocka_unit_test(edits_are_told),
        cmocka_unit_test(a_truth_value_is_0_or_1),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
