#include <locale.h>

#include "base/num.h"
#include "support/unit.h"

static void writes_u128(void **state)
{
    char t[EL_NUM_MAX];

    el_num_u128(t, 0);
    assert_string_equal(t, "0");
    el_num_u128(t, ~(el_u128)0);
    assert_string_equal(t, "340282366920938463463374607431768211455");
    el_num_u128(t, (el_u128)1 << 64);
    assert_string_equal(t, "18446744073709551616");
}

static void writes_fixed(void **state)
{
    char t[EL_NUM_MAX];

    el_num_fixed(t, 26850, 3);
    assert_string_equal(t, "26.85");
    el_num_fixed(t, -18000, 3);
    assert_string_equal(t, "-18");
    el_num_fixed(t, -5, 3);
    assert_string_equal(t, "-0.005");
}

static void doubles_read_back(void **state)
{
    static const double values[] = {0, 1, -1, 0.1, 1e-9, 28341839499264000.0, 1.742245718635205e+44, 26.85, 1.0 / 3};
    char t[EL_NUM_MAX];
    double back;

    setlocale(LC_ALL, "de_DE.UTF-8"); /* may not be installed: then it proves less, not something else */
    for (size_t i = 0; i < EL_ARRAY_SIZE(values); i++) {
        el_num_double(t, values[i]);
        assert_null(strchr(t, ','));
        assert_int_equal(el_num_parse_double(t, &back), 0);
        assert_true(back == values[i]);
    }
    el_num_double(t, NAN);
    assert_string_equal(t, "NaN");
    el_num_double(t, -INFINITY);
    assert_string_equal(t, "-Inf");
    el_num_double(t, -2000);
    assert_string_equal(t, "-2000");
}

static void parsers_are_strict(void **state)
{
    int64_t i = 7;
    double d = 7;

    assert_int_equal(el_num_parse_i64(" -42\n", &i), 0);
    assert_int_equal(i, -42);
    assert_int_equal(el_num_parse_i64("0x10", &i), 0);
    assert_int_equal(i, 16);
    assert_true(el_num_parse_i64("", &i) < 0);
    assert_true(el_num_parse_i64("12 GT/s", &i) < 0);
    assert_true(el_num_parse_i64("99999999999999999999", &i) < 0);
    assert_int_equal(i, 16);
    assert_true(el_num_parse_double("nan", &d) < 0);
    assert_true(el_num_parse_double("1,5", &d) < 0);
    assert_true(d == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_u128),
        cmocka_unit_test(writes_fixed),
        cmocka_unit_test(doubles_read_back),
        cmocka_unit_test(parsers_are_strict),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
