/* The status page as text. `test_page --write FILE [stale]` keeps a page with a full hour of history, to look at. */
#include "base/file.h"
#include "exporter/page.h"
#include "support/make_snapshot.h"
#include "support/unit.h"

#define NOW 100000000000LL

struct stage {
    struct el_snapshot *s;
    struct el_history *history;
    struct el_buf html;
};

static struct stage stage_new(void)
{
    struct stage g = {.s = el_test_snapshot_new(&(struct el_test_snapshot){
                          .drives = 8, .sensors = 2, .odd = true, .alarms = 2, .time_us = NOW})};

    assert_non_null(g.s);
    g.history = el_history_new();
    for (uint32_t i = 0; i < g.s->cards.count; i++)
        el_snapshot_cards(g.s)[i].mode = EL_MODE_ENFORCE;
    return g;
}

static void stage_free(struct stage *g)
{
    el_history_free(g->history);
    el_snapshot_free(g->s);
    el_buf_free(&g->html);
}

static void render(struct stage *g, enum el_source_state state, const char *problem)
{
    struct el_page p = {.s = g->s,
                        .state = state,
                        .problem = problem,
                        .history = g->history,
                        .telemetry_path = "/metrics",
                        .now_us = NOW};

    el_buf_clear(&g->html);
    assert_int_equal(el_page_render(&p, &g->html), 0);
    assert_null(memchr(g->html.data, '\0', g->html.len));
}

static void assert_has(const struct stage *g, const char *text)
{
    if (!strstr(g->html.data, text))
        fail_msg("the page does not have: %s", text);
}

static void assert_has_not(const struct stage *g, const char *text)
{
    if (strstr(g->html.data, text))
        fail_msg("the page has: %s", text);
}

/* An hour of samples: temperatures that swing, a cap now and then. */
static void fill_history(struct stage *g)
{
    for (int k = 0; k < EL_HISTORY_SAMPLES; k++) {
        for (uint32_t i = 0; i < g->s->slots.count; i++) {
            struct el_slot *t = &el_snapshot_slots(g->s)[i];

            t->temp_mc[0].value = (int64_t)(55000 + 12000 * sin(k / 20.0 + i));
            t->decision.cap_ratio = k % 60 > 40 ? 0.6 : 1;
        }
        el_history_take(g->history, g->s, k >= 100 && k < 110 ? EL_SOURCE_STALE : EL_SOURCE_FRESH,
                        NOW - (EL_HISTORY_SAMPLES - 1 - k) * EL_HISTORY_STEP_US);
    }
}

static void shows_each_state(void **state)
{
    struct stage g = stage_new();
    struct el_slot *t = el_snapshot_slots(g.s);

    t[5].decision = (struct el_slot_decision){.cap_ratio = 0.4,
                                              .budget_w = 3.5,
                                              .constraint = EL_CONSTRAINT_CARD_POWER,
                                              .since_us = NOW - 7000000,
                                              .headroom_c = 4,
                                              .limit_c = 73,
                                              .temp_estimate_c = NAN};
    t[6].smart.critical_warning = 1 << 2;
    t[7].decision.headroom_c = -1.5;
    render(&g, EL_SOURCE_FRESH, "");
    assert_has(&g, "class=\"state empty\"");
    assert_has(&g, "class=\"state gone\"");
    assert_has(&g, "</span> failed</span>");
    assert_has(&g, "throttled 40 %");
    assert_has(&g, "40 %, 3.5 W<small>card power, for 7 s");
    assert_has(&g, "reliability degraded");
    assert_has(&g, "class=\"state hot\"");
    assert_has(&g, "1.5 above the limit");
    assert_has(&g, "role=\"status\"></div>");
    assert_has(&g, "throttled</span>");
    assert_has_not(&g, "All is well"); /* alarms are raised */
    el_snapshot_cards(g.s)[0].mode = EL_MODE_ADVISE;
    render(&g, EL_SOURCE_FRESH, "");
    assert_has(&g, "advised only: 40 %");
    assert_has_not(&g, "throttled 40 %");
    stage_free(&g);
}

/* What was true a while ago must not look true now. */
static void stale_drops_what_moves(void **state)
{
    struct stage g = stage_new();

    render(&g, EL_SOURCE_FRESH, "");
    assert_has(&g, " °C");
    assert_has(&g, "GT/s");
    render(&g, EL_SOURCE_STALE, "/run/elementd/snapshot: is not there");
    assert_has(&g, "Stale.");
    assert_has(&g, "not known");
    assert_has(&g, "is not there");
    assert_has(&g, "<title>✖ ");
    assert_has_not(&g, " °C");
    assert_has_not(&g, "GT/s");
    assert_has_not(&g, "throttled");
    render(&g, EL_SOURCE_NONE, "");
    assert_has(&g, "No data.");
    stage_free(&g);
}

static void text_is_escaped(void **state)
{
    struct stage g = stage_new();
    struct el_slot *t = &el_snapshot_slots(g.s)[0];

    strcpy(t->identify.model, "<script>alert(\"1\")&");
    strcpy(t->reason, "</td><b>'\"");
    strcpy(el_snapshot_cards(g.s)[0].title, "<svg onload=x>");
    render(&g, EL_SOURCE_FRESH, "<i>");
    assert_has_not(&g, "<script>alert");
    assert_has_not(&g, "<svg onload");
    assert_has_not(&g, "</td><b>");
    assert_has(&g, "&lt;script&gt;alert(&quot;1&quot;)&amp;");
    stage_free(&g);
}

static void remembers_an_hour(void **state)
{
    struct stage g = stage_new();
    struct el_history_sample out[EL_HISTORY_SAMPLES];
    const char *card = el_snapshot_cards(g.s)[0].name;

    assert_false(el_history_get(g.history, card, 0, out));
    assert_true(el_history_due(g.history, NOW));
    fill_history(&g);
    assert_false(el_history_due(g.history, NOW + EL_HISTORY_STEP_US - 1));
    assert_true(el_history_due(g.history, NOW + EL_HISTORY_STEP_US));
    assert_true(el_history_get(g.history, card, 0, out));
    assert_int_equal(out[0].temp_dc, 550);
    assert_int_equal(out[99].cap_permille, 1000);
    assert_int_equal(out[105].temp_dc, EL_HISTORY_ABSENT);
    assert_int_equal(out[EL_HISTORY_SAMPLES - 1].cap_permille, 600);
    assert_false(el_history_get(g.history, card, 1, out)); /* an empty slot has none */
    assert_true(el_history_get(g.history, card, -1, out));
    render(&g, EL_SOURCE_FRESH, "");
    assert_has(&g, "aria-label=\"Temperature in the last hour: 43 to 67 °C\"");
    assert_has(&g, "class=\"cap\"");
    /* A long sleep leaves a hole, not old samples in new places. */
    el_history_take(g.history, g.s, EL_SOURCE_FRESH, NOW + 1000 * EL_HISTORY_STEP_US);
    assert_true(el_history_get(g.history, card, 0, out));
    assert_int_equal(out[EL_HISTORY_SAMPLES - 2].temp_dc, EL_HISTORY_ABSENT);
    assert_int_not_equal(out[EL_HISTORY_SAMPLES - 1].temp_dc, EL_HISTORY_ABSENT);
    stage_free(&g);
}

static void policy_fits_the_page(void **state)
{
    assert_non_null(strstr(el_page_policy(), "default-src 'none'"));
    assert_non_null(strstr(el_page_policy(), "script-src 'sha256-"));
    assert_null(strstr(el_page_policy(), "unsafe"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_each_state),     cmocka_unit_test(stale_drops_what_moves),
        cmocka_unit_test(text_is_escaped),      cmocka_unit_test(remembers_an_hour),
        cmocka_unit_test(policy_fits_the_page),
    };

    if (argc >= 3 && strcmp(argv[1], "--write") == 0) {
        struct stage g = stage_new();

        fill_history(&g);
        render(&g, argc > 3 ? EL_SOURCE_STALE : EL_SOURCE_FRESH, "");
        return el_file_replace(AT_FDCWD, argv[2], g.html.data, g.html.len, 0644, false) < 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
