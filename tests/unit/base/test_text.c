#include "base/buf.h"
#include "base/text.h"
#include "support/unit.h"

static void fields_become_clean_text(void **state)
{
    static const struct {
        const char *field;
        size_t n;
        const char *want;
    } cases[] = {
        {"AB-1\n               ", 20, "AB-1"},
        {"MODEL123", 8, "MODEL123"}, /* no terminator */
        {"MODEL123FIRMWARE", 8, "MODEL123"},
        {"\0\0\0\0", 4, ""},
        {"nqn.x:a \0\xff", 10, "nqn.x:a"},
        {"a\tb\r", 4, "a b"},
        {"caf\xc3\xa9", 5, "caf\xc3\xa9"},
        {"caf\xe9", 4, "caf\xef\xbf\xbd"},                           /* Latin-1 */
        {"\xc3", 1, "\xef\xbf\xbd"},                                 /* cut sequence */
        {"\xc0\xaf", 2, "\xef\xbf\xbd\xef\xbf\xbd"},                 /* overlong */
        {"\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* a surrogate half */
        {"\xf0\x9f\x98\x80", 4, "\xf0\x9f\x98\x80"},
    };
    char out[64];

    for (size_t i = 0; i < EL_ARRAY_SIZE(cases); i++) {
        el_text_from_field(out, sizeof out, cases[i].field, cases[i].n);
        assert_string_equal(out, cases[i].want);
    }
    el_text_from_field(out, 5, "ab\xc3\xa9\xc3\xa9", 6); /* cut at a character's border */
    assert_string_equal(out, "ab\xc3\xa9");
}

static void escapes_keep_the_formats_whole(void **state)
{
    EL_AUTO_BUF struct el_buf b = {0};

    el_text_label_escape(&b, "plain \"q\" \\ \n\t\x7f \xc3\xa9 \xff.");
    assert_string_equal(b.data, "plain \\\"q\\\" \\\\ \\n   \xc3\xa9 \xef\xbf\xbd.");
    el_buf_clear(&b);
    el_text_json_escape(&b, "plain \"q\" \\ \n\t\x7f \xc3\xa9 \xff.");
    assert_string_equal(b.data, "plain \\\"q\\\" \\\\ \\n\\u0009\\u007f \xc3\xa9 \xef\xbf\xbd.");
    el_buf_clear(&b);
    el_text_label_escape(&b, "");
    assert_int_equal(b.len, 0);
}

static void a_failed_buffer_refuses_what_would_fit(void **state)
{
    struct el_buf b = {0};

    el_buf_puts(&b, "ab");
    b.failed = true;
    el_buf_puts(&b, "cd");
    assert_string_equal(b.data, "ab");
    el_buf_clear(&b);
    el_buf_puts(&b, "cd");
    assert_string_equal(b.data, "cd");
    el_buf_free(&b);
}

static void times_for_people(void **state)
{
    char out[32];

    el_text_rfc3339(1769860800123456, out);
    assert_string_equal(out, "2026-01-31T12:00:00.123Z");
    el_text_duration(90 * EL_USEC_PER_SEC, out);
    assert_string_equal(out, "90 s");
    el_text_duration(200000, out);
    assert_string_equal(out, "200 ms");
}

static void dates_are_days_of_the_calendar(void **state)
{
    static const char *const none[] = {"",          "soon",        "2026-02-29",  "2026-13-01",
                                       "2026-1-31", " 2026-01-31", "2026-01-31x", "26-01-31"};
    int64_t s = 7;

    for (size_t i = 0; i < EL_ARRAY_SIZE(none); i++)
        assert_int_equal(el_text_parse_date(none[i], &s), -EINVAL);
    assert_int_equal(s, 7);
    assert_int_equal(el_text_parse_date("1970-01-02", &s), 0);
    assert_int_equal(s, 86400);
    assert_int_equal(el_text_parse_date("2028-02-29", &s), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_become_clean_text),
        cmocka_unit_test(escapes_keep_the_formats_whole),
        cmocka_unit_test(a_failed_buffer_refuses_what_would_fit),
        cmocka_unit_test(times_for_people),
        cmocka_unit_test(dates_are_days_of_the_calendar),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
