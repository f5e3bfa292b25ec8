#include "exporter/negotiate.h"
#include "support/unit.h"

static void media(void **state)
{
    static const struct {
        const char *accept;
        enum el_media expect;
    } row[] = {
        {NULL, EL_MEDIA_TEXT_004},
        {"", EL_MEDIA_TEXT_004},
        {"*/*", EL_MEDIA_TEXT_004},
        {"text/plain", EL_MEDIA_TEXT_004},
        {"application/json", EL_MEDIA_TEXT_004},
        {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", EL_MEDIA_TEXT_004},
        {"application/openmetrics-text", EL_MEDIA_OPENMETRICS_100},
        {"application/openmetrics-text; version=1.0.0", EL_MEDIA_OPENMETRICS_100},
        {"application/openmetrics-text;version=\"1.0.0\"", EL_MEDIA_OPENMETRICS_100},
        {"Application/OpenMetrics-Text;Version=0.0.1", EL_MEDIA_OPENMETRICS_001},
        {"application/openmetrics-text;version=9.9.9", EL_MEDIA_TEXT_004},
        {"application/openmetrics-text;q=0", EL_MEDIA_TEXT_004},
        {"application/openmetrics-text;q=0.5,text/plain;q=0.5", EL_MEDIA_OPENMETRICS_100},
        {"application/openmetrics-text;q=0.4,text/plain;q=0.5", EL_MEDIA_TEXT_004},
        {"text/plain;version=1.0.0,application/openmetrics-text;q=0.1", EL_MEDIA_OPENMETRICS_100},
        {"application/openmetrics-text;q=1.5,text/plain;q=0.1", EL_MEDIA_TEXT_004},
        {"application/openmetrics-text;q=0.0001,text/plain;q=0.001", EL_MEDIA_TEXT_004},
        /* Prometheus 2.42 and 3 */
        {"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
         "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
         EL_MEDIA_OPENMETRICS_100},
        {"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/"
         "openmetrics-text;version=0.0.1;q=0.5,"
         "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
         EL_MEDIA_OPENMETRICS_100},
        {" , ;; ,;q=1,=,application/openmetrics-text ; version = 1.0.0 ; q = 0.9 ,", EL_MEDIA_OPENMETRICS_100},
    };

    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (el_negotiate_media(row[i].accept) != row[i].expect)
            fail_msg("%s: %d, expected %d", row[i].accept, el_negotiate_media(row[i].accept), row[i].expect);
}

static void encoding(void **state)
{
    assert_false(el_negotiate_gzip(NULL));
    assert_false(el_negotiate_gzip(""));
    assert_false(el_negotiate_gzip("identity"));
    assert_false(el_negotiate_gzip("gzip;q=0"));
    assert_false(el_negotiate_gzip("gzip;q=0.000, *"));
    assert_false(el_negotiate_gzip("gzipped"));
    assert_false(el_negotiate_gzip("br;q=1, deflate"));
    assert_true(el_negotiate_gzip("gzip"));
    assert_true(el_negotiate_gzip("GZIP"));
    assert_true(el_negotiate_gzip("deflate, gzip;q=0.5, br"));
    assert_true(el_negotiate_gzip("*"));
    assert_true(el_negotiate_gzip("x-gzip"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(media), cmocka_unit_test(encoding)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
